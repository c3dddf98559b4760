/* pieces.c -- pieces of a cycle, asked of the solver; see pieces.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/proof/pieces.h"

#include "prove/robust/proof/edges.h"

/* P, X and Y on their states. */
struct query_terms {
    struct prover *prover;
    struct terms terms;
    struct symbolic symbolic;
    struct contents start;       // P begins
    struct contents states[3];   // of P, X, Y
    struct contents left[3];     // what they leave
    struct contents now, waited; // rc: where P goes on; si: when it commits
    struct sym_run runs[3];
    struct edge_end ends[3];
    uint32_t n;
    term split, waits;
};

/* Enough slots for all rows that are named, and for the rows of edges between
 * two transactions that both look for rows without naming them. */
static void
count_slots(struct query_terms *q, const uint32_t *functions, uint32_t pieces)
{
    const struct prover *v = q->prover;
    uint32_t edges = 0;
    if (v->rows) // all tables have been given as many
        return;
    for (uint32_t i = 0; i < 3; i++)
        edges += pieces >> i & 1;
    for (uint32_t t = 0; t < v->program->tables.n; t++) {
        uint32_t scanning = 0;
        q->symbolic.slots[t] = 0;
        for (uint32_t i = 0; i < q->n; i++) {
            const struct footprint *f = &v->footprints[functions[i]];
            q->symbolic.slots[t] += f->lookups[t];
            scanning += f->scans[t];
        }
        if (scanning > 1)
            q->symbolic.slots[t] += edges;
        // One for a row that P writes, see writes_slot.
        if (!(pieces & PIECE_LAST))
            q->symbolic.slots[t] += v->footprints[functions[0]].scan_writes[t];
    }
}

static void
require(struct query_terms *q, term condition)
{
    term_assert(&q->terms, condition);
}

static term
same_row(struct terms *t, const struct table *table, const struct cell_row *a,
         const struct cell_row *b)
{
    term columns = t->yes;
    for (uint32_t c = 0; c < table->n_columns; c++)
        columns =
            term_and(t, columns, symbol_same(t, a->columns[c], b->columns[c]));
    return term_and(t, term_equal(t, a->alive, b->alive),
                    term_implies(t, a->alive, columns));
}

/* Rows that P holds are as they were for everybody: nobody has written them
 * since P began. */
static void
require_held_rows(struct query_terms *q, const struct contents *state)
{
    struct terms *t = &q->terms;
    if (q->prover->level == LEVEL_PC)
        return;
    const bool rc = q->prover->level == LEVEL_RC;
    for (uint32_t i = 0; i < q->prover->program->tables.n; i++)
        for (uint32_t j = 0; j < q->symbolic.slots[i]; j++) {
            const struct effect *e = &q->runs[0].effects[i][j];
            const term held =
                rc ? term_or(t, e->early,
                             term_or(t, e->early_locked, e->early_shared))
                   : term_or(t,
                             term_and(
                                 t, sym_writes(&q->symbolic, &q->runs[0], i, j),
                                 term_not(t, e->fresh)),
                             term_or(t, e->locked, e->shared));
            require(q, term_implies(
                           t, held,
                           same_row(t, &q->prover->program->tables.at[i],
                                    &q->start.rows[i][j], &state->rows[i][j])));
        }
}

/* Run the transactions that are not P, one after the other. */
static void
run_others(struct query_terms *q)
{
    struct terms *t = &q->terms;
    const struct contents *last = &q->start;
    for (uint32_t i = 1; i < q->n; i++) {
        contents_init_like(&q->symbolic, &q->start, &q->states[i]);
        lemmas_assert(&q->symbolic, q->prover->lemmas, last, &q->states[i]);
        const struct sym_views views = {.before = &q->states[i]};
        sym_execute(&q->symbolic, &q->runs[i], &views, NULL);
        require(q, term_not(t, q->runs[i].aborts));
        q->left[i] =
            contents_after(&q->symbolic, &q->states[i], &q->runs[i], t->yes);
        q->ends[i] = (struct edge_end){&q->runs[i], &q->states[i], &q->left[i]};
        last = &q->left[i];
    }
    if (q->prover->level == LEVEL_PC)
        return;
    contents_init_like(&q->symbolic, &q->start, &q->now);
    lemmas_assert(&q->symbolic, q->prover->lemmas, last, &q->now);
    if (q->prover->level != LEVEL_RC)
        return;
    contents_init_like(&q->symbolic, &q->start, &q->waited);
    lemmas_assert(&q->symbolic, q->prover->lemmas, &q->start, &q->waited);
    lemmas_assert(&q->symbolic, q->prover->lemmas, &q->waited, &q->now);
}

static void
run_p(struct query_terms *q)
{
    struct terms *t = &q->terms;
    struct sym_run *p = &q->runs[0];
    struct sym_views views = {.before = &q->start};
    const bool rc = q->prover->level == LEVEL_RC;
    if (rc) {
        q->split = q->prover->rows ? term_fresh(t, "split", false)
                                   : term_number(t, q->prover->split);
        q->waits = term_fresh(t, "waits", true);
        require(q, term_at_most(t, term_number(t, 0), q->split));
        views.after = &q->now;
        views.waited_from = &q->waited;
        views.split = q->split;
        views.waits = q->waits;
    }
    const bool latest = q->prover->level == LEVEL_SI && !q->prover->rows;
    if (latest)
        views.latest = &q->now;
    sym_execute(&q->symbolic, p, &views, NULL);
    require(q, term_not(t, p->aborts));
    q->states[0] = rc ? q->now : q->start;
    // What P leaves is seen in what it writes only, so any base will do.
    q->left[0] = contents_after(&q->symbolic, &q->states[0], p, t->yes);
    q->ends[0] = (struct edge_end){p, &q->states[0], &q->left[0]};
    for (uint32_t i = 1; i < q->n; i++) {
        if (rc)
            require(q, term_not(t, sym_blocks(&q->symbolic, p, &q->runs[i],
                                              &q->start)));
        else if (q->prover->level == LEVEL_SI)
            require(q, term_not(t, sym_conflict(&q->symbolic, &q->runs[i], p,
                                                &q->start, latest)));
        require_held_rows(q, &q->states[i]);
    }
    if (rc)
        require_held_rows(q, &q->now);
}

/* Generated keys differ, and are in no state before their insert. */
static void
require_keys(struct query_terms *q)
{
    struct symbolic *x = &q->symbolic;
    for (uint32_t i = 0; i < q->n; i++) {
        for (uint32_t j = 0; j <= i; j++)
            require(q, sym_keys_differ(x, &q->runs[i], &q->runs[j]));
        for (uint32_t j = 0; j < q->n; j++)
            if (i == 0 || j <= i)
                require(q, sym_keys_are_new(x, &q->runs[i],
                                            j ? &q->states[j] : &q->start));
    }
    if (q->prover->level != LEVEL_PC)
        require(q, sym_keys_are_new(x, &q->runs[0], &q->now));
}

/* A transaction that does nothing after others have run is in no cycle. */
static term
acts_later(struct query_terms *q)
{
    struct terms *t = &q->terms;
    const struct sym_run *p = &q->runs[0];
    term acts = p->writes_rest;
    for (uint32_t i = 0; i < q->prover->program->tables.n; i++)
        for (uint32_t j = 0; j < q->symbolic.slots[i]; j++)
            acts = term_or(t, acts, sym_writes(&q->symbolic, p, i, j));
    for (size_t i = 0; i < p->reads.n; i++)
        acts = term_or(t, acts,
                       term_and(t, p->reads.at[i].live,
                                term_not(t, p->reads.at[i].early)));
    return acts;
}

/* At si the last edge leads to a row that P writes, which can be a slot.  A
 * loop writes more rows than there are slots. */
static void
require_write(struct query_terms *q, uint32_t p)
{
    struct terms *t = &q->terms;
    const struct prover *v = q->prover;
    term writes = t->no;
    if (v->level != LEVEL_SI || v->rows || v->footprints[p].repeats)
        return;
    for (uint32_t i = 0; i < v->program->tables.n; i++)
        for (uint32_t j = 0; j < q->symbolic.slots[i]; j++)
            writes =
                term_or(t, writes,
                        term_or(t, sym_writes(&q->symbolic, &q->runs[0], i, j),
                                q->runs[0].effects[i][j].fresh));
    require(q, writes);
}

static term
first_edge(struct query_terms *q)
{
    require(q, acts_later(q));
    return edge_rw(&q->symbolic, &q->ends[0], READS_EARLY, &q->ends[1]);
}

static term
middle_edge(struct query_terms *q)
{
    return edge_next(&q->symbolic, &q->ends[1], &q->ends[2]);
}

static term
last_edge(struct query_terms *q)
{
    struct terms *t = &q->terms;
    const struct edge_end *y = &q->ends[q->n - 1], *p = &q->ends[0];
    term edge = edge_rw(&q->symbolic, y, READS_ALL, p);
    if (q->prover->level != LEVEL_SI)
        edge = term_or(t, edge, edge_ww(&q->symbolic, y, p));
    if (q->prover->level != LEVEL_PC)
        edge = term_or(t, edge, edge_wr(&q->symbolic, y, p, READS_LATE));
    return edge;
}

static void
require_facts(struct query_terms *q)
{
    struct terms *t = &q->terms;
    const struct prover *v = q->prover;
    const struct sym_run *runs = q->runs;
    if (v->known)
        require(q, facts_hold(v->known, t, &runs[0], &runs[1]));
    if (v->told)
        require(q,
                term_not(t, facts_hold(v->told, t, &runs[0], &runs[q->n - 1])));
}

/* Whether the query has an answer, from which new facts are taken. */
static bool
solve(struct query_terms *q)
{
    const struct prover *v = q->prover;
    const enum answer answer = terms_check(&q->terms, v->limits->seconds);
    if (v->told && answer == ANSWER_YES)
        facts_add(v->told, &q->terms, &q->runs[0], &q->runs[q->n - 1]);
    else if (v->told && answer == ANSWER_UNKNOWN)
        facts_add_all(v->told);
    return answer != ANSWER_NO;
}

/* "P = f, X = g: first edge, last edge". */
static void
keep_query(struct query_terms *q, const uint32_t *functions, uint32_t pieces,
           const char *query)
{
    static const char *const names[] = {"P", "X", "Y"};
    static const char *const edges[] = {"first", "middle", "last"};
    const struct prover *v = q->prover;
    const char *separator = ":";
    struct buf what = {0};
    for (uint32_t i = 0; i < q->n; i++)
        buf_printf(&what, "%s%s = %s", i ? ", " : "", names[i],
                   v->program->functions.at[functions[i]]->name);
    if (v->level == LEVEL_RC)
        buf_printf(&what, ", interrupted before step %u", v->split);
    for (uint32_t i = 0; i < 3; i++)
        if (pieces >> i & 1) {
            buf_printf(&what, "%s %s edge", separator, edges[i]);
            separator = ",";
        }
    proof_log_add(v->limits->log, query, what.at);
    buf_free(&what);
}

bool
piece_can_be(struct prover *v, uint32_t p, uint32_t x, uint32_t y,
             uint32_t pieces)
{
    const uint32_t functions[3] = {p, x, y};
    if (v->failed || limit_reached(&v->limits->all)) {
        if (v->told)
            facts_add_all(v->told);
        return true;
    }
    struct query_terms *q = mem_calloc(1, sizeof *q);
    q->prover = v;
    q->n = y == UINT32_MAX ? 2 : 3;
    bool answer = true;
    const bool rational = v->rows == 0 && program_has_fractions(v->program);
    if (terms_init(&q->terms, rational, v->err)) {
        symbolic_init(&q->symbolic, &q->terms, v->program, v->rows);
        q->symbolic.abstract = v->rows == 0;
        q->symbolic.notes_reads = true;
        count_slots(q, functions, pieces);
        contents_init(&q->symbolic, &q->start);
        for (uint32_t i = 0; i < q->n; i++)
            sym_instance(&q->symbolic, &q->runs[i],
                         v->program->functions.at[functions[i]]);
        run_others(q);
        run_p(q);
        require_keys(q);
        require_write(q, p);
        require_facts(q);
        if (pieces & PIECE_FIRST)
            require(q, first_edge(q));
        if (pieces & PIECE_MIDDLE)
            require(q, middle_edge(q));
        if (pieces & PIECE_LAST)
            require(q, last_edge(q));
        v->out->queries++;
        struct buf query = {0};
        if (v->limits->log) // the solver rewrites what it has checked
            buf_text(&query, terms_text(&q->terms));
        answer = solve(q);
        if (!answer && v->limits->log)
            keep_query(q, functions, pieces, query.at);
        buf_free(&query);
        for (uint32_t i = 0; i < q->n; i++)
            sym_run_free(&q->runs[i]);
        symbolic_free(&q->symbolic);
    } else {
        v->failed = true;
    }
    terms_free(&q->terms);
    mem_free(q);
    return answer;
}
