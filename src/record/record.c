/* record.c -- see record.h.
 *
 * SPDX-License-Identifier: MIT */
#include "record/record.h"

#include "base/buf.h"
#include "base/time.h"
#include "record/proxy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PATIENCE = 10, // seconds that clients get at the end, and backends
};

struct recording {
    const struct record_options *options;
    struct database db;
    struct connection *admin;
    struct record_watch watch;
    struct raw_log log;
    struct buf path; // of the log
    struct proxy *proxy;
    size_t others; // connections to other databases
};

/* --- the database ----------------------------------------------------------*/

static bool
open_admin(const char *target, struct database *db, struct connection **admin,
           struct err *err)
{
    if (strncmp(target, "postgresql:", 11) != 0)
        return err_set(err, ERR_USAGE,
                       "'%s' cannot be recorded, expected postgresql://...",
                       target);
    if (!database_open(target, ISOLATION_UNCHANGED, NULL, db, err))
        return false;
    if (db->nodes == 1 && db->driver->connect(db, 0, 0, admin, err))
        return true;
    if (db->nodes > 1)
        err_set(err, ERR_USAGE, "--to has several hosts, expected one");
    database_close(db);
    return false;
}

static void
close_admin(struct database *db, struct connection *admin)
{
    db->driver->disconnect(admin);
    database_close(db);
}

bool
record_clean(const char *target, size_t *found, struct err *err)
{
    struct database db;
    struct connection *admin;
    if (!open_admin(target, &db, &admin, err))
        return false;
    const bool ok =
        watch_claim(admin, false, err) && watch_clean(admin, found, err);
    close_admin(&db, admin);
    return ok;
}

static bool
admits(void *self, const char *user, char *role, char *why, size_t room)
{
    struct recording *r = self;
    return watch_admits(r->admin, user, role, why, room);
}

/* The name of the database, as the server says it. */
static bool
ask_name(struct recording *r, struct buf *out, struct err *err)
{
    struct result_rows rows = {0};
    const bool ok =
        r->admin->driver->query(r->admin, "select current_database()", &rows) ==
        OUTCOME_OK;
    buf_text(out, ok ? result_rows_get(&rows, 0, 0) : "");
    result_rows_free(&rows);
    return ok || err_set(err, ERR_IO, "%s", r->admin->message);
}

/* Wait until the backends of all clients have ended: then no transaction is
 * under way. */
static bool
wait_for_backends(struct recording *r, struct err *err)
{
    static const char sql[] =
        "select count(*) from pg_stat_activity where datname = "
        "current_database() and backend_type = 'client backend' and pid <> "
        "pg_backend_pid() and backend_xmin is not null";
    const double deadline = time_now() + PATIENCE;
    struct result_rows rows = {0};
    bool ok = true, is_done = false;
    while (ok && !is_done) {
        ok = r->admin->driver->query(r->admin, sql, &rows) == OUTCOME_OK;
        is_done = strcmp(result_rows_get(&rows, 0, 0), "0") == 0;
        if (ok && !is_done && time_now() > deadline)
            break;
        if (ok && !is_done)
            time_pause(0.02);
    }
    result_rows_free(&rows);
    if (!ok)
        return err_set(err, ERR_IO, "%s", r->admin->message);
    return is_done ||
           err_set(err, ERR_FEATURE,
                   "not a history: a transaction is still under way in the "
                   "database, %d seconds after the last client has gone",
                   PATIENCE);
}

/* --- the command -----------------------------------------------------------*/

static void
set_environment(const struct proxy *p, const char *database)
{
    char port[16], url[512];
    snprintf(port, sizeof port, "%u", proxy_port(p));
    const char *user = getenv("PGUSER");
    snprintf(url, sizeof url, "postgresql://%s%s%s:%s/%s", user ? user : "",
             user ? "@" : "", proxy_host(p), port, database);
    setenv("PGHOST", proxy_host(p), 1);
    setenv("PGPORT", port, 1);
    setenv("PGSSLMODE", "disable", 1);
    setenv("PGDATABASE", database, 1);
    setenv("DATABASE_URL", url, 1);
    unsetenv("PGHOSTADDR");
}

static pid_t
start_command(const struct record_options *o, const struct proxy *p,
              const char *database)
{
    const char *const *command = o->command;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid)
        return pid;
    if (o->client)
        _exit(o->client(o->self, proxy_host(p), proxy_port(p), database));
    set_environment(p, database);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    // execvp promises not to change the words.
    char *const *words;
    memcpy(&words, &command, sizeof words);
    execvp(command[0], words);
    fprintf(stderr, "assay: %s: %s\n", command[0], strerror(errno));
    _exit(127);
}

/* --- the run ---------------------------------------------------------------*/

static bool
serve(struct recording *r, const char *database, int *status, struct err *err)
{
    const struct record_options *o = r->options;
    pid_t command = 0;
    if (o->ready)
        o->ready(o->self, proxy_host(r->proxy), proxy_port(r->proxy));
    if (o->command || o->client) {
        command = start_command(o, r->proxy, database);
        if (command < 0)
            return err_set(err, ERR_IO, "cannot start a process: %s",
                           strerror(errno));
    }
    return proxy_serve(r->proxy, command, status, PATIENCE, err);
}

static bool
open_proxy(struct recording *r, const struct buf *database, struct err *err)
{
    const struct url *u = &r->db.url;
    const char *host = u->has_hosts && u->hosts.at[0].name[0]
                           ? u->hosts.at[0].name
                           : url_get(u, "host", "localhost");
    const char *port = u->has_hosts && u->hosts.at[0].port[0]
                           ? u->hosts.at[0].port
                           : url_get(u, "port", "5432");
    const struct proxy_options po = {.host = host,
                                     .port = port,
                                     .database = database->at,
                                     .log = &r->log,
                                     .others = &r->others,
                                     .stop = r->options->stop,
                                     .admits = admits,
                                     .self = r};
    return proxy_open(&po, r->options->listen, &r->proxy, err);
}

static bool
install(struct recording *r, struct err *err)
{
    struct buf beginning = {0};
    const bool ok = watch_install(&r->watch, &beginning, err);
    if (ok)
        raw_log_add(&r->log, 0, RAW_NOTE, 'H', beginning.at, beginning.n);
    buf_free(&beginning);
    return ok && raw_log_flush(&r->log, err);
}

/* Serve clients while the tables are watched.  Whatever happens, what was
 * installed is removed. */
static bool
record(struct recording *r, const char *database, struct record_result *out,
       struct err *err)
{
    size_t found;
    struct err later = {0};
    bool ok = install(r, err) && serve(r, database, &out->status, err) &&
              wait_for_backends(r, err) &&
              assemble(r->path.at, &r->watch, r->options->output,
                       r->options->at_once, &out->history, err);
    const bool cleaned = watch_clean(r->admin, &found, &later);
    if (!cleaned && ok)
        *err = later;
    return ok && cleaned;
}

static bool
record_watched(struct recording *r, struct record_result *out, struct err *err)
{
    struct buf database = {0};
    bool ok = ask_name(r, &database, err) && open_proxy(r, &database, err);
    if (ok) {
        buf_printf(&r->path, "%s.raw", r->options->output);
        ok = raw_log_open(&r->log, r->path.at, err);
        if (ok) {
            struct err ignored = {0};
            ok = record(r, database.at, out, err);
            raw_log_close(&r->log, &ignored);
            if (ok)
                unlink(r->path.at);
        }
        proxy_close(r->proxy);
    }
    buf_free(&database);
    buf_free(&r->path);
    return ok;
}

/* The first entry of a log. */
static bool
read_beginning(const char *raw, struct buf *out, struct err *err)
{
    struct raw_reader r;
    struct raw_entry e;
    if (!raw_reader_open(&r, raw, err))
        return false;
    const bool ok = raw_reader_next(&r, &e) && !e.connection;
    if (ok)
        buf_add(out, e.body, e.n);
    raw_reader_close(&r);
    return ok || err_set(err, ERR_SYNTAX, "%s: the log has no beginning", raw);
}

bool
record_assemble(const struct record_options *o, const char *raw,
                struct record_result *out, struct err *err)
{
    struct recording r = {.options = o};
    struct buf beginning = {0};
    size_t found;
    *out = (struct record_result){0};
    if (!read_beginning(raw, &beginning, err))
        return false;
    bool ok = open_admin(o->target, &r.db, &r.admin, err);
    if (ok) {
        ok = watch_claim(r.admin, false, err);
        if (ok) {
            watch_take_beginning(&r.watch, r.admin, beginning.at);
            ok = wait_for_backends(&r, err) &&
                 assemble(raw, &r.watch, o->output, o->at_once, &out->history,
                          err) &&
                 watch_clean(r.admin, &found, err);
            watch_free(&r.watch);
        }
        close_admin(&r.db, r.admin);
    }
    buf_free(&beginning);
    return ok;
}

bool
record_run(const struct record_options *o, struct record_result *out,
           struct err *err)
{
    struct recording r = {.options = o};
    size_t found;
    *out = (struct record_result){0};
    if (!open_admin(o->target, &r.db, &r.admin, err))
        return false;
    bool ok = watch_claim(r.admin, false, err) &&
              watch_clean(r.admin, &found, err) &&
              watch_read(&r.watch, r.admin, o->tables, err);
    if (ok) {
        ok = record_watched(&r, out, err);
        out->others = r.others;
        watch_free(&r.watch);
    }
    close_admin(&r.db, r.admin);
    return ok;
}
