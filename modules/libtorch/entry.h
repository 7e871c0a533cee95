/* SPDX-License-Identifier: Apache-2.0
 *
 * The boundary between C and C++: every handler of the module is one of these
 * two templates around a function of a family. Guards are set and taken back
 * here, exceptions become statuses here, and nowhere else.
 */
#ifndef KC_LIBTORCH_ENTRY_H
#define KC_LIBTORCH_ENTRY_H

#include <kcapsule/handler.h>

#include <exception>

#include "operands.h"

namespace kc_libtorch {

/* What a family throws instead of letting ATen meet it. `message` is a
 * literal: expected, found, which thing. */
class refusal : public std::exception {
  public:
    refusal(kc_status_t status, const char *message)
        : status_(status), message_(message)
    {
    }
    kc_status_t status() const
    {
        return status_;
    }
    const char *what() const noexcept override
    {
        return message_;
    }

  private:
    kc_status_t status_;
    const char *message_;
};

/* A function of a family. Writes all outputs, or throws.
 * Forward: at least one output has elements. VJP: the cotangent of output 0 is
 * there and has elements, and at least one cotangent is wanted; what may be
 * empty are operands and the cotangents that are wanted. */
using body_fn = void (*)(call &);

kc_status_t run_forward(body_fn body, const kc_call_t *raw) noexcept;
kc_status_t run_vjp(body_fn body, const kc_call_t *raw) noexcept;

template <body_fn body> kc_status_t forward_entry(const kc_call_t *raw)
{
    return run_forward(body, raw);
}

template <body_fn body> kc_status_t vjp_entry(const kc_call_t *raw)
{
    return run_vjp(body, raw);
}

} // namespace kc_libtorch

#endif
