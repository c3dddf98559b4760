/* cmd_test.c -- assay test: run a workload, or the interleavings of a
 * specification, and check what was recorded.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/inspect.h"
#include "cli/interrupt.h"
#include "cli/run_options.h"
#include "cli/run_show.h"
#include "pipeline/history_file.h"
#include "pipeline/spec_run.h"

#include <string.h>

struct test {
    const struct options *options;
    struct inspect inspect;
    struct history_file recording;
    struct test_run run;
    struct run_show show;
    struct buf database; // what its answer calls it
    struct report_origin origin;
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

/* What the database is, for the reports: its name and version, or the target
 * where it says nothing about itself. */
static void
note_origin(struct test *t)
{
    const struct test_run *run = &t->run;
    const bool is_store = strncmp(run->target, "store:", 6) == 0;
    buf_clear(&t->database);
    if (is_store || !*run->note)
        buf_text(&t->database, run->name);
    else
        buf_add(&t->database, run->note, strcspn(run->note, ","));
    t->origin = (struct report_origin){
        .database = t->database.at,
        .isolation =
            is_store ? "" : driver_isolation_names[run->options.isolation]};
    t->inspect.options.origin = &t->origin;
    t->inspect.options.all_levels = t->inspect.options.power = true;
}

static void
test_workload(struct test *t)
{
    const struct options *o = t->options;
    struct err err = {0};
    const char *path = t->recording.path.at;
    const bool ok = test_run_record(&t->run, path, &err);
    run_show_clear(&t->show);
    if (t->run.stats.seconds > 0 && !o->quiet)
        run_show_summary(&t->run, o->workload, facts(t));
    fflush(stdout);
    if (!ok) {
        take_status(t, cli_report_error(&err));
        return;
    }
    note_origin(t);
    const char *name = o->keep ? o->keep : t->run.name;
    take_status(t, inspect_file(&t->inspect, path, name));
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
    fprintf(facts(t), "\nasked for %s\n",
            driver_isolation_names[t->run.options.isolation]);
}

static void
check_interleaving(void *self, const struct spec_run_result *result)
{
    struct test *t = self;
    int status = EXIT_HOLDS;
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
    const size_t n = tally->recorded + tally->impossible + tally->refused;
    fprintf(out,
            "%zu interleaving%s: %zu checked, %zu violated, %zu not possible "
            "because sessions wait for each other, %zu not understood\n",
            n, n == 1 ? "" : "s", tally->recorded, t->violated,
            tally->impossible, tally->refused);
    if (tally->failed) {
        fprintf(out, "the database refused %zu statements, the last one ",
                tally->failed);
        cli_print_shown(out, tally->failure);
        fputc('\n', out);
    }
}

static void
test_spec(struct test *t)
{
    const struct options *o = t->options;
    struct err err = {0};
    struct spec_run_tally tally;
    const struct spec_run_options options = {.spec = o->spec,
                                             .target = t->run.target,
                                             .isolation =
                                                 t->run.options.isolation,
                                             .setup = o->setup,
                                             .recording = &t->recording,
                                             .self = t,
                                             .opened = show_database,
                                             .visit = check_interleaving};
    const bool ok = spec_run(&options, &tally, &err);
    if (!ok)
        take_status(t, cli_report_error(&err));
    if (!o->quiet && (ok || tally.recorded || tally.refused))
        show_tally(t, &tally);
    if (ok && !tally.recorded && t->status == EXIT_HOLDS)
        take_status(t, cli_usage_error("no interleaving was possible, so "
                                       "nothing was checked"));
}

/* --- the command -----------------------------------------------------------*/

static bool
run_test(struct test *t, struct test_run_options *options, struct err *err)
{
    options->observer = run_show_observer(&t->show);
    if (!history_file_open(&t->recording, t->options->keep, err))
        return false;
    const bool ok = test_run_begin(options, &t->run, err);
    if (ok) {
        if (t->options->spec)
            test_spec(t);
        else
            test_workload(t);
        test_run_end(&t->run);
    }
    history_file_close(&t->recording);
    return ok;
}

int
cmd_test(const struct options *o)
{
    struct err err = {0};
    struct test t = {.options = o, .show = {.quiet = o->quiet}};
    struct test_run_options options;
    if (!run_options_parse(o, &options, &err) ||
        !inspect_begin(o, o->report, false, &t.inspect, &err))
        return cli_report_error(&err);
    interrupt_catch();
    const bool ok = run_test(&t, &options, &err);
    interrupt_restore();
    buf_free(&t.database);
    if (ok)
        return inspect_end(&t.inspect, t.status);
    inspect_free(&t.inspect);
    return cli_report_error(&err);
}
