/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts of the interface: labels, parsers, version.
 */
#include <kcapsule/api.h>

#include "api/argument.h"
#include "base/alloc.h"
#include "base/label.h"
#include "report/report.h"

void kc_text_release(char *text)
{
    kci_free(text);
}

const char *kc_op_label(int32_t op)
{
    return kci_label(&kci_ops, op);
}

const char *kc_device_label(int32_t device)
{
    return kci_label(&kci_devices, device);
}

const char *kc_vjp_mode_label(int32_t mode)
{
    return kci_label(&kci_vjp_modes, mode);
}

const char *kc_reason_label(int32_t reason)
{
    return kci_reason_label(reason);
}

kc_status_t kc_op_parse(const char *text, int32_t *out_op, kc_error_t *error)
{
    KC_REQUIRE(text, error);
    KC_REQUIRE(out_op, error);
    if (!kci_label_parse(&kci_ops, text, out_op)) {
        return kci_fail(error, KC_ERR_NOT_FOUND,
                        "expected an operation of the catalogue, found `%s` "
                        "(`kcapsule ops` lists them)",
                        text);
    }
    return KC_OK;
}

const char *kc_library_version(void)
{
    return PACKAGE_VERSION;
}
