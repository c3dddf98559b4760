/* order_file.h -- an order of the transactions of a stream, as a file.
 *
 * The file is the evidence that a level holds (doc/certificates.md):
 *
 *     assay-stream-order 1
 *     level serializable
 *     wait 8192
 *     window 131072
 *     place 0-8191
 *     place 8193
 *     place 8192
 *     end 8194
 *
 * Transactions are numbered in the order in which the reader hands them over,
 * from 0 (stream/input/reader.h); 'wait' is how many transactions the reader
 * waits for an outcome.  'place A-B' is the transactions from A to B.
 * 'window' is the number of places within which a read finds a version that is
 * not the latest one of its key.  'end' has the number of places.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STREAM_VERIFY_ORDER_FILE_H
#define STREAM_VERIFY_ORDER_FILE_H

#include "base/outfile.h"
#include "level/level.h"
#include "stream/input/lines.h"

#define ORDER_FILE_MAGIC "assay-stream-order 1"

struct order_header {
    enum level level;
    uint64_t wait, window;
};

/* --- writing ---------------------------------------------------------------*/

struct order_writer {
    struct outfile file;
    uint64_t first, last, n; // the places that are not written yet; all
    bool is_open;            // there are some
};

bool order_writer_open(struct order_writer *w, const char *path,
                       const struct order_header *header, struct err *err);

/* The next place of the order is that of a transaction. */
void order_writer_place(struct order_writer *w, uint64_t number);

/* Complete the file, or leave none if !ok. */
bool order_writer_close(struct order_writer *w, bool ok, struct err *err);

/* --- reading ---------------------------------------------------------------*/

struct order_reader {
    struct stream_lines lines;
    uint64_t next, last, n; // places that are left of the line at hand; taken
    bool has_places, is_over;
};

/* Whether the file at a path begins like an order of a stream. */
bool order_file_is(const char *path);

bool order_reader_open(struct order_reader *r, const char *path,
                       struct order_header *header, struct err *err);

/* The transaction at the next place; *over after the last one. */
bool order_reader_next(struct order_reader *r, uint64_t *number, bool *over,
                       struct err *err);
void order_reader_close(struct order_reader *r);

#endif
