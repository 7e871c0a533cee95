/* SPDX-License-Identifier: Apache-2.0
 *
 * A heap that fails when told to, by the linker's --wrap.
 */
#include "unit/failing_heap.h"

#include <stdbool.h>
#include <stddef.h>

static bool is_broken;
static int granted;

void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void failing_heap_break_after(int count)
{
    is_broken = true;
    granted = count;
}

void failing_heap_mend(void)
{
    is_broken = false;
}

static bool is_refused(void)
{
    if (!is_broken) {
        return false;
    }
    if (granted > 0) {
        granted--;
        return false;
    }
    return true;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return is_refused() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return is_refused() ? NULL : __real_realloc(memory, size);
}
