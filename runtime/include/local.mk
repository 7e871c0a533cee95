# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The public headers of the library: list every one here, by hand.

pkginclude_HEADERS += \
    %D%/kcapsule/api.h \
    %D%/kcapsule/compose.h \
    %D%/kcapsule/graph.h \
    %D%/kcapsule/kcapsule.h \
    %D%/kcapsule/plan.h \
    %D%/kcapsule/policy.h \
    %D%/kcapsule/profile.h \
    %D%/kcapsule/report.h \
    %D%/kcapsule/runtime.h \
    %D%/kcapsule/session.h \
    %D%/kcapsule/tape.h \
    %D%/kcapsule/values.h
