/* histories.c -- histories from files and memory, and back; see assay.h.
 *
 * SPDX-License-Identifier: MIT */
#include "api/handle.h"
#include "base/memory/mem.h"
#include "evidence/certificate_write.h"
#include "format/format.h"
#include "history/sessions.h"

/* --- handles ---------------------------------------------------------------*/

struct assay_history *
handle_keep_history(const struct assay_history *h)
{
    // The count is not part of what the caller promised not to change.
    struct assay_history *counted = (struct assay_history *)(uintptr_t)h;
    atomic_fetch_add(&counted->references, 1);
    return counted;
}

struct assay_history *
handle_history(struct assay *a, struct history *h, const struct format *format,
               const char *name)
{
    struct assay_history *out = handle_alloc(sizeof *out);
    char *copy = out ? handle_copy(name) : NULL;
    if (!copy) {
        mem_free(out);
        history_free(h);
        return NULL;
    }
    atomic_store(&out->references, 1);
    out->a = handle_keep(a);
    out->h = *h;
    out->format = format;
    out->name = copy;
    return out;
}

void
assay_history_free(assay_history *h)
{
    if (!h || atomic_fetch_sub(&h->references, 1) != 1)
        return;
    history_free(&h->h);
    assay_free(h->a);
    mem_free(h->name);
    mem_free(h);
}

assay_status
assay_history_set_name(assay_history *h, const char *name)
{
    handle_clear_error();
    if (!h || !name)
        return handle_fail(ASSAY_E_USAGE, "no history or no name");
    char *copy = handle_copy(name);
    if (!copy)
        return ASSAY_E_MEMORY;
    mem_free(h->name);
    h->name = copy;
    return ASSAY_OK;
}

/* --- reading ---------------------------------------------------------------*/

struct reading {
    struct assay *a;
    const char *path; // NULL: from memory
    const char *bytes;
    size_t n;
    const char *format;
    const struct format *used;
    struct history h;
    struct err err;
};

static void
read_history(void *self)
{
    struct reading *r = self;
    const unsigned threads = (unsigned)r->a->options[ASSAY_THREADS];
    const char *format = r->format ? r->format : "auto";
    context_phase("reading");
    const bool ok =
        r->path
            ? format_read(r->path, format, threads, &r->h, &r->used, &r->err)
            : format_read_bytes(r->bytes, r->n, "history", format, threads,
                                &r->h, &r->used, &r->err);
    if (ok && !r->a->options[ASSAY_SESSION_ORDER])
        history_ignore_sessions(&r->h);
}

static assay_history *
read_into_handle(struct reading *r, const char *name)
{
    if (handle_run(r->a, read_history, r, &r->err) != ASSAY_OK)
        return NULL;
    return handle_history(r->a, &r->h, r->used, name);
}

assay_history *
assay_load(assay *a, const char *path, const char *format)
{
    if (!a || !path) {
        handle_fail(ASSAY_E_USAGE, "no assay or no path");
        return NULL;
    }
    struct reading r = {.a = a, .path = handle_path(path), .format = format};
    return read_into_handle(&r, path);
}

assay_history *
assay_parse(assay *a, const void *bytes, size_t n, const char *format)
{
    if (!a || (!bytes && n)) {
        handle_fail(ASSAY_E_USAGE, "no assay or no bytes");
        return NULL;
    }
    struct reading r = {
        .a = a, .bytes = bytes ? bytes : "", .n = n, .format = format};
    return read_into_handle(&r, "history");
}

/* --- writing ---------------------------------------------------------------*/

struct saving {
    const struct assay_history *h;
    const struct format *format;
    const char *path;
    struct err err;
};

static void
write_history(void *self)
{
    struct saving *s = self;
    format_write(&s->h->h, s->format, s->path, &s->err);
}

assay_status
assay_save(const assay_history *h, const char *path, const char *format)
{
    if (!h || !path)
        return handle_fail(ASSAY_E_USAGE, "no history or no path");
    struct saving s = {.h = h,
                       .format = format_find(format ? format : "jsonl"),
                       .path = handle_path(path)};
    if (!s.format)
        return handle_fail(ASSAY_E_USAGE, "an unknown format");
    return handle_run(h->a, write_history, &s, &s.err);
}

/* --- sizes -----------------------------------------------------------------*/

uint64_t
assay_sessions(const assay_history *h)
{
    return h ? h->h.n_sessions : 0;
}

uint64_t
assay_transactions(const assay_history *h)
{
    return h ? h->h.n_txns : 0;
}

uint64_t
assay_operations(const assay_history *h)
{
    return h ? history_ops(&h->h) : 0;
}

struct printing {
    const struct assay_history *h;
    uint64_t fingerprint;
    struct err err;
};

static void
compute_fingerprint(void *self)
{
    struct printing *p = self;
    p->fingerprint = certificate_fingerprint(&p->h->h);
}

uint64_t
assay_fingerprint(const assay_history *h)
{
    struct printing p = {.h = h};
    if (h)
        handle_run(h->a, compute_fingerprint, &p, &p.err);
    return p.fingerprint;
}
