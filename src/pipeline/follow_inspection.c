/* follow_inspection.c -- see follow_inspection.h.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/follow_inspection.h"

#include "pipeline/stream_inspection.h"

struct run {
    const struct inspection_options *o;
    const struct follow_watch *w;
    struct summary summary; // of what was read so far
};

static bool
go_on(void *self, const struct follow_state *s)
{
    struct run *r = self;
    stream_inspection_sum_up(s->sizes, s->keys, &r->summary);
    return r->w->go_on(r->w->self, s);
}

static void
add_to_reports(const struct run *r, const struct check *c,
               const struct explanation *e)
{
    const struct report_run run = {.path = r->w->name,
                                   .format = "jsonl",
                                   .summary = &r->summary,
                                   .check = c,
                                   .explanations = e};
    for (size_t i = 0; i < r->o->n_reports; i++)
        report_add(&r->o->reports[i], &run);
}

static bool
violated(void *self, const struct history *part, const struct check *c,
         const char *place, struct err *err)
{
    struct run *r = self;
    struct explanation e = {.level = r->w->level, .cut_short = true};
    (void)place;
    if (r->o->explain &&
        !explain_result(part, c, &c->results.at[0], &r->o->explaining, &e, err))
        return false;
    add_to_reports(r, c, &e);
    explanation_free(&e);
    r->w->shown(r->w->self);
    return true;
}

/* The verdict of a stream without violations. */
static void
add_verdict(const struct run *r, const struct follow_result *result)
{
    struct check c = {0};
    const struct explanation e = {.level = r->w->level};
    struct level_result row = {.level = r->w->level, .by = r->w->level};
    row.certificate.level = r->w->level;
    row.certificate.verdict = result->verdict;
    snprintf(row.reason, sizeof row.reason, "%s", result->reason);
    vec_push(&c.results, row);
    add_to_reports(r, &c, &e);
    check_free(&c);
}

bool
follow_inspection_run(const struct inspection_options *o,
                      const struct follow_watch *w, struct follow_result *out,
                      struct err *err)
{
    struct run r = {.o = o, .w = w};
    const struct follow_options options = {
        .source = {.path = w->path, .format = "jsonl", .is_followed = true},
        .window = w->window,
        .settle = w->settle,
        .checkpoint = w->checkpoint,
        .checkpoint_every = w->checkpoint_every,
        .level = w->level,
        .check = o->check,
        .self = &r,
        .violated = violated,
        .go_on = go_on};
    if (!follow_run(&options, out, err))
        return err_in_file(err, w->path);
    stream_inspection_sum_up(&out->sizes, out->state.keys, &r.summary);
    if (out->verdict != VERDICT_VIOLATED)
        add_verdict(&r, out);
    return true;
}
