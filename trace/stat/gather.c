/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a trace once and sums calls, regions and counters for mpgtrace stat. */
#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"
#include "common/units.h"
#include "trace/excerpt/excerpt.h"
#include "trace/polling.h"
#include "trace/stat/stat.h"

void mpg_stat_join(struct stat_sum *sum, const struct stat_sum *more)
{
    if (more->number == 0)
        return;
    if (sum->number == 0 || more->min_ns < sum->min_ns)
        sum->min_ns = more->min_ns;
    if (sum->number == 0 || more->max_ns > sum->max_ns)
        sum->max_ns = more->max_ns;
    sum->number += more->number;
    sum->time_ns += more->time_ns;
    sum->sent_bytes += more->sent_bytes;
    sum->received_bytes += more->received_bytes;
    sum->computation_ns += more->computation_ns;
}

static struct stat_row *find_row(struct stat_summary *s, const struct mpg_event *e)
{
    uint64_t *place = mpg_map_add(&s->row_index, (uint64_t)(int64_t)e->site, e->call);
    if (!place)
        return NULL;
    if (*place == 0) {
        if ((s->row_number & (s->row_number - 1)) == 0) { /* the array is full: doubles the capacity */
            size_t capacity = s->row_number ? 2 * s->row_number : 1;
            void *grown = realloc(s->rows, capacity * sizeof *s->rows);
            if (!grown)
                return NULL;
            s->rows = grown;
        }
        s->rows[s->row_number] = (struct stat_row){.call = e->call, .site = e->site};
        *place = ++s->row_number;
    }
    return &s->rows[*place - 1];
}

/* Returns the entry for region STRING in THREAD. ADDS: a missing entry is added; NULL: out of memory. Otherwise NULL
 * means that THREAD has never begun the region. */
static struct stat_open *find_open(struct stat_summary *s, int32_t string, uint32_t thread, bool adds)
{
    uint64_t *place = adds ? mpg_map_add(&s->open_index, (uint64_t)string, thread)
                           : mpg_map_find(&s->open_index, (uint64_t)string, thread);
    if (!place || (*place == 0 && !adds))
        return NULL;
    if (*place == 0) {
        struct mpg_error ignored;
        if (mpg_reserve_at(&s->open, sizeof *s->open, &s->open_capacity, s->open_number + 1, &ignored) < 0)
            return NULL;
        s->open[s->open_number] = (struct stat_open){.string = string, .thread = thread};
        *place = ++s->open_number;
    }
    return &s->open[*place - 1];
}

/* Returns NOW_NS, limited to the begin and end of R's run, as far as already known. */
static int64_t within_run(const struct stat_rank *r, int64_t now_ns)
{
    if (r->started && now_ns < r->start_ns)
        return r->start_ns;
    return r->ended && now_ns > r->end_ns ? r->end_ns : now_ns;
}

static int begin_region(struct stat_summary *s, const struct stat_rank *r, const struct mpg_event *e)
{
    size_t need = (size_t)e->string + 1;
    if (need > s->region_number) {
        struct stat_region *grown = realloc(s->regions, need * sizeof *grown);
        if (!grown)
            return -1;
        for (size_t i = s->region_number; i < need; i++)
            grown[i] = (struct stat_region){.number = 0};
        s->regions = grown;
        s->region_number = need;
    }
    struct stat_open *open = find_open(s, e->string, e->thread, true);
    const uint64_t *mpi_ns = mpg_map_add(&s->mpi_ns, e->thread, 0);
    if (!open || !mpi_ns)
        return -1;
    if (open->depth++ == 0) {
        open->begin_ns = within_run(r, e->leave_ns);
        open->mpi_ns = *mpi_ns;
    }
    return 0;
}

/* OPEN is the outermost open region of its name: adds the time from the region's begin to NOW. Nested regions of the same name
 * add no time. */
static void end_region(struct stat_summary *s, const struct stat_rank *r, const struct stat_open *open, int64_t now_ns)
{
    const uint64_t *mpi_ns = mpg_map_find(&s->mpi_ns, open->thread, 0);
    struct stat_region *region = &s->regions[open->string];
    const int64_t begin_ns = within_run(r, open->begin_ns), end_ns = within_run(r, now_ns);
    if (r->started && end_ns > begin_ns)
        region->time_ns += (double)(end_ns - begin_ns);
    region->in_mpi_ns += (double)(*mpi_ns - open->mpi_ns);
}

/* Ends the region named by E; ignores an end without a begin. */
static void end_named(struct stat_summary *s, const struct stat_rank *r, const struct mpg_event *e)
{
    struct stat_open *open = find_open(s, e->string, e->thread, false);
    if (!open || open->depth == 0)
        return;
    s->regions[e->string].number++;
    if (--open->depth == 0)
        end_region(s, r, open, e->enter_ns);
}

/* Ends all regions still open at the end of the rank's run. */
static void end_rank(struct stat_summary *s, const struct stat_rank *r)
{
    for (uint32_t i = 0; i < s->open_number; i++) {
        const struct stat_open *open = &s->open[i];
        if (open->depth == 0)
            continue;
        s->regions[open->string].number += open->depth;
        s->regions[open->string].unended += open->depth;
        end_region(s, r, open, r->end_ns);
    }
    s->open_number = 0;
    mpg_map_clear(&s->open_index);
    mpg_map_clear(&s->mpi_ns);
}

/* ---- computation ---- */

/* Returns the entry of THREAD, added if missing, with no call yet; NULL: out of memory. */
static struct stat_thread *find_thread(struct stat_summary *s, uint32_t thread)
{
    struct mpg_error ignored;
    for (uint32_t i = 0; i < s->thread_number; i++)
        if (s->threads[i].thread == thread)
            return &s->threads[i];
    if (mpg_reserve_at(&s->threads, sizeof *s->threads, &s->thread_capacity, s->thread_number + 1, &ignored) < 0)
        return NULL;
    s->threads[s->thread_number] = (struct stat_thread){.thread = thread, .left_ns = INT64_MIN, .found_nothing = MPG_CALL_COUNT};
    return &s->threads[s->thread_number++];
}

/* Adds the time of E to E's thread. *COMPUTATION_NS: the computation before E; 0 before local calls and marks, and outside of the
 * run. Returns 0, or -1: out of memory. */
static int find_computation(struct stat_summary *s, struct stat_rank *r, const struct mpg_event *e, double *computation_ns)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    const bool is_flush = kind == MPG_KIND_FLUSH, is_summed = e->sum.calls > 0;
    const bool is_local = (kind == MPG_KIND_OTHER || kind == MPG_KIND_PCONTROL) && !e->failed;
    struct stat_thread *t = find_thread(s, e->thread);
    *computation_ns = 0;
    if (!t)
        return -1;
    const double recording_ns = is_flush    ? (double)(e->leave_ns - e->enter_ns)
                                : is_summed ? (double)e->sum.calls * s->sum_cost_ns
                                            : s->call_cost_ns;
    t->except_ns += (double)e->off_before_ns + recording_ns;
    if (e->thread == 0 && r->started && !r->ended)
        r->recording_ns += recording_ns;
    if (is_local)
        t->except_ns += is_summed ? (double)e->sum.time_ns : (double)(e->leave_ns - e->enter_ns);
    if (is_local || is_flush || kind == MPG_KIND_REGION_BEGIN || kind == MPG_KIND_REGION_END)
        return 0;
    const double length_ns = t->left_ns == INT64_MIN ? 0 : (double)(e->enter_ns - t->left_ns) - t->except_ns;
    const bool polls = t->found_nothing == e->call && t->site == e->site && length_ns <= MPG_POLLING_NS;
    if (r->started && !r->ended && kind != MPG_KIND_INIT && length_ns > 0) {
        *computation_ns = polls ? 0 : length_ns;
        if (e->thread == 0)
            r->polled_ns += length_ns - *computation_ns;
    }
    if (e->thread == 0)
        r->computation_ns += *computation_ns;
    t->found_nothing = mpg_event_found_nothing(e) ? e->call : MPG_CALL_COUNT;
    t->site = e->site;
    t->left_ns = e->leave_ns;
    t->except_ns = 0;
    return 0;
}

/* Returns whether E lies between MPI_Init and MPI_Finalize, without these two calls. */
static bool is_in_run(const struct stat_rank *r, const struct mpg_event *e)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    return r->started && !r->ended && kind != MPG_KIND_INIT && kind != MPG_KIND_FINALIZE;
}

static int add_call(struct stat_summary *s, struct stat_rank *r, const struct mpg_event *e, double computation_ns)
{
    double time_ns = (double)(e->leave_ns - e->enter_ns);
    int64_t sent, received;
    mpg_event_bytes(e, &sent, &received);
    struct stat_sum one = {1, time_ns, time_ns, time_ns, (double)sent, (double)received, computation_ns};
    if (e->sum.calls) {
        time_ns = (double)e->sum.time_ns;
        one = (struct stat_sum){(uint64_t)e->sum.calls, time_ns, (double)e->sum.min_ns,
                                (double)e->sum.max_ns, 0, 0, 0};
        s->aggregated_number += one.number;
    }
    if (e->device & MPG_DEVICE_SENT)
        s->device_sent_bytes += one.sent_bytes;
    if (e->device & MPG_DEVICE_RECEIVED)
        s->device_received_bytes += one.received_bytes;
    struct stat_row *row = find_row(s, e);
    if (!row)
        return -1;
    const bool in_run = is_in_run(r, e);
    if (in_run)
        mpg_stat_join(&r->sum, &one);
    mpg_stat_join(&row->sum, &one);
    mpg_stat_join(&s->calls[e->call], &one);
    s->call_number += one.number;
    s->failed_number += e->failed;
    uint64_t *mpi_ns = mpg_map_find(&s->mpi_ns, e->thread, 0); /* NULL before the thread's first region */
    if (mpi_ns && in_run)
        *mpi_ns += e->sum.calls ? (uint64_t)e->sum.time_ns
                                : (uint64_t)e->leave_ns - (uint64_t)e->enter_ns;
    return 0;
}

/* Adds E's time off the CPU if E begins within the run. */
static void add_off_cpu(struct stat_rank *r, const struct mpg_event *e)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    if (!r->started || r->ended)
        return;
    r->off_between_ns += (double)e->off_before_ns;
    if (kind == MPG_KIND_FLUSH)
        r->off_between_ns += (double)e->off_in_ns;
    else if (kind != MPG_KIND_FINALIZE)
        r->off_in_ns += (double)e->off_in_ns;
}

static int add_event(struct stat_summary *s, struct stat_rank *r, const struct mpg_event *e)
{
    enum mpg_kind kind = mpg_call_kind(e->call);
    double computation_ns;
    add_off_cpu(r, e);
    if (find_computation(s, r, e, &computation_ns) < 0)
        return -1;
    switch (kind) {
    case MPG_KIND_FLUSH:
        s->flush_number++;
        s->flush_ns += (double)(e->leave_ns - e->enter_ns);
        return 0;
    case MPG_KIND_REGION_BEGIN:
        return e->failed ? 0 : begin_region(s, r, e); /* a begin that returned an error has no name */
    case MPG_KIND_REGION_END:
        if (!e->failed)
            end_named(s, r, e);
        return 0;
    default:
        break;
    }
    if (kind == MPG_KIND_INIT && !e->failed && !r->started) {
        r->started = true;
        r->start_ns = e->leave_ns;
    }
    if (!r->ended)
        r->end_ns = kind == MPG_KIND_FINALIZE ? e->enter_ns : e->leave_ns;
    r->ended = r->ended || (kind == MPG_KIND_FINALIZE && !e->failed);
    r->killed = r->killed || e->killed;
    /* If the process was killed in the call, the call's end and callsite are unknown. */
    return e->killed ? 0 : add_call(s, r, e, computation_ns);
}

/* Writes to PLACES the index in S->VALUES of each counter of RANK and returns the number of counters. Ranks may record different
 * counters; counters beyond the capacity of S->VALUES are dropped. */
static uint32_t find_values(struct stat_summary *s, int32_t rank, size_t *places)
{
    const char *name = mpg_trace_find_fact(s->trace, rank, "values");
    uint32_t n = 0;
    if (!name)
        return 0;
    for (name += strspn(name, " "); *name && n < MPG_TRACE_MAX_VALUES; n++) {
        const size_t length = strcspn(name, " ");
        size_t i = 0;
        while (i < s->value_number && (s->values[i].length != length ||
                                       memcmp(s->values[i].name, name, length) != 0))
            i++;
        if (i == MPG_TRACE_MAX_VALUES)
            break;
        if (i == s->value_number)
            s->values[s->value_number++] = (struct stat_value){name, length, 0};
        places[n] = i;
        name += length;
        name += strspn(name, " ");
    }
    return n;
}

static int add_rank(struct stat_summary *s, int32_t rank, struct mpg_error *err)
{
    struct stat_rank *r = &s->ranks[rank];
    struct mpg_cursor *c = mpg_cursor_open(s->trace, rank, err);
    struct mpg_event e;
    size_t places[MPG_TRACE_MAX_VALUES];
    const uint32_t values = find_values(s, rank, places);
    s->thread_number = 0;
    s->call_cost_ns = mpg_units_parse_fact(mpg_trace_find_fact(s->trace, rank, "overhead_call_ns"), 0);
    s->sum_cost_ns = mpg_units_parse_fact(mpg_trace_find_fact(s->trace, rank, "overhead_sum_ns"), s->call_cost_ns);
    r->off_cpu_known = mpg_trace_find_fact(s->trace, rank, "off_cpu") != NULL;
    int more = -1, status = 0;
    while (c && status == 0 && (more = mpg_cursor_next(c, &e, err)) > 0) {
        for (uint32_t i = 0; i < e.value_number && i < values; i++) {
            int64_t *sum = &s->values[places[i]].sum;
            *sum = (int64_t)((uint64_t)*sum + (uint64_t)e.values[i]);
        }
        status = add_event(s, r, &e);
    }
    mpg_cursor_close(c);
    if (status < 0)
        return mpg_error_set(err, "out of memory");
    end_rank(s, r);
    const double run_ns = stat_run_ns(r);
    s->run_ns += run_ns;
    if (run_ns > s->longest_ns)
        s->longest_ns = run_ns;
    return more;
}

int mpg_stat_gather(struct mpg_trace *t, struct stat_summary *s, struct mpg_error *err)
{
    *s = (struct stat_summary){.trace = t};
    s->ranks = calloc((size_t)mpg_trace_ranks(t), sizeof *s->ranks);
    if (!s->ranks)
        return mpg_error_set(err, "out of memory");
    for (int32_t r = 0; r < mpg_trace_ranks(t); r++)
        if (add_rank(s, r, err) < 0)
            return -1;
    /* Calls at the edges of an excerpt did not return an error. */
    const uint64_t edge_calls = mpg_excerpt_edge_calls(t);
    s->failed_number -= edge_calls < s->failed_number ? edge_calls : s->failed_number;
    return 0;
}

void mpg_stat_clear(struct stat_summary *s)
{
    free(s->ranks);
    free(s->rows);
    free(s->regions);
    free(s->open);
    free(s->threads);
    mpg_map_clear(&s->open_index);
    mpg_map_clear(&s->mpi_ns);
    mpg_map_clear(&s->row_index);
}
