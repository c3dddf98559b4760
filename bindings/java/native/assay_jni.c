/* assay_jni.c -- the native half of assay.Assay: one call for one check.
 *
 * Texts come and go as bytes: Java's own UTF-8 differs from everybody else's.
 *
 * SPDX-License-Identifier: MIT */
#include <assay/assay.h>

#include <jni.h>
#include <string.h>

JNIEXPORT jint JNICALL Java_assay_Assay_run(
    JNIEnv *env, jclass self, jbyteArray path, jbyteArray bytes,
    jbyteArray levels, jint most, jlong ms, jlong memory, jboolean complete,
    jobjectArray formats, jobjectArray reports, jlongArray partial);

static jbyte *
take(JNIEnv *env, jbyteArray array)
{
    return array ? (*env)->GetByteArrayElements(env, array, NULL) : NULL;
}

static void
give_back(JNIEnv *env, jbyteArray array, jbyte *at)
{
    if (at)
        (*env)->ReleaseByteArrayElements(env, array, at, JNI_ABORT);
}

static void
throw_error(JNIEnv *env)
{
    const char *name = assay_error_status() == ASSAY_E_MEMORY
                           ? "java/lang/OutOfMemoryError"
                           : "java/lang/IllegalArgumentException";
    (*env)->ThrowNew(env, (*env)->FindClass(env, name), assay_error());
}

static assay_history *
read_history(JNIEnv *env, assay *a, jbyteArray path, jbyteArray bytes)
{
    jbyte *p = take(env, path), *b = take(env, bytes);
    const size_t n = b ? (size_t)(*env)->GetArrayLength(env, bytes) : 0;
    assay_history *h =
        p ? assay_load(a, (const char *)p, NULL) : assay_parse(a, b, n, NULL);
    give_back(env, path, p);
    give_back(env, bytes, b);
    return h;
}

/* What a call works on.  A check, or a prediction if 'most' is not negative. */
struct call {
    assay *a;
    assay_history *h;
    assay_result *r;
    assay_prediction *p;
};

/* The report in the i-th format; 0 where there is none. */
static int
add_report(JNIEnv *env, const struct call *c, jobjectArray formats,
           jobjectArray reports, jsize i)
{
    jbyteArray name = (*env)->GetObjectArrayElement(env, formats, i);
    jbyte *format = take(env, name);
    size_t n;
    const char *text =
        c->r ? assay_result_text(c->r, (const char *)format, &n)
             : assay_prediction_text(c->p, (const char *)format, &n);
    give_back(env, name, format);
    jbyteArray out =
        text && n <= INT32_MAX ? (*env)->NewByteArray(env, (jsize)n) : NULL;
    if (!out)
        return 0;
    (*env)->SetByteArrayRegion(env, out, 0, (jsize)n, (const jbyte *)text);
    (*env)->SetObjectArrayElement(env, reports, i, out);
    return 1;
}

static int
configure(assay *a, jlong ms, jlong memory, jboolean complete)
{
    return a && assay_set(a, ASSAY_TIMEOUT_MS, ms) == ASSAY_OK &&
           assay_set(a, ASSAY_MEMORY, memory) == ASSAY_OK &&
           assay_set(a, ASSAY_COMPLETE, complete ? 1 : 0) == ASSAY_OK;
}

/* Check or predict; 0 where that failed. */
static int
decide(JNIEnv *env, struct call *c, jbyteArray levels, jint most)
{
    jbyte *l = take(env, levels);
    if (c->h && most < 0)
        c->r = assay_check(c->a, c->h, (const char *)l);
    else if (c->h)
        c->p = assay_predict(c->a, c->h, (const char *)l, (size_t)most);
    give_back(env, levels, l);
    return c->r || c->p;
}

JNIEXPORT jint JNICALL
Java_assay_Assay_run(JNIEnv *env, jclass self, jbyteArray path,
                     jbyteArray bytes, jbyteArray levels, jint most, jlong ms,
                     jlong memory, jboolean complete, jobjectArray formats,
                     jobjectArray reports, jlongArray partial)
{
    (void)self;
    struct call c = {.a = assay_new()};
    int ok = configure(c.a, ms, memory, complete);
    if (ok)
        c.h = read_history(env, c.a, path, bytes);
    ok = ok && c.h && decide(env, &c, levels, most);
    for (jsize i = 0; ok && i < (*env)->GetArrayLength(env, formats); i++)
        ok = add_report(env, &c, formats, reports, i);
    if (!ok && !(*env)->ExceptionCheck(env))
        throw_error(env);
    const jlong parts = (jlong)assay_result_partial(c.r);
    if (ok && partial)
        (*env)->SetLongArrayRegion(env, partial, 0, 1, &parts);
    const jint status =
        most < 0 ? (jint)assay_verdict(c.r) : (jint)assay_answer(c.p);
    assay_result_free(c.r);
    assay_prediction_free(c.p);
    assay_history_free(c.h);
    assay_free(c.a);
    return status;
}
