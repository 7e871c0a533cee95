/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Rules of fft_fno. The transforms are linear in each operand, so the
 * derivative along an element is the forward of a unit there: no differences
 * are needed. The forward is written out here, in double. */
#include <math.h>
#include <string.h>

#include "autograd/rule.h"
#include "tensor/dtype.h"
#include "unit/autograd/failing_rule.h"
#include "unit/autograd/rule_fixture.h"
#include "unit/autograd/suites.h"

#define PI 3.14159265358979323846

/* Sums of some tens of numbers around 1, in double. */
#define TOLERANCE 1e-12

static rule_fixture_t fixture;

static void begin(void)
{
    rule_fixture_begin(&fixture, 2);
}

static void end(void)
{
    rule_fixture_end(&fixture);
}

static double angle(int64_t k, int64_t t, int64_t n)
{
    return 2 * PI * (double)(k * t % n) / (double)n;
}

static bool has_imaginary(int64_t k, int64_t n)
{
    return k != 0 && 2 * k != n;
}

typedef struct transform {
    kc_attributes_t attributes;
    rule_operands_t operands;
    int64_t batch; /* of rfft and irfft */
    int64_t cin;
    int64_t cout;
    kc_tensor_t *output;
    kc_tensor_t *cotangent;
    kc_tensor_t *found[3];
} transform_t;

static double input(const transform_t *at, size_t operand, int64_t place)
{
    return rule_element(at->operands.inputs[operand], place);
}

static void rfft(const transform_t *at)
{
    int64_t n = at->attributes.u.fft.n;
    int64_t count = n / 2 + 1;
    for (int64_t row = 0; row < at->batch * count; row++) {
        int64_t k = row % count;
        double re = 0;
        double im = 0;
        for (int64_t t = 0; t < n; t++) {
            double x = input(at, 0, row / count * n + t);
            re += x * cos(angle(k, t, n));
            im -= has_imaginary(k, n) ? x * sin(angle(k, t, n)) : 0;
        }
        rule_set_element(at->output, 2 * row, re);
        rule_set_element(at->output, 2 * row + 1, im);
    }
}

/* What frequency k of the spectrum (re, im) gives at t. */
static double part(int64_t k, int64_t t, int64_t n, double re, double im)
{
    return has_imaginary(k, n)
               ? 2 / (double)n *
                     (re * cos(angle(k, t, n)) - im * sin(angle(k, t, n)))
               : re * cos(angle(k, t, n)) / (double)n;
}

static void irfft(const transform_t *at)
{
    int64_t n = at->attributes.u.fft.n;
    int64_t count = n / 2 + 1;
    for (int64_t place = 0; place < at->batch * n; place++) {
        int64_t row = place / n * count;
        double sum = 0;
        for (int64_t k = 0; k < count; k++) {
            sum += part(k, place % n, n, input(at, 0, 2 * (row + k)),
                        input(at, 0, 2 * (row + k) + 1));
        }
        rule_set_element(at->output, place, sum);
    }
}

/* Channel `c` of the signal at frequency k. */
static void spectrum_of(const transform_t *at, int64_t k, int64_t c,
                        double *out_re, double *out_im)
{
    int64_t n = at->attributes.u.fft.n;
    *out_re = 0;
    *out_im = 0;
    for (int64_t t = 0; t < n; t++) {
        double x = input(at, 0, t * at->cin + c);
        *out_re += x * cos(angle(k, t, n));
        *out_im -= has_imaginary(k, n) ? x * sin(angle(k, t, n)) : 0;
    }
}

static void convolution(const transform_t *at)
{
    const kc_fft_attributes_t *fft = &at->attributes.u.fft;
    for (int64_t place = 0; place < fft->n * at->cout; place++) {
        double sum = 0;
        for (int64_t k = 0; k < fft->modes; k++) {
            double re = 0;
            double im = 0;
            for (int64_t c = 0; c < at->cin; c++) {
                int64_t w = (k * at->cin + c) * at->cout + place % at->cout;
                double x_re;
                double x_im;
                spectrum_of(at, k, c, &x_re, &x_im);
                re += x_re * input(at, 1, w) - x_im * input(at, 2, w);
                im += x_re * input(at, 2, w) + x_im * input(at, 1, w);
            }
            sum += part(k, place / at->cout, fft->n, re, im);
        }
        rule_set_element(at->output, place, sum);
    }
}

static void forward(const transform_t *at)
{
    static void (*const forwards[])(const transform_t *) = {rfft, irfft,
                                                            convolution};
    forwards[at->attributes.u.fft.transform](at);
}

static transform_t begin_transform(int32_t transform, int64_t n, int64_t modes)
{
    transform_t at = {.attributes = {.struct_size = sizeof at.attributes,
                                     .op = KC_OP_FFT_FNO}};
    at.attributes.u.fft = (kc_fft_attributes_t){transform, n, modes};
    at.operands.op = KC_OP_FFT_FNO;
    return at;
}

static kc_tensor_t *draw(int32_t rank, const int64_t *dims, uint64_t seed)
{
    return rule_random(&fixture, KC_DTYPE_F64, rank, dims, seed);
}

static transform_t packed_case(int32_t transform, int64_t batch, int64_t n,
                               uint64_t seed)
{
    transform_t at = begin_transform(transform, n, 0);
    const int64_t signal[] = {batch, n};
    const int64_t packed[] = {batch, n / 2 + 1, 2};
    bool is_forward = transform == KC_FFT_RFFT;
    at.batch = batch;
    at.operands.input_count = 1;
    at.operands.inputs[0] =
        is_forward ? draw(2, signal, seed) : draw(3, packed, seed);
    at.output = is_forward ? draw(3, packed, 0) : draw(2, signal, 0);
    at.cotangent =
        is_forward ? draw(3, packed, seed + 1) : draw(2, signal, seed + 1);
    return at;
}

static transform_t convolution_case(int64_t n, int64_t modes, int64_t cin,
                                    int64_t cout, uint64_t seed)
{
    transform_t at = begin_transform(KC_FFT_SPECTRAL_CONV1D, n, modes);
    const int64_t x[] = {n, cin};
    const int64_t y[] = {n, cout};
    const int64_t w[] = {modes, cin, cout};
    at.cin = cin;
    at.cout = cout;
    at.operands.input_count = 3;
    at.operands.inputs[0] = draw(2, x, seed);
    at.operands.inputs[1] = draw(3, w, seed + 1);
    at.operands.inputs[2] = draw(3, w, seed + 2);
    at.output = draw(2, y, 0);
    at.cotangent = draw(2, y, seed + 3);
    return at;
}

static void run(transform_t *at, const bool *wanted, kc_tensor_t **found)
{
    at->operands.attributes = &at->attributes;
    rule_vjp(&fixture, RULE_COMPOSED, &at->operands, at->output, at->cotangent,
             wanted, found);
}

static void release_all(kc_tensor_t **tensors)
{
    for (size_t i = 0; i < 3; i++) {
        kci_tensor_release(tensors[i]);
        tensors[i] = NULL;
    }
}

static void end_transform(transform_t *at)
{
    release_all(at->operands.inputs);
    release_all(at->found);
    kci_tensor_release(at->output);
    kci_tensor_release(at->cotangent);
}

static void clear(kc_tensor_t *tensor)
{
    for (int64_t i = 0; i < kc_tensor_element_count(&tensor->view); i++) {
        rule_set_element(tensor, i, 0);
    }
}

/* Cotangent of one operand: the inner product of g with the forward of each
 * unit. Both weights count as one operand, so the other one is cleared. */
static void check_operand(transform_t *at, size_t operand)
{
    kc_tensor_t *kept[3];
    const DLTensor *view = &at->operands.inputs[operand]->view;
    for (size_t i = 0; i < at->operands.input_count; i++) {
        bool is_cleared = (operand == 0) == (i == 0);
        const DLTensor *other = &at->operands.inputs[i]->view;
        kept[i] = at->operands.inputs[i];
        at->operands.inputs[i] = draw(other->ndim, other->shape, 0);
        memcpy(kc_tensor_data(&at->operands.inputs[i]->view),
               kc_tensor_data(&kept[i]->view),
               (size_t)kc_tensor_element_count(other) * sizeof(double));
        if (is_cleared) {
            clear(at->operands.inputs[i]);
        }
    }
    for (int64_t i = 0; i < kc_tensor_element_count(view); i++) {
        double expected = 0;
        rule_set_element(at->operands.inputs[operand], i, 1);
        forward(at);
        rule_set_element(at->operands.inputs[operand], i, 0);
        for (int64_t k = 0; k < kc_tensor_element_count(&at->output->view);
             k++) {
            expected +=
                rule_element(at->cotangent, k) * rule_element(at->output, k);
        }
        double found = rule_element(at->found[operand], i);
        ck_assert_msg(fabs(found - expected) <= TOLERANCE,
                      "operand %zu element %lld: found %.17g, expected %.17g",
                      operand, (long long)i, found, expected);
    }
    for (size_t i = 0; i < at->operands.input_count; i++) {
        kci_tensor_release(at->operands.inputs[i]);
        at->operands.inputs[i] = kept[i];
    }
}

/* All operands, then each alone with the same bits. */
static void check(transform_t at)
{
    static const bool all[] = {true, true, true};
    run(&at, all, at.found);
    for (size_t i = 0; i < at.operands.input_count; i++) {
        kc_tensor_t *one[3] = {NULL};
        bool alone[3] = {false};
        alone[i] = true;
        check_operand(&at, i);
        run(&at, alone, one);
        rule_check_bits(one[i], at.found[i]);
        release_all(one);
    }
    end_transform(&at);
}

static const int64_t lengths[] = {1, 2, 3, 4, 5, 8, 9, 12};
#define LENGTH_COUNT (sizeof lengths / sizeof *lengths)

START_TEST(transforms_return_their_adjoints)
{
    for (size_t i = 0; i < LENGTH_COUNT; i++) {
        check(packed_case(KC_FFT_RFFT, 3, lengths[i], 10 * i));
        check(packed_case(KC_FFT_IRFFT, 3, lengths[i], 10 * i));
    }
    check(packed_case(KC_FFT_RFFT, 0, 5, 1));
    check(packed_case(KC_FFT_IRFFT, 0, 5, 1));
}
END_TEST

START_TEST(convolutions_return_their_adjoints)
{
    for (size_t i = 0; i < LENGTH_COUNT; i++) {
        for (int64_t modes = 0; modes <= lengths[i] / 2 + 1; modes++) {
            check(convolution_case(lengths[i], modes, 2, 3, 10 * i));
        }
    }
    check(convolution_case(6, 3, 1, 1, 5));
}
END_TEST

/* An imaginary part that a real signal does not have is not read. */
START_TEST(ignores_imaginary_parts_of_the_ends)
{
    static const bool all[] = {true, true, true};
    transform_t at = packed_case(KC_FFT_RFFT, 1, 4, 3);
    rule_set_element(at.cotangent, 1, NAN);
    rule_set_element(at.cotangent, 5, INFINITY);
    run(&at, all, at.found);
    for (int64_t t = 0; t < 4; t++) {
        ck_assert(isfinite(rule_element(at.found[0], t)));
    }
    end_transform(&at);
    at = convolution_case(4, 3, 1, 1, 4);
    rule_set_element(at.operands.inputs[2], 0, NAN);
    rule_set_element(at.operands.inputs[2], 2, INFINITY);
    run(&at, all, at.found);
    for (int64_t t = 0; t < 4; t++) {
        ck_assert(isfinite(rule_element(at.found[0], t)));
    }
    ck_assert(rule_element(at.found[2], 0) == 0);
    ck_assert(rule_element(at.found[2], 2) == 0);
    ck_assert(rule_element(at.found[2], 1) != 0);
    end_transform(&at);
}
END_TEST

/* Any profile that has products can run the rule. */
START_TEST(needs_no_capsule_of_its_own)
{
    const kci_vjp_info_t *info = kci_vjp_info(KC_OP_FFT_FNO);
    ck_assert_uint_eq(info->inner_ops & KCI_OP_BIT(KC_OP_FFT_FNO), 0);
    ck_assert_uint_ne(info->inner_ops & KCI_OP_BIT(KC_OP_MATMUL), 0);
}
END_TEST

/* No modes: zeros for all, and no step. */
START_TEST(composes_nothing_of_no_modes)
{
    static const int64_t x_dims[] = {4, 2};
    static const int64_t w_dims[] = {0, 2, 3};
    kc_attributes_t attributes = {.struct_size = sizeof attributes,
                                  .op = KC_OP_FFT_FNO};
    attributes.u.fft = (kc_fft_attributes_t){KC_FFT_SPECTRAL_CONV1D, 4, 0};
    kci_tensor_type_t x = composed_type(KC_DTYPE_F32, 2, x_dims);
    kci_tensor_type_t w = composed_type(KC_DTYPE_F32, 3, w_dims);
    const kci_tensor_type_t *types[] = {&x, &w, &w};
    ck_assert_uint_eq(composed_rule_ops(&(composed_case_t){
                          KC_OP_FFT_FNO, &attributes, types, 3, NULL}),
                      0);
}
END_TEST

START_TEST(no_failed_allocation_hurts)
{
    static const int64_t x_dims[] = {6, 2};
    static const int64_t w_dims[] = {4, 2, 3};
    static const int64_t packed_dims[] = {3, 4, 2};
    kci_tensor_type_t x = composed_type(KC_DTYPE_F32, 2, x_dims);
    kci_tensor_type_t w = composed_type(KC_DTYPE_F32, 3, w_dims);
    kci_tensor_type_t packed = composed_type(KC_DTYPE_F32, 3, packed_dims);
    const kci_tensor_type_t *types[] = {&x, &w, &w};
    const kci_tensor_type_t *spectrum = &packed;
    kc_attributes_t attributes = {.struct_size = sizeof attributes,
                                  .op = KC_OP_FFT_FNO};
    attributes.u.fft = (kc_fft_attributes_t){KC_FFT_SPECTRAL_CONV1D, 6, 4};
    failing_rule_check(
        &(composed_case_t){KC_OP_FFT_FNO, &attributes, types, 3, NULL});
    attributes.u.fft = (kc_fft_attributes_t){KC_FFT_RFFT, 2, 0};
    failing_rule_check(
        &(composed_case_t){KC_OP_FFT_FNO, &attributes, types, 1, NULL});
    attributes.u.fft = (kc_fft_attributes_t){KC_FFT_IRFFT, 6, 0};
    failing_rule_check(
        &(composed_case_t){KC_OP_FFT_FNO, &attributes, &spectrum, 1, NULL});
}
END_TEST

Suite *suite_autograd_spectral(void)
{
    Suite *suite = suite_create("autograd/spectral");
    TCase *tcase = tcase_create("rules");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, transforms_return_their_adjoints);
    tcase_add_test(tcase, convolutions_return_their_adjoints);
    tcase_add_test(tcase, ignores_imaginary_parts_of_the_ends);
    tcase_add_test(tcase, needs_no_capsule_of_its_own);
    tcase_add_test(tcase, composes_nothing_of_no_modes);
    tcase_add_test(tcase, no_failed_allocation_hurts);
    suite_add_tcase(suite, tcase);
    return suite;
}
