/* jsonl_entry.h -- the values of the entries in a line of 'jsonl'.
 *
 * Each function reads the value at the scan, which stops after it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_JSONL_JSONL_ENTRY_H
#define FORMAT_JSONL_JSONL_ENTRY_H

#include "format/form/form.h"
#include "format/row/row_reader.h"
#include "format/scan/scan_json.h"
#include "format/scan/scan_time.h"
#include "history/builder/builder.h"

#define JSONL_NAME "a string or an integer"
#define JSONL_VALUE "a string, a number, a boolean or an object"

struct jsonl_scan {
    struct scan s;
    struct builder *b;
    VEC(struct atom) elements; // elements of the current list
    struct forms forms;        // of the last value or 'meta' that needs them
    struct buf meta_text;      // text of the last 'meta'
    struct buf partial_text;   // text of the last 'partial'
    enum scan_clock clock;     // of all times so far
    struct row_reader rows;
    struct forms row; // the last operation on a row
};

bool jsonl_atom(struct jsonl_scan *r, const char *expected, struct atom *out);

/* One of a few words in quotes: its index in 'words', which ends with NULL. */
bool jsonl_word(struct scan *s, const char *const *words, const char *expected,
                unsigned *out);

/* An array of operations, which are added to t. */
bool jsonl_ops(struct jsonl_scan *r, txn_id t);

bool jsonl_status(struct jsonl_scan *r, enum txn_status *out);
bool jsonl_time(struct jsonl_scan *r, int64_t *out);
bool jsonl_stamp(struct jsonl_scan *r, struct stamp *out);
bool jsonl_partial(struct jsonl_scan *r);
bool jsonl_meta(struct jsonl_scan *r);

/* An object with the initial rows. */
bool jsonl_initial(struct jsonl_scan *r);

#endif
