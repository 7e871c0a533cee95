# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Benchmarks: built and run by make bench, never by make check.

BENCH_CPPFLAGS = $(AM_CPPFLAGS) $(KC_DEPENDENCY_CFLAGS) -I$(top_srcdir)/tests
BENCH_SOURCES = tests/bench/measure.c tests/bench/measure.h \
    tests/bench/bench_context.c tests/bench/bench_context.h

BENCHMARKS = %D%/bench_plan %D%/bench_eager %D%/bench_graph \
    %D%/bench_matmul %D%/bench_conv %D%/bench_gradients \
    %D%/bench_libtorch_call %D%/bench_attention
EXTRA_PROGRAMS += $(BENCHMARKS)
EXTRA_DIST += %D%/README.md

%C%_bench_plan_SOURCES = %D%/bench_plan.c $(BENCH_SOURCES)
%C%_bench_plan_CPPFLAGS = $(BENCH_CPPFLAGS)
%C%_bench_plan_LDADD = runtime/libkcapsule-internal.la

%C%_bench_eager_SOURCES = %D%/bench_eager.c $(BENCH_SOURCES)
%C%_bench_eager_CPPFLAGS = $(BENCH_CPPFLAGS)
%C%_bench_eager_LDADD = runtime/libkcapsule-internal.la

%C%_bench_graph_SOURCES = %D%/bench_graph.c $(BENCH_SOURCES) \
    tests/unit/exec/digits_fixture.c tests/unit/exec/digits_fixture.h \
    tests/unit/exec/heap_counter.c tests/unit/exec/heap_counter.h
%C%_bench_graph_CPPFLAGS = $(BENCH_CPPFLAGS)
%C%_bench_graph_LDADD = runtime/libkcapsule-internal.la

PRODUCT_SOURCES = $(BENCH_SOURCES) tests/bench/blas.c tests/bench/blas.h \
    tests/bench/product_task.c tests/bench/product_task.h

%C%_bench_matmul_SOURCES = %D%/bench_matmul.c $(PRODUCT_SOURCES)
%C%_bench_matmul_CPPFLAGS = $(BENCH_CPPFLAGS)
%C%_bench_matmul_LDADD = runtime/libkcapsule-internal.la

%C%_bench_conv_SOURCES = %D%/bench_conv.c $(PRODUCT_SOURCES)
%C%_bench_conv_CPPFLAGS = $(BENCH_CPPFLAGS)
%C%_bench_conv_LDADD = runtime/libkcapsule-internal.la

# LibTorch is C++: the one object that the C++ compiler of the header tests
# makes, and only where configure found the library.
if HAVE_TORCH
TORCH_STEP = %D%/torch_step.$(OBJEXT)
TORCH_CALL = %D%/torch_call.$(OBJEXT)
TORCH_ATTENTION = %D%/torch_attention.$(OBJEXT)
TORCH_STEP_LIBS = $(TORCH_LIBS)
TORCH_STEP_SOURCES =
TORCH_CALL_SOURCES =
TORCH_ATTENTION_SOURCES =
else
TORCH_STEP =
TORCH_CALL =
TORCH_ATTENTION =
TORCH_STEP_LIBS =
TORCH_STEP_SOURCES = %D%/torch_step_none.c
TORCH_CALL_SOURCES = %D%/torch_call_none.c
TORCH_ATTENTION_SOURCES = %D%/torch_attention_none.c
endif
EXTRA_DIST += %D%/torch_step.cpp %D%/torch_call.cpp %D%/torch_attention.cpp
CLEANFILES += %D%/torch_step.$(OBJEXT) %D%/torch_call.$(OBJEXT) \
    %D%/torch_attention.$(OBJEXT)

%D%/torch_call.$(OBJEXT): %D%/torch_call.cpp %D%/torch_call.h \
    modules/libtorch/configured
	$(AM_V_GEN)$(MKDIR_P) %D% && $(KC_CXX) $(LIBTORCH_CXXFLAGS) -O2 \
	    $(TORCH_CPPFLAGS) -I$(top_srcdir)/tests -c -o $@ \
	    $(top_srcdir)/%D%/torch_call.cpp

%D%/torch_step.$(OBJEXT): %D%/torch_step.cpp %D%/torch_step.h \
    modules/libtorch/configured
	$(AM_V_GEN)$(MKDIR_P) %D% && $(KC_CXX) $(LIBTORCH_CXXFLAGS) -O2 \
	    $(TORCH_CPPFLAGS) -I$(top_srcdir)/tests -c -o $@ \
	    $(top_srcdir)/%D%/torch_step.cpp

%C%_bench_gradients_SOURCES = %D%/bench_gradients.c %D%/torch_step.h \
    $(TORCH_STEP_SOURCES) $(BENCH_SOURCES) \
    tests/unit/exec/heap_counter.c tests/unit/exec/heap_counter.h
%C%_bench_gradients_CPPFLAGS = $(BENCH_CPPFLAGS)
%C%_bench_gradients_LDADD = $(TORCH_STEP) runtime/libkcapsule-internal.la \
    $(TORCH_STEP_LIBS) -lm
%C%_bench_gradients_DEPENDENCIES = $(TORCH_STEP) \
    modules/libtorch/configured runtime/libkcapsule-internal.la

%C%_bench_libtorch_call_SOURCES = %D%/bench_libtorch_call.c %D%/torch_call.h \
    $(TORCH_CALL_SOURCES) $(BENCH_SOURCES)
%C%_bench_libtorch_call_CPPFLAGS = $(BENCH_CPPFLAGS)
%C%_bench_libtorch_call_LDADD = $(TORCH_CALL) \
    runtime/libkcapsule-internal.la $(TORCH_STEP_LIBS)
%C%_bench_libtorch_call_DEPENDENCIES = $(TORCH_CALL) \
    modules/libtorch/configured runtime/libkcapsule-internal.la

%D%/torch_attention.$(OBJEXT): %D%/torch_attention.cpp \
    %D%/torch_attention.h modules/libtorch/configured
	$(AM_V_GEN)$(MKDIR_P) %D% && $(KC_CXX) $(LIBTORCH_CXXFLAGS) -O2 \
	    $(TORCH_CPPFLAGS) -I$(top_srcdir)/tests -c -o $@ \
	    $(top_srcdir)/%D%/torch_attention.cpp

%C%_bench_attention_SOURCES = %D%/bench_attention.c %D%/torch_attention.h \
    $(TORCH_ATTENTION_SOURCES) $(BENCH_SOURCES)
%C%_bench_attention_CPPFLAGS = $(BENCH_CPPFLAGS)
%C%_bench_attention_LDADD = $(TORCH_ATTENTION) \
    runtime/libkcapsule-internal.la $(TORCH_STEP_LIBS) -lm
%C%_bench_attention_DEPENDENCIES = $(TORCH_ATTENTION) \
    modules/libtorch/configured runtime/libkcapsule-internal.la

bench: $(BENCHMARKS) all
	@$(AM_TESTS_ENVIRONMENT) \
	for benchmark in $(BENCHMARKS); do \
	    ./$$benchmark || exit 1; \
	done
.PHONY: bench
