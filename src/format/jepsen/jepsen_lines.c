/* jepsen_lines.c -- Jepsen's logs in lines: history.txt, and its console log.
 *
 *     0\t:invoke\t:write\t3
 *     :nemesis\t:info\t:start\tnil
 *     0\t:info\t:write\t3\t:timeout
 *
 * The fields are the process, the type, 'f', the value in EDN, and an error,
 * which may be any text.  In a console log other words stand before the
 * process, and other lines between the operations; Porcupine's examples are
 * of this kind.
 *
 * A line is an operation if it has a type after a process.  Other lines are
 * skipped, as they belong to errors or to the rest of a console log, unless
 * they begin with an integer and a tab: then they are mistakes.  A last line
 * that ends with a number or a word needs its line end: without one the value
 * may be the beginning of another.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "format/jepsen/jepsen.h"
#include "format/readers.h"

enum { SNIFF_BYTES = 1 << 16 }; // that are looked at to recognise a log

/* A line that is an operation. */
struct line {
    const char *process, *type, *end; // its fields; the end of the line
};

static const char *
end_of_line(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline : end;
}

static bool
is_blank(char c)
{
    return c == '\t' || c == ' ';
}

/* The type at 'at', between blanks: its end, or NULL. */
static const char *
pass_type(const char *at, const char *end)
{
    static const char *const types[] = {":invoke", ":ok", ":fail", ":info"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const size_t n = strlen(types[i]);
        if ((size_t)(end - at) > n && memcmp(at, types[i], n) == 0 &&
            is_blank(at[n]))
            return at + n;
    }
    return NULL;
}

/* Find the type, and the process before it: an integer or a keyword. */
static bool
find_fields(const char *at, const char *end, struct line *out)
{
    const char *type = at;
    while ((type = memchr(type, ':', (size_t)(end - type))) &&
           (type == at || !is_blank(type[-1]) || !pass_type(type, end)))
        type++;
    if (!type)
        return false;
    const char *last = type;
    while (last > at && is_blank(last[-1]))
        last--;
    *out = (struct line){last, type, end};
    while (out->process > at && !is_blank(out->process[-1]))
        out->process--;
    const char *digit = out->process;
    while (digit < last && is_digit(*digit))
        digit++;
    return out->process < last && (digit == last || *out->process == ':');
}

/* Whether the line begins with an integer and a tab. */
static bool
begins_like_one(const char *at, const char *end)
{
    const char *p = at;
    while (p < end && is_digit(*p))
        p++;
    return p > at && p < end && *p == '\t';
}

/* Read the operation of a line into f.  Only that of a client is read whole:
 * what the nemesis writes need not be EDN. */
static bool
read_line(struct scan *s, const struct line *line, struct forms *f)
{
    const char *end = s->end;
    s->at = line->process;
    s->end = line->end;
    bool ok = form_begin_edn_map(s, f) && form_add_edn_entry(s, f, "process") &&
              form_add_edn_entry(s, f, "type");
    if (ok && is_digit(*line->process))
        ok = form_add_edn_entry(s, f, "f") && form_add_edn_entry(s, f, "value");
    if (ok && is_digit(*line->process) && s->at < s->end && *s->at != '\t' &&
        *s->at != '\r')
        ok = scan_unexpected(s, s->at, "a tab or the end of the line");
    // A number or a word does not show whether it is whole.
    if (ok && is_digit(*line->process) && s->at == end &&
        !memchr("])}\"", end[-1], 4))
        ok = scan_fail(s, end, ERR_SYNTAX,
                       "the last line ends with its value, expected a line "
                       "end after it: the value may have been cut");
    s->at = line->end;
    s->end = end;
    return ok;
}

static bool
next_entry(struct jepsen_log *log, struct forms *f, bool *found)
{
    struct scan *s = &log->s;
    struct line line;
    for (;;) {
        *found = s->at < s->end;
        if (!*found)
            return true;
        const char *end = end_of_line(s->at, s->end);
        if (find_fields(s->at, end, &line))
            return read_line(s, &line, f);
        if (begins_like_one(s->at, end))
            return scan_unexpected(
                s, (char *)memchr(s->at, '\t', (size_t)(end - s->at)) + 1,
                ":invoke, :ok, :fail or :info, and a tab");
        s->at = end + (end < s->end);
    }
}

static const char *
find_entry(const struct jepsen_log *log)
{
    return log->s.at;
}

static bool
read_again(struct scan *s, struct forms *f)
{
    struct line line;
    return find_fields(s->at, end_of_line(s->at, s->end), &line) &&
           read_line(s, &line, f);
}

/* plain.h: nothing here is worth a second reader. */
static bool
scan_nothing(struct plain_block *found, struct plain_entry *e)
{
    (void)found;
    (void)e;
    return false;
}

static bool
jepsen_lines_read(struct input *in, struct builder *b, struct err *err)
{
    static const struct jepsen_notation lines = {next_entry, find_entry,
                                                 scan_nothing, read_again};
    return jepsen_read(in, &lines, b, err);
}

static int
jepsen_lines_sniff(const struct input *in)
{
    struct line line;
    if (in->is_directory)
        return input_holds(in, "history.txt") ? 97 : 0;
    if (!in->size || memchr("{[(#", in->data[0], 4))
        return 0; // in the other notations
    const size_t size = in->size < SNIFF_BYTES ? in->size : SNIFF_BYTES;
    const char *end = in->data + size;
    if (find_fields(in->data, end_of_line(in->data, end), &line))
        return 95;
    // A console log begins with other lines.
    return memmem(in->data, size, "\t:invoke\t", 9) ? 60 : 0;
}

const struct format format_jepsen = {
    .name = "jepsen",
    .suffix = ".txt",
    .help = "Jepsen's log of operations in lines, as in history.txt",
    .initial = ATOM_NIL,
    .sniff = jepsen_lines_sniff,
    .read = jepsen_lines_read,
};
