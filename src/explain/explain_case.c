/* explain_case.c -- see explain_case.h.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/explain_case.h"

#include "explain/complete.h"
#include "explain/told.h"
#include "history/renumber.h"

/* Say in the anomaly which case it is about, and that the others are no
 * better. */
static bool
tell_case(const struct history *h, const struct certificate *c,
          struct anomaly *a, struct err *err)
{
    struct told t = {.a = a, .whole = h, .h = h};
    for (size_t i = 0; i < c->cases[0].seen.n; i++) {
        const struct list_author *author = &h->authors.at[i];
        buf_text(&t.b, i ? ", " : "This takes ");
        told_name(h, c->cases[0].seen.at[i], &t.b);
        buf_text(&t.b, i ? " of " : " to be the author of ");
        history_show_value(h, author->value, &t.b);
        buf_text(&t.b, " in ");
        told_key(&t, h->values[author->value].key & OP_KEY);
    }
    buf_printf(&t.b,
               "; whoever of those who appended it is taken, %s is violated "
               "(%zu cases)",
               level_table[c->level].title, c->n_cases);
    vec_push(&a->steps, ((struct told_step){told_keep(&t), 0, TOLD_NONE}));
    buf_free(&t.b);
    // What violates the level in one case may hold it in another: nothing less
    // than everything is known to violate it in all of them.
    u32_vec ops = {0};
    for (op_id op = 0; op < h->n_ops; op++)
        if (!op_is_implied(h, op))
            vec_push(&ops, op);
    history_free(&a->reduced);
    const bool ok = complete_part(h, ops.at, ops.n, false, &a->reduced, err);
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
    if (!history_with_authors(h, c->cases[0].seen.at, &copy, err))
        return false;
    struct check check = {0};
    check.n_flaws = history_flaws(&copy, o->most + 1, &check.flaws);
    struct level_result first = *r;
    first.certificate = c->cases[0]; // borrowed
    bool ok = explain_result(&copy, &check, &first, o, out, err);
    vec_free(&check.flaws);
    for (size_t i = 0; ok && i < out->anomalies.n; i++)
        ok = tell_case(h, c, &out->anomalies.at[i], err);
    history_free(&copy);
    return ok;
}
