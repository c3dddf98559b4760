/* journal.c -- see journal.h.
 *
 * Invariant between calls: the file holds n bytes of lines, and empty lines
 * from there to the end of the window.  The window is filled by write calls, so
 * a full disk is the error of a call and not a signal on an access.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WINDOW = 1 << 18, BLANK = 1 << 14 };

static bool
cannot_write(const struct journal *j, struct err *err)
{
    err_set(err, ERR_IO, "cannot write: %s", strerror(errno));
    return err_in_file(err, j->path);
}

bool
journal_open(struct journal *j, const char *path, struct err *err)
{
    *j = (struct journal){.path = path};
    j->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    struct stat st;
    if (j->fd < 0 || fstat(j->fd, &st) < 0)
        return cannot_write(j, err);
    // A file that is mapped for writing must be open for reading too.
    j->is_file = S_ISREG(st.st_mode);
    const int both = j->is_file ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (both >= 0) {
        close(j->fd);
        j->fd = both;
    }
    j->is_mapped = both >= 0;
    pthread_mutex_init(&j->lock, NULL);
    return true;
}

static bool
write_all(int fd, const char *at, size_t n)
{
    while (n) {
        const ssize_t done = write(fd, at, n);
        if (done < 0 && errno != EINTR)
            return false;
        if (done > 0) {
            at += done;
            n -= (size_t)done;
        }
    }
    return true;
}

/* Truncate the file to the lines. */
static bool
cut(const struct journal *j)
{
    return ftruncate(j->fd, (off_t)j->n) == 0;
}

static void
close_window(struct journal *j)
{
    if (j->window)
        munmap(j->window, j->window_n);
    j->window = NULL;
}

/* Extend the file with empty lines. */
static bool
fill_to(struct journal *j, size_t end)
{
    char blank[BLANK];
    memset(blank, '\n', sizeof blank);
    while (j->filled < end) {
        const size_t left = end - j->filled;
        const size_t some = left < BLANK ? left : BLANK;
        if (!write_all(j->fd, blank, some))
            return false;
        j->filled += some;
    }
    return true;
}

/* Move the window to the end of the lines, with room for n bytes more. */
static bool
move_window(struct journal *j, size_t n)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    close_window(j);
    j->window_at = j->n & ~(page - 1);
    j->window_n = (n / WINDOW + 1) * WINDOW + page;
    if (!fill_to(j, j->window_at + j->window_n))
        return false;
    char *window = mmap(NULL, j->window_n, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_POPULATE, j->fd, (off_t)j->window_at);
    if (window != MAP_FAILED) {
        j->window = window;
        return true;
    }
    j->is_mapped = false; // the file system cannot map files
    return cut(j) && lseek(j->fd, (off_t)j->n, SEEK_SET) >= 0;
}

/* Copy from the first byte to the last, so that a kill can lose only the end of
 * a line. */
static void
copy_in_order(char *to, const char *from, size_t n)
{
    enum { STRIDE = 8 }; // bytes per copy instruction
    for (; n >= STRIDE; n -= STRIDE, to += STRIDE, from += STRIDE) {
        memcpy(to, from, STRIDE);
        atomic_signal_fence(memory_order_seq_cst);
    }
    for (; n; n--) {
        *to++ = *from++;
        atomic_signal_fence(memory_order_seq_cst);
    }
}

static bool
add(struct journal *j, const char *line, size_t n)
{
    const bool fits = j->window && j->n + n <= j->window_at + j->window_n;
    if (j->is_mapped && !fits && !move_window(j, n))
        return false;
    if (j->is_mapped)
        copy_in_order(j->window + (j->n - j->window_at), line, n);
    else if (!write_all(j->fd, line, n))
        return false;
    j->n += n;
    return true;
}

bool
journal_add(struct journal *j, const char *line, size_t n, struct err *err)
{
    pthread_mutex_lock(&j->lock);
    if (!j->why && !add(j, line, n))
        j->why = errno;
    const bool ok = !j->why;
    errno = j->why;
    if (!ok)
        cannot_write(j, err);
    pthread_mutex_unlock(&j->lock);
    return ok;
}

bool
journal_close(struct journal *j, struct err *err)
{
    pthread_mutex_destroy(&j->lock);
    close_window(j);
    const bool is_cut = !j->is_file || cut(j);
    return (close(j->fd) == 0 && is_cut) || cannot_write(j, err);
}
