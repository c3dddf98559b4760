/* item_table.c -- the table of rows, and the transactions on it.
 *
 * SPDX-License-Identifier: MIT */
#include "collect/items/item_step.h"
#include "driver/sql/sql.h"

/* --- the table -------------------------------------------------------------*/

bool
item_load(struct database *db, struct err *err)
{
    static const char *const columns[] = {"g", "v", "prev_g", "prev_v"};
    const struct table_shape table = {
        .name = ITEM_TABLE, .columns = columns, .n_columns = 4};
    if (!db->driver->sql || !db->driver->query)
        return err_set(err, ERR_USAGE,
                       "%s: workloads of rows need a database that takes SQL",
                       db->driver->scheme);
    if (!db->driver->load_table(db, &table, err))
        return false;
    if (!db->index)
        return true;
    bool ok = true, made = false;
    for (size_t node = 0; ok && !made && node < db->nodes; node++) {
        struct connection *c;
        if (!db->driver->connect(db, 0, node, &c, err))
            return false;
        made = !c->is_read_only;
        ok = !made || sql_must(c, "create index assay_item_g on assay_item (g)",
                               NULL, err);
        db->driver->disconnect(c);
    }
    return ok;
}

/* --- transactions ----------------------------------------------------------*/

enum outcome
item_begin_read_only(struct connection *c)
{
    const char *begin = c->driver->sql->begin_read_only;
    return begin ? c->driver->query(c, begin, NULL) : c->driver->begin(c);
}
