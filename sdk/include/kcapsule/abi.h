/* SPDX-License-Identifier: Apache-2.0
 *
 * The version of the binary interface between host and module, and the few
 * macros every other SDK header needs. A module states these numbers; only
 * the host compares them.
 */
#ifndef KCAPSULE_ABI_H
#define KCAPSULE_ABI_H

#include <stddef.h>
#include <stdint.h>

/* Major: equal on both sides or the module is refused. Minor: a smaller one
 * on the module's side means that the fields added since are absent. */
#define KC_ABI_MAJOR 1
#define KC_ABI_MINOR 0

/* Highest rank of a tensor anywhere in the interface. */
#define KC_MAX_RANK 16
/* Most operands of one call. Only concat takes more than eight. */
#define KC_MAX_INPUTS 64
#define KC_MAX_OUTPUTS 4

#ifdef __cplusplus
#define KC_BEGIN_DECLS extern "C" {
#define KC_END_DECLS }
#define KC_STATIC_ASSERT(condition, message) static_assert(condition, message)
#else
#define KC_BEGIN_DECLS
#define KC_END_DECLS
#define KC_STATIC_ASSERT(condition, message) _Static_assert(condition, message)
#endif

#if defined(__GNUC__)
#define KC_MUST_USE __attribute__((warn_unused_result))
#define KC_EXPORT __attribute__((visibility("default")))
#define KC_PRINTF(format_index, first_index)                                   \
    __attribute__((format(printf, format_index, first_index)))
#else
#define KC_MUST_USE
#define KC_EXPORT
#define KC_PRINTF(format_index, first_index)
#endif

/*
 * Every struct that crosses begins with `uint32_t struct_size`, set by the
 * side that fills it, and grows only at its end. A reader asks with this
 * macro before it touches a field that was not in version 1.0.
 */
#define KC_HAS_FIELD(pointer, type, field)                                     \
    ((pointer)->struct_size >=                                                 \
     offsetof(type, field) + sizeof(((type *)0)->field))

#endif
