/* plain.h -- a fast way to read entries in the usual form.
 *
 * A format can be written in many ways: with white space, escapes, and entries
 * in any order.  Nearly every file is written by a program, in one of them.  So
 * a reader has a scan for the plain form of an entry in addition to the full
 * reader.  The scan knows nothing about mistakes and gives up on anything that
 * it does not know.  Scans run on blocks of the input, on several threads.
 * One thread uses what they found, in order, and calls the full reader for
 * everything in between.
 *
 *   (1) an entry that was found at a byte is used only if the full reader
 *       would begin an entry at that byte, so a scan may begin anywhere;
 *   (2) for an entry that is used, the scan and the full reader give the
 *       builder the same, and would stop at the same byte;
 *   (3) only the full reader reports mistakes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_SCAN_PLAIN_H
#define FORMAT_SCAN_PLAIN_H

#include "format/scan/blocks.h"
#include "format/scan/decimal.h"
#include "format/scan/scan.h"
#include "history/builder/builder.h"

/* A scan makes sure that so many bytes are left, and then reads a short word
 * and two numbers without further checks. */
enum { PLAIN_ROOM = 64 };

/* An entry.  In its atoms, text is given by its place in the block; plain_atom
 * makes it an atom of the builder. */
struct plain_entry {
    const char *at, *end; // in the input
    struct atom session, name;
    int64_t start, stop; // times
    uint64_t hash;       // the format says what this means,
    uint32_t flags;      // and this
    uint32_t ops, n_ops; // among those of the block; their txn is not set
    uint8_t status;      // enum txn_status
};

typedef VEC(struct plain_entry) plain_entries;
typedef VEC(struct raw_op) raw_ops;

/* What a block holds. */
struct plain_block {
    const char *begin, *limit; // of the block; of the input
    plain_entries entries;
    raw_ops ops;
    bool has_text; // among the keys and values of 'ops'
};

/* Scan the entry at e->at: fill the rest of e and add its operations.  Return
 * false if it is not plain. */
typedef bool plain_scan(struct plain_block *found, struct plain_entry *e);

struct plain_reader {
    struct scan *s; // the place of the full reader
    struct builder *b;
    void *self;
    plain_scan *scan;

    /* The byte where the next entry begins, or where none does.  May skip
     * blanks. */
    const char *(*next)(void *self);

    /* Read the entry at s->at, at least one byte, with the full reader. */
    bool (*read)(void *self);

    /* Use an entry: set *t to its transaction and give the builder everything
     * except its operations.  Set *used to false to leave the entry to the full
     * reader. */
    bool (*use)(void *self, const struct plain_entry *e,
                const struct plain_block *found, txn_id *t, bool *used);
};

/* Read all of 'in', from s->at to s->end, with in->threads threads. */
bool plain_run(const struct plain_reader *r, struct input *in, struct err *err);

/* An atom of an entry as one of the builder. */
static inline struct atom
plain_atom(const struct plain_block *found, struct builder *b, struct atom a)
{
    return atom_is_text(a)
               ? builder_text(b, a.tag, found->begin + (a.bits >> 32),
                              (uint32_t)a.bits)
               : a;
}

/* The other direction: the text from 'at' to 'end' as an atom of an entry. */
static inline struct atom
plain_text(const struct plain_block *found, enum atom_tag tag, const char *at,
           const char *end)
{
    assert(found->begin <= at && at <= end);
    return (struct atom){
        (uint64_t)(at - found->begin) << 32 | (uint64_t)(end - at), tag};
}

/* Whether that would hold a text that ends there. */
static inline bool
plain_holds(const struct plain_block *found, const char *end)
{
    return (uint64_t)(end - found->begin) <= UINT32_MAX;
}

/* Add an operation. */
static inline void
plain_add(struct plain_block *found, bool is_write, struct atom key,
          struct atom value)
{
    found->has_text |= atom_is_text(key) || atom_is_text(value);
    vec_push(&found->ops, ((struct raw_op){.key = key.bits,
                                           .value = value.bits,
                                           .key_tag = (uint8_t)key.tag,
                                           .value_tag = (uint8_t)value.tag,
                                           .is_write = is_write}));
}

static inline bool
plain_has_room(const struct plain_block *found, const char *at)
{
    return found->limit - at >= PLAIN_ROOM;
}

#endif
