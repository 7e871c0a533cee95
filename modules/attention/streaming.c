/* SPDX-License-Identifier: Apache-2.0
 *
 * native_cpu.streaming_attention: cuts the blocks of queries (forward) and the
 * heads (backward) into lanes that own their scratch. Lanes follow from shapes
 * only, and no sum crosses them, so the number of threads shows nowhere.
 */
#include "streaming.h"

#include <string.h>

/* Scratch of all lanes together stays below this, but for one lane there is
 * always room. */
#define SCRATCH_BYTES ((size_t)1 << 20)
#define LANES_MAX     32

/* Multiply-adds that are worth waking threads for. */
#define THREADS_WORK 65536

typedef struct work {
    const kc_attention_problem_t *problem;
    const kc_attention_kernels_t *kernels;
    float *workspace;
    size_t lanes;
    size_t lane_floats;
    size_t items; /* blocks of queries of all heads, or heads */
} work_t;

static size_t lanes_of(size_t items, size_t lane_floats)
{
    size_t lanes = SCRATCH_BYTES / sizeof(float) / (lane_floats + 1);
    lanes = kc_attention_smaller(lanes, LANES_MAX);
    return kc_attention_smaller(items, lanes == 0 ? 1 : lanes);
}

static work_t forward_work(const kc_attention_problem_t *problem,
                           const kc_attention_kernels_t *kernels,
                           float *workspace)
{
    work_t work = {.problem = problem,
                   .kernels = kernels,
                   .workspace = workspace,
                   .lane_floats = kernels->forward_scratch(problem)};
    work.items = problem->heads *
                 kc_attention_blocks(problem->queries, problem->block_queries);
    work.lanes = lanes_of(work.items, work.lane_floats);
    return work;
}

static work_t backward_work(const kc_attention_problem_t *problem,
                            const kc_attention_kernels_t *kernels,
                            float *workspace)
{
    work_t work = {.problem = problem,
                   .kernels = kernels,
                   .workspace = workspace,
                   .lane_floats = kernels->backward_scratch(problem),
                   .items = problem->heads};
    work.lanes = lanes_of(work.items, work.lane_floats);
    return work;
}

static size_t work_size(const work_t *work)
{
    return work->lanes * work->lane_floats * sizeof(float);
}

size_t kc_attention_forward_size(const kc_attention_problem_t *problem,
                                 const kc_attention_kernels_t *kernels)
{
    const work_t work = forward_work(problem, kernels, NULL);
    return work_size(&work);
}

size_t kc_attention_backward_size(const kc_attention_problem_t *problem,
                                  const kc_attention_kernels_t *kernels)
{
    const work_t work = backward_work(problem, kernels, NULL);
    return work_size(&work);
}

static void forward_item(const work_t *work, size_t item, float *scratch)
{
    const kc_attention_problem_t *problem = work->problem;
    const size_t blocks =
        kc_attention_blocks(problem->queries, problem->block_queries);
    const size_t first = item % blocks * problem->block_queries;
    const size_t count =
        kc_attention_smaller(problem->queries - first, problem->block_queries);
    work->kernels->forward(problem, item / blocks, first, count, scratch);
}

static kc_status_t forward_lanes(void *opaque, size_t start, size_t count)
{
    const work_t *work = opaque;
    for (size_t lane = start; lane < start + count; lane++) {
        const size_t end = work->items * (lane + 1) / work->lanes;
        for (size_t item = work->items * lane / work->lanes; item < end;
             item++) {
            forward_item(work, item,
                         work->workspace + lane * work->lane_floats);
        }
    }
    return KC_OK;
}

static kc_status_t backward_lanes(void *opaque, size_t start, size_t count)
{
    const work_t *work = opaque;
    for (size_t lane = start; lane < start + count; lane++) {
        const size_t end = work->items * (lane + 1) / work->lanes;
        for (size_t head = work->items * lane / work->lanes; head < end;
             head++) {
            work->kernels->backward(work->problem, head,
                                    work->workspace + lane * work->lane_floats);
        }
    }
    return KC_OK;
}

static kc_status_t run_lanes(const work_t *work, const kc_host_t *host,
                             kc_tile_fn tile)
{
    const kc_attention_problem_t *problem = work->problem;
    const double products = (double)problem->heads * (double)problem->queries *
                            (double)problem->keys *
                            (double)(problem->width + problem->value_width + 8);
    if (work->lanes <= 1 || products < THREADS_WORK) {
        return tile((void *)work, 0, work->lanes);
    }
    return host->parallel_for(host, tile, (void *)work, work->lanes, 1);
}

kc_status_t kc_attention_forward(const kc_attention_problem_t *problem,
                                 const kc_attention_kernels_t *kernels,
                                 const kc_host_t *host, float *workspace)
{
    const work_t work = forward_work(problem, kernels, workspace);
    return run_lanes(&work, host, forward_lanes);
}

kc_status_t kc_attention_backward(const kc_attention_problem_t *problem,
                                  const kc_attention_kernels_t *kernels,
                                  const kc_host_t *host, float *workspace)
{
    const work_t work = backward_work(problem, kernels, workspace);
    return run_lanes(&work, host, backward_lanes);
}

/* Extents of operands without elements may be anything. */
static kc_status_t check_extents(const kc_call_t *call,
                                 const kc_attention_problem_t *problem)
{
    const size_t most = SIZE_MAX >> 16;
    if (problem->keys > most || problem->width > most ||
        problem->value_width > most) {
        return kc_call_fail(call, KC_ERR_MEMORY,
                            "attention: tiles of these extents fit no memory");
    }
    return KC_OK;
}

static kc_status_t forward_workspace(const kc_call_t *call, size_t *out_size)
{
    const kc_attention_problem_t problem = kc_attention_problem_of(call);
    const kc_status_t status = check_extents(call, &problem);
    if (status == KC_OK) {
        *out_size = kc_attention_forward_size(&problem, kc_attention_kernels());
    }
    return status;
}

static kc_status_t backward_workspace(const kc_call_t *call, size_t *out_size)
{
    const kc_attention_problem_t problem = kc_attention_problem_of(call);
    const kc_status_t status = check_extents(call, &problem);
    if (status == KC_OK) {
        *out_size =
            kc_attention_backward_size(&problem, kc_attention_kernels());
    }
    return status;
}

static kc_status_t forward(const kc_call_t *call)
{
    kc_attention_problem_t problem = kc_attention_problem_of(call);
    problem.y = kc_attention_data(call->outputs[0]);
    if (kc_tensor_element_count(call->outputs[0]) == 0) {
        return KC_OK;
    }
    return kc_attention_forward(&problem, kc_attention_kernels(), call->host,
                                call->workspace);
}

static float *wanted(const kc_call_t *call, size_t place)
{
    const DLTensor *cotangent = call->cotangents_in[place];
    return cotangent == NULL ? NULL : kc_attention_data(cotangent);
}

static kc_status_t backward(const kc_call_t *call)
{
    kc_attention_problem_t problem = kc_attention_problem_of(call);
    problem.dq = wanted(call, 0);
    problem.dk = wanted(call, 1);
    problem.dv = wanted(call, 2);
    if (call->cotangents_out[0] == NULL) { /* zeros */
        for (size_t place = 0; place < 3; place++) {
            DLTensor *to = call->cotangents_in[place];
            if (to != NULL && kc_tensor_element_count(to) > 0) {
                memset(kc_tensor_data(to), 0,
                       (size_t)kc_tensor_element_count(to) * sizeof(float));
            }
        }
        return KC_OK;
    }
    problem.g = kc_attention_data(call->cotangents_out[0]);
    return kc_attention_backward(&problem, kc_attention_kernels(), call->host,
                                 call->workspace);
}

const kc_handler_t kc_attention_streaming = {
    .struct_size = sizeof(kc_handler_t),
    .op = KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
    .device = KC_DEVICE_CPU,
    .provider = "native_cpu",
    .capsule = "native_cpu.streaming_attention",
    .forward = forward,
    .forward_workspace = forward_workspace,
    .vjp = backward,
    .vjp_workspace = backward_workspace};
