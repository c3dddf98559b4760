/* tell.h -- the messages of our policies and triggers.
 *
 *     g OID SNAPSHOT LEVEL            a statement scans a table
 *     s|u|d OID:CTID/XMIN             it uses a row: as one that it reads, or
 *                                     as the target of an update, a delete or
 *                                     a lock
 *     w OID XID SUBXID LEVEL          it writes a row, or is about to insert
 *     I|U|D|P                         one.  A version has a name and, in the
 *     version lines                   next line, values
 *     t OID NODE SHAPE m|e NAME       a table was made or altered, or emptied
 *
 * SPDX-License-Identifier: MIT */
#ifndef RECORD_TELL_H
#define RECORD_TELL_H

#include "base/memory/arena.h"
#include "spec/row/row_notes.h"

#include <string.h>

enum told_kind {
    TOLD_SCAN,
    TOLD_SEEN,
    TOLD_WRITE,
    TOLD_TABLE,
    TOLD_LEFT_OUT, // about a table that is left out
    TOLD_OTHER
};

struct told_fact {
    enum told_kind kind;
    uint32_t oid;
    char letter;          // SEEN: 's', 'u' or 'd'; WRITE: 'I', 'U', 'D', 'P';
                          // TABLE: 'm' or 'e'
    const char *version;  // SEEN
    const char *snapshot; // SCAN: xmin:xmax:xip,...
    const char *level;    // SCAN, WRITE: "read committed"
    uint64_t xid;         // WRITE: of the transaction
    uint32_t subxid;      // WRITE: of the subtransaction
    struct row_seen before, after;   // WRITE
    const char *lines;               // WRITE: everything after the first line
    const char *node, *shape, *name; // TABLE
};

/* Read a message; the result points into a copy in the arena. */
void tell_read(struct told_fact *out, const char *text, struct arena *arena);

/* Whether the version is one of a row that is only about to be added. */
bool tell_is_proposed(const char *version);

/* The transaction that made a version, the last part of its name. */
uint32_t tell_xmin(const char *version);

/* Whether a snapshot shows what a transaction has committed. */
bool tell_sees(const char *snapshot, uint64_t xid);

/* Whether it is a write that was undone: assembly.c marks it by taking its
 * transaction's number away. */
static inline bool
tell_is_undone(const struct told_fact *t)
{
    return t->kind == TOLD_WRITE && t->letter != 'P' && !t->xid;
}

static inline bool
tell_begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

#endif
