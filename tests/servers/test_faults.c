/* test_faults.c -- servers that are killed, stopped and cut off in the middle
 * of a run: the run goes on, and nothing that was committed is lost.
 *
 * Sessions append numbers that nobody else appends to lists.  When all faults
 * are over and enough was committed after them, every list is read once more.
 * What it holds says what became of each transaction: all that it appended is
 * there where it was committed, nothing where it was aborted, and one or the
 * other where that is unknown.
 *
 * Faults wait for commits and not for the clock: machines differ.
 *
 * SPDX-License-Identifier: MIT */
#include "server_test.h"

#include "base/limits/limit.h"
#include "format/format.h"
#include "format/jsonl/jsonl_record.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    KEYS = 10,
    SESSIONS = 4,
    STEP = 60,  // commits before each fault and after the last
    ROUNDS = 10 // for transactions whose end is unknown to occur
};

struct ordeal {
    struct servers servers;
    bool (*before)(struct ordeal *o); // each fault, and after it, or NULL
    bool (*after)(struct ordeal *o);
    const enum fault_kind *faults;
    size_t n, done;
    uint64_t next; // how many commits to wait for
    bool failed;
    volatile sig_atomic_t is_over;
};

static void
tick(void *self, const struct collect_stats *stats)
{
    struct ordeal *o = self;
    if (stats->committed < o->next)
        return;
    o->next = stats->committed + STEP;
    if (o->done == o->n) {
        o->is_over = 1;
        return;
    }
    struct err err = {0};
    const struct fault fault = {.kind = o->faults[o->done++]};
    if ((o->before && !o->before(o)) ||
        !servers_fault(&o->servers, &fault, &err) ||
        (o->after && !o->after(o))) {
        o->failed = true;
        o->is_over = 1;
        printf("# %s\n", err.text);
    }
}

/* Run statements on a connection of their own; *count, if not NULL, is what
 * the last one returns. */
static bool
tell(struct ordeal *o, const char *const *statements, size_t n, size_t *count)
{
    struct err err = {0};
    struct database db;
    struct connection *c;
    struct result_rows rows = {0};
    if (!database_open(o->servers.url, ISOLATION_UNCHANGED, NULL, &db, &err))
        return false;
    bool ok = db.driver->connect(&db, 0, 0, &c, &err);
    if (ok) {
        for (size_t i = 0; ok && i < n; i++)
            ok = c->driver->query(c, statements[i], &rows) == OUTCOME_OK;
        if (ok && count)
            *count = strtoul(result_rows_get(&rows, 0, 0), NULL, 10);
        c->driver->disconnect(c);
    }
    result_rows_free(&rows);
    database_close(&db);
    return ok;
}

/* --- the last read ---------------------------------------------------------*/

/* Put a line at the end of a recording, before the one that ends it. */
static bool
add_line(const char *path, const struct buf *line)
{
    const off_t last = (off_t)strlen(JSONL_RECORDING_END);
    const int fd = open(path, O_WRONLY);
    const off_t end = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
    struct buf text = {0};
    buf_add(&text, line->at, line->n);
    buf_text(&text, JSONL_RECORDING_END);
    const bool ok = end > last &&
                    pwrite(fd, text.at, text.n, end - last) == (ssize_t)text.n;
    buf_free(&text);
    return fd >= 0 && close(fd) == 0 && ok;
}

/* Read all lists and add that to the history. */
static bool
read_all(const char *target, const char *path, int_vec *found)
{
    struct err err = {0};
    struct database db;
    struct connection *c;
    if (!database_open(target, ISOLATION_SERIALIZABLE, NULL, &db, &err))
        return false;
    bool ok = db.driver->connect(&db, SESSIONS, 0, &c, &err);
    if (ok) {
        struct jsonl_record record = {0};
        int_vec list = {0};
        jsonl_record_begin(&record, SESSIONS + 1);
        ok = c->driver->begin(c) == OUTCOME_OK;
        for (uint64_t k = 0; ok && k < KEYS; k++) {
            ok = c->driver->read_list(c, k, &list) == OUTCOME_OK;
            jsonl_record_read_list(&record, k, list.at, list.n);
            for (size_t i = 0; i < list.n; i++)
                vec_push(found, list.at[i]);
        }
        ok = ok && c->driver->commit(c) == OUTCOME_OK;
        jsonl_record_end(&record, TXN_COMMITTED, INT64_MAX / 4,
                         INT64_MAX / 4 + 1, NULL);
        ok = ok && add_line(path, &record.line);
        jsonl_record_free(&record);
        vec_free(&list);
        c->driver->disconnect(c);
    }
    database_close(&db);
    return ok;
}

static int
by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

struct tally {
    size_t committed, aborted, there, gone; // the last two: of the unknown
    size_t wrong;
};

/* Compare one transaction of the history with the last read. */
static void
audit_txn(const struct history *h, txn_id t, const int_vec *found,
          struct tally *out)
{
    size_t appended = 0, there = 0;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        if (!op_is_write(h, op))
            continue;
        const int64_t element =
            (int64_t)history_value_atom(h, h->op_value[op]).bits;
        appended++;
        there += bsearch(&element, found->at, found->n, sizeof element,
                         by_value) != NULL;
    }
    if (!appended)
        return;
    const bool all = there == appended, none = there == 0;
    if (h->txn_status[t] == TXN_INDETERMINATE) {
        out->there += all;
        out->gone += none;
        out->wrong += !all && !none;
    } else if (h->txn_status[t] == TXN_ABORTED) {
        out->aborted++;
        out->wrong += !none;
    } else {
        out->committed++;
        out->wrong += !all;
    }
}

static void
order_check(const char *path, int_vec *found, struct tally *out)
{
    struct history h;
    struct err err = {0};
    qsort(found->at, found->n, sizeof found->at[0], by_value);
    if (!format_read(path, "jsonl", 1, &h, NULL, &err)) {
        CHECK(!"the history can be read");
        return;
    }
    CHECK(!h.is_cut);
    for (txn_id t = 0; t < h.n_txns; t++)
        audit_txn(&h, t, found, out);
    history_free(&h);
    printf("# %zu committed and there, %zu aborted and not; unknown: %zu "
           "there, %zu not; %zu wrong\n",
           out->committed, out->aborted, out->there, out->gone, out->wrong);
}

/* --- runs ------------------------------------------------------------------*/

static void
run_once(struct ordeal *o, struct tally *tally)
{
    char path[] = "/tmp/assay-fault-XXXXXX";
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0);
    const struct trial trial = {.target = o->servers.url,
                                .workload = "append",
                                .isolation = ISOLATION_SERIALIZABLE,
                                .sessions = SESSIONS,
                                .seconds = 240,
                                .operations = 3,
                                .keys = KEYS,
                                .pause = 0.001,
                                .leave_tables = true,
                                .tick = tick,
                                .self = o,
                                .interrupted = &o->is_over};
    struct trial_result r;
    int_vec found = {0};
    o->next = STEP;
    o->done = 0;
    o->is_over = 0;
    CHECK(trial_record(&trial, path, &r));
    CHECK(!o->failed && o->done == o->n && o->is_over);
    CHECK(read_all(o->servers.url, path, &found));
    CHECK(trial_check(path, LEVEL_BIT(LEVEL_SER) | LEVEL_BIT(LEVEL_STRICT_SER),
                      &r));
    CHECK(r.verdict[LEVEL_SER] == VERDICT_OK);
    // A late commit is a session of its own, so it contradicts no real time.
    CHECK(r.verdict[LEVEL_STRICT_SER] == VERDICT_OK);
    order_check(path, &found, tally);
    CHECK(tally->wrong == 0);
    CHECK(tally->committed >= STEP);
    vec_free(&found);
    unlink(path);
}

static void
survives(const char *server, const enum fault_kind *faults, size_t n)
{
    struct ordeal o = {.faults = faults, .n = n};
    struct tally tally = {0};
    if (!start_server(server, &o.servers))
        return;
    // Who is cut off between two transactions knows everything.
    for (int i = 0; i < ROUNDS && test_ok && !tally.there && !tally.gone; i++)
        run_once(&o, &tally);
    CHECK(tally.there + tally.gone > 0);
    servers_stop(&o.servers);
}

/* Let commits be written and then wait for a standby that does not exist, and
 * see all sessions do so. */
static bool
hold_commits(struct ordeal *o)
{
    static const char *const hold[] = {
        "alter system set synchronous_standby_names = 'nobody'",
        "select pg_reload_conf()"};
    static const char *const count[] = {
        "select count(*) from pg_stat_activity where wait_event = 'SyncRep'"};
    size_t waiting = 0;
    bool ok = tell(o, hold, 2, NULL);
    for (int i = 0; ok && !waiting && i < 12000; i++) {
        time_pause(0.01);
        ok = tell(o, count, 1, &waiting);
    }
    return ok && waiting > 0;
}

static bool
release_commits(struct ordeal *o)
{
    static const char *const release[] = {
        "alter system reset synchronous_standby_names",
        "select pg_reload_conf()"};
    return tell(o, release, 2, NULL);
}

static const enum fault_kind kills[] = {FAULT_KILL, FAULT_KILL};
static const enum fault_kind others[] = {FAULT_DISCONNECT, FAULT_STOP,
                                         FAULT_RESTART};

static void
postgresql_loses_no_commit_when_it_is_killed(void)
{
    survives("postgresql", kills, 2);
}

static void
postgresql_loses_no_commit_when_it_is_disturbed(void)
{
    survives("postgresql", others, 3);
}

static void
a_commit_that_nobody_was_told_of_may_be_there(void)
{
    struct ordeal o = {.before = hold_commits,
                       .after = release_commits,
                       .faults = kills,
                       .n = 1};
    struct tally tally = {0};
    if (!start_server("postgresql", &o.servers))
        return;
    run_once(&o, &tally);
    CHECK(tally.there > 0);
    servers_stop(&o.servers);
}

static void
mariadb_loses_no_commit_when_it_is_killed(void)
{
    survives("mariadb", kills, 2);
}

static void
mariadb_loses_no_commit_when_it_is_disturbed(void)
{
    survives("mariadb", others, 3);
}

int
main(void)
{
    RUN(postgresql_loses_no_commit_when_it_is_killed);
    RUN(postgresql_loses_no_commit_when_it_is_disturbed);
    RUN(a_commit_that_nobody_was_told_of_may_be_there);
    RUN(mariadb_loses_no_commit_when_it_is_killed);
    RUN(mariadb_loses_no_commit_when_it_is_disturbed);
    return test_end();
}
