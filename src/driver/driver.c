/* driver.c -- the table of drivers, and what they share.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/driver.h"

#include "base/ascii.h"
#include "driver/drivers.h"

#include <stdio.h>
#include <string.h>

const struct driver *const driver_table[] = {
    &driver_store,   &driver_sqlite, &driver_postgresql,
    &driver_mariadb, &driver_duckdb, &driver_firebird,
    &driver_odbc,    &driver_exec,   NULL,
};

/* --- isolation -------------------------------------------------------------*/

static bool
same_words(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        const char x = *a == '-' || *a == '_' ? ' ' : *a;
        if (ascii_lower(x) != *b)
            return false;
    }
    return *a == *b;
}

bool
driver_isolation_parse(const char *text, enum driver_isolation *out)
{
    for (int i = ISOLATION_READ_UNCOMMITTED; i < ISOLATIONS; i++)
        if (same_words(text, driver_isolation_names[i])) {
            *out = (enum driver_isolation)i;
            return true;
        }
    return false;
}

enum driver_isolation
driver_isolation_for(enum level level)
{
    static const enum driver_isolation asked[] = {
        [SQL_READ_COMMITTED] = ISOLATION_READ_COMMITTED,
        [SQL_REPEATABLE_READ] = ISOLATION_REPEATABLE_READ,
        [SQL_SERIALIZABLE] = ISOLATION_SERIALIZABLE};
    return asked[level_table[level].sql];
}

enum driver_isolation
database_isolation(const struct database *db, uint32_t session)
{
    return db->mix.n ? db->mix.at[session % db->mix.n] : db->isolation;
}

const char *
database_setup(const struct database *db, uint32_t session)
{
    return db->setups.n ? db->setups.at[session % db->setups.n] : NULL;
}

/* --- access ----------------------------------------------------------------*/

const char *const driver_access_names[ACCESSES] = {
    [ACCESS_KEY] = "key",
    [ACCESS_INDEX] = "index",
    [ACCESS_RANGE] = "range",
    [ACCESS_SCAN] = "scan",
};

bool
driver_access_parse(const char *text, unsigned *out)
{
    *out = 0;
    for (;;) {
        const size_t n = strcspn(text, ",");
        int i = 0;
        while (i < ACCESSES && (strlen(driver_access_names[i]) != n ||
                                memcmp(driver_access_names[i], text, n) != 0))
            i++;
        if (i == ACCESSES)
            return false;
        *out |= 1u << i;
        if (!text[n])
            return true;
        text += n + 1;
    }
}

/* --- rows ------------------------------------------------------------------*/

void
result_rows_clear(struct result_rows *r)
{
    r->n = r->width = 0;
    vec_clear(&r->cells);
    buf_clear(&r->text);
    buf_clear(&r->names);
}

void
result_rows_free(struct result_rows *r)
{
    vec_free(&r->cells);
    buf_free(&r->text);
    buf_free(&r->names);
    *r = (struct result_rows){0};
}

void
result_rows_add(struct result_rows *r, const char *text, size_t n)
{
    vec_push(&r->cells, ((struct result_cell){r->text.n, text ? n : 0, !text}));
    if (text)
        buf_add(&r->text, text, n);
    buf_char(&r->text, 0);
}

const char *
result_rows_get(const struct result_rows *r, size_t row, size_t column)
{
    if (row >= r->n || column >= r->width)
        return "";
    return r->text.at + r->cells.at[row * r->width + column].at;
}

bool
result_rows_is_null(const struct result_rows *r, size_t row, size_t column)
{
    return row >= r->n || column >= r->width ||
           r->cells.at[row * r->width + column].is_null;
}

/* --- opening ---------------------------------------------------------------*/

bool
driver_missing(struct database *db, struct err *err)
{
    return err_set(err, ERR_FEATURE,
                   "this program was built without %s:", db->driver->scheme);
}

const struct driver *
driver_find(const char *scheme)
{
    // Two schemes have two common spellings.
    const char *name = strcmp(scheme, "postgres") == 0 ? "postgresql"
                       : strcmp(scheme, "mysql") == 0  ? "mariadb"
                                                       : scheme;
    for (size_t i = 0; driver_table[i]; i++)
        if (strcmp(driver_table[i]->scheme, name) == 0)
            return driver_table[i];
    return NULL;
}

bool
driver_is_built(const char *scheme, struct err *err)
{
    struct database db = {.driver = driver_find(scheme)};
    return db.driver->connect || driver_missing(&db, err);
}

static bool
unknown_scheme(const char *scheme, struct err *err)
{
    struct buf known = {0};
    for (size_t i = 0; driver_table[i]; i++)
        buf_printf(&known, "%s%s:",
                   !i                    ? ""
                   : driver_table[i + 1] ? ", "
                                         : " or ",
                   driver_table[i]->scheme);
    err_set(err, ERR_USAGE, "unknown kind of target '%s'; expected %s", scheme,
            known.at);
    buf_free(&known);
    return false;
}

bool
database_open(const char *target, enum driver_isolation isolation,
              const struct session_setups *setups, struct database *out,
              struct err *err)
{
    *out = (struct database){.isolation = isolation, .nodes = 1};
    sockets_init(&out->sockets);
    if (setups)
        out->setups = *setups;
    bool ok = url_parse(target, &out->url, err);
    if (ok) {
        out->driver = driver_find(out->url.scheme);
        ok = out->driver || unknown_scheme(out->url.scheme, err);
    }
    ok = ok && out->driver->open(out, err);
    if (!ok) {
        url_free(&out->url);
        sockets_free(&out->sockets);
    }
    return ok;
}

void
database_close(struct database *db)
{
    if (db->claim)
        db->driver->disconnect(db->claim);
    db->driver->close(db);
    vec_free(&db->tables);
    url_free(&db->url);
    sockets_free(&db->sockets);
}

/* --- detours ---------------------------------------------------------------*/

static size_t
get_detour(const struct database *db, size_t place)
{
    return place < DRIVER_DETOURS ? atomic_load(&db->detours[place]) : 0;
}

void
database_lead(struct database *db, size_t place, size_t node)
{
    assert(place < DRIVER_DETOURS && (node == SIZE_MAX || node < db->nodes));
    atomic_store(&db->detours[place], node + 1);
}

void
connection_route(struct connection *c, size_t place)
{
    c->place = place;
    c->detour = get_detour(c->database, place);
    c->node = c->detour ? c->detour - 1 : place;
}

bool
connection_is_diverted(const struct connection *c)
{
    return c->detour != get_detour(c->database, c->place);
}

/* --- outcomes --------------------------------------------------------------*/

enum outcome
outcome_set(struct connection *c, enum outcome outcome, const char *code,
            const char *message)
{
    snprintf(c->code, sizeof c->code, "%s", code);
    snprintf(c->message, sizeof c->message, "%s", message);
    c->message[strcspn(c->message, "\n")] = 0;
    c->statement[0] = 0;
    return outcome;
}

enum outcome
outcome_of(struct connection *c, enum outcome outcome, const char *statement)
{
    if (outcome != OUTCOME_OK)
        snprintf(c->statement, sizeof c->statement, "%s", statement);
    return outcome;
}
