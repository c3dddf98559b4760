/* jepsen_workload.c -- see jepsen_workload.h.
 *
 * Nothing in a log names its workload, so the log is read twice: first to see
 * which words its operations have as 'f', and what their values look like.
 * Logs of transactions are recognised by their first operation and do not come
 * here.
 *
 * SPDX-License-Identifier: MIT */
#include "format/jepsen/jepsen_workload.h"

// clang-format off
enum word {
    F_READ = 1 << 0, F_WRITE = 1 << 1, F_CAS = 1 << 2, F_ACQUIRE = 1 << 3,
    F_RELEASE = 1 << 4, F_ADD = 1 << 5, F_TRANSFER = 1 << 6, F_QUEUE = 1 << 7,
    F_GENERATE = 1 << 8, F_INSERT = 1 << 9, F_GET = 1 << 10, F_PUT = 1 << 11,
    F_APPEND = 1 << 12, F_READ_INIT = 1 << 13, F_KAFKA = 1 << 14,
    F_OTHER = 1 << 15,
};

static const struct {
    const char *text;
    enum word word;
} words[] = {
    {"read", F_READ}, {"write", F_WRITE}, {"cas", F_CAS},
    {"acquire", F_ACQUIRE}, {"release", F_RELEASE}, {"add", F_ADD},
    {"transfer", F_TRANSFER}, {"enqueue", F_QUEUE}, {"dequeue", F_QUEUE},
    {"drain", F_QUEUE}, {"generate", F_GENERATE}, {"insert", F_INSERT},
    {"get", F_GET}, {"put", F_PUT}, {"append", F_APPEND},
    {"read-init", F_READ_INIT}, {"send", F_KAFKA}, {"poll", F_KAFKA},
    {"subscribe", F_KAFKA}, {"assign", F_KAFKA},
};

/* Workloads by the words that their logs have: all of 'of', some of 'with'. */
static const struct {
    unsigned of, with;
    enum jepsen_kind kind; // JEPSEN_UNKNOWN: it is refused
    const char *name, *why;
} workloads[] = {
    {F_READ | F_WRITE | F_CAS, F_READ | F_WRITE | F_CAS, JEPSEN_REGISTER,
     "register", NULL},
    {F_GET | F_PUT, F_GET | F_PUT, JEPSEN_STORE, "key-value store", NULL},
    {F_ACQUIRE | F_RELEASE, F_ACQUIRE | F_RELEASE, JEPSEN_MUTEX, "mutex",
     NULL},
    {F_READ | F_ADD, F_ADD, JEPSEN_SET, "set", NULL},
    {F_READ | F_TRANSFER, F_TRANSFER, JEPSEN_UNKNOWN, "bank",
     "its transfers do not say which balances they read and wrote; record "
     "these as transactions, [[:r account balance] [:w account balance]]"},
    {F_GET | F_PUT | F_APPEND, F_APPEND, JEPSEN_UNKNOWN, "key-value store",
     "what is appended to a text cannot be distinguished in what is read"},
    {F_QUEUE, F_QUEUE, JEPSEN_UNKNOWN, "queue",
     "its operations are not reads and writes of rows"},
    {F_GENERATE, F_GENERATE, JEPSEN_UNKNOWN, "unique ids",
     "its operations are not reads and writes of rows"},
    {F_READ | F_INSERT, F_INSERT, JEPSEN_UNKNOWN, "G2",
     "its inserts depend on predicates"},
    {F_READ | F_WRITE | F_READ_INIT, F_READ_INIT, JEPSEN_UNKNOWN, "causal",
     "its reads do not say which write they saw"},
    {F_KAFKA, F_KAFKA, JEPSEN_UNKNOWN, "kafka",
     "its operations are not reads and writes of rows"},
};
// clang-format on

/* What the values of a log look like. */
struct survey {
    unsigned words;
    bool has_txn;
    const char *first; // operation of a client
    // Values that are pairs of a key and a value, that are not, and that are
    // neither because of a collection; 'ok' reads and all others.
    uint64_t paired, plain, collections;
    uint64_t maps;              // that 'ok' reads have read
    uint64_t sets;              // collections that 'ok' reads have read
    uint64_t key_sets;          // pairs of a key and such a collection
    uint64_t reads;             // that are 'ok'
    uint64_t adds, paired_adds; // the second: of a key and an element
};

bool
jepsen_pair(const struct forms *f, uint32_t i, uint32_t *first,
            uint32_t *second)
{
    i = form_untagged(f, i);
    if (f->at[i].kind != FORM_VECTOR || f->at[i].size < 3)
        return false;
    *first = form_first(i);
    *second = form_next(f, *first);
    return *second < form_end(f, i) && form_next(f, *second) == form_end(f, i);
}

struct span
jepsen_entry_f(const struct jepsen_entry *e)
{
    const uint32_t i = e->known[KEY_F];
    return i && jepsen_entry_is_word(&e->f->at[i]) ? e->f->at[i].text
                                                   : (struct span){"", 0};
}

bool
jepsen_entry_is_txn(const struct jepsen_entry *e)
{
    const struct forms *f = e->f;
    const uint32_t v = e->known[KEY_VALUE];
    if (!e->known[KEY_F] || span_is(jepsen_entry_f(e), "txn"))
        return true;
    if (!v || f->at[v].kind != FORM_VECTOR || f->at[v].size == 1)
        return false;
    const uint32_t mop = form_first(v);
    return f->at[mop].kind == FORM_VECTOR && f->at[mop].size > 2 &&
           jepsen_entry_is_word(&f->at[form_first(mop)]);
}

static bool
is_collection(enum form_kind kind)
{
    return kind == FORM_VECTOR || kind == FORM_SET || kind == FORM_MAP;
}

/* Count a value of a register. */
static void
see_register(struct survey *y, const struct forms *f, uint32_t v, bool is_cas)
{
    uint32_t key, value, old, new;
    const bool is_pair = jepsen_pair(f, v, &key, &value);
    if (is_cas && !is_pair)
        return; // a mistake, to be reported when it is read
    if (is_pair && (!is_cas || jepsen_pair(f, value, &old, &new)))
        y->paired++;
    else if (is_cas || !is_collection(f->at[v].kind))
        y->plain++;
    else
        y->collections++;
}

/* Count what a read has read. */
static void
see_read(struct survey *y, const struct forms *f, uint32_t v)
{
    uint32_t key, value;
    const enum form_kind kind = f->at[v].kind;
    y->reads++;
    y->maps += kind == FORM_MAP;
    if (jepsen_pair(f, v, &key, &value) &&
        (f->at[value].kind == FORM_SET || f->at[value].kind == FORM_VECTOR))
        y->key_sets++;
    else
        y->sets += kind == FORM_SET || kind == FORM_VECTOR;
}

static void
see_entry(struct survey *y, const struct jepsen_entry *e,
          enum jepsen_entry_type type)
{
    const struct span name = jepsen_entry_f(e);
    unsigned word = F_OTHER;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (span_is(name, words[i].text))
            word = words[i].word;
    y->words |= word;
    y->has_txn |= jepsen_entry_is_txn(e);
    const uint32_t v = e->known[KEY_VALUE];
    if (!v || type == TYPE_FAIL || type == TYPE_INFO)
        return;
    const uint32_t value = form_untagged(e->f, v);
    uint32_t key, element;
    if (word == F_READ && type == TYPE_OK)
        see_read(y, e->f, value);
    if (word == F_ADD) {
        y->adds++;
        y->paired_adds += jepsen_pair(e->f, value, &key, &element);
    } else if (word == F_READ ? type == TYPE_OK : word != F_OTHER)
        see_register(y, e->f, value, word == F_CAS);
}

/* --- members of sets ----------------------------------------------------- */

/* Note an element that an entry adds. */
static bool
see_member(struct jepsen_members *m, const struct jepsen_entry *e,
           bool is_keyed, struct scan *s, struct builder *b)
{
    uint32_t key = 0, element, v = e->known[KEY_VALUE];
    v = v ? form_untagged(e->f, v) : 0;
    if (!v)
        return scan_fail(s, e->at, ERR_SYNTAX, "an operation without 'value'");
    if (is_keyed && !jepsen_pair(e->f, v, &key, &element))
        return form_unexpected(s, e->f, v, "a key and an element, [key value]");
    if (!is_keyed && e->f->at[v].kind == FORM_NIL)
        return form_unexpected(s, e->f, v, "an element of a set");
    const struct atom row = form_atom(e->f, v, b);
    const struct atom set = is_keyed ? form_atom(e->f, key, b) : atom_nil();
    bool added;
    const uint32_t group = intmap_add(&m->group_index[set.tag], set.bits,
                                      (uint32_t)m->groups.n, &added);
    if (added)
        vec_push(&m->groups, ((u32_vec){0}));
    const uint32_t i = intmap_add(&m->row_index[row.tag], row.bits,
                                  (uint32_t)m->all.n, &added);
    if (added) {
        vec_push(&m->all, ((struct jepsen_member){row, group, 0}));
        vec_push(&m->groups.at[group], i);
    }
    return true;
}

/* --- the log ------------------------------------------------------------- */

/* The first pass ('members' is NULL) or the second, for sets. */
static bool
survey_log(const struct jepsen_notation *notation, const struct input *in,
           struct builder *b, struct survey *y, struct jepsen_workload *w,
           struct err *err)
{
    struct jepsen_log log = {0};
    struct forms forms = {0};
    struct jepsen_entry e;
    enum jepsen_entry_type type;
    bool found = true, ok = true;
    scan_init(&log.s, in, err);
    while (ok && found) {
        ok = notation->next(&log, &forms, &found);
        if (!ok || !found)
            break;
        ok = jepsen_entry_read(&e, &log.s, &forms) &&
             jepsen_entry_type(&e, &log.s, &type);
        log.n++;
        const uint32_t p = ok ? e.known[KEY_PROCESS] : 0;
        if (!ok || (p && forms.at[p].kind != FORM_INTEGER &&
                    forms.at[p].kind != FORM_NIL))
            continue;
        if (!y->first)
            y->first = e.at;
        if (!w)
            see_entry(y, &e, type);
        else if (span_is(jepsen_entry_f(&e), "add") &&
                 (type == TYPE_INVOKE || type == TYPE_OK))
            ok = see_member(&w->members, &e, w->is_keyed, &log.s, b);
    }
    forms_free(&forms);
    scan_free(&log.s);
    return ok;
}

/* Refuse a log at its first operation. */
static bool
refuse(const struct input *in, const struct survey *y, const char *name,
       const char *why, struct err *err)
{
    struct scan s;
    scan_init(&s, in, err);
    if (name)
        scan_fail(&s, y->first, ERR_FEATURE,
                  "this looks like a Jepsen %s history, which cannot be read: "
                  "%s",
                  name, why);
    else
        scan_fail(&s, y->first, ERR_SYNTAX,
                  "no transactions in the log, expected operations with "
                  "micro-operations, [[f key value] ...]");
    scan_free(&s);
    return false;
}

/* Whether the reads of a log of 'add' and 'read' are of sets. */
static bool
find_set(const struct input *in, const struct survey *y,
         struct jepsen_workload *w, struct err *err)
{
    if (!y->reads)
        return refuse(in, y, "set or counter", "no read in it has completed",
                      err);
    w->is_keyed = y->adds == y->paired_adds;
    if (w->is_keyed ? y->key_sets == y->reads
                    : !y->paired_adds && y->sets + y->key_sets == y->reads)
        return true;
    if (y->paired_adds && y->sets + y->key_sets)
        return refuse(in, y, "set",
                      "of the operations some name a key, and some do not",
                      err);
    return refuse(in, y, "counter",
                  "an 'add' does not say what it read and wrote", err);
}

static bool
find_register(const struct input *in, const struct survey *y,
              struct jepsen_workload *w, struct err *err)
{
    w->is_keyed = y->paired && !y->plain;
    if (!y->collections)
        return true;
    return y->maps ? refuse(in, y, "bank",
                            "it does not say which balances were written", err)
                   : refuse(in, y, "comments or sequential",
                            "its reads do not say which rows were absent", err);
}

bool
jepsen_workload_find(const struct jepsen_notation *notation,
                     const struct input *in, struct builder *b,
                     struct jepsen_workload *out, struct err *err)
{
    struct survey y = {0};
    assert(out->kind == JEPSEN_UNKNOWN);
    if (!survey_log(notation, in, b, &y, NULL, err))
        return false;
    assert(y.first && y.words);
    if (y.has_txn) {
        out->kind = JEPSEN_TXN;
        return true;
    }
    size_t i = 0;
    const size_t n = sizeof workloads / sizeof *workloads;
    while (i < n &&
           (y.words & ~workloads[i].of || !(y.words & workloads[i].with)))
        i++;
    if (i == n)
        return refuse(in, &y, NULL, NULL, err);
    if (workloads[i].kind == JEPSEN_UNKNOWN)
        return refuse(in, &y, workloads[i].name, workloads[i].why, err);
    out->kind = workloads[i].kind;
    if (out->kind == JEPSEN_REGISTER)
        return find_register(in, &y, out, err);
    return out->kind != JEPSEN_SET ||
           (find_set(in, &y, out, err) &&
            survey_log(notation, in, b, &y, out, err));
}

void
jepsen_workload_free(struct jepsen_workload *w)
{
    struct jepsen_members *m = &w->members;
    for (size_t i = 0; i < m->groups.n; i++)
        vec_free(&m->groups.at[i]);
    vec_free(&m->groups);
    vec_free(&m->all);
    for (int tag = 0; tag < ATOM_TAGS; tag++) {
        intmap_free(&m->row_index[tag]);
        intmap_free(&m->group_index[tag]);
    }
}
