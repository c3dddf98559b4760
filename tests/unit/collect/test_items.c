/* test_items.c -- workloads of rows run on SQLite and are recorded.
 *
 * SPDX-License-Identifier: MIT */
#include "expect.h"

#include "collect/items/item_step.h"
#include "collect/pair.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* --- whole runs ------------------------------------------------------------*/

/* Run a workload on SQLite, which must be serializable. */
static void
holds(const char *name, const char *index, unsigned access, bool pairs,
      unsigned features)
{
    char path[] = "/tmp/assay-items-XXXXXX";
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0);
    const struct collect_options o = {.shape = {.kind = workload_find(name),
                                                .sessions = 4,
                                                .operations = 4,
                                                .keys = 12,
                                                .reads = 0.5,
                                                .values = 1,
                                                .access = access,
                                                .pairs = pairs,
                                                .features = features,
                                                .seed = 3},
                                      .transactions = 100};
    struct err err = {0};
    struct database db;
    struct trial_result r = {0};
    CHECK(database_open("sqlite:", ISOLATION_UNCHANGED, NULL, &db, &err));
    db.index = index;
    CHECK(collect_run(&db, &o, path, &r.stats, &err));
    database_close(&db);
    CHECK(r.stats.committed > 0);
    CHECK(r.stats.committed + r.stats.aborted == 100);
    CHECK(trial_check(path, LEVEL_BIT(LEVEL_SER), &r));
    CHECK(r.verdict[LEVEL_SER] == VERDICT_OK);
    unlink(path);
}

static void
sqlite_is_serializable_under_workloads_of_rows(void)
{
    static const char *const names[] = {"rows", "phantom", "fresh"};
    const unsigned every_access = (1u << ACCESSES) - 1;
    if (!can_open("sqlite:"))
        return;
    for (size_t i = 0; i < 3; i++) {
        holds(names[i], NULL, 0, false, 0);
        holds(names[i], "btree", every_access, true, (1u << FEATURES) - 1);
    }
}

static void
a_database_without_sql_has_no_rows(void)
{
    struct err err = {0};
    struct database db;
    CHECK(database_open("store:ser", ISOLATION_UNCHANGED, NULL, &db, &err));
    CHECK(!item_load(&db, &err));
    CHECK(strcmp(err.text, "store: workloads of rows need a database that "
                           "takes SQL") == 0);
    database_close(&db);
}

/* --- what is recorded ------------------------------------------------------*/

struct bench {
    struct database db;
    struct connection *c;
    struct item_state items;
    struct jsonl_record record;
};

static bool
set_up(struct bench *b)
{
    struct err err = {0};
    *b = (struct bench){0};
    return database_open("sqlite:", ISOLATION_UNCHANGED, NULL, &b->db, &err) &&
           item_load(&b->db, &err) &&
           b->db.driver->connect(&b->db, 0, 0, &b->c, &err);
}

static void
tear_down(struct bench *b)
{
    b->db.driver->disconnect(b->c);
    item_state_free(&b->items);
    jsonl_record_free(&b->record);
    database_close(&b->db);
}

/* Run steps in a transaction; whether exactly this is recorded. */
static bool
records(struct bench *b, const struct workload_step *steps, size_t n,
        const char *ops)
{
    bool ok = b->c->driver->begin(b->c) == OUTCOME_OK;
    jsonl_record_begin(&b->record, 1);
    for (size_t i = 0; ok && i < n; i++)
        ok = item_step_run(b->c, &steps[i], false, &b->items, &b->record) ==
             OUTCOME_OK;
    ok = b->c->driver->commit(b->c) == OUTCOME_OK && ok;
    const char *found = strchr(b->record.line.at, '[') + 1;
    if (strcmp(found, ops) != 0)
        printf("# found    %s\n# expected %s\n", found, ops);
    return ok && strcmp(found, ops) == 0;
}

#define RECORDS(b, ops, ...)                                                   \
    records(b, (const struct workload_step[]){__VA_ARGS__},                    \
            sizeof((const struct workload_step[]){__VA_ARGS__}) /              \
                sizeof(struct workload_step),                                  \
            ops)

static void
statements_of_one_row_read_what_they_replace(void)
{
    struct bench b;
    if (!can_open("sqlite:"))
        return;
    CHECK(set_up(&b));
    CHECK(RECORDS(&b,
                  "[\"r\",[\"item\",3]],"
                  "[\"i\",[\"item\",3],{\"k\":3,\"g\":1,\"v\":10}],"
                  "[\"r\",[\"item\",3],{\"k\":3,\"g\":1,\"v\":10}]",
                  {.kind = STEP_ITEM_INSERT, .key = 3, .value = 10, .group = 1},
                  {.kind = STEP_ITEM_READ, .key = 3}));
    CHECK(RECORDS(&b,
                  "[\"r\",[\"item\",3],{\"k\":3,\"g\":1,\"v\":10}],"
                  "[\"u\",[\"item\",3],{\"k\":3,\"g\":0,\"v\":11}],"
                  "[\"r\",[\"item\",4]],"
                  "[\"i\",[\"item\",4],{\"k\":4,\"g\":0,\"v\":12}],"
                  "[\"r\",[\"item\",5]]",
                  {.kind = STEP_ITEM_UPSERT, .key = 3, .value = 11},
                  {.kind = STEP_ITEM_UPSERT, .key = 4, .value = 12},
                  {.kind = STEP_ITEM_UPDATE, .key = 5, .value = 13}));
    CHECK(RECORDS(&b,
                  "[\"r\",[\"item\",4],{\"k\":4,\"g\":0,\"v\":12}],"
                  "[\"d\",[\"item\",4]],[\"r\",[\"item\",4]]",
                  {.kind = STEP_ITEM_DELETE, .key = 4},
                  {.kind = STEP_ITEM_DELETE, .key = 4}));
    tear_down(&b);
}

static void
statements_with_a_condition_are_queries(void)
{
    struct bench b;
    if (!can_open("sqlite:"))
        return;
    CHECK(set_up(&b));
    CHECK(RECORDS(
        &b,
        "[\"r\",[\"item\",9]],"
        "[\"i\",[\"item\",9],{\"k\":9,\"g\":8,\"v\":1}],"
        "[\"q\",{\"table\":\"item\",\"where\":\"g = 8\",\"unordered\":true},"
        "[[[\"item\",9],{\"k\":9,\"g\":8,\"v\":1}]]],"
        "[\"u\",[\"item\",9],{\"k\":9,\"g\":9,\"v\":2}],"
        "[\"q\",{\"table\":\"item\",\"where\":\"g = 8\"},[]]",
        {.kind = STEP_ITEM_INSERT, .key = 9, .value = 1, .group = 8},
        {.kind = STEP_ITEM_UPDATE_WHERE, .key = 8, .value = 2, .group = 9},
        {.kind = STEP_ITEM_QUERY, .key = 8}));
    CHECK(RECORDS(
        &b,
        "[\"q\",{\"table\":\"item\",\"where\":\"k BETWEEN 8 AND "
        "15\",\"unordered\":true},"
        "[[[\"item\",9],{\"k\":9,\"g\":9,\"v\":2}]]],[\"d\",[\"item\",9]],"
        "[\"q\",{\"table\":\"item\",\"where\":\"TRUE\"},[]]",
        {.kind = STEP_ITEM_DELETE_WHERE, .key = 11, .where = ITEMS_OF_BLOCK},
        {.kind = STEP_ITEM_QUERY, .where = ITEMS_ALL}));
    tear_down(&b);
}

static void
what_is_rolled_back_to_a_savepoint_is_not_recorded(void)
{
    struct bench b;
    if (!can_open("sqlite:"))
        return;
    CHECK(set_up(&b));
    CHECK(RECORDS(&b, "[\"r\",[\"item\",1]],[\"r\",[\"item\",2]]",
                  {.kind = STEP_ITEM_READ, .key = 1}, {.kind = STEP_SAVEPOINT},
                  {.kind = STEP_ITEM_INSERT, .key = 2, .value = 1},
                  {.kind = STEP_ROLLBACK_TO},
                  {.kind = STEP_ITEM_READ, .key = 2}));
    CHECK(b.record.writes == 0 && b.record.ops == 2);
    tear_down(&b);
}

/* A step that is left out depends on how many rows the query returned. */
static void
a_row_is_inserted_where_there_are_few(void)
{
    struct bench b;
    if (!can_open("sqlite:"))
        return;
    CHECK(set_up(&b));
    const struct workload_step steps[] = {
        {.kind = STEP_ITEM_QUERY},
        {.kind = STEP_ITEM_INSERT, .key = 1, .value = 1, .when = ITEM_IF_FEW},
        {.kind = STEP_ITEM_DELETE_WHERE, .when = ITEM_IF_MANY}};
    CHECK(records(&b, steps, 3,
                  "[\"q\",{\"table\":\"item\",\"where\":\"g = 0\"},[]],"
                  "[\"r\",[\"item\",1]],"
                  "[\"i\",[\"item\",1],{\"k\":1,\"g\":0,\"v\":1}]"));
    tear_down(&b);
}

/* --- pairs -----------------------------------------------------------------*/

static void *
meet_three_times(void *arg)
{
    const atomic_bool stop = false;
    for (uint64_t round = 1; round <= 3; round++)
        pair_meet(arg, round, &stop);
    pair_leave(arg);
    return NULL;
}

static void
a_session_waits_for_the_other_until_that_ends(void)
{
    struct pair p = {0};
    const atomic_bool stop = false;
    pthread_t other;
    CHECK(pthread_create(&other, NULL, meet_three_times, &p) == 0);
    for (uint64_t round = 1; round <= 5; round++) {
        pair_meet(&p, round, &stop);
        CHECK(atomic_load(&p.arrivals) >= 2 * (round < 3 ? round : 3));
    }
    CHECK(pthread_join(other, NULL) == 0);
    CHECK(atomic_load(&p.is_over) && atomic_load(&p.arrivals) == 8);
}

static void
both_sessions_of_a_pair_work_on_the_same_keys(void)
{
    const struct workload_shape shape = {.kind = workload_find("mixed"),
                                         .sessions = 2,
                                         .operations = 6,
                                         .keys = 1000,
                                         .reads = 0.5,
                                         .values = 1,
                                         .pairs = true};
    struct workload w[2];
    step_vec steps = {0};
    workload_init(&w[0], &shape, 0);
    workload_init(&w[1], &shape, 1);
    for (int i = 0; i < 50; i++)
        for (int s = 0; s < 2; s++) {
            workload_next(&w[s], false, &steps);
            CHECK(w[s].focus[0] == w[0].focus[0]);
            for (size_t n = 0; n < steps.n; n++)
                CHECK(steps.at[n].key == w[0].focus[0] ||
                      steps.at[n].key == w[0].focus[1]);
        }
    vec_free(&steps);
}

/* --- a database that refuses snapshots -------------------------------------*/

// Each session is a thread.
static _Thread_local bool is_open;
static _Thread_local unsigned snapshots;
static atomic_uint refused, left_open;
static const struct driver *sqlite;
static struct driver refusing;

static bool
refusing_connect(struct database *db, uint32_t session, size_t node,
                 struct connection **out, struct err *err)
{
    const bool ok = sqlite->connect(db, session, node, out, err);
    if (ok)
        (*out)->driver = &refusing;
    return ok;
}

static enum outcome
refusing_begin(struct connection *c)
{
    atomic_fetch_add(&left_open, is_open);
    is_open = true;
    return sqlite->begin(c);
}

static enum outcome
refusing_abort(struct connection *c)
{
    is_open = false;
    return sqlite->abort(c);
}

static enum outcome
refusing_commit(struct connection *c)
{
    const enum outcome outcome = sqlite->commit(c);
    is_open = outcome != OUTCOME_OK;
    return outcome;
}

/* Refuse every third read that takes a snapshot, as a locked file does. */
static enum outcome
refusing_query(struct connection *c, const char *sql, struct result_rows *out)
{
    if (!strstr(sql, "assay_key = -1") || ++snapshots % 3)
        return sqlite->query(c, sql, out);
    atomic_fetch_add(&refused, 1);
    return outcome_set(c, OUTCOME_ABORTED, "5", "database is locked");
}

static void
a_transaction_without_its_snapshot_is_ended(void)
{
    char path[] = "/tmp/assay-items-XXXXXX";
    struct err err = {0};
    struct database db;
    struct collect_stats stats;
    const struct collect_options o = {.shape = {.kind = workload_find("rows"),
                                                .sessions = 2,
                                                .operations = 2,
                                                .keys = 4,
                                                .reads = 0.5,
                                                .values = 1,
                                                .pairs = true},
                                      .transactions = 30};
    if (!can_open("sqlite:"))
        return;
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0);
    CHECK(database_open("sqlite:", ISOLATION_UNCHANGED, NULL, &db, &err));
    sqlite = db.driver;
    refusing = *sqlite;
    refusing.connect = refusing_connect;
    refusing.begin = refusing_begin;
    refusing.abort = refusing_abort;
    refusing.commit = refusing_commit;
    refusing.query = refusing_query;
    db.driver = &refusing;
    CHECK(collect_run(&db, &o, path, &stats, &err));
    db.driver = sqlite;
    database_close(&db);
    unlink(path);
    CHECK(atomic_load(&refused) >= 8 && stats.aborted >= 8);
    CHECK(atomic_load(&left_open) == 0);
}

/* --- a database that does what it refuses ----------------------------------*/

static _Thread_local unsigned changes;

/* A statement outside of transactions takes effect, and every second one of
 * those that change something is said to have failed. */
static enum outcome
doubtful_query(struct connection *c, const char *sql, struct result_rows *out)
{
    const enum outcome outcome = sqlite->query(c, sql, out);
    const bool is_change =
        strncmp(sql, "insert", 6) == 0 || strncmp(sql, "update", 6) == 0;
    if (is_open || outcome != OUTCOME_OK || !is_change || ++changes % 2)
        return outcome;
    atomic_fetch_add(&refused, 1);
    return outcome_set(c, OUTCOME_FAILED, "SQLITE_IOERR", "disk I/O error");
}

static void
a_statement_by_itself_that_fails_has_an_unknown_outcome(void)
{
    char path[] = "/tmp/assay-items-XXXXXX";
    struct err err = {0};
    struct database db;
    struct trial_result r = {0};
    const struct collect_options o = {
        .shape = {.kind = workload_find("rows"),
                  .sessions = 1,
                  .operations = 3,
                  .keys = 4,
                  .reads = 0.5,
                  .values = 1,
                  .features = 1u << FEATURE_AUTOCOMMIT},
        .transactions = 200};
    if (!can_open("sqlite:"))
        return;
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0);
    CHECK(database_open("sqlite:", ISOLATION_UNCHANGED, NULL, &db, &err));
    sqlite = db.driver;
    refusing = *sqlite;
    refusing.connect = refusing_connect;
    refusing.begin = refusing_begin;
    refusing.abort = refusing_abort;
    refusing.commit = refusing_commit;
    refusing.query = doubtful_query;
    db.driver = &refusing;
    atomic_store(&refused, 0);
    CHECK(collect_run(&db, &o, path, &r.stats, &err));
    db.driver = sqlite;
    database_close(&db);
    CHECK(r.stats.unknown >= 8);
    CHECK(r.stats.unknown == atomic_load(&refused));
    CHECK(trial_check(path, LEVEL_BIT(LEVEL_SER), &r));
    CHECK(r.verdict[LEVEL_SER] == VERDICT_OK);
    unlink(path);
}

static void
features_are_parsed(void)
{
    unsigned set;
    CHECK(workload_features_parse("long,for-update", &set));
    CHECK(set == (1u << FEATURE_LONG | 1u << FEATURE_FOR_UPDATE));
    CHECK(!workload_features_parse("long,", &set));
    CHECK(!workload_features_parse("for update", &set));
}

int
main(void)
{
    RUN(features_are_parsed);
    RUN(both_sessions_of_a_pair_work_on_the_same_keys);
    RUN(a_session_waits_for_the_other_until_that_ends);
    RUN(statements_of_one_row_read_what_they_replace);
    RUN(statements_with_a_condition_are_queries);
    RUN(what_is_rolled_back_to_a_savepoint_is_not_recorded);
    RUN(a_row_is_inserted_where_there_are_few);
    RUN(a_database_without_sql_has_no_rows);
    RUN(a_transaction_without_its_snapshot_is_ended);
    RUN(a_statement_by_itself_that_fails_has_an_unknown_outcome);
    RUN(sqlite_is_serializable_under_workloads_of_rows);
    return test_end();
}
