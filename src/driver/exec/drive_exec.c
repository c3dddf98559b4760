/* drive_exec.c -- exec:COMMAND, any database, through a program of the user's.
 *
 *     exec:python3 mine.py
 *
 * The program reads one JSON object a line and answers with one; doc/exec.md
 * has the protocol.  It says in its first answer whether it serves many
 * sessions; if not, every session gets a process of its own.
 *
 * Values are text.  A cell of an application's table is a key "table:row:
 * column", whose value is followed by the number of its writer; one that was
 * not written yet has the initial value of its column.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/drivers.h"
#include "driver/exec/exec_link.h"
#include "driver/self_check.h"
#include "driver/sql/sql.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct driver driver_exec_sql; // not in the table of drivers

struct exec_place {
    struct child *control; // prepares and cleans up
    uint32_t place;
    bool takes_sql;
    struct sql_variant variant; // then
    bool is_shared;             // 'control' serves all sessions
};

/* --- opening ---------------------------------------------------------------*/

/* A session of a child; *json is its answer. */
static bool
open_session(const struct database *db, uint32_t session, struct child *child,
             uint32_t place, struct buf *answer, struct json_line *json,
             struct err *err)
{
    struct buf request = {0};
    exec_request_begin(&request, place, "open");
    const enum driver_isolation wanted = database_isolation(db, session);
    if (wanted != ISOLATION_UNCHANGED)
        json_text(&request, "isolation", driver_isolation_names[wanted]);
    const bool ok = exec_exchange(child, place, &request, answer, json, err);
    buf_free(&request);
    if (!ok)
        return false;
    char message[256];
    if (exec_is_true(json, "ok")) {
        json_line_text(json, "isolation", message, sizeof message);
        return !*message || wanted == ISOLATION_UNCHANGED ||
               strcmp(message, driver_isolation_names[wanted]) == 0 ||
               err_set(err, ERR_IO,
                       "requested the isolation '%s', the program opened '%s'",
                       driver_isolation_names[wanted], message);
    }
    json_line_text(json, "message", message, sizeof message);
    return err_set(err, ERR_IO, "the program refuses to open: %s",
                   *message ? message : "it gives no \"message\"");
}

static void
name_database(struct database *db, const struct json_line *json)
{
    char name[sizeof db->note];
    json_line_text(json, "name", name, sizeof name);
    snprintf(db->note, sizeof db->note, "%s",
             *name ? name : "a program that gives no name");
}

static void
close_exec(struct database *db)
{
    struct exec_place *p = db->self;
    child_stop(p->control);
    mem_free(p);
}

/* Where the program takes SQL, the database gets a driver that sends it. */
static bool
choose_sql(struct database *db, const struct json_line *json, struct err *err)
{
    struct exec_place *p = db->self;
    char name[24];
    json_line_text(json, "sql", name, sizeof name);
    if (!*name)
        return true;
    const struct dialect *dialect = dialect_find(name);
    if (!dialect)
        return err_set(err, ERR_SYNTAX,
                       "\"sql\" is postgresql, mariadb, sqlite, duckdb, "
                       "firebird or other, not '%s'",
                       name);
    p->takes_sql = true;
    sql_variant_init(&p->variant, &driver_exec_sql, dialect);
    // The program sets the isolation; a function of the own driver is missing.
    p->variant.dialect.set_isolation = p->variant.dialect.get_isolation = NULL;
    if (dialect == &dialect_sqlite)
        p->variant.dialect.claim = NULL;
    p->variant.dialect.cannot_record = dialect == &dialect_sqlite;
    db->driver = &p->variant.driver;
    return true;
}

static bool
open_exec(struct database *db, struct err *err)
{
    if (!db->url.path[0])
        return err_set(err, ERR_USAGE, "exec: expected a command behind it");
    struct exec_place *p = mem_calloc(1, sizeof *p);
    struct buf answer = {0};
    struct json_line json = {0};
    db->self = p;
    char sessions[16] = "";
    bool ok = child_start(db->url.path, &p->control, err);
    if (ok) {
        p->place = child_take_place(p->control);
        ok = open_session(db, 0, p->control, p->place, &answer, &json, err);
    }
    if (ok) {
        json_line_text(&json, "sessions", sessions, sizeof sessions);
        p->is_shared = strcmp(sessions, "many") == 0;
        ok = p->is_shared || !*sessions || strcmp(sessions, "one") == 0 ||
             err_set(err, ERR_SYNTAX,
                     "\"sessions\" is \"one\" or \"many\", not '%s'", sessions);
        ok = ok && choose_sql(db, &json, err);
        name_database(db, &json);
    }
    json_line_free(&json);
    buf_free(&answer);
    db->nodes = 1;
    if (!ok) {
        if (p->control)
            close_exec(db);
        else
            mem_free(p);
        db->self = NULL;
        db->driver = &driver_exec;
        err_in_file(err, db->url.text);
    }
    return ok;
}

/* Ask the controlling process for something that must succeed. */
static bool
control(struct database *db, struct buf *request, struct err *err)
{
    struct exec_place *p = db->self;
    struct buf answer = {0};
    struct json_line json = {0};
    char message[256];
    bool ok =
        exec_exchange(p->control, p->place, request, &answer, &json, err) != 0;
    if (ok && !exec_is_true(&json, "ok")) {
        json_line_text(&json, "message", message, sizeof message);
        ok = err_set(err, ERR_IO, "the program refuses %s: %s", request->at,
                     *message ? message : "it gives no \"message\"");
    }
    json_line_free(&json);
    buf_free(&answer);
    buf_free(request);
    return ok || err_in_file(err, db->url.text);
}

static bool
load(struct database *db, uint64_t keys, enum key_kind kind, struct err *err)
{
    const struct exec_place *p = db->self;
    struct buf request = {0};
    if (kind == KEYS_ARRAYS)
        return err_set(err, ERR_USAGE,
                       "exec: has no arrays; keep the lists as lists");
    exec_request_begin(&request, p->place, "load");
    json_text(&request, "kind", kind == KEYS_REGISTERS ? "registers" : "lists");
    json_u64(&request, "keys", keys);
    return control(db, &request, err) &&
           (!keys || database_self_check(db, kind, NULL, err) ||
            err_in_file(err, db->url.text));
}

static bool
load_table(struct database *db, const struct table_shape *table,
           struct err *err)
{
    const struct exec_place *p = db->self;
    struct buf request = {0};
    exec_request_begin(&request, p->place, "load");
    json_text(&request, "kind", "cells");
    json_text(&request, "table", table->name);
    return control(db, &request, err) &&
           (database_self_check(db, KEYS_REGISTERS, table, err) ||
            err_in_file(err, db->url.text));
}

static bool
unload(struct database *db, struct err *err)
{
    const struct exec_place *p = db->self;
    struct buf request = {0};
    exec_request_begin(&request, p->place, "unload");
    return control(db, &request, err);
}

static bool
load_sql(struct database *db, uint64_t keys, enum key_kind kind,
         struct err *err)
{
    return sql_load(db, keys, kind, err) &&
           (!keys || database_self_check(db, kind, NULL, err) ||
            err_in_file(err, db->url.text));
}

static bool
load_sql_table(struct database *db, const struct table_shape *table,
               struct err *err)
{
    return sql_load_table(db, table, err) &&
           (database_self_check(db, KEYS_REGISTERS, table, err) ||
            err_in_file(err, db->url.text));
}

/* --- connections -----------------------------------------------------------*/

static void
disconnect(struct connection *base)
{
    struct exec_link *c = (struct exec_link *)base;
    const struct exec_place *p = base->database->self;
    if (p->is_shared) {
        exec_request_begin(&c->request, c->place, "close");
        exec_ask(c);
        child_leave_place(c->child, c->place);
    } else if (c->child) {
        child_stop(c->child);
    }
    json_line_free(&c->json);
    buf_free(&c->request);
    buf_free(&c->answer);
    mem_free(c);
}

/* Run what the user asked for on each connection. */
static bool
run_setup(struct exec_link *c, const char *setup, struct err *err)
{
    if (!setup)
        return true;
    exec_request_begin(&c->request, c->place, "query");
    json_text(&c->request, "sql", setup);
    return exec_ask(c) == OUTCOME_OK ||
           err_set(err, ERR_IO, "the setup failed: %s (%s)", c->base.message,
                   c->base.code);
}

static bool
connect_exec(struct database *db, uint32_t session, size_t node,
             struct connection **out, struct err *err)
{
    struct exec_place *p = db->self;
    struct exec_link *c = mem_calloc(1, sizeof *c);
    c->base = (struct connection){
        .driver = db->driver, .database = db, .session = session, .node = node};
    if (p->is_shared)
        c->child = p->control;
    else if (!child_start(db->url.path, &c->child, err)) {
        mem_free(c);
        return err_in_file(err, db->url.text);
    }
    c->place = child_take_place(c->child);
    const bool is_open = open_session(db, session, c->child, c->place,
                                      &c->answer, &c->json, err);
    if (is_open && p->takes_sql)
        return sql_prepare(&c->base, out, err) ||
               err_in_file(err, db->url.text);
    if (is_open && run_setup(c, database_setup(db, session), err)) {
        *out = &c->base;
        return true;
    }
    // What the sessions had shared is gone with their process.
    if (p->is_shared && child_is_broken(p->control))
        atomic_store(&db->is_gone, true);
    disconnect(&c->base);
    return err_in_file(err, db->url.text);
}

/* --- transactions ----------------------------------------------------------*/

static enum outcome
ask_plain(struct connection *base, const char *verb)
{
    struct exec_link *c = (struct exec_link *)base;
    exec_request_begin(&c->request, c->place, verb);
    return exec_ask(c);
}

static enum outcome
begin(struct connection *c)
{
    return ask_plain(c, "begin");
}

static enum outcome
commit(struct connection *c)
{
    return ask_plain(c, "commit");
}

/* A session that cannot roll back would go on in the same transaction, so it
 * has to begin anew. */
static enum outcome
roll_back(struct connection *c)
{
    const enum outcome outcome = ask_plain(c, "rollback");
    return outcome == OUTCOME_FAILED ? OUTCOME_LOST : outcome;
}

static enum outcome
not_understood(struct exec_link *c, const char *expected)
{
    char shown[ERR_QUOTE_ROOM], message[sizeof c->base.message];
    snprintf(
        message, sizeof message, "the answer '%s' has no \"value\" that is %s",
        err_quote(shown, sizeof shown, c->answer.at, c->answer.n), expected);
    return outcome_set(&c->base, OUTCOME_LOST, "protocol", message);
}

/* Read a key; *out is NULL where it has no value. */
static enum outcome
read_key(struct exec_link *c, const char *key, const struct form **out)
{
    exec_request_begin(&c->request, c->place, "read");
    json_text(&c->request, "key", key);
    const enum outcome outcome = exec_ask(c);
    if (outcome != OUTCOME_OK)
        return outcome;
    const struct form *f = json_line_get(&c->json, "value");
    if (!f || (f->kind != FORM_NIL && f->kind != FORM_STRING))
        return not_understood(c, "null or a string");
    *out = f->kind == FORM_NIL ? NULL : f;
    const struct form *missing = json_line_get(&c->json, "missing");
    c->base.no_row = missing && missing->kind == FORM_TRUE;
    return OUTCOME_OK;
}

static enum outcome
write_key(struct exec_link *c, const char *key, const char *value)
{
    exec_request_begin(&c->request, c->place, "write");
    json_text(&c->request, "key", key);
    json_text(&c->request, "value", value);
    return exec_ask(c);
}

/* Parse all of a text as integers with single blanks between them, as this
 * program writes them: "7", not "07" or 7 and something that is not shown. */
static bool
parse_integers(const struct form *f, int64_t *out, size_t n)
{
    char text[64];
    struct buf again = {0};
    const char *at = text;
    if (f->text.n >= sizeof text)
        return false;
    memcpy(text, f->text.at, f->text.n);
    text[f->text.n] = 0;
    for (size_t i = 0; i < n; i++) {
        char *end;
        out[i] = strtoll(at, &end, 10);
        buf_printf(&again, "%s%" PRId64, i ? " " : "", out[i]);
        at = end + (*end == ' ');
    }
    const bool ok =
        again.n == f->text.n && memcmp(again.at, text, again.n) == 0;
    buf_free(&again);
    return ok;
}

static enum outcome
read_register(struct connection *base, uint64_t key, struct driver_read *out)
{
    struct exec_link *c = (struct exec_link *)base;
    const struct form *value = NULL;
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, key);
    const enum outcome outcome = read_key(c, text, &value);
    *out = (struct driver_read){.has_value = value != NULL};
    if (value && !parse_integers(value, &out->value, 1))
        return not_understood(c, "what was written");
    return outcome;
}

static enum outcome
write_register(struct connection *base, uint64_t key, int64_t value,
               bool *is_missing)
{
    char name[24], text[24];
    *is_missing = false;
    snprintf(name, sizeof name, "%" PRIu64, key);
    snprintf(text, sizeof text, "%" PRId64, value);
    return write_key((struct exec_link *)base, name, text);
}

static enum outcome
append_element(struct connection *base, uint64_t key, int64_t element,
               bool *is_missing)
{
    struct exec_link *c = (struct exec_link *)base;
    *is_missing = false;
    exec_request_begin(&c->request, c->place, "append");
    json_printf(&c->request, "key", "%" PRIu64, key);
    json_i64(&c->request, "element", element);
    return exec_ask(c);
}

static enum outcome
read_elements(struct connection *base, uint64_t key, int_vec *out)
{
    struct exec_link *c = (struct exec_link *)base;
    exec_request_begin(&c->request, c->place, "read-list");
    json_printf(&c->request, "key", "%" PRIu64, key);
    const enum outcome outcome = exec_ask(c);
    if (outcome != OUTCOME_OK)
        return outcome;
    const struct form *list = json_line_get(&c->json, "value");
    vec_clear(out);
    if (!list || list->kind != FORM_VECTOR)
        return not_understood(c, "a list of integers");
    for (uint32_t i = 1; i < list->size; i++) {
        int64_t element;
        if (list[i].kind != FORM_INTEGER ||
            !parse_integers(&list[i], &element, 1))
            return not_understood(c, "a list of integers");
        vec_push(out, element);
    }
    return OUTCOME_OK;
}

static void
cell_key(const struct cell_place *at, char *out, size_t room)
{
    snprintf(out, room, "%s:%" PRIu64 ":%s", at->table->name, at->row,
             at->table->columns[at->column]);
}

static enum outcome
read_cell(struct connection *base, const struct cell_place *at,
          struct driver_read *out)
{
    struct exec_link *c = (struct exec_link *)base;
    const bool is_there = at->row < at->table->rows && at->table->initial;
    const struct form *value = NULL;
    int64_t cell[2];
    char key[160];
    cell_key(at, key, sizeof key);
    const enum outcome outcome = read_key(c, key, &value);
    *out = (struct driver_read){
        .has_value = value || is_there,
        .value = is_there ? at->table->initial[at->column] : 0};
    if (!value)
        return outcome;
    if (!parse_integers(value, cell, 2))
        return not_understood(c, "what was written");
    out->value = cell[0];
    out->author = cell[1];
    return outcome;
}

static enum outcome
write_cell(struct connection *base, const struct cell_place *at, int64_t value,
           int64_t author, bool *is_missing)
{
    char key[160], text[48];
    *is_missing = false;
    cell_key(at, key, sizeof key);
    snprintf(text, sizeof text, "%" PRId64 " %" PRId64, value, author);
    return write_key((struct exec_link *)base, key, text);
}

const struct driver driver_exec = {
    .scheme = "exec",
    .form = "exec:COMMAND",
    .help = "any database, through a program that answers one JSON line per "
            "step",
    .open = open_exec,
    .close = close_exec,
    .load = load,
    .load_table = load_table,
    .unload = unload,
    .connect = connect_exec,
    .disconnect = disconnect,
    .begin = begin,
    .read = read_register,
    .write = write_register,
    .append = append_element,
    .read_list = read_elements,
    .read_cell = read_cell,
    .write_cell = write_cell,
    .commit = commit,
    .abort = roll_back,
};

const struct driver driver_exec_sql = {
    .scheme = "exec",
    .form = "exec:COMMAND",
    .help = "any database that takes SQL, through a program",
    .open = open_exec,
    .close = close_exec,
    .load = load_sql,
    .load_table = load_sql_table,
    .unload = sql_unload,
    .connect = connect_exec,
    .disconnect = disconnect,
    .begin = sql_begin,
    .read = sql_read,
    .write = sql_write,
    .append = sql_append,
    .read_list = sql_read_list,
    .read_cell = sql_read_cell,
    .write_cell = sql_write_cell,
    .commit = sql_commit,
    .abort = sql_abort,
    .query = exec_query,
};
