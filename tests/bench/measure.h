/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Timing of variants that take turns in one process, so that the machine's
 * moods hit all of them alike. Best and median of many rounds. */
#ifndef KC_TESTS_BENCH_MEASURE_H
#define KC_TESTS_BENCH_MEASURE_H

#include <stddef.h>

#define MEASURE_ROUNDS_MAX 512

/* Does it `iterations` times. False ends the benchmark. */
typedef int (*measure_fn)(void *context, int iterations);

typedef struct measure_variant {
    const char *name;
    measure_fn function;
    void *context;
    double best_ns; /* of one iteration */
    double median_ns;
} measure_variant_t;

/* 0 when a variant failed. */
int measure_run(measure_variant_t *variants, size_t count, int rounds,
                int iterations);
/* Processors and instruction sets of this machine, in a line. */
void measure_print_machine(void);
void measure_print(const measure_variant_t *variants, size_t count);

#endif
