/* cmd_shrink.c -- assay test --shrink: the smallest run that still fails.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/interrupt.h"
#include "cli/options/run_options.h"
#include "pipeline/shrink_run.h"

#include <inttypes.h>

/* The options with the numbers of that size. */
static bool
prepare(void *self, const struct shrink_size *size,
        struct single_run_request *out, struct err *err)
{
    struct options o = *(const struct options *)self;
    o.transactions = size->numbers[SHRINK_TXNS];
    o.sessions = size->numbers[SHRINK_SESSIONS];
    o.keys = size->numbers[SHRINK_KEYS];
    o.operations = size->numbers[SHRINK_OPS];
    o.seed = size->seed;
    return run_options_single(&o, out, err);
}

static void
show_size(const struct options *o, const struct shrink_size *size, FILE *out)
{
    fprintf(out, "--sessions %" PRIu64, size->numbers[SHRINK_SESSIONS]);
    if (o->time <= 0)
        fprintf(out, " --txns %" PRIu64, size->numbers[SHRINK_TXNS]);
    if (workload_find(o->workload))
        fprintf(out, " --ops %" PRIu64, size->numbers[SHRINK_OPS]);
    if (size->numbers[SHRINK_KEYS])
        fprintf(out, " --keys %" PRIu64, size->numbers[SHRINK_KEYS]);
    fprintf(out, " --seed %" PRIu64, size->seed);
}

static void
show_smaller(void *self, const struct shrink_size *size)
{
    const struct options *o = self;
    if (o->quiet)
        return;
    fputs("still violated: ", stderr);
    show_size(o, size, stderr);
    fputc('\n', stderr);
}

static void
show_result(const struct options *o, const struct shrink_run *s)
{
    if (!s->found) {
        printf("%zu runs, and the level held in all of them\n", s->runs);
        return;
    }
    printf("%zu runs; the smallest that violates the level:\n  ", s->runs);
    show_size(o, &s->size, stdout);
    putchar('\n');
    if (s->run.has_anomaly) {
        printf("  ");
        cli_print_shown(stdout, s->run.headline.at);
        printf("\n  ");
        cli_print_shown(stdout, s->run.story.at);
        printf(".\n");
    }
}

int
cmd_shrink(const struct options *o)
{
    struct err err = {0};
    struct options given = *o;
    if (!run_options_are_for_many(o, "shrink", &err))
        return cli_report_error(&err);
    // Servers that are not disturbed serve all runs.
    const bool serves = o->start && !o->fault && !o->paths.n;
    struct shrink_run s = {.start = serves ? o->start : NULL,
                           .has_shape = workload_find(o->workload) != NULL,
                           .default_keys = run_default_keys(o->workload),
                           .interrupted = &interrupt_flag,
                           .self = &given,
                           .prepare = prepare,
                           .smaller = show_smaller,
                           .size = {.numbers = {[SHRINK_TXNS] = o->transactions,
                                                [SHRINK_SESSIONS] = o->sessions,
                                                [SHRINK_KEYS] = o->keys,
                                                [SHRINK_OPS] = o->operations},
                                    .seed = o->seed}};
    interrupt_catch();
    const bool ok = shrink_run(&s, &err);
    if (ok)
        show_result(o, &s);
    if (ok && interrupt_flag)
        fputs("interrupted; a smaller one may be found\n", stderr);
    interrupt_restore();
    single_run_free(&s.run);
    return !ok ? cli_report_error(&err) : s.found ? EXIT_VIOLATED : EXIT_HOLDS;
}
