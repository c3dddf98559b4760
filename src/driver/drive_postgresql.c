/* drive_postgresql.c -- postgresql://, for PostgreSQL, with libpq.
 *
 *     postgresql://user@host:port,host:port/database?parameters of libpq
 *
 * Several hosts are several nodes; a session uses one of them.  A node in
 * recovery, such as a standby, accepts only reads.
 *
 * Errors by SQLSTATE: class 40 is a rollback.  A bad connection, class 08 and
 * the 57P codes of a server that shuts down mean that the connection is lost.
 * Everything else is a refused statement.  The commit of a failed transaction
 * is a rollback, which the protocol reports as a success with another tag.  A
 * commit whose wait for a synchronous standby is cancelled is reported as a
 * success with a warning; it may be lost with its server, so nobody knows.
 *
 * SPDX-License-Identifier: MIT */
#include "base/library.h"
#include "driver/drivers.h"
#include "driver/sql/sql.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The functions of the library that are used; see base/library.h. */
// clang-format off
#define CALLS(F) F(PQbackendPID) F(PQclear) F(PQcmdStatus) F(PQcmdTuples) F(PQconnectdb) F(PQconnectdbParams) \
    F(PQerrorMessage) F(PQexec) F(PQexecParams) F(PQfinish) F(PQfname) F(PQfreemem) \
    F(PQgetCopyData) F(PQgetisnull) F(PQgetlength) F(PQgetResult) \
    F(PQgetvalue) F(PQnfields) F(PQntuples) F(PQparameterStatus) \
    F(PQputCopyEnd) F(PQresultErrorField) F(PQresultStatus) F(PQsendQuery) \
    F(PQsetNoticeReceiver) F(PQsocket) F(PQstatus) F(PQtransactionStatus)
// clang-format on
static struct {
    CALLS(LIBRARY_MEMBER)
} pq;
static const char *const calls[] = {CALLS(LIBRARY_NAME)};

// A warning to all clients when a process of the server has crashed.
#define CRASHED "57P02"

#define CONNECT_PATIENCE "10" // seconds, unless the URL says otherwise

struct link {
    struct connection base;
    PGconn *pg;
    bool is_cancelled; // the wait of the last commit for a standby
    bool has_crashed;  // another process of the server, which ended this one
    bool is_superuser; // as the tap knows it
};

static void
tap(const struct link *c, char from, char letter, const char *body, size_t n)
{
    if (c->base.tap)
        c->base.tap->take(c->base.tap, from, letter, body, n);
}

static void
ignore_notice(void *arg, const PGresult *r)
{
    (void)arg;
    (void)r;
}

/* Whether the server says that it waited in vain for a synchronous standby.
 * That is a warning beside a commit that succeeds; its text has a language, but
 * the function that it comes from has not. */
static bool
is_vain_wait(const PGresult *r)
{
    const char *function = pq.PQresultErrorField(r, PG_DIAG_SOURCE_FUNCTION);
    return function && strcmp(function, "SyncRepWaitForLSN") == 0;
}

/* Keep the detail of a notice that a trigger of ours raised. */
static void
take_notice(void *arg, const PGresult *r)
{
    struct link *c = arg;
    const char *state = pq.PQresultErrorField(r, PG_DIAG_SQLSTATE);
    if (is_vain_wait(r))
        c->is_cancelled = true;
    c->has_crashed |= state && strcmp(state, CRASHED) == 0;
    const char *message = pq.PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
    const char *detail = pq.PQresultErrorField(r, PG_DIAG_MESSAGE_DETAIL);
    if (c->base.notices && message && detail &&
        strcmp(message, DRIVER_NOTICE) == 0)
        buf_add(c->base.notices, detail, strlen(detail) + 1);
    if (message && detail && strcmp(message, DRIVER_NOTICE) == 0)
        tap(c, '<', 'N', detail, strlen(detail));
}

/* Connect to one host, with a limit for a server that never answers. */
static PGconn *
connect_url(const struct database *db, size_t node)
{
    if (!db->url.has_hosts)
        return pq.PQconnectdb(db->url.text);
    struct arena arena = {0};
    // What the URL says itself comes later and counts.
    const char *const names[] = {"connect_timeout", "dbname", NULL};
    const char *const values[] = {CONNECT_PATIENCE,
                                  url_of_host(&db->url, node, &arena), NULL};
    PGconn *pg = pq.PQconnectdbParams(names, values, 1);
    arena_free(&arena);
    return pg;
}

static bool
connect_host(const struct database *db, size_t node, PGconn **out,
             struct err *err)
{
    PGconn *pg = connect_url(db, node);
    if (pq.PQstatus(pg) == CONNECTION_OK) {
        pq.PQsetNoticeReceiver(pg, ignore_notice, NULL);
        *out = pg;
        return true;
    }
    char text[256];
    snprintf(text, sizeof text, "%s", pq.PQerrorMessage(pg));
    text[strcspn(text, "\n")] = 0;
    pq.PQfinish(pg);
    return err_set(err, ERR_IO, "postgresql: %s", text);
}

static bool
open_postgresql(struct database *db, struct err *err)
{
    db->nodes = db->url.has_hosts ? db->url.hosts.n : 1;
    PGconn *pg;
    if (!library_load("libpq.so.5", calls, LIBRARY_LENGTH(calls), &pq, err) ||
        !connect_host(db, 0, &pg, err))
        return false;
    snprintf(db->note, sizeof db->note, "PostgreSQL %s, %zu node%s",
             pq.PQparameterStatus(pg, "server_version"), db->nodes,
             db->nodes == 1 ? "" : "s");
    pq.PQfinish(pg);
    return true;
}

static void
close_postgresql(struct database *db)
{
    (void)db;
}

static void
disconnect(struct connection *base)
{
    struct link *c = (struct link *)base;
    sockets_remove(&base->database->sockets, base->socket);
    pq.PQfinish(c->pg);
    mem_free(c);
}

static bool
connect_postgresql(struct database *db, uint32_t session, size_t node,
                   struct connection **out, struct err *err)
{
    struct link *c = mem_calloc(1, sizeof *c);
    c->base = (struct connection){
        .driver = &driver_postgresql, .database = db, .session = session};
    connection_route(&c->base, node);
    if (sockets_are_cut(&db->sockets, err) ||
        !connect_host(db, c->base.node, &c->pg, err)) {
        mem_free(c);
        return false;
    }
    c->base.server_id = (uint64_t)pq.PQbackendPID(c->pg);
    c->base.socket = pq.PQsocket(c->pg);
    sockets_add(&db->sockets, c->base.socket);
    pq.PQsetNoticeReceiver(c->pg, take_notice, c);
    return sql_prepare(&c->base, out, err);
}

/* --- statements ------------------------------------------------------------*/

static enum outcome
note_failure(struct link *c, const PGresult *r)
{
    const char *state = pq.PQresultErrorField(r, PG_DIAG_SQLSTATE);
    const char *message = pq.PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
    const char *code = state ? state : "";
    if (c->has_crashed)
        return outcome_set(&c->base, OUTCOME_LOST, CRASHED,
                           "another process of the server has crashed");
    // 40003: the server itself does not know the outcome.
    const bool lost = pq.PQstatus(c->pg) != CONNECTION_OK || !state ||
                      strncmp(code, "08", 2) == 0 ||
                      strncmp(code, "57P", 3) == 0 ||
                      strcmp(code, "40003") == 0;
    return outcome_set(&c->base,
                       lost                          ? OUTCOME_LOST
                       : strncmp(code, "40", 2) == 0 ? OUTCOME_ABORTED
                                                     : OUTCOME_FAILED,
                       state ? code : "lost",
                       message ? message : pq.PQerrorMessage(c->pg));
}

static void
take_rows(const PGresult *r, struct result_rows *out)
{
    const int n = pq.PQntuples(r), width = pq.PQnfields(r);
    out->n = (size_t)n;
    out->width = (size_t)width;
    for (int k = 0; k < width; k++) {
        const char *name = pq.PQfname(r, k);
        buf_add(&out->names, name, strlen(name) + 1);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < width; k++)
            result_rows_add(
                out, pq.PQgetisnull(r, i, k) ? NULL : pq.PQgetvalue(r, i, k),
                (size_t)pq.PQgetlength(r, i, k));
}

/* Pass on what a result says of its statement. */
static void
tap_result(struct link *c, PGresult *r)
{
    const char *tag = pq.PQcmdStatus(r);
    switch (pq.PQresultStatus(r)) {
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
        tap(c, '<', 'C', tag, strlen(tag));
        break;
    case PGRES_EMPTY_QUERY:
        tap(c, '<', 'I', "", 0);
        break;
    case PGRES_FATAL_ERROR: {
        const char *code = pq.PQresultErrorField(r, PG_DIAG_SQLSTATE);
        const char *said = pq.PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
        struct buf error = {0};
        buf_printf(&error, "%s %s", code ? code : "lost", said ? said : "");
        tap(c, '<', 'E', error.at, error.n);
        buf_free(&error);
        break;
    }
    default:
        break;
    }
}

/* Give a COPY from the client no data, and drop the data of one to it. */
static void
end_copy(struct link *c, const PGresult *r)
{
    char *data;
    if (pq.PQresultStatus(r) == PGRES_COPY_IN)
        pq.PQputCopyEnd(c->pg, "there is no data");
    else if (pq.PQresultStatus(r) == PGRES_COPY_OUT)
        while (pq.PQgetCopyData(c->pg, &data, 0) > 0)
            pq.PQfreemem(data);
}

/* Pass on in which state the connection is left. */
static void
tap_state(struct link *c)
{
    static const char letters[] = {
        [PQTRANS_IDLE] = 'I', [PQTRANS_INTRANS] = 'T', [PQTRANS_INERROR] = 'E'};
    static const char on[] = "is_superuser\0on", off[] = "is_superuser\0off";
    const PGTransactionStatusType state = pq.PQtransactionStatus(c->pg);
    const char *power = pq.PQparameterStatus(c->pg, "is_superuser");
    const bool is_superuser = power && strcmp(power, "on") == 0;
    if (is_superuser != c->is_superuser)
        tap(c, '<', 'S', is_superuser ? on : off,
            is_superuser ? sizeof on : sizeof off);
    c->is_superuser = is_superuser;
    if (state <= PQTRANS_INERROR && letters[state])
        tap(c, '<', 'Z', &letters[state], 1);
}

/* PQexec, statement by statement. */
static PGresult *
execute_tapped(struct link *c, const char *sql)
{
    PGresult *last = NULL;
    tap(c, '>', 'Q', sql, strlen(sql) + 1); // as it is sent
    if (!pq.PQsendQuery(c->pg, sql))
        return NULL;
    for (PGresult *r; (r = pq.PQgetResult(c->pg));) {
        end_copy(c, r);
        tap_result(c, r);
        pq.PQclear(last);
        last = r;
        if (pq.PQstatus(c->pg) != CONNECTION_OK)
            break;
    }
    tap_state(c);
    return last;
}

static enum outcome
query(struct connection *base, const char *sql, struct result_rows *out)
{
    struct link *c = (struct link *)base;
    if (out)
        result_rows_clear(out);
    c->is_cancelled = false;
    PGresult *r = base->tap ? execute_tapped(c, sql) : pq.PQexec(c->pg, sql);
    base->changed = strtoull(pq.PQcmdTuples(r), NULL, 10);
    const ExecStatusType status = pq.PQresultStatus(r);
    enum outcome outcome = OUTCOME_OK;
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK &&
        status != PGRES_EMPTY_QUERY)
        outcome = note_failure(c, r);
    else if (strcmp(sql, "commit") == 0 &&
             strcmp(pq.PQcmdStatus(r), "ROLLBACK") == 0) // H2 says nothing
        outcome = outcome_set(base, OUTCOME_ABORTED, "rollback",
                              "the commit was turned into a rollback");
    else if (c->is_cancelled)
        outcome = outcome_set(base, OUTCOME_LOST, "sync",
                              "the wait for a synchronous standby was ended");
    else if (out)
        take_rows(r, out);
    pq.PQclear(r);
    return outcome_of(base, outcome, sql);
}

static enum outcome
decode(struct connection *base, uint32_t type, const char *at, size_t n,
       struct result_rows *out)
{
    static const char sql[] = "select $1";
    struct link *c = (struct link *)base;
    const Oid types[] = {type};
    const int sizes[] = {(int)n}, formats[] = {1};
    enum outcome outcome = OUTCOME_OK;
    result_rows_clear(out);
    PGresult *r = pq.PQexecParams(c->pg, sql, 1, types, &at, sizes, formats, 0);
    if (pq.PQresultStatus(r) == PGRES_TUPLES_OK)
        take_rows(r, out);
    else
        outcome = note_failure(c, r);
    pq.PQclear(r);
    return outcome_of(base, outcome, sql);
}

const struct driver driver_postgresql = {
    .scheme = "postgresql",
    .form = "postgresql://[USER[:PASSWORD]@]HOST[:PORT][,HOST...]/DATABASE",
    .help = "PostgreSQL, and databases with the same protocol",
    .sql = &dialect_postgresql,
    .open = open_postgresql,
    .close = close_postgresql,
    .connect = connect_postgresql,
    .disconnect = disconnect,
    .query = query,
    .decode = decode,
    SQL_TRANSACTIONS,
};
