/* read_text.c -- lines of 'text' (doc/formats/text.md), one at a time.
 *
 * The full reader takes the lines of a transaction wherever they are.  To know
 * that a transaction is complete, a stream needs its lines together, and the
 * numbers of a session's transactions have to rise: so a transaction that goes
 * on later is noticed.
 *
 * SPDX-License-Identifier: MIT */
#include "stream/input/reader_internal.h"

#include "format/readers.h"

#define LINE "r or w and (key,value,session,transaction)"

/* A line that was parsed. */
struct text_op {
    bool is_write;
    uint64_t key, value, session;
    int64_t txn;
};

/* Parse digits at *at; false where there are none or too many. */
static bool
take_number(const char **at, const char *end, uint64_t *out)
{
    const char *from = *at;
    uint64_t x = 0;
    for (; *at < end && (unsigned)(**at - '0') < 10; ++*at) {
        const uint64_t digit = (uint64_t)(**at - '0');
        if (x > (UINT64_MAX - digit) / 10)
            return false;
        x = 10 * x + digit;
    }
    *out = x;
    return *at > from;
}

static bool
take_char(const char **at, const char *end, char c)
{
    if (*at == end || **at != c)
        return false;
    ++*at;
    return true;
}

static bool
take_txn(const char **at, const char *end, int64_t *out)
{
    uint64_t x;
    const bool is_negative = take_char(at, end, '-');
    if (!take_number(at, end, &x) || x > INT64_MAX)
        return false;
    *out = is_negative ? -(int64_t)x : (int64_t)x;
    return true;
}

static bool
parse(const char **at, const char *end, struct text_op *op)
{
    op->is_write = *at < end && **at == 'w';
    return (take_char(at, end, 'r') || take_char(at, end, 'w')) &&
           take_char(at, end, '(') && take_number(at, end, &op->key) &&
           take_char(at, end, ',') && take_number(at, end, &op->value) &&
           take_char(at, end, ',') && take_number(at, end, &op->session) &&
           take_char(at, end, ',') && take_txn(at, end, &op->txn) &&
           take_char(at, end, ')') && *at == end;
}

/* Hand over the transaction whose lines have ended. */
static void
end_open(struct stream_reader *r, struct shard *s)
{
    if (!s->is_open)
        return;
    s->is_open = false;
    struct stream_txn *t = reader_begin(r, s->session, NULL, 0);
    t->status = s->number == -1 ? TXN_ABORTED : TXN_COMMITTED;
    t->name = atom_int(s->number);
    reader_hand_over(r, s, t);
}

static bool
begin(struct stream_reader *r, struct shard *s, const struct text_op *op,
      struct err *err)
{
    uint32_t session;
    end_open(r, s);
    if (!reader_session(r, s, atom_uint(op->session), &session, err))
        return false;
    struct reader_session *of = &r->sessions.at[session];
    if (op->txn != -1 && op->txn <= of->last)
        return err_set(err, ERR_FEATURE,
                       "transaction %lld of session %llu comes after %lld; to "
                       "be streamed, the lines of a transaction must be "
                       "together, and its number higher than those before it "
                       "in the session",
                       (long long)op->txn, (unsigned long long)op->session,
                       (long long)of->last);
    if (op->txn != -1)
        of->last = op->txn;
    s->is_open = true;
    s->session = session;
    s->number = op->txn;
    vec_clear(&r->ops);
    return true;
}

static bool
is_of_open(const struct stream_reader *r, const struct shard *s,
           const struct text_op *op)
{
    return s->is_open && s->number == op->txn &&
           atom_equal(atoms_get(&r->names->sessions.all, s->session),
                      atom_uint(op->session));
}

static bool
text_line(struct stream_reader *r, struct shard *s, const char *line, size_t n,
          struct err *err)
{
    const char *at = line, *end = line + n;
    struct text_op op;
    if (n && end[-1] == '\r')
        end--;
    if (at == end)
        return true;
    if (!parse(&at, end, &op)) {
        char found[ERR_QUOTE_ROOM];
        err_set(err, ERR_SYNTAX, "found '%s', expected " LINE,
                err_quote(found, sizeof found, line, n));
        return err_at_line(err, s->lines.number, (uint64_t)(at - line) + 1);
    }
    if (!is_of_open(r, s, &op) && !begin(r, s, &op, err))
        return false;
    const uint32_t key = name_number(&r->names->keys, atom_uint(op.key));
    const struct atom value = atom_uint(op.value);
    vec_push(&r->ops, ((struct stream_op){.key = key,
                                          .value = value.bits,
                                          .tag = (uint8_t)value.tag,
                                          .is_write = op.is_write}));
    return true;
}

static bool
text_end(struct stream_reader *r, struct shard *s, struct err *err)
{
    (void)err;
    end_open(r, s);
    return true;
}

const struct notation notation_text = {.format = &format_text,
                                       .initial = {0, ATOM_INT},
                                       .line = text_line,
                                       .end = text_end};
