/* inspection.c -- see inspection.h.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/inspection.h"

#include "base/limits/context.h"
#include "base/parallel.h"
#include "history/sessions.h"
#include "pipeline/inspection_files.h"
#include "report/parts.h"
#include "report/power.h"

#include <assert.h>

// Seconds to write a report when the time is over: what was explained just in
// time is not thrown away.
#define GRACE 0.1

enum {
    CONTEXT = 40, // transactions near an anomaly that a report shows
    FLAWS = 1000, // inconsistent reads to choose from
    SECONDS = 5,  // for explaining (BUDGET_SECOND), beside what the check took
};

struct inspection_options
inspection_defaults(void)
{
    return (struct inspection_options){
        .format = "auto",
        .session_order = true,
        .explain = true,
        .full_summary = true,
        .check = {.threads = 1,
                  .verify = true,
                  .most_flaws = FLAWS,
                  .strong = strong_defaults},
        .explaining = {.most = 1,
                       .work = SECONDS * BUDGET_SECOND,
                       .context = CONTEXT,
                       .threads = 1,
                       .strong = strong_defaults},
    };
}

/* --- phases ----------------------------------------------------------------*/

static bool
has_limits(const struct inspection_options *o)
{
    return limits_set(&o->check.limits);
}

static void
begin_phase(const struct inspection_options *o, const char *phase,
            const char *path)
{
    if (o->observer.begin && !has_limits(o))
        o->observer.begin(o->observer.self, phase, path);
}

static void
end_phase(const struct inspection_options *o)
{
    if (o->observer.end && !has_limits(o))
        o->observer.end(o->observer.self);
}

static void
tell_level(const struct inspection_options *o, enum level level,
           const char *phase)
{
    if (o->observer.level && !has_limits(o))
        o->observer.level(o->observer.self, level, phase);
}

/* Read the history; stop->kind says whether a limit was reached. */
static bool
read_history(struct inspection_options *o, const char *path,
             struct inspection *out, struct limit_stop *stop, struct err *err)
{
    const double began = time_now();
    const double began_cpu = time_work(o->check.threads);
    if (has_limits(o) && !limit_try(&o->check.limits, 0, "reading", stop))
        return true;
    const bool ok = o->lines ? format_read_lines(path, o->format, &out->history,
                                                 &out->format, err)
                             : format_read(path, o->format, o->check.threads,
                                           &out->history, &out->format, err);
    if (ok && !o->session_order)
        history_ignore_sessions(&out->history);
    if (ok)
        o->full_summary
            ? summary_of(&out->history, o->check.threads, &out->summary)
            : summary_sizes(&out->history, &out->summary);
    if (ok)
        partial_of(&out->history, &out->partial);
    limit_end();
    o->check.spent = time_now() - began;
    out->load_seconds = time_work(o->check.threads) - began_cpu;
    return ok;
}

/* Explain a violated level within what is left of its limits.  Where they are
 * reached, the violation stands without an explanation. */
static bool
explain_row(const struct inspection_options *o, struct inspection *i,
            size_t row, struct err *err)
{
    const struct level_result *r = &i->check.results.at[row];
    struct explanation *out = &i->explanations[row];
    struct limit_stop stop;
    if (has_limits(o) &&
        !limit_try(&o->check.limits, r->spent, "explaining", &stop)) {
        *out = (struct explanation){
            .level = r->level, .cut_short = true, .stop = stop};
        return true;
    }
    const bool ok =
        explain_result(&i->history, &i->check, r, &o->explaining, out, err);
    limit_end();
    return ok;
}

/* A check and its explanations on their way.  Levels are independent of each
 * other, and each has a row of its own. */
struct explaining {
    const struct inspection_options *o;
    struct inspection *i;
    struct err errs[LEVELS]; // by row
};

/* Threads and the processes of limits do not go together; a context reports
 * one phase at a time. */
static bool
can_go_together(const struct inspection_options *o)
{
    return !has_limits(o) && !context_current();
}

static void
explain_violated(void *self, size_t row)
{
    struct explaining *e = self;
    const struct level_result *r = &e->i->check.results.at[row];
    if (r->certificate.verdict != VERDICT_VIOLATED || e->i->explained[row] ||
        !e->o->explain)
        return;
    tell_level(e->o, r->level, "explaining");
    e->i->explained[row] = explain_row(e->o, e->i, row, &e->errs[row]);
}

static bool
explain_all(struct explaining *e, struct err *err)
{
    const struct inspection_options *o = e->o;
    const size_t n = e->i->check.results.n;
    parallel_for(can_go_together(o) ? o->explaining.threads : 1, n,
                 explain_violated, e);
    for (size_t row = 0; row < n; row++)
        if (e->errs[row].kind) {
            *err = e->errs[row];
            return false;
        }
    return true;
}

/* What the check tells goes on to the observer of the inspection. */
static void
begin_level(void *self, enum level level, const char *phase)
{
    const struct explaining *e = self;
    tell_level(e->o, level, phase);
}

/* A violated level is explained at once where an observer waits for it, so that
 * its verdict can be shown while others are being decided. */
static void
end_level(void *self, const struct level_result *r)
{
    struct explaining *e = self;
    const struct inspection_observer *to = &e->o->observer;
    const struct check *c = &e->i->check;
    if (!to->decided)
        return;
    const size_t row = (size_t)(r - c->results.at);
    assert(row < c->results.n);
    if (can_go_together(e->o))
        explain_violated(e, row);
    const enum verdict v = r->certificate.verdict;
    to->decided(to->self, e->i, r,
                v == VERDICT_OK || (v == VERDICT_VIOLATED &&
                                    (e->i->explained[row] || !e->o->explain)));
}

/* Decide the levels that were not asked for and that do not follow from those
 * that were.  They are for the answer only (report/answer.h), so they have a
 * budget and need no explanation. */
static bool
check_others(const struct inspection_options *o, struct inspection *i,
             struct err *err)
{
    level_set left = level_untimed() & level_ordered();
    for (size_t r = 0; r < i->check.results.n; r++) {
        const enum level level = i->check.results.at[r].level;
        const enum verdict v = i->check.results.at[r].certificate.verdict;
        left &= ~level_bit(level);
        for (enum level l = 0; l < LEVELS; l++)
            if ((v == VERDICT_OK && level_implies(level, l)) ||
                (v == VERDICT_VIOLATED && level_implies(l, level)))
                left &= ~level_bit(l);
    }
    if (!left)
        return true;
    struct check_options options = o->check;
    options.levels = left;
    options.observer = (struct check_observer){0};
    options.work = SECONDS * BUDGET_SECOND;
    options.ask_z3 = false;
    return check_history(&i->history, &options, &i->others, err);
}

/* Begin with a history that has no results yet. */
static void
prepare(const struct inspection_options *o, struct inspection *out)
{
    out->path = o->name;
    out->began = time_now();
    out->explanations = mem_calloc(LEVELS, sizeof *out->explanations);
    out->explained = mem_calloc(LEVELS, sizeof *out->explained);
}

/* Check, verify and explain, unless a limit was reached before. */
static bool
decide(struct inspection_options *o, struct inspection *out,
       const struct limit_stop *stop, struct err *err)
{
    bool ok = true;
    struct explaining e = {.o = o, .i = out};
    o->check.observer = (struct check_observer){&e, begin_level, end_level};
    begin_phase(o, "checking", o->name);
    if (stop->kind)
        check_nothing(&o->check, stop, &out->check);
    else
        ok = check_history(&out->history, &o->check, &out->check, err);
    if (ok && o->all_levels && !stop->kind)
        ok = check_others(o, out, err);
    if (ok && o->power && !stop->kind)
        overlap_count(&out->history, POWER_WORK, &out->overlap);
    if (ok && (o->origin || o->full_summary) && !stop->kind &&
        timeline_applies(&out->history))
        timeline_of(&out->history, &out->timeline);
    end_phase(o);
    begin_phase(o, "explaining", o->name);
    ok = ok && explain_all(&e, err);
    end_phase(o);
    return ok;
}

bool
inspection_read(const struct inspection_options *options, const char *path,
                struct inspection *out, struct err *err)
{
    struct inspection_options o = *options;
    struct limit_stop stop = {0};
    *out = (struct inspection){0};
    o.name = o.name ? o.name : path;
    prepare(&o, out);
    begin_phase(&o, "reading", o.name);
    const bool is_read = read_history(&o, path, out, &stop, err);
    end_phase(&o);
    if (is_read && decide(&o, out, &stop, err))
        return true;
    inspection_free(out);
    return is_read && err_in_file(err, path);
}

bool
inspection_decide(const struct inspection_options *options,
                  struct inspection *out, struct err *err)
{
    struct inspection_options o = *options;
    const struct limit_stop none = {0};
    assert(!has_limits(options));
    prepare(&o, out);
    return decide(&o, out, &none, err);
}

void
inspection_free(struct inspection *i)
{
    for (size_t r = 0; i->explanations && r < i->check.results.n; r++)
        explanation_free(&i->explanations[r]);
    mem_free(i->explanations);
    mem_free(i->explained);
    timeline_free(&i->timeline);
    partial_free(&i->partial);
    check_free(&i->others);
    check_free(&i->check);
    history_free(&i->history);
}

/* --- reports ---------------------------------------------------------------*/

/* How much of the limit of time of one level is over, all levels together. */
static double
time_spent(const struct inspection_options *o, const struct inspection *i)
{
    const size_t n = i->check.results.n;
    const double others = n ? (double)(n - 1) * o->check.limits.seconds : 0;
    return time_now() - i->began - others;
}

/* Whether there is more to show than verdicts. */
static bool
has_anomalies(const struct inspection *i)
{
    for (size_t r = 0; r < i->check.results.n; r++)
        if (i->explanations[r].anomalies.n)
            return true;
    return false;
}

static void
drop_anomalies(struct inspection *i, const struct limit_stop *stop)
{
    for (size_t r = 0; r < i->check.results.n; r++) {
        struct explanation *e = &i->explanations[r];
        if (!e->anomalies.n)
            continue;
        const enum level level = e->level;
        explanation_free(e);
        *e = (struct explanation){
            .level = level, .cut_short = true, .stop = *stop};
    }
}

void
inspection_show(const struct inspection_options *o, const struct inspection *i,
                struct report *to)
{
    const struct report_run run = {
        .path = i->path,
        .file = o->file,
        .format = i->format ? i->format->name : "",
        .summary = &i->summary,
        .check = &i->check,
        .explanations = i->explanations,
        .others = &i->others,
        .origin = o->origin,
        .timeline = i->timeline.intervals.n ? &i->timeline : NULL,
        .power = o->power && i->format ? &i->overlap : NULL,
        .power_required = o->require_power,
        .partial = &i->partial,
        .must_be_complete = o->require_complete};
    report_add(to, &run);
}

/* Add the result to all reports within what is left of the limits.  Where they
 * are reached, it is shown without its explanation, with the limit that was
 * reached. */
static void
add_to_reports(const struct inspection_options *o, struct inspection *i)
{
    struct limit_stop stop;
    if (has_limits(o) && has_anomalies(i) &&
        !limit_try(&o->check.limits, time_spent(o, i) - GRACE,
                   "writing the report", &stop))
        drop_anomalies(i, &stop);
    for (size_t r = 0; r < o->n_reports; r++)
        inspection_show(o, i, &o->reports[r]);
    limit_end();
}

/* --- a run -----------------------------------------------------------------*/

struct run {
    const struct inspection_options *options;
    const char *path, *name;
    struct inspection_result *result;
    struct run_end {
        bool is_reached, ok;
        enum verdict verdict;
        struct err err;
    } end;
};

/* Pass on what the reader has to say, with the name of the history. */
static void
add_reader_notes(const struct inspection *i, struct buf *notes)
{
    const struct buf *from = &i->history.notes;
    for (const char *at = from->n ? from->at : ""; *at;) {
        const size_t n = strcspn(at, "\n");
        buf_shown(notes, i->path);
        buf_printf(notes, ": %.*s\n", (int)n, at);
        at += n + (at[n] == '\n');
    }
}

/* Say what the order of the timestamps is worth at each level. */
static void
add_claims(const struct inspection *i, struct buf *notes)
{
    for (size_t k = 0; k < i->check.results.n; k++) {
        const struct level_result *r = &i->check.results.at[k];
        if (!part_has_claim(r))
            continue;
        buf_shown(notes, i->path);
        buf_printf(notes, ": %s: ", level_table[r->level].name);
        part_claim(r, notes);
        buf_char(notes, '\n');
    }
}

bool
inspection_is_weak(const struct inspection *i)
{
    struct buf weakness = {0};
    power_weakness(&i->overlap, power_levels(&i->check), &weakness);
    const bool is_weak = weakness.n;
    buf_free(&weakness);
    return is_weak;
}

enum verdict
inspection_verdict(const struct inspection_options *o,
                   const struct inspection *i)
{
    const enum verdict worst = check_worst(&i->check);
    const bool is_less = (o->require_power && inspection_is_weak(i)) ||
                         (o->require_complete && i->partial.txns);
    return worst == VERDICT_OK && is_less ? VERDICT_UNKNOWN : worst;
}

bool
inspection_finish(const struct inspection_options *o, struct inspection *i,
                  struct inspection_result *out, struct err *err)
{
    add_to_reports(o, i);
    add_reader_notes(i, &out->notes);
    add_claims(i, &out->notes);
    out->verdict = inspection_verdict(o, i);
    const bool ok = inspection_write_files(o, i, time_spent(o, i),
                                           &out->verdict, &out->notes, err);
    if (o->observer.done)
        o->observer.done(o->observer.self, i);
    inspection_free(i);
    return ok;
}

static bool
run_in_place(struct run *run)
{
    struct inspection_options o = *run->options;
    struct err *err = &run->end.err;
    struct inspection i;
    o.name = run->name;
    if (!inspection_read(&o, run->path, &i, err))
        return false;
    const bool ok = inspection_finish(&o, &i, run->result, err);
    run->end.verdict = run->result->verdict;
    return ok;
}

static int
run_work(void *self)
{
    struct run *run = self;
    run->end.ok = run_in_place(run);
    run->end.is_reached = true;
    return 0;
}

/* Run in a child, and get back what it did to the reports and the result. */
static void
run_in_child(struct run *run)
{
    const struct inspection_options *o = run->options;
    struct limit_result results[LIMIT_RESULTS] = {
        {.value = &run->end, .size = sizeof run->end},
        {.text = &run->result->notes}};
    size_t n = 2;
    assert(2 * o->n_reports + 2 <= LIMIT_RESULTS);
    for (size_t r = 0; r < o->n_reports; r++) {
        struct report *to = &o->reports[r];
        results[n++] = (struct limit_result){.text = &to->out};
        results[n++] = (struct limit_result){.value = &to->state,
                                             .size = sizeof to->state};
    }
    const int status = limit_run(run_work, run, results, n);
    if (!run->end.is_reached)
        err_set(&run->end.err, ERR_INTERNAL,
                "the process that checks this history ended early, with "
                "status %d",
                status);
}

bool
inspection_run(const struct inspection_options *o, const char *path,
               const char *name, struct inspection_result *out, struct err *err)
{
    assert(o->check.levels && (o->reports || !o->n_reports));
    *out = (struct inspection_result){.verdict = VERDICT_UNKNOWN};
    struct run run = {.options = o, .path = path, .name = name, .result = out};
    if (has_limits(o))
        run_in_child(&run);
    else
        run_work(&run);
    out->verdict = run.end.verdict;
    if (run.end.err.kind)
        *err = run.end.err;
    assert(run.end.ok == !run.end.err.kind);
    return run.end.ok;
}
