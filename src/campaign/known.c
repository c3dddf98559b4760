/* known.c -- see known.h.
 *
 * SPDX-License-Identifier: MIT */
#include "campaign/known.h"

#include <assert.h>
#include <fnmatch.h>

// In the form of the files that users give.  doc/databases.md has the commands.
static const char stock[] =
    "start=mariadb | si | * | * | * = InnoDB's REPEATABLE READ reads a "
    "snapshot but updates the latest version (MDEV-26642); "
    "innodb_snapshot_isolation=ON mends it\n"
    "start=mariadb | psi | * | * | * = as at si\n"
    "start=mariadb | pc | * | * | * = as at si\n"
    "start=mariadb | cc | * | * | * = as at si\n"
    "start=mariadb | ra | * | * | * = as at si\n"
    "start=mariadb[?]innodb_snapshot_isolation=ON | si | * | * | *select* = "
    "a locking search by a secondary index sees the latest rows\n"
    "start=galera:* | ser | * | * | * = Galera certifies writes, not reads: "
    "SERIALIZABLE holds on one node\n"
    "start=galera:* | si | * | * | * = as start=mariadb\n"
    "start=postgresql+standby | si | long-fork | * | * = a standby may show "
    "commits in another order than the primary\n"
    "start=postgresql+s* | psi | lost-commit | * | * = a failover to a standby "
    "that was not waited for\n"
    "start=postgresql | ser | * | * | *insert* = a foreign key is checked "
    "outside of the snapshot (PostgreSQL, chapter 13.2.3)\n"
    "duckdb:* | si | lost-update | * | *delete* = an UPDATE of a row that "
    "was deleted meanwhile is lost (duckdb 17223)\n"
    "duckdb:* | si | lost-update | * | *update*|*update* = one of two UPDATEs "
    "is lost if one changes an indexed column (real since 1.2)\n"
    "firebird:* | ser | write-skew | * | * = SNAPSHOT TABLE STABILITY locks "
    "a table at its first use\n";

static const char *
trim(struct known *k, const char *at, size_t n)
{
    while (n && (*at == ' ' || *at == '\t'))
        at++, n--;
    while (n && strchr(" \t\r", at[n - 1]))
        n--;
    return arena_copy(&k->arena, at, n);
}

static bool
read_row(struct known *k, const char *line, struct err *err)
{
    struct known_finding row;
    for (int i = 0; i < KNOWN_FIELDS; i++) {
        const char *between = i + 1 < KNOWN_FIELDS ? " | " : " = ";
        const char *end = strstr(line, between);
        if (!end)
            return err_set(err, ERR_SYNTAX,
                           "found '%s', expected target | level | kind | "
                           "tables | shape = reason",
                           line);
        row.fields[i] = trim(k, line, (size_t)(end - line));
        line = end + strlen(between);
    }
    row.reason = trim(k, line, strlen(line));
    vec_push(&k->rows, row);
    return true;
}

bool
known_read(struct known *k, const char *name, const char *text, size_t n,
           struct err *err)
{
    const char *end = text + n;
    for (uint64_t number = 1; text < end; number++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        stop = stop ? stop : end;
        const char *line = trim(k, text, (size_t)(stop - text));
        if (*line && *line != '#' && !read_row(k, line, err)) {
            err_at_line(err, number, 1);
            return err_in_file(err, name);
        }
        text = stop + (stop < end);
    }
    return true;
}

void
known_add_stock(struct known *k)
{
    struct err err = {0};
    const bool ok = known_read(k, "", stock, sizeof stock - 1, &err);
    assert(ok);
    (void)ok;
}

const char *
known_reason(const struct known *k, const char *target, const char *level,
             const struct campaign_finding *f)
{
    const char *const fields[KNOWN_FIELDS] = {target, level, f->kind, f->tables,
                                              f->shape};
    for (size_t i = 0; i < k->rows.n; i++) {
        int same = 0;
        while (same < KNOWN_FIELDS &&
               fnmatch(k->rows.at[i].fields[same], fields[same], 0) == 0)
            same++;
        if (same == KNOWN_FIELDS)
            return k->rows.at[i].reason;
    }
    return NULL;
}

void
known_free(struct known *k)
{
    vec_free(&k->rows);
    arena_free(&k->arena);
}
