/* run_options.c -- see run_options.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/options/run_options.h"

#include "cli/interrupt.h"
#include "level/names.h"

#include <string.h>

// Seconds to wait for a server that is down, and for one that does not answer
// when the run is over.
enum { PATIENCE = 30, GRACE = 60 };

/* Parse one isolation, or several that are separated by commas. */
static bool
parse_isolations(const struct options *o, enum driver_isolation *one,
                 struct isolation_mix *mix, struct err *err)
{
    struct buf word = {0};
    bool ok = true;
    for (const char *at = o->isolation; ok && at;) {
        const size_t n = strcspn(at, ",");
        buf_clear(&word);
        buf_add(&word, at, n);
        ok = mix->n < ISOLATIONS &&
             driver_isolation_parse(word.n ? word.at : "", &mix->at[mix->n++]);
        at = at[n] ? at + n + 1 : NULL;
    }
    buf_free(&word);
    if (!ok)
        return choices_error("isolation", choices_isolations, o->isolation,
                             err);
    *one = mix->at[0];
    if (mix->n == 1)
        mix->n = 0;
    return !(mix->n && o->spec) ||
           err_set(err, ERR_USAGE,
                   "a specification takes one --isolation for all sessions");
}

/* The strongest level to check decides which isolation is requested. */
static bool
choose_isolation(const struct options *o, struct test_run_options *out,
                 struct err *err)
{
    level_set levels;
    if (o->isolation)
        return parse_isolations(o, &out->isolation, &out->mix, err);
    if (!level_parse_list(o->level ? o->level : "ser", o->session_order,
                          &levels, err))
        return false;
    out->isolation =
        driver_isolation_for(level_highest(levels & ~LEVEL_SET_ALL));
    return true;
}

uint64_t
run_default_keys(const char *workload)
{
    return strcmp(workload, "mixed") == 0 ? RUN_MIXED_KEYS : RUN_KEYS;
}

static bool
choose_shape(const struct options *o, struct workload_shape *out,
             struct err *err)
{
    *out = (struct workload_shape){
        .kind = workload_find(o->workload),
        .sessions = o->sessions,
        .operations = o->operations,
        .keys = o->keys,
        .theta = o->theta,
        .reads = o->reads,
        .duplicates = o->duplicates,
        .values = o->values,
        .value_theta = o->value_theta,
        .aborts = o->aborts,
        .seed = o->seed,
    };
    if (sql_workload_is(o->workload) && !o->spec) {
        out->keys = 0;
        const bool is_random = random_sql_is(o->workload);
        if (is_random && o->schema)
            return err_set(err, ERR_USAGE,
                           "-w random makes its own tables; leave out "
                           "--schema");
        return is_random || o->schema ||
               err_set(err, ERR_USAGE,
                       "-w %s needs the tables of its statements: --schema "
                       "FILE",
                       o->workload);
    }
    if (o->schema)
        return err_set(err, ERR_USAGE,
                       "--schema is for a workload of SQL files, -w FILE.sql");
    if (!app_open(o->workload, &out->app, err))
        return false;
    if (!out->kind && !out->app)
        return err_set(err, ERR_USAGE,
                       "unknown workload '%s'; see 'assay test --help'",
                       o->workload);
    out->lists = strcmp(o->lists, "arrays") == 0 ? KEYS_ARRAYS : KEYS_LISTS;
    if (out->lists == KEYS_LISTS && strcmp(o->lists, "text") != 0)
        return choices_error("lists", choices_lists, o->lists, err);
    if (!out->keys)
        out->keys = out->app ? out->app->units : run_default_keys(o->workload);
    return gen_parse_distribution(o->distribution, &out->distribution) ||
           choices_error("distribution", choices_distributions, o->distribution,
                         err);
}

/* Whether a text is one of the words. */
static bool
is_among(choices *words, const char *text)
{
    struct buf all = {0};
    words(&all);
    bool found = false;
    for (const char *at = all.at; *at && !found;) {
        const size_t n = strcspn(at, " ");
        found = strlen(text) == n && memcmp(at, text, n) == 0;
        at += n + (at[n] == ' ');
    }
    buf_free(&all);
    return found;
}

static bool
choose_features(const struct options *o, struct workload_shape *shape,
                struct err *err)
{
    const bool has_items = shape->kind && shape->kind->has_items && !o->spec;
    if (o->use && !has_items)
        return err_set(err, ERR_USAGE,
                       "--use is for workloads of rows, such as -w rows");
    if (o->sorted && has_items)
        return err_set(err, ERR_USAGE, "--sorted is not for workloads of rows");
    return !o->use || workload_features_parse(o->use, &shape->features) ||
           choices_error("use", choices_features, o->use, err);
}

static bool
choose_access(const struct options *o, struct test_run_options *out,
              struct err *err)
{
    struct workload_shape *shape = &out->collect.shape;
    out->index = o->index;
    shape->sorted = o->sorted;
    shape->pairs = o->in_pairs;
    if ((o->index || o->access || o->sorted || o->in_pairs) &&
        (!shape->kind || o->spec))
        return err_set(err, ERR_USAGE,
                       "--index, --access, --sorted and --pairs are for "
                       "workloads of keys, not for applications, SQL files "
                       "and specifications");
    if (!choose_features(o, shape, err))
        return false;
    if (o->index && !is_among(choices_indexes, o->index))
        return choices_error("index", choices_indexes, o->index, err);
    if (o->access && !driver_access_parse(o->access, &shape->access))
        return choices_error("access", choices_accesses, o->access, err);
    return o->index || !(shape->access >> ACCESS_INDEX & 1) ||
           err_set(err, ERR_USAGE, "--access index needs --index KIND");
}

static bool
choose_target(const struct options *o, struct test_run_options *out,
              struct err *err)
{
    if (o->paths.n > 1)
        return err_set(err, ERR_USAGE, "expected one target, found also '%s'",
                       o->paths.at[1]);
    if (o->start && o->paths.n)
        return err_set(err, ERR_USAGE,
                       "--start makes its own target; leave out '%s'",
                       o->paths.at[0]);
    if (o->fault && !o->start)
        return err_set(err, ERR_USAGE,
                       "--fault needs servers started with --start");
    bool is_serializable = out->isolation == ISOLATION_SERIALIZABLE;
    for (size_t i = 0; i < out->mix.n; i++)
        is_serializable |= out->mix.at[i] == ISOLATION_SERIALIZABLE;
    if (o->start && strncmp(o->start, "postgresql+", 11) == 0 &&
        is_serializable)
        return err_set(err, ERR_USAGE,
                       "a standby of PostgreSQL refuses serializable "
                       "transactions; ask for less: -i repeatable-read");
    if (o->nemesis.n && o->spec)
        return err_set(err, ERR_USAGE,
                       "--nemesis is for workloads, not for --spec");
    out->start = o->start;
    out->faults = o->fault;
    out->nemesis = o->nemesis.at;
    out->n_nemesis = o->nemesis.n;
    if (!o->start)
        out->target = o->paths.n ? o->paths.at[0] : "sqlite:";
    return true;
}

static bool
choose_recorder(const struct options *o, struct test_run_options *out,
                struct err *err)
{
    if (!o->recorder)
        return true;
    if (!recorder_parse(o->recorder, &out->recorder, err))
        return false;
    if (!o->spec && !sql_workload_is(o->workload))
        return err_set(err, ERR_USAGE,
                       "--recorder is for --spec and -w FILE.sql");
    return out->recorder != RECORDER_POLICY || !o->fault ||
           err_set(err, ERR_USAGE,
                   "--recorder policy needs its connection for the whole run, "
                   "so it is not for --fault");
}

bool
run_options_parse(const struct options *o, struct test_run_options *out,
                  struct err *err)
{
    *out = (struct test_run_options){
        .setups = {o->setups.at, o->setups.n},
        .collect = {.shards = o->shards != NULL,
                    .transactions = o->time > 0 ? 0 : o->transactions,
                    .seconds = o->time,
                    .pause = o->pause,
                    .move = o->move,
                    .patience = PATIENCE,
                    .grace = GRACE,
                    .interrupted = &interrupt_flag}};
    if (sql_workload_is(o->workload) && !o->spec) {
        out->scripts = o->workload;
        out->schema = o->schema;
    }
    return choose_recorder(o, out, err) && choose_isolation(o, out, err) &&
           choose_shape(o, &out->collect.shape, err) &&
           choose_access(o, out, err) && choose_target(o, out, err);
}

bool
run_options_are_for_many(const struct options *o, const char *option,
                         struct err *err)
{
    const char *other = o->spec                                 ? "spec"
                        : o->keep                               ? "keep"
                        : o->report                             ? "report"
                        : o->json_file || o->json               ? "json"
                        : o->junit_file                         ? "junit"
                        : o->sarif_file                         ? "sarif"
                        : o->markdown_file                      ? "markdown"
                        : o->predict_level                      ? "predict"
                        : o->timeout > 0                        ? "timeout"
                        : o->memory                             ? "memory"
                        : strcmp(o->report_format, "text") != 0 ? "output"
                                                                : NULL;
    return !other || err_set(err, ERR_USAGE,
                             "--%s is for one run, and --%s makes several",
                             other, option);
}

bool
run_options_single(const struct options *o, struct single_run_request *out,
                   struct err *err)
{
    *out = (struct single_run_request){.workload = o->workload,
                                       .session_order = o->session_order,
                                       .verify = o->verify,
                                       .threads = cli_thread_count(o)};
    return run_options_parse(o, &out->run, err) &&
           level_parse_list(o->level ? o->level : "ser", o->session_order,
                            &out->levels, err);
}
