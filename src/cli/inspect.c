/* inspect.c -- see inspect.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/inspect.h"

#include "cli/progress.h"
#include "history/sessions.h"
#include "level/names.h"

#define GRACE 0.1 // seconds to write a report when time is over

enum {
    CONTEXT = 40, // transactions near an anomaly that a report shows
    FLAWS = 1000, // inconsistent reads to choose from
    SECONDS = 5   // for explaining (BUDGET_SECOND), beside what the check took
};

bool
inspect_options(const struct options *o, struct inspect_options *out,
                struct err *err)
{
    *out = (struct inspect_options){
        .check = {.threads = cli_thread_count(o),
                  .limits = {o->timeout, (size_t)o->memory},
                  .verify = o->verify,
                  .most_flaws = FLAWS,
                  .strong = o->strong},
        .explain = {.most = (size_t)o->max_anomalies,
                    .work = SECONDS * BUDGET_SECOND,
                    .context = CONTEXT,
                    .threads = cli_thread_count(o),
                    .strong = o->strong},
        .explain_wanted = o->explain,
        .summary_wanted = o->report || strcmp(o->report_format, "html") == 0,
    };
    out->check.strong.window = (uint32_t)o->window;
    out->check.strong.rounds = (uint32_t)o->rounds;
    out->explain.strong = out->check.strong;
    out->check.ask_z3 = strcmp(o->solver, "z3") == 0;
    if (!out->check.ask_z3 && strcmp(o->solver, "own") != 0)
        return err_set(err, ERR_USAGE, "--solver is own or z3, not '%s'",
                       o->solver);
    return level_parse_list(o->level ? o->level : "ser", o->session_order,
                            &out->check.levels, err);
}

/* Explain a violated level, within what is left of its limits; where they are
 * reached the violation stands without a story. */
static bool
explain_row(const struct inspect_options *how, struct inspection *i, size_t row,
            struct err *err)
{
    const struct level_result *r = &i->check.results.at[row];
    const struct limits *l = &how->check.limits;
    struct explanation *out = &i->explanations[row];
    struct limit_stop stop;
    if (limits_set(l) && !limit_try(l, r->spent, "explaining", &stop)) {
        *out = (struct explanation){
            .level = r->level, .cut_short = true, .stop = stop};
        return true;
    }
    const bool ok =
        explain_result(&i->history, &i->check, r, &how->explain, out, err);
    limit_kept();
    return ok;
}

static bool
explain_all(const struct inspect_options *how, struct inspection *i,
            struct err *err)
{
    i->explanations = mem_calloc(i->check.results.n, sizeof *i->explanations);
    bool ok = true;
    for (size_t r = 0; ok && how->explain_wanted && r < i->check.results.n; r++)
        if (i->check.results.at[r].certificate.verdict == VERDICT_VIOLATED)
            ok = explain_row(how, i, r, err);
    return ok;
}

/* Read the history; *stopped: a limit was reached, which is said there. */
static bool
read_history(const struct options *o, struct inspect_options *how,
             struct inspection *out, struct limit_stop *stopped,
             struct err *err)
{
    const struct limits *l = &how->check.limits;
    const double began = time_now(), began_cpu = time_cpu();
    if (limits_set(l) && !limit_try(l, 0, "reading", stopped))
        return true;
    const bool ok = format_read(out->path, o->format, cli_thread_count(o),
                                &out->history, &out->format, err);
    if (ok && !o->session_order)
        history_ignore_sessions(&out->history);
    if (ok)
        (how->summary_wanted ? summary_of : summary_sizes)(&out->history,
                                                           &out->summary);
    limit_kept();
    how->check.spent = time_now() - began;
    out->load_seconds = time_cpu() - began_cpu;
    return ok;
}

bool
inspect_file(const struct options *o, const struct inspect_options *options,
             const char *path, struct inspection *out, struct err *err)
{
    *out = (struct inspection){.path = path, .began = time_now()};
    struct inspect_options how = *options;
    struct limit_stop stop = {0};
    // A try wants no other thread: under limits there is no progress to see.
    const bool quiet = o->quiet || limits_set(&how.check.limits);
    struct progress *p = progress_begin(quiet, "reading", path);
    bool ok = read_history(o, &how, out, &stop, err);
    progress_end(p);
    if (!ok)
        return false;
    p = progress_begin(quiet, "checking", path);
    if (stop.kind)
        check_nothing(&how.check, &stop, &out->check);
    else
        ok = check_history(&out->history, &how.check, &out->check, err);
    progress_end(p);
    p = progress_begin(quiet, "explaining", path);
    ok = ok && explain_all(&how, out, err);
    progress_end(p);
    if (ok)
        return true;
    inspection_free(out);
    return err_in_file(err, path);
}

double
inspection_spent(const struct inspection *i, const struct limits *limits)
{
    const size_t n = i->check.results.n;
    const double others = n ? (double)(n - 1) * limits->seconds : 0;
    return time_now() - i->began - others;
}

static void
render(const struct inspection *i, const struct rendering *to)
{
    const struct report_run run = {.path = i->path,
                                   .format = i->format ? i->format->name : "",
                                   .summary = &i->summary,
                                   .check = &i->check,
                                   .explanations = i->explanations};
    if (to->format)
        to->format->add(&run, to->style, to->out);
    page_add(to->page, &run);
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
inspection_render(struct inspection *i, const struct limits *limits,
                  const struct rendering *to)
{
    struct limit_stop stop;
    // What was explained just in time is not thrown away.
    if (limits_set(limits) && has_anomalies(i) &&
        !limit_try(limits, inspection_spent(i, limits) - GRACE,
                   "writing the report", &stop))
        drop_anomalies(i, &stop);
    render(i, to);
    limit_kept();
}

void
inspection_free(struct inspection *i)
{
    for (size_t r = 0; i->explanations && r < i->check.results.n; r++)
        explanation_free(&i->explanations[r]);
    mem_free(i->explanations);
    check_free(&i->check);
    history_free(&i->history);
}

int
inspect_exit(const struct check *c)
{
    static const int status[] = {[VERDICT_OK] = EXIT_HOLDS,
                                 [VERDICT_VIOLATED] = EXIT_VIOLATED,
                                 [VERDICT_UNKNOWN] = EXIT_UNKNOWN};
    int worst = EXIT_HOLDS;
    for (size_t i = 0; i < c->results.n; i++)
        worst =
            cli_exit_worse(worst, status[c->results.at[i].certificate.verdict]);
    return worst;
}

bool
inspect_report_format(const struct options *o, const struct report_format **out,
                      struct err *err)
{
    const char *name = o->json ? "json" : o->report_format;
    *out = report_find(name);
    return *out ||
           err_set(err, ERR_USAGE,
                   "'%s' is no output format; see 'assay check --help'", name);
}
