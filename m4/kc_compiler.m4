# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors

# KC_TRY_CFLAG(VARIABLE, FLAG): append FLAG to VARIABLE when the compiler takes it.
AC_DEFUN([KC_TRY_CFLAG],
[AS_VAR_PUSHDEF([cache], [kc_cv_cflag_$2])dnl
AC_CACHE_CHECK([whether $CC takes $2], [cache],
    [kc_saved_cflags=$CFLAGS
    CFLAGS="$CFLAGS -Werror $2"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
        [AS_VAR_SET([cache], [yes])], [AS_VAR_SET([cache], [no])])
    CFLAGS=$kc_saved_cflags])
AS_VAR_IF([cache], [yes], [AS_VAR_APPEND([$1], [" $2"])])
AS_VAR_POPDEF([cache])dnl
])

# KC_NEED_CFLAG(VARIABLE, FLAG): the same, but refuse to go on without it.
AC_DEFUN([KC_NEED_CFLAG],
[KC_TRY_CFLAG([$1], [$2])
AS_CASE([" $[]$1 "], [*" $2 "*], [],
    [AC_MSG_ERROR([the compiler $CC does not take $2])])
])

# KC_COMPILER_FLAGS: the flags of every object. The results promise bits, so a
# compiler that reassociates or contracts is refused, wherever the flag is from.
AC_DEFUN([KC_COMPILER_FLAGS],
[KC_CFLAGS=
KC_LDFLAGS=
AC_SUBST([KC_CFLAGS])
AC_SUBST([KC_LDFLAGS])
AC_SUBST([KC_LIBRARY_LDFLAGS], [-Wl,-z,defs])
m4_foreach_w([kc_flag], [-std=c11 -ffp-contract=off -fno-fast-math
    -fvisibility=hidden],
    [KC_NEED_CFLAG([KC_CFLAGS], kc_flag)])
m4_foreach_w([kc_flag], [-Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes
    -Wmissing-prototypes -Wvla -Wwrite-strings -Wundef -Wformat=2],
    [KC_TRY_CFLAG([KC_CFLAGS], kc_flag)])
AS_CASE([" $CPPFLAGS $CFLAGS "],
    [*" -Ofast "* | *" -ffast-math "* | *" -ffp-contract=fast "* | \
     *" -ffp-contract=on "* | *" -funsafe-math-optimizations "* | \
     *" -fassociative-math "* | *" -freciprocal-math "* | \
     *" -ffinite-math-only "* | *" -fno-signed-zeros "*],
    [AC_MSG_ERROR([CFLAGS ask for inexact arithmetic, which changes results: $CFLAGS])])
])

# KC_OPTION_WERROR: --enable-werror, off by default.
AC_DEFUN([KC_OPTION_WERROR],
[AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [treat compiler warnings as errors])],
    [], [enable_werror=no])
AS_IF([test "$enable_werror" != no], [AS_VAR_APPEND([KC_CFLAGS], [" -Werror"])])
])

# KC_PROG_CXX_FOR_HEADERS: the C++ compiler that the header tests use, if any.
# Nothing is built with it but the LibTorch side of a benchmark.
AC_DEFUN([KC_PROG_CXX_FOR_HEADERS],
[AC_ARG_VAR([KC_CXX], [C++ compiler of the header tests])
AC_CHECK_PROGS([KC_CXX], [g++ c++ clang++])
])
