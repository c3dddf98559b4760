/* test_findings.c -- crashes and damaged indexes of a real server are found,
 * and nothing is found on a healthy one.
 *
 *     test_findings postgresql|mariadb
 *
 * SPDX-License-Identifier: MIT */
#include "server_test.h"

#include "collect/integrity.h"
#include "pipeline/spec_run.h"

static struct servers servers;
static bool is_postgresql;

enum { STEP = 60 }; // commits before and after a crash

/* --- statements of the test itself -----------------------------------------*/

static bool
tell(const char *const *statements, size_t n, size_t *out)
{
    struct err err = {0};
    struct database db;
    struct connection *c;
    struct result_rows rows = {0};
    if (!database_open(servers.url, ISOLATION_UNCHANGED, NULL, &db, &err))
        return false;
    bool ok = db.driver->connect(&db, 0, 0, &c, &err);
    if (ok) {
        for (size_t i = 0; ok && i < n; i++)
            ok = c->driver->query(c, statements[i], &rows) == OUTCOME_OK;
        if (!ok)
            printf("# %s\n", c->message);
        if (out)
            *out = strtoul(result_rows_get(&rows, 0, 0), NULL, 10);
        c->driver->disconnect(c);
    }
    result_rows_free(&rows);
    database_close(&db);
    return ok;
}

static bool
has_finding(const struct run_findings *f)
{
    for (int i = 0; i < SERVER_ERRORS; i++)
        if (f->at[i].n) {
            printf("# %s: %s: %s; %s\n",
                   server_findings[i].name ? server_findings[i].name : "none",
                   f->at[i].code, f->at[i].message, f->at[i].statement);
            return true;
        }
    return false;
}

/* --- runs ------------------------------------------------------------------*/

static void
a_healthy_server_has_no_findings(void)
{
    char path[] = "/tmp/assay-findings-XXXXXX";
    const int fd = mkstemp(path);
    const char *const workloads[] = {"mixed", "append", "rows"};
    CHECK(fd >= 0 && close(fd) == 0);
    for (size_t i = 0; i < 3; i++) {
        const struct trial trial = {.target = servers.url,
                                    .workload = workloads[i],
                                    .isolation = ISOLATION_SERIALIZABLE,
                                    .transactions = 200};
        struct trial_result r;
        CHECK(trial_record(&trial, path, &r));
        CHECK(!has_finding(&r.stats.findings));
    }
    unlink(path);
}

struct crash {
    uint64_t next;
    bool is_done, failed;
    volatile sig_atomic_t is_over;
};

/* Kill a process of the server that serves a session, as a bug does. */
static void
tick(void *self, const struct collect_stats *stats)
{
    struct crash *crash = self;
    static const char *const find =
        "select pid from pg_stat_activity where backend_type = 'client "
        "backend' and query like '%assay_kv%' and pid <> pg_backend_pid() "
        "limit 1";
    size_t pid = 0;
    if (stats->committed < crash->next)
        return;
    crash->next = stats->committed + STEP;
    if (crash->is_done) {
        crash->is_over = 1;
        return;
    }
    // The last query of a session may be its COMMIT: look again later.
    crash->failed = !tell(&find, 1, &pid);
    crash->is_done = crash->failed || pid;
    if (pid)
        crash->failed = kill((pid_t)pid, SIGSEGV) != 0;
    else
        crash->next = stats->committed + 1;
}

static void
a_process_that_crashes_is_found(void)
{
    char path[] = "/tmp/assay-findings-XXXXXX";
    const int fd = mkstemp(path);
    struct crash crash = {.next = STEP};
    CHECK(fd >= 0 && close(fd) == 0);
    // With one session nobody but the idle connection is left to hear of it.
    for (uint64_t sessions = 1; sessions <= 4; sessions += 3) {
        const struct trial trial = {.target = servers.url,
                                    .workload = "mixed",
                                    .isolation = ISOLATION_SERIALIZABLE,
                                    .sessions = sessions,
                                    .seconds = 240,
                                    .pause = 0.001,
                                    .tick = tick,
                                    .self = &crash,
                                    .interrupted = &crash.is_over};
        struct trial_result r;
        crash = (struct crash){.next = STEP};
        CHECK(trial_record(&trial, path, &r));
        CHECK(crash.is_done && !crash.failed);
        CHECK(has_finding(&r.stats.findings));
        CHECK(r.stats.findings.at[SERVER_ERROR_CRASH].n > 0);
        CHECK_TEXT(r.stats.findings.at[SERVER_ERROR_CRASH].code, "57P02");
    }
    unlink(path);
}

/* Insert a row that the index of the key does not get. */
static const char *const damage[] = {
    "update pg_index set indisready = false where indrelid = "
    "'assay_kv'::regclass",
    "insert into assay_kv (assay_key, v) values (1000, 7)",
    "update pg_index set indisready = true where indrelid = "
    "'assay_kv'::regclass",
};

static void
a_damaged_index_is_found(void)
{
    struct database db;
    struct err err = {0};
    struct run_findings found = {0};
    CHECK(database_open(servers.url, ISOLATION_UNCHANGED, NULL, &db, &err));
    CHECK(db.driver->load(&db, 20, KEYS_REGISTERS, &err));
    integrity_check(&db, &found);
    CHECK(!has_finding(&found));
    for (size_t i = 0; i < 3; i++) // a plan is kept for a connection
        CHECK(tell(&damage[i], 1, NULL));
    integrity_check(&db, &found);
    CHECK(has_finding(&found));
    // By amcheck and by the comparison of two searches.
    CHECK(found.at[SERVER_ERROR_DAMAGE].n == 2);
    CHECK(db.driver->unload(&db, &err));
    database_close(&db);
}

/* A trigger that reports what the server reports for a bug of its own. */
static const char *const bug =
    "setup { create table bug_t (id int primary key, v int);"
    " insert into bug_t values (1, 0);"
    " create function bug_f() returns trigger language plpgsql as $$ begin"
    " raise exception 'odd state' using errcode = 'XX000'; end $$;"
    " create trigger bug_g before update on bug_t for each row"
    " execute function bug_f(); }\n"
    "teardown { drop table bug_t; drop function bug_f(); }\n"
    "session s1\nstep r1 { select * from bug_t; }\n"
    "session s2\nstep w2 { update bug_t set v = 1 where id = 1; }\n"
    "permutation r1 w2\n";

static void
ignore(void *self, const struct spec_run_result *result)
{
    (void)self, (void)result;
}

static void
leave_out(void *self, const struct err *what)
{
    (void)self, (void)what;
}

static void
an_internal_error_in_a_specification_is_found(void)
{
    char path[] = "/tmp/assay-findings-XXXXXX";
    const int fd = mkstemp(path);
    const size_t n = strlen(bug);
    struct err err = {0};
    struct history_file recording;
    struct spec_run_tally tally;
    CHECK(fd >= 0 && write(fd, bug, n) == (ssize_t)n && close(fd) == 0);
    CHECK(history_file_open(&recording, NULL, &err));
    const struct spec_run_options o = {.spec = path,
                                       .target = servers.url,
                                       .recording = &recording,
                                       .left_out = leave_out,
                                       .visit = ignore};
    CHECK(spec_run(&o, &tally, &err));
    if (err.kind)
        printf("# %s\n", err.text);
    CHECK(tally.findings.at[SERVER_ERROR_INTERNAL].n == 1);
    CHECK_TEXT(tally.findings.at[SERVER_ERROR_INTERNAL].code, "XX000");
    history_file_close(&recording);
    unlink(path);
}

int
main(int argc, char **argv)
{
    is_postgresql = argc > 1 && strcmp(argv[1], "postgresql") == 0;
    if (!start_or_skip(is_postgresql ? "postgresql" : "mariadb", &servers))
        return 0;
    RUN(a_healthy_server_has_no_findings);
    if (is_postgresql) {
        RUN(a_process_that_crashes_is_found);
        RUN(a_damaged_index_is_found);
        RUN(an_internal_error_in_a_specification_is_found);
    }
    servers_stop(&servers);
    return test_end();
}
