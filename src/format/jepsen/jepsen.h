/* jepsen.h -- a log of Jepsen operations, in either notation.
 *
 * Elle, Jepsen and elle-cli write the same log in EDN and in JSON: a sequence
 * of maps, each the invocation or the completion of a transaction by a process.
 * edn.c and json.c know the notation; jepsen.c knows what a log means.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_JEPSEN_JEPSEN_H
#define FORMAT_JEPSEN_JEPSEN_H

#include "format/form/form.h"
#include "format/format.h"
#include "format/scan/plain.h"

/* A log that is being read. */
struct jepsen_log {
    struct scan s;
    char closer; // the bracket that closes the log; 0 if there is none
    int64_t n;   // entries so far
};

struct jepsen_notation {
    /* Read the next entry.  At the end of the log *found is false; the input
     * must end there, too. */
    bool (*next)(struct jepsen_log *log, struct forms *f, bool *found);

    /* The byte where the next entry begins, or, if none can begin, a byte
     * where none does.  The scan stays where it is. */
    const char *(*find)(const struct jepsen_log *log);

    plain_scan *plain; // of an entry

    /* Read the entry at s->at again. */
    bool (*again)(struct scan *s, struct forms *f);
};

bool jepsen_read(struct input *in, const struct jepsen_notation *notation,
                 struct builder *b, struct err *err);

/* Whether a log in the format of that name can represent h.  It cannot if an
 * indeterminate transaction read an initial value and that matters, or if a
 * transaction ended before an earlier one of its session began. */
bool jepsen_holds(const struct history *h, const char *name, struct err *err);

/* Whether the log of h has an order that h does not: h has no times, or those
 * of a session overlap, touch or go back. */
bool jepsen_adds_order(const struct history *h);

/* Write h as a log, one entry per line (jepsen_write.c says in which order). */
bool jepsen_write(const struct history *h, bool is_json, struct output *out,
                  struct err *err);

#endif
