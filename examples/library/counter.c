/* counter.c -- a test of a key-value store with a bug, and Assay finds it.
 *
 * The store reads and writes a counter without holding its lock in between, so
 * that two clients that read the same value lose an update.  Each client
 * records what it read and wrote; the test fails with the story.
 *
 *     cc -std=c99 counter.c $(pkg-config --cflags --libs assay) && ./a.out
 *
 * SPDX-License-Identifier: MIT */
#include <assay/assay.h>

#include <stdio.h>

/* --- the store
 * --------------------------------------------------------------*/

static long counter;

static long
store_get(void)
{
    return counter;
}

static void
store_put(long value)
{
    counter = value; // the bug: nobody looks whether it has changed
}

/* --- the test
 * ---------------------------------------------------------------*/

/* A client that has read the counter, and is about to write it. */
struct client {
    assay_session *session;
    long seen;
    long number;
};

static void
begin(struct client *c)
{
    assay_begin(c->session);
    c->seen = store_get();
    assay_read_int(c->session, "counter", c->seen);
}

static void
end(struct client *c)
{
    const long value = c->seen + 10 + c->number; // a value of its own
    store_put(value);
    assay_write_int(c->session, "counter", value);
    assay_end(c->session, ASSAY_COMMITTED);
}

int
main(void)
{
    assay *a = assay_new();
    assay_recorder *rec = assay_recorder_new(a);
    assay_session *load = assay_session_open(rec, "load");
    struct client first = {assay_session_open(rec, "first client"), 0, 1};
    struct client second = {assay_session_open(rec, "second client"), 0, 2};
    assay_begin(load);
    assay_write_int(load, "counter", counter);
    assay_end(load, ASSAY_COMMITTED);
    begin(&first);
    begin(&second); // before the first client writes
    end(&first);
    end(&second);

    assay_history *h = assay_recorder_finish(rec);
    assay_result *r = assay_check(a, h, "si");
    const int status = (int)assay_verdict(r);
    if (status != ASSAY_HOLDS)
        puts(r ? assay_result_text(r, "text", NULL) : assay_error());
    assay_result_free(r);
    assay_history_free(h);
    assay_free(a);
    return status;
}
