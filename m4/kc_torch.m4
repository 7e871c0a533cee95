# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors

# KC_FIND_TORCH: LibTorch as a yardstick of one benchmark, where the system has
# it and a C++ compiler. Nothing that is installed or tested needs it.
AC_DEFUN([KC_FIND_TORCH],
[AC_MSG_CHECKING([for LibTorch])
kc_found_torch=no
TORCH_CPPFLAGS="-isystem /usr/include/torch/csrc/api/include"
TORCH_LIBS="-ltorch -ltorch_cpu -lc10 -lstdc++"
cat >conftest.cpp <<_KC_EOF
#if !__has_include(<torch/torch.h>)
#error no torch/torch.h
#endif
#include <c10/core/Device.h>
int main() { return c10::Device("cpu").is_cpu() ? 0 : 1; }
_KC_EOF
AS_IF([test -n "$KC_CXX" &&
    $KC_CXX -std=c++17 $TORCH_CPPFLAGS conftest.cpp -o conftest$EXEEXT \
        $TORCH_LIBS >&AS_MESSAGE_LOG_FD 2>&1], [kc_found_torch=yes])
rm -f conftest.cpp conftest$EXEEXT
AC_MSG_RESULT([$kc_found_torch])
AC_SUBST([TORCH_CPPFLAGS])
AC_SUBST([TORCH_LIBS])
AM_CONDITIONAL([HAVE_TORCH], [test "$kc_found_torch" = yes])
])
