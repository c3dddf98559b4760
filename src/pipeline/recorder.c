/* recorder.c -- see recorder.h.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/recorder.h"

#include "pipeline/choices.h"
#include "record/scripted.h"

#include <string.h>

const char *const recorder_names[RECORDERS] = {[RECORDER_CHOSEN] = "",
                                               [RECORDER_POLICY] = "policy",
                                               [RECORDER_TEXT] = "text"};

bool
recorder_parse(const char *text, enum recorder_kind *out, struct err *err)
{
    for (int r = RECORDER_POLICY; r < RECORDERS; r++)
        if (strcmp(text, recorder_names[r]) == 0) {
            *out = (enum recorder_kind)r;
            return true;
        }
    return choices_error("recorder", choices_recorders, text, err);
}

bool
recorder_choose(struct database *db, enum recorder_kind asked,
                enum recorder_kind *out, struct err *err)
{
    *out = asked == RECORDER_CHOSEN ? RECORDER_TEXT : asked;
    return *out != RECORDER_POLICY || scripted_records(db) ||
           err_set(err, ERR_FEATURE,
                   "--recorder policy needs one node of PostgreSQL 13 or "
                   "later, found %s",
                   *db->note ? db->note : db->driver->scheme);
}
