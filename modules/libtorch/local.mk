# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The libtorch module. What is C++ is a library of its own, linked into the
# module only where configure found LibTorch, so that a build without it needs
# no C++ compiler. LibTorch cannot be unloaded, so the module cannot either.

module_LTLIBRARIES += modules/libtorch.la
modules_libtorch_la_CPPFLAGS = $(MODULE_CPPFLAGS) \
    -DKC_HAVE_LIBTORCH=$(KC_HAVE_LIBTORCH)
modules_libtorch_la_CFLAGS = $(AM_CFLAGS)
modules_libtorch_la_LDFLAGS = $(MODULE_LINK_FLAGS)
modules_libtorch_la_SOURCES = %D%/contracts.c %D%/families.h %D%/handlers.h

# Libraries of LibTorch ask for one named libtorch.so, which is this file's name
# and must not become what the dynamic linker takes it for: the module has no
# soname. With another one, ldconfig would put a link of that name beside it.
modules/libtorch/libtool: libtool
	$(AM_V_GEN)$(MKDIR_P) modules/libtorch && \
	$(SED) 's/ \\$$wl-soname \\$$wl\\$$soname//' libtool >$@ && chmod +x $@
modules_libtorch_la_DEPENDENCIES = modules/libtorch/libtool \
    modules/libtorch/configured
modules_libtorch_la_LINK = $(SHELL) modules/libtorch/libtool $(AM_V_lt) \
    --tag=CC $(AM_LIBTOOLFLAGS) $(LIBTOOLFLAGS) --mode=link $(CCLD) \
    $(modules_libtorch_la_CFLAGS) $(CFLAGS) $(modules_libtorch_la_LDFLAGS) \
    $(LDFLAGS) -o $@
CLEANFILES += modules/libtorch/libtool

# Written by configure.m4: a build that finds another LibTorch than before, or
# none, keeps nothing that was made for the one before.
$(modules_libtorch_la_OBJECTS): modules/libtorch/configured
DISTCLEANFILES += modules/libtorch/configured

if HAVE_LIBTORCH
modules_libtorch_la_SOURCES += %D%/module.c \
    %D%/blas_count.c %D%/blas_count.h
modules_libtorch_la_DEPENDENCIES += modules/libtorch/libbridge.la
modules_libtorch_la_LDFLAGS += -Wl,-z,nodelete $(LIBTORCH_LDFLAGS)
modules_libtorch_la_LIBADD = modules/libtorch/libbridge.la $(LIBTORCH_LIBS) \
    -lstdc++ $(SYSTEM_LIBS)

noinst_LTLIBRARIES += modules/libtorch/libbridge.la
$(modules_libtorch_libbridge_la_OBJECTS): modules/libtorch/configured
modules_libtorch_libbridge_la_CPPFLAGS = $(MODULE_CPPFLAGS) \
    $(LIBTORCH_CPPFLAGS) $(TORCH_CPPFLAGS) -DKC_HAVE_LIBTORCH=1
modules_libtorch_libbridge_la_CXXFLAGS = $(KC_CXXFLAGS) $(LIBTORCH_CXXFLAGS)
modules_libtorch_libbridge_la_SOURCES = \
    %D%/attention.cpp \
    %D%/conv.cpp \
    %D%/entry.cpp \
    %D%/entry.h \
    %D%/finite.h \
    %D%/extremum.h \
    %D%/handlers.cpp \
    %D%/index.cpp \
    %D%/layout.cpp \
    %D%/loss.cpp \
    %D%/matmul.cpp \
    %D%/norm.cpp \
    %D%/norm_group.h \
    %D%/operands.cpp \
    %D%/operands.h \
    %D%/pointwise_binary.cpp \
    %D%/pointwise_unary.cpp \
    %D%/pool.cpp \
    %D%/process.cpp \
    %D%/process.h \
    %D%/random.cpp \
    %D%/reduce.cpp \
    %D%/scan.cpp \
    %D%/softmax.cpp \
    %D%/spectral.cpp \
    %D%/window.h \
    %D%/wrap.cpp \
    %D%/wrap.h \
    %D%/version.h
else
modules_libtorch_la_SOURCES += %D%/module_without.c
endif

EXTRA_DIST += %D%/README.md
