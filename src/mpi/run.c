/* run.c -- see run.h.
 *
 * SPDX-License-Identifier: MIT */
#include "mpi/run.h"

#include "base/limits/context.h"
#include "level/names.h"
#include "mpi/gather.h"
#include "mpi/snapshots.h"

#include <stdio.h>
#include <sys/stat.h>

struct run {
    struct exchange *x;
    struct run_result *out;
    level_set levels;
    struct home home;
    struct owner owner;
};

/* --- phases ----------------------------------------------------------------*/

static void
read_part(void *self)
{
    struct run *r = self;
    home_read(&r->home);
}

static void
count_stale(void *self)
{
    struct run *r = self;
    owner_count_stale(&r->owner);
}

/* Work of this rank, which may run out of memory.  Whether no rank did (M2). */
static bool
phase(struct run *r, void (*work)(void *self))
{
    const size_t in_use = mem_in_use();
    struct context c = {0};
    char *why = r->out->why;
    if (r->x->memory)
        c.memory = r->x->memory > in_use ? r->x->memory - in_use : 1;
    const bool ok = context_run(&c, work, r);
    if (!ok) {
        struct buf text = {0};
        limit_show(&c.stop, &text);
        snprintf(why, EXCHANGE_TEXT, "rank %d: %s", r->x->rank, text.at);
        buf_free(&text);
    }
    return exchange_agree(r->x, ok, why);
}

/* --- the fast path ---------------------------------------------------------*/

static void
sum_up(struct run *r, uint64_t sessions)
{
    struct exchange *x = r->x;
    const struct stream_sizes *n = &r->home.sizes;
    r->out->summary =
        (struct summary){.sessions = sessions,
                         .transactions = exchange_sum(x, n->transactions),
                         .operations = exchange_sum(x, n->operations),
                         .keys = exchange_sum(x, r->owner.keys),
                         .committed = exchange_sum(x, n->committed),
                         .aborted = exchange_sum(x, n->aborted),
                         .loading = exchange_sum(x, n->loading),
                         .reads = exchange_sum(x, n->reads),
                         .writes = exchange_sum(x, n->writes),
                         .has_times = r->out->has_times,
                         .hottest_key = ID_NONE};
}

/* Note that the engines have to decide. */
static bool
leave_fast_path(struct run *r)
{
    r->out->end = RANKS_GATHERED;
    return true;
}

/* Whether all ranks have found nothing odd. */
static bool
is_plain(struct run *r)
{
    snprintf(r->out->why, EXCHANGE_TEXT, "%s", r->home.odd);
    return exchange_agree(r->x, !r->home.odd[0], r->out->why);
}

/* A mistake in a file of a directory ends the run.  Features that a stream does
 * not have do not: the engines have them. */
static bool
report_mistakes(struct run *r)
{
    struct run_result *out = r->out;
    const struct err *err = &r->home.err;
    const bool fails =
        r->home.is_directory && err->kind && err->kind != ERR_FEATURE;
    char why[EXCHANGE_TEXT] = "";
    if (fails)
        err_format(err, why, sizeof why);
    if (exchange_agree(r->x, !fails, why))
        return false;
    out->end = RANKS_FAILED;
    err_set(&out->err, ERR_SYNTAX, "%s", why);
    return true;
}

static bool
exchange_records(struct run *r)
{
    struct owner *o = &r->owner;
    o->ranks = (size_t)r->x->ranks;
    // A rank without files has read no format.
    o->initial = r->out->format == format_find("text")
                     ? (struct atom){0, ATOM_INT}
                     : atom_nil();
    o->in = mem_calloc(o->ranks, sizeof *o->in);
    return home_number_texts(&r->home, r->out->why) &&
           exchange_boxes(r->x, r->home.boxes, sizeof(struct record), o->in,
                          r->out->why);
}

/* Different ranks may have read different formats. */
static bool
has_one_format(struct run *r)
{
    struct exchange *x = r->x;
    const uint64_t is_text = r->home.names.initial.tag == ATOM_INT;
    const uint64_t has_any = r->home.sizes.transactions > 0;
    const uint64_t text = exchange_sum(x, has_any && is_text);
    r->out->format = format_find(text ? "text" : "jsonl");
    return !text || text == exchange_sum(x, has_any);
}

/* Whether the levels need no more than a snapshot for each transaction. */
static bool
need_snapshots_only(level_set levels)
{
    bool ok = !(levels & LEVEL_SET_ALL);
    for (enum level l = 0; l < LEVELS; l++)
        if (levels & level_bit(l))
            ok &= !level_is_serial(l) && !level_table[l].needs_times;
    return ok;
}

/* Whether one of them needs the snapshot to have the version before each own
 * write.  An order without that is one for all the others. */
static bool
need_writes(level_set levels)
{
    bool any = false;
    for (enum level l = 0; l < LEVELS; l++)
        any |= (levels & level_bit(l)) && level_keeps_updates(l);
    return any;
}

static bool
find_snapshots(struct run *r)
{
    struct run_result *out = r->out;
    char why[EXCHANGE_TEXT] = "";
    if (!need_snapshots_only(r->levels))
        return leave_fast_path(r);
    switch (snapshots_find(&r->home, &r->owner, need_writes(r->levels), why)) {
    case SNAPSHOTS_EXIST:
        out->end = RANKS_HOLD;
        return true;
    case SNAPSHOTS_OPEN:
        return leave_fast_path(r);
    default:
        memcpy(out->why, why, sizeof why);
        return false;
    }
}

/* Whether the run goes on with what was read; false: out->end says the rest. */
static bool
compare(struct run *r)
{
    struct run_result *out = r->out;
    uint64_t sessions = 0;
    if (report_mistakes(r))
        return true;
    if (!is_plain(r) || !has_one_format(r))
        return leave_fast_path(r);
    if (!home_check_sessions(&r->home, &sessions, out->why) ||
        !home_check_numbers(&r->home, out->why))
        return false;
    if (report_mistakes(r))
        return true;
    if (!is_plain(r) || !exchange_sum(r->x, r->home.sizes.tested))
        return leave_fast_path(r);
    out->has_times = exchange_sum(r->x, r->home.has_times);
    if (!exchange_records(r) || !phase(r, count_stale))
        return false;
    out->records = exchange_sum(r->x, r->owner.records);
    out->stale = exchange_sum(r->x, r->owner.stale);
    sum_up(r, sessions);
    if (!out->stale) {
        out->end = RANKS_HOLD;
        return true;
    }
    snprintf(out->why, EXCHANGE_TEXT, "%llu reads do not fit the order",
             (unsigned long long)out->stale);
    return find_snapshots(r);
}

/* --- the run ---------------------------------------------------------------*/

static void
gather(struct run *r, const char *path)
{
    struct run_result *out = r->out;
    if (!r->home.is_directory) {
        buf_text(&out->path, path); // rank 0 reads the file itself
        return;
    }
    if (!gather_files(r->x, path, &out->path, &out->fd, &out->err))
        out->end = RANKS_FAILED;
}

/* Only a plain file can be divided. */
static bool
is_divisible(const char *path, bool *is_directory)
{
    struct stat st;
    const bool is_there = stat(path, &st) == 0;
    *is_directory = is_there && S_ISDIR(st.st_mode);
    return *is_directory || (is_there && S_ISREG(st.st_mode));
}

void
run_history(struct exchange *x, const char *path, const char *format,
            level_set levels, struct run_result *out)
{
    struct run r = {.x = x, .out = out, .levels = levels};
    *out = (struct run_result){.end = RANKS_UNKNOWN, .fd = -1};
    r.home.exchange = x;
    r.home.source = (struct stream_source){.path = path,
                                           .format = format,
                                           .part = (uint32_t)x->rank,
                                           .parts = (uint32_t)x->ranks};
    // What one rank finds, all do: the file may be on one machine only.
    bool can = is_divisible(path, &r.home.is_directory);
    r.home.is_directory = exchange_most(x, r.home.is_directory);
    can = exchange_agree(x, can, out->why);
    bool ok = true;
    if (!can || !levels)
        leave_fast_path(&r);
    else
        ok = phase(&r, read_part) && compare(&r);
    if (!ok) { // (M2): what a rank without memory has is gone
        out->end = RANKS_UNKNOWN;
        return;
    }
    out->bytes = exchange_sum(x, x->sent);
    out->most_memory = exchange_most(x, mem_peak());
    if (r.owner.in)
        owner_free(&r.owner);
    home_free(&r.home);
    if (out->end == RANKS_GATHERED)
        gather(&r, path);
}
