/* prove_run.c -- see prove_run.h.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/prove_run.h"

#include "base/json.h"
#include "base/outfile.h"
#include "check/check.h"
#include "pipeline/prove_levels.h"
#include "prove/program/access.h"
#include "prove/program/read.h"
#include "prove/robust/anomaly/record.h"
#include "prove/robust/anomaly/story.h"
#include "report/prove/level_words.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* --- begin ----------------------------------------------------------------*/

/* Warn about programs that are valid but probably not intended. */
static void
warn(struct prove_run *run)
{
    const struct program *p = &run->program;
    for (size_t i = 0; i < p->functions.n; i++) {
        const struct function *f = p->functions.at[i];
        if (!access_can_commit(f))
            buf_printf(&run->notes,
                       "warning: %s:%u: function %s never commits, so no "
                       "execution contains it\n",
                       f->file, f->line, f->name);
    }
}

static bool
check_levels(const struct prove_run *run, struct err *err)
{
    const struct prove_request *q = &run->request;
    if (q->schedule && run->n_levels != 1)
        return err_set(err, ERR_USAGE,
                       "--schedule needs exactly one level, found %zu",
                       run->n_levels);
    for (size_t i = 0; q->repair && i < run->n_levels; i++)
        if (!isolation_is_postgresql(&run->levels[i]))
            return err_set(err, ERR_USAGE,
                           "--repair needs rc or si, levels that "
                           "PostgreSQL has");
    return true;
}

bool
prove_run_open(const struct prove_request *request, struct prove_run *run,
               struct err *err)
{
    *run = (struct prove_run){.request = *request};
    const struct prove_request *q = &run->request;
    if (!program_read(&run->program, q->paths, q->n_paths, err))
        return false;
    warn(run);
    for (size_t i = 0; i < q->n_paths; i++)
        buf_printf(&run->files, "%s%s", i ? " " : "", q->paths[i]);
    if (!q->weakest && (!prove_levels_read(q, &run->program, run->levels,
                                           &run->n_levels, &run->own, err) ||
                        !check_levels(run, err))) {
        run->n_levels = 0;
        return false;
    }
    if (!q->weakest)
        prove_report_begin(&run->report, q->format, &q->style, &run->program,
                           run->files.at);
    return true;
}

/* --- one level ------------------------------------------------------------*/

static bool
is_json(const struct prove_run *run)
{
    return strcmp(run->request.format, "json") == 0;
}

static struct search_limits
limits_of(const struct prove_request *q)
{
    struct search_limits limits = {
        .members = q->members, .slots = 3, .seconds = 10, .graph = q->graph};
    // One more where the solver thinks that it may be worth it.
    limits.chained = limits.members < INTERLEAVING_MOST ? limits.members + 1
                                                        : limits.members;
    return limits;
}

/* A level that is being decided. */
struct level_run {
    struct prove_run *run;
    const struct level_choice *levels;
    struct search_limits limits;
    double begin;
    struct prove_result result;
    struct findings each; // with 'all'
    struct buf repairs;
};

/* Begin work on a level under what is left of its limit; false where it is
 * reached, which *stop says. */
static bool
try_within(const struct level_run *l, const char *phase,
           struct limit_stop *stop)
{
    const struct limits limits = {.seconds = l->run->request.timeout};
    return !limits_set(&limits) ||
           limit_try(&limits, time_now() - l->begin, phase, stop);
}

/* Look for all anomalies where there is one, with the time that is left.  The
 * one that is known stands. */
static bool
find_each(struct level_run *l, struct err *err)
{
    struct limit_stop stop;
    if (!try_within(l, "searching", &stop)) {
        buf_text(&l->run->notes, "note: there may be more anomalies: ");
        limit_show(&stop, &l->run->notes);
        buf_char(&l->run->notes, '\n');
        return true;
    }
    prove_free(&l->result);
    const bool ok = prove_each(&l->run->program, l->levels, &l->limits,
                               &l->each, &l->result, err);
    limit_end();
    return ok;
}

/* Prove the level, or look for its anomalies. */
static bool
decide(struct level_run *l, struct err *err)
{
    const struct prove_request *q = &l->run->request;
    const struct program *p = &l->run->program;
    struct limit_stop stop;
    if (!try_within(l, "proving", &stop)) {
        prove_give_up(&l->result, &stop);
        return true;
    }
    const bool ok =
        q->sequence ? prove_sequence(p, l->levels, q->sequence, &l->limits,
                                     &l->result, err)
                    : prove_level(p, l->levels, &l->limits, &l->result, err);
    limit_end();
    if (!ok || !q->all || q->sequence || l->result.verdict != PROVE_ANOMALY)
        return ok;
    return find_each(l, err);
}

static bool
find_repairs(struct level_run *l, struct err *err)
{
    const bool json = is_json(l->run);
    bool ok = true;
    if (json)
        json_array(&l->repairs, "repairs");
    for (int i = 0; ok && i < 2; i++) {
        const enum repair_by by = i ? REPAIR_BY_LEVELS : REPAIR_BY_STATEMENTS;
        struct repair r;
        ok = repair_find(&l->run->program, l->levels, by, &l->limits, &r, err);
        if (ok)
            prove_report_repair(&l->run->program, &r, by, json, &l->repairs);
        repair_free(&r);
    }
    if (json)
        json_array_end(&l->repairs);
    return ok;
}

/* Look for repairs with the time that is left; the verdict stands. */
static bool
repair_level(struct level_run *l, struct err *err)
{
    struct limit_stop stop;
    if (!try_within(l, "repairing", &stop)) {
        prove_report_no_repair(&stop, is_json(l->run), &l->repairs);
        return true;
    }
    const bool ok = find_repairs(l, err);
    limit_end();
    return ok;
}

/* --- the report -----------------------------------------------------------*/

/* Explain the history of an anomaly like any other history. */
static bool
explain_finding(const struct finding *f, struct explanation *out,
                struct err *err)
{
    struct history h;
    struct check check;
    const struct check_options options = {.levels = level_bit(LEVEL_TARGET),
                                          .threads = 1,
                                          .verify = true,
                                          .strong = strong_defaults};
    const struct explain_options how = {
        .most = 1, .work = 1000000, .threads = 1, .strong = strong_defaults};
    if (!record_history(f, &h, err))
        return false;
    bool ok = check_history(&h, &options, &check, err);
    if (ok) {
        ok = explain_result(&h, &check, &check.results.at[0], &how, out, err);
        check_free(&check);
    }
    history_free(&h);
    return ok;
}

static bool
report_level(struct level_run *l, struct err *err)
{
    struct prove_report *to = &l->run->report;
    const size_t n = l->each.all.n ? l->each.all.n : 1;
    struct explanation *explanations = NULL;
    bool ok = true;
    if (prove_report_explains(to) && l->result.verdict == PROVE_ANOMALY)
        explanations = mem_calloc(n, sizeof *explanations);
    for (size_t i = 0; ok && explanations && i < n; i++)
        ok = explain_finding(l->each.all.n ? l->each.all.at[i]
                                           : &l->result.finding,
                             &explanations[i], err);
    const struct prove_level_result r = {.levels = l->levels,
                                         .result = &l->result,
                                         .each = &l->each,
                                         .explanations = explanations,
                                         .repairs = &l->repairs};
    ok = ok && prove_report_add(to, &r, err);
    for (size_t i = 0; explanations && i < n; i++)
        explanation_free(&explanations[i]);
    mem_free(explanations);
    return ok;
}

/* --- files ----------------------------------------------------------------*/

/* Write a script that reproduces the anomaly. */
static bool
write_schedule(struct level_run *l, struct err *err)
{
    const struct finding *f = &l->result.finding;
    if (l->result.verdict != PROVE_ANOMALY) {
        buf_text(&l->run->notes, "note: no schedule: there is no anomaly\n");
        return true;
    }
    if (!f->isolation->innodb && !isolation_is_postgresql(f->isolation))
        return err_set(err, ERR_USAGE,
                       "--schedule needs rc, si or my-rr, levels that servers "
                       "have");
    struct buf text = {0};
    struct story story;
    story_init(&story, f);
    story_script(&story, &text);
    story_free(&story);
    const bool ok = outfile_write(l->run->request.schedule, &text, err);
    buf_free(&text);
    return ok;
}

/* Write the queries of a proof, numbered, into the directory. */
static bool
write_queries(struct level_run *l, struct err *err)
{
    const char *const folder = l->run->request.queries;
    const struct proof_log *log = l->limits.log;
    const char *const level =
        l->levels->own ? "own" : level_words_brief(l->levels->common);
    if (l->result.verdict != PROVE_PROVED) {
        buf_text(&l->run->notes, "note: no queries: there is no proof\n");
        return true;
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        err_set(err, ERR_IO, "%s", strerror(errno));
        return err_in_file(err, folder);
    }
    bool ok = true;
    for (size_t i = 0; ok && i < log->queries.n; i++) {
        struct buf path = {0};
        buf_printf(&path, "%s/%s-%04zu.smt2", folder, level, i + 1);
        ok = outfile_write(path.at, &log->queries.at[i], err);
        buf_free(&path);
    }
    return ok;
}

/* --- the run --------------------------------------------------------------*/

bool
prove_run_level(struct prove_run *run, size_t i, enum prove_verdict *out,
                struct err *err)
{
    const struct prove_request *q = &run->request;
    struct proof_log log = {{0}};
    struct level_run l = {.run = run,
                          .levels = &run->levels[i],
                          .limits = limits_of(q),
                          .begin = time_now()};
    if (q->queries)
        l.limits.log = &log;
    bool ok = decide(&l, err);
    *out = l.result.verdict;
    l.limits.log = NULL; // a repair's proofs are not kept
    if (ok && q->repair && l.result.verdict != PROVE_PROVED)
        ok = repair_level(&l, err);
    ok = ok && report_level(&l, err);
    if (ok && q->schedule)
        ok = write_schedule(&l, err);
    l.limits.log = &log;
    if (ok && q->queries)
        ok = write_queries(&l, err);
    proof_log_free(&log);
    findings_free(&l.each);
    buf_free(&l.repairs);
    prove_free(&l.result);
    return ok;
}

/* Whether a level was tried without a result. */
static bool
is_open(const struct weakest_try *t)
{
    return t->tried && t->verdict == PROVE_UNKNOWN;
}

bool
prove_run_weakest(struct prove_run *run, enum prove_verdict *out,
                  struct err *err)
{
    const struct search_limits limits = limits_of(&run->request);
    struct weakest w;
    const bool ok =
        weakest_find(&run->program, &limits, run->request.timeout, &w, err);
    bool open = false;
    for (enum level l = 0; l < LEVELS; l++)
        open = open || is_open(&w.levels[l]);
    for (uint32_t f = 0; f < w.n; f++)
        open = open || is_open(&w.at_rc[f]) || is_open(&w.at_si[f]);
    *out = open ? PROVE_UNKNOWN : PROVE_PROVED;
    if (ok)
        prove_report_weakest(&run->program, run->files.at, &w, is_json(run),
                             &run->report.out);
    weakest_free(&w);
    return ok;
}

void
prove_run_end(struct prove_run *run)
{
    if (run->report.format)
        prove_report_end(&run->report);
}

void
prove_run_close(struct prove_run *run)
{
    for (size_t i = 0; i < LEVELS; i++)
        isolation_free(&run->levels[i]);
    axioms_free(&run->own);
    prove_report_free(&run->report);
    buf_free(&run->files);
    buf_free(&run->notes);
    program_free(&run->program);
}
