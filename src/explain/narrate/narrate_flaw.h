/* narrate_flaw.h -- an inconsistent read as an anomaly.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_NARRATE_NARRATE_FLAW_H
#define EXPLAIN_NARRATE_NARRATE_FLAW_H

#include "explain/narrate/narrate.h"

/* Make *a the anomaly that the flaw of h is. */
bool narrate_flaw(const struct history *h, const struct flaw *f,
                  enum level level, size_t context, struct anomaly *a,
                  struct err *err);

#endif
