/* forge_damage.c -- true certificates, claimed for other levels and histories,
 * and damaged; see forge.h.
 *
 * Damage is done to the lines of the text: lost, doubled, exchanged, or one of
 * their words replaced by another that could stand there.
 *
 * SPDX-License-Identifier: MIT */
#include "forge.h"

#include "evidence/certificate_read.h"
#include "evidence/certificate_write.h"

#include <stdlib.h>

enum { DAMAGES = 12, MOST_LINES = 400, HEAD = 5 };

struct lines {
    char *at[MOST_LINES];
    uint32_t n;
};

/* Cut the text into lines; they are the caller's to free. */
static void
split(const char *text, struct lines *out)
{
    out->n = 0;
    for (const char *end; (end = strchr(text, '\n')) && out->n < MOST_LINES;
         text = end + 1) {
        struct buf line = {0};
        buf_add(&line, text, (size_t)(end - text));
        out->at[out->n++] = line.at;
    }
}

static void
replace(struct lines *l, uint32_t i, struct buf *by)
{
    mem_free(l->at[i]);
    l->at[i] = by->at;
}

/* A word that could stand for this one. */
static void
put_other_word(struct forger *f, const char *word, size_t n, struct buf *out)
{
    static const char *const kinds[] = {"so", "wr",   "ww",    "rw",
                                        "co", "time", "commit"};
    static const char *const facts[] = {"before",     "not-before", "choice",
                                        "not-choice", "ahead",      "not-ahead",
                                        "counts",     "not-counts"};
    if (*word >= '0' && *word <= '9') {
        if (forge_percent(f, 15))
            buf_text(out, forge_percent(f, 50)   ? "init"
                          : forge_percent(f, 50) ? "?"
                                                 : "-");
        else
            buf_printf(out, "%u",
                       forge_below(f, forge_percent(f, 60) ? f->h.n_txns
                                                           : f->h.n_ops));
        return;
    }
    if (*word == '-' || *word == '?' || strncmp(word, "init", n) == 0) {
        buf_printf(out, "%u", forge_below(f, f->h.n_txns));
        return;
    }
    for (size_t i = 0; i < 7; i++)
        if (strlen(kinds[i]) == n && strncmp(word, kinds[i], n) == 0) {
            buf_text(out, kinds[forge_below(f, 7)]);
            return;
        }
    for (size_t i = 0; i < 8; i++)
        if (strlen(facts[i]) == n && strncmp(word, facts[i], n) == 0) {
            // Mostly the same fact, negated or not.
            buf_text(out,
                     facts[forge_percent(f, 70) ? i ^ 1 : forge_below(f, 8)]);
            return;
        }
    buf_add(out, word, n);
}

/* Replace one word of a line. */
static void
damage_word(struct forger *f, struct lines *l, uint32_t i)
{
    uint32_t words = 1;
    for (const char *p = l->at[i]; *p; p++)
        words += *p == ' ';
    const uint32_t chosen = forge_below(f, words);
    struct buf out = {0};
    const char *p = l->at[i];
    for (uint32_t w = 0; w < words; w++) {
        const size_t n = strcspn(p, " ");
        if (w)
            buf_char(&out, ' ');
        if (w == chosen)
            put_other_word(f, p, n, &out);
        else
            buf_add(&out, p, n);
        p += n + (p[n] == ' ');
    }
    replace(l, i, &out);
}

/* Change a count in a line "word N" by one. */
static void
damage_count(struct lines *l, int by)
{
    char *space = strrchr(l->at[HEAD], ' ');
    if (l->n <= HEAD || !space)
        return;
    const long n = strtol(space, NULL, 10) + by;
    struct buf out = {0};
    buf_add(&out, l->at[HEAD], (size_t)(space - l->at[HEAD]));
    buf_printf(&out, " %ld", n);
    replace(l, HEAD, &out);
}

/* The line at which the i-th case begins, or the last line; of how many. */
static uint32_t
find_case(const struct lines *l, uint32_t i, uint32_t *cases)
{
    uint32_t at = l->n - 1;
    *cases = 0;
    for (uint32_t line = HEAD; line < l->n; line++)
        if (strncmp(l->at[line], "case ", 5) == 0 && (*cases)++ == i)
            at = line;
    while (strncmp(l->at[at - 1], "branch ", 7) == 0)
        at--;
    return at;
}

/* Leave one case out, or put another in its place; false where there are
 * none. */
static bool
damage_cases(struct forger *f, struct lines *l)
{
    uint32_t n;
    find_case(l, 0, &n);
    if (!n)
        return false;
    const uint32_t i = forge_below(f, n), j = forge_below(f, n);
    const uint32_t begin = find_case(l, i, &n), end = find_case(l, i + 1, &n);
    const uint32_t from = find_case(l, j, &n), to = find_case(l, j + 1, &n);
    const bool replaced = i != j && forge_percent(f, 50);
    struct lines out = {.n = 0};
    for (uint32_t k = 0; k < l->n; k++) {
        for (uint32_t m = from; k == begin && replaced && m < to; m++) {
            struct buf copy = {0};
            buf_text(&copy, l->at[m]);
            if (out.n < MOST_LINES)
                out.at[out.n++] = copy.at;
            else
                buf_free(&copy);
        }
        if ((k >= begin && k < end) || out.n == MOST_LINES)
            mem_free(l->at[k]);
        else
            out.at[out.n++] = l->at[k];
    }
    *l = out;
    if (!replaced)
        damage_count(l, -1);
    return true;
}

static void
damage(struct forger *f, struct lines *l)
{
    const uint32_t body = HEAD + 1; // behind the line with the count
    if (l->n < body + 2 || (forge_percent(f, 40) && damage_cases(f, l)))
        return;
    const uint32_t i = body + forge_below(f, l->n - body - 1);
    const uint32_t j = body + forge_below(f, l->n - body - 1);
    char *moved = l->at[i];
    switch (forge_below(f, 6)) {
    case 0: // lost
        mem_free(moved);
        memmove(l->at + i, l->at + i + 1, (l->n - i - 1) * sizeof *l->at);
        l->n--;
        damage_count(l, -1);
        return;
    case 1: // exchanged
        l->at[i] = l->at[j];
        l->at[j] = moved;
        return;
    case 2: { // doubled
        struct buf copy = {0};
        buf_text(&copy, l->at[i]);
        if (l->n == MOST_LINES) {
            buf_free(&copy);
            return;
        }
        memmove(l->at + j + 1, l->at + j, (l->n - j) * sizeof *l->at);
        l->at[j] = copy.at;
        l->n++;
        damage_count(l, +1);
        return;
    }
    default:
        damage_word(f, l, i);
    }
}

/* Show the lines for a level and a verdict. */
static void
show(struct forger *f, const struct lines *l, enum level level,
     enum verdict verdict)
{
    const struct certificate head = {
        .level = level, .verdict = verdict, .kind = EVIDENCE_NONE};
    struct buf text = {0};
    certificate_write(&f->h, &head, &text);
    text.n -= strlen("evidence none\nend\n");
    for (uint32_t i = HEAD - 1; i < l->n; i++) {
        buf_text(&text, l->at[i]);
        buf_char(&text, '\n');
    }
    struct certificate c;
    struct err err = {0};
    if (certificate_read(&f->h, text.at, text.n, &c, &err)) {
        forger_show(f, &c);
        certificate_free(&c);
    }
    buf_free(&text);
}

static void
show_everywhere(struct forger *f, const struct lines *l)
{
    for (int level = 0; level < LEVELS; level++) {
        if (f->truth[level] == ORACLE_TOO_LONG)
            continue;
        show(f, l, (enum level)level,
             f->truth[level] == ORACLE_OK ? VERDICT_VIOLATED : VERDICT_OK);
    }
}

void
forge_from(struct forger *f, const char *text)
{
    struct lines l;
    for (int i = 0; i < DAMAGES && !f->lie.n; i++) {
        split(text, &l);
        for (int j = 0; j < i && j < 3; j++)
            damage(f, &l);
        show_everywhere(f, &l);
        for (uint32_t k = 0; k < l.n; k++)
            mem_free(l.at[k]);
    }
}
