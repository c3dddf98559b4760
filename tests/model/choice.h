/* choice.h -- one choice of everything that a history leaves open, as the
 * oracle makes it step by step.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MODEL_CHOICE_H
#define MODEL_CHOICE_H

#include "oracle.h"

enum { CHOICE_READS = ORACLE_OPS };

/* What is tried at the moment.  Transactions are bits. */
struct choice_state {
    const struct view *v;
    enum level level;
    bool by_axiom;
    uint64_t counts;
    uint32_t reads[CHOICE_READS]; // of counting ones, lists first; view.reads
    uint32_t n_reads;
    uint32_t n_chosen;             // the first so many have a writer
    uint32_t writer[CHOICE_READS]; // a transaction or VIEW_INIT
    // later[k][t]: whose version of key k is known to follow that of t.
    uint64_t later[VIEW_KEYS][VIEW_TXNS];
    long steps; // left
};

static inline bool
choice_counts(const struct choice_state *c, uint32_t t)
{
    return c->counts >> t & 1;
}

static inline const struct view_read *
choice_read(const struct choice_state *c, uint32_t i)
{
    return &c->v->reads.at[c->reads[i]];
}

/* Close a relation given as rows of bits; false where it has a cycle. */
bool choice_close(uint32_t n, uint64_t rows[VIEW_TXNS]);

/* so, and wr as far as writers are chosen. */
void choice_so_wr(const struct choice_state *c, uint64_t rows[VIEW_TXNS]);

/* Try every way in which the lists can have grown: fill 'later' of lists and
 * the writers of their reads, and go on with 'then' until that is true. */
bool choice_lists(struct choice_state *c, bool (*then)(struct choice_state *));

/* Whether the level can hold with what is chosen so far; at rc, ra and cc,
 * and with everything chosen, whether it does. */
bool choice_weak(const struct choice_state *c);

/* Whether some order of the versions satisfies psi, with all writers chosen. */
bool choice_psi(struct choice_state *c);

/* Whether some total order satisfies the axiom, with all writers chosen. */
bool choice_axiom(struct choice_state *c);

#endif
