/* cmd_gen.c -- assay gen: make a synthetic history.
 *
 * SPDX-License-Identifier: MIT */
#include "base/limits/context.h"
#include "cli/cli.h"
#include "cli/output_format.h"
#include "gen/gen.h"
#include "history/row/row_log.h"

#include <string.h>

static bool
parse_level(const char *name, enum level *out, struct err *err)
{
    *out = LEVEL_SER;
    return !name ||
           (level_parse(name, strlen(name), out) && GEN_LEVELS >> *out & 1) ||
           choices_error("level", choices_gen_levels, name, err);
}

int
cmd_gen(const struct options *o)
{
    struct gen_shape shape = {
        .rows = o->rows,
        .conditions = o->conditions,
        .sessions = o->sessions,
        .transactions = o->transactions,
        .operations = o->operations,
        .keys = o->keys ? o->keys : 1000,
        .theta = o->theta,
        .reads = o->reads,
        .duplicates = o->duplicates,
        .values = o->values,
        .value_theta = o->value_theta,
        .lag = o->lag,
        .seed = o->seed,
        .inject = o->inject,
        .at = o->at,
    };
    struct err err = {0};
    const struct format *format;
    if (o->paths.n)
        return cli_usage_error(
            "gen takes no argument '%s'; see 'assay gen --help'",
            o->paths.at[0]);
    if (!gen_parse_distribution(o->distribution, &shape.distribution))
        choices_error("distribution", choices_distributions, o->distribution,
                      &err);
    if (!err.kind && !gen_parse_order(o->order, &shape.order))
        choices_error("order", choices_orders, o->order, &err);
    if (err.kind || !parse_level(o->level, &shape.level, &err) ||
        !output_format_choose(o->to, o->output, &format, &err))
        return cli_report_error(&err);
    struct history h;
    context_phase("generating");
    struct progress *progress = cli_progress(o, "generating", o->output);
    bool ok = gen_history(&shape, &h, &err);
    progress_end(progress);
    if (!ok)
        return cli_report_error(&err);
    context_phase("writing");
    progress = cli_write_progress(o);
    ok = format_write(&h, format, o->output, &err);
    progress_end(progress);
    if (ok && !o->quiet)
        fprintf(stderr,
                "%s: %u sessions, %u transactions, %u operations, %zu %s\n",
                o->output, h.n_sessions, h.n_txns, history_ops(&h),
                h.rows ? h.rows->rows.n : h.n_keys, h.rows ? "rows" : "keys");
    history_free(&h);
    return ok ? EXIT_HOLDS : cli_report_error(&err);
}
