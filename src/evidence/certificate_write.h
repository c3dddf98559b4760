/* certificate_write.h -- certificates as text.
 *
 * The first lines say what the rest is about:
 *
 *     assay-certificate 1
 *     history <fingerprint>
 *     level <name>
 *     verdict ok|violated|unknown
 *     evidence none|order|flaw|cycle|proof
 *
 * and then one line per item, and 'end'.  Transactions and operations are
 * numbered as they are in memory, which is determined by the history's file;
 * '-' stands for none and 'init' for the initial transaction.
 * doc/certificates.md describes all items.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EVIDENCE_CERTIFICATE_WRITE_H
#define EVIDENCE_CERTIFICATE_WRITE_H

#include "base/buf.h"
#include "evidence/certificate.h"

/* A hash that identifies a history: of sessions, transactions, statuses,
 * operations, and the names of keys and values. */
uint64_t certificate_fingerprint(const struct history *h);

/* Append c, a certificate about h. */
void certificate_write(const struct history *h, const struct certificate *c,
                       struct buf *out);

#endif
