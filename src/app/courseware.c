/* courseware.c -- students enrol in courses, as long as there are places.
 *
 * SPDX-License-Identifier: MIT */
#include "app/apps.h"

enum { COURSE, STUDENT, ENROLMENT };
enum { C_OPEN, C_ENROLLED };
enum { S_REGISTERED, S_COURSES };
enum { E_ENROLLED };
enum { PLACES = 5, STUDENTS = 4 }; // of a course; for each course

static uint64_t
course(struct app_txn *t)
{
    return app_below(t, t->units);
}

static uint64_t
student(struct app_txn *t)
{
    return app_below(t, t->units * STUDENTS);
}

static bool
register_student(struct app_txn *t)
{
    app_set(t, STUDENT, student(t), S_REGISTERED, 1);
    return true;
}

static bool
open_course(struct app_txn *t)
{
    app_set(t, COURSE, course(t), C_OPEN, 1);
    return true;
}

static bool
close_course(struct app_txn *t)
{
    app_set(t, COURSE, course(t), C_OPEN, 0);
    return true;
}

static bool
enrol(struct app_txn *t)
{
    const uint64_t c = course(t), s = student(t);
    const uint64_t row = s * t->units + c;
    if (!app_get(t, STUDENT, s, S_REGISTERED) || !app_get(t, COURSE, c, C_OPEN))
        return false;
    const int64_t enrolled = app_get(t, COURSE, c, C_ENROLLED);
    if (enrolled >= PLACES || app_get(t, ENROLMENT, row, E_ENROLLED))
        return false;
    app_set(t, ENROLMENT, row, E_ENROLLED, 1);
    app_set(t, COURSE, c, C_ENROLLED, enrolled + 1);
    app_add(t, STUDENT, s, S_COURSES, 1);
    return true;
}

static bool
leave(struct app_txn *t)
{
    const uint64_t c = course(t), s = student(t);
    const uint64_t row = s * t->units + c;
    if (!app_get(t, ENROLMENT, row, E_ENROLLED))
        return false;
    app_set(t, ENROLMENT, row, E_ENROLLED, 0);
    app_add(t, COURSE, c, C_ENROLLED, -1);
    app_add(t, STUDENT, s, S_COURSES, -1);
    return true;
}

static bool
list_courses(struct app_txn *t)
{
    for (uint64_t c = 0; c < t->units && c < 10; c++) {
        app_get(t, COURSE, c, C_OPEN);
        app_get(t, COURSE, c, C_ENROLLED);
    }
    return true;
}

const struct app app_courses = {
    .name = "courseware",
    .help = "students enrol in courses; units are courses",
    .units = 5,
    .tables = {{"course", {{"open", 1}, {"enrolled", 0}}, 1},
               {"student", {{"registered", 1}, {"courses", 0}}, STUDENTS},
               {"enrolment", {{"enrolled", 0}}, 0}},
    .procedures = {{"register-student", 5, false, register_student},
                   {"open-course", 5, false, open_course},
                   {"close-course", 5, false, close_course},
                   {"enrol", 45, false, enrol},
                   {"leave", 20, false, leave},
                   {"list-courses", 20, true, list_courses}},
};
