/* strong.c -- see strong.h.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/strong.h"

#include "base/limits/tuning.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct strong_options strong_defaults = {
    .saturate = true,
    .prune = true,
    .schedule = true,
    .backtracking = true,
    .leave_open = true,
    .step_back = true,
    .bidirectional = true,
    .record_max = TUNE_RECORD_MAX,
    .many_candidates = TUNE_MANY_CANDIDATES,
    .near_candidates = TUNE_NEAR_CANDIDATES,
    .near_span = TUNE_NEAR_SPAN,
    .window = TUNE_WINDOW,
    .horizon = TUNE_HORIZON,
    .rounds = TUNE_ROUNDS,
    .cover = TUNE_COVER,
    .recheck = TUNE_RECHECK,
    .init_edges = TUNE_INIT_EDGES,
};

/* --- numbers that can be changed -------------------------------------------*/

#define ROW(name, field)                                                       \
    {                                                                          \
#name, offsetof(struct strong_options, field)                          \
    }
static const struct {
    const char *name;
    size_t offset; // of an uint32_t
} tunable[] = {
    ROW(RECORD_MAX, record_max),
    ROW(MANY_CANDIDATES, many_candidates),
    ROW(NEAR_CANDIDATES, near_candidates),
    ROW(NEAR_SPAN, near_span),
    ROW(WINDOW, window),
    ROW(HORIZON, horizon),
    ROW(ROUNDS, rounds),
    ROW(COVER, cover),
    ROW(RECHECK, recheck),
    ROW(INIT_EDGES, init_edges),
};
#undef ROW

static uint32_t *
find_number(const char *name, size_t n, struct strong_options *o)
{
    for (size_t i = 0; i < sizeof tunable / sizeof *tunable; i++)
        if (strlen(tunable[i].name) == n && !memcmp(tunable[i].name, name, n))
            return (uint32_t *)((char *)o + tunable[i].offset);
    return NULL;
}

bool
strong_is_tunable(const char *name)
{
    struct strong_options unused;
    return find_number(name, strlen(name), &unused) != NULL;
}

bool
strong_tune(const char *text, struct strong_options *o, struct err *err)
{
    const size_t n = strcspn(text, "=");
    uint32_t *number = find_number(text, n, o);
    if (!number || !text[n])
        return err_set(err, ERR_USAGE,
                       "--tune %s: there is no such number; see 'assay check "
                       "--help-solver'",
                       text);
    const struct tuning_row *row = tuning_table;
    while (strlen(row->name) != n || memcmp(row->name, text, n) != 0)
        row++;
    char *end;
    const long long value = strtoll(text + n + 1, &end, 10);
    if (end == text + n + 1 || *end || value < row->low || value > row->high)
        return err_set(err, ERR_USAGE,
                       "--tune %s: it has to be between %" PRId64
                       " and %" PRId64,
                       text, row->low, row->high);
    *number = (uint32_t)value;
    return true;
}
