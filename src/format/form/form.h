/* form.h -- one JSON value or EDN form as a flat tree.
 *
 * Jepsen's logs come in both notations, and the entries of an operation in any
 * order, so an operation is first read as a whole.  JSON is read as the
 * corresponding EDN: an object is a map, an array is a vector, null is nil.
 *
 * The forms of a tree are one array in the order of the text.  Each has the
 * size of its subtree, so a subtree is a range and the next sibling is found
 * by addition.  The array is reused for every operation.
 *
 *   (1) forms.at[0] is the root, and every other form has exactly one innermost
 *       container whose range includes it;
 *   (2) the forms in a map alternate between key and value;
 *   (3) no form is nested more than FORM_DEPTH containers deep, on any input.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_FORM_FORM_H
#define FORMAT_FORM_FORM_H

#include "base/memory/arena.h"
#include "format/scan/scan.h"
#include "history/builder/builder.h"

enum { FORM_DEPTH = 200 };

enum form_kind {
    FORM_NIL,
    FORM_TRUE,
    FORM_FALSE,
    FORM_INTEGER,   // its value is in 'atom'
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
    uint32_t size;    // forms in its range, itself included
    const char *at;   // in the input
    struct span text; // decoded text of a scalar or a tag
    struct atom atom; // value of an integer
};

struct forms {
    struct form *at;
    size_t n, room;
    struct arena text; // text that had to be decoded
    bool is_json;      // read from JSON, not from EDN
};

void forms_free(struct forms *f);

/* Read the JSON value at s->at into f, which loses its contents. */
bool form_read_json(struct scan *s, struct forms *f);

/* Read the next EDN form in the same way.  *found is false if the input ends,
 * or the byte 'closer' (0: no byte) comes, before a form begins; s->at then
 * stays there. */
bool form_read_edn(struct scan *s, char closer, struct forms *f, bool *found);

/* Make a map of forms that are not written as one: begin with an empty map, and
 * add the next EDN form under a key, which has to stay valid. */
bool form_begin_edn_map(struct scan *s, struct forms *f);
bool form_add_edn_entry(struct scan *s, struct forms *f, const char *key);

/* Skip EDN's white space and comments. */
void edn_space(struct scan *s);

/* Whether a colon and the text make a keyword. */
bool edn_is_keyword(const char *text, size_t len);

/* The first form in container i, and the form after j. */
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

/* The value of form i without its tags. */
uint32_t form_untagged(const struct forms *f, uint32_t i);

/* A key that occurs twice in one of the maps in form i, or an element in one of
 * the sets; 0 if there is none.  O(n log n). */
uint32_t form_find_twin(const struct forms *f, uint32_t i);

/* Report that form i was found and 'expected' was expected. */
bool form_unexpected(struct scan *s, const struct forms *f, uint32_t i,
                     const char *expected);

/* Form i as an atom of b.  Anything but an integer, a string, a keyword or nil
 * becomes its canonical text, so that equal forms are equal atoms. */
struct atom form_atom(const struct forms *f, uint32_t i, struct builder *b);

/* Append form i as compact JSON.  Keywords, symbols and characters become
 * strings, sets become arrays, and tags are dropped. */
void form_show_json(const struct forms *f, uint32_t i, struct buf *out);

/* The same for a key of a map, which is always written as a string. */
void form_show_json_key(const struct forms *f, uint32_t i, struct buf *out);

/* Append form i, which was read from JSON, as EDN.  Keys of maps that can be
 * keywords become keywords. */
void form_show_edn(const struct forms *f, uint32_t i, struct buf *out);
void form_show_edn_key(const struct forms *f, uint32_t i, struct buf *out);

/* Append the EDN text that all forms equal to form i share: maps and sets
 * sorted, numbers normalised. */
void form_show_canonical(const struct forms *f, uint32_t i, struct buf *out);

/* Add the canonical text of a string with the tag 'inst' or 'uuid', quoted;
 * false, and nothing is added, if it is not of this tag. */
bool form_show_tagged_text(struct span tag, struct span text, struct buf *out);

/* Whether JSON can represent form i without loss. */
bool form_is_json(const struct forms *f, uint32_t i);

/* Private to form*.c: begin a new tree; add a form; report an error. */
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
