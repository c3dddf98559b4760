/* trial.c -- see trial.h.
 *
 * The schedule has no statement that waits, so one process sends everything,
 * one statement after the other, on a connection for each transaction.
 *
 * SPDX-License-Identifier: MIT */
#include "audit/trial.h"

#include "base/ascii.h"
#include "check/check.h"
#include "format/format.h"
#include "record/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const trial_names[] = {[TRIAL_NOT_RUN] = "not tried",
                                   [TRIAL_SHOWN] = "shown",
                                   [TRIAL_NOT_SHOWN] = "not shown",
                                   [TRIAL_DIVERGED] = "diverged"};

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
trial_steps(const struct prediction *all, const struct predicted *p,
            const struct moments *m, sent_vec *sent, struct arena *arena,
            trial_vec *out)
{
    const struct observed *o = &all->observed;
    uint32_t *done = mem_calloc(o->n + 1, sizeof *done);
    uint32_t *txn = mem_alloc(m->n + 1, sizeof *txn);
    uint8_t *is_wrapped = mem_calloc(o->n + 1, 1);
    for (uint32_t t = 0; t < o->n; t++) {
        for (uint32_t q = m->first[t]; q < m->first[t + 1]; q++)
            txn[q] = t;
        if (p->execution.role[t] == ROLE_OUT)
            continue;
        sent_read(o->h, o->id[t], arena, &sent[t]);
        is_wrapped[t] = wrap(&sent[t]);
    }
    for (size_t i = 0; i < p->schedule.n; i++) {
        const uint32_t q = p->schedule.at[i], t = txn[q];
        uint32_t to = q == moments_commit(m, t)
                          ? (uint32_t)sent[t].n
                          : m->statement[q] + is_wrapped[t];
        if (to > sent[t].n)
            to = (uint32_t)sent[t].n;
        if (to > done[t])
            vec_push(out, ((struct trial_step){t, done[t], to}));
        done[t] = to > done[t] ? to : done[t];
    }
    mem_free(done);
    mem_free(txn);
    mem_free(is_wrapped);
}

/* --- the client ------------------------------------------------------------*/

struct client {
    const sent_vec *sent;
    const trial_vec *steps;
    const char *isolation, *target;
    uint32_t n_txns;
    int report; // a pipe, for one line about what went wrong
};

static void
put_literal(struct buf *out, const char *text)
{
    if (!text) {
        buf_text(out, "null");
        return;
    }
    buf_char(out, '\'');
    for (; *text; text++) {
        if (*text == '\'')
            buf_char(out, '\'');
        buf_char(out, *text);
    }
    buf_char(out, '\'');
}

/* Send a statement; one with parameters is prepared and executed, so that the
 * server finds out their types as it did. */
static enum outcome
send(struct connection *c, const struct sent *s)
{
    struct result_rows rows = {0};
    if (!s->n_values) {
        const enum outcome done = c->driver->query(c, s->sql, &rows);
        result_rows_free(&rows);
        return done;
    }
    struct buf sql = {0};
    buf_printf(&sql, "prepare assay_trial as %s", s->sql);
    enum outcome done = c->driver->query(c, sql.at, &rows);
    if (done == OUTCOME_OK) {
        buf_clear(&sql);
        buf_text(&sql, "execute assay_trial(");
        for (size_t i = 0; i < s->n_values; i++) {
            buf_text(&sql, i ? ", " : "");
            put_literal(&sql, s->values[i]);
        }
        buf_char(&sql, ')');
        done = c->driver->query(c, sql.at, &rows);
    }
    if (done == OUTCOME_OK)
        done = c->driver->query(c, "deallocate assay_trial", &rows);
    buf_free(&sql);
    result_rows_free(&rows);
    return done;
}

static void
report(const struct client *l, const char *what, const char *sql)
{
    char line[600];
    const int n = snprintf(line, sizeof line, "%.300s%s%.250s", what,
                           *sql ? ": " : "", sql);
    const ssize_t written = write(l->report, line, n > 0 ? (size_t)n : 0);
    (void)written;
}

static bool
run_steps(const struct client *l, struct connection **at)
{
    for (size_t i = 0; i < l->steps->n; i++) {
        const struct trial_step *s = &l->steps->at[i];
        for (uint32_t k = s->from; k < s->to; k++)
            if (send(at[s->txn], &l->sent[s->txn].at[k]) != OUTCOME_OK) {
                report(l, at[s->txn]->message, l->sent[s->txn].at[k].sql);
                return false;
            }
    }
    return true;
}

static bool
set_up(const struct client *l, struct connection *c)
{
    struct buf sql = {0};
    buf_printf(&sql,
               "set default_transaction_isolation = '%s'; set lock_timeout = "
               "'3s'; set statement_timeout = '30s'",
               l->isolation);
    const bool ok = c->driver->query(c, sql.at, NULL) == OUTCOME_OK;
    buf_free(&sql);
    return ok;
}

/* In a separate process, as a client of the proxy. */
static int
run_client(void *self, const char *host, unsigned port, const char *database)
{
    const struct client *l = self;
    struct buf target = {0};
    struct database db;
    struct err err = {0};
    struct url u;
    const char *user = getenv("PGUSER");
    const bool has_url = url_parse(l->target, &u, &err);
    if (!user && has_url)
        user = u.user;
    buf_printf(&target, "postgresql://%s%s%s:%u/%s", user ? user : "",
               user ? "@" : "", host, port, database);
    if (!database_open(target.at, ISOLATION_UNCHANGED, NULL, &db, &err)) {
        report(l, err.text, "");
        return 1;
    }
    struct connection **at = mem_calloc(l->n_txns + 1, sizeof *at);
    bool ok = true;
    for (size_t i = 0; ok && i < l->steps->n; i++) {
        const uint32_t t = l->steps->at[i].txn;
        if (at[t])
            continue;
        ok = db.driver->connect(&db, t, 0, &at[t], &err) && set_up(l, at[t]);
        if (!ok)
            report(l, at[t] ? at[t]->message : err.text, "");
    }
    ok = ok && run_steps(l, at);
    for (uint32_t t = 0; t < l->n_txns; t++)
        if (at[t])
            db.driver->disconnect(at[t]);
    mem_free(at);
    database_close(&db);
    buf_free(&target);
    if (has_url)
        url_free(&u);
    return !ok;
}

/* --- the outcome -----------------------------------------------------------*/

/* Whether the recorded trial is serializable. */
static bool
judge(const char *file, enum trial_outcome *outcome, struct buf *why,
      struct err *err)
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
        *outcome = v == VERDICT_VIOLATED ? TRIAL_SHOWN : TRIAL_NOT_SHOWN;
        if (v == VERDICT_UNKNOWN)
            buf_text(why, "it is not known whether the outcome is "
                          "serializable");
        check_free(&check);
    }
    history_free(&h);
    return ok;
}

bool
trial_run(struct base_state *base, const char *file, const char *isolation,
          const sent_vec *sent, const trial_vec *steps, uint32_t n_txns,
          const volatile sig_atomic_t *stop, enum trial_outcome *outcome,
          struct buf *why, struct err *err)
{
    int pipes[2];
    char line[700];
    struct client client = {
        .sent = sent, .steps = steps, .isolation = isolation, .n_txns = n_txns};
    struct record_result result = {0};
    *outcome = TRIAL_NOT_RUN;
    if (!base_state_restore(base, &client.target, err))
        return false;
    if (pipe(pipes) != 0)
        return err_set(err, ERR_IO, "cannot make a pipe");
    client.report = pipes[1];
    const struct record_options options = {.target = client.target,
                                           .listen = "0",
                                           .output = file,
                                           .client = run_client,
                                           .self = &client,
                                           .stop = stop};
    struct err later = {0};
    const bool ok = record_run(&options, &result, &later);
    close(pipes[1]);
    const ssize_t n = read(pipes[0], line, sizeof line - 1);
    close(pipes[0]);
    buf_free(&result.history.left_out);
    if (result.status || !ok) {
        *outcome = TRIAL_DIVERGED;
        line[n > 0 ? n : 0] = 0;
        buf_text(why, n > 0 ? line : !ok ? later.text : "it ended early");
        return true;
    }
    return judge(file, outcome, why, err);
}
