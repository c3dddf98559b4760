/* session_alignment.c -- see session_alignment.h.
 *
 * All sessions begin together.  They are followed from there in windows of a
 * few transactions: each session in turn is shifted to where its reads and
 * writes fit best to those of the others.  Take a read and a write of the same
 * value by two sessions.  If the read saw that write, it came within about the
 * life of a version of the key; if not, it may be anywhere.  So the logarithm
 * of how much likelier the first is counts for the shifts that bring the two
 * together in that way.  Where values repeat most pairs are not related, but
 * those that are all speak for one shift.
 *
 * Against a shift speaks that sessions drift slowly.  If each transaction is of
 * one of k sessions at random, a session drifts by about sqrt(m) * k / 2 places
 * in m of its transactions; and since its end is known like its beginning, it
 * cannot be far from an even pace in between (a Brownian bridge).  A session
 * that was shifted wrongly has to be found again, so a jump within the range
 * that is searched costs no more than TUNE_FOLLOW_STRAY.
 *
 * Places are counted among all transactions, so that distances grow with the
 * number of sessions.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/infer/session_alignment.h"

#include "base/container/sorted.h"
#include "base/limits/context.h"
#include "base/limits/tuning.h"

#include <math.h>

// Of shifts.
enum {
    BINS = 2 * TUNE_FOLLOW_RANGE * TUNE_FOLLOW_BINS + 1,
};

/* What a pair of a read and a write of a value says. */
struct value_weight {
    float life; // of a version of the key, in places
    float near, far;
};

/* The transactions that write a value, or that read it, by their even times.
 * Those of a value with several writers begin at its place in h->several. */
struct value_users {
    uint32_t *first; // one more than places
    uint32_t *n;
    txn_id *at;
};

struct session_window {
    txn_id before, first, end; // of the window before, and of this one
    double offset;             // from an even pace
};

struct follower {
    const struct history *h;
    const txn_id *order;
    uint32_t n;
    const double *even;
    double *now;

    session_id *session; // by transaction
    uint32_t *writes;    // by key
    struct value_users writers, readers;
    struct value_weight *weights; // by place in h->several
    struct session_window *windows;
    double spread;         // between the offsets of two sessions, at most
    double ahead;          // the even time up to which 'now' is set
    double each;           // places for a transaction of each session
    float score[BINS + 1]; // differences between neighbours
};

/* --- the users of values ---------------------------------------------------*/

static size_t
place_of(const struct history *h, value_id v)
{
    assert(history_has_several(h, v));
    return (size_t)(history_candidates(h, v).at - h->several.at);
}

static bool
is_use(const struct history *h, op_id op, bool write)
{
    return (write ? op_is_final_write(h, op) : op_is_external_read(h, op)) &&
           history_has_several(h, h->op_value[op]);
}

static void
list_users(const struct follower *f, bool write, struct value_users *users)
{
    const struct history *h = f->h;
    const size_t places = h->several.n;
    users->first = mem_calloc(places + 1, sizeof *users->first);
    users->n = mem_calloc(places, sizeof *users->n);
    for (op_id op = 0; op < h->n_ops; op++)
        if (is_use(h, op, write))
            users->first[place_of(h, h->op_value[op]) + 1]++;
    for (size_t i = 0; i < places; i++)
        users->first[i + 1] += users->first[i];
    users->at = mem_alloc(users->first[places], sizeof *users->at);
    for (uint32_t i = 0; i < f->n; i++) {
        const txn_id t = f->order[i];
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (is_use(h, op, write)) {
                const size_t at = place_of(h, h->op_value[op]);
                users->at[users->first[at] + users->n[at]++] = t;
            }
    }
}

static void
users_free(struct value_users *users)
{
    mem_free(users->first);
    mem_free(users->n);
    mem_free(users->at);
}

/* What a pair says where a value of key k has so many writers. */
static struct value_weight
weigh(const struct follower *f, key_id k, uint32_t writers)
{
    assert(f->n && k < f->h->n_keys);
    const double rate = (double)(writers ? writers : 1) / f->n;
    const double life = (double)f->n / (f->writes[k] + 1);
    const double blur = TUNE_FOLLOW_BLUR * f->each;
    return (struct value_weight){
        .life = (float)life,
        .near = (float)log(1 + TUNE_FOLLOW_NEAR_PERCENT / 100.0 /
                                   (rate * (life + 2 * blur))),
        .far = (float)log(1 +
                          TUNE_FOLLOW_FAR_PERCENT / 100.0 / (rate * 2 * life))};
}

static void
weigh_values(struct follower *f)
{
    const struct history *h = f->h;
    f->writes = mem_calloc(h->n_keys, sizeof *f->writes);
    f->weights = mem_calloc(h->several.n, sizeof *f->weights);
    for (op_id op = 0; op < h->n_ops; op++)
        if (op_is_final_write(h, op))
            f->writes[op_key(h, op)]++;
    for (op_id op = 0; op < h->n_ops; op++)
        if (is_use(h, op, false)) {
            const size_t at = place_of(h, h->op_value[op]);
            if (f->weights[at].life == 0)
                f->weights[at] = weigh(f, op_key(h, op), f->writers.n[at]);
        }
}

/* --- shifts ----------------------------------------------------------------*/

static int
find_bin(const struct follower *f, double shift)
{
    const double bin =
        (shift / f->each + TUNE_FOLLOW_RANGE) * TUNE_FOLLOW_BINS + 0.5;
    return bin < 0 ? 0 : bin > BINS ? BINS : (int)bin;
}

static void
favour(struct follower *f, double from, double to, float weight)
{
    f->score[find_bin(f, from)] += weight;
    f->score[find_bin(f, to)] -= weight;
}

/* Take note of the shifts that bring t, of session s, together with the n
 * transactions at[], which write what it reads or the other way round. */
static void
favour_meetings(struct follower *f, session_id s, txn_id t, bool writes,
                const txn_id *at, uint32_t n, struct value_weight w)
{
    const double blur = TUNE_FOLLOW_BLUR * f->each, x = f->now[t];
    const double most = TUNE_FOLLOW_RANGE * f->each, far = 3 * w.life + blur;
    const double reach = most + far + f->spread;
    uint32_t i = 0;
    LOWER_BOUND(i, n, middle, f->even[at[middle]] < f->even[t] - reach);
    for (; i < n && f->even[at[i]] <= f->even[t] + reach; i++) {
        const double y = f->now[at[i]] - x;
        if (f->session[at[i]] == s || y < -most - far || y > most + far)
            continue;
        if (writes) {
            favour(f, y - far, y - w.life - blur, w.far);
            favour(f, y - w.life - blur, y + blur, w.near);
        } else {
            favour(f, y - blur, y + w.life + blur, w.near);
            favour(f, y + w.life + blur, y + far, w.far);
        }
    }
}

static void
hear(struct follower *f, session_id s, txn_id t, op_id op)
{
    const struct history *h = f->h;
    const value_id v = h->op_value[op];
    const bool write = op_is_final_write(h, op);
    if (!write && !op_is_external_read(h, op))
        return;
    if (history_has_several(h, v)) {
        const size_t at = place_of(h, v);
        const struct value_users *u = write ? &f->readers : &f->writers;
        favour_meetings(f, s, t, write, u->at + u->first[at], u->n[at],
                        f->weights[at]);
    } else if (!write && history_writer(h, v) < h->n_txns) {
        const txn_id writer = history_writer(h, v);
        favour_meetings(f, s, t, false, &writer, 1, weigh(f, op_key(h, op), 1));
    }
}

/* How far a session may be from an even pace in the window that ends at even
 * time 'end'. */
static double
find_bridge(const struct follower *f, session_id s, double end)
{
    const double n = f->n,
                 len = f->h->session_first[s + 1] - f->h->session_first[s];
    const double gone = end < n ? end / n : 1;
    return sqrt(gone * (1 - gone) * len) * n / len +
           sqrt(TUNE_FOLLOW_WINDOW) * f->each;
}

static double
find_shift(struct follower *f, session_id s, double end)
{
    const struct history *h = f->h;
    const struct session_window *w = &f->windows[s];
    memset(f->score, 0, sizeof f->score);
    for (txn_id t = w->before; t < w->end; t++)
        for (op_id op = h->txn_begin[t]; h->txn_counts[t] && op < h->txn_end[t];
             op++)
            hear(f, s, t, op);
    const double drift = sqrt(TUNE_FOLLOW_WINDOW) * f->each / 2;
    const double bridge = find_bridge(f, s, end);
    double sum = 0, best = -INFINITY, found = 0;
    for (int i = 0; i < BINS; i++) {
        const double shift =
            ((double)i / TUNE_FOLLOW_BINS - TUNE_FOLLOW_RANGE) * f->each;
        const double jump = shift * shift / (2 * drift * drift);
        const double off = w->offset + shift;
        sum += f->score[i];
        const double score =
            sum - (jump < TUNE_FOLLOW_STRAY ? jump : TUNE_FOLLOW_STRAY) -
            off * off / (2 * bridge * bridge);
        if (score > best) {
            best = score;
            found = shift;
        }
    }
    return found;
}

/* --- windows ---------------------------------------------------------------*/

/* Put a session where its offset says, from its window on. */
static void
place_session(struct follower *f, session_id s)
{
    const struct session_window *w = &f->windows[s];
    const txn_id end = f->h->session_first[s + 1];
    for (txn_id t = w->first; t < end && f->even[t] < f->ahead; t++)
        f->now[t] = f->even[t] + w->offset;
}

static void
find_spread(struct follower *f)
{
    double least = INFINITY, most = -INFINITY;
    for (session_id s = 0; s < f->h->n_sessions; s++) {
        least = fmin(least, f->windows[s].offset);
        most = fmax(most, f->windows[s].offset);
    }
    // Sessions that are lost need not be heard by the others.
    const double bound = 4 * sqrt((double)f->n * f->each);
    f->spread = most - least < bound ? most - least : bound;
}

static void
enter_window(struct follower *f, double end)
{
    const struct history *h = f->h;
    find_spread(f);
    f->ahead = end + 2 * TUNE_FOLLOW_RANGE * f->each + f->spread;
    for (session_id s = 0; s < h->n_sessions; s++) {
        struct session_window *w = &f->windows[s];
        w->before = w->first;
        w->first = w->end;
        while (w->end < h->session_first[s + 1] && f->even[w->end] < end)
            w->end++;
        place_session(f, s);
    }
}

static void
follow(struct follower *f, double end)
{
    const session_id n = f->h->n_sessions;
    double mean = 0;
    enter_window(f, end);
    for (session_id s = 0; s < n; s++) {
        f->windows[s].offset += find_shift(f, s, end);
        mean += f->windows[s].offset / n;
        place_session(f, s);
    }
    for (session_id s = 0; s < n; s++) {
        f->windows[s].offset -= mean; // all of them cannot be late
        place_session(f, s);
    }
}

static void
make_rise(struct follower *f)
{
    const struct history *h = f->h;
    for (session_id s = 0; s < h->n_sessions; s++)
        for (txn_id t = h->session_first[s] + 1; t < h->session_first[s + 1];
             t++)
            if (f->now[t] < f->now[t - 1])
                f->now[t] = f->now[t - 1];
}

void
session_alignment_find(const struct history *h, const txn_id *order, uint32_t n,
                       const double *even, double *now)
{
    struct follower f = {.h = h,
                         .order = order,
                         .n = n,
                         .even = even,
                         .now = now,
                         .each = h->n_sessions};
    f.session = mem_alloc(h->n_txns, sizeof *f.session);
    f.windows = mem_calloc(h->n_sessions, sizeof *f.windows);
    for (session_id s = 0; s < h->n_sessions; s++) {
        const txn_id first = h->session_first[s];
        f.windows[s].first = f.windows[s].end = first;
        for (txn_id t = first; t < h->session_first[s + 1]; t++) {
            f.session[t] = s;
            now[t] = even[t];
        }
    }
    list_users(&f, true, &f.writers);
    list_users(&f, false, &f.readers);
    weigh_values(&f);
    const double width = TUNE_FOLLOW_WINDOW * f.each;
    for (double end = width; end < n + width; end += width) {
        context_poll();
        follow(&f, end);
    }
    make_rise(&f);
    users_free(&f.writers);
    users_free(&f.readers);
    mem_free(f.session);
    mem_free(f.writes);
    mem_free(f.weights);
    mem_free(f.windows);
}
