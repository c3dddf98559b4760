/* form.h -- one JSON value or EDN form as a flat tree.
 *
 * Jepsen's logs come in both notations, and their entries in any order, so an
 * operation is first read as a whole.  JSON is taken for the EDN it would be:
 * an object is a map, an array a vector, null is nil.
 *
 * The forms of a tree lie in one array in the order of the text, each with
 * the number of forms inside it, so that a subtree is a range and the next
 * sibling is found by addition.  The array is used again for every operation.
 *
 *   (1) forms.at[0] is the root, and every other form lies in exactly one
 *       container whose range it is in;
 *   (2) the forms in a map alternate between key and value;
 *   (3) no form lies deeper than FORM_DEPTH containers, whatever the input.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_FORM_FORM_H
#define FORMAT_FORM_FORM_H

#include "base/arena.h"
#include "format/scan/scan.h"
#include "history/builder.h"

enum { FORM_DEPTH = 200 };

enum form_kind {
    FORM_NIL,
    FORM_TRUE,
    FORM_FALSE,
    FORM_INTEGER,   // 'atom' holds it
    FORM_NUMBER,    // any other number; its text
    FORM_CHARACTER, // its UTF-8 sequence
    FORM_STRING,
    FORM_KEYWORD, // without the colon
    FORM_SYMBOL,
    FORM_VECTOR, // lists too: they are equal to vectors
    FORM_SET,
    FORM_MAP,
    FORM_TAGGED, // the tag is its text; the one form in it is its value
};

struct form {
    enum form_kind kind;
    uint32_t size;    // of its range, itself included
    const char *at;   // in the input
    struct span text; // of a scalar or a tag, decoded
    struct atom atom; // of an integer
};

struct forms {
    struct form *at;
    size_t n, room;
    struct arena text; // of what had to be decoded
    bool is_json;      // how it was written
};

void forms_free(struct forms *f);

/* Read the JSON value at s->at into f, in place of what f held. */
bool form_read_json(struct scan *s, struct forms *f);

/* Read the next EDN form in the same way.  Where the input ends first, or,
 * outside of any form, the byte 'closer' comes (0: none does), *found is
 * false; neither is moved over. */
bool form_read_edn(struct scan *s, char closer, struct forms *f, bool *found);

/* Move over EDN's white space and comments. */
void edn_space(struct scan *s);

/* Whether the text may stand behind a colon as a keyword. */
bool edn_is_keyword(const char *text, size_t len);

/* The first form in container i, and the one behind j. */
static inline uint32_t
form_first(uint32_t i)
{
    return i + 1;
}

static inline uint32_t
form_next(const struct forms *f, uint32_t j)
{
    return j + f->at[j].size;
}

static inline uint32_t
form_end(const struct forms *f, uint32_t i)
{
    return i + f->at[i].size;
}

/* The value inside any tags around form i. */
uint32_t form_untagged(const struct forms *f, uint32_t i);

/* A key that stands twice in one of the maps of f, which was JSON; 0 where
 * there is none.  O(n log n). */
uint32_t form_find_twin(const struct forms *f);

/* Note that something else than 'expected' stands where form i does. */
bool form_unexpected(struct scan *s, const struct forms *f, uint32_t i,
                     const char *expected);

/* Form i as an atom of b.  What is no integer, string, keyword or nil becomes
 * its canonical text, so that equal forms are equal atoms. */
struct atom form_atom(const struct forms *f, uint32_t i, struct builder *b);

/* Append form i as compact JSON.  What JSON does not have becomes a string
 * (keywords, symbols, characters), an array (sets) or loses its tag. */
void form_show_json(const struct forms *f, uint32_t i, struct buf *out);

/* The same for a key of a map, which is a string in any case. */
void form_show_json_key(const struct forms *f, uint32_t i, struct buf *out);

/* Append form i, which was JSON, as EDN, with keywords for the keys of maps
 * where they can be keywords. */
void form_show_edn(const struct forms *f, uint32_t i, struct buf *out);
void form_show_edn_key(const struct forms *f, uint32_t i, struct buf *out);

/* Append the EDN text that all forms equal to form i share: maps and sets
 * sorted, numbers normalised. */
void form_show_canonical(const struct forms *f, uint32_t i, struct buf *out);

/* Whether JSON can say form i without loss. */
bool form_is_json(const struct forms *f, uint32_t i);

/* Private to form*.c: begin a new tree; make room for a form; complain. */
void forms_clear(struct forms *f);
bool forms_grow(struct scan *s, struct forms *f, const char *at);
bool form_too_deep(struct scan *s);

/* Add a form that has no text. */
static inline bool
form_add(struct scan *s, struct forms *f, enum form_kind kind, const char *at)
{
    if (f->n == f->room && !forms_grow(s, f, at))
        return false;
    struct form *form = &f->at[f->n++];
    form->kind = kind;
    form->size = 1;
    form->at = at;
    return true;
}

/* Add a scalar or a tag with its text. */
bool form_add_text(struct scan *s, struct forms *f, enum form_kind kind,
                   const char *at, struct span text);

#endif
