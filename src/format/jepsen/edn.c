/* edn.c -- Jepsen's logs in EDN: maps one after another, or in one vector.
 *
 * SPDX-License-Identifier: MIT */
#include "format/jepsen/jepsen.h"
#include "format/jepsen/jepsen_plain.h"
#include "format/put.h"
#include "format/readers.h"

/* Nothing may follow the bracket that closes the log. */
static bool
end_log(struct jepsen_log *log)
{
    struct scan *s = &log->s;
    if (!log->closer)
        return true;
    if (s->at == s->end)
        return scan_unexpected(s, s->at,
                               log->closer == ']'
                                   ? "']' after the last operation"
                                   : "')' after the last operation");
    s->at++;
    edn_space(s);
    return s->at == s->end ||
           scan_unexpected(s, s->at, "the end of the input after the log");
}

static bool
next_entry(struct jepsen_log *log, struct forms *f, bool *found)
{
    struct scan *s = &log->s;
    if (!log->n && !log->closer) {
        edn_space(s);
        if (s->at < s->end && (*s->at == '[' || *s->at == '('))
            log->closer = *s->at++ == '[' ? ']' : ')';
    }
    return form_read_edn(s, log->closer, f, found) && (*found || end_log(log));
}

static const char *
find_entry(const struct jepsen_log *log)
{
    struct scan s = log->s;
    edn_space(&s);
    return s.at;
}

static bool
read_again(struct scan *s, struct forms *f)
{
    bool found;
    return form_read_edn(s, 0, f, &found);
}

static bool
edn_read(struct input *in, struct builder *b, struct err *err)
{
    static const struct jepsen_notation edn = {
        next_entry, find_entry, jepsen_plain_scan_edn, read_again};
    return jepsen_read(in, &edn, b, err);
}

static int
edn_sniff(const struct input *in)
{
    struct err ignored = {0};
    struct scan s;
    if (in->is_directory)
        return input_holds(in, "history.edn") ? 98 : 0;
    scan_init(&s, in, &ignored);
    edn_space(&s);
    const bool is_inside = s.at < s.end && (*s.at == '[' || *s.at == '(');
    if (is_inside) {
        s.at++;
        edn_space(&s);
    }
    static const char tag[] = "#jepsen.history.Op{";
    const size_t left = (size_t)(s.end - s.at);
    if (left >= sizeof tag - 1 && memcmp(s.at, tag, sizeof tag - 1) == 0)
        return 95;
    if (!left || *s.at != '{')
        return 0;
    s.at++;
    edn_space(&s);
    return s.at < s.end && *s.at == ':' ? 90 : 0;
}

/* EDN has a notation for everything but keywords with unusual characters, and
 * bytes that are not text. */
static bool
edn_holds(const struct history *h, struct err *err)
{
    return put_fits(h, "edn", false, true, err) && jepsen_holds(h, "edn", err);
}

static bool
edn_write(const struct history *h, struct output *out, struct err *err)
{
    return jepsen_write(h, false, out, err);
}

const struct format format_edn = {
    .name = "edn",
    .suffix = ".edn",
    .help = "Jepsen's log of operations, as Elle reads it",
    .initial = ATOM_NIL,
    .keeps = KEEPS_NAMES | KEEPS_TIMES | KEEPS_META | KEEPS_ROWS,
    .sniff = edn_sniff,
    .read = edn_read,
    .holds = edn_holds,
    .write = edn_write,
    .adds_order = jepsen_adds_order,
};
