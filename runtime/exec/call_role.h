/* SPDX-License-Identifier: Apache-2.0
 *
 * Why a kernel is called: what the record tells apart.
 */
#ifndef KC_EXEC_CALL_ROLE_H
#define KC_EXEC_CALL_ROLE_H

typedef enum kci_call_role {
    KCI_CALL_FORWARD,       /* an operation that was asked for              */
    KCI_CALL_INNER_FORWARD, /* one that a composed capsule is made of       */
    KCI_CALL_VJP,           /* a derivative rule: the capsule's own kernel,
                             * the runtime's, or a composed one as a whole  */
    KCI_CALL_INNER_VJP,     /* one that a composed rule is made of          */
    KCI_CALL_SUM            /* contributions to one cotangent, added        */
} kci_call_role_t;

#endif
