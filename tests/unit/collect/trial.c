/* trial.c -- see trial.h.
 *
 * SPDX-License-Identifier: MIT */
#include "trial.h"

#include "base/limits/limit.h"
#include "check/check.h"
#include "explain/explain.h"
#include "format/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PATIENCE = 120 }; // seconds

static bool
fail(struct trial_result *out, const struct err *err)
{
    err_format(err, out->text, sizeof out->text);
    printf("# %s\n", out->text);
    return false;
}

/* Note the names of what went wrong at a level. */
static bool
explain(const struct history *h, const struct check *check,
        const struct level_result *r, struct trial_result *out,
        struct buf *text, struct err *err)
{
    struct explanation e = {0};
    const struct explain_options o = {.most = 20,
                                      .work = 30 * BUDGET_SECOND,
                                      .threads = 2,
                                      .strong = strong_defaults};
    if (!explain_result(h, check, r, &o, &e, err))
        return false;
    for (size_t i = 0; i < e.anomalies.n; i++) {
        const enum anomaly_kind kind = e.anomalies.at[i].kind;
        if (!trial_told(out, kind))
            buf_printf(text, "%s, ", anomaly_table[kind].title);
        out->told |= 1u << kind;
    }
    explanation_free(&e);
    return true;
}

bool
trial_check(const char *path, level_set levels, struct trial_result *out)
{
    static const char *const words[] = {[VERDICT_OK] = "ok",
                                        [VERDICT_VIOLATED] = "violated",
                                        [VERDICT_UNKNOWN] = "unknown"};
    struct err err = {0};
    struct history h;
    struct check check = {0};
    const struct check_options o = {.levels = levels,
                                    .threads = 2,
                                    .work = 120 * BUDGET_SECOND,
                                    .verify = true,
                                    .most_flaws = 20,
                                    .strong = strong_defaults};
    if (!format_read(path, "jsonl", 1, &h, NULL, &err))
        return fail(out, &err);
    bool ok = check_history(&h, &o, &check, &err);
    struct buf text = {0};
    for (size_t i = 0; ok && i < check.results.n; i++) {
        const struct level_result *r = &check.results.at[i];
        out->verdict[r->level] = r->certificate.verdict;
        buf_printf(&text, "%s: %s; ", level_table[r->level].brief,
                   words[r->certificate.verdict]);
        if (r->certificate.verdict == VERDICT_VIOLATED)
            ok = explain(&h, &check, r, out, &text, &err);
    }
    snprintf(out->text, sizeof out->text, "%s", text.n ? text.at : "");
    buf_free(&text);
    check_free(&check);
    history_free(&h);
    return ok || fail(out, &err);
}

static struct collect_options
options_of(const struct trial *t)
{
    const struct app *app = t->app ? app_find(t->app) : NULL;
    return (struct collect_options){
        .shape = {.kind = workload_find(t->workload ? t->workload : "mixed"),
                  .app = app,
                  .lists = t->arrays ? KEYS_ARRAYS : KEYS_LISTS,
                  .sessions = t->sessions ? t->sessions : 4,
                  .operations = t->operations ? t->operations : 4,
                  .keys = t->keys ? t->keys
                          : app   ? app->units
                                  : 10,
                  .theta = 0.99,
                  .reads = t->reads > 0 ? t->reads : 0.5,
                  .duplicates = t->duplicates,
                  .values = t->values ? t->values : 2,
                  .aborts = t->aborts,
                  .seed = t->seed},
        .transactions = t->transactions  ? t->transactions
                        : t->seconds > 0 ? 0
                                         : 400,
        .seconds = t->seconds,
        .pause = t->pause,
        .move = t->move,
        .leave_tables = t->leave_tables,
        .read_final = t->read_final,
        .patience = 120,
        .grace = t->grace,
        .tick = t->tick,
        .self = t->self,
        .interrupted = t->interrupted,
    };
}

static void
show_stats(const struct trial *t, const struct collect_stats *s)
{
    printf("# %s: %llu committed, %llu aborted, %llu unknown in %.2f s\n",
           t->target, (unsigned long long)s->committed,
           (unsigned long long)s->aborted, (unsigned long long)s->unknown,
           s->seconds);
    for (size_t i = 0; i < s->n_failures; i++)
        printf("#   %llu x %s: %s\n", (unsigned long long)s->failures[i].n,
               s->failures[i].code, s->failures[i].message);
}

bool
trial_record(const struct trial *t, const char *path, struct trial_result *out)
{
    *out = (struct trial_result){0};
    struct err err = {0};
    struct database db;
    const struct collect_options o = options_of(t);
    const struct session_setups setups = {&t->setup, t->setup ? 1 : 0};
    if (!database_open(t->target, t->isolation, &setups, &db, &err))
        return fail(out, &err);
    const bool ok = collect_run(&db, &o, path, &out->stats, &err);
    database_close(&db);
    show_stats(t, &out->stats);
    return ok || fail(out, &err);
}

bool
trial_run(const struct trial *t, level_set levels, struct trial_result *out)
{
    char path[] = "/tmp/assay-trial-XXXXXX";
    const int fd = mkstemp(path);
    if (fd < 0 || close(fd) != 0)
        return false;
    const bool ok =
        trial_record(t, path, out) && trial_check(path, levels, out);
    const char *keep = getenv("ASSAY_KEEP");
    if (ok)
        printf("#   %s%s%s\n", out->text, keep ? "in " : "", keep ? path : "");
    if (!keep)
        unlink(path);
    return ok;
}

bool
trial_until(const struct trial *t, level_set levels, enum anomaly_kind kind,
            struct trial_result *out)
{
    const double until = time_now() + PATIENCE;
    struct trial next = *t;
    bool ok;
    do {
        ok = trial_run(&next, levels, out);
        next.seed++;
    } while (ok && !trial_told(out, kind) && time_now() < until);
    return ok;
}
