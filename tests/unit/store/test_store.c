/* test_store.c -- the store allows exactly what its level allows.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"
#include "tiny.h"

#include "base/container/vec.h"

#define MASK(l) (1u << (l))

static const enum level levels[] = {LEVEL_RC,  LEVEL_RA, LEVEL_CC, LEVEL_PC,
                                    LEVEL_PSI, LEVEL_SI, LEVEL_SER};
enum { N_LEVELS = sizeof levels / sizeof levels[0], RUNS = 10000 };

/* Run many small programs at a level and say which levels some run broke. */
static level_set
broken_by(enum level level, uint32_t window, uint64_t runs)
{
    level_set broken = 0;
    struct random r;
    random_seed(&r, 17 + (uint64_t)level);
    for (uint64_t i = 0; i < runs; i++) {
        struct tiny p;
        struct tiny_run run;
        tiny_random(&p, 3 + (unsigned)random_below(&r, TINY_TXNS - 2),
                    1 + (unsigned)random_below(&r, TINY_KEYS), 0.6, &r);
        tiny_execute(&p, level, window, 0.25, random_next(&r), &run);
        // Of the level itself every run is a witness; of others, one is
        // enough.
        for (int l = 0; l < N_LEVELS; l++)
            if (levels[l] == level || !(broken & MASK(levels[l])))
                if (!tiny_allowed(&p, &run, levels[l]))
                    broken |= MASK(levels[l]);
    }
    return broken;
}

static void
a_level_is_kept_and_each_one_it_does_not_imply_is_broken(void)
{
    for (int l = 0; l < N_LEVELS; l++) {
        const level_set broken = broken_by(levels[l], 0, RUNS);
        for (int m = 0; m < N_LEVELS; m++) {
            const bool implied = level_implied(levels[l]) & MASK(levels[m]);
            CHECK(implied == !(broken & MASK(levels[m])));
        }
    }
}

static void
a_window_takes_nothing_away_from_the_guarantee(void)
{
    for (uint32_t window = 1; window <= 3; window++)
        for (int l = 0; l < N_LEVELS; l++) {
            const level_set broken = broken_by(levels[l], window, RUNS / 4);
            CHECK(!(broken & level_implied(levels[l])));
        }
}

/* --- exactness -------------------------------------------------------------*/

typedef VEC(struct tiny_run) run_vec;

static bool
contains(const run_vec *v, const struct tiny_run *run)
{
    for (size_t i = 0; i < v->n; i++)
        if (memcmp(&v->at[i], run, sizeof *run) == 0)
            return true;
    return false;
}

static bool
writes_before(const struct tiny_txn *t, unsigned op, unsigned key)
{
    for (unsigned i = 0; i < op; i++)
        if (t->ops[i].is_write && t->ops[i].key == key)
            return true;
    return false;
}

/* What the read may have read from, with no regard to any level. */
static unsigned
sources(const struct tiny *p, unsigned t, unsigned op, uint8_t *out)
{
    const struct tiny_op read = p->txns[t].ops[op];
    unsigned n = 0;
    if (writes_before(&p->txns[t], op, read.key)) {
        out[n++] = TINY_OWN;
        return n;
    }
    out[n++] = TINY_INIT;
    for (unsigned u = 0; u < p->n_txns; u++)
        if (u != t && writes_before(&p->txns[u], p->txns[u].n_ops, read.key))
            out[n++] = (uint8_t)u;
    return n;
}

/* Turn the reads of the run to the next combination, like an odometer. */
static bool
turn(const struct tiny *p, struct tiny_run *run)
{
    for (unsigned t = 0; t < p->n_txns; t++)
        for (unsigned op = 0; op < p->txns[t].n_ops; op++) {
            if (p->txns[t].ops[op].is_write)
                continue;
            uint8_t from[TINY_TXNS + 1];
            const unsigned n = sources(p, t, op, from);
            unsigned i = 0;
            while (from[i] != run->from[t][op])
                i++;
            run->from[t][op] = from[(i + 1) % n];
            if (i + 1 < n)
                return true;
        }
    return false;
}

static void
all_allowed(const struct tiny *p, enum level level, run_vec *out)
{
    struct tiny_run run;
    memset(&run, 0, sizeof run);
    for (unsigned t = 0; t < p->n_txns; t++) {
        run.committed[t] = true;
        for (unsigned op = 0; op < p->txns[t].n_ops; op++) {
            uint8_t from[TINY_TXNS + 1];
            if (!p->txns[t].ops[op].is_write) {
                sources(p, t, op, from);
                run.from[t][op] = from[0];
            }
        }
    }
    do
        if (tiny_allowed(p, &run, level))
            vec_push(out, run);
    while (turn(p, &run));
}

static bool
all_committed(const struct tiny *p, const struct tiny_run *run)
{
    for (unsigned t = 0; t < p->n_txns; t++)
        if (!run->committed[t])
            return false;
    return true;
}

static void
exactly_the_allowed_runs_occur(void)
{
#define W(k)                                                                   \
    {                                                                          \
        true, k                                                                \
    }
#define R(k)                                                                   \
    {                                                                          \
        false, k                                                               \
    }
    static const struct tiny programs[] = {
        // The shapes of lost update, write skew, long fork and causality.
        {3, {{0, 2, {R(0), W(0)}}, {1, 2, {R(0), W(0)}}, {2, 2, {R(0), R(0)}}}},
        {4,
         {{0, 3, {R(0), R(1), W(0)}},
          {1, 3, {R(0), R(1), W(1)}},
          {2, 2, {R(1), R(0)}},
          {2, 1, {R(0)}}}},
        {4,
         {{0, 1, {W(0)}},
          {1, 1, {W(1)}},
          {2, 2, {R(0), R(1)}},
          {3, 2, {R(1), R(0)}}}},
        {5,
         {{0, 1, {W(0)}},
          {0, 2, {W(0), W(1)}},
          {1, 2, {R(0), W(1)}},
          {2, 2, {R(1), R(0)}},
          {2, 1, {R(0)}}}},
    };
#undef W
#undef R
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        for (int l = 0; l < N_LEVELS; l++) {
            run_vec allowed = {0}, occurred = {0};
            all_allowed(&programs[i], levels[l], &allowed);
            for (uint64_t seed = 0; seed < 1000000 && occurred.n < allowed.n;
                 seed++) {
                struct tiny_run run;
                tiny_execute(&programs[i], levels[l], 0, 0, seed, &run);
                if (all_committed(&programs[i], &run) &&
                    !contains(&occurred, &run)) {
                    CHECK(contains(&allowed, &run));
                    vec_push(&occurred, run);
                }
            }
            CHECK(allowed.n > 1);
            CHECK(occurred.n == allowed.n);
            vec_free(&allowed);
            vec_free(&occurred);
        }
}

/* --- policies --------------------------------------------------------------*/

static struct store *
open_store(enum level level, const struct store_policy *policy)
{
    struct store *s = NULL;
    struct err err = {0};
    CHECK(store_new(&(struct store_options){level, 0, policy}, &s, &err));
    return s;
}

static void
put(struct store *s, uint32_t session, const char *key, const char *value)
{
    const store_txn t = store_begin(s, session);
    store_write(s, t, key, strlen(key), value, strlen(value));
    CHECK(store_commit(s, t));
}

static void
the_latest_version_is_read_by_default(void)
{
    struct store *s = open_store(LEVEL_SER, &store_latest);
    put(s, 0, "x", "1");
    put(s, 1, "x", "2");
    const store_txn t = store_begin(s, 2);
    CHECK_TEXT(store_read(s, t, "x", 1).text, "2");
    CHECK(store_read(s, t, "y", 1).text == NULL);
    store_write(s, t, "x", 1, "3", 1);
    const struct store_value own = store_read(s, t, "x", 1);
    CHECK(own.is_own);
    CHECK_TEXT(own.text, "3");
    store_abort(s, t);
    const store_txn u = store_begin(s, 2);
    const struct store_value after = store_read(s, u, "x", 1);
    CHECK_TEXT(after.text, "2");
    CHECK(after.writer.session == 1 && after.writer.index == 0);
    CHECK(store_commit(s, u));
    store_free(s);
}

static void
a_plan_is_followed_as_far_as_the_level_allows(void)
{
    struct store_plan plan;
    store_plan_init(&plan);
    store_plan_txn(&plan, 0, 0);
    store_plan_txn(&plan, 1, 0);
    store_plan_txn(&plan, 2, 0);
    store_plan_read(&plan, "x", 1, (struct store_writer){true, 0, 0});
    store_plan_read(&plan, "y", 1, (struct store_writer){true, 0, 0});
    store_plan_txn(&plan, 2, 1);
    store_plan_read(&plan, "x", 1, (struct store_writer){false, 0, 0});
    // Once x was seen, nothing older may be.
    store_plan_txn(&plan, 2, 2);
    store_plan_read(&plan, "x", 1, (struct store_writer){true, 0, 0});
    struct store *s = open_store(LEVEL_CC, &plan.policy);
    put(s, 0, "x", "1");
    put(s, 1, "y", "1");
    const store_txn t = store_begin(s, 2);
    CHECK(store_read(s, t, "x", 1).text == NULL);
    CHECK(store_read(s, t, "y", 1).text == NULL);
    CHECK(store_commit(s, t));
    const store_txn u = store_begin(s, 2);
    CHECK_TEXT(store_read(s, u, "x", 1).text, "1");
    CHECK(store_commit(s, u));
    CHECK(plan.followed == 3 && plan.diverged == 0);
    const store_txn v = store_begin(s, 2);
    CHECK_TEXT(store_read(s, v, "x", 1).text, "1");
    CHECK(plan.followed == 3 && plan.diverged == 1);
    store_abort(s, v);
    store_free(s);
    store_plan_free(&plan);
}

static void
a_window_bounds_what_is_remembered(void)
{
    struct store_chance chance;
    store_chance_init(&chance, 0.5, 1);
    struct store *s = NULL;
    struct err err = {0};
    CHECK(store_new(&(struct store_options){LEVEL_CC, 16, &chance.policy}, &s,
                    &err));
    size_t early = 0;
    for (int i = 0; i < 5000; i++) {
        put(s, (uint32_t)i % 5, i % 3 ? "x" : "y", "some value");
        if (i == 500)
            early = mem_in_use();
    }
    CHECK(mem_in_use() <= early);
    store_free(s);
}

static void
levels_it_does_not_offer_are_refused(void)
{
    struct store *s;
    struct err err = {0};
    CHECK(!store_new(&(struct store_options){LEVEL_STRICT_SER, 0, NULL}, &s,
                     &err));
    CHECK(err.kind == ERR_USAGE);
}

int
main(void)
{
    RUN(a_level_is_kept_and_each_one_it_does_not_imply_is_broken);
    RUN(a_window_takes_nothing_away_from_the_guarantee);
    RUN(exactly_the_allowed_runs_occur);
    RUN(the_latest_version_is_read_by_default);
    RUN(a_plan_is_followed_as_far_as_the_level_allows);
    RUN(a_window_bounds_what_is_remembered);
    RUN(levels_it_does_not_offer_are_refused);
    return test_end();
}
