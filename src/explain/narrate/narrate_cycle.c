/* narrate_cycle.c -- see narrate_cycle.h.
 *
 * What an edge means depends on the level (doc/levels.md): at ser it puts one
 * transaction before another; at si and pc it puts a start or a commit before
 * a start or a commit; at the others an rw is a write that was not seen.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/narrate/narrate_cycle.h"

#include "explain/narrate/narrate_edges.h"

static bool
has_points(enum level l)
{
    return level_table[l].two_points;
}

static bool
is_total(enum level l)
{
    return level_is_serial(l);
}

/* What an edge says about the order of things at this level. */
static void
say_meaning(struct narrate_argument *s, const struct dep *d)
{
    struct narration *t = s->t;
    const bool points = has_points(t->level);
    const bool miss = d->kind == EDGE_RW;
    narrate_txn(t, d->from);
    if (miss && !points && !is_total(t->level)) {
        buf_text(&t->b, " did not see ");
        narrate_txn(t, d->to);
    } else if (!points) {
        buf_text(&t->b, " comes before ");
        narrate_txn(t, d->to);
    } else {
        const bool commits =
            miss || (d->kind == EDGE_WW && !level_separates_writers(t->level));
        buf_text(&t->b, miss ? " began before " : " committed before ");
        narrate_txn(t, d->to);
        buf_text(&t->b, commits ? " committed" : " began");
    }
}

static void
say_why(struct narrate_argument *s, const struct dep *d)
{
    struct narration *t = s->t;
    switch (d->kind) {
    case EDGE_SO:
        buf_text(&t->b, ": it is earlier in session ");
        history_show_session(t->whole,
                             t->whole->txn_session[t->origin[d->from]], &t->b);
        break;
    case EDGE_TIME:
        buf_text(&t->b, ": it had ended when the other one began");
        break;
    case EDGE_WR:
        buf_text(&t->b, ": ");
        narrate_txn(t, d->to);
        buf_text(&t->b, " read ");
        narrate_seen(t, d->read);
        buf_text(&t->b, " from it");
        break;
    case EDGE_WW:
        buf_text(&t->b, ": it wrote ");
        narrate_written(t, d->key);
        buf_text(&t->b, d->needs[0] != ID_NONE ? " first"
                        : history_key_is_row(t->h, d->key)
                            ? " first, as the versions of the row say"
                            : " first, as the lists show");
        break;
    default:
        buf_text(&t->b, ": it read ");
        narrate_seen(t, d->read);
        buf_text(&t->b,
                 d->writer == TXN_INIT ? ", the initial state" : " from ");
        if (d->writer != TXN_INIT)
            narrate_txn(t, d->writer);
        buf_text(&t->b, ", which ");
        narrate_txn(t, d->to);
        buf_char(&t->b, ' ');
        narrate_overwrote(t, d->key);
        break;
    }
    narrate_argument_steps(s, d);
}

void
narrate_violated(struct narration *t)
{
    buf_printf(&t->b, ": %s is violated", level_table[t->level].title);
    if (t->a->level != t->level)
        buf_printf(&t->b, ", and with it %s", level_table[t->a->level].title);
}

static void
say_contradiction(struct narrate_argument *s, const struct dep *d, size_t n)
{
    struct narration *t = s->t;
    size_t misses = 0;
    for (size_t i = 0; i < n; i++)
        misses += d[i].kind == EDGE_RW;
    buf_text(&t->b, "So ");
    if (has_points(t->level)) {
        narrate_txn(t, d[0].from);
        buf_text(&t->b, " would have to begin before it began");
    } else if (is_total(t->level) || !misses) {
        narrate_txn(t, d[0].from);
        buf_text(&t->b, " would have to come before itself");
    } else {
        narrate_txn(t, d[0].to);
        buf_text(&t->b, " comes before ");
        narrate_txn(t, d[0].from);
        buf_text(&t->b, ", which should have seen it");
    }
    narrate_violated(t);
}

void
narrate_cycle(struct narrate_argument *s, const struct dep *d, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t edge =
            narrate_edge_add(s->t, &d[i], narrate_edge_is_inferred(&d[i]));
        say_meaning(s, &d[i]);
        say_why(s, &d[i]);
        narrate_argument_push(s, 0, edge);
    }
    say_contradiction(s, d, n);
    narrate_argument_push(s, 0, ANOMALY_NONE);
}
