# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# The module SDK: headers that need only libc and dlpack.h, and the pkg-config
# file of out-of-tree providers.

EXTRA_DIST += %D%/README.md
pkgconfig_DATA += %D%/kcapsule-sdk.pc

# The provider to copy, installed as an example beside the documentation.
sdktemplatedir = $(docdir)/template
dist_sdktemplate_DATA = \
    %D%/template/Makefile \
    %D%/template/README.md \
    %D%/template/acme.c \
    %D%/template/acme.ini \
    %D%/template/test_acme.c

pkginclude_HEADERS += \
    %D%/include/kcapsule/abi.h \
    %D%/include/kcapsule/attributes.h \
    %D%/include/kcapsule/call.h \
    %D%/include/kcapsule/capsule.h \
    %D%/include/kcapsule/contract.h \
    %D%/include/kcapsule/device.h \
    %D%/include/kcapsule/handler.h \
    %D%/include/kcapsule/host.h \
    %D%/include/kcapsule/module.h \
    %D%/include/kcapsule/sdk.h \
    %D%/include/kcapsule/status.h \
    %D%/include/kcapsule/tensor.h \
    %D%/include/kcapsule/vocabulary.h
