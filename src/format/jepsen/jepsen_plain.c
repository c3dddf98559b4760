/* jepsen_plain.c -- see jepsen_plain.h.
 *
 * The two notations differ in how words and separators look, so the scan is
 * written once, and the compiler makes two of it.
 *
 * SPDX-License-Identifier: MIT */
#include "format/jepsen/jepsen_plain.h"

#include "format/scan/plain_json.h"

/* Move over what separates two forms. */
static inline bool
pass_separator(const char **at, bool is_json)
{
    if (is_json)
        return plain_char(at, ',');
    const bool is_there = **at == ',' || **at == ' ';
    *at += **at == ',';
    *at += **at == ' ';
    return is_there;
}

/* A word of at most 14 bytes and its end. */
static inline bool
scan_word(const char **at, bool is_json, const char *word, size_t len)
{
    const char *p = *at;
    if (*p != (is_json ? '"' : ':') || memcmp(p + 1, word, len) != 0)
        return false;
    p += 1 + len;
    if (is_json && *p++ != '"')
        return false;
    *at = p;
    return true;
}

#define IS_WORD(at, is_json, word)                                             \
    scan_word(at, is_json, word, sizeof(word) - 1)

/* Whether a keyword may go on with c: a part of what EDN allows. */
static bool
is_keyword_part(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) ||
           c == '-' || c == '_';
}

/* A keyword, where its colon stands. */
static inline bool
scan_keyword(const struct plain_block *found, const char **at, struct atom *out)
{
    const char *begin = *at + 1, *end = begin;
    while (end < found->limit && is_keyword_part(*end))
        end++;
    if (end == begin || !plain_has_room(found, end) || !plain_holds(found, end))
        return false;
    *out = plain_text(found, ATOM_KEYWORD, begin, end);
    *at = end;
    return true;
}

/* A key or a value, and what kind of form it is.  The caller checks that a
 * separator or a bracket follows. */
static inline bool
scan_atom(const struct plain_block *found, const char **at, bool is_json,
          struct atom *out, enum form_kind *kind)
{
    const char c = **at;
    if (is_digit(c)) {
        *kind = FORM_INTEGER;
        *out = (struct atom){0, ATOM_INT};
        return plain_integer(at, &out->bits);
    }
    if (c == 'n') {
        *kind = FORM_NIL;
        *out = atom_nil();
        const size_t len = is_json ? 4 : 3;
        *at += len;
        return memcmp(*at - len, is_json ? "null" : "nil", len) == 0;
    }
    if (c == '"') {
        *kind = FORM_STRING;
        return plain_string(found, at, out);
    }
    *kind = FORM_KEYWORD;
    return c == ':' && !is_json && scan_keyword(found, at, out);
}

/* What the hash of writes takes from an atom: text is hashed itself. */
static inline uint64_t
hashed_bits(const struct plain_block *found, struct atom a)
{
    return atom_is_text(a)
               ? hash_bytes(found->begin + (a.bits >> 32), (uint32_t)a.bits)
               : a.bits;
}

/* [:w key value] */
static inline bool
scan_mop(struct plain_block *found, const char **at, bool is_json,
         uint64_t *hash)
{
    const char *p = *at;
    if (!plain_has_room(found, p) || *p++ != '[' ||
        *p++ != (is_json ? '"' : ':'))
        return false;
    const bool is_write = *p == 'w';
    struct atom key, value;
    enum form_kind key_kind, value_kind;
    if ((!is_write && *p != 'r') || (is_json && p[1] != '"'))
        return false;
    p += is_json ? 2 : 1;
    if (!pass_separator(&p, is_json) ||
        !scan_atom(found, &p, is_json, &key, &key_kind) ||
        key_kind == FORM_NIL || !pass_separator(&p, is_json) ||
        !scan_atom(found, &p, is_json, &value, &value_kind) || *p != ']')
        return false;
    if (is_write)
        *hash = jepsen_hash_write(*hash, MOP_WRITE, key_kind,
                                  hashed_bits(found, key), value_kind,
                                  hashed_bits(found, value));
    plain_add(found, is_write, key, value);
    *at = p + 1;
    return true;
}

static inline bool
scan_mops(struct plain_block *found, const char **at, bool is_json,
          uint64_t *hash)
{
    if (**at != '[')
        return false;
    ++*at;
    for (bool more = **at != ']'; more; more = pass_separator(at, is_json))
        if (!scan_mop(found, at, is_json, hash))
            return false;
    return *(*at)++ == ']' && plain_has_room(found, *at);
}

/* The key of an entry and its colon; *key is N_ENTRY_KEYS for the time. */
static inline bool
scan_key(const char **at, bool is_json, enum entry_key *key)
{
    if (IS_WORD(at, is_json, "type"))
        *key = KEY_TYPE;
    else if (IS_WORD(at, is_json, "process"))
        *key = KEY_PROCESS;
    else if (IS_WORD(at, is_json, "value"))
        *key = KEY_VALUE;
    else if (IS_WORD(at, is_json, "f"))
        *key = KEY_F;
    else if (IS_WORD(at, is_json, "index"))
        *key = KEY_INDEX;
    else if (IS_WORD(at, is_json, JEPSEN_TXN_ID))
        *key = KEY_TXN_ID;
    else if (IS_WORD(at, is_json, "time"))
        *key = N_ENTRY_KEYS;
    else
        return false;
    // In EDN the value's own first byte could end the key; no recorder writes
    // this.
    return is_json ? plain_char(at, ':') : *(*at)++ == ' ';
}

static inline bool
scan_integer_at(const char **at, struct atom *out)
{
    *out = (struct atom){0, ATOM_INT};
    return plain_integer(at, &out->bits);
}

static inline bool
scan_value(struct plain_block *found, const char **at, bool is_json,
           enum entry_key key, struct plain_entry *e)
{
    struct atom time;
    switch (key) {
    case KEY_TYPE:
        if (IS_WORD(at, is_json, "ok"))
            return true;
        e->flags |= PLAIN_IS_INVOCATION;
        return IS_WORD(at, is_json, "invoke");
    case KEY_PROCESS:
        return scan_integer_at(at, &e->session);
    case KEY_F:
        return IS_WORD(at, is_json, "txn");
    case KEY_VALUE:
        return scan_mops(found, at, is_json, &e->hash);
    case KEY_INDEX:
    case KEY_TXN_ID:
        return scan_integer_at(at, &e->name);
    default:
        if (!scan_integer_at(at, &time))
            return false;
        e->start = (int64_t)time.bits;
        return true;
    }
}

static inline bool
scan_entry(struct plain_block *found, struct plain_entry *e, bool is_json)
{
    const char *at = e->at;
    if (!plain_has_room(found, at) || *at++ != '{')
        return false;
    do {
        enum entry_key key;
        if (!plain_has_room(found, at) || !scan_key(&at, is_json, &key))
            return false;
        const uint32_t flag =
            key == N_ENTRY_KEYS ? (uint32_t)PLAIN_HAS_TIME : 1u << key;
        if (e->flags & flag || !scan_value(found, &at, is_json, key, e))
            return false;
        e->flags |= flag;
    } while (pass_separator(&at, is_json));
    if (*at != '}')
        return false;
    e->end = at + 1;
    const uint32_t required =
        1u << KEY_TYPE | 1u << KEY_PROCESS | 1u << KEY_VALUE;
    const uint32_t names = 1u << KEY_INDEX | 1u << KEY_TXN_ID;
    if (e->flags & PLAIN_IS_INVOCATION)
        found->ops.n = e->ops;
    return (e->flags & required) == required && (e->flags & names) != names;
}

bool
jepsen_plain_scan_edn(struct plain_block *found, struct plain_entry *e)
{
    return scan_entry(found, e, false);
}

bool
jepsen_plain_scan_json(struct plain_block *found, struct plain_entry *e)
{
    return scan_entry(found, e, true);
}
