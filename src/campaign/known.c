/* known.c -- see known.h.
 *
 * SPDX-License-Identifier: MIT */
#include "campaign/known.h"

#include <assert.h>
#include <fnmatch.h>

// An UPDATE that is lost looks like one of these, whatever else the others did.
#define DUCKDB(kind)                                                           \
    "duckdb:* | si | " kind " | * | *update* = an UPDATE is lost to a DELETE " \
    "(duckdb 17223), or to an UPDATE of an indexed column (since 1.2)\n"       \
    "duckdb:* | si | " kind " | * |  = as with a shape\n"

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
    // Only with two tables: one of them has the foreign key.
    "start=postgresql | ser | * | *,* | *insert* = a foreign key is checked "
    "outside of the snapshot (PostgreSQL, chapter 13.2.3)\n"
    "start=postgresql | ser | * | *,* | *delete* = a foreign key is checked "
    "outside of the snapshot (PostgreSQL, chapter 13.2.3)\n" DUCKDB(
        "lost-update") DUCKDB("lost-commit")
        DUCKDB("cycle") "firebird:* | ser | write-skew | * | * = SNAPSHOT "
                        "TABLE STABILITY locks "
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
    k->stock = k->rows.n;
}

bool
known_is_about(const struct known_finding *k, const char *target,
               const char *level)
{
    return fnmatch(k->fields[KNOWN_TARGET], target, 0) == 0 &&
           fnmatch(k->fields[KNOWN_LEVEL], level, 0) == 0;
}

bool
known_matches(const struct known_finding *k, const char *target,
              const char *level, const struct campaign_finding *f)
{
    return known_is_about(k, target, level) &&
           fnmatch(k->fields[KNOWN_KIND], f->kind, 0) == 0 &&
           fnmatch(k->fields[KNOWN_TABLES], f->tables, 0) == 0 &&
           fnmatch(k->fields[KNOWN_SHAPE], f->shape, 0) == 0;
}

void
known_put(const struct known_finding *k, struct buf *out)
{
    for (int i = 0; i < KNOWN_FIELDS; i++)
        buf_printf(out, "%s%s", i ? " | " : "", k->fields[i]);
    buf_printf(out, " = %s", k->reason);
}

const char *
known_reason(const struct known *k, const char *target, const char *level,
             const struct campaign_finding *f)
{
    for (size_t i = 0; i < k->rows.n; i++)
        if (known_matches(&k->rows.at[i], target, level, f))
            return k->rows.at[i].reason;
    return NULL;
}

void
known_free(struct known *k)
{
    vec_free(&k->rows);
    arena_free(&k->arena);
}
