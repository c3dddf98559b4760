/* test_failover.c -- a primary is killed and its standby takes over.
 *
 * Whether commits that were acknowledged are gone afterwards depends on what
 * the standby has received.  To see both, the standby is cut off from its
 * primary first: then everything that was committed meanwhile is lost if nobody
 * waited for the standby, and nothing is if commits wait for it.
 *
 * SPDX-License-Identifier: MIT */
#include "server_test.h"

#include "base/random.h"

#include <pthread.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEP = 60, KILLS = 5, PATIENCE = 60 };

static const char cut_off[] = "alter system set primary_conninfo = ''";
static const char reload[] = "select pg_reload_conf()";
static const char waiting[] =
    "select count(*) from pg_stat_activity where wait_event = 'SyncRep'";

/* Run one statement on a node; what it returns, as a number. */
static bool
tell(const struct node *n, const char *sql, size_t *out)
{
    struct err err = {0};
    struct database db;
    struct connection *c;
    struct result_rows rows = {0};
    if (!database_open(n->url, ISOLATION_UNCHANGED, NULL, &db, &err))
        return false;
    bool ok = db.driver->connect(&db, 0, 0, &c, &err);
    if (ok) {
        ok = c->driver->query(c, sql, &rows) == OUTCOME_OK;
        if (out)
            *out = strtoul(result_rows_get(&rows, 0, 0), NULL, 10);
        c->driver->disconnect(c);
    }
    if (!ok)
        printf("# '%s' failed: %s\n", sql, err.text);
    result_rows_free(&rows);
    database_close(&db);
    return ok;
}

/* Wait until a query returns more than 0, or 0. */
static bool
await_number(const struct node *n, const char *sql, bool is_some)
{
    size_t found = !is_some;
    const double until = time_now() + PATIENCE;
    while (tell(n, sql, &found) && (found > 0) != is_some && time_now() < until)
        time_pause(0.02);
    return (found > 0) == is_some;
}

/* --- runs ------------------------------------------------------------------*/

struct ordeal {
    struct servers servers;
    size_t node;     // that fails, in a cluster
    bool is_cut_off; // the standby, before each failover
    bool is_held;    // and commits wait for it
    size_t failovers, done;
    uint64_t next; // how many commits to wait for
    bool is_prepared, failed;
    volatile sig_atomic_t is_over;
};

static bool
prepare(struct ordeal *o)
{
    const struct node *primary = &o->servers.nodes.at[o->servers.primary];
    const struct node *standby = &o->servers.nodes.at[1 - o->servers.primary];
    return !o->is_cut_off ||
           (tell(standby, cut_off, NULL) && tell(standby, reload, NULL) &&
            await_number(primary, "select count(*) from pg_stat_replication",
                         false) &&
            (!o->is_held || await_number(primary, waiting, true)));
}

/* Some commits, then perhaps the standby is cut off and more commits follow,
 * the failover, and so on. */
static void
tick(void *self, const struct collect_stats *stats)
{
    struct ordeal *o = self;
    const struct fault fault = {
        .kind = FAULT_FAILOVER, .node = o->node, .has_node = o->node > 0};
    struct err err = {0};
    if (o->is_over || stats->committed < o->next)
        return;
    o->next = stats->committed + STEP;
    if (o->done == o->failovers) {
        o->is_over = 1;
        return;
    }
    if (!o->is_prepared) {
        o->is_prepared = true;
        o->failed |= !prepare(o);
        if (!o->is_held)
            return;
    }
    o->is_prepared = false;
    o->done++;
    o->failed |= !servers_fault(&o->servers, &fault, &err);
    if (o->failed) {
        printf("# %s\n", err.text);
        o->is_over = 1;
    }
}

/* How many transactions of a session ran on a node; both from 1. */
static size_t
count_places(const char *path, size_t session, size_t node)
{
    struct buf text = {0}, from = {0}, place = {0};
    size_t n = 0;
    buf_printf(&from, "{\"session\":%zu,", session);
    buf_printf(&place, "{\"node\":%zu,", node);
    CHECK(get_file(path, &text));
    for (const char *at = text.at; at && *at;) {
        const char *end = strchr(at, '\n'), *found = strstr(at, place.at);
        n += strncmp(at, from.at, from.n) == 0 && found && end && found < end;
        at = end ? end + 1 : NULL;
    }
    buf_free(&text);
    buf_free(&from);
    buf_free(&place);
    return n;
}

/* *moved: the transactions of the second session on the third node. */
static void
run(struct ordeal *o, struct trial_result *r, size_t *moved)
{
    char path[] = "/tmp/assay-failover-XXXXXX";
    const int fd = mkstemp(path);
    struct err err = {0};
    struct database db;
    const struct collect_options collect = {
        .shape = {.kind = workload_find("update"),
                  .sessions = 4,
                  .operations = 2,
                  .keys = 6,
                  .reads = 0.2},
        .seconds = 240,
        .pause = 0.001,
        .patience = PATIENCE,
        .tick = tick,
        .self = o,
        .interrupted = &o->is_over};
    o->next = STEP;
    CHECK(fd >= 0 && close(fd) == 0);
    CHECK(database_open(o->servers.url, ISOLATION_REPEATABLE_READ, NULL, &db,
                        &err));
    o->servers.clients = &db;
    CHECK(collect_run(&db, &collect, path, &r->stats, &err));
    o->servers.clients = NULL;
    database_close(&db);
    CHECK(!o->failed && o->done == o->failovers);
    CHECK(trial_check(path, LEVEL_BIT(LEVEL_PSI) | LEVEL_BIT(LEVEL_RC), r));
    printf("# %llu committed, %llu unknown, %llu reconnects: %s\n",
           (unsigned long long)r->stats.committed,
           (unsigned long long)r->stats.unknown,
           (unsigned long long)r->stats.reconnects, r->text);
    CHECK(r->verdict[LEVEL_RC] == VERDICT_OK);
    if (moved)
        *moved = count_places(path, 2, 3);
    unlink(path);
}

/* Repeatable read loses updates between the nodes of a cluster, so only what
 * holds there in any case is asked for. */
static void
sessions_of_a_node_that_fails_go_on_with_another(void)
{
    struct ordeal o = {.node = 1, .failovers = 1};
    struct trial_result r = {0};
    size_t moved = 0;
    if (!start_server("galera:3", &o.servers))
        return;
    run(&o, &r, &moved);
    printf("# %zu transactions elsewhere\n", moved);
    CHECK(moved > 0);
    servers_stop(&o.servers);
}

static void
commits_that_did_not_wait_for_the_standby_are_lost(void)
{
    struct ordeal o = {.is_cut_off = true, .failovers = 1};
    struct trial_result r = {0};
    if (!start_server("postgresql+standby", &o.servers))
        return;
    run(&o, &r, NULL);
    CHECK(r.verdict[LEVEL_PSI] == VERDICT_VIOLATED);
    CHECK(trial_told(&r, ANOMALY_LOST_COMMIT));
    servers_stop(&o.servers);
}

static void
commits_that_wait_for_the_standby_are_not_lost(void)
{
    struct ordeal o = {.is_cut_off = true, .is_held = true, .failovers = 1};
    struct trial_result r = {0};
    if (!start_server("postgresql+sync", &o.servers))
        return;
    run(&o, &r, NULL);
    CHECK(r.verdict[LEVEL_PSI] == VERDICT_OK);
    CHECK(r.stats.unknown > 0); // those that waited
    servers_stop(&o.servers);
}

static void
one_failover_after_the_other_loses_nothing(void)
{
    struct ordeal o = {.failovers = 2};
    struct trial_result r = {0};
    if (!start_server("postgresql+sync", &o.servers))
        return;
    run(&o, &r, NULL);
    CHECK(r.verdict[LEVEL_PSI] == VERDICT_OK);
    CHECK(o.servers.primary == 0 && r.stats.reconnects > 0);
    // A server that is killed later comes back as what it was.
    const struct fault kill_standby = {.kind = FAULT_KILL, .node = 1};
    struct err err = {0};
    CHECK(servers_fault(&o.servers, &kill_standby, &err));
    CHECK(await_number(&o.servers.nodes.at[1],
                       "select pg_is_in_recovery()::int", true));
    servers_stop(&o.servers);
}

/* The number of a server's block of shared memory. */
static int
shared_memory(const struct node *n)
{
    struct buf path = {0};
    char line[256], *end = line;
    buf_printf(&path, "%s/postmaster.pid", n->directory);
    FILE *file = fopen(path.at, "r");
    for (int i = 0; file && i < 7 && fgets(line, sizeof line, file); i++)
        continue;
    if (file)
        fclose(file);
    buf_free(&path);
    strtoul(line, &end, 10);
    return file ? (int)strtol(end, NULL, 10) : -1;
}

static void
without_a_standby_the_primary_is_left_alone(void)
{
    struct servers s;
    struct err err = {0};
    const struct fault fault = {.kind = FAULT_FAILOVER};
    if (!start_server("postgresql+standby", &s))
        return;
    node_stop(&s, &s.nodes.at[1], SIGINT);
    CHECK(!servers_fault(&s, &fault, &err));
    CHECK(strstr(err.text, "there is no standby that could take over"));
    CHECK(tell(&s.nodes.at[0], "select 1", NULL));
    if (err.file[0])
        unlink(err.file);
    // A server that is killed leaves no shared memory.
    const int block = shared_memory(&s.nodes.at[0]);
    struct shmid_ds state;
    CHECK(block >= 0 && shmctl(block, IPC_STAT, &state) == 0);
    CHECK(node_end(&s, &s.nodes.at[0], &err));
    CHECK(shmctl(block, IPC_STAT, &state) != 0);
    servers_stop(&s);
}

/* --- a wait that is ended --------------------------------------------------*/

static void *
commit_one(void *arg)
{
    struct connection *c = arg;
    static enum outcome outcome;
    outcome = c->driver->begin(c) == OUTCOME_OK &&
                      c->driver->query(c, "create table t (k int)", NULL) ==
                          OUTCOME_OK
                  ? c->driver->commit(c)
                  : OUTCOME_FAILED;
    return &outcome;
}

/* The server calls such a commit a success. */
static void
a_commit_that_stopped_waiting_is_unknown(void)
{
    struct servers s;
    struct err err = {0};
    struct database db;
    struct connection *c;
    pthread_t thread;
    void *outcome = NULL;
    size_t there = 0;
    if (!start_server("postgresql", &s))
        return;
    const struct node *n = &s.nodes.at[0];
    CHECK(
        tell(n, "alter system set synchronous_standby_names = 'nobody'", NULL));
    CHECK(tell(n, reload, NULL));
    CHECK(await_number(n,
                       "select count(*) from pg_settings where name = "
                       "'synchronous_standby_names' and setting = 'nobody'",
                       true));
    CHECK(database_open(n->url, ISOLATION_UNCHANGED, NULL, &db, &err));
    CHECK(db.driver->connect(&db, 0, 0, &c, &err));
    CHECK(pthread_create(&thread, NULL, commit_one, c) == 0);
    CHECK(await_number(n, waiting, true));
    CHECK(tell(n,
               "select pg_cancel_backend(pid) from pg_stat_activity where "
               "wait_event = 'SyncRep'",
               NULL));
    CHECK(pthread_join(thread, &outcome) == 0);
    CHECK(outcome && *(enum outcome *)outcome == OUTCOME_LOST);
    CHECK_TEXT(c->code, "sync");
    CHECK(tell(n, "select count(*) from pg_tables where tablename = 't'",
               &there));
    CHECK(there == 1);
    db.driver->disconnect(c);
    database_close(&db);
    servers_stop(&s);
}

/* --- what is left ----------------------------------------------------------*/

/* Kill a program that begins with failovers, after some seconds of them. */
static void
kill_during_failover(const char *place, double seconds)
{
    int ready[2], life[2];
    char word;
    CHECK(pipe(ready) == 0 && pipe(life) == 0);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const struct fault fault = {.kind = FAULT_FAILOVER};
        struct servers s;
        struct err err = {0};
        close(ready[0]);
        if (servers_start("postgresql+sync", NULL, &s, &err) &&
            write(ready[1], "", 1) == 1)
            while (servers_fault(&s, &fault, &err))
                continue;
        _exit(1);
    }
    close(ready[1]);
    close(life[1]);
    CHECK(read(ready[0], &word, 1) == 1);
    close(ready[0]);
    time_pause(seconds);
    kill_and_expect_nothing(child, life[0], place);
}

static void
a_kill_in_the_middle_of_a_failover_leaves_nothing(void)
{
    char place[] = "/tmp/assay-failing-XXXXXX";
    struct random random;
    struct servers s;
    if (!start_server("postgresql+sync", &s))
        return;
    servers_stop(&s);
    random_seed(&random, (uint64_t)getpid());
    CHECK(mkdtemp(place) && chmod(place, 0755) == 0);
    setenv("TMPDIR", place, 1);
    for (int i = 0; i < KILLS && test_ok; i++)
        kill_during_failover(place, random_unit(&random) * 3);
    unsetenv("TMPDIR");
    CHECK(rmdir(place) == 0);
}

int
main(void)
{
    RUN(commits_that_did_not_wait_for_the_standby_are_lost);
    RUN(commits_that_wait_for_the_standby_are_not_lost);
    RUN(one_failover_after_the_other_loses_nothing);
    RUN(without_a_standby_the_primary_is_left_alone);
    RUN(sessions_of_a_node_that_fails_go_on_with_another);
    RUN(a_commit_that_stopped_waiting_is_unknown);
    RUN(a_kill_in_the_middle_of_a_failover_leaves_nothing);
    return test_end();
}
