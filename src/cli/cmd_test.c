/* cmd_test.c -- assay test: run a workload, or the interleavings of a
 * specification, check what was recorded, and tell.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/inspect.h"
#include "cli/page.h"
#include "cli/test_run.h"
#include "spec/play.h"
#include "version.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_INTERLEAVINGS = 5000 };
enum { STEP_LIMIT = 20 }; // seconds

/* What is left of the command line when a history is to be judged. */
struct judging {
    const struct options *options;
    struct inspect_options how;
    const struct report_format *format;
    struct report_style style;
    struct page page;
    struct buf path;  // where the history is
    const char *name; // what to call it
    bool is_temporary;
    struct buf out; // results, to be shown
};

static bool
choose_path(struct judging *j, struct err *err)
{
    const char *keep = j->options->keep, *parent = getenv("TMPDIR");
    if (keep) {
        buf_text(&j->path, keep);
        return true;
    }
    buf_printf(&j->path, "%s/assay-XXXXXX",
               parent && *parent ? parent : "/tmp");
    const int fd = mkstemp(j->path.at);
    j->is_temporary = fd >= 0;
    return (fd >= 0 && close(fd) == 0) ||
           err_set(err, ERR_IO, "cannot make a temporary file: %s",
                   strerror(errno));
}

static bool
judging_begin(const struct options *o, struct judging *j, struct err *err)
{
    *j = (struct judging){.options = o,
                          .style = {.version = ASSAY_VERSION,
                                    .command = o->command,
                                    .colour = cli_colour_on_stdout(),
                                    .width = cli_width_of_stdout(),
                                    .verdicts_only = o->quiet}};
    return inspect_options(o, &j->how, err) &&
           inspect_report_format(o, &j->format, err) && choose_path(j, err);
}

static void
judging_end(struct judging *j)
{
    if (j->is_temporary)
        unlink(j->path.at);
    buf_free(&j->path);
    buf_free(&j->out);
}

/* Where to tell about the run: what is not text belongs to whoever reads it,
 * alone. */
static FILE *
beside(const struct judging *j)
{
    return strcmp(j->format->name, "text") == 0 ? stdout : stderr;
}

static int
judge_one(void *self)
{
    struct judging *j = self;
    struct inspection i;
    struct err err = {0};
    if (!inspect_file(j->options, &j->how, j->path.at, &i, &err))
        return cli_report_error(&err);
    i.path = j->name;
    inspection_render(
        &i, &j->how.check.limits,
        &(struct rendering){j->format, &j->style, &j->out, &j->page});
    const int status = inspect_exit(&i.check);
    inspection_free(&i);
    return status;
}

/* Check the history and show the result under that name. */
static int
judge(struct judging *j, const char *name)
{
    struct buf *const out[] = {&j->out, &j->page.html};
    j->name = name;
    const int status = limits_set(&j->how.check.limits)
                           ? limit_run(judge_one, j, out, 2)
                           : judge_one(j);
    if (!j->format->end)
        cli_emit(&j->out);
    return status;
}

/* --- workloads -------------------------------------------------------------*/

static int
test_workload(struct judging *j, struct test_run *f, struct err *err)
{
    const bool ok = test_run_run(f, j->path.at, err);
    if (f->stats.seconds > 0 && !j->options->quiet)
        test_run_show(f, beside(j));
    fflush(stdout);
    if (!ok)
        return cli_report_error(err);
    const char *name = j->options->keep ? j->options->keep : f->name;
    const int status = judge(j, name);
    return j->options->predict_level
               ? cli_exit_worse(
                     status, cmd_predict_recorded(j->options, j->path.at, name))
               : status;
}

/* --- specifications --------------------------------------------------------*/

/* "r1 w2 c1 c2", as in a permutation. */
static void
show_order(const struct spec *s, const u32_vec *order, struct buf *out)
{
    buf_clear(out);
    for (size_t i = 0; i < order->n; i++)
        buf_printf(out, "%s%s", i ? " " : "", s->steps.at[order->at[i]].name);
}

/* Where to keep the history of an interleaving: each has a file of its own,
 * "x-3.jsonl" for the third of "x.jsonl". */
static void
number_path(struct judging *j, size_t number)
{
    const char *keep = j->options->keep;
    const char *name = strrchr(keep, '/');
    const char *dot = strrchr(name ? name : keep, '.');
    const size_t stem = dot ? (size_t)(dot - keep) : strlen(keep);
    buf_clear(&j->path);
    buf_add(&j->path, keep, stem);
    buf_printf(&j->path, "-%zu%s", number, keep + stem);
}

/* What became of the interleavings. */
struct tally {
    size_t checked, violated, impossible, refused, failed;
    char failure[300]; // the last statement that the database refused
};

/* Play an interleaving and judge it; its status in case it is not judged is
 * that of an error, unless it is not possible. */
static int
play_one(struct judging *j, struct script *s, struct database *db,
         const u32_vec *order, const char *name, struct tally *t,
         struct err *err)
{
    const struct play_options o = {.patience = 0.15, .limit = STEP_LIMIT};
    struct played played;
    const uint32_t refusal = script_refuses(s, order);
    if (refusal != SCRIPT_UNDERSTOOD) {
        struct err said = {0};
        t->refused++;
        script_error(s, refusal, &said);
        if (!s->refusals.at[refusal].is_told)
            cli_report_error(&said);
        s->refusals.at[refusal].is_told = true;
        return EXIT_ERROR;
    }
    if (!spec_play(s, db, order, &o, j->path.at, &played, err))
        return cli_report_error(err);
    t->failed += played.failed;
    if (played.failed)
        memcpy(t->failure, played.failure, sizeof t->failure);
    if (played.refusal[0]) {
        struct err said = {0};
        t->refused++;
        err_set(&said, ERR_FEATURE, "%s: not checked: %s", name,
                played.refusal);
        err_in_file(&said, s->spec->file);
        return cli_report_error(&said);
    }
    t->impossible += !played.is_possible;
    if (!played.is_possible)
        return EXIT_HOLDS;
    const int status = judge(j, name);
    t->checked++;
    t->violated += status == EXIT_VIOLATED;
    return status;
}

static void
show_tally(const struct judging *j, const struct tally *t)
{
    FILE *out = beside(j);
    const size_t n = t->checked + t->impossible + t->refused;
    fprintf(out,
            "%zu interleaving%s: %zu checked, %zu violated, %zu not possible "
            "because sessions wait for each other, %zu not understood\n",
            n, n == 1 ? "" : "s", t->checked, t->violated, t->impossible,
            t->refused);
    if (t->failed) {
        fprintf(out, "the database refused %zu statements, the last one ",
                t->failed);
        cli_print_shown(out, t->failure);
        fputc('\n', out);
    }
}

static int
play_all(struct judging *j, struct script *s, struct database *db,
         struct err *err)
{
    const size_t n = spec_count(s->spec, MOST_INTERLEAVINGS + 1);
    if (n > MOST_INTERLEAVINGS)
        return cli_usage_error("%s has more than %d interleavings, expected "
                               "permutations that say which ones to play",
                               s->spec->file, MOST_INTERLEAVINGS);
    int status = EXIT_HOLDS;
    struct tally tally = {0};
    u32_vec order = {0};
    struct buf name = {0};
    for (size_t i = 0; i < n && !err->kind && spec_next(s->spec, i, &order);
         i++) {
        show_order(s->spec, &order, &name);
        if (n > 1 && j->options->keep)
            number_path(j, i + 1);
        status = cli_exit_worse(
            status, play_one(j, s, db, &order, name.at, &tally, err));
    }
    if (!j->options->quiet)
        show_tally(j, &tally);
    if (!tally.checked && status == EXIT_HOLDS)
        status = cli_usage_error("no interleaving was possible, so nothing was "
                                 "checked");
    vec_free(&order);
    buf_free(&name);
    return status;
}

static int
test_spec(struct judging *j, const struct test_run *f, struct err *err)
{
    struct spec s;
    struct database db;
    if (!spec_read(j->options->spec, &s, err))
        return cli_report_error(err);
    int status = EXIT_ERROR;
    if (!database_open(f->target, f->isolation, j->options->setup, &db, err)) {
        cli_report_error(err);
    } else if (!db.driver->sql) {
        status = cli_usage_error(
            "--spec wants a database that speaks SQL, not %s", f->target);
        database_close(&db);
    } else {
        if (!j->options->quiet) {
            cli_print_shown(beside(j), db.note);
            fprintf(beside(j), "\nasked for %s\n",
                    isolation_names[f->isolation]);
        }
        struct script script;
        script_read(&s, flavour_of(db.driver->scheme), &script);
        status = play_all(j, &script, &db, err);
        script_free(&script);
        database_close(&db);
    }
    spec_free(&s);
    return status;
}

int
cmd_test(const struct options *o)
{
    struct err err = {0};
    struct judging j;
    struct test_run f;
    int status;
    if (!judging_begin(o, &j, &err) || !test_run_begin(o, &f, &err)) {
        status = cli_report_error(&err);
    } else {
        if (j.format->begin)
            j.format->begin(&j.style, &j.out);
        page_begin(&j.page, o->report, &j.style);
        status =
            o->spec ? test_spec(&j, &f, &err) : test_workload(&j, &f, &err);
        if (j.format->end)
            j.format->end(&j.style, &j.out);
        cli_emit(&j.out);
        if (!page_end(&j.page, &err))
            status = cli_report_error(&err);
        test_run_end(&f);
    }
    judging_end(&j);
    return status;
}
