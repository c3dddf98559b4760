/* clause.c -- see clause.h.
 *
 * Learnt clauses are ranked by glue: the number of decision levels among
 * their literals when they were learnt (Audemard and Simon, "Predicting learnt
 * clauses quality in modern SAT solvers", IJCAI 2009).  Those with glue at most
 * 2 are kept for good.  Of the rest the worse half goes at each reduction,
 * except the reasons of current assignments.  The array of words is compacted
 * then, so references change and the watches are built again.
 *
 * SPDX-License-Identifier: MIT */
#include "sat/clause.h"

#include <stdlib.h>

enum { GLUE_KEPT = 2 };

static void
watch_clause(struct sat *s, clause_ref c)
{
    const uint32_t *lits = clause_lits(s, c);
    assert(clause_size(s, c) >= 2);
    vec_push(&s->watches.at[lits[0]], ((struct watch){c, lits[1]}));
    vec_push(&s->watches.at[lits[1]], ((struct watch){c, lits[0]}));
}

clause_ref
sat_clause_add(struct sat *s, const lit *lits, size_t n, uint32_t id,
               bool learnt, uint32_t glue)
{
    assert(n >= 2);
    capacity_want(CAPACITY_CLAUSE_WORDS, s->words.n + CLAUSE_HEADER + n);
    const clause_ref c = (clause_ref)s->words.n;
    vec_push(&s->words, (uint32_t)n);
    if (glue > CLAUSE_GLUE)
        glue = CLAUSE_GLUE;
    vec_push(&s->words, glue | (learnt ? CLAUSE_LEARNT : 0));
    vec_push(&s->words, id);
    for (size_t i = 0; i < n; i++)
        vec_push(&s->words, lits[i]);
    if (learnt)
        vec_push(&s->learnt, c);
    watch_clause(s, c);
    return c;
}

/* Exchange two literals of c, one of them watched and the other not. */
static void
watch_instead(struct sat *s, clause_ref c, uint32_t watched, uint32_t other)
{
    uint32_t *lits = clause_lits(s, c);
    watch_vec *ws = &s->watches.at[lits[watched]];
    size_t i = 0;
    assert(watched < 2 && other >= 2 && other < clause_size(s, c));
    while (ws->at[i].ref != c) {
        i++;
        assert(i < ws->n); // (S1)
    }
    vec_push(&s->watches.at[lits[other]], ws->at[i]);
    ws->at[i] = vec_top(ws);
    ws->n--;
    const lit swap = lits[watched];
    lits[watched] = lits[other];
    lits[other] = swap;
}

void
sat_clause_watch_latest(struct sat *s, clause_ref c)
{
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t *lits = clause_lits(s, c);
        uint32_t latest = i;
        for (uint32_t j = 2; j < clause_size(s, c); j++)
            if (s->vars.at[lit_var(lits[j])].level >
                s->vars.at[lit_var(lits[latest])].level)
                latest = j;
        if (latest != i)
            watch_instead(s, c, i, latest);
    }
}

/* Sort key: worst first, that is large glue, then long. */
struct ranked {
    uint32_t glue, size;
    clause_ref ref;
};

static int
compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->glue != y->glue)
        return x->glue < y->glue ? 1 : -1;
    if (x->size != y->size)
        return x->size < y->size ? 1 : -1;
    return x->ref < y->ref ? -1 : x->ref > y->ref;
}

static bool
is_reason(struct sat *s, clause_ref c)
{
    const lit first = clause_lits(s, c)[0];
    return s->value.at[first] > 0 && s->vars.at[lit_var(first)].reason == c;
}

static void
mark_dead(struct sat *s)
{
    VEC(struct ranked) ranked = {0};
    for (size_t i = 0; i < s->learnt.n; i++) {
        const clause_ref c = s->learnt.at[i];
        const uint32_t glue = s->words.at[c + 1] & CLAUSE_GLUE;
        if (glue > GLUE_KEPT && !is_reason(s, c))
            vec_push(&ranked, ((struct ranked){glue, clause_size(s, c), c}));
    }
    if (ranked.n)
        qsort(ranked.at, ranked.n, sizeof *ranked.at, compare_ranked);
    for (size_t i = 0; i < ranked.n / 2; i++)
        s->words.at[ranked.at[i].ref + 1] |= CLAUSE_DEAD;
    vec_free(&ranked);
}

void
sat_clause_reduce(struct sat *s)
{
    s->stats.reductions++;
    mark_dead(s);
    for (size_t l = 0; l < s->watches.n; l++)
        vec_clear(&s->watches.at[l]);
    s->learnt.n = 0;
    size_t to = 0;
    for (size_t from = 0; from < s->words.n;) {
        const size_t words = CLAUSE_HEADER + s->words.at[from];
        const uint32_t flags = s->words.at[from + 1];
        if (!(flags & CLAUSE_DEAD)) {
            const uint32_t first = s->words.at[from + CLAUSE_HEADER];
            if (is_reason(s, (clause_ref)from))
                s->vars.at[lit_var(first)].reason = (clause_ref)to;
            memmove(s->words.at + to, s->words.at + from,
                    words * sizeof *s->words.at);
            if (flags & CLAUSE_LEARNT)
                vec_push(&s->learnt, (clause_ref)to);
            watch_clause(s, (clause_ref)to);
            to += words;
        }
        from += words;
        assert(to <= from && from <= s->words.n);
    }
    s->words.n = to;
}
