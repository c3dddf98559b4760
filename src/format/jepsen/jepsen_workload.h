/* jepsen_workload.h -- what kind of test a Jepsen log is of.
 *
 * Elle's logs are of transactions: lists of micro-operations.  Other workloads
 * have operations that are one read or write each, and are read where these
 * are reads and writes of rows:
 *
 *     register  :read 3, :write 3, :cas [3 4]; one register, or, with
 *               jepsen.independent, one for each key: :write [7 3]
 *     store     the same with :get, :put and the key under :key, as in the
 *               logs of Porcupine
 *     mutex     :acquire and :release, which change one row
 *     set       :add 3 writes a row; :read #{1 3} reads the rows of all
 *               elements that any operation of the log adds
 *
 * The others are refused by name.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_JEPSEN_JEPSEN_WORKLOAD_H
#define FORMAT_JEPSEN_JEPSEN_WORKLOAD_H

#include "base/container/intmap.h"
#include "format/jepsen/jepsen.h"
#include "format/jepsen/jepsen_entry.h"

enum jepsen_kind {
    JEPSEN_UNKNOWN, // not looked for yet
    JEPSEN_TXN,
    JEPSEN_REGISTER,
    JEPSEN_STORE,
    JEPSEN_MUTEX,
    JEPSEN_SET,
};

/* An element that some operation adds to a set. */
struct jepsen_member {
    struct atom row;
    uint32_t group;
    uint64_t seen; // number of the last read that has it
};

struct jepsen_members {
    VEC(struct jepsen_member) all;
    VEC(u32_vec) groups; // members of each set
    struct intmap row_index[ATOM_TAGS], group_index[ATOM_TAGS];
    uint64_t reads; // so far
};

struct jepsen_workload {
    enum jepsen_kind kind;
    bool is_keyed; // a value is a pair of a key and a value
    struct jepsen_members members;
};

/* Whether an entry is a transaction: it does not say what else it is, or its
 * value looks like micro-operations. */
bool jepsen_entry_is_txn(const struct jepsen_entry *e);

/* The word of an entry's 'f'; empty if there is none. */
struct span jepsen_entry_f(const struct jepsen_entry *e);

/* Find the workload of a log whose first operation is no transaction.  A log
 * without any that can be read is an error. */
bool jepsen_workload_find(const struct jepsen_notation *notation,
                          const struct input *in, struct builder *b,
                          struct jepsen_workload *out, struct err *err);
void jepsen_workload_free(struct jepsen_workload *w);

/* The parts of a pair, a vector of two; false if form i is none. */
bool jepsen_pair(const struct forms *f, uint32_t i, uint32_t *first,
                 uint32_t *second);

#endif
