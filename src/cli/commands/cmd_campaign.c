/* cmd_campaign.c -- assay campaign: many runs of 'assay test', and what they
 * found.
 *
 * SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE // realpath
#include "base/outfile.h"
#include "base/print.h"
#include "campaign/executor.h"
#include "campaign/plan.h"
#include "campaign/summary.h"
#include "campaign/worker.h"
#include "cli/cli.h"
#include "cli/interrupt.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- reports ---------------------------------------------------------------*/

static bool
read_known(const struct options *o, struct known *known, struct err *err)
{
    struct buf text = {0};
    bool ok = true;
    known_add_stock(known);
    for (size_t i = 0; ok && i < o->known.n; i++) {
        ok = directory_read(o->known.at[i], &text) ||
             err_set(err, ERR_IO, "cannot read '%s': %s", o->known.at[i],
                     strerror(errno));
        ok = ok && known_read(known, o->known.at[i], text.n ? text.at : "",
                              text.n, err);
    }
    buf_free(&text);
    return ok;
}

static bool
write_summary(const struct tally *t, const char *format, const char *path,
              struct err *err)
{
    struct buf text = {0};
    summary_find(format)->put(t, &text);
    const bool ok = outfile_write(path, &text, err);
    buf_free(&text);
    return ok;
}

static bool
write_page(const struct tally *t, const char *dir, struct err *err)
{
    struct buf path = {0};
    buf_printf(&path, "%s/index.html", dir);
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return err_set(err, ERR_IO, "cannot make the directory '%s': %s", dir,
                       strerror(errno));
    const bool ok = write_summary(t, "html", path.at, err);
    buf_free(&path);
    return ok;
}

static bool
write_files(const struct options *o, const struct tally *t, struct err *err)
{
    const bool has_json = o->json_file && strcmp(o->json_file, "-") != 0;
    return (!has_json || write_summary(t, "json", o->json_file, err)) &&
           (!o->junit_file || write_summary(t, "junit", o->junit_file, err)) &&
           (!o->markdown_file ||
            write_summary(t, "markdown", o->markdown_file, err)) &&
           (!o->report || write_page(t, o->report, err));
}

static int
report(const struct options *o, const struct directory *d)
{
    struct known known = {0};
    struct tally tally;
    struct buf text = {0};
    struct err err = {0};
    if (!read_known(o, &known, &err)) {
        known_free(&known);
        return cli_report_error(&err);
    }
    tally_read(d, &known, &tally);
    if (o->json_file && strcmp(o->json_file, "-") == 0) {
        summary_put_json(&tally, &text);
        cli_emit(&text);
    } else {
        summary_put_text(&tally, &text);
        cli_emit_text(&text);
    }
    const bool ok = write_files(o, &tally, &err);
    const int status = ok ? tally_status(&tally) : cli_report_error(&err);
    tally_free(&tally);
    known_free(&known);
    buf_free(&text);
    return status;
}

/* --- runs ------------------------------------------------------------------*/

static bool
has_option(const char *name, bool *is_flag)
{
    for (const struct option *o = option_table; o->name; o++)
        if ((o->commands & CMD_TEST) && strcmp(o->name, name) == 0) {
            *is_flag = o->kind == OPTION_FLAG;
            return true;
        }
    return false;
}

static bool
begin(const struct options *o, const char *path, const char *plan_path,
      struct directory *d, struct err *err)
{
    struct buf plan = {0}, runs = {0};
    if (!plan_path)
        return directory_open(d, path, err);
    bool ok = directory_read(plan_path, &plan) ||
              err_set(err, ERR_IO, "cannot read '%s': %s", plan_path,
                      strerror(errno));
    const struct plan_request request = {.name = plan_path,
                                         .text = plan.n ? plan.at : "",
                                         .size = plan.n,
                                         .draws = o->draws,
                                         .seed = o->seed,
                                         .has_option = has_option};
    ok = ok && plan_expand(&request, &runs, err) &&
         directory_make(d, path, &plan, &runs, err);
    buf_free(&plan);
    buf_free(&runs);
    return ok;
}

/* The path of this program, for workers on other machines, too. */
static const char *
find_program(char path[PATH_MAX])
{
    const ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[n > 0 ? n : 0] = 0;
    return n > 0 ? path : "assay";
}

static void
show_run(void *self, size_t run, const struct run_outcome *out)
{
    const struct options *o = self;
    if (o->quiet)
        return;
    printf("run %zu: ", run);
    cli_print_shown(stdout, out->verdict);
    if (out->findings.n) {
        printf(": ");
        cli_print_shown(stdout, out->findings.at[0].title);
    }
    putchar('\n');
    fflush(stdout);
}

static bool
work(const struct options *o, const char *program, struct directory *d,
     struct err *err)
{
    // A worker looks at the options only while it works.
    union {
        const struct options *in;
        void *out;
    } self = {o};
    const struct worker_options options = {.program = program,
                                           .budget = o->budget,
                                           .each = o->each,
                                           .shrink = o->shrink,
                                           .interrupted = &interrupt_flag,
                                           .self = self.out,
                                           .ended = show_run};
    return worker_run(d, &options, err);
}

/* Start the workers, each of which is this program. */
static bool
start(const struct options *o, const char *program, const char *path,
      const struct directory *d, struct err *err)
{
    char budget[48], each[48], real[PATH_MAX];
    const struct executor *executor = executor_find(o->executor);
    if (!executor)
        return choices_error("executor", choices_executors, o->executor, err);
    if (!realpath(path, real))
        return err_set(err, ERR_IO, "cannot find '%s': %s", path,
                       strerror(errno));
    print_text(budget, sizeof budget, "--budget=%.3f", o->budget);
    print_text(each, sizeof each, "--each=%.3f", o->each);
    const char *words[10] = {program,    "campaign", real,
                             "--worker", budget,     each};
    size_t n = 6;
    if (o->quiet)
        words[n++] = "--quiet";
    if (o->shrink)
        words[n++] = "--shrink";
    const struct executor_request request = {.directory = real,
                                             .worker = words,
                                             .workers = (unsigned)o->workers,
                                             .interrupted = &interrupt_flag};
    const bool ok = executor->run(&request, err);
    directory_clean_up(d);
    return ok;
}

static int
run(const struct options *o, const char *path, const char *plan)
{
    struct directory d;
    struct err err = {0};
    char program[PATH_MAX];
    const char *self = find_program(program);
    if (!begin(o, path, plan, &d, &err))
        return cli_report_error(&err);
    const bool is_here =
        o->is_worker || (o->workers == 1 && strcmp(o->executor, "local") == 0);
    interrupt_catch();
    const bool ok =
        is_here ? work(o, self, &d, &err) : start(o, self, path, &d, &err);
    interrupt_restore();
    const int status = !ok            ? cli_report_error(&err)
                       : o->is_worker ? EXIT_HOLDS
                                      : report(o, &d);
    if (interrupt_flag)
        fputs("interrupted; 'assay campaign' with the directory continues\n",
              stderr);
    directory_close(&d);
    return status;
}

int
cmd_campaign(const struct options *o)
{
    struct directory d;
    struct err err = {0};
    const bool reports = o->paths.n && strcmp(o->paths.at[0], "report") == 0;
    if (o->paths.n < 1 || o->paths.n > 2 || (reports && o->paths.n != 2))
        return cli_usage_error("campaign needs a directory and, to begin, a "
                               "plan; or 'report' and a directory");
    if (!reports)
        return run(o, o->paths.at[0], o->paths.n > 1 ? o->paths.at[1] : NULL);
    if (!directory_open(&d, o->paths.at[1], &err))
        return cli_report_error(&err);
    const int status = report(o, &d);
    directory_close(&d);
    return status;
}
