/* print.c -- see print.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/execute/print/print.h"

#include "prove/execute/printing.h"
#include "prove/program/access.h"

#include <string.h>

/* A day, and for a timestamp the time of the day. */
static void
print_moment(struct buf *out, enum value_type type, int64_t n)
{
    enum { DAY = 24 * 60 * 60, FROM_YEAR_1 = 730119, CENTURIES = 146097 };
    assert(program_number_fits(type, NUMBER_INTEGER, n));
    const int64_t second = type == TYPE_TIMESTAMP ? ((n % DAY) + DAY) % DAY : 0;
    int64_t day =
        (type == TYPE_TIMESTAMP ? (n - second) / DAY : n) + FROM_YEAR_1;
    int64_t year = 1 + day / CENTURIES * 400, length;
    day %= CENTURIES;
#define LEAP(y) (((y) % 4 == 0 && (y) % 100 != 0) || (y) % 400 == 0)
    while (day >= (length = 365 + LEAP(year))) {
        day -= length;
        year++;
    }
    static const int lengths[] = {31, 28, 31, 30, 31, 30,
                                  31, 31, 30, 31, 30, 31};
    int month = 0;
    while (day >= (length = lengths[month] + (month == 1 && LEAP(year)))) {
        day -= length;
        month++;
    }
#undef LEAP
    buf_printf(out, "%s '%04d-%02d-%02d",
               type == TYPE_DATE ? "DATE" : "TIMESTAMP", (int)year, month + 1,
               (int)day + 1);
    if (type == TYPE_TIMESTAMP)
        buf_printf(out, " %02d:%02d:%02d", (int)(second / 3600),
                   (int)(second / 60 % 60), (int)(second % 60));
    buf_char(out, '\'');
}

/* A value of a type that is not understood: as it is written in a program, or a
 * number, which is a value of json, float8 and others. */
static void
print_opaque_value(struct buf *out, const struct program *p, struct datum d)
{
    if (!d.opaque && (uint64_t)d.number < p->texts.all.n)
        print_value(out, p, TYPE_TEXT, d);
    else
        buf_printf(out, "'%lld'", (long long)d.number);
}

void
print_value(struct buf *out, const struct program *p, enum value_type type,
            struct datum d)
{
    if (d.null) {
        buf_text(out, "NULL");
    } else if (type == TYPE_BOOLEAN) {
        buf_text(out, d.number ? "true" : "false");
    } else if (type == TYPE_TEXT) {
        buf_char(out, '\'');
        if ((uint64_t)d.number < p->texts.all.n) {
            const struct string s = strings_get(&p->texts, (uint32_t)d.number);
            for (size_t i = 0; i < s.len; i++) {
                if (s.text[i] == '\'')
                    buf_char(out, '\'');
                buf_char(out, s.text[i]);
            }
        } else {
            // A text that no program mentions: any will do.
            buf_printf(out, "x%lld",
                       (long long)(d.number - (int64_t)p->texts.all.n));
        }
        buf_char(out, '\'');
    } else if (type == TYPE_OPAQUE) {
        print_opaque_value(out, p, d);
    } else if (type == TYPE_DATE || type == TYPE_TIMESTAMP) {
        print_moment(out, type, d.number);
    } else {
        buf_i64(out, d.number);
    }
}

void
print_row(struct buf *out, const struct program *p, uint32_t table,
          const struct datum *row, bool only_key)
{
    const struct table *t = &p->tables.at[table];
    const char *separator = "(";
    for (uint32_t i = 0; i < t->n_columns - t->hidden_key; i++) {
        if (only_key && !columns_have(&t->primary, i))
            continue;
        buf_text(out, separator);
        print_value(out, p, t->columns[i].type, row[i]);
        separator = ", ";
    }
    buf_text(out, *separator == '(' ? "()" : ")");
}

void
print_call(struct buf *out, const struct program *p, const struct instance *t)
{
    const struct function *f = t->function;
    buf_printf(out, "%s(", f->name);
    for (uint32_t i = 0; i < f->n_parameters; i++) {
        buf_text(out, i ? ", " : "");
        print_value(out, p, f->variables[i].type, t->arguments[i]);
    }
    buf_char(out, ')');
}

static void
print_target(struct printing *p, const struct query *q, const struct expr *e)
{
    const struct query *outer = p->query;
    p->query = q;
    print_expr(p, e);
    p->query = outer;
}

static void
print_from(struct printing *p, const struct query *q)
{
    for (uint32_t i = 0; i < q->n_sources; i++) {
        buf_text(p->out, i ? ", " : " FROM ");
        print_name(p->out, print_table_of(p, q->sources[i])->name);
        if (!p->plain)
            buf_printf(p->out, " t%u", q->sources[i]);
    }
    if (q->where) {
        buf_text(p->out, " WHERE ");
        print_expr(p, q->where);
    }
}

void
print_query(struct printing *p, const struct query *q)
{
    buf_text(p->out, q->distinct ? "SELECT DISTINCT " : "SELECT ");
    for (uint32_t i = 0; i < q->n_targets; i++) {
        buf_text(p->out, i ? ", " : "");
        print_target(p, q, q->targets[i].value);
    }
    print_from(p, q);
    for (uint32_t i = 0; i < q->n_order; i++) {
        buf_text(p->out, i ? ", " : " ORDER BY ");
        print_expr(p, q->order[i].by);
        buf_text(p->out, q->order[i].descending ? " DESC" : "");
    }
    buf_text(p->out, q->limit >= 0 ? " LIMIT 1" : "");
    buf_text(p->out, q->lock == LOCK_UPDATE  ? " FOR UPDATE"
                     : q->lock != LOCK_SHARE ? ""
                     : p->innodb             ? " LOCK IN SHARE MODE"
                                             : " FOR SHARE");
}

static void
print_columns(struct buf *out, const struct table *t, const struct columns *c)
{
    for (uint32_t i = 0; i < c->n; i++) {
        buf_text(out, i ? ", " : "(");
        print_name(out, t->columns[c->at[i]].name);
    }
    buf_char(out, ')');
}

static void
print_sets(struct printing *p, const struct statement *s)
{
    const struct table *t = &p->program->tables.at[s->table];
    for (uint32_t i = 0; i < s->n_sets; i++) {
        buf_text(p->out, i ? ", " : p->upsert && p->innodb ? " " : " SET ");
        print_name(p->out, t->columns[s->sets[i].column].name);
        buf_text(p->out, " = ");
        print_expr(p, s->sets[i].value);
    }
}

/* What happens to a row whose key is taken.  MariaDB's words for nothing are a
 * column that keeps its value. */
static void
print_conflict(struct printing *p, const struct statement *s)
{
    const struct table *t = &p->program->tables.at[s->table];
    if (s->on_conflict == CONFLICT_ABORTS)
        return;
    if (p->innodb)
        buf_text(p->out, " ON DUPLICATE KEY UPDATE");
    else
        buf_text(p->out, " ON CONFLICT ");
    if (s->on_conflict == CONFLICT_NOTHING) {
        buf_text(p->out, p->innodb ? " " : "DO NOTHING");
        if (!p->innodb)
            return;
        print_name(p->out, t->columns[t->primary.at[0]].name);
        buf_text(p->out, " = ");
        print_name(p->out, t->columns[t->primary.at[0]].name);
        return;
    }
    p->upsert = s;
    if (!p->innodb) {
        print_columns(p->out, t, &(struct columns){s->arbiter, s->n_arbiter});
        buf_text(p->out, " DO UPDATE");
    }
    print_sets(p, s);
}

static void
print_insert(struct printing *p, const struct statement *s)
{
    const struct table *t = &p->program->tables.at[s->table];
    const uint32_t n = t->n_columns;
    const uint32_t shown = n - t->hidden_key;
    buf_text(p->out, "INSERT INTO ");
    print_name(p->out, t->name);
    if (p->plain || (s->on_conflict != CONFLICT_UPDATES && !s->n_returning) ||
        p->innodb)
        buf_text(p->out, " (");
    else
        buf_printf(p->out, " AS t%u (", s->source);
    for (uint32_t c = 0; c < shown; c++) {
        buf_text(p->out, c ? ", " : "");
        print_name(p->out, t->columns[c].name);
    }
    buf_text(p->out, s->query ? ") SELECT " : ") VALUES ");
    for (uint32_t r = 0; r < s->n_rows; r++) {
        buf_text(p->out, s->query ? "" : r ? ", (" : "(");
        for (uint32_t c = 0; c < shown; c++) {
            buf_text(p->out, c ? ", " : "");
            if (s->query)
                print_target(p, s->query, s->values[r * n + c]);
            else
                print_expr(p, s->values[r * n + c]);
        }
        buf_text(p->out, s->query ? "" : ")");
    }
    if (s->query)
        print_from(p, s->query);
    print_conflict(p, s);
}

static void
print_returning(struct printing *p, const struct statement *s)
{
    for (uint32_t i = 0; i < s->n_returning; i++) {
        buf_text(p->out, i ? ", " : " RETURNING ");
        print_expr(p, s->returning[i].value);
    }
}

static void
print_write(struct printing *p, const struct statement *s)
{
    const struct table *t = &p->program->tables.at[s->table];
    if (s->kind == STATEMENT_INSERT) {
        print_insert(p, s);
    } else if (s->kind == STATEMENT_UPDATE) {
        buf_text(p->out, "UPDATE ");
        print_name(p->out, t->name);
        if (!p->plain)
            buf_printf(p->out, " t%u", s->source);
        print_sets(p, s);
    } else {
        buf_text(p->out, "DELETE FROM ");
        print_name(p->out, t->name);
        if (!p->plain)
            buf_printf(p->out, " t%u", s->source);
    }
    if (s->where) {
        buf_text(p->out, " WHERE ");
        print_expr(p, s->where);
    }
    print_returning(p, s);
}

/* Whether one table is all that the statement mentions. */
static bool
is_plain(const struct statement *s)
{
    if (s->on_conflict == CONFLICT_UPDATES || expr_has_query(s->where) ||
        expr_has_query(s->value))
        return false;
    for (uint32_t i = 0; i < s->n_sets; i++)
        if (expr_has_query(s->sets[i].value))
            return false;
    const struct query *q = s->query;
    if (!q)
        return true;
    for (uint32_t i = 0; i < q->n_targets; i++)
        if (expr_has_query(q->targets[i].value))
            return false;
    return s->kind != STATEMENT_INSERT && q->n_sources < 2 &&
           !expr_has_query(q->where);
}

void
print_statement(struct buf *out, const struct program *p,
                const struct instance *t, const struct statement *s,
                const struct datum *variables, const uint32_t *used,
                bool innodb)
{
    struct printing printing = {.out = out,
                                .program = p,
                                .instance = t,
                                .variables = variables,
                                .used = used,
                                .plain = is_plain(s),
                                .innodb = innodb};
    printing.more =
        mem_calloc(t->function->n_inputs + 1, sizeof *printing.more);
    switch (s->kind) {
    case STATEMENT_SELECT:
    case STATEMENT_ROWS:
    case STATEMENT_FOR:
        print_query(&printing, s->query);
        break;
    case STATEMENT_UPDATE:
    case STATEMENT_DELETE:
    case STATEMENT_INSERT:
        print_write(&printing, s);
        break;
    default:
        buf_text(out, "SELECT ");
        print_expr(&printing, s->value ? s->value : s->low);
    }
    mem_free(printing.more);
}

void
print_table(struct buf *out, const struct program *p, uint32_t table,
            const char *text)
{
    const char *const types[] = {
        [TYPE_INTEGER] = "integer",
        [TYPE_BOOLEAN] = "boolean",
        [TYPE_TEXT] = text,
        [TYPE_DATE] = "date",
        [TYPE_TIMESTAMP] = "timestamp",
        [TYPE_OPAQUE] = text,
    };
    const struct table *t = &p->tables.at[table];
    buf_text(out, "CREATE TABLE ");
    print_name(out, t->name);
    buf_text(out, " (");
    for (uint32_t i = 0; i < t->n_columns - t->hidden_key; i++) {
        const struct table_column *c = &t->columns[i];
        buf_text(out, i ? ", " : "");
        print_name(out, c->name);
        buf_printf(out, " %s%s",
                   c->number == NUMBER_BIGINT    ? "bigint"
                   : c->number == NUMBER_NUMERIC ? "numeric(30)"
                                                 : types[c->type],
                   c->not_null ? " NOT NULL" : "");
    }
    if (!t->hidden_key) {
        buf_text(out, ", PRIMARY KEY ");
        print_columns(out, t, &t->primary);
    }
    for (uint32_t i = 0; i < t->n_unique; i++) {
        buf_text(out, ", UNIQUE ");
        print_columns(out, t, &t->unique[i]);
    }
    for (uint32_t i = 0; i < t->n_checks; i++) {
        struct printing printing = {.out = out, .program = p, .table = t};
        buf_text(out, ", CHECK (");
        print_expr(&printing, t->checks[i]);
        buf_char(out, ')');
    }
    for (uint32_t i = 0; i < t->n_foreign; i++) {
        const struct foreign_key *f = &t->foreign[i];
        buf_text(out, ", FOREIGN KEY ");
        print_columns(out, t, &f->columns);
        buf_text(out, " REFERENCES ");
        print_name(out, p->tables.at[f->table].name);
        buf_char(out, ' ');
        print_columns(out, &p->tables.at[f->table], &f->referenced);
    }
    buf_text(out, ")");
}

void
print_rows(struct buf *out, const struct dataset *s, uint32_t table)
{
    for (size_t i = 0; i < s->tables[table].n; i++) {
        buf_text(out, i ? ", " : "");
        print_row(out, s->program, table, dataset_row(s, table, i), false);
    }
}
