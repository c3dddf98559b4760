/* shrink_run.c -- see shrink_run.h.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/shrink_run.h"

#include <assert.h>

enum { TRIES = 3 };

/* Run it with a few seeds; *found: a run violates the level and becomes the
 * smallest. */
static bool
try_size(struct shrink_run *s, struct shrink_size size, const char *served,
         bool *found, struct err *err)
{
    const uint64_t seed = size.seed;
    *found = false;
    for (uint64_t i = 0; i < TRIES && !*found && !*s->interrupted; i++) {
        struct single_run_request request;
        struct single_run run = {0};
        size.seed = seed + i;
        const bool ok = s->prepare(s->self, &size, &request, err) &&
                        single_run(&request, served, &run, err);
        s->runs++;
        if (ok && run.verdict == VERDICT_VIOLATED) {
            single_run_free(&s->run);
            s->run = run;
            s->size = size;
            *found = true;
        } else {
            single_run_free(&run);
        }
        // Without a part the rest may make no sense: that is not smaller.
        const bool is_refused = size.left_out && (err->kind == ERR_USAGE ||
                                                  err->kind == ERR_FEATURE);
        if (!ok && is_refused) {
            *err = (struct err){0};
            return true;
        }
        if (!ok)
            return *s->interrupted; // what was found before is told
    }
    return true;
}

/* Halve each number as long as that works; *found: one of them was. */
static bool
halve_all(struct shrink_run *s, const char *served, bool *found,
          struct err *err)
{
    const int n = s->has_shape ? SHRINK_NUMBERS : SHRINK_OPS;
    *found = false;
    for (int i = 0; i < n; i++) {
        bool is_smaller = s->size.numbers[i] > 1;
        while (is_smaller && !*s->interrupted) {
            struct shrink_size size = s->size;
            size.numbers[i] /= 2;
            if (!try_size(s, size, served, &is_smaller, err))
                return false;
            *found |= is_smaller;
            is_smaller = is_smaller && s->size.numbers[i] > 1;
            if (is_smaller)
                s->smaller(s->self, &s->size);
        }
    }
    return true;
}

/* Leave out one part after another. */
static bool
leave_out(struct shrink_run *s, const char *served, bool *found,
          struct err *err)
{
    *found = false;
    for (unsigned i = 0; i < s->parts && !*s->interrupted; i++) {
        struct shrink_size size = s->size;
        bool is_smaller;
        if ((size.left_out | s->empty) >> i & 1)
            continue;
        size.left_out |= UINT64_C(1) << i;
        if (!try_size(s, size, served, &is_smaller, err))
            return false;
        *found |= is_smaller;
        if (is_smaller)
            s->smaller(s->self, &s->size);
    }
    return true;
}

static bool
shrink(struct shrink_run *s, const char *served, struct err *err)
{
    bool again = true;
    bool ok = try_size(s, s->size, served, &s->found, err);
    // The default is not among the numbers; that of an application is its own.
    if (s->found && !s->size.numbers[SHRINK_KEYS] && s->has_shape)
        s->size.numbers[SHRINK_KEYS] = s->default_keys;
    while (ok && s->found && again && !*s->interrupted) {
        bool is_less = false;
        ok = leave_out(s, served, &is_less, err) &&
             halve_all(s, served, &again, err);
        again |= is_less;
    }
    assert(!s->found || s->run.verdict == VERDICT_VIOLATED);
    return ok;
}

bool
shrink_run(struct shrink_run *s, struct err *err)
{
    struct servers servers;
    assert(s->prepare && s->smaller && s->interrupted && !s->runs);
    if (!s->start)
        return shrink(s, NULL, err);
    if (!servers_start(s->start, s->interrupted, &servers, err))
        return false;
    const bool ok = shrink(s, servers.url, err);
    servers_stop(&servers);
    return ok;
}
