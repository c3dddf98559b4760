/* recorded_psi.h -- tries the order of the input as an order for psi.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_ORDER_RECORDED_PSI_H
#define STRONG_ORDER_RECORDED_PSI_H

#include "strong/infer/inference.h"

/* Take the transactions in the order of the input, and fill the certificate if
 * that satisfies psi.  False says only that it does not.
 *
 *   time     O(operations), and O(operations * sessions) where reads are stale
 */
bool recorded_psi_try(const struct inference *f, struct certificate *out);

#endif
