/* self_check.c -- see self_check.h.
 *
 * The value has more than 53 bits, so that a number that went through a double
 * on its way does not come back equal.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/self_check.h"

#include "base/time.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define VALUE INT64_C(9007199254740993)
#define AUTHOR INT64_C(9007199254740995)

enum { TRIES = 10 }; // while the database aborts the transactions

enum { TEXT = 64 };

struct probe {
    struct cell_place at; // if it has a table
    enum key_kind kind;   // else
    const char *step;     // the one that is under way
    char before[TEXT];    // what was read of the new key
};

static const char nothing[] = "no value";

/* --- one key ---------------------------------------------------------------*/

static enum outcome
write_probe(const struct probe *p, struct connection *c)
{
    const struct driver *d = c->driver;
    assert(p->at.table || p->kind <= KEYS_ARRAYS);
    bool is_missing = false;
    const enum outcome outcome =
        p->at.table ? d->write_cell(c, &p->at, VALUE, AUTHOR, &is_missing)
        : p->kind == KEYS_REGISTERS ? d->write(c, 0, VALUE, &is_missing)
                                    : d->append(c, 0, VALUE, &is_missing);
    return outcome == OUTCOME_OK && is_missing
               ? outcome_set(c, OUTCOME_FAILED, "answer",
                             "the write found no row")
               : outcome;
}

static void
show(const struct probe *p, const struct driver_read *r, char out[TEXT])
{
    if (!r->has_value)
        snprintf(out, TEXT, "%s", nothing);
    else if (p->at.table && p->at.table->has_authors)
        snprintf(out, TEXT, "%" PRId64 " by %" PRId64, r->value, r->author);
    else
        snprintf(out, TEXT, "%" PRId64, r->value);
}

/* What is read, as a text. */
static enum outcome
read_probe(const struct probe *p, struct connection *c, char out[TEXT])
{
    struct driver_read r = {0};
    int_vec list = {0};
    enum outcome outcome;
    if (p->at.table) {
        outcome = c->driver->read_cell(c, &p->at, &r);
    } else if (p->kind == KEYS_REGISTERS) {
        outcome = c->driver->read(c, 0, &r);
    } else {
        outcome = c->driver->read_list(c, 0, &list);
        r.has_value = list.n > 0;
        r.value = list.n ? list.at[0] : 0;
    }
    show(p, &r, out);
    if (list.n > 1)
        snprintf(out, TEXT, "%zu elements", list.n);
    vec_free(&list);
    return outcome;
}

/* --- steps -----------------------------------------------------------------*/

static enum outcome
expect(struct connection *c, const char *found, const char *expected)
{
    if (strcmp(found, expected) == 0)
        return OUTCOME_OK;
    char message[sizeof c->message];
    snprintf(message, sizeof message, "expected %s, found %s", expected, found);
    return outcome_set(c, OUTCOME_FAILED, "answer", message);
}

/* Read in a transaction, which is rolled back. */
static enum outcome
read_alone(const struct probe *p, struct connection *c, char out[TEXT])
{
    enum outcome outcome = c->driver->begin(c);
    if (outcome == OUTCOME_OK)
        outcome = read_probe(p, c, out);
    return outcome == OUTCOME_OK ? c->driver->abort(c) : outcome;
}

static enum outcome
write_and_read(const struct probe *p, struct connection *c, char out[TEXT])
{
    enum outcome outcome = c->driver->begin(c);
    if (outcome == OUTCOME_OK)
        outcome = write_probe(p, c);
    return outcome == OUTCOME_OK ? read_probe(p, c, out) : outcome;
}

/* All steps; *failed is the connection of the one that failed. */
static enum outcome
check(struct probe *p, struct connection *a, struct connection *b,
      struct connection **failed)
{
    const struct driver_read written = {true, VALUE, AUTHOR};
    char found[TEXT] = "", wanted[TEXT];
    show(p, &written, wanted);
    *failed = a;
    p->step = "a new key is read";
    enum outcome outcome = read_alone(p, a, p->before);
    if (outcome == OUTCOME_OK && !p->at.table)
        outcome = expect(a, p->before, nothing);
    if (outcome != OUTCOME_OK)
        return outcome;
    p->step = "a transaction reads its own write";
    outcome = write_and_read(p, a, found);
    if (outcome == OUTCOME_OK && strcmp(found, p->before) != 0)
        p->step = "a value comes back as it was written";
    if (outcome == OUTCOME_OK)
        outcome = expect(a, found, wanted);
    if (outcome != OUTCOME_OK)
        return outcome;
    p->step = "a rollback undoes a write";
    outcome = a->driver->abort(a);
    if (outcome == OUTCOME_OK)
        outcome = read_alone(p, a, found);
    if (outcome == OUTCOME_OK)
        outcome = expect(a, found, p->before);
    if (outcome != OUTCOME_OK)
        return outcome;
    p->step = "a write that was rolled back is invisible to another session";
    *failed = b;
    outcome = read_alone(p, b, found);
    return outcome == OUTCOME_OK ? expect(b, found, p->before) : outcome;
}

static bool
check_until_done(struct probe *p, struct connection *a, struct connection *b,
                 struct err *err)
{
    struct connection *failed = a;
    enum outcome outcome = OUTCOME_ABORTED;
    for (int i = 0; i < TRIES && outcome == OUTCOME_ABORTED; i++) {
        outcome = check(p, a, b, &failed);
        if (outcome == OUTCOME_OK)
            return true;
        if (outcome == OUTCOME_ABORTED) {
            char message[sizeof failed->message], code[sizeof failed->code];
            memcpy(message, failed->message, sizeof message);
            memcpy(code, failed->code, sizeof code);
            failed->driver->abort(failed);
            outcome_set(failed, OUTCOME_ABORTED, code, message);
            time_pause(0.01);
        }
    }
    return err_set(err, ERR_IO, "the self-check failed at '%s': %s (%s)",
                   p->step, failed->message, failed->code);
}

bool
database_self_check(struct database *db, enum key_kind kind,
                    const struct table_shape *table, struct err *err)
{
    struct probe p = {.at = {.table = table}, .kind = kind};
    assert(!table || table->n_columns);
    struct connection *a, *b;
    if (!db->driver->connect(db, 0, 0, &a, err))
        return false;
    bool ok = db->driver->connect(db, 1, 0, &b, err);
    if (ok) {
        ok = check_until_done(&p, a, b, err);
        db->driver->disconnect(b);
    }
    db->driver->disconnect(a);
    return ok;
}
