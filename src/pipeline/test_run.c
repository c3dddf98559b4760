/* test_run.c -- see test_run.h.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/test_run.h"

#include "base/ascii.h"
#include "base/limits/limit.h"
#include "record/scripted.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The target as far as it may be shown: without a password, and without the
 * port of a server that was started for the run. */
static void
choose_name(struct test_run *t)
{
    if (t->options.start) {
        snprintf(t->name, sizeof t->name, "%s", t->options.start);
        return;
    }
    // Of a connection string of ODBC all may be secret but its first part.
    if (ascii_compare_n(t->target, "odbc:", 5) == 0) {
        snprintf(t->name, sizeof t->name, "%.*s", (int)strcspn(t->target, ";"),
                 t->target);
        return;
    }
    const char *slashes = strstr(t->target, "//");
    const char *sign = slashes ? strchr(slashes, '@') : NULL;
    const size_t scheme = slashes ? (size_t)(slashes + 2 - t->target) : 0;
    snprintf(t->name, sizeof t->name, "%.*s%s", sign ? (int)scheme : 0,
             t->target, sign ? sign + 1 : t->target);
    const size_t n = strlen(t->name);
    if (n && t->name[n - 1] == ':')
        t->name[n - 1] = 0;
}

/* After a crash, versions of rows may have the names of others that are lost.
 */
static bool
expect_no_kill(const struct test_run *t, struct err *err)
{
    for (size_t i = 0; t->options.scripts && i < t->faults.n; i++) {
        const enum fault_kind kind = t->faults.at[i].kind;
        if (kind == FAULT_KILL || kind == FAULT_FAILOVER)
            return err_set(err, ERR_USAGE,
                           "--fault %s is not for SQL files, expected stop, "
                           "restart or disconnect",
                           fault_names[kind]);
    }
    return true;
}

void
test_run_product(const char *place, char out[TEST_RUN_PRODUCT])
{
    // "galera:3", "postgresql@15.3+standby", "duckdb:"
    snprintf(out, TEST_RUN_PRODUCT, "%.*s", (int)strcspn(place, ":@+/,"),
             place);
    if (strcmp(out, "galera") == 0 || strcmp(out, "mysql") == 0)
        snprintf(out, TEST_RUN_PRODUCT, "mariadb");
    else if (strcmp(out, "postgres") == 0)
        snprintf(out, TEST_RUN_PRODUCT, "postgresql");
}

static bool
open_scripts(struct test_run *t, struct err *err)
{
    const struct test_run_options *o = &t->options;
    char product[TEST_RUN_PRODUCT];
    test_run_product(o->start ? o->start : o->target, product);
    const struct sql_workload_options sql = {.product = product,
                                             .scripts = o->scripts,
                                             .schema = o->schema,
                                             .sessions =
                                                 o->collect.shape.sessions,
                                             .seed = o->collect.shape.seed,
                                             .pause = o->collect.pause,
                                             .self = o->observer.self,
                                             .left_out = o->observer.left_out};
    return !o->scripts || sql_workload_open(&t->sql, &sql, err);
}

static bool
start_servers(struct test_run *t, struct err *err)
{
    const struct test_run_options *o = &t->options;
    size_t nodes;
    if (!servers_count(o->start, &nodes, err) ||
        (o->faults && !faults_parse(o->faults, nodes, &t->faults, err)) ||
        !faults_expect(&t->faults, o->start, err) || !expect_no_kill(t, err))
        return false;
    if (o->observer.starting)
        o->observer.starting(o->observer.self, o->start);
    t->has_servers =
        servers_start(o->start, o->collect.interrupted, &t->servers, err);
    t->target = t->servers.url;
    return t->has_servers;
}

bool
test_run_begin(const struct test_run_options *o, struct test_run *t,
               struct err *err)
{
    *t = (struct test_run){.options = *o, .target = o->target};
    assert(!o->target != !o->start); // exactly one of them
    assert(!o->faults || o->start);
    bool ok = true;
    for (size_t i = 0; ok && i < o->n_nemesis; i++)
        ok = nemesis_add(&t->nemesis, o->nemesis[i], err);
    ok = ok && open_scripts(t, err) && (!o->start || start_servers(t, err));
    if (ok)
        choose_name(t);
    else
        test_run_end(t);
    return ok;
}

void
test_run_end(struct test_run *t)
{
    if (t->has_servers)
        servers_stop(&t->servers);
    vec_free(&t->faults);
    vec_free(&t->inflicted);
    nemesis_free(&t->nemesis);
    sql_workload_close(&t->sql);
    database_facts_free(&t->facts);
}

/* Inflict a fault 'now', in seconds of the run, and set its next time. */
static void
inflict(struct test_run *t, struct fault *fault, double now)
{
    const struct test_run_observer *o = &t->options.observer;
    const volatile sig_atomic_t *interrupted = t->options.collect.interrupted;
    struct err err = {0};
    const double began = time_now();
    const size_t node = servers_fault_node(&t->servers, fault);
    const bool ok = servers_fault(&t->servers, fault, &err);
    const double ended = now + time_now() - began;
    vec_push(&t->inflicted, ((struct report_fault){fault_names[fault->kind],
                                                   node + 1, now, ended}));
    fault->time.seconds =
        fault->time.repeats ? ended + fault->time.every : HUGE_VAL;
    if (!ok && o->fault_failed && !(interrupted && *interrupted))
        o->fault_failed(o->self, &err);
}

/* Called now and then while the sessions run. */
static void
tick(void *self, const struct collect_stats *stats)
{
    struct test_run *t = self;
    const struct test_run_observer *o = &t->options.observer;
    const struct collect_options *c = &t->options.collect;
    const double entered = time_now();
    nemesis_start(&t->nemesis, t->database, (uint32_t)c->shape.sessions,
                  time_now() - stats->seconds);
    for (size_t i = 0; i < t->faults.n; i++) {
        // The fault before may have taken a while.
        const double now = stats->seconds + time_now() - entered;
        const bool is_over = c->seconds > 0 && now >= c->seconds;
        if (!is_over && now >= t->faults.at[i].time.seconds)
            inflict(t, &t->faults.at[i], now);
    }
    if (o->progress)
        o->progress(o->self, stats);
}

static void
sessions_ended(void *self)
{
    struct test_run *t = self;
    nemesis_stop(&t->nemesis);
}

/* Whether the database has what the run needs. */
static bool
can_run(const struct test_run *t, const struct database *db, struct err *err)
{
    const struct test_run_options *o = &t->options;
    const char *option = o->n_nemesis && !db->driver->query ? "nemesis"
                         : o->index && !db->driver->sql     ? "index"
                         : o->collect.shape.access && !db->driver->sql
                             ? "access"
                             : NULL;
    return !option || err_set(err, ERR_USAGE,
                              "--%s needs a database that takes SQL, found %s",
                              option, t->name);
}

/* A server that was started for the run has to be there at its end. */
static void
note_deaths(struct test_run *t)
{
    const size_t n = t->has_servers ? servers_died(&t->servers) : 0;
    for (size_t i = 0; i < n; i++)
        findings_add(&t->stats.findings, SERVER_ERROR_CRASH, "ended",
                     "a server that was started for the run has ended", "");
}

/* Let the database itself report what the statements of the scripts do, if the
 * options ask for it.  'text' lives as long as the recorder. */
static bool
open_recorder(struct test_run *t, struct database *db, struct buf *text,
              struct scripted **out, struct err *err)
{
    const struct test_run_options *o = &t->options;
    enum recorder_kind recorder;
    if (!o->scripts || !recorder_choose(db, o->recorder, &recorder, err))
        return !o->scripts;
    if (recorder != RECORDER_POLICY)
        return true;
    struct scripted_options so = {.db = db,
                                  .hides_numbers = true,
                                  .self = o->observer.self,
                                  .left_out = o->observer.left_out};
    bool ok = sql_workload_put_text(&t->sql, text, err);
    so.text = text->at;
    ok = ok && scripted_open(&so, out, err);
    if (ok)
        t->sql.recorder = scripted_recorder(*out);
    return ok;
}

bool
test_run_record(struct test_run *t, const char *path, struct err *err)
{
    const struct test_run_options *o = &t->options;
    struct collect_options collect = o->collect;
    struct database db;
    struct scripted *recorder = NULL;
    struct buf text = {0};
    if (!database_open(t->target, o->isolation, &o->setups, &db, err))
        return false;
    db.mix = o->mix;
    assert(sizeof t->note == sizeof db.note);
    memcpy(t->note, db.note, sizeof t->note);
    t->nodes = db.nodes;
    database_describe(&db, &t->facts);
    collect.source = o->scripts ? &t->sql.source : NULL;
    collect.read_final = t->faults.n && !collect.shape.app && !o->scripts;
    collect.tick = tick;
    collect.ended = sessions_ended;
    collect.self = t;
    t->database = &db;
    t->servers.clients = t->has_servers ? &db : NULL;
    db.index = o->index;
    const bool ok = can_run(t, &db, err) &&
                    open_recorder(t, &db, &text, &recorder, err) &&
                    collect_run(&db, &collect, path, &t->stats, err);
    scripted_close(recorder);
    buf_free(&text);
    t->sql.recorder = NULL;
    t->database = NULL;
    t->servers.clients = NULL;
    note_deaths(t);
    database_close(&db);
    return ok;
}
