# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Tests of runtime/dispatch: one test_<file>.c for each <file>.c, listed in run.c.

check_PROGRAMS += %D%/run
TESTS += %D%/run
%C%_run_SOURCES = %D%/run.c %D%/suites.h \
    %D%/relu_case.c %D%/relu_case.h \
    %D%/test_bind.c \
    %D%/test_call.c \
    %D%/test_call_vjp.c \
    %D%/test_cpu_features.c \
    %D%/test_demand.c \
    %D%/test_guard_contents.c \
    %D%/test_guard_layout.c \
    %D%/test_guard_limits.c \
    %D%/test_guard_type.c \
    %D%/test_host.c \
    %D%/test_invoke.c \
    %D%/test_operand_copy.c \
    %D%/test_operands.c \
    %D%/test_thread_pool.c \
    %D%/test_thread_trial.c \
    %D%/test_vjp_mocks.c \
    tests/unit/address_space.c tests/unit/address_space.h \
    tests/unit/built_modules.c tests/unit/built_modules.h \
    tests/unit/contract_fixture.c tests/unit/contract_fixture.h \
    tests/unit/handler_fixture.c tests/unit/handler_fixture.h \
    tests/unit/operand_fixture.c tests/unit/operand_fixture.h \
    tests/unit/expect.h
%C%_run_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_run_LDADD = $(UNIT_LIBS)
