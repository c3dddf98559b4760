/* test_frozen.c -- servers that are frozen: for a second, by the fault 'stop',
 * and for good, where the run ends nevertheless.
 *
 * SPDX-License-Identifier: MIT */
#include "server_test.h"

#include "driver/sql/sql.h"

#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>

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

/* How many transactions the server left without an answer; whether their
 * outcome is unknown depends on whether it had been asked to commit. */
static uint64_t
count_frozen(const struct collect_stats *stats)
{
    uint64_t n = 0;
    for (size_t i = 0; i < stats->n_failures; i++)
        if (strcmp(stats->failures[i].code, "frozen") == 0)
            n += stats->failures[i].n;
    return n;
}

/* 'seconds' may be 0: as many transactions as nobody can run. */
static void
expect_an_end(const char *what, double seconds, double grace)
{
    struct winter w = {0};
    struct trial_result r = {0};
    if (!start_server(what, &w.servers))
        return;
    const struct trial trial = {.target = w.servers.url,
                                .isolation = ISOLATION_SERIALIZABLE,
                                .sessions = 4,
                                .transactions = UINT64_MAX,
                                .seconds = seconds,
                                .pause = 0.001,
                                .grace = grace,
                                .read_final = true,
                                .tick = freeze,
                                .self = &w};
    const double began = time_now();
    CHECK(trial_run(&trial, LEVEL_BIT(LEVEL_SER), &r));
    CHECK(w.n > 0);
    CHECK(time_now() - began < PATIENCE);
    CHECK(r.verdict[LEVEL_SER] == VERDICT_OK);
    CHECK(r.stats.cut > 0 && count_frozen(&r.stats) > 0);
    CHECK(strstr(r.stats.left.text, "the server has stopped answering"));
    send_all(&w, SIGCONT);
    servers_stop(&w.servers);
}

static void
a_run_ends_although_postgresql_is_frozen(void)
{
    expect_an_end("postgresql", 6, 2);
}

static void
a_run_ends_although_mariadb_is_frozen(void)
{
    expect_an_end("mariadb", 6, 2);
}

static void
a_run_without_a_time_ends_although_postgresql_is_frozen(void)
{
    expect_an_end("postgresql", 0, 0.3);
}

/* --- the fault -------------------------------------------------------------*/

static void *
stop(void *arg)
{
    const struct fault fault = {.kind = FAULT_STOP};
    struct err err = {0};
    return servers_fault(arg, &fault, &err) ? arg : NULL;
}

/* A connection that is there gets no answer while the server is stopped. */
static void
expect_a_pause(const char *what)
{
    struct servers s;
    struct err err = {0};
    struct database db;
    struct connection *c;
    pthread_t thread;
    void *is_done = NULL;
    double longest = 0;
    if (!start_server(what, &s))
        return;
    CHECK(database_open(s.url, ISOLATION_UNCHANGED, NULL, &db, &err) &&
          db.driver->connect(&db, 0, 0, &c, &err));
    CHECK(pthread_create(&thread, NULL, stop, &s) == 0);
    const double until = time_now() + 2;
    for (double began; (began = time_now()) < until;) {
        CHECK(db.driver->query(c, "select 1", NULL) == OUTCOME_OK);
        if (time_now() - began > longest)
            longest = time_now() - began;
    }
    CHECK(pthread_join(thread, &is_done) == 0 && is_done);
    printf("# %.2f s without an answer\n", longest);
    CHECK(longest > 0.5);
    db.driver->disconnect(c);
    database_close(&db);
    servers_stop(&s);
}

static void
postgresql_can_be_stopped(void)
{
    expect_a_pause("postgresql");
}

static void
mariadb_can_be_stopped(void)
{
    expect_a_pause("mariadb");
}

/* Who is killed while the server is stopped leaves nothing that is stopped. */
static void
a_kill_while_a_server_is_stopped_leaves_nothing(void)
{
    char place[] = "/tmp/assay-frozen-XXXXXX";
    struct servers s;
    int ids[2], life[2];
    pid_t backend = 0;
    if (!start_server("postgresql", &s))
        return;
    servers_stop(&s);
    CHECK(mkdtemp(place) && chmod(place, 0755) == 0 && pipe(ids) == 0 &&
          pipe(life) == 0);
    setenv("TMPDIR", place, 1);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        struct err err = {0};
        struct database db;
        struct connection *c;
        close(ids[0]);
        if (!servers_start("postgresql", NULL, &s, &err) ||
            !database_open(s.url, ISOLATION_UNCHANGED, NULL, &db, &err) ||
            !db.driver->connect(&db, 0, 0, &c, &err))
            _exit(1);
        backend = (pid_t)c->server_id;
        if (write(ids[1], &backend, sizeof backend) == (ssize_t)sizeof backend)
            for (;;)
                stop(&s);
        _exit(1);
    }
    close(ids[1]);
    close(life[1]);
    CHECK(read(ids[0], &backend, sizeof backend) == (ssize_t)sizeof backend);
    close(ids[0]);
    unsetenv("TMPDIR");
    time_pause(0.5);
    kill_and_expect_nothing(child, life[0], place);
    // Until its new parent has asked for its status, it has a number.
    for (int i = 0; i < 1000 && kill(backend, 0) == 0; i++)
        time_pause(0.01);
    CHECK(backend > 0 && kill(backend, 0) != 0);
    CHECK(rmdir(place) == 0);
}

int
main(void)
{
    RUN(postgresql_can_be_stopped);
    RUN(mariadb_can_be_stopped);
    RUN(a_kill_while_a_server_is_stopped_leaves_nothing);
    RUN(a_run_ends_although_postgresql_is_frozen);
    RUN(a_run_ends_although_mariadb_is_frozen);
    RUN(a_run_without_a_time_ends_although_postgresql_is_frozen);
    return test_end();
}
