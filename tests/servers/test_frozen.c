/* test_frozen.c -- a server that accepts and does not answer any more: the run
 * ends nevertheless.
 *
 * SPDX-License-Identifier: MIT */
#include "server_test.h"

#include "driver/sql/sql.h"

enum { SOME = 10, PATIENCE = 60 }; // commits, seconds

struct winter {
    struct servers servers;
    pid_t frozen[64];
    size_t n;
};

static void
send_all(const struct winter *w, int signal)
{
    // MariaDB's numbers are those of threads, and PostgreSQL's of processes.
    const bool are_processes =
        strcmp(w->servers.kind->scheme, "postgresql") == 0;
    for (size_t i = 0; are_processes && i < w->n; i++)
        kill(w->frozen[i], signal);
    kill(w->servers.nodes.at[0].pid, signal);
}

static void
freeze(void *self, const struct collect_stats *stats)
{
    struct winter *w = self;
    struct err err = {0};
    struct database db;
    struct connection *c;
    struct result_rows rows = {0};
    if (w->n || stats->committed < SOME)
        return;
    const bool ok =
        database_open(w->servers.url, ISOLATION_UNCHANGED, NULL, &db, &err) &&
        db.driver->connect(&db, 0, 0, &c, &err);
    CHECK(ok);
    if (!ok)
        return;
    CHECK(c->driver->query(c, db.driver->sql->clients, &rows) == OUTCOME_OK);
    db.driver->disconnect(c);
    database_close(&db);
    for (size_t i = 0; i < rows.n && w->n < 64; i++)
        w->frozen[w->n++] =
            (pid_t)strtol(result_rows_get(&rows, i, 0), NULL, 10);
    result_rows_free(&rows);
    send_all(w, SIGSTOP);
}

static void
expect_an_end(const char *what)
{
    struct winter w = {0};
    struct trial_result r = {0};
    if (!start_server(what, &w.servers))
        return;
    const struct trial trial = {.target = w.servers.url,
                                .isolation = ISOLATION_SERIALIZABLE,
                                .sessions = 4,
                                .seconds = 6,
                                .pause = 0.001,
                                .grace = 2,
                                .read_final = true,
                                .tick = freeze,
                                .self = &w};
    const double began = time_now();
    CHECK(trial_run(&trial, LEVEL_BIT(LEVEL_SER), &r));
    CHECK(w.n > 0);
    CHECK(time_now() - began < PATIENCE);
    CHECK(r.verdict[LEVEL_SER] == VERDICT_OK);
    CHECK(r.stats.cut > 0 && r.stats.unknown > 0);
    CHECK(strstr(r.stats.left.text, "the server has stopped answering"));
    send_all(&w, SIGCONT);
    servers_stop(&w.servers);
}

static void
a_run_ends_although_postgresql_is_frozen(void)
{
    expect_an_end("postgresql");
}

static void
a_run_ends_although_mariadb_is_frozen(void)
{
    expect_an_end("mariadb");
}

int
main(void)
{
    RUN(a_run_ends_although_postgresql_is_frozen);
    RUN(a_run_ends_although_mariadb_is_frozen);
    return test_end();
}
