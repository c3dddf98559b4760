/* put.h -- atoms and operations in JSON or EDN, for the three writers that
 * share them: jsonl, json and edn.
 *
 *     ["r","x",[1,2]]  ["append","x",3]       [:r :x [1 2]]  [:append :x 3]
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_PUT_H
#define FORMAT_PUT_H

#include "format/form/form.h"
#include "history/history.h"

struct put {
    const struct history *h;
    bool is_json;
    struct buf out;
    struct forms forms; // forms of the current text
};

void put_free(struct put *p);

/* An atom.  JSON has no keywords: they become strings. */
void put_atom(struct put *p, struct atom a);

/* What comes before an element of an array or vector; before the value of an
 * entry with a name; and a value that is a keyword of EDN. */
void put_next(struct put *p, bool is_first);
void put_member(struct put *p, const char *name, bool is_first);
void put_word(struct put *p, const char *word);

/* The operations of t, as an array or vector, and one of them.  In an
 * invocation, reads have no value yet. */
void put_ops(struct put *p, txn_id t, bool is_invocation);
void put_op(struct put *p, op_id op, bool is_invocation);

/* Whether put_atom can write every name and value of h so that reading gives
 * it back, rows aside; if not, the error says which it cannot (ERR_FEATURE).
 * 'has_others':
 * the format has more kinds of values than strings, integers and nil. */
bool put_fits(const struct history *h, const char *format, bool is_json,
              bool has_others, struct err *err);

/* Say that a name or value cannot be written: "format 'csv' cannot hold key 7:
 * why".  'what' is "key" or the like.  Returns false. */
bool put_refuse(const struct history *h, const char *format, const char *what,
                struct atom a, const char *why, struct err *err);

#endif
