/* test_rows.c -- the verifier sees it when rows are not what was recorded.
 *
 * SPDX-License-Identifier: MIT */
#include "format/format.h"
#include "history/builder/builder.h"
#include "verify/rows/verify_rows.h"

#include "test.h"

static const char *const recorded =
    "{\"initial\":{\"rows\":[[[\"t\",1],{\"v\":3,\"w\":1}]]}}\n"
    "{\"session\":1,\"ops\":[[\"i\",[\"t\",7],{\"v\":8,\"w\":1}],"
    "[\"u\",[\"t\",1],{\"v\":9,\"w\":1}],[\"r\",[\"t\",1],{\"w\":1}]]}\n"
    "{\"session\":1,\"ops\":[[\"u\",[\"t\",7],{\"v\":2,\"w\":1}],"
    "[\"d\",[\"t\",1]]]}\n"
    "{\"session\":2,\"ops\":[[\"q\",{\"table\":\"t\",\"where\":\"v > 5\"},"
    "[]],[\"r\",[\"t\",7],{\"v\":2}],[\"r\",[\"t\",1]]]}\n"
    "{\"session\":3,\"ops\":[[\"u\",[\"t\",7],{\"v\":7,\"w\":1}],"
    "[\"q\",{\"table\":\"t\",\"where\":\"v > 6\"},"
    "[[[\"t\",7],{\"w\":1}]]]]}\n";

static void
make(struct history *h)
{
    struct input in = {.name = "recorded",
                       .data = recorded,
                       .size = strlen(recorded),
                       .threads = 1};
    struct err err = {0};
    struct builder *b = builder_new(atom_nil());
    CHECK(format_find("jsonl")->read(&in, b, &err));
    CHECK(builder_finish(b, h, &err));
}

static bool
is_accepted(const struct history *h)
{
    struct err err = {0};
    return verify_rows(h, &err);
}

static void
what_was_recorded_is_accepted(void)
{
    struct history h;
    make(&h);
    CHECK(h.key_rows && h.rows && h.n_ops > 9);
    CHECK(is_accepted(&h));
    history_free(&h);
}

/* Every operation in turn gets every other value of its key. */
static void
no_other_value_is_accepted(void)
{
    struct history h;
    make(&h);
    unsigned tried = 0;
    for (op_id op = 0; op < h.n_ops; op++) {
        const value_id was = h.op_value[op];
        for (value_id v = 0; v < h.n_values; v++) {
            const struct atom a = history_value_atom(&h, v);
            if (v == was || (v && (h.values[v].key & OP_KEY) != op_key(&h, op)))
                continue;
            if (atom_equal(a, history_value_atom(&h, was)))
                continue; // the initial value by another id
            h.op_value[op] = v;
            CHECK(!is_accepted(&h));
            tried++;
        }
        h.op_value[op] = was;
    }
    CHECK(tried > 10);
    CHECK(is_accepted(&h));
    history_free(&h);
}

static void
no_other_kind_of_operation_is_accepted(void)
{
    struct history h;
    make(&h);
    for (op_id op = 0; op < h.n_ops; op++) {
        h.op_key[op] ^= OP_WRITE;
        CHECK(!is_accepted(&h));
        h.op_key[op] ^= OP_WRITE;
    }
    history_free(&h);
}

/* The last operation of a transaction that is left out is missed. */
static void
nothing_may_be_left_out(void)
{
    struct history h;
    make(&h);
    for (txn_id t = 0; t < h.n_txns; t++) {
        h.txn_end[t]--;
        CHECK(!is_accepted(&h));
        h.txn_end[t]++;
    }
    history_free(&h);
}

static void
another_condition_is_not_accepted(void)
{
    struct history h;
    make(&h);
    for (key_id k = 0; k < h.n_keys; k++) {
        const uint32_t where = h.key_rows[k].where;
        if (where == ID_NONE)
            continue;
        h.key_rows[k].where =
            strings_add(&h.strings, "where v > 1", strlen("where v > 1"));
        CHECK(!is_accepted(&h));
        h.key_rows[k].where = where;
    }
    history_free(&h);
}

int
main(void)
{
    RUN(what_was_recorded_is_accepted);
    RUN(no_other_value_is_accepted);
    RUN(no_other_kind_of_operation_is_accepted);
    RUN(nothing_may_be_left_out);
    RUN(another_condition_is_not_accepted);
    return test_end();
}
