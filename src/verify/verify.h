/* verify.h -- checks certificates, without trusting who made them.
 *
 * Nothing here includes an engine, and nothing here searches: a certificate
 * says what to look at.  What is trusted is the resolved history in memory
 * (history/resolve.h) and the definitions in doc/levels.md, of which the table
 * in level/level.h is a copy.  doc/design/verify.md says why.
 *
 * SPDX-License-Identifier: MIT */
#ifndef VERIFY_VERIFY_H
#define VERIFY_VERIFY_H

#include "evidence/certificate.h"

/* Check that c shows what it claims about h; if not, report what is wrong.  An
 * 'unknown' claims nothing and passes.
 *
 *   time  ORDER: near O(n) at rc and ra, O(n k) at cc, for n operations and k
 *         sessions; FLAW and CYCLE: O(n) an edge at most */
bool verify_certificate(const struct history *h, const struct certificate *c,
                        struct err *err);

#endif
