/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Rounds, their order statistics, and the table. */
#include "bench/measure.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "dispatch/bind.h"

#define VARIANTS_MAX 8

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return left < right ? -1 : left > right;
}

int measure_run(measure_variant_t *variants, size_t count, int rounds,
                int iterations)
{
    static double times[VARIANTS_MAX][MEASURE_ROUNDS_MAX];
    if (count > VARIANTS_MAX || rounds > MEASURE_ROUNDS_MAX) {
        return 0;
    }
    for (int round = -1; round < rounds; round++) { /* one to warm up */
        for (size_t i = 0; i < count; i++) {
            uint64_t start = kci_clock_ns();
            if (!variants[i].function(variants[i].context, iterations)) {
                fprintf(stderr, "%s failed\n", variants[i].name);
                return 0;
            }
            uint64_t spent = kci_clock_ns() - start;
            if (round >= 0) {
                times[i][round] = (double)spent / iterations;
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        qsort(times[i], (size_t)rounds, sizeof(double), compare_doubles);
        variants[i].best_ns = times[i][0];
        variants[i].median_ns = times[i][rounds / 2];
    }
    return 1;
}

void measure_print_machine(void)
{
    const char *const words[] = {"sse4.2", "avx", "avx2", "fma", "avx512f"};
    printf("machine: %u processors,", (unsigned)kci_processor_count());
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (kci_cpu_check_features(words[i], NULL) == KC_OK) {
            printf(" %s", words[i]);
        }
    }
    printf("\n");
}

void measure_print(const measure_variant_t *variants, size_t count)
{
    printf("%-44s %12s %12s\n", "", "best ns", "median ns");
    for (size_t i = 0; i < count; i++) {
        printf("%-44s %12.1f %12.1f\n", variants[i].name, variants[i].best_ns,
               variants[i].median_ns);
    }
}
