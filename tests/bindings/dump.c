/* dump.c -- verdict, text and JSON of the histories in a list, and
 * predictions, for compare.
 *
 * usage: dump LIST DIRECTORY
 *
 * SPDX-License-Identifier: MIT */
#include <assay/assay.h>

#include <stdio.h>
#include <string.h>

static int
write_file(const char *directory, int i, const char *suffix, const char *text,
           size_t n)
{
    char path[4096];
    FILE *f;
    snprintf(path, sizeof path, "%s/%d.%s", directory, i, suffix);
    f = fopen(path, "wb");
    if (!f)
        return 0;
    fwrite(text, 1, n, f);
    return fclose(f) == 0;
}

static int
dump(assay *a, const char *path, const char *directory, int i)
{
    static const char *const formats[] = {"text", "json"};
    assay_history *h = assay_load(a, path, NULL);
    assay_result *r = assay_check(a, h, "all");
    assay_prediction *p;
    char status[16];
    int ok = r != NULL, k;
    if (!r)
        fprintf(stderr, "%s: %s\n", path, assay_error());
    snprintf(status, sizeof status, "%d", (int)assay_verdict(r));
    ok = ok && write_file(directory, i, "status", status, strlen(status));
    for (k = 0; ok && k < 2; k++) {
        size_t n;
        const char *text = assay_result_text(r, formats[k], &n);
        ok = text && write_file(directory, i, formats[k], text, n);
    }
    assay_result_free(r);
    p = assay_predict(a, h, "si", 0); /* none where it is not serializable */
    if (p) {
        size_t n;
        const char *text = assay_prediction_text(p, "json", &n);
        ok = ok && text && write_file(directory, i, "predict-json", text, n);
    }
    assay_prediction_free(p);
    assay_history_free(h);
    return ok;
}

int
main(int argc, char **argv)
{
    char path[4096];
    int i = 0, ok;
    FILE *list = argc == 3 ? fopen(argv[1], "r") : NULL;
    assay *a = assay_new();
    ok = list && a;
    while (ok && fgets(path, sizeof path, list)) {
        path[strcspn(path, "\n")] = 0;
        ok = dump(a, path, argv[2], i++);
    }
    assay_free(a);
    return !ok;
}
