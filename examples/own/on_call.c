/* on_call.c -- an application of one's own: doctors on call.
 *
 * A ward must never be without a doctor.  Whoever wants to leave looks at the
 * others first, and serializably that is enough.  At snapshot isolation two
 * doctors can leave at the same time, each because the other is still there.
 *
 *     cc -shared -fPIC -I include -o on_call.so examples/own/on_call.c
 *     assay test store:ser -w ./on_call.so --predict si --validate
 *
 * SPDX-License-Identifier: MIT */
#include <assay/app.h>

enum { DOCTOR };  // tables
enum { ON_CALL }; // columns of doctor
enum { DOCTORS_PER_WARD = 3 };

static uint64_t
first_doctor(struct app_txn *t)
{
    return app_below(t, t->units) * DOCTORS_PER_WARD;
}

/* A doctor leaves, unless nobody else is there. */
static bool
leave(struct app_txn *t)
{
    const uint64_t first = first_doctor(t);
    const uint64_t me = first + app_below(t, DOCTORS_PER_WARD);
    int64_t others = 0;
    for (uint64_t d = first; d < first + DOCTORS_PER_WARD; d++)
        if (d != me)
            others += app_get(t, DOCTOR, d, ON_CALL);
    if (others == 0)
        return false;
    app_set(t, DOCTOR, me, ON_CALL, 0);
    return true;
}

static bool
come_back(struct app_txn *t)
{
    const uint64_t first = first_doctor(t);
    app_set(t, DOCTOR, first + app_below(t, DOCTORS_PER_WARD), ON_CALL, 1);
    return true;
}

static bool
roster(struct app_txn *t)
{
    const uint64_t first = first_doctor(t);
    for (uint64_t d = first; d < first + DOCTORS_PER_WARD; d++)
        app_get(t, DOCTOR, d, ON_CALL);
    return true;
}

const struct app assay_app = {
    .interface = APP_INTERFACE,
    .name = "on-call",
    .help = "doctors on call; units are wards",
    .units = 5,
    .tables = {{"doctor", {{"on_call", 1}}, DOCTORS_PER_WARD}},
    .procedures = {{"leave", 40, false, leave},
                   {"come-back", 40, false, come_back},
                   {"roster", 20, true, roster}},
};
