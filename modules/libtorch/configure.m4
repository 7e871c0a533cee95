# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# What configure says about the libtorch module; m4/kc_libtorch.m4 has looked.
AS_IF([test "$kc_found_libtorch" = yes],
    [kc_summary_libtorch="on the cpu, with LibTorch $kc_libtorch_version; contracts only on cuda"],
    [test "$with_libtorch" = no],
    [kc_summary_libtorch="contracts only (--without-libtorch)"],
    [kc_summary_libtorch="contracts only (LibTorch not found; Debian: libtorch-dev)"])
# Rewritten only when another LibTorch, or none any more, is found: what was made
# for the one before depends on it.
AC_CONFIG_COMMANDS([modules/libtorch/configured],
    [AS_MKDIR_P([modules/libtorch])
    AS_ECHO(["$kc_libtorch"]) >modules/libtorch/configured.new
    AS_IF([cmp -s modules/libtorch/configured.new modules/libtorch/configured],
        [rm -f modules/libtorch/configured.new],
        [mv -f modules/libtorch/configured.new modules/libtorch/configured])],
    [kc_libtorch='$kc_found_libtorch $kc_libtorch_version $LIBTORCH_CXXFLAGS $TORCH_CPPFLAGS'])
