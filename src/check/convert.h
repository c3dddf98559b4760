/* convert.h -- evidence at one level, made into evidence at another.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CHECK_CONVERT_H
#define CHECK_CONVERT_H

#include "evidence/certificate.h"

/* Make *out a certificate about 'to' with the verdict of c, which is about a
 * level that decides 'to'.  False where that is not known to be possible; then
 * *out is empty. */
bool convert_certificate(const struct history *h, const struct certificate *c,
                         enum level to, struct certificate *out);

#endif
