/* voter.c -- a phone-in contest: each caller has a few votes.
 *
 * SPDX-License-Identifier: MIT */
#include "app/apps.h"

enum { CALLER, CONTESTANT };
enum { VOTES };
enum { CONTESTANTS = 6, MOST_VOTES = 2 };

static bool
vote(struct app_txn *t)
{
    const uint64_t caller = app_below(t, t->units);
    const int64_t before = app_get(t, CALLER, caller, VOTES);
    if (before >= MOST_VOTES)
        return false;
    app_set(t, CALLER, caller, VOTES, before + 1);
    app_add(t, CONTESTANT, app_below(t, CONTESTANTS), VOTES, 1);
    return true;
}

static bool
results(struct app_txn *t)
{
    for (uint64_t i = 0; i < CONTESTANTS; i++)
        app_get(t, CONTESTANT, i, VOTES);
    return true;
}

// Contestants without votes have no row.
const struct app app_voter = {
    .name = "voter",
    .help = "a phone-in contest; units are callers",
    .units = 200,
    .tables = {{"caller", {{"votes", 0}}, 1},
               {"contestant", {{"votes", 0}}, 0}},
    .procedures = {{"vote", 90, false, vote}, {"results", 10, true, results}},
};
