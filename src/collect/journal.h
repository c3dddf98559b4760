/* journal.h -- a file that only grows, whose lines survive this program.
 *
 * A line that was added is in the system's hands: killing this program loses
 * nothing but the end of a line that was just being added.  A call of the
 * system for each line would cost a fast database a tenth of its speed, so
 * lines are copied into a window of the file that is mapped into memory.  While
 * the journal is open, and after a kill, the file ends with the empty lines of
 * that window. What cannot be mapped, such as a pipe, is written line by line.
 *
 * SPDX-License-Identifier: MIT */
#ifndef COLLECT_JOURNAL_H
#define COLLECT_JOURNAL_H

#include "base/err.h"

#include <pthread.h>
#include <stddef.h>

struct journal {
    const char *path; // borrowed
    int fd;
    pthread_mutex_t lock;
    bool is_file, is_mapped;
    int why;       // errno of a line that could not be added; none is after it
    size_t n;      // bytes of lines
    size_t filled; // bytes of the file
    char *window;  // NULL: none yet
    size_t window_at, window_n;
};

bool journal_open(struct journal *j, const char *path, struct err *err);

/* Add a line, its end included.  Any thread may.  Where a line fails, so do all
 * after it: a journal has no gaps. */
bool journal_add(struct journal *j, const char *line, size_t n,
                 struct err *err);

bool journal_close(struct journal *j, struct err *err);

#endif
