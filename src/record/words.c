/* words.c -- see words.h.
 *
 * SPDX-License-Identifier: MIT */
#include "record/words.h"

#include "base/ascii.h"

#include <string.h>

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || (unsigned char)c >= 0x80;
}

size_t
words_count(const char *text, const char *word)
{
    const size_t n = strcspn(word, "*(");
    size_t count = 0;
    for (const char *at = text; *at; at++) {
        if ((at > text && is_letter(at[-1])) ||
            ascii_compare_n(at, word, n) != 0)
            continue;
        const char *after = at + n;
        count += word[n] == '*' || (!word[n] && !is_letter(*after)) ||
                 (word[n] == '(' && after[strspn(after, " \t\r\n")] == '(');
    }
    return count;
}

bool
words_has(const char *text, const char *word)
{
    return words_count(text, word) > 0;
}
