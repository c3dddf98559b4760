/* test_unpack.c -- compressed input: whole, in several members, cut, damaged.
 *
 * The compressed bytes stand here as they are, made by gzip and zstd, because
 * the build may lack the libraries; then the tests are skipped.
 *
 * SPDX-License-Identifier: MIT */
#include "format/support.h"
#include "format/unpack/unpack.h"
#include "test.h"

#define FIRST "[x:=1]\n"
#define SECOND "---\n[x==1]\n"

static const char GZIP_FIRST[] =
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x8b\xae\xb0\xb2\x35\x8c\xe5"
    "\x02\x00\x64\x28\x76\x78\x07\x00\x00\x00";
static const char GZIP_SECOND[] =
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xd3\xd5\xd5\xe5\x8a\xae\xb0"
    "\xb5\x35\x8c\xe5\x02\x00\x6a\xa9\x68\x29\x0b\x00\x00\x00";
static const char ZSTD_FIRST[] =
    "\x28\xb5\x2f\xfd\x00\x68\x39\x00\x00\x5b\x78\x3a\x3d\x31\x5d\x0a";
static const char ZSTD_SECOND[] =
    "\x28\xb5\x2f\xfd\x04\x68\x59\x00\x00\x2d\x2d\x2d\x0a\x5b\x78\x3d\x3d"
    "\x31\x5d\x0a\x1a\xa6\xcd\x84";

/* One method of compression: the two texts packed by it. */
struct packed {
    const char *name, *first, *second;
    size_t first_size, second_size;
    bool (*unpack)(const char *, size_t, char **, size_t *, struct err *);
};

static const struct packed METHODS[] = {
    {"gzip", GZIP_FIRST, GZIP_SECOND, sizeof GZIP_FIRST - 1,
     sizeof GZIP_SECOND - 1, unpack_gzip},
    {"zstd", ZSTD_FIRST, ZSTD_SECOND, sizeof ZSTD_FIRST - 1,
     sizeof ZSTD_SECOND - 1, unpack_zstd},
};

enum { N_METHODS = sizeof METHODS / sizeof *METHODS };

static bool
is_built_in(const struct packed *m)
{
    struct err err = {0};
    char *data;
    size_t size;
    if (m->unpack(m->first, m->first_size, &data, &size, &err))
        mem_free(data);
    return err.kind != ERR_FEATURE;
}

/* Unpack a copy of exactly that size. */
static bool
unpacks(const char *packed, size_t n, struct buf *out, struct err *err)
{
    char *copy = mem_alloc(n, 1), *data;
    size_t size;
    memcpy(copy, packed, n);
    const bool ok = unpack_all(copy, n, &data, &size, err);
    buf_clear(out);
    if (ok) {
        buf_add(out, size ? data : "", size);
        mem_free(data);
    }
    mem_free(copy);
    return ok;
}

/* Both members of a method, one behind the other. */
static void
both_members(const struct packed *m, struct buf *out)
{
    buf_clear(out);
    buf_add(out, m->first, m->first_size);
    buf_add(out, m->second, m->second_size);
}

static void
one_member_unpacks_to_its_text(void)
{
    for (size_t i = 0; i < N_METHODS; i++) {
        const struct packed *m = &METHODS[i];
        struct buf out = {0};
        struct err err = {0};
        if (!is_built_in(m)) {
            SKIP(m->name);
            continue;
        }
        CHECK(unpack_recognises(m->first, m->first_size));
        CHECK(unpacks(m->first, m->first_size, &out, &err));
        CHECK_TEXT(out.at, FIRST);
        buf_free(&out);
    }
    CHECK(!unpack_recognises(FIRST, sizeof FIRST - 1));
    CHECK(!unpack_recognises("", 0));
}

static void
several_members_unpack_one_behind_the_other(void)
{
    for (size_t i = 0; i < N_METHODS; i++) {
        struct buf packed = {0}, out = {0};
        struct err err = {0};
        if (!is_built_in(&METHODS[i])) {
            SKIP(METHODS[i].name);
            continue;
        }
        both_members(&METHODS[i], &packed);
        CHECK(unpacks(packed.at, packed.n, &out, &err));
        CHECK_TEXT(out.at, FIRST SECOND);
        buf_free(&packed);
        buf_free(&out);
    }
}

static void
a_cut_anywhere_but_between_members_is_an_error(void)
{
    for (size_t i = 0; i < N_METHODS; i++) {
        const struct packed *m = &METHODS[i];
        struct buf packed = {0}, out = {0};
        if (!is_built_in(m)) {
            SKIP(m->name);
            continue;
        }
        both_members(m, &packed);
        for (size_t n = 4; n < packed.n; n++) {
            struct err err = {0};
            const bool whole = n == m->first_size;
            CHECK(unpacks(packed.at, n, &out, &err) == whole);
            CHECK(whole || (err.kind == ERR_SYNTAX && err.has_byte));
            CHECK(whole || err.byte <= n);
        }
        buf_free(&packed);
        buf_free(&out);
    }
}

static void
a_checksum_that_does_not_fit_is_an_error(void)
{
    for (size_t i = 0; i < N_METHODS; i++) {
        const struct packed *m = &METHODS[i];
        struct buf packed = {0}, out = {0};
        struct err err = {0};
        if (!is_built_in(m)) {
            SKIP(m->name);
            continue;
        }
        buf_add(&packed, m->second, m->second_size);
        packed.at[packed.n - (i == 0 ? 8 : 1)] ^= 1; // gzip: before the size
        CHECK(!unpacks(packed.at, packed.n, &out, &err));
        CHECK(err.kind == ERR_SYNTAX && err.has_byte);
        buf_free(&packed);
        buf_free(&out);
    }
}

static void
other_bytes_behind_the_data_are_an_error(void)
{
    for (size_t i = 0; i < N_METHODS; i++) {
        const struct packed *m = &METHODS[i];
        struct buf packed = {0}, out = {0};
        struct err err = {0};
        if (!is_built_in(m)) {
            SKIP(m->name);
            continue;
        }
        buf_add(&packed, m->first, m->first_size);
        buf_text(&packed, "hello");
        CHECK(!unpacks(packed.at, packed.n, &out, &err));
        CHECK(err.kind == ERR_SYNTAX && err.byte >= m->first_size);
        buf_free(&packed);
        buf_free(&out);
    }
}

/* A zstd frame of n blocks, each of which is one byte 128 KiB long. */
static void
put_long_frame(struct buf *out, unsigned n)
{
    buf_add(out, "\x28\xb5\x2f\xfd\x00\x68", 6);
    for (unsigned i = 0; i < n; i++) {
        const uint32_t head = (128u << 10) << 3 | 1u << 1 | (i + 1 == n);
        buf_char(out, (char)head);
        buf_char(out, (char)(head >> 8));
        buf_char(out, (char)(head >> 16));
        buf_char(out, '\n');
    }
}

static void
much_more_than_was_packed_comes_out(void)
{
    struct buf packed = {0}, out = {0};
    struct err err = {0};
    if (!is_built_in(&METHODS[1])) {
        SKIP("zstd");
        return;
    }
    put_long_frame(&packed, 100);
    CHECK(unpacks(packed.at, packed.n, &out, &err));
    CHECK(out.n == 100u << 17);
    buf_free(&packed);
    buf_free(&out);
}

static void
a_compressed_history_is_read_like_any_other(void)
{
    for (size_t i = 0; i < N_METHODS; i++) {
        struct scratch s;
        struct buf packed = {0};
        struct history h;
        struct err err = {0};
        const struct format *used = NULL;
        char path[512];
        if (!is_built_in(&METHODS[i])) {
            SKIP(METHODS[i].name);
            continue;
        }
        scratch_init(&s);
        scratch_path(&s, "history", path, sizeof path);
        both_members(&METHODS[i], &packed);
        put_file(path, packed.at, packed.n);
        CHECK(format_read(path, "auto", 1, &h, &used, &err));
        CHECK(used == &format_hist && h.n_txns == 2);
        history_free(&h);
        put_file(path, packed.at, packed.n - 1);
        CHECK(!format_read(path, "auto", 1, &h, &used, &err));
        CHECK_TEXT(err.file, path);
        buf_free(&packed);
        scratch_free(&s);
    }
}

int
main(void)
{
    RUN(one_member_unpacks_to_its_text);
    RUN(several_members_unpack_one_behind_the_other);
    RUN(a_cut_anywhere_but_between_members_is_an_error);
    RUN(a_checksum_that_does_not_fit_is_an_error);
    RUN(other_bytes_behind_the_data_are_an_error);
    RUN(much_more_than_was_packed_comes_out);
    RUN(a_compressed_history_is_read_like_any_other);
    return test_end();
}
