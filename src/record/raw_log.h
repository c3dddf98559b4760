/* raw_log.h -- what passed through the proxy, as a file that only grows.
 *
 * An entry has the number of a connection, the time, where it comes from, a
 * letter and a body.  Entries reach the file before the bytes that they tell of
 * are passed on.  So a kill loses nothing that a client or the server has seen,
 * except for the end of one entry.
 *
 *     from   letter                     body
 *     '!'    H  recording begins        lines of a name and a value
 *            O  a connection is open    names and values of its parameters
 *            R  the role it is given    name
 *            K  its backend             process id
 *            X  it is closed            nothing
 *     '>'    message of the client      as sent, or nothing
 *     '<'    message of the server      as sent, or nothing
 *            N  a message of ours       its detail
 *
 * SPDX-License-Identifier: MIT */
#ifndef RECORD_RAW_LOG_H
#define RECORD_RAW_LOG_H

#include "base/buf.h"
#include "base/err.h"

enum { RAW_NOTE = '!', RAW_CLIENT = '>', RAW_SERVER = '<' };

struct raw_log {
    const char *path; // borrowed
    int fd;
    struct buf waiting; // entries that are not in the file yet
    int why;            // errno of the write that failed; none follows it
};

struct raw_entry {
    uint32_t connection;
    double time; // of base/time.h
    char from, letter;
    const char *body; // with a zero byte behind it
    uint32_t n;
};

/* Make the file, which only its owner can read. */
bool raw_log_open(struct raw_log *l, const char *path, struct err *err);

void raw_log_add(struct raw_log *l, uint32_t connection, char from, char letter,
                 const char *body, size_t n);

/* Write what waits. */
bool raw_log_flush(struct raw_log *l, struct err *err);
bool raw_log_close(struct raw_log *l, struct err *err);

/* Read a file whole; the last entry is left out if it is cut. */
struct raw_reader {
    struct buf text;
    size_t at;
};

bool raw_reader_open(struct raw_reader *r, const char *path, struct err *err);
bool raw_reader_next(struct raw_reader *r, struct raw_entry *out);
void raw_reader_close(struct raw_reader *r);

#endif
