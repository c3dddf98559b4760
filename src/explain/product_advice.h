/* product_advice.h -- what to do about an anomaly on one product, where the
 * general advice (advice.h) names others.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_PRODUCT_ADVICE_H
#define EXPLAIN_PRODUCT_ADVICE_H

#include "explain/anomaly_kinds.h"

struct product_advice {
    const char *remedy;
    const char *instead; // where the recommended level was in use; NULL: the
                         // remedy holds at every level
};

/* The advice for the product that the name of a database begins with, or
 * NULL. */
const struct product_advice *product_advice_find(enum anomaly_kind kind,
                                                 const char *database);

#endif
