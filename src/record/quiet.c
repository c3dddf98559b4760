/* quiet.c -- see quiet.h.
 *
 * SPDX-License-Identifier: MIT */
#include "record/quiet.h"

#include "record/words.h"

#include <string.h>

// Tags; one that ends with a blank stands for all that begin with it.
static const char *const quiet[] = {
    "",
    "BEGIN",
    "START TRANSACTION",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT",
    "RELEASE",
    "SET",
    "SHOW",
    "RESET",
    "DISCARD ",
    "PREPARE",
    "DEALLOCATE",
    "DEALLOCATE ALL",
    "LISTEN",
    "UNLISTEN",
    "NOTIFY",
    "LOCK TABLE",
    "DECLARE CURSOR",
    "CLOSE CURSOR",
    "CLOSE CURSOR ALL",
    "ANALYZE",
    "VACUUM",
    "CHECKPOINT",
    "CLUSTER",
    "PREPARE TRANSACTION",
    "COMMIT PREPARED",
    "ROLLBACK PREPARED",
    "SET CONSTRAINTS",
    "TRUNCATE TABLE",
    "COMMENT",
    "GRANT",
    "REVOKE",
    "GRANT ROLE",
    "REVOKE ROLE",
    "REINDEX",
    "DROP ",
    "CREATE AGGREGATE",
    "CREATE CAST",
    "CREATE DOMAIN",
    "CREATE EVENT TRIGGER",
    "CREATE FOREIGN DATA WRAPPER",
    "CREATE FUNCTION",
    "CREATE OPERATOR",
    "CREATE PROCEDURE",
    "CREATE PUBLICATION",
    "CREATE ROLE",
    "CREATE SCHEMA",
    "CREATE SEQUENCE",
    "CREATE SERVER",
    "CREATE STATISTICS",
    "CREATE TRIGGER",
    "CREATE TYPE",
    "CREATE VIEW",
    "ALTER DEFAULT PRIVILEGES",
    "ALTER FUNCTION",
    "ALTER INDEX",
    "ALTER ROLE",
    "ALTER SCHEMA",
    "ALTER SEQUENCE",
    "ALTER SYSTEM",
    "ALTER TRIGGER",
    "ALTER VIEW",
};

// Words of commands that look at the rows of a table, or may do so.
static const struct checking {
    const char *tag;
    const char *words[16];
} checking[] = {
    {"EXPLAIN", {"analyze", "analyse"}},
    {"CREATE INDEX", {"unique"}},
    {"CREATE TABLE", {"of"}},
    {"ALTER TABLE",
     {"validate", "check", "unique", "primary", "foreign", "references",
      "exclude", "attach", "type", "using", "null", "constraint", "default",
      "generated", "identity"}},
};

static bool
is_quiet_tag(const char *tag)
{
    for (size_t i = 0; i < sizeof quiet / sizeof quiet[0]; i++) {
        const size_t n = strlen(quiet[i]);
        if (n && quiet[i][n - 1] == ' ' ? strncmp(tag, quiet[i], n) == 0
                                        : strcmp(tag, quiet[i]) == 0)
            return true;
    }
    return false;
}

/* Whether a command adds one constraint that is not valid yet, and does nothing
 * else. */
static bool
adds_unchecked(const char *text)
{
    static const char *const others[] = {"validate", "unique", "primary",
                                         "exclude",  "attach", "type",
                                         "using",    "null",   "column"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (words_has(text, others[i]))
            return false;
    return words_has(text, "not") && words_has(text, "valid") &&
           words_has(text, "constraint") && words_count(text, "add") == 1 &&
           words_count(text, "constraint") == 1;
}

static bool
has_no_check(const struct checking *c, const char *text)
{
    for (const char *const *word = c->words; *word; word++)
        if (words_has(text, *word))
            return false;
    return true;
}

bool
quiet_run(const struct recorded_run *r)
{
    if (is_quiet_tag(r->tag))
        return true;
    for (size_t i = 0; i < sizeof checking / sizeof checking[0]; i++)
        if (strcmp(r->tag, checking[i].tag) == 0 && r->text[0])
            return has_no_check(&checking[i], r->text) ||
                   (strcmp(r->tag, "ALTER TABLE") == 0 &&
                    adds_unchecked(r->text));
    return false;
}
