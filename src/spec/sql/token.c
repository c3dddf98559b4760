/* token.c -- see token.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/sql/token.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/print.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- reading ---------------------------------------------------------------*/

static bool
begins_word(char c)
{
    return ascii_is_alpha(c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool
is_in_word(char c)
{
    return begins_word(c) || ascii_is_digit(c) || c == '$';
}

/* Skip white space and comments.  MariaDB executes some comments, and needs
 * white space after the dashes; such comments become tokens. */
static const char *
skip_blank(const char *at)
{
    for (;;) {
        at += strspn(at, " \t\r\n\f\v");
        if (at[0] == '-' && at[1] == '-' && (!at[2] || ascii_is_space(at[2]))) {
            at += strcspn(at, "\n");
        } else if (strncmp(at, "/*", 2) == 0 && at[2] != '!' &&
                   strncmp(at, "/*M!", 4) != 0) {
            const char *close = strstr(at + 2, "*/");
            const char *again = strstr(at + 2, "/*");
            if (!close || (again && again < close))
                return at; // open or nested: databases differ
            at = close + 2;
        } else {
            return at;
        }
    }
}

/* The end of a quoted text, which may contain doubled quotes; NULL if it does
 * not end.  'plain' becomes false if the text has a backslash escape. */
static const char *
quoted_end(const char *at, bool escapes, bool *plain)
{
    const char quote = *at++;
    for (; *at; at++)
        if (*at == '\\' && escapes) {
            *plain = false;
            if (!*++at)
                return NULL;
        } else if (*at == quote && at[1] == quote) {
            at++;
        } else if (*at == quote) {
            return at + 1;
        }
    return NULL;
}

static const char *
dollar_end(const char *at)
{
    const char *tag = at + 1;
    while (is_in_word(*tag) && *tag != '$')
        tag++;
    if (*tag != '$')
        return at + 1;
    char mark[64];
    const size_t n = (size_t)(tag - at) + 1;
    if (n >= sizeof mark)
        return at + strlen(at);
    memcpy(mark, at, n);
    mark[n] = 0;
    const char *close = strstr(tag + 1, mark);
    return close ? close + n : at + strlen(at);
}

static struct token
quoted_token(const char *at, const char *text, bool escapes)
{
    bool plain = at == text;
    const char *end = quoted_end(text, escapes, &plain);
    const enum token_kind kind = !end || !plain  ? TOKEN_OTHER
                                 : *text == '\'' ? TOKEN_STRING
                                                 : TOKEN_QUOTED;
    if (!end)
        end = text + strlen(text);
    return (struct token){kind, at, (size_t)(end - at)};
}

static struct token
number_token(const char *at)
{
    const char *end = at + strspn(at, "0123456789");
    if (*end == '.' && ascii_is_digit(end[1]))
        end += 1 + strspn(end + 1, "0123456789");
    const bool plain = !is_in_word(*end) && *end != '.';
    while (is_in_word(*end))
        end++;
    return (struct token){plain ? TOKEN_NUMBER : TOKEN_OTHER, at,
                          (size_t)(end - at)};
}

/* The token at 'at', which is not a blank. */
static struct token
token_at(const char *at, const struct flavour *flavour)
{
    if (!*at)
        return (struct token){TOKEN_END, at, 0};
    if (*at == '\'' || *at == '"' || *at == '`')
        return quoted_token(at, at, flavour->escapes_in_strings);
    if (ascii_is_digit(*at))
        return number_token(at);
    if (*at == '$')
        return (struct token){TOKEN_OTHER, at, (size_t)(dollar_end(at) - at)};
    if ((at[0] == '-' && at[1] == '-') || (at[0] == '/' && at[1] == '*'))
        return (struct token){TOKEN_OTHER, at, 2};
    if (!begins_word(*at))
        return (struct token){TOKEN_SYMBOL, at, 1};
    const char *end = at;
    while (is_in_word(*end))
        end++;
    // E'...', x'...' and the like; e'...' always has escapes.
    if (*end == '\'')
        return quoted_token(at, end, ascii_lower(*at) == 'e');
    return (struct token){TOKEN_WORD, at, (size_t)(end - at)};
}

void
tokens_read(const char *text, const struct flavour *flavour, token_vec *out)
{
    const char *at = text;
    vec_clear(out);
    do {
        at = skip_blank(at);
        vec_push(out, token_at(at, flavour));
        at += vec_top(out).n;
    } while (vec_top(out).kind != TOKEN_END);
}

/* --- the cursor ------------------------------------------------------------*/

struct token
parser_next(const struct parser *p)
{
    return p->at < p->end ? *p->at : (struct token){TOKEN_END, p->end->at, 0};
}

bool
parser_sees(const struct parser *p, const char *text)
{
    const struct token t = parser_next(p);
    return (t.kind == TOKEN_WORD || t.kind == TOKEN_SYMBOL) &&
           strlen(text) == t.n && ascii_compare_n(t.at, text, t.n) == 0;
}

void
parser_skip(struct parser *p)
{
    if (p->at < p->end)
        p->at++;
}

bool
parser_take(struct parser *p, const char *text)
{
    const bool sees = parser_sees(p, text);
    if (sees)
        parser_skip(p);
    return sees;
}

bool
parser_ends(struct parser *p, const char *expected)
{
    return parser_next(p).kind == TOKEN_END || parser_expected(p, expected);
}

bool
parser_refuse(struct parser *p, const char *format, ...)
{
    if (p->refusal.at)
        return false;
    p->refusal.at = parser_next(p).at;
    va_list args;
    va_start(args, format);
    print_args(p->refusal.text, sizeof p->refusal.text, format, args);
    va_end(args);
    return false;
}

bool
parser_expected(struct parser *p, const char *what)
{
    const struct token t = parser_next(p);
    char quoted[ERR_QUOTE_ROOM];
    return t.kind == TOKEN_END
               ? parser_refuse(p, "found the end, expected %s", what)
               : parser_refuse(p, "found '%s', expected %s",
                               err_quote(quoted, sizeof quoted, t.at, t.n),
                               what);
}

const char *
parser_lower(struct parser *p, struct token t)
{
    char *copy = arena_copy(p->arena, t.at, t.n);
    for (char *c = copy; *c; c++)
        *c = ascii_lower(*c);
    return copy;
}

const char *
parser_text(struct parser *p, const struct token *from, const struct token *to)
{
    if (from >= to)
        return "";
    const char *end = to[-1].at + to[-1].n;
    return arena_copy(p->arena, from->at, (size_t)(end - from->at));
}

bool
parser_take_name(struct parser *p, const char **out)
{
    struct buf name = {0};
    for (;;) {
        const struct token t = parser_next(p);
        if (t.kind != TOKEN_WORD) {
            buf_free(&name);
            return parser_expected(p, "a name without quotes");
        }
        buf_text(&name, p->flavour->folds_tables
                            ? parser_lower(p, t)
                            : arena_copy(p->arena, t.at, t.n));
        parser_skip(p);
        if (strcmp(name.at, p->flavour->home) == 0 && parser_sees(p, "."))
            buf_clear(&name);
        else if (parser_sees(p, "."))
            buf_char(&name, '.');
        if (!parser_take(p, "."))
            break;
    }
    *out = arena_copy(p->arena, name.at, name.n);
    buf_free(&name);
    return true;
}

void
parser_skip_parentheses(struct parser *p)
{
    for (int depth = 1; depth && p->at < p->end; parser_skip(p))
        depth += parser_sees(p, "(") - parser_sees(p, ")");
}
