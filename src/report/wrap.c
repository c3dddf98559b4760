/* wrap.c -- see parts.h.
 *
 * A line that is too long continues below the beginning of its text, which is
 * after the number of a step, or after the first column of a table; in a line
 * without an indent, four columns in.  Operations are separated by two blanks
 * and never broken, unless one is longer than a line.  Colours take no columns.
 *
 * SPDX-License-Identifier: MIT */
#include "report/parts.h"

#include <stdint.h>
#include <string.h>

enum { INDENT = 4 }; // of what continues a line without an indent

/* How many columns n bytes of text take, at one per character. */
static size_t
columns(const char *text, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\033')
            while (i < n && text[i] != 'm')
                i++;
        else
            count += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
    return count;
}

/* Whether this is an operation, r(x, 1), or a list of them, each of which fits
 * into a line. */
static bool
is_operations(const char *text, size_t n, size_t width)
{
    size_t i = 0, begin = 0;
    while (i < n && text[i] >= 'a' && text[i] <= 'z')
        i++;
    if (!i || i == n || text[i] != '(')
        return false;
    for (; i <= n; i++)
        if (i == n || (i + 1 < n && memcmp(text + i, "  ", 2) == 0)) {
            if (columns(text + begin, i - begin) > width)
                return false;
            begin = i + 2;
        }
    return true;
}

/* A line, and how it may be broken. */
struct line {
    const char *text;
    size_t n;
    size_t hang;    // bytes before its text
    size_t indent;  // columns of further lines
    bool in_pieces; // breaks at two blanks only
};

static struct line
look_at(const char *text, size_t n, size_t width)
{
    struct line l = {.text = text, .n = n};
    while (l.hang < n && text[l.hang] == ' ')
        l.hang++;
    l.indent = l.hang ? l.hang : INDENT;
    size_t i = l.hang;
    while (i < n && text[i] >= '0' && text[i] <= '9')
        i++;
    if (i > l.hang && i + 1 < n && text[i] == '.' && text[i + 1] == ' ') {
        l.hang = l.indent = i + 2;
        return l;
    }
    for (i = l.hang; i + 1 < n && memcmp(text + i, "  ", 2) != 0;)
        i++;
    if (i + 1 >= n)
        return l;
    while (i < n && text[i] == ' ')
        i++;
    const bool is_narrow = 2 * columns(text, i) <= width;
    if (!is_narrow && !is_operations(text + i, n - i, SIZE_MAX))
        return l; // a sentence with two blanks in it
    l.indent = is_narrow ? columns(text, i) : l.hang + INDENT;
    l.hang = i;
    l.in_pieces =
        l.indent < width && is_operations(text + i, n - i, width - l.indent);
    return l;
}

/* The last place after 'at' where the line may break so that it fits in 'width'
 * columns; if there is none, the first place where it may break. */
static size_t
find_break(const struct line *l, size_t at, size_t width)
{
    size_t best = l->n;
    for (size_t i = at + 1; i + 1 < l->n; i++) {
        const bool here = l->text[i] == ' ' && l->text[i - 1] != ' ' &&
                          (!l->in_pieces || l->text[i + 1] == ' ');
        if (!here)
            continue;
        if (columns(l->text + at, i - at) > width)
            return best < l->n ? best : i;
        best = i;
    }
    return columns(l->text + at, l->n - at) > width ? best : l->n;
}

/* The columns that are left after 'used' ones. */
static size_t
room_after(size_t used, size_t width)
{
    return width > used ? width - used : 1;
}

static void
put_line(struct line l, size_t width, struct buf *out)
{
    size_t used = columns(l.text, l.hang), label = l.hang;
    const size_t first = find_break(&l, l.hang, room_after(used, width));
    const size_t lead = strspn(l.text, " ");
    if (l.hang > lead && l.text[l.hang - 2] == ' ' &&
        used + columns(l.text + l.hang, first - l.hang) > width) {
        // Nothing fits beside the first column.
        while (l.text[label - 1] == ' ')
            label--;
        l.indent = used = lead + INDENT;
        buf_add(out, l.text, label);
        buf_printf(out, "\n%*s", (int)l.indent, "");
    } else {
        buf_add(out, l.text, label);
    }
    for (size_t at = l.hang; at < l.n;) {
        const size_t end = find_break(&l, at, room_after(used, width));
        buf_add(out, l.text + at, end - at);
        for (at = end; at < l.n && l.text[at] == ' ';)
            at++;
        if (at < l.n)
            buf_printf(out, "\n%*s", (int)l.indent, "");
        used = l.indent;
    }
    buf_char(out, '\n');
}

void
part_wrap(const char *text, size_t width, struct buf *out)
{
    while (*text) {
        const size_t n = strcspn(text, "\n");
        const struct line l = look_at(text, n, width);
        if (columns(text, n) <= width) {
            buf_add(out, text, n);
            buf_char(out, '\n');
        } else {
            put_line(l, width, out);
        }
        text += n + (text[n] == '\n');
    }
}
