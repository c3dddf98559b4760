/* journal.h -- a file that only grows, whose lines survive this program.
 *
 * An added line belongs to the kernel: killing this program can lose only the
 * end of a line that is just being added.  A system call per line would cost a
 * fast database a tenth of its speed, so lines are copied into a window of the
 * file that is mapped into memory.  While the journal is open, and after a
 * kill, the file ends with the empty lines of that window.  A file that cannot
 * be mapped, such as a pipe, is written line by line.
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
    int why;       // errno of the line that failed; none is added after it
    size_t n;      // bytes of lines
    size_t filled; // bytes of the file
    char *window;  // NULL: none yet
    size_t window_at, window_n;
};

bool journal_open(struct journal *j, const char *path, struct err *err);

/* Add a line with its line end.  Any thread may call this.  After a failure all
 * later calls fail, so a journal has no gaps. */
bool journal_add(struct journal *j, const char *line, size_t n,
                 struct err *err);

bool journal_close(struct journal *j, struct err *err);

#endif
