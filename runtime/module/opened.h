/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of an opened module. Internal to the layer.
 */
#ifndef KC_MODULE_OPENED_H
#define KC_MODULE_OPENED_H

#include "module/module_file.h"

/* Runs the module's close and lets go of its image, when the record was
 * opened. Called with the last reference. */
void kci_opened_end(kci_module_file_t *file);

#endif
