/* reduce.c -- see reduce.h.
 *
 * Engines answer with evidence, and the evidence names transactions: as long
 * as the answer on a part is about a smaller part, that one is next.  It
 * usually ends after two or three rounds with a handful of transactions.  What
 * is left is tried without its halves, quarters and so on down to the single
 * transactions, and each success again shrinks to what its evidence names.
 *
 * Parts inherit satisfaction (subhistory.h), so a transaction that could not be
 * taken out of a larger part cannot be taken out of a smaller one, and one
 * pass over the single ones makes the result minimal.  Passes repeat all the
 * same until one changes nothing, because evidence may skip some.
 *
 * All of it ends when a budget is spent; then the part violates the level, and
 * it is not known whether less of it would.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/reduce/reduce.h"

#include "explain/reduce/core.h"
#include "explain/reduce/subhistory.h"

void
reduced_free(struct reduced *r)
{
    history_free(&r->h);
    vec_free(&r->origin);
}

enum {
    SHARES = 4,
    // Steps of a budget: for making a part and beginning to check it, and for
    // each operation of it.
    PART_STEPS = 4000,
    PART_OP_STEPS = 64,
};

// What to ask about parts.
struct inquiry {
    const struct history *whole;
    enum level level;
    const struct reduce_options *o;
};

static uint64_t
part_steps(const struct history *h)
{
    return PART_STEPS + PART_OP_STEPS * (uint64_t)h->n_ops;
}

enum reply { NO_ANSWER, HOLDS, VIOLATES };

bool
reduced_is_proper(const struct history *whole, const struct reduced *r)
{
    for (txn_id t = 0; t < r->h.n_txns; t++)
        if (r->h.txn_status[t] == TXN_LOADING &&
            whole->txn_status[r->origin.at[t]] != TXN_LOADING)
            return false;
    flaw_vec flaws = {0};
    const size_t n = history_flaws(&r->h, 1, &flaws);
    vec_free(&flaws);
    return !n;
}

/* Check h with a share of what is left of the budget, so that one hard check
 * leaves something for others; false where nothing is. */
static bool
check_within_budget(const struct history *h, level_set levels,
                    const struct reduce_options *o, struct check *c)
{
    struct err err = {0};
    if (!budget_spend(o->budget, part_steps(h)))
        return false;
    const struct check_options options = {.levels = levels,
                                          .threads = o->threads,
                                          .work = o->budget->left / SHARES + 1,
                                          .is_part = true,
                                          .most_flaws = 1,
                                          .strong = o->strong};
    if (!check_history(h, &options, c, &err))
        return false;
    // Weak levels are decided together.
    uint64_t weak = 0, strong = 0;
    for (size_t i = 0; i < c->results.n; i++)
        if (!level_is_strong(c->results.at[i].level))
            weak = c->results.at[i].work;
        else
            strong += c->results.at[i].work;
    budget_spend(o->budget, weak + strong);
    return true;
}

struct judgement
reduce_judge(const struct history *h, level_set levels,
             const struct reduce_options *o)
{
    struct judgement out = {0};
    struct check c;
    if (!check_within_budget(h, levels, o, &c))
        return out;
    for (size_t i = 0; i < c.results.n; i++) {
        const struct level_result *r = &c.results.at[i];
        if (r->certificate.verdict == VERDICT_VIOLATED)
            out.violated |= level_bit(r->level);
        else if (r->certificate.verdict == VERDICT_OK)
            out.holds |= level_bit(r->level);
    }
    check_free(&c);
    assert(!(out.violated & out.holds) && !(out.violated & ~levels));
    return out;
}

/* Ask about a part; where it violates the level, set 'core', if there is one,
 * to what the evidence rests on. */
static enum reply
ask(const struct inquiry *q, const struct reduced *part, u32_vec *core)
{
    struct check c;
    if (!reduced_is_proper(q->whole, part))
        return HOLDS;
    if (!check_within_budget(&part->h, level_bit(q->level), q->o, &c))
        return NO_ANSWER;
    const struct certificate *found = &c.results.at[0].certificate;
    const enum reply reply = found->verdict == VERDICT_VIOLATED ? VIOLATES
                             : found->verdict == VERDICT_OK     ? HOLDS
                                                                : NO_ANSWER;
    if (reply == VIOLATES && core) {
        txn_id *owners = core_owners(&part->h);
        core_of_certificate(&part->h, owners, found, core);
        mem_free(owners);
    }
    check_free(&c);
    return reply;
}

/* Make *out the part of r that consists of these of its transactions. */
static bool
take_part(const struct reduced *r, const u32_vec *txns, struct reduced *out,
          struct err *err)
{
    *out = (struct reduced){0};
    vec_grow(&out->origin, txns->n);
    const struct subhistory_selection selection = {.txns = txns->at,
                                                   .n = txns->n};
    if (!subhistory_make(&r->h, &selection, &out->h, out->origin.at, err)) {
        vec_free(&out->origin);
        return false;
    }
    for (size_t i = 0; i < txns->n; i++)
        out->origin.at[i] = r->origin.at[out->origin.at[i]];
    return true;
}

/* Replace r by its part, if that violates the level, which is the reply; then
 * go on to the parts that the evidence names. */
static bool
shrink_to(const struct inquiry *q, struct reduced *r, const u32_vec *txns,
          enum reply *reply, struct err *err)
{
    *reply = HOLDS;
    u32_vec next = {0};
    for (size_t i = 0; i < txns->n; i++)
        vec_push(&next, txns->at[i]);
    bool ok = true;
    for (bool first = true; ok && next.n && next.n < r->h.n_txns;
         first = false) {
        struct reduced part;
        ok = take_part(r, &next, &part, err);
        if (!ok)
            break;
        // Making it has taken about as long as beginning to check it does.
        budget_spend(q->o->budget, part_steps(&part.h));
        const enum reply found = ask(q, &part, &next);
        if (first)
            *reply = found;
        if (found != VIOLATES) {
            reduced_free(&part);
            break;
        }
        reduced_free(r);
        *r = part;
    }
    vec_free(&next);
    return ok;
}

/* Try r without each run of 'size' transactions. */
static bool
try_without_runs(const struct inquiry *q, struct reduced *r, size_t size,
                 bool *any, struct err *err)
{
    u32_vec rest = {0};
    bool ok = true, open = false;
    *any = false;
    for (size_t first = 0; ok && first < r->h.n_txns && r->h.n_txns > 1;) {
        if (budget_is_spent(q->o->budget)) {
            open = true;
            break;
        }
        vec_clear(&rest);
        for (txn_id t = 0; t < r->h.n_txns; t++)
            if (t < first || t >= first + size)
                vec_push(&rest, t);
        enum reply reply = HOLDS;
        if (rest.n)
            ok = shrink_to(q, r, &rest, &reply, err);
        *any |= reply == VIOLATES;
        open |= reply == NO_ANSWER;
        // What is at 'first' now has not been tried, unless nothing changed.
        // Evidence may have taken out some before, which can skip a few: the
        // next pass tries those.
        if (reply != VIOLATES)
            first += size;
    }
    r->unfinished = open;
    vec_free(&rest);
    return ok;
}

bool
reduce_txns(const struct history *h, const u32_vec *core, enum level level,
            const struct reduce_options *o, struct reduced *out,
            struct err *err)
{
    const struct inquiry q = {h, level, o};
    *out = (struct reduced){0};
    u32_vec named = {0};
    vec_grow(&out->origin, core->n);
    const struct subhistory_selection selection = {.txns = core->at,
                                                   .n = core->n};
    bool ok = subhistory_make(h, &selection, &out->h, out->origin.at, err);
    enum reply reply = ok ? ask(&q, out, &named) : HOLDS;
    out->unfinished = reply == NO_ANSWER;
    ok = reply == VIOLATES && shrink_to(&q, out, &named, &reply, err);
    vec_free(&named);
    bool any;
    for (size_t size = out->h.n_txns / 2; ok && size > 1; size /= 2)
        if (size < out->h.n_txns)
            ok = try_without_runs(&q, out, size, &any, err);
    for (any = true; ok && any;)
        ok = try_without_runs(&q, out, 1, &any, err);
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
        *found = other.h.n_txns < r->h.n_txns &&
                 (!other.unfinished || r->unfinished);
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

/* Whether a transaction that may count has read v. */
static bool
is_read_by_choice(const struct history *h, value_id v)
{
    for (txn_id t = 0; h->n_optional && t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t];
             h->txn_counts[t] == TXN_MAY_COUNT && op < h->txn_end[t]; op++)
            if (!op_is_write(h, op) && h->op_value[op] == v)
                return true;
    return false;
}

/* Whether taking out the operation of t leaves a history in which the others
 * mean what they meant.  Without the last write of a key an earlier one would
 * come to light; without one of the writes that an ambiguous read may have
 * seen, that read would be less ambiguous than it was.  So it would be without
 * a write that was read by a transaction which may count: with a read that
 * nothing serves, that one cannot have been the writer of anything. */
static bool
may_go_alone(const struct history *h, txn_id t, op_id op)
{
    if (op_is_write(h, op) && is_read_by_choice(h, h->op_value[op]))
        return false;
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

/* The operations from *first to op that go with op: a write of a row goes with
 * those that it implies, which stand before it.  False where they must stay. */
static bool
may_go(const struct history *h, txn_id t, op_id op, op_id *first)
{
    if (op_is_implied(h, op))
        return false; // it goes with what it is a part of
    *first = op;
    while (*first > h->txn_begin[t] && op_is_write(h, *first - 1) &&
           h->implied.n && history_implied_by(h, *first - 1) == op)
        --*first;
    for (op_id i = *first; i <= op; i++)
        if (!may_go_alone(h, t, i))
            return false;
    return true;
}

/* Make 'part' of h without the operations from first to last. */
static bool
make_without(const struct history *h, const u32_vec *txns, op_id first,
             op_id last, struct reduced *part, struct err *err)
{
    u32_vec without = {0};
    for (op_id op = first; op <= last; op++)
        vec_push(&without, op);
    const struct subhistory_selection selection = {.txns = txns->at,
                                                   .n = txns->n,
                                                   .without = without.at,
                                                   .n_without = without.n};
    const bool ok =
        subhistory_make(h, &selection, &part->h, part->origin.at, err);
    vec_free(&without);
    return ok;
}

/* Try r without each operation, from the back: of two reads that show the same
 * the first stays. */
static bool
try_without_ops(const struct inquiry *q, struct reduced *r, const u32_vec *txns,
                bool *any, struct err *err)
{
    bool ok = true;
    for (txn_id t = r->h.n_txns; ok && t-- > 0;)
        for (op_id op = r->h.txn_end[t]; ok && op-- > r->h.txn_begin[t];) {
            if (op >= r->h.txn_end[t])
                continue; // implied reads went as well
            op_id first;
            if (!may_go(&r->h, t, op, &first) || budget_is_spent(q->o->budget))
                continue;
            struct reduced part = {.unfinished = r->unfinished};
            vec_grow(&part.origin, txns->n);
            ok = make_without(&r->h, txns, first, op, &part, err);
            memcpy(part.origin.at, r->origin.at, txns->n * sizeof *txns->at);
            if (ok && ask(q, &part, NULL) == VIOLATES) {
                // Operations before this one keep their ids, but for implied
                // reads: a part has the operations of its transactions in
                // order.
                const struct reduced before = *r;
                *r = part;
                part = before;
                *any = true;
            }
            reduced_free(&part);
        }
    return ok;
}

bool
reduce_ops(const struct history *h, struct reduced *r, enum level level,
           const struct reduce_options *o, struct err *err)
{
    const struct inquiry q = {h, level, o};
    u32_vec all = {0};
    for (txn_id t = 0; t < r->h.n_txns; t++)
        vec_push(&all, t);
    bool ok = true;
    // Once more after a change: a write can go when its last read is gone.
    for (bool any = true; ok && any;) {
        any = false;
        ok = try_without_ops(&q, r, &all, &any, err);
    }
    vec_free(&all);
    return ok;
}
