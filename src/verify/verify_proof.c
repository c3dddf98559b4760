/* verify_proof.c -- checks a proof: clauses and unit propagation.
 *
 * Every step becomes a clause.  Those about the history are checked
 * against it; those that claim to follow from the clauses before are checked by
 * assuming the opposite and propagating units until a contradiction.  The proof
 * is valid when the clauses contradict each other.
 *
 * Propagation is the plain kind: when a literal becomes false, every clause
 * that contains it is looked at.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/verify_proof.h"

#include "verify/strong_cycle.h"
#include "verify/verify_cycle.h"

struct clause {
    size_t first, n; // of 'lits'
};

struct checker {
    const struct history *h;
    const struct proof *proof;
    struct strong_cycle cycles;
    txn_id *op_txn; // by operation; made when first needed
    VEC(struct clause) clauses;
    u32_vec lits;
    VEC(u32_vec) where; // by literal: the clauses that contain it
    VEC(int8_t) value;  // by literal: 1, -1, 0
    u32_vec trail;      // true literals, in order of assignment
    size_t head;        // propagated so far
    bool contradiction;
    u32_vec scratch;
    struct err *err;
};

static bool
wrong(struct checker *c, size_t step, const char *what)
{
    return err_set(c->err, ERR_SYNTAX, "step %zu of the proof %s", step + 1,
                   what);
}

/* --- propagation -------------------------------------------------------------
 */

static void
know_literals(struct checker *c)
{
    while (c->value.n < 2 * c->cycles.facts->facts.n) {
        vec_push(&c->value, 0);
        vec_push(&c->where, ((u32_vec){0}));
    }
}

static void
make_true(struct checker *c, uint32_t l)
{
    assert(!c->value.at[l] && !c->value.at[l ^ 1]);
    c->value.at[l] = 1;
    c->value.at[l ^ 1] = -1;
    vec_push(&c->trail, l);
}

/* Look at a clause: false if all its literals are false; a single open one
 * becomes true. */
static bool
look_at(struct checker *c, struct clause clause)
{
    uint32_t open = UINT32_MAX;
    assert(clause.first + clause.n <= c->lits.n);
    for (size_t i = 0; i < clause.n; i++) {
        const uint32_t l = c->lits.at[clause.first + i];
        if (c->value.at[l] > 0)
            return true;
        if (c->value.at[l] == 0) {
            if (open != UINT32_MAX && open != l)
                return true;
            open = l;
        }
    }
    if (open == UINT32_MAX)
        return false;
    make_true(c, open);
    return true;
}

/* Propagate; false on a contradiction. */
static bool
propagate(struct checker *c)
{
    for (; c->head < c->trail.n; c->head++) {
        const u32_vec *in = &c->where.at[c->trail.at[c->head] ^ 1];
        for (size_t i = 0; i < in->n; i++)
            if (!look_at(c, c->clauses.at[in->at[i]]))
                return false;
    }
    return true;
}

/* Add the literals in scratch as a clause that holds. */
static void
add_clause(struct checker *c)
{
    know_literals(c);
    const struct clause clause = {c->lits.n, c->scratch.n};
    assert(!c->contradiction && c->value.n == c->where.n);
    const uint32_t number = capacity_index(CAPACITY_CLAUSES, c->clauses.n);
    for (size_t i = 0; i < c->scratch.n; i++) {
        const uint32_t l = c->scratch.at[i];
        vec_push(&c->lits, l);
        vec_push(&c->where.at[l], number);
    }
    vec_push(&c->clauses, clause);
    c->contradiction |= !look_at(c, clause) || !propagate(c);
}

/* Whether the clause in scratch follows: its negation is contradictory. */
static bool
follows(struct checker *c)
{
    know_literals(c);
    const size_t keep = c->trail.n;
    assert(c->head == keep && !c->contradiction);
    bool consistent = true;
    for (size_t i = 0; consistent && i < c->scratch.n; i++) {
        const uint32_t not_l = c->scratch.at[i] ^ 1;
        if (c->value.at[not_l] < 0)
            consistent = false;
        else if (!c->value.at[not_l])
            make_true(c, not_l);
    }
    consistent = consistent && propagate(c);
    while (c->trail.n > keep) {
        const uint32_t l = vec_pop(&c->trail);
        c->value.at[l] = c->value.at[l ^ 1] = 0;
    }
    c->head = keep;
    return !consistent;
}

/* --- steps ---------------------------------------------------------------- */

static txn_id
txn_of(struct checker *c, op_id op)
{
    const struct history *h = c->h;
    if (op >= h->n_ops)
        return TXN_NONE;
    if (!c->op_txn) {
        c->op_txn = mem_alloc(h->n_ops, sizeof *c->op_txn);
        memset(c->op_txn, 0xff, h->n_ops * sizeof *c->op_txn);
        for (txn_id t = 0; t < h->n_txns; t++)
            for (op_id i = h->txn_begin[t];
                 h->txn_counts[t] && i < h->txn_end[t]; i++)
                c->op_txn[i] = t;
    }
    assert(c->op_txn[op] == TXN_NONE || c->op_txn[op] < h->n_txns);
    return c->op_txn[op];
}

static bool
take_choices(struct checker *c, size_t i)
{
    const struct history *h = c->h;
    const op_id read = c->proof->steps.at[i].read;
    const txn_id t = txn_of(c, read);
    if (t == TXN_NONE || !op_is_external_read(h, read))
        return wrong(c, i, "names a read that has no choice");
    const bool several = history_has_several(h, h->op_value[read]);
    const bool may_count = h->txn_counts[t] == TXN_MAY_COUNT;
    if (!several && !may_count)
        return wrong(c, i, "names a read that has no choice");
    const txn_id only = history_writer(h, h->op_value[read]);
    const struct txn_range all = several
                                     ? history_candidates(h, h->op_value[read])
                                     : (struct txn_range){&only, 1};
    for (size_t j = 0; j < all.n; j++)
        if (all.at[j] != t)
            vec_push(&c->scratch,
                     proof_choice(c->cycles.facts, read, all.at[j]));
    if (may_count)
        vec_push(&c->scratch, proof_not(proof_counts(c->cycles.facts, t)));
    return true;
}

/* A writer that was read from counts. */
static bool
take_counts(struct checker *c, size_t i)
{
    const struct proof_step *s = &c->proof->steps.at[i];
    if (txn_of(c, s->read) == TXN_NONE || s->writer >= c->h->n_txns)
        return wrong(c, i, "names no read, or no transaction");
    vec_push(&c->scratch,
             proof_not(proof_choice(c->cycles.facts, s->read, s->writer)));
    vec_push(&c->scratch, proof_counts(c->cycles.facts, s->writer));
    return true;
}

static bool
take_ahead(struct checker *c, size_t i)
{
    const struct proof_step *s = &c->proof->steps.at[i];
    const txn_id t = txn_of(c, s->read);
    if (t == TXN_NONE || level_table[c->cycles.level].one_rw ||
        s->other >= c->h->n_txns || !c->h->txn_counts[s->other] ||
        !strong_cycle_add_overwrite(&c->cycles, t, s->read, s->writer, s->other,
                                    &c->scratch))
        return wrong(
            c, i, "names a transaction that does not overwrite what was read");
    vec_push(&c->scratch, proof_ahead(c->cycles.facts, t, s->other));
    return true;
}

/* Add a literal of the proof to the clause, with a number of our own. */
static bool
take_literal(struct checker *c, proof_lit l)
{
    if (l / 2 >= c->proof->facts.n)
        return false;
    const struct fact f = c->proof->facts.at[l / 2];
    assert(c->cycles.facts != c->proof); // numbers of our own
    proof_lit own;
    if (f.kind == FACT_CHOICE)
        own = proof_choice(c->cycles.facts, f.a, f.b);
    else if (f.kind == FACT_COUNTS)
        own = proof_counts(c->cycles.facts, f.a);
    else if (f.a == f.b)
        return false;
    else if (f.kind == FACT_BEFORE)
        own = proof_before(c->cycles.facts, f.a, f.b);
    else
        own = proof_ahead(c->cycles.facts, f.a, f.b);
    vec_push(&c->scratch, own ^ (l & 1));
    return true;
}

static bool
take_literals(struct checker *c, size_t i)
{
    const struct proof_step *s = &c->proof->steps.at[i];
    if (s->first > c->proof->lits.n || s->n > c->proof->lits.n - s->first)
        return wrong(c, i, "has no literals");
    for (uint32_t j = 0; j < s->n; j++)
        if (!take_literal(c, c->proof->lits.at[s->first + j]))
            return wrong(c, i, "has a literal without a fact");
    return true;
}

static bool
take_weak_cycle(struct checker *c, size_t i)
{
    const struct proof_step *s = &c->proof->steps.at[i];
    if (!take_literals(c, i))
        return false;
    if (s->cycle >= c->proof->cycles.n)
        return wrong(c, i, "has no cycle");
    VEC(struct choice) assumed = {0};
    bool ok = true;
    for (size_t j = 0; j < c->scratch.n; j++) {
        const struct fact f = c->cycles.facts->facts.at[c->scratch.at[j] / 2];
        ok &= f.kind == FACT_CHOICE && c->scratch.at[j] % 2;
        vec_push(&assumed, ((struct choice){f.a, f.b}));
    }
    if (!ok)
        wrong(c, i, "rests on more than choices");
    else
        ok = verify_weak_cycle(c->h, c->cycles.level,
                               &c->proof->cycles.at[s->cycle], assumed.at,
                               assumed.n, c->err);
    vec_free(&assumed);
    return ok;
}

static bool
take_cycle(struct checker *c, size_t i)
{
    const struct proof_step *s = &c->proof->steps.at[i];
    if (s->first > c->proof->edges.n || s->n > c->proof->edges.n - s->first)
        return wrong(c, i, "has no edges");
    return strong_cycle_check(&c->cycles, c->proof->edges.at + s->first, s->n,
                              &c->scratch, c->err);
}

static bool
check_step(struct checker *c, size_t i)
{
    const bool weak = !level_is_strong(c->cycles.level);
    vec_clear(&c->scratch);
    switch (c->proof->steps.at[i].kind) {
    case STEP_CHOICES:
        return take_choices(c, i);
    case STEP_COUNTS:
        return take_counts(c, i);
    case STEP_AHEAD:
        return weak ? wrong(c, i, "is not for this level") : take_ahead(c, i);
    case STEP_CYCLE:
        return weak ? wrong(c, i, "is not for this level") : take_cycle(c, i);
    case STEP_WEAK_CYCLE:
        return weak ? take_weak_cycle(c, i)
                    : wrong(c, i, "is not for this level");
    case STEP_LEARNT:
        return take_literals(c, i) &&
               (follows(c) || wrong(c, i, "does not follow from those before"));
    }
    return wrong(c, i, "has an unknown kind");
}

bool
verify_proof(const struct history *h, enum level level,
             const struct proof *proof, struct err *err)
{
    struct checker c = {.h = h, .proof = proof, .err = err};
    c.cycles = (struct strong_cycle){.h = h, .level = level};
    assert(!level_is_orderless(level) && h->txn_counts);
    c.cycles.facts = proof_new();
    verify_list_order_init(&c.cycles.lists, h);
    bool ok = true;
    for (size_t i = 0; ok && !c.contradiction && i < proof->steps.n; i++) {
        ok = check_step(&c, i);
        if (ok)
            add_clause(&c);
    }
    if (ok && !c.contradiction)
        ok = err_set(err, ERR_SYNTAX,
                     "the steps of the proof do not contradict each other");
    assert(!ok || c.contradiction);
    assert(ok || err->kind != ERR_NONE);
    verify_list_order_free(&c.cycles.lists);
    proof_free(c.cycles.facts);
    mem_free(c.op_txn);
    vec_free(&c.clauses);
    vec_free(&c.lits);
    for (size_t i = 0; i < c.where.n; i++)
        vec_free(&c.where.at[i]);
    vec_free(&c.where);
    vec_free(&c.value);
    vec_free(&c.trail);
    vec_free(&c.scratch);
    return ok;
}
