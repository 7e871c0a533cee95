/* SPDX-License-Identifier: Apache-2.0
 *
 * A composition through the session: its operations in their order, each
 * with the capsule that the inner policy gives it. A value goes after its
 * last reader.
 */
#include "exec/session_state.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"
#include "exec/graph_values.h"

typedef struct term_value {
    const DLTensor *view; /* NULL until it exists */
    kc_tensor_t *owned;   /* NULL for an argument */
    size_t reader_count;  /* still to come; one asked for counts as one */
} term_value_t;

typedef struct composed_run {
    kc_session_t *session;
    const kci_composition_t *composition;
    const DLTensor *const *arguments;
    kci_call_reason_t reason;
    term_value_t *values; /* one a term */
} composed_run_t;

static void count_readers(composed_run_t *run, const kci_term_t *terms,
                          size_t term_count)
{
    const kci_composition_t *composition = run->composition;
    for (size_t i = 0; i < composition->operand_count; i++) {
        if (composition->operands[i] != KCI_NO_TERM) {
            run->values[composition->operands[i]].reader_count++;
        }
    }
    for (size_t i = 0; i < term_count; i++) {
        if (terms[i] != KCI_NO_TERM) {
            run->values[terms[i]].reader_count++;
        }
    }
}

static void release_value(term_value_t *value)
{
    kci_tensor_release(value->owned);
    value->owned = NULL;
    value->view = NULL;
}

/* Arguments are the caller's, literals are seen where they lie. */
static kc_status_t take_terms(composed_run_t *run, kc_error_t *error)
{
    const kci_composition_t *composition = run->composition;
    for (size_t i = 0; i < composition->term_count; i++) {
        const kci_term_info_t *term = &composition->terms[i];
        term_value_t *value = &run->values[i];
        if (term->source == KCI_TERM_ARGUMENT) {
            value->view = run->arguments[term->slot];
        }
        if (term->source == KCI_TERM_LITERAL && value->reader_count > 0) {
            KC_RETURN_IF_ERROR(
                kci_tensor_wrap(run->session->host->allocator, term->type.dtype,
                                term->type.shape.rank, term->type.shape.dims,
                                NULL, composition->literals[term->slot].bytes,
                                NULL, NULL, &value->owned, error));
            value->view = &value->owned->view;
        }
    }
    return KC_OK;
}

static void drop_reader(term_value_t *value)
{
    value->reader_count--;
    if (value->reader_count == 0) {
        release_value(value);
    }
}

static kc_status_t run_step(composed_run_t *run,
                            const kci_composition_step_t *step,
                            kc_error_t *error)
{
    const kci_term_t *terms = run->composition->operands + step->first_operand;
    const kci_tensor_type_t *type =
        kci_term_type(run->composition, step->result);
    term_value_t *result = &run->values[step->result];
    const DLTensor *operands[KC_MAX_INPUTS];
    if (step->operand_count > KC_MAX_INPUTS) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "%s: expected at most %d inputs, found %u",
                        kci_label(&kci_ops, step->op), KC_MAX_INPUTS,
                        (unsigned)step->operand_count);
    }
    for (uint32_t i = 0; i < step->operand_count; i++) {
        operands[i] =
            terms[i] == KCI_NO_TERM ? NULL : run->values[terms[i]].view;
    }
    KC_RETURN_IF_ERROR(kci_tensor_create(
        run->session->host->allocator, type->dtype, type->shape.rank,
        type->shape.dims, &result->owned, error));
    result->view = &result->owned->view;
    KC_RETURN_IF_ERROR(kci_session_call_inner(
        run->session, step->op,
        kci_composition_attributes(run->composition, step), operands,
        step->operand_count, &result->owned->view, &run->reason, error));
    for (uint32_t i = 0; i < step->operand_count; i++) {
        if (terms[i] != KCI_NO_TERM) {
            drop_reader(&run->values[terms[i]]);
        }
    }
    if (result->reader_count == 0) {
        release_value(result);
    }
    return KC_OK;
}

/* The last place that asks for a result takes it over, others get copies. */
static kc_status_t give_term(composed_run_t *run, kci_term_t term,
                             kc_tensor_t **out_tensor, kc_error_t *error)
{
    term_value_t *value = &run->values[term];
    bool is_result = run->composition->terms[term].source == KCI_TERM_STEP;
    if (is_result && value->reader_count == 1) {
        *out_tensor = value->owned;
        value->owned = NULL;
        return KC_OK;
    }
    value->reader_count--;
    return kci_copy_view(run->session->host->allocator, value->view, out_tensor,
                         error);
}

static kc_status_t run_all(composed_run_t *run, const kci_term_t *terms,
                           size_t term_count, kc_tensor_t **tensors,
                           kc_error_t *error)
{
    count_readers(run, terms, term_count);
    KC_RETURN_IF_ERROR(take_terms(run, error));
    for (size_t i = 0; i < run->composition->step_count; i++) {
        KC_RETURN_IF_ERROR(run_step(run, &run->composition->steps[i], error));
    }
    for (size_t i = 0; i < term_count; i++) {
        if (terms[i] != KCI_NO_TERM) {
            KC_RETURN_IF_ERROR(give_term(run, terms[i], &tensors[i], error));
        }
    }
    return KC_OK;
}

static void give_tensors(kc_status_t status, kc_tensor_t **tensors,
                         size_t count, kc_tensor_t **out_tensors)
{
    for (size_t i = 0; tensors != NULL && i < count; i++) {
        if (status == KC_OK) {
            out_tensors[i] = tensors[i];
        } else {
            kci_tensor_release(tensors[i]);
        }
    }
}

kc_status_t kci_session_run_composition(
    kc_session_t *session, const kci_composition_t *composition,
    const DLTensor *const *arguments, kci_call_role_t role,
    const kci_entry_t *served, const kci_term_t *terms, size_t term_count,
    kc_tensor_t **out_tensors, kc_error_t *error)
{
    composed_run_t run = {.session = session,
                          .composition = composition,
                          .arguments = arguments,
                          .reason = {role, served}};
    void *values = NULL;
    void *tensors = NULL;
    KC_RETURN_IF_ERROR(kci_composition_status(composition, error));
    KC_RETURN_IF_ERROR(kci_alloc_array(composition->term_count,
                                       sizeof(term_value_t), &values, error));
    run.values = values;
    kc_status_t status =
        kci_alloc_array(term_count, sizeof(kc_tensor_t *), &tensors, error);
    if (status == KC_OK) {
        status = run_all(&run, terms, term_count, tensors, error);
    }
    give_tensors(status, tensors, term_count, out_tensors);
    for (size_t i = 0; i < composition->term_count; i++) {
        kci_tensor_release(run.values[i].owned);
    }
    kci_free(values);
    kci_free(tensors);
    return status;
}
