/* row_compare.h -- what a statement changed, by comparing tables before and
 * after it, for databases without triggers.
 *
 * Both are read in the transaction of the statement.  New versions get numbers
 * (row_book.h), and the changes are told like those of triggers (row_notes.h).
 * An update or delete changes the rows that its condition holds for: these are
 * looked at, also if it writes the values that were there before, and no others
 * where it keeps the keys.  What an insert that may find rows in its way
 * proposes is put into a temporary table first.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_ROW_COMPARE_H
#define SPEC_ROW_ROW_COMPARE_H

#include "spec/row/row_statement.h"

/* SQL of a dialect that compares. */
struct row_compare_sql {
    /* An expression for the values of 'row', an alias. */
    void (*put_values)(struct buf *sql, const struct watched_table *t,
                       const char *row);

    /* Make an empty temporary table with the columns of a table, and without
     * its constraints; and its name. */
    void (*put_temporary)(struct buf *sql, const struct watched_table *t);
    const char *temporary;

    /* A condition that 'row' is one of the rows that an answer has the
     * identities of, in its first column. */
    void (*put_among)(struct buf *sql, const struct watched_table *t,
                      const char *row, const struct result_rows *rows);

    /* One more version for the statement that logs them; it begins as "". */
    void (*put_logged)(struct buf *sql, uint32_t table, const char *identity,
                       const char *values, uint32_t number);

    /* A query for the last version like that which was logged. */
    void (*put_lookup)(struct buf *sql, uint32_t table, const char *identity,
                       const char *values);
};

/* All-zero is empty. */
struct row_compare {
    VEC(struct result_rows) before; // by table: identity and values
    struct result_rows found; // identities of rows that the condition holds for
    struct result_rows proposed; // values
    char refusal[200]; // why the changes are not known; "" if they are
};

/* Look at the tables before the statement. */
enum outcome row_compare_begin(struct row_compare *c, struct connection *by,
                               const struct row_statement *s);

/* Look again, and append what changed to the notices.  OUTCOME_FAILED with a
 * refusal, if that is not known. */
enum outcome row_compare_end(struct row_compare *c, struct connection *by,
                             struct row_statement *s, struct buf *notices);

void row_compare_free(struct row_compare *c);

#endif
