/* SPDX-License-Identifier: Apache-2.0
 *
 * A heap that fails when told to. Works in a runner that is linked with
 * -Wl,--wrap=calloc -Wl,--wrap=realloc, the two calls of base/alloc.c.
 */
#ifndef KC_TESTS_UNIT_FAILING_HEAP_H
#define KC_TESTS_UNIT_FAILING_HEAP_H

/* The next `count` requests are granted, all later ones refused, until the
 * heap is mended. Of this process, that is of this test, only. */
void failing_heap_break_after(int count);
void failing_heap_mend(void);

#endif
