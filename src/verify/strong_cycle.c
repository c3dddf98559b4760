/* strong_cycle.c -- see strong_cycle.h.
 *
 * Each edge is looked up in the history, and its ends are placed as the row of
 * the level says (level/level.h, which is the definition and no engine's):
 *
 *              so, wr, time        ww                  rw
 *   ser        a -> b              a -> b              a -> b
 *   si         commit -> start     commit -> start     start -> commit
 *   pc         commit -> start     commit -> commit    start -> commit
 *   psi        a -> b, and at most one rw edge in a cycle
 *
 * Where one edge ends and the next begins, the same transaction may go from
 * its start to its commit, and not back.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/strong_cycle.h"

static bool
wrong(struct err *err, const char *what)
{
    return err_set(err, ERR_SYNTAX, "in a cycle, %s", what);
}

/* Whether t counts, or may count and so has a place in every order. */
static bool
has_place(const struct history *h, txn_id t)
{
    return t < h->n_txns && h->txn_counts[t] != TXN_LEFT_OUT;
}

static bool
writes(const struct history *h, txn_id t, key_id k)
{
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_final_write(h, op) && op_key(h, op) == k)
            return true;
    return false;
}

static bool
write_common_key(const struct history *h, txn_id a, txn_id b)
{
    for (op_id op = h->txn_begin[a]; op < h->txn_end[a]; op++)
        if (op_is_final_write(h, op) && writes(h, b, op_key(h, op)))
            return true;
    return false;
}

/* Check that 'read' is an external read of t that can have read from w, and
 * add the literal it takes. */
static bool
add_read(struct strong_cycle *s, txn_id t, op_id read, txn_id w,
         u32_vec *clause)
{
    const struct history *h = s->h;
    if (read < h->txn_begin[t] || read >= h->txn_end[t] ||
        !op_is_external_read(h, read) || w == t)
        return false;
    const value_id v = h->op_value[read];
    assert(h->txn_counts[t] != TXN_LEFT_OUT);
    const bool several = history_has_several(h, v);
    const txn_id only = history_writer(h, v);
    const struct txn_range all =
        several ? history_candidates(h, v) : (struct txn_range){&only, 1};
    for (size_t i = 0; i < all.n; i++)
        if (all.at[i] == w) {
            if (several || h->txn_counts[t] == TXN_MAY_COUNT)
                vec_push(clause, proof_not(proof_choice(s->facts, read, w)));
            return true;
        }
    return false;
}

/* Add the literal that it takes for a's versions to be before b's. */
static void
add_before(struct strong_cycle *s, txn_id a, txn_id b, u32_vec *clause)
{
    assert(a != b && has_place(s->h, a) && has_place(s->h, b));
    if (!verify_list_order_before(&s->lists, a, b))
        vec_push(clause, proof_not(proof_before(s->facts, a, b)));
}

bool
strong_cycle_add_overwrite(struct strong_cycle *s, txn_id reader, op_id read,
                           txn_id writer, txn_id other, u32_vec *clause)
{
    if (!add_read(s, reader, read, writer, clause) || other == reader ||
        other == writer || !writes(s->h, other, op_key(s->h, read)))
        return false;
    if (writer != TXN_INIT)
        add_before(s, writer, other, clause);
    return true;
}

static bool
is_time(const struct strong_cycle *s, txn_id a, txn_id b)
{
    const struct history *h = s->h;
    assert(has_place(h, a) && has_place(h, b));
    return level_table[s->level].needs_times && h->txn_began &&
           h->txn_status[a] == TXN_COMMITTED &&
           h->txn_ended[a] < h->txn_began[b];
}

static bool
check_edge(struct strong_cycle *s, const struct proof_edge *e, u32_vec *clause,
           struct err *err)
{
    const struct history *h = s->h;
    if (!has_place(h, e->from) || !has_place(h, e->to) || e->from == e->to)
        return wrong(err, "an edge does not join two transactions");
    switch (e->kind) {
    case EDGE_SO:
        if (h->txn_counts[e->from] == TXN_MAY_COUNT)
            vec_push(clause, proof_not(proof_counts(s->facts, e->from)));
        return (h->txn_session[e->from] == h->txn_session[e->to] &&
                e->from < e->to) ||
               wrong(err, "session order is not as claimed");
    case EDGE_TIME:
        return is_time(s, e->from, e->to) ||
               wrong(err, "time is not as claimed");
    case EDGE_WR:
        return add_read(s, e->to, e->read, e->from, clause) ||
               wrong(err, "the read cannot have read from the source");
    case EDGE_WW:
        if (!write_common_key(h, e->from, e->to))
            return wrong(err, "two transactions write no common key");
        add_before(s, e->from, e->to, clause);
        return true;
    case EDGE_RW:
        if (e->read == ID_NONE && !level_table[s->level].one_rw) {
            vec_push(clause, proof_not(proof_ahead(s->facts, e->from, e->to)));
            return true;
        }
        return (e->read != ID_NONE &&
                strong_cycle_add_overwrite(s, e->from, e->read, e->writer,
                                           e->to, clause)) ||
               wrong(err, "the target does not overwrite what was read");
    default:
        return wrong(err, "an edge has a kind that this level does not have");
    }
}

/* The points that e joins. */
static struct level_placement
place(const struct level_info *level, const struct proof_edge *e)
{
    return level->place[e->kind == EDGE_RW   ? DEPENDS_RW
                        : e->kind == EDGE_WW ? DEPENDS_WW
                                             : DEPENDS_SEES];
}

bool
strong_cycle_check(struct strong_cycle *s, const struct proof_edge *edges,
                   size_t n, u32_vec *clause, struct err *err)
{
    const struct level_info *level = &level_table[s->level];
    size_t rws = 0;
    assert(level_is_strong(s->level) && s->facts);
    if (!n)
        return wrong(err, "there is no edge");
    for (size_t i = 0; i < n; i++) {
        const struct proof_edge *e = &edges[i], *next = &edges[(i + 1) % n];
        if (!check_edge(s, e, clause, err))
            return false;
        if (e->to != next->from)
            return wrong(err,
                         "an edge does not begin where the one before ends");
        if (level->two_points && place(level, e).to == POINT_COMMIT &&
            place(level, next).from == POINT_START)
            return wrong(err, "a commit is followed by its start");
        rws += e->kind == EDGE_RW;
    }
    return !level->one_rw || rws < 2 ||
           wrong(err, "there are two rw edges, which the level allows");
}
