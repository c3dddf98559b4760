/* certificate_read.c -- see certificate_read.h.
 *
 * SPDX-License-Identifier: MIT */
#include "evidence/certificate_read.h"

#include "evidence/certificate_names.h"
#include "evidence/certificate_write.h"
#include "evidence/cycle_read.h"
#include "evidence/proof_read.h"
#include "history/flaw_text.h"

struct reader {
    struct lexer l;
    struct certificate *out;
};

static bool
read_order(struct reader *r)
{
    const bool two_points = level_table[r->out->level].two_points;
    const uint32_t bound = two_points ? 2 * r->l.h->n_txns : r->l.h->n_txns;
    uint64_t n = 0;
    if (!lexer_read_count(&r->l, "points", &n))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t point;
        if (!lexer_next_line(&r->l))
            return false;
        if (!lexer_take(&r->l, "point") ||
            !lexer_take_id(&r->l, bound, 0, &point) || !lexer_at_end(&r->l))
            return lexer_expected(&r->l, "a point of the order");
        vec_push(&r->out->order, point);
    }
    for (;;) {
        struct choice c;
        if (!lexer_next_line(&r->l))
            return false;
        if (lexer_take(&r->l, "end"))
            return true;
        if (!lexer_take(&r->l, "choice") || !lexer_take_op(&r->l, 0, &c.read) ||
            !lexer_take_txn(&r->l, MAY_BE_INIT, &c.writer) ||
            !lexer_at_end(&r->l))
            return lexer_expected(&r->l, "a choice or 'end'");
        vec_push(&r->out->choices, c);
    }
}

static bool
take_flaw_kind(struct reader *r, enum flaw_kind *kind)
{
    for (int i = 0; i < FLAW_KINDS; i++)
        if (lexer_take(&r->l, flaw_name((enum flaw_kind)i))) {
            *kind = (enum flaw_kind)i;
            return true;
        }
    return false;
}

static bool
read_flaw(struct reader *r)
{
    struct flaw *f = &r->out->flaw;
    if (!lexer_next_line(&r->l))
        return false;
    if (!lexer_take(&r->l, "flaw") || !take_flaw_kind(r, &f->kind) ||
        !lexer_take_txn(&r->l, 0, &f->txn) ||
        !lexer_take_op(&r->l, 0, &f->op) ||
        !lexer_take_txn(&r->l, MAY_BE_NONE, &f->other) ||
        !lexer_take_op(&r->l, MAY_BE_NONE, &f->other_op) ||
        !lexer_take_id(&r->l, r->l.most_values, 0, &f->value) ||
        !lexer_at_end(&r->l))
        return lexer_expected(&r->l, "an inconsistent read");
    return true;
}

static bool
read_cycle(struct reader *r)
{
    uint64_t n = 0;
    return lexer_read_count(&r->l, "edges", &n) &&
           cycle_read_edges(&r->l, n, &r->out->cycle);
}

static bool
read_history(struct reader *r)
{
    char expected[17];
    struct buf hex = {0};
    buf_printf(&hex, "%016llx",
               (unsigned long long)certificate_fingerprint(r->l.h));
    memcpy(expected, hex.at, sizeof expected);
    buf_free(&hex);
    if (!lexer_next_line(&r->l))
        return false;
    if (!lexer_take(&r->l, "history") || r->l.line_end - r->l.line != 16)
        return lexer_expected(&r->l, "the fingerprint of a history");
    if (memcmp(r->l.line, expected, 16) != 0) {
        err_set(r->l.err, ERR_SYNTAX,
                "the certificate is about another history (%.16s, and this "
                "one is %s)",
                r->l.line, expected);
        return err_at_line(r->l.err, r->l.line_number, 0);
    }
    return true;
}

static bool
read_level(struct reader *r)
{
    if (!lexer_next_line(&r->l))
        return false;
    if (!lexer_take(&r->l, "level"))
        return lexer_expected(&r->l, "a level");
    for (int l = 0; l < LEVELS; l++)
        if (lexer_take(&r->l, level_table[l].name) && lexer_at_end(&r->l)) {
            r->out->level = (enum level)l;
            return true;
        }
    return lexer_expected(&r->l, "a level");
}

static bool
read_header(struct reader *r)
{
    size_t verdict, kind;
    if (!lexer_next_line(&r->l))
        return false;
    if (!lexer_take(&r->l, "assay-certificate") || !lexer_take(&r->l, "1") ||
        !lexer_at_end(&r->l))
        return lexer_expected(&r->l, "'" CERTIFICATE_MAGIC "'");
    if (!read_history(r) || !read_level(r) || !lexer_next_line(&r->l))
        return false;
    if (!lexer_take(&r->l, "verdict") ||
        !lexer_take_name(&r->l, verdict_names, LENGTH(verdict_names),
                         &verdict) ||
        !lexer_at_end(&r->l))
        return lexer_expected(&r->l, "a verdict");
    if (!lexer_next_line(&r->l))
        return false;
    if (!lexer_take(&r->l, "evidence") ||
        !lexer_take_name(&r->l, evidence_names, LENGTH(evidence_names),
                         &kind) ||
        !lexer_at_end(&r->l))
        return lexer_expected(&r->l, "a kind of evidence");
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
    return lexer_next_line(&r->l) &&
           ((lexer_take(&r->l, "end") && lexer_at_end(&r->l)) ||
            lexer_expected(&r->l, "'end'"));
}

/* Read who the authors are, where the history leaves that open. */
static bool
read_seen(struct reader *r)
{
    const enum evidence_kind kind = r->out->kind;
    if (!r->l.h->authors.n || kind == EVIDENCE_NONE || kind == EVIDENCE_CASES)
        return true;
    if (!lexer_next_line(&r->l))
        return false;
    if (!lexer_take(&r->l, "seen"))
        return lexer_expected(&r->l, "the authors of elements");
    for (size_t i = 0; i < r->l.h->authors.n; i++) {
        txn_id t;
        if (!lexer_take_txn(&r->l, MAY_BE_NONE | MAY_BE_OPEN, &t))
            return lexer_expected(
                &r->l, "an author for each element that has several");
        vec_push(&r->out->seen, t);
    }
    return lexer_at_end(&r->l) || lexer_expected(&r->l, "no more authors");
}

static bool read_case(struct reader *r);

static bool
read_cases(struct reader *r)
{
    struct certificate *whole = r->out;
    VEC(struct certificate) cases = {0};
    uint64_t n = 0;
    bool fine = lexer_read_count(&r->l, "cases", &n);
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
        r->out->proof = proof_new();
        return proof_read(&r->l, r->out->proof);
    }
    return false;
}

/* Read one of the cases, which has no cases itself, and the branches that begin
 * with it. */
static bool
read_case(struct reader *r)
{
    size_t kind;
    if (!lexer_next_line(&r->l))
        return false;
    while (lexer_take(&r->l, "branch")) {
        struct branch b;
        if (!lexer_take_id(&r->l, (uint32_t)r->l.h->authors.n, 0, &b.row) ||
            !lexer_take_txn(&r->l, MAY_BE_NONE, &b.first) ||
            !lexer_at_end(&r->l))
            return lexer_expected(&r->l,
                                  "a branch: its row and first candidate");
        vec_push(&r->out->branches, b);
        if (!lexer_next_line(&r->l))
            return false;
    }
    if (!lexer_take(&r->l, "case") ||
        !lexer_take_name(&r->l, evidence_names, LENGTH(evidence_names),
                         &kind) ||
        !lexer_at_end(&r->l) ||
        (kind != EVIDENCE_FLAW && kind != EVIDENCE_CYCLE &&
         kind != EVIDENCE_PROOF))
        return lexer_expected(&r->l, "a case: flaw, cycle or proof");
    r->out->kind = (enum evidence_kind)kind;
    return read_evidence(r);
}

bool
certificate_read(const struct history *h, const char *text, size_t len,
                 struct certificate *out, struct err *err)
{
    *out = (struct certificate){0};
    struct reader r = {.out = out};
    lexer_init(&r.l, h, text, len, err);
    bool fine = read_header(&r) && read_evidence(&r) && read_end(&r);
    if (fine && r.l.at != r.l.end) {
        err_set(err, ERR_SYNTAX, "something follows 'end'");
        fine = err_at_line(err, r.l.line_number + 1, 0);
    }
    if (!fine)
        certificate_free(out);
    return fine;
}
