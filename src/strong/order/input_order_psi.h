/* input_order_psi.h -- tries an order, such as that of the input, for psi.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_ORDER_INPUT_ORDER_PSI_H
#define STRONG_ORDER_INPUT_ORDER_PSI_H

#include "strong/infer/inference.h"

/* Take the transactions in the given order, that of the input for example, and
 * fill the certificate if that satisfies psi.  False says only that it does
 * not.
 *
 *   time     O(operations), and O(operations * sessions) where reads are stale
 */
bool input_order_psi_try(const struct inference *f, const txn_id *order,
                         uint32_t n, struct certificate *out);

#endif
