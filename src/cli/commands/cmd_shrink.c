/* cmd_shrink.c -- assay test --shrink: the smallest run that still fails.
 *
 * A number is halved as long as a run with it violates the level, by one of a
 * few seeds, because a race does not come back by its seed alone.  Then comes
 * the next number, until none of them can be halved.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/interrupt.h"
#include "cli/options/run_options.h"
#include "cli/single_run.h"
#include "server/server.h"

#include <inttypes.h>

enum { TRIES = 3 };

struct shrink {
    const char *served; // the address of servers for all runs, or NULL
    bool has_shape;     // the workload has operations, of keys
    struct options smallest;
    struct single_run run; // of 'smallest'
    size_t runs;
};

/* Run it with a few seeds; *found: a run violates the level and becomes the
 * smallest. */
static bool
try_options(struct shrink *s, const struct options *given, bool *found,
            struct err *err)
{
    struct options o = *given;
    *found = false;
    for (uint64_t i = 0; i < TRIES && !*found && !interrupt_flag; i++) {
        struct single_run run;
        o.seed = given->seed + i;
        const bool ok = single_run(&o, s->served, &run, err);
        s->runs++;
        if (ok && run.verdict == VERDICT_VIOLATED) {
            single_run_free(&s->run);
            s->run = run;
            s->smallest = o;
            *found = true;
        } else {
            single_run_free(&run);
        }
        if (!ok)
            return interrupt_flag; // what was found before is told
    }
    return true;
}

static void
show_options(const struct shrink *s, FILE *out)
{
    const struct options *o = &s->smallest;
    fprintf(out, "--sessions %" PRIu64, o->sessions);
    if (o->time <= 0)
        fprintf(out, " --txns %" PRIu64, o->transactions);
    if (s->has_shape)
        fprintf(out, " --ops %" PRIu64, o->operations);
    if (o->keys)
        fprintf(out, " --keys %" PRIu64, o->keys);
    fprintf(out, " --seed %" PRIu64, o->seed);
}

/* Halve each number as long as that works; *found: one of them was. */
static bool
halve_all(struct shrink *s, bool *found, struct err *err)
{
    uint64_t *const numbers[] = {&s->smallest.transactions,
                                 &s->smallest.sessions, &s->smallest.keys,
                                 &s->smallest.operations};
    const size_t n = sizeof numbers / sizeof *numbers - !s->has_shape;
    *found = false;
    for (size_t i = 0; i < n; i++) {
        bool is_smaller = *numbers[i] > 1;
        while (is_smaller && !interrupt_flag) {
            // The pointers are into 'smallest', so it is changed and restored.
            const uint64_t before = *numbers[i];
            *numbers[i] = before / 2;
            const struct options o = s->smallest;
            *numbers[i] = before;
            if (!try_options(s, &o, &is_smaller, err))
                return false;
            *found |= is_smaller;
            is_smaller = is_smaller && *numbers[i] > 1;
            if (is_smaller && !o.quiet) {
                fputs("still violated: ", stderr);
                show_options(s, stderr);
                fputc('\n', stderr);
            }
        }
    }
    return true;
}

static void
show_smallest(const struct shrink *s)
{
    printf("%zu runs; the smallest that violates the level:\n  ", s->runs);
    show_options(s, stdout);
    putchar('\n');
    if (s->run.has_anomaly) {
        printf("  ");
        cli_print_shown(stdout, s->run.headline.at);
        printf("\n  ");
        cli_print_shown(stdout, s->run.story.at);
        printf(".\n");
    }
}

/* Find the smallest run, and tell it. */
static bool
shrink_all(struct shrink *s, const struct options *o, bool *found,
           struct err *err)
{
    bool again = true;
    bool ok = try_options(s, o, found, err);
    // The default is not among the options; that of an application is its own.
    if (*found && !s->smallest.keys && s->has_shape)
        s->smallest.keys = run_default_keys(s->smallest.workload);
    while (ok && *found && again && !interrupt_flag)
        ok = halve_all(s, &again, err);
    if (ok && *found)
        show_smallest(s);
    else if (ok)
        printf("%zu runs, and the level held in all of them\n", s->runs);
    if (ok && interrupt_flag)
        fputs("interrupted; a smaller one may be found\n", stderr);
    return ok;
}

int
cmd_shrink(const struct options *o)
{
    struct err err = {0};
    struct servers servers;
    struct shrink s = {.has_shape = workload_find(o->workload) != NULL};
    bool found = false;
    if (!single_run_is_enough(o, "shrink", &err))
        return cli_report_error(&err);
    interrupt_catch();
    // Servers that are not disturbed serve all runs.
    const bool serves = o->start && !o->fault && !o->paths.n;
    bool ok =
        !serves || servers_start(o->start, &interrupt_flag, &servers, &err);
    if (ok) {
        s.served = serves ? servers.url : NULL;
        ok = shrink_all(&s, o, &found, &err);
        if (serves)
            servers_stop(&servers);
    }
    interrupt_restore();
    single_run_free(&s.run);
    return !ok ? cli_report_error(&err) : found ? EXIT_VIOLATED : EXIT_HOLDS;
}
