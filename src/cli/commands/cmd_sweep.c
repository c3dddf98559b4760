/* cmd_sweep.c -- assay test --sweep: many runs, and one table.
 *
 * Every combination of the targets, levels, workloads and seeds is a run.  Each
 * result is in the file before the next run begins.
 *
 * SPDX-License-Identifier: MIT */
#include "base/container/hash.h"
#include "cli/interrupt.h"
#include "cli/single_run.h"
#include "collect/workload.h"
#include "format/input.h"
#include "pipeline/sweep_results.h"
#include "pipeline/test_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_TEXT = 200, LONGEST_NAME = 60 };

struct sweep {
    const struct options *options;
    const char *command; // with the content of its files
    struct sweep_results results;
    struct arena arena;
    option_texts targets, levels, workloads;
    bool are_servers; // the targets are servers to start
    uint64_t seeds;
    int status;
    size_t done, skipped;
};

/* --- what to run -----------------------------------------------------------*/

/* Add the parts of a list that is separated by commas. */
static void
split(struct sweep *s, const char *list, option_texts *out)
{
    for (;;) {
        const size_t n = strcspn(list, ",");
        vec_push(out, arena_copy(&s->arena, list, n));
        if (!list[n])
            return;
        list += n + 1;
    }
}

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

static uint64_t
hash_file(const char *path, uint64_t hash)
{
    struct input in;
    struct err ignored = {0}; // the run will say so
    if (!input_open(&in, path, &ignored))
        return hash;
    if (in.data)
        hash = hash_pair(hash, hash_bytes(in.data, in.size));
    input_close(&in);
    return hash;
}

/* The command line, and for SQL files a number that changes with them: what
 * they were before is another sweep. */
static const char *
name_command(struct sweep *s)
{
    const struct options *o = s->options;
    option_texts files = {0};
    struct buf name = {0};
    uint64_t hash = 0;
    if (!sql_workload_is(o->workload))
        return o->command;
    split(s, o->workload, &files);
    for (size_t i = 0; i < files.n; i++)
        hash = hash_file(
            arena_copy(&s->arena, files.at[i], strcspn(files.at[i], "@")),
            hash);
    if (o->schema)
        hash = hash_file(o->schema, hash);
    buf_printf(&name, "%s # files %016" PRIx64, o->command, hash);
    const char *copy = arena_copy(&s->arena, name.at, name.n);
    buf_free(&name);
    vec_free(&files);
    return copy;
}

static bool
choose(struct sweep *s, struct err *err)
{
    const struct options *o = s->options;
    if (!check_words(o->sweep, err) || !single_run_is_enough(o, "sweep", err))
        return false;
    s->are_servers = o->start;
    if (o->start && o->paths.n)
        return err_set(err, ERR_USAGE,
                       "--start makes its own target; leave out '%s'",
                       o->paths.at[0]);
    if (o->start)
        split(s, o->start, &s->targets);
    for (size_t i = 0; i < o->paths.n; i++)
        vec_push(&s->targets, o->paths.at[i]);
    if (!s->targets.n)
        vec_push(&s->targets, "sqlite:");
    if (has_word(o->sweep, "levels"))
        split(s, o->level ? o->level : "rc,si,ser", &s->levels);
    else
        vec_push(&s->levels, o->level ? o->level : "ser");
    if (!has_word(o->sweep, "workloads"))
        vec_push(&s->workloads, o->workload);
    else if (strchr(o->workload, ',') || sql_workload_is(o->workload))
        split(s, o->workload, &s->workloads);
    else
        for (const struct workload_kind *k = workload_table; k->name; k++)
            vec_push(&s->workloads, k->name);
    s->seeds = has_word(o->sweep, "seeds") ? o->seeds : 1;
    s->command = name_command(s);
    return true;
}

/* --- runs ------------------------------------------------------------------*/

/* A workload as it is shown: files without their directories. */
static const char *
name_workload(struct sweep *s, const char *name)
{
    option_texts files = {0};
    struct buf out = {0};
    if (!sql_workload_is(name))
        return name;
    split(s, name, &files);
    for (size_t i = 0; i < files.n; i++) {
        const char *slash = strrchr(files.at[i], '/');
        buf_printf(&out, "%s%s", i ? "," : "", slash ? slash + 1 : files.at[i]);
    }
    const char *copy = arena_copy(&s->arena, out.at, out.n);
    buf_free(&out);
    vec_free(&files);
    return copy;
}

static void
show_run(struct sweep *s, const struct sweep_cell *cell,
         const struct sweep_outcome *out)
{
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

static bool
keep_run(struct sweep *s, const struct sweep_cell *cell,
         const struct single_run *run, struct err *err)
{
    static const char *const words[] = {[VERDICT_OK] = "ok",
                                        [VERDICT_VIOLATED] = "violated",
                                        [VERDICT_UNKNOWN] = "unknown"};
    const char *verdict = run->finding_status == FINDING_DEFECT ? "finding"
                          : run->finding_status == FINDING_NOT_RUN
                              ? "not run"
                              : words[run->verdict];
    const struct sweep_outcome out = {
        .verdict = verdict,
        .note = run->note,
        .committed = run->stats.committed,
        .aborted = run->stats.aborted,
        .unknown = run->stats.unknown,
        .seconds = run->stats.seconds,
        .name = run->has_anomaly ? anomaly_table[run->kind].name : "",
        .edges = run->edges.n ? run->edges.at : "",
        .headline = run->finding.n    ? run->finding.at
                    : run->headline.n ? run->headline.at
                    : run->reason.n   ? run->reason.at
                                      : "",
        .pairs = run->pairs,
        .conflicts = run->conflicts,
        .weakness = run->weakness.n ? run->weakness.at : "",
        .history = run->history.n ? run->history.at : "",
        .transactions = run->transactions};
    show_run(s, cell, &out);
    return sweep_results_add(&s->results, cell, &out, err);
}

/* What the database or the program refuses is a result, too: it will be refused
 * again. */
static bool
keep_refusal(struct sweep *s, const struct sweep_cell *cell,
             const struct err *why, struct err *err)
{
    const struct sweep_outcome out = {.verdict = "refused",
                                      .note = why->text,
                                      .name = "",
                                      .edges = "",
                                      .headline = "",
                                      .weakness = "",
                                      .history = ""};
    show_run(s, cell, &out);
    return sweep_results_add(&s->results, cell, &out, err);
}

/* Run one combination, unless it is there.  False if the target cannot be used
 * at all, or the result cannot be stored. */
static bool
run_cell(struct sweep *s, const char *target, const char *served,
         const struct sweep_cell *cell, struct err *err)
{
    bool is_there;
    if (!sweep_results_has(&s->results, cell, &is_there, err))
        return false;
    if (is_there) {
        s->skipped++;
        return true;
    }
    struct options o = *s->options;
    struct single_run run;
    struct err why = {0};
    o.level = cell->level;
    o.workload = cell->workload;
    o.seed = cell->seed;
    o.start = s->are_servers ? target : NULL;
    o.paths = (option_texts){0};
    if (!s->are_servers)
        vec_push(&o.paths, target);
    bool ok = single_run(&o, served, &run, &why);
    // What was cut short by the user is run again the next time.
    if (interrupt_flag)
        ok = true;
    else if (ok)
        ok = keep_run(s, cell, &run, err);
    else if (why.kind == ERR_USAGE)
        ok = keep_refusal(s, cell, &why, err);
    else
        *err = why;
    s->done += ok && !interrupt_flag;
    single_run_free(&run);
    vec_free(&o.paths);
    return ok;
}

/* The target as it may be shown: without a password. */
static const char *
name_target(struct sweep *s, const char *target)
{
    const char *slashes = strstr(target, "//"), *sign = strrchr(target, '@');
    if (s->are_servers || !slashes || !sign)
        return target;
    struct buf name = {0};
    buf_add(&name, target, (size_t)(slashes + 2 - target));
    buf_text(&name, sign + 1);
    const char *copy = arena_copy(&s->arena, name.at, name.n);
    buf_free(&name);
    return copy;
}

/* Whether a target can run a workload: those of rows need SQL, which servers
 * that are started have. */
static bool
takes_workload(const char *target, const char *name)
{
    const struct workload_kind *kind = workload_find(name);
    char scheme[16];
    snprintf(scheme, sizeof scheme, "%.*s", (int)strcspn(target, ":"), target);
    const struct driver *driver = driver_find(scheme);
    return !kind || !kind->has_items || !driver || driver->sql;
}

static bool
run_cells(struct sweep *s, const char *target, const char *served,
          struct err *err)
{
    struct sweep_cell cell = {.command = s->command,
                              .target = name_target(s, target)};
    for (size_t l = 0; l < s->levels.n; l++)
        for (size_t w = 0; w < s->workloads.n; w++)
            for (uint64_t i = 0; i < s->seeds; i++) {
                cell.level = s->levels.at[l];
                cell.workload = s->workloads.at[w];
                cell.seed = s->options->seed + i;
                if (interrupt_flag)
                    return true;
                if (s->workloads.n > 1 &&
                    !takes_workload(target, cell.workload))
                    continue;
                if (!run_cell(s, target, served, &cell, err))
                    return false;
            }
    return true;
}

/* Servers that are not disturbed serve all runs. */
static bool
run_target(struct sweep *s, const char *target, struct err *err)
{
    struct servers servers;
    if (!s->are_servers || s->options->fault)
        return run_cells(s, target, NULL, err);
    if (!servers_start(target, &interrupt_flag, &servers, err))
        return interrupt_flag;
    const bool ok = run_cells(s, target, servers.url, err);
    servers_stop(&servers);
    return ok;
}

/* --- the table -------------------------------------------------------------*/

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
    if (!sweep_results_table(&s->results, s->command, &rows, err))
        return false;
    const int targets = width_of(s, &rows, 0, 22);
    const int workloads = width_of(s, &rows, 2, 10);
    printf("\n%-*s %-6s %-*s %s\n", targets, "target", "level", workloads,
           "workload", "result");
    for (size_t i = 0; i < rows.n; i++)
        show_row(s, &rows, i, targets, workloads);
    printf("%zu runs, %zu of them from before; results in %s\n",
           s->done + s->skipped, s->skipped, s->options->results);
    result_rows_free(&rows);
    return true;
}

static bool
run_all(struct sweep *s, struct err *err)
{
    if (!sweep_results_open(&s->results, s->options->results, err))
        return false;
    interrupt_catch();
    for (size_t i = 0; i < s->targets.n && !interrupt_flag; i++) {
        struct err why = {0};
        // A target that cannot be used does not keep the others from it.
        if (!run_target(s, s->targets.at[i], &why))
            s->status = cli_exit_worse(s->status, cli_report_error(&why));
    }
    const bool ok = show_table(s, err);
    if (interrupt_flag)
        fputs("interrupted; the same command goes on from here\n", stderr);
    interrupt_restore();
    sweep_results_close(&s->results);
    return ok;
}

int
cmd_sweep(const struct options *o)
{
    struct err err = {0};
    struct sweep s = {.options = o, .status = EXIT_HOLDS};
    const bool ok = choose(&s, &err) && run_all(&s, &err);
    vec_free(&s.targets);
    vec_free(&s.levels);
    vec_free(&s.workloads);
    arena_free(&s.arena);
    return ok ? s.status : cli_report_error(&err);
}
