/* predict_json.c -- predictions as JSON.
 *
 * SPDX-License-Identifier: MIT */
#include "history/tested.h"
#include "report/predict/predict_show.h"
#include "report/predict/predict_words.h"

#include <string.h>

static txn_id
writer_id(const struct observed *o, uint32_t w)
{
    return w == OBS_INIT ? TXN_INIT : o->id[w];
}

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
    predict_words_value(o, w, k, &value);
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
        if (!predict_words_is_changed(x, r))
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
    const struct replay *on_store = &v->on_store[i];
    buf_printf(out, "\"validation\":{\"outcome\":\"%s\",\"diverged\":%s",
               replay_outcome_name(on_store->outcome),
               on_store->is_diverged ? "true" : "false");
    if (on_store->is_diverged) {
        struct buf how = {0};
        history_show_txn(h, on_store->diverged, &how);
        buf_printf(&how, " %s", on_store->how);
        buf_char(out, ',');
        put_json(out, "divergence", &how);
        buf_free(&how);
    }
    buf_text(out, "},");
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
               driver_isolation_names[v->isolation],
               shown ? "shown" : replay_outcome_name(p->outcome),
               shown && !p->differs[0] && !p->is_diverged ? "true" : "false",
               shown && p->breaks_level ? "false" : "true", p->waits);
    if (!shown) {
        predict_words_obstacle(p, h, v->isolation, &why);
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
        buf_text(out, "\"conditional\":true,");
        put_json(out, "must_not_write", &key);
        buf_char(out, ',');
        buf_free(&key);
    }
    if (r->validated->n)
        put_json_validated(r->validated, i, p->execution.o->h, out);
    put_json(out, "signature", &p->signature);
    struct buf words = {0};
    predict_words_premise(p, r->options->level, &words);
    buf_char(out, ',');
    put_json(out, "premise", &words);
    buf_free(&words);
    if (r->explanations[i].anomalies.n) {
        predict_words_prevention(&r->explanations[i].anomalies.at[0], &words);
        words.n -= words.n && words.at[words.n - 1] == '\n';
        buf_char(out, ',');
        put_json(out, "prevention", &words);
        buf_free(&words);
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
               predict_show_answer(r->answer), p->seconds,
               p->observed.is_serial     ? "true"
               : p->observed.is_violated ? "false"
                                         : "null");
    if (p->is_untested)
        buf_text(out, ",\"reason\":\"" HISTORY_UNTESTED "\"");
    if (r->stop.kind != LIMIT_NONE) {
        struct buf reason = {0};
        limit_show(&r->stop, &reason);
        buf_char(out, ',');
        put_json(out, "reason", &reason);
        buf_free(&reason);
    }
    buf_text(out, ",\"predictions\":[");
    for (size_t i = 0; i < p->found.n; i++) {
        buf_text(out, i ? "," : "");
        put_json_predicted(r, i, out);
    }
    buf_printf(out, "],\"similar\":%zu,\"cut_short\":%s", p->similar,
               p->is_cut_short ? "true" : "false");
    if (r->validated->on_store)
        buf_printf(out, ",\"declined\":%zu,\"declined_conditional\":%zu",
                   p->declined, p->declined_conditional);
    buf_char(out, '}');
}
