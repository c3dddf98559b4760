/* lexer.c -- see lexer.h.
 *
 * SPDX-License-Identifier: MIT */
#include "evidence/lexer.h"

void
lexer_init(struct lexer *l, const struct history *h, const char *text,
           size_t len, struct err *err)
{
    const uint32_t more = h->authors.n ? h->n_ops : 0;
    *l = (struct lexer){.h = h,
                        .most_ops = h->n_ops + more,
                        .most_values = h->n_values + more,
                        .at = text,
                        .end = text + len,
                        .line = text,
                        .line_end = text,
                        .err = err};
}

bool
lexer_expected(struct lexer *l, const char *expected)
{
    char quoted[ERR_QUOTE_ROOM];
    assert(l->line <= l->line_end);
    err_set(l->err, ERR_SYNTAX, "expected %s, found '%s'", expected,
            err_quote(quoted, sizeof quoted, l->line,
                      (size_t)(l->line_end - l->line)));
    return err_at_line(l->err, l->line_number, 0);
}

bool
lexer_next_line(struct lexer *l)
{
    l->line = l->line_end = l->at;
    l->line_number++;
    if (l->at == l->end) {
        err_set(l->err, ERR_SYNTAX, "the certificate ends before 'end'");
        return err_at_line(l->err, l->line_number, 0);
    }
    const char *newline = memchr(l->at, '\n', (size_t)(l->end - l->at));
    if (!newline) {
        err_set(l->err, ERR_SYNTAX, "the last line has no end");
        return err_at_line(l->err, l->line_number, 0);
    }
    l->line_end = newline;
    l->at = newline + 1;
    return true;
}

bool
lexer_at_end(const struct lexer *l)
{
    return l->line == l->line_end;
}

bool
lexer_take(struct lexer *l, const char *word)
{
    const size_t n = strlen(word);
    if ((size_t)(l->line_end - l->line) < n || memcmp(l->line, word, n) != 0)
        return false;
    if (l->line + n == l->line_end) {
        l->line += n;
        return true;
    }
    if (l->line[n] != ' ')
        return false;
    l->line += n + 1;
    return l->line < l->line_end; // no space at the end
}

bool
lexer_take_name(struct lexer *l, const char *const *names, size_t n,
                size_t *index)
{
    for (*index = 0; *index < n; ++*index)
        if (lexer_take(l, names[*index]))
            return true;
    return false;
}

bool
lexer_take_number(struct lexer *l, uint64_t *x)
{
    const char *p = l->line;
    *x = 0;
    while (p < l->line_end && *p >= '0' && *p <= '9') {
        if (*x > UINT32_MAX)
            return false;
        *x = *x * 10 + (uint64_t)(*p++ - '0');
    }
    if (p == l->line || (*l->line == '0' && p > l->line + 1))
        return false;
    if (p < l->line_end) {
        if (*p != ' ' || p + 1 == l->line_end)
            return false;
        p++;
    }
    l->line = p;
    return true;
}

bool
lexer_take_id(struct lexer *l, uint32_t bound, int may_be, uint32_t *id)
{
    if (may_be & MAY_BE_NONE && lexer_take(l, "-")) {
        *id = ID_NONE;
        return true;
    }
    if (may_be & MAY_BE_INIT && lexer_take(l, "init")) {
        *id = TXN_INIT;
        return true;
    }
    if (may_be & MAY_BE_OPEN && lexer_take(l, "?")) {
        *id = TXN_UNCHOSEN;
        return true;
    }
    uint64_t x;
    if (!lexer_take_number(l, &x) || x >= bound)
        return false;
    *id = (uint32_t)x;
    return true;
}

bool
lexer_take_txn(struct lexer *l, int may_be, txn_id *t)
{
    return lexer_take_id(l, l->h->n_txns, may_be, t);
}

bool
lexer_take_op(struct lexer *l, int may_be, op_id *op)
{
    return lexer_take_id(l, l->most_ops, may_be, op);
}

bool
lexer_read_count(struct lexer *l, const char *word, uint64_t *count)
{
    return lexer_next_line(l) &&
           ((lexer_take(l, word) && lexer_take_number(l, count) &&
             lexer_at_end(l)) ||
            lexer_expected(l, "a count"));
}
