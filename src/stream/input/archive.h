/* archive.h -- the state of a program as bytes: one function describes the
 * layout and serves both directions.
 *
 *     archive_value(a, x->n);          writes x->n, or reads it
 *     archive_count(a, &n, 8);         the number of elements that follow
 *
 * An archive is for the program that wrote it, on a machine of the same kind.
 * Its file has a checksum, so a damaged one is refused.  After a mistake,
 * reading yields zeros, and 'failed' is true.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STREAM_INPUT_ARCHIVE_H
#define STREAM_INPUT_ARCHIVE_H

#include "base/container/strings.h"
#include "base/err.h"
#include "history/atom.h"

struct archive {
    bool reads, failed;
    struct buf bytes;
    size_t at; // of the next byte to read
};

void archive_bytes(struct archive *a, void *data, size_t n);
#define archive_value(a, x) archive_bytes(a, &(x), sizeof(x))

/* A number of elements, each of which takes at least 'least' bytes. */
void archive_count(struct archive *a, size_t *n, size_t least);

/* Make room where it is read, and go through all elements of a vector whose
 * elements hold no pointers. */
#define archive_vec(a, v)                                                      \
    do {                                                                       \
        size_t archive_n = (v)->n;                                             \
        archive_count(a, &archive_n, sizeof *(v)->at);                         \
        if ((a)->reads)                                                        \
            vec_reserve(v, archive_n);                                         \
        (v)->n = archive_n;                                                    \
        archive_bytes(a, (v)->at, archive_n * sizeof *(v)->at);                \
    } while (0)

void archive_text(struct archive *a, struct buf *text);
void archive_strings(struct archive *a, struct strings *s);
void archive_atom(struct archive *a, struct atom *x);

bool archive_save(const struct archive *a, const char *path, struct err *err);
bool archive_load(struct archive *a, const char *path, struct err *err);
void archive_free(struct archive *a);

#endif
