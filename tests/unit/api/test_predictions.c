/* test_predictions.c -- predictions as a program asks for them.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include <assay/assay.h>

/* Serial as observed; at si the second transaction could have missed the write
 * of the first. */
static const char observed[] =
    "{\"session\":1,\"ops\":[[\"r\",\"x\",null],[\"r\",\"y\",null],"
    "[\"w\",\"x\",1]]}\n"
    "{\"session\":2,\"ops\":[[\"r\",\"x\",1],[\"r\",\"y\",null],"
    "[\"w\",\"y\",1]]}\n";
static const char skewed[] =
    "{\"session\":1,\"ops\":[[\"r\",\"x\",null],[\"r\",\"y\",null],"
    "[\"w\",\"x\",1]]}\n"
    "{\"session\":2,\"ops\":[[\"r\",\"x\",null],[\"r\",\"y\",null],"
    "[\"w\",\"y\",1]]}\n";
static const char harmless[] =
    "{\"session\":1,\"ops\":[[\"r\",\"x\",null],[\"w\",\"x\",1]]}\n"
    "{\"session\":2,\"ops\":[[\"r\",\"y\",null],[\"w\",\"y\",1]]}\n";

static assay_history *
parse(assay *a, const char *text)
{
    return assay_parse(a, text, strlen(text), "jsonl");
}

static assay_answer_t
answer_of(assay *a, const char *text, const char *levels)
{
    assay_history *h = parse(a, text);
    assay_prediction *p = assay_predict(a, h, levels, 0);
    const assay_answer_t answer = assay_answer(p);
    assay_prediction_free(p);
    assay_history_free(h);
    return answer;
}

static void
a_write_skew_is_predicted(void)
{
    assay *a = assay_new();
    assay_history *h = parse(a, observed);
    assay_prediction *p = assay_predict(a, h, "si", 3);
    assay_history_free(h); // the prediction does not need it
    CHECK_TEXT(assay_error(), "");
    CHECK(assay_answer(p) == ASSAY_PREDICTED);
    CHECK(assay_prediction_levels(p) == 1);
    CHECK_TEXT(assay_prediction_level(p, 0), "si");
    CHECK(!assay_prediction_level(p, 1));
    CHECK(assay_prediction_answer(p, 0) == ASSAY_PREDICTED);
    CHECK(assay_prediction_answer(p, 1) == ASSAY_PREDICTION_UNKNOWN);
    CHECK(assay_predictions(p, 0) >= 1 && assay_predictions(p, 1) == 0);
    const assay_anomaly *x = assay_predicted_anomaly(p, 0, 0);
    CHECK_TEXT(assay_anomaly_name(x), "write-skew");
    CHECK(*assay_anomaly_story(x) && assay_anomaly_txns(x) >= 2);
    CHECK(!assay_predicted_anomaly(p, 0, 99));
    assay_free(a); // the prediction keeps it
    size_t n;
    const char *text = assay_prediction_text(p, "text", &n);
    CHECK(text && strlen(text) == n && strstr(text, "could be"));
    const char *json = assay_prediction_text(p, "json", NULL);
    CHECK(json && strstr(json, "\"verdict\":\"predicted\""));
    CHECK(assay_prediction_text(p, "html", NULL) != NULL);
    CHECK(!assay_prediction_text(p, "junit", NULL)); // would be empty: green
    CHECK(assay_error_status() == ASSAY_E_USAGE);
    assay_prediction_free(p);
}

static void
a_predicted_history_is_not_serializable(void)
{
    assay *a = assay_new();
    assay_history *h = parse(a, observed);
    assay_prediction *p = assay_predict(a, h, "si", 0);
    size_t n;
    const char *text = assay_predicted_history(p, 0, 0, &n);
    CHECK(text && strlen(text) == n);
    assay_history *predicted = text ? parse(a, text) : NULL;
    assay_result *r = assay_check(a, predicted, "si,ser");
    CHECK(assay_result_verdict(r, 0) == ASSAY_HOLDS);
    CHECK(assay_result_verdict(r, 1) == ASSAY_VIOLATED);
    CHECK(!assay_predicted_history(p, 0, 9, NULL));
    CHECK(assay_error_status() == ASSAY_E_USAGE);
    assay_result_free(r);
    assay_history_free(predicted);
    assay_prediction_free(p);
    assay_history_free(h);
    assay_free(a);
}

static void
none_is_an_answer(void)
{
    assay *a = assay_new();
    CHECK(answer_of(a, harmless, "all") == ASSAY_NONE_PREDICTED);
    CHECK(answer_of(a, observed, "all") == ASSAY_PREDICTED);
    // A transaction without operations tests nothing.
    CHECK(answer_of(a, "{\"session\":1,\"ops\":[]}\n", "si") ==
          ASSAY_PREDICTION_UNKNOWN);
    assay_free(a);
}

static void
what_was_recorded_in_part_may_be_unknown(void)
{
    static const char gap[] =
        "{\"session\":1,\"ops\":[[\"w\",\"x\",1]],\"partial\":[\"reads\"]}\n"
        "{\"session\":2,\"ops\":[[\"r\",\"x\",1]]}\n";
    assay *a = assay_new();
    CHECK(answer_of(a, gap, "si") == ASSAY_NONE_PREDICTED);
    assay_set(a, ASSAY_COMPLETE, 1);
    CHECK(answer_of(a, gap, "si") == ASSAY_PREDICTION_UNKNOWN);
    assay_free(a);
}

static void
databases_have_names(void)
{
    assay *a = assay_new();
    assay_history *h = parse(a, harmless);
    assay_prediction *p = assay_predict(a, h, "postgresql:rr", 0);
    CHECK_TEXT(assay_error(), "");
    CHECK_TEXT(assay_prediction_level(p, 0), "postgresql:rr");
    CHECK(assay_answer(p) == ASSAY_NONE_PREDICTED);
    assay_prediction_free(p);
    assay_history_free(h);
    assay_free(a);
}

static void
wrong_calls_are_refused(void)
{
    assay *a = assay_new();
    assay_history *h = parse(a, observed);
    CHECK(assay_answer(NULL) == ASSAY_PREDICTION_UNKNOWN);
    CHECK(!assay_predict(NULL, h, "si", 0) && !assay_predict(a, h, NULL, 0));
    CHECK(!assay_predict(a, h, "ser", 0) && !assay_predict(a, h, "", 0));
    CHECK(assay_error_status() == ASSAY_E_USAGE);
    CHECK(!assay_predict(a, h, "oracle:rc", 0));
    assay_history_free(h);
    h = parse(a, "{");
    CHECK(!assay_predict(a, h, "si", 0));
    CHECK(assay_error_status() == ASSAY_E_SYNTAX); // of assay_parse
    // A value that two transactions wrote needs a serial order to begin with.
    static const char twice[] = "{\"session\":3,\"ops\":[[\"w\",\"z\",1]]}\n"
                                "{\"session\":4,\"ops\":[[\"w\",\"z\",1]]}\n"
                                "{\"session\":5,\"ops\":[[\"r\",\"z\",1]]}\n";
    char text[1000];
    snprintf(text, sizeof text, "%s%s", skewed, twice);
    CHECK(answer_of(a, text, "si") == ASSAY_PREDICTION_UNKNOWN);
    CHECK(assay_error_status() == ASSAY_E_FEATURE);
    snprintf(text, sizeof text, "%s%s", observed, twice);
    CHECK(answer_of(a, text, "si") == ASSAY_PREDICTED);
    assay_free(a);
}

static int
stop_when(void *self, const char *phase)
{
    return strcmp(phase, self) == 0;
}

static void
limits_are_unknown(void)
{
    assay *a = assay_new();
    assay_history *h = parse(a, observed);
    char *const phases[] = {(char[]){"predicting"}, (char[]){"explaining"}};
    for (size_t i = 0; i < 2; i++) {
        assay_set_progress(a, stop_when, phases[i]);
        CHECK(!assay_predict(a, h, "si", 0));
        CHECK(assay_error_status() == ASSAY_E_CANCELLED);
    }
    assay_set_progress(a, NULL, NULL);
    assay_set(a, ASSAY_MEMORY, 5000);
    assay_prediction *p = assay_predict(a, h, "si", 0);
    assay_set(a, ASSAY_MEMORY, 0);
    CHECK(p && assay_answer(p) == ASSAY_PREDICTION_UNKNOWN);
    CHECK(strstr(assay_prediction_text(p, "text", NULL), "memory limit"));
    assay_prediction_free(p);
    assay_history_free(h);
    assay_free(a);
}

int
main(void)
{
    RUN(a_write_skew_is_predicted);
    RUN(a_predicted_history_is_not_serializable);
    RUN(none_is_an_answer);
    RUN(what_was_recorded_in_part_may_be_unknown);
    RUN(databases_have_names);
    RUN(wrong_calls_are_refused);
    RUN(limits_are_unknown);
    return test_end();
}
