/* legend.c -- see legend.h.
 *
 * SPDX-License-Identifier: MIT */
#include "report/page/legend.h"

#include "report/page/words.h"
#include "report/parts.h"

#include <assert.h>
#include <string.h>

// In the order in which they are explained.
static const struct {
    enum edge_kind kind;
    const char *meaning;
} kinds[] = {
    {EDGE_WR, "read by"},        {EDGE_RW, "read, and overwritten by"},
    {EDGE_WW, "overwritten by"}, {EDGE_SO, "earlier in the session"},
    {EDGE_TIME, "over before"},
};

/* What a picture shows. */
struct shown {
    unsigned edges; // a bit for each kind
    bool inferred, read, write, changed, init, nil, aborted, indeterminate;
};

static void
look_at_edges(const struct picture *p, const struct anomaly *a, struct shown *s)
{
    for (size_t i = 0; i < a->edges.n; i++) {
        const struct anomaly_edge *e = &a->edges.at[i];
        if (!picture_draws(p, a, e))
            continue;
        s->edges |= 1u << e->kind;
        s->inferred |= e->inferred;
    }
}

static bool
says_nil(const char *text)
{
    const char *at = strstr(text, "nil");
    return at && at > text && (at[-1] == ' ' || at[-1] == '(') &&
           (at[3] == ')' || at[3] == ' ');
}

static void
look_at_boxes(const struct picture *p, const struct anomaly *a, struct shown *s)
{
    for (size_t i = 0; i < p->boxes.n; i++) {
        const struct anomaly_txn *t = &a->txns.at[p->boxes.at[i].txn];
        assert(p->boxes.at[i].txn < a->txns.n);
        s->init |= t->is_init;
        s->aborted |= t->status == TXN_ABORTED;
        s->indeterminate |= t->status == TXN_INDETERMINATE;
        for (size_t j = 0; j < t->n_ops; j++) {
            const struct anomaly_op *o = &t->ops[j];
            s->nil |= says_nil(o->text);
            s->changed |= o->matters && o->is_changed;
            s->write |= o->matters && o->is_write;
            s->read |= o->matters && !o->is_write && !o->is_changed;
        }
    }
}

static void
put_item(bool is_shown, const char *sign, const char *meaning, struct buf *out)
{
    if (is_shown)
        buf_printf(out, "<li>%s %s</li>", sign, meaning);
}

void
legend_html(const struct picture *p, const struct anomaly *a, struct buf *out)
{
    struct shown s = {0};
    look_at_edges(p, a, &s);
    look_at_boxes(p, a, &s);
    buf_text(out, "<ul class=\"legend\">");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (s.edges >> kinds[k].kind & 1)
            buf_printf(out,
                       "<li><span class=\"key %s\"></span><b>%s</b> %s</li>",
                       part_edge(kinds[k].kind), part_edge(kinds[k].kind),
                       kinds[k].meaning);
    put_item(a->cycle.n, "<b>thick</b>", "the cycle", out);
    put_item(s.inferred, "<b>dashed line</b>",
             "inferred: the list below says why", out);
    put_item(s.read, "<span class=\"op r\">r(key, value)</span>",
             "a read that matters", out);
    put_item(s.changed, "<span class=\"op changed\">r(key, value)</span>",
             "a read that is predicted", out);
    put_item(s.write, "<span class=\"op w\">w(key, value)</span>",
             "a write that matters", out);
    put_item(s.aborted, "<b>dashed box</b>", "aborted", out);
    put_item(s.indeterminate, "<b>dashed box</b>", "outcome not known", out);
    put_item(s.init, "<b>init</b>",
             "the initial state, before all transactions", out);
    put_item(s.nil, "<b>nil</b>",
             "no value yet: no transaction has written the key", out);
    buf_text(out, "</ul>");
}
