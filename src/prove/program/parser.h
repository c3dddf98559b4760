/* parser.h -- PostgreSQL's own parser, from libpg_query, loaded when needed.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_PROGRAM_PARSER_H
#define PROVE_PROGRAM_PARSER_H

#include "base/err.h"

#include <pg_query.h>
#include <pg_query/pg_query.pb-c.h>

/* Load the library; to be called before the rest.
 *
 *   error  ERR_FEATURE where it is not there */
bool parser_load(struct err *err);

/* Parse SQL text into a tree, to be freed.  In an error, *at is the byte of
 * the text it is about, or -1. */
bool parser_parse(const char *text, PgQuery__ParseResult **tree, int *at,
                  struct err *err);
void parser_free(PgQuery__ParseResult *tree);

/* Parse one CREATE FUNCTION .. LANGUAGE plpgsql into JSON.  In an error, *line
 * is the line of the function's body it is about, from 1, or 0. */
bool parser_parse_plpgsql(const char *text, PgQueryPlpgsqlParseResult *result,
                          int *line, struct err *err);
void parser_free_plpgsql(PgQueryPlpgsqlParseResult result);

#endif
