/* stream_source.c -- writes a history of any length, as fast as a pipe takes
 * it.
 *
 *     stream_source [-t TXNS] [-o OPS] [-k KEYS] [-s SESSIONS] [-f text|jsonl]
 *                   [-d DIR -m SHARDS] [-c SKEW] [-l LAG] [-x AT] [-r SEED]
 *
 * Transactions run one after the other on a store of KEYS registers, 10,000 ns
 * apart, so that the history is serializable.  'assay gen' keeps its history in
 * memory; this program keeps the last value of each key.
 *
 * With -d, sessions are dealt out to SHARDS files of a directory, each with its
 * own clock, which is off by up to SKEW nanoseconds.  With -l, a transaction is
 * written down up to LAG nanoseconds late.  With -x, transaction AT reads a
 * value that was overwritten since its session wrote it.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PACE = 10000, LENGTH = 7000, ROOM = 1 << 16 };

struct source {
    uint64_t txns, ops, keys, sessions, shards, skew, lag, wrong, seed;
    bool jsonl;
    const char *dir;
    uint64_t *last;  // by key: the value that it holds
    int64_t *offset; // by shard: of its clock
    FILE **files;    // by shard
    uint64_t next_value;
};

/* xorshift64*; good enough for a workload. */
static uint64_t
draw(struct source *s, uint64_t below)
{
    s->seed ^= s->seed >> 12;
    s->seed ^= s->seed << 25;
    s->seed ^= s->seed >> 27;
    const uint64_t x = s->seed * UINT64_C(0x2545f4914f6cdd1d);
    return (uint64_t)((x >> 32) * (below & UINT32_MAX) >> 32);
}

static char *
put_number(char *at, uint64_t x)
{
    char digits[20];
    int n = 0;
    do {
        digits[n++] = (char)('0' + x % 10);
        x /= 10;
    } while (x);
    while (n)
        *at++ = digits[--n];
    return at;
}

static char *
put_text(char *at, const char *text)
{
    const size_t n = strlen(text);
    memcpy(at, text, n);
    return at + n;
}

static char *
put_op(const struct source *s, char *at, bool is_write, uint64_t key,
       uint64_t value, uint64_t session, uint64_t txn, bool is_first)
{
    if (s->jsonl) {
        at = put_text(at, is_first ? "[\"" : ",[\"");
        *at++ = is_write ? 'w' : 'r';
        at = put_text(at, "\",");
        at = put_number(at, key);
        *at++ = ',';
        at = value ? put_number(at, value) : put_text(at, "null");
        *at++ = ']';
        return at;
    }
    *at++ = is_write ? 'w' : 'r';
    *at++ = '(';
    const uint64_t numbers[] = {key, value, session, txn};
    for (int i = 0; i < 4; i++) {
        at = put_number(at, numbers[i]);
        *at++ = i < 3 ? ',' : ')';
    }
    *at++ = '\n';
    return at;
}

/* The operations of a transaction; each key at most once would need a set, and
 * is not needed: a read after an own write returns that write. */
static char *
put_ops(struct source *s, char *at, uint64_t session, uint64_t txn)
{
    for (uint64_t i = 0; i < s->ops; i++) {
        const uint64_t key = draw(s, s->keys);
        const bool is_write = draw(s, 2);
        if (is_write)
            s->last[key] = ++s->next_value;
        at = put_op(s, at, is_write, key, s->last[key], session, txn, !i);
    }
    if (s->wrong && txn == s->wrong) {
        at = put_op(s, at, true, 0, ++s->next_value, session, txn, false);
        at = put_op(s, at, true, 0, s->next_value + 1, session, txn, false);
        at = put_op(s, at, false, 0, s->next_value, session, txn, false);
        s->last[0] = ++s->next_value;
    }
    return at;
}

static void
put_txn(struct source *s, uint64_t txn)
{
    static char line[ROOM];
    const uint64_t session = draw(s, s->sessions);
    const uint64_t shard = session % s->shards;
    char *at = line;
    if (s->jsonl) {
        const int64_t late = s->lag ? (int64_t)draw(s, s->lag) : 0;
        const int64_t end = (int64_t)(txn * PACE) + s->offset[shard] + late +
                            (int64_t)1000000000;
        at = put_text(at, "{\"session\":");
        at = put_number(at, session);
        at = put_text(at, ",\"start\":");
        at = put_number(at, (uint64_t)(end - LENGTH));
        at = put_text(at, ",\"end\":");
        at = put_number(at, (uint64_t)end);
        at = put_text(at, ",\"ops\":[");
    }
    at = put_ops(s, at, session, txn);
    if (s->jsonl)
        at = put_text(at, "]}\n");
    fwrite(line, 1, (size_t)(at - line), s->files[shard]);
}

static void
open_files(struct source *s)
{
    for (uint64_t i = 0; i < s->shards; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/client-%03llu.jsonl",
                 s->dir ? s->dir : "", (unsigned long long)i);
        s->files[i] = s->dir ? fopen(path, "w") : stdout;
        if (!s->files[i]) {
            perror(path);
            exit(2);
        }
        s->offset[i] = s->skew ? (int64_t)draw(s, 2 * s->skew) : 0;
    }
}

static void
take_option(struct source *s, int letter)
{
    const uint64_t n = strtoull(optarg, NULL, 10);
    switch (letter) {
    case 't':
        s->txns = n;
        break;
    case 'o':
        s->ops = n < 400 ? n : 400;
        break;
    case 'k':
        s->keys = n;
        break;
    case 's':
        s->sessions = n;
        break;
    case 'm':
        s->shards = n;
        break;
    case 'c':
        s->skew = n;
        break;
    case 'l':
        s->lag = n;
        break;
    case 'x':
        s->wrong = n;
        break;
    case 'r':
        s->seed = 2 * n + 1;
        break;
    case 'd':
        s->dir = optarg;
        s->jsonl = true;
        break;
    case 'f':
        s->jsonl = strcmp(optarg, "jsonl") == 0;
        break;
    default:
        exit(2);
    }
}

int
main(int argc, char **argv)
{
    struct source s = {.txns = 1000000,
                       .ops = 8,
                       .keys = 100000,
                       .sessions = 40,
                       .shards = 1,
                       .seed = UINT64_C(0x9e3779b97f4a7c15)};
    for (int c; (c = getopt(argc, argv, "t:o:k:s:m:c:l:x:r:d:f:")) != -1;)
        take_option(&s, c);
    s.last = calloc(s.keys, sizeof *s.last);
    s.offset = calloc(s.shards, sizeof *s.offset);
    s.files = calloc(s.shards, sizeof *s.files);
    if (!s.last || !s.offset || !s.files)
        return 2;
    open_files(&s);
    for (uint64_t t = 1; t <= s.txns; t++)
        put_txn(&s, t);
    for (uint64_t i = 0; i < s.shards; i++)
        if (fflush(s.files[i]) != 0)
            return 2;
    return 0;
}
