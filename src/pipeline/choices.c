/* choices.c -- see choices.h.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/choices.h"

#include "app/app.h"
#include "check/ladder/strategies.h"
#include "collect/workload.h"
#include "driver/driver.h"
#include "format/format.h"
#include "gen/anomaly.h"
#include "gen/gen.h"
#include "pipeline/recorder.h"
#include "predict/predict.h"
#include "report/report.h"
#include "server/server.h"

#include <string.h>

void
choices_add(struct buf *out, const char *word)
{
    if (out->n)
        buf_char(out, ' ');
    buf_text(out, word);
}

/* --- levels ----------------------------------------------------------------*/

static void
add_levels(struct buf *out, level_set set)
{
    for (enum level l = 0; l < LEVELS; l++)
        if (level_set_has(set, l))
            choices_add(out, level_table[l].brief);
}

void
choices_levels(struct buf *out)
{
    add_levels(out, level_ordered());
    add_levels(out, ~level_ordered());
    choices_add(out, "all");
}

void
choices_gen_levels(struct buf *out)
{
    add_levels(out, GEN_LEVELS);
}

void
choices_predict_levels(struct buf *out)
{
    add_levels(out, PREDICT_LEVELS);
}

void
choices_prove_levels(struct buf *out)
{
    for (int l = 0; l < LEVELS; l++)
        if (level_is_used_by((enum level)l, USED_BY_PROVE))
            choices_add(out, level_table[l].prove ? level_table[l].prove
                                                  : level_table[l].brief);
    choices_add(out, "my-rr");
}

/* --- formats ---------------------------------------------------------------*/

static void
add_formats(struct buf *out, bool written)
{
    for (size_t i = 0; format_table[i]; i++)
        if (!written || format_table[i]->write)
            choices_add(out, format_table[i]->name);
}

void
choices_formats(struct buf *out)
{
    choices_add(out, "auto");
    add_formats(out, false);
}

void
choices_written_formats(struct buf *out)
{
    add_formats(out, true);
}

void
choices_reports(struct buf *out)
{
    for (size_t i = 0; report_table[i]; i++)
        choices_add(out, report_table[i]->name);
}

void
choices_predict_reports(struct buf *out)
{
    for (size_t i = 0; report_table[i]; i++)
        if (!report_table[i]->is_for_tests)
            choices_add(out, report_table[i]->name);
}

void
choices_prove_reports(struct buf *out)
{
    buf_text(out, "text markdown json sarif junit html");
}

/* --- runs ------------------------------------------------------------------*/

void
choices_apps(struct buf *out)
{
    for (size_t i = 0; app_list[i]; i++)
        choices_add(out, app_list[i]->name);
}

void
choices_workloads(struct buf *out)
{
    for (const struct workload_kind *k = workload_table; k->name; k++)
        choices_add(out, k->name);
    choices_add(out, "random"); // SQL from a seed
    choices_apps(out);
}

void
choices_distributions(struct buf *out)
{
    for (int i = 0; i < GEN_DISTRIBUTIONS; i++)
        choices_add(out, gen_distribution_names[i]);
}

void
choices_orders(struct buf *out)
{
    for (int i = 0; i < GEN_ORDERS; i++)
        choices_add(out, gen_order_names[i]);
}

void
choices_anomalies(struct buf *out)
{
    for (const struct gen_anomaly *a = gen_anomalies; a->name; a++)
        choices_add(out, a->name);
}

void
choices_isolations(struct buf *out)
{
    for (int i = ISOLATION_UNCHANGED + 1; i < ISOLATIONS; i++) {
        const size_t before = out->n;
        choices_add(out, driver_isolation_names[i]);
        for (size_t k = before + 1; k < out->n; k++)
            if (out->at[k] == ' ')
                out->at[k] = '-';
    }
}

void
choices_servers(struct buf *out)
{
    for (size_t i = 0; server_kinds[i]; i++) {
        choices_add(out, server_kinds[i]->name);
        if (!server_kinds[i]->nodes)
            buf_printf(out, ":%d", SERVER_NODES);
    }
}

void
choices_targets(struct buf *out)
{
    for (size_t i = 0; driver_table[i]; i++) {
        const struct driver *d = driver_table[i];
        const size_t n = strlen(d->scheme) + 1;
        if (strcmp(d->form + n, "LEVEL") == 0) {
            for (int l = 0; l < LEVELS; l++) {
                if (!level_is_used_by((enum level)l, USED_BY_STORE))
                    continue;
                choices_add(out, d->scheme);
                buf_printf(out, ":%s", level_table[l].brief);
            }
        } else {
            choices_add(out, d->scheme);
            buf_text(out, memcmp(d->form + n, "//", 2) == 0 ? "://" : ":");
        }
    }
}

/* --- words that no table owns ----------------------------------------------*/

void
choices_audited(struct buf *out)
{
    for (size_t i = 0; i < database_levels_n; i++)
        if (strncmp(database_levels[i].name, "postgresql", 10) == 0)
            choices_add(out, database_levels[i].name);
}

void
choices_databases(struct buf *out)
{
    for (size_t i = 0; i < database_levels_n; i++)
        choices_add(out, database_levels[i].name);
}

void
choices_boundaries(struct buf *out)
{
    choices_add(out, "strict relaxed");
}

void
choices_clients(struct buf *out)
{
    choices_add(out, "connection transaction");
}

void
choices_indexes(struct buf *out)
{
    choices_add(out, "btree hash gin brin");
}

void
choices_accesses(struct buf *out)
{
    for (int i = 0; i < ACCESSES; i++)
        choices_add(out, driver_access_names[i]);
}

void
choices_features(struct buf *out)
{
    for (int i = 0; i < FEATURES; i++)
        choices_add(out, workload_feature_names[i]);
}

void
choices_lists(struct buf *out)
{
    choices_add(out, "text arrays");
}

void
choices_recorders(struct buf *out)
{
    for (int r = RECORDER_POLICY; r < RECORDERS; r++)
        choices_add(out, recorder_names[r]);
}

void
choices_solvers(struct buf *out)
{
    choices_add(out, "own z3");
}

/* Each name once: a strategy may have several rows. */
void
choices_strategies(struct buf *out)
{
    for (size_t i = 0; i < strategy_count; i++)
        if (!strategy_table[i].vital &&
            strategy_bit(strategy_table[i].name) == UINT64_C(1) << i)
            choices_add(out, strategy_table[i].name);
    for (size_t i = 0; i < technique_count; i++)
        choices_add(out, technique_table[i].name);
}

bool
choices_error(const char *option, choices *words, const char *found,
              struct err *err)
{
    struct buf list = {0}, text = {0};
    words(&list);
    for (const char *at = list.at; *at;) {
        const size_t n = strcspn(at, " ");
        buf_text(&text, !text.n ? "" : at[n] ? ", " : " or ");
        buf_add(&text, at, n);
        at += n + (at[n] == ' ');
    }
    err_set(err, ERR_USAGE, "--%s is %s, not '%s'", option, text.at, found);
    buf_free(&list);
    buf_free(&text);
    return false;
}
