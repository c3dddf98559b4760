/* explain_case.h -- violations in every case of which transaction appended what
 * the lists show.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_EXPLAIN_CASE_H
#define EXPLAIN_EXPLAIN_CASE_H

#include "explain/explain.h"

/* Explain the first case of r, whose evidence is EVIDENCE_CASES. */
bool explain_case(const struct history *h, const struct level_result *r,
                  const struct explain_options *o, struct explanation *out,
                  struct err *err);

#endif
