/* story.c -- what happened, in order; see story.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/anomaly/story.h"

#include "prove/execute/print/print.h"

#include <string.h>

/* The statements of each member as they ran. */
struct member_steps {
    VEC(struct story_step) steps;
};

struct collecting {
    struct story *story;
    struct member_steps members[INTERLEAVING_MOST];
};

char *
story_keep(struct story *s, struct buf *text)
{
    char *const copy = arena_copy(&s->arena, text->n ? text->at : "", text->n);
    buf_free(text);
    return copy;
}

static void
note_statement(void *context, uint32_t member, const struct statement *s,
               const struct datum *variables, const uint32_t *used)
{
    struct collecting *c = context;
    const struct finding *f = c->story->finding;
    struct buf text = {0};
    print_statement(&text, f->interleaving.program, &f->members[member], s,
                    variables, used, f->isolation->innodb);
    const struct story_step step = {
        STORY_STATEMENT, member, s->line, story_keep(c->story, &text), "", s};
    vec_push(&c->members[member].steps, step);
}

/* The type of value i of an observation. */
static enum value_type
type_seen(const struct statement *s, size_t i, size_t n)
{
    if (s->kind == STATEMENT_SELECT)
        return i || n > 1 || s->hidden ? s->query->targets[i].value->type
                                       : TYPE_UNKNOWN;
    if (s->kind == STATEMENT_ROWS || s->kind == STATEMENT_FOR)
        return s->query->targets[i % s->query->n_targets].value->type;
    if (s->n_returning)
        return s->returning[i].value->type;
    return s->value ? s->value->type : TYPE_INTEGER;
}

/* The values of an observation, as text. */
static void
show_observation(struct buf *out, const struct program *p, const struct run *r,
                 const struct observation *o, enum value_type first)
{
    for (size_t i = 0; i < o->n; i++) {
        enum value_type type = type_seen(o->statement, i, o->n);
        if (type == TYPE_UNKNOWN)
            type = first;
        buf_text(out, i ? ", " : "");
        print_value(out, p, type, r->values.at[o->first + i]);
    }
}

/* Whether observation i, that a SELECT found a row, is followed by the row. */
static bool
has_row(const struct run *r, size_t i)
{
    const struct observation *o = &r->observations.at[i];
    return !o->statement->hidden && r->values.at[o->first].number;
}

/* Whether observation i says if a SELECT found a row.  In a loop, one SELECT
 * may follow itself. */
static bool
is_found(const struct run *r, size_t i)
{
    const struct statement *s = r->observations.at[i].statement;
    size_t at = i;
    if (s->kind != STATEMENT_SELECT)
        return false;
    while (at > 0 && r->observations.at[at - 1].statement == s)
        at--;
    while (at < i)
        at += has_row(r, at) ? 2 : 1;
    return at == i;
}

/* Observation i of a run: a SELECT first shows whether there is a row. */
static void
show(struct buf *out, const struct program *p, const struct run *r, size_t i)
{
    const struct observation *o = &r->observations.at[i];
    if (is_found(r, i)) {
        if (!r->values.at[o->first].number)
            buf_text(out, "no row");
        else if (!has_row(r, i))
            buf_text(out, "a row");
        return;
    }
    if (!o->n)
        buf_text(out,
                 o->statement->kind == STATEMENT_SELECT ? "a row" : "no row");
    show_observation(out, p, r, o,
                     o->statement->query && o->statement->query->n_targets
                         ? o->statement->query->targets[0].value->type
                         : TYPE_INTEGER);
}

/* Give each step what its statement showed. */
static void
add_observations(struct collecting *c, uint32_t member)
{
    const struct finding *f = c->story->finding;
    const struct run *r = &f->interleaving.runs[member];
    struct member_steps *m = &c->members[member];
    size_t at = 0;
    for (size_t i = 0; i < r->observations.n; i++) {
        const struct observation *o = &r->observations.at[i];
        size_t k = at;
        while (k < m->steps.n && m->steps.at[k].statement != o->statement)
            k++;
        struct buf text = {0};
        show(&text, f->interleaving.program, r, i);
        char *seen = story_keep(c->story, &text);
        if (k == m->steps.n) {
            // RETURN of a value that reads no table: a step of its own.
            const struct story_step step = {
                STORY_STATEMENT, member, o->statement->line, "", seen, NULL};
            vec_push(&m->steps, step);
            continue;
        }
        if (*seen)
            m->steps.at[k].seen = seen;
        const bool more =
            o->statement->kind == STATEMENT_SELECT
                ? is_found(r, i) && has_row(r, i)
                : i + 1 < r->observations.n &&
                      r->observations.at[i + 1].statement == o->statement;
        at = more ? k : k + 1;
    }
}

static void
add_step(struct story *s, enum story_step_kind kind, uint32_t member)
{
    const struct story_step step = {kind, member, 0, "", "", NULL};
    vec_push(&s->steps, step);
}

static void
add_steps(struct collecting *c, uint32_t member, size_t from, size_t to)
{
    struct member_steps *m = &c->members[member];
    for (size_t i = from; i < to && i < m->steps.n; i++)
        vec_push(&c->story->steps, m->steps.at[i]);
}

static void
add_whole(struct collecting *c, uint32_t member, bool commits)
{
    add_step(c->story, STORY_SNAPSHOT, member);
    add_steps(c, member, 0, SIZE_MAX);
    if (commits)
        add_step(c->story, STORY_COMMIT, member);
}

/* Put the steps of the members in the order in which they happened. */
static void
arrange(struct collecting *c)
{
    struct story *s = c->story;
    const struct finding *f = s->finding;
    const struct interleaving *e = &f->interleaving;
    if (f->shape == SHAPE_INTERRUPTED) {
        add_step(s, STORY_SNAPSHOT, 0);
        add_steps(c, 0, 0, e->split);
        for (uint32_t i = 1; i < f->n; i++)
            add_whole(c, i, !(e->waits && i + 1 == f->n));
        if (e->waits) {
            const size_t at = s->steps.n;
            add_steps(c, 0, e->split, e->split + 1);
            if (s->steps.n > at)
                s->steps.at[at].kind = STORY_WAIT;
            add_step(s, STORY_COMMIT, f->n - 1);
        }
        add_steps(c, 0, e->split + e->waits, SIZE_MAX);
        add_step(s, STORY_COMMIT, 0);
        return;
    }
    const bool delayed = f->shape == SHAPE_DELAYED;
    if (delayed)
        add_step(s, STORY_SNAPSHOT, f->n - 1);
    for (uint32_t i = 0; i + delayed < f->n; i++)
        add_whole(c, i, true);
    if (delayed) {
        add_steps(c, f->n - 1, 0, SIZE_MAX);
        add_step(s, STORY_COMMIT, f->n - 1);
    }
}

/* --- serial orders --------------------------------------------------------*/

/* The first thing that is different when the members run in this order. */
static char *
difference(struct story *s, const uint32_t *order, struct run *runs,
           struct dataset *final)
{
    const struct finding *f = s->finding;
    const struct interleaving *e = &f->interleaving;
    const struct program *p = e->program;
    struct buf text = {0};
    interleaving_try_order(e, order, runs, final);
    for (uint32_t i = 0; i < f->n && !text.n; i++) {
        const uint32_t t = order[i];
        const struct run *was = &e->runs[t], *would = &runs[t];
        if (would->end == RUN_ABORTS)
            buf_printf(&text, "T%u would abort in line %u", t + 1,
                       would->aborted_at);
        for (size_t j = 0; !text.n && j < was->observations.n; j++) {
            const struct observation *o = &was->observations.at[j];
            struct buf a = {0}, b = {0};
            show(&a, p, was, j);
            if (j < would->observations.n)
                show(&b, p, would, j);
            if (strcmp(a.n ? a.at : "", b.n ? b.at : "") != 0)
                buf_printf(&text, "T%u would get %s in line %u, not %s", t + 1,
                           b.n ? b.at : "another row", o->statement->line,
                           a.n ? a.at : "what it got");
            buf_free(&a);
            buf_free(&b);
        }
    }
    for (uint32_t i = 0; !text.n && i < p->tables.n; i++) {
        struct buf a = {0}, b = {0};
        print_rows(&a, &e->final, i);
        print_rows(&b, final, i);
        if (strcmp(a.n ? a.at : "", b.n ? b.at : "") != 0)
            buf_printf(&text, "%s would end as %s, not %s",
                       p->tables.at[i].name, b.n ? b.at : "empty",
                       a.n ? a.at : "empty");
        buf_free(&a);
        buf_free(&b);
    }
    return story_keep(s, &text);
}

static void
tell_orders(struct story *s)
{
    const struct finding *f = s->finding;
    struct run runs[INTERLEAVING_MOST] = {{0}};
    struct dataset final;
    uint32_t order[INTERLEAVING_MOST];
    dataset_init(&final, f->interleaving.program);
    for (uint32_t i = 0; i < f->n; i++)
        order[i] = i;
    do {
        if (s->orders.n == STORY_ORDERS) {
            s->orders_more++;
            continue;
        }
        struct story_order o = {.why = difference(s, order, runs, &final)};
        memcpy(o.order, order, sizeof order);
        vec_push(&s->orders, o);
    } while (interleaving_next_order(order, f->n));
    for (uint32_t i = 0; i < INTERLEAVING_MOST; i++)
        run_free(&runs[i]);
    dataset_free(&final);
}

void
story_init(struct story *s, const struct finding *f)
{
    assert(f->kind == FINDING_ANOMALY);
    *s = (struct story){.finding = f};
    struct collecting c = {.story = s};
    // Once more, this time with its statements recorded.
    struct interleaving e;
    interleaving_init(&e, f->interleaving.program, &f->initial, f->members,
                      f->n);
    e.shape = f->shape;
    memcpy(e.visible, f->interleaving.visible, sizeof e.visible);
    memcpy(e.session, f->interleaving.session, sizeof e.session);
    e.split = f->interleaving.split;
    e.waits = f->interleaving.waits;
    e.trace = note_statement;
    e.trace_context = &c;
    interleaving_run(&e, f->isolation);
    interleaving_free(&e);
    for (uint32_t i = 0; i < f->n; i++)
        add_observations(&c, i);
    arrange(&c);
    story_find_edges(s);
    if (f->graph) {
        s->n_cycle = dependency_cycle(f, s->cycle);
        s->is_hidden =
            interleaving_explain(&f->interleaving, s->same) == SERIAL_FOUND;
    }
    if (!s->is_hidden)
        tell_orders(s);
    for (uint32_t i = 0; i < f->n; i++)
        vec_free(&c.members[i].steps);
}

void
story_free(struct story *s)
{
    vec_free(&s->steps);
    vec_free(&s->edges);
    vec_free(&s->orders);
    arena_free(&s->arena);
    memset(s, 0, sizeof *s);
}
