# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# What configure says about the native_cuda module: contracts without handlers.
AC_ARG_WITH([cuda], [],
    [AS_CASE([$with_cuda], [no], [],
        [AC_MSG_ERROR([--with-cuda=$with_cuda: not in this build (native_cuda carries contracts only)])])])
kc_summary_native_cuda="contracts only (this version has no CUDA handlers)"
