/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Reads the files of examples/digits below $KC_SRCDIR. */
#include "unit/exec/digits_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "tensor/npy.h"
#include "tensor/safetensors.h"

static void path_of(const char *name, char *out, size_t size)
{
    const char *folder = getenv("KC_SRCDIR");
    snprintf(out, size, "%s/examples/digits/%s", folder != NULL ? folder : ".",
             name);
}

static kc_status_t load_consts(digits_t *digits,
                               kci_host_allocator_t *allocator,
                               kc_error_t *error)
{
    char path[1024];
    kci_safetensors_t *file = NULL;
    path_of("digits_mlp.safetensors", path, sizeof path);
    KC_RETURN_IF_ERROR(kci_safetensors_open(path, &file, error));
    kc_status_t status = KC_OK;
    size_t count = kci_safetensors_count(file);
    for (size_t i = 0; i < count && i < DIGITS_CONSTS_MAX; i++) {
        kci_named_tensor_t *named = &digits->consts[i];
        snprintf(digits->names[i], sizeof digits->names[i], "%s",
                 kci_safetensors_name(file, i));
        named->name = digits->names[i];
        status = kci_safetensors_load(file, named->name, allocator,
                                      &named->tensor, error);
        if (status != KC_OK) {
            break;
        }
        digits->const_count++;
    }
    kci_safetensors_close(file);
    return status;
}

static kc_status_t load_all(digits_t *digits, kci_host_allocator_t *allocator,
                            kc_error_t *error)
{
    char path[1024];
    path_of("digits_mlp.json", path, sizeof path);
    KC_RETURN_IF_ERROR(kci_graph_read(path, &digits->graph, error));
    KC_RETURN_IF_ERROR(load_consts(digits, allocator, error));
    path_of("digits_test_images.npy", path, sizeof path);
    KC_RETURN_IF_ERROR(kci_npy_read(allocator, path, &digits->images, error));
    path_of("digits_mlp_logits_fixed_left.npy", path, sizeof path);
    return kci_npy_read(allocator, path, &digits->logits, error);
}

bool digits_load(digits_t *digits, kci_host_allocator_t *allocator,
                 kc_error_t *error)
{
    memset(digits, 0, sizeof *digits);
    if (load_all(digits, allocator, error) != KC_OK) {
        digits_release(digits);
        return false;
    }
    return true;
}

void digits_release(digits_t *digits)
{
    for (size_t i = 0; i < digits->const_count; i++) {
        kci_tensor_release(digits->consts[i].tensor);
    }
    kci_tensor_release(digits->images);
    kci_tensor_release(digits->logits);
    kci_graph_release(digits->graph);
    memset(digits, 0, sizeof *digits);
}
