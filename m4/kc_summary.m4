# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors

# KC_SUMMARY: the last thing configure prints: what is on, what is off, and why.
AC_DEFUN([KC_SUMMARY],
[AS_IF([test "$have_check" = yes],
    [kc_summary_unit="on"],
    [kc_summary_unit="off (Check 0.15 not found; Debian: check)"])
AS_IF([test -n "$KC_SANITIZERS"],
    [kc_summary_sanitizers="on ($KC_SANITIZERS)"],
    [kc_summary_sanitizers="off (--enable-sanitizers)"])
AS_IF([test "$enable_fuzzing" != no],
    [kc_summary_fuzzing="on"],
    [kc_summary_fuzzing="off (--enable-fuzzing with CC=clang)"])
AS_IF([test "$enable_werror" != no],
    [kc_summary_werror="on"],
    [kc_summary_werror="off (--enable-werror)"])
AS_IF([test -n "$KC_CXX"],
    [kc_summary_cxx="$KC_CXX"],
    [kc_summary_cxx="off (no C++ compiler found)"])
AS_IF([test "$kc_found_libtorch" = yes],
    [kc_summary_torch="$kc_libtorch_version, for the module and benchmarks"],
    [test "$with_libtorch" = no],
    [kc_summary_torch="off (--without-libtorch): benchmarks have no comparison"],
    [kc_summary_torch="not found (Debian: libtorch-dev): benchmarks have no comparison"])
AS_ECHO(["
$PACKAGE_NAME $PACKAGE_VERSION

  compiler              $CC
  flags                 $CFLAGS
  prefix                $prefix

  modules
    reference           $kc_summary_reference
    attention           $kc_summary_attention
    native_cuda         $kc_summary_native_cuda
    libtorch            $kc_summary_libtorch

  libraries
    DLPack              header found
    jansson             $($PKG_CONFIG --modversion jansson)
    libelf              $($PKG_CONFIG --modversion libelf)
    libsodium           $($PKG_CONFIG --modversion libsodium)
    libxxhash           $($PKG_CONFIG --modversion libxxhash)
    pthreadpool         found
    libffi              $kc_found_libffi, not used in this build (no manifest kernels)

  tests
    unit tests          $kc_summary_unit
    headers as C++      $kc_summary_cxx
    LibTorch            $kc_summary_torch
    sanitizers          $kc_summary_sanitizers
    fuzzing programs    $kc_summary_fuzzing
    warnings as errors  $kc_summary_werror
"])
])
