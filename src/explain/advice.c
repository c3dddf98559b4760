/* advice.c -- see advice.h.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/advice.h"

#include "explain/product_advice.h"

#include <assert.h>
#include <stdbool.h>

// clang-format off
const struct anomaly_advice advice_table[ANOMALY_KINDS] = {
    [ANOMALY_THIN_AIR] = {
        .risk = "An application acts on a value that was never stored.",
        .remedy = "Check first that every writer is recorded, also scripts and triggers. If so, this is a bug of the database or its driver; report it with the reduced history."},
    [ANOMALY_ABORTED] = {
        "An application acts on data that was taken back: a cancelled payment looks paid.",
        "Use READ COMMITTED or stronger; only READ UNCOMMITTED allows this. If READ COMMITTED was used, check that the recorder calls a transaction aborted only when the database said so: after a timeout the outcome is unknown.",
        ADVICE_READ_COMMITTED,
        "Check that the recorder calls a transaction aborted only when the database said so: after a timeout the outcome is unknown."},
    [ANOMALY_FUTURE] = {
        .risk = "An application sees a change before it made it.",
        .remedy = "No level allows this. Check that operations are recorded in the order they ran; if so, it is a bug of the database."},
    [ANOMALY_NOT_OWN] = {
        "A transaction does not see its own change, so a check after an update checks the wrong value.",
        "Check that the read ran in the same transaction and not on another connection or a replica. Some databases do this at REPEATABLE READ and not at SERIALIZABLE: PostgreSQL where a row is inserted again that the snapshot still has, MariaDB where an update writes the value that the row has by then (doc/databases.md).",
        ADVICE_REPEATABLE_READ,
        "Check that the read ran in the same transaction and not on another connection or a replica."},
    [ANOMALY_NOT_LATEST] = {
        "An application acts on a value that was only a step on the way, such as an account between two halves of a transfer.",
        "Use READ COMMITTED or stronger; only READ UNCOMMITTED allows this.",
        ADVICE_READ_COMMITTED,
        "Check that the recorder calls a transaction committed only when the database said so."},
    [ANOMALY_MISSING_ROW] = {
        .risk = "A row is there and a query does not find it: it is created a second time, or left out of a sum.",
        .remedy = "This is a mistake of the database or of the recording, not a matter of the level: look for a damaged index, and compare a read by another index with a scan."},
    [ANOMALY_INCOMPATIBLE] = {
        "Two readers disagree about the order of entries, so a log or a queue is not the same for everybody.",
        "Use SERIALIZABLE, or keep each entry in its own row with a number from a counter row that is locked with SELECT ... FOR UPDATE. On replicas, read from the primary.",
        ADVICE_SERIALIZABLE,
        "Keep each entry in its own row with a number from a counter row that is locked with SELECT ... FOR UPDATE. On replicas, read from the primary."},
    [ANOMALY_DUPLICATE] = {
        .risk = "An entry that was added once is there twice: an order is shipped two times.",
        .remedy = "Give each entry a key and a UNIQUE constraint, so that an insert that is tried again fails. Check that retries do not repeat a commit whose outcome is unknown."},
    [ANOMALY_LOST_APPEND] = {
        .risk = "An entry that was added and acknowledged is missing.",
        .remedy = "Append in one statement (UPDATE ... SET list = list || entry), or lock the row with SELECT ... FOR UPDATE before reading it, or keep each entry in its own row."},
    [ANOMALY_LOST_COMMIT] = {
        .risk = "A user received a confirmation, and the data is gone: an order is confirmed and never shipped.",
        .remedy = "Make commits durable before they are acknowledged: synchronous_commit = on and fsync = on in PostgreSQL, innodb_flush_log_at_trx_commit = 1 in MariaDB and MySQL. Before a failover, let commits wait for replicas. If no server ended, it is a bug of the database, such as an index that lost a row."},
    [ANOMALY_DIRTY_WRITE] = {
        .risk = "Two transactions that change the same rows leave a mixture: the car belongs to one buyer and the invoice to the other.",
        .remedy = "SQL forbids this at every level. Where several databases or shards are written, use one transaction manager; else report it as a bug."},
    [ANOMALY_CIRCULAR] = {
        "Two transactions each saw the other one's change, so neither can have come first: decisions rest on each other.",
        "Use READ COMMITTED or stronger. If READ COMMITTED was used, it is a bug of the database; report it with the reduced history.",
        ADVICE_READ_COMMITTED,
        "Check that every transaction is recorded with what it read and wrote itself."},
    [ANOMALY_NON_REPEATABLE] = {
        "A value changes between two reads of a transaction: a price is checked and another one is charged.",
        "Use REPEATABLE READ or stronger, read once and use that value, or lock the row at the first read with SELECT ... FOR SHARE or FOR UPDATE.",
        ADVICE_REPEATABLE_READ,
        "Read once and use that value, or lock the row at the first read with SELECT ... FOR SHARE or FOR UPDATE."},
    [ANOMALY_PHANTOM_READ] = {
        "Two searches of a transaction do not fit together: a report counts ten orders and lists eleven.",
        "Search once and use that result, or use REPEATABLE READ (PostgreSQL), SNAPSHOT or SERIALIZABLE. On MariaDB and MySQL, UPDATE, DELETE and SELECT ... FOR UPDATE see the latest rows and a plain SELECT the snapshot: search with FOR UPDATE from the start, or set innodb_snapshot_isolation = ON.",
        ADVICE_REPEATABLE_READ,
        "Search once and use that result. On MariaDB and MySQL, UPDATE, DELETE and SELECT ... FOR UPDATE see the latest rows and a plain SELECT the snapshot: search with FOR UPDATE from the start, or set innodb_snapshot_isolation = ON."},
    [ANOMALY_FRACTURED] = {
        "A transaction sees one half of another one's changes: the money has left one account and is not on the other yet.",
        "Read everything in one SELECT statement, or use REPEATABLE READ (PostgreSQL), SNAPSHOT or SERIALIZABLE.",
        ADVICE_REPEATABLE_READ,
        "Read everything in one SELECT statement."},
    [ANOMALY_READ_YOUR_WRITES] = {
        .risk = "A user does not see what they have just saved, and saves it again.",
        .remedy = "Read from the node that was written, or make reads wait until a replica has caught up (causal reads, wsrep_sync_wait, synchronous_commit = remote_apply)."},
    [ANOMALY_NON_MONOTONIC] = {
        .risk = "A user sees new data, loads the page again, and it is gone.",
        .remedy = "Keep a session on one node, or make reads wait until a replica has caught up (causal reads, wsrep_sync_wait, synchronous_commit = remote_apply)."},
    [ANOMALY_MONOTONIC_WRITE] = {
        .risk = "Others see the later change of a session without the earlier one: the reply without the message.",
        .remedy = "Make both changes in one transaction, keep a session on one node, or make reads wait until a replica has caught up."},
    [ANOMALY_CAUSALITY] = {
        "A reader sees an answer and not the question: the effect is there and its cause is not.",
        "Read from the primary, or use a level that is at least causal on all nodes (causal reads, wsrep_sync_wait); on one node use REPEATABLE READ or stronger.",
        ADVICE_REPEATABLE_READ,
        "Read from the primary, or use reads that are causal on all nodes (causal reads, wsrep_sync_wait)."},
    [ANOMALY_READ_SKEW] = {
        "A transaction combines values of different moments: a sum over accounts that never was the sum.",
        "Read everything in one SELECT statement, or use REPEATABLE READ (PostgreSQL), SNAPSHOT or SERIALIZABLE. On MariaDB and MySQL, lock what is read before a write with SELECT ... FOR UPDATE.",
        ADVICE_REPEATABLE_READ,
        "Read everything in one SELECT statement. On MariaDB and MySQL, lock what is read before a write with SELECT ... FOR UPDATE."},
    [ANOMALY_STALE_READ] = {
        .risk = "A change that was acknowledged is not seen afterwards: one client informs another by other means, which does not see it.",
        .remedy = "Read from the primary, or make reads wait until a replica has caught up. Where the database promises it, ask for a strict (linearizable) read."},
    [ANOMALY_LOST_UPDATE] = {
        "Two transactions read a value, and each writes a new one computed from it: the change of the first is lost. A counter counts one of two events, an account misses a deposit.",
        "Change the value in one statement (UPDATE ... SET balance = balance + 10), or lock the row when it is read (SELECT ... FOR UPDATE), or write with a condition on what was read (... WHERE version = 7), or use SERIALIZABLE (on PostgreSQL, REPEATABLE READ is enough) and retry failed transactions.",
        ADVICE_REPEATABLE_READ,
        "Change the value in one statement (UPDATE ... SET balance = balance + 10), or lock the row when it is read (SELECT ... FOR UPDATE), or write with a condition on what was read (... WHERE version = 7)."},
    [ANOMALY_LONG_FORK] = {
        "Two readers see two changes in opposite orders, so what each of them concludes contradicts the other.",
        "Use SERIALIZABLE, and read from one node or with reads that wait for the other nodes.",
        ADVICE_REPEATABLE_READ,
        "Read from one node or with reads that wait for the other nodes."},
    [ANOMALY_WRITE_SKEW] = {
        "A rule about several rows is broken although every transaction checks it: both doctors leave because each sees the other one on call.",
        "Use SERIALIZABLE and retry failed transactions; or lock the rows that the rule is about with SELECT ... FOR UPDATE before checking it; or let a constraint or a shared row that both update state the rule.",
        ADVICE_SERIALIZABLE,
        "Lock the rows that the rule is about with SELECT ... FOR UPDATE before checking it; or let a constraint or a shared row that both update state the rule."},
    [ANOMALY_READ_ONLY] = {
        "A report shows a state that never was: totals that do not match what is booked later.",
        "Use SERIALIZABLE for the report, too (on PostgreSQL, SERIALIZABLE READ ONLY DEFERRABLE waits for a safe snapshot and is never refused), and retry failed transactions.",
        ADVICE_SERIALIZABLE,
        "Lock the rows that the report reads with SELECT ... FOR SHARE."},
    [ANOMALY_G2_ITEM] = {
        "Transactions act on what the others are changing, in a circle: no order of them gives this outcome, so rules about several rows may be broken.",
        "Use SERIALIZABLE and retry failed transactions; or lock what a decision rests on with SELECT ... FOR UPDATE.",
        ADVICE_SERIALIZABLE,
        "Lock what a decision rests on with SELECT ... FOR UPDATE."},
    [ANOMALY_PHANTOM] = {
        "A transaction acts on what is not there, and another one puts it there: two users get the same name, a seat is sold twice, more is handed out than a sum allows.",
        "Use SERIALIZABLE and retry failed transactions; or let a UNIQUE or EXCLUDE constraint state the rule; or lock a row that stands for the whole set with SELECT ... FOR UPDATE, because a row that does not exist cannot be locked.",
        ADVICE_SERIALIZABLE,
        "Let a UNIQUE or EXCLUDE constraint state the rule; or lock a row that stands for the whole set with SELECT ... FOR UPDATE, because a row that does not exist cannot be locked."},
    [ANOMALY_CYCLE] = {
        "No order of the transactions gives this outcome, so rules that each of them keeps may be broken.",
        "Use SERIALIZABLE and retry failed transactions; or lock what a decision rests on with SELECT ... FOR UPDATE.",
        ADVICE_SERIALIZABLE,
        "Lock what a decision rests on with SELECT ... FOR UPDATE."},
};
// clang-format on

static const char *const names[ADVICE_ISOLATIONS] = {
    [ADVICE_READ_UNCOMMITTED] = "READ UNCOMMITTED",
    [ADVICE_READ_COMMITTED] = "READ COMMITTED",
    [ADVICE_REPEATABLE_READ] = "REPEATABLE READ",
    [ADVICE_SERIALIZABLE] = "SERIALIZABLE"};

/* Whether the texts are the same but for the case of letters. */
static bool
same_words(const char *upper, const char *text)
{
    for (; *upper && *text; upper++, text++)
        if (*upper != (*text >= 'a' && *text <= 'z' ? *text - 32 : *text))
            return false;
    return *upper == *text;
}

enum advice_isolation
advice_isolation_of(const char *name)
{
    for (int i = 1; i < ADVICE_ISOLATIONS; i++)
        if (same_words(names[i], name))
            return (enum advice_isolation)i;
    return ADVICE_NO_ISOLATION;
}

void
advice_remedy(enum anomaly_kind kind, const char *database,
              enum advice_isolation used, struct buf *out)
{
    const struct anomaly_advice *a = &advice_table[kind];
    const struct product_advice *p = product_advice_find(kind, database);
    const char *remedy = p ? p->remedy : a->remedy;
    const char *instead = p ? p->instead : a->instead;
    assert(kind < ANOMALY_KINDS && used < ADVICE_ISOLATIONS);
    if (!a->forbidden_from || used < a->forbidden_from || !instead) {
        buf_text(out, remedy);
        return;
    }
    buf_printf(out, "%s was requested, and ", names[used]);
    buf_shown(out, database);
    buf_text(out, " did not prevent this (doc/databases.md says what is known "
                  "of it). ");
    buf_text(out, used < ADVICE_SERIALIZABLE
                      ? "Use SERIALIZABLE and retry failed transactions. If "
                        "that is too strict: "
                      : "No level is stronger: report it with the reduced "
                        "history. Until then: ");
    buf_text(out, instead);
}
