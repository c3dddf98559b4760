/* read.c -- see read.h.
 *
 * Three passes over the statements of all files: tables, then foreign keys and
 * unique indexes, then functions and invariants; so their order does not
 * matter.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/read.h"

#include "format/input.h"
#include "prove/program/lower/lower.h"
#include "prove/program/pgbench/pgbench.h"

#include <string.h>

enum pass { PASS_TABLES, PASS_KEYS, PASS_FUNCTIONS, PASSES };

struct source_file {
    const char *name, *text;
    bool script; // the text is what a script became: columns are not its own
    PgQuery__ParseResult *tree;
};

/* Skip white space and comments in front of a statement. */
static int
statement_start(const char *text, int at)
{
    for (;;) {
        while (text[at] && strchr(" \t\r\n;", text[at]))
            at++;
        if (text[at] == '-' && text[at + 1] == '-') {
            while (text[at] && text[at] != '\n')
                at++;
        } else if (text[at] == '/' && text[at + 1] == '*') {
            const char *end = strstr(text + at, "*/");
            if (!end)
                return at;
            at = (int)(end - text) + 2;
        } else {
            return at;
        }
    }
}

static bool
read_function(struct lower *l, const struct source_file *file,
              const PgQuery__RawStmt *raw, int start)
{
    const size_t len =
        raw->stmt_len ? (size_t)(raw->stmt_location + raw->stmt_len - start)
                      : strlen(file->text + start);
    const char *text = arena_copy(&l->program->arena, file->text + start, len);
    return lower_function(l, raw->stmt->create_function_stmt, text, start);
}

/* Whether something is dropped that was made further up. */
static bool
drops_own(const struct lower *l, const PgQuery__DropStmt *drop, enum pass pass)
{
    for (size_t i = 0; i < drop->n_objects; i++) {
        const PgQuery__Node *object = drop->objects[i];
        const char *name =
            NODE_IS(object, LIST)
                ? lower_last_name(object->list->items, object->list->n_items)
            : NODE_IS(object, OBJECT_WITH_ARGS)
                ? lower_last_name(object->object_with_args->objname,
                                  object->object_with_args->n_objname)
                : "";
        if ((pass == PASS_TABLES &&
             program_find_table(l->program, name) != UINT32_MAX) ||
            (pass == PASS_FUNCTIONS &&
             program_find_function(l->program, name) != UINT32_MAX))
            return true;
    }
    return false;
}

static bool
read_statement(struct lower *l, const struct source_file *file,
               const PgQuery__RawStmt *raw, enum pass pass)
{
    const PgQuery__Node *node = raw->stmt;
    const int start = statement_start(file->text, raw->stmt_location);
    switch (node->node_case) {
    case PG_QUERY__NODE__NODE_CREATE_STMT:
        return pass == PASS_TABLES ? lower_table(l, node->create_stmt)
               : pass == PASS_KEYS ? lower_foreign_keys(l, node->create_stmt)
                                   : true;
    case PG_QUERY__NODE__NODE_INDEX_STMT:
        return pass != PASS_KEYS || lower_index(l, node->index_stmt);
    case PG_QUERY__NODE__NODE_CREATE_FUNCTION_STMT:
        return pass != PASS_FUNCTIONS || read_function(l, file, raw, start);
    case PG_QUERY__NODE__NODE_COMMENT_STMT:
        return true;
    case PG_QUERY__NODE__NODE_DROP_STMT:
        if (node->drop_stmt->missing_ok && !drops_own(l, node->drop_stmt, pass))
            return true; // IF EXISTS: for loading the file twice
        break;
    default:
        break;
    }
    return lower_fail(l, start,
                      "a statement that is not supported, expected CREATE "
                      "TABLE, CREATE INDEX or CREATE FUNCTION");
}

static bool
read_pass(struct lower *l, const struct source_file *files, size_t n,
          enum pass pass)
{
    for (size_t i = 0; i < n; i++) {
        l->file = files[i].name;
        l->text = files[i].text;
        l->line = 1;
        l->exact = !files[i].script;
        for (size_t j = 0; j < files[i].tree->n_stmts; j++)
            if (!read_statement(l, &files[i], files[i].tree->stmts[j], pass))
                return false;
        if (pass == PASS_FUNCTIONS && !lower_invariants(l))
            return false;
    }
    return true;
}

static bool
parse_file(struct program *p, struct source_file *file, struct err *err)
{
    int at;
    file->script = pgbench_is(file->text);
    if (file->script)
        file->text = pgbench_functions(&p->arena, file->name, file->text, err);
    if (!file->text)
        return false;
    if (parser_parse(file->text, &file->tree, &at, err))
        return true;
    if (at >= 0) {
        const struct input in = {
            .name = file->name, .data = file->text, .size = strlen(file->text)};
        uint64_t line, column;
        input_position(&in, (size_t)at, &line, &column);
        err_at_line(err, line, file->script ? 0 : column);
    }
    return err_in_file(err, file->name);
}

static bool
read_files(struct program *p, struct source_file *files, size_t n,
           struct err *err)
{
    struct lower l = {.program = p, .err = err};
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        ok = parse_file(p, &files[i], err);
    for (enum pass pass = PASS_TABLES; ok && pass < PASSES; pass++)
        ok = read_pass(&l, files, n, pass);
    ok = ok && lower_lengths(&l);
    if (ok && !p->functions.n) {
        err_set(err, ERR_SYNTAX,
                "no functions, expected one for each transaction");
        ok = err_in_file(err, files[0].name);
    }
    if (ok && !p->tables.n) {
        err_set(err, ERR_SYNTAX,
                "no tables, expected those that the functions "
                "use");
        ok = err_in_file(err, files[0].name);
    }
    for (size_t i = 0; i < n; i++)
        parser_free(files[i].tree);
    lower_free(&l);
    return ok;
}

bool
program_read_text(struct program *p, const char *name, const char *text,
                  struct err *err)
{
    struct source_file file = {.name = name, .text = text};
    return parser_load(err) && read_files(p, &file, 1, err);
}

bool
program_read(struct program *p, const char *const *paths, size_t n,
             struct err *err)
{
    assert(n > 0);
    if (!parser_load(err))
        return false;
    struct source_file *files = mem_calloc(n, sizeof *files);
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        struct input in;
        ok = input_open(&in, paths[i], err);
        if (!ok)
            break;
        files[i].name = paths[i];
        if (in.is_directory) {
            err_set(err, ERR_SYNTAX, "a directory, expected an SQL file");
            ok = err_in_file(err, paths[i]);
        } else {
            files[i].text = arena_copy(&p->arena, in.data, in.size);
        }
        input_close(&in);
    }
    ok = ok && read_files(p, files, n, err);
    mem_free(files);
    return ok;
}
