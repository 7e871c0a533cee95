# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Tests of runtime/graph: one test_<file>.c for each <file>.c, listed in run.c.

check_PROGRAMS += %D%/run
TESTS += %D%/run
%C%_run_SOURCES = %D%/run.c %D%/suites.h %D%/texts.c %D%/texts.h \
    %D%/test_append.c \
    %D%/test_attribute_pool.c \
    %D%/test_attribute_text.c \
    %D%/test_bind.c \
    %D%/test_builder.c \
    %D%/test_composed_nodes.c \
    %D%/test_demand.c \
    %D%/test_describe.c \
    %D%/test_dim_names.c \
    %D%/test_draft.c \
    %D%/test_extend.c \
    %D%/test_graph.c \
    %D%/test_kind_attributes.c \
    %D%/test_kinds.c \
    %D%/test_literal.c \
    %D%/test_parse.c \
    %D%/test_parse_node.c \
    tests/unit/comma_locale.c tests/unit/comma_locale.h \
    tests/unit/expect.h \
    tests/unit/failing_heap.c tests/unit/failing_heap.h \
    tests/unit/scratch.c tests/unit/scratch.h
%C%_run_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_run_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=calloc -Wl,--wrap=realloc
%C%_run_LDADD = $(UNIT_LIBS) -lpthread
