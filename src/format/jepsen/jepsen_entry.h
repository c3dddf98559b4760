/* jepsen_entry.h -- one entry of a Jepsen log: which keys it has, and its
 * micro-operations.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_JEPSEN_JEPSEN_ENTRY_H
#define FORMAT_JEPSEN_JEPSEN_ENTRY_H

#include "format/form/form.h"

enum { ENTRY_EXTRAS = 64 }; // the most unknown keys of an entry

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

// Our own keys, unknown to Jepsen: the user's name of a transaction, and the
// name of a session that is not an integer.
#define JEPSEN_TXN_ID "txn-id"
#define JEPSEN_SESSION "assay/session"

// The process of the entry with the rows that there are in the beginning.
#define JEPSEN_INITIAL "assay/initial"

/* The values of the known keys, as indices of forms; 0, the index of the entry
 * itself, means that there is none.  'extra' holds the unknown keys. */
struct jepsen_entry {
    const struct forms *f;
    const char *at; // in the input
    uint32_t known[N_ENTRY_KEYS];
    uint32_t extra[ENTRY_EXTRAS + 1]; // one more, for 'index'
    size_t n_extra;
};

/* Read the entry that f holds; f stays in use.  No key may occur twice. */
bool jepsen_entry_read(struct jepsen_entry *e, struct scan *s,
                       const struct forms *f);

bool jepsen_entry_type(const struct jepsen_entry *e, struct scan *s,
                       enum jepsen_entry_type *out);

/* Whether a form is a keyword, a string or a symbol. */
bool jepsen_entry_is_word(const struct form *form);

/* Whether the entry has micro-operations; an error if it has not. */
bool jepsen_entry_has_mops(const struct jepsen_entry *e);
bool jepsen_entry_needs_mops(const struct jepsen_entry *e, struct scan *s);

/* Add the entries with unknown keys, of which there are some, as JSON. */
void jepsen_entry_show_extra(const struct jepsen_entry *e, struct buf *out);

enum mop_kind {
    MOP_READ,
    MOP_WRITE,
    MOP_APPEND,
    MOP_INSERT, // of a row, as all that follow
    MOP_UPDATE,
    MOP_DELETE,
    MOP_GET,
    MOP_QUERY
};

static inline bool
mop_is_of_row(enum mop_kind kind)
{
    return kind >= MOP_INSERT;
}

static inline bool
mop_is_read(enum mop_kind kind)
{
    return kind == MOP_READ || kind == MOP_GET || kind == MOP_QUERY;
}

/* A micro-operation [f key value], as indices of forms.  Only a read or a
 * delete may lack the value, which then is 0.  Those of rows may have more. */
struct mop {
    enum mop_kind kind;
    uint32_t key, value;
};

bool jepsen_mop_read(struct mop *mop, struct scan *s, const struct forms *f,
                     uint32_t i);

/* Whether a key of that name is known, and thus is not meta data. */
bool jepsen_entry_is_reserved(struct span key);

#endif
