/* directory.c -- see directory.h.
 *
 * SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE // S_ISLNK, lstat
#include "campaign/directory.h"

#include "base/print.h"
#include "base/time.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const subdirectories[] = {
    "", "claims", "results", "found", "scripts", "workers", "tmp", NULL};

/* --- files -----------------------------------------------------------------*/

bool
directory_read(const char *path, struct buf *out)
{
    char piece[1 << 14];
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = -1;
    buf_clear(out);
    while (fd >= 0 && (n = read(fd, piece, sizeof piece)) > 0)
        buf_add(out, piece, (size_t)n);
    if (fd >= 0)
        close(fd);
    return n == 0;
}

void
directory_remove(const char *path)
{
    struct stat st;
    if (lstat(path, &st) == 0 && !S_ISDIR(st.st_mode)) {
        unlink(path);
        return;
    }
    DIR *all = opendir(path);
    for (struct dirent *e; all && (e = readdir(all));) {
        struct buf name = {0};
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        buf_printf(&name, "%s/%s", path, e->d_name);
        directory_remove(name.at);
        buf_free(&name);
    }
    if (all)
        closedir(all);
    rmdir(path);
}

static bool
write_file(const char *path, const struct buf *text, struct err *err)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    size_t done = 0;
    ssize_t n = 0;
    while (fd >= 0 && done < text->n &&
           (n = write(fd, text->at + done, text->n - done)) > 0)
        done += (size_t)n;
    // Errors of NFS come with the close.
    const bool ok = fd >= 0 && n >= 0 && fsync(fd) == 0;
    const bool is_closed = fd >= 0 && close(fd) == 0;
    if (ok && is_closed)
        return true;
    err_set(err, ERR_IO, "cannot write: %s", strerror(errno));
    return err_in_file(err, path);
}

bool
directory_publish(struct directory *d, const char *path, const struct buf *text,
                  bool *is_new, struct err *err)
{
    struct buf name = {0};
    struct stat st;
    buf_printf(&name, "%s/tmp/%s.%" PRIu64, d->path,
               d->worker.n ? d->worker.at : "begin", ++d->serial);
    if (!d->worker.n)
        buf_printf(&name, ".%ld", (long)getpid());
    bool ok = write_file(name.at, text, err);
    if (ok) {
        // The answer of link() can get lost on NFS; the count of links cannot.
        const bool linked = link(name.at, path) == 0;
        const int why = errno;
        *is_new = linked || (stat(name.at, &st) == 0 && st.st_nlink == 2);
        if (!*is_new && why != EEXIST) {
            err_set(err, ERR_IO, "cannot make it: %s", strerror(why));
            ok = err_in_file(err, path);
        }
    }
    unlink(name.at);
    buf_free(&name);
    return ok;
}

/* --- the directory ---------------------------------------------------------*/

static void
name_file(const struct directory *d, const char *sub, const char *file,
          struct buf *out)
{
    buf_clear(out);
    buf_printf(out, "%s%s%s%s%s", d->path, *sub ? "/" : "", sub,
               *file ? "/" : "", file);
}

void
directory_name(const struct directory *d, const char *sub, size_t run,
               unsigned claim, struct buf *out)
{
    char file[48];
    assert(run > 0);
    if (claim)
        print_text(file, sizeof file, "%06zu.%u", run, claim);
    else
        print_text(file, sizeof file, "%06zu", run);
    name_file(d, sub, file, out);
}

static bool
make_all(const struct directory *d, struct err *err)
{
    struct buf name = {0};
    bool ok = true;
    for (size_t i = 0; ok && subdirectories[i]; i++) {
        name_file(d, subdirectories[i], "", &name);
        if (mkdir(name.at, 0777) != 0 && errno != EEXIST) {
            err_set(err, ERR_IO, "cannot make the directory: %s",
                    strerror(errno));
            ok = err_in_file(err, name.at);
        }
    }
    buf_free(&name);
    return ok;
}

/* Publish a file, or make sure that the one there is the same. */
static bool
agree(struct directory *d, const char *file, const struct buf *text,
      struct err *err)
{
    struct buf name = {0}, there = {0};
    bool is_new;
    name_file(d, "", file, &name);
    bool ok = directory_publish(d, name.at, text, &is_new, err);
    if (ok && !is_new)
        ok = (directory_read(name.at, &there) && there.n == text->n &&
              (!text->n || memcmp(there.at, text->at, text->n) == 0)) ||
             err_set(err, ERR_USAGE,
                     "'%s' has another plan, or other draws; leave the plan "
                     "out to continue, or name another directory",
                     d->path);
    buf_free(&name);
    buf_free(&there);
    return ok;
}

bool
directory_make(struct directory *d, const char *path, const struct buf *plan,
               const struct buf *runs, struct err *err)
{
    *d = (struct directory){.path = path};
    return make_all(d, err) && agree(d, "plan", plan, err) &&
           agree(d, "runs", runs, err) && directory_open(d, path, err);
}

bool
directory_open(struct directory *d, const char *path, struct err *err)
{
    struct buf name = {0};
    *d = (struct directory){.path = path};
    name_file(d, "", "runs", &name);
    const bool ok = directory_read(name.at, &d->runs);
    buf_free(&name);
    if (!ok)
        return err_set(err, ERR_USAGE,
                       "'%s' is not the directory of a campaign: it has no "
                       "file 'runs'; give a plan to begin one",
                       path);
    for (size_t at = 0; at < d->runs.n; at++) {
        vec_push(&d->offsets, at);
        at += strcspn(d->runs.at + at, "\n");
    }
    vec_push(&d->offsets, d->runs.n);
    if (d->runs.n)
        return true;
    directory_close(d);
    return err_set(err, ERR_USAGE, "'%s' has no runs: its file 'runs' is empty",
                   path);
}

void
directory_close(struct directory *d)
{
    if (d->worker.n) {
        struct buf name = {0};
        name_file(d, "workers", d->worker.at, &name);
        unlink(name.at);
        buf_free(&name);
    }
    buf_free(&d->runs);
    buf_free(&d->worker);
    vec_free(&d->offsets);
}

size_t
directory_runs(const struct directory *d)
{
    assert(d->offsets.n);
    return d->offsets.n - 1;
}

const char *
directory_run(const struct directory *d, size_t run, size_t *n)
{
    assert(run >= 1 && run < d->offsets.n);
    const char *at = d->runs.at + d->offsets.at[run - 1];
    *n = strcspn(at, "\n");
    return at;
}

/* The last directory in a directory. */
static void
find_inner(const char *path, struct buf *out)
{
    DIR *all = opendir(path);
    for (struct dirent *e; all && (e = readdir(all));)
        if (e->d_name[0] != '.') {
            buf_clear(out);
            buf_printf(out, "%s/%s", path, e->d_name);
        }
    if (all)
        closedir(all);
}

void
directory_keep(const struct directory *d, size_t run, const char *from,
               struct buf *out)
{
    struct buf inner = {0}, name = {0};
    find_inner(from, &inner);
    if (inner.n) {
        directory_name(d, "found", run, 0, &name);
        directory_remove(name.at); // of a worker that has ended
        if (rename(inner.at, name.at) == 0)
            buf_add(out, name.at, name.n);
    }
    directory_remove(from);
    buf_free(&inner);
    buf_free(&name);
}

/* --- workers ---------------------------------------------------------------*/

/* When a process began, in ticks since the machine did; 0: not known.  Process
 * ids are used again. */
static unsigned long long
began_at(long pid)
{
    char path[64];
    struct buf text = {0};
    unsigned long long at = 0;
    print_text(path, sizeof path, "/proc/%ld/stat", pid);
    // "7 (name) S 1 ...": the name may have any characters, and the time is
    // the twentieth number after the letter.  Z and X have ended.
    const char *p =
        directory_read(path, &text) && text.n ? strrchr(text.at, ')') : NULL;
    if (p && (strncmp(p, ") Z", 3) == 0 || strncmp(p, ") X", 3) == 0))
        p = NULL;
    for (int field = 0; p && field < 20; field++) {
        p = strchr(p + 1, ' ');
        if (p && field == 19)
            at = strtoull(p + 1, NULL, 10);
    }
    buf_free(&text);
    return at;
}

/* This machine and its process ids, as one word: containers have their own. */
static void
name_machine(struct buf *out)
{
    char host[256] = "", space[64] = "";
    if (gethostname(host, sizeof host - 1) != 0 || !*host)
        print_text(host, sizeof host, "host");
    const ssize_t n = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    buf_text(out, host);
    for (ssize_t i = 0; i < n; i++)
        if (space[i] >= '0' && space[i] <= '9')
            buf_char(out, space[i]);
    for (size_t i = 0; i < out->n; i++)
        if (strchr("/,. ", out->at[i]))
            out->at[i] = '-';
}

/* A name is MACHINE.PID.BEGAN. */
static bool
is_here(const char *worker, long *pid, unsigned long long *began)
{
    struct buf here = {0};
    name_machine(&here);
    const bool is_same =
        strncmp(worker, here.at, here.n) == 0 && worker[here.n] == '.';
    if (is_same) {
        char *end;
        *pid = strtol(worker + here.n + 1, &end, 10);
        *began = *end == '.' ? strtoull(end + 1, NULL, 10) : 0;
    }
    buf_free(&here);
    return is_same;
}

static bool
is_alive(const struct directory *d, const char *worker)
{
    long pid;
    unsigned long long began;
    struct buf name = {0};
    struct stat theirs, ours;
    if (is_here(worker, &pid, &began))
        return (kill((pid_t)pid, 0) == 0 || errno == EPERM) &&
               began_at(pid) == began;
    name_file(d, "workers", worker, &name);
    bool is_late = stat(name.at, &theirs) != 0;
    name_file(d, "workers", d->worker.at, &name);
    // Both times are those of the file system's clock.
    if (!is_late && utimensat(AT_FDCWD, name.at, NULL, 0) == 0 &&
        stat(name.at, &ours) == 0)
        is_late = ours.st_mtime - theirs.st_mtime > DIRECTORY_LEASE;
    buf_free(&name);
    return !is_late;
}

/* Whether a path is one that a guard made (server/guard.h) for this user.  It
 * comes from a file that others may write. */
static bool
is_scratch(const char *path)
{
    struct stat st;
    const char *slash = strrchr(path, '/');
    return *path == '/' && !strstr(path, "/../") && slash &&
           strncmp(slash, "/assay-", 7) == 0 && strlen(slash) == 13 &&
           lstat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
           st.st_uid == geteuid();
}

/* Remove the files of a worker that it did not finish. */
static void
remove_unfinished(const struct directory *d, const char *worker)
{
    struct buf name = {0};
    const size_t n = strlen(worker);
    name_file(d, "tmp", "", &name);
    DIR *all = opendir(name.at);
    for (struct dirent *e; all && (e = readdir(all));)
        if (strncmp(e->d_name, worker, n) == 0 && e->d_name[n] == '.') {
            name_file(d, "tmp", e->d_name, &name);
            unlink(name.at);
        }
    if (all)
        closedir(all);
    buf_free(&name);
}

/* A worker that was killed with all its processes, its guard included, leaves
 * its scratch directory. */
static void
remove_worker(const struct directory *d, const char *worker)
{
    struct buf name = {0}, scratch = {0};
    name_file(d, "workers", worker, &name);
    if (directory_read(name.at, &scratch) && scratch.n &&
        is_scratch(scratch.at))
        directory_remove(scratch.at);
    remove_unfinished(d, worker);
    unlink(name.at);
    buf_free(&name);
    buf_free(&scratch);
}

void
directory_clean_up(const struct directory *d)
{
    struct buf name = {0};
    name_file(d, "workers", "", &name);
    DIR *all = opendir(name.at);
    for (struct dirent *e; all && (e = readdir(all));) {
        long pid;
        unsigned long long began;
        if (is_here(e->d_name, &pid, &began) && !is_alive(d, e->d_name))
            remove_worker(d, e->d_name);
    }
    if (all)
        closedir(all);
    buf_free(&name);
}

bool
directory_join(struct directory *d, const char *scratch, struct err *err)
{
    struct buf name = {0}, text = {0};
    bool is_new;
    directory_clean_up(d);
    name_machine(&d->worker);
    buf_printf(&d->worker, ".%ld.%llu", (long)getpid(),
               began_at((long)getpid()));
    buf_text(&text, scratch);
    name_file(d, "workers", d->worker.at, &name);
    const bool ok = directory_publish(d, name.at, &text, &is_new, err);
    d->beat = time_now();
    buf_free(&name);
    buf_free(&text);
    return ok;
}

void
directory_touch(struct directory *d)
{
    if (time_now() < d->beat + DIRECTORY_BEAT)
        return;
    struct buf name = {0};
    name_file(d, "workers", d->worker.at, &name);
    utimensat(AT_FDCWD, name.at, NULL, 0);
    d->beat = time_now();
    buf_free(&name);
}

/* --- claims ----------------------------------------------------------------*/

bool
directory_has_result(const struct directory *d, size_t run)
{
    struct buf name = {0};
    directory_name(d, "results", run, 0, &name);
    const bool is_there = access(name.at, F_OK) == 0;
    buf_free(&name);
    return is_there;
}

bool
directory_claim(struct directory *d, size_t run, unsigned *claim,
                struct err *err)
{
    struct buf name = {0}, owner = {0};
    bool ok = true;
    assert(d->worker.n);
    for (unsigned i = *claim = 0; ok && !*claim;) {
        bool is_new;
        directory_name(d, "claims", run, ++i, &name);
        if (directory_read(name.at, &owner)) {
            // A later claim may be there; of the last one the owner counts.
            directory_name(d, "claims", run, i + 1, &name);
            if (access(name.at, F_OK) != 0 && owner.n && is_alive(d, owner.at))
                break;
            continue;
        }
        ok = directory_publish(d, name.at, &d->worker, &is_new, err);
        if (ok && is_new)
            *claim = i;
        else if (ok)
            break; // another worker was faster
    }
    buf_free(&name);
    buf_free(&owner);
    return ok;
}
