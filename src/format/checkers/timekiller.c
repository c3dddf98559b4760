/* timekiller.c -- the histories of TimeKiller: transactions with timestamps.
 *
 *     [{"sid": 19, "tid": 67, "sts": {"p": 436341, "l": 61},
 *       "cts": {"p": 659914, "l": 18},
 *       "ops": [{"t": "w", "k": 7, "v": 2}, {"t": "r", "k": 8, "v": null}]}]
 *
 * An array of committed transactions, each with its session, its name, when
 * the server says it took its snapshot and committed, and its operations: "r",
 * "w", or "a", which appends to a list.  The elements of the array are read one
 * by one.
 *
 * The initial value of a key is null if a read of the key returned null, else
 * 0.  So an input with nulls is read twice, the first time for these keys,
 * which 'null_keys' remembers by their text.  Their zeros are ordinary values,
 * which need a writer.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE // memmem
#include "base/container/strings.h"
#include "format/form/form.h"
#include "format/format.h"
#include "format/readers.h"
#include "format/scan/scan_json.h"
#include "format/scan/scan_stamp.h"

#include <string.h>

enum { BYTES_PER_OP = 30 }; // roughly, in a large file

enum field { FIELD_SID, FIELD_TID, FIELD_STS, FIELD_CTS, FIELD_OPS, FIELDS };
static const char *const fields[] = {"sid", "tid", "sts", "cts", "ops", NULL};

enum part { PART_TYPE, PART_KEY, PART_VALUE, PARTS };
static const char *const parts[] = {"t", "k", "v", NULL};

static const char *const halves[] = {"p", "l", NULL};

struct reader {
    struct scan s;
    struct builder *b;
    struct forms forms;
    VEC(struct atom) elements;
    struct strings null_keys; // the first n_null_keys were read as null
    size_t n_null_keys;
    bool only_notes; // the first of two passes
    struct buf key_text;
};

/* Find the values of an object's keys, which must be those of 'names', each
 * once. */
static bool
find_values(struct reader *r, uint32_t object, const char *const *names,
            uint32_t *values)
{
    const struct forms *f = &r->forms;
    if (f->at[object].kind != FORM_MAP)
        return form_unexpected(&r->s, f, object, "an object");
    size_t n = 0;
    for (; names[n]; n++)
        values[n] = 0;
    for (uint32_t i = form_first(object); i < form_end(f, object);
         i = form_next(f, form_next(f, i))) {
        size_t k = 0;
        while (names[k] && !span_is(f->at[i].text, names[k]))
            k++;
        if (!names[k] || values[k])
            return scan_unexpected_text(
                &r->s, f->at[i].at, f->at[i].text,
                names[k] ? "each key once" : "a key of TimeKiller's format");
        values[k] = form_next(f, i);
    }
    for (size_t k = 0; k < n; k++)
        if (!values[k])
            return scan_fail(&r->s, f->at[object].at, ERR_SYNTAX,
                             "an object without '%s'", names[k]);
    return true;
}

/* A part of a timestamp: an integer, perhaps in quotes. */
static bool
read_half(struct reader *r, uint32_t i, uint64_t *out)
{
    const struct form *form = &r->forms.at[i];
    if (form->kind == FORM_INTEGER && atom_is_u64(form->atom)) {
        *out = form->atom.bits;
        return true;
    }
    return (form->kind == FORM_STRING &&
            parse_decimal(form->text.at, form->text.n, out)) ||
           form_unexpected(&r->s, &r->forms, i, "an unsigned integer");
}

static bool
read_stamp(struct reader *r, uint32_t i, struct stamp *out)
{
    uint32_t half[2];
    return find_values(r, i, halves, half) &&
           read_half(r, half[0], &out->physical) &&
           read_half(r, half[1], &out->logical);
}

static bool
read_list(struct reader *r, uint32_t list, txn_id t, struct atom key)
{
    const struct forms *f = &r->forms;
    vec_clear(&r->elements);
    for (uint32_t i = form_first(list); i < form_end(f, list);
         i = form_next(f, i))
        vec_push(&r->elements, form_atom(f, i, r->b));
    return builder_read_list(r->b, t, key, r->elements.at, r->elements.n,
                             r->s.err);
}

static uint32_t
null_key(struct reader *r, uint32_t key)
{
    buf_clear(&r->key_text);
    form_show_canonical(&r->forms, key, &r->key_text);
    return strings_add(&r->null_keys, r->key_text.at, r->key_text.n);
}

/* The value of an operation.  The builder takes 0 for the initial value, so a
 * zero of a key that begins as null is the text of the same form. */
static struct atom
read_value(struct reader *r, uint32_t key, uint32_t value)
{
    const struct atom atom = form_atom(&r->forms, value, r->b);
    const bool is_ordinary = r->n_null_keys && atom_equal(atom, atom_int(0)) &&
                             null_key(r, key) < r->n_null_keys;
    return is_ordinary ? builder_text(r->b, ATOM_OTHER, "0", 1) : atom;
}

static bool
read_op(struct reader *r, uint32_t i, txn_id t)
{
    const struct forms *f = &r->forms;
    uint32_t part[PARTS];
    if (!find_values(r, i, parts, part))
        return false;
    const struct span type = f->at[part[PART_TYPE]].text;
    const enum form_kind kind = f->at[part[PART_TYPE]].kind,
                         value_kind = f->at[part[PART_VALUE]].kind;
    const bool is_word = kind == FORM_STRING;
    const bool reads = is_word && (span_is(type, "r") || span_is(type, "read"));
    const bool writes =
        is_word && (span_is(type, "w") || span_is(type, "write"));
    const bool appends =
        is_word && (span_is(type, "a") || span_is(type, "append"));
    if (!reads && !writes && !appends)
        return form_unexpected(&r->s, f, part[PART_TYPE],
                               "\"r\", \"w\" or \"a\"");
    if (f->at[part[PART_KEY]].kind == FORM_NIL)
        return form_unexpected(&r->s, f, part[PART_KEY], "a key");
    if (!reads && value_kind == FORM_VECTOR)
        return form_unexpected(&r->s, f, part[PART_VALUE], "one value");
    if (r->only_notes) {
        if (reads && value_kind == FORM_NIL)
            (void)null_key(r, part[PART_KEY]);
        return true;
    }
    const struct atom key = form_atom(f, part[PART_KEY], r->b);
    bool ok;
    if (value_kind == FORM_VECTOR) {
        ok = read_list(r, part[PART_VALUE], t, key);
    } else {
        const struct atom value =
            read_value(r, part[PART_KEY], part[PART_VALUE]);
        ok = reads    ? builder_read(r->b, t, key, value, r->s.err)
             : writes ? builder_write(r->b, t, key, value, r->s.err)
                      : builder_append(r->b, t, key, value, r->s.err);
    }
    return ok || scan_locate(&r->s, f->at[i].at);
}

static bool
begin_txn(struct reader *r, const uint32_t *at, struct stamp start,
          struct stamp commit, txn_id *t)
{
    const struct forms *f = &r->forms;
    const session_id session =
        builder_session(r->b, form_atom(f, at[FIELD_SID], r->b));
    if (!builder_txn(r->b, session, t, r->s.err))
        return scan_locate(&r->s, f->at[0].at);
    builder_place(r->b, *t, scan_offset(&r->s, f->at[0].at));
    builder_name(r->b, *t, form_atom(f, at[FIELD_TID], r->b));
    builder_stamps(r->b, *t, start, commit);
    return true;
}

static bool
read_txn(void *self)
{
    struct reader *r = self;
    const struct forms *f = &r->forms;
    uint32_t at[FIELDS];
    struct stamp start, commit;
    txn_id t = TXN_NONE;
    if (!form_read_json(&r->s, &r->forms) || !find_values(r, 0, fields, at) ||
        !read_stamp(r, at[FIELD_STS], &start) ||
        !read_stamp(r, at[FIELD_CTS], &commit))
        return false;
    if (f->at[at[FIELD_SID]].kind == FORM_NIL)
        return form_unexpected(&r->s, f, at[FIELD_SID], "a session");
    if (f->at[at[FIELD_OPS]].kind != FORM_VECTOR)
        return form_unexpected(&r->s, f, at[FIELD_OPS], "an array");
    if (stamp_compare(start, commit) > 0)
        return scan_fail(&r->s, f->at[at[FIELD_CTS]].at, ERR_SYNTAX,
                         "the transaction commits before it starts");
    if (!r->only_notes && !begin_txn(r, at, start, commit, &t))
        return false;
    for (uint32_t i = form_first(at[FIELD_OPS]); i < form_end(f, at[FIELD_OPS]);
         i = form_next(f, i))
        if (!read_op(r, i, t))
            return false;
    return true;
}

static bool
read_array(struct reader *r, struct input *in, struct err *err)
{
    scan_init(&r->s, in, err);
    const bool ok = json_whole_array(&r->s, read_txn, r);
    scan_free(&r->s);
    return ok;
}

static bool
has_null(const struct input *in)
{
    return in->size && memmem(in->data, in->size, "null", 4);
}

static bool
timekiller_read(struct input *in, struct builder *b, struct err *err)
{
    if (in->is_directory)
        return err_set(err, ERR_SYNTAX, "a directory, expected a file");
    struct reader r = {.b = b, .only_notes = has_null(in)};
    builder_expect(b, in->size / BYTES_PER_OP);
    bool ok = true;
    if (r.only_notes) {
        ok = read_array(&r, in, err);
        r.only_notes = false;
        r.n_null_keys = r.null_keys.all.n;
    }
    ok = ok && read_array(&r, in, err);
    forms_free(&r.forms);
    vec_free(&r.elements);
    strings_free(&r.null_keys);
    buf_free(&r.key_text);
    return ok;
}

static int
timekiller_sniff(const struct input *in)
{
    if (in->is_directory)
        return 0;
    const struct json_look look = json_look(in);
    return look.is_array && look.is_object && look.stamps ? 96 : 0;
}

const struct format format_timekiller = {
    .name = "timekiller",
    .suffix = ".json",
    .help = "transactions with timestamps, as Chronos and Aion check them",
    .initial = ATOM_INT,
    .sniff = timekiller_sniff,
    .read = timekiller_read,
};
