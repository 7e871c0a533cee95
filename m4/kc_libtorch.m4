# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors

# KC_FIND_LIBTORCH: LibTorch for the libtorch module and for the benchmarks that
# are compared with it: where the compiler looks by itself, or below the folder
# of --with-libtorch=DIR. Whether it is there, of a usable age and of the same
# C++ ABI is decided by compiling, linking and nothing else.
AC_DEFUN([KC_FIND_LIBTORCH],
[AC_ARG_WITH([libtorch],
    [AS_HELP_STRING([--with-libtorch@<:@=DIR@:>@],
        [execute the libtorch module, with the LibTorch below DIR (default:
         where one is found)])],
    [], [with_libtorch=auto])
kc_found_libtorch=no
kc_libtorch_version=
kc_libtorch_dir=
LIBTORCH_CPPFLAGS=
LIBTORCH_CXXFLAGS=
LIBTORCH_LIBS="-ltorch_cpu -lc10"
LIBTORCH_LDFLAGS=
AS_CASE([$with_libtorch],
    [auto | yes | no], [TORCH_CPPFLAGS="-isystem /usr/include/torch/csrc/api/include"],
    [kc_libtorch_dir=$with_libtorch
    LIBTORCH_CPPFLAGS="-isystem $kc_libtorch_dir/include"
    TORCH_CPPFLAGS="$LIBTORCH_CPPFLAGS -isystem $kc_libtorch_dir/include/torch/csrc/api/include"
    LIBTORCH_LDFLAGS="-L$kc_libtorch_dir/lib -Wl,-rpath,$kc_libtorch_dir/lib"])
# With a DIR that is not one the compiler would find the system's and be content.
AS_IF([test -n "$kc_libtorch_dir"],
    [AS_IF([test -r "$kc_libtorch_dir/include/torch/csrc/api/include/torch/version.h" &&
        test -r "$kc_libtorch_dir/lib/libtorch_cpu.so"], [KC_TRY_LIBTORCH])],
    [test "$with_libtorch" != no], [KC_TRY_LIBTORCH])
AS_CASE([$with_libtorch:$kc_found_libtorch],
    [no:* | auto:* | *:yes], [],
    [AC_MSG_ERROR([--with-libtorch=$with_libtorch: no LibTorch 1.13 or later that the C++ compiler can link (Debian: libtorch-dev and g++)])])
# torch/torch.h, of the benchmarks alone, wants the umbrella library as well.
TORCH_LIBS="$LIBTORCH_LDFLAGS -ltorch $LIBTORCH_LIBS -lstdc++"
AC_SUBST([TORCH_CPPFLAGS])
AC_SUBST([TORCH_LIBS])
AC_SUBST([LIBTORCH_CPPFLAGS])
AC_SUBST([LIBTORCH_CXXFLAGS])
AC_SUBST([LIBTORCH_LDFLAGS])
AC_SUBST([LIBTORCH_LIBS])
AC_SUBST([LIBTORCH_VERSION], [$kc_libtorch_version])
AM_CONDITIONAL([HAVE_TORCH], [test "$kc_found_libtorch" = yes])
AM_CONDITIONAL([HAVE_LIBTORCH], [test "$kc_found_libtorch" = yes])
AS_IF([test "$kc_found_libtorch" = yes],
    [KC_HAVE_LIBTORCH=1], [KC_HAVE_LIBTORCH=0])
AC_SUBST([KC_HAVE_LIBTORCH])
])

# The link test and, from torch/version.h, the version. LIBTORCH_CXXFLAGS get the
# oldest standard that the headers take (C++20 for the newest), and the old ABI of
# GCC's strings where the library has it (wheels before 2.7).
AC_DEFUN([KC_TRY_LIBTORCH],
[AC_MSG_CHECKING([for LibTorch])
AC_LANG_PUSH([C++])
kc_saved_cppflags=$CPPFLAGS
kc_saved_cxxflags=$CXXFLAGS
kc_saved_ldflags=$LDFLAGS
kc_saved_libs=$LIBS
CPPFLAGS="$CPPFLAGS $TORCH_CPPFLAGS"
LDFLAGS="$LDFLAGS $LIBTORCH_LDFLAGS"
LIBS="$LIBTORCH_LIBS $LIBS"
kc_standard=-std=c++17
AS_ECHO(["#include <ATen/ATen.h>"]) |
    $CXX $CPPFLAGS $kc_standard -E -x c++ - >/dev/null 2>&1 ||
    kc_standard=-std=c++20
for kc_flags in "$kc_standard" "$kc_standard -D_GLIBCXX_USE_CXX11_ABI=0"; do
    CXXFLAGS="$kc_saved_cxxflags $kc_flags"
    AS_IF([test "$kc_found_libtorch" = no],
        [AC_LINK_IFELSE([AC_LANG_PROGRAM(
            [[#include <ATen/core/Tensor.h>
              #include <ATen/ops/ones.h>
              #include <torch/version.h>
              #if TORCH_VERSION_MAJOR < 1 || (TORCH_VERSION_MAJOR == 1 && TORCH_VERSION_MINOR < 13)
              #error too old
              #endif]],
            [[return at::ones({2}).numel() != 2;]])],
            [kc_found_libtorch=yes
            LIBTORCH_CXXFLAGS=$kc_flags])])
done
AS_IF([test "$kc_found_libtorch" = yes],
    [kc_libtorch_version=`AS_ECHO(["#include <torch/version.h>
kc_version=TORCH_VERSION_MAJOR.TORCH_VERSION_MINOR.TORCH_VERSION_PATCH"]) |
        $CXX $CPPFLAGS -E -P -x c++ - 2>/dev/null |
        tr -d ' \n' | $SED 's/.*kc_version=//'`])
CPPFLAGS=$kc_saved_cppflags
CXXFLAGS=$kc_saved_cxxflags
LDFLAGS=$kc_saved_ldflags
LIBS=$kc_saved_libs
AC_LANG_POP([C++])
AS_IF([test "$kc_found_libtorch" = yes],
    [AC_MSG_RESULT([yes, $kc_libtorch_version])], [AC_MSG_RESULT([no])])
])

# KC_CXX_FLAGS: KC_CXXFLAGS, the flags of every C++ object but the standard:
# those of the C objects as far as C++ knows them.
AC_DEFUN([KC_CXX_FLAGS],
[KC_CXXFLAGS="-fvisibility-inlines-hidden"
for kc_flag in $KC_CFLAGS; do
    AS_CASE([$kc_flag],
        [-std=* | -Wstrict-prototypes | -Wmissing-prototypes], [],
        [AS_VAR_APPEND([KC_CXXFLAGS], [" $kc_flag"])])
done
AC_SUBST([KC_CXXFLAGS])
])
