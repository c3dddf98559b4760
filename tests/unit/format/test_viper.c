/* test_viper.c -- Viper's logs: what nobody wrote is initial, what failed is
 * not written, and a directory is sessions.
 *
 * SPDX-License-Identifier: MIT */
#include "format/told.h"

#define VIPER &format_viper

static void
a_line_is_a_committed_transaction(void)
{
    CHECK(means(VIPER,
                "{\"value\": [[\"w\", 1, 10, true], [\"r\", 2, 20, false]]}\n"
                "{\"value\": [[\"w\", \"2\", \"20\", true]]}\n"
                "{\"value\": [[\"w\", 2, 20]], \"other\": {}}\n",
                "0: w(1, 10) r(2, 20); 0: w(\"2\", \"20\"); 0: w(2, 20)"));
}

static void
the_first_value_that_nobody_writes_is_the_initial_one(void)
{
    CHECK(means(VIPER,
                "{\"value\": [[\"r\", 1, -77, false], [\"r\", 1, 10, false]]}\n"
                "{\"value\": [[\"w\", 1, 10, true], [\"w\", 1, 11, false]]}\n"
                "{\"value\": [[\"r\", 1, -77, true], [\"r\", 2, 10, false]]}\n",
                "0: r(1, nil) r(1, 10); 0: w(1, 10); 0: r(1, nil) r(2, nil)"));
}

static void
a_key_has_one_initial_value(void)
{
    CHECK(
        means(VIPER,
              "{\"value\": [[\"r\", 1, 5], [\"r\", 2, null], [\"r\", 3, 5]]}\n"
              "{\"value\": [[\"r\", 1, 6], [\"r\", 2, 5], [\"r\", 3, 0]]}\n"
              "{\"value\": [[\"r\", 1, 6], [\"r\", 2, 0], [\"r\", 3, 5]]}\n"
              "{\"value\": [[\"r\", 1, 5], [\"r\", 2, \"nil\"]]}\n",
              "0: r(1, nil) r(2, nil) r(3, nil); "
              "0: r(1, 6) r(2, 5) r(3, 0); "
              "0: r(1, 6) r(2, nil) r(3, nil); "
              "0: r(1, nil) r(2, nil)"));
}

static void
the_initial_transaction_tells_the_initial_state(void)
{
    CHECK(means(VIPER,
                "{\"value\": [[\"w\", 1, 10, true], [\"w\", 2, 20, true]], "
                "\"isInitial\": true}\n"
                "{\"value\": [[\"r\", 1, 10, false], [\"r\", 2, 21, false]], "
                "\"isInitial\": false}\n"
                "{\"value\": [[\"r\", 3, \"nil\", false], [\"r\", 3, 0, true], "
                "[\"r\", 3, 5, false]]}\n"
                "{\"value\": [[\"w\", 1, 10, true], [\"r\", 2, 0, false]]}\n",
                "0: * w(1, nil) w(2, nil); 0: r(1, nil) r(2, 21); "
                "0: r(3, nil) r(3, nil) r(3, 5); 0: w(1, nil) r(2, 0)"));
}

static void
a_directory_is_a_session_per_file(void)
{
    struct scratch s;
    char path[512];
    struct history h;
    struct err err = {0};
    struct buf out = {0};
    const struct format *used = NULL;
    scratch_init(&s);
    const char *ten = "{\"value\": [[\"r\", 1, 2, false]]}\n";
    const char *two = "{\"value\": [[\"w\", 1, 2, true]]}\n";
    put_file(scratch_path(&s, "J10.log", path, sizeof path), ten, strlen(ten));
    put_file(scratch_path(&s, "J2.log", path, sizeof path), two, strlen(two));
    put_file(scratch_path(&s, "result.txt", path, sizeof path), "?", 1);
    CHECK(format_read(s.path, "auto", 1, &h, &used, &err));
    CHECK(used == &format_viper);
    tell(&h, &out);
    CHECK_TEXT(out.at, "J2: w(1, 2); J10: r(1, 2)");
    history_free(&h);
    buf_free(&out);
    scratch_free(&s);
}

static void
an_error_names_the_file(void)
{
    struct scratch s;
    char path[512], message[1024];
    struct history h;
    struct err err = {0};
    scratch_init(&s);
    put_file(scratch_path(&s, "J1.log", path, sizeof path), "{\"value\":[]}\n",
             13);
    put_file(scratch_path(&s, "J2.log", path, sizeof path), "\n{\"value\":[",
             11);
    CHECK(!format_read(s.path, "viper", 1, &h, NULL, &err));
    CHECK_TEXT(message_of(&err, message, sizeof message),
               "J2.log:2:11: the input ends here, expected a JSON value");
    scratch_free(&s);
}

static void
a_cut_file_is_whole_at_line_ends_only(void)
{
    CHECK(count_readable_cuts(VIPER,
                              "{\"value\": [[\"w\", 1, \"a\", true]]}\n"
                              "{\"value\": [], \"isInitial\": false}\n") == 5);
}

static void
damage_is_survived(void)
{
    survive_damage(VIPER, "{\"value\": [[\"w\", 1, \"a\", true]], "
                          "\"isInitial\": true}\n"
                          "{\"value\": [[\"r\", 1, \"a\", false]]}\n");
}

int
main(void)
{
    RUN(a_line_is_a_committed_transaction);
    RUN(the_first_value_that_nobody_writes_is_the_initial_one);
    RUN(a_key_has_one_initial_value);
    RUN(the_initial_transaction_tells_the_initial_state);
    RUN(a_directory_is_a_session_per_file);
    RUN(an_error_names_the_file);
    RUN(a_cut_file_is_whole_at_line_ends_only);
    RUN(damage_is_survived);
    return test_end();
}
