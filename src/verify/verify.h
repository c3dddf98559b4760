/* verify.h -- checks certificates, without trusting who made them.
 *
 * Nothing here includes an engine, and nothing here searches: a certificate
 * says what to look at.  What is trusted is the history in memory, resolved
 * (history/resolve.h), and the definitions in doc/levels.md.
 *
 * SPDX-License-Identifier: MIT */
#ifndef VERIFY_VERIFY_H
#define VERIFY_VERIFY_H

#include "evidence/absence.h"
#include "evidence/certificate.h"

/* Check that c shows what it claims about h; if not, say what is wrong.  An
 * 'unknown' claims nothing and is fine.
 *
 *   time  ORDER: near O(n) at rc and ra, O(n k) at cc, for n operations and k
 *         sessions; FLAW and CYCLE: O(n) an edge at most */
bool verify_certificate(const struct history *h, const struct certificate *c,
                        struct err *err);

/* Check that nothing can be predicted from h, as a says; if not, say what is
 * wrong. */
bool verify_absence(const struct history *h, const struct absence *a,
                    struct err *err);

/* --- the parts, one file each --------------------------------------------- */

/* Where h->authors is not empty. */
bool verify_cases(const struct history *h, const struct certificate *c,
                  struct err *err);

/* A read that no level allows. */
bool verify_flaw(const struct history *h, const struct flaw *f,
                 struct err *err);

/* The same for a read of a list. */
bool verify_list_flaw(const struct history *h, const struct flaw *f,
                      struct err *err);

/* All lists that transactions which count have read are sound. */
bool verify_lists(const struct history *h, struct err *err);

/* A commit order at rc, ra or cc. */
bool verify_weak_order(const struct history *h, const struct certificate *c,
                       struct err *err);

/* A cycle at rc, ra or cc, under the n choices assumed. */
bool verify_weak_cycle(const struct history *h, enum level level,
                       const struct cycle *cycle, const struct choice *assumed,
                       size_t n, struct err *err);

/* An order of points at pc, si, ser and the strict levels; of transactions at
 * psi. */
bool verify_strong_order(const struct history *h, const struct certificate *c,
                         struct err *err);
bool verify_psi_order(const struct history *h, const struct certificate *c,
                      struct err *err);

/* A proof at any level. */
bool verify_proof(const struct history *h, enum level level,
                  const struct proof *proof, struct err *err);

#endif
