/* rubis.c -- RUBiS: an auction site.
 *
 * SPDX-License-Identifier: MIT */
#include "app/apps.h"

enum { PERSON, ITEM, BID, SALE, COMMENT };
enum { P_BALANCE, P_RATING };
enum { I_QUANTITY, I_BIDS, I_HIGHEST, I_SELLER };
enum { B_ITEM, B_PERSON, B_AMOUNT };
enum { S_ITEM, S_BUYER };
enum { M_FROM, M_TO, M_RATING };
enum { PEOPLE = 2 }; // for each item

static uint64_t
person(struct app_txn *t)
{
    return app_below(t, t->units * PEOPLE);
}

static uint64_t
item(struct app_txn *t)
{
    return app_below(t, t->units);
}

static bool
view_item(struct app_txn *t)
{
    const uint64_t i = item(t);
    const int64_t bid = app_get(t, ITEM, i, I_HIGHEST);
    app_get(t, ITEM, i, I_QUANTITY);
    app_get(t, ITEM, i, I_BIDS);
    if (bid)
        app_get(t, BID, (uint64_t)bid, B_AMOUNT);
    return true;
}

static bool
place_bid(struct app_txn *t)
{
    const uint64_t i = item(t), id = (uint64_t)app_fresh(t);
    const int64_t highest = app_get(t, ITEM, i, I_HIGHEST);
    const int64_t amount =
        highest ? app_get(t, BID, (uint64_t)highest, B_AMOUNT) : 0;
    if (!app_get(t, ITEM, i, I_QUANTITY))
        return false;
    app_set(t, BID, id, B_ITEM, (int64_t)i);
    app_set(t, BID, id, B_PERSON, (int64_t)person(t));
    app_set(t, BID, id, B_AMOUNT, amount + 1 + (int64_t)app_below(t, 10));
    app_set(t, ITEM, i, I_HIGHEST, (int64_t)id);
    app_add(t, ITEM, i, I_BIDS, 1);
    return true;
}

static bool
buy_now(struct app_txn *t)
{
    const uint64_t i = item(t), buyer = person(t), id = (uint64_t)app_fresh(t);
    const int64_t quantity = app_get(t, ITEM, i, I_QUANTITY);
    if (quantity <= 0)
        return false;
    app_set(t, ITEM, i, I_QUANTITY, quantity - 1);
    app_set(t, SALE, id, S_ITEM, (int64_t)i);
    app_set(t, SALE, id, S_BUYER, (int64_t)buyer);
    app_add(t, PERSON, buyer, P_BALANCE, -10);
    app_add(t, PERSON, (uint64_t)app_get(t, ITEM, i, I_SELLER), P_BALANCE, 10);
    return true;
}

/* Offer an item again. */
static bool
sell(struct app_txn *t)
{
    const uint64_t i = item(t);
    app_add(t, ITEM, i, I_QUANTITY, 5);
    app_set(t, ITEM, i, I_SELLER, (int64_t)person(t));
    return true;
}

static bool
comment(struct app_txn *t)
{
    const uint64_t to = person(t), id = (uint64_t)app_fresh(t);
    const int64_t rating = (int64_t)app_below(t, 11) - 5;
    app_set(t, COMMENT, id, M_FROM, (int64_t)person(t));
    app_set(t, COMMENT, id, M_TO, (int64_t)to);
    app_set(t, COMMENT, id, M_RATING, rating);
    app_add(t, PERSON, to, P_RATING, rating);
    return true;
}

static bool
about_me(struct app_txn *t)
{
    const uint64_t me = person(t);
    app_get(t, PERSON, me, P_BALANCE);
    app_get(t, PERSON, me, P_RATING);
    return true;
}

const struct app app_rubis = {
    .name = "rubis",
    .help = "RUBiS: an auction site; units are items",
    .units = 15,
    .tables =
        {
            {"person", {{"balance", 100}, {"rating", 0}}, PEOPLE},
            {"item",
             {{"quantity", 10}, {"bids", 0}, {"highest", 0}, {"seller", 0}},
             1},
            {"bid", {{"item", 0}, {"person", 0}, {"amount", 0}}, 0},
            {"sale", {{"item", 0}, {"buyer", 0}}, 0},
            {"comment", {{"author", 0}, {"about", 0}, {"rating", 0}}, 0},
        },
    .procedures = {{"view-item", 30, true, view_item},
                   {"place-bid", 25, false, place_bid},
                   {"buy-now", 15, false, buy_now},
                   {"sell", 5, false, sell},
                   {"comment", 10, false, comment},
                   {"about-me", 15, true, about_me}},
};
