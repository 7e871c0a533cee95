/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the built module files for the tests: in the folder that the variable
 * KCAPSULE_MODULE_PATH names, as make check sets it.
 */
#ifndef KC_TESTS_UNIT_MODULES_MODULE_FILE_H
#define KC_TESTS_UNIT_MODULES_MODULE_FILE_H

#include <kcapsule/module.h>

/* Loads NAME.so and calls its getter; fails the running test otherwise. The
 * file stays loaded. */
const kc_module_t *module_file_load(const char *name);

/* The records of one kind of note in NAME.so, read from its bytes. `records`
 * is owned by the caller; NULL when there is no such note. */
typedef struct module_note {
    void *records;
    size_t size_bytes;
} module_note_t;

module_note_t module_file_read_note(const char *name, uint32_t type);

#endif
