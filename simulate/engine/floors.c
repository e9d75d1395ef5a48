/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Least durations of calls and least flights of messages. */
#include "simulate/engine/floors.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "simulate/models/flights.h"
#include "simulate/models/rules.h"
#include "simulate/models/sizes.h"

/* What a call takes at most of its own, where the trace shows it waiting only. */
static const double MAY_TAKE_NS = 1000;

/* Flights of one message class between two hosts, completed by one call class.
 * A flight counts if its completing call took longer than that call's floor,
 * which is known only at the end; so they are kept by whether the call took the
 * least time met so far. */
struct flight {
    int host_pair_low, host_pair_high, message_class;
    enum mpg_call call;
    int call_class;
    double least_duration_ns;  /* of the completing calls met so far */
    double at_least_ns, above_ns; /* least flight at that duration, and above it */
};

struct host_pair { /* least flights by message class, once finished */
    double least_ns[MPG_SIZE_CLASSES];
};

struct mpg_floors {
    const struct mpg_trace *trace;
    struct mpg_floor_options options;
    double call_ns[MPG_CALL_COUNT][MPG_SIZE_CLASSES];
    bool all_waited[MPG_CALL_COUNT][MPG_SIZE_CLASSES]; /* so that their durations are no costs */
    struct mpg_map flight_index, pair_index;
    struct flight *flights;
    size_t flight_count, flight_capacity;
    size_t last;                   /* the one that was looked for last, its number from 1; 0: none */
    uint64_t last_pair, last_kind; /* of these */
    struct host_pair *pairs;
    size_t pair_count;
    uint32_t hosts;    /* of not too many, once finished, */
    uint32_t *pair_of; /* of each with each which pair it is, its number from 1, 0: none; NULL: the index says it */
    bool any_message;
    atomic_bool used_source; /* by a floor that was asked for */
};

int mpg_size_class(double bytes)
{
    return bytes >= 0x1p62 ? 62 : 63 - __builtin_clzll((unsigned long long)((long long)bytes + 1));
}

void mpg_floors_forget(struct mpg_floors *f)
{
    mpg_map_clear(&f->flight_index);
    free(f->flights);
    f->flights = NULL;
    f->flight_count = f->flight_capacity = f->last = 0;
    for (int i = 0; i < MPG_CALL_COUNT; i++)
        for (int j = 0; j < MPG_SIZE_CLASSES; j++)
            f->call_ns[i][j] = INFINITY;
    memset(f->all_waited, true, sizeof f->all_waited);
}

struct mpg_floors *mpg_floors_new(const struct mpg_trace *trace,
                                  const struct mpg_floor_options *options, struct mpg_error *err)
{
    struct mpg_floors *f = calloc(1, sizeof *f);
    if (!f) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    f->trace = trace;
    f->options = *options;
    mpg_floors_forget(f);
    return f;
}

void mpg_floors_free(struct mpg_floors *f)
{
    if (!f)
        return;
    mpg_map_clear(&f->flight_index);
    mpg_map_clear(&f->pair_index);
    free(f->flights);
    free(f->pairs);
    free(f->pair_of);
    free(f);
}

static uint32_t host_of(const struct mpg_floors *f, int32_t rank)
{
    const struct mpg_places *places = f->options.paths ? f->options.paths->source : NULL;
    return (uint32_t)(places ? places->node[rank] : mpg_trace_host(f->trace, rank));
}

static uint64_t pair_key(const struct mpg_floors *f, int32_t a, int32_t b)
{
    uint32_t x = host_of(f, a), y = host_of(f, b);
    return x < y ? (uint64_t)x << 32 | y : (uint64_t)y << 32 | x;
}

/* A new one between the hosts of KEY; its number, from 1, or 0 when out of memory. */
static size_t add_flight(struct mpg_floors *f, uint64_t key, enum mpg_call call, int call_class, int message_class)
{
    if (f->flight_count == f->flight_capacity) {
        size_t capacity = f->flight_capacity ? 2 * f->flight_capacity : 64;
        void *grown = realloc(f->flights, capacity * sizeof *f->flights);
        if (!grown)
            return 0;
        f->flights = grown;
        f->flight_capacity = capacity;
    }
    f->flights[f->flight_count++] = (struct flight){.host_pair_low = (int)(key >> 32),
                                                    .host_pair_high = (int)(uint32_t)key,
                                                    .message_class = message_class,
                                                    .call = call,
                                                    .call_class = call_class,
                                                    .least_duration_ns = INFINITY,
                                                    .at_least_ns = INFINITY,
                                                    .above_ns = INFINITY};
    return f->flight_count;
}

/* That of the message of EDGE, which STEP, a call of CALL_CLASS, completes: mostly the last one's. */
static struct flight *find_flight(struct mpg_floors *f, const struct mpg_step *step, int call_class,
                                  const struct mpg_edge *edge)
{
    const int message_class = mpg_size_class(edge->bytes);
    const uint64_t pair = pair_key(f, edge->source, step->rank);
    const uint64_t kind = (uint64_t)step->call << 16 | (uint64_t)call_class << 8 | (uint64_t)message_class;
    if (f->last && f->last_pair == pair && f->last_kind == kind)
        return &f->flights[f->last - 1];
    uint64_t *slot = mpg_map_add(&f->flight_index, pair, kind);
    if (!slot || (*slot == 0 && !(*slot = add_flight(f, pair, step->call, call_class, message_class))))
        return NULL;
    f->last = *slot;
    f->last_pair = pair;
    f->last_kind = kind;
    return &f->flights[*slot - 1];
}

static inline double least(double a, double b)
{
    return a < b ? a : b;
}

static void take_flight(struct flight *fl, double duration_ns, double flight_ns)
{
    if (duration_ns < fl->least_duration_ns) {
        fl->above_ns = least(fl->above_ns, fl->at_least_ns);
        fl->at_least_ns = flight_ns;
        fl->least_duration_ns = duration_ns;
    } else if (duration_ns > fl->least_duration_ns)
        fl->above_ns = least(fl->above_ns, flight_ns);
    else
        fl->at_least_ns = least(fl->at_least_ns, flight_ns);
}

/* Whether S waited, for certain: for a message, a root or a contribution that left after it began; where it KNOWS_CALLS, for
 * a call of another rank, or for the last member of a collective that does not block. */
static bool has_waited(const struct mpg_step *s, bool knows_calls)
{
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const struct mpg_edge *e = &s->edges[i];
        const bool is_message = e->kind == MPG_EDGE_ARRIVAL || e->kind == MPG_EDGE_ENVELOPE;
        const bool is_rooted = e->kind == MPG_EDGE_ROOT || e->kind == MPG_EDGE_MEMBER;
        if ((is_message || is_rooted) && (is_message ? e->sent_ns : e->from_ns) > s->enter_ns)
            return true;
        const bool is_met = e->kind == MPG_EDGE_MET && !e->expanded; /* when all had come */
        const bool is_late = is_met ? e->sent_ns > s->enter_ns : e->awaits_call && e->from_ns > s->enter_ns;
        if (knows_calls && is_late)
            return true;
    }
    return false;
}

static inline int add_call(struct mpg_floors *f, const struct mpg_step *step, bool comparable, struct mpg_error *err)
{
    const double duration_ns = (double)step->duration_ns;
    const int class = mpg_size_class(step->bytes);
    double *call_ns = &f->call_ns[step->call][class];
    bool *all_waited = &f->all_waited[step->call][class];
    *call_ns = least(*call_ns, duration_ns);
    if (*all_waited && (!f->options.knows_waits || !has_waited(step, f->options.knows_calls)))
        *all_waited = false;
    if (!comparable || mpg_call_is_probe(step->call))
        return 0;
    for (uint32_t i = 0; i < step->edge_number; i++) {
        const struct mpg_edge *edge = &step->edges[i];
        if (edge->kind != MPG_EDGE_ARRIVAL)
            continue;
        struct flight *fl = find_flight(f, step, class, edge);
        if (!fl)
            return mpg_error_set(err, "out of memory");
        /* A message that lay ready may have flown for as long as its receiver worked: hypotheses change that. */
        const bool lay_ready = f->options.supposes && step->enter_ns > edge->sent_ns;
        take_flight(fl, duration_ns, step->leave_ns - (lay_ready ? step->enter_ns : edge->sent_ns));
    }
    return 0;
}

int mpg_floors_add(struct mpg_floors *f, const struct mpg_steps *steps, bool comparable, struct mpg_error *err)
{
    for (size_t i = 0; i < steps->n; i++) {
        const struct mpg_step *s = &steps->step[i];
        if (s->kind == MPG_STEP_LEAVE && !s->failed && add_call(f, s, comparable, err) < 0)
            return -1;
    }
    return 0;
}

/* --- as bytes --- */

enum { CELL_BYTES = 32, FLIGHT_BYTES = 64 };

void mpg_floors_key(struct mpg_bytes *key, const struct mpg_floors *f)
{
    uint64_t hosts = 0;
    for (int32_t r = 0; r < mpg_trace_ranks(f->trace); r++) {
        hosts = (hosts ^ host_of(f, r)) * 0x9e3779b97f4a7c15u;
        hosts ^= hosts >> 32;
    }
    mpg_bytes_put_u64(key, MPG_CALL_COUNT);
    mpg_bytes_put_u64(key, f->options.knows_waits);
    mpg_bytes_put_u64(key, f->options.knows_calls);
    mpg_bytes_put_u64(key, f->options.supposes);
    mpg_bytes_put_u64(key, hosts);
}

/* A cell, of a call and a size class, has been met if its time is finite. */
static void put_cell(struct mpg_bytes *bytes, const struct mpg_floors *f, uint64_t call,
                     uint64_t class)
{
    mpg_bytes_put_u64(bytes, call);
    mpg_bytes_put_u64(bytes, class);
    mpg_bytes_put_u64(bytes, f->all_waited[call][class]);
    mpg_bytes_put_double(bytes, f->call_ns[call][class]);
}

static void get_cell(struct mpg_bytes_left *left, struct mpg_floors *f)
{
    const uint64_t call = mpg_bytes_get_below(left, MPG_CALL_COUNT);
    const uint64_t class = mpg_bytes_get_below(left, MPG_SIZE_CLASSES);
    f->all_waited[call][class] = mpg_bytes_get_below(left, 2);
    f->call_ns[call][class] = mpg_bytes_get_double(left);
}

static void put_flight(struct mpg_bytes *bytes, const struct flight *fl)
{
    mpg_bytes_put_u64(bytes, (uint64_t)fl->host_pair_low);
    mpg_bytes_put_u64(bytes, (uint64_t)fl->host_pair_high);
    mpg_bytes_put_u64(bytes, (uint64_t)fl->message_class);
    mpg_bytes_put_u64(bytes, (uint64_t)fl->call);
    mpg_bytes_put_u64(bytes, (uint64_t)fl->call_class);
    mpg_bytes_put_double(bytes, fl->least_duration_ns);
    mpg_bytes_put_double(bytes, fl->at_least_ns);
    mpg_bytes_put_double(bytes, fl->above_ns);
}

static void get_flight(struct mpg_bytes_left *left, struct flight *fl)
{
    fl->host_pair_low = (int)mpg_bytes_get_below(left, INT32_MAX);
    fl->host_pair_high = (int)mpg_bytes_get_below(left, INT32_MAX);
    fl->message_class = (int)mpg_bytes_get_below(left, MPG_SIZE_CLASSES);
    fl->call = (enum mpg_call)mpg_bytes_get_below(left, MPG_CALL_COUNT);
    fl->call_class = (int)mpg_bytes_get_below(left, MPG_SIZE_CLASSES);
    fl->least_duration_ns = mpg_bytes_get_double(left);
    fl->at_least_ns = mpg_bytes_get_double(left);
    fl->above_ns = mpg_bytes_get_double(left);
}

void mpg_floors_put(struct mpg_bytes *bytes, const struct mpg_floors *f)
{
    uint64_t cells = 0;
    for (uint64_t call = 0; call < MPG_CALL_COUNT; call++)
        for (uint64_t class = 0; class < MPG_SIZE_CLASSES; class++)
            cells += isfinite(f->call_ns[call][class]);
    mpg_bytes_put_u64(bytes, cells);
    for (uint64_t call = 0; call < MPG_CALL_COUNT; call++)
        for (uint64_t class = 0; class < MPG_SIZE_CLASSES; class++)
            if (isfinite(f->call_ns[call][class]))
                put_cell(bytes, f, call, class);
    mpg_bytes_put_u64(bytes, f->flight_count);
    for (size_t i = 0; i < f->flight_count; i++)
        put_flight(bytes, &f->flights[i]);
}

int mpg_floors_get(struct mpg_bytes_left *left, struct mpg_floors *f)
{
    for (size_t n = mpg_bytes_get_number(left, CELL_BYTES); n > 0; n--)
        get_cell(left, f);
    const size_t n = mpg_bytes_get_number(left, FLIGHT_BYTES);
    if (left->failed || (n > 0 && !(f->flights = malloc(n * sizeof *f->flights))))
        return -1;
    for (f->flight_capacity = n; f->flight_count < n; f->flight_count++)
        get_flight(left, &f->flights[f->flight_count]);
    return left->failed ? -1 : 0;
}

/* --- once all is gathered --- */

static struct host_pair *find_pair(struct mpg_floors *f, const struct flight *fl)
{
    uint64_t key = (uint64_t)(uint32_t)fl->host_pair_low << 32 | (uint32_t)fl->host_pair_high;
    uint64_t *slot = mpg_map_add(&f->pair_index, key, 0);
    if (!slot)
        return NULL;
    if (*slot == 0) {
        void *grown = realloc(f->pairs, (f->pair_count + 1) * sizeof *f->pairs);
        if (!grown)
            return NULL;
        f->pairs = grown;
        for (int i = 0; i < MPG_SIZE_CLASSES; i++)
            f->pairs[f->pair_count].least_ns[i] = INFINITY;
        *slot = ++f->pair_count;
    }
    return &f->pairs[*slot - 1];
}

/* Makes room for what all pairs of hosts are, if there are not too many. */
static int reserve_pairs(struct mpg_floors *f, struct mpg_error *err)
{
    enum { MOST_HOSTS = 64 };
    uint32_t last = 0;
    for (int32_t r = 0; r < mpg_trace_ranks(f->trace); r++)
        last = host_of(f, r) > last ? host_of(f, r) : last;
    if (f->pair_of || last >= MOST_HOSTS)
        return 0;
    f->hosts = last + 1;
    f->pair_of = calloc((size_t)f->hosts * f->hosts, sizeof *f->pair_of);
    return f->pair_of ? 0 : mpg_error_set(err, "out of memory");
}

/* Of hosts that no rank is on nothing is asked. */
static void note_pair(struct mpg_floors *f, uint32_t low, uint32_t high, uint32_t number)
{
    if (low >= f->hosts || high >= f->hosts)
        return;
    f->pair_of[low * f->hosts + high] = number;
    f->pair_of[high * f->hosts + low] = number;
}

/* The least flights between A and B; NULL: there was none. */
static inline const struct host_pair *pair_between(const struct mpg_floors *f, int32_t a, int32_t b)
{
    if (f->pair_of) {
        const uint32_t number = f->pair_of[host_of(f, a) * f->hosts + host_of(f, b)];
        return number > 0 ? &f->pairs[number - 1] : NULL;
    }
    const uint64_t *slot = mpg_map_find(&f->pair_index, pair_key(f, a, b), 0);
    return slot ? &f->pairs[*slot - 1] : NULL;
}

int mpg_floors_finish(struct mpg_floors *f, struct mpg_error *err)
{
    if (reserve_pairs(f, err) < 0)
        return -1;
    for (size_t i = 0; i < f->flight_count; i++) {
        const struct flight *fl = &f->flights[i];
        struct host_pair *pair = find_pair(f, fl);
        if (!pair)
            return mpg_error_set(err, "out of memory");
        if (f->pair_of)
            note_pair(f, (uint32_t)fl->host_pair_low, (uint32_t)fl->host_pair_high, (uint32_t)(pair - f->pairs) + 1);
        double least_ns = fl->above_ns;
        if (fl->least_duration_ns > f->call_ns[fl->call][fl->call_class])
            least_ns = fmin(least_ns, fl->at_least_ns);
        if (isfinite(least_ns)) {
            double *known = &pair->least_ns[fl->message_class];
            *known = fmin(*known, fmax(least_ns, 0));
            f->any_message = true;
        }
    }
    /* A class without any takes the next smaller one's. */
    for (size_t p = 0; p < f->pair_count; p++)
        for (int i = 1; i < MPG_SIZE_CLASSES; i++)
            if (!isfinite(f->pairs[p].least_ns[i]))
                f->pairs[p].least_ns[i] = f->pairs[p].least_ns[i - 1];
    return 0;
}

double mpg_floor_call(const struct mpg_floors *f, enum mpg_call call, double bytes)
{
    const int class = mpg_size_class(bytes);
    double ns = f->call_ns[call][class];
    if (!isfinite(ns))
        return 0;
    return f->all_waited[call][class] && mpg_rule_holds(MPG_RULE_WAITING_CALLS) ? fmin(ns, MAY_TAKE_NS) : ns;
}

static double median_at(const struct mpg_network_sizes *sizes, double bytes)
{
    struct mpg_spot spot = mpg_spot_find(sizes, bytes);
    return mpg_spot_median(&spot);
}

/* What is left of SEEN_NS, the least flight seen, without what the ranks' own calls can have in
 * it, which on another machine is another: but no less than its measured one-way time. */
static double without_overheads(const struct mpg_network_path *source, double bytes,
                                double seen_ns)
{
    double way_ns = mpg_flight_of(source, bytes, 0.5);
    double own_ns = median_at(&source->send_overhead, bytes) +
                    median_at(&source->receive_overhead, bytes);
    return fmin(seen_ns, fmax(way_ns, seen_ns - own_ns));
}

/* Threads that evaluate lanes all say so. */
static void note_source(struct mpg_floors *f)
{
    if (!atomic_load_explicit(&f->used_source, memory_order_relaxed))
        atomic_store_explicit(&f->used_source, true, memory_order_relaxed);
}

double mpg_floor_message(struct mpg_floors *f, int32_t a, int32_t b, double bytes)
{
    const struct mpg_network_path *source = f->options.source;
    bool less_overheads = f->options.less_overheads;
    if (f->options.has_source_cost)
        return f->options.latency_ns + bytes * f->options.byte_ns;
    if (f->options.paths) {
        const struct mpg_perturbation *way = mpg_paths_between(f->options.paths, a, b);
        source = way->source_path;
        less_overheads = mpg_overheads_of_both(way);
    }
    const struct host_pair *pair = pair_between(f, a, b);
    double ns = pair ? pair->least_ns[mpg_size_class(bytes)] : INFINITY;
    if (isfinite(ns)) {
        if (!less_overheads)
            return ns;
        double left_ns = without_overheads(source, bytes, ns);
        if (left_ns < ns)
            note_source(f);
        return left_ns;
    }
    if (!source || source->latency.n == 0)
        return 0;
    note_source(f);
    return mpg_flight_of(source, bytes, 0);
}

bool mpg_floors_used_source(const struct mpg_floors *f)
{
    return f->used_source;
}

const char *mpg_floors_rule(const struct mpg_floors *f)
{
    if (f->options.has_source_cost)
        return "given (--source-latency, --source-byte)";
    if (f->any_message)
        return "the least flights seen in the trace, by size";
    return f->options.source ? "the source signature's least one-way times" : "0";
}
