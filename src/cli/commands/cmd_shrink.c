/* cmd_shrink.c -- assay test --shrink: the smallest run that still fails.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/interrupt.h"
#include "cli/options/run_options.h"
#include "pipeline/shrink_run.h"

#include <inttypes.h>

struct shrinking {
    const struct options *options;
    bool is_random;              // the workload is SQL from a seed
    struct random_sql_name name; // then
    struct buf workload;         // its name for the run under way
};

/* The name of a workload of random SQL without some parts. */
static const char *
name_random(struct shrinking *s, const struct shrink_size *size)
{
    buf_clear(&s->workload);
    buf_printf(&s->workload, "random:%" PRIu64, s->name.seed);
    if (size->left_out)
        buf_printf(&s->workload, ":%" PRIx64, size->left_out);
    return s->workload.at;
}

/* The options with the numbers of that size. */
static bool
prepare(void *self, const struct shrink_size *size,
        struct single_run_request *out, struct err *err)
{
    struct shrinking *s = self;
    struct options o = *s->options;
    if (s->is_random)
        o.workload = name_random(s, size);
    o.transactions = size->numbers[SHRINK_TXNS];
    o.sessions = size->numbers[SHRINK_SESSIONS];
    o.keys = size->numbers[SHRINK_KEYS];
    o.operations = size->numbers[SHRINK_OPS];
    o.seed = size->seed;
    return run_options_single(&o, out, err);
}

static void
show_size(struct shrinking *s, const struct shrink_size *size, FILE *out)
{
    const struct options *o = s->options;
    if (s->is_random)
        fprintf(out, "-w %s ", name_random(s, size));
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
    struct shrinking *s = self;
    if (s->options->quiet)
        return;
    fputs("still violated: ", stderr);
    show_size(s, size, stderr);
    fputc('\n', stderr);
}

/* The SQL of a run on that product. */
static void
make_sql(const struct options *o, uint64_t seed, uint64_t left_out,
         struct random_sql *out)
{
    char product[TEST_RUN_PRODUCT];
    test_run_product(o->start     ? o->start
                     : o->paths.n ? o->paths.at[0]
                                  : "sqlite:",
                     product);
    random_sql_make(seed, left_out, product, out);
}

/* The SQL of the smallest run. */
static void
show_sql(struct shrinking *g, const struct shrink_size *size)
{
    const struct options *o = g->options;
    struct random_sql sql;
    make_sql(o, g->name.seed, size->left_out, &sql);
    printf("\n-- tables\n%s", sql.schema.at);
    for (size_t i = 0; i < RANDOM_SQL_SCRIPTS; i++)
        if (sql.scripts[i].n)
            printf("\n-- transaction %zu\n%s", i + 1, sql.scripts[i].at);
    random_sql_free(&sql);
}

static void
show_result(struct shrinking *g, const struct shrink_run *s)
{
    if (!s->found) {
        printf("%zu runs, and the level held in all of them\n", s->runs);
        return;
    }
    printf("%zu runs; the smallest that violates the level:\n  ", s->runs);
    show_size(g, &s->size, stdout);
    putchar('\n');
    if (s->run.has_anomaly) {
        printf("  ");
        cli_print_shown(stdout, s->run.headline.at);
        printf("\n  ");
        cli_print_shown(stdout, s->run.story.at);
        printf(".\n");
    }
    if (g->is_random)
        show_sql(g, &s->size);
}

int
cmd_shrink(const struct options *o)
{
    struct err err = {0};
    struct shrinking given = {.options = o};
    given.is_random = random_sql_is(o->workload);
    if (given.is_random && !random_sql_parse(o->workload, &given.name, &err))
        return cli_report_error(&err);
    if (!given.name.has_seed)
        given.name.seed = o->seed;
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
                                    .seed = o->seed,
                                    .left_out = given.name.left_out}};
    if (given.is_random) {
        struct random_sql all;
        make_sql(o, given.name.seed, 0, &all);
        s.empty = all.empty;
        s.parts = all.parts < RANDOM_SQL_PARTS ? all.parts : RANDOM_SQL_PARTS;
        random_sql_free(&all);
    }
    interrupt_catch();
    const bool ok = shrink_run(&s, &err);
    if (ok)
        show_result(&given, &s);
    if (ok && interrupt_flag)
        fputs("interrupted; a smaller one may be found\n", stderr);
    interrupt_restore();
    single_run_free(&s.run);
    buf_free(&given.workload);
    return !ok ? cli_report_error(&err) : s.found ? EXIT_VIOLATED : EXIT_HOLDS;
}
