/* naive_condition.c -- see naive_condition.h.
 *
 * One function for each level of precedence, and no step in between: the text
 * is read and evaluated at once.  PREDICATE_DEPTH bounds how deep that goes.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/rows/naive_condition.h"

#include "base/ascii.h"

#include <stdlib.h>

struct text {
    const struct row_log *l;
    struct row_cells row;
    const char *at;
    int depth;
};

/* A value: a number, or n bytes, or NULL. */
struct naive_value {
    enum { NO_VALUE, IS_NULL, IS_NUMBER, IS_TEXT } kind;
    long long number;
    struct buf text;
};

static void
skip(struct text *t)
{
    while (ascii_is_space(*t->at))
        t->at++;
}

static bool
is_part_of_word(char c)
{
    return ascii_is_alnum(c) || c == '_';
}

static bool
word(struct text *t, const char *upper)
{
    skip(t);
    size_t n = 0;
    while (upper[n] && ascii_upper(t->at[n]) == upper[n])
        n++;
    if (upper[n] || is_part_of_word(t->at[n]))
        return false;
    t->at += n;
    return true;
}

static bool
sign(struct text *t, const char *s)
{
    skip(t);
    if (strncmp(t->at, s, strlen(s)) != 0)
        return false;
    t->at += strlen(s);
    return true;
}

/* --- values ---------------------------------------------------------------*/

static void
look_up(const struct text *t, struct naive_value *v)
{
    v->kind = NO_VALUE;
    for (size_t i = 0; i < t->row.n; i++) {
        const struct row_cell *c = &t->row.at[i];
        const struct string name = strings_get(&t->l->names, c->column);
        if (name.len != v->text.n || memcmp(name.text, v->text.at, name.len))
            continue;
        v->kind = c->datum.type == ROW_DATUM_NULL  ? IS_NULL
                  : c->datum.type == ROW_DATUM_INT ? IS_NUMBER
                                                   : IS_TEXT;
        v->number = c->datum.number;
        if (v->kind == IS_TEXT) {
            const struct string s = strings_get(&t->l->names, c->datum.text);
            buf_clear(&v->text);
            buf_add(&v->text, s.text, s.len);
        }
        return;
    }
}

static void
quoted(struct text *t, struct naive_value *v)
{
    const char quote = *t->at++;
    for (; *t->at; t->at++) {
        if (*t->at == quote && t->at[1] != quote)
            break;
        if (*t->at == quote)
            t->at++;
        buf_char(&v->text, *t->at);
    }
    if (*t->at)
        t->at++;
}

/* A constant, or the value of a column. */
static struct naive_value
value(struct text *t)
{
    struct naive_value v = {.kind = NO_VALUE};
    buf_text(&v.text, "");
    skip(t);
    if (*t->at == '\'') {
        quoted(t, &v);
        v.kind = IS_TEXT;
    } else if (*t->at == '"') {
        quoted(t, &v);
        look_up(t, &v);
    } else if (*t->at == '-' || ascii_is_digit(*t->at)) {
        char *end;
        v.number = strtoll(t->at, &end, 10);
        v.kind = IS_NUMBER;
        t->at = end;
    } else if (word(t, "NULL")) {
        v.kind = IS_NULL;
    } else {
        while (is_part_of_word(*t->at))
            buf_char(&v.text, *t->at++);
        look_up(t, &v);
    }
    return v;
}

static enum naive_truth
truth(bool x)
{
    return x ? NAIVE_TRUE : NAIVE_FALSE;
}

static enum naive_truth
compare(const char *how, const struct naive_value *a,
        const struct naive_value *b)
{
    if (a->kind == NO_VALUE || b->kind == NO_VALUE)
        return NAIVE_MISTAKE;
    if (a->kind == IS_NULL || b->kind == IS_NULL)
        return NAIVE_UNKNOWN;
    if (a->kind != b->kind)
        return NAIVE_MISTAKE;
    int order = a->number < b->number ? -1 : a->number > b->number;
    if (a->kind == IS_TEXT) {
        const size_t n = a->text.n < b->text.n ? a->text.n : b->text.n;
        order = memcmp(a->text.at, b->text.at, n);
        if (!order)
            order = a->text.n < b->text.n ? -1 : a->text.n > b->text.n;
    }
    if (strcmp(how, "=") == 0)
        return truth(order == 0);
    if (strcmp(how, "<>") == 0 || strcmp(how, "!=") == 0)
        return truth(order != 0);
    if (strcmp(how, "<") == 0)
        return truth(order < 0);
    if (strcmp(how, "<=") == 0)
        return truth(order <= 0);
    return truth(strcmp(how, ">") == 0 ? order > 0 : order >= 0);
}

/* --- logic ----------------------------------------------------------------*/

static enum naive_truth not(enum naive_truth x) {
    return x == NAIVE_TRUE    ? NAIVE_FALSE
           : x == NAIVE_FALSE ? NAIVE_TRUE
                              : x;
}

static enum naive_truth and (enum naive_truth x, enum naive_truth y) {
    if (x == NAIVE_MISTAKE || y == NAIVE_MISTAKE) return NAIVE_MISTAKE;
    if (x == NAIVE_FALSE || y == NAIVE_FALSE) return NAIVE_FALSE;
    return x == NAIVE_TRUE && y == NAIVE_TRUE ? NAIVE_TRUE : NAIVE_UNKNOWN;
}

static enum naive_truth or (enum naive_truth x, enum naive_truth y) {
    return not(and(not(x), not(y)));
}

/* "(a, b, c)": equal to one of them. */
static enum naive_truth
one_of(struct text *t, const struct naive_value *v)
{
    enum naive_truth x = sign(t, "(") ? NAIVE_FALSE : NAIVE_MISTAKE;
    do {
        struct naive_value other = value(t);
        x = or (x, compare("=", v, &other));
        buf_free(&other.text);
    } while (sign(t, ","));
    return sign(t, ")") ? x : NAIVE_MISTAKE;
}

static enum naive_truth
between(struct text *t, const struct naive_value *v)
{
    struct naive_value low = value(t);
    const bool joined = word(t, "AND");
    struct naive_value high = value(t);
    const enum naive_truth x =
        and(compare(">=", v, &low), compare("<=", v, &high));
    buf_free(&low.text);
    buf_free(&high.text);
    return joined ? x : NAIVE_MISTAKE;
}

/* What follows a value. */
static enum naive_truth
relation(struct text *t, const struct naive_value *v)
{
    static const char *const signs[] = {
        "<>", "!=", "<=", ">=", "<", ">", "=", NULL};
    for (int i = 0; signs[i]; i++)
        if (sign(t, signs[i])) {
            struct naive_value other = value(t);
            const enum naive_truth x = compare(signs[i], v, &other);
            buf_free(&other.text);
            return x;
        }
    if (word(t, "IS")) {
        const bool negated = word(t, "NOT");
        if (!word(t, "NULL") || v->kind == NO_VALUE)
            return NAIVE_MISTAKE;
        return truth((v->kind == IS_NULL) != negated);
    }
    const bool negated = word(t, "NOT");
    const enum naive_truth x = word(t, "IN")        ? one_of(t, v)
                               : word(t, "BETWEEN") ? between(t, v)
                                                    : NAIVE_MISTAKE;
    return negated ? not(x) : x;
}

static enum naive_truth alternatives(struct text *t);

static enum naive_truth
condition(struct text *t)
{
    if (++t->depth > PREDICATE_DEPTH)
        return NAIVE_MISTAKE;
    enum naive_truth x;
    if (word(t, "NOT")) {
        x = not(condition(t));
    } else if (sign(t, "(")) {
        x = alternatives(t);
        if (!sign(t, ")"))
            x = NAIVE_MISTAKE;
    } else if (word(t, "TRUE")) {
        x = NAIVE_TRUE;
    } else if (word(t, "FALSE")) {
        x = NAIVE_FALSE;
    } else {
        struct naive_value v = value(t);
        x = relation(t, &v);
        buf_free(&v.text);
    }
    t->depth--;
    return x;
}

/* Conditions joined by AND. */
static enum naive_truth
all_of(struct text *t)
{
    enum naive_truth x = condition(t);
    while (word(t, "AND"))
        x = and(x, condition(t));
    return x;
}

/* Those joined by OR. */
static enum naive_truth
alternatives(struct text *t)
{
    enum naive_truth x = all_of(t);
    while (word(t, "OR"))
        x = or (x, all_of(t));
    return x;
}

enum naive_truth
naive_condition(const struct row_log *l, const char *text, uint32_t content)
{
    struct text t = {.l = l, .at = text, .row = row_log_cells(l, content)};
    const enum naive_truth x = alternatives(&t);
    skip(&t);
    return *t.at ? NAIVE_MISTAKE : x;
}
