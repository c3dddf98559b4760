/* spec.c -- parse specifications, and enumerate interleavings.
 *
 * An interleaving is a permutation of a word in which each session occurs as
 * often as it has steps.  The next one in lexical order is computed in place.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/spec.h"

#include "base/ascii.h"
#include "format/input.h"

#include <stdio.h>
#include <string.h>

struct reader {
    const char *text, *at, *end;
    struct spec *out;
    struct err *err;
    bool is_in_session;
};

/* --- words -----------------------------------------------------------------*/

static void
find_place(const struct reader *r, const char *at, uint64_t *line,
           uint64_t *column)
{
    *line = *column = 1;
    for (const char *p = r->text; p < at; p++) {
        *column = *p == '\n' ? 1 : *column + 1;
        *line += *p == '\n';
    }
}

static bool
fail_at(const struct reader *r, const char *at, const char *what)
{
    uint64_t line, column;
    find_place(r, at, &line, &column);
    err_set(r->err, ERR_SYNTAX, "%s", what);
    return err_at_line(r->err, line, column);
}

static void
skip_space(struct reader *r)
{
    for (; r->at < r->end; r->at++)
        if (*r->at == '#')
            while (r->at + 1 < r->end && r->at[1] != '\n')
                r->at++;
        else if (!ascii_is_space(*r->at))
            return;
}

static bool
is_name(char c)
{
    return ascii_is_alnum(c) || c == '_' || c == '-' || c == '.';
}

/* A name, plain or in quotes; NULL if there is none here. */
static const char *
read_name(struct reader *r)
{
    skip_space(r);
    const char *begin = r->at;
    if (r->at < r->end && *r->at == '"') {
        const char *close =
            memchr(begin + 1, '"', (size_t)(r->end - begin - 1));
        if (!close)
            return NULL;
        r->at = close + 1;
        return arena_copy(&r->out->arena, begin + 1,
                          (size_t)(close - begin - 1));
    }
    while (r->at < r->end && is_name(*r->at))
        r->at++;
    return r->at == begin
               ? NULL
               : arena_copy(&r->out->arena, begin, (size_t)(r->at - begin));
}

/* The SQL between braces; it cannot contain a closing brace. */
static bool
read_block(struct reader *r, struct spec_block *out)
{
    skip_space(r);
    const char *open = r->at;
    if (r->at == r->end || *r->at != '{')
        return fail_at(r, r->at, "expected '{' and SQL");
    const char *close = memchr(open, '}', (size_t)(r->end - open));
    if (!close)
        return fail_at(r, open, "this '{' is not closed");
    const char *zero = memchr(open, 0, (size_t)(close - open));
    if (zero)
        return fail_at(r, zero, "a zero byte in SQL");
    out->sql = arena_copy(&r->out->arena, open + 1, (size_t)(close - open - 1));
    find_place(r, open + 1, &out->line, &out->column);
    r->at = close + 1;
    return true;
}

/* --- the parts -------------------------------------------------------------*/

static bool
read_setup(struct reader *r)
{
    struct spec_block block;
    if (!read_block(r, &block))
        return false;
    if (r->is_in_session)
        vec_top(&r->out->sessions).setup = block;
    else
        vec_push(&r->out->setups, block);
    return true;
}

static bool
read_teardown(struct reader *r)
{
    return read_block(r, r->is_in_session ? &vec_top(&r->out->sessions).teardown
                                          : &r->out->teardown);
}

static bool
read_session(struct reader *r)
{
    const char *start = r->at;
    const struct spec_session session = {.name = read_name(r),
                                         .setup = {.sql = ""},
                                         .teardown = {.sql = ""},
                                         .first = (uint32_t)r->out->steps.n};
    if (!session.name)
        return fail_at(r, start, "expected the name of a session");
    vec_push(&r->out->sessions, session);
    r->is_in_session = true;
    return true;
}

static uint32_t
find_step(const struct spec *s, const char *name)
{
    uint32_t i = 0;
    while (i < s->steps.n && strcmp(s->steps.at[i].name, name) != 0)
        i++;
    return i;
}

static bool
read_step(struct reader *r)
{
    skip_space(r);
    const char *start = r->at;
    struct spec_step step = {.name = read_name(r)};
    if (!r->is_in_session)
        return fail_at(r, start, "a step outside a session");
    if (!step.name)
        return fail_at(r, start, "expected the name of a step");
    if (find_step(r->out, step.name) < r->out->steps.n)
        return fail_at(r, start, "another step has this name already");
    if (!read_block(r, &step.block))
        return false;
    step.session = (uint32_t)(r->out->sessions.n - 1);
    vec_push(&r->out->steps, step);
    vec_top(&r->out->sessions).n++;
    return true;
}

/* Whether the next word begins another part. */
static bool
is_keyword(struct reader *r)
{
    static const char *const words[] = {"setup", "teardown", "session", "step",
                                        "permutation"};
    const struct reader before = *r;
    const char *name = read_name(r);
    *r = before;
    for (size_t i = 0; name && i < sizeof words / sizeof words[0]; i++)
        if (strcmp(name, words[i]) == 0)
            return true;
    return !name;
}

/* Skip the markers after a step, as in "w1(*)".  They say when PostgreSQL's
 * tester reports the step, which does not matter here. */
static bool
skip_marker(struct reader *r)
{
    skip_space(r);
    if (r->at == r->end || *r->at != '(')
        return true;
    const char *close = memchr(r->at, ')', (size_t)(r->end - r->at));
    if (!close)
        return fail_at(r, r->at, "this '(' is not closed");
    r->at = close + 1;
    return true;
}

static bool
read_permutation(struct reader *r)
{
    while (!is_keyword(r)) {
        skip_space(r);
        const char *start = r->at;
        const uint32_t step = find_step(r->out, read_name(r));
        if (step == r->out->steps.n)
            return fail_at(r, start, "there is no step of this name");
        vec_push(&r->out->permutations, step);
        if (!skip_marker(r))
            return false;
    }
    vec_push(&r->out->permutation_ends, (uint32_t)r->out->permutations.n);
    return true;
}

static bool
read_part(struct reader *r)
{
    static const struct {
        const char *word;
        bool (*read)(struct reader *r);
    } parts[] = {
        {"setup", read_setup},
        {"teardown", read_teardown},
        {"session", read_session},
        {"step", read_step},
        {"permutation", read_permutation},
    };
    const char *start = r->at;
    const char *word = read_name(r);
    for (size_t i = 0; word && i < sizeof parts / sizeof parts[0]; i++)
        if (strcmp(word, parts[i].word) == 0)
            return parts[i].read(r);
    return fail_at(r, start,
                   "expected setup, teardown, session, step or permutation");
}

bool
spec_parse(const char *text, size_t len, struct spec *out, struct err *err)
{
    *out = (struct spec){.teardown = {.sql = ""}};
    struct reader r = {text, text, text + len, out, err, false};
    bool ok = true;
    for (skip_space(&r); ok && r.at < r.end; skip_space(&r))
        ok = read_part(&r);
    if (ok && !out->steps.n)
        ok = err_set(err, ERR_SYNTAX, "a specification without steps");
    if (!ok)
        spec_free(out);
    return ok;
}

bool
spec_read(const char *path, struct spec *out, struct err *err)
{
    struct input in;
    if (!input_open(&in, path, err))
        return false;
    const bool ok = spec_parse(in.data, in.size, out, err);
    input_close(&in);
    if (ok)
        snprintf(out->file, sizeof out->file, "%s", path);
    return ok || err_in_file(err, path);
}

void
spec_free(struct spec *s)
{
    vec_free(&s->setups);
    vec_free(&s->sessions);
    vec_free(&s->steps);
    vec_free(&s->permutations);
    vec_free(&s->permutation_ends);
    arena_free(&s->arena);
}

/* --- interleavings ---------------------------------------------------------*/

size_t
spec_count(const struct spec *s, size_t most)
{
    if (s->permutation_ends.n)
        return s->permutation_ends.n < most ? s->permutation_ends.n : most;
    // (a + b + ...)! / (a! b! ...), one factor at a time.
    double n = 1;
    size_t placed = 0;
    for (size_t i = 0; i < s->sessions.n; i++)
        for (uint32_t k = 1; k <= s->sessions.at[i].n; k++)
            n = n * (double)++placed / k;
    return n < (double)most ? (size_t)(n + 0.5) : most;
}

static void
list_permutation(const struct spec *s, size_t index, u32_vec *order)
{
    const size_t begin = index ? s->permutation_ends.at[index - 1] : 0;
    vec_clear(order);
    for (size_t i = begin; i < s->permutation_ends.at[index]; i++)
        vec_push(order, s->permutations.at[i]);
}

/* The next word of sessions in lexical order, in place. */
static bool
next_word(u32_vec *word)
{
    size_t i = word->n - 1;
    while (i > 0 && word->at[i - 1] >= word->at[i])
        i--;
    if (i == 0)
        return false;
    size_t k = word->n - 1;
    while (word->at[k] <= word->at[i - 1])
        k--;
    uint32_t swapped = word->at[k];
    word->at[k] = word->at[i - 1];
    word->at[i - 1] = swapped;
    for (size_t a = i, b = word->n - 1; a < b; a++, b--) {
        swapped = word->at[a];
        word->at[a] = word->at[b];
        word->at[b] = swapped;
    }
    return true;
}

/* Replace steps by their sessions, or back: the k-th occurrence of a session is
 * its k-th step. */
static void
name_sessions(const struct spec *s, u32_vec *order)
{
    for (size_t i = 0; i < order->n; i++)
        order->at[i] = s->steps.at[order->at[i]].session;
}

static void
name_steps(const struct spec *s, u32_vec *order)
{
    u32_vec next = {0};
    for (size_t i = 0; i < s->sessions.n; i++)
        vec_push(&next, s->sessions.at[i].first);
    for (size_t i = 0; i < order->n; i++)
        order->at[i] = next.at[order->at[i]]++;
    vec_free(&next);
}

bool
spec_next(const struct spec *s, size_t index, u32_vec *order)
{
    if (s->permutation_ends.n) {
        if (index >= s->permutation_ends.n)
            return false;
        list_permutation(s, index, order);
        return true;
    }
    if (!order->n) {
        for (uint32_t i = 0; i < s->steps.n; i++)
            vec_push(order, i);
        return true;
    }
    name_sessions(s, order);
    const bool ok = next_word(order);
    name_steps(s, order);
    return ok;
}
