# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The tensor layer: list every source and header here, by hand.

runtime_libkcapsule_internal_la_SOURCES += $(tensor_sources)
noinst_HEADERS += $(tensor_headers)

tensor_sources = \
    %D%/byte_source.c \
    %D%/dtype.c \
    %D%/npy.c \
    %D%/npy_header.c \
    %D%/npy_write.c \
    %D%/safetensors.c \
    %D%/safetensors_entry.c \
    %D%/safetensors_header.c \
    %D%/shape.c \
    %D%/tensor.c \
    %D%/tensor_copy.c

tensor_headers = \
    %D%/byte_source.h \
    %D%/dtype.h \
    %D%/npy.h \
    %D%/npy_header.h \
    %D%/safetensors.h \
    %D%/safetensors_entry.h \
    %D%/safetensors_header.h \
    %D%/shape.h \
    %D%/tensor.h
