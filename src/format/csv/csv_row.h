/* csv_row.h -- the rows of a file of comma-separated values (RFC 4180).
 *
 * Fields are separated by commas, semicolons or tabs, whichever comes first in
 * the first row.  A field in double quotes may contain separators and line
 * ends, and a double quote written twice.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_CSV_CSV_ROW_H
#define FORMAT_CSV_CSV_ROW_H

#include "base/container/vec.h"
#include "format/scan/scan.h"
#include "history/builder/builder.h"

struct csv_field {
    const char *at; // in the input
    size_t text, n; // its text in csv_row.text
    bool is_quoted;
};

struct csv_row {
    VEC(struct csv_field) fields;
    struct buf text;
    const char *at; // in the input
};

/* The separator of the input, judging by its first row. */
char csv_separator(const struct scan *s);

/* Read the row at s->at, with its line end.  Blank lines before it are skipped;
 * *found is false if the input ends first. */
bool csv_row_read(struct scan *s, char separator, struct csv_row *row,
                  bool *found);
void csv_row_free(struct csv_row *row);

static inline struct span
csv_text(const struct csv_row *row, size_t i)
{
    assert(i < row->fields.n);
    return (struct span){row->text.at + row->fields.at[i].text,
                         row->fields.at[i].n};
}

/* A field as an atom: nothing at all is nil, an integer of 64 bits in its
 * shortest notation is that, everything else is a string. */
struct atom csv_atom(const struct csv_row *row, size_t i, struct builder *b);

/* Whether a text would be taken for an integer. */
bool csv_is_integer(const char *text, size_t n, struct atom *out);

#endif
