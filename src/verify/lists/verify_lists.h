/* verify_lists.h -- whether the lists that were read agree.
 *
 * SPDX-License-Identifier: MIT */
#ifndef VERIFY_LISTS_VERIFY_LISTS_H
#define VERIFY_LISTS_VERIFY_LISTS_H

#include "evidence/certificate.h"

/* Check that all lists which counting transactions have read are sound. */
bool verify_lists(const struct history *h, struct err *err);

#endif
