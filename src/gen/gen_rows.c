/* gen_rows.c -- see gen_rows.h.
 *
 * SPDX-License-Identifier: MIT */
#include "gen/gen_rows.h"

#include "history/row/row_registers.h"

static row_id
find_row(struct gen_rows *r, uint64_t key)
{
    while (r->rows.n <= key)
        vec_push(&r->rows, 0);
    if (!r->rows.at[key]) {
        struct buf text = {0};
        buf_u64(&text, key);
        r->rows.at[key] =
            row_log_row(r->log, r->table, text.at, text.n, true) + 1;
        buf_free(&text);
    }
    return r->rows.at[key] - 1;
}

static void
add_cell(struct gen_rows *r, uint32_t content, uint32_t column, uint64_t number)
{
    row_log_cell(r->log, content,
                 (struct row_cell){.column = column,
                                   .datum = {.type = ROW_DATUM_INT,
                                             .number = (int64_t)number}});
}

static uint32_t
make_content(struct gen_rows *r, uint64_t content)
{
    struct err err = {0};
    if (!content)
        return ROW_ABSENT;
    const uint32_t made = row_log_content(r->log);
    add_cell(r, made, r->column_g, gen_rows_group(r, content));
    add_cell(r, made, r->column_v, (content - 1) / r->groups);
    const bool ok = row_log_end_content(r->log, made, &err);
    assert(ok);
    (void)ok;
    return made;
}

/* A content with all columns of the table. */
static uint32_t
make_version(struct gen_rows *r, row_id row, uint64_t content)
{
    struct err err = {0};
    const uint32_t made = make_content(r, content);
    const bool ok = row_log_is_version(r->log, row, made, &err);
    assert(ok);
    (void)ok;
    return made;
}

void
gen_rows_init(struct gen_rows *r, uint64_t keys, uint64_t groups)
{
    *r =
        (struct gen_rows){.log = row_log_new(), .keys = keys, .groups = groups};
    r->table = row_log_table(r->log, "t", 1);
    r->column_g = strings_add(&r->log->names, "g", 1);
    r->column_v = strings_add(&r->log->names, "v", 1);
    for (uint64_t key = 0; key < keys; key++) {
        const uint64_t content = gen_rows_initial(r, key);
        if (!content)
            continue;
        const row_id row = find_row(r, key);
        const uint32_t made = make_version(r, row, content);
        r->log->rows.at[row].initial = made;
    }
}

void
gen_rows_free(struct gen_rows *r)
{
    row_log_free(r->log);
    vec_free(&r->rows);
    vec_free(&r->conditions);
}

uint64_t
gen_rows_initial(const struct gen_rows *r, uint64_t key)
{
    assert(r->groups > 1);
    return key < r->keys && key % 2 == 0
               ? gen_rows_content(r, key / 2 % (r->groups - 1), 0)
               : 0;
}

static void
add_entry(struct gen_rows *r, struct row_entry e)
{
    capacity_want(CAPACITY_OPS, r->log->entries.n + 1);
    vec_push(&r->log->entries, e);
}

void
gen_rows_read(struct gen_rows *r, txn_id t, uint64_t key, uint64_t content)
{
    add_entry(r, (struct row_entry){.kind = ROW_READ,
                                    .txn = t,
                                    .row = find_row(r, key),
                                    .content = make_content(r, content)});
}

void
gen_rows_write(struct gen_rows *r, txn_id t, uint64_t key, uint64_t content,
               bool is_insert)
{
    const row_id row = find_row(r, key);
    add_entry(r, (struct row_entry){.kind = ROW_WRITE,
                                    .is_insert = is_insert,
                                    .txn = t,
                                    .row = row,
                                    .content = make_version(r, row, content)});
}

void
gen_rows_return(struct gen_rows *r, txn_id t, uint64_t key, uint64_t content)
{
    add_entry(r, (struct row_entry){.kind = ROW_RETURNED,
                                    .txn = t,
                                    .row = find_row(r, key),
                                    .content = make_content(r, content)});
}

/* The condition that a row is in a group. */
static uint32_t
find_condition(struct gen_rows *r, uint64_t group)
{
    while (r->conditions.n <= group)
        vec_push(&r->conditions, 0);
    if (!r->conditions.at[group]) {
        struct buf text = {0};
        struct err err = {0};
        uint32_t made;
        size_t where;
        buf_text(&text, "g = ");
        buf_u64(&text, group);
        const bool ok = row_log_condition(r->log, text.at, text.n, false, &made,
                                          &where, &err);
        assert(ok);
        (void)ok;
        r->conditions.at[group] = made + 1;
        buf_free(&text);
    }
    return r->conditions.at[group] - 1;
}

void
gen_rows_query(struct gen_rows *r, txn_id t, uint64_t group, uint32_t returned)
{
    vec_push(&r->log->queries,
             ((struct row_query){.table = r->table,
                                 .condition = find_condition(r, group),
                                 .returned = returned}));
    add_entry(r, (struct row_entry){.kind = ROW_QUERY,
                                    .txn = t,
                                    .about = (uint32_t)r->log->queries.n - 1});
}

bool
gen_rows_end(struct gen_rows *r, struct builder *b, struct err *err)
{
    const char *at;
    if (!row_registers_make(r->log, b, &at, err))
        return false;
    builder_rows(b, r->log);
    r->log = NULL;
    return true;
}
