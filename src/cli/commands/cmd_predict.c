/* cmd_predict.c -- assay predict: anomalies that could have happened.
 *
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "cli/cli.h"
#include "cli/inspect.h"
#include "cli/output_format.h"
#include "cli/progress.h"
#include "level/names.h"
#include "replay/database.h"
#include "report/parts.h"
#include "report/predict/predict_sides.h"
#include "version.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { EXPLAIN_SECONDS = 5, CONTEXT = 40 };

/* The search itself ends at the limit and shows what it has found; everything
 * else has this share of the time more. */
static const double GRACE = 0.1;

struct command_run {
    const struct options *o;
    level_set levels;
    struct predict_options predict;
    struct validation validation; // with --validate
    struct report report;         // without a format for text and JSON
    struct report *page;          // the page of a test, or NULL
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
    if (o->validate && !take_validation(o, &run->validation, err))
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
    const struct check_options options = {.levels = level_bit(LEVEL_TARGET),
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
show(struct command_run *run, const struct predict_result *r)
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

static struct limits
limits_of(const struct options *o)
{
    return (struct limits){o->timeout, (size_t)o->memory};
}

/* Begin work on a level under what is left of its limits; false where they are
 * reached, which *stop says. */
static bool
try_within(const struct options *o, double spent, const char *phase,
           struct limit_stop *stop)
{
    const struct limits limits = limits_of(o);
    return !limits_set(&limits) ||
           limit_try(&limits, spent - GRACE * o->timeout, phase, stop);
}

/* Try the predictions, explain them and write them to files. */
static bool
explain_all(struct command_run *run, struct predict_result *r,
            struct check *checks, struct validated *validated,
            struct arena *marks, struct err *err)
{
    const struct prediction *p = r->prediction;
    bool ok = !run->o->validate ||
              validation_all(&run->validation, p, validated, err);
    r->answer = validation_answer(p, validated);
    limit_phase("explaining");
    for (size_t i = 0; ok && i < p->found.n; i++) {
        ok = explain(run, &p->found.at[i].history, &checks[i],
                     &r->explanations[i], err);
        predict_sides_mark(&p->found.at[i], &r->explanations[i], marks);
        if (ok && run->o->predicted)
            ok = write_predicted(run, r, i, err);
    }
    return ok;
}

/* Show the prediction of a level, on which 'spent' seconds were spent.  What
 * cannot be explained within the limits is shown without its explanation. */
static bool
show_prediction(struct command_run *run, struct predict_result *r, double spent,
                struct err *err)
{
    const struct prediction *p = r->prediction;
    const size_t n = p->found.n;
    struct check *checks = mem_calloc(n + 1, sizeof *checks);
    r->explanations = mem_calloc(n + 1, sizeof *r->explanations);
    r->checks = checks;
    struct validated validated = {0};
    struct arena marks = {0};
    r->validated = &validated;
    r->answer = p->answer;
    bool ok = true;
    if (n && try_within(run->o, spent, "validating", &r->stop)) {
        ok = explain_all(run, r, checks, &validated, &marks, err);
        limit_kept();
    }
    if (ok)
        show(run, r);
    if (ok && run->o->stats)
        show_stats(r);
    for (size_t i = 0; i < n; i++) {
        explanation_free(&r->explanations[i]);
        check_free(&checks[i]);
    }
    validation_free(&validated);
    arena_free(&marks);
    mem_free(checks);
    mem_free(r->explanations);
    return ok;
}

/* Which limit the search itself ended at, if it did. */
static struct limit_stop
stop_of(const struct options *o, double spent)
{
    const bool time = o->timeout > 0 && spent > o->timeout;
    return (struct limit_stop){.kind = time        ? LIMIT_TIME
                                       : o->memory ? LIMIT_MEMORY
                                                   : LIMIT_NONE,
                               .seconds = o->timeout,
                               .bytes = (size_t)o->memory,
                               .phase = "predicting"};
}

/* Predict within the limits.  Where they are reached, the prediction is empty
 * and unknown, and r->stop says which. */
static bool
predict_within(struct command_run *run, struct predict_result *r,
               const struct history *h, const struct predict_options *options,
               struct prediction *p, struct err *err)
{
    *p = (struct prediction){.answer = PREDICT_UNKNOWN, .is_cut_short = true};
    r->stop = (struct limit_stop){.kind = LIMIT_NONE};
    const double begin = time_now();
    if (!try_within(run->o, 0, "predicting", &r->stop))
        return true;
    struct progress *progress = cli_progress(run->o, "predicting", r->path);
    const bool ok = predict(h, options, p, err);
    progress_end(progress);
    limit_kept();
    if (ok && p->answer == PREDICT_UNKNOWN && !p->is_untested)
        r->stop = stop_of(run->o, time_now() - begin);
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
    const double begin = time_now();
    struct err err = {0};
    struct prediction p;
    struct predict_options options = run->predict;
    options.level = level;
    run->validation.level = level;
    uint32_t *rows = NULL;
    if (run->o->validate) {
        options.accept = validation_accept;
        options.self = &run->validation;
        if (run->validation.on_database)
            options.rows = rows = replay_rows(h);
    }
    if (!predict_within(run, r, h, &options, &p, &err)) {
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
        show_prediction(run, r, time_now() - begin, &err) &&
                (!run->o->certificate || write_certificate(run, h, &p, &err))
            ? status[r->answer]
            : cli_report_error(&err);
    prediction_free(&p);
    mem_free(rows);
    return result;
}

/* --- the command ---------------------------------------------------------- */

static bool
is_json(const struct command_run *run)
{
    return !run->report.format &&
           (run->o->json || strcmp(run->o->report_format, "json") == 0);
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
    fflush(stdout);
}

/* The levels of a history that could not be read within the limits. */
static int
show_unread(struct command_run *run, struct predict_result *r)
{
    const struct prediction none = {.answer = PREDICT_UNKNOWN,
                                    .is_cut_short = true};
    const struct validated validated = {0};
    for (int l = 0; l < LEVELS; l++) {
        if (!(run->levels >> l & 1))
            continue;
        struct predict_options options = run->predict;
        options.level = (enum level)l;
        r->options = &options;
        r->prediction = &none;
        r->validated = &validated;
        r->answer = none.answer;
        show(run, r);
    }
    return EXIT_UNKNOWN;
}

/* Predict at each level; what is known of one in text is printed at once. */
static int
predict_levels(struct command_run *run, struct predict_result *r,
               const struct history *h)
{
    int result = EXIT_HOLDS;
    bool is_first = true;
    for (int l = 0; l < LEVELS && result != EXIT_ERROR; l++) {
        if (!(run->levels >> l & 1))
            continue;
        result = cli_exit_worse(
            result, predict_level(run, r, h, (enum level)l, is_first));
        is_first = false;
        if (!is_json(run) && !run->report.format && result != EXIT_ERROR)
            emit(run);
    }
    return result;
}

static void
begin_json(struct command_run *run, const struct predict_result *r)
{
    struct buf *out = &run->report.out;
    json_object(out, NULL);
    json_text(out, "history", r->path);
    json_text(out, "format", r->format);
    report_sizes_json(r->summary, out);
    json_array(out, "results");
}

/* One history of the command. */
struct path_run {
    struct command_run *run;
    const char *path, *name;
};

static int
predict_path_here(void *self)
{
    const struct path_run *task = self;
    struct command_run *run = task->run;
    struct history h = {0};
    const struct format *format = NULL;
    struct summary summary = {0};
    struct predict_result r = {
        .path = task->name, .format = "", .summary = &summary};
    const size_t before = run->report.out.n; // of other histories
    const bool is_read = try_within(run->o, 0, "reading", &r.stop);
    if (is_read) {
        if (!cli_load(run->o, task->path, &h, &format))
            return EXIT_ERROR;
        limit_kept();
        summary_sizes(&h, &summary);
        r.format = format->name;
    }
    if (is_json(run))
        begin_json(run, &r);
    const int result =
        is_read ? predict_levels(run, &r, &h) : show_unread(run, &r);
    if (is_json(run)) {
        json_array_end(&run->report.out);
        json_end_line(&run->report.out);
    }
    if (result == EXIT_ERROR && run->report.out.n > before)
        run->report.out.at[run->report.out.n = before] = '\0';
    if (is_read)
        history_free(&h);
    return result;
}

/* Under limits, in a child: the processes of its tries end with it. */
static int
predict_path(struct command_run *run, const char *path, const char *name)
{
    const struct limits limits = limits_of(run->o);
    struct path_run task = {run, path, name};
    if (!limits_set(&limits))
        return predict_path_here(&task);
    struct report *const reports[] = {&run->report, run->page};
    struct limit_result results[4];
    size_t n = 0;
    for (size_t i = 0; i < 2 && reports[i]; i++) {
        results[n++] = (struct limit_result){.text = &reports[i]->out};
        results[n++] = (struct limit_result){.value = &reports[i]->state,
                                             .size = sizeof reports[i]->state};
    }
    return limit_run(predict_path_here, &task, results, n);
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
