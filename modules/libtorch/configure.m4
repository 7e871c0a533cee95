# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# What configure says about the libtorch module; m4/kc_libtorch.m4 has looked.
AS_IF([test "$kc_found_libtorch" = yes],
    [kc_summary_libtorch="on the cpu, with LibTorch $kc_libtorch_version; contracts only on cuda"],
    [test "$with_libtorch" = no],
    [kc_summary_libtorch="contracts only (--without-libtorch)"],
    [kc_summary_libtorch="contracts only (LibTorch not found; Debian: libtorch-dev)"])
