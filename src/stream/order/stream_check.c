/* stream_check.c -- see stream_check.h.
 *
 * The strict levels and the others form two chains, with a pass each: an order
 * for one need not be one for the other.  Then the input is read once more, if
 * there are suspects, to find everybody who wrote what they read.
 *
 * SPDX-License-Identifier: MIT */
#include "stream/order/stream_check.h"

#include "history/tested.h"
#include "level/names.h"

#include <assert.h>
#include <sys/stat.h>

struct run {
    const struct stream_options *o;
    struct stream_check *out;
    struct stream_names names;
    suspects suspects;
    level_set held;
    bool can_read_again, is_late;
};

#define WORK (60 * BUDGET_SECOND) // for a part that may be violated

/* Whether the input is in files: not stdin, nor another pipe. */
static bool
is_in_files(const struct stream_source *source)
{
    struct stat st;
    return source->text ||
           (strcmp(source->path, "-") != 0 && stat(source->path, &st) == 0 &&
            (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)));
}

/* --- passes ----------------------------------------------------------------*/

static void
note_sizes(struct run *run, const struct stream_reader *r)
{
    struct stream_check *out = run->out;
    out->sizes = *stream_reader_sizes(r);
    out->keys = run->names.keys.all.tags.n;
    out->has_times = stream_reader_has_times(r);
    out->is_cut = stream_reader_is_cut(r);
    out->format = stream_reader_format(r);
    run->is_late |= stream_reader_is_late(r);
}

static struct stream_reader *
open_reader(struct run *run, struct err *err)
{
    return stream_reader_open(&run->o->source, &run->names, run->o->window,
                              err);
}

/* Complete the file with the order, if the level holds of a history that tests
 * something. */
static bool
end_order(struct run *run, struct stream_pass *p, struct order_writer *w,
          bool ok, struct err *err)
{
    const bool holds = ok && p->levels && run->out->sizes.tested &&
                       !run->is_late && !level_is_orderless(p->level);
    if (holds)
        running_order_write_rest(&p->order);
    struct err ignored = {0};
    const bool closed = order_writer_close(w, holds, holds ? err : &ignored);
    run->out->has_order = holds && closed;
    return ok && (!holds || closed);
}

static void
note_pass(struct run *run, struct stream_pass *p)
{
    note_sizes(run, p->reader);
    run->held |= p->levels;
    for (size_t i = 0; i < p->suspects.n; i++)
        vec_push(&run->suspects, p->suspects.at[i]);
    p->suspects.n = 0;
    run->out->stats.windows += p->stats.windows;
    run->out->stats.window_txns += p->stats.window_txns;
    run->out->stats.fetched += p->stats.fetched;
    run->out->stats.moves += p->stats.moves;
    if (p->stats.largest > run->out->stats.largest)
        run->out->stats.largest = p->stats.largest;
}

/* One pass, for the levels of one chain. */
static bool
make_pass(struct run *run, level_set levels, struct err *err)
{
    struct stream_reader *reader = open_reader(run, err);
    if (!reader)
        return false;
    struct stream_pass p = {.names = &run->names,
                            .reader = reader,
                            .window = run->o->window,
                            .check = &run->o->check,
                            .earlier = &run->suspects,
                            .levels = levels};
    struct order_writer w;
    pass_begin(&p);
    const struct order_header header = {
        .level = p.level, .wait = p.window, .window = p.order.window};
    bool ok =
        !run->o->order || order_writer_open(&w, run->o->order, &header, err);
    if (ok) {
        p.order.out = run->o->order ? &w : NULL;
        ok = pass_run(&p, err);
        if (ok)
            note_pass(run, &p);
        if (run->o->order)
            ok = end_order(run, &p, &w, ok, err);
    }
    pass_free(&p);
    stream_reader_close(reader);
    return ok;
}

/* The strict levels, which need times, after the others. */
static bool
make_strict_pass(struct run *run, level_set strict, bool all, struct err *err)
{
    if (!make_pass(run, strict, err))
        return false;
    if (run->out->has_times)
        return true;
    if (!all)
        return err_set(err, ERR_USAGE,
                       "strict levels need begin and end times, and this "
                       "history has none");
    run->held &= ~strict;
    run->out->skipped = strict;
    return true;
}

static bool
make_passes(struct run *run, struct err *err)
{
    const level_set levels = run->o->check.levels;
    const bool all = levels & LEVEL_SET_ALL;
    const level_set strict = levels & level_strict();
    const level_set plain = levels & ~strict & ~LEVEL_SET_ALL;
    const bool both = plain && strict;
    if (both && !all && !run->can_read_again)
        return err_set(err, ERR_USAGE,
                       "strict levels take a pass of their own: a pipe can be "
                       "read once, so check them alone, or a file");
    if (plain && !make_pass(run, plain, err))
        return false;
    if (all && (!run->out->has_times || !run->can_read_again)) {
        run->out->skipped = strict;
        return true;
    }
    return !strict || make_strict_pass(run, strict, all, err);
}

/* --- suspects --------------------------------------------------------------*/

static void
collect_names(struct run *run, struct stream_reader *reader)
{
    struct names_collection c;
    names_collect_begin(&c, &run->names);
    stream_reader_keep_names(reader, &c);
    for (size_t i = 0; i < run->suspects.n; i++)
        suspect_keep_names(&run->suspects.at[i], &c);
    names_collect_end(&c);
}

/* Find everybody who wrote what a suspect reads. */
static bool
find_writers(struct run *run, struct err *err)
{
    const size_t most = PASS_DEPTH * run->o->window;
    struct stream_txn *t;
    struct stream_reader *reader = open_reader(run, err);
    if (!reader)
        return false;
    for (size_t i = 0; i < run->suspects.n; i++)
        suspect_begin(&run->suspects.at[i], &run->names);
    bool ok;
    while ((ok = stream_reader_next(reader, &t, err)) && t) {
        for (size_t i = 0; i < run->suspects.n; i++)
            suspect_note(&run->suspects.at[i], t, most);
        mem_free(t);
        if (names_are_many(&run->names))
            collect_names(run, reader);
    }
    const struct stream_sizes *n = stream_reader_sizes(reader);
    if (ok && (n->transactions != run->out->sizes.transactions ||
               n->operations != run->out->sizes.operations))
        ok = err_set(err, ERR_IO, "the input changed while it was checked");
    stream_reader_close(reader);
    return ok;
}

/* Check a suspect's part at a level. */
static bool
check_part(struct run *run, struct suspect *s, struct stream_result *r,
           struct err *err)
{
    struct check_options o = run->o->check;
    o.levels = 1u << r->level;
    o.is_part = true;
    o.work = WORK;
    suspect_history(s, &run->names,
                    run->out->has_times && level_table[r->level].needs_times,
                    run->out->is_cut, &r->part);
    if (!check_history(&r->part, &o, &r->check, err)) {
        history_free(&r->part);
        return false;
    }
    r->verdict = r->check.results.at[0].certificate.verdict;
    if (r->verdict == VERDICT_VIOLATED)
        return true;
    if (!s->is_whole)
        r->verdict = VERDICT_UNKNOWN;
    else
        snprintf(r->reason, sizeof r->reason, "%s",
                 r->check.results.at[0].reason);
    check_free(&r->check);
    history_free(&r->part);
    r->check = (struct check){0};
    r->part = (struct history){0};
    return true;
}

/* --- verdicts --------------------------------------------------------------*/

static void
say_where(const struct run *run, const struct suspect *s,
          struct stream_result *r)
{
    if (*r->reason)
        return;
    snprintf(r->reason, sizeof r->reason,
             !run->can_read_again
                 ? "no order was found at %s (transaction %llu) within a "
                   "window of %zu, and a pipe cannot be read again to refute it"
                 : "no order was found at %s (transaction %llu) within a "
                   "window of %zu, and no violation either",
             s->place, (unsigned long long)s->number, run->o->window);
}

static struct stream_result *
find_result(struct run *run, enum level l)
{
    for (size_t i = 0; i < run->out->results.n; i++)
        if (run->out->results.at[i].level == l)
            return &run->out->results.at[i];
    return NULL;
}

static bool
judge_suspects(struct run *run, struct err *err)
{
    for (size_t i = 0; i < run->suspects.n; i++) {
        struct suspect *s = &run->suspects.at[i];
        struct stream_result *r = find_result(run, s->level);
        if (run->can_read_again && !s->is_too_large &&
            !check_part(run, s, r, err))
            return false;
        if (r->verdict == VERDICT_UNKNOWN)
            say_where(run, s, r);
    }
    return true;
}

/* A part that violates a level violates every stronger one. */
static bool
spread_violation(struct run *run, struct stream_result *r, struct err *err)
{
    for (size_t i = 0; i < run->suspects.n; i++) {
        struct suspect *s = &run->suspects.at[i];
        const struct stream_result *weaker = find_result(run, s->level);
        if (r->verdict == VERDICT_UNKNOWN && r->level != s->level &&
            weaker->verdict == VERDICT_VIOLATED &&
            level_implies(r->level, s->level) && !check_part(run, s, r, err))
            return false;
    }
    return true;
}

/* What holds implies what is weaker. */
static void
spread_holding(struct run *run, struct stream_result *r)
{
    for (size_t i = 0; i < run->out->results.n; i++) {
        const struct stream_result *other = &run->out->results.at[i];
        if (other->verdict == VERDICT_OK &&
            level_implies(other->level, r->level) &&
            r->verdict == VERDICT_UNKNOWN)
            r->verdict = VERDICT_OK;
    }
}

static void
doubt(struct run *run)
{
    const char *why =
        run->is_late
            ? "an outcome came more transactions after its operations than the "
              "window has; use a larger --window"
        : !run->out->sizes.tested ? HISTORY_UNTESTED
                                  : NULL;
    for (size_t i = 0; why && i < run->out->results.n; i++) {
        struct stream_result *r = &run->out->results.at[i];
        if (r->verdict == VERDICT_VIOLATED && !run->is_late)
            continue;
        check_free(&r->check);
        history_free(&r->part);
        r->check = (struct check){0};
        r->part = (struct history){0};
        r->verdict = VERDICT_UNKNOWN;
        snprintf(r->reason, sizeof r->reason, "%s", why);
    }
}

static bool
conclude(struct run *run, struct err *err)
{
    const level_set levels =
        run->o->check.levels & ~LEVEL_SET_ALL & ~run->out->skipped;
    for (enum level l = 0; l < LEVELS; l++)
        if (level_set_has(levels, l))
            vec_push(
                &run->out->results,
                ((struct stream_result){.level = l,
                                        .verdict = level_set_has(run->held, l)
                                                       ? VERDICT_OK
                                                       : VERDICT_UNKNOWN}));
    if (!judge_suspects(run, err))
        return false;
    for (size_t i = 0; i < run->out->results.n; i++) {
        if (!spread_violation(run, &run->out->results.at[i], err))
            return false;
        spread_holding(run, &run->out->results.at[i]);
    }
    doubt(run);
    return true;
}

bool
stream_check_run(const struct stream_options *options, struct stream_check *out,
                 struct err *err)
{
    struct run run = {.o = options,
                      .out = out,
                      .names = {.least_values = options->least_texts},
                      .can_read_again = is_in_files(&options->source)};
    *out = (struct stream_check){0};
    assert(!options->order ||
           !(options->check.levels & (options->check.levels - 1)));
    bool ok = make_passes(&run, err);
    if (ok && run.suspects.n && run.can_read_again)
        ok = find_writers(&run, err);
    ok = ok && conclude(&run, err);
    for (size_t i = 0; i < run.suspects.n; i++)
        suspect_free(&run.suspects.at[i]);
    vec_free(&run.suspects);
    names_free(&run.names);
    if (!ok)
        stream_check_free(out);
    return ok;
}

void
stream_check_free(struct stream_check *c)
{
    for (size_t i = 0; i < c->results.n; i++) {
        check_free(&c->results.at[i].check);
        history_free(&c->results.at[i].part);
    }
    vec_free(&c->results);
}
