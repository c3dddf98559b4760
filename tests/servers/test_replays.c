/* test_replays.c -- the anomalies of examples/programs happen on PostgreSQL,
 * and those at InnoDB's REPEATABLE READ on MariaDB.
 *
 * The programs are loaded as they are, and pgbench runs its scripts.  'assay
 * prove --schedule' writes each anomaly at si, at rc and at mixtures of levels
 * as a script, which is played on a server: every
 * statement succeeds, gives what the script says, and all transactions commit.
 * Played once more at SERIALIZABLE, something is refused or comes out
 * different.  Played as 'assay test --spec' plays it, the anomaly shows in the
 * history; the suite does this for every third, with an argument for all.
 *
 *     test_servers_replays [all | [mariadb] PATH... | mariadb]
 *
 * SPDX-License-Identifier: MIT */
#include "server_test.h"

#include "examples.h"

#include "base/limits/limit.h"
#include "spec/spec.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static struct servers servers;
static char script_path[] = "/tmp/assay-replay-XXXXXX";

// The anomaly of the last one at si takes four transactions: see below.
static const char *const *const names = example_programs;
enum { N_NAMES = N_EXAMPLES - 1, MOST = 6 };

/* --- one step, in a thread of its own -------------------------------------*/

struct player {
    struct connection *connection;
    pthread_t thread;
    bool is_running;
    volatile bool is_done;
    const char *sql;
    size_t step;
    enum outcome outcome;
    struct result_rows rows;
};

static void *
run_step(void *argument)
{
    struct player *p = argument;
    p->outcome = p->connection->driver->query(p->connection, p->sql, &p->rows);
    p->is_done = true;
    return NULL;
}

struct replay {
    size_t failed;
    struct buf answers; // of all steps: "s3 -> 1\n"
};

/* The cells of the answer, as the script writes them. */
static void
note_answer(struct replay *r, struct player *p, const struct spec *spec)
{
    pthread_join(p->thread, NULL);
    p->is_running = false;
    r->failed += p->outcome != OUTCOME_OK;
    if (p->outcome != OUTCOME_OK)
        buf_printf(&r->answers, "# %s\n", p->connection->message);
    buf_printf(&r->answers, "%s ->", spec->steps.at[p->step].name);
    if (!p->rows.n)
        buf_text(&r->answers, " no row");
    else if (!p->rows.width)
        buf_text(&r->answers, " a row");
    for (size_t i = 0; i < p->rows.n; i++)
        for (size_t j = 0; j < p->rows.width; j++)
            buf_printf(&r->answers, "%s %s", i || j ? "," : "",
                       result_rows_is_null(&p->rows, i, j)
                           ? "NULL"
                           : result_rows_get(&p->rows, i, j));
    buf_char(&r->answers, '\n');
}

/* Wait a moment for the step; a statement that waits for a lock goes on
 * running. */
static void
watch(struct replay *r, struct player *p, const struct spec *spec, double most)
{
    const double end = time_now() + most;
    while (p->is_running && !p->is_done && time_now() < end)
        time_pause(0.002);
    if (p->is_running && p->is_done)
        note_answer(r, p, spec);
}

static bool
play_steps(const struct spec *spec, struct player *players, struct replay *r)
{
    for (size_t i = 0; i < spec->permutations.n; i++) {
        const struct spec_step *step =
            &spec->steps.at[spec->permutations.at[i]];
        struct player *p = &players[step->session];
        watch(r, p, spec, 10);
        if (p->is_running)
            return false;
        p->sql = step->block.sql;
        p->step = spec->permutations.at[i];
        p->is_done = false;
        p->is_running = pthread_create(&p->thread, NULL, run_step, p) == 0;
        watch(r, p, spec, 0.5);
        for (size_t j = 0; j < spec->sessions.n; j++)
            watch(r, &players[j], spec, 0.05);
    }
    return true;
}

static bool
set_up(struct connection *c, const char *sql)
{
    const bool ok = c->driver->query(c, sql, NULL) == OUTCOME_OK;
    if (!ok)
        printf("# %s: %s\n", sql, c->message);
    return ok;
}

/* What the tables hold in the end, by the names in "DROP TABLE a, b;". */
static void
note_tables(struct replay *r, struct connection *c, const char *teardown)
{
    const char *at = strstr(teardown, "DROP TABLE ");
    at = at ? at + strlen("DROP TABLE ") : "";
    while (*at && *at != ';') {
        const size_t n = strcspn(at, ",; ");
        struct result_rows rows = {0};
        char sql[300];
        snprintf(sql, sizeof sql, "SELECT * FROM %.*s ORDER BY 1, 2", (int)n,
                 at);
        buf_printf(&r->answers, "%.*s:", (int)n, at);
        if (c->driver->query(c, sql, &rows) != OUTCOME_OK) {
            snprintf(sql, sizeof sql, "SELECT * FROM %.*s ORDER BY 1", (int)n,
                     at);
            c->driver->query(c, sql, &rows);
        }
        for (size_t i = 0; i < rows.n * rows.width; i++)
            buf_printf(
                &r->answers, " %s",
                result_rows_is_null(&rows, i / rows.width, i % rows.width)
                    ? "NULL"
                    : result_rows_get(&rows, i / rows.width, i % rows.width));
        buf_char(&r->answers, '\n');
        result_rows_free(&rows);
        at += n + strspn(at + n, ", ");
    }
}

static bool
play(const struct spec *spec, struct replay *r)
{
    struct err err = {0};
    struct database db;
    struct player players[MOST] = {{0}};
    struct connection *first;
    if (!database_open(servers.url, ISOLATION_UNCHANGED, NULL, &db, &err))
        return false;
    bool ok =
        db.driver->connect(&db, 0, 0, &first, &err) && spec->sessions.n <= MOST;
    for (size_t i = 0; ok && i < spec->setups.n; i++)
        ok = set_up(first, spec->setups.at[i].sql);
    for (uint32_t i = 0; ok && i < spec->sessions.n; i++)
        ok = db.driver->connect(&db, i + 1, 0, &players[i].connection, &err);
    ok = ok && play_steps(spec, players, r);
    for (uint32_t i = 0; i < spec->sessions.n && i < MOST; i++) {
        if (players[i].is_running)
            note_answer(r, &players[i], spec);
        if (players[i].connection)
            db.driver->disconnect(players[i].connection);
        result_rows_free(&players[i].rows);
    }
    if (ok)
        note_tables(r, first, spec->teardown.sql);
    first->driver->query(first, spec->teardown.sql, NULL);
    db.driver->disconnect(first);
    database_close(&db);
    return ok;
}

/* --- comparing ------------------------------------------------------------*/

/* "true", "t" and "1" are equal, and so are 'x' and x. */
static bool
same_answer(const char *expected, const char *got)
{
    while (*expected && *expected != '\n') {
        if (*expected == '\'') {
            expected++;
            continue;
        }
        const bool word = strncmp(expected, "true", 4) == 0 ||
                          strncmp(expected, "false", 5) == 0;
        const char number = *expected == 't' ? '1' : '0';
        if (*expected != *got && !(word && *got == number))
            return false;
        expected += word ? (*expected == 't' ? 4 : 5) : 1;
        got++;
    }
    return *got == '\n' || !*got;
}

/* The answers that the script states, against those that came. */
static size_t
count_differences(const char *script, const struct replay *r)
{
    size_t differences = 0;
    for (const char *at = script; (at = strstr(at, "\n# s")) != NULL; at++) {
        char key[32];
        const char *arrow = strstr(at, " -> ");
        if (!arrow || arrow - at > 20)
            continue;
        snprintf(key, sizeof key, "%.*s -> ", (int)(arrow - at - 3), at + 3);
        const char *found = r->answers.at;
        const size_t n = strlen(key);
        while (found && strncmp(found, key, n) != 0) {
            found = strchr(found, '\n');
            found = found && found[1] ? found + 1 : NULL;
        }
        if (strncmp(arrow + 4, "a row", 5) == 0) {
            differences += !found || strncmp(found + n, "no row", 6) == 0;
        } else if (!found || !same_answer(arrow + 4, found + n)) {
            printf("# expected %.*s", (int)strcspn(at + 3, "\n"), at + 3);
            printf(", got %.*s\n", found ? (int)strcspn(found, "\n") : 7,
                   found ? found : "nothing");
            differences++;
        }
    }
    return differences;
}

static void
replace_all(struct buf *text, const char *from, const char *to)
{
    struct buf out = {0};
    const char *at = text->at;
    for (const char *next; (next = strstr(at, from)) != NULL;) {
        buf_add(&out, at, (size_t)(next - at));
        buf_text(&out, to);
        at = next + strlen(from);
    }
    buf_text(&out, at);
    buf_free(text);
    *text = out;
}

static void
replay(const char *name, const char *level, const struct buf *script)
{
    struct spec spec;
    struct err err = {0};
    struct replay r = {0}, strict = {0};
    CHECK(spec_parse(script->at, script->n, &spec, &err));
    CHECK(play(&spec, &r));
    const size_t differences = count_differences(script->at, &r);
    CHECK(r.failed == 0);
    CHECK(differences == 0);
    if (r.failed || differences)
        printf("# %s at %s:\n%s\n# answers:\n%s\n", name, level, script->at,
               r.answers.at);
    spec_free(&spec);
    struct buf text = {0};
    buf_add(&text, script->at, script->n);
    replace_all(&text, "REPEATABLE READ", "SERIALIZABLE");
    replace_all(&text, "READ COMMITTED", "SERIALIZABLE");
    // Of MariaDB: without the snapshot, every read is of the latest rows.
    replace_all(&text, " WITH CONSISTENT SNAPSHOT", "");
    CHECK(spec_parse(text.at, text.n, &spec, &err));
    CHECK(play(&spec, &strict));
    const bool same = !strict.failed && r.answers.n && strict.answers.n &&
                      strcmp(r.answers.at, strict.answers.at) == 0;
    CHECK(!same);
    printf("# %s at %s: played, %s at serializable\n", name, level,
           strict.failed ? "refused" : "different");
    spec_free(&spec);
    buf_free(&text);
    buf_free(&r.answers);
    buf_free(&strict.answers);
}

static bool records_all;
static uint32_t played, recorded;

/* Whether 'assay test --spec' prints a line that ends so. */
static bool
prints(const char *output, const char *level, const char *verdict)
{
    struct buf wanted = {0};
    buf_printf(&wanted, ": %s: %s", level, verdict);
    const bool found = strstr(output, wanted.at) != NULL;
    buf_free(&wanted);
    return found;
}

/* Play the last script as 'assay test --spec' does: the history satisfies the
 * level, of which a mixture has no name, and is not serializable.  In job_queue
 * a statement waits, and sees a half of the transaction that it waited for. */
static void
record_some(const char *name, const char *level)
{
    const char *assay = getenv("ASSAY");
    char command[2000];
    if (strncmp(servers.url, "postgres", 8) != 0 ||
        (!records_all && played++ % 3))
        return;
    snprintf(command, sizeof command,
             "cd /tmp && '%s' test -q --no-explain --store '' -l rc,si,ser"
             " --spec %s '%s' >%s.out 2>&1",
             assay ? assay : "false", script_path, servers.url, script_path);
    const int status = system(command);
    struct buf text = {0};
    char path[sizeof script_path + 8];
    snprintf(path, sizeof path, "%s.out", script_path);
    CHECK(get_file(path, &text));
    unlink(path);
    const char *output = text.at ? text.at : "";
    const bool shown =
        WIFEXITED(status) && WEXITSTATUS(status) == 1 &&
        prints(output, "serializable", "violated") &&
        (strcmp(level, "si") != 0 || prints(output, "snapshot", "ok")) &&
        (strcmp(level, "rc") != 0 || strcmp(name, "job_queue") == 0 ||
         prints(output, "read-committed", "ok"));
    CHECK(shown);
    if (!shown)
        printf("# %s at %s, recorded:\n%s\n", name, level, output);
    recorded++;
    buf_free(&text);
}

/* Run 'assay prove' with these arguments, for which paths begin in the
 * examples; play the anomaly where there is one.  The exit status. */
static int
prove_and_play(const char *name, const char *level, const char *files)
{
    const char *assay = getenv("ASSAY");
    char command[2000];
    struct buf script = {0};
    CHECK(assay != NULL);
    snprintf(command, sizeof command,
             "cd '%s/examples/programs' && '%s' prove -q -l %s --schedule %s "
             "%s >/dev/null 2>&1",
             root(), assay ? assay : "false", level, script_path, files);
    const int ended = system(command);
    const int status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    if (status == 1) {
        get_file(script_path, &script);
        replay(name, level, &script);
        record_some(name, level);
    }
    buf_free(&script);
    return status;
}

/* Each program has an anomaly that happens, or, where not all of them have,
 * is proved: none is unknown. */
static void
anomalies_happen(const char *level, const char *const *programs, size_t n,
                 bool all)
{
    for (size_t i = 0; i < n; i++) {
        char file[200];
        snprintf(file, sizeof file, "%s.sql", programs[i]);
        const int status = prove_and_play(programs[i], level, file);
        CHECK(status == 1 || (status == 0 && !all));
        if (status != 1 && status != 0)
            printf("# %s at %s: exit status %d\n", programs[i], level, status);
    }
}

static void
anomalies_at_snapshot_isolation_happen(void)
{
    anomalies_happen("si", names, N_NAMES, false);
}

static void
anomalies_at_read_committed_happen(void)
{
    anomalies_happen("rc", names, N_EXAMPLES, false);
}

static void
a_delivery_to_several_districts_happens(void)
{
    CHECK(prove_and_play("tpcc_multi", "si",
                         "--sequence "
                         "make_order,make_order,order_status,delivery "
                         "tpcc_multi.sql") == 1);
}

/* Each session has the level of its function. */
static void
anomalies_at_mixed_levels_happen(void)
{
    static const struct {
        const char *level, *files;
    } mixtures[] = {
        {"si,write_check=rc", "smallbank.sql"},
        {"ser,write_check=si", "smallbank.sql"},
        {"ser,balance=rc", "smallbank.sql"},
        {"rc,close_month=si", "close_month.sql"},
        {"si --serializable store_bid,close_auction", "rubis.sql"},
        {"si,add_course=ser --serializable enrol,remove_course",
         "courseware.sql"},
        // STABLE: one snapshot, also at rc.
        {"rc --sequence copy_second,set_second,get_both",
         "../../tests/golden/prove-stable/pair.sql"},
    };
    for (size_t i = 0; i < sizeof mixtures / sizeof *mixtures; i++)
        CHECK(prove_and_play(mixtures[i].files, mixtures[i].level,
                             mixtures[i].files) == 1);
}

/* What a script of pgbench does wrong happens, too. */
static void
anomalies_of_scripts_happen(void)
{
    CHECK(prove_and_play("withdraw", "rc",
                         "pgbench/tables.sql pgbench/withdraw.sql") == 1);
    CHECK(prove_and_play("tpcb", "rc", "pgbench/tables.sql pgbench/tpcb.sql") !=
          1);
}

/* pgbench itself runs the scripts on the tables that stand beside them. */
static void
pgbench_runs_the_scripts(void)
{
    static const char *const scripts[] = {"tpcb", "withdraw"};
    struct err err = {0};
    struct database db;
    struct connection *c;
    struct buf text = {0};
    char path[1000];
    if (system("pgbench --version >/dev/null 2>&1") != 0) {
        SKIP("pgbench is not installed");
        return;
    }
    CHECK(database_open(servers.url, ISOLATION_UNCHANGED, NULL, &db, &err));
    CHECK(db.driver->connect(&db, 0, 0, &c, &err));
    snprintf(path, sizeof path, "%s/examples/programs/pgbench/tables.sql",
             root());
    get_file(path, &text);
    buf_text(&text, "INSERT INTO pgbench_branches VALUES (1, 0);"
                    "INSERT INTO pgbench_tellers"
                    " SELECT i, 1, 0 FROM generate_series(1, 10) i;"
                    "INSERT INTO pgbench_accounts"
                    " SELECT i, 1, 500 FROM generate_series(1, 100000) i");
    CHECK(set_up(c, text.at));
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        char command[2000];
        snprintf(command, sizeof command,
                 "pgbench -n -c 2 -t 20 -f "
                 "'%s/examples/programs/pgbench/%s.sql' '%s' 2>&1 |"
                 " grep -q 'actually processed: 40/40'",
                 root(), scripts[i], servers.url);
        const int status = system(command);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    CHECK(set_up(c, "DROP TABLE pgbench_branches, pgbench_tellers,"
                    " pgbench_accounts, pgbench_history"));
    buf_free(&text);
    db.driver->disconnect(c);
    database_close(&db);
}

static void
the_server_loads_every_program(void)
{
    struct err err = {0};
    struct database db;
    struct connection *c;
    CHECK(database_open(servers.url, ISOLATION_UNCHANGED, NULL, &db, &err));
    CHECK(db.driver->connect(&db, 0, 0, &c, &err));
    for (size_t i = 0; i < N_EXAMPLES; i++) {
        char path[1000];
        struct buf text = {0};
        snprintf(path, sizeof path, "%s/examples/programs/%s.sql", root(),
                 names[i]);
        buf_printf(&text, "BEGIN; CREATE SCHEMA s%zu; SET search_path = s%zu;",
                   i, i);
        get_file(path, &text);
        buf_text(&text, "; COMMIT");
        CHECK(c->driver->query(c, text.at, NULL) == OUTCOME_OK);
        if (c->message[0])
            printf("# %s: %s\n", names[i], c->message);
        buf_free(&text);
    }
    db.driver->disconnect(c);
    database_close(&db);
}

/* Programs with an anomaly at InnoDB's REPEATABLE READ whose tables and
 * statements MariaDB takes as they are printed. */
static const char *const for_mariadb[] = {
    "bank",     "bank_skew",  "close_month", "on_call",
    "orphans",  "rubis",      "smallbank",   "smallbank_locked",
    "transfer", "courseware", "voter",
};

static void
anomalies_at_repeatable_read_happen_on_mariadb(void)
{
    if (start_server("mariadb", &servers)) {
        anomalies_happen("my-rr", for_mariadb,
                         sizeof for_mariadb / sizeof *for_mariadb, true);
        servers_stop(&servers);
    }
}

/* Those of other programs. */
static char **others;
static int n_others;

static void
anomalies_of_others_happen_on_mariadb(void)
{
    if (start_server("mariadb", &servers)) {
        for (int i = 0; i < n_others; i++)
            CHECK(prove_and_play(others[i], "my-rr", others[i]) >= 0);
        servers_stop(&servers);
    }
}

static void
play_on_postgresql(void)
{
    RUN(the_server_loads_every_program);
    RUN(anomalies_at_snapshot_isolation_happen);
    RUN(anomalies_at_read_committed_happen);
    RUN(a_delivery_to_several_districts_happens);
    RUN(anomalies_at_mixed_levels_happen);
    RUN(anomalies_of_scripts_happen);
    RUN(pgbench_runs_the_scripts);
    printf("# %u anomalies are in what was recorded\n", recorded);
    servers_stop(&servers);
}

static const char *given; // a program, by its path

static void
anomalies_of_a_program_happen(void)
{
    CHECK(prove_and_play(given, "si", given) >= 0);
    CHECK(prove_and_play(given, "rc", given) >= 0);
}

/* Everything, and all of it recorded; the anomalies of other programs, whose
 * paths are absolute; or MariaDB's part. */
int
main(int argc, char **argv)
{
    records_all = argc > 1;
    if (argc == 2 && strcmp(argv[1], "all") == 0)
        argc = 1;
    const bool all = argc < 2 || strcmp(argv[1], "mariadb") != 0;
    if (all && !start_or_skip("postgresql", &servers))
        return test_failures != 0;
    const int fd = mkstemp(script_path);
    if (fd >= 0)
        close(fd);
    for (int i = 1; all && i < argc; i++) {
        given = argv[i];
        RUN(anomalies_of_a_program_happen);
    }
    if (argc < 2)
        play_on_postgresql();
    else if (all)
        servers_stop(&servers);
    others = argv + 2;
    n_others = argc - 2;
    if (!all && argc > 2)
        RUN(anomalies_of_others_happen_on_mariadb);
    else if (argc < 2 || !all)
        RUN(anomalies_at_repeatable_read_happen_on_mariadb);
    unlink(script_path);
    return test_end();
}
