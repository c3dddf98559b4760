/* step_runner.c -- see step_runner.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/step_runner.h"

#include "driver/server_error.h"
#include "spec/row_recorder.h"

#include <stdio.h>
#include <string.h>

static enum outcome
query(struct step_runner *r, const char *sql)
{
    struct connection *c = r->recorder.connection;
    const enum outcome outcome = c->driver->query(c, sql, NULL);
    r->is_lost |= outcome == OUTCOME_LOST;
    return outcome;
}

/* A statement without rows of tables; it may have an answer. */
static enum outcome
run_quiet(struct step_runner *r, const struct spec_statement *s)
{
    struct connection *c = r->recorder.connection;
    return c->driver->query(c, s->text, r->recorder.answer);
}

static void
note_failure(struct step_runner *r, const char *sql)
{
    char quoted[ERR_QUOTE_ROOM], said[200];
    const char *message = r->recorder.connection->message;
    r->failed++;
    findings_count(&r->findings, r->recorder.connection);
    snprintf(r->failure, sizeof r->failure, "'%s': %s",
             err_quote(quoted, sizeof quoted, sql, strlen(sql)),
             err_quote(said, sizeof said, message, strlen(message)));
}

/* After a rollback by the database, further statements would run as
 * transactions of their own.  So none is sent until the script ends the
 * transaction. */
static void
give_up(struct step_runner *r, enum outcome outcome)
{
    struct notes *n = &r->recorder.notes;
    if (n->is_open)
        notes_end(n, outcome == OUTCOME_LOST ? TXN_INDETERMINATE : TXN_ABORTED);
    if (outcome != OUTCOME_LOST)
        query(r, "rollback");
    r->is_gone = !r->is_implicit || outcome == OUTCOME_LOST;
    r->is_implicit = false;
}

bool
step_runner_commit(struct step_runner *r)
{
    const enum outcome outcome = query(r, "commit");
    row_recorder_take_told(&r->recorder); // by what was deferred
    if (outcome == OUTCOME_OK)
        notes_end(&r->recorder.notes, TXN_COMMITTED);
    else if (outcome == OUTCOME_FAILED &&
             !server_error_is_refusal(r->recorder.connection))
        notes_end(&r->recorder.notes, TXN_INDETERMINATE);
    if (outcome != OUTCOME_OK)
        give_up(r, outcome);
    r->is_implicit = false;
    return outcome == OUTCOME_OK;
}

/* Begin, with the level or the lock if the statement names one. */
static bool
begin(struct step_runner *r, const struct spec_statement *s)
{
    const struct flavour *flavour = r->recorder.flavour;
    enum outcome outcome = OUTCOME_OK;
    if (flavour->has_levels) {
        outcome = query(r, s->text);
    } else {
        struct buf sql = {0};
        buf_printf(&sql, "set transaction isolation level %s", s->isolation);
        if (*s->isolation && flavour->begin_again == BEGIN_COMMITS)
            outcome = query(r, sql.at);
        buf_clear(&sql);
        buf_printf(&sql, "begin%s%s", *s->lock ? " " : "", s->lock);
        if (outcome == OUTCOME_OK)
            outcome = query(r, sql.at);
        buf_free(&sql);
    }
    vec_clear(&r->recorder.savepoints);
    r->recorder.is_failed = false;
    if (outcome == OUTCOME_OK)
        notes_begin(&r->recorder.notes);
    else
        note_failure(r, s->text);
    return outcome == OUTCOME_OK;
}

/* 'begin' inside a transaction. */
static bool
begin_again(struct step_runner *r, const struct spec_statement *s)
{
    switch (r->recorder.flavour->begin_again) {
    case BEGIN_COMMITS:
        return step_runner_commit(r) && begin(r, s);
    case BEGIN_FAILS:
        note_failure(r, s->text);
        return true; // the transaction continues
    default:
        break;
    }
    const enum outcome outcome = query(r, s->text);
    if (outcome != OUTCOME_OK) {
        note_failure(r, s->text);
        give_up(r, outcome);
    }
    r->is_implicit = false;
    return outcome == OUTCOME_OK;
}

static bool
run_begin(struct step_runner *r, const struct spec_statement *s)
{
    if (r->recorder.notes.is_open)
        return begin_again(r, s);
    if (r->is_gone && r->recorder.flavour->error_ends_txn)
        return false; // it is still inside the failed transaction
    r->is_gone = false;
    return begin(r, s);
}

/* Commit or rollback. */
static bool
run_end(struct step_runner *r, const struct spec_statement *s)
{
    struct notes *n = &r->recorder.notes;
    r->is_gone = false;
    if (!n->is_open)
        return true;
    if (s->kind == SPEC_COMMIT) {
        const bool ok = step_runner_commit(r);
        r->is_gone = r->is_lost; // otherwise it has ended in any case
        return ok;
    }
    query(r, "rollback");
    notes_end(n, TXN_ABORTED);
    r->is_implicit = false;
    return true;
}

static void
refuse(struct step_runner *r, const char *why)
{
    if (!r->recorder.refusal[0])
        snprintf(r->recorder.refusal, sizeof r->recorder.refusal, "%s", why);
}

/* 'prepare transaction': what is deferred to the end comes now, and the session
 * has none from now on. */
static bool
run_prepare(struct step_runner *r, const struct spec_statement *s)
{
    struct notes *n = &r->recorder.notes;
    r->is_gone = false;
    if (!n->is_open)
        return true;
    const enum outcome outcome = query(r, s->text);
    row_recorder_take_told(&r->recorder);
    r->is_implicit = false;
    if (outcome == OUTCOME_OK) {
        r->prepared = s->prepared;
        return true;
    }
    note_failure(r, s->text);
    notes_end(n, outcome == OUTCOME_LOST ? TXN_INDETERMINATE : TXN_ABORTED);
    r->is_gone = outcome == OUTCOME_LOST;
    return false;
}

/* The end of the session's own prepared transaction. */
static bool
end_prepared(struct step_runner *r, const struct spec_statement *s)
{
    struct notes *n = &r->recorder.notes;
    const bool is_own =
        r->prepared && strcmp(r->prepared, s->prepared) == 0 && n->is_open;
    const enum outcome outcome = query(r, s->text);
    if (outcome != OUTCOME_OK)
        note_failure(r, s->text);
    else if (!is_own)
        refuse(r, "a session ended a transaction that another one prepared");
    if (!is_own)
        return outcome == OUTCOME_OK;
    notes_end(n, outcome != OUTCOME_OK ? TXN_INDETERMINATE
                 : s->is_commit        ? TXN_COMMITTED
                                       : TXN_ABORTED);
    r->prepared = NULL;
    return outcome == OUTCOME_OK;
}

/* The savepoint of that name, or SIZE_MAX. */
static size_t
find_savepoint(const struct statement_recorder *p, const char *name)
{
    size_t i = p->savepoints.n;
    while (i && strcmp(p->savepoints.at[i - 1].name, name) != 0)
        i--;
    return i - 1;
}

/* Going back to a savepoint undoes writes; what was read stays read. */
static bool
run_savepoint(struct step_runner *r, const struct spec_statement *s)
{
    struct statement_recorder *p = &r->recorder;
    if (!p->notes.is_open)
        return true;
    if (s->kind != SPEC_ROLLBACK_TO && p->is_failed)
        return true;
    const enum outcome outcome = query(r, s->text);
    if (outcome != OUTCOME_OK) {
        note_failure(r, s->text);
        give_up(r, outcome);
        return false;
    }
    row_note_vec *notes = &vec_top(&p->notes.txns).rows;
    const size_t at = find_savepoint(p, s->savepoint);
    if (s->kind == SPEC_SAVEPOINT) {
        vec_push(&p->savepoints,
                 ((struct recorder_savepoint){s->savepoint, notes->n}));
    } else if (at < p->savepoints.n) {
        const size_t from = p->savepoints.at[at].notes;
        for (size_t i = from; s->kind == SPEC_ROLLBACK_TO && i < notes->n; i++)
            notes->at[i].is_undone = true;
        if (p->is_failed)
            row_statement_leave_out(p->failed, "what it read before it failed");
        p->savepoints.n = at + (s->kind == SPEC_ROLLBACK_TO);
    }
    p->is_failed = false;
    return true;
}

/* Handle a statement that failed: what becomes of its transaction. */
static void
fail(struct step_runner *r, struct spec_statement *s, enum outcome outcome)
{
    const bool goes_on = outcome == OUTCOME_FAILED && !r->is_implicit &&
                         !r->stops && !r->recorder.flavour->error_ends_txn;
    if (outcome == OUTCOME_FAILED)
        note_failure(r, s->text);
    if (!r->recorder.notes.is_open || r->prepared)
        return;
    // Where an error does not end a transaction, one that does leaves none of
    // its savepoints.
    const bool has_savepoint =
        r->recorder.savepoints.n &&
        (outcome == OUTCOME_FAILED || r->recorder.flavour->error_ends_txn);
    if (outcome != OUTCOME_LOST && has_savepoint) {
        r->recorder.is_failed = true; // until it goes back to a savepoint
        r->recorder.failed = &s->rows;
        return;
    }
    if (goes_on && r->recorder.failed_alone)
        return;
    if (goes_on)
        refuse(r, "a statement failed in a transaction that continues");
    give_up(r, outcome);
}

bool
step_runner_statement(struct step_runner *r, struct spec_statement *s,
                      bool is_one_of_many)
{
    struct statement_recorder *p = &r->recorder;
    if (s->kind == SPEC_END_PREPARED)
        return end_prepared(r, s);
    if (r->prepared && s->kind != SPEC_QUIET) {
        refuse(r, "a statement before the end of a prepared transaction");
        return false;
    }
    if (s->kind == SPEC_PREPARE)
        return run_prepare(r, s);
    if (s->kind == SPEC_BEGIN)
        return run_begin(r, s);
    if (s->kind == SPEC_COMMIT || s->kind == SPEC_ROLLBACK)
        return run_end(r, s);
    if (s->kind == SPEC_SAVEPOINT || s->kind == SPEC_RELEASE ||
        s->kind == SPEC_ROLLBACK_TO)
        return run_savepoint(r, s);
    if (r->is_gone || p->is_failed)
        return true;
    if (!p->notes.is_open && (s->kind != SPEC_QUIET || is_one_of_many)) {
        static const struct spec_statement implicit = {
            .text = "begin", .isolation = "", .lock = ""};
        if (!begin(r, &implicit))
            return false;
        r->is_implicit = true;
    }
    p->failed_alone = false;
    const enum outcome outcome =
        s->kind == SPEC_QUIET ? run_quiet(r, s) : statement_recorder_run(p, s);
    r->is_lost |= outcome == OUTCOME_LOST;
    if (outcome != OUTCOME_OK)
        fail(r, s, outcome);
    return outcome == OUTCOME_OK;
}

void
step_runner_block(struct step_runner *r, struct script_block *block)
{
    const size_t n = block->statements.n;
    const bool many = n > 1 && r->recorder.flavour->runs_many;
    for (size_t i = 0; i < n; i++)
        if (!step_runner_statement(r, &block->statements.at[i], many))
            break;
    if (r->is_implicit && r->recorder.notes.is_open)
        step_runner_commit(r);
    r->is_implicit = false;
}

void
step_runner_text(struct step_runner *r, const char *sql)
{
    const struct flavour *flavour = r->recorder.flavour;
    struct arena arena = {0};
    text_vec parts = {0};
    if (flavour->runs_many)
        vec_push(&parts, sql);
    else
        script_split(sql, flavour, &arena, &parts);
    r->done = 0;
    for (size_t i = 0; i < parts.n; i++, r->done++)
        if (query(r, parts.at[i]) != OUTCOME_OK) {
            note_failure(r, parts.at[i]);
            break;
        }
    vec_free(&parts);
    arena_free(&arena);
}

void
step_runner_rest(struct step_runner *r)
{
    const struct driver_tap *tap = r->recorder.connection->tap;
    if (tap && tap->state != 'I' && !r->is_lost)
        query(r, "rollback");
    if (r->recorder.notes.is_open) {
        struct buf sql = {0};
        buf_text(&sql, "rollback");
        if (r->prepared)
            buf_printf(&sql, " prepared %s", r->prepared);
        query(r, sql.at);
        notes_end(&r->recorder.notes, TXN_ABORTED);
        buf_free(&sql);
    }
    r->prepared = NULL;
    r->is_gone = r->is_implicit = false;
}

void
step_runner_free(struct step_runner *r)
{
    notes_free(&r->recorder.notes);
    vec_free(&r->recorder.savepoints);
    buf_free(&r->recorder.notices);
}
