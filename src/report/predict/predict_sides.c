/* predict_sides.c -- see predict_sides.h.
 *
 * SPDX-License-Identifier: MIT */
#include "report/predict/predict_sides.h"

#include "report/predict/predict_words.h"

#include <string.h>

static const char *
keep(struct arena *arena, struct buf *text)
{
    const char *copy = arena_copy(arena, text->n ? text->at : "", text->n);
    buf_free(text);
    return copy;
}

/* The transaction of the execution that has that name in an explanation, or
 * OBS_NONE. */
static uint32_t
find_txn(const struct observed *o, const char *name)
{
    uint32_t found = OBS_NONE;
    for (uint32_t t = 0; found == OBS_NONE && t < o->n; t++) {
        struct buf text = {0};
        history_show_txn(o->h, o->id[t], &text);
        if (strcmp(text.at, name) == 0)
            found = t;
        buf_free(&text);
    }
    return found;
}

/* --- operations ----------------------------------------------------------- */

/* "r(x, 5)". */
static const char *
op_text(const struct history *h, op_id op, const char *value,
        struct arena *arena)
{
    struct buf text = {0};
    buf_text(&text, op_is_write(h, op) ? "w(" : "r(");
    history_show_key(h, op_key(h, op), &text);
    buf_printf(&text, ", %s)", value);
    return keep(arena, &text);
}

/* The value of an operation as observed. */
static const char *
observed_value(const struct history *h, op_id op, struct arena *arena)
{
    struct buf text = {0};
    atom_show(&h->strings, history_value_atom(h, h->op_value[op]), &text);
    return keep(arena, &text);
}

/* An operation on both sides; 'cut': it comes after the end of a boundary
 * transaction. */
static struct sides_op
make_op(const struct execution *x, uint32_t read, op_id op, bool cut,
        struct arena *arena)
{
    const struct history *h = x->o->h;
    struct sides_op out = {.is_write = op_is_write(h, op)};
    out.observed = op_text(h, op, observed_value(h, op, arena), arena);
    out.predicted = cut ? NULL : out.observed;
    if (read != OBS_NONE && predict_words_is_changed(x, read)) {
        struct buf value = {0};
        predict_words_value(x->o, x->writer[read], op_key(h, op), &value);
        out.is_changed = true;
        out.predicted = op_text(h, op, keep(arena, &value), arena);
    }
    return out;
}

/* Whether the anomaly is about a key. */
static bool
is_about(const struct anomaly *a, const struct history *h, key_id k)
{
    struct buf key = {0};
    bool found = false;
    history_show_key(h, k, &key);
    for (size_t i = 0; !found && i < a->edges.n; i++)
        found = a->edges.at[i].key && strcmp(a->edges.at[i].key, key.at) == 0;
    buf_free(&key);
    return found;
}

static struct sides_txn
make_txn(const struct execution *x, uint32_t t, const struct anomaly *a,
         const struct anomaly_txn *shown, struct arena *arena)
{
    const struct observed *o = x->o;
    const struct history *h = o->h;
    const op_id first = h->txn_begin[o->id[t]], end = h->txn_end[o->id[t]];
    struct sides_op *ops =
        arena_alloc(arena, (size_t)(end - first + 1) * sizeof *ops);
    struct sides_txn out = {shown->name, shown->session, false, ops, 0, 0};
    const bool is_cut = x->is_strict && x->role[t] == ROLE_BOUNDARY;
    op_id last = end; // the last operation that is kept
    if (is_cut && x->reads[t])
        last = o->reads.at[o->read_first[t] + x->reads[t] - 1].op;
    uint32_t r = o->read_first[t];
    for (op_id op = first; op < end; op++) {
        const bool external =
            r < o->read_first[t + 1] && o->reads.at[r].op == op;
        const uint32_t read = external ? r++ : OBS_NONE;
        const struct sides_op pair = make_op(x, read, op, op > last, arena);
        out.is_changed |= pair.is_changed;
        if (pair.is_changed || is_about(a, h, op_key(h, op)))
            ops[out.n_ops++] = pair;
        else
            out.elided++;
    }
    return out;
}

/* --- all of it ------------------------------------------------------------ */

static void
make_txns(const struct predicted *p, const struct anomaly *a,
          struct predict_sides *out)
{
    struct sides_txn *txns =
        arena_alloc(&out->arena, (a->txns.n + 1) * sizeof *txns);
    for (size_t i = 0; i < a->txns.n; i++) {
        const struct anomaly_txn *shown = &a->txns.at[i];
        const uint32_t t = shown->is_context || shown->is_init
                               ? OBS_NONE
                               : find_txn(p->execution.o, shown->name);
        if (t != OBS_NONE)
            txns[out->report.n_txns++] =
                make_txn(&p->execution, t, a, shown, &out->arena);
    }
    out->report.txns = txns;
}

void
predict_sides_make(const struct predict_result *r, size_t i,
                   struct predict_sides *out)
{
    const struct predicted *p = &r->prediction->found.at[i];
    const struct explanation *e = &r->explanations[i];
    struct buf text = {0};
    *out = (struct predict_sides){.report = {0}};
    predict_words_premise(p, predict_title(r->options), &text);
    out->report.premise = keep(&out->arena, &text);
    predict_words_notes(p, &text);
    predict_words_validated(r->validated, i, p, &text);
    out->report.notes = keep(&out->arena, &text);
    if (e->anomalies.n) {
        predict_words_prevention(&e->anomalies.at[0], &text);
        make_txns(p, &e->anomalies.at[0], out);
    }
    out->report.prevention = keep(&out->arena, &text);
}

void
predict_sides_free(struct predict_sides *s)
{
    arena_free(&s->arena);
}

/* --- marks ---------------------------------------------------------------- */

/* Mark the operation of the explanation that is a changed read. */
static void
mark_read(const struct execution *x, uint32_t r, struct anomaly_txn *shown,
          struct arena *arena)
{
    const struct observed *o = x->o;
    const op_id op = o->reads.at[r].op;
    struct buf value = {0};
    predict_words_value(o, x->writer[r], o->reads.at[r].key, &value);
    const char *plain = op_text(o->h, op, value.at, arena);
    buf_printf(&value, " instead of %s", observed_value(o->h, op, arena));
    const char *marked = op_text(o->h, op, value.at, arena);
    buf_free(&value);
    for (size_t i = 0; i < shown->n_ops; i++)
        if (strcmp(shown->ops[i].text, plain) == 0) {
            shown->ops[i].text = marked;
            shown->ops[i].brief = NULL; // it lacks the mark
            shown->ops[i].is_changed = true;
            return;
        }
}

void
predict_sides_mark(const struct predicted *p, struct explanation *e,
                   struct arena *arena)
{
    const struct execution *x = &p->execution;
    for (size_t i = 0; e->anomalies.n && i < e->anomalies.at[0].txns.n; i++) {
        struct anomaly_txn *shown = &e->anomalies.at[0].txns.at[i];
        const uint32_t t =
            shown->is_init ? OBS_NONE : find_txn(x->o, shown->name);
        if (t == OBS_NONE)
            continue;
        for (uint32_t r = x->o->read_first[t]; r < x->o->read_first[t + 1]; r++)
            if (predict_words_is_changed(x, r))
                mark_read(x, r, shown, arena);
    }
}

void
predict_sides_report(struct report *to, const struct predict_result *r,
                     size_t i)
{
    struct summary summary;
    summary_of(&r->prediction->found.at[i].history, 1, &summary);
    struct buf path = {0};
    buf_printf(&path, "%s (predicted, %s)", r->path, predict_name(r->options));
    struct predict_sides sides;
    predict_sides_make(r, i, &sides);
    const struct report_run one = {.path = path.at,
                                   .format = r->format,
                                   .summary = &summary,
                                   .check = &r->checks[i],
                                   .explanations = &r->explanations[i],
                                   .sides = &sides.report};
    report_add(to, &one);
    predict_sides_free(&sides);
    buf_free(&path);
}
