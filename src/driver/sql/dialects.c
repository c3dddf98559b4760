/* dialects.c -- the SQL of each database, one table each.
 *
 * A driver of one database names its own.  ODBC and programs behind exec: have
 * the one of the product that they reach, see sql_variant_init.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/sql/sql.h"

#include <assert.h>
#include <string.h>

const struct dialect dialect_postgresql = {
    .name = "postgresql",
    .set_isolation =
        "set session characteristics as transaction isolation level %s",
    .get_isolation = "show transaction isolation level",
    .settings = "select name, setting from pg_settings where name in "
                "('default_transaction_isolation', 'fsync', 'server_version', "
                "'synchronous_commit', 'synchronous_standby_names') "
                "order by name",
    .is_read_only = "select pg_is_in_recovery()::int",
    .append = "concat(coalesce(v, ''), ',%s')",
    .array = "bigint[]",
    .append_to_array = "array_append(v, %s)",
    .upsert = "on conflict (assay_key) do update set",
    .waits = "select cardinality(pg_blocking_pids(%s)) + "
             "cardinality(pg_safe_snapshot_blocking_pids(%s))",
    .own_id = "select pg_backend_pid()",
    .clients = "select pid from pg_stat_activity where backend_type = "
               "'client backend' and pid <> pg_backend_pid()",
    .cut = "select pg_terminate_backend(%s)",
    .claim = "select pg_try_advisory_lock(4714523, "
             "hashtext(current_schema()))::int",
    .lock_timeout = "set lock_timeout = 10000",
    .indexes = " hash gin brin ",
    .use_index = "set enable_seqscan = off",
    .lexis = LEXIS_DOLLARS | LEXIS_NESTING,
    .returning = RETURNING_UPDATES | RETURNING_DELETES,
    .snapshot = "select 1",
    .begin_read_only = "begin read only",
    .for_update = " for update",
    .for_share = " for share",
    .has_savepoints = true,
    .before_check = "create extension if not exists amcheck",
    .check = "select bt_index_check(i.indexrelid, true) from pg_index i "
             "join pg_class c on c.oid = i.indexrelid "
             "join pg_am a on a.oid = c.relam where a.amname = 'btree' "
             "and i.indrelid = 'assay_%s'::regclass",
    .scan_only = "set enable_indexscan = off; set enable_indexonlyscan = off; "
                 "set enable_bitmapscan = off; set enable_seqscan = on",
    .index_only = "set enable_indexscan = on; set enable_indexonlyscan = on; "
                  "set enable_bitmapscan = on; set enable_seqscan = off",
};

// MariaDB and MySQL have different names for the variable.  InnoDB caches the
// list of its transactions, and renews it only after a tenth of a second
// without queries.
const struct dialect dialect_mariadb = {
    .name = "mariadb",
    .set_isolation = "set session transaction isolation level %s",
    .get_isolation = "show session variables where variable_name in "
                     "('tx_isolation', 'transaction_isolation')",
    .settings = "show session variables where variable_name in ('autocommit', "
                "'innodb_flush_log_at_trx_commit', 'innodb_snapshot_isolation',"
                " 'sync_binlog', 'version', 'wsrep_sync_wait')",
    .is_read_only = "select @@global.read_only",
    .append = "concat(coalesce(v, ''), ',%s')",
    .upsert = "on duplicate key update",
    .waits = "select (select count(*) from information_schema.innodb_trx where "
             "trx_mysql_thread_id = %s and trx_state = 'LOCK WAIT') + (select "
             "count(*) from information_schema.processlist where id = %s and "
             "state like 'Waiting for %lock%')",
    .own_id = "select connection_id()",
    .clients = "select id from information_schema.processlist where user <> "
               "'system user' and id <> connection_id()",
    .cut = "kill %s",
    .claim = "select get_lock(concat('assay ', md5(database())), 0)",
    .lock_timeout = "set session lock_wait_timeout = 10",
    .lexis = LEXIS_BACKSLASHES | LEXIS_HASHES,
    .returning = RETURNING_DELETES,
    // At SERIALIZABLE a select would lock what it reads, or the gap.
    .snapshot = "start transaction with consistent snapshot",
    .snapshot_read_only =
        "start transaction with consistent snapshot, read only",
    .begin_read_only = "start transaction read only",
    .for_update = " for update",
    .for_share = " lock in share mode",
    .has_savepoints = true,
    .check = "check table assay_%s extended",
    .check_says_ok = true,
};

// Appends use '||', because SQLite 3.40 has no concat().  No query for waiting
// sessions is needed: none waits for a lock for longer than WAIT_FOR_LOCK.
const struct dialect dialect_sqlite = {
    .name = "sqlite",
    .append = "coalesce(v, '') || ',%s'",
    .upsert = "on conflict (assay_key) do update set",
    .lexis = LEXIS_BRACKETS,
    .returning = RETURNING_UPDATES | RETURNING_DELETES,
    .claim = "select assay_claim()",
    .has_savepoints = true,
    .check = "pragma integrity_check('assay_%s')",
    .check_says_ok = true,
};

const struct dialect dialect_duckdb = {
    .name = "duckdb",
    .append = "coalesce(v, '') || ',%s'",
    .upsert = "on conflict (assay_key) do update set",
    .lexis = LEXIS_DOLLARS | LEXIS_NESTING,
    .returning = RETURNING_UPDATES | RETURNING_DELETES,
};

const struct dialect dialect_firebird = {
    .name = "firebird",
    .has_matching = true,
    .append = "coalesce(v, '') || ',%s'",
    .text = "varchar(30000)",
    .inserts_one_row = true,
    .returning = RETURNING_ONE_DELETE,
    .for_update = " for update with lock",
    .has_savepoints = true,
};

// Only what the SQL standard and every product have.
const struct dialect dialect_other = {
    .name = "other",
    .append = "coalesce(v, '') || ',%s'",
    .text = "varchar(30000)",
    .inserts_one_row = true,
};

const struct dialect *
dialect_find(const char *name)
{
    static const struct dialect *const all[] = {
        &dialect_postgresql, &dialect_mariadb,  &dialect_sqlite,
        &dialect_duckdb,     &dialect_firebird, &dialect_other};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    return NULL;
}

void
sql_variant_init(struct sql_variant *v, const struct driver *driver,
                 const struct dialect *dialect)
{
    assert(driver->query && dialect && dialect->name);
    v->driver = *driver;
    v->dialect = *dialect;
    v->driver.sql = &v->dialect;
}

const char *
sql_product(const struct driver *driver)
{
    return driver->sql ? driver->sql->name : driver->scheme;
}
