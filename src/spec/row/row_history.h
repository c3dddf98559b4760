/* row_history.h -- the history of an interleaving whose rows were recorded.
 *
 * The first line has the rows that the setup left.  A transaction at the end
 * reads all tables.  Which conditions the versions of a row satisfy is asked of
 * the database, after the run.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_ROW_HISTORY_H
#define SPEC_ROW_ROW_HISTORY_H

#include "spec/row/row_versions.h"
#include "spec/spec_history.h"

struct row_history {
    const struct watched *watched;
    struct connection *connection; // to ask
    const struct row_state *initial, *final;
    const struct spec_history_session *sessions;
    size_t sessions_n;
    bool has_others;   // other clients may have changed the tables
    char refusal[240]; // out: why there is no history; "" if there is one
    bool is_empty;     // out: because nothing was read or written
};

bool row_history_write(struct row_history *h, const char *path,
                       struct err *err);

#endif
