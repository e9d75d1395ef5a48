/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hash table with linear probing. Where it is crowded, a new entry replaces another one. */
#include "simulate/models/quantile_cache.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"
#include "simulate/draws/lane_code.h"

/* Number of entries of the cache, number of places for an entry, and maximum number of terms of a constant message time. */
enum { PLACES = 64, PROBES = 16, TERMS = 4 };
/* Number of recent rows that are stored for each sending rank (docs/MODEL.md, section 3, Messages in a row). */
enum { KEPT = 4 };

/* --- rows of successive messages, drawn once for all messages of a row --- */

/* The identity of a row. */
struct key {
    const struct mpg_perturbation *p;
    const struct mpg_rows *rows;
    uint64_t call;
    uint32_t to;
};

struct sender {
    struct key key[KEPT]; /* p NULL: the place is empty */
    uint32_t next;        /* index of the row to be replaced next */
    uint32_t row[];       /* [index of the row][replica]: where the row begins (mpg_flight_draw_rows()) */
};

struct kept_rows {
    uint32_t first, n;
    struct sender **sender; /* by rank; NULL: the rank has not sent yet */
    uint32_t senders;
    uint32_t *drawn;        /* [replica]: memory for a drawn row that cannot be stored */
};

static void kept_rows_free(struct kept_rows *k)
{
    if (!k)
        return;
    for (uint32_t i = 0; i < k->senders; i++)
        free(k->sender[i]);
    free(k->sender);
    free(k->drawn);
    free(k);
}

/* Returns an empty store of rows. Error: out of memory. */
static struct kept_rows *kept_rows_new(uint32_t first, uint32_t n, struct mpg_error *err)
{
    struct kept_rows *k = calloc(1, sizeof *k);
    if (k)
        *k = (struct kept_rows){.first = first, .n = n, .drawn = malloc(n * sizeof *k->drawn)};
    if (k && k->drawn)
        return k;
    kept_rows_free(k);
    mpg_error_set(err, "out of memory");
    return NULL;
}

/* Returns the stored rows of RANK; NULL: out of memory. */
static struct sender *sender_of(struct kept_rows *k, int32_t rank)
{
    struct mpg_error ignored;
    void *items = k->sender;
    const uint32_t i = (uint32_t)rank;
    if (i >= k->senders) {
        const int status = mpg_reserve(&items, sizeof *k->sender, &k->senders, i + 1, &ignored);
        k->sender = items;
        if (status < 0)
            return NULL;
    }
    if (!k->sender[i])
        k->sender[i] = calloc(1, sizeof *k->sender[i] + KEPT * (size_t)k->n * sizeof(uint32_t));
    return k->sender[i];
}

static bool same(const struct key *a, const struct key *b)
{
    return a->call == b->call && a->to == b->to && a->p == b->p && a->rows == b->rows;
}

/* Returns the result of mpg_flight_draw_rows() for row NUMBER, for all replicas; valid until the next call. */
static const uint32_t *kept_rows_of(struct kept_rows *k, const struct mpg_perturbation *p,
                                    const struct mpg_rows *rows, uint64_t number, const struct mpg_sent_message *m)
{
    const struct key key = {.p = p, .rows = rows, .call = number, .to = (uint32_t)m->to};
    struct sender *s = sender_of(k, m->rank);
    if (!s) {
        mpg_flight_draw_rows(p, rows, number, m, k->first, k->n, k->drawn);
        return k->drawn;
    }
    for (uint32_t i = 0; i < KEPT; i++)
        if (same(&s->key[i], &key))
            return s->row + (size_t)i * k->n;
    uint32_t *row = s->row + (size_t)s->next * k->n;
    mpg_flight_draw_rows(p, rows, number, m, k->first, k->n, row);
    s->key[s->next] = key;
    s->next = (s->next + 1) % KEPT;
    return row;
}

/* --- entries --- */

/* The quantity that an entry holds. */
enum drawn { FLIGHT, OVERHEAD, TARGET_OVERHEAD = OVERHEAD + MPG_OVERHEADS,
             SOURCE_OVERHEAD = TARGET_OVERHEAD + MPG_OVERHEADS,
             MEDIAN = SOURCE_OVERHEAD + MPG_OVERHEADS, DRAWN };

/* The look-up table of all replicas for a measured size. */
struct table {
    const struct mpg_network_size *size;
    const double *launch; /* launches of the replicas: mpg_perturbation_launches() */
    struct mpg_lane_table *table; /* NULL: it cannot be built */
};

struct entry {
    const struct mpg_perturbation *p; /* NULL: the entry is empty */
    double bytes;
    enum drawn drawn;
    bool is_cached;       /* false: the value is drawn by the function without a cache */
    uint32_t terms;       /* > 0: the value is a constant, the sum of this number of terms, added in order */
    double term_ns[TERMS];
    bool leaves;          /* the draws for the message's overheads can be made together with the draw for its time */
    bool has_source, has_min;
    struct mpg_lane_time target, source; /* times of messages of this size */
    double *min_ns;       /* [replica]: the target's minimum, if subtracted */
    const struct mpg_rows *rows;
    double row_share;
    double median_ns;
};

struct mpg_quantile_cache {
    uint32_t first, n;
    const struct mpg_lane_code *code;
    struct kept_rows *rows;
    struct entry entry[PLACES];
    struct table *table;
    uint32_t tables, table_capacity;
    struct entry *last[DRAWN]; /* by quantity: the entry used last; NULL: none */
};

struct mpg_quantile_cache *mpg_quantile_cache_new(uint32_t first, uint32_t n, struct mpg_error *err)
{
    struct mpg_quantile_cache *s = calloc(1, sizeof *s);
    if (!s) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    s->first = first;
    s->n = n;
    s->code = mpg_lane_code();
    s->rows = kept_rows_new(first, n, err);
    if (s->rows)
        return s;
    mpg_quantile_cache_free(s);
    return NULL;
}

void mpg_quantile_cache_free(struct mpg_quantile_cache *s)
{
    for (size_t i = 0; s && i < PLACES; i++)
        free(s->entry[i].min_ns);
    for (uint32_t i = 0; s && i < s->tables; i++)
        mpg_lane_table_free(s->table[i].table);
    if (s)
        free(s->table);
    kept_rows_free(s ? s->rows : NULL);
    free(s);
}

double mpg_quantile_cache_bytes(int32_t ranks)
{
    /* memory of struct mpg_lane_table for each replica */
    const double table = sizeof(uint32_t) + sizeof(struct mpg_distribution *);
    const double entry = 4 * table + sizeof(double);
    return PLACES * entry + ranks * (double)(KEPT * sizeof(uint32_t)) + sizeof(uint32_t);
}

/* --- look-up --- */

static size_t place_of(const struct mpg_perturbation *p, double bytes, enum drawn drawn)
{
    uint64_t bits;
    memcpy(&bits, &bytes, sizeof bits);
    uint64_t hash = (bits ^ (uintptr_t)p ^ (uint64_t)drawn << 40) * UINT64_C(0x9e3779b97f4a7c15);
    return hash >> 58;
}
_Static_assert(PLACES == 1 << (64 - 58), "a hash says one of them");

/* Returns the table for vector look-ups at SIZE; NULL: cannot be built. */
static struct mpg_lane_table *make_table(const struct mpg_quantile_cache *s, const struct mpg_network_size *size,
                                         const double *launch)
{
    const struct mpg_distribution **of = malloc(s->n * sizeof *of);
    const struct mpg_quantile_requests wanted = {.n = s->n, .launch = launch};
    struct mpg_lane_table *table =
        of && mpg_size_distributions(size, &wanted, of) ? mpg_lane_table_new(of, s->n) : NULL;
    free(of);
    return table;
}

static const struct mpg_lane_table *table_of(struct mpg_quantile_cache *s, const struct mpg_perturbation *p,
                                             const struct mpg_network_size *size)
{
    const double *launch = mpg_perturbation_launches(p, s->first);
    void *tables = s->table;
    struct mpg_error ignored;
    for (uint32_t i = 0; i < s->tables; i++)
        if (s->table[i].size == size && s->table[i].launch == launch)
            return s->table[i].table;
    const int status = mpg_reserve(&tables, sizeof *s->table, &s->table_capacity, s->tables + 1, &ignored);
    s->table = tables;
    if (status < 0)
        return NULL;
    struct table *t = &s->table[s->tables++];
    *t = (struct table){.size = size, .launch = launch, .table = make_table(s, size, launch)};
    return t->table;
}

/* Sets TIME to the time of INTERPOLATION. Returns false if a table cannot be built. */
static bool find_time(struct mpg_quantile_cache *s, const struct mpg_perturbation *p,
                      const struct mpg_interpolation *interpolation, double max_ns, struct mpg_lane_time *time)
{
    const bool lies_between = interpolation->low != interpolation->high;
    *time = (struct mpg_lane_time){.low = table_of(s, p, interpolation->low),
                                   .high = lies_between ? table_of(s, p, interpolation->high) : NULL,
                                   .weight = interpolation->weight,
                                   .max = max_ns};
    return time->low && (!lies_between || time->high);
}

/* Sets the minima of X to the minima of INTERPOLATION, at most MAX_NS. Returns false if memory runs out. */
static bool find_min(const struct mpg_quantile_cache *s, const struct mpg_perturbation *p,
                     const struct mpg_interpolation *interpolation, double max_ns, struct entry *x)
{
    if (!x->min_ns && !(x->min_ns = malloc(s->n * sizeof *x->min_ns)))
        return false;
    for (uint32_t done = 0, k; done < s->n; done += k) {
        k = s->n - done < MPG_LANES_AT_ONCE ? s->n - done : MPG_LANES_AT_ONCE;
        const struct mpg_quantile_requests min = {.n = k,
                                        .launch = mpg_perturbation_launches(p, s->first + done)};
        mpg_interpolation_quantiles(interpolation, &min, x->min_ns + done);
    }
    for (uint32_t w = 0; w < s->n; w++)
        x->min_ns[w] = x->min_ns[w] < max_ns ? x->min_ns[w] : max_ns;
    return true;
}

static bool find_flight(struct mpg_quantile_cache *s, struct entry *x)
{
    struct mpg_interpolation target, source;
    x->terms = mpg_flight_terms(x->p, x->bytes, TERMS, x->term_ns);
    x->leaves = mpg_flight_purpose(x->p, MPG_DRAW_LATENCY) == MPG_DRAW_LATENCY && mpg_perturbation_overheads_measured(x->p);
    x->rows = mpg_flight_rows(x->p, x->bytes);
    x->row_share = x->rows ? mpg_flight_row_share(x->rows) : 0;
    if (!mpg_flight_interpolations(x->p, x->bytes, &target, &source, &x->has_min))
        return false;
    x->has_source = !x->has_min;
    return find_time(s, x->p, &target, INFINITY, &x->target) &&
           (x->has_source ? find_time(s, x->p, &source, INFINITY, &x->source)
                          : find_min(s, x->p, &target, INFINITY, x));
}

/* Finds the overhead on the target: if TARGET, the whole overhead; otherwise minus the source's overhead or, without a source,
 * minus the target's minimum. */
static bool find_overhead(struct mpg_quantile_cache *s, enum mpg_overhead which, bool target,
                          struct entry *x)
{
    struct mpg_overhead_at_size at = mpg_overhead_at_size(x->p, which, false, x->bytes, false);
    x->has_source = !target && x->p->overhead[which].source;
    x->has_min = !target && !x->has_source;
    if (!find_time(s, x->p, &at.interpolation, at.max, &x->target) ||
        (x->has_min && !find_min(s, x->p, &at.interpolation, at.max, x)))
        return false;
    if (!x->has_source)
        return true;
    at = mpg_overhead_at_size(x->p, which, true, x->bytes, false);
    return find_time(s, x->p, &at.interpolation, at.max, &x->source);
}

static void find(struct mpg_quantile_cache *s, struct entry *x)
{
    if (x->drawn == MEDIAN)
        x->median_ns = mpg_flight_median(x->p, x->bytes);
    else if (x->drawn >= SOURCE_OVERHEAD)
        x->median_ns = mpg_overhead_median(x->p, (enum mpg_overhead)(x->drawn - SOURCE_OVERHEAD), true, x->bytes, false);
    else if (x->drawn == FLIGHT)
        x->is_cached = find_flight(s, x);
    else if (x->drawn >= TARGET_OVERHEAD)
        x->is_cached = find_overhead(s, (enum mpg_overhead)(x->drawn - TARGET_OVERHEAD), true, x);
    else
        x->is_cached = find_overhead(s, (enum mpg_overhead)(x->drawn - OVERHEAD), false, x);
}

static inline bool is_of(const struct entry *x, const struct mpg_perturbation *p, double bytes, enum drawn drawn)
{
    return x->p == p && x->bytes == bytes && x->drawn == drawn;
}

/* Returns the entry of P, BYTES and DRAWN, or the entry that becomes this entry. */
static struct entry *entry_at(struct mpg_quantile_cache *s, const struct mpg_perturbation *p, double bytes, enum drawn drawn)
{
    const size_t first = place_of(p, bytes, drawn);
    for (size_t i = 0; i < PROBES; i++) {
        struct entry *x = &s->entry[(first + i) % PLACES];
        if (!x->p || is_of(x, p, bytes, drawn))
            return x;
    }
    return &s->entry[first];
}

static const struct entry *find_entry(struct mpg_quantile_cache *s, const struct mpg_perturbation *p, double bytes,
                                      enum drawn drawn)
{
    struct entry *x = entry_at(s, p, bytes, drawn);
    s->last[drawn] = x;
    if (is_of(x, p, bytes, drawn))
        return x;
    x->p = p;
    x->bytes = bytes;
    x->drawn = drawn;
    find(s, x);
    return x;
}

static inline const struct entry *entry_of(struct mpg_quantile_cache *s, const struct mpg_perturbation *p,
                                           double bytes, enum drawn drawn)
{
    const struct entry *x = s->last[drawn];
    return x && is_of(x, p, bytes, drawn) ? x : find_entry(s, p, bytes, drawn);
}

/* --- drawing --- */

/* Adds the time of X, at probabilities U, to K replicas from index AT on. */
static void add(const struct mpg_quantile_cache *s, const struct entry *x, uint32_t at, uint32_t k, const double *u,
                double *value_ns)
{
    s->code->add_time(&x->target, x->has_source ? &x->source : NULL,
                              x->has_min ? x->min_ns + at : NULL, at, u, k, value_ns + at);
}

/* Adds X, the message time of M. Unless RECEIVE is NULL, also makes the draws for M's overheads, into SEND and RECEIVE. */
static void draw_flight(struct mpg_quantile_cache *s, const struct entry *x, const struct mpg_sent_message *m, double *value_ns,
                        struct mpg_overhead_draws *send, struct mpg_overhead_draws *receive)
{
    double u[MPG_LANES_AT_ONCE];
    const struct mpg_address address = mpg_flight_address(x->p, m);
    const struct mpg_rows *rows = m->in_row ? x->rows : NULL;
    struct mpg_row_place place = {0};
    const uint32_t *row = NULL;
    if (rows) {
        place = mpg_flight_row_place(rows, m);
        row = kept_rows_of(s->rows, x->p, rows, place.row, m);
    }
    if (receive) {
        send->left = receive->left = true;
        send->of = receive->of = address;
    }
    for (uint32_t done = 0, k; done < s->n; done += k) {
        k = s->n - done < MPG_LANES_AT_ONCE ? s->n - done : MPG_LANES_AT_ONCE;
        if (receive)
            s->code->draw_message(&address, s->first + done, k, u, send->u + done, receive->u + done);
        else
            s->code->draw(&address, s->first + done, k, u);
        if (rows)
            s->code->place_in_rows(place.element, row + done, x->row_share, k, u);
        add(s, x, done, k, u, value_ns);
    }
}

void mpg_quantile_cache_perturb_flight(struct mpg_quantile_cache *s, const struct mpg_perturbation *p,
                                       const struct mpg_sent_message *m, double *value_ns, struct mpg_overhead_draws *send,
                                       struct mpg_overhead_draws *receive)
{
    const struct entry *x = entry_of(s, p, m->bytes, FLIGHT);
    for (uint32_t i = 0; i < x->terms; i++)
        for (uint32_t w = 0; w < s->n; w++)
            value_ns[w] += x->term_ns[i];
    if (x->is_cached)
        draw_flight(s, x, m, value_ns, send, x->leaves ? receive : NULL);
    else if (x->terms == 0)
        mpg_perturb_flight(p, m, MPG_FLIGHT_WHOLE, s->first, s->n, value_ns);
}

/* Returns true if LEFT has the draws for M. */
static inline bool holds_draws(const struct mpg_overhead_draws *left, const struct mpg_perturbation *p,
                                const struct mpg_sent_message *m)
{
    return left && left->left && left->of.call == m->call && left->of.rank == m->rank &&
           left->of.index == m->index && left->of.seed == p->seed;
}

void mpg_quantile_cache_add_overhead(struct mpg_quantile_cache *s, const struct mpg_perturbation *p,
                             enum mpg_overhead which, bool target, const struct mpg_sent_message *m,
                             const struct mpg_overhead_draws *left, double *value_ns)
{
    if (!p->overhead[which].target)
        return;
    const struct entry *x =
        m->further ? NULL : entry_of(s, p, m->bytes, (target ? TARGET_OVERHEAD : OVERHEAD) + which);
    if (!x || !x->is_cached) {
        if (target)
            mpg_add_target_overhead(p, which, m, 1, s->first, s->n, value_ns);
        else
            mpg_perturb_overhead(p, which, m, s->first, s->n, value_ns);
        return;
    }
    if (holds_draws(left, p, m)) {
        add(s, x, 0, s->n, left->u, value_ns);
        return;
    }
    const struct mpg_address address = mpg_overhead_address(p, which, m);
    double u[MPG_LANES_AT_ONCE];
    for (uint32_t done = 0, k; done < s->n; done += k) {
        k = s->n - done < MPG_LANES_AT_ONCE ? s->n - done : MPG_LANES_AT_ONCE;
        s->code->draw(&address, s->first + done, k, u);
        add(s, x, done, k, u, value_ns);
    }
}

double mpg_quantile_cache_median(struct mpg_quantile_cache *s, const struct mpg_perturbation *p, double bytes)
{
    return entry_of(s, p, bytes, MEDIAN)->median_ns;
}

double mpg_quantile_cache_overhead_of_source(struct mpg_quantile_cache *s, const struct mpg_perturbation *p,
                                             enum mpg_overhead which, double bytes)
{
    return p->overhead[which].source ? entry_of(s, p, bytes, SOURCE_OVERHEAD + which)->median_ns : 0;
}
