/* inspect.c -- see inspect.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/inspect.h"

#include "base/outfile.h"
#include "check/ladder/strategies.h"
#include "cli/counters.h"
#include "cli/output_format.h"
#include "level/names.h"
#include "pipeline/stream_inspection.h"
#include "version.h"

#include <assert.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* --- options ---------------------------------------------------------------*/

bool
inspect_report_format(const struct options *o, const struct report_format **out,
                      struct err *err)
{
    const char *name = o->json ? "json" : o->report_format;
    *out = report_find(name);
    return *out ||
           err_set(err, ERR_USAGE,
                   "unknown output format '%s'; see 'assay check --help'",
                   name);
}

struct report_style
inspect_style(const struct options *o)
{
    return (struct report_style){.version = ASSAY_VERSION,
                                 .command = o->command,
                                 .colour = cli_colour_on_stdout(),
                                 .width = cli_width(STDOUT_FILENO),
                                 .verdicts_only = o->quiet,
                                 .all = o->all};
}

static void
log_strategy(level_set levels, const char *strategy, const char *text)
{
    struct buf line = {0};
    for (enum level l = 0; l < LEVELS; l++)
        if (level_set_has(levels, l))
            buf_printf(&line, "%s%s", line.n ? "," : "", level_table[l].brief);
    fprintf(stderr, "%s: %s: %s\n", line.at, strategy, text);
    buf_free(&line);
}

static bool
take_options(const struct options *o, struct inspection_options *out,
             struct err *err)
{
    struct strong_options strong = strong_defaults;
    for (size_t i = 0; i < o->without.n; i++)
        if (!strategy_switch_off(o->without.at[i], &strong, err))
            return false;
    for (size_t i = 0; i < o->tune.n; i++)
        if (!strong_tune(o->tune.at[i], &strong, err))
            return false;
    *out = inspection_defaults();
    out->format = o->format;
    out->session_order = o->session_order;
    out->explain = o->explain;
    out->full_summary = o->report || strcmp(o->report_format, "html") == 0;
    out->check.threads = out->explaining.threads = cli_thread_count(o);
    out->check.limits = (struct limits){o->timeout, (size_t)o->memory};
    out->check.verify = o->verify;
    out->check.log = o->log ? log_strategy : NULL;
    out->check.strong = out->explaining.strong = strong;
    out->explaining.most = (size_t)o->max_anomalies;
    out->power = out->require_power = o->require_power;
    out->require_complete = o->complete;
    out->lines = o->sarif_file || strcmp(o->report_format, "sarif") == 0;
    out->certificate = o->certificate;
    out->reduced = o->reduced;
    if (o->reduced &&
        !output_format_choose(o->to, o->reduced, &out->reduced_format, err))
        return false;
    out->check.ask_z3 = strcmp(o->solver, "z3") == 0;
    if (!out->check.ask_z3 && strcmp(o->solver, "own") != 0)
        return choices_error("solver", choices_solvers, o->solver, err);
    return level_parse_list(o->level ? o->level : "ser", o->session_order,
                            &out->check.levels, err);
}

/* --- output besides the reports --------------------------------------------*/

static void
begin_phase(void *self, const char *phase, const char *path)
{
    struct inspect *i = self;
    memset(i->phases, 0, sizeof i->phases);
    i->progress = progress_begin(i->quiet, phase, path);
}

static void
end_phase(void *self)
{
    struct inspect *i = self;
    progress_end(i->progress);
    i->progress = NULL;
}

/* Say in the line of progress what is known and what is being done: "rc ok, ra
 * ok, si violated; deciding ser".  What stdout shows already is left out. */
static void
say_levels(struct inspect *i)
{
    struct buf text = {0};
    for (enum level l = 0; l < LEVELS; l++)
        if (level_set_has((i->held | i->violated) & ~i->shown, l))
            buf_printf(&text, "%s%s %s", text.n ? ", " : "",
                       level_table[l].brief,
                       level_set_has(i->held, l) ? "ok" : "violated");
    const char *separator = text.n ? "; " : "", *last = NULL;
    for (int l = 0; l < LEVELS; l++)
        if (i->phases[l]) {
            const bool same = last && strcmp(last, i->phases[l]) == 0;
            buf_printf(&text, "%s%s%s%s", separator, same ? "" : i->phases[l],
                       same ? "" : " ", level_table[l].brief);
            last = i->phases[l];
            separator = ", ";
        }
    progress_say(i->progress, text.n ? text.at : "");
    buf_free(&text);
}

static void
begin_level(void *self, enum level level, const char *phase)
{
    struct inspect *i = self;
    pthread_mutex_lock(&i->lock);
    i->phases[level] = phase;
    say_levels(i);
    pthread_mutex_unlock(&i->lock);
}

/* Print what is known of a level as soon as all weaker ones are printed. */
static void
end_level(void *self, const struct inspection *inspection,
          const struct level_result *r, bool final)
{
    struct inspect *i = self;
    struct report *to = &i->reports[INSPECT_STDOUT];
    const struct check *c = &inspection->check;
    const struct report_run run = {.path = inspection->path,
                                   .check = c,
                                   .explanations = inspection->explanations};
    pthread_mutex_lock(&i->lock);
    i->phases[r->level] = NULL;
    if (r->certificate.verdict == VERDICT_OK)
        i->held |= level_bit(r->level);
    else if (r->certificate.verdict == VERDICT_VIOLATED)
        i->violated |= level_bit(r->level);
    if (final)
        i->final |= level_bit(r->level);
    while (to->state.early < c->results.n) {
        const enum level next = c->results.at[to->state.early].level;
        if (!level_set_has(i->final, next) || !report_add_early(to, &run))
            break;
        i->shown |= level_bit(next);
    }
    if (to->out.n && i->shown) {
        progress_clear(i->progress);
        cli_emit(&to->out);
        fflush(stdout);
    }
    say_levels(i);
    pthread_mutex_unlock(&i->lock);
}

static void
show_stats(void *self, const struct inspection *i)
{
    (void)self;
    cli_print_shown(stderr, i->path);
    fputc('\n', stderr);
    counters_show_time("reading", i->load_seconds);
    for (size_t k = 0; k < i->check.results.n; k++) {
        const struct level_result *r = &i->check.results.at[k];
        fprintf(stderr, " %s\n", level_table[r->level].brief);
        counters_show_time("deciding", r->seconds);
        counters_show_time("verifying", r->verify_seconds);
        counters_show(r);
    }
    fprintf(stderr, "  %-28s %12.1f MB\n", "memory at most",
            (double)mem_peak() / 1e6);
}

/* --- histories -------------------------------------------------------------*/

static const char *const file_formats[INSPECT_REPORTS] = {
    [INSPECT_JSON] = "json",
    [INSPECT_JUNIT] = "junit",
    [INSPECT_SARIF] = "sarif",
    [INSPECT_MARKDOWN] = "markdown"};

/* Now, as text in that room. */
static const char *
show_date(char *room, size_t size)
{
    const time_t now = time(NULL);
    struct tm parts;
    if (!gmtime_r(&now, &parts) ||
        !strftime(room, size, "%Y-%m-%d %H:%M UTC", &parts))
        return NULL;
    return room;
}

static void
begin_reports(const struct options *o, const struct report_format *format,
              struct inspect *out)
{
    struct report_style style = inspect_style(o);
    report_begin(&out->reports[INSPECT_STDOUT], format, &style);
    style.verdicts_only = style.colour = false;
    style.date = show_date(out->date, sizeof out->date);
    report_begin(&out->reports[INSPECT_PAGE],
                 out->page ? report_find("html") : NULL, &style);
    out->files[INSPECT_JSON] = o->json ? NULL : o->json_file;
    out->files[INSPECT_JUNIT] = o->junit_file;
    out->files[INSPECT_SARIF] = o->sarif_file;
    out->files[INSPECT_MARKDOWN] = o->markdown_file;
    for (int r = INSPECT_JSON; r < INSPECT_REPORTS; r++)
        report_begin(&out->reports[r],
                     out->files[r] ? report_find(file_formats[r]) : NULL,
                     &style);
}

/* Keep a violated history.  This may run in another process, whose memory is
 * gone afterwards (base/limits/limit.h). */
static void
keep(void *self, const struct inspection *inspection)
{
    const struct inspect *i = self;
    struct err err = {0};
    struct buf notes = {0};
    if (check_worst(&inspection->check) == VERDICT_VIOLATED &&
        !kept_run_history(i->kept, i->recording, i->number, inspection, &notes,
                          &err))
        cli_report_error(&err);
    cli_show_notes(NULL, &notes);
    buf_free(&notes);
}

bool
inspect_begin(const struct options *o, const char *page, bool page_only,
              struct inspect *out, struct err *err)
{
    *out = (struct inspect){.page = page, .quiet = o->quiet};
    pthread_mutex_init(&out->lock, NULL);
    const struct report_format *format = NULL;
    if (!take_options(o, &out->options, err) ||
        (!page_only && !inspect_report_format(o, &format, err)))
        return false;
    begin_reports(o, format, out);
    out->options.reports = out->reports;
    out->options.n_reports = INSPECT_REPORTS;
    out->options.observer =
        (struct inspection_observer){.self = out,
                                     .begin = begin_phase,
                                     .end = end_phase,
                                     .level = begin_level,
                                     .decided = end_level,
                                     .done = o->stats ? show_stats : NULL};
    return true;
}

void
inspect_keep(struct inspect *i, struct kept_run *kept)
{
    const struct report_style style = i->reports[INSPECT_PAGE].style;
    assert(kept->dir.n && !i->options.observer.done);
    i->kept = kept;
    i->options.observer.done = keep;
    i->options.full_summary = true;
    if (!i->reports[INSPECT_PAGE].format)
        report_begin(&i->reports[INSPECT_PAGE], report_find("html"), &style);
    if (!i->reports[INSPECT_JSON].format)
        report_begin(&i->reports[INSPECT_JSON], report_find("json"), &style);
}

static int
exit_status(enum verdict v)
{
    return v == VERDICT_OK         ? EXIT_HOLDS
           : v == VERDICT_VIOLATED ? EXIT_VIOLATED
                                   : EXIT_UNKNOWN;
}

/* Print what is known about one history; its exit status. */
static int
show_result(struct inspect *i, const struct inspection_result *result,
            const struct err *err)
{
    cli_show_notes(NULL, &result->notes);
    cli_emit(&i->reports[INSPECT_STDOUT].out);
    i->held = i->violated = i->final = i->shown = 0;
    return err ? cli_report_error(err) : exit_status(result->verdict);
}

static void
fail_reports(struct inspect *i, const char *path, const struct err *err)
{
    char why[1024];
    err_format(err, why, sizeof why);
    for (size_t r = 0; r < INSPECT_REPORTS; r++)
        report_fail(&i->reports[r], path, why);
}

int
inspect_fail(struct inspect *i, const char *name, const struct err *err)
{
    fail_reports(i, name, err);
    return cli_report_error(err);
}

int
inspect_file(struct inspect *i, const char *path, const char *name)
{
    struct inspection_result result;
    struct err err = {0};
    struct buf file = {0};
    if (i->kept && i->recording) {
        kept_run_path(i->kept, i->number, &file);
        i->options.file = file.at;
    }
    const bool ok = inspection_run(&i->options, path, name, &result, &err);
    i->options.file = NULL;
    if (!ok)
        fail_reports(i, name ? name : path, &err);
    const int status = show_result(i, &result, ok ? NULL : &err);
    buf_free(&result.notes);
    buf_free(&file);
    i->n_kept += i->kept && ok && result.verdict == VERDICT_VIOLATED;
    return status;
}

static void
show_passes(const struct pass_stats *s)
{
    fprintf(stderr, "  %-28s %12llu\n", "windows repaired",
            (unsigned long long)s->windows);
    fprintf(stderr, "  %-28s %12llu\n", "transactions in windows",
            (unsigned long long)s->window_txns);
    fprintf(stderr, "  %-28s %12llu\n", "the largest window",
            (unsigned long long)s->largest);
    fprintf(stderr, "  %-28s %12llu\n", "placed before their turn",
            (unsigned long long)s->fetched);
    fprintf(stderr, "  %-28s %12llu\n", "orders changed",
            (unsigned long long)s->moves);
    fprintf(stderr, "  %-28s %12.1f MB\n", "memory at most",
            (double)mem_peak() / 1e6);
}

int
inspect_stream(struct inspect *i, const struct inspect_stream *s,
               const char *path)
{
    struct inspection_result result;
    struct pass_stats stats = {0};
    struct err err = {0};
    begin_phase(i, "checking", path);
    const bool ok = stream_inspection_run(&i->options, path, s->window, s->part,
                                          &stats, &result, &err);
    end_phase(i);
    if (!ok)
        fail_reports(i, path, &err);
    else if (s->stats)
        show_passes(&stats);
    const int status = show_result(i, &result, ok ? NULL : &err);
    buf_free(&result.notes);
    return status;
}

/* The histories of a command, and the worst of their statuses so far. */
struct files {
    struct inspect *inspect;
    int status;
};

static void
end_file(void *self, const char *path, const struct inspection_result *result,
         const struct err *err)
{
    struct files *f = self;
    if (err)
        fail_reports(f->inspect, path, err);
    f->status = cli_exit_worse(f->status, show_result(f->inspect, result, err));
}

int
inspect_files(struct inspect *i, const char *const *paths, size_t n)
{
    struct files f = {i, EXIT_HOLDS};
    inspection_batch(&i->options, paths, n, end_file, &f);
    return f.status;
}

/* Keep the page and the result beside the histories, and say where. */
static void
end_kept(const struct inspect *i)
{
    struct err err = {0};
    if (!kept_run_text(i->kept, "index.html", &i->reports[INSPECT_PAGE].out,
                       &err) ||
        !kept_run_text(i->kept, "result.json", &i->reports[INSPECT_JSON].out,
                       &err)) {
        cli_report_error(&err);
        return;
    }
    fputs("kept in ", stderr);
    cli_print_shown(stderr, i->kept->dir.at);
    fprintf(stderr,
            ":\n  the history, %sthe report (index.html), result.json\n",
            i->kept->has_reduced ? "its reduced part, " : "");
}

static void
drop(struct inspect *i)
{
    for (size_t r = 0; r < INSPECT_REPORTS; r++)
        report_free(&i->reports[r]);
    pthread_mutex_destroy(&i->lock);
}

int
inspect_end(struct inspect *i, int status)
{
    struct err err = {0};
    for (size_t r = 0; r < INSPECT_REPORTS; r++)
        report_end(&i->reports[r]);
    cli_emit(&i->reports[INSPECT_STDOUT].out);
    if (i->page && !report_write_page(&i->reports[INSPECT_PAGE], i->page, &err))
        status = cli_report_error(&err);
    for (size_t r = 0; r < INSPECT_REPORTS; r++)
        if (i->files[r] &&
            !outfile_write(i->files[r], &i->reports[r].out, &err))
            status = cli_report_error(&err);
    if (i->n_kept)
        end_kept(i);
    drop(i);
    return status;
}
