/* SPDX-License-Identifier: Apache-2.0
 *
 * Umbrella of the SDK: everything a module sees, and nothing else.
 */
#ifndef KCAPSULE_SDK_H
#define KCAPSULE_SDK_H

#include <kcapsule/abi.h>
#include <kcapsule/attributes.h>
#include <kcapsule/call.h>
#include <kcapsule/capsule.h>
#include <kcapsule/contract.h>
#include <kcapsule/device.h>
#include <kcapsule/handler.h>
#include <kcapsule/host.h>
#include <kcapsule/module.h>
#include <kcapsule/status.h>
#include <kcapsule/tensor.h>
#include <kcapsule/vocabulary.h>

#endif
