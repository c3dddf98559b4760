/* gather.c -- see gather.h.
 *
 * SPDX-License-Identifier: MIT */
#include "mpi/gather.h"

#include "base/unnamed_file.h"
#include "format/jsonl/jsonl_record.h"
#include "stream/input/lines.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef VEC(char *) path_vec;

/* What the joined file is. */
struct joined {
    FILE *file; // rank 0
    bool has_begun, is_recording, is_cut;
};

static int
compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool
list(const char *directory, path_vec *out, struct err *err)
{
    DIR *dir = opendir(directory);
    struct stat st;
    if (!dir) {
        err_set(err, ERR_IO, "%s", strerror(errno));
        return err_in_file(err, directory);
    }
    for (const struct dirent *e; (e = readdir(dir));) {
        struct buf path = {0};
        buf_printf(&path, "%s/%s", directory, e->d_name);
        if (*e->d_name != '.' && stat(path.at, &st) == 0 &&
            S_ISREG(st.st_mode)) {
            char *copy = mem_alloc(1, path.n + 1);
            memcpy(copy, path.at, path.n + 1);
            vec_push(out, copy);
        }
        buf_free(&path);
    }
    closedir(dir);
    if (out->n)
        qsort(out->at, out->n, sizeof *out->at, compare_names);
    return true;
}

/* Whether a line is a mark: an object that begins with this key has no other
 * (doc/formats/jsonl.md).  *ends: it is the last line. */
static bool
is_mark(const char *line, size_t n, bool *ends)
{
    static const char key[] = "\"recording\"", last[] = "\"end\"";
    const char *at = line, *const end = line + n;
    while (at < end && (*at == '{' || *at == ' ' || *at == '\t'))
        at++;
    if ((size_t)(end - at) < sizeof key || memcmp(at, key, sizeof key - 1) != 0)
        return false;
    *ends = false;
    for (; (size_t)(end - at) >= sizeof last; at++)
        *ends |= memcmp(at, last, sizeof last - 1) == 0;
    return true;
}

/* The lines of a file without marks and without half a line at the end of a
 * recording.  The first byte says whether it is a recording, the second one
 * whether it is complete. */
static bool
read_lines(const char *path, byte_vec *out, struct err *err)
{
    struct stream_lines lines;
    const char *line;
    size_t n;
    vec_push(out, 0);
    vec_push(out, 0);
    bool ok =
        lines_open(&lines, path, err) && lines_peek(&lines, &line, &n, err);
    while (ok && (ok = lines_next(&lines, &line, &n, err)) && line) {
        bool ends;
        if (is_mark(line, n, &ends)) {
            out->at[0] = 1;
            out->at[1] = ends;
            continue;
        }
        if (out->at[0] && (!n || line[n - 1] != '}' || !line[0]))
            continue;
        vec_grow(out, n + 1);
        memcpy(out->at + out->n - n - 1, line, n);
        out->at[out->n - 1] = '\n';
    }
    lines_close(&lines);
    return ok;
}

static bool
write_lines(struct joined *j, const byte_vec *bytes, struct err *err)
{
    const bool is_recording = bytes->at[0];
    if (j->has_begun && is_recording != j->is_recording)
        return err_set(err, ERR_SYNTAX,
                       "some files are recordings, and others are not");
    if (!j->has_begun && is_recording)
        fputs(JSONL_RECORDING_BEGIN, j->file);
    j->has_begun = true;
    j->is_recording = is_recording;
    j->is_cut |= is_recording && !bytes->at[1];
    return fwrite(bytes->at + 2, 1, bytes->n - 2, j->file) == bytes->n - 2 ||
           err_set(err, ERR_IO, "cannot write: %s", strerror(errno));
}

/* One file, from the rank that reads it to rank 0. */
static bool
move_file(struct exchange *x, int from, const char *path, struct joined *j,
          struct err *err)
{
    char why[EXCHANGE_TEXT] = "";
    byte_vec mine = {0}, got = {0};
    bool ok = x->rank != from || read_lines(path, &mine, err);
    if (!ok)
        err_format(err, why, sizeof why);
    ok = exchange_agree(x, ok, why);
    if (ok)
        exchange_move(x, from, 0, &mine, &got);
    ok = ok && (x->rank || write_lines(j, &got, err));
    vec_free(&mine);
    vec_free(&got);
    if (err->kind)
        err_format(err, why, sizeof why);
    if (exchange_agree(x, ok, why))
        return true;
    *err = (struct err){0};
    return err_set(err, ERR_IO, "%s", why);
}

static bool
open_joined(struct joined *j, struct buf *path, int *fd, struct err *err)
{
    if (!unnamed_file_open(path, fd, err))
        return false;
    j->file = fdopen(dup(*fd), "w");
    return j->file || err_set(err, ERR_IO, "cannot write: %s", strerror(errno));
}

static bool
close_joined(struct joined *j, struct err *err)
{
    bool ok = true;
    if (j->is_recording && !j->is_cut)
        ok = fputs(JSONL_RECORDING_END, j->file) >= 0;
    ok = fclose(j->file) == 0 && ok;
    return ok || err_set(err, ERR_IO, "cannot write: %s", strerror(errno));
}

bool
gather_files(struct exchange *x, const char *directory, struct buf *path,
             int *fd, struct err *err)
{
    struct joined j = {0};
    path_vec files = {0};
    char why[EXCHANGE_TEXT] = "";
    bool ok = list(directory, &files, err) &&
              (x->rank || open_joined(&j, path, fd, err));
    if (!ok)
        err_format(err, why, sizeof why);
    ok = exchange_agree(x, ok, why) || err_set(err, ERR_IO, "%s", why);
    for (size_t i = 0; i < files.n; i++) {
        ok = ok &&
             move_file(x, (int)(i % (size_t)x->ranks), files.at[i], &j, err);
        mem_free(files.at[i]);
    }
    vec_free(&files);
    if (j.file)
        ok = close_joined(&j, err) && ok;
    return ok;
}
