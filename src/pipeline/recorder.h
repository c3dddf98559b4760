/* recorder.h -- who finds out what statements of users read and wrote.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_RECORDER_H
#define PIPELINE_RECORDER_H

#include "driver/driver.h"

enum recorder_kind {
    RECORDER_CHOSEN, // by the database
    RECORDER_POLICY, // the database reports the rows (record/scripted.h)
    RECORDER_TEXT,   // statements are understood, or refused
    RECORDERS
};

extern const char *const recorder_names[RECORDERS];

/* Parse a name. */
bool recorder_parse(const char *text, enum recorder_kind *out, struct err *err);

/* The recorder for a database; fails if it cannot have the one that was asked
 * for. */
bool recorder_choose(struct database *db, enum recorder_kind asked,
                     enum recorder_kind *out, struct err *err);

#endif
