/* psql.c -- see psql.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/psql.h"

#include "base/ascii.h"

#include <string.h>

/* The end of what begins at a byte: a comment, or something in quotes; the byte
 * itself where it is neither. */
static const char *
skip_quoted(const char *at)
{
    if (at[0] == '-' && at[1] == '-')
        return at + strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (*at == '\'' || *at == '"') {
        const char *end = strchr(at + 1, *at);
        return end ? end + 1 : at + strlen(at);
    }
    if (*at != '$')
        return at;
    const size_t tag = 1 + strspn(at + 1, "abcdefghijklmnopqrstuvwxyz"
                                          "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                                          "0123456789");
    if (at[tag] != '$' || (at[1] >= '0' && at[1] <= '9'))
        return at;
    for (const char *end = at + tag + 1; *end; end++)
        if (strncmp(end, at, tag + 1) == 0)
            return end + tag + 1;
    return at + strlen(at);
}

static bool
begins_with(const char *at, const char *word)
{
    const size_t n = strlen(word);
    return ascii_compare_n(at, word, n) == 0 && strchr(" \t\r\n", at[n]);
}

bool
psql_defines(const char *text)
{
    static const char *const own[] = {
        "\\i",    "\\ir",   "\\echo",   "\\restrict", "\\connect", "\\c",
        "\\copy", "\\pset", "\\timing", "\\t",        "\\x",       "\\qecho"};
    bool first = true; // of a statement
    for (const char *at = text; *at;) {
        const char *end = skip_quoted(at);
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            if (*at == '\\' && (at == text || at[-1] == '\n') &&
                begins_with(at, own[i]))
                return true;
        if (first && (begins_with(at, "create") || begins_with(at, "alter")))
            return true;
        if (end == at) {
            first = *at == ';' || (first && strchr(" \t\r\n", *at));
            end = at + 1;
        } else if (*at != '-' && *at != '/') {
            first = false;
        }
        at = end;
    }
    return false;
}

static void
blank(char *from, const char *to)
{
    for (; from < to; from++)
        if (*from != '\n')
            *from = ' ';
}

/* The end of the rows that follow COPY .. FROM stdin, which begin on the next
 * line. */
static char *
end_of_rows(char *at)
{
    char *end = strstr(at, "\n\\.");
    return end ? end + 3 : at + strlen(at);
}

const char *
psql_find_branch(const char *text)
{
    bool line = true;
    for (const char *at = text; *at;) {
        const char *end = skip_quoted(at);
        if (line && *at == '\\' &&
            (begins_with(at, "\\if") || begins_with(at, "\\else")))
            return at;
        if (line && *at == '\\')
            end = at + strcspn(at, "\n");
        end += end == at;
        line = end[-1] == '\n';
        at = end;
    }
    return NULL;
}

const char *
psql_without_commands(struct arena *arena, const char *text)
{
    char *copy = arena_copy(arena, text, strlen(text));
    bool line = true, copies = false;
    for (char *at = copy; *at;) {
        char *end = copy + (skip_quoted(at) - copy);
        if (line && *at == '\\') {
            end = at + strcspn(at, "\n");
            blank(at, end);
        }
        if (end == at && begins_with(at, "copy"))
            copies = true;
        if (end == at && *at == ';') {
            char *rows = at + 1;
            if (copies && strcspn(rows, "\n") == strspn(rows, " \t\r")) {
                end = end_of_rows(rows);
                blank(rows, end);
            }
            copies = false;
        }
        if (end == at)
            end = at + 1;
        line = end[-1] == '\n';
        at = end;
    }
    return copy;
}
