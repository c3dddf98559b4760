/* kept_run.c -- see kept_run.h.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/kept_run.h"

#include "base/outfile.h"
#include "pipeline/reduced_file.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void
kept_run_open(struct kept_run *k, const char *store)
{
    *k = (struct kept_run){.store = store};
    if (!*store)
        return;
    const time_t now = time(NULL);
    struct tm parts;
    char date[32] = "";
    if (gmtime_r(&now, &parts))
        strftime(date, sizeof date, "%Y%m%d-%H%M%S", &parts);
    buf_printf(&k->dir, "%s/%s-%ld", store, date, (long)getpid());
}

void
kept_run_free(struct kept_run *k)
{
    buf_free(&k->dir);
}

static bool
make_directory(const char *path, struct err *err)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return true;
    err_set(err, ERR_IO, "cannot make the directory: %s", strerror(errno));
    return err_in_file(err, path);
}

static bool
copy_file(const char *from, const char *to, struct err *err)
{
    enum { PIECE = 1 << 16 };
    struct outfile out;
    char *piece = mem_alloc(PIECE, 1);
    FILE *in = fopen(from, "rb");
    bool ok = false;
    if (!in) {
        err_set(err, ERR_IO, "cannot read the recording: %s", strerror(errno));
    } else if (outfile_open(&out, to, err)) {
        size_t n;
        ok = true;
        while (ok && (n = fread(piece, 1, PIECE, in)) > 0)
            ok = fwrite(piece, 1, n, out.file) == n;
        ok = outfile_close(&out, ok && !ferror(in), err);
    }
    if (in)
        fclose(in);
    mem_free(piece);
    return ok;
}

/* "DIR/history.jsonl", or "DIR/history-3.jsonl". */
static void
name_file(const struct kept_run *k, const char *stem, size_t number,
          struct buf *out)
{
    buf_clear(out);
    buf_printf(out, "%s/%s", k->dir.at, stem);
    if (number)
        buf_printf(out, "-%zu", number);
    buf_text(out, ".jsonl");
}

void
kept_run_path(const struct kept_run *k, size_t number, struct buf *out)
{
    assert(k->dir.n);
    name_file(k, "history", number, out);
}

static const struct anomaly *
first_anomaly(const struct inspection *i)
{
    for (size_t r = 0; r < i->check.results.n; r++)
        if (i->explanations[r].anomalies.n)
            return &i->explanations[r].anomalies.at[0];
    return NULL;
}

bool
kept_run_history(struct kept_run *k, const char *recording, size_t number,
                 const struct inspection *i, struct buf *notes, struct err *err)
{
    const struct anomaly *a = first_anomaly(i);
    struct buf path = {0};
    assert(k->dir.n);
    bool ok = make_directory(k->store, err) && make_directory(k->dir.at, err);
    if (ok && recording) {
        name_file(k, "history", number, &path);
        ok = copy_file(recording, path.at, err);
    }
    if (ok && a && (!a->reduced.key_rows || a->reduced.rows)) {
        name_file(k, "reduced", number, &path);
        bool written;
        ok = reduced_file_write(a, format_find("jsonl"), path.at, &written,
                                notes, err);
        k->has_reduced |= written;
    }
    buf_free(&path);
    return ok;
}

bool
kept_run_text(const struct kept_run *k, const char *name,
              const struct buf *text, struct err *err)
{
    struct buf path = {0};
    assert(k->dir.n);
    buf_printf(&path, "%s/%s", k->dir.at, name);
    const bool ok = make_directory(k->store, err) &&
                    make_directory(k->dir.at, err) &&
                    outfile_write(path.at, text, err);
    buf_free(&path);
    return ok;
}
