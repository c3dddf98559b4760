/* archive.c -- see archive.h.
 *
 * SPDX-License-Identifier: MIT */
#include "stream/input/archive.h"

#include "base/container/hash.h"
#include "base/outfile.h"

#include <errno.h>

// Another layout has another number; so has another byte order.
static const uint64_t magic = UINT64_C(0x3130746365686341);

struct head {
    uint64_t magic, n, hash;
};

void
archive_bytes(struct archive *a, void *data, size_t n)
{
    if (!n)
        return;
    if (!a->reads) {
        buf_add(&a->bytes, data, n);
    } else if (a->failed || a->bytes.n - a->at < n) {
        a->failed = true;
        memset(data, 0, n);
    } else {
        memcpy(data, a->bytes.at + a->at, n);
        a->at += n;
    }
}

void
archive_count(struct archive *a, size_t *n, size_t least)
{
    uint64_t count = *n;
    archive_value(a, count);
    if (a->reads && count > (a->bytes.n - a->at) / (least ? least : 1)) {
        a->failed = true;
        count = 0;
    }
    *n = (size_t)count;
}

void
archive_text(struct archive *a, struct buf *text)
{
    size_t n = text->n;
    archive_count(a, &n, 1);
    if (!a->reads) {
        archive_bytes(a, text->at, n);
        return;
    }
    buf_clear(text);
    buf_add(text, a->bytes.at + a->at, n);
    a->at += n;
}

void
archive_strings(struct archive *a, struct strings *s)
{
    size_t n = s->all.n;
    archive_count(a, &n, sizeof(uint64_t));
    for (size_t i = 0; i < n; i++) {
        struct buf text = {0};
        if (!a->reads) {
            const struct string string = strings_get(s, (uint32_t)i);
            buf_add(&text, string.text, string.len);
        }
        archive_text(a, &text);
        // The same text twice would shift all that come behind it.
        if (a->reads && !a->failed)
            a->failed = strings_add(s, text.n ? text.at : "", text.n) != i;
        buf_free(&text);
    }
}

void
archive_atom(struct archive *a, struct atom *x)
{
    uint8_t tag = (uint8_t)x->tag;
    archive_value(a, tag);
    archive_value(a, x->bits);
    a->failed |= tag >= ATOM_TAGS;
    x->tag = tag < ATOM_TAGS ? (enum atom_tag)tag : ATOM_NIL;
}

bool
archive_save(const struct archive *a, const char *path, struct err *err)
{
    const struct head head = {magic, a->bytes.n,
                              hash_bytes(a->bytes.at, a->bytes.n)};
    struct buf all = {0};
    buf_add(&all, (const char *)&head, sizeof head);
    buf_add(&all, a->bytes.at, a->bytes.n);
    const bool ok = outfile_write(path, &all, err);
    buf_free(&all);
    return ok;
}

static bool
read_file(const char *path, struct buf *out, struct err *err)
{
    enum { SOME = 1 << 16 };
    FILE *file = fopen(path, "rb");
    if (!file) {
        err_set(err, ERR_IO, "%s", strerror(errno));
        return err_in_file(err, path);
    }
    for (size_t n = 1; n;) {
        buf_grow(out, SOME);
        n = fread(out->at + out->n, 1, SOME, file);
        out->n += n;
    }
    const bool ok = !ferror(file);
    fclose(file);
    return ok || (err_set(err, ERR_IO, "cannot read"), err_in_file(err, path));
}

bool
archive_load(struct archive *a, const char *path, struct err *err)
{
    struct head head;
    *a = (struct archive){.reads = true};
    if (!read_file(path, &a->bytes, err))
        return false;
    archive_value(a, head);
    if (!a->failed && head.magic == magic && head.n == a->bytes.n - a->at &&
        head.hash == hash_bytes(a->bytes.at + a->at, head.n))
        return true;
    err_set(err, ERR_SYNTAX,
            "not a checkpoint of this program, or a damaged one");
    return err_in_file(err, path);
}

void
archive_free(struct archive *a)
{
    buf_free(&a->bytes);
}
