/* cmd_prove.c -- assay prove: whether SQL programs stay serializable.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/options/choices.h"
#include "cli/prove/prove.h"
#include "cli/prove/prove_output.h"
#include "program/access.h"
#include "program/read.h"
#include "robust/anomaly/story.h"
#include "robust/prove.h"

#include <string.h>

static const char *const verdicts[] = {[PROVE_PROVED] = "proved",
                                       [PROVE_ANOMALY] = "anomaly",
                                       [PROVE_UNKNOWN] = "unknown"};

static bool
is_json(const struct options *o)
{
    return o->json || strcmp(o->report_format, "json") == 0;
}

/* The files as given, separated by spaces. */
static void
show_paths(const struct options *o, struct buf *out)
{
    for (size_t i = 0; i < o->paths.n; i++)
        buf_printf(out, "%s%s", i ? " " : "", o->paths.at[i]);
}

/* The text after the verdict. */
static void
show_about(const struct program *p, const struct prove_result *r,
           const struct finding *f, struct buf *out)
{
    if (r->verdict == PROVE_PROVED)
        buf_printf(out, "every execution of %zu program%s is serializable",
                   p->functions.n, p->functions.n == 1 ? "" : "s");
    if (*r->assumes)
        buf_printf(out, ", for %s", r->assumes);
    for (uint32_t i = 0; f && i < f->n; i++)
        buf_printf(out, "%s%s", i ? ", " : "", f->members[i].function->name);
    if (f && f->graph)
        buf_text(out, " (a cycle of dependencies)");
    if (r->verdict == PROVE_UNKNOWN)
        buf_text(out, r->reason);
}

static void
show_text(const struct options *o, const struct program *p,
          const struct level_choice *levels, const struct prove_result *r,
          const struct finding *f, struct buf *out)
{
    show_paths(o, out);
    buf_text(out, ": ");
    isolation_show(levels, p, out);
    buf_printf(out, ": %s: ", verdicts[r->verdict]);
    show_about(p, r, f, out);
    buf_char(out, '\n');
    if (f && !o->quiet) {
        struct story story;
        story_init(&story, f);
        story_text(&story, out);
        story_free(&story);
    }
}

static void
show_json(const struct level_choice *levels, const struct program *p,
          const struct prove_result *r, const struct finding *f,
          const struct buf *repairs, struct buf *out)
{
    buf_text(out, "{");
    isolation_json(levels, p, out);
    buf_printf(out, ",\"verdict\":\"%s\",\"seconds\":%.3f",
               verdicts[r->verdict], r->seconds);
    if (*r->assumes) {
        buf_text(out, ",\"assumes\":");
        buf_json(out, r->assumes, strlen(r->assumes));
    }
    if (f) {
        struct story story;
        story_init(&story, f);
        buf_text(out, ",\"anomaly\":");
        story_json(&story, out);
        story_free(&story);
    }
    if (r->verdict == PROVE_UNKNOWN) {
        buf_text(out, ",\"reason\":");
        buf_json(out, r->reason, strlen(r->reason));
    }
    buf_add(out, repairs->at, repairs->n);
    buf_char(out, '}');
}

/* Write a script that reproduces the anomaly. */
static bool
write_schedule(const struct options *o, const struct finding *f,
               struct err *err)
{
    if (!f) {
        fprintf(stderr, "note: no schedule: there is no anomaly\n");
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
    FILE *file = fopen(o->schedule, "wb");
    bool ok = file && fwrite(text.at, 1, text.n, file) == text.n;
    ok = (!file || fclose(file) == 0) && ok;
    buf_free(&text);
    return ok || (err_set(err, ERR_IO, "cannot write"),
                  err_in_file(err, o->schedule));
}

static struct search_limits
limits_of(const struct options *o)
{
    struct search_limits limits = {.members = (uint32_t)o->members,
                                   .slots = 3,
                                   .seconds = 10,
                                   .graph = o->graph};
    // One more where the solver thinks that it may be worth it.
    limits.chained = limits.members < INTERLEAVING_MOST ? limits.members + 1
                                                        : limits.members;
    return limits;
}

/* Show a result in another format than text and JSON. */
static bool
show_other(const struct prove_format *format, const struct program *p,
           const struct level_choice *levels, const struct prove_result *r,
           const struct finding *f, const struct buf *repairs,
           struct prove_output *out, struct err *err)
{
    struct buf about = {0}, words = {0};
    show_about(p, r, f, &about);
    buf_add(&about, repairs->at, repairs->n);
    isolation_show(levels, p, &words);
    const struct prove_shown shown = {words.at, verdicts[r->verdict], about.at,
                                      p, f};
    const bool ok = format->add(out, &shown, err);
    out->n++;
    buf_free(&about);
    buf_free(&words);
    return ok;
}

/* Show a result: once, or once for each anomaly. */
static bool
show(const struct options *o, const struct program *p,
     const struct level_choice *levels, const struct prove_result *r,
     const struct findings *each, const struct buf *repairs,
     struct prove_output *to, struct err *err)
{
    const struct prove_format *format = prove_format_find(o->report_format);
    struct buf *out = &to->out;
    bool ok = true;
    const size_t n = each->all.n ? each->all.n : 1;
    for (size_t i = 0; ok && i < n; i++) {
        const struct finding *f = each->all.n ? each->all.at[i]
                                  : r->verdict == PROVE_ANOMALY ? &r->finding
                                                                : NULL;
        if (is_json(o) && i)
            buf_char(out, ',');
        if (is_json(o))
            show_json(levels, p, r, f, repairs, out);
        else if (format)
            ok = show_other(format, p, levels, r, f, repairs, to, err);
        else
            show_text(o, p, levels, r, f, out);
    }
    if (!is_json(o) && !format)
        buf_add(out, repairs->at, repairs->n);
    return ok;
}

static struct limits
time_limit(const struct options *o)
{
    return (struct limits){.seconds = o->timeout};
}

/* Begin work on a level under what is left of its limit; false where it is
 * reached, which *stop says. */
static bool
try_within(const struct options *o, double spent, const char *phase,
           struct limit_stop *stop)
{
    const struct limits limits = time_limit(o);
    return !limits_set(&limits) || limit_try(&limits, spent, phase, stop);
}

/* Look for all anomalies where there is one, with the time that is left.  The
 * one that is known stands. */
static bool
find_each(const struct options *o, const struct program *p,
          const struct level_choice *levels, const struct search_limits *limits,
          double spent, struct prove_result *r, struct findings *each,
          struct err *err)
{
    struct limit_stop stop;
    if (!try_within(o, spent, "searching", &stop)) {
        struct buf text = {0};
        limit_show(&stop, &text);
        fprintf(stderr, "note: there may be more anomalies: %s\n", text.at);
        buf_free(&text);
        return true;
    }
    prove_free(r);
    const bool ok = prove_each(p, levels, limits, each, r, err);
    limit_kept();
    return ok;
}

/* Prove the level, or look for its anomalies, within its limit. */
static bool
prove_within(const struct options *o, const struct program *p,
             const struct level_choice *levels,
             const struct search_limits *limits, struct prove_result *r,
             struct findings *each, struct err *err)
{
    const double begin = time_now();
    struct limit_stop stop;
    if (!try_within(o, 0, "proving", &stop)) {
        prove_give_up(r, &stop);
        return true;
    }
    const bool ok = o->sequence
                        ? prove_sequence(p, levels, o->sequence, limits, r, err)
                        : prove_level(p, levels, limits, r, err);
    limit_kept();
    if (!ok || !o->all || o->sequence || r->verdict != PROVE_ANOMALY)
        return ok;
    return find_each(o, p, levels, limits, time_now() - begin, r, each, err);
}

/* Look for repairs with the time that is left; the verdict stands. */
static bool
repair_within(const struct options *o, const struct program *p,
              const struct level_choice *levels,
              const struct search_limits *limits, double spent,
              struct buf *repairs, struct err *err)
{
    struct limit_stop stop;
    if (!try_within(o, spent, "repairing", &stop)) {
        prove_show_no_repairs(o, &stop, repairs);
        return true;
    }
    const bool ok = prove_show_repairs(o, p, levels, limits, repairs, err);
    limit_kept();
    return ok;
}

static int
prove_one(const struct options *o, const struct program *p,
          const struct level_choice *levels, struct prove_output *out)
{
    const double begin = time_now();
    struct err err = {0};
    struct prove_result r;
    struct findings each = {0};
    struct buf repairs = {0};
    struct proof_log log = {{0}};
    struct search_limits limits = limits_of(o);
    if (o->smt)
        limits.log = &log;
    bool ok = prove_within(o, p, levels, &limits, &r, &each, &err);
    int status = r.verdict == PROVE_PROVED    ? EXIT_HOLDS
                 : r.verdict == PROVE_ANOMALY ? EXIT_VIOLATED
                                              : EXIT_UNKNOWN;
    limits.log = NULL;
    if (ok && o->repair && r.verdict != PROVE_PROVED)
        ok = repair_within(o, p, levels, &limits, time_now() - begin, &repairs,
                           &err);
    if (ok)
        ok = show(o, p, levels, &r, &each, &repairs, out, &err);
    buf_free(&repairs);
    if (ok && o->schedule)
        ok = write_schedule(o, r.verdict == PROVE_ANOMALY ? &r.finding : NULL,
                            &err);
    if (ok && o->smt)
        ok = prove_write_queries(o, levels, &r, &log, &err);
    if (!ok)
        status = cli_report_error(&err);
    proof_log_free(&log);
    findings_free(&each);
    prove_free(&r);
    return status;
}

static int
prove_levels(const struct options *o, const struct program *p,
             struct level_choice *levels, size_t n)
{
    const struct prove_format *format = prove_format_find(o->report_format);
    int status = EXIT_HOLDS;
    struct prove_output out = {.options = o};
    struct buf paths = {0};
    show_paths(o, &paths);
    if (is_json(o)) {
        buf_text(&out.out, "{\"program\":");
        buf_json(&out.out, paths.at, paths.n);
        buf_printf(&out.out, ",\"functions\":%zu,\"results\":[",
                   p->functions.n);
    } else if (format) {
        format->begin(&out, paths.at);
    }
    for (size_t i = 0; i < n; i++) {
        if (is_json(o) && i)
            buf_char(&out.out, ',');
        status = cli_exit_worse(status, prove_one(o, p, &levels[i], &out));
        if (!is_json(o) && !format) {
            cli_emit_text(&out.out);
            fflush(stdout);
        }
    }
    if (is_json(o))
        buf_text(&out.out, "]}\n");
    else if (format)
        format->end(&out);
    cli_emit(&out.out);
    buf_free(&paths);
    buf_free(&out.out);
    return status;
}

static bool
are_postgresql(const struct level_choice *levels, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isolation_is_postgresql(&levels[i]))
            return false;
    return true;
}

static int
prove_program(const struct options *o, const struct program *p)
{
    struct err err = {0};
    struct level_choice levels[LEVELS] = {{0}};
    struct axioms own;
    size_t n = 0;
    int status;
    if (!isolation_read(o, p, levels, &n, &own, &err))
        status = cli_report_error(&err);
    else if (o->schedule && n != 1)
        status =
            cli_usage_error("--schedule needs exactly one level, found %zu", n);
    else if (o->repair && !are_postgresql(levels, n))
        status = cli_usage_error("--repair needs rc or si, levels that "
                                 "PostgreSQL has");
    else
        status = prove_levels(o, p, levels, n);
    for (size_t i = 0; i < LEVELS; i++)
        isolation_free(&levels[i]);
    axioms_free(&own);
    return status;
}

/* --weakest looks at all levels and takes no option about one. */
static int
prove_weakest(const struct options *o, const struct program *p)
{
    struct buf files = {0};
    const struct search_limits limits = limits_of(o);
    show_paths(o, &files);
    const int status = prove_show_weakest(o, p, &limits, files.at);
    buf_free(&files);
    return status;
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
    if (strcmp(o->report_format, "text") != 0 && !is_json(o) &&
        !prove_format_find(o->report_format)) {
        choices_error("output", choices_prove_reports, o->report_format, &err);
        return cli_report_error(&err);
    }
    if (o->schedule && o->all)
        return cli_usage_error("--schedule writes one anomaly, and --all shows "
                               "several; --sequence chooses one");
    return EXIT_HOLDS;
}

/* Warn about programs that are valid but probably not intended. */
static void
warn(const struct program *p)
{
    for (size_t i = 0; i < p->functions.n; i++) {
        const struct function *f = p->functions.at[i];
        if (!access_can_commit(f))
            fprintf(stderr,
                    "warning: %s:%u: function %s never commits, so no "
                    "execution contains it\n",
                    f->file, f->line, f->name);
    }
}

int
cmd_prove(const struct options *o)
{
    struct err err = {0};
    int status = check_usage(o);
    if (status != EXIT_HOLDS)
        return status;
    struct program p = {0};
    if (!program_read(&p, o->paths.at, o->paths.n, &err)) {
        status = cli_report_error(&err);
    } else {
        warn(&p);
        status = o->weakest ? prove_weakest(o, &p) : prove_program(o, &p);
    }
    program_free(&p);
    return status;
}
