/* atom.h -- a key, a value or a name as the input wrote it.
 *
 * Integers are themselves; everything else is text in the history's string
 * pool.  Two atoms are the same exactly when tag and bits are.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_ATOM_H
#define HISTORY_ATOM_H

#include "base/buf.h"
#include "base/container/column.h"
#include "base/container/strings.h"

enum atom_tag {
    ATOM_NIL,     // no value: the initial state
    ATOM_INT,     // bits: a signed 64-bit integer
    ATOM_UINT,    // bits: an integer from 2^63 on
    ATOM_STRING,  // bits: number of a string in the pool
    ATOM_KEYWORD, // the same, without EDN's leading colon
    ATOM_OTHER,   // the same: anything else, as the text of one EDN form
    ATOM_TAGS
};

struct atom {
    uint64_t bits;
    enum atom_tag tag;
};

static inline struct atom
atom_nil(void)
{
    return (struct atom){0, ATOM_NIL};
}

static inline struct atom
atom_int(int64_t x)
{
    return (struct atom){(uint64_t)x, ATOM_INT};
}

static inline struct atom
atom_uint(uint64_t x)
{
    return (struct atom){x, x >> 63 ? ATOM_UINT : ATOM_INT};
}

static inline bool
atom_is_text(struct atom a)
{
    return a.tag >= ATOM_STRING;
}

static inline bool
atom_equal(struct atom a, struct atom b)
{
    return a.bits == b.bits && a.tag == b.tag;
}

/* Whether a is an integer that 64 unsigned bits hold. */
static inline bool
atom_is_u64(struct atom a)
{
    return a.tag == ATOM_UINT || (a.tag == ATOM_INT && !(a.bits >> 63));
}

/* An array of atoms that takes five bytes each for small integers and text.
 * All-zero is empty. */
struct atoms {
    struct column bits;
    VEC(uint8_t) tags;
};

static inline struct atom
atoms_get(const struct atoms *a, size_t i)
{
    assert(i < a->tags.n);
    return (struct atom){column_get(&a->bits, i), (enum atom_tag)a->tags.at[i]};
}

static inline void
atoms_push(struct atoms *a, struct atom atom)
{
    column_push(&a->bits, atom.bits);
    vec_push(&a->tags, (uint8_t)atom.tag);
}

/* Replace the i-th one. */
static inline void
atoms_set(struct atoms *a, size_t i, struct atom atom)
{
    assert(i < a->tags.n);
    column_set(&a->bits, i, atom.bits);
    a->tags.at[i] = (uint8_t)atom.tag;
}

void atoms_trim(struct atoms *a);
void atoms_free(struct atoms *a);

/* Append a as people read it: integers and plain words as they are, other text
 * in quotes, with everything escaped that could harm a terminal or a one-line
 * message. */
void atom_show(const struct strings *pool, struct atom a, struct buf *out);

/* Append a as a JSON value: keywords become strings, ATOM_OTHER too. */
void atom_json(const struct strings *pool, struct atom a, struct buf *out);

#endif
