/* names.h -- keys, sessions and values of a stream, as small numbers.
 *
 * Keys and sessions are kept for the whole run: memory grows with their number.
 * Values that are text are kept only as long as something refers to them: there
 * are as many as writes.  names_collect drops the others.
 *
 *   (N1) two values of a stream are the same exactly when tag and bits are; no
 *        hash stands for a value.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STREAM_INPUT_NAMES_H
#define STREAM_INPUT_NAMES_H

#include "base/container/intmap.h"
#include "history/atom.h"
#include "stream/input/archive.h"

/* A map from atoms to numbers. */
struct name_map {
    struct intmap by_tag[ATOM_TAGS];
    struct atoms all;
};

struct stream_names {
    struct strings texts; // of keys and sessions
    struct name_map keys, sessions;
    struct strings values; // texts of values
    size_t least_values;   // never collect fewer texts; 0: the default
    size_t most_values;    // texts before they are collected next
    struct atom initial;   // how the format writes the initial value
};

/* The number of a key or session, added where it is new; its text, if it has
 * one, is in n->texts. */
uint32_t name_number(struct name_map *m, struct atom name);

/* The atom of a text in n->texts and of a value in n->values. */
struct atom names_text(struct stream_names *n, const char *text, size_t len);
struct atom names_value(struct stream_names *n, const char *text, size_t len);

/* A hash of a value that does not change when texts are collected. */
uint64_t names_hash(const struct stream_names *n, uint32_t key,
                    struct atom value);

/* Whether so many texts of values are kept that it is time to collect them. */
bool names_are_many(const struct stream_names *n);

/* Collecting: begin, pass each atom that is still in use to names_keep, which
 * returns its new form, and end. */
struct names_collection {
    struct stream_names *names;
    struct strings kept;
};
void names_collect_begin(struct names_collection *c, struct stream_names *n);
uint64_t names_keep(struct names_collection *c, uint8_t tag, uint64_t bits);
void names_collect_end(struct names_collection *c);

/* Keys, sessions and values; read into names that are empty. */
void names_archive(struct stream_names *n, struct archive *a);

void names_free(struct stream_names *n);

#endif
