/* redaction.c -- see redaction.h.
 *
 * The history is written as jsonl to a file without a name, and read again as
 * JSON line by line.
 *
 *   (1) A scalar is written only by put_number, or by 'keep', whose callers
 *       name what stays.  What is not known is an error, and nothing is
 *       written.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/redaction.h"

#include "base/ascii.h"
#include "base/container/strings.h"
#include "base/json.h"
#include "base/outfile.h"
#include "base/unnamed_file.h"
#include "format/form/form.h"
#include "format/format.h"
#include "spec/sql/token.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct redaction {
    struct forms forms;
    struct strings values; // canonical texts
    struct buf line, text, member;
    const char *unknown; // what is not known, or why it is refused
};

static const struct form *
at(const struct redaction *r, uint32_t i)
{
    return &r->forms.at[i];
}

static bool
is_text(const struct redaction *r, uint32_t i, const char *text)
{
    const struct span s = at(r, i)->text;
    return at(r, i)->kind == FORM_STRING && s.n == strlen(text) &&
           memcmp(s.at, text, s.n) == 0;
}

static bool
refuse(struct redaction *r, const char *why)
{
    r->unknown = why;
    return false;
}

/* --- values ----------------------------------------------------------------*/

/* Add a value as it is, with the name of its member or NULL. */
static void
keep(struct redaction *r, const char *name, uint32_t i)
{
    buf_clear(&r->text);
    form_show_json(&r->forms, i, &r->text);
    json_raw(&r->line, name, r->text.at, r->text.n);
}

static void
put_number(struct redaction *r, const char *name, uint32_t i)
{
    if (at(r, i)->kind == FORM_NIL) {
        json_null(&r->line, name);
        return;
    }
    buf_clear(&r->text);
    form_show_canonical(&r->forms, i, &r->text);
    json_printf(&r->line, name, "#%u",
                strings_add(&r->values, r->text.at, r->text.n) + 1);
}

/* Numbers for the elements of an array. */
static void
put_numbers(struct redaction *r, const char *name, uint32_t array)
{
    const struct forms *f = &r->forms;
    json_array(&r->line, name);
    for (uint32_t i = form_first(array); i < form_end(f, array);
         i = form_next(f, i))
        put_number(r, NULL, i);
    json_array_end(&r->line);
}

/* A scalar, a list, or an object that is one value. */
static void
put_value(struct redaction *r, uint32_t i)
{
    if (at(r, i)->kind == FORM_VECTOR)
        put_numbers(r, NULL, i);
    else
        put_number(r, NULL, i);
}

/* The columns of a row. */
static bool
put_columns(struct redaction *r, uint32_t map)
{
    const struct forms *f = &r->forms;
    if (at(r, map)->kind == FORM_NIL) {
        json_null(&r->line, NULL);
        return true;
    }
    if (at(r, map)->kind != FORM_MAP)
        return refuse(r, "a row without columns");
    json_object(&r->line, NULL);
    for (uint32_t i = form_first(map); i < form_end(f, map);) {
        const uint32_t value = form_next(f, i);
        buf_clear(&r->member);
        form_show_json_key(f, i, &r->member);
        buf_clear(&r->text);
        form_show_canonical(f, value, &r->text);
        if (at(r, value)->kind == FORM_NIL)
            buf_text(&r->member, ":null");
        else
            buf_printf(&r->member, ":\"#%u\"",
                       strings_add(&r->values, r->text.at, r->text.n) + 1);
        json_raw(&r->line, NULL, r->member.at, r->member.n);
        i = form_next(f, value);
    }
    json_object_end(&r->line);
    return true;
}

/* [table, key]. */
static bool
put_row(struct redaction *r, uint32_t row)
{
    const struct forms *f = &r->forms;
    if (at(r, row)->kind != FORM_VECTOR || at(r, row)->size < 3)
        return refuse(r, "a row without a key");
    const uint32_t table = form_first(row);
    json_array(&r->line, NULL);
    keep(r, NULL, table);
    put_value(r, form_next(f, table));
    json_array_end(&r->line);
    return true;
}

/* What an operation says about versions, and its marks. */
static bool
put_extras(struct redaction *r, uint32_t map)
{
    const struct forms *f = &r->forms;
    if (at(r, map)->kind != FORM_MAP)
        return refuse(r, "an operation of another form");
    json_object(&r->line, NULL);
    for (uint32_t i = form_first(map); i < form_end(f, map);) {
        const uint32_t value = form_next(f, i);
        const bool is_plain = at(r, value)->kind == FORM_INTEGER;
        if (is_text(r, i, "ver"))
            is_plain ? keep(r, "ver", value) : put_number(r, "ver", value);
        else if (is_text(r, i, "prev"))
            is_plain ? keep(r, "prev", value) : put_number(r, "prev", value);
        else if (is_text(r, i, "satisfies"))
            put_numbers(r, "satisfies", value);
        else if (is_text(r, i, "check"))
            keep(r, "check", value);
        else
            return refuse(r, "a mark of a version");
        i = form_next(f, value);
    }
    json_object_end(&r->line);
    return true;
}

/* [row], [row, values] or [row, values, extras] from 'i' up to 'end'. */
static bool
put_version(struct redaction *r, uint32_t i, uint32_t end)
{
    const struct forms *f = &r->forms;
    if (i >= end || !put_row(r, i))
        return refuse(r, "an operation without a row");
    i = form_next(f, i);
    if (i < end) {
        if (!put_columns(r, i))
            return false;
        i = form_next(f, i);
    }
    if (i < end) {
        if (!put_extras(r, i))
            return false;
        i = form_next(f, i);
    }
    return i >= end || refuse(r, "an operation of another form");
}

static bool
put_versions(struct redaction *r, const char *name, uint32_t array)
{
    const struct forms *f = &r->forms;
    json_array(&r->line, name);
    for (uint32_t i = form_first(array); i < form_end(f, array);
         i = form_next(f, i)) {
        json_array(&r->line, NULL);
        if (!put_version(r, form_first(i), form_end(f, i)))
            return false;
        json_array_end(&r->line);
    }
    json_array_end(&r->line);
    return true;
}

/* --- operations ------------------------------------------------------------*/

static bool
put_query(struct redaction *r, uint32_t i, uint32_t end)
{
    const struct forms *f = &r->forms;
    if (i >= end || at(r, i)->kind != FORM_MAP || form_next(f, i) >= end)
        return refuse(r, "a query of another form");
    json_object(&r->line, NULL);
    for (uint32_t k = form_first(i); k < form_end(f, i);) {
        const uint32_t value = form_next(f, k);
        if (is_text(r, k, "table"))
            keep(r, "table", value);
        else if (is_text(r, k, "id"))
            put_number(r, "id", value);
        else if (is_text(r, k, "where") && is_text(r, value, "TRUE"))
            keep(r, "where", value);
        else if (is_text(r, k, "unordered"))
            keep(r, "unordered", value);
        else if (is_text(r, k, "check"))
            keep(r, "check", value);
        else
            return refuse(r, "a condition of a query, which compares values,");
        k = form_next(f, value);
    }
    json_object_end(&r->line);
    return put_versions(r, NULL, form_next(f, i));
}

static bool
put_operation(struct redaction *r, uint32_t op)
{
    const struct forms *f = &r->forms;
    const uint32_t kind = form_first(op), end = form_end(f, op);
    if (at(r, op)->kind != FORM_VECTOR || kind >= end)
        return refuse(r, "an operation of another form");
    const uint32_t next = form_next(f, kind);
    if (is_text(r, kind, "statement")) {
        keep(r, NULL, op);
        return true;
    }
    json_array(&r->line, NULL);
    keep(r, NULL, kind);
    bool ok = next < end || refuse(r, "an operation without a key");
    if (ok && is_text(r, kind, "q")) {
        ok = put_query(r, next, end);
    } else if (ok && is_text(r, kind, "d")) {
        ok = put_row(r, next);
        if (ok && form_next(f, next) < end)
            ok = put_extras(r, form_next(f, next));
    } else if (ok && at(r, next)->kind == FORM_VECTOR) {
        ok = put_version(r, next, end);
    } else if (ok) {
        for (uint32_t i = next; i < end; i = form_next(f, i))
            put_value(r, i);
    }
    json_array_end(&r->line);
    return ok;
}

static bool
put_operations(struct redaction *r, uint32_t ops)
{
    const struct forms *f = &r->forms;
    bool ok = true;
    json_array(&r->line, "ops");
    for (uint32_t i = form_first(ops); ok && i < form_end(f, ops);
         i = form_next(f, i))
        ok = put_operation(r, i);
    json_array_end(&r->line);
    return ok;
}

/* --- statements ------------------------------------------------------------*/

/* A statement as PostgreSQL reads it, without comments, and with '?' for its
 * literals.  A parameter such as $1 stays. */
static void
put_statement(struct redaction *r, uint32_t i)
{
    const struct span s = at(r, i)->text;
    token_vec tokens = {0};
    buf_clear(&r->member);
    buf_add(&r->member, s.at, s.n);
    buf_char(&r->member, 0);
    buf_clear(&r->text);
    tokens_read(r->member.at, flavour_of("postgresql"), &tokens);
    for (size_t k = 0; k < tokens.n && tokens.at[k].kind != TOKEN_END; k++) {
        const struct token t = tokens.at[k];
        const char *before = k ? t.at - 1 : t.at;
        // "$1" is two tokens.
        const bool is_parameter =
            (t.n == 1 && *t.at == '$' && ascii_is_digit(t.at[1])) ||
            (t.kind == TOKEN_NUMBER && *before == '$');
        const bool is_literal =
            !is_parameter && (t.kind == TOKEN_STRING ||
                              t.kind == TOKEN_NUMBER || t.kind == TOKEN_OTHER);
        if (k && (*before == ' ' || *before == '\n' || *before == '\t' ||
                  *before == '/'))
            buf_char(&r->text, ' ');
        if (is_literal)
            buf_char(&r->text, '?');
        else
            buf_add(&r->text, t.at, t.n);
    }
    json_bytes(&r->line, NULL, r->text.at, r->text.n);
    vec_free(&tokens);
}

/* The name of a member that recorders write and that has no data, or NULL. */
static const char *
kept_meta(const struct redaction *r, uint32_t key)
{
    static const char *const names[] = {"application", "connection", "lines",
                                        "node",        "pid",        "script"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_text(r, key, names[i]))
            return names[i];
    return NULL;
}

/* What the recorder says about a transaction (doc/formats/jsonl.md); what
 * others say becomes a number. */
static void
put_meta(struct redaction *r, uint32_t map)
{
    const struct forms *f = &r->forms;
    json_object(&r->line, "meta");
    for (uint32_t i = form_first(map); i < form_end(f, map);) {
        const uint32_t value = form_next(f, i);
        const bool is_array = at(r, value)->kind == FORM_VECTOR;
        const char *name = kept_meta(r, i);
        if (name) {
            keep(r, name, value);
        } else if (is_text(r, i, "sql") && is_array) {
            json_array(&r->line, "sql");
            for (uint32_t k = form_first(value); k < form_end(f, value);
                 k = form_next(f, k))
                put_statement(r, k);
            json_array_end(&r->line);
        } else if (is_text(r, i, "parameters") && is_array) {
            json_array(&r->line, "parameters");
            for (uint32_t k = form_first(value); k < form_end(f, value);
                 k = form_next(f, k))
                put_value(r, k);
            json_array_end(&r->line);
        } else {
            buf_clear(&r->member);
            buf_add(&r->member, at(r, i)->text.at, at(r, i)->text.n);
            buf_char(&r->member, 0);
            put_number(r, r->member.at, value);
        }
        i = form_next(f, value);
    }
    json_object_end(&r->line);
}

/* --- lines -----------------------------------------------------------------*/

static bool
put_member(struct redaction *r, uint32_t key, uint32_t value)
{
    static const char *const kept[] = {"session",  "id",        "status",
                                       "start",    "end",       "partial",
                                       "start_ts", "commit_ts", "recording"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (is_text(r, key, kept[i])) {
            keep(r, kept[i], value);
            return true;
        }
    if (is_text(r, key, "ops"))
        return put_operations(r, value);
    if (is_text(r, key, "meta")) {
        put_meta(r, value);
        return true;
    }
    const uint32_t rows = form_first(value);
    if (!is_text(r, key, "initial") || at(r, value)->kind != FORM_MAP ||
        rows >= form_end(&r->forms, value) || !is_text(r, rows, "rows"))
        return refuse(r, "a member of a line");
    json_object(&r->line, "initial");
    const bool ok = put_versions(r, "rows", form_next(&r->forms, rows));
    json_object_end(&r->line);
    return ok;
}

static bool
put_line(struct redaction *r, FILE *out)
{
    const struct forms *f = &r->forms;
    bool ok = at(r, 0)->kind == FORM_MAP || refuse(r, "a line of another form");
    buf_clear(&r->line);
    json_object(&r->line, NULL);
    for (uint32_t i = form_first(0); ok && i < form_end(f, 0);) {
        const uint32_t value = form_next(f, i);
        ok = put_member(r, i, value);
        i = form_next(f, value);
    }
    json_end_line(&r->line);
    if (ok)
        fwrite(r->line.at, 1, r->line.n, out);
    return ok;
}

static bool
redact(struct redaction *r, const struct input *in, FILE *out, struct err *err)
{
    struct scan s;
    bool ok = true;
    scan_init(&s, in, err);
    while (ok && s.at < s.end) {
        const char *line = s.at;
        if (*s.at == '\n') {
            s.at++;
            continue;
        }
        ok = form_read_json(&s, &r->forms);
        if (ok && !put_line(r, out))
            ok = scan_fail(&s, line, ERR_FEATURE, "%s cannot be redacted",
                           r->unknown);
    }
    scan_free(&s);
    return ok || err_in_file(err, "written as jsonl");
}

/* Write the history as it is. */
static bool
write_plain(const struct history *h, const char *path, struct err *err)
{
    const struct format *jsonl = format_find("jsonl");
    struct output out = {.path = path};
    if (!jsonl->holds(h, err))
        return false;
    out.file = fopen(path, "w");
    if (!out.file)
        return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    const bool ok = jsonl->write(h, &out, err);
    if (fclose(out.file) == 0 && ok)
        return true;
    return err->kind != ERR_NONE
               ? false
               : err_set(err, ERR_IO, "cannot write a temporary file: %s",
                         strerror(errno));
}

static bool
write_file(struct redaction *r, const struct input *in, const char *path,
           struct err *err)
{
    struct outfile out;
    if (!outfile_open(&out, path, err))
        return false;
    const bool ok = redact(r, in, out.file, err);
    return outfile_close(&out, ok, err) && ok;
}

static bool
write_stdout(struct redaction *r, const struct input *in, struct err *err)
{
    return redact(r, in, stdout, err) &&
           (fflush(stdout) == 0 ||
            err_set(err, ERR_IO, "cannot write: %s", strerror(errno)));
}

bool
redaction_write(const struct history *h, const char *path, struct err *err)
{
    struct redaction r = {0};
    struct buf plain = {0};
    struct input in = {0};
    int fd;
    if (!unnamed_file_open(&plain, &fd, err))
        return false;
    bool ok = write_plain(h, plain.at, err) && input_open(&in, plain.at, err);
    if (ok) {
        ok = strcmp(path, "-") == 0 ? write_stdout(&r, &in, err)
                                    : write_file(&r, &in, path, err);
        input_close(&in);
    }
    close(fd);
    buf_free(&plain);
    forms_free(&r.forms);
    strings_free(&r.values);
    buf_free(&r.line);
    buf_free(&r.text);
    buf_free(&r.member);
    return ok;
}

bool
redaction_replace(const char *path, struct err *err)
{
    struct history h;
    if (!format_read(path, "auto", 1, &h, NULL, err))
        return false;
    const bool ok = redaction_write(&h, path, err);
    history_free(&h);
    return ok;
}
