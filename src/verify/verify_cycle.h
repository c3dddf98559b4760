/* verify_cycle.h -- a cycle of certain edges at rc, ra or cc.
 *
 * SPDX-License-Identifier: MIT */
#ifndef VERIFY_VERIFY_CYCLE_H
#define VERIFY_VERIFY_CYCLE_H

#include "evidence/certificate.h"

/* Check the cycle under the n choices that are assumed.
 *
 *   time   O(n) an edge at most */
bool verify_weak_cycle(const struct history *h, enum level level,
                       const struct cycle *cycle, const struct choice *assumed,
                       size_t n, struct err *err);

#endif
