/* absence.c -- evidence of absence as text; see absence.h.
 *
 * One item a line, numbers separated by single spaces, in this order:
 *
 *     assay-absence 1
 *     history <fingerprint>
 *     level <name>
 *     boundary strict|relaxed
 *     orders <n> <transactions>   then for each
 *     order <by reads> <serial> <places>...
 *     reads <n>                   then for each
 *     picks <writers>...
 *     facts <n>                   then for each
 *     fact <kind> <a> <b> <c> <d>
 *     steps <n>                   then for each one of
 *     rule <kind> <a> <b> <c> <d>
 *     core <bytes> <literals>...  and the bytes of a certificate
 *     learnt <n> <literals>... <steps>...
 *     end
 *
 * SPDX-License-Identifier: MIT */
#include "evidence/absence.h"

#include "evidence/certificate_write.h"

#include <inttypes.h>

static const char MAGIC[] = "assay-absence 1\n";

void
absence_free(struct absence *a)
{
    for (size_t i = 0; i < a->orders.n; i++)
        mem_free(a->orders.at[i].place);
    vec_free(&a->orders);
    vec_free(&a->pick_first);
    vec_free(&a->picks);
    vec_free(&a->facts);
    vec_free(&a->steps);
    vec_free(&a->lits);
    vec_free(&a->hints);
    buf_free(&a->evidence);
}

bool
absence_is(const char *text, size_t len)
{
    return len >= sizeof MAGIC - 1 &&
           memcmp(text, MAGIC, sizeof MAGIC - 1) == 0;
}

/* --- writing -------------------------------------------------------------- */

static void
put_numbers(const uint32_t *at, size_t n, struct buf *out)
{
    for (size_t i = 0; i < n; i++) {
        buf_char(out, ' ');
        buf_u64(out, at[i]);
    }
}

static void
put_step(const struct absence *a, const struct absence_step *s, struct buf *out)
{
    switch (s->kind) {
    case ABSENCE_RULE:
        buf_text(out, "rule");
        put_numbers((const uint32_t[]){s->rule.kind, s->rule.a, s->rule.b,
                                       s->rule.c, s->rule.d},
                    5, out);
        break;
    case ABSENCE_CORE:
        buf_printf(out, "core %zu", s->evidence_len);
        put_numbers(a->lits.at + s->first, s->n, out);
        buf_char(out, '\n');
        buf_add(out, a->evidence.at + s->evidence, s->evidence_len);
        return;
    case ABSENCE_LEARNT:
        buf_printf(out, "learnt %u", s->n);
        put_numbers(a->lits.at + s->first, s->n, out);
        put_numbers(a->hints.at + s->first_hint, s->n_hints, out);
        break;
    }
    buf_char(out, '\n');
}

void
absence_write(const struct history *h, const struct absence *a, struct buf *out)
{
    buf_printf(out, "%shistory %016" PRIx64 "\nlevel %s\nboundary %s\n", MAGIC,
               certificate_fingerprint(h), level_table[a->level].name,
               a->is_strict ? "strict" : "relaxed");
    buf_printf(out, "orders %zu %zu\n", a->orders.n, a->n_txns);
    for (size_t i = 0; i < a->orders.n; i++) {
        const struct absence_order *o = &a->orders.at[i];
        buf_printf(out, "order %d %d", o->by_reads, o->is_serial);
        for (size_t t = 0; t < 2 * a->n_txns; t++) {
            buf_char(out, ' ');
            buf_u64(out, o->place[t]);
        }
        buf_char(out, '\n');
    }
    buf_printf(out, "reads %zu\n", a->pick_first.n - 1);
    for (size_t r = 0; r + 1 < a->pick_first.n; r++) {
        buf_text(out, "picks");
        put_numbers(a->picks.at + a->pick_first.at[r],
                    a->pick_first.at[r + 1] - a->pick_first.at[r], out);
        buf_char(out, '\n');
    }
    buf_printf(out, "facts %zu\n", a->facts.n);
    for (size_t i = 0; i < a->facts.n; i++) {
        const struct fact_row *f = &a->facts.at[i];
        buf_text(out, "fact");
        put_numbers((const uint32_t[]){f->kind, f->a, f->b, f->c, f->d}, 5,
                    out);
        buf_char(out, '\n');
    }
    buf_printf(out, "steps %zu\n", a->steps.n);
    for (size_t i = 0; i < a->steps.n; i++)
        put_step(a, &a->steps.at[i], out);
    buf_text(out, "end\n");
}

/* --- reading -------------------------------------------------------------- */

struct reader {
    const char *at, *end;
    uint64_t line;
    struct err *err;
};

static bool
fail(struct reader *r, const char *expected)
{
    err_set(r->err, ERR_SYNTAX, "expected %s", expected);
    return err_at_line(r->err, r->line, 1);
}

static bool
accept(struct reader *r, const char *text)
{
    const size_t n = strlen(text);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, text, n) != 0)
        return false;
    r->at += n;
    return true;
}

static bool
expect(struct reader *r, const char *text)
{
    return accept(r, text) || fail(r, text);
}

static bool
end_line(struct reader *r)
{
    if (!accept(r, "\n"))
        return fail(r, "the end of the line");
    r->line++;
    return true;
}

/* A number up to 'most', behind a space. */
static bool
take(struct reader *r, uint64_t most, uint64_t *out)
{
    if (!accept(r, " ") || r->at == r->end || *r->at < '0' || *r->at > '9')
        return fail(r, "a number");
    uint64_t x = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        const uint64_t digit = (uint64_t)(*r->at - '0');
        if (x > (most - digit) / 10)
            return fail(r, "a smaller number");
        x = 10 * x + digit;
    }
    *out = x;
    return true;
}

static bool
take_count(struct reader *r, const char *name, size_t *out)
{
    uint64_t n;
    if (!expect(r, name) || !take(r, (uint64_t)(r->end - r->at), &n))
        return false;
    *out = (size_t)n;
    return end_line(r);
}

static bool
take_five(struct reader *r, uint32_t out[5])
{
    for (size_t i = 0; i < 5; i++) {
        uint64_t x;
        if (!take(r, UINT32_MAX, &x))
            return false;
        out[i] = (uint32_t)x;
    }
    return end_line(r);
}

/* Numbers up to the end of the line. */
static bool
take_rest(struct reader *r, u32_vec *out)
{
    while (r->at < r->end && *r->at == ' ') {
        uint64_t x;
        if (!take(r, UINT32_MAX, &x))
            return false;
        vec_push(out, (uint32_t)x);
    }
    return end_line(r);
}

static bool
read_head(struct reader *r, const struct history *h, struct absence *a)
{
    struct buf line = {0};
    buf_printf(&line, "history %016" PRIx64 "\n", certificate_fingerprint(h));
    if (!expect(r, MAGIC)) {
        buf_free(&line);
        return false;
    }
    r->line++;
    const bool same = accept(r, line.at);
    buf_free(&line);
    if (!same) {
        err_set(r->err, ERR_SYNTAX, "this is evidence about another history");
        return err_at_line(r->err, r->line, 1);
    }
    r->line++;
    if (!expect(r, "level "))
        return false;
    const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
    if (!end || !level_parse(r->at, (size_t)(end - r->at), &a->level) ||
        !level_is_used_by(a->level, USED_BY_PREDICT))
        return fail(r, "a level from rc to si");
    r->at = end;
    if (!end_line(r))
        return false;
    a->is_strict = accept(r, "boundary strict");
    return (a->is_strict || expect(r, "boundary relaxed")) && end_line(r);
}

static bool
read_orders(struct reader *r, struct absence *a)
{
    uint64_t n, txns;
    if (!expect(r, "orders") || !take(r, (uint64_t)(r->end - r->at), &n) ||
        !take(r, (uint64_t)(r->end - r->at), &txns) || !end_line(r))
        return false;
    a->n_txns = (size_t)txns;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t by_reads, serial;
        if (!expect(r, "order") || !take(r, 1, &by_reads) ||
            !take(r, 1, &serial))
            return false;
        struct absence_order o = {
            mem_calloc(2 * a->n_txns + 1, sizeof *o.place), by_reads, serial};
        vec_push(&a->orders, o);
        for (size_t t = 0; t < 2 * a->n_txns; t++)
            if (!take(r, UINT64_MAX, &o.place[t]))
                return false;
        if (!end_line(r))
            return false;
    }
    return true;
}

static bool
read_step(struct reader *r, struct absence *a)
{
    struct absence_step s = {.first = (uint32_t)a->lits.n,
                             .first_hint = (uint32_t)a->hints.n};
    u32_vec lits = {0};
    bool ok;
    if (accept(r, "rule")) {
        uint32_t x[5] = {0};
        ok = take_five(r, x);
        s.kind = ABSENCE_RULE;
        s.rule = (struct rule_row){x[0], x[1], x[2], x[3], x[4]};
    } else if (accept(r, "core")) {
        uint64_t len = 0;
        s.kind = ABSENCE_CORE;
        ok = take(r, (uint64_t)(r->end - r->at), &len) && take_rest(r, &lits) &&
             (len <= (uint64_t)(r->end - r->at) || fail(r, "a certificate"));
        if (ok) {
            s.evidence = a->evidence.n;
            s.evidence_len = (size_t)len;
            buf_add(&a->evidence, r->at, (size_t)len);
            for (uint64_t i = 0; i < len; i++)
                r->line += r->at[i] == '\n';
            r->at += len;
        }
    } else {
        uint64_t n = 0;
        s.kind = ABSENCE_LEARNT;
        ok = expect(r, "learnt") && take(r, UINT32_MAX, &n) &&
             take_rest(r, &lits) &&
             (n <= lits.n || fail(r, "as many literals as were announced"));
        for (size_t i = (size_t)n; ok && i < lits.n; i++)
            vec_push(&a->hints, lits.at[i]);
        s.n_hints = (uint32_t)a->hints.n - s.first_hint;
        lits.n = ok ? (size_t)n : 0;
    }
    for (size_t i = 0; ok && i < lits.n; i++) {
        ok = lits.at[i] < 2 * a->facts.n || fail(r, "facts that were listed");
        vec_push(&a->lits, lits.at[i]);
    }
    s.n = (uint32_t)a->lits.n - s.first;
    vec_free(&lits);
    vec_push(&a->steps, s);
    return ok;
}

static bool
read_body(struct reader *r, struct absence *a)
{
    size_t reads, facts, steps;
    if (!read_orders(r, a) || !take_count(r, "reads", &reads))
        return false;
    vec_push(&a->pick_first, 0);
    for (size_t i = 0; i < reads; i++) {
        if (!expect(r, "picks") || !take_rest(r, &a->picks))
            return false;
        vec_push(&a->pick_first, (uint32_t)a->picks.n);
    }
    if (!take_count(r, "facts", &facts))
        return false;
    for (size_t i = 0; i < facts; i++) {
        uint32_t x[5];
        if (!expect(r, "fact") || !take_five(r, x))
            return false;
        vec_push(&a->facts, ((struct fact_row){x[0], x[1], x[2], x[3], x[4]}));
    }
    if (!take_count(r, "steps", &steps))
        return false;
    for (size_t i = 0; i < steps; i++)
        if (!read_step(r, a))
            return false;
    return expect(r, "end\n") && (r->at == r->end || fail(r, "nothing more"));
}

bool
absence_read(const struct history *h, const char *text, size_t len,
             struct absence *out, struct err *err)
{
    *out = (struct absence){0};
    struct reader r = {text, text + len, 1, err};
    if (read_head(&r, h, out) && read_body(&r, out))
        return true;
    absence_free(out);
    *out = (struct absence){0};
    return false;
}
