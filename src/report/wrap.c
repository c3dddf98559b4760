/* wrap.c -- see parts.h.
 *
 * An anomaly has one line per sentence or transaction.  A line that is too long
 * continues below the beginning of its text, which is after the number of a
 * step or the name of a transaction.  Operations are separated by two blanks
 * and never broken.
 *
 * SPDX-License-Identifier: MIT */
#include "report/parts.h"

#include <string.h>

/* How many columns n bytes of text take, at one per character. */
static size_t
columns(const char *text, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

/* A line, and how it may be broken. */
struct line {
    const char *text;
    size_t n;
    size_t hang;    // bytes before its text, the indent of further lines
    bool in_pieces; // breaks at two blanks only
};

static struct line
look_at(const char *text, size_t n)
{
    struct line l = {.text = text, .n = n};
    while (l.hang < n && text[l.hang] == ' ')
        l.hang++;
    size_t i = l.hang;
    while (i < n && text[i] >= '0' && text[i] <= '9')
        i++;
    if (i > l.hang && i + 1 < n && text[i] == '.' && text[i + 1] == ' ') {
        l.hang = i + 2;
        return l;
    }
    for (i = l.hang; i + 1 < n && memcmp(text + i, "  ", 2) != 0;)
        i++;
    if (i + 1 >= n)
        return l;
    while (i < n && text[i] == ' ')
        i++;
    l.hang = i;
    l.in_pieces = true;
    return l;
}

/* The last place after 'at' where the line may break so that it fits in 'width'
 * columns; if there is none, the first place where it may break. */
static size_t
find_break(const struct line *l, size_t at, size_t width)
{
    size_t best = l->n;
    for (size_t i = at + 1; i + 1 < l->n; i++) {
        const bool here =
            l->text[i] == ' ' && l->text[i - 1] != ' ' &&
            (!l->in_pieces || (i + 1 < l->n && l->text[i + 1] == ' '));
        if (!here)
            continue;
        if (columns(l->text + at, i - at) > width)
            return best < l->n ? best : i;
        best = i;
    }
    return columns(l->text + at, l->n - at) > width ? best : l->n;
}

static void
put_line(const struct line *l, size_t width, struct buf *out)
{
    const size_t indent = columns(l->text, l->hang);
    buf_add(out, l->text, l->hang);
    for (size_t at = l->hang; at < l->n;) {
        const size_t end = find_break(l, at, width - indent);
        buf_add(out, l->text + at, end - at);
        for (at = end; at < l->n && l->text[at] == ' ';)
            at++;
        if (at < l->n)
            buf_printf(out, "\n%*s", (int)indent, "");
    }
    buf_char(out, '\n');
}

void
part_wrap(const char *text, size_t width, struct buf *out)
{
    while (*text) {
        const size_t n = strcspn(text, "\n");
        const struct line l = look_at(text, n);
        if (columns(text, n) <= width || 2 * l.hang > width) {
            buf_add(out, text, n);
            buf_char(out, '\n');
        } else {
            put_line(&l, width, out);
        }
        text += n + (text[n] == '\n');
    }
}
