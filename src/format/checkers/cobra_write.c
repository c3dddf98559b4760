/* cobra_write.c -- writing what cobra.c reads.
 *
 * The standard flavour needs ids of writes that are unique among all keys.  If
 * the history's own values are unique, they serve as ids.  Otherwise the
 * universal flavour is written, in which values may repeat.  Both mean the same
 * to a reader that compares ids or values per key.
 *
 * The directory is written under a temporary name and renamed when it is
 * complete.  An existing directory is never overwritten.
 *
 * SPDX-License-Identifier: MIT */
#include "format/checkers/cobra.h"

#include "base/container/intmap.h"
#include "format/readers.h"
#include "format/save.h"
#include "format/scan/bytes.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- what fits ------------------------------------------------------------ */

static bool
is_reserved(uint64_t id)
{
    return cobra_is_initial(id) || id == COBRA_UNIVERSAL;
}

static bool
is_initial(const struct history *h, value_id v)
{
    return v == VALUE_INIT || atom_equal(history_value_atom(h, v), h->initial);
}

/* Whether the values can serve as ids: none is written twice, under any key,
 * and none is an id with a special meaning. */
static bool
values_serve_as_ids(const struct history *h)
{
    struct intmap seen = {0};
    bool serve = true;
    for (op_id op = 0; serve && op < h->n_ops; op++) {
        const value_id v = h->op_value[op];
        if (is_initial(h, v))
            continue;
        const uint64_t id = history_value_atom(h, v).bits;
        bool added = true;
        if (op_is_write(h, op))
            intmap_add(&seen, id, 0, &added);
        serve = added && !is_reserved(id);
    }
    intmap_free(&seen);
    return serve;
}

static bool
writes_values(const struct history *h)
{
    for (op_id op = 0; op < h->n_ops; op++)
        if (op_is_write(h, op) && !is_initial(h, h->op_value[op]))
            return true;
    return false;
}

static bool
holds_status(const struct history *h, txn_id t, struct err *err)
{
    const txn_id end = h->session_first[h->txn_session[t] + 1];
    if (h->txn_status[t] == TXN_ABORTED)
        return err_set(err, ERR_FEATURE,
                       "format 'cobra' has no aborted transactions");
    if (h->txn_status[t] == TXN_INDETERMINATE && t + 1 < end)
        return err_set(err, ERR_FEATURE,
                       "format 'cobra' has indeterminate transactions at the "
                       "end of a session only");
    return true;
}

bool
cobra_holds(const struct history *h, struct err *err)
{
    for (txn_id t = 0; t < h->n_txns; t++)
        if (!holds_status(h, t, err))
            return false;
    if (!format_needs_integers(h, &format_cobra, err))
        return false;
    // Only a write distinguishes the universal flavour from the standard one.
    if (!writes_values(h) && !values_serve_as_ids(h))
        return err_set(err, ERR_FEATURE,
                       "format 'cobra' has a special meaning for a value that "
                       "is read here");
    return true;
}

/* Whether the names of the transactions are distinct integers. */
static bool
names_serve_as_ids(const struct history *h)
{
    struct intmap seen = {0};
    bool serve = history_has_names(h);
    for (txn_id t = 0; serve && t < h->n_txns; t++) {
        const struct atom name = history_txn_atom(h, t);
        bool added;
        intmap_add(&seen, name.bits, 0, &added);
        serve = added && name.tag == ATOM_INT && !is_reserved(name.bits);
    }
    intmap_free(&seen);
    return serve;
}

static bool
sessions_have_numbers(const struct history *h)
{
    for (session_id s = 0; s < h->n_sessions; s++)
        if (!atom_is_u64(h->session_name[s]))
            return false;
    return true;
}

/* --- records -------------------------------------------------------------- */

struct writer {
    const struct history *h;
    bool universal, own_ids, own_numbers;
    struct buf out;
};

static uint64_t
txn_number(const struct writer *w, txn_id t)
{
    return w->own_ids ? history_txn_atom(w->h, t).bits : (uint64_t)t + 1;
}

/* The id of the writer of a read; 0 stands for the initial state. */
static uint64_t
writer_number(const struct writer *w, value_id v)
{
    if (w->universal)
        return COBRA_UNIVERSAL;
    const txn_id t = history_writer(w->h, v);
    return t < w->h->n_txns ? txn_number(w, t) : 0;
}

static void
put_op(struct writer *w, op_id op)
{
    const struct history *h = w->h;
    const value_id v = h->op_value[op];
    const bool initial = is_initial(h, v), is_write = op_is_write(h, op);
    const uint64_t value = initial ? 0 : history_value_atom(h, v).bits;
    const uint64_t id = initial        ? COBRA_INIT
                        : w->universal ? COBRA_UNIVERSAL
                                       : value;
    buf_char(&w->out, is_write ? 'W' : 'R');
    if (!is_write)
        buf_big64(&w->out, initial ? COBRA_INIT : writer_number(w, v));
    buf_big64(&w->out, id);
    buf_big64(&w->out, history_key_atom(h, op_key(h, op)).bits);
    buf_big64(&w->out, value);
}

static void
put_txn(struct writer *w, txn_id t)
{
    buf_char(&w->out, 'S');
    buf_big64(&w->out, txn_number(w, t));
    for (op_id op = w->h->txn_begin[t]; op < w->h->txn_end[t]; op++)
        put_op(w, op);
    if (w->h->txn_status[t] == TXN_INDETERMINATE)
        return;
    buf_char(&w->out, 'C');
    buf_big64(&w->out, txn_number(w, t));
}

/* --- files ---------------------------------------------------------------- */

static void
log_path(const struct writer *w, const char *directory, session_id s,
         struct buf *path)
{
    buf_clear(path);
    buf_printf(path, "%s/T%" PRIu64 ".log", directory,
               w->own_numbers ? w->h->session_name[s].bits : (uint64_t)s + 1);
}

static bool
write_log(struct writer *w, session_id s, const char *path, struct err *err)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return err_set(err, ERR_IO, "cannot write: %s", strerror(errno));
    bool ok = true;
    const txn_id end = w->h->session_first[s + 1];
    for (txn_id t = w->h->session_first[s]; ok && t < end; t++) {
        put_txn(w, t);
        ok = save_some(&w->out, file, err);
    }
    ok = ok && save_all(&w->out, file, err);
    if (fclose(file) != 0 && ok)
        ok = err_set(err, ERR_IO, "cannot write: %s", strerror(errno));
    return ok;
}

static bool
write_logs(struct writer *w, const char *directory, struct err *err)
{
    struct buf path = {0};
    bool ok = true;
    for (session_id s = 0; ok && s < w->h->n_sessions; s++) {
        log_path(w, directory, s, &path);
        ok = write_log(w, s, path.at, err);
    }
    buf_free(&path);
    return ok;
}

static void
remove_logs(const struct writer *w, const char *directory)
{
    struct buf path = {0};
    for (session_id s = 0; s < w->h->n_sessions; s++) {
        log_path(w, directory, s, &path);
        (void)unlink(path.at);
    }
    (void)rmdir(directory);
    buf_free(&path);
}

bool
cobra_write(const struct history *h, struct output *out, struct err *err)
{
    struct stat st;
    if (stat(out->path, &st) == 0)
        return err_set(err, ERR_IO, "cannot make a directory: %s",
                       strerror(EEXIST));
    struct buf directory = {0};
    buf_printf(&directory, "%s.partial", out->path);
    struct writer w = {.h = h,
                       .universal = !values_serve_as_ids(h),
                       .own_ids = names_serve_as_ids(h),
                       .own_numbers = sessions_have_numbers(h)};
    bool ok =
        mkdir(directory.at, 0777) == 0 ||
        err_set(err, ERR_IO, "cannot make a directory: %s", strerror(errno));
    if (ok) {
        ok = write_logs(&w, directory.at, err);
        if (ok && rename(directory.at, out->path) != 0)
            ok = err_set(err, ERR_IO, "cannot make a directory: %s",
                         strerror(errno));
        if (!ok)
            remove_logs(&w, directory.at);
    }
    buf_free(&w.out);
    buf_free(&directory);
    return ok;
}
