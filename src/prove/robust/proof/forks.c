/* forks.c -- see forks.h.
 *
 * Where all functions run at psi or si, wr and ww edges, and those between
 * paired functions, lead from what is seen to who sees it.  A cycle of
 * dependencies either has two rw edges in a row, or it does not.
 *
 * If every cycle does, then the same transactions can run at si and see the
 * same (Cerone and Gotsman, Analysing Snapshot Isolation, 2016), and a proof at
 * si is enough.
 *
 * Of a cycle that does not, every rw edge from a to b comes behind an edge from
 * some x, which a sees.  If x always commits before b, all edges lead forward
 * in the order of commits, and there is no cycle.  So it is enough that no
 * three members are a fork: b commits before x, and a sees x, but not b.
 *
 * Conflicts have to be mutual for this: that of a lock with a later write is
 * not.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/proof/forks.h"

/* Whether one of two that conflict may run unseen by the other, where it
 * commits first: a lock, a row that ON CONFLICT meets, and one that is inserted
 * and deleted again. */
static bool
is_one_sided(const struct program *p, const struct block *b, bool *inserts,
             bool *deletes)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const struct statement *s = b->at[i];
        if (s->query && s->query->lock)
            return true;
        if (s->kind == STATEMENT_INSERT && s->on_conflict != CONFLICT_ABORTS)
            return true;
        if (s->kind == STATEMENT_INSERT || s->kind == STATEMENT_DELETE) {
            assert(s->table < p->tables.n);
            (s->kind == STATEMENT_INSERT ? inserts : deletes)[s->table] = true;
            if (inserts[s->table] && deletes[s->table])
                return true;
        }
        if (is_one_sided(p, &s->body, inserts, deletes) ||
            is_one_sided(p, &s->other, inserts, deletes))
            return true;
    }
    return false;
}

/* Whether the levels and the statements are such that forks are all. */
static bool
can_follow(const struct path_prover *v)
{
    const struct program *p = v->program;
    bool can = !v->isolation->own;
    for (uint32_t i = 0; can && i < v->n; i++) {
        const enum level level = isolation_of(v->isolation, i);
        bool *inserts = mem_calloc(p->tables.n + 1, sizeof *inserts);
        bool *deletes = mem_calloc(p->tables.n + 1, sizeof *deletes);
        can = level_keeps_updates(level) && !level_is_serial(level) &&
              !is_one_sided(p, &p->functions.at[i]->body, inserts, deletes);
        mem_free(inserts);
        mem_free(deletes);
    }
    return can;
}

static bool
has_fork(struct path_prover *v)
{
    for (uint32_t a = 0; a < v->n; a++)
        for (uint32_t b = 0; b < v->n; b++)
            for (uint32_t x = 0; v->back[a * v->n + b] && x < v->n; x++) {
                const uint32_t fork[] = {x, a, b};
                if (path_can_be(v, fork, 3, ASKED_FORK))
                    return true;
            }
    return false;
}

static bool
is_proved_at_si(struct path_prover *v)
{
    const struct level_choice si = {.common = LEVEL_SI,
                                    .pairs = v->isolation->pairs,
                                    .functions = v->isolation->functions};
    struct robust_proof proof;
    if (!proof_try(v->program, &si, v->limits, &proof, v->err)) {
        v->failed = true;
        return false;
    }
    v->out->queries += proof.queries;
    return proof.end == PROOF_DONE;
}

bool
forks_prove(struct path_prover *v)
{
    struct proof_log *log = v->limits->log;
    const size_t kept = log ? log->queries.n : 0;
    if (can_follow(v) && !has_fork(v) && is_proved_at_si(v))
        return true;
    if (log)
        proof_log_cut(log, kept);
    return false;
}
