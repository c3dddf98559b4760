/* cmd_prove.c -- assay prove: whether SQL programs stay serializable.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/inspect.h"
#include "cli/options/choices.h"
#include "pipeline/prove_run.h"

#include <string.h>

static bool
is_json(const struct options *o)
{
    return o->json || strcmp(o->report_format, "json") == 0;
}

static int
check_usage(const struct options *o)
{
    if (!o->paths.n)
        return cli_usage_error(
            "prove needs SQL files; see 'assay prove --help'");
    if (o->weakest && (o->prove_levels.n || o->level_file || o->pairs.n ||
                       o->all || o->schedule || o->sequence || o->repair))
        return cli_usage_error(
            "--weakest looks at all levels, and takes none of "
            "-l, --level-file, --serializable, --all, --repair, --schedule and "
            "--sequence");
    if (o->level_file && o->prove_levels.n)
        return cli_usage_error(
            "found both -l and --level-file, expected one of them");
    if (!o->weakest && !o->level_file && !o->prove_levels.n)
        return cli_usage_error(
            "prove needs a level, as in 'assay prove -l si'");
    struct err err = {0};
    if (!prove_report_has(o->report_format)) {
        choices_error("output", choices_prove_reports, o->report_format, &err);
        return cli_report_error(&err);
    }
    if (o->schedule && o->all)
        return cli_usage_error("--schedule writes one anomaly, and --all shows "
                               "several; --sequence chooses one");
    return EXIT_HOLDS;
}

static struct prove_request
take_options(const struct options *o)
{
    return (struct prove_request){.paths = o->paths.at,
                                  .n_paths = o->paths.n,
                                  .levels = o->prove_levels.at,
                                  .n_levels = o->prove_levels.n,
                                  .level_file = o->level_file,
                                  .pairs = o->pairs.at,
                                  .n_pairs = o->pairs.n,
                                  .members = (uint32_t)o->members,
                                  .graph = o->graph,
                                  .all = o->all,
                                  .weakest = o->weakest,
                                  .repair = o->repair,
                                  .sequence = o->sequence,
                                  .schedule = o->schedule,
                                  .queries = o->smt,
                                  .timeout = o->timeout,
                                  .format =
                                      is_json(o) ? "json" : o->report_format,
                                  .style = inspect_style(o)};
}

/* Print the notes, and what the report has so far. */
static void
emit(const struct options *o, struct prove_run *run)
{
    if (run->notes.n)
        fputs(run->notes.at, stderr);
    buf_clear(&run->notes);
    if (is_json(o) || strcmp(o->report_format, "text") != 0)
        cli_emit(&run->report.out);
    else
        cli_emit_text(&run->report.out);
    fflush(stdout);
}

static int
status_of(bool ok, enum prove_verdict v, const struct err *err)
{
    return !ok                  ? cli_report_error(err)
           : v == PROVE_PROVED  ? EXIT_HOLDS
           : v == PROVE_ANOMALY ? EXIT_VIOLATED
                                : EXIT_UNKNOWN;
}

static int
prove_levels(const struct options *o, struct prove_run *run)
{
    int status = EXIT_HOLDS;
    for (size_t i = 0; i < run->n_levels; i++) {
        struct err err = {0};
        enum prove_verdict verdict = PROVE_UNKNOWN;
        const bool ok = prove_run_level(run, i, &verdict, &err);
        status = cli_exit_worse(status, status_of(ok, verdict, &err));
        if (prove_report_is_text(&run->report))
            emit(o, run);
    }
    prove_run_end(run);
    emit(o, run);
    return status;
}

int
cmd_prove(const struct options *o)
{
    struct err err = {0};
    int status = check_usage(o);
    if (status != EXIT_HOLDS)
        return status;
    struct prove_run run;
    const struct prove_request request = take_options(o);
    bool ok = prove_run_open(&request, &run, &err);
    emit(o, &run);
    if (ok && o->weakest) {
        enum prove_verdict verdict = PROVE_UNKNOWN;
        ok = prove_run_weakest(&run, &verdict, &err);
        emit(o, &run);
        status = status_of(ok, verdict, &err);
    } else {
        status = ok ? prove_levels(o, &run) : cli_report_error(&err);
    }
    prove_run_close(&run);
    return status;
}
