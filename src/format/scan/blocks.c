/* blocks.c -- see blocks.h.
 *
 * With one thread, each block is scanned and consumed in turn.  Otherwise the
 * buffers form a ring.  A scanner claims the next block when its buffer is
 * free, and the consumer waits for the block that comes next.
 *
 * Invariants of the ring, under its lock:
 *   (1) blocks consumed <= claimed <= consumed + size of the ring;
 *   (2) the buffer of a block is used by its scanner from the claim until the
 *       block is 'scanned', then by the consumer until it is consumed.
 *
 * SPDX-License-Identifier: MIT */
#include "format/scan/blocks.h"

#include "base/limits/context.h"
#include "base/memory/mem.h"
#include "base/parallel.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

enum {
    BLOCK_BYTES = 64 * 1024,
    MOST_THREADS = 16,
    PER_THREAD = 4, // blocks of the ring
    RING = PER_THREAD * (MOST_THREADS + 1),
};

void *
block_records(struct text_block *block, size_t bytes)
{
    if (block->records_room < bytes) {
        mem_free(block->records);
        block->records_room = bytes;
        block->records = mem_calloc(bytes, 1);
    }
    return block->records;
}

/* The first line that begins at or after an offset. */
static const char *
line_at(const struct input *in, size_t offset)
{
    if (!offset)
        return in->data;
    if (offset >= in->size)
        return in->data + in->size;
    const char *newline =
        memchr(in->data + offset - 1, '\n', in->size - offset + 1);
    return newline ? newline + 1 : in->data + in->size;
}

static void
find_block(const struct input *in, size_t number, struct text_block *block)
{
    block->begin = line_at(in, number * BLOCK_BYTES);
    block->end = line_at(in, (number + 1) * BLOCK_BYTES);
    block->limit = in->data + in->size;
    block->error_at = NULL;
}

static size_t
count_blocks(const struct input *in)
{
    return (in->size + BLOCK_BYTES - 1) / BLOCK_BYTES;
}

static bool
fail_at(const struct input *in, const struct text_block *block, struct err *err)
{
    uint64_t line, column;
    if (!block->error_at)
        return false;
    input_position(in, (size_t)(block->error_at - in->data), &line, &column);
    return err_at_line(err, line, column);
}

static void
free_records(const struct block_work *work, struct text_block *block)
{
    if (block->records && work->release)
        work->release(block->records);
    mem_free(block->records);
}

static bool
run_alone(struct input *in, const struct block_work *work, struct err *err)
{
    struct text_block block = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < count_blocks(in); i++) {
        context_poll();
        find_block(in, i, &block);
        ok = work->scan(work->self, &block, err) &&
             work->consume(work->self, &block, err);
        if (!ok)
            fail_at(in, &block, err);
        input_done(in, (size_t)(block.begin - in->data));
    }
    free_records(work, &block);
    return ok;
}

struct slot {
    struct text_block block;
    struct err err;
    bool ok, scanned;
};

struct ring {
    struct input *in;
    const struct block_work *work;
    size_t n_blocks, size;
    struct context *context;

    pthread_mutex_t lock;
    pthread_cond_t has_room; // for scanners
    pthread_cond_t is_ready; // for the consumer: block number 'consumed'
    size_t claimed, consumed;
    size_t done;   // bytes of the input before it are consumed
    unsigned idle; // scanners that wait for room
    bool stop;
    struct slot slots[RING];

    pthread_t threads[MOST_THREADS];
    unsigned started;
};

/* The scan of one block, which may be abandoned (context.h). */
struct block_scan {
    const struct ring *ring;
    struct slot *slot;
};

static void
scan_slot(void *self)
{
    const struct block_scan *a = self;
    const struct block_work *work = a->ring->work;
    a->slot->ok = work->scan(work->self, &a->slot->block, &a->slot->err);
}

static bool
can_claim(const struct ring *ring)
{
    return ring->claimed < ring->n_blocks &&
           ring->claimed < ring->consumed + ring->size;
}

/* Claim the next block and scan it.  Called with the lock, which is free while
 * the scan runs. */
static void
scan_next(struct ring *ring, bool is_consumer)
{
    assert(can_claim(ring));
    const size_t number = ring->claimed++, done = ring->done;
    struct slot *slot = &ring->slots[number % ring->size];
    pthread_mutex_unlock(&ring->lock);

    slot->err = (struct err){0};
    slot->ok = false;
    find_block(ring->in, number, &slot->block);
    struct block_scan attempt = {ring, slot};
    if (is_consumer) {
        scan_slot(&attempt);
    } else {
        (void)context_worker(ring->context, scan_slot, &attempt);
        input_done(ring->in, done); // here, as the consumer has more to do
    }

    pthread_mutex_lock(&ring->lock);
    slot->scanned = true;
    if (number == ring->consumed)
        pthread_cond_signal(&ring->is_ready);
}

static void *
scan_blocks(void *arg)
{
    struct ring *ring = arg;
    pthread_mutex_lock(&ring->lock);
    while (!ring->stop && ring->claimed < ring->n_blocks) {
        if (can_claim(ring)) {
            scan_next(ring, false);
            continue;
        }
        ring->idle++;
        pthread_cond_wait(&ring->has_room, &ring->lock);
        ring->idle--;
    }
    pthread_mutex_unlock(&ring->lock);
    return NULL;
}

/* Wait for the block that comes next.  The consumer scans as well rather than
 * wait, so that all threads are busy whichever work is the larger part. */
static void
await_block(struct ring *ring, const struct slot *slot)
{
    while (!slot->scanned)
        if (can_claim(ring))
            scan_next(ring, true);
        else
            pthread_cond_wait(&ring->is_ready, &ring->lock);
}

static bool
consume_blocks(struct ring *ring, struct input *in, struct err *err)
{
    const struct block_work *work = ring->work;
    for (size_t i = 0; i < ring->n_blocks; i++) {
        struct slot *slot = &ring->slots[i % ring->size];
        pthread_mutex_lock(&ring->lock);
        await_block(ring, slot);
        slot->scanned = false;
        pthread_mutex_unlock(&ring->lock);

        context_poll(); // the scan may have been abandoned
        if (!slot->ok)
            *err = slot->err;
        if (!slot->ok || !work->consume(work->self, &slot->block, err))
            return fail_at(in, &slot->block, err);

        pthread_mutex_lock(&ring->lock);
        ring->consumed++;
        ring->done = (size_t)(slot->block.begin - in->data);
        // Waking a thread costs more than a block: let there be some for it.
        if (ring->idle && ring->claimed - ring->consumed <= ring->size / 2)
            pthread_cond_broadcast(&ring->has_room);
        pthread_mutex_unlock(&ring->lock);
    }
    return true;
}

static void
end_scanners(void *self)
{
    struct ring *ring = self;
    pthread_mutex_lock(&ring->lock);
    ring->stop = true;
    pthread_cond_broadcast(&ring->has_room);
    pthread_mutex_unlock(&ring->lock);
    while (ring->started)
        pthread_join(ring->threads[--ring->started], NULL);
    pthread_cond_destroy(&ring->has_room);
    pthread_cond_destroy(&ring->is_ready);
    pthread_mutex_destroy(&ring->lock);
}

static bool
run_together(struct input *in, unsigned n_scanners,
             const struct block_work *work, struct err *err)
{
    struct ring *ring = mem_calloc(1, sizeof *ring);
    *ring = (struct ring){.in = in,
                          .work = work,
                          .n_blocks = count_blocks(in),
                          .context = context_current(),
                          .size = PER_THREAD * ((size_t)n_scanners + 1)};
    pthread_mutex_init(&ring->lock, NULL);
    pthread_cond_init(&ring->has_room, NULL);
    pthread_cond_init(&ring->is_ready, NULL);
    context_defer(end_scanners, ring);
    while (ring->started < n_scanners &&
           parallel_start(&ring->threads[ring->started], scan_blocks, ring))
        ring->started++;

    bool ok;
    if (ring->started)
        ok = consume_blocks(ring, in, err);
    else
        ok = run_alone(in, work, err);

    context_undefer();
    end_scanners(ring);
    for (size_t i = 0; i < RING; i++)
        free_records(work, &ring->slots[i].block);
    mem_free(ring);
    return ok;
}

bool
blocks_run(struct input *in, const struct block_work *work, struct err *err)
{
    const unsigned scanners =
        in->threads - 1 > MOST_THREADS ? MOST_THREADS : in->threads - 1;
    if (!scanners || count_blocks(in) < 4)
        return run_alone(in, work, err);
    return run_together(in, scanners, work, err);
}
