/* script.c -- see script.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/script.h"

#include "spec/sql/table_setup.h"

#include <string.h>

/* The end of the statement at a token: a semicolon or the last token. */
static const struct token *
statement_end(const struct token *at)
{
    while (at->kind != TOKEN_END &&
           !(at->kind == TOKEN_SYMBOL && *at->at == ';'))
        at++;
    return at;
}

void
script_split(const char *sql, const struct flavour *flavour,
             struct arena *arena, text_vec *out)
{
    token_vec tokens = {0};
    tokens_read(sql, flavour, &tokens);
    const struct token *at = tokens.at;
    for (;;) {
        const struct token *end = statement_end(at);
        if (end > at) {
            const char *stop = end[-1].at + end[-1].n;
            vec_push(out, arena_copy(arena, at->at, (size_t)(stop - at->at)));
        }
        if (end->kind == TOKEN_END)
            break;
        at = end + 1;
    }
    vec_free(&tokens);
}

/* --- refusals --------------------------------------------------------------*/

/* Where a text of a block is in the file. */
static void
find_line(const struct spec_block *block, const char *at, uint64_t *line,
          uint64_t *column)
{
    *line = block->line;
    *column = block->column;
    for (const char *p = block->sql; p < at; p++) {
        *column = *p == '\n' ? 1 : *column + 1;
        *line += *p == '\n';
    }
}

static uint32_t
add_refusal(struct script *s, const struct spec_block *block,
            const struct refusal *r)
{
    struct script_refusal refusal = {
        .text = arena_copy(&s->arena, r->text, strlen(r->text))};
    find_line(block, r->at, &refusal.line, &refusal.column);
    vec_push(&s->refusals, refusal);
    return (uint32_t)s->refusals.n - 1;
}

uint32_t
script_refuses(const struct script *s, const u32_vec *order)
{
    uint32_t refusal = s->refusal;
    for (size_t i = 0; refusal == SCRIPT_UNDERSTOOD && i < order->n; i++)
        refusal = s->steps.at[order->at[i]].refusal;
    return refusal;
}

bool
script_error(const struct script *s, uint32_t refusal, struct err *err)
{
    const struct script_refusal *r = &s->refusals.at[refusal];
    err_set(err, ERR_FEATURE, "not understood, so not checked: %s", r->text);
    err_at_line(err, r->line, r->column);
    return s->spec->file[0] ? err_in_file(err, s->spec->file) : false;
}

/* --- reading ---------------------------------------------------------------*/

/* Understand one statement of a block. */
typedef bool understand(struct script *s, struct parser *p,
                        struct script_block *out);

static bool
understand_setup(struct script *s, struct parser *p, struct script_block *out)
{
    (void)out;
    return table_learn_setup(p, &s->tables);
}

static bool
understand_step(struct script *s, struct parser *p, struct script_block *out)
{
    struct spec_statement statement;
    if (!statement_parse(p, &s->tables, &statement))
        return false;
    vec_push(&out->statements, statement);
    return true;
}

bool
script_statement(const struct watched *w, struct parser *p,
                 struct spec_statement *out)
{
    struct refusal refusal = {0};
    if (statement_parse_control(p, out))
        return true;
    if (p->refusal.at)
        return false;
    const struct token first = *p->at;
    out->kind = SPEC_ROWS;
    if (!row_statement_parse(w, p->arena, out->text, &out->rows, &refusal)) {
        p->refusal = refusal;
        p->refusal.at = first.at + (refusal.at - out->text);
        return false;
    }
    if (out->rows.is_quiet)
        out->kind = SPEC_QUIET;
    return true;
}

/* --- prepared statements ---------------------------------------------------*/

static struct script_prepared *
find_prepared(struct script *s, const char *name)
{
    for (size_t i = 0; i < s->prepared.n; i++)
        if (strcmp(s->prepared.at[i].name, name) == 0)
            return &s->prepared.at[i];
    return NULL;
}

/* "prepare p as ...": what is prepared is the statement as it is run. */
static bool
understand_prepare(struct script *s, struct parser *p,
                   struct spec_statement *out)
{
    const char *name = parser_lower(p, parser_next(p));
    const struct token first = parser_next(p);
    parser_skip(p);
    if (first.kind != TOKEN_WORD || !parser_take(p, "as"))
        return parser_expected(p, "a name and 'as', without parameters");
    const char *text = parser_text(p, p->at, p->end);
    const struct script_prepared *other = find_prepared(s, name);
    struct parser inner = *p;
    if (other && strcmp(other->text, text) != 0)
        return parser_expected(p, "another name for another statement");
    if (!script_statement(s->watched, &inner, out)) {
        p->refusal = inner.refusal;
        return false;
    }
    if (out->kind != SPEC_ROWS) {
        statement_free(out);
        return parser_expected(p, "a statement about rows");
    }
    struct buf sql = {0};
    buf_printf(&sql, "prepare %.*s as %s", (int)first.n, first.at,
               out->rows.whole ? out->rows.whole : out->rows.sql);
    statement_free(out);
    *out = (struct spec_statement){
        .kind = SPEC_QUIET, .text = arena_copy(&s->arena, sql.at, sql.n)};
    buf_free(&sql);
    vec_push(&s->prepared, ((struct script_prepared){name, text}));
    return true;
}

/* "execute p". */
static bool
understand_execute(struct script *s, struct parser *p,
                   struct spec_statement *out)
{
    const char *text = parser_text(p, p->at - 1, p->end);
    const struct script_prepared *prepared =
        find_prepared(s, parser_lower(p, parser_next(p)));
    token_vec tokens = {0};
    if (!prepared)
        return parser_expected(p, "a statement that was prepared before");
    parser_skip(p);
    if (!parser_ends(p, "the end of the statement"))
        return false;
    tokens_read(prepared->text, s->flavour, &tokens);
    struct parser inner = {.at = tokens.at,
                           .end = &vec_top(&tokens),
                           .flavour = s->flavour,
                           .arena = &s->arena};
    const bool ok = script_statement(s->watched, &inner, out);
    assert(ok && out->kind == SPEC_ROWS); // as when it was prepared
    vec_free(&tokens);
    out->text = text;
    *(out->rows.whole ? &out->rows.whole : &out->rows.sql) = text;
    return ok;
}

static bool
understand_rows(struct script *s, struct parser *p, struct script_block *out)
{
    struct spec_statement statement = {0};
    struct parser look = *p;
    const bool prepares = s->flavour->runs_many &&
                          parser_take(&look, "prepare") &&
                          !parser_sees(&look, "transaction");
    bool ok;
    if (prepares)
        ok = parser_take(p, "prepare") && understand_prepare(s, p, &statement);
    else if (s->flavour->runs_many && parser_take(p, "execute"))
        ok = understand_execute(s, p, &statement);
    else
        ok = script_statement(s->watched, p, &statement);
    if (ok)
        vec_push(&out->statements, statement);
    return ok;
}

static void
read_block(struct script *s, const struct spec_block *block, understand *read,
           struct script_block *out)
{
    token_vec tokens = {0};
    *out = (struct script_block){.refusal = SCRIPT_UNDERSTOOD};
    tokens_read(block->sql, s->flavour, &tokens);
    const struct token *at = tokens.at;
    while (out->refusal == SCRIPT_UNDERSTOOD) {
        const struct token *end = statement_end(at);
        struct parser p = {
            .at = at, .end = end, .flavour = s->flavour, .arena = &s->arena};
        const size_t before = out->statements.n;
        if (end > at && !read(s, &p, out))
            out->refusal = add_refusal(s, block, &p.refusal);
        else if (out->statements.n > before)
            find_line(block, at->at, &vec_top(&out->statements).line,
                      &vec_top(&out->statements).column);
        if (end->kind == TOKEN_END)
            break;
        at = end + 1;
    }
    vec_free(&tokens);
}

static void
add_watched_tables(struct script *s)
{
    for (size_t i = 0; s->watched && i < s->watched->tables.n; i++)
        vec_push(&s->tables,
                 ((struct spec_table){.name = s->watched->tables.at[i].name}));
}

void
script_read_verbatim(const struct spec *spec, const struct flavour *flavour,
                     const struct watched *watched, struct script *out)
{
    const struct script_block block = {.refusal = SCRIPT_UNDERSTOOD};
    *out = (struct script){.spec = spec,
                           .flavour = flavour,
                           .watched = watched,
                           .refusal = SCRIPT_UNDERSTOOD};
    add_watched_tables(out);
    for (size_t i = 0; i < spec->sessions.n; i++)
        vec_push(&out->setups, block);
    for (size_t i = 0; i < spec->steps.n; i++)
        vec_push(&out->steps, block);
}

void
script_put_text(const struct spec *s, struct buf *out)
{
    for (size_t i = 0; i < s->setups.n; i++)
        buf_printf(out, "%s\n", s->setups.at[i].sql);
    for (size_t i = 0; i < s->sessions.n; i++)
        buf_printf(out, "%s\n", s->sessions.at[i].setup.sql);
    for (size_t i = 0; i < s->steps.n; i++)
        buf_printf(out, "%s\n", s->steps.at[i].block.sql);
}

void
script_read(const struct spec *spec, const struct flavour *flavour,
            const struct watched *watched, struct script *out)
{
    *out = (struct script){.spec = spec,
                           .flavour = flavour,
                           .watched = watched,
                           .refusal = SCRIPT_UNDERSTOOD};
    understand *step = watched ? understand_rows : understand_step;
    struct script_block block;
    add_watched_tables(out);
    for (size_t i = 0; !watched && i < spec->setups.n; i++) {
        read_block(out, &spec->setups.at[i], understand_setup, &block);
        if (out->refusal == SCRIPT_UNDERSTOOD)
            out->refusal = block.refusal;
    }
    for (size_t i = 0; i < spec->sessions.n; i++) {
        read_block(out, &spec->sessions.at[i].setup, step, &block);
        vec_push(&out->setups, block);
        if (out->refusal == SCRIPT_UNDERSTOOD)
            out->refusal = block.refusal;
    }
    for (size_t i = 0; i < spec->steps.n; i++) {
        read_block(out, &spec->steps.at[i].block, step, &block);
        vec_push(&out->steps, block);
    }
}

/* --- statements that are recorded in part ----------------------------------*/

static bool
takes_part(const struct script *s, struct script_block *block, struct err *err)
{
    for (size_t i = 0; i < block->statements.n; i++) {
        struct spec_statement *t = &block->statements.at[i];
        const char *part = row_statement_part(&t->rows);
        if (!part || t->rows.is_part_told)
            continue;
        err_set(err, ERR_FEATURE, "not recorded, so not checked: %s", part);
        err_at_line(err, t->line, t->column);
        err_in_file(err, s->spec->file);
        t->rows.is_part_told = true;
        return true;
    }
    return false;
}

bool
script_takes_part(struct script *s, const u32_vec *order, struct err *err)
{
    for (size_t i = 0; i < s->setups.n; i++)
        if (takes_part(s, &s->setups.at[i], err))
            return true;
    for (size_t i = 0; i < order->n; i++)
        if (takes_part(s, &s->steps.at[order->at[i]], err))
            return true;
    return false;
}

static void
free_block(struct script_block *b)
{
    for (size_t i = 0; i < b->statements.n; i++)
        statement_free(&b->statements.at[i]);
    vec_free(&b->statements);
}

void
script_free(struct script *s)
{
    for (size_t i = 0; i < s->setups.n; i++)
        free_block(&s->setups.at[i]);
    for (size_t i = 0; i < s->steps.n; i++)
        free_block(&s->steps.at[i]);
    vec_free(&s->setups);
    vec_free(&s->steps);
    vec_free(&s->refusals);
    vec_free(&s->prepared);
    tables_free(&s->tables);
    arena_free(&s->arena);
}
