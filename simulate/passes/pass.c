/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a pass over one graph, or over one graph in each thread. The first thread reads the caller's trace, with all definitions
 * read by earlier passes. The other threads reopen the trace, and read the same definitions in the same order. */
#include "simulate/passes/pass.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "common/progress.h"
#include "simulate/passes/private.h"
#include "simulate/passes/thread_pool.h"

/* --- conversion of a pass's findings to bytes, for the cache --- */

/* All members of struct mpg_graph_counts: WHOLE is applied to the names of integers, REAL to the names of doubles. */
#define COUNTS(WHOLE, REAL) \
    WHOLE(calls) \
    WHOLE(messages) WHOLE(synchronous_messages) WHOLE(collectives) WHOLE(made_eager) WHOLE(made_synchronous) WHOLE(choices) \
        WHOLE(open_receives) WHOLE(followed) WHOLE(followed_receives) WHOLE(open_kept) WHOLE(beyond_horizon) \
            WHOLE(uncompleted_sends) WHOLE(asynchronous) WHOLE(cancelled) WHOLE(unmatched) WHOLE(truncated) \
                WHOLE(incomplete_ranks) WHOLE(failed) WHOLE(flushed_ns) WHOLE(tracer_ns) WHOLE(off_ns) WHOLE(call_off_ns) \
                    WHOLE(interval_ns) WHOLE(calls_ns) WHOLE(cpu_intervals) WHOLE(foreign) REAL(largest_bytes) WHOLE(backward) \
                        REAL(backward_ns) \
                        WHOLE(held_messages) REAL(held_ns) REAL(alone_ns) REAL(served_ns) REAL(posted_ns) WHOLE(kept_waiting) \
                            WHOLE(kept_leaving) WHOLE(waited_sends) WHOLE(waited_bytes) REAL(waited_ns) WHOLE(transfers) \
                                WHOLE(transfers_alone) WHOLE(file_calls) WHOLE(device_calls) WHOLE(unknown) WHOLE(threads) \
                                    WHOLE(shared_windows) \
                                    WHOLE(expanded) WHOLE(whole) WHOLE(partial)

#define ONE(name) +1
_Static_assert(sizeof(struct mpg_graph_counts) == (0 COUNTS(ONE, ONE)) * sizeof(uint64_t),
               "COUNTS has all of them");

void mpg_passed_put(struct mpg_bytes *bytes, const struct mpg_passed *passed)
{
#define PUT_COUNT(name) mpg_bytes_put_u64(bytes, passed->counts.name);
#define PUT_REAL(name) mpg_bytes_put_double(bytes, passed->counts.name);
    COUNTS(PUT_COUNT, PUT_REAL)
    mpg_bytes_put_u64(bytes, passed->slots);
    mpg_bytes_put_u64(bytes, (uint64_t)passed->expanded);
    mpg_bytes_put_u64(bytes, (uint64_t)passed->evident_limit);
}

/* Adds the counts of FROM, another part of the ranks, to TO. */
static void add_counts(struct mpg_graph_counts *to, const struct mpg_graph_counts *from)
{
    const struct mpg_graph_counts one = *to;
#define ADD(name) to->name += from->name;
    COUNTS(ADD, ADD)
    to->largest_bytes = fmax(one.largest_bytes, from->largest_bytes);
    to->backward_ns = fmax(one.backward_ns, from->backward_ns);
}

void mpg_passed_add(struct mpg_passed *to, const struct mpg_passed *from)
{
    add_counts(&to->counts, &from->counts);
    to->slots += from->slots;
    to->expanded = from->expanded > to->expanded ? from->expanded : to->expanded;
}

int mpg_passed_get(struct mpg_bytes_left *left, struct mpg_passed *passed)
{
#define GET_COUNT(name) got.counts.name = mpg_bytes_get_u64(left);
#define GET_REAL(name) got.counts.name = mpg_bytes_get_double(left);
    struct mpg_passed got;
    COUNTS(GET_COUNT, GET_REAL)
    got.slots = (uint32_t)mpg_bytes_get_below(left, UINT32_MAX);
    got.expanded = (int32_t)mpg_bytes_get_below(left, INT32_MAX);
    got.evident_limit = (int64_t)mpg_bytes_get_u64(left);
    if (left->failed)
        return -1;
    *passed = got;
    return 0;
}

/* --- equality of passes --- */

/* Returns whether A and B have equal effect; ratios of regions matter only if there are regions. */
static bool same_ratios(const struct mpg_region_ratios *a, const struct mpg_region_ratios *b)
{
    return a == b || ((!a || a->n == 0) && (!b || b->n == 0));
}

/* Returns whether A and B have equal options of choices, which matter only if calls can choose. */
static bool same_choice(const struct mpg_graph_options *a, const struct mpg_graph_options *b)
{
    return a->choose == b->choose &&
           (!a->choose || (a->by_completion == b->by_completion &&
                           a->choose_sources == b->choose_sources && a->horizon == b->horizon));
}

static bool same_weak_progress(const struct mpg_graph_options *a, const struct mpg_graph_options *b)
{
    return a->has_weak_progress == b->has_weak_progress && a->nonblocking_table == b->nonblocking_table &&
           (!a->has_weak_progress || mpg_weak_progress_same(&a->weak, &b->weak));
}

static bool same_options(const struct mpg_graph_options *a, const struct mpg_graph_options *b)
{
    return same_ratios(a->ratios, b->ratios) && a->bound == b->bound && a->active == b->active &&
           a->keeps_protocol == b->keeps_protocol && a->of_target == b->of_target &&
           a->eager_limit_bytes == b->eager_limit_bytes &&
           a->source_eager_limit_bytes == b->source_eager_limit_bytes &&
           a->sync_reduce == b->sync_reduce && a->progresses_in_calls == b->progresses_in_calls && a->lenient == b->lenient &&
           a->expand == b->expand && a->expand_some == b->expand_some &&
           mpg_unexpanded_same(a->unexpanded, b->unexpanded) && same_weak_progress(a, b) && a->regions == b->regions &&
           a->reports_unused == b->reports_unused && same_choice(a, b);
}

bool mpg_pass_config_same(const struct mpg_pass_config *a, const struct mpg_pass_config *b)
{
    return a->trace == b->trace && a->clocks == b->clocks && same_options(a->graph, b->graph);
}

/* --- one graph --- */

/* Consumers of steps: called in turn by one thread (POOL is NULL), or by the threads of POOL. */
struct consumers {
    const struct mpg_step_consumer *consumer;
    size_t n;
    struct mpg_thread_pool *pool; /* NULL: no threads */
};

static int take(const struct consumers *t, const struct mpg_steps *steps, struct mpg_error *err)
{
    if (t->pool)
        return mpg_thread_pool_take(t->pool, steps, err);
    for (size_t i = 0; i < t->n; i++)
        if (t->consumer[i].take(t->consumer[i].context, steps, err) < 0)
            return -1;
    return 0;
}

/* The progress of a pass over EVENTS events, on a separate line, or on a line shared by several passes. */
struct pass_progress {
    const struct mpg_pass_config *pass_config;
    struct mpg_progress own;
    double events;
};

static void show_progress(struct pass_progress *x, double calls)
{
    const struct mpg_pass_config *pass_config = x->pass_config;
    const double part = x->events > calls ? calls / x->events : 1;
    if (pass_config->hides_progress)
        return;
    if (pass_config->shared)
        mpg_progress_update(pass_config->shared, pass_config->begun + pass_config->share * part);
    else
        mpg_progress_update(&x->own, calls);
}

/* Passes all steps of G to the consumers T. Returns 0, or -1 with ERR. */
static int take_all(struct mpg_graph *g, const struct consumers *t, struct pass_progress *progress,
                    struct mpg_error *err)
{
    enum { STEPS_A_LOOK = 4096 };
    struct mpg_steps steps;
    int more;
    size_t n = 0;
    while ((more = mpg_graph_next(g, &steps, err)) > 0) {
        if (take(t, &steps, err) < 0)
            return -1;
        n += steps.n;
        if (n < STEPS_A_LOOK)
            continue;
        n = 0;
        show_progress(progress, (double)mpg_graph_counts(g).calls);
    }
    return more < 0 || !t->pool ? more : mpg_thread_pool_finish(t->pool, err);
}

/* Returns the number of events read by the pass. */
static double events_of(const struct mpg_pass_config *pass_config)
{
    const struct mpg_rank_part *part = pass_config->graph->part;
    return part ? mpg_rank_part_events(part) : (double)mpg_trace_events(pass_config->trace, -1);
}

int mpg_pass_once(const struct mpg_pass_config *pass_config, const struct mpg_step_consumer *consumers, size_t n,
                     unsigned threads, struct mpg_passed *passed, struct mpg_error *err)
{
    struct consumers t = {.consumer = consumers, .n = n};
    struct mpg_graph_options options = *pass_config->graph;
    options.wanted = MPG_STEPS_LEAVES;
    for (size_t i = 0; i < n; i++)
        options.wanted = consumers[i].wants < options.wanted ? consumers[i].wants : options.wanted;
    struct mpg_graph *g = mpg_graph_open(pass_config->trace, pass_config->clocks, &options, err);
    if (!g)
        return -1;
    t.pool = threads > 0 ? mpg_thread_pool_new(consumers, n, threads, err) : NULL;
    if (threads > 0 && !t.pool && n > 1) { /* a single consumer can do without another thread */
        mpg_graph_close(g);
        return -1;
    }
    struct pass_progress progress = {.pass_config = pass_config, .events = events_of(pass_config)};
    if (pass_config->passes)
        ++*pass_config->passes;
    if (!pass_config->hides_progress && !pass_config->shared)
        mpg_progress_start(&progress.own, pass_config->label, progress.events);
    int status = take_all(g, &t, &progress, err);
    if (status == 0)
        show_progress(&progress, progress.events);
    mpg_progress_end(&progress.own);
    mpg_thread_pool_free(t.pool);
    passed->counts = mpg_graph_counts(g);
    passed->expanded = mpg_graph_expanded_members(g);
    passed->slots = mpg_graph_slots(g);
    if (status == 0 && !options.part)
        passed->evident_limit = mpg_graph_source_eager_limit(g, pass_config->graph->eager_limit_bytes);
    mpg_graph_close(g);
    return status;
}

/* --- a graph in each thread --- */

/* Memory limit of the additional graphs; approximate bytes of a graph for each rank and each slot. */
enum { MORE_BYTES = 256 << 20, RANK_BYTES = 12 << 10, SLOT_BYTES = 640 };

/* A thread reading the trace, and the thread's consumers. */
struct reader {
    struct mpg_pass_config pass_config;
    struct mpg_step_consumer *consumers;
    size_t n;
    pthread_t thread;
    struct mpg_passed passed;
    struct mpg_error error;
    int status;
};

static void *read_all(void *context)
{
    struct reader *x = context;
    x->status = mpg_pass_once(&x->pass_config, x->consumers, x->n, 0, &x->passed, &x->error);
    return NULL;
}

bool mpg_pass_can_be_read_in_threads(const struct mpg_graph_options *o)
{
    return !o->bound && !o->regions && !o->marks && !(o->ratios && o->ratios->n > 0);
}

/* Returns the number of threads, at most N, whose graphs fit into memory. */
static unsigned max_threads(const struct mpg_pass_config *pass_config, unsigned n)
{
    const double each = (double)mpg_trace_ranks(pass_config->trace) * RANK_BYTES + (double)pass_config->slots * SLOT_BYTES +
                        (double)mpg_trace_bytes(pass_config->trace);
    if (pass_config->slots == 0 || !mpg_pass_can_be_read_in_threads(pass_config->graph))
        return 1;
    return each * (n - 1) <= MORE_BYTES ? n : 1 + (unsigned)(MORE_BYTES / each);
}

struct mpg_trace *mpg_pass_reopen(const struct mpg_pass_config *pass_config)
{
    struct mpg_error unused;
    struct mpg_trace *t = mpg_trace_open_again(pass_config->trace, &unused);
    uint64_t sum, other;
    if (!t)
        return NULL;
    struct mpg_bytes sites = {0};
    mpg_trace_put_sites(pass_config->trace, &sites);
    struct mpg_bytes_left left = {.p = sites.data, .end = sites.data + sites.size};
    size_t n;
    int32_t *now = mpg_trace_get_sites(t, &left, &n);
    bool is_same = now && !sites.failed && mpg_trace_sum(pass_config->trace, &sum) && mpg_trace_sum(t, &other) && sum == other;
    for (size_t i = 0; is_same && i < n; i++)
        is_same = now[i] == (int32_t)i;
    free(now);
    mpg_bytes_clear(&sites);
    if (is_same)
        return t;
    mpg_trace_close(t);
    return NULL;
}

/* Copies every N-th of COUNT consumers, from number FIRST on, to TO; returns the number of copies. */
static size_t distribute(const struct mpg_step_consumer *consumers, size_t count, unsigned first, unsigned n,
                         struct mpg_step_consumer *to)
{
    size_t k = 0;
    for (size_t i = first; i < count; i += n)
        to[k++] = consumers[i];
    return k;
}

/* Runs N readers: in this thread the first, and every reader for which the system refuses a thread. */
static void read_in_threads(struct reader *reader, unsigned n)
{
    unsigned started = 1;
    while (started < n && pthread_create(&reader[started].thread, NULL, read_all, &reader[started]) == 0)
        started++;
    read_all(&reader[0]);
    for (unsigned i = started; i < n; i++)
        read_all(&reader[i]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(reader[i].thread, NULL);
}

/* Makes a pass by up to THREADS threads, each reading the trace independently. Returns 1; 0, without a pass, if fewer than two
 * threads can read; -1 with ERR. PASSED and the errors of the graph come from the first thread. */
static int pass_in_threads(const struct mpg_pass_config *pass_config, const struct mpg_step_consumer *consumers, size_t n,
                           unsigned threads, struct mpg_passed *passed, struct mpg_error *err)
{
    const unsigned max = threads > 1 ? max_threads(pass_config, threads) : 1;
    struct reader *reader = max > 1 ? calloc(max, sizeof *reader) : NULL;
    struct mpg_step_consumer *dealt = reader ? calloc(n, sizeof *dealt) : NULL;
    unsigned readers = dealt ? 1 : 0;
    for (; readers > 0 && readers < max; readers++) {
        reader[readers].pass_config = *pass_config;
        reader[readers].pass_config.passes = NULL;
        reader[readers].pass_config.hides_progress = true;
        if (!(reader[readers].pass_config.trace = mpg_pass_reopen(pass_config)))
            break;
    }
    if (readers > 1) {
        size_t at = 0;
        reader[0].pass_config = *pass_config;
        for (unsigned i = 0; i < readers; i++) {
            reader[i].consumers = dealt + at;
            reader[i].n = distribute(consumers, n, i, readers, dealt + at);
            at += reader[i].n;
            reader[i].passed = *passed;
        }
        read_in_threads(reader, readers);
        *passed = reader[0].passed;
    }
    int status = readers > 1 ? 1 : 0;
    for (unsigned i = 0; i < readers; i++) {
        if (status > 0 && reader[i].status < 0) {
            *err = reader[i].error;
            status = -1;
        }
        if (i > 0)
            mpg_trace_close(reader[i].pass_config.trace);
    }
    free(reader);
    free(dealt);
    return status;
}

int mpg_pass(const struct mpg_pass_config *pass_config, const struct mpg_step_consumer *consumers, size_t n, unsigned threads,
             struct mpg_passed *passed, struct mpg_error *err)
{
    const unsigned max = threads < n ? threads : (unsigned)n;
    const int status = pass_in_threads(pass_config, consumers, n, max, passed, err);
    if (status != 0)
        return status < 0 ? -1 : 0;
    const bool hands_on = max > 1 || (threads > 1 && n == 1 && consumers[0].is_costly);
    return mpg_pass_once(pass_config, consumers, n, hands_on ? max : 0, passed, err);
}

/* --- choices --- */

/* Finds in the pre-pass cache, or by a pass, whether calls have candidates and how many messages are in flight. */
static int find_choices(const struct mpg_pass_config *pass_config, struct mpg_passed *passed,
                        struct mpg_error *err)
{
    struct mpg_bytes key = {0}, found = {0};
    struct mpg_bytes_left left;
    mpg_cache_key(&key, "choices", pass_config->graph, mpg_clock_map_source(pass_config->clocks));
    const bool finds = mpg_together_finds(pass_config->together);
    const bool is_known = finds && mpg_cache_find(pass_config->cache, &key, &left) && mpg_passed_get(&left, passed) == 0;
    int status = is_known || !finds ? 0 : mpg_pass(pass_config, NULL, 0, 1, passed, err);
    if (finds && status == 0)
        mpg_passed_put(&found, passed);
    if (finds && !is_known && status == 0)
        mpg_cache_add(pass_config->cache, &key, &found);
    status = mpg_together_tell(pass_config->together, status, &found, err);
    left = (struct mpg_bytes_left){.p = found.data, .end = found.data + found.size};
    if (status == 0 && !finds && mpg_passed_get(&left, passed) < 0)
        status = mpg_error_set(err, "out of memory");
    mpg_bytes_clear(&key);
    mpg_bytes_clear(&found);
    return status;
}

int mpg_pass_choices(const struct mpg_pass_config *pass_config, struct mpg_graph_options *options, uint64_t horizon,
                     struct mpg_passed *passed, struct mpg_error *err)
{
    const struct mpg_graph_counts *c = &passed->counts;
    if (c->choices + c->open_receives == 0)
        return 0;
    options->horizon = horizon;
    options->choose = true;
    options->choose_sources = c->open_receives > 0 && !options->by_completion;
    if (find_choices(pass_config, passed, err) < 0)
        return -1;
    options->choose = c->followed + c->followed_receives + c->beyond_horizon > 0;
    return 0;
}
