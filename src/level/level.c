/* level.c -- the table of levels; see level.h.
 *
 * SPDX-License-Identifier: MIT */
#include "level/level.h"

#include "base/ascii.h"

#include <assert.h>
#include <string.h>

#define BIT(l) (1u << (l))
#define START POINT_START
#define COMMIT POINT_COMMIT
#define NO LEVEL_STUCK
#define STORE USED_BY_STORE
#define GEN USED_BY_GEN
#define PREDICT USED_BY_PREDICT
#define PROVE USED_BY_PROVE

/* --- columns that several rows share ---------------------------------------
 */

// clang-format off

// Where so, wr and time, then ww, then rw join two transactions.
#define PLACE_SER {{START,  START}, {START,  START},  {START, START}}
#define PLACE_SI  {{COMMIT, START}, {COMMIT, START},  {START, COMMIT}}
#define PLACE_PC  {{COMMIT, START}, {COMMIT, COMMIT}, {START, COMMIT}}

// Forbidden cycles:      so, wr, time  ww  rw
#define CYCLES_SER {.next = {{ 0,        0,  0}}, \
                    .accepts = {BIT(0)}}
// 0: at the start of a transaction, 1: at its commit
#define CYCLES_SI  {.next = {{ 0,        0,  1}, \
                             { 0,        0, NO}}, \
                    .accepts = {BIT(0)}}
#define CYCLES_PC  {.next = {{ 0,        1,  1}, \
                             { 0,        1, NO}}, \
                    .accepts = {BIT(0), BIT(1)}}
// 0: no rw so far, 1: one
#define CYCLES_PSI {.next = {{ 0,        0,  1}, \
                             { 1,        1, NO}}, \
                    .accepts = {BIT(0) | BIT(1)}}
// 0: at the beginning, 1: after so, wr or ww; 2: after an rw, which must be the
// first, and at cc more so and wr; 3: after an rw and one so or wr
#define CYCLES_CC  {.next = {{ 1,        1,  2}, \
                             { 1,        1, NO}, \
                             { 2,       NO, NO}}, \
                    .accepts = {BIT(1) | BIT(2)}}
#define CYCLES_RA  {.next = {{ 1,        1,  2}, \
                             { 1,        1, NO}, \
                             { 3,       NO, NO}, \
                             {NO,       NO, NO}}, \
                    .accepts = {BIT(1) | BIT(3)}}

const struct level_info level_table[LEVELS] = {
    [LEVEL_READS] = {"read-consistency", "reads", "read consistency", "",
        "every read returns the last write of a committed transaction, or its own",
        .weaker = 0, .sql = SQL_READ_COMMITTED, .step = 0},
    [LEVEL_RC] = {"read-committed", "rc", "read committed", "",
        "a transaction that has seen another's write does not go back behind it",
        .weaker = BIT(LEVEL_READS),
        .premise = PREMISE_EARLIER_READ, .one_rw = true,
        // and the wr that ends it is an earlier read
        .cycles = CYCLES_RA,
        .uses = STORE | PREDICT | PROVE, .sql = SQL_READ_COMMITTED, .step = 1},
    [LEVEL_RA] = {"read-atomic", "ra", "read atomic", "",
        "a transaction is seen whole or not at all, and sees its session's past",
        .weaker = BIT(LEVEL_RC),
        .premise = PREMISE_DIRECT, .one_rw = true, .cycles = CYCLES_RA,
        .uses = STORE | PREDICT | PROVE, .sql = SQL_REPEATABLE_READ, .step = 2,
        .prove = "ec"},
    [LEVEL_CC] = {"causal", "cc", "causal consistency", "causal-consistency",
        "what is seen brings everything along that it depends on",
        .weaker = BIT(LEVEL_RA),
        .premise = PREMISE_CAUSAL, .one_rw = true, .cycles = CYCLES_CC,
        .uses = STORE | PREDICT | PROVE, .sql = SQL_REPEATABLE_READ, .step = 3},
    [LEVEL_PC] = {"prefix", "pc", "prefix consistency", "prefix-consistency",
        "every transaction reads from a prefix of one commit order",
        .weaker = BIT(LEVEL_CC),
        .two_points = true, .place = PLACE_PC, .cycles = CYCLES_PC,
        .uses = STORE | GEN | PREDICT | PROVE, .sql = SQL_REPEATABLE_READ,
        .step = 4},
    [LEVEL_PSI] = {"parallel-snapshot", "psi", "parallel snapshot isolation",
        "",
        "snapshots may differ in order, but no update of a key is lost",
        .weaker = BIT(LEVEL_CC),
        .one_rw = true, .place = PLACE_SER, .cycles = CYCLES_PSI,
        .uses = STORE | PREDICT | PROVE, .sql = SQL_REPEATABLE_READ, .step = 4},
    [LEVEL_SI] = {"snapshot", "si", "snapshot isolation",
        "",
        "every transaction reads one snapshot; of two that overlap only one writes a key",
        .weaker = BIT(LEVEL_PC) | BIT(LEVEL_PSI),
        .two_points = true, .place = PLACE_SI, .cycles = CYCLES_SI,
        .uses = STORE | GEN | PREDICT | PROVE, .sql = SQL_REPEATABLE_READ,
        .step = 5},
    [LEVEL_SER] = {"serializable", "ser", "serializability",
        "serializability",
        "some order of whole transactions, respecting sessions, explains every read",
        .weaker = BIT(LEVEL_SI),
        .place = PLACE_SER, .cycles = CYCLES_SER,
        .uses = STORE | GEN | PROVE, .sql = SQL_SERIALIZABLE, .step = 6},
    [LEVEL_STRICT_SI] = {"strict-snapshot", "strict-si", "strict snapshot isolation",
        "",
        "snapshot isolation that also respects real time",
        .weaker = BIT(LEVEL_SI), .needs_times = true,
        .two_points = true, .place = PLACE_SI, .cycles = CYCLES_SI,
        .sql = SQL_REPEATABLE_READ, .step = 7},
    [LEVEL_STRICT_SER] = {"strict-serializable", "strict-ser", "strict serializability",
        "",
        "serializability that also respects real time",
        .weaker = BIT(LEVEL_SER) | BIT(LEVEL_STRICT_SI), .needs_times = true,
        .place = PLACE_SER, .cycles = CYCLES_SER,
        .sql = SQL_SERIALIZABLE, .step = 8},
};
// clang-format on

level_set
level_implied(enum level l)
{
    level_set set = BIT(l);
    for (int i = LEVELS - 1; i >= 0; i--) // a weaker level has a smaller number
        if (set & BIT(i)) {
            assert(level_table[i].weaker < BIT(i));
            set |= level_table[i].weaker;
        }
    return set;
}

level_set
level_strongest(level_set levels)
{
    level_set below = 0;
    for (int l = 0; l < LEVELS; l++)
        if (levels & BIT(l))
            below |= level_implied((enum level)l) & ~BIT(l);
    return levels & ~below;
}

level_set
level_strict(void)
{
    level_set set = 0;
    for (int l = 0; l < LEVELS; l++)
        set |= level_table[l].needs_times ? BIT(l) : 0;
    return set;
}

level_set
level_untimed(void)
{
    return (BIT(LEVELS) - 1) & ~level_strict();
}

level_set
level_weak(void)
{
    level_set set = 0;
    for (int l = 0; l < LEVELS; l++)
        set |= level_is_strong((enum level)l) ? 0 : BIT(l);
    return set;
}

level_set
level_ordered(void)
{
    level_set set = 0;
    for (int l = 0; l < LEVELS; l++)
        set |= level_is_orderless((enum level)l) ? 0 : BIT(l);
    return set;
}

level_set
level_used_by(enum level_use use)
{
    level_set set = 0;
    for (int l = 0; l < LEVELS; l++)
        set |= level_table[l].uses & use ? BIT(l) : 0;
    return set;
}

static bool
same(const char *name, const char *text, size_t len)
{
    return strlen(name) == len && ascii_compare_n(name, text, len) == 0;
}

static bool
has_alias(const char *aliases, const char *text, size_t len)
{
    while (*aliases) {
        const size_t n = strcspn(aliases, " ");
        if (n == len && ascii_compare_n(aliases, text, len) == 0)
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
