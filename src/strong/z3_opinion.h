/* z3_opinion.h -- another solver's verdict, for differential tests.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_Z3_OPINION_H
#define STRONG_Z3_OPINION_H

#include "evidence/certificate.h"

/* Ask Z3 whether h satisfies l: pc, si, ser, strict-si or strict-ser.  The
 * verdict comes without evidence.  Quadratic in the writers of a key: for
 * histories of tens of transactions.  After that many seconds, unless it is 0,
 * the verdict is unknown.
 *
 *   error  ERR_FEATURE where this build has no Z3, or l is psi */
bool z3_opinion(const struct history *h, enum level l, double seconds,
                enum verdict *out, struct err *err);

#endif
