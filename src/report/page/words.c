/* words.c -- see words.h.
 *
 * A word ends at a space, or where a sentence or a list puts a sign.  Names may
 * contain all of these, so at the beginning of a word the names of the
 * transactions are tried first, the longest one that fits.
 *
 * SPDX-License-Identifier: MIT */
#include "report/page/words.h"

#include "report/parts.h"

#include <assert.h>
#include <string.h>

// Bytes of a word, and of the beginning and the end of one that is longer: long
// names often differ at their end.
enum { MOST = 80, FIRST = 40, LAST = 12 };

static bool
ends_word(char c)
{
    return c == 0 || strchr(" ,.:;()", c);
}

static void
put_bytes(const char *text, size_t n, struct buf *out)
{
    struct buf part = {0};
    buf_add(&part, text, n);
    part_xml(out, n ? part.at : "");
    buf_free(&part);
}

static bool
is_inside_character(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* The beginning and the end of a long word, whole characters only. */
static void
put_word(const char *word, size_t n, struct buf *out)
{
    size_t first = FIRST, last = n - LAST;
    if (n <= MOST) {
        put_bytes(word, n, out);
        return;
    }
    while (is_inside_character(word[first]))
        first--;
    while (last < n && is_inside_character(word[last]))
        last++;
    assert(first < last);
    put_bytes(word, first, out);
    buf_text(out, "\xe2\x80\xa6");
    put_bytes(word + last, n - last, out);
}

void
words_short(const char *text, struct buf *out)
{
    while (*text) {
        const size_t n = strcspn(text, " ");
        put_word(text, n, out);
        if (text[n])
            buf_char(out, ' ');
        text += n + (text[n] != 0);
    }
}

void
words_txn(const struct anomaly_txn *t, struct buf *out)
{
    if (t->is_init) {
        buf_text(out, WORDS_INIT);
        return;
    }
    words_short(t->name, out);
    buf_printf(out, ": transaction %u of session ", t->position);
    words_short(t->session, out);
}

/* The transaction whose name the text begins with, as a whole word. */
static const struct anomaly_txn *
txn_at(const struct anomaly *a, const char *text, size_t *n)
{
    const struct anomaly_txn *best = NULL;
    *n = 0;
    for (size_t i = 0; i < a->txns.n; i++) {
        const struct anomaly_txn *t = &a->txns.at[i];
        if (*t->name != *text)
            continue;
        const size_t len = strlen(t->name);
        if (len > *n && strncmp(text, t->name, len) == 0 &&
            ends_word(text[len])) {
            best = t;
            *n = len;
        }
    }
    return best;
}

static void
put_explained(const char *word, size_t n, const char *meaning, struct buf *out)
{
    buf_text(out, "<abbr title=\"");
    buf_text(out, meaning);
    buf_text(out, "\">");
    put_word(word, n, out);
    buf_text(out, "</abbr>");
}

void
words_html(const struct anomaly *a, const char *text, struct buf *out)
{
    struct buf meaning = {0};
    assert(a && text);
    while (*text) {
        size_t n;
        const struct anomaly_txn *t = txn_at(a, text, &n);
        if (t) {
            buf_clear(&meaning);
            words_txn(t, &meaning);
            put_explained(text, n, meaning.at, out);
        } else {
            n = strcspn(text, " ,.:;()");
            if (n == 3 && memcmp(text, "nil", 3) == 0)
                put_explained(text, n, WORDS_NIL, out);
            else
                put_word(text, n, out);
        }
        text += n;
        // The signs after the word.
        while (*text && ends_word(*text))
            put_bytes(text++, 1, out);
    }
    buf_free(&meaning);
}

/* Whether a transaction is called by its session and position, "s4/29". */
static bool
has_our_name(const struct anomaly_txn *t)
{
    struct buf ours = {0};
    buf_printf(&ours, "s%s/%u", t->session, t->position);
    const bool is_ours = !t->is_init && strcmp(ours.at, t->name) == 0;
    buf_free(&ours);
    return is_ours;
}

/* The first transaction that the story names in our way, or NULL. */
static const struct anomaly_txn *
first_named(const struct anomaly *a)
{
    const char *text = a->story;
    while (*text) {
        size_t n;
        const struct anomaly_txn *t = txn_at(a, text, &n);
        if (t && has_our_name(t))
            return t;
        text += t ? n : strcspn(text, " ,.:;()");
        while (*text && ends_word(*text))
            text++;
    }
    return NULL;
}

void
words_hint(const struct anomaly *a, struct buf *out)
{
    const struct anomaly_txn *named = first_named(a);
    const bool nil = strstr(a->story, " = nil");
    if (!named && !nil)
        return;
    buf_text(out, "<p class=\"soft hint\">");
    if (named) {
        words_short(named->name, out);
        buf_printf(out, " is transaction %u of session ", named->position);
        words_short(named->session, out);
        buf_text(out, "; a session is one client.");
    }
    buf_printf(out, "%s%s</p>\n", named && nil ? " " : "",
               nil ? "nil means that no transaction has written the key yet."
                   : "");
}
