# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Examples: built and run by make check with public headers only.
#
# check_PROGRAMS += %D%/digits/digits
# %C%_digits_digits_SOURCES = %D%/digits/digits.c
# %C%_digits_digits_CPPFLAGS = $(PUBLIC_CPPFLAGS)
# %C%_digits_digits_LDADD = runtime/libkcapsule.la
# TESTS += %D%/digits/demo_test.sh

EXTRA_DIST += %D%/README.md
