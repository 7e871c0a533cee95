/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations with a mask: the same question twice, once with ordinary numbers
 * in every blocked place and once with NaN and infinities there. No byte of
 * any gradient may differ, and what is blocked for all gets exactly +0. A
 * composition is made of products, which cannot skip: it may refuse the
 * second, so it is asked with large numbers in between, which it may not.
 */
#include "conform/gradient.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conform/compare.h"
#include "conform/gradient_case.h"

#define SIDE_MAX 9

enum { QUERY, KEY, VALUE, MASK, OPERAND_COUNT };

/* Attention of one head, or a masked softmax of [queries, keys] whose scores
 * are the operand QUERY. */
typedef struct blocked_case {
    int32_t op;
    int32_t dtype;
    int64_t queries;
    int64_t keys;
    int64_t depth;
    int64_t value_depth;
    bool allowed[SIDE_MAX][SIDE_MAX];
    bool is_composition;
    bool is_large; /* blocked places get large numbers, all finite */
    kc_attributes_t attributes;
    int64_t shapes[OPERAND_COUNT + 1][2]; /* the last: of the output */
    double numbers[OPERAND_COUNT + 1][SIDE_MAX * SIDE_MAX];
    double memory[OPERAND_COUNT + 1][SIDE_MAX * SIDE_MAX];
    DLTensor views[OPERAND_COUNT + 1];
    const DLTensor *inputs[OPERAND_COUNT];
    size_t input_count;
} blocked_case_t;

static bool is_attention(const blocked_case_t *one)
{
    return one->op == KC_OP_SCALED_DOT_PRODUCT_ATTENTION;
}

static bool is_row_blocked(const blocked_case_t *one, int64_t row)
{
    for (int64_t j = 0; j < one->keys; j++) {
        if (one->allowed[row][j]) {
            return false;
        }
    }
    return true;
}

static bool is_key_blocked(const blocked_case_t *one, int64_t key)
{
    for (int64_t i = 0; i < one->queries; i++) {
        if (one->allowed[i][key]) {
            return false;
        }
    }
    return true;
}

static void draw_mask(kci_draw_t *draw, blocked_case_t *one)
{
    bool is_causal = is_attention(one) && kci_draw_chance(draw, 30);
    int64_t no_key = kci_draw_integer(draw, 0, one->keys);
    one->attributes.u.attention.causal = is_causal;
    for (int64_t i = 0; i < one->queries; i++) {
        int chance = kci_draw_chance(draw, 25) ? 0 : 60;
        for (int64_t j = 0; j < one->keys; j++) {
            bool is_said = kci_draw_chance(draw, chance) && j != no_key;
            one->numbers[MASK][i * one->keys + j] = is_said;
            one->allowed[i][j] = is_said && (!is_causal || j <= i);
        }
    }
}

static void set_shape(blocked_case_t *one, int operand, int64_t rows,
                      int64_t columns)
{
    one->shapes[operand][0] = rows;
    one->shapes[operand][1] = columns;
}

static void draw_case(const kc_capsule_record_t *capsule, int32_t dtype,
                      uint64_t seed, blocked_case_t *one)
{
    int32_t op = capsule->op;
    kci_draw_t draw = kci_draw_begin(seed ^ (uint64_t)(op + 101) << 40);
    *one = (blocked_case_t){.op = op, .dtype = dtype};
    one->is_composition = strcmp(capsule->provider, "torchlean") == 0;
    one->attributes.struct_size = sizeof one->attributes;
    one->attributes.op = op;
    one->queries = kci_draw_integer(&draw, 1, SIDE_MAX);
    one->keys = kci_draw_integer(&draw, 1, SIDE_MAX);
    one->depth = kci_draw_integer(&draw, 1, SIDE_MAX);
    one->value_depth = kci_draw_integer(&draw, 1, SIDE_MAX);
    if (is_attention(one)) {
        one->attributes.u.attention.scale = NAN;
        set_shape(one, QUERY, one->queries, one->depth);
        set_shape(one, KEY, one->keys, one->depth);
        set_shape(one, VALUE, one->keys, one->value_depth);
        set_shape(one, OPERAND_COUNT, one->queries, one->value_depth);
    } else {
        set_shape(one, QUERY, one->queries, one->keys);
        set_shape(one, OPERAND_COUNT, one->queries, one->keys);
    }
    set_shape(one, MASK, one->queries, one->keys);
    for (int operand = 0; operand <= OPERAND_COUNT; operand++) {
        for (int i = 0; i < SIDE_MAX * SIDE_MAX; i++) {
            one->numbers[operand][i] = (float)kci_draw_real(&draw, -1, 1);
        }
    }
    draw_mask(&draw, one);
}

static double poison(const blocked_case_t *one, int64_t place)
{
    static const double poisons[] = {NAN, INFINITY, -INFINITY};
    static const double large[] = {0x1p60, -0x1p60, 0x1p40};
    return one->is_large ? large[place % 3] : poisons[place % 3];
}

static void poison_row(blocked_case_t *one, int operand, int64_t row)
{
    int64_t width = one->shapes[operand][1];
    for (int64_t c = 0; c < width; c++) {
        one->numbers[operand][row * width + c] = poison(one, row + c);
    }
}

static void poison_blocked(blocked_case_t *one)
{
    for (int64_t i = 0; is_attention(one) && i < one->queries; i++) {
        if (is_row_blocked(one, i)) {
            poison_row(one, QUERY, i);
            poison_row(one, OPERAND_COUNT, i);
        }
    }
    for (int64_t j = 0; is_attention(one) && j < one->keys; j++) {
        if (is_key_blocked(one, j)) {
            poison_row(one, KEY, j);
            poison_row(one, VALUE, j);
        }
    }
    for (int64_t i = 0; !is_attention(one) && i < one->queries; i++) {
        for (int64_t j = 0; j < one->keys; j++) {
            if (!one->allowed[i][j]) {
                one->numbers[QUERY][i * one->keys + j] = poison(one, i + j);
                one->numbers[OPERAND_COUNT][i * one->keys + j] = poison(one, j);
            }
        }
    }
}

static void make_view(blocked_case_t *one, int operand)
{
    int64_t *shape = one->shapes[operand];
    bool is_mask = operand == MASK;
    for (int64_t i = 0; i < shape[0] * shape[1]; i++) {
        double number = one->numbers[operand][i];
        if (is_mask) {
            ((unsigned char *)one->memory[operand])[i] = number != 0;
        } else if (one->dtype == KC_DTYPE_F64) {
            one->memory[operand][i] = number;
        } else {
            ((float *)one->memory[operand])[i] = (float)number;
        }
    }
    DLDataType type = {kDLFloat, one->dtype == KC_DTYPE_F64 ? 64 : 32, 1};
    if (is_mask) {
        type = (DLDataType){KC_DLPACK_BOOL, 8, 1};
    }
    one->views[operand] = (DLTensor){.data = one->memory[operand],
                                     .device = {kDLCPU, 0},
                                     .ndim = 2,
                                     .dtype = type,
                                     .shape = shape};
}

static kc_status_t ask(const kci_gradient_subject_t *subject,
                       blocked_case_t *one, kc_tensor_t **out,
                       kc_error_t *error)
{
    static const bool attention_wanted[] = {true, true, true, false};
    static const bool softmax_wanted[] = {true, false};
    for (int operand = 0; operand <= OPERAND_COUNT; operand++) {
        make_view(one, operand);
    }
    one->inputs[0] = &one->views[QUERY];
    one->inputs[1] = &one->views[is_attention(one) ? KEY : MASK];
    one->inputs[2] = &one->views[VALUE];
    one->inputs[3] = &one->views[MASK];
    one->input_count = is_attention(one) ? 4 : 2;
    kci_gradient_call_t call = {.op = one->op,
                                .attributes = &one->attributes,
                                .inputs = one->inputs,
                                .input_count = one->input_count,
                                .cotangent = &one->views[OPERAND_COUNT],
                                .wanted = is_attention(one) ? attention_wanted
                                                            : softmax_wanted};
    return kci_gradient_ask(subject, &call, out, error);
}

/* Row `row` of a gradient is +0 throughout. */
static bool is_zero_row(kc_tensor_t *gradient, int64_t row)
{
    kci_array_t array = {.rank = -1};
    kc_error_t error = KC_ERROR_INIT;
    bool is_zero =
        kci_array_read(kc_tensor_view(gradient), &array, &error) == KC_OK;
    int64_t width = array.rank == 2 ? array.shape[1] : 0;
    for (int64_t c = 0; is_zero && c < width; c++) {
        is_zero = kci_is_same(array.values[row * width + c], 0.0);
    }
    kci_array_release(&array);
    return is_zero;
}

static bool has_zeros(const blocked_case_t *one, kc_tensor_t *const *found,
                      kci_line_t *line)
{
    for (int64_t i = 0; i < one->queries; i++) {
        if (is_row_blocked(one, i) && !is_zero_row(found[0], i)) {
            kci_line_add(line,
                         "; expected exact zeros for row %lld, which is "
                         "blocked",
                         (long long)i);
            return false;
        }
    }
    for (int64_t j = 0; is_attention(one) && j < one->keys; j++) {
        if (is_key_blocked(one, j) &&
            !(is_zero_row(found[1], j) && is_zero_row(found[2], j))) {
            kci_line_add(line,
                         "; expected exact zeros for key %lld, which is "
                         "blocked",
                         (long long)j);
            return false;
        }
    }
    return true;
}

static void release_all(kc_tensor_t **tensors)
{
    for (size_t i = 0; i < OPERAND_COUNT; i++) {
        kc_tensor_release(tensors[i]);
        tensors[i] = NULL;
    }
}

static bool has_same(const blocked_case_t *one, kc_tensor_t *const *clean,
                     kc_tensor_t *const *poisoned, kci_line_t *line)
{
    for (size_t i = 0; i < one->input_count; i++) {
        if (clean[i] != NULL && !kci_gradient_is_same(clean[i], poisoned[i])) {
            kci_line_add(line,
                         "; gradient of input %zu changed with what is "
                         "blocked",
                         i);
            return false;
        }
    }
    return true;
}

static void say_failure(kc_status_t status, const kc_error_t *error,
                        kci_line_t *line)
{
    kci_line_add(line, "; expected gradients, found status %d: %s", (int)status,
                 error->message);
}

/* The question again, with something else in the blocked places. */
static bool judge_poison(const kci_gradient_subject_t *subject,
                         blocked_case_t *one, bool is_large,
                         kc_tensor_t *const *clean, kci_line_t *line)
{
    kc_tensor_t *poisoned[OPERAND_COUNT] = {NULL};
    kc_error_t error = KC_ERROR_INIT;
    one->is_large = is_large;
    poison_blocked(one);
    kc_status_t status = ask(subject, one, poisoned, &error);
    if (status == KC_ERR_TENSOR && one->is_composition && !is_large) {
        return true;
    }
    if (status != KC_OK) {
        say_failure(status, &error, line);
        return false;
    }
    bool is_same = has_same(one, clean, poisoned, line);
    release_all(poisoned);
    return is_same;
}

static bool judge(const kci_gradient_subject_t *subject, blocked_case_t *one,
                  kci_conform_report_t *report, kci_line_t *line)
{
    kc_tensor_t *clean[OPERAND_COUNT] = {NULL};
    kc_error_t error = KC_ERROR_INIT;
    kc_status_t status = ask(subject, one, clean, &error);
    bool is_right = status == KC_OK && has_zeros(one, clean, line);
    if (is_right) {
        report->called_count++;
        report->checked_count++;
        is_right = (!one->is_composition ||
                    judge_poison(subject, one, true, clean, line)) &&
                   judge_poison(subject, one, false, clean, line);
    }
    if (status != KC_OK) {
        say_failure(status, &error, line);
    }
    release_all(clean);
    return is_right;
}

kc_status_t kci_conform_blocked(const kci_gradient_subject_t *subject,
                                const kci_conform_options_t *options,
                                kci_conform_report_t *out_report,
                                kc_error_t *error)
{
    kci_conform_report_t report = {0};
    blocked_case_t *one = kci_conform_allocate(1, sizeof *one);
    if (one == NULL) {
        return kci_conform_no_memory(error);
    }
    for (uint64_t i = 0; i < options->case_count; i++) {
        kci_line_t line = {0};
        draw_case(subject->capsule, options->dtype, options->seed + i, one);
        kci_line_add(&line, "%s blocked, seed %llu, %lld queries, %lld keys",
                     kc_op_label(one->op),
                     (unsigned long long)(options->seed + i),
                     (long long)one->queries, (long long)one->keys);
        report.run_count++;
        if (!judge(subject, one, &report, &line) &&
            report.failed_count++ == 0) {
            memcpy(report.first_failure, line.text, sizeof line.text);
        }
    }
    free(one);
    *out_report = report;
    return KC_OK;
}
