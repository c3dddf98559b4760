/* watched_checks.h -- ask PostgreSQL for unique indexes and foreign keys.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_WATCHED_CHECKS_H
#define SPEC_ROW_WATCHED_CHECKS_H

#include "spec/row/watched.h"

/* Whether the primary key 'i' names rows: two keys are equal only if their
 * texts are, unlike 1.0 and 1, and it is checked at once.  Before an insert a
 * generated column has no value. */
#define WATCHED_NAMES_ROWS                                                     \
    "i.indisprimary and i.indimmediate and not exists (select 1 from "         \
    "pg_attribute k join pg_type y on y.oid = k.atttypid left join "           \
    "pg_collation l on l.oid = k.attcollation where k.attrelid = i.indrelid "  \
    "and k.attnum = any (i.indkey[0:i.indnkeyatts - 1]) and (k.attgenerated "  \
    "<> '' or not coalesce(l.collisdeterministic, true) or not (y.typtype = "  \
    "'e' or y.typname in ('bool', 'bytea', 'date', 'int2', 'int4', 'int8', "   \
    "'text', 'timestamp', 'timestamptz', 'uuid', 'varchar') or (y.typname = "  \
    "'bpchar' and k.atttypmod > 0))))"

/* Add the constraints of all tables; of those that are not understood tables
 * note that they are not recorded. */
bool watched_checks_read(struct connection *c, struct watched *w,
                         struct err *err);

#endif
