/* jepsen_entry.h -- one entry of a Jepsen log: which of its keys are there,
 * and the micro-operations it carries.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_JEPSEN_JEPSEN_ENTRY_H
#define FORMAT_JEPSEN_JEPSEN_ENTRY_H

#include "format/form/form.h"

enum { ENTRY_EXTRAS = 64 }; // keys that we do not know, at most

enum jepsen_entry_type { TYPE_INVOKE, TYPE_OK, TYPE_FAIL, TYPE_INFO };

enum entry_key {
    KEY_TYPE,
    KEY_PROCESS,
    KEY_F,
    KEY_VALUE,
    KEY_INDEX,
    KEY_TXN_ID,
    KEY_SESSION,
    N_ENTRY_KEYS
};

// Keys that Jepsen does not know and that we read and write: the user's name
// of a transaction, and the name of a session that is no integer.
#define JEPSEN_TXN_ID "txn-id"
#define JEPSEN_SESSION "assay/session"

/* The values of the known keys, as indices of forms; 0 is the entry itself and
 * means that there is none.  Of the others their keys. */
struct jepsen_entry {
    const struct forms *f;
    const char *at; // in the input
    uint32_t known[N_ENTRY_KEYS];
    uint32_t extra[ENTRY_EXTRAS + 1]; // room for 'index' too
    size_t n_extra;
};

/* Read the entry that f holds; f stays in use.  No key may stand twice. */
bool jepsen_entry_read(struct jepsen_entry *e, struct scan *s,
                       const struct forms *f);

bool jepsen_entry_type(const struct jepsen_entry *e, struct scan *s,
                       enum jepsen_entry_type *out);

/* Whether the entry carries micro-operations; complain where it does not. */
bool jepsen_entry_has_mops(const struct jepsen_entry *e);
bool jepsen_entry_needs_mops(const struct jepsen_entry *e, struct scan *s);

enum mop_kind { MOP_READ, MOP_WRITE, MOP_APPEND };

/* A micro-operation [f key value], as indices of forms; value is 0 where there
 * is none, which only a read may lack. */
struct mop {
    enum mop_kind kind;
    uint32_t key, value;
};

bool jepsen_mop_read(struct mop *mop, struct scan *s, const struct forms *f,
                     uint32_t i);

/* Whether an entry of that name means something to us, and is no meta data. */
bool jepsen_entry_is_reserved(struct span key);

#endif
