/* row_versions.h -- the versions of all rows that an interleaving has seen.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_ROW_VERSIONS_H
#define SPEC_ROW_ROW_VERSIONS_H

#include "base/container/strings.h"
#include "spec/row/row_notes.h"

/* The rows of all tables at one time.  Tables with many rows are left out. */
struct row_state {
    row_note_vec rows; // READ
    bool *is_large;    // by table
    double began, ended;
    struct arena arena;
};

bool row_state_read(struct row_state *s, const struct watched *w,
                    struct connection *c, struct err *err);
void row_state_free(struct row_state *s);

struct row_version {
    uint32_t table;
    const char *values; // JSON, as the database shows them
    const char *key;    // JSON of its row's key
    const char *shown;  // JSON of its values: integers, texts and NULL
    uint32_t row;       // its first version
    uint32_t number;    // of its row in the history (row_versions_ask)
    uint32_t txn;       // that wrote it, from 1 on; 0: none in the history
    bool is_initial, is_written, is_deleted;
    bool is_proposed; // no version: a row that was not added by that
    bool is_same;     // another version has the same name in the database
    bool is_other;    // it was told or read with different values
};

/* A condition on the rows of a table. */
struct row_condition_text {
    uint32_t table;
    const char *alias, *text;
    const char *name; // no other condition of the table has it
    const char *sql;  // if the text is not what is evaluated; otherwise NULL
    const struct row_note *of; // if it is about one query only (row_reach.h)
    const struct row_equality *equalities; // see row_statement.h
    size_t n_equalities;
    bool is_equality;
    u32_vec holds; // the versions that satisfy it, in ascending order
};

struct row_versions {
    const struct watched *watched;
    struct connection *connection;
    struct strings names;
    VEC(struct row_version) all; // by number of the name
    struct strings condition_names;
    VEC(struct row_condition_text) conditions; // by number of the name
    struct strings shown_names;                // of those that need one
    uint32_t *satisfied;   // conditions, those of the first version first
    size_t *satisfied_end; // by version
    struct arena arena;
    char refusal[240];
};

/* The number of a version, which is added if it is new. */
uint32_t row_versions_add(struct row_versions *v, uint32_t table,
                          const struct row_seen *seen);

/* Find the first versions of rows, when all versions have been added. */
void row_versions_trace(struct row_versions *v);

/* The number of a query's condition; WATCHED_NONE for all rows. */
uint32_t row_versions_condition(struct row_versions *v,
                                const struct row_note *query);

/* The number of the condition of a constraint, which is added if it is new.
 * With NULL as SQL it may be one that is not known, and has none. */
uint32_t row_versions_named(struct row_versions *v, uint32_t table,
                            const char *text, const char *sql);

/* Append "(values (7, '...'::jsonb), ...) assay_x(assay_n, assay_j)": some
 * versions of a table, from *at on; false if there is none. */
bool row_versions_put(struct buf *sql, const struct row_versions *v,
                      uint32_t table, size_t *at);

/* Append an expression for an integer, a text or NULL: what a column may be in
 * a history. */
void row_versions_put_plain(struct buf *sql, const char *value);

/* Ask the database for keys, values and the truth of all conditions, and number
 * the rows by their keys.  False with a refusal, if it cannot say. */
bool row_versions_ask(struct row_versions *v);

/* The same for one table, by a temporary table of all its versions
 * (row_versions_table.c). */
bool row_versions_tabulate(struct row_versions *v, uint32_t table);

bool row_versions_is_same_row(const struct row_versions *v, uint32_t a,
                              uint32_t b);

/* Whether a version satisfies a condition; all conditions that it does. */
bool row_versions_holds(const struct row_versions *v, uint32_t condition,
                        uint32_t version);
const uint32_t *row_versions_satisfied(const struct row_versions *v,
                                       uint32_t version, size_t *n);

/* Refuse because of the database's message; return false. */
bool row_versions_refuse(struct row_versions *v, const char *what);

void row_versions_free(struct row_versions *v);

#endif
