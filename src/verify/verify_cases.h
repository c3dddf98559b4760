/* verify_cases.h -- evidence where an element has several authors.
 *
 * SPDX-License-Identifier: MIT */
#ifndef VERIFY_VERIFY_CASES_H
#define VERIFY_VERIFY_CASES_H

#include "evidence/certificate.h"

/* Check a certificate about a history whose h->authors is not empty. */
bool verify_cases(const struct history *h, const struct certificate *c,
                  struct err *err);

#endif
