/* reduce.c -- see reduce.h.
 *
 * Engines answer with evidence, and the evidence names transactions: as long
 * as the answer on a part speaks about a smaller part, that one is next.  It
 * usually ends after two or three rounds with a handful of transactions.  What
 * is left is tried without its halves, quarters and so on down to the single
 * transactions, and each success again shrinks to what its evidence names.
 *
 * Parts inherit satisfaction (part.h), so a transaction that could not be
 * taken out of a larger part cannot be taken out of a smaller one, and one
 * pass over the single ones makes the result minimal.  Passes repeat all the
 * same until one changes nothing, because evidence may skip some.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/reduce.h"

#include "explain/core.h"
#include "explain/part.h"

void
reduced_free(struct reduced *r)
{
    history_free(&r->h);
    vec_free(&r->origin);
}

/* Whether h is no proper part: inconsistent, or with a transaction that has
 * turned into a part of the loading, because what it or its session did before
 * is gone.  That changes what others may have read. */
static bool
is_improper(const struct history *h)
{
    for (txn_id t = 0; t < h->n_txns; t++)
        if (h->txn_status[t] == TXN_LOADING)
            return true;
    flaw_vec flaws = {0};
    const size_t n = history_flaws(h, 1, &flaws);
    vec_free(&flaws);
    return n;
}

static struct check_options
engine_options(level_set levels, const struct reduce_options *o)
{
    return (struct check_options){.levels = levels,
                                  .threads = o->threads,
                                  .timeout = o->timeout,
                                  .most_flaws = 1,
                                  .strong = o->strong};
}

level_set
reduce_violated(const struct history *h, level_set levels,
                const struct reduce_options *o)
{
    struct check c;
    struct err err = {0};
    level_set violated = 0;
    const struct check_options options = engine_options(levels, o);
    if (!check_history(h, &options, &c, &err))
        return 0;
    for (size_t i = 0; i < c.results.n; i++)
        if (c.results.at[i].certificate.verdict == VERDICT_VIOLATED)
            violated |= 1u << c.results.at[i].level;
    check_free(&c);
    return violated;
}

bool
reduce_violates(const struct history *h, enum level level,
                const struct reduce_options *o)
{
    return !is_improper(h) && reduce_violated(h, 1u << level, o);
}

/* Ask about h; where it violates the level, set 'core' to what the evidence
 * rests on. */
static bool
ask(const struct history *h, enum level level, const struct reduce_options *o,
    u32_vec *core)
{
    struct check c;
    struct err err = {0};
    const struct check_options options = engine_options(1u << level, o);
    if (is_improper(h) || !check_history(h, &options, &c, &err))
        return false;
    const struct certificate *found = &c.results.at[0].certificate;
    const bool violated = found->verdict == VERDICT_VIOLATED;
    if (violated) {
        txn_id *owners = core_owners(h);
        core_of_certificate(h, owners, found, core);
        mem_free(owners);
    }
    check_free(&c);
    return violated;
}

/* Make *out the part of r that consists of these of its transactions. */
static bool
take_part(const struct reduced *r, const u32_vec *txns, struct reduced *out,
          struct err *err)
{
    *out = (struct reduced){0};
    vec_grow(&out->origin, txns->n);
    const struct part_wish wish = {.txns = txns->at, .n = txns->n};
    if (!part_make(&r->h, &wish, &out->h, out->origin.at, err)) {
        vec_free(&out->origin);
        return false;
    }
    for (size_t i = 0; i < txns->n; i++)
        out->origin.at[i] = r->origin.at[out->origin.at[i]];
    return true;
}

/* Replace r by its part, if that violates the level; then go on to the parts
 * that the evidence names. */
static bool
shrink_to(struct reduced *r, const u32_vec *txns, enum level level,
          const struct reduce_options *o, bool *shrunk, struct err *err)
{
    *shrunk = false;
    u32_vec next = {0};
    for (size_t i = 0; i < txns->n; i++)
        vec_push(&next, txns->at[i]);
    bool ok = true;
    while (ok && next.n && next.n < r->h.n_txns) {
        struct reduced part;
        ok = take_part(r, &next, &part, err);
        if (!ok)
            break;
        if (!ask(&part.h, level, o, &next)) {
            reduced_free(&part);
            break;
        }
        reduced_free(r);
        *r = part;
        *shrunk = true;
    }
    vec_free(&next);
    return ok;
}

/* Try r without each run of 'size' transactions. */
static bool
try_without_runs(struct reduced *r, size_t size, enum level level,
                 const struct reduce_options *o, bool *any, struct err *err)
{
    u32_vec rest = {0};
    bool ok = true;
    for (size_t first = 0; ok && first < r->h.n_txns && r->h.n_txns > 1;) {
        vec_clear(&rest);
        for (txn_id t = 0; t < r->h.n_txns; t++)
            if (t < first || t >= first + size)
                vec_push(&rest, t);
        bool shrunk = false;
        if (rest.n)
            ok = shrink_to(r, &rest, level, o, &shrunk, err);
        *any |= shrunk;
        // What is at 'first' now has not been tried, unless nothing changed.
        // Evidence may have taken out some before, which can skip a few: the
        // next pass tries those.
        if (!shrunk)
            first += size;
    }
    vec_free(&rest);
    return ok;
}

bool
reduce_txns(const struct history *h, const u32_vec *core, enum level level,
            const struct reduce_options *o, struct reduced *out,
            struct err *err)
{
    *out = (struct reduced){0};
    u32_vec named = {0};
    vec_grow(&out->origin, core->n);
    const struct part_wish wish = {.txns = core->at, .n = core->n};
    bool ok = part_make(h, &wish, &out->h, out->origin.at, err) &&
              ask(&out->h, level, o, &named);
    bool shrunk;
    ok = ok && shrink_to(out, &named, level, o, &shrunk, err);
    vec_free(&named);
    for (size_t size = out->h.n_txns / 2; ok && size > 1; size /= 2) {
        bool any = false;
        if (size < out->h.n_txns)
            ok = try_without_runs(out, size, level, o, &any, err);
    }
    for (bool any = true; ok && any;) {
        any = false;
        ok = try_without_runs(out, 1, level, o, &any, err);
    }
    if (!ok)
        reduced_free(out);
    return ok;
}

/* Try all of the core but one transaction of r; take what is smaller. */
static bool
find_fewer(const struct history *h, const u32_vec *core, enum level level,
           const struct reduce_options *o, struct reduced *r, bool *found,
           struct err *err)
{
    u32_vec rest = {0};
    bool ok = true;
    *found = false;
    for (size_t i = 0; ok && !*found && i < r->origin.n; i++) {
        vec_clear(&rest);
        for (size_t j = 0; j < core->n; j++)
            if (core->at[j] != r->origin.at[i])
                vec_push(&rest, core->at[j]);
        struct reduced other;
        if (!reduce_txns(h, &rest, level, o, &other, err)) {
            ok = err->kind == ERR_NONE;
            continue;
        }
        *found = other.h.n_txns < r->h.n_txns;
        struct reduced worse = other;
        if (*found) {
            worse = *r;
            *r = other;
        }
        reduced_free(&worse);
    }
    vec_free(&rest);
    return ok;
}

bool
reduce_further(const struct history *h, const u32_vec *core, enum level level,
               const struct reduce_options *o, struct reduced *r,
               struct err *err)
{
    bool ok = true;
    for (bool found = true; ok && found && r->h.n_txns > 2;)
        ok = find_fewer(h, core, level, o, r, &found, err);
    return ok;
}

/* --- operations -----------------------------------------------------------*/

/* Whether taking out the operation of t leaves a history in which the others
 * mean what they meant.  Without the last write of a key an earlier one would
 * come to light; without one of the writes that an ambiguous read may have
 * seen, that read would be less ambiguous than it was. */
static bool
may_go(const struct history *h, txn_id t, op_id op)
{
    if (!op_is_final_write(h, op))
        return true;
    for (op_id other = h->txn_begin[t]; other < op; other++)
        if (op_is_write(h, other) && op_key(h, other) == op_key(h, op))
            return false;
    const value_id v = h->op_value[op];
    if (!history_has_several(h, v))
        return true;
    for (op_id other = 0; other < h->n_ops; other++)
        if (!op_is_write(h, other) && h->op_value[other] == v)
            return false;
    return true;
}

/* Try the history without each operation, from the back: of two reads that
 * show the same the first stays. */
static bool
try_without_ops(struct reduced *r, const u32_vec *txns, enum level level,
                const struct reduce_options *o, bool *any, struct err *err)
{
    txn_id *same = mem_alloc(txns->n, sizeof *same);
    bool ok = true;
    for (txn_id t = r->h.n_txns; ok && t-- > 0;)
        for (op_id op = r->h.txn_end[t]; ok && op-- > r->h.txn_begin[t];) {
            const struct part_wish wish = {
                .txns = txns->at, .n = txns->n, .without = &op, .n_without = 1};
            struct history part;
            if (!may_go(&r->h, t, op))
                continue;
            ok = part_make(&r->h, &wish, &part, same, err);
            if (ok && reduce_violates(&part, level, o)) {
                // Operations before this one keep their ids: a part has the
                // operations of its transactions in order.
                history_free(&r->h);
                r->h = part;
                *any = true;
            } else if (ok) {
                history_free(&part);
            }
        }
    mem_free(same);
    return ok;
}

bool
reduce_ops(struct reduced *r, enum level level, const struct reduce_options *o,
           struct err *err)
{
    u32_vec all = {0};
    for (txn_id t = 0; t < r->h.n_txns; t++)
        vec_push(&all, t);
    bool ok = true;
    // Once more after a change: a write can go when its last read is gone.
    for (bool any = true; ok && any;) {
        any = false;
        ok = try_without_ops(r, &all, level, o, &any, err);
    }
    vec_free(&all);
    return ok;
}
