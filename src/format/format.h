/* format.h -- the table of file formats.
 *
 * A format is one file with a row in the table.  It recognises its own
 * contents, reads them into a builder and, if it can, writes a history.
 * Nothing above this layer knows the notation of a file.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_FORMAT_H
#define FORMAT_FORMAT_H

#include "format/input.h"
#include "history/builder/builder.h"

#include <stdio.h>

/* The destination of a writer: an open file, or a directory to make. */
struct output {
    const char *path; // NULL for stdout
    FILE *file;       // NULL for a format that is a directory
};

// Parts of a history that only some formats keep.
enum {
    KEEPS_NAMES = 1,
    KEEPS_TIMES = 2,
    KEEPS_META = 4,
    KEEPS_CUT = 8,
    KEEPS_STAMPS = 16,
    KEEPS_ROWS = 32,
    KEEPS_PARTIAL = 64,
};

struct format {
    const char *name, *suffix, *help;
    enum atom_tag initial; // the initial value: ATOM_INT for 0, or ATOM_NIL
    bool writes_directory;
    unsigned keeps; // KEEPS_ flags: what the writer keeps

    /* How likely 'in' has this format, from 0 (no) to 100. */
    int (*sniff)(const struct input *in);

    /* Read all of 'in'.  Errors carry line and column, or the byte. */
    bool (*read)(struct input *in, struct builder *b, struct err *err);

    /* Whether the format can hold h, with ERR_FEATURE and a reason if not; and
     * write h.  Both are NULL if the format can only be read. */
    bool (*holds)(const struct history *h, struct err *err);
    bool (*write)(const struct history *h, struct output *out, struct err *err);

    /* Whether what is written says of some transactions that one ended before
     * another began, where h does not.  NULL: never. */
    bool (*adds_order)(const struct history *h);
};

extern const struct format *const format_table[]; // ends with NULL

const struct format *format_find(const char *name);

/* The format of 'in' by its contents; false with an error if none fits. */
bool format_recognise(const struct input *in, const struct format **out,
                      struct err *err);

/* Open and read the history at path.  'name' is a format's name or "auto".
 * If 'used' is not NULL, it is set to the format that was used. */
bool format_read(const char *path, const char *name, unsigned threads,
                 struct history *h, const struct format **used,
                 struct err *err);

/* The same from memory; 'label' stands for the path in messages. */
bool format_read_bytes(const char *bytes, size_t size, const char *label,
                       const char *name, unsigned threads, struct history *h,
                       const struct format **used, struct err *err);

/* The same with h->txn_line, for formats of lines.  Slower. */
bool format_read_lines(const char *path, const char *name, struct history *h,
                       const struct format **used, struct err *err);

/* Write h to path ("-" is stdout).  A file is written completely or not at all.
 */
bool format_write(const struct history *h, const struct format *format,
                  const char *path, struct err *err);

/* Remove what an interrupted write to path left behind. */
void format_discard(const char *path);

/* A test for 'holds': there are no lists, and every key and value is an
 * unsigned 64-bit integer, and not 0 if 0 is the format's initial value. */
bool format_needs_integers(const struct history *h, const struct format *format,
                           struct err *err);

#endif
