/* predict_json.c -- predictions as JSON.
 *
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "history/tested.h"
#include "report/predict/predict_show.h"
#include "report/predict/predict_words.h"

static txn_id
writer_id(const struct observed *o, uint32_t w)
{
    return w == OBS_INIT ? TXN_INIT : o->id[w];
}

static void
put_buf(struct buf *out, const char *name, const struct buf *text)
{
    json_bytes(out, name, text->at ? text->at : "", text->n);
}

static void
put_txn(const struct history *h, const char *name, txn_id t, struct buf *out)
{
    struct buf text = {0};
    history_show_txn(h, t, &text);
    put_buf(out, name, &text);
    buf_free(&text);
}

static void
put_key(const struct history *h, const char *name, key_id k, struct buf *out)
{
    struct buf text = {0};
    history_show_key(h, k, &text);
    put_buf(out, name, &text);
    buf_free(&text);
}

static void
put_source(const struct observed *o, const char *name, uint32_t w, key_id k,
           struct buf *out)
{
    struct buf value = {0};
    predict_words_value(o, w, k, &value);
    json_object(out, name);
    put_txn(o->h, "writer", writer_id(o, w), out);
    put_buf(out, "value", &value);
    json_object_end(out);
    buf_free(&value);
}

static void
put_changes(const struct execution *x, struct buf *out)
{
    const struct observed *o = x->o;
    json_array(out, "changed_reads");
    for (uint32_t r = 0; r < o->reads.n; r++) {
        if (!predict_words_is_changed(x, r))
            continue;
        const struct obs_read *read = &o->reads.at[r];
        json_object(out, NULL);
        put_txn(o->h, "transaction", o->id[read->txn], out);
        put_key(o->h, "key", read->key, out);
        put_source(o, "observed", read->writer, read->key, out);
        put_source(o, "predicted", x->writer[r], read->key, out);
        json_object_end(out);
    }
    json_array_end(out);
}

static void
put_on_store(const struct replay *p, const struct history *h, struct buf *out)
{
    json_object(out, "validation");
    json_text(out, "outcome", replay_outcome_name(p->outcome));
    json_bool(out, "diverged", p->is_diverged);
    if (p->is_diverged) {
        struct buf how = {0};
        history_show_txn(h, p->diverged, &how);
        buf_printf(&how, " %s", p->how);
        put_buf(out, "divergence", &how);
        buf_free(&how);
    }
    json_object_end(out);
}

static void
put_on_database(const struct validated *v, size_t i, const struct history *h,
                struct buf *out)
{
    const struct replay *p = &v->on_database[i];
    const bool shown = p->outcome == REPLAY_VALIDATED;
    json_object(out, "database");
    json_text(out, "name", v->database);
    json_text(out, "isolation", driver_isolation_names[v->isolation]);
    json_text(out, "outcome",
              shown ? "shown" : replay_outcome_name(p->outcome));
    json_bool(out, "as_predicted", shown && !p->differs[0] && !p->is_diverged);
    json_bool(out, "level_holds", !(shown && p->breaks_level));
    json_u64(out, "waits", p->waits);
    if (!shown) {
        struct buf why = {0};
        predict_words_obstacle(p, h, v->isolation, &why);
        put_buf(out, "why", &why);
        buf_free(&why);
    }
    json_object_end(out);
}

static void
put_anomaly(const struct anomaly *a, struct buf *out)
{
    struct buf words = {0};
    predict_words_prevention(a, &words);
    words.n -= words.n && words.at[words.n - 1] == '\n';
    put_buf(out, "prevention", &words);
    buf_free(&words);
    report_anomaly_json("anomaly", a, out);
}

static void
put_predicted(const struct predict_result *r, size_t i, struct buf *out)
{
    const struct predicted *p = &r->prediction->found.at[i];
    const struct observed *o = p->execution.o;
    struct buf premise = {0};
    json_object(out, NULL);
    json_array(out, "boundary_transactions");
    for (uint32_t t = 0; t < o->n; t++)
        if (p->execution.role[t] == ROLE_BOUNDARY)
            put_txn(o->h, NULL, o->id[t], out);
    json_array_end(out);
    put_changes(&p->execution, out);
    json_u64(out, "transactions", p->txns);
    json_bool(out, "certain_to_replay", p->changed && p->is_replay);
    if (p->must_not_write != ID_NONE) {
        json_bool(out, "conditional", true);
        put_key(o->h, "must_not_write", p->must_not_write, out);
    }
    if (p->is_open)
        json_bool(out, "conditional", true);
    if (r->validated->n)
        put_on_store(&r->validated->on_store[i], o->h, out);
    if (r->validated->n && r->validated->on_database)
        put_on_database(r->validated, i, o->h, out);
    put_buf(out, "signature", &p->signature);
    predict_words_premise(p, predict_title(r->options), &premise);
    put_buf(out, "premise", &premise);
    buf_free(&premise);
    if (r->explanations[i].anomalies.n)
        put_anomaly(&r->explanations[i].anomalies.at[0], out);
    json_object_end(out);
}

void
predict_show_json(const struct predict_result *r, struct buf *out)
{
    const struct prediction *p = r->prediction;
    json_object(out, NULL);
    json_text(out, "level", predict_brief(r->options));
    json_text(out, "boundary", r->options->is_strict ? "strict" : "relaxed");
    json_text(out, "verdict", predict_show_answer(r->answer));
    json_fixed(out, "seconds", p->seconds, 6);
    if (p->observed.is_serial || p->observed.is_violated)
        json_bool(out, "observed_serializable", p->observed.is_serial);
    else
        json_null(out, "observed_serializable");
    if (p->is_untested)
        json_text(out, "reason", HISTORY_UNTESTED);
    else if (r->answer == PREDICT_NONE && r->gaps[0])
        json_text(out, "reason", r->gaps);
    if (r->stop.kind != LIMIT_NONE) {
        struct buf reason = {0};
        limit_show(&r->stop, &reason);
        put_buf(out, "reason", &reason);
        buf_free(&reason);
    }
    json_array(out, "predictions");
    for (size_t i = 0; i < p->found.n; i++)
        put_predicted(r, i, out);
    json_array_end(out);
    json_u64(out, "similar", p->similar);
    json_bool(out, "cut_short", p->is_cut_short);
    if (r->validated->on_store) {
        json_u64(out, "declined", p->declined);
        json_u64(out, "declined_conditional", p->declined_conditional);
    }
    json_object_end(out);
}

void
predict_show_begin_json(const struct predict_result *r, struct buf *out)
{
    json_object(out, NULL);
    json_text(out, "history", r->path);
    json_text(out, "format", r->format);
    report_sizes_json(r->summary, out);
    json_array(out, "results");
}

void
predict_show_end_json(struct buf *out)
{
    json_array_end(out);
    json_end_line(out);
}
