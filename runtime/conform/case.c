/* SPDX-License-Identifier: Apache-2.0
 *
 * Puts drawn operands into memory: which layout, which bytes.
 */
#include "conform/case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conform/family.h"
#include "conform/smooth.h"

static const char *const layout_labels[] = {
    "dense",       "dense without strides",
    "byte offset", "row-padded",
    "transposed",  "repeated",
    "gapped"};

const char *kci_case_layout_label(kci_case_layout_t layout)
{
    return layout_labels[layout];
}

kci_operand_t *kci_case_add(kci_case_t *trial, int32_t dtype, int32_t rank,
                            const int64_t *shape, kci_fill_t fill)
{
    kci_operand_t *operand = &trial->operands[trial->input_count++];
    operand->is_present = true;
    operand->dtype = dtype;
    operand->rank = rank;
    for (int32_t axis = 0; axis < rank; axis++) {
        operand->shape[axis] = shape[axis];
    }
    operand->fill = fill;
    return operand;
}

void kci_case_add_absent(kci_case_t *trial)
{
    trial->input_count++;
}

int64_t kci_case_budget(const kci_case_t *trial, int64_t usual)
{
    if (trial->is_smooth) {
        return usual < KCI_CASE_SMOOTH ? usual : KCI_CASE_SMOOTH;
    }
    return trial->is_large ? KCI_CASE_LARGE * usual : usual;
}

void kci_case_emptiness(kci_case_t *trial, int32_t rank, int64_t *shape)
{
    kci_draw_emptiness(&trial->draw, trial->empty_percent, rank, shape);
}

static size_t element_size(int32_t dtype)
{
    switch (dtype) {
    case KC_DTYPE_F32:
    case KC_DTYPE_I32:
        return 4;
    case KC_DTYPE_BOOL:
        return 1;
    default:
        return 8;
    }
}

static DLDataType dlpack_type(int32_t dtype)
{
    uint8_t bits = (uint8_t)(8 * element_size(dtype));
    bool is_float = dtype == KC_DTYPE_F32 || dtype == KC_DTYPE_F64;
    uint8_t code = dtype == KC_DTYPE_BOOL ? KC_DLPACK_BOOL
                                          : (is_float ? kDLFloat : kDLInt);
    return (DLDataType){code, bits, 1};
}

/* Strides from the fastest axis on; `axis_of` says which that is. */
static void nest_strides(kci_operand_t *operand, int64_t first_step,
                         int64_t row_gap)
{
    bool is_transposed = operand->layout == KCI_CASE_TRANSPOSED;
    int64_t step = first_step;
    for (int32_t i = 0; i < operand->rank; i++) {
        int32_t axis = is_transposed ? i : operand->rank - 1 - i;
        operand->strides[axis] = step;
        step *= operand->shape[axis] > 0 ? operand->shape[axis] : 1;
        step += i == 0 ? row_gap : 0;
    }
}

static void choose_strides(kci_draw_t *draw, kci_operand_t *operand)
{
    nest_strides(operand, operand->layout == KCI_CASE_GAPPED ? 2 : 1,
                 operand->layout == KCI_CASE_ROW_PADDED
                     ? kci_draw_integer(draw, 1, 5)
                     : 0);
    if (operand->layout == KCI_CASE_REPEATED && operand->rank > 0) {
        operand->strides[kci_draw_integer(draw, 0, operand->rank - 1)] = 0;
    }
}

/* From the first element to one behind the last. */
static int64_t element_span(const kci_operand_t *operand)
{
    int64_t span = 1;
    for (int32_t axis = 0; axis < operand->rank; axis++) {
        if (operand->shape[axis] == 0) {
            return 0;
        }
        span += (operand->shape[axis] - 1) * operand->strides[axis];
    }
    return span;
}

static double draw_variance(kci_case_t *trial, bool is_f64)
{
    /* A negative one is clamped to 0: it has to be met now and then. */
    double value = kci_draw_value(&trial->draw, trial->temper, is_f64);
    return kci_draw_chance(&trial->draw, 90) ? fabs(value) : value;
}

static double draw_number(kci_case_t *trial, const kci_operand_t *operand)
{
    static const double chances[] = {0,     1,   0.5,      0x1p-32, 1 - 0x1p-24,
                                     -0.25, 1.5, INFINITY, NAN,     -0.0};
    bool is_f64 = operand->dtype == KC_DTYPE_F64;
    if (trial->is_smooth) {
        return kci_smooth_next(trial, operand);
    }
    switch (operand->fill) {
    case KCI_FILL_EPSILON:
        return is_f64 ? ldexp(1, (int)kci_draw_integer(&trial->draw, -40, 1))
                      : ldexp(1, (int)kci_draw_integer(&trial->draw, -30, 1));
    case KCI_FILL_PROBABILITY:
        return kci_draw_chance(&trial->draw, 50)
                   ? (double)(float)kci_draw_real(&trial->draw, 0, 1)
                   : chances[kci_draw_integer(&trial->draw, 0, 9)];
    case KCI_FILL_VARIANCE:
        return draw_variance(trial, is_f64);
    default:
        return kci_draw_value(&trial->draw, trial->temper, is_f64);
    }
}

static void write_element(kci_case_t *trial, const kci_operand_t *operand,
                          unsigned char *to)
{
    int64_t integer = 0;
    if (operand->dtype == KC_DTYPE_I32 || operand->dtype == KC_DTYPE_I64) {
        bool is_wide = operand->dtype == KC_DTYPE_I64;
        /* Up to what double holds, beyond 32 bits. */
        int64_t most = is_wide ? INT64_C(1) << 50 : INT32_MAX;
        integer =
            operand->fill == KCI_FILL_INDICES
                ? kci_draw_integer(&trial->draw, 0, operand->index_extent - 1)
                : kci_draw_integer(&trial->draw, -most, most);
        int32_t narrow = (int32_t)integer;
        memcpy(to, is_wide ? (void *)&integer : (void *)&narrow,
               is_wide ? sizeof integer : sizeof narrow);
        return;
    }
    double number = draw_number(trial, operand);
    float narrow = (float)number;
    memcpy(to,
           operand->dtype == KC_DTYPE_F64 ? (void *)&number : (void *)&narrow,
           element_size(operand->dtype));
}

/* Rows of one kind now and then, so that some are fully blocked; any byte
 * but 0 means true. */
static void write_mask(kci_case_t *trial, const kci_operand_t *operand,
                       unsigned char *elements, const int64_t *index,
                       int64_t offset, int *chance)
{
    static const int chances[] = {0, 100, 50, 90, 10};
    if (operand->rank == 0 || index[operand->rank - 1] == 0) {
        *chance = chances[kci_draw_integer(&trial->draw, 0, 4)];
    }
    bool is_true = kci_draw_chance(&trial->draw, *chance);
    unsigned char odd = kci_draw_chance(&trial->draw, 5) ? 255 : 1;
    elements[offset] = is_true ? odd : 0;
}

static void fill(kci_case_t *trial, kci_operand_t *operand,
                 unsigned char *elements)
{
    int64_t index[KC_MAX_RANK] = {0};
    int64_t count = kci_extent_product(operand->shape, 0, operand->rank);
    int chance = 50;
    for (int64_t i = 0; i < count; i++) {
        int64_t offset = 0;
        for (int32_t axis = 0; axis < operand->rank; axis++) {
            offset += index[axis] * operand->strides[axis];
        }
        if (operand->dtype == KC_DTYPE_BOOL) {
            write_mask(trial, operand, elements, index, offset, &chance);
        } else {
            write_element(trial, operand,
                          elements +
                              offset * (int64_t)element_size(operand->dtype));
        }
        kci_next_index(operand->rank, operand->shape, index);
    }
}

static bool materialise(kci_case_t *trial, kci_operand_t *operand)
{
    size_t size = element_size(operand->dtype);
    operand->layout = kci_draw_chance(&trial->draw, 40)
                          ? KCI_CASE_DENSE
                          : (kci_case_layout_t)kci_draw_integer(
                                &trial->draw, 0, KCI_CASE_LAYOUT_COUNT - 1);
    if (trial->is_smooth && operand->layout == KCI_CASE_REPEATED) {
        operand->layout = KCI_CASE_TRANSPOSED; /* equal elements are a kink */
    }
    size_t shift = operand->layout == KCI_CASE_BYTE_OFFSET
                       ? size * (size_t)kci_draw_integer(&trial->draw, 1, 5)
                       : 0;
    choose_strides(&trial->draw, operand);
    size_t bytes = (size_t)element_span(operand) * size;
    if (!kci_guarded_create(shift + bytes, &operand->memory)) {
        return false;
    }
    unsigned char *start = kci_guarded_elements(&operand->memory);
    fill(trial, operand, start + shift);
    kci_guarded_seal(&operand->memory);
    bool has_strides =
        operand->rank > 0 && operand->layout != KCI_CASE_DENSE_NO_STRIDES;
    operand->view = (DLTensor){.data = start,
                               .device = {kDLCPU, 0},
                               .ndim = operand->rank,
                               .dtype = dlpack_type(operand->dtype),
                               .shape = operand->shape,
                               .strides = has_strides ? operand->strides : NULL,
                               .byte_offset = shift};
    return true;
}

/* Attributes and shapes; nothing is in memory yet. */
static void draw_case(kci_case_t *trial, int32_t op, int32_t dtype,
                      uint64_t seed)
{
    bool is_smooth = trial->is_smooth;
    int empty_percent = trial->empty_percent;
    memset(trial, 0, sizeof *trial);
    trial->is_smooth = is_smooth;
    trial->empty_percent = empty_percent;
    trial->op = op;
    trial->dtype = dtype;
    trial->seed = seed;
    /* Other shapes for every operation, from the same seed. */
    trial->draw =
        kci_draw_begin(seed ^ (uint64_t)(op + 1) << 40 ^ (uint64_t)dtype << 56);
    trial->temper = kci_draw_temper(&trial->draw);
    trial->is_large = kci_draw_chance(&trial->draw, 2) && !is_smooth;
    trial->attributes.struct_size = sizeof trial->attributes;
    trial->attributes.op = op;
    kci_family_of(op)->draw(trial);
}

/* Operands in memory; the case is moved on KC_OK and released otherwise. */
static kc_status_t finish_case(kci_case_t *trial, kci_case_t **out_case,
                               kc_error_t *error)
{
    for (size_t i = 0; i < trial->input_count; i++) {
        if (!trial->operands[i].is_present) {
            continue;
        }
        if (!materialise(trial, &trial->operands[i])) {
            kci_case_release(trial);
            return kci_conform_no_memory(error);
        }
        trial->inputs[i] = &trial->operands[i].view;
    }
    *out_case = trial;
    return KC_OK;
}

kc_status_t kci_case_create(int32_t op, int32_t dtype, uint64_t seed,
                            kci_case_t **out_case, kc_error_t *error)
{
    kci_case_t *trial = kci_conform_allocate(1, sizeof *trial);
    if (trial == NULL) {
        return kci_conform_no_memory(error);
    }
    trial->empty_percent = 6;
    draw_case(trial, op, dtype, seed);
    return finish_case(trial, out_case, error);
}

kc_status_t kci_case_create_smooth(int32_t op, int32_t dtype, uint64_t seed,
                                   kci_case_t **out_case, kc_error_t *error)
{
    kci_case_t *trial = kci_conform_allocate(1, sizeof *trial);
    if (trial == NULL) {
        return kci_conform_no_memory(error);
    }
    /* Draws that are too large to difference are drawn again. That would
     * favour the empty ones: whether this is to be one is drawn first. */
    kci_draw_t draw = kci_draw_begin(~seed ^ (uint64_t)(op + 1) << 40);
    uint64_t attempt = 0;
    trial->empty_percent = kci_draw_chance(&draw, 20) ? 60 : 0;
    trial->is_smooth = true;
    do {
        draw_case(trial, op, dtype, seed + (attempt++ << 32));
    } while (!kci_smooth_begin(trial) && attempt < KCI_SMOOTH_ATTEMPTS);
    trial->seed = seed;
    return finish_case(trial, out_case, error);
}

void kci_case_release(kci_case_t *trial)
{
    for (size_t i = 0; trial != NULL && i < trial->input_count; i++) {
        kci_guarded_release(&trial->operands[i].memory);
    }
    free(trial);
}

bool kci_case_is_empty(const kci_case_t *trial)
{
    for (size_t i = 0; i < trial->input_count; i++) {
        const kci_operand_t *operand = &trial->operands[i];
        if (operand->is_present &&
            kci_extent_product(operand->shape, 0, operand->rank) == 0) {
            return true;
        }
    }
    return false;
}

int kci_case_changed_input(const kci_case_t *trial)
{
    for (size_t i = 0; i < trial->input_count; i++) {
        if (trial->operands[i].is_present &&
            !kci_guarded_is_unchanged(&trial->operands[i].memory)) {
            return (int)i;
        }
    }
    return -1;
}
