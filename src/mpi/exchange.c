/* exchange.c -- see exchange.h.
 *
 * Counts of MPI are of type int.  So a record is one MPI type, and they travel
 * in rounds of at most ROUND records for each pair of ranks.
 *
 * SPDX-License-Identifier: MIT */
#include "mpi/exchange.h"

#include "base/limits/context.h"
#include "base/print.h"

#include <assert.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>

enum { ROUND = 1 << 22, PIECE = 1 << 26 };

void
exchange_begin(int *argc, char ***argv, struct exchange *x)
{
    *x = (struct exchange){0};
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &x->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &x->ranks);
}

void
exchange_end(void)
{
    MPI_Finalize();
}

bool
exchange_agree(struct exchange *x, bool ok, char why[EXCHANGE_TEXT])
{
    int mine = ok ? x->ranks : x->rank, first;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == x->ranks)
        return true;
    MPI_Bcast(why, EXCHANGE_TEXT, MPI_CHAR, first, MPI_COMM_WORLD);
    return false;
}

uint64_t
exchange_sum(struct exchange *x, uint64_t value)
{
    uint64_t sum;
    (void)x;
    MPI_Allreduce(&value, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

uint64_t
exchange_most(struct exchange *x, uint64_t value)
{
    uint64_t most;
    (void)x;
    MPI_Allreduce(&value, &most, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

uint64_t
exchange_from(struct exchange *x, int rank, uint64_t value)
{
    (void)x;
    MPI_Bcast(&value, 1, MPI_UINT64_T, rank, MPI_COMM_WORLD);
    return value;
}

/* Whether this rank has memory for more bytes. */
static bool
has_room(const struct exchange *x, uint64_t bytes, char why[EXCHANGE_TEXT])
{
    const uint64_t need = mem_in_use() + bytes;
    if (!x->memory || need <= x->memory)
        return true;
    print_text(
        why, EXCHANGE_TEXT,
        "rank %d needs %.1f MB, --memory is %.1f MB: use about %llu ranks",
        x->rank, (double)need / 1e6, (double)x->memory / 1e6,
        (unsigned long long)(need * (uint64_t)x->ranks / x->memory + 1));
    return false;
}

/* One round of all pairs: records from 'done' on. */
struct rounds {
    size_t size;
    uint64_t done;
    const byte_vec *boxes;
    byte_vec *in;
    const uint64_t *expected; // bytes
    MPI_Datatype type;
};

static int
part_of(uint64_t bytes, const struct rounds *r)
{
    const uint64_t n = bytes / r->size;
    const uint64_t left = n > r->done ? n - r->done : 0;
    return left > ROUND ? ROUND : (int)left;
}

static void
run_round(struct exchange *x, const struct rounds *r)
{
    const size_t n = 2 * (size_t)x->ranks;
    MPI_Request *requests = mem_alloc(n, sizeof *requests);
    int begun = 0;
    for (int i = 1; i < x->ranks; i++) {
        const int to = (x->rank + i) % x->ranks;
        const int out = part_of(r->boxes[to].n, r);
        const int in = part_of(r->expected[to], r);
        const size_t at = (size_t)r->done * r->size;
        if (in)
            MPI_Irecv(r->in[to].at + at, in, r->type, to, 0, MPI_COMM_WORLD,
                      &requests[begun++]);
        if (out)
            MPI_Isend(r->boxes[to].at + at, out, r->type, to, 0, MPI_COMM_WORLD,
                      &requests[begun++]);
        x->sent += (uint64_t)out * r->size;
    }
    MPI_Waitall(begun, requests, MPI_STATUSES_IGNORE);
    mem_free(requests);
}

/* Room for what other ranks send, which there may not be. */
struct room {
    byte_vec *in;
    const uint64_t *expected; // bytes
    int rank, ranks;
};

static void
make_room(void *self)
{
    const struct room *r = self;
    for (int i = 0; i < r->ranks; i++)
        if (i != r->rank)
            vec_grow(&r->in[i], (size_t)r->expected[i]);
}

static bool
find_room(const struct exchange *x, byte_vec *in, const uint64_t *expected,
          char why[EXCHANGE_TEXT])
{
    struct room room = {in, expected, x->rank, x->ranks};
    struct context c = {0};
    for (int i = 0; i < x->ranks; i++)
        vec_free(&in[i]);
    if (context_run(&c, make_room, &room))
        return true;
    for (int i = 0; i < x->ranks; i++)
        in[i] = (byte_vec){0}; // the context has freed them
    print_text(why, EXCHANGE_TEXT, "rank %d has no memory for what others send",
               x->rank);
    return false;
}

bool
exchange_boxes(struct exchange *x, byte_vec *boxes, size_t size, byte_vec *in,
               char why[EXCHANGE_TEXT])
{
    const size_t n = (size_t)x->ranks;
    uint64_t *counts = mem_alloc(2 * n, sizeof *counts), *expected = counts + n;
    uint64_t total = 0, most = 0;
    for (size_t i = 0; i < n; i++) {
        assert(boxes[i].n % size == 0);
        counts[i] = boxes[i].n;
        most = boxes[i].n > most ? boxes[i].n : most;
    }
    MPI_Alltoall(counts, 1, MPI_UINT64_T, expected, 1, MPI_UINT64_T,
                 MPI_COMM_WORLD);
    for (size_t i = 0; i < n; i++)
        total += i == (size_t)x->rank ? 0 : expected[i];
    const bool ok = exchange_agree(
        x, has_room(x, total, why) && find_room(x, in, expected, why), why);
    if (ok) {
        struct rounds r = {
            .size = size, .boxes = boxes, .in = in, .expected = expected};
        MPI_Type_contiguous((int)size, MPI_BYTE, &r.type);
        MPI_Type_commit(&r.type);
        in[x->rank] = boxes[x->rank]; // what stays here is not copied
        boxes[x->rank] = (byte_vec){0};
        const uint64_t rounds =
            (exchange_most(x, most) / size + ROUND - 1) / ROUND;
        for (uint64_t i = 0; i < rounds; i++, r.done += ROUND)
            run_round(x, &r);
        MPI_Type_free(&r.type);
    }
    for (size_t i = 0; i < n; i++)
        vec_free(&boxes[i]);
    mem_free(counts);
    return ok;
}

void
exchange_move(struct exchange *x, int from, int to, const byte_vec *bytes,
              byte_vec *out)
{
    const uint64_t n = exchange_from(x, from, x->rank == from ? bytes->n : 0);
    const size_t old = out->n;
    if (x->rank == to)
        vec_grow(out, (size_t)n);
    if (from == to) {
        if (x->rank == to && n)
            memcpy(out->at + old, bytes->at, (size_t)n);
        return;
    }
    for (uint64_t at = 0; at < n; at += PIECE) {
        const int some = n - at < PIECE ? (int)(n - at) : PIECE;
        if (x->rank == from)
            MPI_Send(bytes->at + at, some, MPI_BYTE, to, 0, MPI_COMM_WORLD);
        else if (x->rank == to)
            MPI_Recv(out->at + old + at, some, MPI_BYTE, from, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    x->sent += x->rank == from ? n : 0;
}
