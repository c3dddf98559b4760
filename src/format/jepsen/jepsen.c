/* jepsen.c -- from a log of invocations and completions to transactions.
 *
 * A process is a session.  It invokes a transaction and then completes it:
 * 'ok' is committed, 'fail' is aborted, 'info' is indeterminate, and so is a
 * transaction that never completes.  The operations are taken from the
 * completion, because only that shows what the reads saw.  An aborted or
 * indeterminate completion may lack some or all of them; then the invocation
 * is read again for the writes: only the place of the invocation is kept.
 *
 * Real time is the order of the log.  The times of a transaction are the
 * numbers of its two entries; an indeterminate transaction never ends.
 *
 * Two kinds of logs contain less.  A log without any invocation is read as a
 * list of outcomes without times.  If a log names no process, as in
 * hand-written examples, each invocation and its completion form a session;
 * mixtures are errors.
 *
 *   (1) processes[i].invoked is not NULL exactly while a transaction of that
 *       process is open, and it is the process's latest;
 *   (2) the builder gets a process's transactions in the order of the log,
 *       since one must end (1) before the next begins;
 *   (3) of has_invocation and 'orphan' at most one is set.
 *
 * SPDX-License-Identifier: MIT */
#include "format/jepsen/jepsen.h"

#include "base/json.h"
#include "format/jepsen/jepsen_ops.h"
#include "format/jepsen/jepsen_plain.h"

#include <inttypes.h>

enum { BYTES_PER_OP = 40 }; // roughly, in a large file, with invocations

struct process {
    struct atom name;
    session_id session;  // ID_NONE before its first transaction
    bool skips;          // the open operation is no transaction
    const char *invoked; // (1)
    int64_t began;       // number of the invocation's entry
    uint64_t writes;     // a hash of the writes in the invocation
    txn_id txn;          // the open transaction
};

struct reader {
    struct jepsen_log log;
    const struct jepsen_notation *notation;
    struct builder *b;
    struct forms forms, again;
    struct intmap process_index;
    VEC(struct process) processes;
    struct process unnamed; // used if the log names no process
    int64_t n_unnamed;
    bool has_invocation;
    const char *orphan; // the first completion without an invocation
    struct jepsen_ops ops;
    struct buf meta;
    const char *first;  // entry of the log
    bool is_done;       // the log has ended
    struct buf skipped; // what the first operation was that was skipped
    uint64_t n_skipped;
};

/* --- processes ----------------------------------------------------------- */

/* The process of an entry; NULL if it is not a client. */
static bool
find_process(struct reader *r, const struct jepsen_entry *e,
             struct process **out)
{
    const uint32_t i = e->known[KEY_PROCESS];
    const struct form *form = &e->f->at[i];
    const bool is_unnamed = !i || form->kind == FORM_NIL;
    *out = NULL;
    if (!is_unnamed && form->kind == FORM_NUMBER)
        return form_unexpected(&r->log.s, e->f, i,
                               "a process, an integer of 64 bits");
    if (!is_unnamed && form->kind != FORM_INTEGER)
        return true;
    if (is_unnamed ? r->processes.n : (size_t)r->n_unnamed)
        return scan_fail(&r->log.s, e->at, ERR_SYNTAX,
                         is_unnamed ? "an operation without 'process', "
                                      "expected one as in those before it"
                                    : "an operation with 'process', "
                                      "expected none as in those before it");
    if (is_unnamed) {
        // A session begins with an invocation, or with a lone completion.
        if (!r->unnamed.invoked) {
            r->unnamed.name = atom_int(r->n_unnamed++);
            r->unnamed.session = ID_NONE;
        }
        *out = &r->unnamed;
        return true;
    }
    if (form->atom.tag != ATOM_INT)
        return form_unexpected(&r->log.s, e->f, i, "a process below 2^63");
    bool added;
    const uint32_t at = intmap_add(&r->process_index, form->atom.bits,
                                   (uint32_t)r->processes.n, &added);
    if (added) {
        const uint32_t name = e->known[KEY_SESSION];
        vec_push(&r->processes,
                 ((struct process){.name = name ? form_atom(e->f, name, r->b)
                                                : form->atom,
                                   .session = ID_NONE}));
    }
    *out = &r->processes.at[at];
    return true;
}

/* --- transactions -------------------------------------------------------- */

static bool
is_log_of_txns(const struct reader *r)
{
    return r->ops.workload.kind == JEPSEN_TXN;
}

static bool
hash_writes(struct reader *r, const struct jepsen_entry *e, uint64_t *hash)
{
    return is_log_of_txns(r) ? jepsen_mops_hash(&r->ops, e, hash)
                             : jepsen_rows_hash(&r->ops, e, hash);
}

static bool
refuse_writes(struct reader *r, const struct jepsen_entry *e,
              const struct process *p, enum jepsen_entry_type type)
{
    uint64_t line, column;
    input_position(r->log.s.in, (size_t)(p->invoked - r->log.s.in->data), &line,
                   &column);
    return scan_fail(&r->log.s, e->at, ERR_SYNTAX,
                     "%s operation with other writes, expected those of "
                     "its invocation at %" PRIu64 ":%" PRIu64,
                     type == TYPE_OK     ? "an ok"
                     : type == TYPE_FAIL ? "a failed"
                                         : "an info",
                     line, column);
}

/* Check that an 'ok' operation has the writes of its invocation. */
static bool
check_writes(struct reader *r, const struct jepsen_entry *e,
             const struct process *p)
{
    uint64_t hash;
    return hash_writes(r, e, &hash) &&
           (hash == p->writes || refuse_writes(r, e, p, TYPE_OK));
}

/* Keep the entries with unknown keys as meta data, for the explanation. */
static void
keep_meta(struct reader *r, const struct jepsen_entry *e, txn_id t)
{
    if (!e->n_extra)
        return;
    buf_clear(&r->meta);
    jepsen_entry_show_extra(e, &r->meta);
    builder_meta(r->b, t, r->meta.at, r->meta.n);
}

/* Begin the session of p.  A first transaction that only writes initial values
 * would be taken for the loading of the database, which an operation of a
 * register never is: such a one gets an empty transaction before it. */
static bool
begin_session(struct reader *r, const struct jepsen_entry *e, struct process *p)
{
    p->session = builder_session(r->b, p->name);
    if (is_log_of_txns(r) || !jepsen_rows_resets(&r->ops, e))
        return true;
    return builder_txn(r->b, p->session, &p->txn, r->log.s.err);
}

/* Begin a transaction of p.  What its completion lacks stays as it is here. */
static bool
begin_txn(struct reader *r, const struct jepsen_entry *e, struct process *p)
{
    if (p->session == ID_NONE && !begin_session(r, e, p))
        return scan_locate(&r->log.s, e->at);
    if (!builder_txn(r->b, p->session, &p->txn, r->log.s.err))
        return scan_locate(&r->log.s, e->at);
    builder_place(r->b, p->txn, scan_offset(&r->log.s, e->at));
    builder_status(r->b, p->txn, TXN_INDETERMINATE);
    return true;
}

/* End it with the contents of the entry.  'mops' is the entry with the
 * micro-operations, which may be the invocation. */
static bool
end_txn(struct reader *r, struct jepsen_entry *e, struct process *p,
        const struct jepsen_entry *mops, enum jepsen_entry_type type)
{
    const uint32_t id = e->known[KEY_TXN_ID], index = e->known[KEY_INDEX];
    if (id && index)
        e->extra[e->n_extra++] = index - 1; // its key, which is one scalar
    if (id || index)
        builder_name(r->b, p->txn, form_atom(e->f, id ? id : index, r->b));
    keep_meta(r, e, p->txn);
    const bool is_known = type == TYPE_OK || type == TYPE_FAIL;
    if (is_known)
        builder_status(r->b, p->txn,
                       type == TYPE_OK ? TXN_COMMITTED : TXN_ABORTED);
    if (p->invoked)
        builder_times(r->b, p->txn, p->began, is_known ? r->log.n : INT64_MAX);
    p->invoked = NULL;
    return is_log_of_txns(r) ? jepsen_mops_add(&r->ops, mops, type, p->txn)
                             : jepsen_rows_add(&r->ops, mops, type, p->txn);
}

/* Whether an entry is a transaction in a log that has some. */
static bool
is_txn(const struct jepsen_entry *e)
{
    const uint32_t v = e->known[KEY_VALUE];
    return jepsen_entry_is_txn(e) ||
           (v && e->f->at[v].kind == FORM_VECTOR && e->f->at[v].size == 1);
}

/* Skip an operation that is no transaction. */
static void
skip(struct reader *r, const struct jepsen_entry *e)
{
    if (r->n_skipped++)
        return;
    uint64_t line, column;
    input_position(r->log.s.in, (size_t)(e->at - r->log.s.in->data), &line,
                   &column);
    const struct span f = jepsen_entry_f(e);
    struct buf name = {0};
    buf_add(&name, f.at, f.n);
    buf_char(&r->skipped, '\'');
    buf_shown(&r->skipped, name.at);
    buf_printf(&r->skipped, "' at %" PRIu64 ":%" PRIu64, line, column);
    buf_free(&name);
}

static bool
invoke(struct reader *r, const struct jepsen_entry *e, struct process *p)
{
    if (r->orphan)
        return scan_fail(&r->log.s, r->orphan, ERR_SYNTAX,
                         "a completion without an invocation before it");
    if (p->invoked) {
        uint64_t line, column;
        input_position(r->log.s.in, (size_t)(p->invoked - r->log.s.in->data),
                       &line, &column);
        return scan_fail(&r->log.s, e->at, ERR_SYNTAX,
                         "an invocation, expected the completion of the one "
                         "at %" PRIu64 ":%" PRIu64,
                         line, column);
    }
    r->has_invocation = true;
    p->invoked = e->at;
    p->began = r->log.n;
    p->skips = is_log_of_txns(r) && !is_txn(e);
    if (p->skips) {
        skip(r, e);
        return true;
    }
    return (!is_log_of_txns(r) || jepsen_entry_needs_mops(e, &r->log.s)) &&
           hash_writes(r, e, &p->writes) && begin_txn(r, e, p);
}

/* Read the entry at 'at' again. */
static bool
read_again(struct reader *r, const char *at, struct jepsen_entry *e)
{
    const char *behind = r->log.s.at;
    r->log.s.at = at;
    const bool ok = r->notation->again(&r->log.s, &r->again) &&
                    jepsen_entry_read(e, &r->log.s, &r->again);
    r->log.s.at = behind;
    return ok;
}

/* Whether a completion says itself what was done. */
static bool
has_ops(const struct reader *r, const struct jepsen_entry *e,
        enum jepsen_entry_type type)
{
    return is_log_of_txns(r) ? jepsen_entry_has_mops(e)
                             : type == TYPE_OK && jepsen_rows_has_value(e);
}

/* The completion of an operation that is skipped. */
static bool
complete_skipped(struct reader *r, const struct jepsen_entry *e,
                 struct process *p, bool is_ok)
{
    p->invoked = NULL;
    p->skips = false;
    return !(is_ok && e->known[KEY_F] && jepsen_entry_is_txn(e)) ||
           scan_fail(&r->log.s, e->at, ERR_SYNTAX,
                     "an ok operation with micro-operations, but its "
                     "invocation has none");
}

/* End a transaction, aborted or indeterminate, whose completion has
 * micro-operations.  Where they are fewer than those of the invocation, the
 * invocation determines the rest: the database may have been sent all of them.
 */
static bool
end_in_part(struct reader *r, struct jepsen_entry *e, struct process *p,
            enum jepsen_entry_type type)
{
    uint64_t hash, first;
    if (!hash_writes(r, e, &hash))
        return false;
    if (hash == p->writes)
        return end_txn(r, e, p, e, type);
    struct jepsen_entry invocation;
    if (!read_again(r, p->invoked, &invocation))
        return false;
    const uint32_t n = jepsen_mops_count(e);
    if (n >= jepsen_mops_count(&invocation))
        return refuse_writes(r, e, p, type);
    if (!jepsen_mops_hash_first(&r->ops, &invocation, n, &first))
        return false;
    if (hash != first)
        return end_txn(r, e, p, &invocation, type);
    return end_txn(r, e, p, e, type) &&
           jepsen_mops_add_from(&r->ops, &invocation, n, type, p->txn);
}

static bool
complete(struct reader *r, struct jepsen_entry *e, struct process *p,
         enum jepsen_entry_type type)
{
    const bool is_orphan = !p->invoked;
    if (is_orphan && r->has_invocation)
        return scan_fail(&r->log.s, e->at, ERR_SYNTAX,
                         "a completion without an invocation before it");
    if (is_orphan && !r->orphan)
        r->orphan = e->at;
    if (p->skips)
        return complete_skipped(r, e, p, type == TYPE_OK);
    if (is_orphan && is_log_of_txns(r) && !is_txn(e)) {
        skip(r, e);
        return true;
    }
    if (is_log_of_txns(r) && (type == TYPE_OK || is_orphan) &&
        !jepsen_entry_needs_mops(e, &r->log.s))
        return false;
    if (is_orphan && !begin_txn(r, e, p))
        return false;
    const struct process before = *p;
    if (!is_orphan && type != TYPE_OK && has_ops(r, e, type))
        return end_in_part(r, e, p, type);
    if (is_orphan || has_ops(r, e, type))
        return end_txn(r, e, p, e, type) &&
               (is_orphan || type != TYPE_OK || check_writes(r, e, &before));
    struct jepsen_entry invocation;
    return read_again(r, p->invoked, &invocation) &&
           end_txn(r, e, p, &invocation, type);
}

/* A transaction that is still open at the end of the log. */
static bool
leave_open(struct reader *r, struct process *p)
{
    struct jepsen_entry e;
    return !p->invoked || p->skips ||
           (read_again(r, p->invoked, &e) && end_txn(r, &e, p, &e, TYPE_INFO));
}

/* --- the log ------------------------------------------------------------- */

/* The first operation of a client decides whether this is a log of
 * transactions. If it does not, the whole log does. */
static bool
find_workload(struct reader *r, const struct jepsen_entry *e)
{
    struct jepsen_workload *w = &r->ops.workload;
    if (w->kind == JEPSEN_UNKNOWN && jepsen_entry_is_txn(e))
        w->kind = JEPSEN_TXN;
    return w->kind != JEPSEN_UNKNOWN ||
           jepsen_workload_find(r->notation, r->log.s.in, r->b, w,
                                r->log.s.err);
}

/* Whether an entry, which is not of a client, has the rows of the beginning. */
static bool
is_initial(const struct jepsen_entry *e)
{
    const uint32_t i = e->known[KEY_PROCESS];
    return i && jepsen_entry_is_word(&e->f->at[i]) &&
           span_is(e->f->at[i].text, JEPSEN_INITIAL);
}

static bool
take_initial(struct reader *r, const struct jepsen_entry *e)
{
    if (r->processes.n || r->n_unnamed)
        return scan_fail(&r->log.s, e->at, ERR_SYNTAX,
                         "the rows of the beginning, expected before the "
                         "first operation");
    return jepsen_mops_initial(&r->ops, e);
}

/* Whether an entry is of a client although its process is no integer: it has
 * micro-operations, or a number in quotes as its process.  What a nemesis does
 * is 'info'. */
static bool
is_of_client(const struct jepsen_entry *e)
{
    const struct span name = e->f->at[e->known[KEY_PROCESS]].text;
    const uint32_t type = e->known[KEY_TYPE];
    size_t digits = 0;
    while (digits < name.n && name.at[digits] >= '0' && name.at[digits] <= '9')
        digits++;
    return type && !span_is(e->f->at[type].text, "info") &&
           ((jepsen_entry_is_txn(e) && jepsen_entry_has_mops(e)) ||
            (name.n && digits == name.n));
}

/* An entry that is not of a client says nothing, but for the rows of the
 * beginning. */
static bool
take_other(struct reader *r, const struct jepsen_entry *e)
{
    if (is_initial(e))
        return take_initial(r, e);
    return !is_of_client(e) ||
           form_unexpected(&r->log.s, e->f, e->known[KEY_PROCESS],
                           "an integer, as every process of a client");
}

static bool
take_entry(struct reader *r)
{
    struct jepsen_entry e;
    struct process *p;
    enum jepsen_entry_type type;
    if (!jepsen_entry_read(&e, &r->log.s, &r->forms) ||
        !find_process(r, &e, &p))
        return false;
    if (!p)
        return take_other(r, &e);
    if (!jepsen_entry_type(&e, &r->log.s, &type) || !find_workload(r, &e))
        return false;
    return type == TYPE_INVOKE ? invoke(r, &e, p) : complete(r, &e, p, type);
}

/* Read the next entry, or the end of the log. */
static bool
read_next(void *self)
{
    struct reader *r = self;
    bool found;
    if (!r->notation->next(&r->log, &r->forms, &found))
        return false;
    r->is_done = !found;
    if (!found)
        return true;
    if (!r->first)
        r->first = r->forms.at[0].at;
    if (!take_entry(r))
        return false;
    r->log.n++;
    return true;
}

/* plain.h: where the next entry begins. */
static const char *
find_next(void *self)
{
    struct reader *r = self;
    return r->is_done ? r->log.s.end : r->notation->find(&r->log);
}

/* Give the builder the fields of an ok completion beside its operations. */
static void
use_completion(struct reader *r, const struct plain_entry *e, struct process *p)
{
    if (e->flags & (1u << KEY_INDEX | 1u << KEY_TXN_ID))
        builder_name(r->b, p->txn, e->name);
    if (e->flags & PLAIN_HAS_TIME) {
        buf_clear(&r->meta);
        json_object(&r->meta, NULL);
        json_i64(&r->meta, "time", e->start);
        json_object_end(&r->meta);
        builder_meta(r->b, p->txn, r->meta.at, r->meta.n);
    }
    builder_status(r->b, p->txn, TXN_COMMITTED);
    builder_times(r->b, p->txn, p->began, r->log.n);
    p->invoked = NULL;
}

/* plain.h: take an entry that the scan has read.  The first one of a log or of
 * a process, and whatever is a mistake, is left to the full reader. */
static bool
use_entry(void *self, const struct plain_entry *e,
          const struct plain_block *found, txn_id *t, bool *used)
{
    (void)found;
    struct reader *r = self;
    const uint32_t at = intmap_find(&r->process_index, e->session.bits);
    *used = false;
    if (at == UINT32_MAX || !is_log_of_txns(r))
        return true;
    struct process *p = &r->processes.at[at];
    if (p->session == ID_NONE || p->skips)
        return true;
    if (e->flags & PLAIN_IS_INVOCATION) {
        if (r->orphan || p->invoked ||
            !builder_txn(r->b, p->session, &p->txn, r->log.s.err))
            return true;
        r->has_invocation = true;
        p->invoked = e->at;
        p->began = r->log.n;
        p->writes = e->hash;
        builder_status(r->b, p->txn, TXN_INDETERMINATE);
    } else {
        if (!p->invoked || e->hash != p->writes)
            return true;
        use_completion(r, e, p);
    }
    *t = p->txn;
    r->log.n++;
    return *used = true;
}

static bool
read_log(struct reader *r, struct input *in)
{
    struct scan *s = &r->log.s;
    const struct plain_reader plain = {.s = s,
                                       .b = r->b,
                                       .self = r,
                                       .scan = r->notation->plain,
                                       .next = find_next,
                                       .read = read_next,
                                       .use = use_entry};
    bool ok = plain_run(&plain, in, s->err);
    while (ok && !r->is_done)
        ok = read_next(r);
    if (!ok)
        return false;
    if (r->first && !r->processes.n && !r->n_unnamed && !r->ops.rows.log)
        return scan_fail(s, r->first, ERR_SYNTAX,
                         "no operation of a client in the log: no 'process' "
                         "is an integer");
    for (size_t i = 0; i < r->processes.n; i++)
        if (!leave_open(r, &r->processes.at[i]))
            return false;
    return leave_open(r, &r->unnamed) && jepsen_mops_end(&r->ops);
}

/* Say what was skipped. */
static void
note_skipped(struct reader *r)
{
    struct buf note = {0};
    if (!r->n_skipped)
        return;
    if (r->n_skipped == 1)
        buf_printf(&note,
                   "1 operation is no transaction and was skipped, as if it "
                   "wrote nothing that was read: %s",
                   r->skipped.at);
    else
        buf_printf(&note,
                   "%" PRIu64 " operations are no transactions and were "
                   "skipped, as if they wrote nothing that was read; the "
                   "first is %s",
                   r->n_skipped, r->skipped.at);
    builder_skipped(r->b, r->n_skipped);
    builder_note(r->b, note.at);
    buf_free(&note);
}

bool
jepsen_read(struct input *in, const struct jepsen_notation *notation,
            struct builder *b, struct err *err)
{
    if (in->is_directory)
        return err_set(err, ERR_SYNTAX, "a directory, expected a file");
    struct reader r = {.notation = notation, .b = b};
    r.ops.s = &r.log.s;
    r.ops.b = b;
    r.ops.rows.s = &r.log.s;
    r.ops.rows.b = b;
    scan_init(&r.log.s, in, err);
    builder_expect(b, in->size / BYTES_PER_OP);
    const bool ok = read_log(&r, in);
    note_skipped(&r);
    forms_free(&r.forms);
    forms_free(&r.again);
    intmap_free(&r.process_index);
    vec_free(&r.processes);
    jepsen_workload_free(&r.ops.workload);
    row_reader_free(&r.ops.rows);
    vec_free(&r.ops.elements);
    buf_free(&r.ops.text);
    buf_free(&r.skipped);
    buf_free(&r.meta);
    scan_free(&r.log.s);
    return ok;
}
