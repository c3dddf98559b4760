/* sql.h -- reads, writes and appends in SQL, over a driver's 'query'.
 *
 * Keys are the rows of one table: assay_kv (k, v) for registers, with v an
 * integer or NULL; assay_list (k, v) for lists, with v the elements as text,
 * separated and preceded by commas.  Tables of cells, named assay_..., have
 * their key in a column k too.
 *
 * SPDX-License-Identifier: MIT */
#ifndef DRIVER_SQL_H
#define DRIVER_SQL_H

#include "driver/driver.h"

bool sql_load(struct database *db, uint64_t keys, bool lists, struct err *err);
bool sql_load_table(struct database *db, const struct table_shape *table,
                    struct err *err);
enum outcome sql_begin(struct connection *c);
enum outcome sql_read(struct connection *c, uint64_t key, struct reading *out);
enum outcome sql_write(struct connection *c, uint64_t key, int64_t value);
enum outcome sql_append(struct connection *c, uint64_t key, int64_t element);
enum outcome sql_read_list(struct connection *c, uint64_t key, int_vec *out);
enum outcome sql_read_cell(struct connection *c, const struct cell_place *at,
                           struct reading *out);
enum outcome sql_write_cell(struct connection *c, const struct cell_place *at,
                            int64_t value);
enum outcome sql_commit(struct connection *c);
enum outcome sql_abort(struct connection *c);

/* Run every statement of a text, separated by semicolons; fail with the
 * server's message at the first that is refused. */
bool sql_run(struct connection *c, const char *text, struct err *err);

/* Run one statement or fail with the server's message. */
bool sql_must(struct connection *c, const char *sql, struct rows *out,
              struct err *err);

/* "1,2,3", with or without a comma in front, as integers. */
void int_list_parse(const char *text, int_vec *out);

#endif
