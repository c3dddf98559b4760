/* tpcc.c -- TPC-C: orders, payments and deliveries of a wholesaler.
 *
 * The five transactions of the standard, with the tables cut down to the
 * columns that they read or write, and with small sizes: what matters here is
 * which transactions read and write which cells.  Units are warehouses.
 *
 * TPC Benchmark C, revision 5.11, clause 2.
 *
 * SPDX-License-Identifier: MIT */
#include "app/apps.h"

enum { WAREHOUSE, DISTRICT, CUSTOMER, STOCK, ORDERS, ORDER_LINE };
enum { W_YTD };
enum { D_YTD, D_NEXT_ORDER, D_NEXT_DELIVERY };
enum { C_BALANCE, C_PAYMENTS, C_DELIVERIES, C_LAST_ORDER };
enum { S_QUANTITY, S_YTD, S_ORDERS };
enum { O_CUSTOMER, O_LINES, O_CARRIER };
enum { L_ITEM, L_AMOUNT, L_DELIVERED };

enum {
    DISTRICTS = 3,  // of a warehouse
    CUSTOMERS = 10, // of a district
    ITEMS = 20,     // of a warehouse
    MOST_LINES = 4, // of an order
    MOST_ORDERS = 1 << 20,
};

static uint64_t
district(struct app_txn *t, uint64_t warehouse)
{
    return warehouse * DISTRICTS + app_below(t, DISTRICTS);
}

static uint64_t
customer(struct app_txn *t, uint64_t in_district)
{
    return in_district * CUSTOMERS + app_below(t, CUSTOMERS);
}

/* Orders are numbered within their district. */
static uint64_t
order_row(uint64_t in_district, int64_t number)
{
    return in_district * MOST_ORDERS + (uint64_t)number % MOST_ORDERS;
}

static uint64_t
line_row(uint64_t order, uint64_t line)
{
    return order * MOST_LINES + line;
}

static void
order_item(struct app_txn *t, uint64_t warehouse, uint64_t order, uint64_t line)
{
    const uint64_t item = warehouse * ITEMS + app_below(t, ITEMS);
    const int64_t quantity = 1 + (int64_t)app_below(t, 5);
    const int64_t left = app_get(t, STOCK, item, S_QUANTITY) - quantity;
    app_set(t, STOCK, item, S_QUANTITY, left < 10 ? left + 91 : left);
    app_add(t, STOCK, item, S_YTD, quantity);
    app_add(t, STOCK, item, S_ORDERS, 1);
    app_set(t, ORDER_LINE, line_row(order, line), L_ITEM, (int64_t)item);
    app_set(t, ORDER_LINE, line_row(order, line), L_AMOUNT, quantity * 10);
}

static bool
new_order(struct app_txn *t)
{
    const uint64_t warehouse = app_below(t, t->units);
    const uint64_t d = district(t, warehouse), c = customer(t, d);
    const uint64_t lines = 1 + app_below(t, MOST_LINES);
    const int64_t number = app_add(t, DISTRICT, d, D_NEXT_ORDER, 1);
    const uint64_t order = order_row(d, number);
    app_set(t, ORDERS, order, O_CUSTOMER, (int64_t)c);
    app_set(t, ORDERS, order, O_LINES, (int64_t)lines);
    app_set(t, CUSTOMER, c, C_LAST_ORDER, number);
    for (uint64_t i = 0; i < lines; i++)
        order_item(t, warehouse, order, i);
    // The standard has one in a hundred name an item that does not exist.
    return app_below(t, 100) != 0;
}

static bool
payment(struct app_txn *t)
{
    const uint64_t warehouse = app_below(t, t->units);
    const uint64_t d = district(t, warehouse), c = customer(t, d);
    const int64_t amount = 1 + (int64_t)app_below(t, 5000);
    app_add(t, WAREHOUSE, warehouse, W_YTD, amount);
    app_add(t, DISTRICT, d, D_YTD, amount);
    app_add(t, CUSTOMER, c, C_BALANCE, -amount);
    app_add(t, CUSTOMER, c, C_PAYMENTS, 1);
    return true;
}

static bool
order_status(struct app_txn *t)
{
    const uint64_t d = district(t, app_below(t, t->units));
    const uint64_t c = customer(t, d);
    app_get(t, CUSTOMER, c, C_BALANCE);
    const int64_t number = app_get(t, CUSTOMER, c, C_LAST_ORDER);
    if (!number)
        return true;
    const uint64_t order = order_row(d, number);
    app_get(t, ORDERS, order, O_CARRIER);
    const int64_t lines = app_get(t, ORDERS, order, O_LINES);
    for (int64_t i = 0; i < lines && i < MOST_LINES; i++) {
        app_get(t, ORDER_LINE, line_row(order, (uint64_t)i), L_AMOUNT);
        app_get(t, ORDER_LINE, line_row(order, (uint64_t)i), L_DELIVERED);
    }
    return true;
}

/* Deliver the oldest order of a district that is not delivered yet. */
static bool
delivery(struct app_txn *t)
{
    const uint64_t d = district(t, app_below(t, t->units));
    const int64_t number = app_get(t, DISTRICT, d, D_NEXT_DELIVERY);
    const uint64_t order = order_row(d, number);
    const int64_t lines = app_get(t, ORDERS, order, O_LINES);
    if (!lines)
        return true;
    app_set(t, DISTRICT, d, D_NEXT_DELIVERY, number + 1);
    app_set(t, ORDERS, order, O_CARRIER, 1 + (int64_t)app_below(t, 10));
    int64_t sum = 0;
    for (int64_t i = 0; i < lines && i < MOST_LINES; i++) {
        const uint64_t line = line_row(order, (uint64_t)i);
        sum += app_get(t, ORDER_LINE, line, L_AMOUNT);
        app_set(t, ORDER_LINE, line, L_DELIVERED, app_fresh(t));
    }
    const uint64_t c = (uint64_t)app_get(t, ORDERS, order, O_CUSTOMER);
    app_add(t, CUSTOMER, c, C_BALANCE, sum);
    app_add(t, CUSTOMER, c, C_DELIVERIES, 1);
    return true;
}

/* Look at the stock of what the last orders of a district were about. */
static bool
stock_level(struct app_txn *t)
{
    const uint64_t d = district(t, app_below(t, t->units));
    const int64_t next = app_get(t, DISTRICT, d, D_NEXT_ORDER);
    for (int64_t n = next > 3 ? next - 3 : 1; n < next; n++) {
        const uint64_t line = line_row(order_row(d, n), 0);
        const uint64_t item = (uint64_t)app_get(t, ORDER_LINE, line, L_ITEM);
        app_get(t, STOCK, item, S_QUANTITY);
    }
    return true;
}

const struct app app_tpcc = {
    .name = "tpcc",
    .help = "TPC-C, small; units are warehouses",
    .units = 1,
    .tables =
        {
            {"warehouse", {{"ytd", 0}}, 1},
            {"district",
             {{"ytd", 0}, {"next_order", 1}, {"next_delivery", 1}},
             DISTRICTS},
            {"customer",
             {{"balance", 0},
              {"payments", 0},
              {"deliveries", 0},
              {"last_order", 0}},
             DISTRICTS *CUSTOMERS},
            {"stock", {{"quantity", 50}, {"ytd", 0}, {"orders", 0}}, ITEMS},
            {"orders", {{"customer", 0}, {"line_count", 0}, {"carrier", 0}}, 0},
            {"order_line", {{"item", 0}, {"amount", 0}, {"delivered", 0}}, 0},
        },
    .procedures = {{"new-order", 45, false, new_order},
                   {"payment", 43, false, payment},
                   {"order-status", 4, true, order_status},
                   {"delivery", 4, false, delivery},
                   {"stock-level", 4, true, stock_level}},
};
