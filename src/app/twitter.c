/* twitter.c -- C-Twitter: people write, follow each other and read.
 *
 * A tweet points to the one that its author wrote before, so a timeline is
 * read from the latest tweet backwards.
 *
 * SPDX-License-Identifier: MIT */
#include "app/apps.h"

enum { PERSON, TWEET, FOLLOW };
enum { P_LATEST, P_FOLLOWERS, P_FOLLOWING };
enum { T_AUTHOR, T_PREVIOUS };
enum { FOLLOWS };
enum { SHOWN = 4 };

static uint64_t
person(struct app_txn *t)
{
    return app_below(t, t->units);
}

static bool
tweet(struct app_txn *t)
{
    const uint64_t author = person(t);
    const int64_t id = app_fresh(t);
    const int64_t before = app_get(t, PERSON, author, P_LATEST);
    app_set(t, TWEET, (uint64_t)id, T_AUTHOR, (int64_t)author);
    app_set(t, TWEET, (uint64_t)id, T_PREVIOUS, before);
    app_set(t, PERSON, author, P_LATEST, id);
    return true;
}

static void
show_timeline(struct app_txn *t, uint64_t of)
{
    int64_t id = app_get(t, PERSON, of, P_LATEST);
    for (int i = 0; id && i < SHOWN; i++) {
        app_get(t, TWEET, (uint64_t)id, T_AUTHOR);
        id = app_get(t, TWEET, (uint64_t)id, T_PREVIOUS);
    }
}

static bool
timeline(struct app_txn *t)
{
    show_timeline(t, person(t));
    return true;
}

/* The last tweets of the users that a user follows. */
static bool
news_feed(struct app_txn *t)
{
    const uint64_t reader = person(t), first = person(t);
    for (uint64_t i = 0; i < SHOWN; i++) {
        const uint64_t other = (first + i) % t->units;
        if (app_get(t, FOLLOW, reader * t->units + other, FOLLOWS))
            app_get(t, PERSON, other, P_LATEST);
    }
    return true;
}

/* Begin to follow, or stop. */
static bool
change_follow(struct app_txn *t)
{
    const uint64_t who = person(t), whom = person(t);
    const uint64_t row = who * t->units + whom;
    const int64_t follows = app_get(t, FOLLOW, row, FOLLOWS);
    app_set(t, FOLLOW, row, FOLLOWS, !follows);
    app_add(t, PERSON, who, P_FOLLOWING, follows ? -1 : 1);
    app_add(t, PERSON, whom, P_FOLLOWERS, follows ? -1 : 1);
    return true;
}

static bool
show_person(struct app_txn *t)
{
    const uint64_t who = person(t);
    app_get(t, PERSON, who, P_FOLLOWERS);
    app_get(t, PERSON, who, P_FOLLOWING);
    return true;
}

const struct app app_twitter = {
    .name = "twitter",
    .help = "C-Twitter: people write and follow each other; units are people",
    .units = 20,
    .tables = {{"person",
                {{"latest", 0}, {"followers", 0}, {"following", 0}},
                1},
               {"tweet", {{"author", 0}, {"previous", 0}}, 0},
               {"follow", {{"follows", 0}}, 0}},
    .procedures = {{"tweet", 30, false, tweet},
                   {"timeline", 25, true, timeline},
                   {"news-feed", 20, true, news_feed},
                   {"change-follow", 15, false, change_follow},
                   {"show-person", 10, true, show_person}},
};
