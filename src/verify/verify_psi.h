/* verify_psi.h -- an order of transactions at psi.
 *
 * SPDX-License-Identifier: MIT */
#ifndef VERIFY_VERIFY_PSI_H
#define VERIFY_VERIFY_PSI_H

#include "evidence/certificate.h"

/* Check that the order of c satisfies parallel snapshot isolation. */
bool verify_psi_order(const struct history *h, const struct certificate *c,
                      struct err *err);

#endif
