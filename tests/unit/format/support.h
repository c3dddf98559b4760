/* support.h -- what the tests of formats share: histories from memory, files
 * that go away again, and whether two histories are the same.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TEST_FORMAT_SUPPORT_H
#define TEST_FORMAT_SUPPORT_H

#include "format/format.h"
#include "format/readers.h"
#include "format/same_rows.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- reading -------------------------------------------------------------- */

/* Read what is in memory, from a copy of exactly that size, so that a sanitizer
 * sees every byte read beyond it; 'full': with the full reader alone. */
static inline bool
read_memory_by(bool full, const struct format *format, const char *data,
               size_t size, struct history *h, struct err *err)
{
    char *copy = mem_alloc(size ? size : 1, 1);
    if (size)
        memcpy(copy, data, size);
    struct input in = {.name = "memory", .data = copy, .size = size};
    in.threads = 1;
    in.full = full;
    struct builder *b =
        builder_new(format->initial == ATOM_INT ? atom_int(0) : atom_nil());
    bool ok = format->read(&in, b, err);
    if (ok)
        ok = builder_finish(b, h, err);
    else
        builder_free(b);
    mem_free(copy);
    return ok;
}

static inline bool
read_memory(const struct format *format, const char *data, size_t size,
            struct history *h, struct err *err)
{
    return read_memory_by(false, format, data, size, h, err);
}

static inline bool
read_text(const struct format *format, const char *text, struct history *h,
          struct err *err)
{
    return read_memory(format, text, strlen(text), h, err);
}

static inline int
sniff_memory(const struct format *format, const char *data, size_t size)
{
    const struct input in = {.name = "memory", .data = data, .size = size};
    return format->sniff(&in);
}

/* The message of an error, without the directory of its file. */
static inline const char *
message_of(const struct err *err, char *out, size_t room)
{
    struct err bare = *err;
    const char *slash = strrchr(bare.file, '/');
    if (slash)
        memmove(bare.file, slash + 1, strlen(slash + 1) + 1);
    err_format(&bare, out, room);
    return out;
}

/* Write to a stream in memory; free *data with free(). */
static inline bool
write_memory(const struct history *h, const struct format *format, char **data,
             size_t *size, struct err *err)
{
    struct output out = {.file = open_memstream(data, size)};
    const bool ok = format->holds(h, err) && format->write(h, &out, err);
    fclose(out.file);
    return ok;
}

/* --- files that go away --------------------------------------------------- */

struct scratch {
    char path[256];
};

static inline void
scratch_init(struct scratch *s)
{
    const char *parent = getenv("TMPDIR");
    snprintf(s->path, sizeof s->path, "%s/assay-test-XXXXXX",
             parent ? parent : "/tmp");
    if (!mkdtemp(s->path)) {
        perror(s->path);
        abort();
    }
}

/* A path in the directory. */
static inline const char *
scratch_path(const struct scratch *s, const char *name, char *out, size_t room)
{
    snprintf(out, room, "%s/%s", s->path, name);
    return out;
}

/* Remove a file, or a directory with all that is in it; at most two deep. */
static inline void
remove_path(const char *path, int depth)
{
    if (unlink(path) == 0)
        return;
    DIR *dir = opendir(path);
    const struct dirent *entry;
    struct buf inner = {0};
    while (dir && depth > 0 && (entry = readdir(dir))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        buf_clear(&inner);
        buf_printf(&inner, "%s/%s", path, entry->d_name);
        remove_path(inner.at, depth - 1);
    }
    buf_free(&inner);
    if (dir)
        closedir(dir);
    (void)rmdir(path);
}

static inline void
scratch_free(struct scratch *s)
{
    remove_path(s->path, 2);
}

static inline void
put_file(const char *path, const char *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        abort();
    }
}

/* --- comparing ------------------------------------------------------------ */

/* What a format does not keep, and what therefore is not compared. */
enum {
    LOSES_SESSION_NAMES = 1,
    LOSES_TXN_NAMES = 2,
    LOSES_TIMES = 4,
    LOSES_KEYWORDS = 8, // they become strings
    LOSES_VALUES = 16,  // all but who reads from whom
};

static inline bool
same_atom(const struct history *a, struct atom x, const struct history *b,
          struct atom y, unsigned loses)
{
    const bool texts = atom_is_text(x) && atom_is_text(y);
    if (!texts)
        return atom_equal(x, y);
    if (x.tag != y.tag && !(loses & LOSES_KEYWORDS))
        return false;
    const struct string s = strings_get(&a->strings, (uint32_t)x.bits);
    const struct string t = strings_get(&b->strings, (uint32_t)y.bits);
    return s.len == t.len && memcmp(s.text, t.text, s.len) == 0;
}

/* The initial value is the same, however it is written. */
static inline bool
same_value(const struct history *a, value_id v, const struct history *b,
           value_id w, unsigned loses)
{
    const struct atom x = history_value_atom(a, v),
                      y = history_value_atom(b, w);
    const bool x_initial = atom_equal(x, a->initial);
    const bool y_initial = atom_equal(y, b->initial);
    if (loses & LOSES_VALUES)
        return true;
    if (x_initial || y_initial)
        return x_initial && y_initial;
    return same_atom(a, x, b, y, loses);
}

/* Two histories, and where the transactions of a are in b. */
struct twins {
    const struct history *a, *b;
    txn_id *txn;
    unsigned loses;
    struct row_put of_a, of_b;
    txn_id *place_a, *place_b; // by transaction: its place in the input
};

static inline bool
same_writer(const struct twins *w, value_id v, value_id x)
{
    const txn_id t = history_writer(w->a, v), u = history_writer(w->b, x);
    if (history_has_several(w->a, v) || history_has_several(w->b, x))
        return history_has_several(w->a, v) && history_has_several(w->b, x) &&
               history_candidates(w->a, v).n == history_candidates(w->b, x).n;
    return t < w->a->n_txns ? w->txn[t] == u : t == u;
}

static inline bool
same_op(const struct twins *w, op_id i, op_id j)
{
    const struct history *a = w->a, *b = w->b;
    const struct list_seen x = history_list_seen(a, i);
    const struct list_seen y = history_list_seen(b, j);
    const bool external = op_is_external_read(a, i);
    if (op_is_write(a, i) != op_is_write(b, j) || x.n != y.n ||
        !same_atom(a, history_key_atom(a, op_key(a, i)), b,
                   history_key_atom(b, op_key(b, j)), w->loses) ||
        !same_value(a, a->op_value[i], b, b->op_value[j], w->loses) ||
        external != op_is_external_read(b, j) ||
        (external && !same_writer(w, a->op_value[i], b->op_value[j])))
        return false;
    for (size_t n = 0; n < x.n; n++)
        if (!same_value(a, x.at[n], b, y.at[n], w->loses))
            return false;
    return true;
}

/* Whether t does the same with rows, and between. */
static inline bool
same_row_ops(const struct twins *w, txn_id t)
{
    struct row_put_walk a, b;
    struct row_put_op x, y;
    row_put_walk(&w->of_a, w->place_a[t], &a);
    row_put_walk(&w->of_b, w->place_b[w->txn[t]], &b);
    for (;;) {
        const bool more = row_put_next(&a, &x);
        if (row_put_next(&b, &y) != more)
            return false;
        if (!more)
            return true;
        if (x.is_entry != y.is_entry ||
            !(x.is_entry ? same_entry(w->a->rows, x.entry, w->b->rows, y.entry)
                         : same_op(w, x.op, y.op)))
            return false;
    }
}

static inline txn_id *
find_places(const struct history *h)
{
    txn_id *place = mem_alloc(h->n_txns, sizeof *place);
    for (txn_id i = 0; i < h->n_txns; i++)
        place[h->arrival[i]] = i;
    return place;
}

static inline bool
same_times(const struct twins *w, txn_id t, txn_id u)
{
    const struct history *a = w->a, *b = w->b;
    return (w->loses & LOSES_TIMES) ||
           ((a->txn_began ? a->txn_began[t] : INT64_MIN) ==
                (b->txn_began ? b->txn_began[u] : INT64_MIN) &&
            (a->txn_ended ? a->txn_ended[t] : INT64_MAX) ==
                (b->txn_ended ? b->txn_ended[u] : INT64_MAX));
}

static inline bool
same_txn(const struct twins *w, txn_id t)
{
    const struct history *a = w->a, *b = w->b;
    const txn_id u = w->txn[t];
    const op_id n = a->txn_end[t] - a->txn_begin[t];
    if (a->txn_status[t] != b->txn_status[u] ||
        a->txn_counts[t] != b->txn_counts[u] ||
        n != b->txn_end[u] - b->txn_begin[u] || !same_times(w, t, u))
        return false;
    if (!(w->loses & LOSES_TXN_NAMES) &&
        !same_atom(a, history_txn_atom(a, t), b, history_txn_atom(b, u),
                   w->loses))
        return false;
    if (a->rows)
        return same_row_ops(w, t);
    for (op_id i = 0; i < n; i++)
        if (!same_op(w, a->txn_begin[t] + i, b->txn_begin[u] + i))
            return false;
    return true;
}

/* Find the sessions of a in b, by name where names are kept, else by place;
 * false where one is not there or has another number of transactions. */
static inline bool
match_sessions(struct twins *w)
{
    const struct history *a = w->a, *b = w->b;
    for (session_id s = 0; s < a->n_sessions; s++) {
        session_id r = s;
        if (!(w->loses & LOSES_SESSION_NAMES))
            for (r = 0; r < b->n_sessions; r++)
                if (same_atom(a, a->session_name[s], b, b->session_name[r],
                              w->loses))
                    break;
        const txn_id n = a->session_first[s + 1] - a->session_first[s];
        if (r >= b->n_sessions ||
            n != b->session_first[r + 1] - b->session_first[r])
            return false;
        for (txn_id i = 0; i < n; i++)
            w->txn[a->session_first[s] + i] = b->session_first[r] + i;
    }
    return true;
}

/* Whether a and b are the same, up to the order of sessions, keys and values
 * in memory and to what is lost. */
static inline bool
same_history(const struct history *a, const struct history *b, unsigned loses)
{
    if (a->n_sessions != b->n_sessions || a->n_txns != b->n_txns ||
        a->n_ops != b->n_ops || a->n_keys != b->n_keys || !a->rows != !b->rows)
        return false;
    struct twins w = {.a = a, .b = b, .loses = loses};
    w.txn = mem_alloc(a->n_txns, sizeof *w.txn);
    w.place_a = find_places(a);
    w.place_b = find_places(b);
    row_put_init(&w.of_a, a, NULL);
    row_put_init(&w.of_b, b, NULL);
    bool same =
        match_sessions(&w) && (!a->rows || same_beginning(a->rows, b->rows));
    for (txn_id t = 0; same && t < a->n_txns; t++)
        same = same_txn(&w, t);
    row_put_free(&w.of_a);
    row_put_free(&w.of_b);
    mem_free(w.place_a);
    mem_free(w.place_b);
    mem_free(w.txn);
    return same;
}

/* Whether two texts are read as the same history. */
static inline bool
same_texts(const struct format *f, const char *x, const struct format *g,
           const char *y)
{
    struct history a, b;
    struct err err = {0};
    const bool read_a = read_text(f, x, &a, &err);
    const bool read_b = read_text(g, y, &b, &err);
    const bool same = read_a && read_b && same_history(&a, &b, 0);
    if (read_a)
        history_free(&a);
    if (read_b)
        history_free(&b);
    if (err.kind)
        printf("# %s\n", err.text);
    return same;
}

/* Whether transactions of the same numbers have the same metadata. */
static inline bool
same_meta(const struct history *a, const struct history *b)
{
    bool same = a->n_txns == b->n_txns && !a->txn_meta == !b->txn_meta;
    for (txn_id t = 0; same && a->txn_meta && t < a->n_txns; t++) {
        const uint32_t x = a->txn_meta[t], y = b->txn_meta[t];
        same = (x == ID_NONE) == (y == ID_NONE) &&
               (x == ID_NONE || strcmp(strings_get(&a->strings, x).text,
                                       strings_get(&b->strings, y).text) == 0);
    }
    return same;
}

/* Whether the full reader alone finds the same in the bytes. */
static inline bool
same_by_full_reader(const struct format *format, const char *data, size_t size)
{
    struct history a, b;
    struct err of_a = {0}, of_b = {0};
    const bool read_a = read_memory_by(false, format, data, size, &a, &of_a);
    const bool read_b = read_memory_by(true, format, data, size, &b, &of_b);
    bool same = read_a == read_b;
    if (same && !read_a) {
        char x[1024], y[1024];
        err_format(&of_a, x, sizeof x);
        err_format(&of_b, y, sizeof y);
        same = strcmp(x, y) == 0;
    }
    if (same && read_a)
        same = same_history(&a, &b, 0) && same_meta(&a, &b) &&
               a.n_values == b.n_values;
    if (read_a)
        history_free(&a);
    if (read_b)
        history_free(&b);
    return same;
}

#endif
