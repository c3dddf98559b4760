/* jepsen.h -- a log of Jepsen operations, whatever its notation.
 *
 * Elle, Jepsen and elle-cli write the same log in EDN and in JSON: a sequence
 * of maps, each the invocation or the completion of a transaction by a process.
 * edn.c and json.c know the notation; what a log means is known here only.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_JEPSEN_JEPSEN_H
#define FORMAT_JEPSEN_JEPSEN_H

#include "format/form/form.h"
#include "format/format.h"

/* A log that is being read. */
struct jepsen_log {
    struct scan s;
    char closer; // of the bracket around the log; 0 where there is none
    int64_t n;   // entries so far
};

struct jepsen_notation {
    /* Read the next entry; at the end of the log, which must be the end of
     * the input, *found is false. */
    bool (*next)(struct jepsen_log *log, struct forms *f, bool *found);

    /* Read the entry at s->at once more. */
    bool (*again)(struct scan *s, struct forms *f);
};

bool jepsen_read(struct input *in, const struct jepsen_notation *notation,
                 struct builder *b, struct err *err);

/* Whether a log in the format of that name says what h does: no transaction
 * whose outcome is unknown read an initial value, where that matters, and none
 * ended before an earlier one of its session began. */
bool jepsen_holds(const struct history *h, const char *name, struct err *err);

/* Write h as a log, one entry per line (jepsen_write.c says in which order). */
bool jepsen_write(const struct history *h, bool is_json, struct output *out,
                  struct err *err);

#endif
