/* predict_run.c -- see predict_run.h.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/predict_run.h"

#include "base/limits/context.h"
#include "base/outfile.h"
#include "base/time.h"
#include "history/partial.h"
#include "pipeline/predict_level.h"
#include "replay/database.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* The search itself ends at the limit and shows what it has found; everything
 * else has this share of the time more. */
static const double GRACE = 0.1;

/* --- the observer ---------------------------------------------------------*/

static void
begin_phase(const struct prediction_run *run, const char *phase,
            const char *path)
{
    context_phase(phase);
    if (run->observer.begin)
        run->observer.begin(run->observer.self, phase, path);
}

static void
end_phase(const struct prediction_run *run)
{
    if (run->observer.end)
        run->observer.end(run->observer.self);
}

static void
tell(const struct prediction_run *run, const char *path,
     const struct buf *notes)
{
    if (run->observer.notes && notes->n)
        run->observer.notes(run->observer.self, path, notes);
}

/* --- files ----------------------------------------------------------------*/

/* Write prediction i to DIR/NAME-LEVEL-BOUNDARY-NUMBER.SUFFIX. */
static bool
write_predicted(const struct prediction_run *run,
                const struct predict_result *r, size_t i, struct err *err)
{
    const char *dir = run->request.predicted;
    const struct format *format = run->request.written;
    if (r->prediction->found.at[i].history.key_rows)
        return err_set(err, ERR_FEATURE,
                       "--predicted cannot write predictions about rows, which "
                       "were made registers");
    if (mkdir(dir, 0777) != 0 && errno != EEXIST) {
        err_set(err, ERR_IO, "cannot make this directory: %s", strerror(errno));
        return err_in_file(err, dir);
    }
    const char *slash = strrchr(r->path, '/');
    const char *name = slash ? slash + 1 : r->path;
    const char *dot = strchr(name, '.');
    struct buf path = {0};
    buf_printf(&path, "%s/%.*s-%s-%s-%zu%s", dir,
               (int)(dot && dot > name ? (size_t)(dot - name) : strlen(name)),
               name, predict_brief(r->options),
               r->options->is_strict ? "strict" : "relaxed", i + 1,
               format->suffix);
    const bool ok =
        format_write(&r->prediction->found.at[i].history, format, path.at, err);
    buf_free(&path);
    return ok;
}

/* If there is no prediction and a proof of that, write the proof. */
static bool
write_certificate(struct prediction_run *run, const struct history *h,
                  const struct prediction *p, struct err *err)
{
    struct buf text = {0};
    bool ok = true;
    if (p->answer == PREDICT_NONE && p->absence.steps.n) {
        absence_write(h, &p->absence, &text);
        ok = outfile_write(run->request.certificate, &text, err);
    } else {
        buf_text(&text, "nothing to certify: only 'none' has a proof, and not "
                        "with --approx");
        tell(run, NULL, &text);
    }
    buf_free(&text);
    return ok;
}

/* --- one level ------------------------------------------------------------*/

/* Begin work on a level under what is left of its limits; false where they are
 * reached, which *stop says. */
static bool
try_within(const struct prediction_run *run, double spent, const char *phase,
           struct limit_stop *stop)
{
    const struct limits *limits = &run->request.limits;
    return !limits_set(limits) ||
           limit_try(limits, spent - GRACE * limits->seconds, phase, stop);
}

/* Try the predictions, explain them and write them to files. */
static bool
explain_all(struct prediction_run *run, struct predict_level *l,
            struct err *err)
{
    const struct prediction *p = &l->prediction;
    bool ok = !run->request.validate ||
              validation_all(&run->request.validation, p, &l->validated, err);
    l->result.answer = validation_answer(p, &l->validated);
    limit_phase("explaining");
    for (size_t i = 0; ok && i < p->found.n; i++)
        ok = predict_level_explain(l, i, run->request.threads, err) &&
             (!run->request.predicted ||
              write_predicted(run, &l->result, i, err));
    return ok;
}

/* Add the result of a level to the reports. */
static void
show(struct prediction_run *run, const struct predict_level *l)
{
    if (run->page)
        predict_level_show(l, false, run->page);
    predict_level_show(l, run->request.json, &run->report);
}

/* Show the prediction of a level, on which 'spent' seconds were spent.  What
 * cannot be explained within the limits is shown without its explanation. */
static bool
show_prediction(struct prediction_run *run, struct predict_level *l,
                const struct history *h, double spent, struct err *err)
{
    bool ok = true;
    if (l->prediction.found.n &&
        try_within(run, spent, "validating", &l->result.stop)) {
        ok = explain_all(run, l, err);
        limit_end();
    }
    if (ok)
        show(run, l);
    if (ok && run->request.certificate)
        ok = write_certificate(run, h, &l->prediction, err);
    if (ok && run->observer.level)
        run->observer.level(run->observer.self, &l->result);
    return ok;
}

/* Which limit the search itself ended at, if it did. */
static struct limit_stop
stop_of(const struct limits *limits, double spent)
{
    const bool time = limits->seconds > 0 && spent > limits->seconds;
    return (struct limit_stop){.kind = time            ? LIMIT_TIME
                                       : limits->bytes ? LIMIT_MEMORY
                                                       : LIMIT_NONE,
                               .seconds = limits->seconds,
                               .bytes = limits->bytes,
                               .phase = "predicting"};
}

/* Predict within the limits.  Where they are reached, the prediction is empty
 * and unknown, and l->result.stop says which. */
static bool
predict_within(struct prediction_run *run, struct predict_level *l,
               const struct history *h, struct err *err)
{
    const struct prediction *p = &l->prediction;
    l->result.stop = (struct limit_stop){.kind = LIMIT_NONE};
    partial_tell(h, l->result.gaps, sizeof l->result.gaps);
    const double begin = time_now();
    if (!try_within(run, 0, "predicting", &l->result.stop))
        return true;
    begin_phase(run, "predicting", l->result.path);
    const bool ok = predict_level_search(l, h, err);
    end_phase(run);
    limit_end();
    if (ok && p->answer == PREDICT_UNKNOWN && !p->is_untested)
        l->result.stop = stop_of(&run->request.limits, time_now() - begin);
    return ok;
}

/* Transactions that no prediction keeps as they were observed. */
static void
note_looped(const struct prediction_run *run, const struct predict_result *r,
            const struct prediction *p)
{
    struct buf note = {0};
    if (p->observed.n_looped)
        buf_printf(&note,
                   "%zu transactions read from each other in a cycle, or "
                   "follow those that do; no prediction keeps them as observed",
                   p->observed.n_looped);
    tell(run, r->path, &note);
    buf_free(&note);
}

static bool
predict_level(struct prediction_run *run, struct predict_result *about,
              const struct history *h, enum level level, bool is_first,
              struct err *err)
{
    const double begin = time_now();
    struct predict_level l;
    struct predict_options options = run->request.predict;
    struct validation *validation = &run->request.validation;
    uint32_t *rows = NULL;
    options.level = validation->level = level;
    if (run->request.validate) {
        options.accept = validation_accept;
        options.self = validation;
        if (validation->on_database)
            options.rows = rows = replay_rows(h);
    }
    predict_level_init(&l, about, &options);
    bool ok = predict_within(run, &l, h, err) || err_in_file(err, about->path);
    if (ok) {
        if (is_first)
            note_looped(run, &l.result, &l.prediction);
        ok = show_prediction(run, &l, h, time_now() - begin, err);
        about->answer = l.result.answer;
        validation_free(&l.validated);
        predict_level_free(&l);
    }
    mem_free(rows);
    return ok;
}

/* --- one history ----------------------------------------------------------*/

/* The levels of a history that could not be read within the limits. */
static void
show_unread(struct prediction_run *run, const struct predict_result *about)
{
    for (enum level level = 0; level < LEVELS; level++) {
        if (!level_set_has(run->request.levels, level))
            continue;
        struct predict_level l;
        struct predict_options options = run->request.predict;
        options.level = level;
        predict_level_init(&l, about, &options);
        show(run, &l);
    }
}

static bool
predict_levels(struct prediction_run *run, struct predict_result *r,
               const struct history *h, enum predict_answer *out,
               struct err *err)
{
    bool is_first = true;
    *out = PREDICT_NONE;
    for (enum level l = 0; l < LEVELS; l++) {
        if (!level_set_has(run->request.levels, l))
            continue;
        if (!predict_level(run, r, h, l, is_first, err))
            return false;
        *out = predict_level_worse(*out, r->answer);
        is_first = false;
    }
    return true;
}

/* One history of the run. */
struct task {
    struct prediction_run *run;
    const char *path, *name;
    struct end {
        bool ok, is_reached; // is_reached: the process came to its end
        enum predict_answer answer;
        struct err err;
    } end;
};

static bool
read_history(struct prediction_run *run, const char *path, struct history *h,
             const struct format **format, struct summary *summary,
             struct err *err)
{
    begin_phase(run, "reading", path);
    const bool ok = format_read(path, run->request.format, run->request.threads,
                                h, format, err);
    end_phase(run);
    if (!ok)
        return false;
    tell(run, path, &h->notes);
    summary_sizes(h, summary);
    struct predict_input input = run->request.input;
    input.threads = run->request.threads;
    input.is_exact = run->request.certificate != NULL;
    if (predict_input_prepare(h, &input, err))
        return true;
    history_free(h);
    return err_in_file(err, path);
}

static bool
predict_history(const struct task *task, enum predict_answer *out,
                struct err *err)
{
    struct prediction_run *run = task->run;
    struct history h = {0};
    const struct format *format = NULL;
    struct summary summary = {0};
    struct predict_result r = {
        .path = task->name, .format = "", .summary = &summary};
    const bool json = !run->report.format && run->request.json;
    const bool is_read = try_within(run, 0, "reading", &r.stop);
    bool ok = true;
    if (is_read) {
        if (!read_history(run, task->path, &h, &format, &summary, err))
            return false;
        limit_end();
        r.format = format->name;
    }
    if (json)
        predict_show_begin_json(&r, &run->report.out);
    if (is_read)
        ok = predict_levels(run, &r, &h, out, err);
    else
        show_unread(run, &r);
    if (json)
        predict_show_end_json(&run->report.out);
    if (is_read)
        history_free(&h);
    return ok;
}

static int
do_task(void *self)
{
    struct task *task = self;
    struct buf *out = &task->run->report.out;
    const size_t before = out->n; // of other histories
    task->end.answer = PREDICT_UNKNOWN;
    task->end.ok = predict_history(task, &task->end.answer, &task->end.err);
    if (!task->end.ok && out->n > before)
        out->at[out->n = before] = '\0';
    task->end.is_reached = true;
    return 0;
}

/* In a child, with which the processes of its tries end. */
static void
do_in_child(struct task *task)
{
    struct report *const reports[] = {&task->run->report, task->run->page};
    struct limit_result results[5] = {
        {.value = &task->end, .size = sizeof task->end}};
    size_t n = 1;
    for (size_t i = 0; i < 2 && reports[i]; i++) {
        results[n++] = (struct limit_result){.text = &reports[i]->out};
        results[n++] = (struct limit_result){.value = &reports[i]->state,
                                             .size = sizeof reports[i]->state};
    }
    const int status = limit_run(do_task, task, results, n);
    if (!task->end.is_reached)
        err_set(&task->end.err, ERR_INTERNAL,
                "the process that predicts ended early, with status %d",
                status);
}

void
predict_run_on(struct prediction_run *run, const char *target)
{
    run->request.validation.target = target;
    run->request.validation.on_database = replay_is_possible_on(target);
}

bool
predict_run_history(struct prediction_run *run, const char *path,
                    const char *name, enum predict_answer *out, struct err *err)
{
    struct task task = {.run = run, .path = path, .name = name};
    assert(run->request.levels && !(run->request.levels & ~PREDICT_LEVELS));
    if (limits_set(&run->request.limits))
        do_in_child(&task);
    else
        do_task(&task);
    *out = task.end.answer;
    if (!task.end.ok)
        *err = task.end.err;
    assert(task.end.ok == !task.end.err.kind);
    return task.end.ok;
}
