/* SPDX-License-Identifier: Apache-2.0
 *
 * Umbrella of the application interface.
 */
#ifndef KCAPSULE_KCAPSULE_H
#define KCAPSULE_KCAPSULE_H

#include <kcapsule/api.h>
#include <kcapsule/compose.h>
#include <kcapsule/graph.h>
#include <kcapsule/plan.h>
#include <kcapsule/policy.h>
#include <kcapsule/profile.h>
#include <kcapsule/report.h>
#include <kcapsule/runtime.h>
#include <kcapsule/session.h>
#include <kcapsule/tape.h>
#include <kcapsule/values.h>

#endif
