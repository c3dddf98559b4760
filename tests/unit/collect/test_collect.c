/* test_collect.c -- workloads run on embedded databases and are recorded.
 *
 * SPDX-License-Identifier: MIT */
#include "expect.h"

#include "base/limits/limit.h"
#include "format/format.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALL_LEVELS                                                             \
    (LEVEL_BIT(LEVEL_RC) | LEVEL_BIT(LEVEL_RA) | LEVEL_BIT(LEVEL_CC) |         \
     LEVEL_BIT(LEVEL_PC) | LEVEL_BIT(LEVEL_PSI) | LEVEL_BIT(LEVEL_SI) |        \
     LEVEL_BIT(LEVEL_SER))

/* Run a workload on the store at each level: it must keep what the level
 * implies, and over a few workloads break the rest. */
static void
each_level_of_the_store_keeps_that_level_and_no_more(void)
{
    static const enum level levels[] = {LEVEL_RC,  LEVEL_RA, LEVEL_CC, LEVEL_PC,
                                        LEVEL_PSI, LEVEL_SI, LEVEL_SER};
    static const char *const workloads[] = {"mixed", "blind", "update", "skew",
                                            "fork"};
    for (size_t l = 0; l < sizeof levels / sizeof levels[0]; l++) {
        const level_set all = ALL_LEVELS & ~level_implied(levels[l]);
        level_set broken = 0;
        char target[32];
        snprintf(target, sizeof target, "store:%s",
                 level_table[levels[l]].brief);
        // How sessions interleave is up to the machine.
        for (uint64_t i = 0; i < 5 || (broken != all && i < 100); i++) {
            const struct trial trial = {.target = target,
                                        .workload = workloads[i % 5],
                                        .transactions = 200,
                                        .seed = i / 5};
            struct trial_result result;
            CHECK(trial_run(&trial, ALL_LEVELS, &result));
            for (int m = LEVEL_RC; m <= LEVEL_SER; m++)
                broken |= result.verdict[m] != VERDICT_OK ? LEVEL_BIT(m) : 0;
        }
        CHECK(broken == all);
    }
}

static void
lists_are_recorded_and_checked(void)
{
    static const char *const targets[] = {"store:si", "store:ser", "sqlite:"};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
        expect(&(struct expectation){
            .trial = {.target = targets[i],
                      .workload = "append",
                      .transactions = 200},
            .holds = LEVEL_BIT(LEVEL_SI),
            .commits = 20,
        });
}

static void
not_every_database_has_lists_of_every_form(void)
{
    // Where updates get lost a list is no list.
    static const struct trial trials[] = {
        {.target = "store:cc", .workload = "append"},
        {.target = "store:ser", .workload = "append", .arrays = true},
        {.target = "sqlite:", .workload = "append", .arrays = true},
    };
    struct trial_result result;
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++)
        CHECK(!can_open(trials[i].target) ||
              !trial_run(&trials[i], 0, &result));
}

static void
sqlite_is_serializable_in_both_journal_modes(void)
{
    static const char *const targets[] = {"sqlite:", "sqlite:?journal=wal"};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
        expect(&(struct expectation){
            .trial = {.target = targets[i], .transactions = 300},
            .holds = LEVEL_BIT(LEVEL_SER) | LEVEL_BIT(LEVEL_STRICT_SER),
            .commits = 30,
        });
}

static void
a_shared_cache_that_reads_uncommitted_data_shows_aborted_reads(void)
{
    expect(&(struct expectation){
        .trial = {.target = "sqlite:?cache=shared",
                  .isolation = ISOLATION_READ_UNCOMMITTED,
                  .transactions = 200,
                  .reads = 0.8,
                  .aborts = 0.3,
                  .pause = 0.001},
        .broken = LEVEL_BIT(LEVEL_RC),
        .told = ANOMALY_ABORTED,
    });
}

static void
a_run_can_be_limited_by_time(void)
{
    const struct trial trial = {.target = "store:latest", .seconds = 0.3};
    struct trial_result result;
    const double began = time_now();
    CHECK(trial_run(&trial, LEVEL_BIT(LEVEL_SER), &result));
    CHECK(result.verdict[LEVEL_SER] == VERDICT_OK);
    CHECK(result.stats.seconds >= 0.3 && time_now() - began < 60);
}

/* --- what is left of a run that is killed ----------------------------------*/

static void
run_for_ever(const char *path)
{
    struct err err = {0};
    struct database db;
    struct collect_stats stats;
    const struct collect_options o = {
        .shape = {.kind = workload_find("mixed"),
                  .sessions = 3,
                  .operations = 8,
                  .keys = 20,
                  .reads = 0.5,
                  .values = 1},
    };
    if (database_open("store:ser", ISOLATION_UNCHANGED, NULL, &db, &err))
        collect_run(&db, &o, path, &stats, &err);
}

/* How many lines are complete; -1 where one is not and is followed by more than
 * empty lines. */
static int
complete_lines(const char *path)
{
    FILE *file = fopen(path, "r");
    int n = 0;
    bool is_over = false;
    char line[4096];
    while (file && n >= 0 && fgets(line, sizeof line, file)) {
        const size_t len = strlen(line);
        const bool whole =
            len > 2 && line[0] == '{' && strcmp(line + len - 2, "}\n") == 0;
        if (is_over && line[0] != '\n')
            n = -1;
        else if (whole)
            n++;
        else
            is_over = true;
    }
    if (file)
        fclose(file);
    return n;
}

static void
a_killed_run_loses_at_most_the_last_line(void)
{
    char path[] = "/tmp/assay-killed-XXXXXX";
    const int fd = mkstemp(path);
    CHECK(fd >= 0);
    close(fd);
    const pid_t child = fork();
    if (child == 0) {
        run_for_ever(path);
        _exit(1);
    }
    const double until = time_now() + 60;
    while (complete_lines(path) <= 100 && time_now() < until)
        time_pause(0.05);
    CHECK(kill(child, SIGKILL) == 0);
    CHECK(waitpid(child, NULL, 0) == child);
    CHECK(complete_lines(path) > 100);
    unlink(path);
}

/* --- rows that get lost ----------------------------------------------------*/

struct thief {
    struct database db;
    bool is_done;
};

/* Once transactions have written, delete all rows behind their backs. */
static void
steal_rows(void *self, const struct collect_stats *stats)
{
    struct thief *thief = self;
    struct connection *c;
    struct err err = {0};
    if (thief->is_done || stats->committed < 100 ||
        !thief->db.driver->connect(&thief->db, 99, 0, &c, &err))
        return;
    thief->is_done =
        thief->db.driver->query(c, "delete from assay_kv", NULL) == OUTCOME_OK;
    thief->db.driver->disconnect(c);
}

static void
rows_that_get_lost_are_reads_of_nothing(void)
{
    char path[] = "/tmp/assay-rows-XXXXXX";
    struct buf target = {0};
    struct err err = {0};
    struct thief thief = {0};
    struct trial_result result;
    if (!can_open("sqlite:"))
        return;
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0);
    buf_printf(&target, "sqlite:%s", path);
    CHECK(database_open(target.at, ISOLATION_UNCHANGED, NULL, &thief.db, &err));
    // SQLite may keep the thief out until the run is nearly over.
    for (uint64_t n = 4000; n <= 64000; n *= 4) {
        const struct trial trial = {.target = target.at,
                                    .transactions = n,
                                    .tick = steal_rows,
                                    .self = &thief};
        thief.is_done = false;
        CHECK(trial_run(&trial, LEVEL_BIT(LEVEL_RA), &result));
        if (result.verdict[LEVEL_RA] == VERDICT_VIOLATED)
            break;
    }
    CHECK(thief.is_done);
    CHECK(result.verdict[LEVEL_RA] == VERDICT_VIOLATED);
    // Nothing was refused: the rows were just not there.
    for (size_t i = 0; i < result.stats.n_failures; i++)
        CHECK(strcmp(result.stats.failures[i].code, "answer") != 0);
    database_close(&thief.db);
    unlink(path);
    buf_free(&target);
}

/* --- memory ----------------------------------------------------------------*/

struct memory {
    size_t early, most;
};

static void
measure(void *self, const struct collect_stats *stats)
{
    struct memory *m = self;
    const size_t in_use = mem_in_use();
    if (!m->early && stats->committed > 500)
        m->early = in_use;
    m->most = in_use > m->most ? in_use : m->most;
}

static void
memory_does_not_grow_with_the_run(void)
{
    struct memory memory = {0};
    const struct trial trial = {.target = "store:cc",
                                .transactions = 8000,
                                .tick = measure,
                                .self = &memory};
    struct trial_result result;
    CHECK(trial_run(&trial, LEVEL_BIT(LEVEL_CC), &result));
    CHECK(result.verdict[LEVEL_CC] == VERDICT_OK);
    CHECK(memory.most < memory.early + (1 << 20));
}

/* --- workloads -------------------------------------------------------------*/

static void
values_are_written_once(void)
{
    const struct workload_shape shape = {.kind = workload_find("mixed"),
                                         .sessions = 3,
                                         .operations = 5,
                                         .keys = 4,
                                         .values = 1};
    bool seen[3 * 50 * 5 + 1] = {false};
    step_vec steps = {0};
    for (uint64_t session = 0; session < shape.sessions; session++) {
        struct workload w;
        workload_init(&w, &shape, session);
        for (int i = 0; i < 50; i++) {
            workload_next(&w, false, &steps);
            CHECK(steps.n == 5);
            for (size_t k = 0; k < steps.n; k++) {
                const int64_t v = steps.at[k].value;
                CHECK(steps.at[k].kind == STEP_WRITE);
                CHECK(v > 0 && v < (int64_t)sizeof seen && !seen[v]);
                seen[v] = true;
            }
        }
    }
    vec_free(&steps);
}

static void
nothing_is_written_where_only_reads_are_allowed(void)
{
    step_vec steps = {0};
    for (const struct workload_kind *k = workload_table; k->name; k++) {
        const struct workload_shape shape = {
            .kind = k, .sessions = 2, .operations = 5, .keys = 4, .values = 1};
        struct workload w;
        workload_init(&w, &shape, 1);
        for (int i = 0; i < 100; i++) {
            workload_next(&w, true, &steps);
            for (size_t n = 0; n < steps.n; n++) {
                const enum step_kind kind = steps.at[n].kind;
                CHECK(k->has_items
                          ? kind == STEP_ITEM_READ || kind == STEP_ITEM_QUERY
                          : kind == STEP_READ || kind == STEP_READ_LIST);
                CHECK(k->has_items || steps.at[n].key < workload_keys(&shape));
            }
        }
    }
    vec_free(&steps);
}

static void
operations_come_in_order_of_keys_on_request(void)
{
    const struct workload_shape shape = {.kind = workload_find("update"),
                                         .sessions = 1,
                                         .operations = 4,
                                         .keys = 6,
                                         .values = 1,
                                         .sorted = true,
                                         .seed = 1};
    struct workload w;
    step_vec steps = {0};
    workload_init(&w, &shape, 0);
    for (int i = 0; i < 200; i++) {
        workload_next(&w, false, &steps);
        for (size_t k = 1; k < steps.n; k++) {
            CHECK(steps.at[k - 1].key <= steps.at[k].key);
            // A key is still read before it is written.
            CHECK(steps.at[k - 1].key != steps.at[k].key ||
                  (steps.at[k - 1].kind == STEP_READ &&
                   steps.at[k].kind == STEP_WRITE));
        }
    }
    vec_free(&steps);
}

/* Whether the last transaction of every session reads all keys, and only
 * reads. */
static bool
ends_with_reads_of(const struct history *h, uint32_t keys)
{
    bool ok = h->n_sessions > 0;
    for (session_id s = 0; s < h->n_sessions; s++) {
        const txn_id last = h->session_first[s + 1] - 1;
        ok = ok && h->txn_status[last] == TXN_COMMITTED &&
             h->txn_end[last] - h->txn_begin[last] == keys;
        for (op_id op = h->txn_begin[last]; ok && op < h->txn_end[last]; op++)
            ok = !op_is_write(h, op);
    }
    return ok;
}

static void
each_session_reads_the_final_state_on_request(void)
{
    char path[] = "/tmp/assay-final-XXXXXX";
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0);
    static const char *const workloads[] = {"update", "append"};
    for (size_t i = 0; i < 2; i++) {
        const struct trial trial = {.target = "store:ser",
                                    .workload = workloads[i],
                                    .transactions = 40,
                                    .operations = 2,
                                    .keys = 7,
                                    .read_final = true};
        struct trial_result result;
        struct history h;
        struct err err = {0};
        CHECK(trial_record(&trial, path, &result));
        CHECK(format_read(path, "jsonl", 1, &h, NULL, &err));
        CHECK(ends_with_reads_of(&h, 7));
        history_free(&h);
    }
    unlink(path);
}

int
main(void)
{
    RUN(values_are_written_once);
    RUN(nothing_is_written_where_only_reads_are_allowed);
    RUN(operations_come_in_order_of_keys_on_request);
    RUN(each_session_reads_the_final_state_on_request);
    RUN(each_level_of_the_store_keeps_that_level_and_no_more);
    RUN(lists_are_recorded_and_checked);
    RUN(not_every_database_has_lists_of_every_form);
    RUN(sqlite_is_serializable_in_both_journal_modes);
    RUN(a_shared_cache_that_reads_uncommitted_data_shows_aborted_reads);
    RUN(a_run_can_be_limited_by_time);
    RUN(a_killed_run_loses_at_most_the_last_line);
    RUN(rows_that_get_lost_are_reads_of_nothing);
    RUN(memory_does_not_grow_with_the_run);
    return test_end();
}
