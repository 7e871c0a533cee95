/* SPDX-License-Identifier: Apache-2.0
 *
 * Bounds the products of attention's composed rule: first by the largest
 * elements, and only where that does not do, pair by pair.
 */
#include "exec/composed_products.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "base/error.h"
#include "base/label.h"
#include "tensor/shape.h"

enum { ATTENTION_Q, ATTENTION_K, ATTENTION_V, ATTENTION_MASK };

/* A tensor [..., rows, columns] of any strides. */
typedef struct matrices {
    const DLTensor *view;
    int64_t strides[KC_MAX_RANK];
    int64_t head; /* offset of the matrix that is looked at, in elements */
} matrices_t;

typedef struct products {
    matrices_t q;
    matrices_t k;
    matrices_t v;
    matrices_t g;
    matrices_t mask; /* without a view: none */
    int64_t queries;
    int64_t keys;
    bool is_causal;
    double scale; /* 1 or more: a score is scaled after the product */
    double limit;
} products_t;

static matrices_t matrices_of(const DLTensor *view)
{
    matrices_t matrices = {.view = view};
    if (view == NULL) {
        return matrices;
    }
    if (view->strides == NULL) {
        kci_shape_dense_strides(view->ndim, view->shape, matrices.strides);
        return matrices;
    }
    for (int32_t axis = 0; axis < view->ndim; axis++) {
        matrices.strides[axis] = view->strides[axis];
    }
    return matrices;
}

/* Extent and stride counted from the last axis; 1 and 0 where there is none,
 * and no stride along what is broadcast. */
static int64_t extent(const matrices_t *matrices, int32_t back)
{
    const DLTensor *view = matrices->view;
    return back < view->ndim ? view->shape[view->ndim - 1 - back] : 1;
}

static int64_t stride(const matrices_t *matrices, int32_t back)
{
    return extent(matrices, back) == 1
               ? 0
               : matrices->strides[matrices->view->ndim - 1 - back];
}

/* `head` counts places of the leading axes of `of` in row-major order. */
static void go_to_head(matrices_t *matrices, const DLTensor *of, int64_t head)
{
    matrices->head = 0;
    for (int32_t back = 2; back < of->ndim && matrices->view != NULL; back++) {
        int64_t count = of->shape[of->ndim - 1 - back];
        matrices->head += head % count * stride(matrices, back);
        head /= count;
    }
}

static double magnitude(const matrices_t *matrices, int64_t row, int64_t column)
{
    const char *data = kc_tensor_data(matrices->view);
    int64_t place = matrices->head + row * stride(matrices, 1) +
                    column * stride(matrices, 0);
    return matrices->view->dtype.bits == 64
               ? fabs(((const double *)(const void *)data)[place])
               : (double)fabsf(((const float *)(const void *)data)[place]);
}

static bool is_allowed(const products_t *products, int64_t query, int64_t key)
{
    const matrices_t *mask = &products->mask;
    if (products->is_causal && key > query) {
        return false;
    }
    if (mask->view == NULL) {
        return true;
    }
    const unsigned char *bytes = kc_tensor_data(mask->view);
    return bytes[mask->head + query * stride(mask, 1) + key * stride(mask, 0)];
}

static bool has_blocked_key(const products_t *products, int64_t query)
{
    for (int64_t key = 0; key < products->keys; key++) {
        if (!is_allowed(products, query, key)) {
            return true;
        }
    }
    return false;
}

/* No partial sum of row times row is larger, in any order. */
static double product_bound(const matrices_t *a, int64_t a_row,
                            const matrices_t *b, int64_t b_row)
{
    double sum = 0;
    for (int64_t column = 0; column < extent(a, 0); column++) {
        sum += magnitude(a, a_row, column) * magnitude(b, b_row, column);
    }
    return sum;
}

static int64_t head_count(const DLTensor *view)
{
    int64_t count = 1;
    for (int32_t axis = 0; axis + 2 < view->ndim; axis++) {
        count *= view->shape[axis];
    }
    return count;
}

static double largest(const DLTensor *view)
{
    matrices_t all = matrices_of(view);
    double found = 0;
    for (int64_t head = 0; head < head_count(view); head++) {
        go_to_head(&all, view, head);
        for (int64_t row = 0; row < extent(&all, 1); row++) {
            for (int64_t column = 0; column < extent(&all, 0); column++) {
                found = fmax(found, magnitude(&all, row, column));
            }
        }
    }
    return found;
}

static bool are_all_small(const products_t *products)
{
    double values = largest(products->g.view) * largest(products->v.view) *
                    (double)extent(&products->v, 0);
    double scores = largest(products->q.view) * largest(products->k.view) *
                    (double)extent(&products->k, 0) * products->scale;
    return values <= products->limit && scores <= products->limit;
}

static kc_status_t refuse(const kci_operands_t *operands,
                          const products_t *products, const char *factors,
                          int64_t query, int64_t key, kc_error_t *error)
{
    return kci_fail(error, KC_ERR_TENSOR,
                    "%s: expected products of %s below %.3g where keys are "
                    "blocked, found more for query %" PRId64 " and key %" PRId64
                    " (the derivative rule of %s is made of products, which "
                    "cannot skip them)",
                    kci_label(&kci_ops, operands->op), factors, products->limit,
                    query, key, operands->capsule->name);
}

/* A query that has a blocked key. */
static kc_status_t check_query(const kci_operands_t *operands,
                               const products_t *products, int64_t query,
                               kc_error_t *error)
{
    for (int64_t key = 0; key < products->keys; key++) {
        double value = product_bound(&products->g, query, &products->v, key);
        if (!(value <= products->limit)) {
            return refuse(operands, products, "cotangent and v", query, key,
                          error);
        }
        if (!is_allowed(products, query, key)) {
            continue;
        }
        double score = product_bound(&products->q, query, &products->k, key);
        if (!(score * products->scale <= products->limit)) {
            return refuse(operands, products, "q and k", query, key, error);
        }
    }
    return KC_OK;
}

static kc_status_t check_heads(const kci_operands_t *operands,
                               products_t *products, kc_error_t *error)
{
    const DLTensor *of = products->g.view;
    matrices_t *all[] = {&products->q, &products->k, &products->v, &products->g,
                         &products->mask};
    for (int64_t head = 0; head < head_count(of); head++) {
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            go_to_head(all[i], of, head);
        }
        for (int64_t query = 0; query < products->queries; query++) {
            if (has_blocked_key(products, query)) {
                KC_RETURN_IF_ERROR(
                    check_query(operands, products, query, error));
            }
        }
    }
    return KC_OK;
}

kc_status_t kci_check_composed_products(const kci_operands_t *operands,
                                        const DLTensor *cotangent,
                                        const kc_attributes_t *attributes,
                                        kc_error_t *error)
{
    const DLTensor *const *inputs = operands->inputs;
    products_t products = {
        .q = matrices_of(inputs[ATTENTION_Q]),
        .k = matrices_of(inputs[ATTENTION_K]),
        .v = matrices_of(inputs[ATTENTION_V]),
        .g = matrices_of(cotangent),
        .mask = matrices_of(operands->input_count > ATTENTION_MASK
                                ? inputs[ATTENTION_MASK]
                                : NULL),
        .is_causal = attributes->u.attention.causal != 0,
        .scale = fmax(1, fabs(attributes->u.attention.scale)),
        .limit = (cotangent->dtype.bits == 64 ? DBL_MAX : (double)FLT_MAX) / 4};
    products.queries = extent(&products.g, 1);
    products.keys = extent(&products.k, 1);
    return are_all_small(&products) ? KC_OK
                                    : check_heads(operands, &products, error);
}
