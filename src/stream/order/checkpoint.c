/* checkpoint.c -- see checkpoint.h.
 *
 * SPDX-License-Identifier: MIT */
#include "stream/order/checkpoint.h"

#include "base/time.h"

#include <unistd.h>

/* The level and the window are those of the whole run. */
static bool
archive_options(struct stream_pass *p, struct archive *a,
                const struct checkpoint *c, struct err *err)
{
    uint64_t window = p->window;
    uint32_t level = p->level;
    archive_value(a, window);
    archive_value(a, level);
    if (a->failed || (window == p->window && level == p->level))
        return true;
    err_set(err, ERR_USAGE,
            "a checkpoint of --level %s and --window %llu; remove it to begin "
            "anew",
            level < LEVELS ? level_table[level].brief : "?",
            (unsigned long long)window);
    return err_in_file(err, c->path);
}

static bool
archive_rest(struct stream_pass *p, struct archive *a, struct checkpoint *c,
             struct err *err)
{
    const double now = time_now();
    if (!archive_options(p, a, c, err) ||
        !stream_reader_archive(p->reader, a, err))
        return false;
    running_order_archive(&p->order, a);
    stream_txns_archive(&p->ahead, a->reads ? 0 : p->ahead_at, p->names, a);
    stream_txns_archive(&p->pool, 0, p->names, a);
    stream_txns_archive(&p->aborted, 0, p->names, a);
    archive_value(a, p->n_taken);
    archive_value(a, c->violations);
    archive_value(a, c->unresolved);
    archive_value(a, c->place);
    if (a->reads) {
        for (size_t i = 0; i < p->ahead.n; i++)
            p->ahead.at[i]->arrived = now;
        p->has_forgotten = true; // (K2)
        c->place[sizeof c->place - 1] = 0;
    }
    return true;
}

bool
checkpoint_write(struct stream_pass *p, struct checkpoint *c, struct err *err)
{
    struct archive a = {0};
    pass_collect_names(p);
    names_archive(p->names, &a);
    const bool ok =
        archive_rest(p, &a, c, err) && archive_save(&a, c->path, err);
    archive_free(&a);
    return ok;
}

bool
checkpoint_open(const char *path, struct stream_names *names, struct archive *a,
                bool *found, struct err *err)
{
    *a = (struct archive){0};
    *found = access(path, F_OK) == 0;
    if (!*found)
        return true;
    if (!archive_load(a, path, err))
        return false;
    names_archive(names, a);
    return true;
}

bool
checkpoint_read(struct stream_pass *p, struct archive *a, struct checkpoint *c,
                struct err *err)
{
    if (!archive_rest(p, a, c, err))
        return false;
    if (!a->failed && a->at == a->bytes.n)
        return true;
    err_set(err, ERR_SYNTAX,
            "not a checkpoint of this program, or a damaged one");
    return err_in_file(err, c->path);
}
