/* distinguish.c -- see distinguish.h.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/distinguish.h"

#include "check/check.h"
#include "gen/enumerate.h"

struct searching {
    const struct distinguish *d;
    struct distinguish_result *out;
    struct err *err;
    bool failed;
};

/* The verdict of a level; 'verify' its certificate. */
static bool
decide(const struct history *h, enum level level, bool verify,
       enum verdict *verdict, struct err *err)
{
    const struct check_options options = {.levels = level_bit(level),
                                          .threads = 1,
                                          .verify = verify,
                                          .most_flaws = 1,
                                          .strong = strong_defaults};
    struct check check;
    const bool ok = check_history(h, &options, &check, err);
    *verdict = ok ? check_worst(&check) : VERDICT_UNKNOWN;
    check_free(&check);
    return ok;
}

/* Whether h separates the levels. */
static bool
separates(struct searching *s, const struct history *h, bool verify)
{
    enum verdict allows, forbids;
    s->failed = !decide(h, s->d->forbids, verify, &forbids, s->err);
    if (s->failed || forbids != VERDICT_VIOLATED)
        return false;
    s->failed = !decide(h, s->d->allows, verify, &allows, s->err);
    return !s->failed && allows == VERDICT_OK;
}

/* A temporary file has no name that a new file could take the place of. */
static bool
write_history(const struct history *h, const struct distinguish *d,
              struct err *err)
{
    const char *path = d->file->path.at;
    if (d->file->keep)
        return format_write(h, d->format, path, err);
    struct output out = {.path = path, .file = fopen(path, "w")};
    const bool ok = out.file && d->format->write(h, &out, err);
    if (!out.file || fclose(out.file) != 0)
        return err_set(err, ERR_IO, "cannot write a temporary file");
    return ok;
}

static bool
visit(void *self, const struct history *h)
{
    struct searching *s = self;
    s->out->tried++;
    if (!separates(s, h, false) || !separates(s, h, true))
        return !s->failed;
    s->failed = !write_history(h, s->d, s->err);
    s->out->end = DISTINGUISH_FOUND;
    s->out->operations = history_ops(h);
    s->out->transactions = h->n_txns;
    s->out->sessions = h->n_sessions;
    return false;
}

bool
distinguish_levels(const struct distinguish *d, struct distinguish_result *out,
                   struct err *err)
{
    struct searching s = {.d = d, .out = out, .err = err};
    *out = (struct distinguish_result){.end = DISTINGUISH_NONE};
    if (level_implies(d->allows, d->forbids)) {
        out->end = DISTINGUISH_IMPLIED;
        return true;
    }
    const bool times = level_table[d->allows].needs_times ||
                       level_table[d->forbids].needs_times;
    for (uint32_t n = 1; n <= d->most; n++) {
        const struct enumerate_options options = {
            .ops = n, .times = times, .single = !d->session_order};
        if (!enumerate_histories(&options, visit, &s))
            break;
    }
    assert(s.failed || out->end != DISTINGUISH_NOTHING);
    return !s.failed;
}
