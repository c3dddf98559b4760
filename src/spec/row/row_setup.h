/* row_setup.h -- the tables that the setup of a specification makes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_ROW_SETUP_H
#define SPEC_ROW_ROW_SETUP_H

#include "spec/row/row_statement.h"
#include "spec/spec.h"

/* Whether rows are recorded: on one node of a database that row_dialect.h
 * knows, in a build with PostgreSQL's parser.  Others record registers. */
bool row_setup_records(struct database *db);

/* Run the setup, ask the database for its tables, and remove them again.  Fails
 * if the setup does, or if a table that it creates exists already. */
bool row_setup_read(const struct spec *s, struct database *db,
                    struct watched *out, struct err *err);

/* Fail if a table that the SQL creates exists already: tables of users are
 * never touched. */
bool row_setup_expect_none(struct connection *c, const struct watched *before,
                           const char *sql, struct err *err);

/* Run SQL that makes tables, whole or statement by statement.  'made', which
 * was empty or filled by this, has the tables that were not there before and
 * that a statement which did not fail names, also if another fails; the caller
 * frees it.  Others are another user's or another run's, and are added to those
 * of 'before'. */
bool row_setup_make(struct connection *c, struct watched *before,
                    const char *sql, struct watched *made, struct err *err);

/* Ask for the tables 'made', as a session's connection would: what SQL has set
 * for its own does not hold for others.  Fails if the sessions are set up in
 * different ways (row_settings.h). */
bool row_setup_watch(struct database *db, struct watched *before,
                     const struct watched *made, struct watched *out,
                     struct err *err);

/* Remove the tables that SQL has made, and no others: another user may have
 * made tables meanwhile. */
void row_setup_remove(struct connection *c, const struct watched *made);

#endif
