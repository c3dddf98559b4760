/* format.h -- the table of file formats.
 *
 * A format is one file with a row here: it recognises its own contents, reads
 * them into a builder and, if it can, writes a history.  Nothing above this
 * layer knows how a file looks.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_FORMAT_H
#define FORMAT_FORMAT_H

#include "format/input.h"
#include "history/builder.h"

#include <stdio.h>

/* Where a writer writes: an open file, or a directory to make. */
struct output {
    const char *path; // NULL for stdout
    FILE *file;       // NULL for a format that is a directory
};

// What a format keeps of a history beside what verdicts nearly always depend
// on.
enum { KEEPS_NAMES = 1, KEEPS_TIMES = 2, KEEPS_META = 4, KEEPS_CUT = 8 };

struct format {
    const char *name, *suffix, *help;
    enum atom_tag initial; // ATOM_INT: the integer 0; ATOM_NIL: nothing
    bool writes_directory;
    unsigned keeps; // KEEPS_ flags, of the writer

    /* How sure it is that 'in' is of this format: 0 (no) to 100. */
    int (*sniff)(const struct input *in);

    /* Read all of 'in'.  Errors carry line and column, or the byte. */
    bool (*read)(struct input *in, struct builder *b, struct err *err);

    /* Say whether the format can hold h, and if not why (ERR_FEATURE); then
     * write it.  NULL where the format is only read. */
    bool (*holds)(const struct history *h, struct err *err);
    bool (*write)(const struct history *h, struct output *out, struct err *err);
};

extern const struct format *const format_table[]; // ends in NULL

const struct format *format_find(const char *name);

/* The format of 'in' by its contents; false with an error where none fits. */
bool format_recognise(const struct input *in, const struct format **out,
                      struct err *err);

/* Open and read the history at path.  'name' is a format's name or "auto";
 * *used, where not NULL, tells which it was. */
bool format_read(const char *path, const char *name, unsigned threads,
                 struct history *h, const struct format **used,
                 struct err *err);

/* Write h to path ("-" is stdout); complete or not at all where it is a file.
 */
bool format_write(const struct history *h, const struct format *format,
                  const char *path, struct err *err);

/* Remove what is left of writing to path when that was stopped half-way. */
void format_discard(const char *path);

/* For 'holds': every key and value an unsigned 64-bit integer, none of them 0
 * where the format means the initial value by that; no lists. */
bool format_needs_integers(const struct history *h, const struct format *format,
                           struct err *err);

#endif
