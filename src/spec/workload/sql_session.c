/* sql_session.c -- see sql_session.h.
 *
 * Variables are replaced in the text of a statement, as pgbench does by
 * default.  So a statement is parsed again for new values; texts that were seen
 * before are not.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/workload/sql_session.h"

#include "base/ascii.h"
#include "base/limits/limit.h"
#include "base/real.h"
#include "spec/row/row_dialect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- statements ------------------------------------------------------------*/

static bool
fail_at(const struct pgbench_script *script, size_t command, struct err *err)
{
    err_at_line(err, script->read.commands.at[command].line, 0);
    return err_in_file(err, script->read.path);
}

/* Understand a text; 'is_answered': its values are used. */
static bool
understand(const struct watched *w, struct arena *arena, const char *text,
           bool is_answered, struct spec_statement *out,
           struct refusal *refusal)
{
    token_vec tokens = {0};
    const struct flavour *flavour = flavour_of(w->dialect->scheme);
    tokens_read(text, flavour, &tokens);
    struct parser p = {.at = tokens.at,
                       .end = &vec_top(&tokens),
                       .flavour = flavour,
                       .arena = arena};
    bool ok = script_statement(w, &p, out);
    if (!ok)
        *refusal = p.refusal;
    if (ok && is_answered) {
        ok = row_statement_answer(w, arena, out->text, &out->rows, refusal);
        if (!ok)
            statement_free(out);
    }
    vec_free(&tokens);
    return ok;
}

bool
sql_session_understand(const struct watched *w, struct arena *arena,
                       const struct pgbench_script *script, size_t command,
                       struct spec_statement *out, struct err *err)
{
    const struct pgbench_bindings none = {0};
    const bool is_answered = script->read.commands.at[command].gset;
    struct buf sql = {0};
    struct refusal refusal = {0};
    bool ok = pgbench_script_fill(script, command, &none, "1", &sql, err);
    if (ok && !understand(w, arena, sql.at, is_answered, out, &refusal)) {
        err_set(err, ERR_FEATURE, "not understood, so not run: %s",
                refusal.text);
        ok = fail_at(script, command, err);
    }
    buf_free(&sql);
    return ok;
}

/* The statement that s->sql is; NULL with an error if it is refused. */
static struct spec_statement *
find_statement(struct sql_session *s, const struct pgbench_script *script,
               size_t command, struct err *err)
{
    const bool is_answered = script->read.commands.at[command].gset;
    buf_char(&s->sql, is_answered ? '?' : '.'); // two statements, if it is both
    const uint32_t id = strings_add(&s->texts, s->sql.at, s->sql.n);
    s->sql.at[--s->sql.n] = 0;
    if (id < s->statements.n)
        return &s->statements.at[id]->statement;
    struct sql_text *out = mem_calloc(1, sizeof *out);
    struct refusal refusal = {0};
    out->script = script;
    out->command = command;
    if (!understand(s->watched, &s->arena, s->sql.at, is_answered,
                    &out->statement, &refusal)) {
        mem_free(out);
        err_set(err, ERR_FEATURE, "not understood with its values: %s",
                refusal.text);
        return NULL;
    }
    vec_push(&s->statements, out);
    return &out->statement;
}

/* --- values ----------------------------------------------------------------*/

/* A text such as '007' is none: it would become another one. */
static bool
is_number(const char *text)
{
    const char *end;
    const char *digits = text + (*text == '-');
    const bool is_padded = digits[0] == '0' && ascii_is_digit(digits[1]);
    real_read(text, &end);
    return ascii_is_digit(*digits) && !is_padded && !*end &&
           strspn(digits, "0123456789+-.eE") == strlen(digits);
}

/* Give a variable the value of a column of the only row. */
static void
bind_column(struct sql_session *s, const struct pgbench_command *c, size_t i,
            const char *column)
{
    struct buf name = {0}, value = {0};
    const char *text = result_rows_get(&s->answer, 0, i);
    buf_printf(&name, "%s%s", c->prefix, column);
    if (result_rows_is_null(&s->answer, 0, i))
        buf_text(&value, "null");
    else if (is_number(text))
        buf_text(&value, text);
    else
        watched_put_literal(&value, text);
    if (name.n < PGBENCH_NAME_ROOM)
        pgbench_bind(&s->bindings, name.at, name.n, value.at);
    buf_free(&name);
    buf_free(&value);
}

static void
bind_answer(struct sql_session *s, const struct pgbench_command *c,
            const text_vec *names)
{
    for (size_t i = 0; i < names->n; i++)
        bind_column(s, c, i, names->at[i]);
}

/* The same with the names that the server gives the columns. */
static void
bind_named(struct sql_session *s, const struct pgbench_command *c)
{
    const char *name = s->answer.names.at;
    for (size_t i = 0; s->answer.names.n && i < s->answer.width; i++) {
        bind_column(s, c, i, name);
        name += strlen(name) + 1;
    }
}

/* --- commands --------------------------------------------------------------*/

/* What happened to this statement cannot be recorded, so nothing of its
 * transaction may stay.  True: nothing does, and the run continues. */
static bool
undo(struct sql_session *s, const struct pgbench_script *script, size_t command,
     const char *why, struct err *err)
{
    struct step_runner *r = &s->runner;
    const struct notes *notes = &r->recorder.notes;
    step_runner_rest(r);
    const bool is_undone =
        !r->is_lost &&
        (!notes->txns.n || vec_top(&notes->txns).status == TXN_ABORTED);
    if (!is_undone) {
        err_set(err, ERR_FEATURE, "not recorded exactly: %s", why);
        return fail_at(script, command, err);
    }
    size_t i = 0;
    while (i < s->undone.n && (s->undone.at[i].script != script ||
                               s->undone.at[i].command != command))
        i++;
    if (i == s->undone.n) {
        struct sql_undone new = {.script = script, .command = command};
        snprintf(new.why, sizeof new.why, "%s", why);
        vec_push(&s->undone, new);
    }
    s->undone.at[i].times++;
    r->recorder.refusal[0] = 0;
    return true;
}

/* Run a statement that is recorded; *goes_on: the script continues. */
static bool
run_recorded(struct sql_session *s, const struct pgbench_script *script,
             size_t command, bool *goes_on, struct err *err)
{
    const struct pgbench_command *c = &script->read.commands.at[command];
    struct err refused = {0};
    struct spec_statement *statement =
        find_statement(s, script, command, &refused);
    struct step_runner *r = &s->runner;
    *goes_on = false;
    if (!statement)
        return undo(s, script, command, refused.text, err);
    r->recorder.answer = c->gset ? &s->answer : NULL;
    script_places_before(&s->places, &r->recorder.notes);
    *goes_on = step_runner_statement(r, statement, false);
    if (r->failed && !s->failure[0])
        memcpy(s->failure, r->failure, sizeof s->failure);
    if (c->kind == COMMAND_SQL)
        script_places_after(&s->places, &r->recorder.notes, command,
                            statement->rows.locks &&
                                statement->rows.returns_versions);
    if (r->recorder.refusal[0]) {
        *goes_on = false;
        return undo(s, script, command, r->recorder.refusal, err);
    }
    if (*goes_on && r->is_implicit && r->recorder.notes.is_open)
        *goes_on = step_runner_commit(r);
    if (r->recorder.refusal[0]) {
        err_set(err, ERR_FEATURE, "not recorded exactly: %s",
                r->recorder.refusal);
        return fail_at(script, command, err);
    }
    if (*goes_on && c->gset) {
        // pgbench gives up, too, unless there is one row.
        *goes_on = s->answer.n == 1;
        if (*goes_on)
            bind_answer(s, c, &statement->rows.answers);
    }
    return true;
}

/* Run a statement as it is; *is_open: inside of a transaction.  False if the
 * script ends here. */
static bool
run_plain(struct sql_session *s, const struct pgbench_command *c,
          struct connection *connection, bool *is_open,
          struct collect_pass *out)
{
    const enum outcome outcome =
        connection->driver->query(connection, s->sql.at, &s->answer);
    const bool is_refused = outcome != OUTCOME_OK && outcome != OUTCOME_LOST;
    if (is_refused && !s->failure[0])
        snprintf(s->failure, sizeof s->failure, "%.40s: %.200s",
                 connection->code, connection->message);
    if (c->kind == COMMAND_BEGIN)
        *is_open = true;
    else if (c->kind == COMMAND_COMMIT || c->kind == COMMAND_ROLLBACK)
        *is_open = false;
    out->is_lost = outcome == OUTCOME_LOST;
    out->unknown += outcome == OUTCOME_LOST;
    out->aborted += is_refused;
    out->committed +=
        outcome == OUTCOME_OK && !*is_open && c->kind != COMMAND_ROLLBACK;
    if (*is_open && is_refused) {
        connection->driver->query(connection, "rollback", NULL);
        *is_open = false;
    }
    if (outcome != OUTCOME_OK || !c->gset)
        return outcome == OUTCOME_OK;
    // pgbench gives up, too, unless there is one row.
    if (s->answer.n == 1)
        bind_named(s, c);
    return s->answer.n == 1;
}

/* A script that ends inside of a transaction ends it. */
static void
end_plain(struct connection *c, struct collect_pass *out)
{
    out->is_rolled_back = true;
    out->aborted++;
    out->is_lost = c->driver->query(c, "rollback", NULL) == OUTCOME_LOST;
}

/* Count the transactions from 'first' on. */
static void
count(const struct sql_session *s, size_t first, struct collect_pass *out)
{
    const struct notes *notes = &s->runner.recorder.notes;
    for (size_t i = first; i < notes->txns.n; i++) {
        const struct noted_txn *t = &notes->txns.at[i];
        out->committed += t->status == TXN_COMMITTED;
        out->aborted += t->status == TXN_ABORTED;
        out->unknown += t->status == TXN_INDETERMINATE;
        for (size_t k = 0; k < t->rows.n; k++) {
            const enum row_note_kind kind = t->rows.at[k].kind;
            const bool is_write = kind == ROW_NOTE_INSERT ||
                                  kind == ROW_NOTE_UPDATE ||
                                  kind == ROW_NOTE_DELETE;
            out->operations += kind != ROW_NOTE_PROPOSE;
            out->writes += is_write;
        }
    }
}

/* Record a new connection.  What it does is a session of its own, because the
 * outcome of what was lost before is unknown. */
static bool
attach(struct sql_session *s, struct connection *c, struct err *err)
{
    char name[48];
    if (c->tap)
        return true;
    s->connections++;
    snprintf(name, sizeof name, s->connections > 1 ? "s%zu.%zu" : "s%zu",
             s->number, s->connections);
    return s->recorder->attach(s->recorder->self, c, name, err);
}

/* Make a new connection ready to be recorded. */
static bool
prepare(struct sql_session *s, struct connection *c, struct err *err)
{
    if (s->recorder)
        return attach(s, c, err);
    if (!s->watched)
        return true;
    const char *sql = s->watched->dialect->prepare;
    if (c->notices)
        return true;
    c->notices = &s->runner.recorder.notices;
    return !sql || c->driver->query(c, sql, NULL) == OUTCOME_OK ||
           err_set(err, ERR_IO, "cannot prepare a session: %s", c->message);
}

bool
sql_session_run(struct sql_session *s, const struct pgbench_script *script,
                struct connection *c, struct collect_pass *out, struct err *err)
{
    struct step_runner *r = &s->runner;
    const size_t first = r->recorder.notes.txns.n;
    bool goes_on = true, ok = true, is_open = false;
    r->recorder.connection = c;
    r->is_lost = r->is_gone = false;
    if (!prepare(s, c, err))
        return false;
    const uint64_t done = c->tap ? c->tap->done : 0;
    const uint64_t writes = c->tap ? c->tap->writes : 0;
    for (size_t i = 0; ok && goes_on && i < script->read.commands.n;) {
        const struct pgbench_command *command = &script->read.commands.at[i];
        if (command->kind > COMMAND_ROLLBACK) {
            ok = pgbench_script_step(script, i, &s->bindings, &s->random, &i,
                                     err);
            continue;
        }
        time_pause(s->pause);
        buf_clear(&s->sql);
        ok = pgbench_script_fill(script, i, &s->bindings, NULL, &s->sql, err);
        if (ok && s->watched)
            ok = run_recorded(s, script, i, &goes_on, err);
        else if (ok)
            goes_on = run_plain(s, command, c, &is_open, out);
        i++;
    }
    if (!s->watched) {
        if (is_open && !out->is_lost)
            end_plain(c, out);
        out->operations = c->tap ? c->tap->done - done : 0;
        out->writes = c->tap ? c->tap->writes - writes : 0;
        return ok;
    }
    out->is_rolled_back = !r->is_lost && !c->code[0];
    if (!r->is_lost)
        step_runner_rest(r);
    r->recorder.is_failed = false;
    out->is_lost = r->is_lost;
    count(s, first, out);
    script_places_end(&s->places, &r->recorder.notes, first, script);
    out->is_rolled_back &= out->aborted > 0;
    return ok;
}

void
sql_session_free(struct sql_session *s)
{
    for (size_t i = 0; i < s->statements.n; i++) {
        statement_free(&s->statements.at[i]->statement);
        mem_free(s->statements.at[i]);
    }
    vec_free(&s->statements);
    vec_free(&s->undone);
    strings_free(&s->texts);
    script_places_free(&s->places);
    step_runner_free(&s->runner);
    pgbench_bindings_free(&s->bindings);
    result_rows_free(&s->answer);
    buf_free(&s->sql);
    arena_free(&s->arena);
}
