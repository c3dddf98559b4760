/* script_places.h -- where in its script each operation of a transaction comes
 * from.
 *
 * A transaction gets metadata: the name of the script, and the line and the
 * text of each statement that ran, {"script":"book.sql","lines":[3,5],
 * "sql":["select ...","update ..."]}.  Its notes get the number of their
 * statement in this list (row_note.step).
 *
 *   (1) A select that locks rows locks those that it found, and a history
 *       states one lock for a whole statement.  So the notes of a transaction
 *       with such a select have no numbers: predictions take its statements as
 *       unknown, as they must.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_WORKLOAD_SCRIPT_PLACES_H
#define SPEC_WORKLOAD_SCRIPT_PLACES_H

#include "base/container/strings.h"
#include "prove/program/pgbench/pgbench_script.h"
#include "spec/notes.h"

/* A statement that ran: its command, and the transaction it ran in. */
struct script_place {
    size_t txn, command;
    bool locks;
};

/* All-zero is empty. */
struct script_places {
    VEC(struct script_place) ran; // of the running script
    struct strings texts;         // metadata so far: few differ
    size_t txn, rows;             // where the notes of the statement begin
};

/* Call it before a statement, and after it. */
void script_places_before(struct script_places *p, const struct notes *notes);
void script_places_after(struct script_places *p, struct notes *notes,
                         size_t command, bool locks);

/* Give the transactions from 'first' on their metadata, and begin anew. */
void script_places_end(struct script_places *p, struct notes *notes,
                       size_t first, const struct pgbench_script *script);

void script_places_free(struct script_places *p);

#endif
