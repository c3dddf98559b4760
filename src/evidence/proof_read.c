/* proof_read.c -- see proof_read.h.
 *
 * SPDX-License-Identifier: MIT */
#include "evidence/proof_read.h"

#include "evidence/certificate_names.h"
#include "evidence/cycle_read.h"

static bool
take_fact(struct lexer *l, const char *prefix, enum fact_kind *kind)
{
    for (size_t i = 0; i < LENGTH(fact_names); i++) {
        char word[32];
        const size_t n = strlen(prefix), m = strlen(fact_names[i]);
        memcpy(word, prefix, n);
        memcpy(word + n, fact_names[i], m + 1);
        if (lexer_take(l, word)) {
            *kind = (enum fact_kind)i;
            return true;
        }
    }
    return false;
}

/* The ids of a fact, and the literal that states it. */
static bool
take_ids(struct lexer *l, struct proof *p, enum fact_kind kind, proof_lit *out)
{
    uint32_t a, b;
    const bool is_choice = kind == FACT_CHOICE;
    if (!(is_choice ? lexer_take_op(l, 0, &a) : lexer_take_txn(l, 0, &a)))
        return false;
    if (kind == FACT_COUNTS) {
        *out = proof_counts(p, a);
        return true;
    }
    if (!lexer_take_txn(l, is_choice ? MAY_BE_INIT : 0, &b) ||
        (kind == FACT_BEFORE && a >= b))
        return false;
    *out = kind == FACT_BEFORE ? proof_before(p, a, b)
           : is_choice         ? proof_choice(p, a, b)
                               : proof_ahead(p, a, b);
    return true;
}

/* Literals up to the end of the line. */
static bool
read_lits(struct lexer *l, struct proof *p)
{
    while (!lexer_at_end(l)) {
        enum fact_kind kind;
        proof_lit fact;
        const bool negated = take_fact(l, "not-", &kind);
        if (!negated && !take_fact(l, "", &kind))
            return lexer_expected(l, "a literal");
        if (!take_ids(l, p, kind, &fact))
            return lexer_expected(l, "the ids of a fact");
        vec_push(&p->lits, negated ? proof_not(fact) : fact);
    }
    return true;
}

static bool
read_link(struct lexer *l, struct proof *p)
{
    struct proof_edge e;
    size_t kind;
    if (!lexer_next_line(l))
        return false;
    if (!lexer_take(l, "link") ||
        !lexer_take_name(l, edge_names, LENGTH(edge_names), &kind) ||
        !lexer_take_txn(l, MAY_BE_INIT, &e.from) ||
        !lexer_take_txn(l, 0, &e.to) ||
        !lexer_take_op(l, MAY_BE_NONE, &e.read) ||
        !lexer_take_txn(l, MAY_BE_NONE | MAY_BE_INIT, &e.writer) ||
        !lexer_at_end(l))
        return lexer_expected(l, "a link of the cycle");
    e.kind = (enum edge_kind)kind;
    vec_push(&p->edges, e);
    return true;
}

static bool
read_strong_cycle(struct lexer *l, struct proof *p)
{
    const size_t first = p->edges.n;
    uint64_t n = 0;
    if (!lexer_take_number(l, &n) || !lexer_at_end(l))
        return lexer_expected(l, "the length of a cycle");
    for (uint64_t i = 0; i < n; i++)
        if (!read_link(l, p))
            return false;
    proof_add_cycle(p, first);
    return true;
}

static bool
read_weak_cycle(struct lexer *l, struct proof *p)
{
    const size_t first = p->lits.n;
    uint64_t n = 0;
    if (!lexer_take_number(l, &n))
        return lexer_expected(l, "the length of a cycle");
    if (!read_lits(l, p))
        return false;
    vec_push(&p->cycles, ((struct cycle){0}));
    proof_add_weak_cycle(p, first, (uint32_t)p->cycles.n - 1);
    return cycle_read_edges(l, n, &vec_top(&p->cycles));
}

static bool
read_step(struct lexer *l, struct proof *p)
{
    op_id read;
    txn_id writer, other;
    if (!lexer_next_line(l))
        return false;
    if (lexer_take(l, "choices")) {
        if (!lexer_take_op(l, 0, &read) || !lexer_at_end(l))
            return lexer_expected(l, "a read");
        proof_add_choices(p, read);
        return true;
    }
    if (lexer_take(l, "counts")) {
        if (!lexer_take_op(l, 0, &read) || !lexer_take_txn(l, 0, &writer) ||
            !lexer_at_end(l))
            return lexer_expected(l, "a read and a transaction");
        proof_add_counts(p, read, writer);
        return true;
    }
    if (lexer_take(l, "ahead")) {
        if (!lexer_take_op(l, 0, &read) ||
            !lexer_take_txn(l, MAY_BE_INIT, &writer) ||
            !lexer_take_txn(l, 0, &other) || !lexer_at_end(l))
            return lexer_expected(l, "a read and two transactions");
        proof_add_ahead(p, read, writer, other);
        return true;
    }
    if (lexer_take(l, "cycle"))
        return read_strong_cycle(l, p);
    if (lexer_take(l, "weak-cycle"))
        return read_weak_cycle(l, p);
    if (lexer_take(l, "learnt")) {
        const size_t first = p->lits.n;
        if (!read_lits(l, p))
            return false;
        proof_add_learnt(p, first);
        return true;
    }
    return lexer_expected(l, "a step of the proof");
}

bool
proof_read(struct lexer *l, struct proof *p)
{
    uint64_t n = 0;
    if (!lexer_read_count(l, "steps", &n))
        return false;
    for (uint64_t i = 0; i < n; i++)
        if (!read_step(l, p))
            return false;
    return true;
}
