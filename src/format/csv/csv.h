/* csv.h -- tables of operations: what reading and writing share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_CSV_CSV_H
#define FORMAT_CSV_CSV_H

#include "format/format.h"

// The first five are needed, the others are optional.
enum csv_column {
    CSV_SESSION,
    CSV_TXN,
    CSV_OPERATION,
    CSV_KEY,
    CSV_VALUE,
    CSV_STATUS,
    CSV_START,
    CSV_END,
    CSV_START_TS,
    CSV_COMMIT_TS,
    CSV_COLUMNS
};

extern const char *const csv_columns[CSV_COLUMNS];

bool csv_holds(const struct history *h, struct err *err);
bool csv_write(const struct history *h, struct output *out, struct err *err);

#endif
