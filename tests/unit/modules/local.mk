# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Tests of the maintained modules, on the built files and without the host.

check_PROGRAMS += %D%/run
# same_bits.sh is distributed by tests/local.mk, with or without Check.
TESTS += %D%/run %D%/same_bits.sh
%C%_run_SOURCES = \
    %D%/conv_plan.c %D%/conv_plan.h \
    %D%/libtorch_call.c %D%/libtorch_call.h \
    %D%/module_file.c %D%/module_file.h \
    %D%/operand.c %D%/operand.h \
    %D%/oracle.c %D%/oracle.h \
    %D%/run.c %D%/tcases.h \
    %D%/streaming_case.c %D%/streaming_case.h \
    %D%/streaming_oracle.c \
    %D%/test_attention.c \
    %D%/test_contracts.c \
    %D%/test_conv.c \
    %D%/test_conv_transpose.c \
    %D%/test_host.c %D%/test_host.h \
    %D%/test_index.c \
    %D%/test_layout.c \
    %D%/test_libtorch_attention.c \
    %D%/test_libtorch_conv.c \
    %D%/test_libtorch_index.c \
    %D%/test_libtorch_loss.c \
    %D%/test_libtorch_manners.c \
    %D%/test_libtorch_matmul.c \
    %D%/test_libtorch_norm.c \
    %D%/test_libtorch_pool.c \
    %D%/test_libtorch_reduce.c \
    %D%/test_libtorch_softmax.c \
    %D%/test_libtorch_spectral.c \
    %D%/test_libtorch_threads.c \
    %D%/test_loss.c \
    %D%/test_matmul.c \
    %D%/test_norm.c \
    %D%/test_pointwise_binary.c \
    %D%/test_pointwise_unary.c \
    %D%/test_pool.c \
    %D%/test_random.c \
    %D%/test_reduce.c \
    %D%/test_softmax.c \
    %D%/test_streaming.c \
    %D%/test_streaming_handler.c \
    %D%/test_transcendental.c \
    %D%/trial.c %D%/trial.h \
    $(ATTENTION_STREAMING_SOURCES)
%C%_run_CPPFLAGS = $(UNIT_CPPFLAGS) -DKC_HAVE_LIBTORCH=$(KC_HAVE_LIBTORCH)
$(tests_unit_modules_run_OBJECTS): modules/libtorch/configured
%C%_run_LDADD = tests/unit/librunner.la $(CHECK_LIBS) $(LIBELF_LIBS) \
    $(SYSTEM_LIBS) -lm -lpthread
