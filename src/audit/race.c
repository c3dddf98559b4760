/* race.c -- see race.h.
 *
 * SPDX-License-Identifier: MIT */
#include "audit/race.h"

#include "explain/explain.h"

#include <stdlib.h>
#include <string.h>

enum { CONTEXT = 40, EXPLAIN_SECONDS = 5, MOST_CANDIDATES = 12 };

bool
race_predict(const struct requests *q, struct prediction *out, struct err *err)
{
    const struct predict_options options = {
        .level = q->on->level, .on = q->on, .most = SIZE_MAX, .timeout = 60};
    return predict(&q->h, &options, out, err);
}

static const char *
keep(struct buf *text, struct arena *arena)
{
    const char *copy = arena_copy(arena, text->n ? text->at : "", text->n);
    buf_free(text);
    return copy;
}

static const char *
name_of(const struct observed *o, uint32_t t, struct arena *arena)
{
    struct buf name = {0};
    const struct atom a = history_txn_atom(o->h, o->id[t]);
    if (atom_is_text(a))
        buf_text(&name, strings_get(&o->h->strings, (uint32_t)a.bits).text);
    else
        history_show_txn(o->h, o->id[t], &name);
    return keep(&name, arena);
}

/* --- who is involved -------------------------------------------------------*/

static int
compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "leave and book", or "leave, twice". */
static const char *
join_endpoints(const struct anomaly *a, struct arena *arena)
{
    VEC(const char *) names = {0};
    for (size_t i = 0; i < a->txns.n; i++)
        if (!a->txns.at[i].is_init && !a->txns.at[i].is_context)
            vec_push(&names, sent_endpoint(a->txns.at[i].id, arena));
    if (names.n)
        qsort(names.at, names.n, sizeof *names.at, compare_texts);
    struct buf text = {0};
    for (size_t i = 0, n; i < names.n; i += n) {
        for (n = 1;
             i + n < names.n && strcmp(names.at[i], names.at[i + n]) == 0;)
            n++;
        buf_text(&text, !text.n ? "" : i + n < names.n ? ", " : " and ");
        buf_text(&text, names.at[i]);
        if (n > 1)
            buf_text(&text, n == 2 ? " (twice)" : " (several times)");
    }
    vec_free(&names);
    return keep(&text, arena);
}

static bool
explain(const struct requests *q, const struct history *h, struct buf *pair,
        struct err *err)
{
    const struct check_options options = {.levels = level_bit(LEVEL_TARGET),
                                          .threads = q->threads,
                                          .strong = strong_defaults};
    const struct explain_options how = {.most = 1,
                                        .work = EXPLAIN_SECONDS * BUDGET_SECOND,
                                        .context = CONTEXT,
                                        .threads = q->threads,
                                        .strong = strong_defaults};
    struct check check;
    struct explanation e;
    struct arena arena = {0};
    if (!check_history(h, &options, &check, err))
        return false;
    const bool ok =
        explain_result(h, &check, &check.results.at[0], &how, &e, err);
    if (ok) {
        if (e.anomalies.n)
            buf_text(pair, join_endpoints(&e.anomalies.at[0], &arena));
        explanation_free(&e);
    }
    check_free(&check);
    arena_free(&arena);
    return ok;
}

/* --- words -----------------------------------------------------------------*/

static bool
is_changed(const struct execution *x, uint32_t r)
{
    return execution_has_read(x, r) && x->writer[r] != x->o->reads.at[r].writer;
}

static key_id
row_of(const struct history *h, key_id k)
{
    return history_key_is_row(h, k) ? h->key_rows[k].row : k;
}

/* A transaction that takes place and has changed what read r sees; itself
 * where there is none. */
static uint32_t
overwriter(const struct execution *x, uint32_t r)
{
    const struct observed *o = x->o;
    const key_id k = o->reads.at[r].key;
    for (uint32_t i = o->key_first[k + 1]; i > o->key_first[k]; i--) {
        const uint32_t v = o->writes.at[o->key_write[i - 1]].txn;
        if (x->role[v] != ROLE_OUT && v != x->writer[r] &&
            v != o->reads.at[r].txn)
            return v;
    }
    return o->reads.at[r].txn;
}

static bool
writes_row(const struct observed *o, uint32_t t, key_id row)
{
    for (uint32_t w = o->write_first[t]; w < o->write_first[t + 1]; w++)
        if (row_of(o->h, o->writes.at[w].key) == row)
            return true;
    return false;
}

/* The first changed read whose row its transaction also writes, else the first
 * one. */
static uint32_t
main_read(const struct execution *x, bool *is_update)
{
    const struct observed *o = x->o;
    uint32_t first = OBS_NONE;
    *is_update = false;
    for (uint32_t r = 0; r < o->reads.n; r++) {
        if (!is_changed(x, r))
            continue;
        if (first == OBS_NONE)
            first = r;
        if (writes_row(o, o->reads.at[r].txn,
                       row_of(o->h, o->reads.at[r].key))) {
            *is_update = true;
            return r;
        }
    }
    return first;
}

/* Whether a read asks whether a row is there, or matches. */
static bool
asks(const struct history *h, key_id k)
{
    return history_key_is_row(h, k) && h->key_rows[k].where != ID_NONE;
}

static void
put_row(const struct history *h, key_id k, struct buf *out)
{
    history_show_key(h, row_of(h, k), out);
}

bool
race_make(const struct requests *q, const struct prediction *all,
          const struct predicted *p, struct audit_finding *out,
          struct arena *arena, struct err *err)
{
    const struct execution *x = &p->execution;
    const struct observed *o = &all->observed;
    struct buf pair = {0}, text = {0};
    if (!explain(q, &p->history, &pair, err)) {
        buf_free(&pair);
        return false;
    }
    bool is_update;
    const uint32_t r = main_read(x, &is_update);
    *out = (struct audit_finding){.endpoints = keep(&pair, arena),
                                  .is_open = p->is_open,
                                  .why = "",
                                  .table = "",
                                  .kind = "race",
                                  .sentence = "",
                                  .repair = ""};
    if (r == OBS_NONE)
        return true;
    const uint32_t t = o->reads.at[r].txn, v = overwriter(x, r);
    const char *reader = name_of(o, t, arena), *writer = name_of(o, v, arena);
    const key_id k = o->reads.at[r].key;
    const bool is_absent =
        asks(o->h, k) ||
        (x->writer[r] == OBS_INIT && history_key_is_row(o->h, k) &&
         strcmp(strings_get(&o->h->strings, o->h->key_rows[k].initial).text,
                "absent") == 0);
    if (is_update && !is_absent) {
        out->kind = "lost update";
        buf_printf(&text, "\"%s\" reads ", reader);
        put_row(o->h, k, &text);
        buf_printf(&text,
                   " before \"%s\" changes it, and afterwards writes what it "
                   "computed from the old row. One of the two changes is lost.",
                   writer);
    } else if (is_absent) {
        out->kind = "decision by rows that change meanwhile (phantom)";
        buf_printf(&text,
                   "\"%s\" looks for rows and does not see that \"%s\" adds or "
                   "removes ",
                   reader, writer);
        put_row(o->h, k, &text);
        buf_text(&text, " at the same time. Each of them decides as if it were "
                        "alone, and both commit.");
    } else {
        out->kind = "decision by a row that changes meanwhile (write skew)";
        buf_printf(&text, "\"%s\" reads ", reader);
        put_row(o->h, k, &text);
        buf_printf(&text,
                   ", which \"%s\" changes at the same time. Each of them "
                   "decides by what is no longer true, and both commit.",
                   writer);
    }
    out->sentence = keep(&text, arena);
    put_row(o->h, k, &text);
    text.n = strcspn(text.at, "/,");
    out->table = keep(&text, arena);
    return true;
}

/* The row that read r sees, without the number of its version. */
static void
put_seen(const struct execution *x, uint32_t r, struct buf *out)
{
    const key_id k = x->o->reads.at[r].key;
    struct buf value = {0};
    if (history_key_is_row(x->o->h, k) && !asks(x->o->h, k))
        trial_value(x->o, k, x->writer[r], &value);
    const char *end = value.n ? strstr(value.at, "} ver ") : NULL;
    if (end && *value.at == '{')
        buf_printf(out, ": %.*s", (int)(end + 1 - value.at), value.at);
    buf_free(&value);
}

/* What changed reads of a statement see. */
static const char *
changed_at(const struct execution *x, const struct moments *m, uint32_t t,
           uint32_t statement, struct arena *arena)
{
    const struct observed *o = x->o;
    struct buf text = {0};
    for (uint32_t r = o->read_first[t]; r < o->read_first[t + 1]; r++) {
        if (!is_changed(x, r) || m->statement[m->of_read[r]] != statement)
            continue;
        struct buf row = {0};
        put_row(o->h, o->reads.at[r].key, &row);
        buf_printf(&row, " as it was before \"%s\"",
                   name_of(o, overwriter(x, r), arena));
        put_seen(x, r, &row);
        if (!text.n || !strstr(text.at, row.at))
            buf_printf(&text, "%s%s", text.n ? "; " : "sees ", row.at);
        buf_free(&row);
    }
    return text.n ? keep(&text, arena) : NULL;
}

void
race_steps(const struct prediction *all, const struct predicted *p,
           const struct moments *m, const struct trial *trial,
           struct audit_finding *out, struct arena *arena)
{
    const sent_vec *sent = trial->sent;
    const trial_vec *steps = &trial->steps;
    const struct observed *o = &all->observed;
    uint32_t *column = mem_alloc(o->n + 1, sizeof *column);
    for (uint32_t i = 0; i < o->n; i++) {
        const uint32_t t = o->order[i];
        column[t] = (uint32_t)out->names.n;
        if (p->execution.role[t] != ROLE_OUT)
            vec_push(&out->names, name_of(o, t, arena));
    }
    for (size_t i = 0; i < steps->n; i++)
        for (uint32_t k = steps->at[i].from; k < steps->at[i].to; k++) {
            const uint32_t t = steps->at[i].txn;
            struct buf sql = {0};
            sent_plain(sent[t].at[k].sql, &sql);
            for (size_t v = 0; v < sent[t].at[k].n_values; v++)
                buf_printf(&sql, "%s$%zu = %s", v ? ", " : "   -- ", v + 1,
                           sent[t].at[k].values[v] ? sent[t].at[k].values[v]
                                                   : "null");
            const bool is_last = k + 1 == steps->at[i].to;
            // Only the last statement of a step has reads that count.
            const uint32_t number = sent[t].at[0].is_added ? k : k + 1;
            const char *sees =
                is_last ? changed_at(&p->execution, m, t, number, arena) : NULL;
            vec_push(&out->steps,
                     ((struct audit_step){column[t], keep(&sql, arena), sees}));
        }
    mem_free(column);
}

/* --- repairs ---------------------------------------------------------------*/

/* A statement of an endpoint, and its shape. */
struct candidate {
    const char *endpoint, *shape, *sql;
};

typedef VEC(struct candidate) candidate_vec;

static struct candidate
candidate_of(const struct history *h, txn_id t, uint32_t statement,
             struct arena *arena)
{
    sent_vec sent = {0};
    struct candidate c = {0};
    struct buf name = {0}, shape = {0}, sql = {0};
    sent_read(h, t, arena, &sent);
    const struct atom a = history_txn_atom(h, t);
    if (atom_is_text(a))
        buf_text(&name, strings_get(&h->strings, (uint32_t)a.bits).text);
    if (statement && statement <= sent.n) {
        sent_shape(sent.at[statement - 1].sql, &shape);
        sent_plain(sent.at[statement - 1].sql, &sql);
        c.endpoint = sent_endpoint(name.n ? name.at : "", arena);
        c.shape = keep(&shape, arena);
        c.sql = keep(&sql, arena);
    }
    buf_free(&name);
    vec_free(&sent);
    return c;
}

/* Whether op reads a row that was found, without a lock. */
static bool
may_lock(const struct history *h, op_id op)
{
    return !op_is_write(h, op) && op_is_external_read(h, op) &&
           !op_is_fixed(h, op) && op_lock(h, op) < ROW_LOCK_NO_KEY_UPDATE &&
           history_key_is_row(h, op_key(h, op)) &&
           h->key_rows[op_key(h, op)].where == ID_NONE;
}

static void
add_candidates(const struct history *h, txn_id t, candidate_vec *out,
               struct arena *arena)
{
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        if (!may_lock(h, op))
            continue;
        const struct candidate c =
            candidate_of(h, t, op_statement(h, op), arena);
        bool known = !c.shape || out->n >= MOST_CANDIDATES;
        for (size_t i = 0; !known && i < out->n; i++)
            known = strcmp(out->at[i].shape, c.shape) == 0 &&
                    strcmp(out->at[i].endpoint, c.endpoint) == 0;
        if (!known)
            vec_push(out, c);
    }
}

/* Let all statements of this shape lock what they read. */
static void
lock_all(struct history *h, const struct candidate *c, struct arena *arena)
{
    for (txn_id t = 0; t < h->n_txns; t++) {
        uint32_t last = 0;
        bool fits = false;
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            if (!may_lock(h, op))
                continue;
            if (op_statement(h, op) != last) {
                last = op_statement(h, op);
                const struct candidate d = candidate_of(h, t, last, arena);
                fits = d.shape && strcmp(d.shape, c->shape) == 0 &&
                       strcmp(d.endpoint, c->endpoint) == 0;
            }
            if (fits)
                h->op_marks[op] =
                    (h->op_marks[op] & ~(0x7fu << OP_LOCK_SHIFT)) |
                    (uint32_t)ROW_LOCK_UPDATE << OP_LOCK_SHIFT;
        }
    }
}

/* Whether something is predicted of these endpoints. */
static bool
is_predicted(const struct requests *q, const char *endpoints, bool *yes,
             struct err *err)
{
    struct prediction p;
    if (!race_predict(q, &p, err))
        return false;
    bool ok = true;
    *yes = p.answer != PREDICT_FOUND && p.answer != PREDICT_NONE;
    for (size_t i = 0; ok && !*yes && i < p.found.n; i++) {
        struct buf pair = {0};
        ok = explain(q, &p.found.at[i].history, &pair, err);
        *yes = strcmp(pair.n ? pair.at : "", endpoints) == 0;
        buf_free(&pair);
    }
    prediction_free(&p);
    return ok;
}

/* Whether a select may be locked as it is. */
static bool
can_be_locked(const char *sql)
{
    static const char *const no[] = {
        "count(",   "COUNT(",   "sum(",  "SUM(", "max(",     "MAX(",
        "min(",     "MIN(",     "avg(",  "AVG(", "group by", "GROUP BY",
        "distinct", "DISTINCT", "union", "UNION"};
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
        if (strstr(sql, no[i]))
            return false;
    return true;
}

static void
describe_repair(const struct candidate *c, struct audit_finding *out,
                struct arena *arena)
{
    struct buf text = {0};
    const bool is_update = strcmp(out->kind, "lost update") == 0;
    if (can_be_locked(c->sql))
        buf_printf(&text,
                   "In %s, add FOR UPDATE to `%s`. The row then stays as it "
                   "was read until the transaction ends.",
                   c->endpoint, c->sql);
    else
        buf_printf(&text,
                   "In %s, lock the rows that `%s` reads: select them FOR "
                   "UPDATE in a statement before it.",
                   c->endpoint, c->sql);
    if (is_update)
        buf_text(&text, " Or let one UPDATE compute the new value (SET x = x - "
                        "1), without a read before it.");
    out->repair = keep(&text, arena);
    out->is_checked = true;
}

bool
race_repair(struct requests *q, const struct prediction *all,
            const struct predicted *p, struct audit_finding *out,
            struct arena *arena, struct err *err)
{
    struct history *h = &q->h;
    candidate_vec candidates = {0};
    const struct observed *o = &all->observed;
    for (int role = ROLE_BOUNDARY; role >= ROLE_BASE; role--)
        for (uint32_t t = 0; t < o->n; t++)
            if ((int)p->execution.role[t] == role)
                add_candidates(h, o->id[t], &candidates, arena);
    const size_t size = (size_t)h->n_ops * sizeof *h->op_marks;
    uint32_t *marks = mem_alloc(h->n_ops + 1, sizeof *marks);
    if (h->op_marks)
        memcpy(marks, h->op_marks, size);
    bool ok = true;
    for (size_t i = 0;
         ok && h->op_marks && !out->is_checked && i < candidates.n; i++) {
        bool yes = true;
        lock_all(h, &candidates.at[i], arena);
        ok = is_predicted(q, out->endpoints, &yes, err);
        memcpy(h->op_marks, marks, size);
        if (ok && !yes)
            describe_repair(&candidates.at[i], out, arena);
    }
    if (ok && !out->is_checked)
        out->repair =
            "No single lock on a row that they read prevents it. Lock a row "
            "that all of them share at the beginning (SELECT ... FOR UPDATE), "
            "keep the rule with a constraint, or run these transactions at "
            "SERIALIZABLE and repeat those that fail with SQLSTATE 40001.";
    mem_free(marks);
    vec_free(&candidates);
    return ok;
}
