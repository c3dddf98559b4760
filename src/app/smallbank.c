/* smallbank.c -- a bank: customers with a savings and a checking account.
 *
 * A check may be written against the sum of both accounts, which makes the
 * application the classic example of write skew.  After M. Alomari et al.,
 * "The cost of serializability on platforms that use snapshot isolation",
 * 2008.
 *
 * SPDX-License-Identifier: MIT */
#include "app/apps.h"

enum { SAVINGS, CHECKING };
enum { BALANCE };

static uint64_t
customer(struct app_txn *t)
{
    return app_below(t, t->units);
}

static int64_t
amount(struct app_txn *t)
{
    return 1 + (int64_t)app_below(t, 50);
}

static bool
balance(struct app_txn *t)
{
    const uint64_t c = customer(t);
    app_get(t, SAVINGS, c, BALANCE);
    app_get(t, CHECKING, c, BALANCE);
    return true;
}

static bool
deposit_checking(struct app_txn *t)
{
    // One draw a statement: the order of arguments depends on the machine.
    const int64_t value = amount(t);
    app_add(t, CHECKING, customer(t), BALANCE, value);
    return true;
}

static bool
transact_savings(struct app_txn *t)
{
    const int64_t change = amount(t) - 25;
    return app_add(t, SAVINGS, customer(t), BALANCE, change) + change >= 0;
}

/* Move everything that the first has to the checking account of the second. */
static bool
amalgamate(struct app_txn *t)
{
    const uint64_t from = customer(t), to = customer(t);
    const int64_t savings = app_get(t, SAVINGS, from, BALANCE);
    const int64_t all = savings + app_get(t, CHECKING, from, BALANCE);
    app_set(t, SAVINGS, from, BALANCE, 0);
    app_set(t, CHECKING, from, BALANCE, 0);
    app_add(t, CHECKING, to, BALANCE, all);
    return true;
}

/* A check that is not covered costs a penalty. */
static bool
write_check(struct app_txn *t)
{
    const uint64_t c = customer(t);
    const int64_t value = amount(t);
    const int64_t savings = app_get(t, SAVINGS, c, BALANCE);
    const int64_t checking = app_get(t, CHECKING, c, BALANCE);
    const int64_t penalty = savings + checking < value;
    app_set(t, CHECKING, c, BALANCE, checking - value - penalty);
    return true;
}

static bool
send_payment(struct app_txn *t)
{
    const uint64_t from = customer(t), to = customer(t);
    const int64_t value = amount(t);
    if (app_get(t, CHECKING, from, BALANCE) < value)
        return false;
    app_add(t, CHECKING, from, BALANCE, -value);
    app_add(t, CHECKING, to, BALANCE, value);
    return true;
}

const struct app app_smallbank = {
    .name = "smallbank",
    .help = "a bank with savings and checking accounts; units are customers",
    .units = 50,
    .tables = {{"savings", {{"balance", 100}}, 1},
               {"checking", {{"balance", 100}}, 1}},
    .procedures = {{"balance", 15, true, balance},
                   {"deposit-checking", 15, false, deposit_checking},
                   {"transact-savings", 15, false, transact_savings},
                   {"amalgamate", 15, false, amalgamate},
                   {"write-check", 25, false, write_check},
                   {"send-payment", 15, false, send_payment}},
};
