# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# What configure says about the reference module, and the flags that let its
# loops vectorise at any -O level. None of them may change a result: the first
# two give up errno and exception flags, which nobody reads.
KC_REFERENCE_CFLAGS=
AC_SUBST([KC_REFERENCE_CFLAGS])
KC_TRY_CFLAG([KC_REFERENCE_CFLAGS], [-fno-math-errno])
KC_TRY_CFLAG([KC_REFERENCE_CFLAGS], [-fno-trapping-math])
KC_TRY_CFLAG([KC_REFERENCE_CFLAGS], [-ftree-vectorize])
KC_TRY_CFLAG([KC_REFERENCE_CFLAGS], [-fvect-cost-model=dynamic])
kc_summary_reference="on"
