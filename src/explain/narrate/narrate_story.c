/* narrate_story.c -- what happened, in a sentence or two, from the edges; see
 * narrate.h.
 *
 * A sentence is a template: %a and %b stand for the transactions of the first
 * edge, %c and %d for those of the next one, %y for the transaction
 * before the last edge; %r for what the read of the first edge saw, %s for
 * what that of the other edge saw, %k and %l for their keys, %o and %p for what
 * happened to these ("overwrote"), %v for the writer that the first one saw.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/narrate/narrate.h"

#include "explain/narrate/narrate_edges.h"
#include "history/row/row_text.h"

/* The edges that a sentence is about. */
struct scene {
    const struct dep *first, *second, *last;
};

static void
fill_in(struct narration *t, const struct scene *s, const char *template)
{
    for (const char *p = template; *p; p++) {
        if (*p != '%') {
            buf_char(&t->b, *p);
            continue;
        }
        switch (*++p) {
        case 'a':
            narrate_txn(t, s->first->from);
            break;
        case 'b':
            narrate_txn(t, s->first->to);
            break;
        case 'c':
            narrate_txn(t, s->second->from);
            break;
        case 'd':
            narrate_txn(t, s->second->to);
            break;
        case 'y':
            narrate_txn(t, s->last->from);
            break;
        case 'r':
            narrate_seen(t, s->first->read);
            break;
        case 's':
            narrate_seen(t, s->second->read);
            break;
        case 'k':
            narrate_key(t, s->first->key);
            break;
        case 'l':
            narrate_key(t, s->second->key);
            break;
        case 'o':
            narrate_overwrote(t, s->first->key);
            break;
        case 'p':
            narrate_overwrote(t, s->second->key);
            break;
        case 'v':
            if (s->first->writer == TXN_INIT)
                buf_text(&t->b, "the initial state");
            else
                narrate_txn(t, s->first->writer);
            break;
        default:
            assert(!"a template has a letter that means nothing");
        }
    }
}

/* The second rw of the cycle; or else its second edge. */
static const struct dep *
find_second(const struct dep *d, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (d[i].kind == EDGE_RW)
            return &d[i];
    return &d[n > 1 ? 1 : 0];
}

static const char *
lost_update(const struct dep *d)
{
    return d[1].kind == EDGE_RW
               ? "%a and %b both read %r from %v and then wrote %k: whichever "
                 "of them came second overwrote an update that it had not seen"
               : "%a read %r, did not see the write of %b, and overwrote it";
}

// Sentences that do not depend on the edges; the others are in template_of.
static const char *const templates[ANOMALY_KINDS] = {
    [ANOMALY_LOST_COMMIT] =
        "%b wrote %k, and its commit was acknowledged "
        "before %a began; %a read %r, and no transaction that began "
        "later saw the write of %b",
    [ANOMALY_NON_REPEATABLE] = "%a read %k twice: once %r, and once %s, which "
                               "%b wrote",
    [ANOMALY_FRACTURED] = "%a read %s from %b and after that %r, although %b "
                          "wrote %k too: it saw one half of %b and missed the "
                          "other",
    [ANOMALY_READ_YOUR_WRITES] = "%a read %r, although %b, earlier in its own "
                                 "session, wrote %k",
    [ANOMALY_NON_MONOTONIC] = "%d had read %s from %c; %a, later in the same "
                              "session, read the older %r",
    [ANOMALY_MONOTONIC_WRITE] = "%a saw %y, but not what %b had written in the "
                                "same session before: it read %r",
    [ANOMALY_CAUSALITY] = "%a saw %y, which depends on %b, but not what %b "
                          "wrote: it read %r",
    [ANOMALY_LONG_FORK] = "%a saw the write of %d but not that of %b; %c saw "
                          "that of %b but not that of %d: they saw the two in "
                          "opposite orders",
    [ANOMALY_WRITE_SKEW] = "%a read %r, which %b %o, and %b read %s, which %a "
                           "%p: each acted on what the other was changing",
    [ANOMALY_READ_ONLY] = "%a, which wrote nothing, saw %y but not %b, and %b "
                          "did not see %d: without %a the others fit into an "
                          "order",
};

/* The sentence about a cycle of n edges; NULL if there is none. */
static const char *
template_of(enum anomaly_kind kind, const struct dep *d, size_t n)
{
    assert(kind < ANOMALY_KINDS && n > 0);
    switch (kind) {
    case ANOMALY_READ_SKEW:
        return n == 2 ? "%a read %r, which %b %o, and after that %s from %b: "
                        "half of one state, half of another"
                      : "%a read %r, which %b %o, and also saw %y, which "
                        "comes after %b: half of one state, half of another";
    case ANOMALY_STALE_READ:
        return n == 2 ? "%a read %r, although %b, which wrote %k, had ended "
                        "before %a began"
                      : "%a read %r, although %b, which wrote %k, lies before "
                        "it in real time";
    case ANOMALY_LOST_UPDATE:
        return lost_update(d);
    case ANOMALY_CIRCULAR:
        return n == 2 && d[0].kind == EDGE_WR && d[1].kind == EDGE_WR
                   ? "%b read %r from %a, and %a read %s from %b: each saw "
                     "what the other one wrote"
                   : NULL;
    case ANOMALY_CYCLE:
        return n == 2 && d[0].kind == EDGE_RW && d[1].kind == EDGE_WW
                   ? "%a read %r, so it had not seen %b, and yet it overwrote "
                     "what %b had written to %l"
                   : NULL;
    default:
        return templates[kind];
    }
}

/* What the source of an rw missed: "a did not see row t/7, which b wrote as
 * {"v":8}, when it asked for v > 5"; or "a read x = 1, which b overwrote". */
static void
tell_miss(struct narration *t, const struct dep *d)
{
    const struct history *h = t->h;
    const char *condition = row_text_condition(h, d->key);
    const op_id write = narrate_final_write(h, d->to, d->key);
    narrate_txn(t, d->from);
    if (!condition || write == ID_NONE) {
        buf_text(&t->b, " read ");
        narrate_seen(t, d->read);
        buf_text(&t->b, ", which ");
        narrate_txn(t, d->to);
        buf_char(&t->b, ' ');
        narrate_overwrote(t, d->key);
        return;
    }
    const bool matches = row_text_matches(h, write);
    buf_text(&t->b, " did not see row ");
    narrate_key(t, h->key_rows[d->key].row);
    buf_text(&t->b, ", which ");
    narrate_txn(t, d->to);
    buf_text(&t->b, matches ? " wrote as " : " changed");
    if (matches)
        row_text_value(h, write, &t->b);
    buf_char(&t->b, ',');
    narrate_search(t, condition);
    narrate_check(t, d->read);
}

/* Everything that a query or a read missed. */
static void
tell_misses(struct narration *t, const struct dep *d, size_t n)
{
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        if (d[i].kind != EDGE_RW)
            continue;
        buf_text(&t->b, any ? ", and " : "");
        tell_miss(t, &d[i]);
        any = true;
    }
    if (n == 2)
        buf_text(&t->b, ": each acted on what the other was changing");
}

void
narrate_story(struct narration *t, const struct dep *d, size_t n)
{
    const struct scene s = {&d[0], find_second(d, n), &d[n - 1]};
    const char *template = template_of(t->a->kind, d, n);
    if (t->a->kind == ANOMALY_PHANTOM) {
        tell_misses(t, d, n);
    } else if (t->a->kind == ANOMALY_PHANTOM_READ) {
        assert(n == 2);
        narrate_phantom_read(t, &d[0], &d[1]);
    } else if (template) {
        fill_in(t, &s, template);
    } else {
        buf_text(&t->b, anomaly_table[t->a->kind].meaning);
        buf_text(&t->b, ": ");
        narrate_ring(t, d, n);
    }
    t->a->story = narrate_keep(t);
}
