/* wikipedia.c -- pages that are read and edited, and watched by users.
 *
 * SPDX-License-Identifier: MIT */
#include "app/apps.h"

enum { PAGE, REVISION, USER, WATCH };
enum { P_LATEST, P_TOUCHED };
enum { R_PAGE, R_USER, R_LENGTH };
enum { U_EDITS, U_TOUCHED };
enum { WATCHING };
enum { USERS = 2 }; // for each page

static uint64_t
page(struct app_txn *t)
{
    return app_below(t, t->units);
}

static uint64_t
user(struct app_txn *t)
{
    return app_below(t, t->units * USERS);
}

static uint64_t
watch_row(const struct app_txn *t, uint64_t of_user, uint64_t of_page)
{
    return of_user * t->units + of_page;
}

static void
show(struct app_txn *t, uint64_t which)
{
    const int64_t revision = app_get(t, PAGE, which, P_LATEST);
    app_get(t, PAGE, which, P_TOUCHED);
    app_get(t, REVISION, (uint64_t)revision, R_LENGTH);
}

static bool
get_page_anonymous(struct app_txn *t)
{
    show(t, page(t));
    return true;
}

static bool
get_page_authenticated(struct app_txn *t)
{
    app_get(t, USER, user(t), U_TOUCHED);
    show(t, page(t));
    return true;
}

static bool
set_watching(struct app_txn *t, int64_t watching)
{
    const uint64_t u = user(t);
    app_set(t, WATCH, watch_row(t, u, page(t)), WATCHING, watching);
    app_set(t, USER, u, U_TOUCHED, app_fresh(t));
    return true;
}

static bool
add_watch(struct app_txn *t)
{
    return set_watching(t, 1);
}

static bool
remove_watch(struct app_txn *t)
{
    return set_watching(t, 0);
}

/* An edit makes a revision and moves the page to it. */
static bool
update_page(struct app_txn *t)
{
    const uint64_t p = page(t), u = user(t);
    const int64_t revision = app_fresh(t);
    const int64_t before = app_get(t, PAGE, p, P_LATEST);
    const int64_t length = app_get(t, REVISION, (uint64_t)before, R_LENGTH);
    app_set(t, REVISION, (uint64_t)revision, R_PAGE, (int64_t)p);
    app_set(t, REVISION, (uint64_t)revision, R_USER, (int64_t)u);
    app_set(t, REVISION, (uint64_t)revision, R_LENGTH,
            length + (int64_t)app_below(t, 100));
    app_set(t, PAGE, p, P_LATEST, revision);
    app_set(t, PAGE, p, P_TOUCHED, revision);
    app_add(t, USER, u, U_EDITS, 1);
    return true;
}

const struct app app_wikipedia = {
    .name = "wikipedia",
    .help = "pages and their revisions; units are pages",
    .units = 20,
    .tables = {{"page", {{"latest", 0}, {"touched", 0}}, 1},
               {"revision", {{"page", 0}, {"editor", 0}, {"length", 0}}, 0},
               {"useracct", {{"edits", 0}, {"touched", 0}}, USERS},
               {"watch", {{"watching", 0}}, 0}},
    .procedures = {{"get-page-anonymous", 40, true, get_page_anonymous},
                   {"get-page-authenticated", 15, true, get_page_authenticated},
                   {"add-watch", 10, false, add_watch},
                   {"remove-watch", 5, false, remove_watch},
                   {"update-page", 30, false, update_page}},
};
