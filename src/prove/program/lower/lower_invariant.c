/* lower_invariant.c -- facts about the data, stated in comments.
 *
 *     -- assay: invariant T1 x, T2 y where CONDITION check CONDITION
 *
 * says that all rows x of T1 and y of T2 that satisfy the first condition (it
 * may be left out) satisfy the second.  PostgreSQL sees a comment.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/lower/lower.h"

#include "base/buf.h"

#include <string.h>

#define MARK "-- assay:"

/* The first place of a word at or behind 'at'; NULL where there is none. */
static const char *
find_word(const char *at, const char *word)
{
    const size_t n = strlen(word);
    for (const char *p = at; (p = strstr(p, word)) != NULL; p++)
        if (p > at && p[-1] == ' ' && (p[n] == ' ' || !p[n]))
            return p;
    return NULL;
}

/* "SELECT 1 FROM tables WHERE (given) AND (then)": parsed as one query, so
 * that names mean what they mean in SQL. */
static bool
lower_statement(struct lower *l, const char *tables, size_t n_tables,
                const char *given, size_t n_given, const char *then)
{
    struct buf text = {0};
    buf_printf(&text, "SELECT 1 FROM %.*s WHERE (%.*s) AND (%s)", (int)n_tables,
               tables, given ? (int)n_given : 4, given ? given : "true", then);
    char *const copy = program_copy(l->program, text.at);
    buf_free(&text);
    PgQuery__ParseResult *tree;
    int at;
    const char *const file_text = l->text;
    const bool exact = l->exact;
    l->text = "";
    l->exact = false;
    vec_clear(&l->sources);
    bool ok = parser_parse(copy, &tree, &at, l->err);
    if (!ok) {
        err_at_line(l->err, l->line, 0);
        err_in_file(l->err, l->file);
    }
    struct query *q = NULL;
    if (ok)
        q = lower_query(l, tree->stmts[0]->stmt->select_stmt);
    parser_free(tree);
    l->text = file_text;
    l->exact = exact;
    if (!q)
        return false;
    assert(q->where && q->where->kind == EXPR_AND);
    struct invariant i = {.file = l->file, .line = l->line};
    i.n_sources = (uint32_t)l->sources.n;
    i.source_tables =
        program_alloc(l->program, i.n_sources, sizeof *i.source_tables);
    memcpy(i.source_tables, l->sources.at,
           i.n_sources * sizeof *i.source_tables);
    i.given = q->where->arg[0];
    i.then = q->where->arg[1];
    if (q->n_sources != i.n_sources)
        return lower_fail(l, -1, "an invariant with a subquery");
    vec_push(&l->program->invariants, i);
    return true;
}

static bool
lower_annotation(struct lower *l, char *line)
{
    const char *at = line + strlen(MARK);
    while (*at == ' ')
        at++;
    if (strncmp(at, "invariant ", 10) != 0)
        return lower_fail(l, -1,
                          "an annotation that is not 'invariant TABLE NAME, "
                          ".. [where CONDITION] check CONDITION'");
    const char *tables = at + 10;
    const char *given = find_word(tables, "where");
    const char *then = find_word(given ? given : tables, "check");
    if (!then)
        return lower_fail(l, -1, "an invariant without 'check'");
    const char *end = given ? given : then;
    return lower_statement(l, tables, (size_t)(end - tables),
                           given ? given + 5 : NULL,
                           given ? (size_t)(then - given) - 5 : 0, then + 5);
}

bool
lower_invariants(struct lower *l)
{
    const char *text = l->text;
    const uint32_t first = l->line;
    bool ok = true;
    uint32_t number = 0;
    for (const char *at = text; ok && *at; number++) {
        const char *end = strchr(at, '\n');
        const size_t n = end ? (size_t)(end - at) : strlen(at);
        size_t space = 0;
        while (space < n && (at[space] == ' ' || at[space] == '\t'))
            space++;
        if (n - space >= strlen(MARK) &&
            strncmp(at + space, MARK, strlen(MARK)) == 0) {
            l->line = first + number;
            ok = lower_annotation(
                l, arena_copy(&l->program->arena, at + space, n - space));
        }
        at += n + (end != NULL);
    }
    l->line = first;
    return ok;
}
