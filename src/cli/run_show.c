/* run_show.c -- see run_show.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/run_show.h"

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

struct test_run_observer
run_show_observer(struct run_show *s)
{
    return (struct test_run_observer){.self = s,
                                      .starting = show_starting,
                                      .progress = show_progress,
                                      .fault_failed = show_failed_fault};
}

void
run_show_clear(struct run_show *s)
{
    if (s->is_line)
        fputs("\r\033[K", stderr);
    s->is_line = false;
}

static void
show_failures(const struct collect_stats *s, FILE *out)
{
    for (size_t i = 0; i < s->n_failures; i++) {
        fprintf(out, "  %" PRIu64 " times ", s->failures[i].n);
        cli_print_shown(out, s->failures[i].code);
        fputs(": ", out);
        cli_print_shown(out, s->failures[i].message);
        fputc('\n', out);
    }
    if (s->reconnects)
        fprintf(out, "  %" PRIu64 " connections were made again\n",
                s->reconnects);
    if (s->left.kind != ERR_NONE) {
        fputs("  the tables could not be removed: ", out);
        cli_print_shown(out, s->left.text);
        fputc('\n', out);
    }
}

void
run_show_summary(const struct test_run *t, const char *workload, FILE *out)
{
    const struct collect_stats *s = &t->stats;
    const struct workload_shape *shape = &t->options.collect.shape;
    const uint64_t all = s->committed + s->aborted + s->unknown;
    cli_print_shown(out, t->note);
    fputc('\n', out);
    if (strncmp(t->target, "store:", 6) != 0)
        fprintf(out, "asked for %s\n",
                driver_isolation_names[t->options.isolation]);
    fprintf(out,
            "workload %s: %" PRIu64 " sessions, %" PRIu64 " keys, seed %" PRIu64
            "\n",
            workload, shape->sessions,
            shape->app ? shape->keys : workload_keys(shape), shape->seed);
    fprintf(out,
            "%" PRIu64 " transactions in %.2f s: %" PRIu64 " committed (%.0f/s)"
            ", %" PRIu64 " aborted, %" PRIu64 " unknown\n",
            all, s->seconds, s->committed, per_second(s), s->aborted,
            s->unknown);
    show_failures(s, out);
}
