/* table_reports.h -- what was reported of each table, in the order of the log.
 *
 * Versions have names and values as long as a table keeps its shape, that is
 * its columns, keys and constraints, and its file.  A table that gets others
 * after rows of it were reported is left out.  TRUNCATE gives a table another
 * file, but it reports all rows as deleted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef RECORD_TABLE_REPORTS_H
#define RECORD_TABLE_REPORTS_H

#include "base/container/vec.h"
#include "base/memory/arena.h"
#include "spec/sql/token.h"

#include <stdbool.h>
#include <stdint.h>

struct table_report {
    uint32_t oid;
    uint32_t root; // the partitioned table at the top, or the table itself
    const char *node, *shape, *name; // the last ones
    text_vec nodes;                  // all of them
    bool has_rows;                   // rows were reported
    bool has_changed;                // and then it got another shape
    bool has_new_keys;               // and then it got other foreign keys
};

struct table_reports {
    VEC(struct table_report) all;
};

/* Take the lines of the beginning, and a message of a policy or a trigger. */
void table_reports_begin(struct table_reports *t, const char *beginning,
                         struct arena *arena);
void table_reports_take(struct table_reports *t, const char *message,
                        struct arena *arena);

/* The table of an object id, or NULL. */
struct table_report *table_reports_find(const struct table_reports *t,
                                        uint32_t oid);

/* Whether a table has a shape, whatever foreign keys it has, which follow a
 * dash. */
bool table_report_has_shape(const struct table_report *t, const char *shape);

/* Whether a file was that of the table at some time. */
bool table_report_had(const struct table_report *t, const char *node);

void table_reports_free(struct table_reports *t);

#endif
