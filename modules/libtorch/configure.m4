# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# What configure says about the libtorch module: contracts without handlers.
AC_ARG_WITH([libtorch], [],
    [AS_CASE([$with_libtorch], [no], [],
        [AC_MSG_ERROR([--with-libtorch=$with_libtorch: not in this build (libtorch carries contracts only)])])])
kc_summary_libtorch="contracts only (this version has no LibTorch handlers)"
