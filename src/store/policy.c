/* policy.c -- the latest version, any version, or a planned one.
 *
 * SPDX-License-Identifier: MIT */
#include "store/policy.h"

/* --- always the latest -----------------------------------------------------*/

static size_t
read_latest(void *self, const struct store_read_choice *c)
{
    (void)self;
    return c->n - 1;
}

static size_t
place_last(void *self, const struct store_place_choice *c)
{
    (void)self;
    return c->high;
}

const struct store_policy store_latest = {NULL, read_latest, place_last};

/* --- any of them -----------------------------------------------------------*/

static size_t
read_any(void *self, const struct store_read_choice *c)
{
    struct store_chance *chance = self;
    return random_unit(&chance->random) < chance->fresh
               ? c->n - 1
               : (size_t)random_below(&chance->random, c->n);
}

static size_t
place_any(void *self, const struct store_place_choice *c)
{
    struct store_chance *chance = self;
    return random_unit(&chance->random) < chance->fresh
               ? c->high
               : c->low + (size_t)random_below(&chance->random,
                                               c->high - c->low + 1);
}

void
store_chance_init(struct store_chance *c, double fresh, uint64_t seed)
{
    random_seed(&c->random, seed);
    c->fresh = fresh;
    c->policy = (struct store_policy){c, read_any, place_any};
}

/* --- by a plan -------------------------------------------------------------*/

/* Where a transaction stands in the planned order; txns.n where it does not. */
static size_t
rank_of(const struct store_plan *p, uint32_t session, uint32_t index)
{
    size_t i = 0;
    while (i < p->txns.n &&
           (p->txns.at[i].session != session || p->txns.at[i].index != index))
        i++;
    return i;
}

static bool
same_writer(struct store_writer a, struct store_writer b)
{
    return a.is_initial == b.is_initial &&
           (a.is_initial || (a.session == b.session && a.index == b.index));
}

/* The next planned read of the reader, if it is of that key. */
static const struct planned_read *
next_planned(struct store_plan *p, const struct store_read_choice *c)
{
    const size_t rank = rank_of(p, c->session, c->index);
    if (rank == p->txns.n)
        return NULL;
    struct planned_txn *txn = &p->txns.at[rank];
    if (txn->next == txn->reads.n)
        return NULL;
    const struct planned_read *read = &txn->reads.at[txn->next];
    if (read->key_len != c->key_len ||
        memcmp(read->key, c->key, c->key_len) != 0)
        return NULL;
    txn->next++;
    return read;
}

static size_t
read_planned(void *self, const struct store_read_choice *c)
{
    struct store_plan *p = self;
    const struct planned_read *read = next_planned(p, c);
    for (size_t i = 0; read && i < c->n; i++)
        if (same_writer(read->writer, c->writers[i])) {
            p->followed++;
            return i;
        }
    p->diverged++;
    return c->n - 1;
}

static size_t
place_planned(void *self, const struct store_place_choice *c)
{
    const struct store_plan *p = self;
    const size_t rank = rank_of(p, c->session, c->index);
    size_t place = c->high;
    while (place > c->low && rank_of(p, c->order[place - 1].session,
                                     c->order[place - 1].index) > rank)
        place--;
    return place;
}

void
store_plan_init(struct store_plan *p)
{
    *p = (struct store_plan){.policy = {p, read_planned, place_planned}};
}

void
store_plan_free(struct store_plan *p)
{
    for (size_t i = 0; i < p->txns.n; i++)
        vec_free(&p->txns.at[i].reads);
    vec_free(&p->txns);
}

void
store_plan_txn(struct store_plan *p, uint32_t session, uint32_t index)
{
    vec_push(&p->txns,
             ((struct planned_txn){.session = session, .index = index}));
}

void
store_plan_read(struct store_plan *p, const char *key, size_t len,
                struct store_writer writer)
{
    vec_push(&vec_top(&p->txns).reads,
             ((struct planned_read){key, len, writer}));
}
