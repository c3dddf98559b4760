/* drive_mariadb.c -- mariadb://, for MariaDB, MySQL and Galera, with MariaDB
 * Connector/C.
 *
 *     mariadb://user:password@host:port,host:port/database?socket=PATH
 *
 * Several hosts are the nodes of a cluster; a session uses one of them.
 *
 * Errors by number: a deadlock (1213) and, with innodb_snapshot_isolation, a
 * changed row (1020) roll the transaction back.  A lock wait timeout (1205)
 * rolls back only the statement, and the caller rolls back the rest.  After
 * 1020 the session silently commits each further statement by itself, so only a
 * rollback may follow.  After an error during a commit in the cluster (1180)
 * the outcome is unknown.
 *
 * SPDX-License-Identifier: MIT */
#include "base/library.h"
#include "driver/drivers.h"
#include "driver/sql/sql.h"

#include <errmsg.h>
#include <mysql.h>
#include <mysqld_error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The functions of the library that are used; see base/library.h. */
// clang-format off
#define CALLS(F) F(mysql_affected_rows) F(mysql_close) F(mysql_errno) F(mysql_error) \
    F(mysql_fetch_lengths) F(mysql_fetch_row) F(mysql_field_count) \
    F(mysql_free_result) F(mysql_get_server_info) F(mysql_get_socket) \
    F(mysql_init) \
    F(mysql_num_fields) F(mysql_options) F(mysql_real_connect) \
    F(mysql_real_query) F(mysql_server_init) F(mysql_store_result) \
    F(mysql_thread_id)
// clang-format on
static struct {
    CALLS(LIBRARY_MEMBER)
} maria;
static const char *const calls[] = {CALLS(LIBRARY_NAME)};

struct link {
    struct connection base;
    MYSQL *my;
};

static bool
connect_host(const struct database *db, size_t node, MYSQL **out,
             struct err *err)
{
    const struct url *u = &db->url;
    const struct url_host host = u->hosts.at[node];
    const char *socket = url_get(u, "socket", NULL);
    MYSQL *my = maria.mysql_init(NULL);
    // CLIENT_FOUND_ROWS: an update that changes no value counts its rows.
    const unsigned patience = 10; // seconds
    maria.mysql_options(my, MYSQL_OPT_CONNECT_TIMEOUT, &patience);
    if (!socket) {
        // Without this, "localhost" means the socket of the system's server.
        const enum mysql_protocol_type tcp = MYSQL_PROTOCOL_TCP;
        maria.mysql_options(my, MYSQL_OPT_PROTOCOL, &tcp);
    }
    if (maria.mysql_real_connect(
            my, host.name[0] ? host.name : "localhost",
            u->user[0] ? u->user : NULL, u->password[0] ? u->password : NULL,
            u->path[0] ? u->path : NULL, (unsigned)strtoul(host.port, NULL, 10),
            socket, CLIENT_FOUND_ROWS)) {
        *out = my;
        return true;
    }
    err_set(err, ERR_IO, "mariadb: %s", maria.mysql_error(my));
    maria.mysql_close(my);
    return false;
}

static bool
open_mariadb(struct database *db, struct err *err)
{
    static const char *const known[] = {"socket", NULL};
    if (!db->url.has_hosts)
        return err_set(err, ERR_USAGE,
                       "mariadb: expected mariadb://HOST/DATABASE");
    if (!url_expect(&db->url, known, err))
        return false;
    db->nodes = db->url.hosts.n;
    if (!library_load("libmariadb.so.3", calls, LIBRARY_LENGTH(calls), &maria,
                      err))
        return false;
    maria.mysql_server_init(0, NULL, NULL);
    MYSQL *my;
    if (!connect_host(db, 0, &my, err))
        return false;
    // "10.11.19-MariaDB-0+deb12u1" or, of MySQL, "8.4.3"
    const char *version = maria.mysql_get_server_info(my);
    snprintf(db->note, sizeof db->note, "%s %.*s (%s), %zu node%s",
             strstr(version, "MariaDB") ? "MariaDB" : "MySQL",
             (int)strcspn(version, "-"), version, version, db->nodes,
             db->nodes == 1 ? "" : "s");
    maria.mysql_close(my);
    return true;
}

static void
close_mariadb(struct database *db)
{
    (void)db;
}

static void
disconnect(struct connection *base)
{
    struct link *c = (struct link *)base;
    sockets_remove(&base->database->sockets, base->socket);
    maria.mysql_close(c->my);
    mem_free(c);
}

static bool
connect_mariadb(struct database *db, uint32_t session, size_t node,
                struct connection **out, struct err *err)
{
    struct link *c = mem_calloc(1, sizeof *c);
    c->base = (struct connection){
        .driver = &driver_mariadb, .database = db, .session = session};
    connection_route(&c->base, node);
    if (sockets_are_cut(&db->sockets, err) ||
        !connect_host(db, c->base.node, &c->my, err)) {
        mem_free(c);
        return false;
    }
    c->base.server_id = maria.mysql_thread_id(c->my);
    c->base.socket = maria.mysql_get_socket(c->my);
    sockets_add(&db->sockets, c->base.socket);
    return sql_prepare(&c->base, out, err);
}

/* --- statements ------------------------------------------------------------*/

static enum outcome
note_failure(struct link *c)
{
    const unsigned number = maria.mysql_errno(c->my);
    char code[DRIVER_CODE];
    snprintf(code, sizeof code, "%u", number);
    enum outcome outcome = OUTCOME_FAILED;
    switch (number) {
    case ER_LOCK_DEADLOCK:
    case ER_LOCK_WAIT_TIMEOUT:
    case ER_CHECKREAD:
        outcome = OUTCOME_ABORTED;
        break;
    case ER_SERVER_SHUTDOWN:
    case ER_CONNECTION_KILLED:
    case ER_ERROR_DURING_COMMIT:
        outcome = OUTCOME_LOST;
        break;
    default:
        // Error numbers of the client are about the connection.
        if (number >= CR_MIN_ERROR && number <= CR_MAX_ERROR)
            outcome = OUTCOME_LOST;
    }
    return outcome_set(&c->base, outcome, code, maria.mysql_error(c->my));
}

static void
take_rows(MYSQL_RES *result, struct result_rows *out)
{
    out->width = maria.mysql_num_fields(result);
    for (;;) {
        const MYSQL_ROW row = maria.mysql_fetch_row(result);
        if (!row)
            return;
        const unsigned long *lengths = maria.mysql_fetch_lengths(result);
        out->n++;
        for (size_t i = 0; i < out->width; i++)
            result_rows_add(out, row[i], lengths[i]);
    }
}

static enum outcome
query(struct connection *base, const char *sql, struct result_rows *out)
{
    struct link *c = (struct link *)base;
    if (out)
        result_rows_clear(out);
    if (maria.mysql_real_query(c->my, sql, strlen(sql)) != 0)
        return outcome_of(base, note_failure(c), sql);
    MYSQL_RES *result = maria.mysql_store_result(c->my);
    base->changed = result ? 0 : maria.mysql_affected_rows(c->my);
    if (!result)
        return maria.mysql_field_count(c->my)
                   ? outcome_of(base, note_failure(c), sql)
                   : OUTCOME_OK;
    if (out)
        take_rows(result, out);
    maria.mysql_free_result(result);
    return OUTCOME_OK;
}

const struct driver driver_mariadb = {
    .scheme = "mariadb",
    .form = "mariadb://[USER[:PASSWORD]@]HOST[:PORT][,HOST...]/DATABASE",
    .help = "MariaDB, MySQL and Galera clusters",
    .sql = &dialect_mariadb,
    .open = open_mariadb,
    .close = close_mariadb,
    .connect = connect_mariadb,
    .disconnect = disconnect,
    .query = query,
    SQL_TRANSACTIONS,
};
