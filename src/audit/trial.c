/* trial.c -- see trial.h.
 *
 * The schedule has no statement that waits by what was recorded, so one process
 * sends everything, one statement after the other, on a connection for each
 * transaction.  If a statement waits all the same, as for an index entry, the
 * other transactions go first, and the trial begins again.
 *
 * SPDX-License-Identifier: MIT */
#include "audit/trial.h"

#include "audit/version_check.h"
#include "base/ascii.h"
#include "check/check.h"
#include "format/format.h"
#include "history/metadata.h"
#include "record/record.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ORDERS = 4 };

const char *const trial_names[] = {
    [TRIAL_NOT_RUN] = "not tried",       [TRIAL_PREVENTED] = "prevented",
    [TRIAL_DIVERGED] = "diverged",       [TRIAL_NOT_SHOWN] = "not shown",
    [TRIAL_IF] = "shown on a condition", [TRIAL_SHOWN] = "shown"};

/* --- steps -----------------------------------------------------------------*/

static bool
begins_with(const char *sql, const char *word)
{
    sql += strspn(sql, " \t\r\n");
    return ascii_compare_n(sql, word, strlen(word)) == 0;
}

/* Put a transaction that does not begin with BEGIN between BEGIN and COMMIT;
 * whether it was. */
static bool
wrap(sent_vec *sent)
{
    if (sent->n && (begins_with(sent->at[0].sql, "begin") ||
                    begins_with(sent->at[0].sql, "start transaction")))
        return false;
    vec_push(sent, ((struct sent){.sql = "commit", .is_added = true}));
    vec_push(sent, ((struct sent){.sql = ""}));
    memmove(sent->at + 1, sent->at, (sent->n - 1) * sizeof *sent->at);
    sent->at[0] = (struct sent){.sql = "begin", .is_added = true};
    return true;
}

void
trial_value(const struct observed *o, key_id k, uint32_t writer,
            struct buf *out)
{
    buf_clear(out);
    if (writer == OBS_INIT) {
        buf_text(out,
                 strings_get(&o->h->strings, o->h->key_rows[k].initial).text);
        return;
    }
    for (uint32_t w = o->write_first[writer]; w < o->write_first[writer + 1];
         w++)
        if (o->writes.at[w].key == k)
            history_show_value(o->h, o->h->op_value[o->writes.at[w].op], out);
}

/* Whether statement 'number' of t is about a row. */
static bool
is_about(const struct observed *o, uint32_t t, uint32_t number, key_id row)
{
    const struct history *h = o->h;
    const txn_id id = o->id[t];
    for (op_id op = h->txn_begin[id]; op < h->txn_end[id]; op++) {
        const key_id k = op_key(h, op);
        if (op_statement(h, op) == number && history_key_is_row(h, k) &&
            h->key_rows[k].row == row)
            return true;
    }
    return false;
}

/* What an application would send that has read another version of rows. */
static bool
adapt(const struct execution *x, uint32_t t, uint32_t added, sent_vec *sent,
      struct arena *arena)
{
    const struct observed *o = x->o;
    struct buf then = {0}, now = {0};
    bool is_adapted = false;
    for (uint32_t r = o->read_first[t]; r < o->read_first[t + 1]; r++) {
        const struct obs_read *read = &o->reads.at[r];
        const key_id k = read->key;
        if (!execution_has_read(x, r) || x->writer[r] == read->writer ||
            !history_key_is_row(o->h, k) || o->h->key_rows[k].where != ID_NONE)
            continue;
        trial_value(o, k, read->writer, &then);
        trial_value(o, k, x->writer[r], &now);
        for (uint32_t i = op_statement(o->h, read->op);
             then.n && now.n && i + added < sent->n; i++)
            if (is_about(o, t, i + 1, k))
                is_adapted |= version_check_adapt(&sent->at[i + added], then.at,
                                                  now.at, arena);
    }
    buf_free(&then);
    buf_free(&now);
    return is_adapted;
}

void
trial_init(struct trial *out, const struct prediction *all,
           const struct predicted *p, const struct moments *m,
           const struct database_level *on, struct arena *arena)
{
    const struct observed *o = &all->observed;
    uint32_t *done = mem_calloc(o->n + 1, sizeof *done);
    uint32_t *txn = mem_alloc(m->n + 1, sizeof *txn);
    uint8_t *is_wrapped = mem_calloc(o->n + 1, 1);
    *out = (struct trial){.n = o->n};
    out->sent = mem_calloc(o->n + 1, sizeof *out->sent);
    out->found = mem_calloc(o->n + 1, sizeof *out->found);
    out->isolation = mem_calloc(o->n + 1, sizeof *out->isolation);
    for (uint32_t t = 0; t < o->n; t++) {
        for (uint32_t q = m->first[t]; q < m->first[t + 1]; q++)
            txn[q] = t;
        if (p->execution.role[t] == ROLE_OUT)
            continue;
        out->isolation[t] =
            on->as_recorded
                ? isolation_recorded_sql(isolation_recorded(o->h, o->id[t]))
                : on->sql;
        sent_read(o->h, o->id[t], arena, &out->sent[t]);
        is_wrapped[t] = wrap(&out->sent[t]);
        if (p->execution.role[t] == ROLE_BOUNDARY)
            out->is_adapted |=
                adapt(&p->execution, t, is_wrapped[t], &out->sent[t], arena);
    }
    for (size_t i = 0; i < p->schedule.n; i++) {
        const uint32_t q = p->schedule.at[i], t = txn[q];
        uint32_t to = q == moments_commit(m, t)
                          ? (uint32_t)out->sent[t].n
                          : m->statement[q] + is_wrapped[t];
        if (to > out->sent[t].n)
            to = (uint32_t)out->sent[t].n;
        if (to > done[t])
            vec_push(&out->steps, ((struct trial_step){t, done[t], to}));
        done[t] = to > done[t] ? to : done[t];
    }
    mem_free(done);
    mem_free(txn);
    mem_free(is_wrapped);
}

void
trial_free(struct trial *t)
{
    for (uint32_t i = 0; i < t->n; i++) {
        vec_free(&t->sent[i]);
        vec_free(&t->found[i]);
    }
    mem_free(t->sent);
    mem_free(t->found);
    mem_free(t->isolation);
    vec_free(&t->steps);
    buf_free(&t->why);
    buf_free(&t->waited);
}

/* --- the outcome -----------------------------------------------------------*/

/* Which transaction of the trial a recorded one is; its connection says it. */
static uint32_t
find_txn(const struct trial *t, const struct history *h, txn_id id)
{
    if (!h->txn_meta || h->txn_meta[id] == ID_NONE)
        return t->n;
    const char *at = metadata_find(
        strings_get(&h->strings, h->txn_meta[id]).text, "application");
    if (!at || *at != '"')
        return t->n;
    char *end;
    const unsigned long n = strtoul(at + 1, &end, 10);
    return *end == '"' && n < t->n ? (uint32_t)n : t->n;
}

/* How many rows each statement found.  One with parameters is three in the
 * recording: it is prepared, executed and removed. */
static void
count_found(struct trial *t, const struct history *h)
{
    struct arena arena = {0};
    for (txn_id id = 0; id < h->n_txns; id++) {
        const uint32_t n = find_txn(t, h, id);
        if (n == t->n || h->txn_status[id] == TXN_LOADING || t->found[n].n)
            continue;
        sent_vec sent = {0};
        size_t k = 0;
        sent_read(h, id, &arena, &sent);
        for (size_t i = 0; i < t->sent[n].n; i++) {
            const bool is_prepared = t->sent[n].at[i].n_values > 0;
            k += is_prepared;
            if (k < sent.n)
                vec_push(&t->found[n], sent.at[k].found);
            k += is_prepared ? 2 : 1;
        }
        vec_free(&sent);
    }
    arena_free(&arena);
}

/* Whether the recorded trial is serializable. */
static bool
judge(struct trial *t, const char *file, struct err *err)
{
    struct history h;
    const struct format *format;
    struct check check;
    const struct check_options options = {.levels = level_bit(LEVEL_TARGET),
                                          .threads = 1,
                                          .verify = true,
                                          .strong = strong_defaults};
    if (!format_read(file, "auto", 1, &h, &format, err))
        return false;
    const bool ok = check_history(&h, &options, &check, err);
    if (ok) {
        const enum verdict v = check.results.at[0].certificate.verdict;
        bool is_partial = false;
        for (txn_id i = 0; i < h.n_txns; i++)
            is_partial |=
                h.txn_counts[i] && h.txn_partial && h.txn_partial[i] != ID_NONE;
        t->outcome = v == VERDICT_VIOLATED                ? TRIAL_SHOWN
                     : v == VERDICT_UNKNOWN || is_partial ? TRIAL_NOT_SHOWN
                                                          : TRIAL_PREVENTED;
        if (t->outcome == TRIAL_NOT_SHOWN)
            buf_text(&t->why, is_partial
                                  ? "the outcome is serializable as far as it "
                                    "was recorded"
                                  : "it is not known whether the outcome is "
                                    "serializable");
        count_found(t, &h);
        check_free(&check);
    }
    history_free(&h);
    return ok;
}

/* Let the other transactions go on before the step that waits. */
static void
go_later(struct trial *t, size_t step, const char *sql)
{
    const uint32_t n = t->steps.at[step].txn;
    buf_clear(&t->waited);
    buf_text(&t->waited, sql);
    trial_vec steps = {0};
    for (size_t i = 0; i < t->steps.n; i++)
        if (i < step || t->steps.at[i].txn != n)
            vec_push(&steps, t->steps.at[i]);
    for (size_t i = step; i < t->steps.n; i++)
        if (t->steps.at[i].txn == n)
            vec_push(&steps, t->steps.at[i]);
    vec_free(&t->steps);
    t->steps = steps;
}

/* A statement failed: by a rule of the database (classes 23 and 40, an
 * exception of a trigger), because it waits (the trial begins again: true), or
 * for another reason. */
static bool
take_failure(struct trial *t, char *line, bool may_again)
{
    char *end;
    const size_t step = (size_t)strtoul(line, &end, 10);
    const char *code = *end ? end + 1 : "";
    char *text = strchr(code, '\t');
    if (text)
        *text++ = 0;
    const bool waits = strcmp(code, "55P03") == 0;
    if (waits && may_again && step < t->steps.n) {
        go_later(t, step, text ? text : "");
        return true;
    }
    t->outcome = waits || strncmp(code, "23", 2) == 0 ||
                         strncmp(code, "40", 2) == 0 ||
                         strcmp(code, "P0001") == 0
                     ? TRIAL_PREVENTED
                     : TRIAL_DIVERGED;
    buf_text(&t->why, text && *text ? text : "it ended early");
    return false;
}

static bool
run_once(struct trial *t, struct base_state *base, const char *file,
         const volatile sig_atomic_t *stop, bool may_again, bool *again,
         struct err *err)
{
    int pipes[2];
    char line[700];
    struct trial_client client = {.trial = t};
    struct record_result result = {0};
    *again = false;
    if (!base_state_restore(base, &client.target, err))
        return false;
    if (pipe(pipes) != 0)
        return err_set(err, ERR_IO, "cannot make a pipe");
    client.report = pipes[1];
    const struct record_options options = {.target = client.target,
                                           .listen = "0",
                                           .output = file,
                                           .client = trial_client_run,
                                           .self = &client,
                                           .stop = stop};
    struct err later = {0};
    const bool ok = record_run(&options, &result, &later);
    close(pipes[1]);
    const ssize_t n = read(pipes[0], line, sizeof line - 1);
    close(pipes[0]);
    line[n > 0 ? n : 0] = 0;
    buf_free(&result.history.left_out);
    if (result.status && n > 0) {
        *again = take_failure(t, line, may_again);
        return true;
    }
    if (result.status || !ok) {
        t->outcome = TRIAL_DIVERGED;
        buf_text(&t->why, ok ? "it ended early" : later.text);
        return true;
    }
    return judge(t, file, err);
}

bool
trial_run(struct trial *t, struct base_state *base, const char *file,
          const volatile sig_atomic_t *stop, struct err *err)
{
    bool again = true, ok = true;
    t->outcome = TRIAL_NOT_RUN;
    for (int i = 1; ok && again && !(stop && *stop); i++)
        ok = run_once(t, base, file, stop, i < MOST_ORDERS, &again, err);
    if (ok && t->outcome == TRIAL_PREVENTED && !t->why.n && t->waited.n)
        buf_printf(&t->why,
                   "a statement waits until the other transaction has ended: "
                   "%s",
                   t->waited.at);
    else if (ok && t->outcome == TRIAL_PREVENTED && !t->why.n)
        buf_text(&t->why, "the outcome is the same as if they came one after "
                          "the other");
    return ok;
}
