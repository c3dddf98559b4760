/* cmd_test.c -- assay test: run a workload, or the interleavings of a
 * specification, and check what was recorded.
 *
 * SPDX-License-Identifier: MIT */
#include "campaign/outcome.h"
#include "cli/follow_beside.h"
#include "cli/inspect.h"
#include "cli/interrupt.h"
#include "cli/options/run_options.h"
#include "cli/run_show.h"
#include "pipeline/history_file.h"
#include "pipeline/run_origin.h"
#include "pipeline/spec_run.h"

#include <string.h>

enum { SHARDS_WINDOW = 8192 }; // transactions

struct test {
    const struct options *options;
    struct inspect inspect;
    struct history_file recording;
    struct test_run run;
    struct run_show show;
    struct run_origin origin;
    struct kept_run kept;
    struct follow_beside beside;
    int status;      // the worst so far
    size_t violated; // violated interleavings
};

/* Where to print facts about the run: on stdout if the results are text for
 * people, otherwise on stderr. */
static FILE *
facts(const struct test *t)
{
    const char *format = t->inspect.reports[INSPECT_STDOUT].format->name;
    return strcmp(format, "text") == 0 ? stdout : stderr;
}

static void
take_status(struct test *t, int status)
{
    t->status = cli_exit_worse(t->status, status);
}

/* --- workloads -------------------------------------------------------------*/

/* Keep the SQL of a workload that was made from a seed, to be run again with
 * -w transaction-1.sql,... --schema tables.sql. */
static void
keep_sql(const struct test *t)
{
    const struct random_sql *sql = &t->run.sql.random;
    struct err err = {0};
    bool ok = !sql->schema.n ||
              kept_run_text(&t->kept, "tables.sql", &sql->schema, &err);
    for (size_t i = 0; ok && i < RANDOM_SQL_SCRIPTS; i++) {
        char name[32];
        snprintf(name, sizeof name, "transaction-%zu.sql", i + 1);
        ok = !sql->scripts[i].n ||
             kept_run_text(&t->kept, name, &sql->scripts[i], &err);
    }
    if (!ok)
        cli_report_error(&err);
}

static void
test_workload(struct test *t)
{
    const struct options *o = t->options;
    struct err err = {0};
    const char *path = t->recording.path.at;
    const bool ok = test_run_record(&t->run, path, &err);
    follow_beside_end(&t->beside, ok);
    run_show_clear(&t->show);
    const int found = run_show_findings(&t->run, facts(t));
    if (t->run.stats.seconds > 0 && !o->quiet)
        run_show_summary(&t->run, o->workload, facts(t));
    fflush(stdout);
    if (!ok) {
        // A finding says why, and what the run is worth.
        const int status = inspect_fail(&t->inspect, t->run.name, &err);
        take_status(t, found ? found : status);
        return;
    }
    take_status(t, found);
    run_origin_fill(&t->run, o->workload, &t->origin);
    t->inspect.options.origin = &t->origin.origin;
    // Otherwise it is gone soon.
    t->inspect.options.lines &= o->keep || t->inspect.kept;
    t->inspect.options.all_levels = t->inspect.options.power = true;
    const char *name = o->keep ? o->keep : t->run.name;
    t->inspect.recording = o->keep ? NULL : path;
    interrupt_release();
    if (o->shards) {
        const struct inspect_stream s = {.window = SHARDS_WINDOW};
        take_status(t, inspect_stream(&t->inspect, &s, path));
        return;
    }
    const int status = inspect_file(&t->inspect, path, name);
    take_status(t, status);
    if (status == EXIT_VIOLATED && t->inspect.kept)
        keep_sql(t);
    if (o->predict_level)
        take_status(t, cmd_predict_recorded(o, path, name, t->run.target,
                                            &t->inspect.reports[INSPECT_PAGE]));
}

/* --- specifications --------------------------------------------------------*/

static void
show_database(void *self, const char *note)
{
    const struct test *t = self;
    if (t->options->quiet)
        return;
    cli_print_shown(facts(t), note);
    struct buf level = {0};
    origin_isolation(driver_isolation_names[t->run.options.isolation], &level);
    fprintf(facts(t), "\nisolation requested: %s\n", level.n ? level.at : "");
    buf_free(&level);
}

static void
tell_left_out(void *self, const struct err *what)
{
    (void)self;
    cli_report_error(what);
}

static void
check_interleaving(void *self, const struct spec_run_result *result)
{
    struct test *t = self;
    int status = EXIT_HOLDS;
    t->inspect.recording = t->options->keep ? NULL : result->path;
    t->inspect.number++;
    if (result->end == SPEC_RUN_RECORDED)
        status = inspect_file(&t->inspect, result->path, result->name);
    else if (result->end == SPEC_RUN_REFUSED)
        status = result->err.kind ? cli_report_error(&result->err) : EXIT_ERROR;
    t->violated += status == EXIT_VIOLATED;
    take_status(t, status);
}

static void
show_tally(const struct test *t, const struct spec_run_tally *tally)
{
    FILE *out = facts(t);
    const size_t n =
        tally->recorded + tally->impossible + tally->empty + tally->refused;
    fprintf(out,
            "%zu interleaving%s: %zu checked, %zu violated, %zu not possible "
            "because sessions wait for each other, %zu not understood",
            n, n == 1 ? "" : "s", tally->recorded, t->violated,
            tally->impossible, tally->refused);
    if (tally->empty)
        fprintf(out, ", %zu without rows", tally->empty);
    fputc('\n', out);
    if (tally->failed) {
        fprintf(out, "the database refused %zu statements, the last one ",
                tally->failed);
        cli_print_shown(out, tally->failure);
        fputc('\n', out);
    }
}

/* A specification may try what the database refuses, and says how often; a
 * defect of the server is a finding. */
static void
show_spec_findings(struct test *t, const struct spec_run_tally *tally)
{
    struct run_findings *to = &t->run.stats.findings;
    for (int e = 0; e < SERVER_ERRORS; e++)
        if (server_findings[e].status == FINDING_DEFECT)
            to->at[e] = tally->findings.at[e];
    take_status(t, run_show_findings(&t->run, facts(t)));
}

static void
test_spec(struct test *t)
{
    const struct options *o = t->options;
    struct err err = {0};
    struct spec_run_tally tally;
    const struct spec_run_options options = {
        .spec = o->spec,
        .target = t->run.target,
        .isolation = t->run.options.isolation,
        .setups = {o->setups.at, o->setups.n},
        .recorder = t->run.options.recorder,
        .recording = &t->recording,
        .self = t,
        .opened = show_database,
        .left_out = tell_left_out,
        .visit = check_interleaving};
    const bool ok = spec_run(&options, &tally, &err);
    show_spec_findings(t, &tally);
    if (!ok)
        take_status(t, inspect_fail(&t->inspect, t->run.name, &err));
    if (!o->quiet && (ok || tally.recorded || tally.refused))
        show_tally(t, &tally);
    if (ok && !tally.recorded && t->status == EXIT_HOLDS)
        take_status(
            t, cli_usage_error(tally.empty
                                   ? "no statement reads or writes a row, so "
                                     "nothing was checked"
                                   : "no interleaving was possible, so nothing "
                                     "was checked"));
}

/* --- the command -----------------------------------------------------------*/

static bool
run_test(struct test *t, struct test_run_options *options, struct err *err)
{
    options->observer = run_show_observer(&t->show);
    const char *shards = t->options->shards;
    if (shards ? !history_file_open_directory(&t->recording, shards, err)
               : !history_file_open(&t->recording, t->options->keep, err))
        return false;
    bool ok =
        !t->options->follow ||
        follow_beside_begin(&t->beside, t->options, t->recording.path.at, err);
    ok = ok && test_run_begin(options, &t->run, err);
    if (ok) {
        if (t->options->spec)
            test_spec(t);
        else
            test_workload(t);
        test_run_end(&t->run);
        run_origin_free(&t->origin);
    }
    follow_beside_end(&t->beside, false);
    history_file_close(&t->recording);
    return ok;
}

int
cmd_test(const struct options *o)
{
    struct err err = {0};
    struct test t = {.options = o, .show = {.quiet = o->quiet}};
    struct test_run_options options;
    if (o->spec && o->require_power)
        return cli_usage_error("--require-power is for workloads, and --spec "
                               "runs the interleavings that it names");
    if (o->follow && (o->spec || o->sweep || o->shrink))
        return cli_usage_error("--follow takes none of --spec, --sweep and "
                               "--shrink");
    if (o->shards && (o->spec || o->sweep || o->shrink || o->keep ||
                      o->predict_level || o->require_power))
        return cli_usage_error("--shards takes none of --spec, --sweep, "
                               "--shrink, --keep, --predict and "
                               "--require-power");
    if (o->sweep && o->shrink)
        return cli_usage_error("--sweep and --shrink exclude each other");
    if (o->sweep || o->shrink)
        return o->sweep ? cmd_sweep(o) : cmd_shrink(o);
    if (!run_options_parse(o, &options, &err) ||
        !inspect_begin(o, o->report, false, &t.inspect, &err))
        return cli_report_error(&err);
    if ((o->follow || o->shards) && options.scripts)
        return cli_usage_error("--follow and --shards take a workload of "
                               "registers");
    kept_run_open(&t.kept, o->store);
    if (t.kept.dir.n)
        inspect_keep(&t.inspect, &t.kept);
    interrupt_catch();
    const bool ok = run_test(&t, &options, &err);
    if (interrupt_flag)
        fputs(OUTCOME_INTERRUPTED "\n", stderr);
    interrupt_restore();
    if (!ok)
        take_status(&t, inspect_fail(&t.inspect, "assay test", &err));
    const int status = inspect_end(&t.inspect, t.status);
    kept_run_free(&t.kept);
    return status;
}
