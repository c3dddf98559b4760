/* jepsen_plain.h -- entries of Jepsen's logs as programs write them: an
 * invocation or an ok completion of reads and writes of registers.
 *
 *     {:type :ok, :process 7, :f :txn, :value [[:w 3 1] [:r 4 nil]], :index 9}
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_JEPSEN_JEPSEN_PLAIN_H
#define FORMAT_JEPSEN_JEPSEN_PLAIN_H

#include "base/container/hash.h"
#include "format/form/form.h"
#include "format/jepsen/jepsen_entry.h"
#include "format/scan/plain.h"

/* Flags of an entry: bit k for the key k of enum entry_key, and these. */
enum { PLAIN_HAS_TIME = 1 << 16, PLAIN_IS_INVOCATION = 1 << 17 };

/* plain.h: 'session' is the process and 'start' the time.  'hash' is that of
 * the writes.  An invocation has no operations. */
bool jepsen_plain_scan_edn(struct plain_block *found, struct plain_entry *e);
bool jepsen_plain_scan_json(struct plain_block *found, struct plain_entry *e);

/* Add a write, MOP_WRITE or MOP_APPEND, to a hash of writes.  Each form is
 * given by its kind and by the bits of its integer or the hash of its text. */
static inline uint64_t
jepsen_hash_write(uint64_t before, enum mop_kind mop, enum form_kind key,
                  uint64_t key_bits, enum form_kind value, uint64_t value_bits)
{
    const uint64_t kinds = (uint64_t)mop << 16 | (uint64_t)key << 8 | value;
    return hash_pair(before ^ kinds,
                     key_bits * UINT64_C(0xd6e8feb86659fd93) ^ value_bits);
}

#endif
