/* json.c -- Jepsen's logs in JSON: one array of objects, or JSON Lines.
 *
 * elle-cli reads the array; programs that log while they run write lines.  The
 * writer writes lines.
 *
 * SPDX-License-Identifier: MIT */
#include "format/jepsen/jepsen.h"
#include "format/jepsen/jepsen_plain.h"
#include "format/put.h"
#include "format/readers.h"
#include "format/scan/scan_json.h"

/* After an entry of the array: move to its end, or to the next entry. */
static bool
pass_comma(struct jepsen_log *log, bool *found)
{
    struct scan *s = &log->s;
    *found = log->n ? json_take(s, ',') : !json_take(s, ']');
    if (*found || !log->n)
        return true;
    return json_take(s, ']') || scan_unexpected(s, s->at, "',' or ']'");
}

static bool
next_entry(struct jepsen_log *log, struct forms *f, bool *found)
{
    struct scan *s = &log->s;
    if (!log->n && json_take(s, '['))
        log->closer = ']';
    if (log->closer) {
        if (!pass_comma(log, found))
            return false;
        json_space(s);
    } else {
        json_space(s);
        *found = s->at < s->end;
    }
    if (*found)
        return form_read_json(s, f);
    json_space(s);
    return s->at == s->end ||
           scan_unexpected(s, s->at, "the end of the input after the log");
}

static const char *
find_entry(const struct jepsen_log *log)
{
    struct scan s = log->s;
    // Without a comma no entry begins here.
    if (log->closer && log->n && !json_take(&s, ','))
        return log->s.at - 1;
    json_space(&s);
    return s.at;
}

static bool
json_read(struct input *in, struct builder *b, struct err *err)
{
    static const struct jepsen_notation json = {
        next_entry, find_entry, jepsen_plain_scan_json, form_read_json};
    return jepsen_read(in, &json, b, err);
}

static int
json_sniff(const struct input *in)
{
    if (in->is_directory)
        return 0;
    const struct json_look look = json_look(in);
    if (!look.is_object)
        return 0;
    if (look.is_array)
        return look.type || look.process ? 95 : 40;
    return look.type && look.process ? 95 : look.type || look.process ? 80 : 0;
}

static bool
json_holds(const struct history *h, struct err *err)
{
    return put_fits(h, "json", true, true, err) && jepsen_holds(h, "json", err);
}

static bool
json_write(const struct history *h, struct output *out, struct err *err)
{
    return jepsen_write(h, true, out, err);
}

const struct format format_json = {
    .name = "json",
    .suffix = ".json",
    .help = "Jepsen's log of operations in JSON, an array or lines",
    .initial = ATOM_NIL,
    .keeps = KEEPS_NAMES | KEEPS_TIMES | KEEPS_META | KEEPS_ROWS,
    .sniff = json_sniff,
    .read = json_read,
    .holds = json_holds,
    .write = json_write,
    .adds_order = jepsen_adds_order,
};
