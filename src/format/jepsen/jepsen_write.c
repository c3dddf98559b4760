/* jepsen_write.c -- a history as a log of invocations and completions.
 *
 * Readers take the order of the log as real time.  So the log must show that a
 * ended before b began wherever h says so, and nowhere else if possible.  The
 * events are sorted by time.  Of events at the same time, invocations come
 * before completions, since such transactions overlap.  But a process cannot
 * invoke a transaction before it has completed the one before.  If h has such
 * an overlap inside a session, the completion is moved up to just before the
 * invocation.  Those invocations come last among the events of their time, so
 * that the log implies as little as possible that h does not say.
 *
 * A history without times has no such order, but a log always has one.  There
 * the transactions follow each other in the order of the input, and the strict
 * levels mean nothing on such a log.
 *
 * A process that ends in 'info' is reused for the next transaction of its
 * session.  Elle's own histories use a new process there, which would end the
 * session.
 *
 * SPDX-License-Identifier: MIT */
#include "base/container/intmap.h"
#include "base/json.h"
#include "format/jepsen/jepsen.h"
#include "format/jepsen/jepsen_entry.h"
#include "format/put.h"
#include "format/row/row_put.h"
#include "format/save.h"
#include "format/scan/scan_json.h"

#include <stdlib.h>

enum rank { RANK_INVOKE, RANK_INVOKE_LATE, RANK_COMPLETE };

struct event {
    int64_t time;
    enum rank rank;
    txn_id txn;
};

/* An entry of the log. */
struct step {
    txn_id txn;
    bool is_invocation;
};

struct writer {
    struct put p;
    struct output *out;
    struct atom *process; // by session
    txn_id *place;        // by transaction: its place in the input
    VEC(struct step) steps;
    struct row_put rows;
};

/* --- processes ----------------------------------------------------------- */

/* A session whose name is an integer becomes that process; the others get the
 * remaining numbers. */
static void
number_processes(struct writer *w)
{
    const struct history *h = w->p.h;
    struct intmap taken = {0};
    bool added;
    for (session_id s = 0; s < h->n_sessions; s++)
        if (h->session_name[s].tag == ATOM_INT)
            (void)intmap_add(&taken, h->session_name[s].bits, 0, &added);
    uint64_t next = 0;
    for (session_id s = 0; s < h->n_sessions; s++) {
        w->process[s] = h->session_name[s];
        if (h->session_name[s].tag == ATOM_INT)
            continue;
        while (intmap_find(&taken, next) != UINT32_MAX)
            next++;
        w->process[s] = atom_uint(next++);
    }
    intmap_free(&taken);
}

/* --- entries ------------------------------------------------------------- */

/* The beginning of an entry: {:type :ok, :process 1, :f :txn, :value [...] */
static void
put_head(struct writer *w, txn_id t, const char *type, bool is_invocation)
{
    struct put *p = &w->p;
    const struct history *h = p->h;
    const session_id s = h->txn_session[t];
    buf_char(&p->out, '{');
    put_member(p, "type", true);
    put_word(p, type);
    put_member(p, "process", false);
    put_atom(p, w->process[s]);
    if (h->session_name[s].tag != ATOM_INT) {
        put_member(p, JEPSEN_SESSION, false);
        put_atom(p, h->session_name[s]);
    }
    put_member(p, "f", false);
    put_word(p, "txn");
    put_member(p, "value", false);
    if (h->rows)
        row_put_ops(&w->rows, p, w->place[t],
                    is_invocation ? ROW_PUT_INVOCATION : ROW_PUT_COMPLETION);
    else
        put_ops(p, t, is_invocation);
}

/* Whether a key of the meta data would be read as a known key. */
static bool
clashes(const struct forms *f)
{
    bool any = form_first(0) == form_end(f, 0);
    for (uint32_t i = form_first(0); i < form_end(f, 0);
         i = form_next(f, form_next(f, i)))
        any = any || jepsen_entry_is_reserved(f->at[i].text) ||
              span_is(f->at[i].text, "meta");
    return any;
}

/* Write the meta data, as separate entries or inside one entry. */
static void
put_meta(struct writer *w, struct string meta)
{
    struct put *p = &w->p;
    const struct input in = {.name = "", .data = meta.text, .size = meta.len};
    struct err ignored = {0};
    struct scan s;
    scan_init(&s, &in, &ignored);
    const bool ok =
        form_read_json(&s, &p->forms) && p->forms.at[0].kind == FORM_MAP;
    scan_free(&s);
    if (!ok)
        return;
    const struct forms *f = &p->forms;
    if (clashes(f)) {
        put_member(p, "meta", false);
        (p->is_json ? form_show_json : form_show_edn)(f, 0, &p->out);
        return;
    }
    for (uint32_t i = form_first(0); i < form_end(f, 0);
         i = form_next(f, form_next(f, i))) {
        const uint32_t value = form_next(f, i);
        if (p->is_json) {
            json_key(&p->out, NULL);
            form_show_json_key(f, i, &p->out);
            buf_char(&p->out, ':');
            form_show_json(f, value, &p->out);
        } else {
            buf_text(&p->out, ", ");
            form_show_edn_key(f, i, &p->out);
            buf_char(&p->out, ' ');
            form_show_edn(f, value, &p->out);
        }
    }
}

static void
put_completion(struct writer *w, txn_id t)
{
    struct put *p = &w->p;
    const struct history *h = p->h;
    put_head(w, t,
             h->txn_status[t] == TXN_ABORTED         ? "fail"
             : h->txn_status[t] == TXN_INDETERMINATE ? "info"
                                                     : "ok",
             false);
    const struct atom name = history_txn_atom(h, t);
    if (name.tag != ATOM_NIL) {
        put_member(p, JEPSEN_TXN_ID, false);
        put_atom(p, name);
    }
    if (h->txn_meta && h->txn_meta[t] != ID_NONE)
        put_meta(w, strings_get(&h->strings, h->txn_meta[t]));
    buf_text(&p->out, "}\n");
}

static void
put_invocation(struct writer *w, txn_id t)
{
    put_head(w, t, "invoke", true);
    buf_text(&w->p.out, "}\n");
}

/* The rows of the beginning, in an entry that is not of a client. */
static void
put_initial(struct writer *w)
{
    struct put *p = &w->p;
    if (!w->rows.listed)
        return;
    buf_char(&p->out, '{');
    put_member(p, "type", true);
    put_word(p, "info");
    put_member(p, "process", false);
    put_word(p, JEPSEN_INITIAL);
    put_member(p, "value", false);
    row_put_initial(&w->rows, p);
    buf_text(&p->out, "}\n");
}

/* --- the log ------------------------------------------------------------- */

static int
compare_events(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    return x->time != y->time   ? (x->time < y->time ? -1 : 1)
           : x->rank != y->rank ? (x->rank < y->rank ? -1 : 1)
           : x->txn != y->txn   ? (x->txn < y->txn ? -1 : 1)
                                : 0;
}

/* The events in the order of the log, before completions are moved up. */
static struct event *
sort_events(const struct history *h)
{
    const size_t n = h->n_txns;
    struct event *events = mem_alloc(2 * n, sizeof *events);
    for (session_id s = 0; s < h->n_sessions; s++) {
        const txn_id first = h->session_first[s];
        int64_t began = INT64_MIN;
        for (txn_id t = first; t < h->session_first[s + 1]; t++) {
            // If a clock went back, session order takes precedence.
            began = h->txn_began[t] > began ? h->txn_began[t] : began;
            const bool is_late = t > first && h->txn_ended[t - 1] >= began;
            events[2 * (size_t)t] = (struct event){
                began, is_late ? RANK_INVOKE_LATE : RANK_INVOKE, t};
            events[2 * (size_t)t + 1] =
                (struct event){h->txn_ended[t], RANK_COMPLETE, t};
        }
    }
    if (n)
        qsort(events, 2 * n, sizeof *events, compare_events);
    return events;
}

static void
add_step(struct writer *w, txn_id t, bool is_invocation)
{
    vec_push(&w->steps, ((struct step){t, is_invocation}));
}

/* Find the order of the log, in which a transaction is completed before its
 * process invokes another one. */
static void
plan_timed(struct writer *w)
{
    const struct history *h = w->p.h;
    struct event *events = sort_events(h);
    uint8_t *is_complete = mem_calloc(h->n_txns, sizeof *is_complete);
    for (size_t i = 0; i < 2 * (size_t)h->n_txns; i++) {
        const bool is_invocation = events[i].rank != RANK_COMPLETE;
        const txn_id t = events[i].txn;
        const bool is_first = t == h->session_first[h->txn_session[t]];
        if (is_invocation && !is_first && !is_complete[t - 1]) {
            add_step(w, t - 1, false);
            is_complete[t - 1] = 1;
        }
        if (is_invocation || !is_complete[t])
            add_step(w, t, is_invocation);
        if (!is_invocation)
            is_complete[t] = 1;
    }
    mem_free(is_complete);
    mem_free(events);
}

static void
plan_untimed(struct writer *w)
{
    for (size_t i = 0; i < w->p.h->n_txns; i++) {
        add_step(w, w->p.h->arrival[i], true);
        add_step(w, w->p.h->arrival[i], false);
    }
}

/* Rows are named in the order in which transactions are completed. */
static void
plan_rows(struct writer *w)
{
    const struct history *h = w->p.h;
    txn_id *order = mem_alloc(h->n_txns, sizeof *order);
    size_t n = 0;
    for (size_t i = 0; i < w->steps.n; i++)
        if (!w->steps.at[i].is_invocation)
            order[n++] = w->place[w->steps.at[i].txn];
    assert(n == h->n_txns);
    row_put_init(&w->rows, h, order);
    mem_free(order);
}

static bool
put_log(struct writer *w, struct err *err)
{
    bool ok = true;
    put_initial(w);
    for (size_t i = 0; ok && i < w->steps.n; i++) {
        (w->steps.at[i].is_invocation ? put_invocation
                                      : put_completion)(w, w->steps.at[i].txn);
        ok = save_some(&w->p.out, w->out->file, err);
    }
    return ok && save_all(&w->p.out, w->out->file, err);
}

/* --- what fits ------------------------------------------------------------ */

/* A read of nil in an 'info' entry means that there was no answer.  So a read
 * of the initial value would be lost from a transaction that counts or may. */
static bool
keeps_reads(const struct history *h, txn_id t)
{
    if (h->txn_status[t] != TXN_INDETERMINATE || !h->txn_counts[t])
        return true;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (!op_is_write(h, op) && !op_is_of_list(h, op) &&
            !op_is_of_row(h, op) &&
            atom_equal(history_value_atom(h, h->op_value[op]), h->initial))
            return false;
    return true;
}

static bool
refuse(const struct history *h, txn_id t, const char *name, const char *what,
       struct err *err)
{
    struct buf shown = {0};
    history_show_txn(h, t, &shown);
    err_set(err, ERR_USAGE, "format '%s' cannot say that %s %s", name, shown.at,
            what);
    buf_free(&shown);
    return false;
}

bool
jepsen_holds(const struct history *h, const char *name, struct err *err)
{
    int64_t began = INT64_MIN;
    if (!row_put_fits(h, err))
        return false;
    for (txn_id t = 0; t < h->n_txns; t++) {
        if (!keeps_reads(h, t))
            return refuse(h, t, name,
                          "read the initial value, because its outcome is not "
                          "known",
                          err);
        if (!h->txn_began)
            continue;
        if (t == h->session_first[h->txn_session[t]] || h->txn_began[t] > began)
            began = h->txn_began[t];
        if (h->txn_ended[t] < began)
            return refuse(h, t, name,
                          "ended before an earlier one of its session began",
                          err);
    }
    return true;
}

bool
jepsen_adds_order(const struct history *h)
{
    int64_t began = INT64_MIN;
    if (!h->txn_began)
        return h->n_txns > 1;
    for (txn_id t = 0; t < h->n_txns; t++) {
        const bool is_first = t == h->session_first[h->txn_session[t]];
        const bool goes_back = !is_first && h->txn_began[t] < began;
        if (!goes_back)
            began = h->txn_began[t];
        // Who aborted does not count, and who is indeterminate never ends.
        const bool is_moved = !is_first &&
                              h->txn_status[t - 1] != TXN_ABORTED &&
                              h->txn_status[t - 1] != TXN_INDETERMINATE &&
                              h->txn_ended[t - 1] >= began;
        if (is_moved || (goes_back && h->txn_status[t] != TXN_ABORTED))
            return true;
    }
    return false;
}

bool
jepsen_write(const struct history *h, bool is_json, struct output *out,
             struct err *err)
{
    struct writer w = {.p = {.h = h, .is_json = is_json}, .out = out};
    w.process = mem_alloc(h->n_sessions, sizeof *w.process);
    w.place = mem_alloc(h->n_txns, sizeof *w.place);
    for (txn_id i = 0; i < h->n_txns; i++)
        w.place[h->arrival[i]] = i;
    number_processes(&w);
    if (h->txn_began)
        plan_timed(&w);
    else
        plan_untimed(&w);
    plan_rows(&w);
    const bool ok = put_log(&w, err);
    row_put_free(&w.rows);
    vec_free(&w.steps);
    mem_free(w.process);
    mem_free(w.place);
    put_free(&w.p);
    return ok;
}
