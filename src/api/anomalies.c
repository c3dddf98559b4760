/* anomalies.c -- what is wrong with a history, as data; see assay.h.
 *
 * An assay_anomaly is the anomaly of the explanation itself, under the name
 * that the header has for it.
 *
 * SPDX-License-Identifier: MIT */
#include "api/result.h"
#include "api/text_stream.h"
#include "evidence/certificate_names.h"
#include "explain/advice.h"

static const struct anomaly *
inside(const assay_anomaly *x)
{
    return (const struct anomaly *)(const void *)x;
}

static const struct anomaly *
find(const assay_result *r, size_t row, size_t i)
{
    if (!r || row >= r->i.check.results.n)
        return NULL;
    const struct explanation *e = &r->i.explanations[row];
    return i < e->anomalies.n ? &e->anomalies.at[i] : NULL;
}

size_t
assay_anomalies(const assay_result *r, size_t row)
{
    return r && row < r->i.check.results.n ? r->i.explanations[row].anomalies.n
                                           : 0;
}

const assay_anomaly *
assay_anomaly_at(const assay_result *r, size_t row, size_t i)
{
    return (const assay_anomaly *)(const void *)find(r, row, i);
}

const char *
assay_anomaly_name(const assay_anomaly *x)
{
    return x ? anomaly_table[inside(x)->kind].name : NULL;
}

const char *
assay_anomaly_adya(const assay_anomaly *x)
{
    return x ? anomaly_table[inside(x)->kind].adya : NULL;
}

const char *
assay_anomaly_headline(const assay_anomaly *x)
{
    return x ? inside(x)->headline : NULL;
}

const char *
assay_anomaly_story(const assay_anomaly *x)
{
    return x ? inside(x)->story : NULL;
}

const char *
assay_anomaly_advice(const assay_anomaly *x)
{
    return x ? advice_table[inside(x)->kind].remedy : NULL;
}

/* --- transactions ----------------------------------------------------------*/

static const struct anomaly_txn *
txn_of(const assay_anomaly *x, size_t t)
{
    return x && t < inside(x)->txns.n ? &inside(x)->txns.at[t] : NULL;
}

size_t
assay_anomaly_txns(const assay_anomaly *x)
{
    return x ? inside(x)->txns.n : 0;
}

const char *
assay_anomaly_txn(const assay_anomaly *x, size_t t)
{
    const struct anomaly_txn *txn = txn_of(x, t);
    return txn ? txn->id : NULL;
}

const char *
assay_anomaly_session(const assay_anomaly *x, size_t t)
{
    const struct anomaly_txn *txn = txn_of(x, t);
    return txn ? txn->session : NULL;
}

const char *
assay_anomaly_meta(const assay_anomaly *x, size_t t)
{
    const struct anomaly_txn *txn = txn_of(x, t);
    return txn ? txn->meta : NULL;
}

size_t
assay_anomaly_ops(const assay_anomaly *x, size_t t)
{
    const struct anomaly_txn *txn = txn_of(x, t);
    return txn ? txn->n_ops : 0;
}

const char *
assay_anomaly_op(const assay_anomaly *x, size_t t, size_t op)
{
    const struct anomaly_txn *txn = txn_of(x, t);
    return txn && op < txn->n_ops ? txn->ops[op].text : NULL;
}

/* --- dependencies ----------------------------------------------------------*/

size_t
assay_anomaly_edges(const assay_anomaly *x)
{
    return x ? inside(x)->edges.n : 0;
}

const char *
assay_anomaly_edge(const assay_anomaly *x, size_t i, size_t *from, size_t *to,
                   const char **key, const char **why)
{
    if (!x || i >= inside(x)->edges.n)
        return NULL;
    const struct anomaly_edge *e = &inside(x)->edges.at[i];
    if (from)
        *from = e->from;
    if (to)
        *to = e->to;
    if (key)
        *key = e->key;
    if (why)
        *why = e->reason;
    return edge_names[e->kind];
}

/* --- the reduced history ---------------------------------------------------*/

struct reducing {
    const struct anomaly *x;
    struct buf out;
    struct err err;
};

static void
write_reduced(void *self)
{
    struct reducing *w = self;
    text_stream_history(&w->x->reduced, format_find("jsonl"), &w->out, &w->err);
}

const char *
assay_anomaly_history(assay_result *r, size_t row, size_t i, size_t *len)
{
    struct reducing w = {.x = find(r, row, i)};
    if (len)
        *len = 0;
    if (!w.x) {
        handle_fail(ASSAY_E_USAGE, "no such anomaly");
        return NULL;
    }
    if (handle_run(r->a, write_reduced, &w, &w.err) != ASSAY_OK)
        return NULL;
    buf_free(&r->reduced);
    r->reduced = w.out;
    if (len)
        *len = w.out.n;
    return w.out.at;
}
