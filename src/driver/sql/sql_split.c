/* sql_split.c -- find the end of a statement.
 *
 * A semicolon ends a statement, except in a string, a quoted name or a comment.
 * Databases differ in their notation; see the LEXIS_ flags.  A string that is
 * not closed extends to the end of the text, and the server reports it.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/sql/sql.h"

#include "base/ascii.h"

#include <string.h>

static bool
is_name_char(char c)
{
    return ascii_is_alnum(c) || c == '_' || (unsigned char)c >= 0x80;
}

/* The end of the quoted text at 'at', which 'close' ends. */
static const char *
skip_quoted(const char *at, char close, bool has_backslashes)
{
    for (at++; *at; at++)
        if (has_backslashes && *at == '\\' && at[1])
            at++;
        else if (*at == close && at[1] == close)
            at++; // a doubled quote is part of the text
        else if (*at == close)
            return at + 1;
    return at;
}

static const char *
skip_line(const char *at)
{
    return at + strcspn(at, "\n");
}

static const char *
skip_comment(const char *at, bool nests)
{
    size_t depth = 0;
    while (*at) {
        if (at[0] == '/' && at[1] == '*' && (nests || !depth)) {
            depth++;
            at += 2;
        } else if (at[0] == '*' && at[1] == '/') {
            at += 2;
            if (--depth == 0)
                break;
        } else {
            at++;
        }
    }
    return at;
}

/* The end of $tag$ ... $tag$; 'at' itself if there is no such quote. */
static const char *
skip_dollars(const char *at)
{
    size_t n = 1;
    while (is_name_char(at[n]))
        n++;
    if (at[n] != '$' || ascii_is_digit(at[1]))
        return at;
    n++;
    for (const char *end = at + n; *end; end++)
        if (strncmp(end, at, n) == 0)
            return end + n;
    return at + strlen(at);
}

/* The end of the comment at 'at'; 'at' itself if there is none. */
static const char *
skip_blank(const char *at, unsigned lexis)
{
    const bool hashes = lexis & LEXIS_HASHES;
    if (ascii_is_space(*at))
        return at + 1;
    if (at[0] == '/' && at[1] == '*')
        return skip_comment(at, lexis & LEXIS_NESTING);
    if ((at[0] == '#' && hashes) ||
        (at[0] == '-' && at[1] == '-' &&
         (!hashes || !at[2] || ascii_is_space(at[2]))))
        return skip_line(at);
    return at;
}

/* Whether the string that begins at 'at' has an E before it. */
static bool
has_escape_prefix(const char *text, const char *at)
{
    return at > text && (at[-1] | 0x20) == 'e' &&
           (at - 1 == text || !is_name_char(at[-2]));
}

/* The end of the token at 'at', or of a part of it. */
static const char *
skip_token(const char *text, const char *at, unsigned lexis)
{
    const bool escapes = lexis & LEXIS_BACKSLASHES ||
                         (lexis & LEXIS_DOLLARS && has_escape_prefix(text, at));
    if (*at == '\'')
        return skip_quoted(at, '\'', escapes);
    if (*at == '"')
        return skip_quoted(at, '"', lexis & LEXIS_BACKSLASHES);
    if (*at == '`')
        return skip_quoted(at, '`', false);
    if (*at == '[' && lexis & LEXIS_BRACKETS)
        return skip_quoted(at, ']', false);
    if (*at == '$' && lexis & LEXIS_DOLLARS &&
        (at == text || !is_name_char(at[-1]))) {
        const char *behind = skip_dollars(at);
        return behind > at ? behind : at + 1;
    }
    return at + 1;
}

size_t
sql_statement(const char *text, unsigned lexis, bool *is_blank)
{
    const char *at = text;
    *is_blank = true;
    while (*at && *at != ';') {
        const char *behind = skip_blank(at, lexis);
        if (behind == at) {
            *is_blank = false;
            behind = skip_token(text, at, lexis);
        }
        at = behind;
    }
    return (size_t)(at - text);
}
