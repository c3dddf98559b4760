/* flow.c -- see flow.h.
 *
 * SPDX-License-Identifier: MIT */
#include "audit/flow.h"

#include <string.h>

/* Whether a statement is about rows of the application. */
static bool
is_about_rows(const char *shape)
{
    static const char *const verbs[] = {"select", "insert", "update",
                                        "delete", "merge",  "with"};
    if (strstr(shape, "pg_"))
        return false;
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        size_t n = 0;
        while (verbs[i][n] && (shape[n] | 32) == verbs[i][n])
            n++;
        if (!verbs[i][n])
            return true;
    }
    return false;
}

static void
add_txn(struct flow *f, const struct history *h, txn_id t)
{
    struct arena arena = {0};
    sent_vec sent = {0};
    struct buf shape = {0}, name = {0};
    sent_read(h, t, &arena, &sent);
    for (size_t i = 0; i < sent.n; i++) {
        buf_clear(&shape);
        sent_shape(sent.at[i].sql, &shape);
        const uint32_t number = (uint32_t)i + 1;
        if (shape.n && is_about_rows(shape.at))
            vec_push(&f->txns[t],
                     ((struct flow_statement){
                         number, strings_add(&f->texts, shape.at, shape.n),
                         sent.at[i].found}));
    }
    const struct atom a = history_txn_atom(h, t);
    if (atom_is_text(a))
        buf_text(&name, strings_get(&h->strings, (uint32_t)a.bits).text);
    const char *endpoint = sent_endpoint(name.n ? name.at : "", &arena);
    f->endpoint[t] = strings_add(&f->texts, endpoint, strlen(endpoint));
    vec_free(&sent);
    buf_free(&shape);
    buf_free(&name);
    arena_free(&arena);
}

void
flow_init(struct flow *f, const struct history *h)
{
    *f = (struct flow){.n = h->n_txns};
    f->txns = mem_calloc(h->n_txns + 1, sizeof *f->txns);
    f->endpoint = mem_calloc(h->n_txns + 1, sizeof *f->endpoint);
    for (txn_id t = 0; t < h->n_txns; t++)
        if (h->txn_counts[t] && h->txn_status[t] != TXN_LOADING)
            add_txn(f, h, t);
}

void
flow_free(struct flow *f)
{
    for (txn_id t = 0; t < f->n; t++)
        vec_free(&f->txns[t]);
    mem_free(f->txns);
    mem_free(f->endpoint);
    strings_free(&f->texts);
}

static uint32_t
shape_at(const flow_vec *v, size_t i)
{
    return i < v->n ? v->at[i].shape : UINT32_MAX;
}

enum flow_answer
flow_ask(const struct flow *f, txn_id t, size_t i, uint32_t found,
         const char **next)
{
    const flow_vec *mine = &f->txns[t];
    enum flow_answer answer = FLOW_UNKNOWN;
    *next = "";
    for (txn_id u = 0; u < f->n; u++) {
        const flow_vec *v = &f->txns[u];
        if (f->endpoint[u] != f->endpoint[t] || v->n <= i ||
            v->at[i].found != found)
            continue;
        bool is_prefix = true;
        for (size_t k = 0; is_prefix && k <= i; k++)
            is_prefix = shape_at(v, k) == shape_at(mine, k);
        if (!is_prefix)
            continue;
        if (shape_at(v, i + 1) == shape_at(mine, i + 1))
            return FLOW_SAME;
        answer = FLOW_OTHER;
        *next = i + 1 < v->n ? strings_get(&f->texts, v->at[i + 1].shape).text
                             : "COMMIT";
    }
    return answer;
}
