/* certificate_read.h -- certificates from text; see certificate_write.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EVIDENCE_CERTIFICATE_READ_H
#define EVIDENCE_CERTIFICATE_READ_H

#include "evidence/certificate.h"

/* Read the len bytes at text as a certificate about h.  Text that
 * certificate_write would not produce is an error, with its line; so is a
 * certificate about another history.
 *
 *   ensure  true: every id in out is in its range; out is the caller's to
 *           free.  false: out is empty */
bool certificate_read(const struct history *h, const char *text, size_t len,
                      struct certificate *out, struct err *err);

#endif
