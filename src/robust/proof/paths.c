/* paths.c -- proofs where levels are rules about visibility; see proof.h.
 *
 * Members of an execution have a place in the order of commits, and see whole
 * some of those before them.  What each sees is a state of its own, of which no
 * constraint over several rows or columns is known: no serial run need lead to
 * it.  A member depends on another that it sees (wr), that comes before it
 * (ww), or that does not see what it writes (rw).  Only an rw edge can lead
 * back in the order of commits, so every cycle has such an edge, and
 *   (1) where there is none, or none that a path by types could close, all
 *       executions are serializable;
 *   (2) else, where no cycle has up to m members, the shortest one contains a
 *       path of m edges that begins with such an edge and has no chord.  Where
 *       there is no such path, there is no cycle.
 *
 * SPDX-License-Identifier: MIT */
#include "robust/proof/proof.h"

#include "program/access.h"
#include "robust/proof/edges.h"
#include "robust/proof/footprint.h"
#include "robust/symbolic/sym_axioms.h"

#include <string.h>

enum { MOST_MEMBERS = 5, MOST_QUERIES = 600 };

struct path_prover {
    const struct program *program;
    const struct level_choice *isolation;
    const struct search_limits *limits;
    struct footprint *footprints;
    struct access *accesses;
    struct robust_proof *out;
    struct err *err;
    bool failed;
    bool whole; // a row is always as one transaction left it
    bool *back; // [a * n + b]: an rw edge from a back to b can be
    bool *edge; // [a * n + b]: any edge can be
    uint32_t n;
};

/* Members on their states, with their order and visibility. */
struct path_query {
    const struct path_prover *v;
    struct terms terms;
    struct symbolic symbolic;
    const uint32_t *functions;
    uint32_t n;
    struct contents states[MOST_MEMBERS], left[MOST_MEMBERS];
    struct sym_run runs[MOST_MEMBERS];
    struct edge_end ends[MOST_MEMBERS];
    term place[MOST_MEMBERS];
    term sees[MOST_MEMBERS][MOST_MEMBERS]; // [reader][writer]
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
    const bool prefix = level == LEVEL_PC || level == LEVEL_SI;
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
    if (!levels->own && level_of(q, b) == LEVEL_SER)
        require(q, term_implies(t, before, q->sees[b][a]));
    if (isolation_is_paired(levels, q->functions[a], q->functions[b]))
        require(q, term_or(t, q->sees[a][b], q->sees[b][a]));
    if (isolation_minds(levels, q->functions[a], q->functions[b]))
        require(q,
                term_or(t, term_not(t, term_and(t, before, conflict(q, a, b))),
                        q->sees[b][a]));
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
            r.before[b][a] = a == b ? t->no : is_before(q, a, b);
            r.conflict[b][a] = a == b ? t->no : conflict(q, a, b);
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

enum asked { ASKED_BACK, ASKED_EDGE, ASKED_CYCLE, ASKED_PATH };

static void
require_asked(struct path_query *q, enum asked asked)
{
    struct terms *t = &q->terms;
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
                                       [ASKED_PATH] = "a path"};
    struct buf text = {0};
    buf_text(&text, what[asked]);
    for (uint32_t i = 0; i < q->n; i++)
        buf_printf(&text, "%s%s", i ? ", " : ": ",
                   q->v->program->functions.at[q->functions[i]]->name);
    proof_log_add(q->v->limits->log, query, text.at);
    buf_free(&text);
}

/* Whether this can be; when in doubt, it can. */
static bool
can_be(struct path_prover *v, const uint32_t *functions, uint32_t n,
       enum asked asked)
{
    if (v->failed || limit_reached(&v->limits->all) ||
        v->out->queries >= MOST_QUERIES)
        return true;
    struct path_query *q = mem_calloc(1, sizeof *q);
    *q = (struct path_query){.v = v, .functions = functions, .n = n};
    bool answer = true;
    if (terms_init(&q->terms, v->err)) {
        symbolic_init(&q->symbolic, &q->terms, v->program, 0);
        q->symbolic.abstract = q->symbolic.loose = true;
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

/* Whether any sequence of n functions can be a cycle, or a path. */
static bool
any_can_be(struct path_prover *v, uint32_t n, enum asked asked)
{
    uint32_t at[MOST_MEMBERS] = {0};
    for (;;) {
        bool may = v->back[at[0] * v->n + at[1]];
        for (uint32_t i = 1; may && i + 1 < n; i++)
            may = v->edge[at[i] * v->n + at[i + 1]];
        if (may && asked == ASKED_CYCLE)
            may = v->edge[at[n - 1] * v->n + at[0]];
        if (may && can_be(v, at, n, asked)) {
            v->out->p = at[0];
            v->out->x = at[1];
            v->out->y = n > 2 ? at[n - 1] : UINT32_MAX;
            return true;
        }
        uint32_t i = n;
        while (i > 0 && ++at[i - 1] == v->n)
            at[--i] = 0;
        if (i == 0)
            return false;
    }
}

/* Which edges can be between two; whether one leads back. */
static bool
relate(struct path_prover *v)
{
    bool any = false;
    for (uint32_t a = 0; a < v->n; a++)
        for (uint32_t b = 0; b < v->n; b++) {
            const uint32_t pair[] = {a, b};
            const bool reads =
                access_reads_from(v->program, &v->accesses[a], &v->accesses[b]);
            v->back[a * v->n + b] = reads && can_be(v, pair, 2, ASKED_BACK);
            any = any || v->back[a * v->n + b];
        }
    for (uint32_t a = 0; any && a < v->n; a++)
        for (uint32_t b = 0; b < v->n; b++) {
            const uint32_t pair[] = {a, b};
            v->edge[a * v->n + b] =
                v->back[a * v->n + b] || can_be(v, pair, 2, ASKED_EDGE);
        }
    return any;
}

/* Whether an edge that leads back is on a cycle by types. */
static bool
can_close(const struct path_prover *v)
{
    const size_t n = v->n;
    bool *reach = mem_calloc(n * n + 1, sizeof *reach), closes = false;
    memcpy(reach, v->edge, n * n * sizeof *reach);
    for (size_t k = 0; k < n; k++)
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b < n; b++)
                reach[a * n + b] =
                    reach[a * n + b] || (reach[a * n + k] && reach[k * n + b]);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            closes = closes || (v->back[a * n + b] && reach[b * n + a]);
    mem_free(reach);
    return closes;
}

static void
prove(struct path_prover *v)
{
    v->out->end = PROOF_DONE;
    if (!relate(v) || !can_close(v))
        return;
    for (uint32_t m = 2; m < MOST_MEMBERS; m++) {
        v->out->end = PROOF_CANDIDATE;
        if (any_can_be(v, m, ASKED_CYCLE))
            return;
        v->out->end = PROOF_DONE;
        if (!any_can_be(v, m + 1, ASKED_PATH))
            return;
        v->out->end = PROOF_LONG;
    }
}

bool
proof_try_paths(const struct program *p, const struct level_choice *isolation,
                const struct search_limits *limits, struct robust_proof *out,
                struct err *err)
{
    const uint32_t n = (uint32_t)p->functions.n;
    memset(out, 0, sizeof *out);
    struct path_prover v = {.program = p,
                            .isolation = isolation,
                            .limits = limits,
                            .out = out,
                            .err = err,
                            .n = n};
    v.whole = true;
    for (uint32_t i = 0; i < n; i++)
        v.whole = v.whole && isolation_minds(isolation, i, i);
    v.footprints = mem_calloc(n + 1, sizeof *v.footprints);
    v.accesses = mem_calloc(n + 1, sizeof *v.accesses);
    v.back = mem_calloc((size_t)n * n + 1, sizeof *v.back);
    v.edge = mem_calloc((size_t)n * n + 1, sizeof *v.edge);
    for (uint32_t i = 0; i < n; i++) {
        footprint_init(&v.footprints[i], p, p->functions.at[i]);
        access_init(&v.accesses[i], p, p->functions.at[i]);
    }
    if (!proof_is_able(p, isolation, v.footprints, out))
        out->end = PROOF_UNABLE;
    else
        prove(&v);
    for (uint32_t i = 0; i < n; i++) {
        footprint_free(&v.footprints[i]);
        access_free(&v.accesses[i]);
    }
    mem_free(v.footprints);
    mem_free(v.accesses);
    mem_free(v.back);
    mem_free(v.edge);
    return !v.failed;
}
