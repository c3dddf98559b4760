/* predict_show.c -- see predict_show.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/predict_show.h"

#include "report/parts.h"

#include <string.h>

const char *
predict_show_answer(enum predict_answer a)
{
    return a == PREDICT_FOUND  ? "predicted"
           : a == PREDICT_NONE ? "none"
                               : "unknown";
}

/* --- reads that change ---------------------------------------------------- */

static bool
is_changed(const struct execution *x, uint32_t r)
{
    return execution_has_read(x, r) && x->writer[r] != x->o->reads.at[r].writer;
}

static txn_id
writer_id(const struct observed *o, uint32_t w)
{
    return w == OBS_INIT ? TXN_INIT : o->id[w];
}

/* The value that a read of k from w returns. */
static void
put_value(const struct observed *o, uint32_t w, key_id k, struct buf *out)
{
    const struct atom a =
        w == OBS_INIT
            ? o->h->initial
            : history_value_atom(
                  o->h,
                  o->h->op_value[o->writes.at[observed_write(o, w, k)].op]);
    atom_show(&o->h->strings, a, out);
}

/* "5 from T2", "nil, the initial state"; "from T2" where values are but the
 * names of their writers, as in the format 'trace'. */
static void
put_source(const struct observed *o, uint32_t w, key_id k, const char *equals,
           struct buf *out)
{
    struct buf value = {0}, writer = {0};
    put_value(o, w, k, &value);
    if (w == OBS_INIT) {
        buf_printf(out, "%s%s, the initial state", equals, value.at);
    } else {
        history_show_txn(o->h, o->id[w], &writer);
        if (strcmp(value.at, writer.at) == 0)
            buf_printf(out, "%sfrom %s", *equals ? " " : "", writer.at);
        else
            buf_printf(out, "%s%s from %s", equals, value.at, writer.at);
    }
    buf_free(&value);
    buf_free(&writer);
}

/* "T7 read x = 5 from T2 instead of 9 from T3". */
static void
put_change(const struct execution *x, uint32_t r, struct buf *out)
{
    const struct observed *o = x->o;
    const struct obs_read *read = &o->reads.at[r];
    history_show_txn(o->h, o->id[read->txn], out);
    buf_text(out, " read ");
    history_show_key(o->h, read->key, out);
    put_source(o, x->writer[r], read->key, " = ", out);
    buf_text(out, x->writer[r] == OBS_INIT ? ", instead of " : " instead of ");
    put_source(o, read->writer, read->key, "", out);
}

/* --- text ----------------------------------------------------------------- */

static void
put_wrapped(const char *text, const struct report_style *s, struct buf *out)
{
    if (s->width)
        part_wrap(text, s->width, out);
    else
        buf_text(out, text);
}

static void
put_premise(const struct predict_result *r, const struct predicted *p,
            const struct report_style *s, struct buf *out)
{
    const struct execution *x = &p->execution;
    const char *level = level_table[r->options->level].title;
    struct buf text = {0};
    if (!p->changed) {
        buf_printf(&text,
                   "  What was observed is not serializable itself, and %s "
                   "allows it.\n",
                   level);
    } else {
        buf_text(&text, "  Had ");
        bool first = true;
        for (uint32_t i = 0; i < x->o->reads.n; i++) {
            if (!is_changed(x, i))
                continue;
            buf_text(&text, first ? "" : ", and ");
            put_change(x, i, &text);
            first = false;
        }
        buf_printf(&text,
                   ", which %s allows, no serial order would explain the "
                   "outcome.\n",
                   level);
    }
    put_wrapped(text.at, s, out);
    buf_free(&text);
}

struct change_row {
    struct buf read, observed, predicted;
};

/* The changed reads, what was observed beside what could be. */
static void
put_table(const struct execution *x, struct buf *out)
{
    const struct observed *o = x->o;
    VEC(struct change_row) rows = {0};
    size_t read = 0, observed = strlen("observed");
    for (uint32_t r = 0; r < o->reads.n; r++) {
        if (!is_changed(x, r))
            continue;
        struct change_row row = {{0}, {0}, {0}};
        const key_id k = o->reads.at[r].key;
        history_show_txn(o->h, o->id[o->reads.at[r].txn], &row.read);
        buf_text(&row.read, "  r(");
        history_show_key(o->h, k, &row.read);
        buf_char(&row.read, ')');
        put_source(o, o->reads.at[r].writer, k, "", &row.observed);
        put_source(o, x->writer[r], k, "", &row.predicted);
        read = row.read.n > read ? row.read.n : read;
        observed = row.observed.n > observed ? row.observed.n : observed;
        vec_push(&rows, row);
    }
    if (rows.n)
        buf_printf(out, "\n    %-*s  %-*s  could be\n", (int)read, "",
                   (int)observed, "observed");
    for (size_t i = 0; i < rows.n; i++) {
        buf_printf(out, "    %-*s  %-*s  %s\n", (int)read, rows.at[i].read.at,
                   (int)observed, rows.at[i].observed.at,
                   rows.at[i].predicted.at);
        buf_free(&rows.at[i].read);
        buf_free(&rows.at[i].observed);
        buf_free(&rows.at[i].predicted);
    }
    vec_free(&rows);
}

static void
put_notes(const struct predicted *p, struct buf *text)
{
    const struct observed *o = p->execution.o;
    if (p->changed && p->is_replay)
        buf_text(text, "  Each changed read returns the value that was "
                       "observed, so the program is certain to go on as it "
                       "did.\n");
    if (p->changed && p->execution.is_strict)
        buf_text(text, "  What a transaction does after its changed read "
                       "depends on what it read, and is not part of the "
                       "prediction.\n");
    if (p->must_not_write == ID_NONE)
        return;
    buf_text(text, "  It commits only if it does not go on to write ");
    history_show_key(o->h, p->must_not_write, text);
    buf_text(text, ", as it did.\n");
}

/* What keeps the anomaly from happening. */
static void
put_prevention(const struct anomaly *a, struct buf *text)
{
    enum { MOST = 3 };
    const char *readers[MOST], *keys[MOST];
    size_t n = 0;
    for (size_t i = 0; i < a->cycle.n && n < MOST; i++) {
        const struct told_edge *e = &a->edges.at[a->cycle.at[i]];
        if (e->kind != EDGE_RW)
            continue;
        readers[n] = a->txns.at[e->from].name;
        keys[n++] = e->key;
    }
    buf_text(text, "  What prevents it: serializability for these "
                   "transactions");
    for (size_t i = 0; i < n; i++)
        buf_printf(text, "%s%s where %s reads it",
                   i ? ", or " : "; or a lock on ", keys[i], readers[i]);
    buf_text(text, n ? " (SELECT ... FOR UPDATE).\n" : ".\n");
}

/* How the application behaved when it was run again on the store. */
static void
put_replay(const struct replay *p, const struct predicted *of, struct buf *text)
{
    const struct history *h = of->execution.o->h;
    if (p->outcome == REPLAY_VALIDATED) {
        buf_text(text, p->is_diverged
                           ? "  Validated: run again with these reads, the "
                             "application went on in another way, and the "
                             "outcome is not serializable either.\n"
                           : "  Validated: run again with these reads, the "
                             "application did exactly this.\n");
        return;
    }
    buf_text(text, "  Not validated: ");
    if (p->outcome == REPLAY_UNLIKE) {
        buf_text(text, "the application is not the one that was observed: ");
        history_show_txn(h, p->where, text);
        buf_text(text, " does something else.\n");
        return;
    }
    if (p->outcome == REPLAY_SERIALIZABLE) {
        buf_text(text, "run again, the application's execution is ");
    } else {
        buf_text(text, "run again, ");
        history_show_txn(h, p->where, text);
        buf_text(text, " was ");
    }
    buf_text(text, replay_outcome_name(p->outcome));
    if (p->outcome == REPLAY_REFUSED && of->must_not_write != ID_NONE) {
        buf_text(text, ", because it goes on to write ");
        history_show_key(h, of->must_not_write, text);
    }
    buf_text(text, ".\n");
}

/* Why the database does not show what was predicted. */
static void
put_obstacle(const struct replay *p, const struct history *h,
             enum isolation isolation, struct buf *text)
{
    switch (p->outcome) {
    case REPLAY_NO_SCHEDULE:
        buf_text(text, isolation == ISOLATION_READ_COMMITTED
                           ? "no order of statements leads to these reads, "
                             "because each reads what was committed last"
                           : "no order of statements leads to these reads, "
                             "because a transaction reads from one snapshot "
                             "and loses when another wrote the same row");
        return;
    case REPLAY_REFUSED:
    case REPLAY_ROLLED_BACK:
    case REPLAY_UNLIKE:
        history_show_txn(h, p->where, text);
        buf_text(text, p->outcome == REPLAY_REFUSED ? " was refused"
                       : p->outcome == REPLAY_ROLLED_BACK
                           ? " decided to roll back"
                           : " does something else than was observed");
        if (p->said[0])
            buf_printf(text, " (%s)", p->said);
        return;
    case REPLAY_STUCK:
        buf_text(text, "sessions waited for each other without an end");
        return;
    default:
        buf_text(text, "the outcome is serializable");
        if (p->differs[0])
            buf_printf(text, ", because %s", p->differs);
        else if (p->is_diverged)
            buf_text(text, ", because a transaction went on in another way");
    }
}

/* How the database behaved when it was driven by a schedule. */
static void
put_shown(const struct validated *v, size_t i, const struct history *h,
          struct buf *text)
{
    const struct replay *p = &v->on_database[i];
    const bool shown = p->outcome == REPLAY_VALIDATED;
    buf_printf(text, "  %s by %s at %s: ", shown ? "Shown" : "Not shown",
               v->database, isolation_names[v->isolation]);
    if (shown)
        buf_text(text, p->differs[0] || p->is_diverged
                           ? "its sessions driven in lock step, the "
                             "application did something similar"
                           : "its sessions driven in lock step, the "
                             "application did exactly this");
    else
        put_obstacle(p, h, v->isolation, text);
    if (shown && p->breaks_level)
        buf_text(text, "; what happened is not even snapshot isolation");
    if (p->waits)
        buf_printf(text, "; %zu step%s waited for a lock", p->waits,
                   p->waits == 1 ? "" : "s");
    buf_text(text, ".\n");
}

static void
put_predicted(const struct predict_result *r, size_t i,
              const struct report_style *s, struct buf *out)
{
    const struct prediction *all = r->prediction;
    const struct predicted *p = &all->found.at[i];
    const struct explanation *e = &r->explanations[i];
    buf_char(out, '\n');
    if (all->found.n > 1)
        buf_printf(out, "  %zu of %zu\n", i + 1, all->found.n);
    put_premise(r, p, s, out);
    put_table(&p->execution, out);
    struct buf notes = {0};
    put_notes(p, &notes);
    if (notes.n) {
        buf_char(out, '\n');
        put_wrapped(notes.at, s, out);
    }
    buf_clear(&notes);
    if (r->validated->n) {
        buf_char(out, '\n');
        put_replay(&r->validated->on_store[i], p, &notes);
        if (r->validated->on_database)
            put_shown(r->validated, i, p->execution.o->h, &notes);
        put_wrapped(notes.at, s, out);
        buf_clear(&notes);
    }
    if (e->anomalies.n) {
        report_anomaly_text(&e->anomalies.at[0], s, 0, 1, out);
        put_prevention(&e->anomalies.at[0], &notes);
        put_wrapped(notes.at, s, out);
    }
    buf_free(&notes);
}

static const char *
colour_of(enum predict_answer a)
{
    return a == PREDICT_NONE ? "32" : a == PREDICT_FOUND ? "1;31" : "33";
}

void
predict_show_text(const struct predict_result *r, const struct report_style *s,
                  struct buf *out)
{
    const struct prediction *p = r->prediction;
    buf_printf(out, "%s: ", r->path);
    if (s->colour)
        buf_printf(out, "\033[%sm", colour_of(p->answer));
    buf_printf(out, "%s: %s", level_table[r->options->level].name,
               predict_show_answer(p->answer));
    if (p->found.n && r->explanations[0].anomalies.n)
        buf_printf(out, ": %s", r->explanations[0].anomalies.at[0].headline);
    if (p->found.n > 1)
        buf_printf(out, ", and %zu more", p->found.n - 1);
    buf_text(out, s->colour ? "\033[0m\n" : "\n");
    if (s->verdicts_only)
        return;
    for (size_t i = 0; i < p->found.n; i++)
        put_predicted(r, i, s, out);
    if (p->found.n)
        buf_char(out, '\n');
    if (p->similar)
        buf_printf(out,
                   "  %zu more prediction%s tell%s the same with other "
                   "transactions.\n\n",
                   p->similar, p->similar == 1 ? "" : "s",
                   p->similar == 1 ? "s" : "");
    if (p->found.n && p->is_cut_short)
        buf_text(out, "  A limit was reached: there may be more.\n\n");
}

/* --- JSON ----------------------------------------------------------------- */

static void
put_json(struct buf *out, const char *name, const struct buf *text)
{
    buf_printf(out, "\"%s\":", name);
    buf_json(out, text->at ? text->at : "", text->n);
}

static void
put_json_txn(const struct observed *o, const char *name, txn_id t,
             struct buf *out)
{
    struct buf text = {0};
    history_show_txn(o->h, t, &text);
    put_json(out, name, &text);
    buf_free(&text);
}

static void
put_json_source(const struct observed *o, const char *name, uint32_t w,
                key_id k, struct buf *out)
{
    struct buf value = {0};
    put_value(o, w, k, &value);
    buf_printf(out, ",\"%s\":{", name);
    put_json_txn(o, "writer", writer_id(o, w), out);
    buf_char(out, ',');
    put_json(out, "value", &value);
    buf_char(out, '}');
    buf_free(&value);
}

static void
put_json_changes(const struct execution *x, struct buf *out)
{
    const struct observed *o = x->o;
    bool first = true;
    buf_text(out, "\"changed_reads\":[");
    for (uint32_t r = 0; r < o->reads.n; r++) {
        if (!is_changed(x, r))
            continue;
        const struct obs_read *read = &o->reads.at[r];
        struct buf key = {0};
        history_show_key(o->h, read->key, &key);
        buf_text(out, first ? "{" : ",{");
        put_json_txn(o, "transaction", o->id[read->txn], out);
        buf_char(out, ',');
        put_json(out, "key", &key);
        put_json_source(o, "observed", read->writer, read->key, out);
        put_json_source(o, "predicted", x->writer[r], read->key, out);
        buf_char(out, '}');
        buf_free(&key);
        first = false;
    }
    buf_char(out, ']');
}

static void
put_json_validated(const struct validated *v, size_t i, const struct history *h,
                   struct buf *out)
{
    buf_printf(out, "\"validation\":{\"outcome\":\"%s\",\"diverged\":%s},",
               replay_outcome_name(v->on_store[i].outcome),
               v->on_store[i].is_diverged ? "true" : "false");
    if (!v->on_database)
        return;
    const struct replay *p = &v->on_database[i];
    const bool shown = p->outcome == REPLAY_VALIDATED;
    struct buf why = {0};
    buf_text(out, "\"database\":{\"name\":");
    buf_json(out, v->database, strlen(v->database));
    buf_printf(out,
               ",\"isolation\":\"%s\",\"outcome\":\"%s\",\"as_predicted\":%s,"
               "\"level_holds\":%s,\"waits\":%zu",
               isolation_names[v->isolation],
               shown ? "shown" : replay_outcome_name(p->outcome),
               shown && !p->differs[0] && !p->is_diverged ? "true" : "false",
               shown && p->breaks_level ? "false" : "true", p->waits);
    if (!shown) {
        put_obstacle(p, h, v->isolation, &why);
        buf_char(out, ',');
        put_json(out, "why", &why);
    }
    buf_text(out, "},");
    buf_free(&why);
}

static void
put_json_predicted(const struct predict_result *r, size_t i, struct buf *out)
{
    const struct predicted *p = &r->prediction->found.at[i];
    const struct observed *o = p->execution.o;
    bool first = true;
    buf_text(out, "{\"boundary_transactions\":[");
    for (uint32_t t = 0; t < o->n; t++) {
        if (p->execution.role[t] != ROLE_BOUNDARY)
            continue;
        struct buf name = {0};
        history_show_txn(o->h, o->id[t], &name);
        buf_text(out, first ? "" : ",");
        buf_json(out, name.at, name.n);
        buf_free(&name);
        first = false;
    }
    buf_text(out, "],");
    put_json_changes(&p->execution, out);
    buf_printf(out, ",\"transactions\":%u,\"certain_to_replay\":%s,", p->txns,
               p->changed && p->is_replay ? "true" : "false");
    if (p->must_not_write != ID_NONE) {
        struct buf key = {0};
        history_show_key(o->h, p->must_not_write, &key);
        put_json(out, "must_not_write", &key);
        buf_char(out, ',');
        buf_free(&key);
    }
    if (r->validated->n)
        put_json_validated(r->validated, i, p->execution.o->h, out);
    put_json(out, "signature", &p->signature);
    if (r->explanations[i].anomalies.n) {
        buf_text(out, ",\"anomaly\":");
        report_anomaly_json(&r->explanations[i].anomalies.at[0], out);
    }
    buf_char(out, '}');
}

void
predict_show_json(const struct predict_result *r, struct buf *out)
{
    const struct prediction *p = r->prediction;
    buf_printf(out,
               "{\"level\":\"%s\",\"boundary\":\"%s\",\"verdict\":\"%s\","
               "\"seconds\":%.6f,\"observed_serializable\":%s",
               level_table[r->options->level].brief,
               r->options->is_strict ? "strict" : "relaxed",
               predict_show_answer(p->answer), p->seconds,
               p->observed.is_serial     ? "true"
               : p->observed.is_violated ? "false"
                                         : "null");
    buf_text(out, ",\"predictions\":[");
    for (size_t i = 0; i < p->found.n; i++) {
        buf_text(out, i ? "," : "");
        put_json_predicted(r, i, out);
    }
    buf_printf(out, "],\"similar\":%zu,\"cut_short\":%s}", p->similar,
               p->is_cut_short ? "true" : "false");
}
