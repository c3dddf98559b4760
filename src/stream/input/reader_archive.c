/* reader_archive.c -- where a reader is, for a checkpoint.
 *
 * A file is recognised by its path and by the bytes before the place that was
 * reached.  One that was complete may be gone.
 *
 * SPDX-License-Identifier: MIT */
#include "stream/input/reader_internal.h"

/* The place in the file of a shard. */
struct mark {
    uint64_t offset, number, hash, n_objects;
    int64_t clock;
    uint32_t times;
    uint8_t is_over, is_recording, is_complete;
};

static bool
take_mark(const struct shard *s, struct mark *m, struct err *err)
{
    *m = (struct mark){.number = s->lines.number,
                       .n_objects = s->n_objects,
                       .clock = s->clock,
                       .times = s->times,
                       .is_over = s->is_over,
                       .is_recording = s->is_recording,
                       .is_complete = s->is_complete};
    if (s->is_over)
        return true;
    if (!lines_offset(&s->lines, &m->offset)) {
        err_set(err, ERR_USAGE, "a checkpoint needs files; this is a pipe");
        return err_in_file(err, s->lines.name);
    }
    m->hash = lines_hash_before(&s->lines, m->offset);
    return true;
}

static bool
go_to_mark(struct shard *s, const struct mark *m, struct err *err)
{
    s->n_objects = m->n_objects;
    s->clock = m->clock;
    s->times = (enum scan_clock)m->times;
    s->is_over = m->is_over;
    s->is_recording = m->is_recording;
    s->is_complete = m->is_complete;
    if (s->is_over)
        return true;
    if (!lines_go_to(&s->lines, m->offset, m->number, err))
        return false;
    if (lines_hash_before(&s->lines, m->offset) == m->hash)
        return true;
    err_set(err, ERR_SYNTAX,
            "another file than the one of which the checkpoint was written");
    return err_in_file(err, s->lines.name);
}

/* Move the shard of that path to index i; one that is gone is added. */
static bool
find_shard(struct stream_reader *r, size_t i, const struct buf *path,
           bool is_over, struct err *err)
{
    size_t at = i;
    while (at < r->shards.n && strcmp(r->shards.at[at].lines.name, path->at))
        at++;
    if (at == r->shards.n && !is_over) {
        err_set(err, ERR_IO,
                "it is not here, and the checkpoint was written before its "
                "end");
        return err_in_file(err, path->at);
    }
    if (at == r->shards.n) {
        struct shard *s = reader_add_shard(r);
        s->path = mem_alloc(1, path->n + 1);
        memcpy(s->path, path->at, path->n + 1);
        s->lines.name = s->path;
        s->notation = &notation_jsonl;
    }
    const struct shard found = r->shards.at[at];
    r->shards.at[at] = r->shards.at[i];
    r->shards.at[i] = found;
    return true;
}

static bool
archive_shards(struct stream_reader *r, struct archive *a, struct err *err)
{
    size_t n = r->shards.n;
    bool ok = true;
    archive_count(a, &n, sizeof(struct mark));
    for (size_t i = 0; ok && i < n; i++) {
        struct buf path = {0};
        struct mark m;
        memset(&m, 0, sizeof m);
        if (!a->reads) {
            buf_text(&path, r->shards.at[i].lines.name);
            ok = take_mark(&r->shards.at[i], &m, err);
        }
        archive_text(a, &path);
        archive_value(a, m);
        if (a->reads && !a->failed)
            ok = find_shard(r, i, &path, m.is_over, err) &&
                 go_to_mark(&r->shards.at[i], &m, err);
        buf_free(&path);
    }
    return ok;
}

static void
archive_sessions(struct stream_reader *r, struct archive *a)
{
    archive_vec(a, &r->sessions);
    for (size_t i = 0; i < r->sessions.n; i++) {
        struct reader_session *s = &r->sessions.at[i];
        bool has = !a->reads && s->pending.txn;
        archive_value(a, has);
        if (a->reads)
            s->pending.txn = NULL;
        a->failed |= s->shard > r->shards.n;
        if (has)
            stream_txn_archive(&s->pending.txn, r->names, a);
    }
    archive_vec(a, &r->waiting);
    archive_value(a, r->waiting_at);
    for (size_t i = 0; i < r->waiting.n; i++)
        a->failed |= r->waiting.at[i] >= r->sessions.n;
    a->failed |= r->waiting_at > r->waiting.n;
}

bool
stream_reader_archive(struct stream_reader *r, struct archive *a,
                      struct err *err)
{
    assert(r->is_followed);
    if (!archive_shards(r, a, err))
        return false;
    archive_sessions(r, a);
    stream_txns_archive(&r->ready, a->reads ? 0 : r->ready_at, r->names, a);
    archive_value(a, r->has_times);
    archive_value(a, r->is_cut);
    archive_value(a, r->is_late);
    archive_value(a, r->n_read);
    archive_value(a, r->sizes);
    return true;
}
