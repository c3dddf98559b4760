/* cmd_predict.c -- assay predict: anomalies that could have happened.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/inspect.h"
#include "cli/output_format.h"
#include "cli/predict/predict_sides.h"
#include "cli/progress.h"
#include "level/names.h"
#include "replay/database.h"
#include "report/parts.h"
#include "version.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { EXPLAIN_SECONDS = 5, CONTEXT = 40 };

struct command_run {
    const struct options *o;
    level_set levels;
    struct predict_options predict;
    struct validation validation; // with --validate
    struct report report;         // without a format for text and JSON
    struct report *page;          // the page of a test, or NULL
};

/* --- options -------------------------------------------------------------- */

static bool
take_options(const struct options *o, const char *levels,
             struct command_run *run, struct err *err)
{
    *run = (struct command_run){.o = o};
    if (!level_parse_list(levels, true, &run->levels, err))
        return false;
    if (run->levels & LEVEL_SET_ALL)
        run->levels = PREDICT_LEVELS;
    if (run->levels & ~PREDICT_LEVELS)
        return err_set(err, ERR_USAGE,
                       "predict takes the levels rc, ra, cc, pc, psi and si, "
                       "not '%s'",
                       levels);
    const bool strict = strcmp(o->boundary, "strict") == 0;
    if (!strict && strcmp(o->boundary, "relaxed") != 0)
        return choices_error("boundary", choices_boundaries, o->boundary, err);
    run->predict = (struct predict_options){
        .is_strict = strict,
        .is_approximate = o->approx,
        .prove = o->verify || o->certificate,
        .most = o->all && o->most <= 1 ? SIZE_MAX : (size_t)o->most,
        .timeout = o->timeout,
        .memory = (size_t)o->memory};
    run->report.style = inspect_style(o);
    if (o->validate && !predict_validate_options(o, &run->validation, err))
        return false;
    const struct report_format *format;
    if (!inspect_report_format(o, &format, err))
        return false;
    if (format != &report_text && format != &report_json)
        run->report.format = format;
    return true;
}

/* --- files ---------------------------------------------------------------- */

/* Write prediction i to DIR/NAME-LEVEL-BOUNDARY-NUMBER.SUFFIX. */
static bool
write_predicted(const struct command_run *run, const struct predict_result *r,
                size_t i, struct err *err)
{
    const struct format *format;
    if (!output_format_choose(run->o->to, "-", &format, err))
        return false;
    if (mkdir(run->o->predicted, 0777) != 0 && errno != EEXIST) {
        err_set(err, ERR_IO, "cannot make this directory: %s", strerror(errno));
        return err_in_file(err, run->o->predicted);
    }
    const char *slash = strrchr(r->path, '/');
    const char *name = slash ? slash + 1 : r->path;
    const char *dot = strchr(name, '.');
    struct buf path = {0};
    buf_printf(&path, "%s/%.*s-%s-%s-%zu%s", run->o->predicted,
               (int)(dot && dot > name ? (size_t)(dot - name) : strlen(name)),
               name, level_table[r->options->level].brief,
               r->options->is_strict ? "strict" : "relaxed", i + 1,
               format->suffix);
    const bool ok =
        format_write(&r->prediction->found.at[i].history, format, path.at, err);
    buf_free(&path);
    return ok;
}

/* If there is no prediction and a proof of that, write the proof. */
static bool
write_certificate(const struct command_run *run, const struct history *h,
                  const struct prediction *p, struct err *err)
{
    if (p->answer != PREDICT_NONE || !p->absence.steps.n) {
        fprintf(stderr, "note: nothing to certify: only 'none' has a proof, "
                        "and not with --approx\n");
        return true;
    }
    struct buf text = {0};
    absence_write(h, &p->absence, &text);
    FILE *file = fopen(run->o->certificate, "wb");
    bool ok = file && fwrite(text.at, 1, text.n, file) == text.n;
    ok = (!file || fclose(file) == 0) && ok;
    buf_free(&text);
    return ok || (err_set(err, ERR_IO, "cannot write"),
                  err_in_file(err, run->o->certificate));
}

/* --- explanations --------------------------------------------------------- */

/* Explain why the predicted execution is not serializable. */
static bool
explain(const struct command_run *run, const struct history *h,
        struct check *check, struct explanation *out, struct err *err)
{
    const struct check_options options = {.levels = 1u << LEVEL_SER,
                                          .threads = cli_thread_count(run->o),
                                          .strong = strong_defaults};
    const struct explain_options how = {.most = 1,
                                        .work = EXPLAIN_SECONDS * BUDGET_SECOND,
                                        .context = CONTEXT,
                                        .threads = options.threads,
                                        .strong = strong_defaults};
    return check_history(h, &options, check, err) &&
           explain_result(h, check, &check->results.at[0], &how, out, err);
}

/* Add a prediction to a report, beside the observed operations. */
static void
add_to_report(struct report *to, const struct predict_result *r, size_t i)
{
    struct summary summary;
    summary_of(&r->prediction->found.at[i].history, 1, &summary);
    struct buf path = {0};
    buf_printf(&path, "%s (predicted, %s)", r->path,
               level_table[r->options->level].name);
    struct predict_sides sides;
    predict_sides_make(r, i, &sides);
    const struct report_run one = {.path = path.at,
                                   .format = r->format,
                                   .summary = &summary,
                                   .check = &r->checks[i],
                                   .explanations = &r->explanations[i],
                                   .sides = &sides.report};
    report_add(to, &one);
    predict_sides_free(&sides);
    buf_free(&path);
}

static void
show(struct command_run *run, const struct predict_result *r, bool is_first)
{
    const bool is_found = r->answer == PREDICT_FOUND;
    for (size_t i = 0; is_found && i < r->prediction->found.n; i++) {
        if (run->report.format)
            add_to_report(&run->report, r, i);
        if (run->page)
            add_to_report(run->page, r, i);
    }
    if (run->report.format)
        return;
    if (run->o->json || strcmp(run->o->report_format, "json") == 0) {
        buf_text(&run->report.out, is_first ? "" : ",");
        predict_show_json(r, &run->report.out);
    } else {
        predict_show_text(r, &run->report.style, &run->report.out);
    }
}

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
            level_table[r->options->level].brief, "predicting",
            r->prediction->seconds, "proving", r->prediction->prove_seconds,
            "verifying", r->prediction->verify_seconds);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fprintf(stderr, "  %-28s %12llu\n", rows[i].name,
                (unsigned long long)rows[i].n);
}

/* --- one level ------------------------------------------------------------ */

static bool
show_prediction(struct command_run *run, struct predict_result *r,
                bool is_first, struct err *err)
{
    const struct prediction *p = r->prediction;
    const size_t n = p->found.n;
    struct check *checks = mem_calloc(n + 1, sizeof *checks);
    r->explanations = mem_calloc(n + 1, sizeof *r->explanations);
    r->checks = checks;
    struct validated validated = {0};
    struct arena marks = {0};
    bool ok = !run->o->validate ||
              predict_validate_all(&run->validation, p, &validated, err);
    r->validated = &validated;
    r->answer = predict_validate_answer(p, &validated);
    for (size_t i = 0; ok && i < n; i++) {
        ok = explain(run, &p->found.at[i].history, &checks[i],
                     &r->explanations[i], err);
        predict_sides_mark(&p->found.at[i], &r->explanations[i], &marks);
        if (ok && run->o->predicted)
            ok = write_predicted(run, r, i, err);
    }
    if (ok)
        show(run, r, is_first);
    if (ok && run->o->stats)
        show_stats(r);
    for (size_t i = 0; i < n; i++) {
        explanation_free(&r->explanations[i]);
        check_free(&checks[i]);
    }
    predict_validate_free(&validated);
    arena_free(&marks);
    mem_free(checks);
    mem_free(r->explanations);
    return ok;
}

static int
predict_level(struct command_run *run, struct predict_result *r,
              const struct history *h, enum level level, bool is_first)
{
    static const int status[] = {[PREDICT_FOUND] = EXIT_VIOLATED,
                                 [PREDICT_NONE] = EXIT_HOLDS,
                                 [PREDICT_UNKNOWN] = EXIT_UNKNOWN,
                                 [PREDICT_DECLINED] = EXIT_UNKNOWN};
    struct err err = {0};
    struct prediction p;
    struct predict_options options = run->predict;
    options.level = level;
    run->validation.level = level;
    uint32_t *rows = NULL;
    if (run->o->validate) {
        options.accept = predict_validate_accept;
        options.self = &run->validation;
        if (run->validation.on_database)
            options.rows = rows = replay_rows(h);
    }
    struct progress *progress =
        progress_begin(run->o->quiet, "predicting", r->path);
    const bool ok = predict(h, &options, &p, &err);
    progress_end(progress);
    if (!ok) {
        mem_free(rows);
        err_in_file(&err, r->path);
        return cli_report_error(&err);
    }
    if (is_first && p.observed.n_looped)
        fprintf(stderr,
                "note: %s: %zu transactions read from each other in a cycle, "
                "or follow those that do; no prediction keeps them as "
                "observed\n",
                r->path, p.observed.n_looped);
    r->options = &options;
    r->prediction = &p;
    const int result =
        show_prediction(run, r, is_first, &err) &&
                (!run->o->certificate || write_certificate(run, h, &p, &err))
            ? status[r->answer]
            : cli_report_error(&err);
    prediction_free(&p);
    mem_free(rows);
    return result;
}

/* --- the command ---------------------------------------------------------- */

static int
predict_path(struct command_run *run, const char *path, const char *name)
{
    struct history h;
    const struct format *format;
    if (!cli_load(run->o, path, &h, &format))
        return EXIT_ERROR;
    struct summary summary;
    summary_sizes(&h, &summary);
    struct predict_result r = {
        .path = name, .format = format->name, .summary = &summary};
    const bool as_json =
        !run->report.format &&
        (run->o->json || strcmp(run->o->report_format, "json") == 0);
    if (as_json) {
        buf_text(&run->report.out, "{\"history\":");
        buf_json(&run->report.out, name, strlen(name));
        buf_printf(&run->report.out,
                   ",\"format\":\"%s\",\"sessions\":%llu,\"transactions\":%llu,"
                   "\"operations\":%llu,\"results\":[",
                   format->name, (unsigned long long)summary.sessions,
                   (unsigned long long)summary.transactions,
                   (unsigned long long)summary.operations);
    }
    int result = EXIT_HOLDS;
    bool is_first = true;
    for (int l = 0; l < LEVELS && result != EXIT_ERROR; l++) {
        if (!(run->levels >> l & 1))
            continue;
        result = cli_exit_worse(
            result, predict_level(run, &r, &h, (enum level)l, is_first));
        is_first = false;
    }
    if (as_json)
        buf_text(&run->report.out, "]}\n");
    if (result == EXIT_ERROR)
        buf_clear(&run->report.out);
    history_free(&h);
    return result;
}

/* Print what there is so far. */
static void
emit(struct command_run *run)
{
    const struct options *o = run->o;
    if (!o->json && strcmp(o->report_format, "text") == 0)
        cli_emit_text(&run->report.out);
    else
        cli_emit(&run->report.out);
}

int
cmd_predict(const struct options *o)
{
    struct err err = {0};
    struct command_run run;
    if (!o->paths.n)
        return cli_usage_error("predict needs a history; see 'assay predict "
                               "--help'");
    if (!take_options(o, o->level ? o->level : "si", &run, &err))
        return cli_report_error(&err);
    if (o->certificate && (o->paths.n != 1 || (run.levels & (run.levels - 1))))
        return cli_usage_error(
            "--certificate needs exactly one history and one level");
    int status = EXIT_HOLDS;
    const struct report_style style = run.report.style;
    report_begin(&run.report, run.report.format, &style);
    for (size_t i = 0; i < o->paths.n; i++) {
        const char *path = o->paths.at[i];
        status = cli_exit_worse(status, predict_path(&run, path, path));
        emit(&run);
    }
    report_end(&run.report);
    emit(&run);
    report_free(&run.report);
    return status;
}

int
cmd_predict_recorded(const struct options *o, const char *path,
                     const char *name, const char *target, struct report *page)
{
    struct err err = {0};
    struct command_run run;
    if (!take_options(o, o->predict_level, &run, &err))
        return cli_report_error(&err);
    run.report.format = NULL; // the report shows the recorded history
    run.page = page && page->format ? page : NULL;
    run.validation.target = target;
    run.validation.on_database = replay_is_possible_on(target);
    const int status = predict_path(&run, path, name);
    emit(&run);
    report_free(&run.report);
    return status;
}
