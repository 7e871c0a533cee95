# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Benchmarks: built and run by make bench, never by make check.
#
# EXTRA_PROGRAMS += %D%/matmul
# BENCHMARKS += %D%/matmul
# %C%_matmul_SOURCES = %D%/matmul.c
# %C%_matmul_LDADD = runtime/libkcapsule-internal.la

BENCHMARKS =

bench: $(BENCHMARKS) all
	@$(AM_TESTS_ENVIRONMENT) \
	for benchmark in $(BENCHMARKS); do \
	    ./$$benchmark || exit 1; \
	done
.PHONY: bench
