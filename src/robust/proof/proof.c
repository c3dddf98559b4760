/* proof.c -- see proof.h.
 *
 * SPDX-License-Identifier: MIT */
#include "robust/proof/proof.h"

#include "program/access.h"
#include "robust/proof/edges.h"
#include "robust/proof/footprint.h"
#include "robust/proof/lemmas.h"

#include <string.h>

/* What is known of the programs before any query. */
struct prover {
    const struct program *program;
    const struct level_choice *isolation;
    enum level level; // P's; that of a serializable P is si, see is_refused
    const struct search_limits *limits;
    struct table_lemmas *lemmas;
    struct footprint *footprints;
    struct access *accesses;
    struct robust_proof *out;
    struct err *err;
    bool failed;
    uint32_t split; // rc: before which step P is interrupted
};

/* The pieces of a cycle that a query asks for. */
enum piece { PIECE_FIRST = 1, PIECE_MIDDLE = 2, PIECE_LAST = 4 };

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
        q->split = term_number(t, q->prover->split);
        q->waits = term_fresh(t, "waits", true);
        views.after = &q->now;
        views.waited_from = &q->waited;
        views.split = q->split;
        views.waits = q->waits;
    }
    if (q->prover->level == LEVEL_SI)
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
                                                &q->start, true)));
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

static term
first_edge(struct query_terms *q)
{
    require(q, acts_later(q));
    return edge_rw(&q->symbolic, &q->ends[0], READS_EARLY, &q->ends[1]);
}

static term
middle_edge(struct query_terms *q)
{
    struct terms *t = &q->terms;
    const struct edge_end *a = &q->ends[1], *b = &q->ends[2];
    return term_or(t, edge_ww(&q->symbolic, a, b),
                   term_or(t, edge_rw(&q->symbolic, a, READS_ALL, b),
                           edge_wr(&q->symbolic, a, b, READS_ALL)));
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

/* Whether the pieces can hold together; when in doubt, they can. */
static bool
can_be(struct prover *v, uint32_t p, uint32_t x, uint32_t y, uint32_t pieces)
{
    const uint32_t functions[3] = {p, x, y};
    if (v->failed || limit_reached(&v->limits->all))
        return true;
    struct query_terms *q = mem_calloc(1, sizeof *q);
    q->prover = v;
    q->n = y == UINT32_MAX ? 2 : 3;
    bool answer = true;
    if (terms_init(&q->terms, v->err)) {
        symbolic_init(&q->symbolic, &q->terms, v->program, 0);
        q->symbolic.abstract = true;
        count_slots(q, functions, pieces);
        contents_init(&q->symbolic, &q->start);
        for (uint32_t i = 0; i < q->n; i++)
            sym_instance(&q->symbolic, &q->runs[i],
                         v->program->functions.at[functions[i]]);
        run_others(q);
        run_p(q);
        require_keys(q);
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
        answer = terms_check(&q->terms, v->limits->seconds) != ANSWER_NO;
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

/* Whether b may depend on a, by tables and columns alone. */
static bool
may_depend(const struct prover *v, uint32_t a, uint32_t b)
{
    const struct access *x = &v->accesses[a], *y = &v->accesses[b];
    if (access_reads_from(v->program, y, x) ||
        access_reads_from(v->program, x, y))
        return true;
    for (uint32_t i = 0; i < v->program->tables.n; i++)
        if (x->writes[i] & y->writes[i])
            return true;
    return false;
}

/* Whether P, which depends on what x overwrites and overwrites what y has read,
 * is a pivot that PostgreSQL refuses: see isolation.h. */
static bool
is_refused(const struct prover *v, uint32_t p, uint32_t x, uint32_t y)
{
    return isolation_of(v->isolation, p) == LEVEL_SER &&
           isolation_of(v->isolation, x) == LEVEL_SER &&
           isolation_of(v->isolation, y) == LEVEL_SER;
}

/* The relations of one P. */
struct relations {
    bool *first, *last; // of each function
};

static bool
candidate(struct prover *v, enum proof_end end, uint32_t p, uint32_t x,
          uint32_t y)
{
    v->out->end = end;
    v->out->p = p;
    v->out->x = x;
    v->out->y = y;
    return false;
}

/* Cycles of P with one or two others. */
static bool
refute_short(struct prover *v, uint32_t p, const struct relations *r)
{
    const uint32_t n = (uint32_t)v->program->functions.n;
    for (uint32_t x = 0; x < n; x++)
        if (r->first[x] && r->last[x] && !is_refused(v, p, x, x) &&
            can_be(v, p, x, UINT32_MAX, PIECE_FIRST | PIECE_LAST))
            return candidate(v, PROOF_CANDIDATE, p, x, UINT32_MAX);
    for (uint32_t x = 0; x < n; x++)
        for (uint32_t y = 0; y < n; y++)
            if (r->first[x] && r->last[y] && !is_refused(v, p, x, y) &&
                may_depend(v, x, y) &&
                can_be(v, p, x, y, PIECE_FIRST | PIECE_MIDDLE | PIECE_LAST))
                return candidate(v, PROOF_CANDIDATE, p, x, y);
    return true;
}

/* Longer cycles: the first edge and one more, any number of edges, one more
 * and the last edge.  Those that begin with a serializable X are looked at for
 * themselves. */
static bool
refute_long_from(struct prover *v, uint32_t p, const struct relations *r,
                 bool serializable)
{
    const uint32_t n = (uint32_t)v->program->functions.n;
    bool *reached = mem_calloc(n + 1, sizeof *reached);
    bool ok = true, more = true;
    uint32_t from = 0;
    for (uint32_t x = 0; x < n; x++)
        for (uint32_t z = 0; z < n; z++)
            if (r->first[x] && is_refused(v, p, x, x) == serializable &&
                !reached[z] && may_depend(v, x, z) &&
                can_be(v, p, x, z, PIECE_FIRST | PIECE_MIDDLE)) {
                reached[z] = true;
                from = x;
            }
    while (more) {
        more = false;
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < n; b++)
                if (reached[a] && !reached[b] && may_depend(v, a, b) &&
                    can_be(v, p, a, b, PIECE_MIDDLE))
                    reached[b] = more = true;
    }
    for (uint32_t w = 0; ok && w < n; w++)
        for (uint32_t y = 0; ok && y < n; y++)
            if (reached[w] && r->last[y] &&
                !(serializable && is_refused(v, p, y, y)) &&
                may_depend(v, w, y) &&
                can_be(v, p, w, y, PIECE_MIDDLE | PIECE_LAST))
                ok = candidate(v, PROOF_LONG, p, from, y);
    mem_free(reached);
    return ok;
}

static bool
refute_long(struct prover *v, uint32_t p, const struct relations *r)
{
    return refute_long_from(v, p, r, false) && refute_long_from(v, p, r, true);
}

/* How many steps the statements take, as sym_run.c counts them. */
static uint32_t
count_steps(const struct block *b)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        const struct statement *s = b->at[i];
        n += s->kind <= STATEMENT_INSERT || expr_has_query(s->value);
        n += count_steps(&s->body) + count_steps(&s->other);
    }
    return n;
}

/* Whether no cycle goes through P, interrupted where v->split says; otherwise
 * there is a candidate. */
static bool
refute_cycles(struct prover *v, uint32_t p)
{
    const uint32_t n = (uint32_t)v->program->functions.n;
    struct relations r = {0};
    r.first = mem_calloc(n + 1, sizeof *r.first);
    r.last = mem_calloc(n + 1, sizeof *r.last);
    bool any_first = false, any_last = false;
    const struct access *a = v->accesses;
    for (uint32_t x = 0; x < n; x++) {
        r.first[x] = !isolation_is_paired(v->isolation, p, x) &&
                     access_reads_from(v->program, &a[p], &a[x]) &&
                     can_be(v, p, x, UINT32_MAX, PIECE_FIRST);
        any_first = any_first || r.first[x];
    }
    for (uint32_t y = 0; any_first && y < n; y++) {
        r.last[y] =
            !isolation_is_paired(v->isolation, p, y) &&
            (v->level == LEVEL_SI &&
                     !access_makes_room(v->program, v->program->functions.at[y])
                 ? access_reads_from(v->program, &a[y], &a[p])
                 : may_depend(v, y, p)) &&
            can_be(v, p, y, UINT32_MAX, PIECE_LAST);
        any_last = any_last || r.last[y];
    }
    const bool ok = !any_first || !any_last ||
                    (refute_short(v, p, &r) && refute_long(v, p, &r));
    mem_free(r.first);
    mem_free(r.last);
    return ok;
}

bool
proof_is_able(const struct program *p, const struct level_choice *isolation,
              const struct footprint *footprints, struct robust_proof *out)
{
    for (uint32_t i = 0; i < p->functions.n; i++) {
        const struct footprint *f = &footprints[i];
        const bool mixed = isolation_of(isolation, i) == LEVEL_RC && f->mixed;
        if (!f->unbounded && !mixed)
            continue;
        out->end = PROOF_UNABLE;
        out->p = i;
        out->line = f->unbounded ? f->unbounded : f->mixed;
        out->what = f->unbounded ? "a loop or INSERT .. SELECT"
                                 : "a write or lock with a subquery";
        return false;
    }
    return true;
}

bool
proof_try(const struct program *p, const struct level_choice *isolation,
          const struct search_limits *limits, struct robust_proof *out,
          struct err *err)
{
    memset(out, 0, sizeof *out);
    struct prover v = {.program = p,
                       .isolation = isolation,
                       .limits = limits,
                       .out = out,
                       .err = err};
    const size_t n = p->functions.n;
    v.lemmas = lemmas_find(p);
    v.footprints = mem_calloc(n + 1, sizeof *v.footprints);
    v.accesses = mem_calloc(n + 1, sizeof *v.accesses);
    for (size_t i = 0; i < n; i++) {
        footprint_init(&v.footprints[i], p, p->functions.at[i]);
        access_init(&v.accesses[i], p, p->functions.at[i]);
    }
    bool going = proof_is_able(p, isolation, v.footprints, out);
    for (uint32_t i = 0; going && i < n; i++) {
        assert(isolation_shape(isolation, i) != SHAPE_VISIBLE);
        v.level = isolation_of(isolation, i);
        if (v.level == LEVEL_SER)
            v.level = LEVEL_SI;
        // The pieces of a long cycle have P interrupted at the same place.
        const uint32_t last =
            v.level == LEVEL_RC ? count_steps(&p->functions.at[i]->body) : 0;
        for (v.split = 0; going && v.split <= last; v.split++)
            going = refute_cycles(&v, i);
    }
    for (size_t i = 0; i < n; i++) {
        footprint_free(&v.footprints[i]);
        access_free(&v.accesses[i]);
    }
    mem_free(v.footprints);
    mem_free(v.accesses);
    mem_free(v.lemmas);
    return !v.failed;
}
