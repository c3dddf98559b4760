/* test_sat.c -- the solver against truth tables, and its proofs replayed.
 *
 * SPDX-License-Identifier: MIT */
#include "sat/sat.h"

#include "base/random.h"
#include "test.h"

enum { VARS = 8, CLAUSES = 64, WIDTH = 4 };

struct formula {
    lit clauses[CLAUSES][WIDTH];
    size_t width[CLAUSES], n;
    uint32_t vars;
};

static bool
holds(const struct formula *f, uint32_t model)
{
    for (size_t i = 0; i < f->n; i++) {
        bool some = false;
        for (size_t j = 0; j < f->width[i]; j++) {
            const lit l = f->clauses[i][j];
            some |= (model >> lit_var(l) & 1) != lit_is_negated(l);
        }
        if (!some)
            return false;
    }
    return true;
}

static bool
has_model(const struct formula *f)
{
    for (uint32_t model = 0; model < 1u << f->vars; model++)
        if (holds(f, model))
            return true;
    return false;
}

static struct formula
random_formula(struct random *r)
{
    struct formula f = {.vars = 1 + (uint32_t)random_below(r, VARS)};
    f.n = random_below(r, 5 * f.vars);
    for (size_t i = 0; i < f.n; i++) {
        f.width[i] = 1 + random_below(r, WIDTH);
        for (size_t j = 0; j < f.width[i]; j++)
            f.clauses[i][j] = (lit)random_below(r, 2 * f.vars);
    }
    return f;
}

/* --- a naive proof checker ------------------------------------------------ */

struct logged {
    lit lits[4 * VARS];
    size_t n;
};

struct log {
    VEC(struct logged) clauses; // by id; [0] unused
    bool sound, empty;
};

static void
log_clause(struct log *g, uint32_t id, const lit *lits, size_t n)
{
    while (g->clauses.n <= id)
        vec_push(&g->clauses, ((struct logged){.n = 0}));
    struct logged *c = &g->clauses.at[id];
    for (c->n = 0; c->n < n; c->n++)
        c->lits[c->n] = lits[c->n];
}

/* Whether assuming all of 'lits' false and propagating over the named clauses
 * alone gives a conflict. */
static bool
follows(const struct log *g, const lit *lits, size_t n, const uint32_t *from,
        size_t n_from)
{
    int value[2 * VARS] = {0};
    for (size_t i = 0; i < n; i++) {
        value[lits[i]] = -1;
        value[lit_not(lits[i])] = 1;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < n_from; i++) {
            const struct logged *c = &g->clauses.at[from[i]];
            size_t open = 0;
            lit last = 0;
            bool satisfied = false;
            for (size_t j = 0; j < c->n; j++) {
                satisfied |= value[c->lits[j]] > 0;
                if (!value[c->lits[j]] && (!open || c->lits[j] != last)) {
                    open++;
                    last = c->lits[j];
                }
            }
            if (satisfied || open > 1)
                continue;
            if (!open)
                return true;
            value[last] = 1;
            value[lit_not(last)] = -1;
            changed = true;
        }
    }
    return false;
}

static void
note_derived(void *self, uint32_t id, const lit *lits, size_t n,
             const uint32_t *from, size_t n_from)
{
    struct log *g = self;
    for (size_t i = 0; i < n_from; i++)
        g->sound &= from[i] < id && from[i] > 0;
    g->sound &= follows(g, lits, n, from, n_from);
    g->empty |= n == 0;
    log_clause(g, id, lits, n);
}

static void
note_given(void *self, uint32_t id, const lit *lits, size_t n)
{
    log_clause(self, id, lits, n);
}

/* --- tests ---------------------------------------------------------------- */

static uint32_t
model_of(const struct sat *s, uint32_t vars)
{
    uint32_t model = 0;
    for (uint32_t v = 0; v < vars; v++)
        model |= (uint32_t)(sat_value(s, lit_make(v, false)) > 0) << v;
    return model;
}

static void
agrees_with_truth_tables_and_proves_it(void)
{
    struct random r;
    random_seed(&r, 1);
    for (int round = 0; round < 20000; round++) {
        const struct formula f = random_formula(&r);
        struct log g = {.sound = true};
        struct sat *s = sat_new();
        sat_set_far(s, round % 3); // out of order, as in large problems
        sat_set_proof(
            s, &(struct sat_proof){&g, note_given, note_given, note_derived});
        for (uint32_t v = 0; v < f.vars; v++)
            sat_add_var(s);
        bool satisfiable = true;
        // Solve in between, so that adding after a model is covered too.
        for (size_t i = 0; i < f.n; i++) {
            sat_add_clause(s, f.clauses[i], f.width[i]);
            if (i % 7 == 0)
                satisfiable = sat_solve(s, NULL) == SAT_TRUE;
        }
        satisfiable = sat_solve(s, NULL) == SAT_TRUE;
        CHECK(satisfiable == has_model(&f));
        CHECK(!satisfiable || holds(&f, model_of(s, f.vars)));
        CHECK(g.sound && (satisfiable || g.empty));
        sat_free(s);
        vec_free(&g.clauses);
    }
}

/* n + 1 pigeons do not fit into n holes; enough conflicts to restart and to
 * throw clauses away. */
static void
refutes_pigeons(void)
{
    enum { HOLES = 7 };
    struct sat *s = sat_new();
    uint32_t in[HOLES + 1][HOLES];
    for (int p = 0; p <= HOLES; p++)
        for (int h = 0; h < HOLES; h++)
            in[p][h] = sat_add_var(s);
    for (int p = 0; p <= HOLES; p++) {
        lit some[HOLES];
        for (int h = 0; h < HOLES; h++)
            some[h] = lit_make(in[p][h], false);
        sat_add_clause(s, some, HOLES);
    }
    for (int h = 0; h < HOLES; h++)
        for (int p = 0; p <= HOLES; p++)
            for (int q = 0; q < p; q++)
                sat_add_clause(
                    s,
                    (lit[]){lit_make(in[p][h], true), lit_make(in[q][h], true)},
                    2);
    CHECK(sat_solve(s, NULL) == SAT_FALSE);
    CHECK(sat_get_stats(s).reductions > 0);
    sat_free(s);
}

/* --- a theory: at most two variables are true ----------------------------- */

struct at_most_two {
    lit_vec trail;
    u32_vec levels;
    uint32_t vars;
    bool eager; // propagate, or only object
};

static void
two_decide(void *self)
{
    struct at_most_two *t = self;
    vec_push(&t->levels, (uint32_t)t->trail.n);
}

static void
two_assign(void *self, lit l)
{
    struct at_most_two *t = self;
    for (size_t i = 0; i < t->trail.n; i++)
        if (t->trail.at[i] == l)
            return; // told again
    if (!lit_is_negated(l))
        vec_push(&t->trail, l);
}

static bool
two_propagate(void *self, lit_vec *out)
{
    const struct at_most_two *t = self;
    if (t->trail.n > 2) {
        for (size_t i = 0; i < 3; i++)
            vec_push(out, t->trail.at[i]);
        return false;
    }
    if (t->eager && t->trail.n == 2)
        for (uint32_t v = 0; v < t->vars; v++)
            if (lit_make(v, false) != t->trail.at[0] &&
                lit_make(v, false) != t->trail.at[1])
                vec_push(out, lit_make(v, true));
    return true;
}

static void
two_explain(void *self, lit l, lit_vec *out)
{
    const struct at_most_two *t = self;
    (void)l;
    vec_push(out, t->trail.at[0]);
    vec_push(out, t->trail.at[1]);
}

static void
two_backtrack(void *self, uint32_t level)
{
    struct at_most_two *t = self;
    if (level < t->levels.n) {
        t->trail.n = t->levels.at[level];
        t->levels.n = level;
    }
}

static bool
has_small_model(const struct formula *f)
{
    for (uint32_t model = 0; model < 1u << f->vars; model++)
        if (__builtin_popcount(model) <= 2 && holds(f, model))
            return true;
    return false;
}

static void
agrees_with_truth_tables_under_a_theory(void)
{
    struct random r;
    random_seed(&r, 2);
    for (int round = 0; round < 20000; round++) {
        const struct formula f = random_formula(&r);
        struct at_most_two two = {.vars = f.vars, .eager = round % 2};
        struct log g = {.sound = true};
        struct sat *s = sat_new();
        sat_set_far(s, round % 3);
        sat_set_theory(s, &(struct theory){"two", &two, two_decide, two_assign,
                                           two_propagate, two_explain,
                                           two_backtrack, NULL});
        sat_set_proof(
            s, &(struct sat_proof){&g, note_given, note_given, note_derived});
        for (uint32_t v = 0; v < f.vars; v++)
            sat_add_var(s);
        for (size_t i = 0; i < f.n; i++)
            sat_add_clause(s, f.clauses[i], f.width[i]);
        const bool satisfiable = sat_solve(s, NULL) == SAT_TRUE;
        const uint32_t model = model_of(s, f.vars);
        CHECK(satisfiable == has_small_model(&f));
        CHECK(!satisfiable ||
              (holds(&f, model) && __builtin_popcount(model) <= 2));
        CHECK(g.sound && (satisfiable || g.empty));
        sat_free(s);
        vec_free(&g.clauses);
        vec_free(&two.trail);
        vec_free(&two.levels);
    }
}

/* --- assumptions ---------------------------------------------------------- */

static bool
has_model_under(const struct formula *f, const lit *assumed, size_t n)
{
    struct formula g = *f;
    for (size_t i = 0; i < n; i++) {
        g.clauses[g.n][0] = assumed[i];
        g.width[g.n++] = 1;
    }
    return has_model(&g);
}

/* One solver is asked many times: what it learnt under assumptions must hold
 * without them. */
static void
agrees_with_truth_tables_under_assumptions(void)
{
    struct random r;
    random_seed(&r, 4);
    for (int round = 0; round < 3000; round++) {
        const struct formula f = random_formula(&r);
        struct sat *s = sat_new();
        for (uint32_t v = 0; v < f.vars; v++)
            sat_add_var(s);
        for (size_t i = 0; i < f.n; i++)
            sat_add_clause(s, f.clauses[i], f.width[i]);
        for (int ask = 0; ask < 6; ask++) {
            lit assumed[VARS];
            const size_t n = random_below(&r, VARS);
            for (size_t i = 0; i < n; i++)
                assumed[i] = (lit)random_below(&r, 2 * f.vars);
            const bool found = sat_solve_under(s, assumed, n, NULL) == SAT_TRUE;
            CHECK(found == has_model_under(&f, assumed, n));
            CHECK(!found || holds(&f, model_of(s, f.vars)));
            for (size_t i = 0; found && i < n; i++)
                CHECK(sat_value(s, assumed[i]) > 0);
            CHECK(!sat_is_refuted(s) || !has_model(&f));
        }
        CHECK((sat_solve(s, NULL) == SAT_TRUE) == has_model(&f));
        sat_free(s);
    }
}

int
main(void)
{
    RUN(agrees_with_truth_tables_and_proves_it);
    RUN(agrees_with_truth_tables_under_assumptions);
    RUN(refutes_pigeons);
    RUN(agrees_with_truth_tables_under_a_theory);
    return test_end();
}
