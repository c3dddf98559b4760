/* cmd_predict.c -- assay predict: anomalies that could have happened.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/inspect.h"
#include "cli/output_format.h"
#include "cli/progress.h"
#include "pipeline/predict_level.h"
#include "pipeline/predict_run.h"
#include "report/parts.h"

#include <string.h>

/* What the callbacks of a run need. */
struct command_run {
    const struct options *o;
    struct prediction_run run;
    struct progress *progress;
};

/* --- options -------------------------------------------------------------- */

/* How predictions are tried, with --validate. */
static bool
take_validation(const struct options *o, struct validation *v, struct err *err)
{
    *v = (struct validation){.program = {.seed = o->seed,
                                         .sessions = o->sessions,
                                         .units = o->keys,
                                         .aborts = o->aborts},
                             .setups = {o->setups.at, o->setups.n}};
    if (!app_open(o->workload ? o->workload : "", &v->program.app, err))
        return false;
    if (!v->program.app)
        return err_set(err, ERR_USAGE,
                       "--validate needs -w with the application that was "
                       "observed");
    if (!v->program.units)
        v->program.units = v->program.app->units;
    return true;
}

/* What a database allows, instead of levels. */
static bool
take_server(const struct options *o, struct predict_request *q, struct err *err)
{
    if (!o->on)
        return true;
    q->predict.on = database_level_find(o->on);
    if (!q->predict.on)
        return choices_error("on", choices_databases, o->on, err);
    if (o->level || q->predict.is_strict || o->certificate || o->predicted ||
        o->validate)
        return err_set(err, ERR_USAGE,
                       "--on takes no --level, --boundary strict, "
                       "--certificate, --predicted or --validate");
    q->levels = level_bit(q->predict.on->level);
    q->input.with_locks = true;
    q->predict.prove = false;
    return true;
}

static bool
take_options(const struct options *o, const char *levels, struct command_run *c,
             struct err *err)
{
    const bool strict = strcmp(o->boundary, "strict") == 0;
    const bool is_alone = o->client && strcmp(o->client, "transaction") == 0;
    *c = (struct command_run){.o = o};
    struct predict_request *q = &c->run.request;
    *q = (struct predict_request){
        .format = o->format,
        .predict = {.is_strict = strict,
                    .is_approximate = o->approx,
                    .prove = o->verify || o->certificate,
                    .most = o->all && o->most <= 1 ? SIZE_MAX : (size_t)o->most,
                    .timeout = o->timeout,
                    .memory = (size_t)o->memory},
        .input = {.each_alone = is_alone},
        .validate = o->validate,
        .limits = {o->timeout, (size_t)o->memory},
        .threads = cli_thread_count(o),
        .predicted = o->predicted,
        .certificate = o->certificate};
    if (!predict_level_parse(levels, &q->levels, err) ||
        !take_server(o, q, err))
        return false;
    if (!strict && strcmp(o->boundary, "relaxed") != 0)
        return choices_error("boundary", choices_boundaries, o->boundary, err);
    if (o->client && !is_alone && strcmp(o->client, "connection") != 0)
        return choices_error("session", choices_clients, o->client, err);
    if (o->validate && !take_validation(o, &q->validation, err))
        return false;
    if (o->predicted && !output_format_choose(o->to, "-", &q->written, err))
        return false;
    const struct report_format *format;
    if (!inspect_report_format(o, &format, err))
        return false;
    q->json = o->json || format == &report_json;
    c->run.report.style = inspect_style(o);
    if (format != &report_text && format != &report_json)
        c->run.report.format = format;
    return true;
}

/* --- printing ------------------------------------------------------------- */

static void
show_stats(const struct predict_result *r)
{
    const struct predict_stats *s = &r->prediction->stats;
    const struct {
        const char *name;
        uint64_t n;
    } rows[] = {{"boundary candidates", s->boundaries},
                {"writers to pick", s->picks},
                {"variables", s->variables},
                {"rounds", s->rounds},
                {"level cores", s->cores},
                {"version orders", s->orders + 1},
                {"conflicts", s->conflicts},
                {"decisions", s->decisions},
                {"propagations", s->propagations}};
    cli_print_shown(stderr, r->path);
    fprintf(stderr,
            ": %s\n  %-28s %12.6f s\n  %-28s %12.6f s\n  %-28s %12.6f s\n",
            predict_brief(r->options), "predicting", r->prediction->seconds,
            "proving", r->prediction->prove_seconds, "verifying",
            r->prediction->verify_seconds);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fprintf(stderr, "  %-28s %12llu\n", rows[i].name,
                (unsigned long long)rows[i].n);
}

/* Print what there is so far. */
static void
emit(struct command_run *c)
{
    const struct options *o = c->o;
    if (!o->json && strcmp(o->report_format, "text") == 0)
        cli_emit_text(&c->run.report.out);
    else
        cli_emit(&c->run.report.out);
    fflush(stdout);
}

static void
begin_phase(void *self, const char *phase, const char *path)
{
    struct command_run *c = self;
    c->progress = cli_progress(c->o, phase, path);
}

static void
end_phase(void *self)
{
    struct command_run *c = self;
    progress_end(c->progress);
}

static void
show_notes(void *self, const char *path, const struct buf *notes)
{
    (void)self;
    cli_show_notes(path, notes);
}

/* What is known of a level in text is printed at once. */
static void
show_level(void *self, const struct predict_result *r)
{
    struct command_run *c = self;
    if (c->o->stats)
        show_stats(r);
    if (!c->run.request.json && !c->run.report.format)
        emit(c);
}

/* --- the command ---------------------------------------------------------- */

static int
predict_path(struct command_run *c, const char *path, const char *name)
{
    struct err err = {0};
    enum predict_answer answer;
    c->run.observer = (struct predict_observer){.self = c,
                                                .begin = begin_phase,
                                                .end = end_phase,
                                                .notes = show_notes,
                                                .level = show_level};
    const bool ok = predict_run_history(&c->run, path, name, &answer, &err);
    return !ok                       ? cli_report_error(&err)
           : answer == PREDICT_FOUND ? EXIT_VIOLATED
           : answer == PREDICT_NONE  ? EXIT_HOLDS
                                     : EXIT_UNKNOWN;
}

int
cmd_predict(const struct options *o)
{
    struct err err = {0};
    struct command_run c;
    if (!o->paths.n)
        return cli_usage_error("predict needs a history; see 'assay predict "
                               "--help'");
    if (!take_options(o, o->level ? o->level : "si", &c, &err))
        return cli_report_error(&err);
    const level_set levels = c.run.request.levels;
    if (o->certificate && (o->paths.n != 1 || (levels & (levels - 1))))
        return cli_usage_error(
            "--certificate needs exactly one history and one level");
    int status = EXIT_HOLDS;
    const struct report_style style = c.run.report.style;
    report_begin(&c.run.report, c.run.report.format, &style);
    for (size_t i = 0; i < o->paths.n; i++) {
        const char *path = o->paths.at[i];
        status = cli_exit_worse(status, predict_path(&c, path, path));
        emit(&c);
    }
    report_end(&c.run.report);
    emit(&c);
    report_free(&c.run.report);
    return status;
}

int
cmd_predict_recorded(const struct options *o, const char *path,
                     const char *name, const char *target, struct report *page)
{
    struct err err = {0};
    struct command_run c;
    if (!take_options(o, o->predict_level, &c, &err))
        return cli_report_error(&err);
    c.run.report.format = NULL; // the report shows the recorded history
    c.run.page = page && page->format ? page : NULL;
    predict_run_on(&c.run, target);
    const int status = predict_path(&c, path, name);
    emit(&c);
    report_free(&c.run.report);
    return status;
}
