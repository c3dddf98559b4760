/* predict_words.c -- see predict_words.h.
 *
 * SPDX-License-Identifier: MIT */
#include "report/predict/predict_words.h"

#include <assert.h>
#include <string.h>

/* --- reads that change ---------------------------------------------------- */

bool
predict_words_is_changed(const struct execution *x, uint32_t r)
{
    return execution_has_read(x, r) && x->writer[r] != x->o->reads.at[r].writer;
}

void
predict_words_value(const struct observed *o, uint32_t w, key_id k,
                    struct buf *out)
{
    const bool is_row = history_key_is_row(o->h, k);
    if (is_row && w == OBS_INIT) {
        const uint32_t initial = o->h->key_rows[k].initial;
        buf_shown(out, strings_get(&o->h->strings, initial).text);
        return;
    }
    if (is_row) {
        const op_id op = o->writes.at[observed_write(o, w, k)].op;
        history_show_value(o->h, o->h->op_value[op], out);
        return;
    }
    const struct atom a =
        w == OBS_INIT
            ? o->h->initial
            : history_value_atom(
                  o->h,
                  o->h->op_value[o->writes.at[observed_write(o, w, k)].op]);
    atom_show(&o->h->strings, a, out);
}

void
predict_words_source(const struct observed *o, uint32_t w, key_id k,
                     const char *equals, struct buf *out)
{
    struct buf value = {0}, writer = {0};
    predict_words_value(o, w, k, &value);
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

/* Whether the value of the read is more than the name of its writer. */
static bool
has_value(const struct observed *o, uint32_t w, key_id k)
{
    struct buf value = {0}, writer = {0};
    if (w != OBS_INIT)
        history_show_txn(o->h, o->id[w], &writer);
    predict_words_value(o, w, k, &value);
    const bool says = w == OBS_INIT || strcmp(value.at, writer.at) != 0;
    buf_free(&value);
    buf_free(&writer);
    return says;
}

/* ", which T3 had not yet overwritten", ", which T5 had already written". */
static void
put_moment(const struct execution *x, uint32_t r, struct buf *out)
{
    const struct observed *o = x->o;
    const uint32_t w = x->writer[r], seen = o->reads.at[r].writer;
    const bool is_older =
        seen != OBS_INIT && (w == OBS_INIT || o->place[w] < o->place[seen]);
    buf_text(out, ", which ");
    history_show_txn(o->h, is_older ? o->id[seen] : o->id[w], out);
    buf_text(out, is_older ? " had not yet overwritten" : " had just written");
}

/* "T7 read x = 5, which T3 had not yet overwritten, instead of 9". */
static void
put_change(const struct execution *x, uint32_t r, struct buf *out)
{
    const struct observed *o = x->o;
    const struct obs_read *read = &o->reads.at[r];
    const uint32_t w = x->writer[r];
    history_show_txn(o->h, o->id[read->txn], out);
    buf_text(out, " read ");
    if (!has_value(o, w, read->key))
        buf_text(out, "the ");
    history_show_key(o->h, read->key, out);
    if (has_value(o, w, read->key)) {
        buf_text(out, " = ");
        predict_words_value(o, w, read->key, out);
    } else {
        buf_text(out, " of ");
        history_show_txn(o->h, o->id[w], out);
    }
    put_moment(x, r, out);
    buf_text(out, ", instead of ");
    if (has_value(o, read->writer, read->key)) {
        predict_words_value(o, read->writer, read->key, out);
    } else {
        buf_text(out, "that of ");
        history_show_txn(o->h, o->id[read->writer], out);
    }
}

void
predict_words_premise(const struct predicted *p, const char *title,
                      struct buf *out)
{
    const struct execution *x = &p->execution;
    if (!p->changed) {
        buf_printf(out,
                   "What was observed is not serializable itself, and %s "
                   "allows it.",
                   title);
        return;
    }
    buf_text(out, "Had ");
    bool first = true;
    for (uint32_t r = 0; r < x->o->reads.n; r++) {
        if (!predict_words_is_changed(x, r))
            continue;
        buf_text(out, first ? "" : ", and ");
        put_change(x, r, out);
        first = false;
    }
    buf_printf(out,
               ", no serial order would explain the outcome; and %s allows "
               "that.",
               title);
}

/* --- remarks -------------------------------------------------------------- */

void
predict_words_notes(const struct predicted *p, struct buf *text)
{
    const struct observed *o = p->execution.o;
    if (p->changed && p->is_replay)
        buf_text(text, "Each changed read returns the value that was "
                       "observed, so the program is certain to go on as it "
                       "did.\n");
    if (p->changed && p->execution.is_strict)
        buf_text(text, "What a transaction does after its changed read "
                       "depends on what it read, and is not part of the "
                       "prediction.\n");
    if (p->is_open)
        buf_text(text, "The recording does not say which statements its "
                       "operations belong to and what they lock: the database "
                       "may not allow this.\n");
    if (p->is_conditional && p->must_not_write == ID_NONE)
        buf_text(text, "Two of the transactions write different columns of a "
                       "row at the same time: a database in which such writes "
                       "conflict refuses one of them.\n");
    if (p->must_not_write == ID_NONE)
        return;
    for (uint32_t t = 0; t < o->n; t++) {
        const uint32_t w = observed_write(o, t, p->must_not_write);
        if (p->execution.role[t] != ROLE_BOUNDARY || w == OBS_NONE ||
            execution_has_write(&p->execution, w))
            continue;
        history_show_txn(o->h, o->id[t], text);
        break;
    }
    buf_text(text, " commits only if it does not go on to write ");
    history_show_key(o->h, p->must_not_write, text);
    buf_text(text, ", as it did.\n");
}

/* One lock is not enough: the others may still have read before it was taken.
 * With all of them, the transactions of the cycle commit in its order, which
 * has no beginning.  Of a lost update either writer may come second. */
void
predict_words_prevention(const struct anomaly *a, struct buf *text)
{
    size_t n = 0;
    buf_text(text, "What prevents it: serializability for these "
                   "transactions");
    for (size_t i = 0; i < a->cycle.n; i++) {
        const struct anomaly_edge *e = &a->edges.at[a->cycle.at[i]];
        assert(e->from < a->txns.n);
        if (e->kind != EDGE_RW &&
            !(a->kind == ANOMALY_LOST_UPDATE && e->kind == EDGE_WW))
            continue;
        buf_printf(text, "%s %s where %s reads it",
                   n++ ? " and one on"
                       : "; or a lock (SELECT ... FOR UPDATE) on",
                   e->key, a->txns.at[e->from].name);
    }
    buf_text(text, ".\n");
}

/* --- validation ----------------------------------------------------------- */

/* Append "s2/3 read y instead of writing x". */
static void
put_divergence(const struct replay *p, const struct history *h,
               struct buf *text)
{
    history_show_txn(h, p->diverged, text);
    buf_printf(text, " %s", p->how);
}

/* How the application behaved when it was run again on the store. */
static void
put_replay(const struct replay *p, const struct predicted *of, struct buf *text)
{
    const struct history *h = of->execution.o->h;
    if (p->outcome == REPLAY_VALIDATED) {
        buf_text(text, "Validated: run again with these reads, the "
                       "application ");
        if (p->is_diverged) {
            buf_text(text, "went on in another way (");
            put_divergence(p, h, text);
            buf_text(text, "), and the outcome is not serializable either.\n");
        } else {
            buf_text(text, "did exactly this.\n");
        }
        return;
    }
    if (p->outcome == REPLAY_REFUSED && of->must_not_write != ID_NONE) {
        buf_text(text, "The condition is not met: run again, ");
        history_show_txn(h, p->where, text);
        buf_text(text, " went on to write, and was refused at its commit.\n");
        return;
    }
    buf_text(text, "Not validated: ");
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
    if (p->is_diverged) {
        buf_text(text, ": ");
        put_divergence(p, h, text);
    }
    buf_text(text, ".\n");
}

void
predict_words_obstacle(const struct replay *p, const struct history *h,
                       enum driver_isolation isolation, struct buf *text)
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
        else if (p->is_diverged) {
            buf_text(text, ", because ");
            put_divergence(p, h, text);
        }
    }
}

/* How the database behaved when it was driven by a schedule. */
static void
put_shown(const struct validated *v, size_t i, const struct history *h,
          struct buf *text)
{
    const struct replay *p = &v->on_database[i];
    const bool shown = p->outcome == REPLAY_VALIDATED;
    buf_printf(text, "%s by %s at %s: ", shown ? "Shown" : "Not shown",
               v->database, driver_isolation_names[v->isolation]);
    if (shown)
        buf_text(text, p->differs[0] || p->is_diverged
                           ? "its sessions driven in lock step, the "
                             "application did something similar"
                           : "its sessions driven in lock step, the "
                             "application did exactly this");
    else
        predict_words_obstacle(p, h, v->isolation, text);
    if (shown && p->breaks_level)
        buf_text(text, "; what happened is not even snapshot isolation");
    if (p->waits)
        buf_printf(text, "; %zu step%s waited for a lock", p->waits,
                   p->waits == 1 ? "" : "s");
    buf_text(text, ".\n");
}

void
predict_words_validated(const struct validated *v, size_t i,
                        const struct predicted *p, struct buf *out)
{
    if (v->n)
        put_replay(&v->on_store[i], p, out);
    if (v->n && v->on_database)
        put_shown(v, i, p->execution.o->h, out);
}
