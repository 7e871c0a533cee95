# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors

# KC_DEPENDENCIES: the libraries. Those with a pkg-config file are found by it;
# Debian ships none for DLPack and pthreadpool.
AC_DEFUN([KC_DEPENDENCIES],
[PKG_CHECK_MODULES([JANSSON], [jansson >= 2.13], [],
    [AC_MSG_ERROR([jansson 2.13 not found (Debian: libjansson-dev)])])
PKG_CHECK_MODULES([LIBELF], [libelf], [],
    [AC_MSG_ERROR([libelf not found (Debian: libelf-dev)])])
PKG_CHECK_MODULES([SODIUM], [libsodium >= 1.0.18], [],
    [AC_MSG_ERROR([libsodium 1.0.18 not found (Debian: libsodium-dev)])])
PKG_CHECK_MODULES([XXHASH], [libxxhash >= 0.8.0], [],
    [AC_MSG_ERROR([libxxhash 0.8 not found (Debian: libxxhash-dev)])])
KC_CHECK_DLPACK
KC_CHECK_PTHREADPOOL
KC_CHECK_SYSTEM_LIBRARIES
KC_CHECK_CHECK
KC_CHECK_LIBFFI
AC_SUBST([KC_DEPENDENCY_CFLAGS],
    ["$JANSSON_CFLAGS $LIBELF_CFLAGS $SODIUM_CFLAGS $XXHASH_CFLAGS"])
AC_SUBST([KC_DEPENDENCY_LIBS],
    ["$JANSSON_LIBS $LIBELF_LIBS $SODIUM_LIBS $XXHASH_LIBS $PTHREADPOOL_LIBS $SYSTEM_LIBS"])
])

AC_DEFUN([KC_CHECK_DLPACK],
[AC_CHECK_HEADER([dlpack/dlpack.h], [],
    [AC_MSG_ERROR([dlpack/dlpack.h not found (Debian: libdlpack-dev)])])
])

AC_DEFUN([KC_CHECK_PTHREADPOOL],
[AC_CHECK_HEADER([pthreadpool.h], [],
    [AC_MSG_ERROR([pthreadpool.h not found (Debian: libpthreadpool-dev)])])
kc_saved_libs=$LIBS
AC_CHECK_LIB([pthreadpool], [pthreadpool_create], [:],
    [AC_MSG_ERROR([libpthreadpool not found (Debian: libpthreadpool-dev)])],
    [-pthread])
LIBS=$kc_saved_libs
AC_SUBST([PTHREADPOOL_LIBS], ["-lpthreadpool -pthread"])
])

# Where dlopen and the mathematics are: libc itself or libraries beside it.
AC_DEFUN([KC_CHECK_SYSTEM_LIBRARIES],
[kc_saved_libs=$LIBS
LIBS=
AC_SEARCH_LIBS([dlopen], [dl], [],
    [AC_MSG_ERROR([dlopen not found])])
AC_SEARCH_LIBS([expf], [m], [],
    [AC_MSG_ERROR([expf not found])])
AC_SUBST([SYSTEM_LIBS], [$LIBS])
LIBS=$kc_saved_libs
])

# Check is needed by make check alone.
AC_DEFUN([KC_CHECK_CHECK],
[PKG_CHECK_MODULES([CHECK], [check >= 0.15], [have_check=yes], [have_check=no])
AM_CONDITIONAL([HAVE_CHECK], [test "$have_check" = yes])
])

# libffi is for kernels known by a manifest, which this version does not have:
# it is looked for only to be named in the summary, and never linked.
AC_DEFUN([KC_CHECK_LIBFFI],
[AC_MSG_CHECKING([for libffi])
AS_IF([$PKG_CONFIG --exists libffi], [kc_found_libffi="found"],
    [kc_found_libffi="not found"])
AC_MSG_RESULT([$kc_found_libffi])
])
