/* dbcop_json.c -- the histories that dbcop writes since 2026: JSON.
 *
 *     {"params": {...}, "info": "...", "start": "...", "end": "...",
 *      "data": [[{"events": [{"Write": {"variable": 0, "version": 1}},
 *                            {"Read": {"variable": 1, "version": null}}],
 *                 "committed": true}]]}
 *
 * 'data' has the sessions; the file may also be that array alone.  An event may
 * be written as ["w", 0, 1].  The other entries say how the history was made
 * and are ignored.  Version 0 is the initial one, like null.  To dbcop
 * it is another one as soon as a transaction writes it, so that is refused.
 *
 * SPDX-License-Identifier: MIT */
#include "format/form/form.h"
#include "format/format.h"
#include "format/readers.h"
#include "format/scan/scan_json.h"

enum { BYTES_PER_OP = 45 }; // roughly, in a large file

struct reader {
    struct scan s;
    struct builder *b;
    struct forms forms;
    int64_t n_sessions;
};

/* Find the value of a key; each key of the object must be one of the two. */
static bool
find_two(struct reader *r, uint32_t object, const char *first,
         const char *second, uint32_t *a, uint32_t *b)
{
    const struct forms *f = &r->forms;
    *a = *b = 0;
    if (f->at[object].kind != FORM_MAP)
        return form_unexpected(&r->s, f, object, "an object");
    for (uint32_t i = form_first(object); i < form_end(f, object);
         i = form_next(f, form_next(f, i))) {
        uint32_t *at = span_is(f->at[i].text, first)    ? a
                       : span_is(f->at[i].text, second) ? b
                                                        : NULL;
        if (!at || *at)
            return scan_unexpected_text(&r->s, f->at[i].at, f->at[i].text,
                                        at ? "each key once"
                                           : "a key of dbcop's format");
        *at = form_next(f, i);
    }
    return true;
}

/* An event as an object, or as an array. */
static bool
find_event(struct reader *r, uint32_t event, bool *writes, uint32_t *variable,
           uint32_t *version)
{
    const struct forms *f = &r->forms;
    uint32_t read, write;
    if (f->at[event].kind == FORM_VECTOR && f->at[event].size > 1) {
        const uint32_t name = form_first(event), end = form_end(f, event);
        const bool is_word = f->at[name].kind == FORM_STRING;
        *writes = is_word && span_is(f->at[name].text, "w");
        if (!*writes && !(is_word && span_is(f->at[name].text, "r")))
            return form_unexpected(&r->s, f, name, "\"r\" or \"w\"");
        *variable = form_next(f, name);
        *version = *variable < end ? form_next(f, *variable) : end;
        return (*version < end && form_next(f, *version) == end) ||
               form_unexpected(&r->s, f, event, "[f, variable, version]");
    }
    if (!find_two(r, event, "Read", "Write", &read, &write))
        return false;
    if (!read == !write)
        return scan_fail(&r->s, f->at[event].at, ERR_SYNTAX,
                         "an event, expected one of 'Read' and 'Write'");
    *writes = write;
    if (!find_two(r, read ? read : write, "variable", "version", variable,
                  version))
        return false;
    return (*variable && *version) ||
           scan_fail(&r->s, f->at[event].at, ERR_SYNTAX,
                     "an event without '%s'",
                     *variable ? "version" : "variable");
}

static bool
read_event(struct reader *r, uint32_t event, txn_id t)
{
    const struct forms *f = &r->forms;
    bool writes = false;
    uint32_t variable = 0, version = 0;
    if (!find_event(r, event, &writes, &variable, &version))
        return false;
    if (f->at[variable].kind == FORM_NIL)
        return form_unexpected(&r->s, f, variable, "a variable");
    if (writes && f->at[version].kind == FORM_NIL)
        return form_unexpected(&r->s, f, version, "a version");
    if (writes && f->at[version].kind == FORM_INTEGER &&
        !f->at[version].atom.bits)
        return form_unexpected(&r->s, f, version,
                               "a version that is not the initial one");
    if (f->at[version].kind == FORM_VECTOR || f->at[version].kind == FORM_MAP)
        return form_unexpected(&r->s, f, version, "a scalar");
    const struct atom key = form_atom(f, variable, r->b),
                      value = form_atom(f, version, r->b);
    return (writes ? builder_write(r->b, t, key, value, r->s.err)
                   : builder_read(r->b, t, key, value, r->s.err)) ||
           scan_locate(&r->s, f->at[event].at);
}

static bool
read_txn(struct reader *r, session_id session)
{
    const struct forms *f = &r->forms;
    uint32_t events, committed;
    txn_id t;
    if (!form_read_json(&r->s, &r->forms) ||
        !find_two(r, 0, "events", "committed", &events, &committed))
        return false;
    if (!events || !committed)
        return scan_fail(&r->s, f->at[0].at, ERR_SYNTAX,
                         "a transaction without '%s'",
                         events ? "committed" : "events");
    if (f->at[committed].kind != FORM_TRUE &&
        f->at[committed].kind != FORM_FALSE)
        return form_unexpected(&r->s, f, committed, "true or false");
    if (f->at[events].kind != FORM_VECTOR)
        return form_unexpected(&r->s, f, events, "an array of events");
    if (!builder_txn(r->b, session, &t, r->s.err))
        return scan_locate(&r->s, f->at[0].at);
    builder_place(r->b, t, scan_offset(&r->s, f->at[0].at));
    if (f->at[committed].kind == FORM_FALSE)
        builder_status(r->b, t, TXN_ABORTED);
    for (uint32_t i = form_first(events); i < form_end(f, events);
         i = form_next(f, i))
        if (!read_event(r, i, t))
            return false;
    return true;
}

/* After an element of an array: whether another one follows. */
static bool
pass_comma(struct reader *r, bool *more)
{
    *more = json_take(&r->s, ',');
    json_space(&r->s);
    return *more || json_take(&r->s, ']') ||
           scan_unexpected(&r->s, r->s.at, "',' or ']'");
}

static bool
read_sessions(struct reader *r)
{
    bool more = true, more_txns;
    if (!json_take(&r->s, '['))
        return scan_unexpected(&r->s, r->s.at, "an array of sessions");
    for (more = !json_take(&r->s, ']'); more;) {
        const session_id session =
            builder_session(r->b, atom_int(++r->n_sessions));
        if (!json_take(&r->s, '['))
            return scan_unexpected(&r->s, r->s.at,
                                   "a session, an array of transactions");
        for (more_txns = !json_take(&r->s, ']'); more_txns;) {
            json_space(&r->s);
            if (!read_txn(r, session) || !pass_comma(r, &more_txns))
                return false;
        }
        if (!pass_comma(r, &more))
            return false;
    }
    return true;
}

/* The entries of the object around the sessions. */
static bool
read_object(struct reader *r)
{
    struct scan *s = &r->s;
    bool has_data = false;
    const char *start = s->at;
    if (!json_take(s, '{'))
        return scan_unexpected(s, s->at, "an object or an array");
    if (!json_take(s, '}')) {
        do {
            struct span key;
            json_space(s);
            const char *at = s->at;
            if (at == s->end || *at != '"')
                return scan_unexpected(s, at, "a key");
            if (!json_string(s, &key))
                return false;
            const bool is_data = span_is(key, "data");
            if (is_data ? has_data
                        : !span_is(key, "params") && !span_is(key, "info") &&
                              !span_is(key, "start") && !span_is(key, "end"))
                return scan_unexpected_text(
                    s, at, key,
                    is_data ? "each key once" : "a key of dbcop's format");
            has_data |= is_data;
            if (!json_take(s, ':'))
                return scan_unexpected(s, s->at, "':'");
            if (is_data ? !read_sessions(r) : !json_skip(s))
                return false;
        } while (json_take(s, ','));
        if (!json_take(s, '}'))
            return scan_unexpected(s, s->at, "',' or '}'");
    }
    return has_data || scan_fail(s, start, ERR_SYNTAX, "no 'data'");
}

static bool
dbcop_json_read(struct input *in, struct builder *b, struct err *err)
{
    if (in->is_directory)
        return err_set(err, ERR_SYNTAX, "a directory, expected a file");
    struct reader r = {.b = b};
    scan_init(&r.s, in, err);
    builder_expect(b, in->size / BYTES_PER_OP);
    json_space(&r.s);
    const bool is_array = r.s.at < r.s.end && *r.s.at == '[';
    bool ok = is_array ? read_sessions(&r) : read_object(&r);
    json_space(&r.s);
    if (ok && r.s.at < r.s.end)
        ok = scan_unexpected(&r.s, r.s.at,
                             "the end of the input after the history");
    forms_free(&r.forms);
    scan_free(&r.s);
    return ok;
}

static int
dbcop_json_sniff(const struct input *in)
{
    if (in->is_directory || !in->size)
        return 0;
    struct err ignored = {0};
    struct scan s;
    struct span key = {0};
    scan_init(&s, in, &ignored);
    json_space(&s);
    const bool is_object = s.at < s.end && *s.at == '{';
    // Sessions in an array: [[{"events"
    bool is_array = !is_object && json_take(&s, '[') && json_take(&s, '[') &&
                    json_take(&s, '{');
    json_space(&s);
    is_array = is_array && s.at < s.end && *s.at == '"' &&
               json_string(&s, &key) &&
               (span_is(key, "events") || span_is(key, "committed"));
    scan_free(&s);
    if (!is_object)
        return is_array ? 95 : 0;
    const struct json_look look = json_look(in);
    return look.data && look.params ? 95 : look.data ? 60 : 0;
}

const struct format format_dbcop_json = {
    .name = "dbcop-json",
    .suffix = ".json",
    .help = "sessions of transactions in JSON, as dbcop writes them",
    .initial = ATOM_INT,
    .sniff = dbcop_json_sniff,
    .read = dbcop_json_read,
};
