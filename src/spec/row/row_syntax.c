/* row_syntax.c -- see row_syntax.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_syntax.h"

#include "base/ascii.h"
#include "base/err.h"

#include <stdio.h>
#include <string.h>

struct translation {
    const char *written;
    char *text; // of the same length
    token_vec tokens;
};

static bool
is(const struct translation *t, size_t i, const char *word)
{
    const struct token *token = &t->tokens.at[i];
    return token->kind == TOKEN_WORD && token->n == strlen(word) &&
           ascii_compare_n(token->at, word, token->n) == 0;
}

/* Whether these words follow each other; NULL ends them. */
static bool
are(const struct translation *t, size_t i, const char *const *words)
{
    for (; *words; words++, i++)
        if (!is(t, i, *words))
            return false;
    return true;
}

/* Write a text over some tokens, and blanks over the rest of them. */
static void
overwrite(struct translation *t, size_t from, size_t to, const char *text)
{
    assert(from < to && to < t->tokens.n);
    const struct token *last = &t->tokens.at[to - 1];
    const size_t at = (size_t)(t->tokens.at[from].at - t->written);
    const size_t n = (size_t)(last->at + last->n - t->written) - at;
    assert(strlen(text) <= n);
    memset(t->text + at, ' ', n);
    memcpy(t->text + at, text, strlen(text));
}

/* A token that the databases read in different ways, or that has a value which
 * is not known after the run; otherwise SIZE_MAX. */
static size_t
find_strange(const struct translation *t, bool has_casts)
{
    for (size_t i = 0; i < t->tokens.n; i++) {
        const struct token *token = &t->tokens.at[i];
        if (has_casts && strncmp(token->at, "::", 2) == 0) {
            i++;
            continue;
        }
        if (token->kind == TOKEN_OTHER ||
            (token->kind == TOKEN_SYMBOL && strchr("@?:#[{", *token->at)))
            return i;
    }
    return SIZE_MAX;
}

/* "insert or ignore", "insert ignore", "replace": the words before 'into'. */
static bool
translate_insert(struct translation *t, struct row_syntax *out)
{
    if (is(t, 0, "replace")) {
        overwrite(t, 0, 1, "insert");
        out->replaces = true;
        return true;
    }
    if (!is(t, 0, "insert") && !is(t, 0, "update"))
        return true;
    const size_t word = is(t, 1, "or") ? 2 : 1;
    out->ignores = is(t, word, "ignore");
    out->replaces = word == 2 && is(t, word, "replace");
    const bool is_usual = word == 2 && is(t, word, "abort");
    if (!out->ignores && !out->replaces && !is_usual)
        return word == 1;
    overwrite(t, 1, word + 1, "");
    return is(t, 0, "insert");
}

/* Clauses with other words, and quotes. */
static void
translate_rest(struct translation *t)
{
    static const char *const duplicate[] = {"on", "duplicate", "key", "update",
                                            NULL};
    static const char *const share[] = {"lock", "in", "share", "mode", NULL};
    for (size_t i = 0; i + 1 < t->tokens.n; i++) {
        const struct token *token = &t->tokens.at[i];
        const size_t at = (size_t)(token->at - t->written);
        if (are(t, i, duplicate)) {
            size_t end = i + 4;
            while (end + 1 < t->tokens.n && !is(t, end, "returning"))
                end++;
            overwrite(t, i, end, "on conflict do nothing");
            i = end - 1;
        } else if (are(t, i, share)) {
            // The last word ends where it ends, so no byte of it is lost.
            const struct token *mode = &t->tokens.at[i + 3];
            overwrite(t, i, i + 4, "for");
            memcpy(t->text + (mode->at + mode->n - t->written) - 5, "share", 5);
        } else if (token->kind == TOKEN_QUOTED && *token->at == '`') {
            t->text[at] = t->text[at + token->n - 1] = '"';
        } else if (strncmp(token->at, "==", 2) == 0) {
            t->text[at + 1] = ' ';
        }
    }
}

/* The assignments of "on duplicate key update" are not parsed, so they must be
 * free of subqueries. */
static size_t
find_hidden_select(const struct translation *t)
{
    bool is_after = false;
    for (size_t i = 0; i + 1 < t->tokens.n; i++) {
        is_after = is_after || is(t, i, "duplicate");
        if (is_after && is(t, i, "select"))
            return i;
    }
    return SIZE_MAX;
}

static bool
refuse(const struct translation *t, size_t i, struct refusal *refusal)
{
    char quoted[ERR_QUOTE_ROOM];
    const struct token *token = &t->tokens.at[i];
    refusal->at = token->at;
    snprintf(refusal->text, sizeof refusal->text,
             "found '%s', which is not "
             "understood here",
             err_quote(quoted, sizeof quoted, token->at, token->n));
    return false;
}

bool
row_syntax_translate(const struct row_dialect *dialect, struct arena *arena,
                     const char *text, struct row_syntax *out,
                     struct refusal *refusal)
{
    *out = (struct row_syntax){.text = text};
    if (!dialect->folds)
        return true;
    struct translation t = {.written = text,
                            .text = arena_copy(arena, text, strlen(text))};
    tokens_read(text, flavour_of(dialect->scheme), &t.tokens);
    size_t wrong = find_strange(&t, strcmp(dialect->scheme, "duckdb") == 0);
    if (wrong == SIZE_MAX)
        wrong = find_hidden_select(&t);
    bool ok = wrong == SIZE_MAX || refuse(&t, wrong, refusal);
    if (ok && !translate_insert(&t, out))
        ok = refuse(&t, 1, refusal);
    if (ok)
        translate_rest(&t);
    out->text = t.text;
    vec_free(&t.tokens);
    return ok;
}
