/* apps.h -- the rows of the list of applications.
 *
 * SPDX-License-Identifier: MIT */
#ifndef APP_APPS_H
#define APP_APPS_H

#include "app/app.h"

extern const struct app app_smallbank, app_voter, app_tpcc, app_wikipedia,
    app_courses, app_twitter, app_rubis;

#endif
