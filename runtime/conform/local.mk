# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The conform layer, a library of its own on top of the application interface.
# Linked into tests, not installed. Every source and header is listed by hand.

noinst_LTLIBRARIES += %D%/libkcapsule-conform.la
%C%_libkcapsule_conform_la_CPPFLAGS = $(PUBLIC_CPPFLAGS) -I$(top_srcdir)/runtime
%C%_libkcapsule_conform_la_LIBADD = -lm
%C%_libkcapsule_conform_la_SOURCES = \
    %D%/allowance.c \
    %D%/allowance.h \
    %D%/array.c \
    %D%/array.h \
    %D%/attention.c \
    %D%/blocked.c \
    %D%/case.c \
    %D%/case.h \
    %D%/compare.c \
    %D%/compare.h \
    %D%/conform.c \
    %D%/conform.h \
    %D%/conv.c \
    %D%/describe.c \
    %D%/describe.h \
    %D%/difference.c \
    %D%/difference.h \
    %D%/draw.c \
    %D%/draw.h \
    %D%/family.c \
    %D%/family.h \
    %D%/gradient.c \
    %D%/gradient.h \
    %D%/gradient_case.c \
    %D%/gradient_case.h \
    %D%/gradient_run.c \
    %D%/guarded.c \
    %D%/guarded.h \
    %D%/index.c \
    %D%/kink.c \
    %D%/kink.h \
    %D%/kink_table.c \
    %D%/layout.c \
    %D%/matmul.c \
    %D%/norm.c \
    %D%/oracle.c \
    %D%/oracle.h \
    %D%/pointwise.c \
    %D%/pool.c \
    %D%/random.c \
    %D%/reduce.c \
    %D%/scan.c \
    %D%/smooth.c \
    %D%/smooth.h \
    %D%/softmax.c \
    %D%/spectral.c \
    %D%/tracked.c \
    %D%/tracked.h

EXTRA_DIST += %D%/README.md
