/* rocksdb_store.c -- test RocksDB: assay test 'exec:rocksdb_store DIR [ser|si]'
 *
 *     cc -o rocksdb_store rocksdb_store.c -lrocksdb
 *
 * Optimistic transactions, with the snapshot of their begin.  One process has
 * the database open, so it serves all sessions, one request after another.
 * With 'ser' a commit fails if a key that was read has changed, with 'si' only
 * if one that was written has. */
#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SESSIONS = 4096, TEXT = 4096 };

static rocksdb_optimistictransactiondb_t *db;
static rocksdb_transaction_t *transactions[SESSIONS];
static rocksdb_writeoptions_t *writing;
static int is_serializable;

/* The value of a member: a number, or a string without escapes, which is what
 * keys and values of Assay are. */
static const char *
member(const char *line, const char *name, char out[TEXT])
{
    char pattern[64];
    snprintf(pattern, sizeof pattern, "\"%s\":", name);
    const char *at = strstr(line, pattern);
    out[0] = 0;
    if (!at)
        return out;
    at += strlen(pattern);
    const int is_string = *at == '"';
    at += is_string;
    const size_t n = strcspn(at, is_string ? "\"" : ",}");
    snprintf(out, TEXT, "%.*s", (int)n, at);
    return out;
}

static void
end(long session)
{
    if (transactions[session])
        rocksdb_transaction_destroy(transactions[session]);
    transactions[session] = NULL;
}

static void
begin(long session)
{
    rocksdb_optimistictransaction_options_t *options =
        rocksdb_optimistictransaction_options_create();
    rocksdb_optimistictransaction_options_set_set_snapshot(options, 1);
    end(session);
    transactions[session] =
        rocksdb_optimistictransaction_begin(db, writing, options, NULL);
    rocksdb_optimistictransaction_options_destroy(options);
}

static void
read_key(long session, const char *key, char **error)
{
    rocksdb_transaction_t *t = transactions[session];
    rocksdb_readoptions_t *reading = rocksdb_readoptions_create();
    const rocksdb_snapshot_t *snapshot = rocksdb_transaction_get_snapshot(t);
    size_t n = 0;
    rocksdb_readoptions_set_snapshot(reading, snapshot);
    char *value =
        is_serializable
            ? rocksdb_transaction_get_for_update(t, reading, key, strlen(key),
                                                 &n, 1, error)
            : rocksdb_transaction_get(t, reading, key, strlen(key), &n, error);
    if (!*error && value)
        printf("{\"session\":%ld,\"ok\":true,\"value\":\"%.*s\"}\n", session,
               (int)n, value);
    else if (!*error)
        printf("{\"session\":%ld,\"ok\":true,\"value\":null}\n", session);
    free(value);
    rocksdb_free((void *)(size_t)snapshot);
    rocksdb_readoptions_destroy(reading);
}

/* Delete all keys. */
static void
clear(char **error)
{
    rocksdb_t *base = rocksdb_optimistictransactiondb_get_base_db(db);
    rocksdb_readoptions_t *reading = rocksdb_readoptions_create();
    rocksdb_iterator_t *at = rocksdb_create_iterator(base, reading);
    for (rocksdb_iter_seek_to_first(at); rocksdb_iter_valid(at) && !*error;
         rocksdb_iter_next(at)) {
        size_t n;
        const char *key = rocksdb_iter_key(at, &n);
        rocksdb_delete(base, writing, key, n, error);
    }
    rocksdb_iter_destroy(at);
    rocksdb_readoptions_destroy(reading);
    rocksdb_optimistictransactiondb_close_base_db(base);
}

/* Do what a line asks for; whether it was answered already. */
static int
serve(const char *line, long session, char **error)
{
    char what[TEXT], key[TEXT], value[TEXT];
    member(line, "do", what);
    member(line, "key", key);
    if (strcmp(what, "open") == 0) {
        printf("{\"session\":%ld,\"ok\":true,\"name\":\"RocksDB, optimistic "
               "transactions, %s\",\"sessions\":\"many\"}\n",
               session, is_serializable ? "ser" : "si");
        return 1;
    }
    if (strcmp(what, "load") == 0 &&
        strcmp(member(line, "kind", value), "lists") == 0) {
        printf("{\"session\":%ld,\"ok\":false,\"outcome\":\"failed\","
               "\"message\":\"has no lists\"}\n",
               session);
        return 1;
    }
    if (strcmp(what, "load") == 0)
        clear(error);
    else if (strcmp(what, "begin") == 0)
        begin(session);
    else if (strcmp(what, "read") == 0) {
        read_key(session, key, error);
        return !*error;
    } else if (strcmp(what, "write") == 0) {
        member(line, "value", value);
        rocksdb_transaction_put(transactions[session], key, strlen(key), value,
                                strlen(value), error);
    } else if (strcmp(what, "commit") == 0) {
        rocksdb_transaction_commit(transactions[session], error);
        if (!*error)
            end(session);
    } else if (strcmp(what, "rollback") == 0 || strcmp(what, "close") == 0)
        end(session);
    return 0;
}

int
main(int argc, char *argv[])
{
    static char line[1 << 16];
    char *error = NULL, number[TEXT];
    rocksdb_options_t *options = rocksdb_options_create();
    if (argc < 2) {
        fputs("usage: rocksdb_store DIR [ser|si]\n", stderr);
        return 2;
    }
    is_serializable = argc < 3 || strcmp(argv[2], "ser") == 0;
    rocksdb_options_set_create_if_missing(options, 1);
    writing = rocksdb_writeoptions_create();
    db = rocksdb_optimistictransactiondb_open(options, argv[1], &error);
    if (!db) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    while (fgets(line, sizeof line, stdin)) {
        const long session = strtol(member(line, "session", number), NULL, 10);
        error = NULL;
        if (session < 0 || session >= SESSIONS)
            return 2;
        if (!serve(line, session, &error) && !error)
            printf("{\"session\":%ld,\"ok\":true}\n", session);
        if (error)
            printf("{\"session\":%ld,\"ok\":false,\"outcome\":\"aborted\","
                   "\"code\":\"conflict\",\"message\":\"%s\"}\n",
                   session, error);
        free(error);
        fflush(stdout);
    }
    rocksdb_optimistictransactiondb_close(db);
    return 0;
}
