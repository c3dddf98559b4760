/* cmd_sweep.c -- assay test --sweep: many runs, and one table.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/interrupt.h"
#include "cli/options/run_options.h"
#include "pipeline/sweep_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_TEXT = 200, LONGEST_NAME = 60 };

struct sweep {
    const struct options *options;
    struct sweep_run run;
    int status;
};

/* --- what to run -----------------------------------------------------------*/

static bool
has_word(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (;;) {
        const size_t m = strcspn(list, ",");
        if (m == n && memcmp(list, word, n) == 0)
            return true;
        if (!list[m])
            return false;
        list += m + 1;
    }
}

/* Whether all parts of --sweep are among the words. */
static bool
check_words(const char *list, struct err *err)
{
    static const char *const words[] = {"levels", "workloads", "seeds"};
    for (;;) {
        const size_t n = strcspn(list, ",");
        bool is_known = false;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            is_known |= strlen(words[i]) == n && memcmp(words[i], list, n) == 0;
        if (!is_known)
            return choices_error("sweep", choices_sweeps, list, err);
        if (!list[n])
            return true;
        list += n + 1;
    }
}

static bool
choose(struct sweep *s, struct err *err)
{
    const struct options *o = s->options;
    struct sweep_run *run = &s->run;
    if (!check_words(o->sweep, err) ||
        !run_options_are_for_many(o, "sweep", err))
        return false;
    run->are_servers = o->start;
    run->are_shared = !o->fault;
    if (o->start && o->paths.n)
        return err_set(err, ERR_USAGE,
                       "--start makes its own target; leave out '%s'",
                       o->paths.at[0]);
    if (o->start)
        sweep_run_split(run, o->start, &run->targets);
    for (size_t i = 0; i < o->paths.n; i++)
        vec_push(&run->targets, o->paths.at[i]);
    if (!run->targets.n)
        vec_push(&run->targets, "sqlite:");
    if (has_word(o->sweep, "levels"))
        sweep_run_split(run, o->level ? o->level : "rc,si,ser", &run->levels);
    else
        vec_push(&run->levels, o->level ? o->level : "ser");
    if (!has_word(o->sweep, "workloads"))
        vec_push(&run->workloads, o->workload);
    else if (strchr(o->workload, ',') || sql_workload_is(o->workload))
        sweep_run_split(run, o->workload, &run->workloads);
    else
        sweep_run_all_workloads(run);
    run->seed = o->seed;
    run->seeds = has_word(o->sweep, "seeds") ? o->seeds : 1;
    sweep_run_name(run, o->command, o->workload, o->schema);
    return true;
}

static bool
prepare(void *self, const char *target, const struct sweep_cell *cell,
        struct single_run_request *out, struct err *err)
{
    const struct sweep *s = self;
    struct options o = *s->options;
    o.level = cell->level;
    o.workload = cell->workload;
    o.seed = cell->seed;
    o.start = s->run.are_servers ? target : NULL;
    o.paths = (option_texts){0};
    if (!s->run.are_servers)
        vec_push(&o.paths, target);
    const bool ok = run_options_single(&o, out, err);
    vec_free(&o.paths);
    return ok;
}

/* --- printing --------------------------------------------------------------*/

/* A workload as it is shown: files without their directories. */
static const char *
name_workload(struct sweep *s, const char *name)
{
    sweep_words files = {0};
    struct buf out = {0};
    if (!sql_workload_is(name))
        return name;
    sweep_run_split(&s->run, name, &files);
    for (size_t i = 0; i < files.n; i++) {
        const char *slash = strrchr(files.at[i], '/');
        buf_printf(&out, "%s%s", i ? "," : "", slash ? slash + 1 : files.at[i]);
    }
    const char *copy = arena_copy(&s->run.arena, out.at, out.n);
    buf_free(&out);
    vec_free(&files);
    return copy;
}

static void
show_run(void *self, const struct sweep_cell *cell,
         const struct sweep_outcome *out)
{
    struct sweep *s = self;
    if (s->options->quiet)
        return;
    cli_print_shown(stdout, cell->target);
    printf(" %s %s, seed %" PRIu64 ": %s", cell->level,
           name_workload(s, cell->workload), cell->seed, out->verdict);
    if (*out->headline || strcmp(out->verdict, "refused") == 0) {
        printf(": ");
        cli_print_shown(stdout, *out->headline ? out->headline : out->note);
    }
    if (*out->weakness)
        printf("; weak test: %s", out->weakness);
    putchar('\n');
    fflush(stdout);
}

static size_t
number(const struct result_rows *rows, size_t row, size_t column)
{
    return strtoul(result_rows_get(rows, row, column), NULL, 10);
}

/* The width of the longest text of a column. */
static int
width_of(struct sweep *s, const struct result_rows *rows, size_t column,
         int least)
{
    int width = least;
    for (size_t i = 0; i < rows->n; i++) {
        const int n =
            (int)strlen(name_workload(s, result_rows_get(rows, i, column)));
        if (n > width && n <= LONGEST_NAME)
            width = n;
    }
    return width;
}

static void
show_row(struct sweep *s, const struct result_rows *rows, size_t row,
         int targets, int workloads)
{
    const size_t runs = number(rows, row, 3), violated = number(rows, row, 4);
    const size_t unknown = number(rows, row, 5);
    const size_t refused = number(rows, row, 6), weak = number(rows, row, 9);
    const size_t found = number(rows, row, 11), not_run = number(rows, row, 12);
    printf("%-*.*s %-6.20s %-*.*s ", targets, LONGEST_NAME,
           result_rows_get(rows, row, 0), result_rows_get(rows, row, 1),
           workloads, LONGEST_NAME,
           name_workload(s, result_rows_get(rows, row, 2)));
    if (found || not_run)
        printf("%s in %zu of %zu: %.*s; ", found ? "finding" : "not run",
               found ? found : not_run, runs - refused, LONGEST_TEXT,
               result_rows_get(rows, row, 13));
    if (refused == runs)
        printf("refused");
    else if (violated)
        printf("violated in %zu of %zu: %.*s", violated, runs - refused,
               LONGEST_TEXT, result_rows_get(rows, row, 7));
    else if (unknown)
        printf("unknown in %zu of %zu: %.*s", unknown, runs - refused,
               LONGEST_TEXT, result_rows_get(rows, row, 8));
    else
        printf("held in %zu", runs - refused - found - not_run);
    if (weak)
        printf("; weak test in %zu: %.*s", weak, LONGEST_TEXT,
               result_rows_get(rows, row, 10));
    putchar('\n');
    const bool is_open = unknown || (weak && s->options->require_power);
    s->status = cli_exit_worse(s->status, violated || found ? EXIT_VIOLATED
                                          : not_run         ? EXIT_ERROR
                                          : is_open         ? EXIT_UNKNOWN
                                                            : EXIT_HOLDS);
}

static bool
show_table(struct sweep *s, struct err *err)
{
    struct result_rows rows = {0};
    if (!sweep_results_table(&s->run.results, s->run.command, &rows, err))
        return false;
    const int targets = width_of(s, &rows, 0, 22);
    const int workloads = width_of(s, &rows, 2, 10);
    printf("\n%-*s %-6s %-*s %s\n", targets, "target", "level", workloads,
           "workload", "result");
    for (size_t i = 0; i < rows.n; i++)
        show_row(s, &rows, i, targets, workloads);
    printf("%zu runs, %zu of them from before; results in %s\n",
           s->run.done + s->run.skipped, s->run.skipped, s->options->results);
    result_rows_free(&rows);
    return true;
}

static bool
run_all(struct sweep *s, struct err *err)
{
    struct sweep_run *run = &s->run;
    if (!sweep_results_open(&run->results, s->options->results, err))
        return false;
    interrupt_catch();
    for (size_t i = 0; i < run->targets.n && !interrupt_flag; i++) {
        struct err why = {0};
        // A target that cannot be used does not keep the others from it.
        if (!sweep_run_target(run, i, &why))
            s->status = cli_exit_worse(s->status, cli_report_error(&why));
    }
    const bool ok = show_table(s, err);
    if (interrupt_flag)
        fputs("interrupted; the same command goes on from here\n", stderr);
    interrupt_restore();
    sweep_results_close(&run->results);
    return ok;
}

int
cmd_sweep(const struct options *o)
{
    struct err err = {0};
    struct sweep s = {.options = o, .status = EXIT_HOLDS};
    s.run = (struct sweep_run){.interrupted = &interrupt_flag,
                               .self = &s,
                               .prepare = prepare,
                               .show = show_run};
    const bool ok = choose(&s, &err) && run_all(&s, &err);
    sweep_run_free(&s.run);
    return ok ? s.status : cli_report_error(&err);
}
