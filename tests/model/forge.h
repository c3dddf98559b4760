/* forge.h -- makes up evidence for what is not so.
 *
 * The forger knows every kind of evidence and lies as well as it can: most of
 * what a forgery says is true or close to it.  Whoever believes it, believes a
 * wrong verdict, and that is a bug in verify.  A forgery whose verdict happens
 * to be right is no bug, whatever its evidence.
 *
 * All certificates go through their text, as they would from a file.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MODEL_FORGE_H
#define MODEL_FORGE_H

#include "oracle.h"

#include "base/random.h"
#include "evidence/proof.h"

enum { EVIDENCE_ROOM = 8 }; // kinds of evidence, at most

struct forger {
    struct history h;
    enum oracle_answer truth[LEVELS];
    struct random random;
    uint64_t tried[EVIDENCE_ROOM]; // forgeries, by kind of evidence
    uint64_t steps;                // of proofs that were accepted
    struct buf lie; // the first certificate that was believed and is wrong
};

/* What verify says of a certificate. */
enum belief {
    REFUSED,
    INCOMPLETE, // a proof whose steps are right and prove nothing
    BELIEVED,
};

/* Ask the oracle about r, for all levels that apply, and get ready. */
void forger_init(struct forger *f, const struct record *r, uint64_t seed);
void forger_free(struct forger *f);

/* Show a certificate to verify.  Notes it where it is believed and wrong. */
enum belief forger_show(struct forger *f, const struct certificate *c);

/* --- the forgeries, one file each ------------------------------------------*/

/* An order of transactions, or of points, for a level that is violated. */
void forge_orders(struct forger *f, enum level l);

/* Reads that are said to be inconsistent, for a level that holds. */
void forge_flaws(struct forger *f, enum level l);

/* Cycles at rc, ra and cc, and proofs of them, for a level that holds. */
void forge_cycles(struct forger *f, enum level l);

/* Proofs at the other levels, for one that holds. */
void forge_proofs(struct forger *f, enum level l);

/* Trees of cases whose leaves are true, for a level that holds. */
void forge_cases(struct forger *f, enum level l);

/* The text of a true certificate of this history, or of one much like it, as it
 * is and damaged, for every level with the verdict that is wrong there. */
void forge_from(struct forger *f, const char *text);

/* --- what they share -------------------------------------------------------*/

uint32_t forge_below(struct forger *f, uint32_t n);
bool forge_percent(struct forger *f, uint32_t p);
txn_id forge_txn(struct forger *f); // any
op_id forge_op(struct forger *f);   // any; ID_NONE where there is none
txn_id forge_owner(const struct forger *f, op_id op);

/* A read of t, or ID_NONE; if possible one of what w wrote. */
op_id forge_read(struct forger *f, txn_id t, txn_id w);

/* Whether t writes key k, with any value (ID_NONE) or with v. */
bool forge_writes(const struct forger *f, txn_id t, key_id k, value_id v);

/* Append an id as certificates have it. */
void forge_put_id(struct buf *out, uint32_t id);

/* A proof that grows by steps that verify accepts. */
struct forged_proof {
    enum level level;
    struct buf steps; // as text
    uint32_t n;
};

/* Add a step, a line or more of text, where verify accepts it. */
bool forge_step(struct forger *f, struct forged_proof *p, const char *text);

/* Add that each read with several candidates read from one of them, and that
 * whoever was read from counts. */
void forge_choices(struct forger *f, struct forged_proof *p);

/* Add whatever units follow by propagation, for these facts as text. */
void forge_units(struct forger *f, struct forged_proof *p,
                 const char *const *facts, size_t n);

#endif
