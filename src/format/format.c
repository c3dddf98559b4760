/* format.c -- recognise, read and write a file by the table of formats.
 *
 * SPDX-License-Identifier: MIT */
#include "format/format.h"

#include "base/limits/context.h"
#include "base/outfile.h"
#include "format/readers.h"
#include "history/read_checks.h"
#include "history/sessions.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

const struct format *const format_table[] = {
    &format_text,       &format_jsonl, &format_edn,   &format_json,
    &format_jepsen,     &format_csv,   &format_hist,  &format_dbcop,
    &format_cobra,      &format_viper, &format_trace, &format_timekiller,
    &format_dbcop_json, NULL,
};

const struct format *
format_find(const char *name)
{
    for (size_t i = 0; format_table[i]; i++)
        if (strcmp(format_table[i]->name, name) == 0)
            return format_table[i];
    return NULL;
}

bool
format_recognise(const struct input *in, const struct format **out,
                 struct err *err)
{
    int best = 0;
    for (size_t i = 0; format_table[i]; i++) {
        const int sure = format_table[i]->sniff(in);
        if (sure > best) {
            best = sure;
            *out = format_table[i];
        }
    }
    if (best)
        return true;
    return err_set(err, ERR_SYNTAX,
                   "no format recognises this; use --format ('assay "
                   "formats' lists them)");
}

/* Whether the input is only blanks and line ends. */
static bool
is_empty(const struct input *in)
{
    size_t i = 0;
    while (i < in->size && strchr(" \t\r\n", in->data[i]) && in->data[i])
        i++;
    return !in->is_directory && i == in->size;
}

/* Whether the input is test.jepsen or history.jepsen. */
static bool
is_binary_log(const struct input *in)
{
    return in->size >= 6 && memcmp(in->data, "JEPSEN", 6) == 0;
}

/* Turn the bytes at which transactions begin into lines.  Most readers begin
 * them in order, so this goes through the input once. */
static void
find_lines(const struct input *in, place_vec *places)
{
    uint64_t at = 0, line = 1;
    for (size_t t = 0; t < places->n; t++) {
        const uint64_t place = places->at[t];
        assert(place <= in->size);
        if (place < at)
            at = 0, line = 1;
        for (; at < place; at++)
            line += in->data[at] == '\n';
        places->at[t] = line;
    }
}

/* A commit that takes effect late contradicts the order of its session, so a
 * recorder must not go on as the same session. */
static void
note_unknown(const struct format *format, struct history *h)
{
    struct buf first = {0};
    uint32_t n = 0;
    for (session_id s = 0; s < h->n_sessions; s++) {
        if (!history_goes_on_after_unknown(h, s))
            continue;
        if (!n++)
            history_show_session(h, s, &first);
    }
    if (n)
        buf_printf(&h->notes,
                   "%" PRIu32 " session%s after a write of unknown outcome "
                   "(%s%s): its late commit would look like a violation%s\n",
                   n, n == 1 ? " goes on" : "s go on", n == 1 ? "" : "first ",
                   first.at,
                   strcmp(format->name, "edn") == 0 ||
                           strcmp(format->name, "json") == 0 ||
                           strcmp(format->name, "jepsen") == 0
                       ? "; Jepsen would have assigned a new process"
                       : "; a recorder should begin a new session there");
    buf_free(&first);
}

static bool
read_input(struct input *in, const char *name, struct history *h,
           const struct format **used, struct err *err)
{
    const struct format *format = NULL;
    if (is_empty(in))
        return err_set(err, ERR_SYNTAX, "the input is empty");
    if (strcmp(name, "auto") != 0) {
        format = format_find(name);
        if (!format)
            return err_set(err, ERR_USAGE,
                           "unknown format '%s'; 'assay formats' lists them",
                           name);
    } else if (is_binary_log(in)) {
        return err_set(err, ERR_FEATURE,
                       "a binary file of Jepsen's store, which cannot be read; "
                       "expected its history.edn or history.txt");
    } else if (!format_recognise(in, &format, err)) {
        return false;
    }
    if (used)
        *used = format;
    struct builder *b =
        builder_new(format->initial == ATOM_INT ? atom_int(0) : atom_nil());
    builder_threads(b, in->threads);
    if (in->lines)
        builder_keep_places(b);
    if (!format->read(in, b, err)) {
        builder_free(b);
        return false;
    }
    find_lines(in, builder_places(b));
    if (!builder_finish(b, h, err))
        return false;
    note_unknown(format, h);
    return true;
}

/* Where 'in' is a directory of Jepsen's store, go on with the log in it. 'path'
 * gets the name of the log. */
static bool
enter_store(struct input *in, const char *name, struct buf *path,
            struct err *err)
{
    static const struct {
        const char *format, *file;
    } logs[] = {{"edn", "history.edn"}, {"jepsen", "history.txt"}};
    const bool is_any = strcmp(name, "auto") == 0;
    for (size_t i = 0; in->is_directory && i < 2; i++)
        if ((is_any || strcmp(name, logs[i].format) == 0) &&
            input_holds(in, logs[i].file)) {
            buf_printf(path, "%s/%s", in->name, logs[i].file);
            input_close(in);
            return input_open(in, path->at, err);
        }
    return true;
}

static bool
read_path(struct input *in, const char *path, const char *name,
          struct history *h, const struct format **used, struct err *err)
{
    struct buf inside = {0};
    const unsigned threads = in->threads;
    const bool lines = in->lines;
    bool ok = enter_store(in, name, &inside, err);
    in->threads = threads;
    in->lines = in->full =
        lines && !inside.n; // of the path, not of a file in it
    ok = ok && read_input(in, name, h, used, err);
    if (!ok)
        err_in_file(err, inside.n                 ? inside.at
                         : strcmp(path, "-") == 0 ? "stdin"
                                                  : path);
    buf_free(&inside);
    return ok;
}

static bool
read_history(const char *path, const char *name, unsigned threads, bool lines,
             struct history *h, const struct format **used, struct err *err)
{
    struct input in;
    if (!input_open(&in, path, err))
        return false;
    in.threads = threads ? threads : 1;
    in.lines = lines;
    const bool ok = read_path(&in, path, name, h, used, err);
    input_close(&in);
    return ok;
}

bool
format_read(const char *path, const char *name, unsigned threads,
            struct history *h, const struct format **used, struct err *err)
{
    return read_history(path, name, threads, false, h, used, err);
}

bool
format_read_bytes(const char *bytes, size_t size, const char *label,
                  const char *name, unsigned threads, struct history *h,
                  const struct format **used, struct err *err)
{
    struct input in;
    if (!input_of_bytes(&in, bytes, size, label, err))
        return false;
    in.threads = threads ? threads : 1;
    const bool ok = read_input(&in, name, h, used, err);
    input_close(&in);
    return ok || err_in_file(err, label);
}

bool
format_read_lines(const char *path, const char *name, struct history *h,
                  const struct format **used, struct err *err)
{
    return read_history(path, name, 1, true, h, used, err);
}

/* The work is abandoned: no trace of the file is left. */
static void
abandon(void *outfile)
{
    struct err none = {0};
    outfile_close(outfile, false, &none);
}

static bool
write_file(const struct history *h, const struct format *format,
           const char *path, struct err *err)
{
    struct outfile o;
    if (!outfile_open(&o, path, err))
        return false;
    struct output out = {path, o.file};
    context_defer(abandon, &o);
    const bool ok = format->write(h, &out, err);
    context_undefer();
    return outfile_close(&o, ok, err);
}

void
format_discard(const char *path)
{
    outfile_discard(path);
}

/* A truncated recording matters only if it has reads without a writer, or
 * nothing at all: then no level is known to hold. */
static bool
keeps_cut(const struct history *h, const struct format *format, struct err *err)
{
    flaw_vec none = {0};
    const bool is_empty = h->is_cut && !h->n_txns;
    const bool matters = !(format->keeps & KEEPS_CUT) &&
                         (is_empty || history_lost_reads(h, 0, &none));
    vec_free(&none);
    return !matters ||
           err_set(err, ERR_FEATURE,
                   "format '%s' cannot mark the recording as truncated, "
                   "and the history has %s",
                   format->name,
                   is_empty ? "no transaction"
                            : "reads that no transaction served");
}

/* By its number: <stdio.h>'s stdout belongs to the program. */
static bool
write_stdout(const struct history *h, const struct format *format,
             struct err *err)
{
    const int fd = dup(STDOUT_FILENO);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file) {
        err_set(err, ERR_IO, "cannot write: %s", strerror(errno));
        if (fd >= 0)
            close(fd);
        return false;
    }
    bool ok = format->write(h, &(struct output){NULL, file}, err);
    if (fclose(file) != 0 && ok)
        ok = err_set(err, ERR_IO, "cannot write: %s", strerror(errno));
    return ok;
}

bool
format_write(const struct history *h, const struct format *format,
             const char *path, struct err *err)
{
    if (!format->write)
        return err_set(err, ERR_FEATURE, "format '%s' can only be read",
                       format->name);
    if ((h->rows || h->key_rows) && !(format->keeps & KEEPS_ROWS))
        return err_set(err, ERR_FEATURE,
                       "format '%s' cannot be written with rows, and the "
                       "history has some",
                       format->name);
    if (h->txn_partial && !(format->keeps & KEEPS_PARTIAL))
        return err_set(err, ERR_FEATURE,
                       "format '%s' cannot mark transactions as recorded in "
                       "part, and the history has some",
                       format->name);
    if (!format->holds(h, err) || !keeps_cut(h, format, err))
        return false;
    const bool is_stdout = strcmp(path, "-") == 0;
    bool ok;
    if (format->writes_directory) {
        struct output out = {path, NULL};
        ok = is_stdout ? err_set(err, ERR_USAGE,
                                 "format '%s' is a directory and cannot go "
                                 "to stdout",
                                 format->name)
                       : format->write(h, &out, err);
    } else if (is_stdout) {
        ok = write_stdout(h, format, err);
    } else {
        ok = write_file(h, format, path, err);
    }
    return ok || err_in_file(err, is_stdout ? "stdout" : path);
}

static bool
refuse(const struct history *h, const struct format *format, const char *what,
       struct atom a, struct err *err)
{
    struct buf name = {0};
    atom_show(&h->strings, a, &name);
    err_set(err, ERR_FEATURE,
            "format '%s' %s, and %s %s is %s "
            "(--renumber replaces keys and values by numbers)",
            format->name,
            atom_is_u64(a) ? "writes the initial value as 0"
                           : "holds unsigned integers only",
            what, name.at, atom_is_u64(a) ? "another" : "none");
    buf_free(&name);
    return false;
}

bool
format_needs_integers(const struct history *h, const struct format *format,
                      struct err *err)
{
    if (h->key_is_list)
        return err_set(err, ERR_FEATURE, "format '%s' has no lists",
                       format->name);
    for (key_id k = 0; k < h->n_keys; k++)
        if (!atom_is_u64(history_key_atom(h, k)))
            return refuse(h, format, "key", history_key_atom(h, k), err);
    for (value_id v = 1; v < h->n_values; v++) {
        const struct atom a = history_value_atom(h, v);
        if (atom_equal(a, h->initial))
            continue; // a transaction wrote the initial value
        if (!atom_is_u64(a) || (a.bits == 0 && format->initial == ATOM_INT))
            return refuse(h, format, "value", a, err);
    }
    return true;
}
