/* counters.c -- see counters.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/counters.h"

#include <inttypes.h>
#include <stdio.h>

struct row {
    const char *name;
    size_t offset;
};

#define WEAK(field) offsetof(struct level_result, ladder.weak.field)
#define STRONG(field) offsetof(struct level_result, ladder.strong.field)

static const struct row counters[] = {
    {"steps of work", offsetof(struct level_result, work)},
    {"stale transactions", WEAK(stale)},
    {"inferred edges", WEAK(edges)},
    {"ambiguous reads", WEAK(reads)},
    {"rounds of choosing", WEAK(rounds)},
    {"points", STRONG(points)},
    {"known edges", STRONG(known_edges)},
    {"inferred edges", STRONG(inferred_edges)},
    {"ambiguous reads before", STRONG(ambiguous_before)},
    {"ambiguous reads after", STRONG(ambiguous_after)},
    {"candidates removed", STRONG(candidates_removed)},
    {"rounds of saturation", STRONG(saturation_rounds)},
    {"clock rows rebuilt", STRONG(clock_rebuilds)},
    {"broken by the first order", STRONG(broken_first)},
    {"rounds of search", STRONG(search_rounds)},
    {"variables", STRONG(variables)},
    {"clauses", STRONG(clauses)},
    {"edges carried by literals", STRONG(carried_edges)},
    {"conflicts", STRONG(conflicts)},
    {"decisions", STRONG(decisions)},
    {"propagations", STRONG(propagations)},
    {"conflicts by cycles", STRONG(theory_conflicts)},
    {"restarts", STRONG(restarts)},
    {"cycles found", STRONG(cycles)},
    {"edges of these cycles", STRONG(cycle_hops)},
    {"literals of these cycles", STRONG(cycle_literals)},
    {"steps of the proof", STRONG(proof_steps)},
    {"edges of the proof", STRONG(proof_edges)},
};

static const struct row times[] = {
    {"building", STRONG(build)},    {"saturating", STRONG(saturating)},
    {"ordering", STRONG(ordering)}, {"searching", STRONG(searching)},
    {"proving", STRONG(proving)},
};

void
counters_show_time(const char *name, double seconds)
{
    if (seconds > 0)
        fprintf(stderr, "  %-28s %12.6f s\n", name, seconds);
}

void
counters_show(const struct level_result *r)
{
    const char *base = (const char *)r;
    const struct ladder_stats *ladder = &r->ladder;
    if (ladder->decided_by[r->level])
        fprintf(stderr, "  %-28s %12s\n", "decided by",
                ladder->decided_by[r->level]);
    for (size_t i = 0; i < ladder->n; i++)
        fprintf(stderr, "  %-28s %12" PRIu64 " steps\n",
                ladder->attempts[i].name, ladder->attempts[i].steps);
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        uint64_t n;
        memcpy(&n, base + counters[i].offset, sizeof n);
        if (n)
            fprintf(stderr, "  %-28s %12" PRIu64 "\n", counters[i].name, n);
    }
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        double t;
        memcpy(&t, base + times[i].offset, sizeof t);
        counters_show_time(times[i].name, t);
    }
}
