/* statement.c -- see statement.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/sql/statement.h"

#include "base/buf.h"
#include "driver/driver.h"
#include "spec/sql/statement_rows.h"

#include <string.h>
#include <strings.h>

/* --- transactions ----------------------------------------------------------*/

/* The level is one word, "serializable", or two. */
static bool
parse_level(struct parser *p, struct spec_statement *out)
{
    const struct token *begin = p->at;
    if (!parser_take(p, "serializable")) {
        if (parser_take(p, "repeatable"))
            parser_take(p, "read");
        else if (parser_take(p, "read"))
            parser_skip(p);
    }
    enum driver_isolation isolation;
    if (!driver_isolation_parse(parser_text(p, begin, p->at), &isolation)) {
        p->at = begin;
        return parser_expected(p, "an isolation level");
    }
    out->isolation = driver_isolation_names[isolation];
    return true;
}

/* "isolation level ...", "read only", "deferrable". */
static bool
parse_modes(struct parser *p, struct spec_statement *out)
{
    while (parser_next(p).kind != TOKEN_END) {
        bool ok;
        if (parser_take(p, "isolation"))
            ok = parser_take(p, "level") ? parse_level(p, out) : false;
        else if (parser_take(p, "read"))
            ok = parser_take(p, "only") || parser_take(p, "write");
        else if (parser_take(p, "not"))
            ok = parser_take(p, "deferrable");
        else
            ok = parser_take(p, "deferrable");
        if (!ok)
            return parser_expected(p, "an isolation level, 'read only', 'read "
                                      "write', 'deferrable' or the end");
        parser_take(p, ",");
    }
    return true;
}

static bool
parse_begin(struct parser *p, struct spec_statement *out)
{
    out->kind = SPEC_BEGIN;
    if (p->flavour->begin_locks && parser_take(p, "immediate"))
        out->lock = "immediate";
    else if (p->flavour->begin_locks && parser_take(p, "exclusive"))
        out->lock = "exclusive";
    else if (p->flavour->begin_locks)
        parser_take(p, "deferred");
    if (!parser_take(p, "work"))
        parser_take(p, "transaction");
    return parse_modes(p, out);
}

static bool
parse_end(struct parser *p, enum spec_statement_kind kind,
          struct spec_statement *out)
{
    out->kind = kind;
    if (!parser_take(p, "work"))
        parser_take(p, "transaction");
    return parser_ends(p, "the end of the statement");
}

/* --- statements without rows -----------------------------------------------*/

/* "set transaction ...", and settings that change no result. */
static bool
parse_set(struct parser *p, struct spec_statement *out)
{
    static const char *const names[] = {
        "deadlock_timeout", "lock_timeout", "statement_timeout",
        "client_min_messages", "innodb_lock_wait_timeout"};
    out->kind = SPEC_QUIET;
    if (parser_take(p, "transaction"))
        return parse_modes(p, out);
    if (!parser_take(p, "local"))
        parser_take(p, "session");
    const char *name = parser_lower(p, parser_next(p));
    bool known = strncmp(name, "enable_", 7) == 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        known = known || strcmp(name, names[i]) == 0;
    if (!known)
        return parser_expected(p, "'transaction' or a setting that cannot "
                                  "change a result");
    parser_skip(p);
    if (!parser_take(p, "="))
        parser_take(p, "to");
    parser_skip(p);
    return parser_ends(p, "the end of the statement");
}

/* Statements that take locks, wait or clean up, and return no row. */
static bool
is_quiet(struct parser *p)
{
    static const char *const words[] = {"lock",   "vacuum",   "analyze",
                                        "listen", "unlisten", "checkpoint"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (parser_sees(p, words[i]))
            return p->flavour->runs_many; // in others, "lock" commits
    return false;
}

/* --- all of them -----------------------------------------------------------*/

static bool
parse(struct parser *p, const table_vec *tables, struct spec_statement *out)
{
    if (parser_take(p, "begin"))
        return parse_begin(p, out);
    if (parser_take(p, "start"))
        return parser_sees(p, "transaction")
                   ? parse_begin(p, out)
                   : parser_expected(p, "'transaction'");
    if (parser_take(p, "commit") || parser_take(p, "end"))
        return parse_end(p, SPEC_COMMIT, out);
    if (parser_take(p, "rollback") || parser_take(p, "abort"))
        return parse_end(p, SPEC_ROLLBACK, out);
    if (parser_take(p, "select"))
        return statement_select(p, tables, out);
    if (parser_take(p, "insert"))
        return statement_insert(p, tables, out);
    if (parser_take(p, "update"))
        return statement_update(p, tables, out);
    if (parser_take(p, "delete"))
        return statement_delete(p, tables, out);
    if (parser_take(p, "set"))
        return parse_set(p, out);
    out->kind = SPEC_QUIET;
    return is_quiet(p) ||
           parser_expected(p, "begin, commit, rollback, select, insert, "
                              "update, delete or set");
}

bool
statement_parse(struct parser *p, const table_vec *tables,
                struct spec_statement *out)
{
    *out = (struct spec_statement){
        .text = parser_text(p, p->at, p->end),
        .isolation = "",
        .lock = "",
        .rest = "",
        .condition = "",
    };
    if (parse(p, tables, out))
        return true;
    assert(p->refusal.at);
    statement_free(out);
    return false;
}

/* "savepoint s", "release [savepoint] s", "rollback to [savepoint] s". */
static bool
parse_savepoint(struct parser *p, enum spec_statement_kind kind,
                struct spec_statement *out)
{
    out->kind = kind;
    if (kind != SPEC_SAVEPOINT)
        parser_take(p, "savepoint");
    const struct token name = parser_next(p);
    if (name.kind != TOKEN_WORD)
        return parser_expected(p, "the name of a savepoint");
    out->savepoint = parser_lower(p, name);
    parser_skip(p);
    return parser_ends(p, "the end of the statement");
}

/* "prepare transaction 'x'", "commit prepared 'x'", "rollback prepared 'x'";
 * false, without a refusal, if it is none of these. */
static bool
parse_prepared(struct parser *p, struct spec_statement *out)
{
    struct parser look = *p;
    const bool is_commit = parser_take(&look, "commit");
    if (is_commit || parser_take(&look, "rollback")) {
        out->kind = SPEC_END_PREPARED;
        out->is_commit = is_commit;
        if (!parser_take(&look, "prepared"))
            return false;
    } else {
        out->kind = SPEC_PREPARE;
        if (!parser_take(&look, "prepare") ||
            !parser_take(&look, "transaction"))
            return false;
    }
    const struct token name = parser_next(&look);
    out->prepared = parser_text(&look, look.at, look.at + 1);
    return name.kind == TOKEN_STRING && p->flavour->runs_many;
}

/* Skip "rollback to"; false, without having skipped anything, if it is not
 * there. */
static bool
take_rollback_to(struct parser *p)
{
    struct parser look = *p;
    if (!parser_take(&look, "rollback"))
        return false;
    if (!parser_take(&look, "work"))
        parser_take(&look, "transaction");
    if (!parser_take(&look, "to"))
        return false;
    p->at = look.at;
    return true;
}

bool
statement_parse_control(struct parser *p, struct spec_statement *out)
{
    static const char *const words[] = {"begin",    "start", "commit", "end",
                                        "rollback", "abort", NULL};
    *out = (struct spec_statement){.text = parser_text(p, p->at, p->end),
                                   .isolation = "",
                                   .lock = "",
                                   .rest = "",
                                   .condition = ""};
    if (parser_take(p, "savepoint"))
        return parse_savepoint(p, SPEC_SAVEPOINT, out);
    if (parser_take(p, "release"))
        return parse_savepoint(p, SPEC_RELEASE, out);
    if (take_rollback_to(p))
        return parse_savepoint(p, SPEC_ROLLBACK_TO, out);
    if (parse_prepared(p, out))
        return true;
    struct parser look = *p;
    const bool sets = parser_take(&look, "set");
    if (sets && parser_sees(&look, "transaction"))
        return parse(p, NULL, out);
    for (size_t i = 0; words[i]; i++)
        if (parser_sees(p, words[i]))
            return parse(p, NULL, out);
    return false;
}

void
statement_free(struct spec_statement *s)
{
    row_statement_free(&s->rows);
    vec_free(&s->keys);
    vec_free(&s->reads);
    vec_free(&s->writes);
}
