/* trial.h -- run a workload on a target and ask what its history satisfies.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TEST_COLLECT_TRIAL_H
#define TEST_COLLECT_TRIAL_H

#include "collect/collect.h"
#include "evidence/certificate.h"
#include "explain/anomaly_kinds.h"

/* Zero means a default: 4 sessions, 400 transactions or the time given, 4
 * operations, 10 keys, half of them reads. */
struct trial {
    const char *target, *workload;
    const char *app; // instead of a workload
    enum driver_isolation isolation;
    const char *setup;
    uint64_t sessions, transactions, operations, keys, values, seed;
    double seconds, reads, duplicates, aborts, pause, grace;
    bool move, arrays, leave_tables, read_final;
    void (*tick)(void *self, const struct collect_stats *stats);
    void *self;
    const volatile sig_atomic_t *interrupted; // as in collect_options
};

struct trial_result {
    struct collect_stats stats;
    enum verdict verdict[LEVELS]; // of the levels asked for
    unsigned told;                // bit k: an anomaly of kind k was told
    char text[1024]; // for people: what the check said, or the error
};

/* Run it and leave the history at path.  Whether that could be done at all;
 * the text of out says why not. */
bool trial_record(const struct trial *t, const char *path,
                  struct trial_result *out);

/* The same, and ask what the history satisfies. */
bool trial_run(const struct trial *t, level_set levels,
               struct trial_result *out);

/* Run it again and again, with other seeds, until an anomaly of that kind is
 * told or a run fails, but for no longer than a few minutes: transactions that
 * race meet sooner on some machines than on others. */
bool trial_until(const struct trial *t, level_set levels,
                 enum anomaly_kind kind, struct trial_result *out);

/* Ask that of a history that is there. */
bool trial_check(const char *path, level_set levels, struct trial_result *out);

/* Whether an anomaly of that kind was told. */
static inline bool
trial_told(const struct trial_result *r, enum anomaly_kind kind)
{
    return r->told >> kind & 1;
}

#define LEVEL_BIT(l) (1u << (l))

#endif
