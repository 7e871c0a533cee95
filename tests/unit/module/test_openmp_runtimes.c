/* SPDX-License-Identifier: Apache-2.0
 *
 * Which OpenMP runtimes are loaded; of those a module brings, tests/cli/doctor.
 */
#include "module/openmp_runtimes.h"

#include <dlfcn.h>
#include <stdio.h>
#include "unit/module/suites.h"

START_TEST(a_runtime_is_found_while_it_is_loaded)
{
    kc_openmp_runtimes_t runtimes;
    kci_openmp_runtimes_find(&runtimes);
    const uint32_t before = runtimes.count;
    /* Unloaded, it would leave behind what it allocated. */
    void *library =
        dlopen("libgomp.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == NULL) {
        printf("# skipped: no libgomp.so.1\n");
        return;
    }
    kci_openmp_runtimes_find(&runtimes);
    ck_assert_uint_eq(runtimes.count, before + 1);
    ck_assert_str_eq(runtimes.names[before], "libgomp.so.1");
    dlclose(library);
}
END_TEST

Suite *suite_module_openmp_runtimes(void)
{
    Suite *suite = suite_create("module.openmp_runtimes");
    TCase *tcase = tcase_create("openmp_runtimes");
    tcase_add_test(tcase, a_runtime_is_found_while_it_is_loaded);
    suite_add_tcase(suite, tcase);
    return suite;
}
