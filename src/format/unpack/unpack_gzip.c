/* unpack_gzip.c -- unpack gzip with zlib.
 *
 * A gzip file is one or more members ('cat a.gz b.gz' makes such a file).  Each
 * ends with a checksum, which zlib verifies.  Other bytes after a member are an
 * error, and so is an incomplete member.
 *
 * zlib counts its input in 32 bits, so larger inputs are given in pieces.
 *
 * SPDX-License-Identifier: MIT */
#include "format/unpack/unpack_stream.h"

#include "base/container/vec.h"
#include "base/library.h"

#include <zlib.h>

/* The functions of the library that are used; see base/library.h. */
#define CALLS(F) F(inflate) F(inflateEnd) F(inflateInit2_) F(inflateReset)
static struct {
    CALLS(LIBRARY_MEMBER)
} lib;
static const char *const calls[] = {CALLS(LIBRARY_NAME)};

enum {
    PIECE = 1 << 30,           // bytes of input given to zlib at once
    ROOM = 1 << 16,            // the least bytes of output at once
    WINDOW_AND_GZIP = 15 + 16, // zlib's argument for "gzip only"
};

struct gunzip {
    z_stream z;
    const char *data;
    size_t size, taken; // input bytes, and those zlib has taken
    VEC(char) out;
};

/* Let zlib unpack more; returns its status. */
static int
step(struct gunzip *g)
{
    vec_reserve(&g->out, g->out.n + ROOM);
    const size_t room = g->out.room - g->out.n, left = g->size - g->taken;
    g->z.next_out = (Bytef *)g->out.at + g->out.n;
    g->z.avail_out = room < PIECE ? (uInt)room : PIECE;
    // zlib does not write to its input, although its type is not const.
    g->z.next_in = (Bytef *)(uintptr_t)(g->data + g->taken);
    g->z.avail_in = left < PIECE ? (uInt)left : PIECE;
    const uInt in_before = g->z.avail_in, out_before = g->z.avail_out;
    const int said = lib.inflate(&g->z, Z_NO_FLUSH);
    g->taken += in_before - g->z.avail_in;
    g->out.n += out_before - g->z.avail_out;
    return said;
}

static bool
gunzip_all(struct gunzip *g, struct err *err)
{
    for (;;) {
        const int said = step(g);
        if (said == Z_STREAM_END) {
            if (g->taken == g->size)
                return true;
            if ((unsigned char)g->data[g->taken] != 0x1f)
                return err_set(err, ERR_SYNTAX,
                               "found other bytes after the gzip data");
            lib.inflateReset(&g->z);
        } else if (said == Z_BUF_ERROR ||
                   (said == Z_OK && g->taken == g->size && g->z.avail_out)) {
            return err_set(err, ERR_SYNTAX,
                           "the gzip data ends before it is complete");
        } else if (said != Z_OK) {
            return err_set(err, ERR_SYNTAX, "damaged gzip data: %s",
                           g->z.msg ? g->z.msg : "unknown reason");
        }
    }
}

bool
unpack_gzip(const char *data, size_t size, char **out, size_t *out_size,
            struct err *err)
{
    struct gunzip g = {.data = data, .size = size};
    if (!library_load("libz.so.1", calls, LIBRARY_LENGTH(calls), &lib, err))
        return false;
    if (lib.inflateInit2_(&g.z, WINDOW_AND_GZIP, ZLIB_VERSION,
                          (int)sizeof g.z) != Z_OK)
        return err_set(err, ERR_LIMIT, "zlib has no memory");
    const bool ok = gunzip_all(&g, err);
    lib.inflateEnd(&g.z);
    if (!ok) {
        vec_free(&g.out);
        return err_at_byte(err, g.taken);
    }
    *out = g.out.at;
    *out_size = g.out.n;
    return true;
}

/* --- piece by piece --------------------------------------------------------*/

struct gunzip_state {
    z_stream z;
    bool is_between; // members
};

static bool
gunzip_step(void *state, struct unpack_chunk *c, bool *is_complete,
            struct err *err)
{
    struct gunzip_state *g = state;
    if (g->is_between && !c->in_n)
        return true;
    if (g->is_between && (unsigned char)*c->in != 0x1f)
        return err_set(err, ERR_SYNTAX,
                       "found other bytes after the gzip data");
    if (g->is_between)
        lib.inflateReset(&g->z);
    g->is_between = *is_complete = false;
    g->z.next_in = (Bytef *)(uintptr_t)c->in;
    g->z.avail_in = c->in_n < PIECE ? (uInt)c->in_n : PIECE;
    g->z.next_out = (Bytef *)c->out;
    g->z.avail_out = c->out_room < PIECE ? (uInt)c->out_room : PIECE;
    const uInt in = g->z.avail_in, out = g->z.avail_out;
    const int said = lib.inflate(&g->z, Z_NO_FLUSH);
    c->taken = in - g->z.avail_in;
    c->made = out - g->z.avail_out;
    g->is_between = *is_complete = said == Z_STREAM_END;
    return said == Z_STREAM_END || said == Z_OK || said == Z_BUF_ERROR ||
           err_set(err, ERR_SYNTAX, "damaged gzip data: %s",
                   g->z.msg ? g->z.msg : "unknown reason");
}

static void
gunzip_end(void *state)
{
    struct gunzip_state *g = state;
    lib.inflateEnd(&g->z);
    mem_free(g);
}

void *
unpack_gzip_begin(struct unpack_calls *to, struct err *err)
{
    if (!library_load("libz.so.1", calls, LIBRARY_LENGTH(calls), &lib, err))
        return NULL;
    struct gunzip_state *g = mem_calloc(1, sizeof *g);
    *to = (struct unpack_calls){gunzip_step, gunzip_end};
    if (lib.inflateInit2_(&g->z, WINDOW_AND_GZIP, ZLIB_VERSION,
                          (int)sizeof g->z) == Z_OK)
        return g;
    mem_free(g);
    err_set(err, ERR_LIMIT, "zlib has no memory");
    return NULL;
}
