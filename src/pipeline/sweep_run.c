/* sweep_run.c -- see sweep_run.h.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/sweep_run.h"

#include "base/container/hash.h"
#include "collect/workload.h"
#include "format/input.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- what to run -----------------------------------------------------------*/

void
sweep_run_split(struct sweep_run *s, const char *list, sweep_words *out)
{
    for (;;) {
        const size_t n = strcspn(list, ",");
        vec_push(out, arena_copy(&s->arena, list, n));
        if (!list[n])
            return;
        list += n + 1;
    }
}

void
sweep_run_all_workloads(struct sweep_run *s)
{
    for (const struct workload_kind *k = workload_table; k->name; k++)
        vec_push(&s->workloads, k->name);
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

void
sweep_run_name(struct sweep_run *s, const char *command, const char *workload,
               const char *schema)
{
    sweep_words files = {0};
    struct buf name = {0};
    uint64_t hash = 0;
    s->command = command;
    if (!sql_workload_is(workload))
        return;
    sweep_run_split(s, workload, &files);
    for (size_t i = 0; i < files.n; i++)
        hash = hash_file(
            arena_copy(&s->arena, files.at[i], strcspn(files.at[i], "@")),
            hash);
    if (schema)
        hash = hash_file(schema, hash);
    buf_printf(&name, "%s # files %016" PRIx64, command, hash);
    s->command = arena_copy(&s->arena, name.at, name.n);
    buf_free(&name);
    vec_free(&files);
}

/* --- runs ------------------------------------------------------------------*/

static bool
keep(struct sweep_run *s, const struct sweep_cell *cell,
     const struct sweep_outcome *out, struct err *err)
{
    s->show(s->self, cell, out);
    return sweep_results_add(&s->results, cell, out, err);
}

static bool
keep_run(struct sweep_run *s, const struct sweep_cell *cell,
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
    return keep(s, cell, &out, err);
}

/* What the database or the program refuses is a result, too: it will be refused
 * again. */
static bool
keep_refusal(struct sweep_run *s, const struct sweep_cell *cell,
             const struct err *why, struct err *err)
{
    const struct sweep_outcome out = {.verdict = "refused",
                                      .note = why->text,
                                      .name = "",
                                      .edges = "",
                                      .headline = "",
                                      .weakness = "",
                                      .history = ""};
    return keep(s, cell, &out, err);
}

/* Run one combination, unless it is there.  False if the target cannot be used
 * at all, or the result cannot be stored. */
static bool
run_cell(struct sweep_run *s, const char *target, const char *served,
         const struct sweep_cell *cell, struct err *err)
{
    bool is_there;
    if (!sweep_results_has(&s->results, cell, &is_there, err))
        return false;
    if (is_there) {
        s->skipped++;
        return true;
    }
    struct single_run_request request;
    struct single_run run = {0};
    struct err why = {0};
    bool ok = s->prepare(s->self, target, cell, &request, &why) &&
              single_run(&request, served, &run, &why);
    // What was cut short by the user is run again the next time.
    if (*s->interrupted)
        ok = true;
    else if (ok)
        ok = keep_run(s, cell, &run, err);
    else if (why.kind == ERR_USAGE || why.kind == ERR_FEATURE)
        ok = keep_refusal(s, cell, &why, err);
    else
        *err = why;
    s->done += ok && !*s->interrupted;
    single_run_free(&run);
    return ok;
}

/* The target as it may be shown: without a password. */
static const char *
name_target(struct sweep_run *s, const char *target)
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
run_cells(struct sweep_run *s, const char *target, const char *served,
          struct err *err)
{
    struct sweep_cell cell = {.command = s->command,
                              .target = name_target(s, target)};
    for (size_t l = 0; l < s->levels.n; l++)
        for (size_t w = 0; w < s->workloads.n; w++)
            for (uint64_t i = 0; i < s->seeds; i++) {
                cell.level = s->levels.at[l];
                cell.workload = s->workloads.at[w];
                cell.seed = s->seed + i;
                if (*s->interrupted)
                    return true;
                if (s->workloads.n > 1 &&
                    !takes_workload(target, cell.workload))
                    continue;
                if (!run_cell(s, target, served, &cell, err))
                    return false;
            }
    return true;
}

bool
sweep_run_target(struct sweep_run *s, size_t i, struct err *err)
{
    struct servers servers;
    assert(i < s->targets.n && s->levels.n && s->workloads.n && s->seeds);
    assert(s->prepare && s->show && s->command);
    const char *target = s->targets.at[i];
    if (!s->are_servers || !s->are_shared)
        return run_cells(s, target, NULL, err);
    if (!servers_start(target, s->interrupted, &servers, err))
        return *s->interrupted;
    const bool ok = run_cells(s, target, servers.url, err);
    servers_stop(&servers);
    return ok;
}

void
sweep_run_free(struct sweep_run *s)
{
    vec_free(&s->targets);
    vec_free(&s->levels);
    vec_free(&s->workloads);
    arena_free(&s->arena);
}
