/* plan.c -- see plan.h.
 *
 * SPDX-License-Identifier: MIT */
#include "campaign/plan.h"

#include "base/container/vec.h"
#include "base/json.h"
#include "base/memory/arena.h"
#include "base/print.h"
#include "base/random.h"

#include <inttypes.h>
#include <stdlib.h>

typedef VEC(const char *) values;
typedef VEC(size_t) value_numbers;

struct axis {
    const char *name;
    bool is_flag;
    values values;
};

struct block {
    const char *name; // NULL: before the first one
    VEC(struct axis) axes;
};

struct plan {
    const struct plan_request *q;
    struct arena arena;
    VEC(struct block) blocks; // the first one is part of the others
};

static const char *
trim(struct plan *p, const char *at, size_t n)
{
    while (n && (*at == ' ' || *at == '\t'))
        at++, n--;
    while (n && strchr(" \t\r", at[n - 1]))
        n--;
    return arena_copy(&p->arena, at, n);
}

/* --- values ----------------------------------------------------------------*/

/* Add 3, 4, 5 for "3..5". */
static bool
add_range(struct plan *p, const char *value, values *out, struct err *err)
{
    char *end;
    const uint64_t first = strtoull(value, &end, 10);
    if (end == value || strncmp(end, "..", 2) != 0) {
        vec_push(out, value);
        return true;
    }
    const char *second = end + 2;
    const uint64_t last = strtoull(second, &end, 10);
    if (end == second || *end || last < first || last - first >= PLAN_MOST_RUNS)
        return err_set(err, ERR_SYNTAX,
                       "found '%s', expected a range such as 1..20", value);
    for (uint64_t i = first; i <= last; i++) {
        char text[24];
        const size_t n = print_text(text, sizeof text, "%" PRIu64, i);
        vec_push(out, arena_copy(&p->arena, text, n));
    }
    return true;
}

/* Add the values between bars that stand alone: SQL has '||'. */
static bool
add_values(struct plan *p, const char *text, values *out, struct err *err)
{
    for (;;) {
        const char *bar = strstr(text, " | ");
        const size_t n = bar ? (size_t)(bar - text) : strlen(text);
        const char *value = trim(p, text, n);
        const size_t length = strlen(value);
        // A bar at the end of the line has lost its space.
        if (!length || (value[length - 1] == '|' &&
                        (length == 1 || value[length - 2] == ' ')))
            return err_set(err, ERR_SYNTAX,
                           "found no value, expected one, or "
                           "'-' to leave the option out");
        if (!add_range(p, value, out, err))
            return false;
        if (!bar)
            return true;
        text = bar + 3;
    }
}

static struct axis *
find_axis(struct block *b, const char *name)
{
    for (size_t i = 0; i < b->axes.n; i++)
        if (strcmp(b->axes.at[i].name, name) == 0)
            return &b->axes.at[i];
    return NULL;
}

static bool
add_axis(struct plan *p, const char *name, const char *text, struct err *err)
{
    struct block *b = &vec_top(&p->blocks);
    struct axis *axis = find_axis(b, name);
    if (!axis) {
        struct axis new = {.name = name};
        if (strcmp(name, "target") != 0 && strcmp(name, "sizes") != 0 &&
            !p->q->has_option(name, &new.is_flag))
            return err_set(err, ERR_SYNTAX,
                           "found '%s', expected target, sizes, or an option "
                           "of 'assay test'",
                           name);
        vec_push(&b->axes, new);
        axis = &vec_top(&b->axes);
    }
    const size_t before = axis->values.n;
    if (!add_values(p, text, &axis->values, err))
        return false;
    for (size_t i = before; axis->is_flag && i < axis->values.n; i++)
        if (strcmp(axis->values.at[i], "-") != 0 &&
            strcmp(axis->values.at[i], "yes") != 0)
            return err_set(err, ERR_SYNTAX, "found '%s', expected 'yes' or '-'",
                           axis->values.at[i]);
    return true;
}

static bool
read_line(struct plan *p, const char *line, struct err *err)
{
    const size_t n = strlen(line);
    if (!n || *line == '#')
        return true;
    if (*line == '[') {
        struct block new = {.name = line};
        if (line[n - 1] != ']')
            return err_set(err, ERR_SYNTAX, "found '%s', expected [a name]",
                           line);
        vec_push(&p->blocks, new);
        return true;
    }
    const char *sign = strchr(line, '=');
    if (!sign)
        return err_set(err, ERR_SYNTAX,
                       "found '%s', expected an axis, '=' and its values",
                       line);
    return add_axis(p, trim(p, line, (size_t)(sign - line)), sign + 1, err);
}

static bool
read_plan(struct plan *p, struct err *err)
{
    const char *at = p->q->text, *end = at + p->q->size;
    vec_push(&p->blocks, (struct block){0});
    for (uint64_t line = 1; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        if (!read_line(p, trim(p, at, (size_t)(stop - at)), err)) {
            err_at_line(err, line, 1);
            return err_in_file(err, p->q->name);
        }
        at = stop + (stop < end);
    }
    return true;
}

/* Give each block the axes before the first one. */
static bool
inherit(struct plan *p, struct err *err)
{
    const struct block *common = &p->blocks.at[0];
    for (size_t b = 1; b < p->blocks.n; b++) {
        struct block all = {.name = p->blocks.at[b].name};
        for (size_t i = 0; i < common->axes.n; i++) {
            const struct axis *axis = &common->axes.at[i];
            struct axis copy = {.name = axis->name, .is_flag = axis->is_flag};
            if (find_axis(&p->blocks.at[b], axis->name))
                continue;
            for (size_t v = 0; v < axis->values.n; v++)
                vec_push(&copy.values, axis->values.at[v]);
            vec_push(&all.axes, copy);
        }
        for (size_t i = 0; i < p->blocks.at[b].axes.n; i++)
            vec_push(&all.axes, p->blocks.at[b].axes.at[i]);
        vec_free(&p->blocks.at[b].axes);
        p->blocks.at[b] = all;
    }
    if (p->blocks.n > 1 || common->axes.n)
        return true;
    err_set(err, ERR_SYNTAX,
            "found no axis, expected one such as "
            "'target = sqlite:'");
    return err_in_file(err, p->q->name);
}

/* --- runs ------------------------------------------------------------------*/

static void
put_words(struct buf *out, const char *text)
{
    while (*(text += strspn(text, " "))) {
        const size_t n = strcspn(text, " ");
        json_bytes(out, NULL, text, n);
        text += n;
    }
}

static void
put_value(struct buf *out, const struct axis *axis, const char *value)
{
    if (strcmp(value, "-") == 0)
        return;
    if (strcmp(axis->name, "sizes") == 0)
        put_words(out, value);
    else if (strcmp(axis->name, "target") != 0)
        json_printf(out, NULL, axis->is_flag ? "--%s" : "--%s=%s", axis->name,
                    value);
    else if (strncmp(value, "start=", 6) == 0)
        json_printf(out, NULL, "--%s", value);
    else
        json_text(out, NULL, value);
}

/* The target is the first word. */
static void
put_run(struct plan *p, const struct block *b, const size_t *chosen,
        uint64_t draw, struct buf *out)
{
    bool has_seed = false;
    json_array(out, NULL);
    for (int others = 0; others < 2; others++)
        for (size_t i = 0; i < b->axes.n; i++) {
            const struct axis *axis = &b->axes.at[i];
            has_seed |= strcmp(axis->name, "seed") == 0;
            if (others == (strcmp(axis->name, "target") != 0))
                put_value(out, axis, axis->values.at[chosen[i]]);
        }
    if (p->q->draws && !has_seed)
        json_printf(out, NULL, "--seed=%" PRIu64, draw);
    json_array_end(out);
    buf_char(out, '\n');
}

/* Add the runs of a block: the values count up, the last axis fastest. */
static bool
put_product(struct plan *p, const struct block *b, struct buf *out,
            struct err *err)
{
    size_t n = 1;
    for (size_t i = 0; i < b->axes.n; i++) {
        n *= b->axes.at[i].values.n;
        if (n > PLAN_MOST_RUNS)
            return err_set(err, ERR_LIMIT,
                           "the plan has more than %d combinations; use "
                           "--draw",
                           PLAN_MOST_RUNS);
    }
    value_numbers chosen = {0};
    vec_grow(&chosen, b->axes.n);
    for (size_t run = 0; run < n; run++) {
        size_t rest = n, digit = run;
        for (size_t i = 0; i < b->axes.n; i++) {
            rest /= b->axes.at[i].values.n;
            chosen.at[i] = digit / rest;
            digit %= rest;
        }
        put_run(p, b, chosen.at, 0, out);
    }
    vec_free(&chosen);
    return true;
}

static void
put_draws(struct plan *p, size_t first, struct buf *out)
{
    struct random random;
    value_numbers chosen = {0};
    random_seed(&random, p->q->seed);
    for (uint64_t run = 1; run <= p->q->draws; run++) {
        const size_t n = p->blocks.n - first;
        const struct block *b = &p->blocks.at[first + random_below(&random, n)];
        vec_clear(&chosen);
        for (size_t i = 0; i < b->axes.n; i++)
            vec_push(&chosen, random_below(&random, b->axes.at[i].values.n));
        put_run(p, b, chosen.at, run, out);
    }
    vec_free(&chosen);
}

static void
free_plan(struct plan *p)
{
    for (size_t b = 0; b < p->blocks.n; b++) {
        for (size_t i = 0; i < p->blocks.at[b].axes.n; i++)
            vec_free(&p->blocks.at[b].axes.at[i].values);
        vec_free(&p->blocks.at[b].axes);
    }
    vec_free(&p->blocks);
    arena_free(&p->arena);
}

bool
plan_expand(const struct plan_request *q, struct buf *out, struct err *err)
{
    struct plan p = {.q = q};
    assert(q->has_option && q->draws <= PLAN_MOST_RUNS);
    bool ok = read_plan(&p, err) && inherit(&p, err);
    const size_t first = p.blocks.n > 1 ? 1 : 0;
    if (ok && q->draws)
        put_draws(&p, first, out);
    for (size_t b = first; ok && !q->draws && b < p.blocks.n; b++)
        ok = put_product(&p, &p.blocks.at[b], out, err);
    free_plan(&p);
    return ok;
}
