/* level.c -- the table of levels; see level.h.
 *
 * SPDX-License-Identifier: MIT */
#include "level/level.h"

#include <string.h>
#include <strings.h>

#define BIT(l) (1u << (l))

// clang-format off
const struct level_info level_table[LEVELS] = {
    [LEVEL_READS] = {"read-consistency", "reads", "read consistency", "",
        "every read returns the last write of a committed transaction, or its own",
        0, false},
    [LEVEL_RC] = {"read-committed", "rc", "read committed", "",
        "a transaction that has seen another's write does not go back behind it",
        BIT(LEVEL_READS), false},
    [LEVEL_RA] = {"read-atomic", "ra", "read atomic", "",
        "a transaction is seen whole or not at all, and sees its session's past",
        BIT(LEVEL_RC), false},
    [LEVEL_CC] = {"causal", "cc", "causal consistency", "causal-consistency",
        "what is seen brings everything along that it depends on",
        BIT(LEVEL_RA), false},
    [LEVEL_PC] = {"prefix", "pc", "prefix consistency", "prefix-consistency",
        "every transaction reads from a prefix of one commit order",
        BIT(LEVEL_CC), false},
    [LEVEL_PSI] = {"parallel-snapshot", "psi", "parallel snapshot isolation",
        "",
        "snapshots may differ in order, but no update of a key is lost",
        BIT(LEVEL_CC), false},
    [LEVEL_SI] = {"snapshot", "si", "snapshot isolation",
        "",
        "every transaction reads one snapshot; of two that overlap only one writes a key",
        BIT(LEVEL_PC) | BIT(LEVEL_PSI), false},
    [LEVEL_SER] = {"serializable", "ser", "serializability",
        "serializability",
        "some order of whole transactions, respecting sessions, explains every read",
        BIT(LEVEL_SI), false},
    [LEVEL_STRICT_SI] = {"strict-snapshot", "strict-si", "strict snapshot isolation",
        "",
        "snapshot isolation that also respects real time",
        BIT(LEVEL_SI), true},
    [LEVEL_STRICT_SER] = {"strict-serializable", "strict-ser", "strict serializability",
        "",
        "serializability that also respects real time",
        BIT(LEVEL_SER) | BIT(LEVEL_STRICT_SI), true},
};
// clang-format on

level_set
level_implied(enum level l)
{
    level_set set = BIT(l);
    for (int i = LEVELS - 1; i >= 0; i--) // every level is below its weaker
        if (set & BIT(i))
            set |= level_table[i].weaker;
    return set;
}

static bool
same(const char *name, const char *text, size_t len)
{
    return strlen(name) == len && strncasecmp(name, text, len) == 0;
}

static bool
has_alias(const char *aliases, const char *text, size_t len)
{
    while (*aliases) {
        const size_t n = strcspn(aliases, " ");
        if (n == len && strncasecmp(aliases, text, len) == 0)
            return true;
        aliases += n + (aliases[n] == ' ');
    }
    return false;
}

bool
level_parse(const char *text, size_t len, enum level *out)
{
    for (int l = 0; l < LEVELS; l++)
        if (same(level_table[l].name, text, len) ||
            same(level_table[l].brief, text, len) ||
            has_alias(level_table[l].aliases, text, len)) {
            *out = (enum level)l;
            return true;
        }
    return false;
}
