/* input.c -- see input.h.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "format/input.h"

#include "base/buf.h"
#include "base/container/vec.h"
#include "base/limits/context.h"
#include "base/memory/mem.h"
#include "format/unpack/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MAPPED = 1 << 18,     // bytes; smaller files are cheaper to read
    GIVEN_BACK = 1 << 21, // bytes, the least that is released at once
    AT_ONCE = 1 << 22,    // bytes that are read before limits are looked at
};

typedef VEC(char) bytes;

/* Read the descriptor to its end; 'size' bytes are expected. */
static bool
slurp(int fd, size_t size, struct input *in, struct err *err)
{
    bytes all = {0};
    vec_reserve(&all, size + 1); // one more byte, to see the end
    for (;;) {
        if (all.n == all.room)
            vec_reserve(&all, all.n + 65536);
        const size_t room = all.room - all.n;
        context_poll();
        const ssize_t n =
            read(fd, all.at + all.n, room < AT_ONCE ? room : AT_ONCE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            vec_free(&all);
            return err_set(err, ERR_IO, "cannot read: %s", strerror(errno));
        }
        if (n == 0)
            break;
        all.n += (size_t)n;
    }
    in->data = all.at;
    in->size = all.n;
    in->held = INPUT_HEAP;
    return true;
}

static bool
map(int fd, size_t size, struct input *in, struct err *err)
{
    if (size < MAPPED)
        return slurp(fd, size, in, err);
    void *p = mem_map(fd, size);
    if (!p)
        return slurp(fd, size, in, err);
    (void)madvise(p, size, MADV_SEQUENTIAL);
    in->data = p;
    in->size = size;
    in->held = INPUT_MAPPED;
    return true;
}

static void
release(struct input *in)
{
    // The cast is safe: the data is const for readers only.
    if (in->held == INPUT_MAPPED)
        mem_unmap((void *)(uintptr_t)in->data, in->size);
    else if (in->held == INPUT_HEAP)
        mem_free((void *)(uintptr_t)in->data);
    in->data = NULL;
    in->size = 0;
    in->held = INPUT_NOTHING;
}

/* Replace compressed contents by what they unpack to. */
static bool
unpack(struct input *in, struct err *err)
{
    if (!unpack_recognises(in->data, in->size))
        return true;
    char *data;
    size_t size;
    if (!unpack_all(in->data, in->size, &data, &size, err))
        return false;
    release(in);
    in->data = data;
    in->size = size;
    in->held = INPUT_HEAP;
    return true;
}

static bool
open_descriptor(struct input *in, int fd, struct err *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return err_set(err, ERR_IO, "cannot read: %s", strerror(errno));
    if (S_ISDIR(st.st_mode)) {
        in->is_directory = true;
        return true;
    }
    const bool ok = S_ISREG(st.st_mode) ? map(fd, (size_t)st.st_size, in, err)
                                        : slurp(fd, 0, in, err);
    return ok && unpack(in, err);
}

static void
close_descriptor(void *fd)
{
    if (*(int *)fd > STDIN_FILENO)
        close(*(int *)fd);
}

bool
input_open(struct input *in, const char *path, struct err *err)
{
    *in = (struct input){.name = path, .threads = 1};
    const bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 || err_set(err, ERR_IO, "%s", strerror(errno));
    if (ok) {
        context_defer(close_descriptor, &fd);
        ok = open_descriptor(in, fd, err);
        context_undefer();
    }
    close_descriptor(&fd);
    if (ok)
        return true;
    release(in);
    return err_in_file(err, is_stdin ? "stdin" : path);
}

bool
input_of_bytes(struct input *in, const char *data, size_t size,
               const char *name, struct err *err)
{
    *in =
        (struct input){.name = name, .threads = 1, .data = data, .size = size};
    return unpack(in, err) || err_in_file(err, name);
}

bool
input_holds(const struct input *in, const char *file)
{
    struct buf path = {0};
    struct stat st;
    buf_printf(&path, "%s/%s", in->name, file);
    const bool is_there =
        in->is_directory && stat(path.at, &st) == 0 && S_ISREG(st.st_mode);
    buf_free(&path);
    return is_there;
}

void
input_close(struct input *in)
{
    release(in);
}

void
input_done(struct input *in, size_t offset)
{
    size_t done = __atomic_load_n(&in->done, __ATOMIC_RELAXED);
    if (in->held != INPUT_MAPPED || offset < done + GIVEN_BACK)
        return;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    offset = offset / page * page;
    // Only new pages: releasing the others again costs time, too.
    if (__atomic_compare_exchange_n(&in->done, &done, offset, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        (void)madvise((void *)((uintptr_t)in->data + done), offset - done,
                      MADV_DONTNEED);
}

void
input_position(const struct input *in, size_t offset, uint64_t *line,
               uint64_t *column)
{
    size_t start = 0;
    *line = 1;
    const char *newline;
    while (start < offset &&
           (newline = memchr(in->data + start, '\n', offset - start))) {
        start = (size_t)(newline - in->data) + 1;
        ++*line;
    }
    *column = offset - start + 1;
}
