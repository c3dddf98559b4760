/* row_statement.h -- what a statement does with rows, by PostgreSQL's parser.
 *
 * What a statement writes is told by triggers (watched.h), so any statement may
 * write.  What it reads:
 *
 *     one table                all of it: the rows it found, and by its
 *                              condition the rows it did not find
 *     a select inside of it    the same, if it is about one table and names no
 *                              column of another one
 *     a join                   the rows it found
 *     anything else            the rows it changes, as they were before
 *
 * 'part' says what is left out.  Functions that users have made, and
 * statements that change tables, are refused.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_ROW_STATEMENT_H
#define SPEC_ROW_ROW_STATEMENT_H

#include "spec/row/watched.h"

/* A part of a condition: a column has a value. */
struct row_equality {
    uint32_t column;  // a number among the integer columns of the table, and
                      // after these its texts
    int64_t value;    // of an integer column
    const char *text; // of a text; NULL: it is an integer
};

struct row_statement {
    const struct watched *watched;
    const char *sql;       // to be run: a select returns versions
    bool is_quiet;         // it neither reads nor writes rows
    bool returns_versions; // in pairs of columns: name and values
    u32_vec items;         // the table of each pair
    const char *versions;  // then: the pairs, as items of a select
    bool is_limited;       // a limit decides which rows it returns
    bool picks_any;        // and its order leaves a choice
    uint32_t table;        // of the condition, or WATCHED_NONE
    const char *condition; // "" for all rows
    const char *alias;     // the name that the condition has for the row
    const struct row_equality *equalities; // all of which the condition implies
    size_t n_equalities;
    bool is_equality;     // it says nothing else
    bool locks;           // it reads the latest version of a row it waited for
    bool skips_locked;    // it does not wait
    size_t limit;         // with as many rows others may be left out; 0: none
    const char *order;    // of its rows, if that says what a limit leaves out
    bool is_blind;        // of a row that it changes it reads the key only
    bool may_conflict;    // insert ... on conflict
    uint32_t proposed;    // its table, if it proposes rows; or WATCHED_NONE
    const char *proposal; // then: what it proposes, from the first column or
                          // the first word of its source on (row_compare.h)
    const char *proposal_with; // and the WITH before it, or ""
    bool is_insert;
    uint32_t changed;    // the only table that it may change, or WATCHED_NONE
    bool keeps_keys;     // it updates rows that its condition holds for, and no
                         // column of the key
    bool only_deletes;   // rows that its condition holds for
    bool shows_conflict; // an insert: if a row is in its way, that has the
                         // same key
    const char *part;    // what is not recorded; NULL: nothing
    bool is_part_told;   // to the user
    text_vec answers;    // if it is to be answered: names of its columns
    const char *dropped; // a function among its items that acts, and is not
                         // called when versions are returned instead; or NULL

    // Selects inside of it see the same snapshot.
    struct row_statement *inner;
    size_t inner_n;
    struct row_place *places; // where their tables are in the condition
    size_t places_n;

    // A select that may skip rows or return later versions of them: a select of
    // all rows that its condition holds for in its snapshot, in its order.
    const char *seen;

    // If there are any of these: runs them all at once.  A row of the answer
    // has the number of an inner select or a mark, and a version.
    const char *whole;
};

#define ROW_MARK_SEEN "seen"
#define ROW_MARK_OWN "own"

/* The name of a table in a condition, which is to be replaced by the rows that
 * an inner select found. */
struct row_place {
    size_t at, n;
    size_t inner;
    const char *table; // in SQL
    const char *alias; // if the text has none
};

/* A select that is to be answered returns its own columns, one of these marks,
 * and the versions: a row has a row of its own answer, a version, or both. */
#define ROW_MARK_ANSWER "0"
#define ROW_MARK_VERSION "1"
#define ROW_MARK_BOTH "2"

/* Whether this build has the parser, and it can be loaded. */
bool row_statement_load(void);

/* Understand a statement; false, with a refusal, if it is refused.  Texts are
 * in the arena. */
bool row_statement_parse(const struct watched *w, struct arena *arena,
                         const char *text, struct row_statement *out,
                         struct refusal *refusal);
void row_statement_free(struct row_statement *s);

/* What is not recorded of it and of the selects inside of it, or NULL. */
static inline const char *
row_statement_part(const struct row_statement *s)
{
    const char *part = s->part;
    for (size_t i = 0; !part && i < s->inner_n; i++)
        part = s->inner[i].part;
    return part;
}

/* Note what a run of the statement did not record; the first note is kept. */
static inline void
row_statement_leave_out(struct row_statement *s, const char *what)
{
    if (!s->part)
        s->part = what;
}

/* Change a statement so that what it returns can be used: a select returns its
 * own answer beside versions, both of one snapshot.  False, with a refusal, if
 * it returns nothing, or columns without a name. */
bool row_statement_answer(const struct watched *w, struct arena *arena,
                          const char *text, struct row_statement *s,
                          struct refusal *refusal);

/* The tables that a setup creates, in SQL; false if it cannot be parsed. */
bool row_statement_created(const char *setup, struct arena *arena,
                           text_vec *out);

#endif
