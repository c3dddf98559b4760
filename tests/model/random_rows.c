/* random_rows.c -- see random_rows.h.
 *
 * Transactions run one after the other on a store that keeps every state it
 * has been in.  A careful store answers from the last state, a stale one from
 * an earlier one that it chooses for each transaction, and a careless one
 * chooses anew for each operation.  Then some answers are changed.
 *
 * SPDX-License-Identifier: MIT */
#include "random_rows.h"

#include "base/random.h"
#include "record_rows.h"

enum { ROWS = 3, KEYS = ROWS + 1, STATES = 12 };

enum strength { CAREFUL, STALE, CARELESS };

struct sim {
    struct record *r;
    struct random random;
    enum strength strength;
    int64_t state[STATES][KEYS];
    uint32_t version[STATES][KEYS]; // which write, as record_op.prev has it
    uint32_t serial;                // of the last write
    uint32_t prev;                  // a write names the one before: never, or
                                    // so many times in eight
    bool misnames;                  // or, now and then, another
    uint32_t n_states;
    uint32_t condition[2];
    uint32_t values;            // different values of rows
    uint32_t checks, unordered; // so many reads, queries in eight
    int64_t next;               // value of the register
};

struct sim_txn {
    uint32_t snapshot;
    bool wrote[KEYS];
    int64_t own[KEYS];
    uint32_t version[KEYS];
};

static uint32_t
below(struct sim *s, uint32_t n)
{
    return (uint32_t)random_below(&s->random, n);
}

static int64_t
look(const struct sim *s, const struct sim_txn *t, uint32_t key)
{
    return t->wrote[key] ? t->own[key] : s->state[t->snapshot][key];
}

/* Which version a write of a row names. */
static uint32_t
name_prev(struct sim *s, const struct sim_txn *t, uint32_t key)
{
    if (below(s, 8) >= s->prev)
        return PREV_NONE;
    if (t->wrote[key])
        return t->version[key];
    if (s->misnames && !below(s, 6))
        return PREV_INITIAL + below(s, s->serial);
    return s->version[s->n_states - 1][key];
}

static void
write_key(struct sim *s, struct sim_txn *t)
{
    const uint32_t key = below(s, 8) ? below(s, ROWS) : ROWS;
    const int64_t value = key == ROWS   ? ++s->next
                          : below(s, 3) ? 1 + below(s, s->values)
                                        : 0;
    const uint32_t prev = name_prev(s, t, key);
    t->wrote[key] = true;
    t->own[key] = value;
    t->version[key] = ++s->serial;
    record_write(s->r, key, value);
    vec_top(&s->r->ops).serial = s->serial;
    vec_top(&s->r->ops).prev = prev;
}

static enum record_question
choose_columns(struct sim *s)
{
    return below(s, 2) ? ASKS_VALUE : below(s, 2) ? ASKS_COLUMN : ASKS_ROW;
}

static void
read_row(struct sim *s, const struct sim_txn *t)
{
    const uint32_t key = below(s, 4) ? below(s, ROWS) : ROWS;
    record_read(s->r, key, look(s, t, key));
    if (key < ROWS) {
        vec_top(&s->r->ops).asks = choose_columns(s);
        vec_top(&s->r->ops).is_check = below(s, 8) < s->checks;
    }
}

static void
query(struct sim *s, struct sim_txn *t)
{
    const uint32_t condition = s->condition[below(s, 2)];
    record_read(s->r, 0, 0);
    struct record_op *op = &vec_top(&s->r->ops);
    op->asks = ASKS_QUERY;
    op->condition = condition;
    op->is_check = below(s, 8) < s->checks;
    op->is_unordered = below(s, 8) < s->unordered;
    op->items = (uint32_t)s->r->items.n;
    for (uint32_t key = 0; key < ROWS; key++) {
        if (op->is_unordered && s->strength == CARELESS)
            t->snapshot = below(s, s->n_states);
        const int64_t value = look(s, t, key);
        if (record_rows_matches(condition) >> value & 1) {
            vec_push(&s->r->items,
                     record_rows_item(key, value, choose_columns(s)));
            op->items_n++;
        }
    }
}

static void
run_txn(struct sim *s, uint32_t session)
{
    struct sim_txn t = {.snapshot = s->n_states - 1};
    const uint32_t draw = below(s, 12);
    const enum txn_status status = draw == 0   ? TXN_ABORTED
                                   : draw == 1 ? TXN_INDETERMINATE
                                               : TXN_COMMITTED;
    if (s->strength == STALE && t.snapshot)
        t.snapshot -= 1 + below(s, t.snapshot < 3 ? t.snapshot : 3);
    record_begin(s->r, session, status);
    bool asked = false;
    for (uint32_t n = 1 + below(s, 4); n; n--) {
        if (s->strength == CARELESS)
            t.snapshot = below(s, s->n_states);
        const uint32_t kind = below(s, 20);
        if (kind < 8)
            write_key(s, &t);
        else if (kind < 13 || asked)
            read_row(s, &t);
        else
            query(s, &t);
        asked |= kind >= 13;
    }
    if (status == TXN_ABORTED || (status == TXN_INDETERMINATE && below(s, 2)))
        return;
    assert(s->n_states < STATES);
    for (uint32_t key = 0; key < KEYS; key++) {
        s->state[s->n_states][key] =
            t.wrote[key] ? t.own[key] : s->state[s->n_states - 1][key];
        s->version[s->n_states][key] =
            t.wrote[key] ? t.version[key] : s->version[s->n_states - 1][key];
    }
    s->n_states++;
}

/* Change what some read saw, into something that its question allows. */
static void
change_answer(struct sim *s)
{
    struct record *r = s->r;
    struct record_op *op = &r->ops.at[below(s, (uint32_t)r->ops.n)];
    if (op->is_write || op->key == ROWS)
        return;
    if (op->asks != ASKS_QUERY) {
        op->value = below(s, s->values + 1);
    } else if (op->items_n) {
        op->items_n--; // the last row is not returned
    }
}

static void
add_times(struct sim *s)
{
    struct record *r = s->r;
    r->times = true;
    for (size_t i = 0; i < r->txns.n; i++) {
        r->txns.at[i].began = (int64_t)(10 * i);
        r->txns.at[i].ended = (int64_t)(10 * i) + 1 + below(s, 30);
    }
}

void
random_rows(uint64_t seed, struct record *r)
{
    *r = (struct record){.initial_is_nil = true, .has_rows = true};
    struct sim s = {.r = r, .n_states = 1, .serial = PREV_INITIAL};
    random_seed(&s.random, seed);
    static const enum strength strengths[] = {CAREFUL, STALE, STALE, STALE,
                                              CARELESS};
    s.strength = strengths[below(&s, 5)];
    s.values = ROWS_VALUES - 1;
    if (below(&s, 2))
        s.values = 1 + below(&s, s.values);
    s.condition[0] = below(&s, ROWS_CONDITIONS);
    s.condition[1] = below(&s, ROWS_CONDITIONS);
    r->names_versions = below(&s, 3) == 0;
    s.prev = r->names_versions && below(&s, 4) ? 1 + below(&s, 8) : 0;
    s.misnames = below(&s, 2);
    r->names_conditions = below(&s, 4) == 0;
    s.checks = below(&s, 3) ? 0 : 1 + below(&s, 8);
    s.unordered = below(&s, 3) ? 0 : 1 + below(&s, 8);
    for (uint32_t key = 0; key < KEYS; key++) {
        static const char *const names[KEYS] = {"1", "2", "3", "x"};
        record_key(r, names[key], false);
        s.version[0][key] = PREV_INITIAL;
        if (key == ROWS)
            continue;
        r->keys.at[key].is_row = true;
        r->keys.at[key].initial = below(&s, 2) ? 1 + below(&s, s.values) : 0;
        s.state[0][key] = r->keys.at[key].initial;
    }
    const uint32_t sessions = 1 + below(&s, 5);
    for (uint32_t n = 3 + below(&s, 4); n; n--)
        run_txn(&s, below(&s, sessions));
    for (uint32_t n = below(&s, 5) ? 0 : 1 + below(&s, 2); n; n--)
        change_answer(&s);
    if (seed % 3 == 0)
        add_times(&s);
}
