/* spelling.c -- see spelling.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/spelling.h"

#include "base/ascii.h"

#include <stdbool.h>
#include <string.h>

enum { WORD = 40 }; // longer words are not compared

/* How many mistakes a word of that length may have. */
static unsigned
mistakes_in(size_t n)
{
    return n < 4 ? 1 : n < 8 ? 2 : 3;
}

static bool
same(char a, char b)
{
    return ascii_lower(a) == ascii_lower(b);
}

static unsigned
least_of(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* The distance, by the usual table of three rows. */
static unsigned
distance(const char *a, size_t n, const char *b)
{
    const size_t m = strlen(b);
    unsigned rows[3][WORD + 1];
    if (n > WORD || m > WORD)
        return WORD;
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *now = rows[i % 3], *one = rows[(i + 2) % 3];
        const unsigned *two = rows[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            const unsigned changed = one[j - 1] + !same(a[i - 1], b[j - 1]);
            now[j] = least_of(changed, least_of(one[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) &&
                same(a[i - 2], b[j - 1]))
                now[j] = least_of(now[j], two[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

struct spelling
spelling_of(const char *text, size_t n)
{
    return (struct spelling){text, n, NULL, mistakes_in(n) + 1};
}

void
spelling_try(struct spelling *s, const char *candidate, const char *shown)
{
    const unsigned d = distance(s->text, s->n, candidate);
    if (d < s->least) {
        s->least = d;
        s->best = shown;
    }
}
