/* spec_recorder.h -- a recorder that takes statements as they are.
 *
 * The statements of a specification or of a workload are sent unchanged; the
 * recorder finds out by itself what they read and wrote.  'spec' plays them,
 * and does not know how that is done; 'record/scripted.h' does it for
 * PostgreSQL.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_SPEC_RECORDER_H
#define SPEC_SPEC_RECORDER_H

#include "spec/row/watched.h"

/* What became of a recording. */
struct spec_recorded {
    char refusal[400]; // why there is no history; "" if there is one
    bool is_empty;     // because nothing was read or written
};

struct spec_recorder {
    void *self;

    /* Record what sessions do with the tables 'made', which exist.  The history
     * goes to 'path'. */
    bool (*begin)(void *self, const struct watched *made, const char *path,
                  struct err *err);

    /* Record a connection from now on.  The name of its session is unique in a
     * recording.  Any thread may call it. */
    bool (*attach)(void *self, struct connection *c, const char *name,
                   struct err *err);

    /* End the recording, when no session has an open transaction, and write the
     * history. */
    bool (*finish)(void *self, struct spec_recorded *out, struct err *err);

    /* End the recording without a history; nothing happens if there is none. */
    void (*forget)(void *self);
};

#endif
