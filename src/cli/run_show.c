/* run_show.c -- see run_show.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/run_show.h"

#include "pipeline/run_origin.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define INTERVAL 0.5 // seconds between lines of progress

static double
per_second(const struct collect_stats *s)
{
    return s->seconds > 0 ? (double)s->committed / s->seconds : 0;
}

static void
show_starting(void *self, const char *what)
{
    const struct run_show *s = self;
    if (!s->quiet)
        fprintf(stderr, "starting %s\n", what);
}

static void
show_progress(void *self, const struct collect_stats *stats)
{
    struct run_show *s = self;
    if (s->quiet || stats->seconds < s->shown + INTERVAL ||
        !isatty(STDERR_FILENO))
        return;
    s->shown = stats->seconds;
    s->is_line = true;
    fprintf(stderr,
            "\r%.0f s: %" PRIu64 " committed, %" PRIu64 " aborted, %" PRIu64
            " unknown, %.0f/s \033[K",
            stats->seconds, stats->committed, stats->aborted, stats->unknown,
            per_second(stats));
}

static void
show_failed_fault(void *self, const struct err *err)
{
    (void)self;
    cli_report_error(err);
}

static void
show_left_out(void *self, const struct err *what)
{
    (void)self;
    cli_report_error(what);
}

struct test_run_observer
run_show_observer(struct run_show *s)
{
    return (struct test_run_observer){.self = s,
                                      .starting = show_starting,
                                      .progress = show_progress,
                                      .fault_failed = show_failed_fault,
                                      .left_out = show_left_out};
}

void
run_show_clear(struct run_show *s)
{
    if (s->is_line)
        fputs("\r\033[K", stderr);
    s->is_line = false;
}

void
run_show_summary(const struct test_run *t, const char *workload, FILE *out)
{
    struct run_origin origin;
    struct buf text = {0};
    run_origin_fill(t, workload, &origin);
    origin_text(&origin.origin, &text);
    if (out == stdout)
        cli_emit_text(&text);
    else
        fwrite(text.at, 1, text.n, out);
    if (t->stats.cut)
        fprintf(out,
                "  the server stopped answering: %" PRIu64
                " connection%s closed at the end\n",
                t->stats.cut, t->stats.cut == 1 ? " was" : "s were");
    if (t->stats.left.kind != ERR_NONE) {
        fputs("  the tables could not be removed: ", out);
        cli_print_shown(out, t->stats.left.text);
        fputc('\n', out);
    }
    buf_free(&text);
    run_origin_free(&origin);
}

int
run_show_findings(const struct test_run *t, FILE *out)
{
    struct run_origin origin;
    struct buf text = {0};
    run_origin_fill(t, "", &origin);
    origin_findings(&origin.origin, &text);
    const int status = run_origin_status(&origin);
    if (text.n && out == stdout)
        cli_emit_text(&text);
    else if (text.n)
        fwrite(text.at, 1, text.n, out);
    buf_free(&text);
    run_origin_free(&origin);
    return status;
}
