/* jsonl_plain.c -- see jsonl_plain.h.
 *
 * SPDX-License-Identifier: MIT */
#include "format/jsonl/jsonl_plain.h"

#include "format/scan/plain_json.h"

/* A line key in quotes with its colon. */
static bool
scan_key(const char **at, enum line_key *key)
{
    static const struct {
        char text[12];
        uint8_t len;
    } keys[] = {
        [LINE_SESSION] = {"\"session\":", 10}, [LINE_ID] = {"\"id\":", 5},
        [LINE_STATUS] = {"\"status\":", 9},    [LINE_START] = {"\"start\":", 8},
        [LINE_END] = {"\"end\":", 6},          [LINE_OPS] = {"\"ops\":", 6},
    };
    // Three bytes decide which it may be: only "session" has an 's' third.
    const char *p = *at;
    *key = p[1] == 'o'                  ? LINE_OPS
           : p[1] == 'i'                ? LINE_ID
           : p[1] == 'e'                ? LINE_END
           : p[2] == 'e'                ? LINE_SESSION
           : p[3] == 'a' && p[4] == 't' ? LINE_STATUS
                                        : LINE_START;
    if (memcmp(p, keys[*key].text, keys[*key].len) != 0)
        return false;
    *at += keys[*key].len;
    *at += **at == ' ';
    return true;
}

static bool
scan_status(const char **at, uint8_t *out)
{
    if (memcmp(*at, "\"committed\"", 11) == 0) {
        *out = TXN_COMMITTED;
        *at += 11;
        return true;
    }
    if (memcmp(*at, "\"aborted\"", 9) == 0) {
        *out = TXN_ABORTED;
        *at += 9;
        return true;
    }
    *out = TXN_INDETERMINATE;
    const bool is_there = memcmp(*at, "\"unknown\"", 9) == 0;
    *at += 9;
    return is_there;
}

static bool
scan_time(const char **at, int64_t *out)
{
    uint64_t x = 0;
    if (!plain_integer(at, &x))
        return false;
    *out = (int64_t)x;
    return true;
}

static bool
scan_value(struct plain_block *found, enum line_key key, const char **at,
           struct plain_entry *e)
{
    switch (key) {
    case LINE_SESSION:
        return plain_name(found, at, &e->session);
    case LINE_ID:
        return plain_name(found, at, &e->name);
    case LINE_STATUS:
        return scan_status(at, &e->status);
    case LINE_START:
        return scan_time(at, &e->start);
    case LINE_END:
        return scan_time(at, &e->stop);
    case LINE_OPS:
        return plain_ops(found, at);
    default:
        return false;
    }
}

bool
jsonl_plain_scan(struct plain_block *found, struct plain_entry *e)
{
    const char *at = e->at;
    e->start = INT64_MIN;
    e->stop = INT64_MAX;
    if (!plain_has_room(found, at) || *at++ != '{')
        return false;
    do {
        enum line_key key;
        if (!plain_has_room(found, at) || !scan_key(&at, &key) ||
            e->flags & 1u << key || !scan_value(found, key, &at, e))
            return false;
        e->flags |= 1u << key;
    } while (plain_char(&at, ','));
    if (*at != '}')
        return false;
    e->end = at + 1;
    const unsigned required = 1u << LINE_SESSION | 1u << LINE_OPS;
    return (e->flags & required) == required && e->start <= e->stop &&
           e->end < found->limit && *e->end == '\n';
}
