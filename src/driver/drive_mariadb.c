/* drive_mariadb.c -- mariadb://, MariaDB, MySQL and Galera through MariaDB
 * Connector/C.
 *
 *     mariadb://user:password@host:port,host:port/database?socket=PATH
 *
 * Several hosts are the nodes of a cluster: a session is on one of them.
 *
 * Errors by number: a deadlock (1213) and, with innodb_snapshot_isolation, a
 * row that has changed (1020) roll the transaction back; a lock wait that ran
 * out (1205) rolls back the statement only, and the caller the rest.  After
 * 1020 the session silently commits each statement by itself, which is why
 * nothing may follow but a rollback.  An error while a commit is being carried
 * out by the cluster (1180) leaves it unknown.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/drivers.h"
#include "driver/sql.h"

#include <errmsg.h>
#include <mysql.h>
#include <mysqld_error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    MYSQL *my = mysql_init(NULL);
    const unsigned patience = 10; // seconds
    mysql_options(my, MYSQL_OPT_CONNECT_TIMEOUT, &patience);
    if (!socket) {
        // "localhost" would otherwise mean a socket of the system's server.
        const enum mysql_protocol_type tcp = MYSQL_PROTOCOL_TCP;
        mysql_options(my, MYSQL_OPT_PROTOCOL, &tcp);
    }
    if (mysql_real_connect(my, host.name[0] ? host.name : "localhost",
                           u->user[0] ? u->user : NULL,
                           u->password[0] ? u->password : NULL,
                           u->path[0] ? u->path : NULL,
                           (unsigned)strtoul(host.port, NULL, 10), socket, 0)) {
        *out = my;
        return true;
    }
    err_set(err, ERR_IO, "mariadb: %s", mysql_error(my));
    mysql_close(my);
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
    mysql_library_init(0, NULL, NULL);
    MYSQL *my;
    if (!connect_host(db, 0, &my, err))
        return false;
    snprintf(db->note, sizeof db->note, "%s, %zu node%s",
             mysql_get_server_info(my), db->nodes, db->nodes == 1 ? "" : "s");
    mysql_close(my);
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
    mysql_close(c->my);
    mem_free(c);
}

/* Ask for the isolation and read back what the server makes of it. */
static bool
set_isolation(struct connection *c, struct err *err)
{
    const enum isolation wanted = c->database->isolation;
    if (wanted == ISOLATION_UNCHANGED)
        return true;
    char sql[120];
    snprintf(sql, sizeof sql, "set session transaction isolation level %s",
             isolation_names[wanted]);
    struct rows rows = {0};
    enum isolation got = ISOLATION_UNCHANGED;
    bool ok = sql_must(c, sql, NULL, err) &&
              sql_must(c, "select @@session.tx_isolation", &rows, err);
    if (ok && (!isolation_parse(rows_get(&rows, 0, 0), &got) || got != wanted))
        ok = err_set(err, ERR_IO, "mariadb: asked for %s, and got %s",
                     isolation_names[wanted], rows_get(&rows, 0, 0));
    rows_free(&rows);
    return ok;
}

static bool
look_around(struct link *c, struct err *err)
{
    struct rows rows = {0};
    const bool ok = sql_must(&c->base, "select @@global.read_only", &rows, err);
    c->base.is_read_only = ok && rows_get(&rows, 0, 0)[0] == '1';
    c->base.server_id = mysql_thread_id(c->my);
    rows_free(&rows);
    return ok;
}

static bool
connect_mariadb(struct database *db, uint32_t session, size_t node,
                struct connection **out, struct err *err)
{
    MYSQL *my;
    if (!connect_host(db, node, &my, err))
        return false;
    struct link *c = mem_calloc(1, sizeof *c);
    c->base = (struct connection){.driver = &driver_mariadb,
                                  .database = db,
                                  .session = session,
                                  .node = node};
    c->my = my;
    if (!look_around(c, err) || !set_isolation(&c->base, err) ||
        (db->setup && !sql_run(&c->base, db->setup, err))) {
        disconnect(&c->base);
        return false;
    }
    *out = &c->base;
    return true;
}

/* --- statements ------------------------------------------------------------*/

static enum outcome
note_failure(struct link *c)
{
    const unsigned number = mysql_errno(c->my);
    char code[16];
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
        // The client's own numbers are about the connection.
        if (number >= CR_MIN_ERROR && number <= CR_MAX_ERROR)
            outcome = OUTCOME_LOST;
    }
    return outcome_set(&c->base, outcome, code, mysql_error(c->my));
}

static void
take_rows(MYSQL_RES *result, struct rows *out)
{
    out->width = mysql_num_fields(result);
    for (;;) {
        const MYSQL_ROW row = mysql_fetch_row(result);
        if (!row)
            return;
        const unsigned long *lengths = mysql_fetch_lengths(result);
        out->n++;
        for (size_t i = 0; i < out->width; i++)
            if (row[i])
                rows_add(out, row[i], lengths[i]);
            else
                rows_add_null(out);
    }
}

static enum outcome
query(struct connection *base, const char *sql, struct rows *out)
{
    struct link *c = (struct link *)base;
    if (out)
        rows_clear(out);
    if (mysql_real_query(c->my, sql, strlen(sql)) != 0)
        return note_failure(c);
    MYSQL_RES *result = mysql_store_result(c->my);
    if (!result)
        return mysql_field_count(c->my) ? note_failure(c) : OUTCOME_OK;
    if (out)
        take_rows(result, out);
    mysql_free_result(result);
    return OUTCOME_OK;
}

const struct driver driver_mariadb = {
    .scheme = "mariadb",
    .form = "mariadb://[USER[:PASSWORD]@]HOST[:PORT][,HOST...]/DATABASE",
    .help = "MariaDB, MySQL and Galera clusters",
    .is_sql = true,
    .open = open_mariadb,
    .close = close_mariadb,
    .load = sql_load,
    .load_table = sql_load_table,
    .connect = connect_mariadb,
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
    .query = query,
};
