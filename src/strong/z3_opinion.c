/* z3_opinion.c -- the strong levels in integer difference logic.
 *
 * Every point is an integer, and the definition is written down as it stands:
 * a read finds the version of some candidate, which committed before the read
 * started and which no other writer of the key overwrote in between.  With the
 * engine it shares only the tables of who writes a key and who may have written
 * what was read (depend/): no edges, no rules, no numbering of points.  The
 * version order is the order of commits.
 *
 * A transaction that may count has a truth value that says whether it does.
 * What involves the transaction holds only if it counts.
 *
 * Two points that no constraint compares may get the same number; either order
 * of them works.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/z3_opinion.h"

#include "base/library.h"
#include "depend/precedence.h"
#include "depend/reads.h"
#include "depend/writers.h"

#include <z3.h>

/* What is used of the library; see base/library.h. */
// clang-format off
#define CALLS(F) F(Z3_del_config) F(Z3_del_context) F(Z3_mk_and) \
    F(Z3_mk_bool_sort) F(Z3_mk_config) F(Z3_mk_context) \
    F(Z3_mk_fresh_const) F(Z3_mk_int_sort) F(Z3_mk_lt) F(Z3_mk_not) F(Z3_mk_or) F(Z3_mk_params) F(Z3_mk_solver_for_logic) \
    F(Z3_mk_string_symbol) F(Z3_params_dec_ref) F(Z3_params_inc_ref) \
    F(Z3_params_set_uint) F(Z3_solver_assert) F(Z3_solver_check) \
    F(Z3_solver_dec_ref) F(Z3_solver_inc_ref) F(Z3_solver_set_params)
// clang-format on
static struct {
    CALLS(LIBRARY_MEMBER)
} z3;
static const char *const calls[] = {CALLS(LIBRARY_NAME)};

struct opinion {
    const struct history *h;
    enum level level;
    Z3_context z3;
    Z3_solver solver;
    Z3_ast *start, *commit; // by transaction; the same at ser
    Z3_ast *counts;         // by transaction that may count
    struct writers writers;
};

static Z3_ast
before(const struct opinion *o, Z3_ast a, Z3_ast b)
{
    return z3.Z3_mk_lt(o->z3, a, b);
}

static Z3_ast
either(const struct opinion *o, Z3_ast a, Z3_ast b)
{
    return z3.Z3_mk_or(o->z3, 2, (Z3_ast[]){a, b});
}

static void
require(const struct opinion *o, Z3_ast fact)
{
    z3.Z3_solver_assert(o->z3, o->solver, fact);
}

static bool
may_count(const struct opinion *o, txn_id t)
{
    return t != TXN_INIT && o->h->txn_counts[t] == TXN_MAY_COUNT;
}

/* The fact, or that t does not count. */
static Z3_ast
if_counts(const struct opinion *o, txn_id t, Z3_ast fact)
{
    return may_count(o, t) ? either(o, z3.Z3_mk_not(o->z3, o->counts[t]), fact)
                           : fact;
}

/* --- points ----------------------------------------------------------------
 */

static void
make_points(struct opinion *o)
{
    const struct history *h = o->h;
    const bool one = !level_table[o->level].two_points;
    const Z3_sort integer = z3.Z3_mk_int_sort(o->z3);
    const Z3_sort boolean = z3.Z3_mk_bool_sort(o->z3);
    for (txn_id t = 0; t < h->n_txns; t++) {
        if (!h->txn_counts[t])
            continue;
        if (may_count(o, t))
            o->counts[t] = z3.Z3_mk_fresh_const(o->z3, "n", boolean);
        o->commit[t] = z3.Z3_mk_fresh_const(o->z3, "c", integer);
        o->start[t] =
            one ? o->commit[t] : z3.Z3_mk_fresh_const(o->z3, "s", integer);
        if (!one)
            require(o, before(o, o->start[t], o->commit[t]));
    }
}

/* Sessions, time, and at si that writers of a key do not overlap. */
static void
order_points(struct opinion *o)
{
    const struct history *h = o->h;
    const bool strict = level_table[o->level].needs_times;
    for (txn_id a = 0; a < h->n_txns; a++)
        for (txn_id b = 0; b < h->n_txns; b++) {
            if (a == b || !h->txn_counts[a] || !h->txn_counts[b])
                continue;
            if (precedence_by_session(h, a, b) ||
                (strict && precedence_by_time(h, a, b)))
                require(o, if_counts(o, a,
                                     if_counts(o, b,
                                               before(o, o->commit[a],
                                                      o->start[b]))));
        }
}

static void
separate(struct opinion *o, txn_id a, txn_id b)
{
    const Z3_ast apart = either(o, before(o, o->commit[a], o->start[b]),
                                before(o, o->commit[b], o->start[a]));
    require(o, if_counts(o, a, if_counts(o, b, apart)));
}

static void
separate_writers(struct opinion *o)
{
    const struct writers *w = &o->writers;
    for (key_id k = 0; k < o->h->n_keys; k++)
        for (uint32_t i = w->first[k]; i < w->first[k + 1]; i++)
            for (uint32_t j = w->first[k]; j < i; j++)
                separate(o, w->at[i], w->at[j]);
}

/* --- reads ------------------------------------------------------------------
 */

/* The read op of t found the version of w. */
static Z3_ast
found(const struct opinion *o, txn_id t, op_id op, txn_id w)
{
    const struct history *h = o->h;
    VEC(Z3_ast) all = {0};
    if (may_count(o, w))
        vec_push(&all, o->counts[w]);
    if (w != TXN_INIT)
        vec_push(&all, before(o, o->commit[w], o->start[t]));
    const key_id k = op_key(h, op);
    for (uint32_t i = o->writers.first[k]; i < o->writers.first[k + 1]; i++) {
        const txn_id other = o->writers.at[i];
        if (other == w || other == t)
            continue;
        const Z3_ast later = before(o, o->start[t], o->commit[other]);
        const Z3_ast fact =
            w == TXN_INIT
                ? later
                : either(o, later, before(o, o->commit[other], o->commit[w]));
        vec_push(&all, if_counts(o, other, fact));
    }
    const Z3_ast result = z3.Z3_mk_and(o->z3, (unsigned)all.n, all.at);
    vec_free(&all);
    return result;
}

static void
explain_read(struct opinion *o, txn_id t, op_id op)
{
    const struct history *h = o->h;
    txn_id only;
    const struct txn_range candidates = reads_writers(h, op, &only);
    VEC(Z3_ast) some = {0};
    for (size_t i = 0; i < candidates.n; i++)
        if (candidates.at[i] != t)
            vec_push(&some, found(o, t, op, candidates.at[i]));
    require(o, if_counts(o, t, z3.Z3_mk_or(o->z3, (unsigned)some.n, some.at)));
    vec_free(&some);
}

static void
write_down(struct opinion *o)
{
    const struct history *h = o->h;
    make_points(o);
    order_points(o);
    if (level_separates_writers(o->level))
        separate_writers(o);
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; h->txn_counts[t] && op < h->txn_end[t];
             op++)
            if (op_is_external_read(h, op))
                explain_read(o, t, op);
}

static void
set_timeout(struct opinion *o, double seconds)
{
    if (!(seconds > 0))
        return;
    const double left = seconds < 4e6 ? seconds * 1000 : 4e9;
    const Z3_params params = z3.Z3_mk_params(o->z3);
    z3.Z3_params_inc_ref(o->z3, params);
    z3.Z3_params_set_uint(o->z3, params,
                          z3.Z3_mk_string_symbol(o->z3, "timeout"),
                          left > 1 ? (unsigned)left : 1);
    z3.Z3_solver_set_params(o->z3, o->solver, params);
    z3.Z3_params_dec_ref(o->z3, params);
}

bool
z3_opinion(const struct history *h, enum level l, double seconds,
           enum verdict *out, struct err *err)
{
    *out = VERDICT_UNKNOWN;
    if (!level_is_strong(l) || level_table[l].one_rw)
        return err_set(err, ERR_FEATURE, "Z3 is not asked about %s",
                       level_table[l].name);
    if (history_has_orders(h))
        return err_set(err, ERR_FEATURE,
                       "Z3 is not asked about lists and orders of versions");
    if (!library_load("libz3.so.4", calls, LIBRARY_LENGTH(calls), &z3, err))
        return false;
    struct opinion o = {.h = h, .level = l};
    const Z3_config config = z3.Z3_mk_config();
    o.z3 = z3.Z3_mk_context(config);
    z3.Z3_del_config(config);
    o.solver =
        z3.Z3_mk_solver_for_logic(o.z3, z3.Z3_mk_string_symbol(o.z3, "QF_IDL"));
    z3.Z3_solver_inc_ref(o.z3, o.solver);
    o.start = mem_calloc(h->n_txns, sizeof(Z3_ast));
    o.commit = mem_calloc(h->n_txns, sizeof(Z3_ast));
    o.counts = mem_calloc(h->n_txns, sizeof(Z3_ast));
    writers_init(&o.writers, h, h->txn_counts);
    write_down(&o);
    writers_free(&o.writers);
    set_timeout(&o, seconds);
    const Z3_lbool answer = z3.Z3_solver_check(o.z3, o.solver);
    *out = answer == Z3_L_TRUE    ? VERDICT_OK
           : answer == Z3_L_FALSE ? VERDICT_VIOLATED
                                  : VERDICT_UNKNOWN;
    z3.Z3_solver_dec_ref(o.z3, o.solver);
    z3.Z3_del_context(o.z3);
    mem_free(o.start);
    mem_free(o.commit);
    mem_free(o.counts);
    return true;
}
