# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors

# KC_OPTION_SANITIZERS: --enable-sanitizers compiles and links everything,
# modules included, with the address and undefined behaviour sanitizers.
AC_DEFUN([KC_OPTION_SANITIZERS],
[AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers],
        [build with the address and undefined behaviour sanitizers])],
    [], [enable_sanitizers=no])
KC_SANITIZERS=
KC_SANITIZER_ENVIRONMENT=
AC_SUBST([KC_SANITIZERS])
AC_SUBST([KC_SANITIZER_ENVIRONMENT])
AS_IF([test "$enable_sanitizers" != no], [KC_USE_SANITIZERS])
])

# A shared library cannot be linked with -z defs here: the sanitizer's symbols
# may come from the program. Tests ask for more memory than there is and let
# modules crash, and expect NULL and a signal, as without sanitizers.
AC_DEFUN([KC_USE_SANITIZERS],
[kc_sanitize="-fsanitize=address,undefined"
AC_MSG_CHECKING([whether $CC links with $kc_sanitize])
kc_saved_cflags=$CFLAGS
CFLAGS="$CFLAGS $kc_sanitize"
AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
    AC_MSG_ERROR([--enable-sanitizers: $CC cannot link with $kc_sanitize])])
CFLAGS=$kc_saved_cflags
KC_SANITIZERS="address,undefined"
AS_VAR_APPEND([KC_CFLAGS],
    [" $kc_sanitize -fno-sanitize-recover=undefined -fno-omit-frame-pointer"])
AS_VAR_APPEND([KC_LDFLAGS], [" $kc_sanitize"])
KC_LIBRARY_LDFLAGS=
KC_SANITIZER_ENVIRONMENT="ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1:allocator_may_return_null=1:handle_segv=0; export ASAN_OPTIONS; UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1; export UBSAN_OPTIONS;"
])

# KC_OPTION_FUZZING: --enable-fuzzing builds the libFuzzer programs of tests/fuzz
# and instruments what they link; it needs clang.
AC_DEFUN([KC_OPTION_FUZZING],
[AC_ARG_ENABLE([fuzzing],
    [AS_HELP_STRING([--enable-fuzzing],
        [build the libFuzzer programs of tests/fuzz (needs CC=clang)])],
    [], [enable_fuzzing=no])
AS_IF([test "$enable_fuzzing" != no], [KC_USE_FUZZING])
AM_CONDITIONAL([ENABLE_FUZZING], [test "$enable_fuzzing" != no])
])

AC_DEFUN([KC_USE_FUZZING],
[AC_MSG_CHECKING([whether $CC links with -fsanitize=fuzzer])
kc_saved_cflags=$CFLAGS
CFLAGS="$CFLAGS -fsanitize=fuzzer"
AC_LINK_IFELSE(
    [AC_LANG_SOURCE([[#include <stddef.h>
        #include <stdint.h>
        int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
        int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
        { return data == NULL && size > 0; }]])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
    AC_MSG_ERROR([--enable-fuzzing: $CC cannot link with -fsanitize=fuzzer; try CC=clang])])
CFLAGS=$kc_saved_cflags
AS_VAR_APPEND([KC_CFLAGS], [" -fsanitize=fuzzer-no-link"])
KC_LIBRARY_LDFLAGS=
])
