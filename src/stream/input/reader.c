/* reader.c -- see reader.h.
 *
 * SPDX-License-Identifier: MIT */
#include "stream/input/reader.h"

#include "stream/input/reader_internal.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { SOME = 64 }; // calls after which shards that had nothing are looked at

/* --- transactions ----------------------------------------------------------*/

static struct reader_session *
session_at(struct stream_reader *r, uint32_t session)
{
    while (r->sessions.n <= session)
        vec_push(&r->sessions, ((struct reader_session){.rank = INT64_MIN,
                                                        .last = INT64_MIN}));
    return &r->sessions.at[session];
}

bool
reader_session(struct stream_reader *r, struct shard *s, struct atom name,
               uint32_t *out, struct err *err)
{
    *out = name_number(&r->names->sessions, name);
    struct reader_session *session = session_at(r, *out);
    const uint32_t shard = (uint32_t)(s - r->shards.at) + 1;
    if (session->shard == shard)
        return true;
    if (session->shard) {
        struct buf shown = {0};
        atom_show(&r->names->texts, name, &shown);
        err_set(err, ERR_SYNTAX,
                "session %s is in %s as well; a session must be in one shard",
                shown.at, r->shards.at[session->shard - 1].lines.name);
        buf_free(&shown);
        return false;
    }
    session->shard = shard;
    r->sizes.sessions++;
    return true;
}

struct stream_txn *
reader_begin(struct stream_reader *r, uint32_t session, const char *name,
             size_t name_n)
{
    struct stream_txn *t = stream_txn_new(r->ops.at, r->ops.n, name, name_n);
    vec_clear(&r->ops);
    t->session = session;
    t->position = ++session_at(r, session)->n;
    t->began = INT64_MIN;
    t->ended = INT64_MAX;
    r->n_read++;
    return t;
}

static void
count(struct stream_reader *r, const struct stream_txn *t)
{
    struct stream_sizes *n = &r->sizes;
    n->transactions++;
    n->operations += t->n_ops;
    n->committed += t->status == TXN_COMMITTED;
    n->tested += t->status == TXN_COMMITTED && t->n_ops;
    n->aborted += t->status == TXN_ABORTED;
    n->indeterminate += t->status == TXN_INDETERMINATE;
    n->loading += t->status == TXN_LOADING;
    for (uint32_t i = 0; i < t->n_ops; i++)
        n->writes += t->ops[i].is_write;
    n->reads = n->operations - n->writes;
}

void
reader_hand_over(struct stream_reader *r, struct shard *s, struct stream_txn *t)
{
    struct reader_session *session = session_at(r, t->session);
    const bool has_end = t->status == TXN_COMMITTED && t->ended != INT64_MAX;
    if (has_end && t->ended > s->clock)
        s->clock = t->ended;
    t->number = r->sizes.transactions;
    t->rank = has_end ? t->ended : s->clock;
    t->clock = r->shards.n > 1 ? (uint32_t)(s - r->shards.at) : t->session;
    if (t->rank < session->rank)
        t->rank = session->rank; // (R2)
    session->rank = t->rank;
    if (stream_txn_is_loading(t, r->names->initial))
        t->status = TXN_LOADING;
    stream_txn_resolve(t);
    r->has_times |= t->began != INT64_MIN || t->ended != INT64_MAX;
    count(r, t);
    vec_push(&r->ready, t);
}

void
reader_wait(struct stream_reader *r, struct stream_txn *t)
{
    struct reader_session *session = session_at(r, t->session);
    session->pending = (struct pending){t, r->n_read};
    vec_push(&r->waiting, t->session);
}

void
reader_release(struct stream_reader *r, struct shard *s, uint32_t session)
{
    struct stream_txn *t = session_at(r, session)->pending.txn;
    session_at(r, session)->pending.txn = NULL;
    if (t)
        reader_hand_over(r, s, t);
}

void
reader_leave(struct stream_reader *r, struct shard *s, uint32_t session)
{
    struct stream_txn *t = session_at(r, session)->pending.txn;
    struct stream_names *names = r->names;
    struct buf name = {0};
    session_at(r, session)->pending.txn = NULL;
    session_at(r, session)->n--;
    const struct atom old = atoms_get(&names->sessions.all, session);
    if (atom_is_text(old)) {
        const struct string text =
            strings_get(&names->texts, (uint32_t)old.bits);
        buf_add(&name, text.text, text.len);
    } else {
        atom_show(&names->texts, old, &name);
    }
    buf_printf(&name, "-unknown-%u", ++session_at(r, session)->left);
    // It is in no map: no other transaction is ever in this session.
    t->session = (uint32_t)names->sessions.all.tags.n;
    t->position = 1;
    atoms_push(&names->sessions.all, names_text(names, name.at, name.n));
    session_at(r, t->session)->n = 1;
    buf_free(&name);
    reader_hand_over(r, s, t);
}

/* Hand over what has waited for too long. */
static void
release_old(struct stream_reader *r)
{
    while (r->waiting_at < r->waiting.n) {
        const uint32_t session = r->waiting.at[r->waiting_at];
        struct reader_session *s = session_at(r, session);
        if (s->pending.txn && r->n_read - s->pending.since < r->window)
            break;
        r->waiting_at++;
        if (!s->pending.txn)
            continue;
        s->was_released = true;
        reader_release(r, &r->shards.at[s->shard - 1], session);
    }
    if (2 * r->waiting_at > r->waiting.n) {
        r->waiting.n -= r->waiting_at;
        memmove(r->waiting.at, r->waiting.at + r->waiting_at,
                r->waiting.n * sizeof *r->waiting.at);
        r->waiting_at = 0;
    }
}

/* --- shards ----------------------------------------------------------------*/

/* Whether a followed shard has nothing at the moment; for one that is stopped,
 * that is its end. */
static bool
is_waiting(const struct stream_reader *r, const struct shard *s)
{
    return s->lines.is_waiting && !r->is_stopped;
}

/* The shard that is behind the others. */
static struct shard *
choose_shard(struct stream_reader *r)
{
    struct shard *best = NULL;
    for (size_t i = 0; i < r->shards.n; i++) {
        struct shard *s = &r->shards.at[i];
        if (!s->is_over && !is_waiting(r, s) &&
            (!best || s->clock < best->clock))
            best = s;
    }
    return best;
}

/* Shards are merged by time, so there must be times. */
static bool
check_times(const struct stream_reader *r, const struct shard *s,
            struct err *err)
{
    for (size_t i = r->ready_at;
         r->is_merged && !r->is_followed && i < r->ready.n; i++) {
        const struct stream_txn *t = r->ready.at[i];
        if (t->status == TXN_COMMITTED && t->ended == INT64_MAX) {
            err_set(err, ERR_SYNTAX,
                    "a transaction without 'end': shards are merged by time");
            err_at_line(err, s->lines.number, 1);
            return err_in_file(err, s->lines.name);
        }
    }
    return true;
}

static bool
read_shard(struct stream_reader *r, struct shard *s, struct err *err)
{
    const char *line;
    size_t n;
    if (!lines_next(&s->lines, &line, &n, err))
        return false;
    bool ok = true;
    if (is_waiting(r, s))
        return true;
    if (line) {
        ok = s->notation->line(r, s, line, n, err);
    } else {
        s->is_over = true;
        ok = r->is_stopped || s->notation->end(r, s, err);
    }
    if (!ok) {
        if (!err->line)
            err_at_line(err, s->lines.number, 1);
        err->line = s->lines.number;
        return err_in_file(err, s->lines.name);
    }
    release_old(r);
    return check_times(r, s, err);
}

/* At the end, outcomes that did not come will not come. */
static void
release_all(struct stream_reader *r)
{
    for (size_t i = r->waiting_at; i < r->waiting.n; i++) {
        const uint32_t session = r->waiting.at[i];
        reader_release(r, &r->shards.at[session_at(r, session)->shard - 1],
                       session);
    }
    r->waiting_at = r->waiting.n;
}

static bool open_added(struct stream_reader *r, struct err *err);

/* Look again at followed shards that had nothing, and for shards that were
 * added.  Whether there are some. */
static bool
look_again(struct stream_reader *r, bool *any, struct err *err)
{
    *any = r->directory && !r->shards.n && !r->is_stopped;
    if (r->directory && !r->is_stopped && ++r->n_looks % SOME == 0 &&
        !open_added(r, err))
        return false;
    for (size_t i = 0; i < r->shards.n; i++) {
        *any |= !r->shards.at[i].is_over;
        r->shards.at[i].lines.is_waiting = false;
    }
    return true;
}

bool
stream_reader_is_waiting(const struct stream_reader *r)
{
    return r->is_waiting;
}

void
stream_reader_stop(struct stream_reader *r)
{
    r->is_stopped = true;
}

bool
stream_reader_next(struct stream_reader *r, struct stream_txn **out,
                   struct err *err)
{
    bool any;
    *out = NULL;
    r->is_waiting = false;
    if (r->is_followed && ++r->n_calls % SOME == 0 && !look_again(r, &any, err))
        return false;
    while (r->ready_at == r->ready.n) {
        r->ready_at = r->ready.n = 0;
        struct shard *s = choose_shard(r);
        if (!s && !look_again(r, &any, err))
            return false;
        if (!s && any) {
            r->is_waiting = true;
            return true;
        }
        if (!s) {
            release_all(r);
            if (!r->ready.n)
                return true;
        } else if (!read_shard(r, s, err)) {
            return false;
        }
    }
    *out = r->ready.at[r->ready_at++];
    return true;
}

/* --- opening ---------------------------------------------------------------*/

/* The format of the beginning of a shard. */
static bool
recognise(struct shard *s, const struct format **out, struct err *err)
{
    const char *text;
    size_t n;
    if (!lines_peek(&s->lines, &text, &n, err))
        return false;
    const struct input in = {.name = s->lines.name, .data = text, .size = n};
    return format_recognise(&in, out, err) || err_in_file(err, s->lines.name);
}

static bool
find_notation(struct shard *s, const char *name, struct err *err)
{
    static const struct notation *const all[] = {&notation_jsonl,
                                                 &notation_text};
    const struct format *format = format_find(name);
    if (strcmp(name, "auto") == 0 && !recognise(s, &format, err))
        return false;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]->format == format)
            s->notation = all[i];
    if (s->notation)
        return true;
    err_set(err, format ? ERR_FEATURE : ERR_USAGE,
            "format '%s' cannot be streamed; expected jsonl or text",
            format ? format->name : name);
    return err_in_file(err, s->lines.name);
}

struct shard *
reader_add_shard(struct stream_reader *r)
{
    vec_push(&r->shards, ((struct shard){.clock = INT64_MIN}));
    r->shards.at[r->shards.n - 1].lines.fd = -1;
    return &vec_top(&r->shards);
}

static bool
open_shard(struct stream_reader *r, const char *path, const char *format,
           struct err *err)
{
    struct shard *s = reader_add_shard(r);
    if (!lines_open(&s->lines, path, err))
        return false;
    s->lines.is_followed = r->is_followed;
    return find_notation(s, r->is_followed ? "jsonl" : format, err);
}

static int
compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *
join(const char *dir, const char *name)
{
    const size_t n = strlen(dir), m = strlen(name);
    char *path = mem_alloc(1, n + m + 2);
    memcpy(path, dir, n);
    path[n] = '/';
    memcpy(path + n + 1, name, m + 1);
    return path;
}

typedef VEC(char *) path_vec;

static bool
list_files(const char *path, path_vec *out, struct err *err)
{
    DIR *dir = opendir(path);
    struct stat st;
    if (!dir) {
        err_set(err, ERR_IO, "%s", strerror(errno));
        return err_in_file(err, path);
    }
    for (const struct dirent *e; (e = readdir(dir));) {
        if (*e->d_name == '.')
            continue;
        char *file = join(path, e->d_name);
        if (stat(file, &st) == 0 && S_ISREG(st.st_mode))
            vec_push(out, file);
        else
            mem_free(file);
    }
    closedir(dir);
    if (out->n)
        qsort(out->at, out->n, sizeof *out->at, compare_names);
    return true;
}

/* Open files that were added to a directory. */
static bool
open_added(struct stream_reader *r, struct err *err)
{
    path_vec paths = {0};
    bool ok = list_files(r->directory, &paths, err);
    for (size_t i = 0; i < paths.n; i++) {
        bool is_known = false;
        for (size_t j = 0; j < r->shards.n && !is_known; j++)
            is_known = strcmp(r->shards.at[j].lines.name, paths.at[i]) == 0;
        if (!ok || is_known) {
            mem_free(paths.at[i]);
            continue;
        }
        ok = open_shard(r, paths.at[i], "jsonl", err);
        vec_top(&r->shards).path = paths.at[i];
    }
    vec_free(&paths);
    return ok;
}

static bool
open_directory(struct stream_reader *r, const struct stream_source *source,
               struct err *err)
{
    path_vec paths = {0};
    bool ok = list_files(source->path, &paths, err);
    if (ok && !paths.n && !r->is_followed) {
        err_set(err, ERR_IO, "a directory without files");
        ok = err_in_file(err, source->path);
    }
    r->is_merged = paths.n > 1;
    for (size_t i = 0; i < paths.n; i++) {
        const size_t n = r->shards.n;
        if (!source->parts || i % source->parts == source->part)
            ok = ok && open_shard(r, paths.at[i], source->format, err);
        if (r->shards.n > n)
            r->shards.at[n].path = paths.at[i];
        else
            mem_free(paths.at[i]);
    }
    vec_free(&paths);
    return ok;
}

/* Open one part of a file. */
static bool
open_range(struct stream_reader *r, const struct stream_source *source,
           uint64_t size, struct err *err)
{
    struct shard *s;
    const uint64_t from = size * source->part / source->parts;
    const uint64_t to = size * (source->part + 1) / source->parts;
    if (!open_shard(r, source->path, source->format, err))
        return false;
    s = &vec_top(&r->shards);
    if (source->parts == 1)
        return true;
    // Recognising the format has read the beginning.
    lines_close(&s->lines);
    if (!lines_open(&s->lines, source->path, err))
        return false;
    s->is_over = from == to;
    s->n_objects = from > 0; // no recording begins here
    return s->is_over || lines_take_range(&s->lines, from, to,
                                          s->notation == &notation_text, err);
}

static bool
open_all(struct stream_reader *r, const struct stream_source *source,
         struct err *err)
{
    struct stat st = {0};
    if (source->text) {
        struct shard *s = reader_add_shard(r);
        lines_of_text(&s->lines, source->path, source->text, source->text_n);
        s->lines.is_followed = r->is_followed;
        return find_notation(s, source->format, err);
    }
    if (strcmp(source->path, "-") != 0 && stat(source->path, &st) == 0 &&
        S_ISDIR(st.st_mode)) {
        r->directory = r->is_followed ? source->path : NULL;
        return open_directory(r, source, err);
    }
    if (source->parts)
        return open_range(r, source, (uint64_t)st.st_size, err);
    return open_shard(r, source->path, source->format, err);
}

/* A directory that is followed may have no file yet. */
static const struct notation *
notation_of(const struct stream_reader *r)
{
    return r->shards.n ? r->shards.at[0].notation : &notation_jsonl;
}

struct stream_reader *
stream_reader_open(const struct stream_source *source,
                   struct stream_names *names, size_t window, struct err *err)
{
    struct stream_reader *r = mem_calloc(1, sizeof *r);
    r->names = names;
    r->window = window;
    r->is_followed = source->is_followed;
    bool ok = open_all(r, source, err);
    for (size_t i = 1; ok && i < r->shards.n; i++)
        if (r->shards.at[i].notation != r->shards.at[0].notation) {
            err_set(err, ERR_SYNTAX, "shards of different formats");
            ok = err_in_file(err, r->shards.at[i].lines.name);
        }
    if (ok) {
        names->initial = notation_of(r)->initial;
        return r;
    }
    stream_reader_close(r);
    return NULL;
}

void
stream_reader_close(struct stream_reader *r)
{
    for (size_t i = 0; i < r->shards.n; i++) {
        lines_close(&r->shards.at[i].lines);
        mem_free(r->shards.at[i].path);
    }
    for (size_t i = 0; i < r->sessions.n; i++)
        mem_free(r->sessions.at[i].pending.txn);
    while (r->ready_at < r->ready.n)
        mem_free(r->ready.at[r->ready_at++]);
    vec_free(&r->ready);
    vec_free(&r->shards);
    vec_free(&r->sessions);
    vec_free(&r->ops);
    vec_free(&r->waiting);
    mem_free(r);
}

void
stream_reader_keep_names(struct stream_reader *r, struct names_collection *c)
{
    for (size_t i = 0; i < r->sessions.n; i++)
        if (r->sessions.at[i].pending.txn)
            stream_txn_keep_names(r->sessions.at[i].pending.txn, c);
    for (size_t i = r->ready_at; i < r->ready.n; i++)
        stream_txn_keep_names(r->ready.at[i], c);
}

const char *
stream_reader_file(const struct stream_reader *r, uint32_t session)
{
    const uint32_t shard =
        session < r->sessions.n ? r->sessions.at[session].shard : 0;
    return shard ? r->shards.at[shard - 1].lines.name : NULL;
}

const struct stream_sizes *
stream_reader_sizes(const struct stream_reader *r)
{
    return &r->sizes;
}

const struct format *
stream_reader_format(const struct stream_reader *r)
{
    return notation_of(r)->format;
}

bool
stream_reader_has_times(const struct stream_reader *r)
{
    return r->has_times;
}

bool
stream_reader_is_cut(const struct stream_reader *r)
{
    return r->is_cut;
}

bool
stream_reader_is_late(const struct stream_reader *r)
{
    return r->is_late;
}
