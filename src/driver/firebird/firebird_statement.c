/* firebird_statement.c -- one statement, and what it returns, as text.
 *
 * The room for a row is given with the statement, not with the row: every
 * column is asked for as a varying text of its greatest length.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/firebird/firebird.h"

#include <string.h>

enum {
    FETCH_IS_OVER = 100, // what isc_dsql_fetch says behind the last row
    NUMBER_ROOM = 64,    // bytes, for the text of a number or a date
};

/* What a statement returns: a description, and room for one row of texts. */
struct fire_row {
    XSQLDA *columns;
    char *room;
};

static size_t
columns_of(const struct fire_row *r)
{
    return (size_t)r->columns->sqld;
}

static void
make_columns(struct fire_row *r, short n)
{
    mem_free(r->columns);
    r->columns = mem_calloc(1, (size_t)XSQLDA_LENGTH(n));
    r->columns->version = SQLDA_VERSION1;
    r->columns->sqln = n;
}

/* Ask for every column as text; false where one cannot be had as text. */
static bool
bind_texts(struct fire_row *r)
{
    size_t size = 0;
    for (size_t i = 0; i < columns_of(r); i++) {
        XSQLVAR *v = &r->columns->sqlvar[i];
        const short type = v->sqltype & ~1;
        if (type == SQL_BLOB || type == SQL_ARRAY)
            return false;
        if (type != SQL_VARYING && type != SQL_TEXT)
            v->sqllen = NUMBER_ROOM;
        v->sqltype = SQL_VARYING | 1;
        size += sizeof(short) * 2 + (size_t)v->sqllen + 1;
    }
    char *at = r->room = mem_calloc(size + 1, 1);
    for (size_t i = 0; i < columns_of(r); i++) {
        XSQLVAR *v = &r->columns->sqlvar[i];
        at += (uintptr_t)at & 1; // shorts lie at even places
        v->sqlind = (short *)(void *)at;
        v->sqldata = at + sizeof(short);
        at += sizeof(short) * 2 + (size_t)v->sqllen;
    }
    assert(at <= r->room + size);
    return true;
}

static void
take_row(const struct fire_row *r, struct result_rows *out)
{
    out->width = columns_of(r);
    out->n++;
    for (size_t i = 0; i < columns_of(r); i++) {
        const XSQLVAR *v = &r->columns->sqlvar[i];
        unsigned short n;
        memcpy(&n, v->sqldata, sizeof n);
        result_rows_add(out, *v->sqlind < 0 ? NULL : v->sqldata + sizeof n, n);
    }
}

/* An integer of what isc_dsql_sql_info says: two bytes for its length, then
 * itself, lowest byte first. */
static uint64_t
take_integer(const unsigned char **at)
{
    const size_t n = (*at)[0] | (size_t)(*at)[1] << 8;
    uint64_t value = 0;
    for (size_t i = 0; i < n && i < 8; i++)
        value |= (uint64_t)(*at)[2 + i] << 8 * i;
    *at += 2 + n;
    return value;
}

/* How many rows the statement has inserted, updated or deleted. */
static uint64_t
count_changes(struct firebird_link *c, isc_stmt_handle *statement)
{
    static const char ask[] = {isc_info_sql_records};
    ISC_STATUS_ARRAY ignored;
    unsigned char answer[64] = {0};
    uint64_t changed = 0;
    (void)c;
    firebird.isc_dsql_sql_info(ignored, statement, sizeof ask, ask,
                               sizeof answer, (char *)answer);
    if (answer[0] != isc_info_sql_records)
        return 0;
    const unsigned char *at = answer + 3; // behind the item and its length
    while (*at != isc_info_end && at < answer + sizeof answer - 12) {
        const unsigned char item = *at++;
        const uint64_t n = take_integer(&at);
        if (item != isc_info_req_select_count)
            changed += n;
    }
    return changed;
}

/* Whether the statement returns its only row when it is executed. */
static bool
returns_at_once(isc_stmt_handle *statement)
{
    static const char ask[] = {isc_info_sql_stmt_type};
    ISC_STATUS_ARRAY ignored;
    unsigned char answer[16] = {0};
    firebird.isc_dsql_sql_info(ignored, statement, sizeof ask, ask,
                               sizeof answer, (char *)answer);
    const unsigned char *at = answer + 1;
    return answer[0] == isc_info_sql_stmt_type &&
           take_integer(&at) == isc_info_sql_stmt_exec_procedure;
}

/* Execute what was prepared, and read what it returns. */
static enum outcome
execute(struct firebird_link *c, isc_stmt_handle *statement,
        struct fire_row *row, struct result_rows *out)
{
    if (columns_of(row) && returns_at_once(statement)) {
        firebird.isc_dsql_execute2(c->status, &c->txn, statement,
                                   SQLDA_VERSION1, NULL, row->columns);
        if (!firebird_has_failed(c->status) && out)
            take_row(row, out);
        return firebird_has_failed(c->status) ? firebird_note_failure(c)
                                              : OUTCOME_OK;
    }
    firebird.isc_dsql_execute(c->status, &c->txn, statement, SQLDA_VERSION1,
                              NULL);
    while (!firebird_has_failed(c->status) && columns_of(row)) {
        if (firebird.isc_dsql_fetch(c->status, statement, SQLDA_VERSION1,
                                    row->columns) == FETCH_IS_OVER)
            return OUTCOME_OK;
        if (!firebird_has_failed(c->status) && out)
            take_row(row, out);
    }
    return firebird_has_failed(c->status) ? firebird_note_failure(c)
                                          : OUTCOME_OK;
}

enum outcome
firebird_run(struct firebird_link *c, const char *sql, struct result_rows *out)
{
    struct fire_row row = {0};
    isc_stmt_handle statement = 0;
    ISC_STATUS_ARRAY ignored;
    enum outcome outcome;
    make_columns(&row, 8);
    firebird.isc_dsql_allocate_statement(c->status, &c->db, &statement);
    if (!firebird_has_failed(c->status))
        firebird.isc_dsql_prepare(c->status, &c->txn, &statement, 0, sql,
                                  SQL_DIALECT, row.columns);
    if (!firebird_has_failed(c->status) &&
        row.columns->sqld > row.columns->sqln) {
        make_columns(&row, row.columns->sqld);
        firebird.isc_dsql_describe(c->status, &statement, SQLDA_VERSION1,
                                   row.columns);
    }
    if (firebird_has_failed(c->status))
        outcome = firebird_note_failure(c);
    else if (!bind_texts(&row))
        outcome = outcome_set(&c->base, OUTCOME_FAILED, "type",
                              "a value whose type is not read, such as a blob");
    else
        outcome = execute(c, &statement, &row, out);
    c->base.changed = outcome == OUTCOME_OK ? count_changes(c, &statement) : 0;
    if (statement)
        firebird.isc_dsql_free_statement(ignored, &statement, DSQL_drop);
    mem_free(row.columns);
    mem_free(row.room);
    return outcome_of(&c->base, outcome, sql);
}
