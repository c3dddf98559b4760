/* viper.c -- the JSON logs of Viper: one file per session, one committed
 * transaction per line.
 *
 *     {"value": [["r", key, value, is_dead], ["w", key, value, succeeded]]}
 *
 * A write that did not succeed changed nothing and is left out.  'is_dead', the
 * mark of a deleted row, has no influence on who wrote the value.
 *
 * If the database was filled before, the logs do not say with what.  So the
 * first read of a key that has no writer gives the key's initial value; a read
 * of any other value without a writer is a thin-air read.  If there is a
 * transaction with "isInitial": true, its writes are the initial state, and
 * besides them only an absent value counts as initial.  In both cases a read
 * can be understood only once all writes are known.  So the files are read
 * twice, the first time for the writes.
 *
 * Pairs of key and value are remembered by their text, in the pools 'written',
 * 'initial' and 'first_pairs'.  All notations of an absent value are one value
 * in 'first_pairs'.
 *
 * Cost: O(size of the files), twice, and a string per distinct pair written or
 * initial.
 *
 * SPDX-License-Identifier: MIT */
#include "base/container/strings.h"
#include "format/checkers/logs.h"
#include "format/form/form.h"
#include "format/format.h"
#include "format/readers.h"
#include "format/scan/scan_json.h"

struct reader {
    struct builder *b;
    struct strings written; // pairs; those from n_written on are only read
    size_t n_written;
    struct strings initial; // pairs, and keys, of the initial transaction
    size_t n_initial;
    struct strings first_keys;  // read with a value that has no writer
    struct strings first_pairs; // such reads: pairs; a key if it is absent
    u32_vec first_of;           // by key: the pair of its first such read
    bool has_initial, builds;
    struct scan s;
    struct forms forms;
    struct buf pair;
    session_id session;
    size_t n_txns; // in this file so far
};

/* One operation, as indices of forms. */
struct op {
    bool is_write, is_done;
    uint32_t key, value;
};

/* --- pairs --------------------------------------------------------------- */

static struct string
pair_text(struct reader *r, const struct op *op)
{
    buf_clear(&r->pair);
    form_show_canonical(&r->forms, op->key, &r->pair);
    buf_char(&r->pair, ' ');
    form_show_canonical(&r->forms, op->value, &r->pair);
    return (struct string){r->pair.at, r->pair.n};
}

static struct string
key_text(struct reader *r, const struct op *op)
{
    buf_clear(&r->pair);
    form_show_canonical(&r->forms, op->key, &r->pair);
    return (struct string){r->pair.at, r->pair.n};
}

/* Whether the pool had the text after the first pass.  The lookup adds it,
 * but after those that count. */
static bool
had(struct strings *pool, size_t n, struct string text)
{
    return strings_add(pool, text.text, text.len) < n;
}

static bool
is_absent(const struct form *value)
{
    return value->kind == FORM_NIL ||
           (value->kind == FORM_INTEGER && value->atom.bits == 0) ||
           (value->kind == FORM_STRING && span_is(value->text, "nil"));
}

/* Whether the value of op, which no transaction writes, is the first such value
 * of its key. */
static bool
is_first(struct reader *r, const struct op *op)
{
    const struct string key = key_text(r, op);
    const uint32_t k = strings_add(&r->first_keys, key.text, key.len);
    const struct string pair =
        is_absent(&r->forms.at[op->value]) ? key_text(r, op) : pair_text(r, op);
    const uint32_t p = strings_add(&r->first_pairs, pair.text, pair.len);
    if (k == r->first_of.n)
        vec_push(&r->first_of, p);
    return r->first_of.at[k] == p;
}

/* Whether the value of op is the initial one of its key. */
static bool
is_initial(struct reader *r, const struct op *op)
{
    if (had(&r->initial, r->n_initial, pair_text(r, op)))
        return true;
    if (op->is_write || had(&r->written, r->n_written, pair_text(r, op)))
        return false;
    if (!r->has_initial)
        return is_first(r, op);
    return is_absent(&r->forms.at[op->value]) &&
           !had(&r->initial, r->n_initial, key_text(r, op));
}

/* --- operations ---------------------------------------------------------- */

static bool
read_op(struct reader *r, uint32_t i, struct op *op)
{
    const struct forms *f = &r->forms;
    struct scan *s = &r->s;
    const char *at = f->at[i].at;
    // Its forms are scalars: what, key, value and an optional flag.
    const uint32_t n = f->at[i].size - 1;
    if (f->at[i].kind != FORM_VECTOR || n < 1)
        return form_unexpected(s, f, i, "an operation, [what, key, value]");
    const struct form *what = &f->at[form_first(i)];
    const bool is_read = what->kind == FORM_STRING && span_is(what->text, "r");
    op->is_write = what->kind == FORM_STRING && span_is(what->text, "w");
    if (!is_read && !op->is_write)
        return form_unexpected(s, f, form_first(i), "\"r\" or \"w\"");
    for (uint32_t j = i + 2; j <= i + n; j++)
        if (f->at[j].kind == FORM_VECTOR || f->at[j].kind == FORM_MAP ||
            (j == i + 2 && f->at[j].kind == FORM_NIL))
            return form_unexpected(s, f, j, "a string or a number");
    if (n != 3 && n != 4)
        return scan_fail(s, at, ERR_SYNTAX,
                         "%u elements, expected what, key, value and an "
                         "optional flag",
                         (unsigned)n);
    op->key = i + 2;
    op->value = i + 3;
    op->is_done = n == 3 || f->at[i + 4].kind != FORM_FALSE;
    if (n == 4 && f->at[i + 4].kind != FORM_FALSE &&
        f->at[i + 4].kind != FORM_TRUE)
        return form_unexpected(s, f, i + 4, "true or false");
    return true;
}

/* The first pass: remember what is written. */
static void
note_op(struct reader *r, const struct op *op, bool of_initial)
{
    if (!op->is_write || !op->is_done)
        return;
    struct strings *pool = of_initial ? &r->initial : &r->written;
    const struct string pair = pair_text(r, op);
    (void)strings_add(pool, pair.text, pair.len);
    if (of_initial) {
        const struct string key = key_text(r, op);
        (void)strings_add(pool, key.text, key.len);
    }
}

/* The second pass: build. */
static bool
build_op(struct reader *r, const struct op *op, txn_id t)
{
    if (op->is_write && !op->is_done)
        return true;
    const struct atom key = form_atom(&r->forms, op->key, r->b);
    const struct atom value =
        is_initial(r, op) ? atom_nil() : form_atom(&r->forms, op->value, r->b);
    return op->is_write ? builder_write(r->b, t, key, value, r->s.err)
                        : builder_read(r->b, t, key, value, r->s.err);
}

/* --- transactions -------------------------------------------------------- */

/* Find "value" and "isInitial"; other entries are ignored. */
static bool
read_entries(struct reader *r, uint32_t *value, bool *of_initial)
{
    const struct forms *f = &r->forms;
    struct scan *s = &r->s;
    *value = 0;
    *of_initial = false;
    if (f->at[0].kind != FORM_MAP)
        return form_unexpected(s, f, 0, "a transaction, an object");
    for (uint32_t i = form_first(0); i < form_end(f, 0);
         i = form_next(f, form_next(f, i))) {
        const uint32_t v = form_next(f, i);
        const bool is_value = span_is(f->at[i].text, "value");
        if (is_value && *value)
            return form_unexpected(s, f, i, "each key once in a transaction");
        if (is_value)
            *value = v;
        if (span_is(f->at[i].text, "isInitial"))
            *of_initial = f->at[v].kind == FORM_TRUE;
    }
    if (!*value)
        return scan_fail(s, f->at[0].at, ERR_SYNTAX,
                         "a transaction without \"value\"");
    return f->at[*value].kind == FORM_VECTOR ||
           form_unexpected(s, f, *value, "an array of operations");
}

static bool
read_txn(struct reader *r)
{
    uint32_t value;
    bool of_initial;
    txn_id t = TXN_NONE;
    const struct forms *f = &r->forms;
    if (!read_entries(r, &value, &of_initial))
        return false;
    if (of_initial && !r->builds && (r->has_initial || r->n_txns))
        return scan_fail(&r->s, f->at[0].at, ERR_SYNTAX,
                         "an initial transaction, expected only one, and "
                         "first in its file");
    r->has_initial |= of_initial;
    if (r->builds && !builder_txn(r->b, r->session, &t, r->s.err))
        return scan_locate(&r->s, f->at[0].at);
    for (uint32_t i = form_first(value); i < form_end(f, value);
         i = form_next(f, i)) {
        struct op op = {0};
        if (!read_op(r, i, &op))
            return false;
        if (of_initial && !op.is_write)
            return scan_fail(&r->s, f->at[i].at, ERR_SYNTAX,
                             "a read in the initial transaction, expected "
                             "only writes");
        if (!r->builds)
            note_op(r, &op, of_initial);
        else if (!build_op(r, &op, t))
            return scan_locate(&r->s, f->at[i].at);
    }
    return true;
}

/* --- files --------------------------------------------------------------- */

static bool
read_lines(struct reader *r)
{
    struct scan *s = &r->s;
    for (;;) {
        json_space(s);
        if (s->at == s->end)
            return true;
        if (*s->at == '\n') {
            s->at++;
            continue;
        }
        if (!form_read_json(s, &r->forms) || !read_txn(r))
            return false;
        r->n_txns++;
        json_space(s);
        if (s->at < s->end && *s->at != '\n')
            return scan_unexpected(s, s->at, "the end of the line");
    }
}

static bool
read_file(struct reader *r, const struct input *in, struct atom name,
          struct err *err)
{
    if (r->builds)
        r->session = builder_session(r->b, name);
    scan_init(&r->s, in, err);
    r->s.one_line = true;
    r->n_txns = 0;
    const bool ok = read_lines(r);
    scan_free(&r->s);
    return ok;
}

static bool
read_directory(struct reader *r, const struct logs *logs, struct err *err)
{
    for (size_t i = 0; i < logs->n; i++) {
        const struct log_file *log = &logs->at[i];
        const struct atom name =
            builder_text(r->b, ATOM_STRING, log->stem, strlen(log->stem));
        if (!read_file(r, &log->in, name, err))
            return err_in_file(err, log->path);
    }
    return true;
}

static bool
read_twice(struct reader *r, const struct input *in, const struct logs *logs,
           struct err *err)
{
    for (int pass = 0; pass < 2; pass++) {
        r->builds = pass;
        if (in->is_directory ? !read_directory(r, logs, err)
                             : !read_file(r, in, atom_int(0), err))
            return false;
        if (!pass) {
            r->n_written = r->written.all.n;
            r->n_initial = r->initial.all.n;
        }
    }
    return true;
}

static bool
viper_read(struct input *in, struct builder *b, struct err *err)
{
    struct reader r = {.b = b};
    struct logs logs = {0};
    const bool ok = (!in->is_directory || (logs_list(&logs, in->name, err) &&
                                           logs_open(&logs, err))) &&
                    read_twice(&r, in, &logs, err);
    strings_free(&r.written);
    strings_free(&r.initial);
    strings_free(&r.first_keys);
    strings_free(&r.first_pairs);
    vec_free(&r.first_of);
    forms_free(&r.forms);
    buf_free(&r.pair);
    logs_free(&logs);
    return ok;
}

static int
sniff_file(const struct input *in)
{
    const struct json_look look = json_look(in);
    return look.is_object && !look.is_array && look.value && !look.type &&
                   !look.process && !look.session
               ? 60
               : 0;
}

/* A directory is recognised by its first log that is not empty. */
static int
viper_sniff(const struct input *in)
{
    if (!in->is_directory)
        return sniff_file(in);
    struct logs logs = {0};
    struct err ignored = {0};
    int sure = 0;
    if (logs_list(&logs, in->name, &ignored))
        for (size_t i = 0; i < logs.n; i++) {
            struct log_file *log = &logs.at[i];
            if (!input_open(&log->in, log->path, &ignored) || log->in.size) {
                sure = log->in.size ? sniff_file(&log->in) : 0;
                break;
            }
        }
    logs_free(&logs);
    return sure;
}

const struct format format_viper = {
    .name = "viper",
    .suffix = "",
    .help = "Viper's logs: a directory, or one file of a single session",
    .initial = ATOM_NIL,
    .sniff = viper_sniff,
    .read = viper_read,
};
