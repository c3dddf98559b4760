/* product_advice.c -- see product_advice.h.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/product_advice.h"

#include "explain/advice.h"
#include "explain/promise.h"

#include <assert.h>
#include <stddef.h>

// clang-format off
#define LOST_UPDATE_INSTEAD \
    "Change the value in one statement (UPDATE ... SET balance = balance + 10), or lock the row when it is read (SELECT ... FOR UPDATE), or write with a condition on what was read (... WHERE version = 7)"

static const struct {
    enum anomaly_kind kind;
    enum product product;
    struct product_advice advice;
} rows[] = {
    {ANOMALY_LOST_COMMIT, PRODUCT_POSTGRESQL, {
        "Make commits durable before they are acknowledged: synchronous_commit = on and fsync = on. Before a failover, let commits wait for the standby (synchronous_standby_names). If no server ended, it is a bug of the database, such as an index that lost a row.", NULL}},
    {ANOMALY_LOST_COMMIT, PRODUCT_MARIADB, {
        "Make commits durable before they are acknowledged: innodb_flush_log_at_trx_commit = 1. Before a failover, let commits wait for replicas. If no server ended, it is a bug of the database, such as an index that lost a row.", NULL}},
    {ANOMALY_LOST_COMMIT, PRODUCT_SQLITE, {
        "Check that PRAGMA synchronous is FULL and that the disk keeps what it has acknowledged. If neither the process nor the machine ended, it is a defect of this build: report it with the reduced history.", NULL}},
    {ANOMALY_READ_YOUR_WRITES, PRODUCT_POSTGRESQL, {
        "Read from the primary, or make reads wait until the standby has caught up (synchronous_commit = remote_apply).", NULL}},
    {ANOMALY_READ_YOUR_WRITES, PRODUCT_MARIADB, {
        "Read from the node that was written, or make reads wait until the node has caught up (wsrep_sync_wait on Galera).", NULL}},
    {ANOMALY_NON_MONOTONIC, PRODUCT_POSTGRESQL, {
        "Keep a session on one node, or make reads wait until the standby has caught up (synchronous_commit = remote_apply).", NULL}},
    {ANOMALY_NON_MONOTONIC, PRODUCT_MARIADB, {
        "Keep a session on one node, or make reads wait until the node has caught up (wsrep_sync_wait on Galera).", NULL}},
    {ANOMALY_PHANTOM_READ, PRODUCT_POSTGRESQL, {
        "Search once and use that result, or use REPEATABLE READ.", "Search once and use that result."}},
    {ANOMALY_PHANTOM_READ, PRODUCT_MARIADB, {
        "Search once and use that result, or search with FOR UPDATE from the start, or set innodb_snapshot_isolation = ON (MariaDB), or use SERIALIZABLE: UPDATE, DELETE and SELECT ... FOR UPDATE see the latest rows, a plain SELECT the snapshot.", "Search once and use that result, or search with FOR UPDATE from the start, or set innodb_snapshot_isolation = ON (MariaDB): UPDATE, DELETE and SELECT ... FOR UPDATE see the latest rows, a plain SELECT the snapshot."}},
    {ANOMALY_CAUSALITY, PRODUCT_POSTGRESQL, {
        "Read from the primary; on one node use REPEATABLE READ or stronger.", "Read from the primary."}},
    {ANOMALY_CAUSALITY, PRODUCT_MARIADB, {
        "Read from one node, or make reads wait until the node has caught up (wsrep_sync_wait on Galera); on one node use SERIALIZABLE.", "Read from one node, or make reads wait until the node has caught up (wsrep_sync_wait on Galera)."}},
    {ANOMALY_FRACTURED, PRODUCT_POSTGRESQL, {
        "Read everything in one SELECT statement, or use REPEATABLE READ.", "Read everything in one SELECT statement."}},
    {ANOMALY_FRACTURED, PRODUCT_MARIADB, {
        "Read everything in one SELECT statement, or set innodb_snapshot_isolation = ON (MariaDB), or use SERIALIZABLE.", "Read everything in one SELECT statement, or set innodb_snapshot_isolation = ON (MariaDB)."}},
    {ANOMALY_READ_SKEW, PRODUCT_POSTGRESQL, {
        "Read everything in one SELECT statement, or use REPEATABLE READ.", "Read everything in one SELECT statement."}},
    {ANOMALY_READ_SKEW, PRODUCT_MARIADB, {
        "Read everything in one SELECT statement, or lock what is read before a write with SELECT ... FOR UPDATE, or use SERIALIZABLE.", "Read everything in one SELECT statement, or lock what is read before a write with SELECT ... FOR UPDATE."}},
    {ANOMALY_LOST_UPDATE, PRODUCT_POSTGRESQL, {
        LOST_UPDATE_INSTEAD ", or use REPEATABLE READ and retry transactions that fail with SQLSTATE 40001.", LOST_UPDATE_INSTEAD "."}},
    {ANOMALY_LOST_UPDATE, PRODUCT_MARIADB, {
        LOST_UPDATE_INSTEAD ", or set innodb_snapshot_isolation = ON (MariaDB), or use SERIALIZABLE, and retry failed transactions.", LOST_UPDATE_INSTEAD ", or set innodb_snapshot_isolation = ON (MariaDB) and retry failed transactions."}},
    {ANOMALY_READ_ONLY, PRODUCT_MARIADB, {
        "Use SERIALIZABLE for the report, too, and retry failed transactions.", "Lock the rows that the report reads with SELECT ... FOR SHARE (LOCK IN SHARE MODE)."}},
};

static const struct product_advice defect_of_sqlite = {
    "SQLite promises serializable transactions, so this is a defect of this build or a mistake of the recording: reproduce it with the reduced history, and report it.", NULL};

static const struct product_advice defect_of_duckdb = {
    "DuckDB promises snapshot isolation, which forbids this: report it with the reduced history.", NULL};

static const struct product_advice beyond_duckdb = {
    "DuckDB has one level, snapshot isolation, which allows this. Let both transactions update a shared row, so that the later one is refused and can be retried; or let a constraint state the rule.", NULL};

static const struct product_advice of_store = {
    "If the store promises to prevent this, debug it with the reduced history, which is the smallest case. If it does not, document it: the applications then have to prevent it.", NULL};
// clang-format on

const struct product_advice *
product_advice_find(enum anomaly_kind kind, const char *database)
{
    const enum product product = product_of(database);
    assert(kind < ANOMALY_KINDS);
    const enum advice_isolation from = advice_table[kind].forbidden_from;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].kind == kind && rows[i].product == product)
            return &rows[i].advice;
    if (!from)
        return NULL;
    switch (product) {
    case PRODUCT_SQLITE:
        return &defect_of_sqlite;
    case PRODUCT_DUCKDB:
        return from == ADVICE_SERIALIZABLE ? &beyond_duckdb : &defect_of_duckdb;
    case PRODUCT_STORE:
        return &of_store;
    default:
        return NULL;
    }
}
