/* main.c -- assay-mpi: check histories with several processes.
 *
 *     mpirun -n 8 assay-mpi check -l cc,ser DIR
 *
 * A second program, because MPI cannot be loaded when it is needed, and 'assay'
 * has to start in a millisecond.  Options, output and exit status are those of
 * 'assay check'.
 *
 * SPDX-License-Identifier: MIT */
#include "base/command_line.h"
#include "base/memory/heap.h"
#include "base/time.h"
#include "cli/inspect.h"
#include "level/names.h"
#include "mpi/run.h"
#include "version.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define LAST_WORDS 0.2 // seconds

#define USAGE                                                                  \
    "usage: mpirun -n N assay-mpi check [OPTION]... HISTORY|DIR...\n"          \
    "\n"                                                                       \
    "Check histories as 'assay check' does, with N processes; 'assay check "   \
    "--help' lists\nthe options. --memory is that of each process. A "         \
    "directory has one file per client\nmachine, with whole sessions and "     \
    "times; 'assay help check' says more.\n"

/* Whether the user asks for something that only the engines have. */
static bool
needs_engines(const struct options *o, level_set levels)
{
    level_set strict = 0;
    for (enum level l = 0; l < LEVELS; l++)
        if (level_table[l].needs_times)
            strict |= level_bit(l);
    const bool is_plain_text = o->json || strcmp(o->report_format, "text") == 0;
    return o->certificate || o->reduced || o->report || o->junit_file ||
           o->sarif_file || o->markdown_file || o->power || o->require_power ||
           o->complete || !o->session_order || o->timeout > 0 ||
           !is_plain_text || (!(levels & LEVEL_SET_ALL) && (levels & strict));
}

/* Add the same verdict for all levels to the reports. */
static int
show_verdict(struct inspect *i, const char *path, const struct run_result *r)
{
    struct check c = {0};
    const bool holds = r->end == RANKS_HOLD;
    const level_set levels = i->options.check.levels;
    struct explanation none[LEVELS];
    memset(none, 0, sizeof none);
    c.all = levels >> LEVELS;
    for (enum level l = 0; l < LEVELS; l++) {
        struct level_result row = {.level = l, .by = l};
        if (!(levels & level_bit(l)))
            continue;
        if (level_table[l].needs_times) {
            c.skipped |= level_bit(l);
            continue;
        }
        row.certificate.level = l;
        row.certificate.verdict = holds ? VERDICT_OK : VERDICT_UNKNOWN;
        snprintf(row.reason, sizeof row.reason, "%.*s",
                 (int)sizeof row.reason - 1, holds ? "" : r->why);
        vec_push(&c.results, row);
    }
    const struct report_run run = {.path = path,
                                   .format = r->format ? r->format->name : "",
                                   .summary = &r->summary,
                                   .check = &c,
                                   .explanations = none};
    for (size_t k = 0; k < INSPECT_REPORTS; k++)
        report_add(&i->reports[k], &run);
    cli_emit(&i->reports[INSPECT_STDOUT].out);
    check_free(&c);
    return holds ? EXIT_HOLDS : EXIT_UNKNOWN;
}

static void
show_stats(const struct exchange *x, const struct run_result *r)
{
    const double n = (double)r->summary.operations;
    fprintf(stderr, "  %-28s %12d\n", "ranks", x->ranks);
    if (r->end == RANKS_GATHERED)
        fprintf(stderr, "  engines, because             %s\n", r->why);
    if (!r->records)
        return;
    fprintf(stderr, "  %-28s %12llu\n", "records",
            (unsigned long long)r->records);
    fprintf(stderr, "  %-28s %12llu\n", "reads that do not fit",
            (unsigned long long)r->stale);
    fprintf(stderr, "  %-28s %12.1f\n", "bytes sent per operation",
            n > 0 ? (double)r->bytes / n : 0);
    fprintf(stderr, "  %-28s %12.1f MB\n", "memory of a rank at most",
            (double)r->most_memory / 1e6);
}

/* On rank 0: what the run has found. */
static int
show(struct inspect *i, const struct options *o, const struct exchange *x,
     const char *path, const struct run_result *r)
{
    if (o->stats)
        show_stats(x, r);
    if (r->end == RANKS_FAILED)
        return inspect_fail(i, path, &r->err);
    if (r->end != RANKS_GATHERED)
        return show_verdict(i, path, r);
    const char *const only = r->path.at;
    return r->fd < 0 ? inspect_files(i, &only, 1)
                     : inspect_file(i, r->path.at, path);
}

static int
check_all(struct exchange *x, const struct options *o, level_set levels,
          struct inspect *i)
{
    int status = EXIT_HOLDS;
    for (size_t k = 0; k < o->paths.n; k++) {
        struct run_result r;
        x->sent = 0;
        run_history(x, o->paths.at[k], o->format,
                    needs_engines(o, levels) ? 0 : levels, &r);
        // Where there are times, 'all' includes levels of the engines.
        if (r.end == RANKS_HOLD && r.has_times && levels & LEVEL_SET_ALL) {
            buf_free(&r.path);
            run_history(x, o->paths.at[k], o->format, 0, &r);
        }
        if (!x->rank)
            status = cli_exit_worse(status, show(i, o, x, o->paths.at[k], &r));
        if (r.fd >= 0)
            close(r.fd);
        buf_free(&r.path);
    }
    return status;
}

static int
check(struct exchange *x, const struct options *o)
{
    struct err err = {0};
    struct inspect inspect;
    level_set levels = 0;
    bool ok = level_parse_list(o->level ? o->level : "ser", o->session_order,
                               &levels, &err);
    if (ok && (!o->paths.n || o->stream || o->part))
        ok = err_set(&err, ERR_USAGE,
                     "assay-mpi check needs a history, and neither --stream "
                     "nor --part");
    if (ok && (o->certificate || o->reduced) && o->paths.n != 1)
        ok = err_set(&err, ERR_USAGE,
                     "--certificate and --reduced need exactly one history");
    if (ok && !x->rank)
        ok = inspect_begin(o, o->report, false, &inspect, &err);
    // Rank 0 alone looks at all options.
    char why[EXCHANGE_TEXT] = "";
    if (!exchange_agree(x, ok, why))
        return x->rank ? EXIT_ERROR : cli_report_error(&err);
    // mpirun connects stdout to a pseudo-terminal, also where the user has a
    // file.
    for (size_t i = 0; !x->rank && i < INSPECT_REPORTS; i++) {
        inspect.reports[i].style.colour = false;
        inspect.reports[i].style.width = 0;
    }
    x->memory = (size_t)o->memory;
    int status = check_all(x, o, levels, &inspect);
    if (!x->rank)
        status = inspect_end(&inspect, status);
    return (int)exchange_from(x, 0, (uint64_t)status);
}

static int
run(struct exchange *x, int n, char *const words[])
{
    struct options options;
    struct err err = {0};
    struct buf line = {0};
    if (n >= 1 && strcmp(words[0], "--version") == 0) {
        if (!x->rank)
            fputs("assay-mpi " ASSAY_VERSION "\n", stdout);
        return EXIT_HOLDS;
    }
    if (n < 1 || strcmp(words[0], "check") != 0) {
        const bool asks = n >= 1 && strcmp(words[0], "--help") == 0;
        if (!x->rank)
            fputs(USAGE, asks ? stdout : stderr);
        return asks ? EXIT_HOLDS : EXIT_ERROR;
    }
    if (!options_parse(n - 1, words + 1, command_find("check"), &options,
                       &err)) {
        options_free(&options);
        return x->rank ? EXIT_ERROR : cli_report_error(&err);
    }
    if (options.help && !x->rank)
        fputs(USAGE, stdout);
    command_line_show(n, words, &line);
    options.command = line.at;
    const int status = options.help ? EXIT_HOLDS : check(x, &options);
    buf_free(&line);
    options_free(&options);
    return status;
}

int
main(int argc, char *argv[])
{
    struct exchange x;
    heap_tune();
    exchange_begin(&argc, &argv, &x);
    int status = run(&x, argc - 1, argv + 1);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        if (status != EXIT_ERROR)
            fprintf(stderr, "stdout: cannot write: %s\n", strerror(errno));
        status = EXIT_ERROR;
    }
    exchange_end();
    if (x.rank)
        return EXIT_HOLDS; // mpirun returns the status of rank 0
    // mpirun ends a run at the first status that is not 0, and may lose what it
    // has not read by then.
    fclose(stdout);
    fclose(stderr);
    if (status != EXIT_HOLDS)
        time_pause(LAST_WORDS);
    return status;
}
