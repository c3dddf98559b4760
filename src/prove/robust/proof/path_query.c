/* path_query.c -- paths and cycles, asked of the solver; see path_query.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/proof/path_query.h"

#include "prove/robust/proof/edges.h"
#include "prove/robust/symbolic/sym_axioms.h"

enum { MOST_QUERIES = 600 };

/* Members on their states, with their order and visibility. */
struct path_query {
    const struct path_prover *v;
    struct terms terms;
    struct symbolic symbolic;
    const uint32_t *functions;
    uint32_t n;
    struct contents states[PATH_MOST], left[PATH_MOST];
    struct sym_run runs[PATH_MOST];
    struct edge_end ends[PATH_MOST];
    term place[PATH_MOST];
    term sees[PATH_MOST][PATH_MOST]; // [reader][writer]
};

static void
require(struct path_query *q, term condition)
{
    term_assert(&q->terms, condition);
}

static term
is_before(struct path_query *q, uint32_t a, uint32_t b)
{
    return term_less(&q->terms, q->place[a], q->place[b]);
}

/* A slot for each row that is named, and one for each edge between members that
 * both look for rows without naming them. */
static void
count_slots(struct path_query *q)
{
    for (uint32_t t = 0; t < q->v->program->tables.n; t++) {
        uint32_t scanning = 0;
        for (uint32_t i = 0; i < q->n; i++) {
            const struct footprint *f = &q->v->footprints[q->functions[i]];
            q->symbolic.slots[t] += f->lookups[t];
            scanning += f->scans[t];
        }
        if (scanning > 1)
            q->symbolic.slots[t] += q->n;
    }
}

static enum level
level_of(const struct path_query *q, uint32_t member)
{
    return isolation_of(q->v->isolation, q->functions[member]);
}

/* What the reader's level says of a and b. */
static void
require_reads(struct path_query *q, uint32_t a, uint32_t b, uint32_t reader)
{
    struct terms *t = &q->terms;
    const enum level level = level_of(q, reader);
    if (level == LEVEL_RA || a == reader)
        return;
    const bool prefix = level_table[level].two_points;
    const term known = prefix ? is_before(q, a, b) : q->sees[b][a];
    require(q, term_implies(t, term_and(t, known, q->sees[reader][b]),
                            q->sees[reader][a]));
}

static term
conflict(struct path_query *q, uint32_t a, uint32_t b)
{
    return sym_conflict(&q->symbolic, &q->runs[a], &q->runs[b], &q->states[0],
                        false);
}

static void
require_pair(struct path_query *q, uint32_t a, uint32_t b)
{
    struct terms *t = &q->terms;
    const struct level_choice *levels = q->v->isolation;
    const term before = is_before(q, a, b);
    require(q, term_implies(t, q->sees[b][a], before));
    if (!levels->own && level_is_serial(level_of(q, b)))
        require(q, term_implies(t, before, q->sees[b][a]));
    if (isolation_is_paired(levels, q->functions[a], q->functions[b]))
        require(q, term_or(t, q->sees[a][b], q->sees[b][a]));
    if (isolation_minds(levels, q->functions[a], q->functions[b]))
        require(q,
                term_or(t, term_not(t, term_and(t, before, conflict(q, a, b))),
                        q->sees[b][a]));
}

/* A relation that holds here, or in rows that are no slots. */
static term
or_elsewhere(struct terms *t, term here)
{
    return term_or(t, here, term_fresh(t, "elsewhere", true));
}

/* The user's own level. */
static void
require_own(struct path_query *q)
{
    struct terms *t = &q->terms;
    struct sym_relations r = {.n = q->n};
    for (uint32_t b = 0; b < q->n; b++)
        for (uint32_t a = 0; a < q->n; a++) {
            r.vis[b][a] = q->sees[b][a];
            r.before[b][a] = r.conflict[b][a] = r.ww[b][a] = t->no;
            if (a == b)
                continue;
            r.before[b][a] = is_before(q, a, b);
            r.conflict[b][a] = or_elsewhere(t, conflict(q, a, b));
            r.ww[b][a] = or_elsewhere(
                t, sym_write_same(&q->symbolic, &q->runs[a], &q->runs[b]));
        }
    sym_sessions(t, &r);
    sym_axioms(t, q->v->isolation->own, &r);
}

/* The order, the visibility, and what the levels say of them. */
static void
require_levels(struct path_query *q)
{
    struct terms *t = &q->terms;
    for (uint32_t i = 0; i < q->n; i++) {
        q->place[i] = term_fresh(t, "place", false);
        for (uint32_t j = 0; j < q->n; j++)
            q->sees[i][j] = i == j ? t->no : term_fresh(t, "sees", true);
    }
    for (uint32_t b = 0; b < q->n; b++)
        for (uint32_t a = 0; a < q->n; a++) {
            if (a == b)
                continue;
            require(q, term_not(t, term_equal(t, q->place[a], q->place[b])));
            require_pair(q, a, b);
            for (uint32_t c = 0; !q->v->isolation->own && c < q->n; c++)
                if (c != b)
                    require_reads(q, a, b, c);
        }
    if (q->v->isolation->own)
        require_own(q);
}

/* Generated keys are different, and are in the state of those who see them. */
static void
require_keys(struct path_query *q)
{
    struct terms *t = &q->terms;
    for (uint32_t i = 0; i < q->n; i++)
        for (uint32_t j = 0; j < q->n; j++) {
            if (j <= i)
                require(
                    q, sym_keys_differ(&q->symbolic, &q->runs[i], &q->runs[j]));
            require(q, term_or(t, q->sees[j][i],
                               sym_keys_are_new(&q->symbolic, &q->runs[i],
                                                &q->states[j])));
        }
}

static void
run_members(struct path_query *q)
{
    struct terms *t = &q->terms;
    for (uint32_t i = 0; i < q->n; i++) {
        contents_init_like(&q->symbolic, i ? &q->states[0] : NULL,
                           &q->states[i]);
        sym_instance(&q->symbolic, &q->runs[i],
                     q->v->program->functions.at[q->functions[i]]);
        const struct sym_views views = {.before = &q->states[i]};
        sym_execute(&q->symbolic, &q->runs[i], &views, NULL);
        require(q, term_not(t, q->runs[i].aborts));
        q->left[i] =
            contents_after(&q->symbolic, &q->states[i], &q->runs[i], t->yes);
        q->ends[i] = (struct edge_end){&q->runs[i], &q->states[i], &q->left[i]};
    }
}

/* An rw edge from a to b, which comes before it. */
static term
back_edge(struct path_query *q, uint32_t a, uint32_t b)
{
    struct terms *t = &q->terms;
    return term_and(t,
                    term_and(t, is_before(q, b, a), term_not(t, q->sees[a][b])),
                    edge_rw(&q->symbolic, &q->ends[a], READS_ALL, &q->ends[b]));
}

static term
any_edge(struct path_query *q, uint32_t a, uint32_t b)
{
    struct terms *t = &q->terms;
    const struct edge_end *x = &q->ends[a], *y = &q->ends[b];
    const term wr =
        term_and(t, q->sees[b][a], edge_wr(&q->symbolic, x, y, READS_ALL));
    const term ww =
        term_and(t, is_before(q, a, b), edge_ww(&q->symbolic, x, y));
    const term rw = term_and(t, term_not(t, q->sees[a][b]),
                             edge_rw(&q->symbolic, x, READS_ALL, y));
    return term_or(t, wr, term_or(t, ww, rw));
}

/* An edge that is there for sure.  Where rows are whole, a writer that is not
 * seen is later than what was read. */
static term
sure_edge(struct path_query *q, uint32_t a, uint32_t b)
{
    struct terms *t = &q->terms;
    const struct edge_end *x = &q->ends[a], *y = &q->ends[b];
    const term ww =
        term_and(t, is_before(q, a, b), edge_ww(&q->symbolic, x, y));
    if (!q->v->whole)
        return ww;
    return term_or(t, ww,
                   term_and(t, term_not(t, q->sees[a][b]),
                            edge_rw(&q->symbolic, x, READS_EXACT, y)));
}

/* Whether the order of two members must stay, since one sees the other: they
 * conflict, or they are a pair and depend on each other. */
static term
bound_edge(struct path_query *q, uint32_t a, uint32_t b)
{
    struct terms *t = &q->terms;
    const struct edge_end *x = &q->ends[a], *y = &q->ends[b];
    term bound = term_or(t, conflict(q, a, b), conflict(q, b, a));
    bound = term_or(t, bound, edge_wr(&q->symbolic, x, y, READS_ALL));
    if (isolation_is_paired(q->v->isolation, q->functions[a], q->functions[b]))
        bound = term_or(t, bound, edge_rw(&q->symbolic, x, READS_ALL, y));
    return term_and(t, q->sees[b][a], bound);
}

static void
require_fork(struct path_query *q)
{
    assert(q->n == 3);
    require(q, bound_edge(q, 0, 1));
    require(q, back_edge(q, 1, 2));
    require(q, is_before(q, 2, 0));
}

static void
require_asked(struct path_query *q, enum asked asked)
{
    struct terms *t = &q->terms;
    if (asked == ASKED_FORK) {
        require_fork(q);
        return;
    }
    require(q, asked == ASKED_EDGE ? any_edge(q, 0, 1) : back_edge(q, 0, 1));
    for (uint32_t i = 1; i + 1 < q->n; i++)
        require(q, any_edge(q, i, i + 1));
    if (asked == ASKED_CYCLE)
        require(q, any_edge(q, q->n - 1, 0));
    for (uint32_t i = 0; asked == ASKED_PATH && i < q->n; i++)
        for (uint32_t j = i + 1; j < q->n; j++) {
            if (j > i + 1)
                require(q, term_not(t, sure_edge(q, i, j)));
            if (i || j + 1 < q->n) // that one would close the cycle
                require(q, term_not(t, sure_edge(q, j, i)));
        }
}

/* "a cycle: f, g". */
static void
keep_query(struct path_query *q, enum asked asked, const char *query)
{
    static const char *const what[] = {[ASKED_BACK] = "an edge back",
                                       [ASKED_EDGE] = "an edge",
                                       [ASKED_CYCLE] = "a cycle",
                                       [ASKED_PATH] = "a path",
                                       [ASKED_FORK] = "a fork"};
    struct buf text = {0};
    buf_text(&text, what[asked]);
    for (uint32_t i = 0; i < q->n; i++)
        buf_printf(&text, "%s%s", i ? ", " : ": ",
                   q->v->program->functions.at[q->functions[i]]->name);
    proof_log_add(q->v->limits->log, query, text.at);
    buf_free(&text);
}

bool
path_can_be(struct path_prover *v, const uint32_t *functions, uint32_t n,
            enum asked asked)
{
    if (v->failed || limit_reached(&v->limits->all) ||
        v->out->queries >= MOST_QUERIES)
        return true;
    struct path_query *q = mem_calloc(1, sizeof *q);
    *q = (struct path_query){.v = v, .functions = functions, .n = n};
    bool answer = true;
    if (terms_init(&q->terms, program_has_fractions(v->program), v->err)) {
        symbolic_init(&q->symbolic, &q->terms, v->program, 0);
        q->symbolic.abstract = q->symbolic.loose = true;
        q->symbolic.notes_reads = true;
        q->symbolic.coarse = !v->whole;
        count_slots(q);
        run_members(q);
        require_levels(q);
        require_keys(q);
        require_asked(q, asked);
        v->out->queries++;
        struct buf query = {0};
        if (v->limits->log) // the solver rewrites what it has checked
            buf_text(&query, terms_text(&q->terms));
        answer = terms_check(&q->terms, v->limits->seconds) != ANSWER_NO;
        if (!answer && v->limits->log)
            keep_query(q, asked, query.at);
        buf_free(&query);
        for (uint32_t i = 0; i < n; i++)
            sym_run_free(&q->runs[i]);
        symbolic_free(&q->symbolic);
    } else {
        v->failed = true;
    }
    terms_free(&q->terms);
    mem_free(q);
    return answer;
}
