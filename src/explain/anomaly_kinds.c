/* anomaly_kinds.c -- see anomaly_kinds.h.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/anomaly_kinds.h"

#include <assert.h>

// clang-format off
const struct anomaly_info anomaly_table[ANOMALY_KINDS] = {
    [ANOMALY_THIN_AIR] = {"thin-air-read", "thin-air read", "", "",
        "a transaction read a value that no transaction wrote"},
    [ANOMALY_ABORTED] = {"aborted-read", "aborted read", "G1a", "G1a",
        "a transaction read what an aborted one wrote"},
    [ANOMALY_FUTURE] = {"future-read", "future read", "", "future-read",
        "a transaction read its own write before it wrote it"},
    [ANOMALY_NOT_OWN] = {"not-own-write", "read of not its own write", "", "internal",
        "a transaction wrote a key and then read another's value of it"},
    [ANOMALY_NOT_LATEST] = {"not-latest-write", "intermediate read", "G1b", "G1b",
        "a transaction read a value that its writer had overwritten itself"},
    [ANOMALY_MISSING_ROW] = {"missing-row", "missing row", "", "",
        "a query did not return a row that was there and matches"},
    [ANOMALY_INCOMPATIBLE] = {"incompatible-order", "incompatible order", "", "incompatible-order",
        "two reads of a list cannot both be prefixes of one order"},
    [ANOMALY_DUPLICATE] = {"duplicate-elements", "duplicate elements", "", "duplicate-elements",
        "an element stands in a list twice"},
    [ANOMALY_LOST_APPEND] = {"lost-append", "lost append", "", "",
        "a list shows some of what a transaction appended to it and misses the rest"},
    [ANOMALY_LOST_COMMIT] = {"lost-commit", "lost commit", "", "",
        "the database acknowledged a commit, and no later transaction saw it"},
    [ANOMALY_DIRTY_WRITE] = {"dirty-write", "dirty write", "G0", "G0",
        "transactions overwrite each other's writes in a circle"},
    [ANOMALY_CIRCULAR] = {"circular-information-flow", "circular information flow", "G1c", "G1c",
        "each transaction depends on what another one did, in a circle"},
    [ANOMALY_NON_REPEATABLE] = {"non-repeatable-read", "non-repeatable read", "G-single", "G-single",
        "a transaction read a key twice and saw two states of it"},
    [ANOMALY_PHANTOM_READ] = {"phantom-read", "phantom read", "G-single", "G-single",
        "a row appeared in what a transaction searched, or vanished from it, while the transaction ran"},
    [ANOMALY_FRACTURED] = {"fractured-read", "fractured read", "G-single", "G-single",
        "a transaction saw one write of another transaction and then missed another write of it"},
    [ANOMALY_READ_YOUR_WRITES] = {"read-your-writes-violation", "read-your-writes violation", "", "G-single-process",
        "a session does not see what it wrote before"},
    [ANOMALY_NON_MONOTONIC] = {"non-monotonic-read", "non-monotonic read", "", "G-single-process",
        "a session saw a write and later a state without it"},
    [ANOMALY_MONOTONIC_WRITE] = {"monotonic-write-violation", "monotonic-write violation", "", "G-single-process",
        "the writes of a session were seen without earlier ones of it"},
    [ANOMALY_CAUSALITY] = {"causality-violation", "causality violation", "", "G-single",
        "a transaction saw an effect and missed its cause"},
    [ANOMALY_READ_SKEW] = {"read-skew", "read skew", "G-single", "G-single",
        "a transaction read from two different states of the database"},
    [ANOMALY_STALE_READ] = {"stale-read", "stale read", "", "G-single-realtime",
        "a transaction missed a write that had ended before it began"},
    [ANOMALY_LOST_UPDATE] = {"lost-update", "lost update", "G-single", "lost-update",
        "two transactions read the same version of a key and both overwrote it"},
    [ANOMALY_LONG_FORK] = {"long-fork", "long fork", "G2-item", "G-nonadjacent",
        "two readers saw two writes in opposite orders"},
    [ANOMALY_WRITE_SKEW] = {"write-skew", "write skew", "G2-item", "G2-item",
        "two transactions each read what the other one overwrote"},
    [ANOMALY_READ_ONLY] = {"read-only-anomaly", "read-only anomaly", "G2-item", "G2-item",
        "a transaction that writes nothing saw a state that no serial order passes through"},
    [ANOMALY_G2_ITEM] = {"g2-item", "anti-dependency cycle", "G2-item", "G2-item",
        "transactions depend on each other in a circle, by more than one overwritten read"},
    [ANOMALY_PHANTOM] = {"phantom", "phantom", "G2", "G2",
        "a query missed a row that another transaction wrote, and by more misses they depend on each other in a circle"},
    [ANOMALY_CYCLE] = {"cycle", "dependency cycle", "", "",
        "transactions depend on each other in a circle"},
};
// clang-format on

const enum anomaly_kind anomaly_order[] = {
    ANOMALY_THIN_AIR,      ANOMALY_ABORTED,         ANOMALY_FUTURE,
    ANOMALY_NOT_OWN,       ANOMALY_NOT_LATEST,      ANOMALY_MISSING_ROW,
    ANOMALY_INCOMPATIBLE,  ANOMALY_DUPLICATE,       ANOMALY_LOST_APPEND,
    ANOMALY_LOST_COMMIT,   ANOMALY_DIRTY_WRITE,     ANOMALY_CIRCULAR,
    ANOMALY_LOST_UPDATE,   ANOMALY_WRITE_SKEW,      ANOMALY_NON_REPEATABLE,
    ANOMALY_PHANTOM_READ,  ANOMALY_FRACTURED,       ANOMALY_READ_YOUR_WRITES,
    ANOMALY_NON_MONOTONIC, ANOMALY_MONOTONIC_WRITE, ANOMALY_CAUSALITY,
    ANOMALY_READ_SKEW,     ANOMALY_STALE_READ,      ANOMALY_LONG_FORK,
    ANOMALY_READ_ONLY,     ANOMALY_G2_ITEM,         ANOMALY_PHANTOM,
    ANOMALY_CYCLE,
};

static_assert(sizeof anomaly_order / sizeof *anomaly_order == ANOMALY_KINDS,
              "each kind has its place");
