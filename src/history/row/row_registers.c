/* row_registers.c -- see row_registers.h.
 *
 * First the versions of every row are listed, then every read is planned: from
 * which register of the row, and which value.  That shows which registers are
 * needed, and then all operations are passed on in order.
 *
 *   (1) a row's first version is its initial one;
 *   (2) answers.at[first + i] of a register is its value after version i;
 *   (3) a plan's value is an answer of the row's versions, or of none of them.
 *
 * SPDX-License-Identifier: MIT */
#include "history/row/row_registers.h"

#include "base/container/intmap.h"
#include "history/row/row_links.h"

/* A read, in the order in which reads are passed on. */
struct plan {
    uint32_t asked; // row_questions.asked, or ID_NONE: the row itself
    row_id row;
    uint32_t answer;
    unsigned marks; // of the operation (history.h, op_mark)
};

struct making {
    struct row_log *l;
    struct builder *b;
    struct row_questions q;
    struct row_links links;
    VEC(struct plan) plans;
    u32_vec plans_end; // by entry: its plans end there
    VEC(struct atom)
    row_keys, asked_keys; // by row, by question that was
                          // asked; nil: not made yet
    const char **at;
    struct err *err;
};

/* --- planning -------------------------------------------------------------*/

static void
plan_read(struct making *m, row_id row, uint32_t question, uint32_t answer,
          unsigned marks)
{
    struct plan plan = {
        .row = row, .asked = ID_NONE, .answer = answer, .marks = marks};
    if (question != ROW_QUESTION_VERSION)
        plan.asked =
            row_questions_ask(&m->q, row, question, answer, &plan.answer);
    vec_push(&m->plans, plan);
}

static bool
plan_item(struct making *m, const struct row_entry *e)
{
    uint32_t question, answer;
    if (!row_questions_of_read(&m->q, e->row, e->content, &question, &answer,
                               m->err))
        return false;
    plan_read(m, e->row, question, answer, e->is_check ? OP_MARK_CHECK : 0);
    return true;
}

static bool
refuse_returned(struct making *m, const struct row_query *q, row_id r)
{
    const struct row_log *l = m->l;
    char row[ERR_QUOTE_ROOM], condition[ERR_QUOTE_ROOM];
    const struct string name = strings_get(&l->names, l->rows.at[r].name);
    const struct string text =
        strings_get(&l->names, l->conditions.at[q->condition].text);
    return err_set(
        m->err, ERR_SYNTAX,
        "row %s was returned and does not match '%s', expected rows that match",
        err_quote(row, sizeof row, name.text, name.len),
        err_quote(condition, sizeof condition, text.text, text.len));
}

/* A row that a query returned fits the versions that have its values and match
 * the condition.  Where all of the former match, the condition adds nothing. */
static bool
plan_returned(struct making *m, const struct row_query *q, uint32_t condition,
              const struct row_entry *e, unsigned marks)
{
    uint32_t question, answer;
    bool known, holds;
    if (!row_questions_of_read(&m->q, e->row, e->content, &question, &answer,
                               m->err) ||
        !row_questions_holds(&m->q, q->table, q->condition, e->content, &known,
                             &holds, m->err))
        return false;
    enum row_matches fits = holds ? ROW_MATCHES_ALL : ROW_MATCHES_NONE;
    if (!known)
        fits =
            row_questions_matches(&m->q, e->row, condition, question, answer);
    if (fits == ROW_MATCHES_NONE)
        return refuse_returned(m, q, e->row);
    if (fits == ROW_MATCHES_SOME)
        question = row_questions_of_returned(&m->q, e->content, condition);
    plan_read(m, e->row, question, answer, marks);
    return true;
}

/* The marks of a query's next read, which is the first if it has none yet.
 * Reads of rows that an unordered query returned keep their order. */
static unsigned
query_marks(const struct making *m, const struct row_query *q, size_t begin,
            bool is_missed)
{
    const unsigned joined = m->plans.n > begin ? OP_MARK_IN_QUERY : 0;
    return (q->is_check ? OP_MARK_CHECK : 0) | (q->is_unordered ? joined : 0) |
           (q->is_unordered && is_missed ? OP_MARK_UNORDERED : 0);
}

/* The rows that a query returned, and those that it did not. */
static bool
plan_query(struct making *m, size_t entry)
{
    const size_t begin = m->plans.n;
    const struct row_entry *e = &m->l->entries.at[entry];
    const struct row_query *q = &m->l->queries.at[e->about];
    const struct row_entry *returned = e - q->returned;
    uint32_t question;
    if (!row_questions_of_query(&m->q, q, &question, m->err))
        return false;
    for (uint32_t i = 0; i < q->returned; i++) {
        assert(returned[i].kind == ROW_RETURNED && returned[i].txn == e->txn);
        m->q.returned[returned[i].row] = 1;
        if (!plan_returned(m, q, question, &returned[i],
                           query_marks(m, q, begin, false)))
            return false;
    }
    const struct row_question *asked = &m->q.questions.at[question];
    const uint32_t first = asked->matched, n = asked->matched_n;
    for (uint32_t i = 0; i < n; i++) {
        const row_id row = m->q.matched.at[first + i];
        if (!m->q.returned[row])
            plan_read(m, row, question, ANSWER_NONE,
                      query_marks(m, q, begin, true));
    }
    for (uint32_t i = 0; i < q->returned; i++)
        m->q.returned[returned[i].row] = 0;
    return true;
}

static bool
plan_reads(struct making *m)
{
    for (size_t i = 0; i < m->l->entries.n; i++) {
        const struct row_entry *e = &m->l->entries.at[i];
        const bool ok = e->kind == ROW_READ    ? plan_item(m, e)
                        : e->kind == ROW_QUERY ? plan_query(m, i)
                                               : true;
        if (!ok) {
            *m->at = e->at;
            return false;
        }
        vec_push(&m->plans_end, capacity_index(CAPACITY_OPS, m->plans.n));
    }
    return true;
}

/* --- passing on -----------------------------------------------------------*/

static struct atom
text_atom(struct making *m, enum atom_tag tag, uint32_t name)
{
    const struct string s = strings_get(&m->l->names, name);
    return builder_text(m->b, tag, s.text, s.len);
}

/* Make the register of a row for a question, or of the row itself. */
static bool
make_key(struct making *m, row_id row, uint32_t asked, struct atom *key)
{
    const struct row *r = &m->l->rows.at[row];
    const struct atom whole = text_atom(m, ATOM_OTHER, r->name);
    struct buf initial = {0}, where = {0};
    uint32_t answer = row_questions_version(&m->q, row, 0);
    *key = whole;
    if (asked != ID_NONE) {
        struct buf name = {0};
        const struct string row_name = strings_get(&m->l->names, r->name);
        answer = row_questions_answer(&m->q, asked, 0);
        row_questions_show(&m->q, m->q.asked.at[asked].question, &where);
        buf_add(&name, row_name.text, row_name.len);
        buf_char(&name, ' ');
        buf_add(&name, where.at, where.n);
        *key = builder_text(m->b, ATOM_OTHER, name.at, name.n);
        buf_free(&name);
    }
    row_questions_show_answer(&m->q, answer, &initial);
    const struct builder_row mark = {
        .row = whole, .where = where.at, .initial = initial.at};
    const bool ok = builder_row(m->b, *key, &mark, m->err);
    buf_free(&initial);
    buf_free(&where);
    return ok;
}

/* The same, made once.  The row itself comes first, so that its name is known
 * to be one also where only questions are asked about it. */
static bool
find_key(struct making *m, row_id row, uint32_t asked, struct atom *key)
{
    struct atom *whole = &m->row_keys.at[row];
    struct atom *made = asked == ID_NONE ? whole : &m->asked_keys.at[asked];
    if (whole->tag == ATOM_NIL && !make_key(m, row, ID_NONE, whole))
        return false;
    if (made->tag == ATOM_NIL && !make_key(m, row, asked, made))
        return false;
    *key = *made;
    return true;
}

/* An answer as a value: the one that holds in the beginning is nil. */
static struct atom
value_of(struct making *m, uint32_t answer, uint32_t initial)
{
    if (answer == initial)
        return atom_nil();
    struct buf text = {0};
    row_questions_show_answer(&m->q, answer, &text);
    const bool is_text = answer < ANSWERS;
    const struct atom value = builder_text(
        m->b, is_text ? ATOM_OTHER : ATOM_KEYWORD, text.at, text.n);
    buf_free(&text);
    return value;
}

static bool
add_read(struct making *m, txn_id t, const struct plan *p)
{
    struct atom key;
    const uint32_t initial = p->asked == ID_NONE
                                 ? row_questions_version(&m->q, p->row, 0)
                                 : row_questions_answer(&m->q, p->asked, 0);
    const size_t first = builder_ops(m->b);
    if (!find_key(m, p->row, p->asked, &key) ||
        !builder_read(m->b, t, key, value_of(m, p->answer, initial), m->err))
        return false;
    builder_mark(m->b, first, p->marks);
    return true;
}

/* Pass on which version the i-th one of its row names as the one before.
 * Where an aborted transaction wrote that one, it is an aborted read. */
static bool
add_link(struct making *m, const struct row_entry *e, uint32_t i)
{
    struct version_link link;
    struct plan plan = {.row = e->row, .asked = ID_NONE};
    struct atom key;
    const uint32_t v = m->q.first[e->row] + i;
    switch (row_links_of(&m->links, e->row, v, &link)) {
    case ROW_LINK_NONE:
        return true;
    case ROW_LINK_ORDER:
        return find_key(m, e->row, ID_NONE, &key) &&
               builder_link(m->b, key, link, m->err);
    case ROW_LINK_ABORTED:
        break;
    }
    plan.answer = m->q.answers.at[m->links.before[v]];
    return add_read(m, e->txn, &plan);
}

/* Write the registers of a row, the row itself last. */
static bool
add_writes(struct making *m, const struct row_entry *e, uint32_t version)
{
    struct atom key;
    if (!add_link(m, e, version))
        return false;
    for (uint32_t a = m->q.first_asked.at[e->row]; a != ID_NONE;
         a = m->q.asked.at[a].next) {
        if (!m->q.asked.at[a].is_needed)
            continue;
        const struct atom value =
            value_of(m, row_questions_answer(&m->q, a, version),
                     row_questions_answer(&m->q, a, 0));
        if (!find_key(m, e->row, a, &key) ||
            !builder_write(m->b, e->txn, key, value, m->err))
            return false;
    }
    const struct atom value =
        value_of(m, row_questions_version(&m->q, e->row, version),
                 row_questions_version(&m->q, e->row, 0));
    return find_key(m, e->row, ID_NONE, &key) &&
           builder_write(m->b, e->txn, key, value, m->err);
}

static bool
add_other(struct making *m, const struct row_entry *e)
{
    const struct row_other *o = &m->l->others.at[e->about];
    struct builder *b = m->b;
    if (o->is_write)
        return o->is_list ? builder_append(b, e->txn, o->key, o->value, m->err)
                          : builder_write(b, e->txn, o->key, o->value, m->err);
    return o->is_list ? builder_read_list(b, e->txn, o->key,
                                          o->items_n ? m->l->items.at + o->items
                                                     : NULL,
                                          o->items_n, m->err)
                      : builder_read(b, e->txn, o->key, o->value, m->err);
}

static bool
add_entry(struct making *m, size_t i, uint32_t *version)
{
    const struct row_entry *e = &m->l->entries.at[i];
    if (e->kind == ROW_OTHER)
        return add_other(m, e);
    if (e->kind == ROW_WRITE)
        return add_writes(m, e, ++version[e->row]);
    for (uint32_t p = i ? m->plans_end.at[i - 1] : 0; p < m->plans_end.at[i];
         p++)
        if (!add_read(m, e->txn, &m->plans.at[p]))
            return false;
    return true;
}

bool
row_registers_make(struct row_log *l, struct builder *b, const char **at,
                   struct err *err)
{
    struct making m = {.l = l, .b = b, .at = at, .err = err};
    bool ok = row_questions_init(&m.q, l, at, err) &&
              row_links_init(&m.links, &m.q, b, at, err) && plan_reads(&m);
    for (size_t i = 0; i < l->rows.n; i++)
        vec_push(&m.row_keys, atom_nil());
    for (size_t i = 0; i < m.q.asked.n; i++)
        vec_push(&m.asked_keys, atom_nil());
    uint32_t *version = mem_calloc(l->rows.n, sizeof *version); // so far
    for (size_t i = 0; ok && i < l->entries.n; i++) {
        const size_t first = builder_ops(b);
        *at = l->entries.at[i].at;
        ok = add_entry(&m, i, version);
        if (ok)
            builder_mark(b, first, l->entries.at[i].marks);
    }
    mem_free(version);
    vec_free(&m.plans);
    vec_free(&m.plans_end);
    vec_free(&m.row_keys);
    vec_free(&m.asked_keys);
    row_links_free(&m.links);
    row_questions_free(&m.q);
    return ok;
}
