/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds minimum durations of calls and usual times of messages. */
#include "simulate/evaluate/prepass/floors.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/evaluate/prepass/message_times.h"
#include "simulate/models/flights.h"
#include "simulate/models/sizes.h"
#include "simulate/rules.h"

/* Maximum time, ns, of a call without waiting, assumed if every call of the kind waited in the trace. */
static const double MAY_TAKE_NS = 1000;

/* Minimum times of one MPI call on one host, by size class. */
struct call_times {
    double min_ns[MPG_SIZE_CLASSES];
    bool all_waited[MPG_SIZE_CLASSES]; /* every call of this size class waited: the durations are no costs */
};

struct mpg_floors {
    const struct mpg_trace *trace;
    struct mpg_floor_options options;
    uint32_t hosts;
    struct call_times **calls; /* [host][call of MPG_CALL_COUNT]; NULL: no rank of the host made this call */
    struct mpg_message_times messages;
    /* if there are few hosts: for each pair of hosts the index of the pair's curve, from 1 (0: no curve); NULL: look up in the
     * map */
    uint32_t *curve_of;
    atomic_bool used_source; /* some look-up has returned a value of the source's signature */
};

int mpg_size_class(double bytes)
{
    return bytes >= 0x1p62 ? 62 : 63 - __builtin_clzll((unsigned long long)((long long)bytes + 1));
}

void mpg_floors_forget(struct mpg_floors *f)
{
    for (size_t i = 0; i < (size_t)f->hosts * MPG_CALL_COUNT; i++) {
        free(f->calls[i]);
        f->calls[i] = NULL;
    }
    mpg_message_times_clear(&f->messages);
}

static uint32_t host_of(const struct mpg_floors *f, int32_t rank)
{
    const struct mpg_placement *places = f->options.paths ? f->options.paths->source : NULL;
    return (uint32_t)(places ? places->node[rank] : mpg_trace_host(f->trace, rank));
}

struct mpg_floors *mpg_floors_new(const struct mpg_trace *trace,
                                  const struct mpg_floor_options *options, struct mpg_error *err)
{
    struct mpg_floors *f = calloc(1, sizeof *f);
    if (f) {
        f->trace = trace;
        f->options = *options;
        for (int32_t r = 0; r < mpg_trace_ranks(trace); r++)
            f->hosts = host_of(f, r) >= f->hosts ? host_of(f, r) + 1 : f->hosts;
        f->calls = calloc((size_t)f->hosts * MPG_CALL_COUNT + 1, sizeof *f->calls);
    }
    if (!f || !f->calls) {
        free(f);
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    return f;
}

void mpg_floors_free(struct mpg_floors *f)
{
    if (!f)
        return;
    mpg_floors_forget(f);
    free(f->calls);
    free(f->curve_of);
    free(f);
}

static uint64_t pair_key(const struct mpg_floors *f, int32_t a, int32_t b)
{
    uint32_t x = host_of(f, a), y = host_of(f, b);
    return x < y ? (uint64_t)x << 32 | y : (uint64_t)y << 32 | x;
}

static struct call_times *new_times(void)
{
    struct call_times *times = malloc(sizeof *times);
    for (int i = 0; times && i < MPG_SIZE_CLASSES; i++) {
        times->min_ns[i] = INFINITY;
        times->all_waited[i] = true;
    }
    return times;
}

/* Returns the minimum times of CALL on HOST; NULL: out of memory. */
static inline struct call_times *times_of(struct mpg_floors *f, uint32_t host, enum mpg_call call)
{
    struct call_times **times = &f->calls[(size_t)host * MPG_CALL_COUNT + call];
    if (!*times)
        *times = new_times();
    return *times;
}

static inline double min(double a, double b)
{
    return a < b ? a : b;
}

/* Returns true if S certainly waited in the trace: for a message, a root or a contribution sent after the begin of S; with
 * KNOWS_CALLS also for a call of another rank, or for the last member of a nonblocking collective. */
static bool has_waited(const struct mpg_step *s, bool knows_calls)
{
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const struct mpg_edge *e = &s->edges[i];
        const bool is_message = e->kind == MPG_EDGE_ARRIVAL || e->kind == MPG_EDGE_ENVELOPE;
        const bool is_rooted = e->kind == MPG_EDGE_ROOT || e->kind == MPG_EDGE_MEMBER;
        if (is_message && 2 * s->enter_ns - e->sent_ns < s->leave_ns)
            return true;
        if (is_rooted && e->from_ns > s->enter_ns)
            return true;
        const bool is_met = e->kind == MPG_EDGE_MET && !e->expanded; /* the time at which all members had arrived */
        const bool is_late = is_met ? e->sent_ns > s->enter_ns : e->awaits_call && e->from_ns > s->enter_ns;
        if (knows_calls && is_late)
            return true;
    }
    return false;
}

/* The send for which STEP certainly waited: the last send among the messages completed by STEP, if begun after STEP and no
 * completed message is larger. A larger message could have arrived later. */
struct waited {
    bool is_certain;
    double sent_ns, bytes;
};

static struct waited find_waited(const struct mpg_step *step)
{
    struct waited last = {.sent_ns = step->enter_ns};
    double max_bytes = 0;
    for (uint32_t i = 0; i < step->edge_number; i++) {
        const struct mpg_edge *edge = &step->edges[i];
        if (edge->kind != MPG_EDGE_ARRIVAL)
            continue;
        max_bytes = edge->bytes > max_bytes ? edge->bytes : max_bytes;
        if (edge->sent_ns > last.sent_ns || (edge->sent_ns == last.sent_ns && edge->bytes > last.bytes)) {
            last.sent_ns = edge->sent_ns;
            last.bytes = edge->bytes;
        }
    }
    last.is_certain = last.sent_ns > step->enter_ns && last.bytes == max_bytes && step->call_off_ns == 0;
    return last;
}

static int add_messages(struct mpg_floors *f, const struct mpg_step *step, struct mpg_error *err)
{
    const struct waited waited = find_waited(step);
    for (uint32_t i = 0; i < step->edge_number; i++) {
        const struct mpg_edge *edge = &step->edges[i];
        if (edge->kind != MPG_EDGE_ARRIVAL)
            continue;
        const bool is_whole = waited.is_certain && edge->sent_ns == waited.sent_ns && edge->bytes == waited.bytes;
        const double flight_ns = step->leave_ns - edge->sent_ns, in_call_ns = (double)step->duration_ns;
        if (mpg_message_times_add(&f->messages, pair_key(f, edge->source, step->rank), edge->bytes, flight_ns,
                                  min(flight_ns, in_call_ns), is_whole, err) < 0)
            return -1;
    }
    return 0;
}

static inline int add_call(struct mpg_floors *f, const struct mpg_step *step, bool comparable, struct mpg_error *err)
{
    struct call_times *times = times_of(f, host_of(f, step->rank), step->call);
    if (!times)
        return mpg_error_set(err, "out of memory");
    const int class = mpg_size_class(step->bytes);
    times->min_ns[class] = min(times->min_ns[class], (double)step->duration_ns);
    if (times->all_waited[class] && (!f->options.knows_waits || !has_waited(step, f->options.knows_calls)))
        times->all_waited[class] = false;
    return comparable && step->edge_number > 0 && !mpg_call_is_probe(step->call) ? add_messages(f, step, err) : 0;
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

/* --- conversion to bytes, for the cache --- */

enum { TIMES_BYTES = 32, VERSION = 3 };

void mpg_floors_key(struct mpg_bytes *key, const struct mpg_floors *f)
{
    uint64_t hosts = 0;
    for (int32_t r = 0; r < mpg_trace_ranks(f->trace); r++) {
        hosts = (hosts ^ host_of(f, r)) * 0x9e3779b97f4a7c15u;
        hosts ^= hosts >> 32;
    }
    mpg_bytes_put_u64(key, VERSION);
    mpg_bytes_put_u64(key, MPG_CALL_COUNT);
    mpg_bytes_put_u64(key, f->options.knows_waits);
    mpg_bytes_put_u64(key, f->options.knows_calls);
    mpg_bytes_put_u64(key, hosts);
}

/* Appends size class CLASS of TIMES, which occurs in the trace (has a finite time). PLACE: index of TIMES in `calls`. */
static void put_class(struct mpg_bytes *bytes, uint64_t place, uint64_t class, const struct call_times *times)
{
    mpg_bytes_put_u64(bytes, place);
    mpg_bytes_put_u64(bytes, class);
    mpg_bytes_put_u64(bytes, times->all_waited[class]);
    mpg_bytes_put_double(bytes, times->min_ns[class]);
}

static int get_class(struct mpg_bytes_left *left, struct mpg_floors *f)
{
    const uint64_t place = mpg_bytes_get_below(left, (uint64_t)f->hosts * MPG_CALL_COUNT);
    const uint64_t class = mpg_bytes_get_below(left, MPG_SIZE_CLASSES);
    struct call_times *times = times_of(f, (uint32_t)(place / MPG_CALL_COUNT), (enum mpg_call)(place % MPG_CALL_COUNT));
    if (!times)
        return -1;
    times->all_waited[class] = mpg_bytes_get_below(left, 2);
    times->min_ns[class] = mpg_bytes_get_double(left);
    return 0;
}

void mpg_floors_put(struct mpg_bytes *bytes, const struct mpg_floors *f)
{
    const size_t places = (size_t)f->hosts * MPG_CALL_COUNT;
    uint64_t classes = 0;
    for (size_t i = 0; i < places; i++)
        for (uint64_t class = 0; f->calls[i] && class < MPG_SIZE_CLASSES; class++)
            classes += isfinite(f->calls[i]->min_ns[class]);
    mpg_bytes_put_u64(bytes, classes);
    for (size_t i = 0; i < places; i++)
        for (uint64_t class = 0; f->calls[i] && class < MPG_SIZE_CLASSES; class++)
            if (isfinite(f->calls[i]->min_ns[class]))
                put_class(bytes, i, class, f->calls[i]);
    mpg_message_times_put(bytes, &f->messages);
}

int mpg_floors_get(struct mpg_bytes_left *left, struct mpg_floors *f)
{
    for (size_t n = mpg_bytes_get_number(left, TIMES_BYTES); n > 0 && !left->failed; n--)
        if (get_class(left, f) < 0)
            return -1;
    return left->failed ? -1 : mpg_message_times_get(left, &f->messages);
}

/* --- after the gathering --- */

/* Fills the table of curves for all pairs of hosts, unless hosts are too many. */
static int fill_table(struct mpg_floors *f, struct mpg_error *err)
{
    enum { MAX_HOSTS = 64 };
    if (f->curve_of || f->hosts > MAX_HOSTS)
        return 0;
    f->curve_of = calloc((size_t)f->hosts * f->hosts + 1, sizeof *f->curve_of);
    if (!f->curve_of)
        return mpg_error_set(err, "out of memory");
    for (uint64_t low = 0; low < f->hosts; low++)
        for (uint64_t high = low; high < f->hosts; high++) {
            const uint32_t number = (uint32_t)mpg_message_times_find(&f->messages, low << 32 | high);
            f->curve_of[low * f->hosts + high] = f->curve_of[high * f->hosts + low] = number;
        }
    return 0;
}

int mpg_floors_finish(struct mpg_floors *f, struct mpg_error *err)
{
    return mpg_message_times_finish(&f->messages, err) < 0 ? -1 : fill_table(f, err);
}

/* Returns the message times between the hosts of ranks A and B; NULL: the trace has no message between these hosts. */
static inline const struct mpg_message_curve *curve_between(const struct mpg_floors *f, int32_t a, int32_t b)
{
    const size_t number = f->curve_of ? f->curve_of[host_of(f, a) * f->hosts + host_of(f, b)]
                                      : mpg_message_times_find(&f->messages, pair_key(f, a, b));
    return number > 0 ? &f->messages.curves[number - 1] : NULL;
}

double mpg_floor_call(const struct mpg_floors *f, int32_t rank, enum mpg_call call, double bytes)
{
    const struct call_times *times = f->calls[(size_t)host_of(f, rank) * MPG_CALL_COUNT + call];
    const int class = mpg_size_class(bytes);
    if (!times || !isfinite(times->min_ns[class]))
        return 0;
    const bool limits = times->all_waited[class] && mpg_rule_holds(MPG_RULE_WAITING_CALLS);
    return limits ? fmin(times->min_ns[class], MAY_TAKE_NS) : times->min_ns[class];
}

static double median_at(const struct mpg_network_sizes *sizes, double bytes)
{
    struct mpg_interpolation interpolation = mpg_interpolation_find(sizes, bytes);
    return mpg_interpolation_median(&interpolation);
}

/* Returns SEEN_NS, the minimum message time in the trace, minus the overheads within the calls of both ranks, which differ
 * between machines; but at least the measured one-way time. */
static double without_overheads(const struct mpg_network_path *source, double bytes,
                                double seen_ns)
{
    double way_ns = mpg_flight_of(source, bytes, 0.5);
    double own_ns = median_at(&source->send_overhead, bytes) +
                    median_at(&source->receive_overhead, bytes);
    return fmin(seen_ns, fmax(way_ns, seen_ns - own_ns));
}

/* Sets used_source. All evaluating threads may call this function, which always stores true. */
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
        const struct mpg_perturbation *path_costs = mpg_paths_between(f->options.paths, a, b);
        source = path_costs->source_path;
        less_overheads = mpg_overheads_of_both(path_costs);
    }
    const bool has_message_times = source && source->latency.n > 0;
    const struct mpg_message_curve *curve = curve_between(f, a, b);
    if (curve) {
        bool uses_source = false;
        const double ns = mpg_message_time(curve, bytes, has_message_times ? source : NULL, &uses_source);
        const double left_ns = less_overheads ? without_overheads(source, bytes, ns) : ns;
        if (uses_source || left_ns < ns)
            note_source(f);
        return left_ns;
    }
    if (!has_message_times)
        return 0;
    note_source(f);
    return mpg_flight_of(source, bytes, 0.5);
}

bool mpg_floors_know_messages(const struct mpg_floors *f)
{
    return f->options.has_source_cost || f->messages.curve_count > 0 || (f->options.source && f->options.source->latency.n > 0);
}

bool mpg_floors_used_source(const struct mpg_floors *f)
{
    return f->used_source;
}

const char *mpg_floors_rule(const struct mpg_floors *f)
{
    if (f->options.has_source_cost)
        return "given (--source=latency, --source=byte)";
    if (f->messages.curve_count > 0)
        return "the median message times seen in the trace, by size and hosts";
    return f->options.source ? "the source signature's median one-way times" : "0";
}
