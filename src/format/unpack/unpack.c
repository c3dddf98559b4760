/* unpack.c -- compressed input, recognised by its first bytes.
 *
 * SPDX-License-Identifier: MIT */
#include "format/unpack/unpack_stream.h"

#include "base/memory/mem.h"

#include <string.h>

static bool
begins_with(const char *data, size_t size, const char *magic, size_t len)
{
    return size >= len && memcmp(data, magic, len) == 0;
}

/* The third byte is the method; gzip has only one.  Two bytes would not be
 * enough: a binary history may begin with them. */
static bool
is_gzip(const char *data, size_t size)
{
    return begins_with(data, size, "\x1f\x8b\x08", 3);
}

static bool
is_zstd(const char *data, size_t size)
{
    return begins_with(data, size, "\x28\xb5\x2f\xfd", 4);
}

/* Other methods, which are named rather than taken for an unknown format. */
static const struct {
    const char *name, *magic;
    size_t len;
} others[] = {
    {"xz", "\xfd\x37zXZ\x00", 6},
    {"bzip2", "1AY&SY", 6}, // after BZh and a digit
    {"lz4", "\x04\x22\x4d\x18", 4},
};

static const char *
find_other(const char *data, size_t size)
{
    if (size >= 4 && memcmp(data, "BZh", 3) == 0) {
        data += 4;
        size -= 4;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (begins_with(data, size, others[i].magic, others[i].len))
            return others[i].name;
    return NULL;
}

bool
unpack_recognises(const char *data, size_t size)
{
    return is_gzip(data, size) || is_zstd(data, size) || find_other(data, size);
}

/* Refuse the methods that no build has. */
static bool
check_method(const char *data, size_t size, struct err *err)
{
    const char *other = find_other(data, size);
    return !other || err_set(err, ERR_FEATURE,
                             "compressed with %s, expected gzip, zstd or no "
                             "compression; try '%s -dc FILE | assay check -'",
                             other, other);
}

bool
unpack_all(const char *data, size_t size, char **out, size_t *out_size,
           struct err *err)
{
    if (!check_method(data, size, err))
        return false;
    return is_gzip(data, size) ? unpack_gzip(data, size, out, out_size, err)
                               : unpack_zstd(data, size, out, out_size, err);
}

/* --- piece by piece --------------------------------------------------------*/

struct unpack_stream {
    struct unpack_calls calls;
    void *state;
    bool is_complete;
};

struct unpack_stream *
unpack_stream_begin(const char *data, size_t size, struct err *err)
{
    struct unpack_calls calls;
    if (!check_method(data, size, err))
        return NULL;
    void *state = is_gzip(data, size) ? unpack_gzip_begin(&calls, err)
                                      : unpack_zstd_begin(&calls, err);
    if (!state)
        return NULL;
    struct unpack_stream *s = mem_calloc(1, sizeof *s);
    *s = (struct unpack_stream){.calls = calls, .state = state};
    return s;
}

bool
unpack_stream_step(struct unpack_stream *s, struct unpack_chunk *c,
                   struct err *err)
{
    c->taken = c->made = 0;
    return s->calls.step(s->state, c, &s->is_complete, err);
}

bool
unpack_stream_is_complete(const struct unpack_stream *s)
{
    return s->is_complete;
}

void
unpack_stream_end(struct unpack_stream *s)
{
    s->calls.end(s->state);
    mem_free(s);
}
