/* predicate.c -- see predicate.h.
 *
 * Comparisons have no nesting, so each is one step.  AND, OR, NOT and
 * parentheses are sorted by precedence with a stack of pending operators, as in
 * Dijkstra's shunting yard, and no text makes this program recurse.
 *
 *   (1) while a text is parsed, 'pending' holds operators and parentheses, and
 *       the steps so far leave one value more than 'pending' has open binary
 *       operators, once an operand of the innermost is there;
 *   (2) a parsed predicate leaves exactly one value.
 *
 * SPDX-License-Identifier: MIT */
#include "history/row/predicate.h"

#include "base/ascii.h"

struct parser {
    struct predicate *p;
    const char *at, *end;
    struct strings *names;
    struct err *err;
    VEC(struct predicate_step) pending; // see (1)
};

static void
skip_space(struct parser *s)
{
    while (s->at < s->end && ascii_is_space(*s->at))
        s->at++;
}

static bool
is_word_byte(char c)
{
    return ascii_is_alnum(c) || c == '_';
}

/* The end of the word at s->at. */
static const char *
word_end(const struct parser *s)
{
    const char *end = s->at;
    while (end < s->end && is_word_byte(*end))
        end++;
    return end;
}

static bool
fail(struct parser *s, const char *expected)
{
    skip_space(s);
    const char *end = word_end(s);
    if (end == s->at && end < s->end)
        end++;
    char shown[ERR_QUOTE_ROOM];
    if (s->at == s->end)
        return err_set(s->err, ERR_SYNTAX,
                       "found the end of the condition, expected %s", expected);
    err_quote(shown, sizeof shown, s->at, (size_t)(end - s->at));
    return err_set(s->err, ERR_SYNTAX, "found '%s', expected %s", shown,
                   expected);
}

/* Take a keyword in any case. */
static bool
take_word(struct parser *s, const char *word)
{
    skip_space(s);
    const size_t n = strlen(word);
    if ((size_t)(word_end(s) - s->at) != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (ascii_upper(s->at[i]) != word[i])
            return false;
    s->at += n;
    return true;
}

static bool
take_sign(struct parser *s, const char *sign)
{
    skip_space(s);
    const size_t n = strlen(sign);
    if ((size_t)(s->end - s->at) < n || memcmp(s->at, sign, n) != 0)
        return false;
    s->at += n;
    return true;
}

/* --- operands -------------------------------------------------------------*/

/* Text between two quotes, which are doubled inside. */
static bool
take_quoted(struct parser *s, char quote, uint32_t *out)
{
    VEC(char) text = {0};
    bool closed = false;
    for (s->at++; s->at < s->end && !closed; s->at++) {
        const bool twice = s->at + 1 < s->end && s->at[1] == quote;
        closed = *s->at == quote && !twice;
        s->at += *s->at == quote && twice;
        if (!closed)
            vec_push(&text, *s->at);
    }
    if (closed)
        *out = strings_add(s->names, text.at ? text.at : "", text.n);
    vec_free(&text);
    if (closed)
        return true;
    return fail(s, "a closing quote");
}

static bool
take_integer(struct parser *s, struct row_datum *out)
{
    const bool negative = *s->at == '-';
    s->at += negative;
    if (s->at == s->end || !ascii_is_digit(*s->at))
        return fail(s, "a digit");
    int64_t x = 0;
    for (; s->at < s->end && ascii_is_digit(*s->at); s->at++)
        if (__builtin_mul_overflow(x, 10, &x) ||
            __builtin_sub_overflow(x, *s->at - '0', &x))
            return fail(s, "an integer of 64 bits");
    if (s->at < s->end && (is_word_byte(*s->at) || *s->at == '.'))
        return fail(s, "the end of the integer");
    *out = (struct row_datum){.type = ROW_DATUM_INT, .number = x};
    return negative || !__builtin_sub_overflow((int64_t)0, x, &out->number) ||
           fail(s, "an integer of 64 bits");
}

static bool
is_reserved(struct parser *s)
{
    static const char *const words[] = {"AND", "OR",      "NOT", "IN",
                                        "IS",  "BETWEEN", NULL};
    const char *at = s->at;
    bool found = false;
    for (int i = 0; words[i] && !found; i++)
        found = take_word(s, words[i]);
    s->at = at;
    return found;
}

static bool
take_operand(struct parser *s, uint32_t *out)
{
    skip_space(s);
    struct predicate_operand o = {0};
    const char c = s->at < s->end ? *s->at : 0;
    bool ok = true;
    if (c == '\'') {
        o.datum.type = ROW_DATUM_TEXT;
        ok = take_quoted(s, c, &o.datum.text);
    } else if (c == '"') {
        o.is_column = true;
        ok = take_quoted(s, c, &o.column);
    } else if (c == '-' || ascii_is_digit(c)) {
        ok = take_integer(s, &o.datum);
    } else if (take_word(s, "NULL")) {
        o.datum.type = ROW_DATUM_NULL;
    } else if (is_word_byte(c) && !is_reserved(s)) {
        const char *end = word_end(s);
        o.is_column = true;
        o.column = strings_add(s->names, s->at, (size_t)(end - s->at));
        s->at = end;
        skip_space(s);
        if (s->at < s->end && (*s->at == '(' || *s->at == '.'))
            return fail(s, "a comparison");
    } else {
        return fail(s, "a column or a value");
    }
    *out = (uint32_t)s->p->operands.n;
    if (ok)
        vec_push(&s->p->operands, o);
    return ok;
}

/* --- conditions without AND, OR and NOT -----------------------------------*/

static bool
take_comparison(struct parser *s, enum predicate_sign *out)
{
    static const struct {
        const char *sign;
        enum predicate_sign comparison;
    } signs[] = {
        {"<>", SIGN_NOT_EQUAL},  {"!=", SIGN_NOT_EQUAL},
        {"<=", SIGN_LESS_EQUAL}, {">=", SIGN_GREATER_EQUAL},
        {"<", SIGN_LESS},        {">", SIGN_GREATER},
        {"=", SIGN_EQUAL},
    };
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (take_sign(s, signs[i].sign)) {
            *out = signs[i].comparison;
            return true;
        }
    return false;
}

/* The values of IN, which are consecutive operands. */
static bool
take_values(struct parser *s, struct predicate_step *step)
{
    if (!take_sign(s, "("))
        return fail(s, "'('");
    step->b = (uint32_t)s->p->operands.n;
    do {
        uint32_t value;
        if (!take_operand(s, &value))
            return false;
        step->n++;
    } while (take_sign(s, ","));
    return take_sign(s, ")") || fail(s, "',' or ')'");
}

static bool
take_between(struct parser *s, struct predicate_step *step)
{
    uint32_t upper;
    if (!take_operand(s, &step->b))
        return false;
    if (!take_word(s, "AND"))
        return fail(s, "AND");
    return take_operand(s, &upper);
}

/* What follows the first operand of a condition. */
static bool
take_relation(struct parser *s, struct predicate_step *step)
{
    if (take_comparison(s, &step->comparison)) {
        step->kind = STEP_COMPARE;
        return take_operand(s, &step->b);
    }
    if (take_word(s, "IS")) {
        step->kind = STEP_IS_NULL;
        step->is_negated = take_word(s, "NOT");
        return take_word(s, "NULL") || fail(s, "NULL");
    }
    step->is_negated = take_word(s, "NOT");
    if (take_word(s, "IN")) {
        step->kind = STEP_IN;
        return take_values(s, step);
    }
    if (take_word(s, "BETWEEN")) {
        step->kind = STEP_BETWEEN;
        return take_between(s, step);
    }
    return fail(s, "a comparison, IN, BETWEEN or IS");
}

static bool
take_condition(struct parser *s)
{
    skip_space(s);
    struct predicate_step step = {0};
    if (take_word(s, "TRUE"))
        step.truth = ROW_TRUE;
    else if (take_word(s, "FALSE"))
        step.truth = ROW_FALSE;
    else if (!take_operand(s, &step.a) || !take_relation(s, &step))
        return false;
    vec_push(&s->p->steps, step);
    return true;
}

/* --- precedence -----------------------------------------------------------*/

/* NOT before AND before OR. */
static int
strength(enum predicate_step_kind kind)
{
    return kind == STEP_NOT   ? 3
           : kind == STEP_AND ? 2
           : kind == STEP_OR  ? 1
                              : 0;
}

/* Add the pending operators that bind at least so strongly to the steps. */
static void
apply_pending(struct parser *s, int least)
{
    while (s->pending.n && strength(vec_top(&s->pending).kind) >= least &&
           vec_top(&s->pending).kind != STEP_PARENTHESIS) {
        const struct predicate_step step = vec_pop(&s->pending);
        vec_push(&s->p->steps, step);
    }
}

static void
push_pending(struct parser *s, enum predicate_step_kind kind)
{
    vec_push(&s->pending, (struct predicate_step){.kind = kind});
}

/* What stands before a condition: NOT and opening parentheses. */
static void
take_prefixes(struct parser *s)
{
    for (;;) {
        if (take_word(s, "NOT"))
            push_pending(s, STEP_NOT);
        else if (take_sign(s, "("))
            push_pending(s, STEP_PARENTHESIS);
        else
            return;
    }
}

static bool
take_closing(struct parser *s)
{
    while (take_sign(s, ")")) {
        apply_pending(s, 1);
        if (!s->pending.n) {
            s->at--;
            return fail(s, "AND, OR or the end of the condition");
        }
        (void)vec_pop(&s->pending); // the parenthesis
    }
    return true;
}

static bool
parse(struct parser *s)
{
    for (;;) {
        take_prefixes(s);
        if (s->pending.n > PREDICATE_DEPTH)
            return fail(s, "fewer nested conditions");
        if (!take_condition(s) || !take_closing(s))
            return false;
        const bool both = take_word(s, "AND");
        if (!both && !take_word(s, "OR"))
            break;
        apply_pending(s, both ? 2 : 1);
        push_pending(s, both ? STEP_AND : STEP_OR);
    }
    apply_pending(s, 1);
    if (s->pending.n)
        return fail(s, "AND, OR or ')'");
    return s->at == s->end || fail(s, "AND, OR or the end of the condition");
}

bool
predicate_parse(struct predicate *p, const char *text, size_t len,
                struct strings *names, size_t *where, struct err *err)
{
    *p = (struct predicate){0};
    struct parser s = {
        .p = p, .at = text, .end = text + len, .names = names, .err = err};
    const bool ok =
        memchr(text, 0, len)
            ? err_set(err, ERR_SYNTAX, "found a zero byte, expected text")
            : parse(&s);
    *where = (size_t)(s.at - text);
    vec_free(&s.pending);
    if (!ok)
        predicate_free(p);
    return ok;
}

void
predicate_free(struct predicate *p)
{
    vec_free(&p->steps);
    vec_free(&p->operands);
}
