/* schedule.c -- see schedule.h.
 *
 * Snapshot isolation: a certificate of the level si is an order of starts and
 * commits, and these are the moments.
 *
 * Read committed: each external read is made its own transaction, and so
 * are all the writes of a transaction together; those of one transaction follow
 * each other in a session.  This history is serializable exactly when there is
 * a schedule, and the serial order is one.
 *
 * SPDX-License-Identifier: MIT */
#include "replay/schedule.h"

#include "check/check.h"
#include "history/builder/builder.h"

#include <stdlib.h>

void
schedule_free(struct schedule *s)
{
    vec_free(&s->steps);
}

/* The order that shows the level, in terms of the certificate; *holds: there is
 * one. */
static bool
find_order(const struct history *h, enum level level, u32_vec *out, bool *holds,
           struct err *err)
{
    const struct check_options options = {
        .levels = level_bit(level), .threads = 1, .strong = strong_defaults};
    struct check check;
    *holds = false;
    if (!check_history(h, &options, &check, err))
        return false;
    const struct certificate *c = &check.results.at[0].certificate;
    *holds = c->verdict == VERDICT_OK;
    for (size_t i = 0; *holds && i < c->order.n; i++)
        vec_push(out, c->order.at[i]);
    check_free(&check);
    return true;
}

static uint32_t
accesses_up_to(const struct observed *o, uint32_t read)
{
    const struct obs_read *r = &o->reads.at[read];
    return r->op - o->h->txn_begin[o->id[r->txn]] + 1;
}

/* --- snapshot isolation --------------------------------------------------- */

/* Whether t reads a key that the other one writes. */
static bool
reads_what_writes(const struct execution *x, uint32_t t, uint32_t other)
{
    const struct observed *o = x->o;
    for (uint32_t r = o->read_first[t]; r < o->read_first[t + 1]; r++)
        if (execution_has_read(x, r) &&
            observed_write(o, other, o->reads.at[r].key) != OBS_NONE)
            return true;
    return false;
}

/* Move starts, 2t, to the right as far as reads allow (S3). */
static void
delay_starts(const struct execution *x, u32_vec *points)
{
    for (size_t i = points->n; i--;) {
        const uint32_t point = points->at[i];
        if (point % 2)
            continue;
        size_t at = i;
        while (points->at[at + 1] != point + 1 &&
               (points->at[at + 1] % 2 == 0 ||
                !reads_what_writes(x, point / 2, points->at[at + 1] / 2))) {
            points->at[at] = points->at[at + 1];
            at++;
        }
        points->at[at] = point;
    }
}

/* Move the commits of boundary transactions, 2t + 1, to the end. */
static void
commit_last(const struct execution *x, u32_vec *points)
{
    u32_vec later = {0};
    size_t n = 0;
    for (size_t i = 0; i < points->n; i++) {
        const uint32_t point = points->at[i];
        if (point % 2 && x->role[point / 2] == ROLE_BOUNDARY)
            vec_push(&later, point);
        else
            points->at[n++] = point;
    }
    for (size_t i = 0; i < later.n; i++)
        points->at[n++] = later.at[i];
    vec_free(&later);
}

static bool
schedule_snapshots(struct schedule *s, const struct execution *x, bool last,
                   bool *exists, struct err *err)
{
    struct history h;
    struct origin origin = {{0}, {0}};
    u32_vec points = {0};
    execution_history(x, NULL, &h, &origin);
    const bool ok = find_order(&h, LEVEL_SI, &points, exists, err);
    assert(!*exists || points.n == 2 * (size_t)h.n_txns);
    for (size_t i = 0; i < points.n; i++)
        points.at[i] = 2 * origin.txns.at[points.at[i] / 2] + points.at[i] % 2;
    if (last)
        commit_last(x, &points);
    delay_starts(x, &points);
    for (size_t i = 0; i < points.n; i++)
        vec_push(&s->steps,
                 ((struct schedule_step){
                     .txn = points.at[i] / 2,
                     .begins = points.at[i] % 2 == 0,
                     .accesses = points.at[i] % 2 ? SCHEDULE_TO_THE_END : 0}));
    vec_free(&points);
    vec_free(&origin.txns);
    vec_free(&origin.ops);
    history_free(&h);
    return ok;
}

/* --- read committed ------------------------------------------------------- */

/* Single reads, and the ends of transactions; a step each. */
struct parts {
    const struct execution *x;
    struct builder *builder;
    VEC(struct schedule_step) steps; // by transaction of the history
    struct err *err;
};

static struct atom
value_of(uint32_t writer)
{
    return atom_int(writer == OBS_INIT ? 0 : (int64_t)writer + 1);
}

/* The next transaction of the session of t, and the step that it stands for. */
static bool
add_part(struct parts *p, uint32_t t, uint32_t accesses, txn_id *out)
{
    const struct atom name = atom_int(p->x->o->session[t]);
    vec_push(&p->steps,
             ((struct schedule_step){.txn = t, .accesses = accesses}));
    return builder_txn(p->builder, builder_session(p->builder, name), out,
                       p->err);
}

static bool
add_reads(struct parts *p, uint32_t t)
{
    const struct observed *o = p->x->o;
    bool ok = true;
    for (uint32_t r = o->read_first[t]; ok && r < o->read_first[t + 1]; r++) {
        txn_id part;
        if (!execution_has_read(p->x, r))
            continue;
        ok = add_part(p, t, accesses_up_to(o, r), &part) &&
             builder_read(p->builder, part, atom_int(o->reads.at[r].key),
                          value_of(p->x->writer[r]), p->err);
    }
    return ok;
}

static bool
add_end(struct parts *p, uint32_t t)
{
    const struct observed *o = p->x->o;
    txn_id part;
    bool ok = add_part(p, t, SCHEDULE_TO_THE_END, &part);
    for (uint32_t w = o->write_first[t]; ok && w < o->write_first[t + 1]; w++)
        if (execution_has_write(p->x, w))
            ok = builder_write(p->builder, part, atom_int(o->writes.at[w].key),
                               value_of(t), p->err);
    return ok;
}

/* Add steps in that order, with a beginning before the first of each
 * transaction. */
static void
take_steps(struct schedule *s, const struct parts *p, const u32_vec *order,
           bool last)
{
    uint8_t *begun = mem_calloc(p->x->o->n + 1, sizeof *begun);
    struct schedule later = {{0}};
    for (size_t i = 0; i < order->n; i++) {
        const struct schedule_step step = p->steps.at[order->at[i]];
        if (!begun[step.txn])
            vec_push(&s->steps,
                     ((struct schedule_step){.txn = step.txn, .begins = true}));
        begun[step.txn] = true;
        if (last && step.accesses == SCHEDULE_TO_THE_END &&
            p->x->role[step.txn] == ROLE_BOUNDARY)
            vec_push(&later.steps, step);
        else
            vec_push(&s->steps, step);
    }
    for (size_t i = 0; i < later.steps.n; i++)
        vec_push(&s->steps, later.steps.at[i]);
    schedule_free(&later);
    mem_free(begun);
}

static bool
schedule_statements(struct schedule *s, const struct execution *x, bool last,
                    bool *exists, struct err *err)
{
    struct parts p = {.x = x, .builder = builder_new(atom_int(0)), .err = err};
    struct history h;
    u32_vec order = {0};
    bool ok = true;
    for (uint32_t t = 0; ok && t < x->o->n; t++)
        if (x->role[t] != ROLE_OUT)
            ok = add_reads(&p, t) && add_end(&p, t);
    if (!ok)
        builder_free(p.builder);
    ok = ok && builder_finish(p.builder, &h, err);
    if (ok) {
        ok = find_order(&h, LEVEL_TARGET, &order, exists, err);
        assert(!*exists || order.n == p.steps.n);
        take_steps(s, &p, &order, last);
        history_free(&h);
    }
    vec_free(&order);
    vec_free(&p.steps);
    return ok;
}

bool
schedule_make(struct schedule *s, const struct execution *x,
              enum driver_isolation isolation, bool last, bool *exists,
              struct err *err)
{
    assert(isolation == ISOLATION_REPEATABLE_READ ||
           isolation == ISOLATION_READ_COMMITTED);
    *s = (struct schedule){{0}};
    *exists = false;
    return isolation == ISOLATION_READ_COMMITTED
               ? schedule_statements(s, x, last, exists, err)
               : schedule_snapshots(s, x, last, exists, err);
}

/* --- rows ----------------------------------------------------------------- */

/* How much of a key "table:row:column" names the row. */
static struct string
row_of(const struct history *h, key_id k)
{
    const struct atom a = history_key_atom(h, k);
    struct string s = strings_get(&h->strings, (uint32_t)a.bits);
    for (size_t i = s.len; i--;)
        if (s.text[i] == ':') {
            s.len = i;
            break;
        }
    return s;
}

struct key_row {
    struct string row;
    key_id key;
};

static int
compare_rows(const void *a, const void *b)
{
    const struct key_row *x = a, *y = b;
    const size_t n = x->row.len < y->row.len ? x->row.len : y->row.len;
    const int order = memcmp(x->row.text, y->row.text, n);
    return order                     ? order
           : x->row.len < y->row.len ? -1
                                     : x->row.len > y->row.len;
}

uint32_t *
schedule_rows(const struct history *h)
{
    uint32_t *out = mem_alloc(h->n_keys + 1, sizeof *out);
    VEC(struct key_row) rows = {0};
    for (key_id k = 0; k < h->n_keys; k++)
        vec_push(&rows, ((struct key_row){row_of(h, k), k}));
    if (rows.n)
        qsort(rows.at, rows.n, sizeof *rows.at, compare_rows);
    uint32_t row = 0;
    for (size_t i = 0; i < rows.n; i++) {
        row += i && compare_rows(&rows.at[i - 1], &rows.at[i]) != 0;
        out[rows.at[i].key] = row;
    }
    vec_free(&rows);
    return out;
}

/* Whether both write some row; what a boundary transaction was observed to
 * write counts, also behind its cut. */
static bool
write_same_row(const struct observed *o, uint32_t a, uint32_t b)
{
    for (uint32_t v = o->write_first[a]; v < o->write_first[a + 1]; v++)
        for (uint32_t w = o->write_first[b]; w < o->write_first[b + 1]; w++) {
            const struct string x = row_of(o->h, o->writes.at[v].key),
                                y = row_of(o->h, o->writes.at[w].key);
            if (x.len == y.len && memcmp(x.text, y.text, x.len) == 0)
                return true;
        }
    return false;
}

bool
schedule_has_conflict(const struct schedule *s, const struct observed *o)
{
    u32_vec open = {0}; // transactions that have begun
    bool found = false;
    for (size_t i = 0; !found && i < s->steps.n; i++) {
        const struct schedule_step *step = &s->steps.at[i];
        if (step->begins) {
            vec_push(&open, step->txn);
        } else if (step->accesses == SCHEDULE_TO_THE_END) {
            size_t n = 0;
            for (size_t j = 0; j < open.n; j++) {
                if (open.at[j] == step->txn)
                    continue;
                found |= write_same_row(o, open.at[j], step->txn);
                open.at[n++] = open.at[j];
            }
            open.n = n;
        }
    }
    vec_free(&open);
    return found;
}
