/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Memory that runs out at every request in turn, of descriptions and of
 * tensors: the tape is as it was, nothing is lost, and it works on. */
#include "autograd/tape_state.h"

#include <math.h>
#include <string.h>

#include "graph/graph.h"
#include "unit/autograd/suites.h"
#include "unit/autograd/tape_fixture.h"
#include "unit/failing_heap.h"

/* Tensors, from here on refused after `granted` requests. */
typedef struct tensor_heap {
    kci_allocate_fn allocate;
    void *context;
    kci_deallocate_fn deallocate;
    int granted; /* -1: all */
} tensor_heap_t;

static void *allocate_some(void *context, size_t size, size_t alignment)
{
    tensor_heap_t *heap = context;
    if (heap->granted == 0) {
        return NULL;
    }
    heap->granted -= heap->granted > 0;
    return heap->allocate(heap->context, size, alignment);
}

static void deallocate_all(void *context, void *memory, size_t size)
{
    tensor_heap_t *heap = context;
    heap->deallocate(heap->context, memory, size);
}

typedef struct memory_case {
    tape_fixture_t at;
    tensor_heap_t heap;
    kc_graph_t *graph;
    kc_tensor_t *strided;
    float memory[4];
    kc_variable_t x;
    kc_variable_t y;
} memory_case_t;

static const char graph_text[] =
    "{\"format\": \"kcapsule-graph\", \"version\": 1, \"nodes\": ["
    "{\"id\": 0, \"op\": \"input\", \"shape\": [2], \"name\": \"x\"},"
    "{\"id\": 1, \"op\": \"detach\", \"parents\": [0], \"shape\": [2]},"
    "{\"id\": 2, \"op\": \"relu\", \"parents\": [0], \"shape\": [2]},"
    "{\"id\": 3, \"op\": \"scale\", \"parents\": [2], \"shape\": [2],"
    " \"attrs\": {\"factor\": 3}},"
    "{\"id\": 4, \"op\": \"mul_elem\", \"parents\": [3, 1], \"shape\": [2]},"
    "{\"id\": 5, \"op\": \"exp\", \"parents\": [0], \"shape\": [2]},"
    "{\"id\": 6, \"op\": \"add\", \"parents\": [4, 5], \"shape\": [2]},"
    "{\"id\": 7, \"op\": \"sum\", \"parents\": [6], \"shape\": []}],"
    " \"outputs\": [{\"name\": \"y\", \"node\": 7}]}";

static kc_status_t add_leaf(memory_case_t *of)
{
    return kci_tape_leaf(of->at.tape, of->strided, "x", KC_LEAF_GRADIENT,
                         &of->x, &of->at.error);
}

static kc_status_t run_graph(memory_case_t *of)
{
    return kci_tape_run_graph(of->at.tape, of->graph, &of->x, 1, NULL, 0,
                              &of->y, 1, &of->at.error);
}

static kc_status_t go_back(memory_case_t *of)
{
    return tape_try(&of->at, of->y, KC_BACKWARD_KEEP);
}

/* All kernels are planned and bound, the record has its rows. */
static void begin(memory_case_t *of)
{
    tape_begin(&of->at);
    kci_host_allocator_t *allocator = &of->at.allocator;
    of->heap = (tensor_heap_t){.allocate = allocator->allocate,
                               .context = allocator->context,
                               .deallocate = allocator->deallocate,
                               .granted = -1};
    allocator->allocate = allocate_some;
    allocator->deallocate = deallocate_all;
    allocator->context = &of->heap;
    memcpy(of->memory, FLOATS(1, 0, 2, 0), sizeof of->memory);
    EXPECT_OK(of->at.error, kci_tensor_wrap(allocator, KC_DTYPE_F32, 1, DIMS(2),
                                            DIMS(2), of->memory, NULL, NULL,
                                            &of->strided, &of->at.error));
    EXPECT_OK(of->at.error, kci_graph_parse(graph_text, strlen(graph_text),
                                            "test", &of->graph, &of->at.error));
    EXPECT_OK(of->at.error, add_leaf(of));
    EXPECT_OK(of->at.error, run_graph(of));
    EXPECT_OK(of->at.error, go_back(of));
    EXPECT_OK(of->at.error, go_back(of));
    kci_tape_reset(of->at.tape);
}

typedef kc_status_t (*stage_fn)(memory_case_t *of);
static const stage_fn stages[] = {add_leaf, run_graph, go_back, go_back};
enum { STAGE_COUNT = 4 };

static kc_status_t try_stage(memory_case_t *of, stage_fn stage, bool of_tensors,
                             int granted)
{
    if (of_tensors) {
        of->heap.granted = granted;
    } else {
        failing_heap_break_after(granted);
    }
    kc_status_t status = stage(of);
    of->heap.granted = -1;
    failing_heap_mend();
    return status;
}

static void expect_stage(memory_case_t *of, stage_fn stage, bool of_tensors)
{
    tape_fixture_t *at = &of->at;
    kci_tape_mark_t mark = kci_tape_mark(at->tape);
    size_t live = at->allocator.live_bytes;
    int granted = 0;
    while (try_stage(of, stage, of_tensors, granted) != KC_OK) {
        kci_tape_mark_t now = kci_tape_mark(at->tape);
        ck_assert_msg(at->error.status == KC_ERR_MEMORY ||
                          strstr(at->error.message, "memory") != NULL,
                      "request %d: %s", granted, at->error.message);
        ck_assert_mem_eq(&now, &mark, sizeof mark);
        ck_assert_uint_eq(at->allocator.live_bytes, live);
        granted++;
    }
    /* A stage that asks for nothing would prove nothing. */
    ck_assert_int_gt(granted, 0);
}

START_TEST(every_request_is_refused_once)
{
    memory_case_t of;
    begin(&of);
    for (int i = 0; i < STAGE_COUNT; i++) {
        expect_stage(&of, stages[i], _i == 1);
    }
    /* Twice 3 detach(x) + e^x, where e^x is correctly rounded. */
    float expected[2];
    for (int i = 0; i < 2; i++) {
        float power = (float)exp((double)of.memory[2 * i]);
        float once = of.memory[2 * i] * 3.0F + power;
        expected[i] = once + once;
    }
    tape_expect(&of.at, of.x, expected, 2);
    kci_graph_release(of.graph);
    kci_tensor_release(of.strided);
    tape_end(&of.at);
}
END_TEST

Suite *suite_autograd_tape_memory(void)
{
    Suite *suite = suite_create("autograd/tape_memory");
    TCase *tcase = tcase_create("tape_memory");
    tcase_add_loop_test(tcase, every_request_is_refused_once, 0, 2);
    suite_add_tcase(suite, tcase);
    return suite;
}
