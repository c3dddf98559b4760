/* statement_text.c -- see statement_text.h.
 *
 * SPDX-License-Identifier: MIT */
#include "record/statement_text.h"

#include "base/ascii.h"
#include "driver/sql/sql.h"

#include <string.h>

const char *
statement_text(const char *text, size_t i, struct arena *arena, bool *is_whole)
{
    const unsigned lexis = LEXIS_DOLLARS | LEXIS_NESTING;
    const char *found = "";
    size_t n = 0;
    for (const char *at = text; *at;) {
        bool is_blank;
        const size_t size = sql_statement(at, lexis, &is_blank);
        if (!is_blank && n++ == i) {
            const size_t blanks = strspn(at, " \t\r\n");
            found = arena_copy(arena, at + blanks, size - blanks);
        }
        at += size + (at[size] == ';');
        if (!size && !*at)
            break;
    }
    *is_whole = n == 1;
    return found;
}

bool
statement_changes_role(const char *text)
{
    bool sets = false, names = false;
    for (const char *at = text; *at; at++) {
        sets |= ascii_compare_n(at, "set", 3) == 0;
        names |= ascii_compare_n(at, "role", 4) == 0 ||
                 ascii_compare_n(at, "authorization", 13) == 0;
    }
    return sets && names;
}

const char *
statement_start(const char *text)
{
    const char *at = text;
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (at[0] == '-' && at[1] == '-') {
            at += strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at, "*/");
            at = end ? end + 2 : at + strlen(at);
        } else {
            return at;
        }
    }
}

bool
statement_goes_back(const char *text)
{
    char word[16];
    const char *at = text;
    for (size_t words = 0; words < 3; words++) {
        size_t n = 0;
        at = statement_start(at);
        while (n + 1 < sizeof word && ((at[n] | 32) >= 'a') &&
               (at[n] | 32) <= 'z') {
            word[n] = (char)(at[n] | 32);
            n++;
        }
        word[n] = 0;
        at += n;
        if (words && strcmp(word, "to") == 0)
            return true;
        if (words && strcmp(word, "work") != 0 &&
            strcmp(word, "transaction") != 0)
            return false;
    }
    return false;
}

const char *
statement_cursor(const char *text, struct arena *arena)
{
    static const char blanks[] = " \t\r\n";
    static const char *const last[] = {"fetch ", "move ", "close "};
    const char *at = statement_start(text);
    if (ascii_compare_n(at, "declare", 7) == 0) {
        at += 7 + strspn(at + 7, blanks);
        return arena_copy(arena, at, strcspn(at, blanks));
    }
    for (size_t i = 0; i < sizeof last / sizeof last[0]; i++) {
        if (ascii_compare_n(at, last[i], strlen(last[i])) != 0)
            continue;
        const char *end = at + strlen(at);
        while (end > at && strchr(" \t\r\n;", end[-1]))
            end--;
        const char *name = end;
        while (name > at && !strchr(blanks, name[-1]))
            name--;
        return arena_copy(arena, name, (size_t)(end - name));
    }
    return "";
}
