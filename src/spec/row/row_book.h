/* row_book.h -- which versions rows have had, for databases that name none.
 *
 * A version is known by its row and its values, as the database shows them, and
 * gets a number when it is made.  A row that is read has that number, unless
 * versions of the row with the same values were made before: then the database
 * is asked.  All but the first of them are logged there, in the transactions
 * that made them, so a transaction sees in the log what it sees in the table,
 * and its row is the last one that it sees, or else the first.
 *
 * A version is in the book before its transaction can commit, so a transaction
 * that sees it finds it.  All functions may be called by several threads.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_ROW_BOOK_H
#define SPEC_ROW_ROW_BOOK_H

#include "spec/row/watched.h"

struct row_book;

struct row_book *row_book_new(void);
void row_book_free(struct row_book *b);

/* Forget everything, for tables that are new. */
void row_book_clear(struct row_book *b);

/* Number a version that was made.  *is_repeated: it has to be logged. */
uint32_t row_book_add(struct row_book *b, uint32_t table, const char *identity,
                      const char *values, bool *is_repeated);

/* Set the name of the version that a row has, in the transaction of a
 * connection; a name that no version has, if none was made like that. */
enum outcome row_book_name(const struct watched *w, struct connection *c,
                           uint32_t table, const char *identity,
                           const char *values, struct buf *name);

/* Put names in the place of identities in an answer: columns are pairs of
 * identity and values, those of each table in turn.  Nothing is done where
 * rows have names. */
enum outcome row_book_name_all(const struct watched *w, struct connection *c,
                               const uint32_t *tables, size_t n,
                               struct result_rows *rows);

#endif
