/* assay_jni.c -- the native half of assay.Assay: one call for one check.
 *
 * Texts come and go as bytes: Java's own UTF-8 differs from everybody else's.
 *
 * SPDX-License-Identifier: MIT */
#include <assay/assay.h>

#include <jni.h>
#include <string.h>

JNIEXPORT jint JNICALL Java_assay_Assay_run(JNIEnv *env, jclass self,
                                            jbyteArray path, jbyteArray bytes,
                                            jbyteArray levels, jlong ms,
                                            jlong memory, jobjectArray formats,
                                            jobjectArray reports);

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

/* The report in the i-th format; 0 where there is none. */
static int
add_report(JNIEnv *env, assay_result *r, jobjectArray formats,
           jobjectArray reports, jsize i)
{
    jbyteArray name = (*env)->GetObjectArrayElement(env, formats, i);
    jbyte *format = take(env, name);
    size_t n;
    const char *text = assay_result_text(r, (const char *)format, &n);
    give_back(env, name, format);
    jbyteArray out = text ? (*env)->NewByteArray(env, (jsize)n) : NULL;
    if (!out)
        return 0;
    (*env)->SetByteArrayRegion(env, out, 0, (jsize)n, (const jbyte *)text);
    (*env)->SetObjectArrayElement(env, reports, i, out);
    return 1;
}

JNIEXPORT jint JNICALL
Java_assay_Assay_run(JNIEnv *env, jclass self, jbyteArray path,
                     jbyteArray bytes, jbyteArray levels, jlong ms,
                     jlong memory, jobjectArray formats, jobjectArray reports)
{
    (void)self;
    assay *a = assay_new();
    assay_set(a, ASSAY_TIMEOUT_MS, ms);
    assay_set(a, ASSAY_MEMORY, memory);
    assay_history *h = read_history(env, a, path, bytes);
    jbyte *l = take(env, levels);
    assay_result *r = h ? assay_check(a, h, (const char *)l) : NULL;
    give_back(env, levels, l);
    int ok = r != NULL;
    for (jsize i = 0; ok && i < (*env)->GetArrayLength(env, formats); i++)
        ok = add_report(env, r, formats, reports, i);
    if (!ok && !(*env)->ExceptionCheck(env))
        throw_error(env);
    const jint verdict = (jint)assay_verdict(r);
    assay_result_free(r);
    assay_history_free(h);
    assay_free(a);
    return verdict;
}
