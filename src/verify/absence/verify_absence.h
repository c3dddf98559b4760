/* verify_absence.h -- evidence that nothing can be predicted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef VERIFY_ABSENCE_VERIFY_ABSENCE_H
#define VERIFY_ABSENCE_VERIFY_ABSENCE_H

#include "evidence/absence.h"

/* Check that nothing can be predicted from h, as a says; if not, report what is
 * wrong. */
bool verify_absence(const struct history *h, const struct absence *a,
                    struct err *err);

#endif
