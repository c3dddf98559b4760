/* trial_client.c -- see trial.h.
 *
 * SPDX-License-Identifier: MIT */
#include "audit/trial.h"
#include "driver/driver.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
report(const struct trial_client *l, size_t step, const struct connection *c,
       const char *what, const char *sql)
{
    char line[600];
    const int n =
        snprintf(line, sizeof line, "%zu\t%s\t%.300s%s%.250s", step,
                 c && *c->code ? c->code : "-", what, *sql ? ": " : "", sql);
    const ssize_t written = write(l->report, line,
                                  n < 0                  ? 0
                                  : n < (int)sizeof line ? (size_t)n
                                                         : sizeof line - 1);
    (void)written;
}

static bool
run_steps(const struct trial_client *l, struct connection **at)
{
    const struct trial *t = l->trial;
    for (size_t i = 0; i < t->steps.n; i++) {
        const struct trial_step *s = &t->steps.at[i];
        for (uint32_t k = s->from; k < s->to; k++) {
            const struct sent *one = &t->sent[s->txn].at[k];
            if (one->is_cut) {
                report(l, i, NULL, "a parameter was too long to be recorded",
                       one->sql);
                return false;
            }
            if (send(at[s->txn], one) != OUTCOME_OK) {
                report(l, i, at[s->txn], at[s->txn]->message, one->sql);
                return false;
            }
        }
    }
    return true;
}

/* The name says to the recording which transaction it is. */
static bool
set_up(const struct trial_client *l, struct connection *c, uint32_t t)
{
    struct buf sql = {0};
    buf_printf(&sql,
               "set default_transaction_isolation = '%s'; set lock_timeout = "
               "'1s'; set statement_timeout = '30s'; set application_name = "
               "'%" PRIu32 "'",
               l->trial->isolation[t], t);
    const bool ok = c->driver->query(c, sql.at, NULL) == OUTCOME_OK;
    buf_free(&sql);
    return ok;
}

int
trial_client_run(void *self, const char *host, unsigned port,
                 const char *database)
{
    const struct trial_client *l = self;
    const struct trial *t = l->trial;
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
        report(l, 0, NULL, err.text, "");
        return 1;
    }
    struct connection **at = mem_calloc(t->n + 1, sizeof *at);
    bool ok = true;
    for (size_t i = 0; ok && i < t->steps.n; i++) {
        const uint32_t n = t->steps.at[i].txn;
        if (at[n])
            continue;
        ok = db.driver->connect(&db, n, 0, &at[n], &err) && set_up(l, at[n], n);
        if (!ok)
            report(l, i, at[n], at[n] ? at[n]->message : err.text, "");
    }
    ok = ok && run_steps(l, at);
    for (uint32_t n = 0; n < t->n; n++)
        if (at[n])
            db.driver->disconnect(at[n]);
    mem_free(at);
    database_close(&db);
    buf_free(&target);
    if (has_url)
        url_free(&u);
    return !ok;
}
