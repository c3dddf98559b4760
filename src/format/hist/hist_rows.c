/* hist_rows.c -- the rows of 'hist'.
 *
 *     {t(1):={v:3}}
 *     [t{v > 5}==[] t(7)+={v:8} t(1):={v:4} t(2):=none]
 *     ---
 *     [t{v > 5}==[7{v:8}] t(7)=={v:8} t(9)==none]
 *
 * The grammar, beside that of hist.c.  A condition is all that stands between
 * its braces, on one line; text in quotes, directly after the table, may be
 * any.
 *
 *     rows      := "{" ( row ":=" ( values name? satisfied? | "none" ) )* "}"
 *     operation := row ( ":=" | "+=" ) values name? before? satisfied?
 *                | row ":=" "none" before?
 *                | row "==" ( values name? | "none" ) check?
 *                | table asked "==" "[" found* "]" "~"? check?
 *     check     := "!"
 *     asked     := "{" condition "}" | "{" "~" label "}" | quoted
 *     row       := table key
 *     key       := "(" ( part | part "," | part ( "," part )+ ) ")"
 *     found     := ( part | key ) values name?
 *     values    := "{" ( column ":" datum ( "," column ":" datum )* )? "}"
 *     name      := "#" label
 *     before    := "<-" ( label | "null" )
 *     satisfied := "~" "[" label* "]"
 *     part, label := integer | word | quoted
 *     table, column := word | quoted
 *     datum     := integer | word | quoted | "null"
 *
 * A log of rows keeps names as JSON text (row_reader.h), so text is UTF-8.
 *
 * SPDX-License-Identifier: MIT */
#include "base/utf8.h"
#include "format/hist/hist.h"
#include "format/row/row_reader.h"

/* --- tokens ---------------------------------------------------------------*/

static bool
accept(struct row_reader *r, const char *text)
{
    hist_skip(r->s);
    return hist_accept(r->s, text);
}

static bool
expect(struct row_reader *r, const char *text, const char *expected)
{
    return accept(r, text) || scan_unexpected(r->s, r->s->at, expected);
}

static bool
is_bare(const struct hist_token *token, const char *word)
{
    return !token->is_quoted && !token->is_keyword &&
           span_is((struct span){token->text, token->len}, word);
}

static bool
is_integer(const struct hist_token *token)
{
    return !token->is_quoted && hist_is_integer(token->text, token->len);
}

/* A token that is no keyword. */
static bool
take_token(struct row_reader *r, const char *expected, struct hist_token *token)
{
    hist_skip(r->s);
    const char *begin = r->s->at;
    if (!hist_lex(r->s, expected, token))
        return false;
    return !token->is_keyword || scan_unexpected(r->s, begin, expected);
}

/* The text of a token; it is valid until the next one. */
static bool
text_of(struct row_reader *r, const struct hist_token *token, struct span *out)
{
    if (!hist_text(r->s, token, out))
        return false;
    return utf8_is_valid(out->at, out->n) ||
           scan_fail(r->s, token->text, ERR_SYNTAX,
                     "text that is not UTF-8, which rows cannot hold");
}

/* A token as JSON: a string or an integer. */
static bool
add_json(struct row_reader *r, const struct hist_token *token, struct buf *out)
{
    struct atom atom;
    struct span text;
    if (is_integer(token)) {
        if (!hist_make_integer(r->s, token, &atom))
            return false;
        atom_show(NULL, atom, out);
        return true;
    }
    if (!text_of(r, token, &text))
        return false;
    buf_json(out, text.at, text.n);
    return true;
}

/* --- rows -----------------------------------------------------------------*/

static bool
find_table(struct row_reader *r, const struct hist_token *token, uint32_t *out)
{
    struct span text = {0};
    if (token->is_keyword || is_integer(token) || !token->len)
        return scan_unexpected(
            r->s, token->text - token->is_quoted - token->is_keyword,
            "the name of a table");
    if (!text_of(r, token, &text))
        return false;
    *out = row_log_table(row_reader_log(r), text.at, text.n);
    return true;
}

/* The rest of a key, after its parenthesis, as JSON: an array, unless it is one
 * part without a comma. */
static bool
read_parts(struct row_reader *r, struct buf *out)
{
    static const char part[] = "a part of a key: an integer or text";
    struct hist_token token;
    bool is_array = false, is_open = true;
    buf_char(out, '[');
    for (size_t n = 0; is_open; n++) {
        buf_text(out, n ? "," : "");
        if (!take_token(r, part, &token) || !add_json(r, &token, out))
            return false;
        is_open = accept(r, ",");
        is_array |= is_open;
        if (is_open && n == 0 && accept(r, ")")) {
            buf_char(out, ']');
            return true;
        }
    }
    buf_char(out, ']');
    if (!is_array) {
        out->n--;
        memmove(out->at, out->at + 1, --out->n);
    }
    return expect(r, ")", "',' or ')'");
}

/* The row of a table whose key follows; in what a query returned, a key of one
 * part needs no parentheses. */
static bool
read_row(struct row_reader *r, uint32_t table, bool is_found, row_id *out)
{
    struct buf key = {0};
    struct hist_token token;
    bool ok;
    if (accept(r, "("))
        ok = read_parts(r, &key);
    else
        ok = is_found ? take_token(r, "a key or ']'", &token) &&
                            add_json(r, &token, &key)
                      : scan_unexpected(r->s, r->s->at, "'('");
    if (ok)
        *out = row_reader_row(r, table, key.at, key.n);
    buf_free(&key);
    return ok;
}

/* --- values ---------------------------------------------------------------*/

static bool
read_datum(struct row_reader *r, struct row_datum *out)
{
    static const char expected[] = "an integer of 64 bits, text or null";
    struct hist_token token;
    struct atom atom;
    struct span text;
    *out = (struct row_datum){.type = ROW_DATUM_NULL};
    if (!take_token(r, expected, &token))
        return false;
    if (is_bare(&token, "null"))
        return true;
    if (is_integer(&token)) {
        if (!hist_make_integer(r->s, &token, &atom))
            return false;
        out->type = ROW_DATUM_INT;
        out->number = (int64_t)atom.bits;
        return atom.tag == ATOM_INT ||
               scan_unexpected(r->s, token.text, expected);
    }
    if (!text_of(r, &token, &text))
        return false;
    out->type = ROW_DATUM_TEXT;
    out->text = strings_add(&r->log->names, text.at, text.n);
    return true;
}

static bool
read_cell(struct row_reader *r, uint32_t content)
{
    struct hist_token token;
    struct span text;
    struct row_datum datum;
    if (!take_token(r, "a column or '}'", &token))
        return false;
    if (is_integer(&token))
        return scan_unexpected(r->s, token.text, "a column, which is text");
    if (!text_of(r, &token, &text))
        return false;
    // The text is gone when the value is read.
    const uint32_t column = strings_add(&r->log->names, text.at, text.n);
    if (!expect(r, ":", "':' and a value") || !read_datum(r, &datum))
        return false;
    row_log_cell(r->log, content, (struct row_cell){column, datum});
    return true;
}

/* Values of columns; 'row' is ID_NONE where they were read. */
static bool
read_values(struct row_reader *r, row_id row, const char *expected,
            uint32_t *out)
{
    hist_skip(r->s);
    const char *begin = r->s->at;
    if (!expect(r, "{", expected))
        return false;
    *out = row_log_content(r->log);
    if (!accept(r, "}")) {
        do {
            if (!read_cell(r, *out))
                return false;
        } while (accept(r, ","));
        if (!expect(r, "}", "',' or '}'"))
            return false;
    }
    return row_reader_end_content(r, *out, row, begin);
}

/* --- what is said about a version -----------------------------------------*/

static bool
read_label(struct row_reader *r, const char *expected, bool may_be_null,
           uint32_t *out)
{
    struct hist_token token;
    if (!take_token(r, expected, &token))
        return false;
    if (may_be_null && is_bare(&token, "null")) {
        *out = ROW_PREV_NULL;
        return true;
    }
    struct buf text = {0};
    const bool ok = add_json(r, &token, &text);
    if (ok)
        *out = strings_add(&r->log->names, text.at, text.n);
    buf_free(&text);
    return ok;
}

/* #12, the name of the version. */
static bool
read_name(struct row_reader *r, uint32_t content)
{
    uint32_t name = ID_NONE;
    if (!accept(r, "#"))
        return true;
    if (!read_label(r, "the name of the version", false, &name))
        return false;
    r->log->contents.at[content].ver = name;
    return true;
}

/* <-11, the name of the version before. */
static bool
read_before(struct row_reader *r, uint32_t content)
{
    uint32_t name = ID_NONE;
    if (!accept(r, "<-"))
        return true;
    if (!read_label(r, "the name of the version before, or null", true, &name))
        return false;
    r->log->contents.at[content].prev = name;
    return true;
}

/* ~[big 3], the conditions that the version satisfies. */
static bool
read_satisfied(struct row_reader *r, uint32_t content)
{
    struct row_log *l = r->log;
    if (!accept(r, "~"))
        return true;
    if (!expect(r, "[", "'[' and the names of conditions"))
        return false;
    l->contents.at[content].has_satisfied = true;
    l->contents.at[content].satisfied = (uint32_t)l->satisfied.n;
    while (!accept(r, "]")) {
        uint32_t name = ID_NONE;
        if (!read_label(r, "the name of a condition or ']'", false, &name))
            return false;
        vec_push(&l->satisfied, name);
        l->contents.at[content].satisfied_n++;
    }
    return true;
}

/* --- operations on a row --------------------------------------------------*/

/* Whether 'none' follows, which is then skipped. */
static bool
accept_none(struct row_reader *r)
{
    hist_skip(r->s);
    const char *begin = r->s->at;
    if (begin < r->s->end && hist_is_word(*begin)) {
        while (r->s->at < r->s->end && hist_is_word(*r->s->at))
            r->s->at++;
        if (span_is((struct span){begin, (size_t)(r->s->at - begin)}, "none"))
            return true;
    }
    r->s->at = begin;
    return false;
}

static bool
read_update(struct row_reader *r, struct row_entry *e)
{
    if (accept_none(r)) {
        e->content = row_log_content(r->log);
        r->log->contents.at[e->content].is_absent = true;
        return read_before(r, e->content);
    }
    return read_values(r, e->row, "values, '{', or 'none'", &e->content) &&
           read_name(r, e->content) && read_before(r, e->content) &&
           read_satisfied(r, e->content);
}

static bool
read_insert(struct row_reader *r, struct row_entry *e)
{
    e->is_insert = true;
    return read_values(r, e->row, "values, '{'", &e->content) &&
           read_name(r, e->content) && read_before(r, e->content) &&
           read_satisfied(r, e->content);
}

static bool
read_seen(struct row_reader *r, struct row_entry *e)
{
    e->kind = ROW_READ;
    if (!accept_none(r) &&
        !(read_values(r, ID_NONE, "values, '{', or 'none'", &e->content) &&
          read_name(r, e->content)))
        return false;
    e->is_check = accept(r, "!");
    return true;
}

static bool
read_item(struct row_reader *r, txn_id t, uint32_t table, const char *begin)
{
    struct row_entry e = {
        .kind = ROW_WRITE, .txn = t, .content = ROW_ABSENT, .at = begin};
    if (!read_row(r, table, false, &e.row))
        return false;
    const bool ok = accept(r, "==")   ? read_seen(r, &e)
                    : accept(r, ":=") ? read_update(r, &e)
                    : accept(r, "+=")
                        ? read_insert(r, &e)
                        : scan_unexpected(r->s, r->s->at, "':=', '==' or '+='");
    if (ok)
        row_reader_add(r, e);
    return ok;
}

/* --- queries --------------------------------------------------------------*/

/* Find the brace that closes a condition: those in quotes do not. */
static const char *
find_brace(const char *at, const char *end)
{
    char quote = 0;
    for (; at < end && *at != '\n' && (quote || *at != '}'); at++)
        if (*at == quote)
            quote = 0;
        else if (!quote && (*at == '\'' || *at == '"'))
            quote = *at;
    return at < end && *at == '}' ? at : NULL;
}

/* A condition in quotes. */
static bool
read_quoted(struct row_reader *r, uint32_t *out)
{
    const char *begin = r->s->at;
    struct hist_token token;
    struct span text;
    return take_token(r, "a condition", &token) && text_of(r, &token, &text) &&
           row_reader_condition(r, text, false, begin, false, out);
}

/* What a query asks for: a condition, or its name. */
static bool
read_condition(struct row_reader *r, uint32_t *out)
{
    struct scan *s = r->s;
    if (!hist_accept(s, "{"))
        return read_quoted(r, out);
    const char *begin = s->at;
    if (hist_accept(s, "~")) {
        uint32_t name = ID_NONE;
        if (!read_label(r, "the name of a condition", false, &name))
            return false;
        const struct string text = strings_get(&r->log->names, name);
        return row_reader_condition(r, (struct span){text.text, text.len}, true,
                                    begin, false, out) &&
               expect(r, "}", "'}'");
    }
    const char *brace = find_brace(begin, s->end);
    if (!brace)
        return scan_fail(s, begin - 1, ERR_SYNTAX,
                         "this condition is not closed by '}' on its line");
    const struct span text = {begin, (size_t)(brace - begin)};
    if (!utf8_is_valid(text.at, text.n))
        return scan_fail(s, begin, ERR_SYNTAX, "a condition that is not UTF-8");
    s->at = brace + 1;
    return row_reader_condition(r, text, false, begin, true, out);
}

static bool
read_found(struct row_reader *r, txn_id t, const char *begin,
           struct row_query *q)
{
    while (!accept(r, "]")) {
        struct row_entry e = {.kind = ROW_RETURNED, .txn = t, .at = begin};
        if (!read_row(r, q->table, true, &e.row) ||
            !read_values(r, ID_NONE, "values, '{'", &e.content) ||
            !read_name(r, e.content))
            return false;
        row_reader_add(r, e);
        q->returned++;
    }
    return true;
}

/* A query, after its table. */
static bool
read_query(struct row_reader *r, txn_id t, uint32_t table, const char *begin)
{
    struct row_query q = {.table = table};
    if (!read_condition(r, &q.condition) ||
        !expect(r, "==", "'==' and the rows that were found") ||
        !expect(r, "[", "'[' and the rows that were found") ||
        !read_found(r, t, begin, &q))
        return false;
    q.is_unordered = accept(r, "~");
    q.is_check = accept(r, "!");
    vec_push(&r->log->queries, q);
    row_reader_add(r,
                   (struct row_entry){.kind = ROW_QUERY,
                                      .txn = t,
                                      .about = (uint32_t)r->log->queries.n - 1,
                                      .at = begin});
    return true;
}

bool
hist_row_op(struct row_reader *r, txn_id t, const struct hist_token *token,
            const char *begin)
{
    uint32_t table;
    if (!find_table(r, token, &table))
        return false;
    return *r->s->at == '(' ? read_item(r, t, table, begin)
                            : read_query(r, t, table, begin);
}

/* --- the beginning --------------------------------------------------------*/

static bool
read_initial(struct row_reader *r)
{
    struct hist_token token;
    uint32_t table, content = ROW_ABSENT;
    row_id row;
    if (!take_token(r, "a row or '}'", &token) ||
        !find_table(r, &token, &table))
        return false;
    const row_id known = (row_id)r->log->rows.n;
    if (!read_row(r, table, false, &row))
        return false;
    if (row < known)
        return scan_unexpected(r->s, token.text - token.is_quoted,
                               "each row once");
    if (!expect(r, ":=", "':='"))
        return false;
    if (!accept_none(r) &&
        !(read_values(r, row, "values, '{', or 'none'", &content) &&
          read_name(r, content) && read_satisfied(r, content)))
        return false;
    r->log->rows.at[row].initial = content;
    return true;
}

bool
hist_initial_rows(struct row_reader *r)
{
    row_reader_log(r);
    while (!accept(r, "}"))
        if (!read_initial(r))
            return false;
    return true;
}
