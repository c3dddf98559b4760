/* explain_case.c -- see explain_case.h.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/explain_case.h"

#include "explain/narrate/narrate.h"
#include "explain/reduce/reduced_history.h"
#include "history/builder/rebuild.h"
#include "history/list/reader_outcomes.h"

/* Append what the case takes to be so; false if that is nothing. */
static bool
tell_decisions(struct narration *t, const struct history *h,
               const u32_vec *seen)
{
    bool any = false, same = false; // as the sentence goes so far
    for (size_t i = 0; i < seen->n; i++) {
        const struct list_author *author = &h->authors.at[i];
        if (seen->at[i] == TXN_UNCHOSEN)
            continue;
        buf_text(&t->b, any ? ", " : "This takes ");
        any = true;
        if (reader_outcomes_is(author)) {
            narrate_name(h, h->author_items.at[author->first], &t->b);
            buf_text(&t->b, seen->at[i] == TXN_NONE ? " to have had no effect"
                                                    : " to have taken effect");
            continue;
        }
        narrate_name(h, seen->at[i], &t->b);
        buf_text(&t->b, same ? " of " : " to be the author of ");
        history_show_value(h, author->value, &t->b);
        buf_text(&t->b, " in ");
        narrate_key(t, h->values[author->value].key & OP_KEY);
        same = true;
    }
    return any;
}

/* Say in the anomaly which case it is about, and that the others are no
 * better. */
static bool
narrate_case(const struct history *h, const struct certificate *c,
             struct anomaly *a, struct err *err)
{
    struct narration t = {.a = a, .whole = h, .h = h};
    if (tell_decisions(&t, h, &c->cases[0].seen)) {
        buf_printf(&t.b, "; whatever else is taken, %s is violated (%zu cases)",
                   level_table[c->level].title, c->n_cases);
        vec_push(&a->steps,
                 ((struct anomaly_step){narrate_keep(&t), 0, ANOMALY_NONE}));
    }
    buf_free(&t.b);
    if (c->n_cases == 1)
        return true; // which depends on nothing
    // What violates the level in one case may hold it in another: nothing less
    // than everything is known to violate it in all of them.
    u32_vec ops = {0}, txns = {0};
    for (txn_id i = 0; i < h->n_txns; i++)
        vec_push(&txns, i);
    for (op_id op = 0; op < h->n_ops; op++)
        if (!op_is_implied(h, op))
            vec_push(&ops, op);
    history_free(&a->reduced);
    const bool ok =
        reduced_history_make(h, ops.at, ops.n, &txns, false, &a->reduced, err);
    vec_free(&txns);
    vec_free(&ops);
    return ok;
}

bool
explain_case(const struct history *h, const struct level_result *r,
             const struct explain_options *o, struct explanation *out,
             struct err *err)
{
    const struct certificate *c = &r->certificate;
    struct history copy;
    if (!history_rebuild_with_authors(h, c->cases[0].seen.at, &copy, err))
        return false;
    struct check check = {0};
    check.n_flaws = history_flaws(&copy, o->most + 1, &check.flaws);
    struct level_result first = *r;
    first.certificate = c->cases[0]; // borrowed
    bool ok = explain_result(&copy, &check, &first, o, out, err);
    vec_free(&check.flaws);
    for (size_t i = 0; ok && i < out->anomalies.n; i++)
        ok = narrate_case(h, c, &out->anomalies.at[i], err);
    history_free(&copy);
    return ok;
}
