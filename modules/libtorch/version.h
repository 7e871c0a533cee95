/* SPDX-License-Identifier: Apache-2.0
 *
 * What differs between LibTorch 1.13 and 2.x, and nothing else: the rest of
 * the module names what is here and functions that both have.
 */
#ifndef KC_LIBTORCH_VERSION_H
#define KC_LIBTORCH_VERSION_H

#include <torch/version.h>

#include <c10/util/Exception.h>

#include <string>

namespace kc_libtorch {

/* Drops what ATen says besides: a status tells all that a caller acts on. */
class silence : public c10::WarningHandler {
  public:
#if TORCH_VERSION_MAJOR >= 2
    void process(const c10::Warning &) override
    {
    }
#else
    void process(const c10::SourceLocation &, const std::string &,
                 const bool) override
    {
    }
#endif
};

#if TORCH_VERSION_MAJOR >= 2
using warning_handler_guard = c10::WarningUtils::WarningHandlerGuard;
#else
using warning_handler_guard = c10::Warning::WarningHandlerGuard;
#endif

} // namespace kc_libtorch

#endif
