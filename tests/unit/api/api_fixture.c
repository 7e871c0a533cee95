/* SPDX-License-Identifier: Apache-2.0
 *
 * The pieces that tests of the exported interface start from.
 */
#include "unit/api/api_fixture.h"

#include <stdlib.h>
#include "unit/expect.h"

static const int64_t four[] = {4};

static void *counted_allocate(void *context, size_t size, size_t alignment)
{
    fixture_heap_t *heap = context;
    void *memory = NULL;
    alignment = alignment < sizeof(void *) ? sizeof(void *) : alignment;
    if (posix_memalign(&memory, alignment, size) != 0) {
        return NULL;
    }
    heap->live_blocks++;
    heap->live_bytes += size;
    return memory;
}

static void counted_deallocate(void *context, void *memory, size_t size)
{
    fixture_heap_t *heap = context;
    heap->live_blocks--;
    heap->live_bytes -= size;
    free(memory);
}

kc_runtime_t *fixture_runtime(fixture_heap_t *heap)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_runtime_options_t options = {.struct_size = sizeof options,
                                    .thread_count = 2};
    if (heap != NULL) {
        options.allocate = counted_allocate;
        options.deallocate = counted_deallocate;
        options.allocator_context = heap;
    }
    kc_runtime_t *runtime = NULL;
    EXPECT_OK(error, kc_runtime_create(&options, &runtime, &error));
    return runtime;
}

kc_profile_t *fixture_profile(kc_runtime_t *runtime, const char *name)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = NULL;
    EXPECT_OK(error, kc_profile_load(runtime, name, &profile, &error));
    return profile;
}

static uint32_t add_node(kc_graph_builder_t *builder, const char *kind,
                         const char *name, const uint32_t *parents,
                         uint32_t parent_count)
{
    kc_error_t error = KC_ERROR_INIT;
    uint32_t id = 0;
    kc_node_spec_t spec = {.struct_size = sizeof spec,
                           .dtype = KC_DTYPE_F32,
                           .kind = kind,
                           .name = name,
                           .parents = parents,
                           .parent_count = parent_count,
                           .rank = 1,
                           .dims = four};
    EXPECT_OK(error, kc_graph_builder_add(builder, &spec, &id, &error));
    return id;
}

kc_graph_t *fixture_graph(void)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_builder_t *builder = NULL;
    kc_graph_t *graph = NULL;
    EXPECT_OK(error, kc_graph_builder_create("memory", &builder, &error));
    uint32_t sum_of[2];
    sum_of[0] = add_node(builder, "input", "x", NULL, 0);
    sum_of[1] = add_node(builder, "const", "b", NULL, 0);
    uint32_t sum = add_node(builder, "add", NULL, sum_of, 2);
    uint32_t y = add_node(builder, "relu", NULL, &sum, 1);
    EXPECT_OK(error, kc_graph_builder_output(builder, "y", y, &error));
    EXPECT_OK(error, kc_graph_builder_finish(builder, &graph, &error));
    return graph;
}

kc_tensor_t *fixture_tensor(kc_runtime_t *runtime, float first)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_tensor_t *tensor = NULL;
    EXPECT_OK(error, kc_tensor_create(runtime, KC_DTYPE_F32, 1, four, &tensor,
                                      &error));
    float *data = kc_tensor_data(kc_tensor_view(tensor));
    for (int i = 0; i < 4; i++) {
        data[i] = first + (float)i;
    }
    return tensor;
}

kc_weights_t *fixture_weights(kc_runtime_t *runtime)
{
    static const char *const names[] = {"b"};
    kc_error_t error = KC_ERROR_INIT;
    kc_weights_t *weights = NULL;
    kc_tensor_t *b = fixture_tensor(runtime, 0.0F);
    float *data = kc_tensor_data(kc_tensor_view(b));
    for (int i = 0; i < 4; i++) {
        data[i] = -2.0F;
    }
    EXPECT_OK(error,
              kc_weights_from_tensors(runtime, names, &b, 1, &weights, &error));
    kc_tensor_release(b);
    return weights;
}

void fixture_expect_result(const DLTensor *view)
{
    static const float expected[] = {0.0F, 0.0F, 0.0F, 1.0F};
    ck_assert_mem_eq(kc_tensor_data(view), expected, sizeof expected);
}
