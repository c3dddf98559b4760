/* case_near.h -- which open authors evidence may depend on.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CHECK_CASE_NEAR_H
#define CHECK_CASE_NEAR_H

#include "evidence/certificate.h"

/* Set near[i] for the rows of h->authors that c, evidence about 'copy' with all
 * authors decided, seems to depend on.  This is a guess, for finding a small
 * set of them sooner. */
void case_near(const struct history *h, const struct history *copy,
               const struct certificate *c, uint8_t *near);

#endif
