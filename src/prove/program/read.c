/* read.c -- see read.h.
 *
 * Passes over the statements of all files: types, tables, their alterations,
 * keys and indexes, then functions and invariants.  So the order of statements
 * does not matter, but for what is replaced or dropped further down (fate.h).
 *
 * A function that is not understood is refused by itself, with its reason; so
 * is every function that touches a table which is not.  An error of the file is
 * only what PostgreSQL's parser does not take, an invariant, and a program of
 * which no function is left.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/read.h"

#include "base/buf.h"
#include "format/input.h"
#include "prove/program/fate.h"
#include "prove/program/lower/lower.h"
#include "prove/program/pgbench/pgbench.h"
#include "prove/program/psql.h"

#include <string.h>

enum pass {
    PASS_TYPES,
    PASS_TABLES,
    PASS_ALTERS,
    PASS_KEYS,
    PASS_FUNCTIONS,
    PASSES
};

struct source_file {
    const char *name, *text;
    bool script; // the text is what a script became: columns are not its own
    PgQuery__ParseResult *tree;
};

/* All files, and the first thing that was not understood. */
struct reading {
    struct lower l;
    const struct source_file *files;
    enum fate *fates; // of all statements, one file after another
    size_t n;
    struct err first;
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

static const char *
statement_text(struct lower *l, const struct source_file *file,
               const PgQuery__RawStmt *raw, int start)
{
    const size_t len =
        raw->stmt_len ? (size_t)(raw->stmt_location + raw->stmt_len - start)
                      : strlen(file->text + start);
    return arena_copy(&l->program->arena, file->text + start, len);
}

static bool
read_function(struct lower *l, const struct source_file *file,
              const PgQuery__RawStmt *raw, int start)
{
    return lower_function(l, raw->stmt->create_function_stmt,
                          statement_text(l, file, raw, start), start);
}

/* --- passes ---------------------------------------------------------------*/

static bool
is_trigger(const PgQuery__CreateFunctionStmt *create)
{
    const PgQuery__TypeName *type = create->return_type;
    const char *name = type ? lower_last_name(type->names, type->n_names) : "";
    return strcmp(name, "trigger") == 0 || strcmp(name, "event_trigger") == 0;
}

static void
note_function(struct lower *l, const PgQuery__CreateFunctionStmt *create,
              const char *text)
{
    lower_note_function(l, create, text);
    vec_push(&l->functions,
             program_copy(l->program, lower_last_name(create->funcname,
                                                      create->n_funcname)));
}

/* What other statements have to know before tables are read. */
static void
note_first(struct lower *l, const PgQuery__Node *node)
{
    if (NODE_IS(node, RENAME_STMT))
        lower_note_rename(l, node->rename_stmt);
    if (NODE_IS(node, CREATE_SEQ_STMT))
        l->cycles =
            l->cycles || lower_is_cycle(node->create_seq_stmt->options,
                                        node->create_seq_stmt->n_options);
    if (NODE_IS(node, ALTER_SEQ_STMT))
        l->cycles =
            l->cycles || lower_is_cycle(node->alter_seq_stmt->options,
                                        node->alter_seq_stmt->n_options);
    if (NODE_IS(node, INDEX_STMT) && node->index_stmt->unique &&
        *node->index_stmt->idxname)
        vec_push(&l->indexes, node->index_stmt);
    if (NODE_IS(node, VIEW_STMT))
        lower_note_view(l, node->view_stmt);
}

static bool
read_statement(struct reading *r, const struct source_file *file,
               const PgQuery__RawStmt *raw, enum pass pass)
{
    struct lower *l = &r->l;
    const PgQuery__Node *node = raw->stmt;
    const int start = statement_start(file->text, raw->stmt_location);
    if (pass == PASS_TYPES)
        note_first(l, node);
    if (pass == PASS_KEYS)
        lower_hidden(l, node);
    switch (node->node_case) {
    case PG_QUERY__NODE__NODE_CREATE_STMT:
        return pass == PASS_TABLES ? lower_table(l, node->create_stmt)
               : pass == PASS_KEYS ? lower_foreign_keys(l, node->create_stmt)
                                   : true;
    case PG_QUERY__NODE__NODE_ALTER_TABLE_STMT:
        return pass == PASS_ALTERS ? lower_alter(l, node->alter_table_stmt)
               : pass == PASS_KEYS ? lower_alter_keys(l, node->alter_table_stmt)
                                   : true;
    case PG_QUERY__NODE__NODE_RENAME_STMT:
        return pass != PASS_ALTERS || lower_rename(l, node->rename_stmt);
    case PG_QUERY__NODE__NODE_INDEX_STMT:
        return pass != PASS_KEYS || lower_index(l, node->index_stmt);
    case PG_QUERY__NODE__NODE_CREATE_FUNCTION_STMT:
        if (pass == PASS_TYPES)
            note_function(l, node->create_function_stmt,
                          statement_text(l, file, raw, start));
        if (is_trigger(node->create_function_stmt))
            return true; // it is part of the writes that its triggers guard
        return pass != PASS_FUNCTIONS ||
               (lower_hidden_in(l, node->create_function_stmt) &&
                read_function(l, file, raw, start));
    case PG_QUERY__NODE__NODE_CREATE_ENUM_STMT:
    case PG_QUERY__NODE__NODE_CREATE_DOMAIN_STMT:
        return pass != PASS_TYPES || lower_user_type(l, node);
    default:
        if (pass == PASS_KEYS)
            lower_schema(l, node, start);
        return true;
    }
}

/* Note a function or a table that is not understood, and go on. */
static void
note_refusal(struct reading *r, const PgQuery__Node *node, struct err *why)
{
    struct program *p = r->l.program;
    if (r->first.kind == ERR_NONE)
        r->first = *why;
    if (!NODE_IS(node, CREATE_FUNCTION_STMT))
        return;
    const PgQuery__CreateFunctionStmt *create = node->create_function_stmt;
    const struct function_refusal refusal = {
        .function = program_copy(
            p, lower_last_name(create->funcname, create->n_funcname)),
        .file = r->l.file,
        .line = (uint32_t)why->line,
        .reason = program_copy(p, why->text)};
    vec_push(&p->refused, refusal);
}

static bool
read_pass(struct reading *r, enum pass pass, struct err *err)
{
    uint32_t number = 0;
    for (size_t i = 0; i < r->n; i++) {
        struct lower *l = &r->l;
        const struct source_file *file = &r->files[i];
        for (size_t j = 0; j < file->tree->n_stmts; j++) {
            struct err why = {0};
            const PgQuery__RawStmt *raw = file->tree->stmts[j];
            const enum fate fate = r->fates[number];
            l->order = pass == PASS_FUNCTIONS ? UINT32_MAX : number;
            number++;
            if (fate == FATE_GONE)
                continue;
            l->doubt = fate == FATE_DOUBT;
            l->file = file->name;
            l->text = file->text;
            l->line = 1;
            l->counted = 0;
            l->exact = !file->script;
            l->err = &why;
            if (!read_statement(r, file, raw, pass))
                note_refusal(r, raw->stmt, &why);
        }
        l->file = file->name;
        l->text = file->text;
        l->line = 1;
        l->exact = !file->script;
        l->err = err;
        l->order = UINT32_MAX;
        if (pass == PASS_FUNCTIONS && !lower_invariants(l))
            return false;
    }
    if (pass == PASS_ALTERS)
        lower_altered(&r->l);
    for (size_t i = 0; pass == PASS_ALTERS && i < r->l.program->tables.n; i++)
        if (!r->l.program->tables.at[i].primary.n)
            lower_hidden_key(&r->l, &r->l.program->tables.at[i]);
    return true;
}

static bool
parse_file(struct program *p, struct source_file *file, struct err *err)
{
    int at;
    file->script = pgbench_is(file->text) && !psql_defines(file->text);
    const char *branch = file->script ? NULL : psql_find_branch(file->text);
    if (branch) {
        const struct input in = {
            .name = file->name, .data = file->text, .size = strlen(file->text)};
        uint64_t line, column;
        input_position(&in, (size_t)(branch - file->text), &line, &column);
        err_set(err, ERR_SYNTAX, "\\if is not supported in a schema");
        err_at_line(err, line, column);
        return err_in_file(err, file->name);
    }
    if (!file->script)
        file->text = psql_without_commands(&p->arena, file->text);
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

/* Whether something is left to be judged. */
static bool
check_program(const struct reading *r, struct err *err)
{
    const struct program *p = r->l.program;
    if (p->functions.n && p->tables.n)
        return true;
    if (r->first.kind != ERR_NONE && (p->refused.n || !p->functions.n)) {
        *err = r->first;
        return false;
    }
    err_set(err, ERR_SYNTAX, "%s",
            p->functions.n ? "no tables, expected those that the functions use"
                           : "no functions, expected one for each transaction");
    return err_in_file(err, r->files[0].name);
}

static bool
read_files(struct program *p, struct source_file *files, size_t n,
           struct err *err)
{
    struct reading r = {
        .l = {.program = p, .err = err}, .files = files, .n = n};
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        ok = parse_file(p, &files[i], err);
    PgQuery__ParseResult **trees = mem_calloc(n, sizeof *trees);
    for (size_t i = 0; i < n; i++)
        trees[i] = files[i].tree;
    r.fates = ok ? fate_of_all(trees, n) : NULL;
    mem_free(trees);
    for (enum pass pass = PASS_TYPES; ok && pass < PASSES; pass++)
        ok = read_pass(&r, pass, err);
    mem_free(r.fates);
    ok = ok && lower_lengths(&r.l) && check_program(&r, err);
    for (size_t i = 0; i < n; i++)
        parser_free(files[i].tree);
    lower_free(&r.l);
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
