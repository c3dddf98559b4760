/* assemble.h -- from the raw log to a history with rows.
 *
 * SPDX-License-Identifier: MIT */
#ifndef RECORD_ASSEMBLE_H
#define RECORD_ASSEMBLE_H

#include "base/err.h"
#include "record/watch.h"

struct assembled {
    size_t txns, partial; // in the history; of these, recorded in part
    size_t whats_if;      // evaluated
    bool is_empty;        // no history: nothing was read or written
    struct buf left_out;  // what is not recorded, each text with a zero byte;
                          // the caller frees it
    size_t denied;        // statements that a superuser's session was denied
    char denial[200];     // the first of them: the server's message
};

/* Read the log at 'raw' and write the history.  'at_once': also find out which
 * rows each statement would have found of transactions that ran at other times,
 * for prediction.  Fails with ERR_FEATURE if the
 * recording cannot be made a history, by name. */
bool assemble(const char *raw, struct record_watch *watch, const char *path,
              bool at_once, struct assembled *out, struct err *err);

#endif
