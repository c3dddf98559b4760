/* shorten.c -- see parts.h.
 *
 * Keys, values and ids come from outside and may be of any length; a sentence
 * that repeats one of 400 characters five times cannot be read.  A name is a
 * quoted string, or what stands between blanks, brackets and commas.  One that
 * is too long keeps its beginning and its end.  Invariant: different names have
 * different short forms; a number makes the difference where they would be the
 * same.
 *
 * SPDX-License-Identifier: MIT */
#include "report/parts.h"

#include "base/container/strings.h"

#include <assert.h>
#include <string.h>

enum {
    LONGEST = 40, // bytes of a name that is left as it is
    HEAD = 20,    // of a longer one, its beginning
    TAIL = 12,    // and its end
};

/* Names that were shortened: name i of 'full' is called name i of 'brief'. */
struct names {
    struct strings full, brief;
};

/* How many bytes the name at 'text' has; 1 where there is none. */
static size_t
name_length(const char *text)
{
    size_t n = 1;
    if (*text == '"') {
        while (text[n] && text[n] != '"' && text[n] != '\n')
            n += text[n] == '\\' && text[n + 1] ? 2 : 1;
        return text[n] == '"' ? n + 1 : n;
    }
    if (strchr(" \n(),\033", *text))
        return 1;
    while (text[n] && !strchr(" \n(),\"\033", text[n]))
        n++;
    // What ends a sentence or a clause is not part of it.
    while (n > 1 && strchr(".:;", text[n - 1]))
        n--;
    return n;
}

/* The first byte at or after i at which a character begins. */
static size_t
to_character(const char *text, size_t i)
{
    while (((unsigned char)text[i] & 0xc0) == 0x80)
        i++;
    return i;
}

static struct string
find_brief(struct names *names, const char *text, size_t n)
{
    const uint32_t id = strings_add(&names->full, text, n);
    const size_t head = to_character(text, HEAD);
    const size_t tail = to_character(text, n - TAIL);
    struct buf brief = {0};
    for (uint32_t number = 0; names->brief.all.n <= id;
         number = number ? number + 1 : id + 1) {
        buf_clear(&brief);
        buf_add(&brief, text, head);
        buf_text(&brief, "...");
        if (number)
            buf_printf(&brief, "(%u)...", number);
        buf_add(&brief, text + tail, n - tail);
        strings_add(&names->brief, brief.at, brief.n); // unless it is taken
    }
    buf_free(&brief);
    assert(names->brief.all.n == names->full.all.n);
    return strings_get(&names->brief, id);
}

size_t
part_shorten(const char *text, const char *keep, struct buf *out)
{
    struct names names = {0};
    const size_t kept = strlen(keep);
    while (*text) {
        const size_t n = name_length(text);
        if (kept && strncmp(text, keep, kept) == 0) {
            buf_add(out, text, kept);
            text += kept;
            continue;
        }
        if (n <= LONGEST)
            buf_add(out, text, n);
        else
            buf_text(out, find_brief(&names, text, n).text);
        text += n;
    }
    const size_t end = out->n;
    const bool gap = out->n > 1 && out->at[out->n - 2] == '\n';
    if (names.full.all.n)
        buf_text(out, gap ? "  In full:\n" : "\n  In full:\n");
    for (uint32_t i = 0; i < names.full.all.n; i++)
        buf_printf(out, "    %s\n      %s\n", strings_get(&names.brief, i).text,
                   strings_get(&names.full, i).text);
    strings_free(&names.full);
    strings_free(&names.brief);
    return end;
}
