/* SPDX-License-Identifier: Apache-2.0
 *
 * The contracts as they stand in the built files: how many and in which order,
 * each claim about its own operation, unique identities, terminated texts, and
 * a handler for exactly the capsules that say so.
 */
#include <stdlib.h>
#include <string.h>

#include "unit/modules/module_file.h"
#include "unit/modules/tcases.h"

#define LABEL(constant, label) label,
static const char *const op_labels[] = {KC_FOR_EACH_OP(LABEL)};

/* The capsules of a module; freed by the caller. */
static const kc_capsule_record_t *read_capsules(const char *module,
                                                size_t *out_count)
{
    module_note_t note = module_file_read_note(module, KC_NOTE_CAPSULES);
    ck_assert_uint_eq(note.size_bytes % sizeof(kc_capsule_record_t), 0);
    *out_count = note.size_bytes / sizeof(kc_capsule_record_t);
    return note.records;
}

typedef struct expectation {
    const char *module;
    size_t capsule_count;
    size_t provenance_count;
    uint32_t flags;
    const char *order; /* short names, separated by spaces */
} expectation_t;

#define POINTWISE_AND_MORE                                                     \
    "add sub mul scale abs sqrt clamp max min sigmoid tanh softplus exp "
#define REST                                                                   \
    "inv safe_log log_softmax softmax hard_masked_softmax reduce_sum "         \
    "reduce_mean reshape permute broadcast concat slice gather scatter_add "   \
    "rand_uniform bernoulli_mask layer_norm batch_norm conv conv_transpose "   \
    "max_pool smooth_max_pool avg_pool "

static const expectation_t expectations[] = {
    {"reference", 45, 45, 0,
     "matmul linear mse_loss relu gelu " POINTWISE_AND_MORE "log sin cos " REST
     "attention "},
    {"native_cuda", 46, 0, KC_MODULE_CONTRACTS_ONLY,
     "matmul linear mse_loss relu gelu " POINTWISE_AND_MORE "sin cos log " REST
     "fft_fno selective_scan "},
    {"attention", 3, 2, 0,
     "direct_attention composed_attention streaming_attention "},
    {"libtorch", 48, 1,
     KC_HAVE_LIBTORCH ? KC_MODULE_STARTS_THREADS : KC_MODULE_CONTRACTS_ONLY,
     "sdpa_forward matmul linear mse_loss relu gelu " POINTWISE_AND_MORE
     "log sin cos " REST "fft_fno selective_scan sdpa_forward "}};
#define MODULE_COUNT (int)(sizeof expectations / sizeof expectations[0])

#define CK_TEXT(array) ck_assert_ptr_nonnull(memchr(array, 0, sizeof(array)))

START_TEST(module_record)
{
    const expectation_t *e = &expectations[_i];
    module_note_t note = module_file_read_note(e->module, KC_NOTE_MODULE);
    const kc_module_record_t *record = note.records;
    const kc_module_t *module = module_file_load(e->module);
    ck_assert_uint_eq(note.size_bytes, sizeof *record);
    ck_assert_uint_eq(record->struct_size, sizeof *record);
    ck_assert_uint_eq(record->abi_major, KC_ABI_MAJOR);
    ck_assert_uint_eq(record->abi_minor, KC_ABI_MINOR);
    ck_assert_uint_eq(record->flags, e->flags);
    CK_TEXT(record->name);
    CK_TEXT(record->version);
    CK_TEXT(record->author);
    CK_TEXT(record->licence);
    CK_TEXT(record->description);
    CK_TEXT(record->companions);
    ck_assert_str_eq(record->name, e->module);
    ck_assert_str_eq(module->name, record->name);
    ck_assert_str_eq(module->version, record->version);
    free(note.records);
}
END_TEST

START_TEST(catalogue_order)
{
    const expectation_t *e = &expectations[_i];
    size_t count;
    const kc_capsule_record_t *capsules = read_capsules(e->module, &count);
    const char *expected = e->order;
    ck_assert_uint_eq(count, e->capsule_count);
    for (size_t i = 0; i < count; i++) {
        const char *name = strchr(capsules[i].name, '.');
        size_t length = strcspn(expected, " ");
        ck_assert_ptr_nonnull(name);
        ck_assert_msg(strlen(name + 1) == length &&
                          strncmp(name + 1, expected, length) == 0,
                      "capsule %zu is %s, expected %.*s", i, capsules[i].name,
                      (int)length, expected);
        expected += length + 1;
    }
    ck_assert_str_eq(expected, "");
    free((void *)capsules);
}
END_TEST

static void check_texts(const kc_capsule_record_t *capsule)
{
    const kc_contract_descriptor_t *descriptors[] = {
        &capsule->shape, &capsule->layout, &capsule->value, &capsule->vjp};
    CK_TEXT(capsule->name);
    CK_TEXT(capsule->provider);
    CK_TEXT(capsule->numerics.order);
    CK_TEXT(capsule->limits.instruction_set);
    for (size_t i = 0; i < 4; i++) {
        CK_TEXT(descriptors[i]->summary);
        CK_TEXT(descriptors[i]->source);
        ck_assert_msg(descriptors[i]->summary[0] != 0, "%s: no summary",
                      capsule->name);
        ck_assert_msg(
            (descriptors[i]->source[0] == 0) ==
                (descriptors[i]->evidence == KC_EVIDENCE_NOT_APPLICABLE),
            "%s: evidence without a name", capsule->name);
    }
}

static void check_alignment(const kc_capsule_record_t *capsule)
{
    int32_t op = capsule->op;
    ck_assert_int_eq(capsule->shape.claim, KC_CLAIM_SHAPE_SAFETY);
    ck_assert_int_eq(capsule->layout.claim, KC_CLAIM_LAYOUT_COMPATIBILITY);
    ck_assert_int_eq(capsule->value.claim, KC_CLAIM_VALUE_REFINEMENT);
    ck_assert_int_eq(capsule->shape.op, op);
    ck_assert_int_eq(capsule->layout.op, op);
    ck_assert_int_eq(capsule->value.op, op);
    ck_assert_int_eq(capsule->vjp.op, op);
    if (capsule->vjp_mode == KC_VJP_NONE) {
        ck_assert(op == KC_OP_RAND_UNIFORM || op == KC_OP_BERNOULLI_MASK);
        ck_assert_int_eq(capsule->vjp.claim, KC_CLAIM_VJP_UNAVAILABLE);
        ck_assert_int_eq(capsule->vjp.evidence, KC_EVIDENCE_NOT_APPLICABLE);
        return;
    }
    ck_assert_int_eq(capsule->vjp.claim, KC_CLAIM_VJP_REFINEMENT);
    ck_assert_int_eq(capsule->vjp.mode, capsule->vjp_mode);
}

START_TEST(each_contract_is_aligned)
{
    size_t count;
    const kc_capsule_record_t *capsules =
        read_capsules(expectations[_i].module, &count);
    for (size_t i = 0; i < count; i++) {
        const kc_capsule_record_t *c = &capsules[i];
        ck_assert_uint_eq(c->struct_size, sizeof *c);
        ck_assert_int_ge(c->op, 0);
        ck_assert_int_lt(c->op, KC_OP_COUNT);
        ck_assert_uint_eq(c->supports_forward, 1);
        check_texts(c);
        check_alignment(c);
    }
    free((void *)capsules);
}
END_TEST

/* The short name of a capsule is the operation's, attention aside. */
START_TEST(names_tell_provider_and_operation)
{
    size_t count;
    const kc_capsule_record_t *capsules =
        read_capsules(expectations[_i].module, &count);
    for (size_t i = 0; i < count; i++) {
        const kc_capsule_record_t *c = &capsules[i];
        size_t length = strlen(c->provider);
        ck_assert(strncmp(c->name, c->provider, length) == 0);
        ck_assert_int_eq(c->name[length], '.');
        if (c->op != KC_OP_SCALED_DOT_PRODUCT_ATTENTION) {
            ck_assert_str_eq(c->name + length + 1, op_labels[c->op]);
        } else {
            ck_assert_int_eq(c->limits.mask_polarity, KC_MASK_TRUE_MAY_ATTEND);
        }
        for (size_t j = 0; j < i; j++) {
            ck_assert_msg(strcmp(c->name, capsules[j].name) != 0 ||
                              c->device != capsules[j].device,
                          "two are %s", c->name);
        }
    }
    free((void *)capsules);
}
END_TEST

static int has_handler(const kc_module_t *module,
                       const kc_capsule_record_t *capsule)
{
    for (uint32_t i = 0; i < module->handler_count; i++) {
        const kc_handler_t *handler = module->handlers[i];
        if (handler->op == capsule->op && handler->device == capsule->device &&
            strcmp(handler->provider, capsule->provider) == 0) {
            return handler->forward != NULL;
        }
    }
    return 0;
}

START_TEST(handlers_are_where_they_are_promised)
{
    size_t count;
    size_t with_handler = 0;
    const kc_module_t *module = module_file_load(expectations[_i].module);
    const kc_capsule_record_t *capsules =
        read_capsules(expectations[_i].module, &count);
    for (size_t i = 0; i < count; i++) {
        int promised = !(capsules[i].flags & KC_CAPSULE_NO_HANDLER);
        ck_assert_msg(has_handler(module, &capsules[i]) == promised,
                      "%s: handler %s", capsules[i].name,
                      promised ? "missing" : "not declared");
        with_handler += (size_t)promised;
    }
    ck_assert_uint_eq(with_handler, module->handler_count);
    free((void *)capsules);
}
END_TEST

START_TEST(provenance_names_its_capsules)
{
    const expectation_t *e = &expectations[_i];
    module_note_t note = module_file_read_note(e->module, KC_NOTE_PROVENANCE);
    const kc_provenance_record_t *records = note.records;
    size_t count;
    const kc_capsule_record_t *capsules = read_capsules(e->module, &count);
    ck_assert_uint_eq(note.size_bytes, e->provenance_count * sizeof *records);
    for (size_t i = 0; i < e->provenance_count; i++) {
        int found = 0;
        CK_TEXT(records[i].capsule);
        CK_TEXT(records[i].path);
        CK_TEXT(records[i].symbol);
        CK_TEXT(records[i].build_target);
        for (size_t j = 0; j < count; j++) {
            found |= strcmp(records[i].capsule, capsules[j].name) == 0;
        }
        ck_assert_msg(found, "provenance of unknown %s", records[i].capsule);
    }
    free((void *)capsules);
    free(note.records);
}
END_TEST

START_TEST(libtorch_values_are_a_trusted_boundary)
{
    size_t count;
    const kc_capsule_record_t *c = read_capsules("libtorch", &count);
    const kc_capsule_record_t *last = &c[count - 1];
    ck_assert_int_eq(last->device, KC_DEVICE_CPU);
    ck_assert_str_eq(last->value.source, "LibTorch/CPU SDPA composition");
    ck_assert_int_eq(last->layout.mode, KC_LAYOUT_CANONICAL_TENSOR);
    ck_assert_int_eq(last->vjp_mode, KC_VJP_TORCHLEAN_TAPE);
    ck_assert_uint_eq(last->saved_inputs, 15);
    for (size_t i = 0; i < count; i++) {
        ck_assert_int_eq(c[i].trust, KC_TRUST_TRUSTED_EXTERNAL);
    }
    ck_assert_int_eq(c->trust, KC_TRUST_TRUSTED_EXTERNAL);
    ck_assert_int_eq(c->value.evidence, KC_EVIDENCE_TRUSTED_BOUNDARY);
    ck_assert_str_eq(c->value.source, "LibTorch/CUDA SDPA implementation");
    ck_assert_int_eq(c->layout.mode, KC_LAYOUT_LIBTORCH_CUDA_VIEW);
    free((void *)c);
}
END_TEST

TCase *tcase_contracts(void)
{
    TCase *tcase = tcase_create("contracts");
    tcase_add_loop_test(tcase, module_record, 0, MODULE_COUNT);
    tcase_add_loop_test(tcase, catalogue_order, 0, MODULE_COUNT);
    tcase_add_loop_test(tcase, each_contract_is_aligned, 0, MODULE_COUNT);
    tcase_add_loop_test(tcase, names_tell_provider_and_operation, 0,
                        MODULE_COUNT);
    tcase_add_loop_test(tcase, handlers_are_where_they_are_promised, 0,
                        MODULE_COUNT);
    tcase_add_loop_test(tcase, provenance_names_its_capsules, 0, MODULE_COUNT);
    tcase_add_test(tcase, libtorch_values_are_a_trusted_boundary);
    return tcase;
}
