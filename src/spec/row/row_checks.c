/* row_checks.c -- see row_checks.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_checks.h"

#include "base/json.h"
#include "spec/row/row_checks_table.h"

#include <stdlib.h>
#include <string.h>

// Conditions for the database; and digits of integers that need none.
enum { MOST_CONDITIONS = 400, MOST_DIGITS = 15 };

/* A check that is due: that of a version of the table that it is about. */
struct due {
    const struct watched_check *check;
    enum row_check_role role;
    uint32_t version;
    const struct row_note *note;
};

typedef void handle(struct row_writer *w, const struct due *d, bool *is_used);

/* --- what the database says ------------------------------------------------*/

/* The table, columns and condition on one side of a constraint. */
struct side {
    uint32_t table;
    const char *columns, *where;
    const text_vec *names; // instead of 'columns', if it has any
};

/* The side of the version that is checked, or of the rows it is compared
 * with. */
static struct side
side_of(const struct watched_check *c, enum row_check_role role,
        bool is_version)
{
    const struct side own = {c->table, c->columns, c->where, &c->names};
    const struct side other = {c->other, c->other_columns, c->other_where,
                               &c->other_names};
    return role == ROW_CHECK_UNIQUE || is_version == (role == ROW_CHECK_REFERS)
               ? own
               : other;
}

static const char **
texts_of(const struct row_writer *w, const struct watched_check *c,
         enum row_check_role role)
{
    const size_t at = (size_t)(c - w->watched->checks.at);
    return w->checked[at * ROW_CHECK_ROLES + role];
}

/* "foreign key: p = 7" for each version that is to be checked. */
static bool
ask_side(struct row_writer *w, const struct watched_check *c,
         enum row_check_role role)
{
    const struct side mine = side_of(c, role, true);
    const struct side theirs = side_of(c, role, false);
    struct row_versions *v = &w->versions;
    const char **texts = texts_of(w, c, role);
    const char *kind = role == ROW_CHECK_UNIQUE ? "unique" : "foreign key";
    bool ok = true;
    for (uint32_t i = 0; mine.names->n && i < v->all.n; i++)
        if (v->all.at[i].table == mine.table)
            texts[i] =
                row_checks_table_text(v, i, kind, mine.names, theirs.names);
    for (size_t at = 0; !mine.names->n && ok && at < v->all.n;) {
        struct buf sql = {0};
        struct result_rows rows = {0};
        buf_printf(&sql, "select assay_n, concat('%s: ', ", kind);
        watched_put_literal(&sql, theirs.columns);
        buf_printf(&sql,
                   ", ' = ', (select string_agg(assay_e::text, ', ') from "
                   "jsonb_array_elements(jsonb_build_array(%s)) "
                   "assay_v(assay_e)), ",
                   mine.columns);
        if (strcmp(theirs.where, WATCHED_ALL_ROWS) != 0) {
            buf_text(&sql, "' and ', ");
            watched_put_literal(&sql, theirs.where);
        } else {
            buf_text(&sql, "''");
        }
        buf_text(&sql, ") from ");
        if (row_versions_put(&sql, v, mine.table, &at)) {
            buf_printf(&sql,
                       ", lateral jsonb_populate_record(null::%s, assay_j) "
                       "where (%s) and row(%s) is not null",
                       w->watched->tables.at[mine.table].name, mine.where,
                       mine.columns);
            ok = v->connection->driver->query(v->connection, sql.at, &rows) ==
                 OUTCOME_OK;
        }
        for (size_t i = 0; ok && i < rows.n; i++) {
            const size_t n = strtoul(result_rows_get(&rows, i, 0), NULL, 10);
            const char *text = result_rows_get(&rows, i, 1);
            assert(n < v->all.n);
            texts[n] = arena_copy(&v->arena, text, strlen(text));
        }
        result_rows_free(&rows);
        buf_free(&sql);
    }
    return ok || row_versions_refuse(v, "a constraint could not be evaluated");
}

bool
row_checks_ask(struct row_writer *w)
{
    const size_t n = w->watched->checks.n;
    bool ok = true;
    w->checked = mem_calloc(n * ROW_CHECK_ROLES + 1, sizeof *w->checked);
    for (size_t i = 0; ok && i < n; i++) {
        const struct watched_check *c = &w->watched->checks.at[i];
        for (int role = 0; ok && role < ROW_CHECK_ROLES; role++) {
            if ((c->kind == WATCHED_UNIQUE) != (role == ROW_CHECK_UNIQUE))
                continue;
            w->checked[i * ROW_CHECK_ROLES + (size_t)role] =
                mem_calloc(w->versions.all.n + 1, sizeof(const char *));
            ok = ask_side(w, c, (enum row_check_role)role);
        }
    }
    return ok;
}

void
row_checks_free(struct row_writer *w)
{
    const size_t n = w->checked ? w->watched->checks.n * ROW_CHECK_ROLES : 0;
    for (size_t i = 0; i < n; i++)
        mem_free(w->checked[i]);
    mem_free(w->checked);
}

/* --- which checks are due --------------------------------------------------*/

static bool
is_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Whether the version was replaced or removed later among the notes. */
static bool
is_replaced(const struct row_note *notes, size_t n, const struct row_note *by)
{
    for (const struct row_note *o = by + 1; o < notes + n; o++)
        if (row_note_is_change(o) && o->before.name &&
            strcmp(o->before.name, by->after.name) == 0)
            return true;
    return false;
}

/* Whether a row with these values is there again. */
static bool
is_restored(struct row_writer *w, const struct row_note *notes, size_t n,
            uint32_t table, const char **texts, const char *text)
{
    for (size_t i = 0; i < n; i++)
        if (row_note_is_change(&notes[i]) && !notes[i].is_undone &&
            !notes[i].is_failed && notes[i].table == table &&
            notes[i].after.name &&
            is_same(text,
                    texts[row_operations_version(w, table, &notes[i].after)]))
            return true;
    return false;
}

/* The text of a version of a note; NULL if it has none or is not checked. */
static const char *
text_of(struct row_writer *w, const char **texts, const struct row_note *n,
        const struct row_seen *seen)
{
    return seen->name ? texts[row_operations_version(w, n->table, seen)] : NULL;
}

/* Handle the checks of one constraint, in one role. */
static void
each_of_role(struct row_writer *w, const struct watched_check *c,
             enum row_check_role role, const struct row_note *notes, size_t n,
             handle *f, bool *is_used)
{
    const char **texts = texts_of(w, c, role);
    const uint32_t table = side_of(c, role, true).table;
    const bool is_of_added = role != ROW_CHECK_REFERRED;
    for (size_t i = 0; texts && i < n; i++) {
        const struct row_note *o = &notes[i];
        const bool has_failed = o->kind == ROW_NOTE_FAILED && o->failed == role;
        if (o->table != table || o->is_failed ||
            !(row_note_is_change(o) || has_failed) ||
            (o->is_undone && !notes[0].is_undone))
            continue;
        const char *before = text_of(w, texts, o, &o->before);
        const char *after = text_of(w, texts, o, &o->after);
        const char *text = is_of_added ? after : before;
        if (!text || is_same(before, after))
            continue;
        if (is_of_added ? is_replaced(notes, n, o)
                        : is_restored(w, notes, n, table, texts, text))
            continue;
        const struct due due = {
            c, role,
            row_operations_version(w, table,
                                   is_of_added ? &o->after : &o->before),
            o};
        f(w, &due, is_used);
    }
}

/* Unique indexes are checked first. */
static void
each(struct row_writer *w, const struct row_note *notes, size_t n,
     bool is_deferred, handle *f, bool *is_used)
{
    for (int role = 0; role < ROW_CHECK_ROLES; role++)
        for (size_t i = 0; i < w->watched->checks.n; i++) {
            const struct watched_check *c = &w->watched->checks.at[i];
            if (c->is_deferred == is_deferred)
                each_of_role(w, c, (enum row_check_role)role, notes, n, f,
                             is_used);
        }
}

/* --- conditions ------------------------------------------------------------*/

static const char *
due_text(const struct row_writer *w, const struct due *d)
{
    return texts_of(w, d->check, d->role)[d->version];
}

/* Note that the reads of a check are not recorded. */
static void
leave_out(struct row_writer *w, const struct due *d)
{
    if (d->note->by)
        row_statement_leave_out(d->note->by, d->role == ROW_CHECK_UNIQUE
                                                 ? "what unique indexes read"
                                                 : "what foreign keys read");
    else
        row_operations_refuse(w, "a foreign key changed rows at a commit", "");
}

/* The number of the one integer column of a side; WATCHED_NONE if it has
 * another one, or several. */
static uint32_t
integer_of(const struct row_writer *w, const struct side *s)
{
    const text_vec *integers = &w->watched->tables.at[s->table].integers;
    const char *name = s->names->n ? s->names->at[0] : s->columns;
    if (s->names->n > 1 || strcmp(s->where, WATCHED_ALL_ROWS) != 0)
        return WATCHED_NONE;
    for (uint32_t i = 0; i < integers->n; i++)
        if (strcmp(integers->at[i], name) == 0)
            return i;
    return WATCHED_NONE;
}

/* Whether the condition is that an integer column has a value, as the text
 * says behind its last equals sign. */
static bool
is_equality(const struct row_writer *w, const struct due *d,
            struct row_equality *out)
{
    const struct side mine = side_of(d->check, d->role, true);
    const struct side theirs = side_of(d->check, d->role, false);
    const char *sign = strrchr(due_text(w, d), '=');
    const char *value = sign ? sign + 2 : "";
    const char *digits = value + (*value == '-');
    const size_t n = strlen(digits);
    *out = (struct row_equality){.column = integer_of(w, &theirs),
                                 .value = strtoll(value, NULL, 10)};
    return out->column != WATCHED_NONE &&
           integer_of(w, &mine) != WATCHED_NONE && n && n <= MOST_DIGITS &&
           strspn(digits, "0123456789") == n;
}

/* The rows that have the same values as the version that is checked. */
static void
add_condition(struct row_writer *w, const struct due *d, bool *is_used)
{
    const struct side mine = side_of(d->check, d->role, true);
    const struct side theirs = side_of(d->check, d->role, false);
    struct row_versions *v = &w->versions;
    struct row_equality equality;
    const bool is_decided = is_equality(w, d, &equality);
    const size_t before = v->conditions.n;
    if (!is_decided && w->checks_asked >= MOST_CONDITIONS)
        return;
    struct buf sql = {0};
    if (mine.names->n) {
        buf_text(&sql, row_checks_table_condition(v, d->version, mine.names,
                                                  theirs.names));
    } else {
        buf_printf(&sql,
                   "(%s) and (%s) = (select %s from jsonb_populate_record("
                   "null::%s, ",
                   theirs.where, theirs.columns, mine.columns,
                   w->watched->tables.at[mine.table].name);
        watched_put_literal(&sql, v->all.at[d->version].values);
        buf_text(&sql, "::jsonb))");
    }
    const uint32_t id = row_versions_named(
        v, theirs.table, due_text(w, d), arena_copy(&v->arena, sql.at, sql.n));
    struct row_condition_text *c = &v->conditions.at[id];
    if (is_decided && !c->n_equalities) {
        struct row_equality *copy = arena_alloc(&v->arena, sizeof *copy);
        *copy = equality;
        c->equalities = copy;
        c->n_equalities = 1;
        c->is_equality = true;
    }
    w->checks_asked += !is_decided && v->conditions.n > before;
    is_used[theirs.table] = true;
    buf_free(&sql);
}

void
row_checks_collect(struct row_writer *w, const struct row_note *notes, size_t n,
                   bool is_deferred, bool *is_used)
{
    each(w, notes, n, is_deferred, add_condition, is_used);
}

/* The condition of a check; NULL if there were too many. */
static const struct row_condition_text *
condition_of(struct row_writer *w, const struct due *d)
{
    const uint32_t table = side_of(d->check, d->role, false).table;
    const uint32_t id =
        row_versions_named(&w->versions, table, due_text(w, d), NULL);
    const struct row_condition_text *c = &w->versions.conditions.at[id];
    return c->sql ? c : NULL;
}

/* --- reads -----------------------------------------------------------------*/

/* The condition holds for this version only, or for none. */
static void
write_query(struct row_writer *w, const struct row_condition_text *c,
            uint32_t version)
{
    row_operations_begin(w, "q");
    json_object(&w->line, NULL);
    json_text(&w->line, "table", w->watched->tables.at[c->table].name);
    json_text(&w->line, "id", c->name);
    json_bool(&w->line, "check", true);
    json_object_end(&w->line);
    json_array(&w->line, NULL);
    if (version != WATCHED_NONE) {
        json_array(&w->line, NULL);
        row_operations_put_read(w, version);
        json_array_end(&w->line);
    }
    json_array_end(&w->line);
    row_operations_end(w);
}

/* The values of the columns that are compared with, as JSON; NULL if the
 * database cannot say. */
static const char *
ask_values(struct row_writer *w, const struct due *d, uint32_t version)
{
    const struct watched_check *c = d->check;
    const struct side theirs = side_of(c, d->role, false);
    struct row_versions *v = &w->versions;
    if (theirs.names->n)
        return row_checks_table_values(v, version, theirs.names);
    struct buf sql = {0};
    struct result_rows rows = {0};
    const char *values = NULL;
    buf_text(&sql, "select jsonb_object_agg(k, ");
    row_versions_put_plain(&sql, "e.v");
    buf_text(&sql, ") from (select ");
    watched_put_literal(&sql, v->all.at[version].values);
    buf_printf(&sql,
               "::jsonb assay_j) x, lateral jsonb_each(jsonb_build_object(%s)) "
               "e(k, v)",
               c->other_values);
    if (v->connection->driver->query(v->connection, sql.at, &rows) ==
            OUTCOME_OK &&
        rows.n)
        values = arena_copy(&v->arena, result_rows_get(&rows, 0, 0),
                            strlen(result_rows_get(&rows, 0, 0)));
    result_rows_free(&rows);
    buf_free(&sql);
    return values;
}

/* The row that is compared with is there, with these values.  If several rows
 * had them at one time or another, it is not known which one. */
static void
write_present(struct row_writer *w, const struct due *d,
              const struct row_condition_text *c)
{
    uint32_t found = WATCHED_NONE;
    const char *values = NULL;
    bool is_known = true;
    for (size_t k = 0; is_known && k < c->holds.n; k++) {
        const uint32_t i = c->holds.at[k];
        if (w->versions.all.at[i].is_proposed)
            continue;
        const char *own = d->check->is_by_key && d->role == ROW_CHECK_REFERS
                              ? "{}"
                              : ask_values(w, d, i);
        is_known =
            own && (!values || strcmp(own, values) == 0) &&
            (found == WATCHED_NONE || row_operations_is_same_row(w, i, found));
        values = own;
        found = i;
    }
    if (!is_known || !values) {
        leave_out(w, d);
        return;
    }
    row_operations_begin(w, "r");
    row_operations_put_row(w, found);
    json_raw(&w->line, NULL, values, strlen(values));
    row_operations_end_check(w);
}

/* Whether another constraint may have refused the version as well. */
static bool
has_another(struct row_writer *w, const struct due *d)
{
    for (size_t i = 0; i < w->watched->checks.n; i++) {
        const struct watched_check *c = &w->watched->checks.at[i];
        const char **texts = texts_of(w, c, d->role);
        if (c != d->check && texts && texts[d->version])
            return true;
    }
    return false;
}

static void
write_check(struct row_writer *w, const struct due *d, bool *is_used)
{
    (void)is_used;
    const struct row_condition_text *c = condition_of(w, d);
    const bool has_failed = d->note->kind == ROW_NOTE_FAILED;
    if (!c || d->note->is_undone || (has_failed && has_another(w, d)))
        leave_out(w, d);
    else if ((d->role == ROW_CHECK_REFERS) != has_failed)
        write_present(w, d, c);
    else if (has_failed)
        write_query(w, c, WATCHED_NONE);
    else
        write_query(w, c,
                    d->role == ROW_CHECK_UNIQUE ? d->version : WATCHED_NONE);
}

void
row_checks_write(struct row_writer *w, const struct row_note *notes, size_t n,
                 bool is_deferred)
{
    each(w, notes, n, is_deferred, write_check, NULL);
}
