/* statement.h -- what a statement of a session reads and writes.
 *
 * These are understood, and nothing else:
 *
 *     select ITEM, ... from T [where KEYS] [order by ...] [for update ...]
 *     insert into T [(columns)] values (CONSTANT, ...), ...
 *     update T set c = EXPRESSION, ... [where KEYS]
 *     delete from T [where KEYS]
 *     begin, start transaction [isolation level ...], commit, end, rollback,
 *     abort; and some that neither read nor write rows
 *
 * ITEM is '*', a column, a constant, count(*), or sum, min, max, avg or count
 * of a column.  KEYS is 'k = 1', several of them with 'or', or 'k in (1, 2)',
 * where k is the primary key.  EXPRESSION consists of constants, operators and
 * columns of T; no other assignment may change a column that it reads.  Any
 * other statement is refused: a statement is understood exactly or not at all.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_SQL_STATEMENT_H
#define SPEC_SQL_STATEMENT_H

#include "spec/row/row_statement.h"
#include "spec/sql/table.h"

enum spec_statement_kind {
    SPEC_BEGIN,
    SPEC_COMMIT,
    SPEC_ROLLBACK,
    SPEC_SAVEPOINT,
    SPEC_RELEASE,     // of a savepoint
    SPEC_ROLLBACK_TO, // a savepoint
    SPEC_PREPARE,     // transaction
    SPEC_END_PREPARED,
    SPEC_QUIET, // neither reads nor writes rows
    SPEC_SELECT,
    SPEC_INSERT,
    SPEC_UPDATE,
    SPEC_DELETE,
    SPEC_ROWS, // whatever is understood by row_statement.h
};

struct spec_statement {
    enum spec_statement_kind kind;
    const char *text;               // as written
    const char *isolation;          // BEGIN: "serializable", or ""
    const char *lock;               // BEGIN on SQLite: "immediate", or ""
    const struct spec_table *table; // SELECT, INSERT, UPDATE and DELETE
    const char *rest;               // SELECT: what follows the table's name
    const char *condition; // "where ..." for the same rows, or "" for all
    bool is_whole;         // all rows of the table are read
    text_vec keys;         // otherwise, and for INSERT, the keys of the rows
    bool names_keys;       // INSERT: whether the keys are known
    u32_vec reads, writes; // columns, without the key
    const char *savepoint; // its name in lower case
    const char *prepared;  // the name of a prepared transaction, in quotes
    bool is_commit;        // END_PREPARED
    struct row_statement rows;
    uint64_t line, column; // in the file; for ROWS
};

/* Understand 'begin' and the like, savepoints included; false, without a
 * refusal, if the statement is another. */
bool statement_parse_control(struct parser *p, struct spec_statement *out);

/* Understand a statement; false, with p's refusal set, if it is refused. */
bool statement_parse(struct parser *p, const table_vec *tables,
                     struct spec_statement *out);
void statement_free(struct spec_statement *s);

#endif
