/* told.h -- a whole history as one line, for tests that say what a text means.
 *
 *     0: 17? r(x, nil) w(x, 1) @3..5 {"node":"n1"}; 1: ! append(l, 2)
 *
 * A transaction is its session, its name where it has one, its operations, its
 * times where they are known ('-' for an open end), and its meta data.  '!'
 * behind the name means aborted, '?' indeterminate, '*' loading.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TEST_FORMAT_TOLD_H
#define TEST_FORMAT_TOLD_H

#include "format/support.h"

#include "test.h"

#include <inttypes.h>

static inline void
tell_times(const struct history *h, txn_id t, struct buf *out)
{
    if (!h->txn_began)
        return;
    buf_text(out, " @");
    if (h->txn_began[t] == INT64_MIN)
        buf_char(out, '-');
    else
        buf_i64(out, h->txn_began[t]);
    buf_text(out, "..");
    if (h->txn_ended[t] == INT64_MAX)
        buf_char(out, '-');
    else
        buf_i64(out, h->txn_ended[t]);
}

static inline void
tell_txn(const struct history *h, txn_id t, struct buf *out)
{
    static const char *const marks[] = {"", "!", "?", "*"};
    history_show_session(h, h->txn_session[t], out);
    buf_char(out, ':');
    const struct atom name = history_txn_atom(h, t);
    const char *mark = marks[h->txn_status[t]];
    if (name.tag != ATOM_NIL || *mark)
        buf_char(out, ' ');
    if (name.tag != ATOM_NIL)
        atom_show(&h->strings, name, out);
    buf_text(out, mark);
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        if (op_is_implied(h, op))
            continue;
        buf_char(out, ' ');
        history_show_op(h, op, out);
    }
    tell_times(h, t, out);
    if (h->txn_meta && h->txn_meta[t] != ID_NONE) {
        const struct string meta = strings_get(&h->strings, h->txn_meta[t]);
        buf_char(out, ' ');
        buf_add(out, meta.text, meta.len);
    }
}

static inline void
tell(const struct history *h, struct buf *out)
{
    buf_clear(out);
    buf_text(out, "");
    for (txn_id t = 0; t < h->n_txns; t++) {
        if (t)
            buf_text(out, "; ");
        tell_txn(h, t, out);
    }
}

static inline bool
is_text(const char *what, const char *got, const char *expected)
{
    const bool same = strcmp(got, expected) == 0;
    if (!same)
        printf("# %s\n#   %s\n# expected\n#   %s\n", what, got, expected);
    return same;
}

static inline bool
means(const struct format *format, const char *text, const char *expected)
{
    struct history h;
    struct err err = {0};
    struct buf out = {0};
    if (!read_text(format, text, &h, &err)) {
        printf("# %" PRIu64 ":%" PRIu64 ": %s\n", err.line, err.column,
               err.text);
        return false;
    }
    tell(&h, &out);
    const bool same = is_text("means", out.at, expected);
    buf_free(&out);
    history_free(&h);
    return same;
}

static inline bool
fails(const struct format *format, const char *text, const char *expected)
{
    struct history h;
    struct err err = {0};
    char message[1024];
    if (read_text(format, text, &h, &err)) {
        printf("# was read: %s\n", text);
        history_free(&h);
        return false;
    }
    err_format(&err, message, sizeof message);
    return is_text("fails with", message, expected);
}

/* Read 'text' and compare what 'to' makes of it. */
static inline bool
writes(const struct format *from, const char *text, const struct format *to,
       const char *expected)
{
    struct history h;
    struct err err = {0};
    char *data = NULL;
    size_t size;
    if (!read_text(from, text, &h, &err)) {
        printf("# cannot read: %s\n", err.text);
        return false;
    }
    const bool ok = write_memory(&h, to, &data, &size, &err);
    const bool same = is_text("writes", ok ? data : err.text, expected);
    free(data);
    history_free(&h);
    return same;
}

/* Whether what 'from' reads is told in the same words after a trip through
 * 'to'. */
static inline bool
survives(const struct format *from, const char *text, const struct format *to)
{
    struct history h, again;
    struct err err = {0};
    struct buf before = {0}, after = {0};
    char *data = NULL;
    size_t size = 0;
    bool ok = read_text(from, text, &h, &err);
    if (!ok)
        return false;
    tell(&h, &before);
    ok = write_memory(&h, to, &data, &size, &err) &&
         read_memory(to, data, size, &again, &err);
    if (ok) {
        tell(&again, &after);
        ok = is_text("comes back as", after.at, before.at);
        history_free(&again);
    } else {
        printf("# %s\n", err.text);
    }
    free(data);
    buf_free(&before);
    buf_free(&after);
    history_free(&h);
    return ok;
}

/* Read every beginning of the text.  Each must be read or be refused with a
 * position; returns how many were read. */
static inline size_t
count_readable_cuts(const struct format *format, const char *text)
{
    size_t n = 0;
    for (size_t size = 0; size <= strlen(text); size++) {
        struct history h;
        struct err err = {0};
        if (read_memory(format, text, size, &h, &err)) {
            history_free(&h);
            n++;
        } else {
            CHECK(err.kind == ERR_SYNTAX && err.line && err.column);
        }
    }
    return n;
}

/* Read the text with every byte replaced by each of a few nasty ones; it is
 * enough that nothing breaks. */
static inline void
survive_damage(const struct format *format, const char *text)
{
    static const char nasty[] = "\"\\[]{}():;,#-09eN \n\x01\xc3\xff";
    const size_t size = strlen(text);
    char *copy = mem_alloc(size, 1);
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < sizeof nasty; j++) {
            struct history h;
            struct err err = {0};
            memcpy(copy, text, size);
            copy[i] = nasty[j];
            if (read_memory(format, copy, size, &h, &err))
                history_free(&h);
            else
                CHECK(err.kind != ERR_NONE && err.line);
        }
    mem_free(copy);
}

/* 'n' times 'text'; free with mem_free. */
static inline char *
repeated(const char *text, size_t n, const char *end)
{
    struct buf out = {0};
    for (size_t i = 0; i < n; i++)
        buf_text(&out, text);
    buf_text(&out, end);
    return out.at;
}

#endif
