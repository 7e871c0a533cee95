# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The kcapsule command: public headers only, linked with libkcapsule only.
# Enable these lines together with the first source.
#
# bin_PROGRAMS += %D%/kcapsule
# %C%_kcapsule_SOURCES = %D%/main.c
# %C%_kcapsule_CPPFLAGS = $(PUBLIC_CPPFLAGS)
# %C%_kcapsule_LDADD = runtime/libkcapsule.la
# dist_man1_MANS += %D%/man/kcapsule.1
