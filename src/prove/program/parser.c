/* parser.c -- see parser.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/parser.h"

#include "base/library.h"

#include <stdlib.h>
#include <string.h>

/* What is used of the library; see base/library.h. */
// clang-format off
#define CALLS(F) F(pg_query_parse_protobuf) \
    F(pg_query_free_protobuf_parse_result) F(pg_query_parse_plpgsql) \
    F(pg_query_free_plpgsql_parse_result) F(pg_query__parse_result__unpack) \
    F(pg_query__parse_result__free_unpacked)
// clang-format on
static struct {
    CALLS(LIBRARY_MEMBER)
} pg;
static const char *const calls[] = {CALLS(LIBRARY_NAME)};

bool
parser_load(struct err *err)
{
    return library_load("libpg_query.so.1504.0", calls, LIBRARY_LENGTH(calls),
                        &pg, err);
}

bool
parser_parse(const char *text, PgQuery__ParseResult **tree, int *at,
             struct err *err)
{
    *tree = NULL;
    *at = -1;
    const PgQueryProtobufParseResult result = pg.pg_query_parse_protobuf(text);
    bool ok = !result.error;
    if (ok) {
        *tree = pg.pg_query__parse_result__unpack(
            NULL, result.parse_tree.len,
            (const uint8_t *)result.parse_tree.data);
        if (!*tree)
            ok = err_set(err, ERR_INTERNAL, "cannot unpack the parse tree");
    } else {
        *at = result.error->cursorpos - 1;
        err_set(err, ERR_SYNTAX, "%s", result.error->message);
    }
    pg.pg_query_free_protobuf_parse_result(result);
    return ok;
}

void
parser_free(PgQuery__ParseResult *tree)
{
    if (tree)
        pg.pg_query__parse_result__free_unpacked(tree, NULL);
}

/* The number in "... near line 7", or 0. */
static int
find_line(const char *context)
{
    const char *found = context ? strstr(context, "near line ") : NULL;
    return found ? (int)strtol(found + strlen("near line "), NULL, 10) : 0;
}

bool
parser_parse_plpgsql(const char *text, PgQueryPlpgsqlParseResult *result,
                     int *line, struct err *err)
{
    *line = 0;
    *result = pg.pg_query_parse_plpgsql(text);
    if (!result->error)
        return true;
    *line = find_line(result->error->context);
    err_set(err, ERR_SYNTAX, "%s", result->error->message);
    pg.pg_query_free_plpgsql_parse_result(*result);
    return false;
}

void
parser_free_plpgsql(PgQueryPlpgsqlParseResult result)
{
    pg.pg_query_free_plpgsql_parse_result(result);
}
