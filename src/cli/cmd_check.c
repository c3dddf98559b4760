/* cmd_check.c -- assay check: verdicts, and what went wrong.
 *
 * SPDX-License-Identifier: MIT */
#include "base/outfile.h"
#include "cli/cli.h"
#include "cli/counters.h"
#include "cli/inspect.h"
#include "cli/page.h"
#include "cli/target.h"
#include "evidence/certificate_io.h"
#include "version.h"

#include <string.h>
#include <unistd.h>

/* --- what a check hands to files -------------------------------------------
 */

static bool
write_certificate(const struct inspection *i, const char *path, struct err *err)
{
    if (i->check.results.n != 1)
        return err_set(err, ERR_USAGE,
                       "--certificate wants one level, and there are %zu",
                       i->check.results.n);
    struct buf text = {0};
    certificate_write(&i->history, &i->check.results.at[0].certificate, &text);
    const bool ok = outfile_write(path, &text, err);
    buf_free(&text);
    return ok;
}

/* The first anomaly that was told, as a history of its own. */
static bool
write_reduced(const struct inspection *i, const struct options *o,
              struct err *err)
{
    for (size_t r = 0; r < i->check.results.n; r++) {
        const struct explanation *e = &i->explanations[r];
        if (!e->anomalies.n)
            continue;
        const struct format *format;
        const struct options as = {.to = o->to, .output = o->reduced};
        return cmd_convert_format(&as, &format, err) &&
               format_write(&e->anomalies.at[0].reduced, format, o->reduced,
                            err);
    }
    bool violated = false;
    for (size_t r = 0; r < i->check.results.n; r++)
        violated |=
            i->check.results.at[r].certificate.verdict == VERDICT_VIOLATED;
    fprintf(stderr, violated
                        ? "note: nothing is reduced: no violation was "
                          "explained\n"
                        : "note: nothing to reduce: no level is violated\n");
    return true;
}

/* The certificate and the reduced history, as far as they are asked for. */
static bool
write_files(const struct inspection *i, const struct options *o,
            struct err *err)
{
    limit_phase("writing the certificate");
    if (o->certificate && !write_certificate(i, o->certificate, err))
        return false;
    limit_phase("writing the reduced history");
    return !o->reduced || write_reduced(i, o, err);
}

/* The same, within what is left of the limits; else a note says why they are
 * not there. */
static bool
write_files_in_time(const struct inspection *i, const struct limits *limits,
                    const struct options *o, int *status, struct err *err)
{
    struct limit_stop stop;
    if (!limits_set(limits) || (!o->certificate && !o->reduced))
        return write_files(i, o, err);
    if (!i->format) {
        fprintf(stderr, "note: no %s, as the history was not read\n",
                o->certificate ? "certificate" : "reduced history");
        return true;
    }
    if (limit_try(limits, inspection_spent(i, limits), NULL, &stop)) {
        const bool ok = write_files(i, o, err);
        limit_kept();
        return ok;
    }
    struct buf reason = {0};
    limit_show(&stop, &reason);
    fprintf(stderr, "note: %s\n", reason.at);
    buf_free(&reason);
    if (o->certificate)
        outfile_discard(o->certificate);
    if (o->reduced)
        outfile_discard(o->reduced);
    *status = cli_exit_worse(*status, EXIT_UNKNOWN);
    return true;
}

/* --- --stats -----------------------------------------------------------------
 */

static void
show_stats(const struct inspection *i)
{
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

/* --- the command
 * --------------------------------------------------------------*/

/* One history of the command. */
struct one {
    const struct options *options;
    const struct inspect_options *how;
    const struct report_format *format;
    const struct report_style *style;
    const char *path;
    struct page *page;
    struct buf *out;
};

static int
check_one(void *self)
{
    const struct one *one = self;
    const struct options *o = one->options;
    struct inspection i;
    struct err err = {0};
    if (!inspect_file(o, one->how, one->path, &i, &err))
        return cli_report_error(&err);
    const struct limits *limits = &one->how->check.limits;
    inspection_render(
        &i, limits,
        &(struct rendering){one->format, one->style, one->out, one->page});
    int status = inspect_exit(&i.check);
    if (!write_files_in_time(&i, limits, o, &status, &err))
        status = cli_report_error(&err);
    if (o->stats)
        show_stats(&i);
    inspection_free(&i);
    return status;
}

static int
check_path(struct one *one)
{
    struct buf *const out[] = {one->out, &one->page->html};
    return limits_set(&one->how->check.limits)
               ? limit_run(check_one, one, out, 2)
               : check_one(one);
}

int
cmd_check(const struct options *o)
{
    struct err err = {0};
    struct inspect_options how;
    const struct report_format *format;
    if (o->help_solver) {
        struct buf text = {0};
        cmd_help_show_solver(&text);
        cli_emit(&text);
        buf_free(&text);
        return EXIT_HOLDS;
    }
    if (!o->paths.n)
        return cli_usage_error(
            "check wants a history; see 'assay check --help'");
    if ((o->certificate || o->reduced) && o->paths.n != 1)
        return cli_usage_error("--certificate and --reduced want one history");
    if (!inspect_options(o, &how, &err) ||
        !inspect_report_format(o, &format, &err))
        return cli_report_error(&err);
    const struct report_style style = {
        .version = ASSAY_VERSION,
        .command = o->command,
        .colour = cli_colour_on_stdout(),
        .width = cli_width_of_stdout(),
        .verdicts_only = o->quiet,
    };
    int status = EXIT_HOLDS;
    struct buf out = {0};
    struct page page;
    page_begin(&page, o->report, &style);
    if (format->begin)
        format->begin(&style, &out);
    for (size_t i = 0; i < o->paths.n; i++) {
        struct one one = {o, &how, format, &style, o->paths.at[i], &page, &out};
        status = cli_exit_worse(status, check_path(&one));
        if (!format->end)
            cli_emit(&out);
    }
    if (format->end)
        format->end(&style, &out);
    cli_emit(&out);
    buf_free(&out);
    if (!page_end(&page, &err))
        status = cli_report_error(&err);
    return status;
}
