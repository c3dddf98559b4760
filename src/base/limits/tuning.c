/* tuning.c -- see tuning.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/limits/tuning.h"

const struct tuning_row tuning_table[] = {
#define ROW(name, number, low, high, meaning, bench)                           \
    {#name, number, low, high, meaning, bench},
    TUNING_TABLE(ROW)
#undef ROW
};

const size_t tuning_count = sizeof tuning_table / sizeof *tuning_table;

#define ROW(name, number, low, high, meaning, bench)                           \
    _Static_assert((low) <= (number) && (number) <= (high), #name);
TUNING_TABLE(ROW)
#undef ROW
