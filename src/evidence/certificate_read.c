/* certificate_read.c -- certificates from text; see certificate_io.h.
 *
 * The text may come from anywhere, so nothing in it is believed: every id is
 * checked against the history, and counts are only compared with what is
 * there, never used to reserve memory.
 *
 * SPDX-License-Identifier: MIT */
#include "evidence/certificate_io.h"

#include "evidence/certificate_names.h"

struct reader {
    const struct history *h;
    // Bounds of ids; with other authors a history may have more implied reads,
    // and more appends that nobody sees.
    uint32_t most_ops, most_values;
    const char *at, *end; // what is left
    const char *line, *line_end;
    uint64_t line_number;
    struct certificate *out;
    struct err *err;
};

static bool
wrong(struct reader *r, const char *expected)
{
    char quoted[ERR_QUOTE_ROOM];
    err_set(r->err, ERR_SYNTAX, "expected %s, found '%s'", expected,
            err_quote(quoted, sizeof quoted, r->line,
                      (size_t)(r->line_end - r->line)));
    return err_at_line(r->err, r->line_number, 0);
}

/* --- words ----------------------------------------------------------------*/

static bool
next_line(struct reader *r)
{
    r->line = r->line_end = r->at;
    r->line_number++;
    if (r->at == r->end) {
        err_set(r->err, ERR_SYNTAX, "the certificate ends before 'end'");
        return err_at_line(r->err, r->line_number, 0);
    }
    const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    if (!newline) {
        err_set(r->err, ERR_SYNTAX, "the last line has no end");
        return err_at_line(r->err, r->line_number, 0);
    }
    r->line_end = newline;
    r->at = newline + 1;
    return true;
}

static bool
at_end_of_line(const struct reader *r)
{
    return r->line == r->line_end;
}

/* Take the word, up to a space or the end of the line, if it is this one. */
static bool
take(struct reader *r, const char *word)
{
    const size_t n = strlen(word);
    if ((size_t)(r->line_end - r->line) < n || memcmp(r->line, word, n) != 0)
        return false;
    if (r->line + n == r->line_end) {
        r->line += n;
        return true;
    }
    if (r->line[n] != ' ')
        return false;
    r->line += n + 1;
    return r->line < r->line_end; // no space at the end
}

/* Take one of the n names; its index. */
static bool
take_name(struct reader *r, const char *const *names, size_t n, size_t *index)
{
    for (*index = 0; *index < n; ++*index)
        if (take(r, names[*index]))
            return true;
    return false;
}

/* Take a decimal number that is written in one way only. */
static bool
take_number(struct reader *r, uint64_t *x)
{
    const char *p = r->line;
    *x = 0;
    while (p < r->line_end && *p >= '0' && *p <= '9') {
        if (*x > UINT32_MAX)
            return false;
        *x = *x * 10 + (uint64_t)(*p++ - '0');
    }
    if (p == r->line || (*r->line == '0' && p > r->line + 1))
        return false;
    if (p < r->line_end) {
        if (*p != ' ' || p + 1 == r->line_end)
            return false;
        p++;
    }
    r->line = p;
    return true;
}

enum {
    MAY_BE_NONE = 1,
    MAY_BE_INIT = 2,
    MAY_BE_OPEN = 4,
};

static bool
take_id(struct reader *r, uint32_t bound, int may_be, uint32_t *id)
{
    if (may_be & MAY_BE_NONE && take(r, "-")) {
        *id = ID_NONE;
        return true;
    }
    if (may_be & MAY_BE_INIT && take(r, "init")) {
        *id = TXN_INIT;
        return true;
    }
    if (may_be & MAY_BE_OPEN && take(r, "?")) {
        *id = TXN_OPEN;
        return true;
    }
    uint64_t x;
    if (!take_number(r, &x) || x >= bound)
        return false;
    *id = (uint32_t)x;
    return true;
}

static bool
take_txn(struct reader *r, int may_be, txn_id *t)
{
    return take_id(r, r->h->n_txns, may_be, t);
}

static bool
take_op(struct reader *r, int may_be, op_id *op)
{
    return take_id(r, r->most_ops, may_be, op);
}

/* --- order, flaw, cycle ---------------------------------------------------*/

/* A line "<word> <count>". */
static bool
read_count(struct reader *r, const char *word, uint64_t *count)
{
    return next_line(r) &&
           ((take(r, word) && take_number(r, count) && at_end_of_line(r)) ||
            wrong(r, "a count"));
}

static bool
read_order(struct reader *r)
{
    const bool two_points = level_table[r->out->level].two_points;
    const uint32_t bound = two_points ? 2 * r->h->n_txns : r->h->n_txns;
    uint64_t n = 0;
    if (!read_count(r, "points", &n))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t point;
        if (!next_line(r))
            return false;
        if (!take(r, "point") || !take_id(r, bound, 0, &point) ||
            !at_end_of_line(r))
            return wrong(r, "a point of the order");
        vec_push(&r->out->order, point);
    }
    for (;;) {
        struct choice c;
        if (!next_line(r))
            return false;
        if (take(r, "end"))
            return true;
        if (!take(r, "choice") || !take_op(r, 0, &c.read) ||
            !take_txn(r, MAY_BE_INIT, &c.writer) || !at_end_of_line(r))
            return wrong(r, "a choice or 'end'");
        vec_push(&r->out->choices, c);
    }
}

static bool
take_flaw_kind(struct reader *r, enum flaw_kind *kind)
{
    for (int i = 0; i < FLAW_KINDS; i++)
        if (take(r, flaw_name((enum flaw_kind)i))) {
            *kind = (enum flaw_kind)i;
            return true;
        }
    return false;
}

static bool
read_flaw(struct reader *r)
{
    struct flaw *f = &r->out->flaw;
    if (!next_line(r))
        return false;
    if (!take(r, "flaw") || !take_flaw_kind(r, &f->kind) ||
        !take_txn(r, 0, &f->txn) || !take_op(r, 0, &f->op) ||
        !take_txn(r, MAY_BE_NONE, &f->other) ||
        !take_op(r, MAY_BE_NONE, &f->other_op) ||
        !take_id(r, r->most_values, 0, &f->value) || !at_end_of_line(r))
        return wrong(r, "an inconsistent read");
    return true;
}

static bool
read_edge(struct reader *r, struct cycle *cycle)
{
    struct cycle_edge e = {.path_first = (uint32_t)cycle->path.n};
    size_t kind;
    if (!next_line(r))
        return false;
    if (!take(r, "edge") ||
        !take_name(r, edge_names, LENGTH(edge_names), &kind) ||
        !take_txn(r, MAY_BE_INIT, &e.from) ||
        !take_txn(r, MAY_BE_INIT, &e.to) || !take_op(r, MAY_BE_NONE, &e.read) ||
        !take_op(r, MAY_BE_NONE, &e.premise))
        return wrong(r, "an edge");
    e.kind = (enum edge_kind)kind;
    while (!at_end_of_line(r)) {
        txn_id t;
        if (!take_txn(r, 0, &t))
            return wrong(r, "a transaction of the path");
        vec_push(&cycle->path, t);
    }
    capacity_want(CAPACITY_PATHS, cycle->path.n);
    e.path_n = (uint32_t)cycle->path.n - e.path_first;
    if (!e.path_n)
        e.path_first = 0;
    vec_push(&cycle->edges, e);
    return true;
}

static bool
read_edges(struct reader *r, uint64_t n, struct cycle *cycle)
{
    for (uint64_t i = 0; i < n; i++)
        if (!read_edge(r, cycle))
            return false;
    return true;
}

static bool
read_cycle(struct reader *r)
{
    uint64_t n = 0;
    return read_count(r, "edges", &n) && read_edges(r, n, &r->out->cycle);
}

/* --- proof ----------------------------------------------------------------*/

static bool
take_fact(struct reader *r, const char *prefix, enum fact_kind *kind)
{
    for (size_t i = 0; i < LENGTH(fact_names); i++) {
        char word[32];
        const size_t n = strlen(prefix), m = strlen(fact_names[i]);
        memcpy(word, prefix, n);
        memcpy(word + n, fact_names[i], m + 1);
        if (take(r, word)) {
            *kind = (enum fact_kind)i;
            return true;
        }
    }
    return false;
}

/* The ids of a fact, and the literal that states it. */
static bool
take_ids(struct reader *r, struct proof *p, enum fact_kind kind, proof_lit *l)
{
    uint32_t a, b;
    const bool is_choice = kind == FACT_CHOICE;
    if (!(is_choice ? take_op(r, 0, &a) : take_txn(r, 0, &a)))
        return false;
    if (kind == FACT_COUNTS) {
        *l = proof_counts(p, a);
        return true;
    }
    if (!take_txn(r, is_choice ? MAY_BE_INIT : 0, &b) ||
        (kind == FACT_BEFORE && a >= b))
        return false;
    *l = kind == FACT_BEFORE ? proof_before(p, a, b)
         : is_choice         ? proof_choice(p, a, b)
                             : proof_ahead(p, a, b);
    return true;
}

/* Literals up to the end of the line. */
static bool
read_lits(struct reader *r, struct proof *p)
{
    while (!at_end_of_line(r)) {
        enum fact_kind kind;
        proof_lit l;
        const bool negated = take_fact(r, "not-", &kind);
        if (!negated && !take_fact(r, "", &kind))
            return wrong(r, "a literal");
        if (!take_ids(r, p, kind, &l))
            return wrong(r, "the ids of a fact");
        vec_push(&p->lits, negated ? proof_not(l) : l);
    }
    return true;
}

static bool
read_link(struct reader *r, struct proof *p)
{
    struct proof_edge e;
    size_t kind;
    if (!next_line(r))
        return false;
    if (!take(r, "link") ||
        !take_name(r, edge_names, LENGTH(edge_names), &kind) ||
        !take_txn(r, MAY_BE_INIT, &e.from) || !take_txn(r, 0, &e.to) ||
        !take_op(r, MAY_BE_NONE, &e.read) ||
        !take_txn(r, MAY_BE_NONE | MAY_BE_INIT, &e.writer) ||
        !at_end_of_line(r))
        return wrong(r, "a link of the cycle");
    e.kind = (enum edge_kind)kind;
    vec_push(&p->edges, e);
    return true;
}

static bool
read_strong_cycle(struct reader *r, struct proof *p)
{
    const size_t first = p->edges.n;
    uint64_t n = 0;
    if (!take_number(r, &n) || !at_end_of_line(r))
        return wrong(r, "the length of a cycle");
    for (uint64_t i = 0; i < n; i++)
        if (!read_link(r, p))
            return false;
    proof_add_cycle(p, first);
    return true;
}

static bool
read_weak_cycle(struct reader *r, struct proof *p)
{
    const size_t first = p->lits.n;
    uint64_t n = 0;
    if (!take_number(r, &n))
        return wrong(r, "the length of a cycle");
    if (!read_lits(r, p))
        return false;
    vec_push(&p->cycles, ((struct cycle){0}));
    proof_add_weak_cycle(p, first, (uint32_t)p->cycles.n - 1);
    return read_edges(r, n, &vec_top(&p->cycles));
}

static bool
read_step(struct reader *r, struct proof *p)
{
    op_id read;
    txn_id writer, other;
    if (!next_line(r))
        return false;
    if (take(r, "choices")) {
        if (!take_op(r, 0, &read) || !at_end_of_line(r))
            return wrong(r, "a read");
        proof_add_choices(p, read);
        return true;
    }
    if (take(r, "counts")) {
        if (!take_op(r, 0, &read) || !take_txn(r, 0, &writer) ||
            !at_end_of_line(r))
            return wrong(r, "a read and a transaction");
        proof_add_counts(p, read, writer);
        return true;
    }
    if (take(r, "ahead")) {
        if (!take_op(r, 0, &read) || !take_txn(r, MAY_BE_INIT, &writer) ||
            !take_txn(r, 0, &other) || !at_end_of_line(r))
            return wrong(r, "a read and two transactions");
        proof_add_ahead(p, read, writer, other);
        return true;
    }
    if (take(r, "cycle"))
        return read_strong_cycle(r, p);
    if (take(r, "weak-cycle"))
        return read_weak_cycle(r, p);
    if (take(r, "learnt")) {
        const size_t first = p->lits.n;
        if (!read_lits(r, p))
            return false;
        proof_add_learnt(p, first);
        return true;
    }
    return wrong(r, "a step of the proof");
}

static bool
read_proof(struct reader *r)
{
    uint64_t n = 0;
    if (!read_count(r, "steps", &n))
        return false;
    r->out->proof = proof_new();
    for (uint64_t i = 0; i < n; i++)
        if (!read_step(r, r->out->proof))
            return false;
    return true;
}

/* --- the whole ------------------------------------------------------------*/

static bool
read_history(struct reader *r)
{
    char expected[17];
    struct buf hex = {0};
    buf_printf(&hex, "%016llx",
               (unsigned long long)certificate_fingerprint(r->h));
    memcpy(expected, hex.at, sizeof expected);
    buf_free(&hex);
    if (!next_line(r))
        return false;
    if (!take(r, "history") || r->line_end - r->line != 16)
        return wrong(r, "the fingerprint of a history");
    if (memcmp(r->line, expected, 16) != 0) {
        err_set(r->err, ERR_SYNTAX,
                "the certificate is about another history (%.16s, and this "
                "one is %s)",
                r->line, expected);
        return err_at_line(r->err, r->line_number, 0);
    }
    return true;
}

static bool
read_level(struct reader *r)
{
    if (!next_line(r))
        return false;
    if (!take(r, "level"))
        return wrong(r, "a level");
    for (int l = 0; l < LEVELS; l++)
        if (take(r, level_table[l].name) && at_end_of_line(r)) {
            r->out->level = (enum level)l;
            return true;
        }
    return wrong(r, "a level");
}

static bool
read_header(struct reader *r)
{
    size_t verdict, kind;
    if (!next_line(r))
        return false;
    if (!take(r, "assay-certificate") || !take(r, "1") || !at_end_of_line(r))
        return wrong(r, "'" CERTIFICATE_MAGIC "'");
    if (!read_history(r) || !read_level(r) || !next_line(r))
        return false;
    if (!take(r, "verdict") ||
        !take_name(r, verdict_names, LENGTH(verdict_names), &verdict) ||
        !at_end_of_line(r))
        return wrong(r, "a verdict");
    if (!next_line(r))
        return false;
    if (!take(r, "evidence") ||
        !take_name(r, evidence_names, LENGTH(evidence_names), &kind) ||
        !at_end_of_line(r))
        return wrong(r, "a kind of evidence");
    r->out->verdict = (enum verdict)verdict;
    r->out->kind = (enum evidence_kind)kind;
    return true;
}

/* The last line, which read_order has taken already. */
static bool
read_end(struct reader *r)
{
    if (r->out->kind == EVIDENCE_ORDER)
        return true;
    return next_line(r) &&
           ((take(r, "end") && at_end_of_line(r)) || wrong(r, "'end'"));
}

/* The authors, where the history leaves them open. */
static bool
read_seen(struct reader *r)
{
    const enum evidence_kind kind = r->out->kind;
    if (!r->h->authors.n || kind == EVIDENCE_NONE || kind == EVIDENCE_CASES)
        return true;
    if (!next_line(r))
        return false;
    if (!take(r, "seen"))
        return wrong(r, "the authors of elements");
    for (size_t i = 0; i < r->h->authors.n; i++) {
        txn_id t;
        if (!take_txn(r, MAY_BE_NONE | MAY_BE_OPEN, &t))
            return wrong(r, "an author for each element that has several");
        vec_push(&r->out->seen, t);
    }
    return at_end_of_line(r) || wrong(r, "no more authors");
}

static bool read_case(struct reader *r);

static bool
read_cases(struct reader *r)
{
    struct certificate *whole = r->out;
    VEC(struct certificate) cases = {0};
    uint64_t n = 0;
    bool fine = read_count(r, "cases", &n);
    for (uint64_t i = 0; fine && i < n; i++) {
        struct certificate c = {.level = whole->level,
                                .verdict = VERDICT_VIOLATED};
        r->out = &c;
        fine = read_case(r);
        vec_push(&cases, c);
    }
    r->out = whole;
    whole->cases = cases.at;
    whole->n_cases = cases.n;
    return fine;
}

static bool
read_evidence(struct reader *r)
{
    if (!read_seen(r))
        return false;
    switch (r->out->kind) {
    case EVIDENCE_CASES:
        return read_cases(r);
    case EVIDENCE_NONE:
        return true;
    case EVIDENCE_ORDER:
        return read_order(r);
    case EVIDENCE_FLAW:
        return read_flaw(r);
    case EVIDENCE_CYCLE:
        return read_cycle(r);
    case EVIDENCE_PROOF:
        return read_proof(r);
    }
    return false;
}

/* One of the cases, which is none of cases itself, and the branches before. */
static bool
read_case(struct reader *r)
{
    size_t kind;
    if (!next_line(r))
        return false;
    while (take(r, "branch")) {
        struct branch b;
        if (!take_id(r, (uint32_t)r->h->authors.n, 0, &b.row) ||
            !take_txn(r, MAY_BE_NONE, &b.first) || !at_end_of_line(r))
            return wrong(r, "a branch: its row and first candidate");
        vec_push(&r->out->branches, b);
        if (!next_line(r))
            return false;
    }
    if (!take(r, "case") ||
        !take_name(r, evidence_names, LENGTH(evidence_names), &kind) ||
        !at_end_of_line(r) ||
        (kind != EVIDENCE_FLAW && kind != EVIDENCE_CYCLE &&
         kind != EVIDENCE_PROOF))
        return wrong(r, "a case: flaw, cycle or proof");
    r->out->kind = (enum evidence_kind)kind;
    return read_evidence(r);
}

bool
certificate_read(const struct history *h, const char *text, size_t len,
                 struct certificate *out, struct err *err)
{
    *out = (struct certificate){0};
    struct reader r = {
        .h = h, .at = text, .end = text + len, .out = out, .err = err};
    const uint32_t more = h->authors.n ? h->n_ops : 0;
    r.most_ops = h->n_ops + more;
    r.most_values = h->n_values + more;
    bool fine = read_header(&r) && read_evidence(&r) && read_end(&r);
    if (fine && r.at != r.end) {
        err_set(err, ERR_SYNTAX, "something follows 'end'");
        fine = err_at_line(err, r.line_number + 1, 0);
    }
    if (!fine)
        certificate_free(out);
    return fine;
}
