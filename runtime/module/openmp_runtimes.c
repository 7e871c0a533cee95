/* SPDX-License-Identifier: Apache-2.0
 *
 * What counts as an OpenMP runtime: a file in which a loaded object finds the
 * function that each of them has.
 */
#include "module/openmp_runtimes.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* `found`: where the runtimes so far lie in memory. */
static void look_at_object(const char *path, const void **found,
                           kc_openmp_runtimes_t *runtimes)
{
    Dl_info home;
    void *object = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (object == NULL) {
        return;
    }
    void *function = dlsym(object, "omp_get_max_threads");
    int is_new = function != NULL && dladdr(function, &home) != 0 &&
                 runtimes->count < KC_OPENMP_RUNTIMES_MAX;
    for (uint32_t i = 0; is_new && i < runtimes->count; i++) {
        is_new = found[i] != home.dli_fbase;
    }
    if (is_new) {
        const char *slash = strrchr(home.dli_fname, '/');
        found[runtimes->count] = home.dli_fbase;
        snprintf(runtimes->names[runtimes->count++], KC_OPENMP_NAME_SIZE, "%s",
                 slash != NULL ? slash + 1 : home.dli_fname);
    }
    (void)dlclose(object);
}

void kci_openmp_runtimes_find(kc_openmp_runtimes_t *out_runtimes)
{
    const void *found[KC_OPENMP_RUNTIMES_MAX] = {NULL};
    struct link_map *object = NULL;
    void *program = dlopen(NULL, RTLD_LAZY);
    memset(out_runtimes, 0, sizeof *out_runtimes);
    if (program == NULL) {
        return;
    }
    if (dlinfo(program, RTLD_DI_LINKMAP, &object) == 0) {
        for (; object != NULL; object = object->l_next) {
            look_at_object(object->l_name, found, out_runtimes);
        }
    }
    (void)dlclose(program);
}
