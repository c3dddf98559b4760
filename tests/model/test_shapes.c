/* test_shapes.c -- the shapes of executions that are enough.
 *
 *     test_shapes [COUNT [SEED]]
 *
 * Proofs and searches look at one delayed transaction (si, pc) or at one that
 * is interrupted (rc), while all others run one after the other.  Here that
 * is compared with all executions of COUNT random sets of transactions, which
 * are nothing but what they read, write and lock: a set has an execution with
 * a cycle of dependencies if and only if it has one of that shape.
 *
 * SPDX-License-Identifier: MIT */
#include "range.h"
#include "test.h"

#include "base/random.h"
#include "prove/execute/interleaving.h"

#include <string.h>

enum { KEYS = 3, MOST = 4, OPERATIONS = 3 };

static uint64_t first_seed = 1, sets = 150;

enum kind { READ, WRITE, UPDATE, LOCK, KINDS };

struct operation {
    enum kind kind;
    uint32_t key;
};

struct transaction {
    uint32_t reads, writes, locks; // as bits
    struct operation at[OPERATIONS];
    uint32_t n;
};

static void
choose(struct transaction *t, struct random *r)
{
    memset(t, 0, sizeof *t);
    t->n = 1 + (uint32_t)random_below(r, OPERATIONS);
    for (uint32_t i = 0; i < t->n; i++) {
        const struct operation o = {(enum kind)random_below(r, KINDS),
                                    (uint32_t)random_below(r, KEYS)};
        const uint32_t bit = 1u << o.key;
        t->at[i] = o;
        // A read of an own write depends on nobody.
        if (o.kind != WRITE && !(t->writes & bit))
            t->reads |= bit;
        if (o.kind == WRITE || o.kind == UPDATE)
            t->writes |= bit;
        if (o.kind == LOCK)
            t->locks |= bit;
    }
}

/* Dependencies among the members of an execution. */
struct graph {
    bool edge[MOST][MOST];
};

static bool
has_cycle(struct graph g, uint32_t k)
{
    bool found = false;
    for (uint32_t m = 0; m < k; m++)
        for (uint32_t a = 0; a < k; a++)
            for (uint32_t b = 0; b < k; b++)
                g.edge[a][b] |= g.edge[a][m] && g.edge[m][b];
    for (uint32_t a = 0; a < k; a++)
        found = found || g.edge[a][a];
    return found;
}

/* --- si and pc: each member sees those before it, up to a point -----------*/

/* Whether the members, in the order of their commits, have a cycle when
 * member b sees those before saw[b]; only where the level allows it. */
static bool
is_bad(const struct transaction *const *t, uint32_t k, const uint32_t *saw,
       bool si)
{
    struct graph g = {{{false}}};
    for (uint32_t b = 0; b < k; b++)
        for (uint32_t a = 0; a < k; a++) {
            if (si && a < b && a >= saw[b] &&
                t[a]->writes & (t[b]->writes | t[b]->locks))
                return false; // a conflict with somebody unseen
            if (a < b && t[a]->writes & t[b]->writes)
                g.edge[a][b] = true;
            if (a < saw[b] && t[a]->writes & t[b]->reads)
                g.edge[a][b] = true;
            if (a != b && a >= saw[b] && t[a]->writes & t[b]->reads)
                g.edge[b][a] = true;
        }
    return has_cycle(g, k);
}

/* All orders of the transactions in 'subset', and all they can see. */
static void
try_subset(const struct transaction *all, uint32_t subset, bool si, bool *any,
           bool *delayed)
{
    uint32_t order[MOST], k = 0;
    for (uint32_t i = 0; i < MOST; i++)
        if (subset >> i & 1)
            order[k++] = i;
    do {
        const struct transaction *t[MOST];
        uint32_t saw[MOST] = {0}, i = 0;
        for (uint32_t j = 0; j < k; j++)
            t[j] = &all[order[j]];
        while (i < k) {
            bool is_delayed = saw[k - 1] == 0;
            for (uint32_t j = 0; j + 1 < k; j++)
                is_delayed = is_delayed && saw[j] == j;
            const bool bad = is_bad(t, k, saw, si);
            *any = *any || bad;
            *delayed = *delayed || (bad && is_delayed);
            for (i = 0; i < k && ++saw[i] > i; i++)
                saw[i] = 0;
        }
    } while (interleaving_next_order(order, k));
}

static uint32_t bad_sets;

static void
one_delayed_transaction_is_enough(void)
{
    for (int si = 0; si < 2; si++) {
        bad_sets = 0;
        for (uint64_t seed = first_seed; seed < first_seed + sets; seed++) {
            struct random r;
            struct transaction all[MOST];
            bool any = false, delayed = false;
            random_seed(&r, seed);
            for (uint32_t i = 0; i < MOST; i++)
                choose(&all[i], &r);
            for (uint32_t subset = 1; subset < 1u << MOST; subset++)
                try_subset(all, subset, si, &any, &delayed);
            CHECK(any == delayed);
            if (any != delayed)
                printf("# seed %llu\n", (unsigned long long)seed);
            bad_sets += any;
        }
        printf("# %s: %llu sets, %u with a cycle\n", si ? "si" : "pc",
               (unsigned long long)sets, bad_sets);
        CHECK(bad_sets > 0 && bad_sets < sets);
    }
}

/* --- rc: statement by statement -------------------------------------------*/

enum { MEMBERS = 3 };

struct member {
    const struct transaction *t;
    uint32_t done;             // operations; t->n + 1: committed
    uint32_t commit;           // its place among the commits
    uint32_t read[OPERATIONS]; // how many commits were there at a read
};

struct execution {
    struct member all[MEMBERS];
    uint32_t k, commits;
};

static bool
is_active(const struct member *m)
{
    return m->done > 0 && m->done <= m->t->n;
}

/* Whether the next operation of a member has to wait for another's lock. */
static bool
waits(const struct execution *e, uint32_t i)
{
    const struct member *m = &e->all[i];
    if (m->done >= m->t->n || m->t->at[m->done].kind == READ)
        return false;
    for (uint32_t j = 0; j < e->k; j++)
        for (uint32_t o = 0;
             j != i && is_active(&e->all[j]) && o < e->all[j].done; o++) {
            const struct operation *x = &e->all[j].t->at[o];
            if (x->kind != READ && x->key == m->t->at[m->done].key)
                return true;
        }
    return false;
}

static void
advance(struct execution *e, uint32_t i)
{
    struct member *m = &e->all[i];
    if (m->done < m->t->n)
        m->read[m->done] = e->commits;
    else
        m->commit = e->commits++;
    m->done++;
}

static bool
is_bad_committed(const struct execution *e)
{
    struct graph g = {{{false}}};
    for (uint32_t a = 0; a < e->k; a++)
        for (uint32_t b = 0; b < e->k; b++) {
            const struct member *x = &e->all[a], *y = &e->all[b];
            if (a == b)
                continue;
            if (x->commit < y->commit && x->t->writes & y->t->writes)
                g.edge[a][b] = true;
            uint32_t own = 0;
            for (uint32_t o = 0; o < y->t->n; o++) {
                const uint32_t bit = 1u << y->t->at[o].key;
                const enum kind kind = y->t->at[o].kind;
                if (kind != WRITE && !(own & bit) && x->t->writes & bit)
                    *(x->commit < y->read[o] ? &g.edge[a][b] : &g.edge[b][a]) =
                        true;
                if (kind == WRITE || kind == UPDATE)
                    own |= bit;
            }
        }
    return has_cycle(g, e->k);
}

/* All ways to go on. */
static bool
any_interleaving(const struct execution *e)
{
    if (e->commits == e->k)
        return is_bad_committed(e);
    for (uint32_t i = 0; i < e->k; i++) {
        if (e->all[i].done > e->all[i].t->n || waits(e, i))
            continue;
        struct execution next = *e;
        advance(&next, i);
        if (any_interleaving(&next))
            return true;
    }
    return false;
}

/* The first member is interrupted before some operation or its commit. */
static bool
any_interruption(const struct execution *start)
{
    for (uint32_t split = 0; split <= start->all[0].t->n; split++) {
        struct execution e = *start;
        bool ok = true;
        while (e.all[0].done < split)
            advance(&e, 0);
        for (uint32_t i = 1; i < e.k; i++)
            while (ok && e.all[i].done <= e.all[i].t->n) {
                ok = !waits(&e, i);
                advance(&e, i);
            }
        while (ok && e.all[0].done <= e.all[0].t->n)
            advance(&e, 0);
        if (ok && is_bad_committed(&e))
            return true;
    }
    return false;
}

static void
one_interrupted_transaction_is_enough(void)
{
    bad_sets = 0;
    for (uint64_t seed = first_seed; seed < first_seed + sets; seed++) {
        struct random r;
        struct transaction all[MEMBERS];
        bool any = false, interrupted = false;
        random_seed(&r, seed);
        for (uint32_t i = 0; i < MEMBERS; i++)
            choose(&all[i], &r);
        for (uint32_t subset = 1; subset < 1u << MEMBERS; subset++) {
            uint32_t order[MEMBERS], k = 0;
            for (uint32_t i = 0; i < MEMBERS; i++)
                if (subset >> i & 1)
                    order[k++] = i;
            do {
                struct execution e = {.k = k};
                for (uint32_t i = 0; i < k; i++)
                    e.all[i].t = &all[order[i]];
                any = any || any_interleaving(&e);
                interrupted = interrupted || any_interruption(&e);
            } while (interleaving_next_order(order, k));
        }
        CHECK(any == interrupted);
        if (any != interrupted)
            printf("# seed %llu\n", (unsigned long long)seed);
        bad_sets += any;
    }
    printf("# rc: %llu sets, %u with a cycle\n", (unsigned long long)sets,
           bad_sets);
    CHECK(bad_sets > 0 && bad_sets < sets);
}

int
main(int argc, char **argv)
{
    take_range(argc, argv, &sets, &first_seed);
    RUN(one_delayed_transaction_is_enough);
    RUN(one_interrupted_transaction_is_enough);
    return test_end();
}
