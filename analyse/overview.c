/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A summary of a run over time, of limited size. Bins and slices begin with the finest resolution. Whenever the run does not fit,
 * the resolution is halved: the length of the run need not be known in advance. */
#include "analyse/overview.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- bins ---- */

static double *cell(const struct mpg_overview *o, size_t group, size_t bin)
{
    return o->sum_ns + (group * MPG_OVERVIEW_BINS + bin) * MPG_OVERVIEW_PARTS;
}

/* Doubles the width of the bins and joins pairs of them. */
static void widen(struct mpg_overview *o)
{
    for (size_t g = 0; g < o->groups; g++)
        for (size_t i = 0; i < MPG_OVERVIEW_BINS; i++)
            for (int k = 0; k < MPG_OVERVIEW_PARTS; k++)
                cell(o, g, i)[k] = 2 * i + 1 < MPG_OVERVIEW_BINS ? cell(o, g, 2 * i)[k] + cell(o, g, 2 * i + 1)[k] : 0;
    o->bin_ns *= 2;
}

static size_t find_group(const struct mpg_overview *o, int32_t rank)
{
    return (size_t)((((int64_t)rank + 1) * (int64_t)o->groups - 1) / o->ranks);
}

int32_t mpg_overview_first(const struct mpg_overview *o, size_t group)
{
    return (int32_t)((int64_t)group * o->ranks / (int64_t)o->groups);
}

int32_t mpg_overview_last(const struct mpg_overview *o, size_t group)
{
    return mpg_overview_first(o, group + 1) - 1;
}

/* Adds RANK's time from FROM_NS to TO_NS to the bins. SHARE: the fraction of this time in each part (computation, waiting
 * ...). */
static void add(struct mpg_overview *o, int32_t rank, double from_ns, double to_ns, const double *share)
{
    const size_t group = find_group(o, rank);
    from_ns = fmax(0, from_ns);
    if (!(to_ns > from_ns))
        return;
    while (to_ns > o->bin_ns * MPG_OVERVIEW_BINS)
        widen(o);
    o->run_ns = fmax(o->run_ns, to_ns);
    for (size_t i = (size_t)(from_ns / o->bin_ns); i < MPG_OVERVIEW_BINS && (double)i * o->bin_ns < to_ns; i++) {
        const double ns = fmin(to_ns, (double)(i + 1) * o->bin_ns) - fmax(from_ns, (double)i * o->bin_ns);
        for (int k = 0; k < MPG_OVERVIEW_PARTS && ns > 0; k++)
            cell(o, group, i)[k] += ns * share[k];
    }
    o->bins = (size_t)fmin(MPG_OVERVIEW_BINS, ceil(o->run_ns / o->bin_ns));
}

/* ---- slices ---- */

static void join(struct mpg_overview_slice *a, const struct mpg_overview_slice *b)
{
    a->to_ns = fmax(a->to_ns, b->to_ns);
    a->in_calls_ns += b->in_calls_ns;
    a->wait_ns += b->wait_ns;
    a->calls += b->calls;
    if (b->longest_ns <= a->longest_ns)
        return;
    a->longest_ns = b->longest_ns;
    a->place = b->place;
    a->peer = b->peer;
    a->awaited = b->awaited;
}

/* Appends SLICE to the N slices of ROW. A SLICE that ends within row->width_ns after the last slice's begin is joined to the last
 * slice. Returns the new number of slices. */
static size_t append(struct mpg_overview_row *row, size_t n, const struct mpg_overview_slice *slice)
{
    if (n > 0 && slice->to_ns - row->slice[n - 1].from_ns <= row->width_ns)
        join(&row->slice[n - 1], slice);
    else
        row->slice[n++] = *slice;
    return n;
}

/* Joins slices of ROW within a common interval, and doubles the interval until a quarter of the room is free. */
static void gather(struct mpg_overview_row *row)
{
    const double min_ns = (row->slice[row->n - 1].to_ns - row->slice[0].from_ns) / (16 * (double)row->room);
    while (4 * row->n > 3 * row->room) {
        size_t n = 0;
        row->width_ns = row->width_ns > 0 ? 2 * row->width_ns : fmax(1, min_ns);
        for (size_t i = 0; i < row->n; i++)
            n = append(row, n, &row->slice[i]);
        row->n = n;
    }
}

static void add_slice(struct mpg_overview_row *row, const struct mpg_overview_slice *slice)
{
    if (row->n == row->room)
        gather(row);
    row->n = append(row, row->n, slice);
}

static struct mpg_overview_row *find_row(const struct mpg_overview *o, int32_t rank)
{
    for (size_t i = 0; i < o->rows; i++)
        if (o->row[i].rank == rank)
            return &o->row[i];
    return NULL;
}

/* Returns the only rank with which the call exchanges messages; -1: none, or several. */
static int32_t find_peer(const struct mpg_step *s)
{
    int32_t peer = -1;
    for (uint32_t i = 0; i < s->sent_number + s->edge_number; i++) {
        const struct mpg_edge *e = i < s->sent_number ? NULL : &s->edges[i - s->sent_number];
        const int32_t other = e ? e->source : s->sent[i].origin.to;
        if (e && e->kind != MPG_EDGE_ARRIVAL && e->kind != MPG_EDGE_ENVELOPE && e->kind != MPG_EDGE_ACK)
            continue;
        if (peer >= 0 && other != peer)
            return -1;
        peer = other;
    }
    return peer;
}

/* ---- the observer ---- */

static int enter(void *whom, const struct mpg_step *s, double enter_ns, double begin_ns, struct mpg_error *err)
{
    struct mpg_overview *o = whom;
    (void)err;
    if (s->thread != 0)
        return 0;
    const double to_ns = enter_ns - o->begin_ns;
    double *at_ns = &o->at_ns[s->rank], noise_ns = 0, tracer_ns = 0;
    if (*at_ns < 0)
        *at_ns = o->times == MPG_WAIT_COMMON_CLOCK ? 0 : fmax(0, begin_ns - o->begin_ns);
    const double length_ns = to_ns - *at_ns;
    if (o->times != MPG_WAIT_TRACED)
        noise_ns = fmax(0, o->new_noise_ns[s->rank] - o->noise_ns[s->rank]);
    if (o->times != MPG_WAIT_COMMON_CLOCK) {
        noise_ns += (double)s->off_ns;
        tracer_ns = fmin((double)s->tracer_ns, length_ns);
    }
    noise_ns = fmin(noise_ns, length_ns - tracer_ns);
    if (length_ns > 0)
        add(o, s->rank, *at_ns, to_ns,
            (double[MPG_OVERVIEW_PARTS]){[MPG_OVERVIEW_COMPUTATION] = (length_ns - noise_ns - tracer_ns) / length_ns,
                                         [MPG_OVERVIEW_NOISE] = noise_ns / length_ns,
                                         [MPG_OVERVIEW_TRACER] = tracer_ns / length_ns});
    *at_ns = fmax(*at_ns, to_ns);
    o->noise_ns[s->rank] = o->new_noise_ns[s->rank];
    return 0;
}

static int leave(void *whom, const struct mpg_wait_event *e, struct mpg_error *err)
{
    struct mpg_overview *o = whom;
    const struct mpg_step *s = e->step;
    (void)err;
    if (s->thread != 0)
        return 0;
    struct mpg_overview_row *row = find_row(o, s->rank);
    const double from_ns = e->enter_ns - o->begin_ns, to_ns = from_ns + e->sum->time_ns;
    const double wait_ns = mpg_wait_all(e->sum), rest_ns = to_ns - from_ns - wait_ns;
    add(o, s->rank, from_ns, from_ns + wait_ns, (double[MPG_OVERVIEW_PARTS]){[MPG_OVERVIEW_WAITING] = 1});
    const double off_cpu = rest_ns > 0 ? e->sum->off_cpu_ns / rest_ns : 0;
    add(o, s->rank, from_ns + wait_ns, to_ns,
        (double[MPG_OVERVIEW_PARTS]){[MPG_OVERVIEW_MPI] = 1 - off_cpu, [MPG_OVERVIEW_NOISE] = off_cpu});
    o->at_ns[s->rank] = fmax(o->at_ns[s->rank], e->leave_ns - o->begin_ns);
    const bool awaits = wait_ns > 0 && e->awaited_ns > -INFINITY && e->awaited.stream < (uint32_t)o->ranks;
    const struct mpg_overview_slice slice = {
        .from_ns = from_ns, .to_ns = to_ns, .in_calls_ns = to_ns - from_ns, .wait_ns = wait_ns, .longest_ns = to_ns - from_ns,
        .calls = 1, .place = e->place, .peer = find_peer(s), .awaited = awaits ? (int32_t)e->awaited.stream : -1};
    if (row)
        add_slice(row, &slice);
    return 0;
}

static void restart(void *whom)
{
    struct mpg_overview *o = whom;
    memset(o->sum_ns, 0, o->groups * MPG_OVERVIEW_BINS * MPG_OVERVIEW_PARTS * sizeof *o->sum_ns);
    o->bin_ns = 1;
    o->run_ns = 0;
    o->bins = 1;
    for (size_t i = 0; i < o->rows; i++) {
        o->row[i].n = 0;
        o->row[i].width_ns = 0;
    }
    for (int32_t r = 0; r < o->ranks; r++) {
        o->at_ns[r] = -1;
        o->noise_ns[r] = o->new_noise_ns[r] = 0;
    }
}

const struct mpg_wait_observer *mpg_overview_observer(const struct mpg_overview *o)
{
    return &o->observer;
}

void mpg_overview_noise(struct mpg_overview *o, const struct mpg_step *s, double noise_ns)
{
    if (s->thread != 0) /* other threads are not shown: noise of other threads must not count */
        o->noise_ns[s->rank] += noise_ns - o->new_noise_ns[s->rank];
    o->new_noise_ns[s->rank] = noise_ns;
}

/* ---- making ---- */

static int make_rows(struct mpg_overview *o, const int32_t *drawn, size_t n)
{
    if (!(o->row = calloc(n > 0 ? n : 1, sizeof *o->row)))
        return -1;
    for (; o->rows < n; o->rows++) {
        struct mpg_overview_row *row = &o->row[o->rows];
        *row = (struct mpg_overview_row){.rank = drawn[o->rows], .room = MPG_OVERVIEW_SLICES / n};
        if (!(row->slice = calloc(row->room, sizeof *row->slice)))
            return -1;
    }
    return 0;
}

struct mpg_overview *mpg_overview_new(int32_t ranks, const int32_t *drawn, size_t n, enum mpg_wait_times times,
                                      struct mpg_error *err)
{
    struct mpg_overview *o = calloc(1, sizeof *o);
    if (o) {
        o->ranks = ranks;
        o->times = times;
        o->groups = ranks < MPG_OVERVIEW_GROUPS ? (size_t)ranks : MPG_OVERVIEW_GROUPS;
        o->sum_ns = calloc(o->groups * MPG_OVERVIEW_BINS * MPG_OVERVIEW_PARTS, sizeof *o->sum_ns);
        o->at_ns = calloc((size_t)ranks, sizeof *o->at_ns);
        o->noise_ns = calloc((size_t)ranks, sizeof *o->noise_ns);
        o->new_noise_ns = calloc((size_t)ranks, sizeof *o->new_noise_ns);
        o->observer = (struct mpg_wait_observer){o, enter, leave, restart};
        if (o->sum_ns && o->at_ns && o->noise_ns && o->new_noise_ns && make_rows(o, drawn, n) == 0) {
            restart(o);
            return o;
        }
    }
    mpg_overview_free(o);
    mpg_error_set(err, "out of memory");
    return NULL;
}

int mpg_overview_begin(struct mpg_overview *o, struct mpg_trace *trace, const struct mpg_clock_map *clocks, struct mpg_error *err)
{
    o->begin_ns = INFINITY;
    for (int32_t rank = 0; rank < mpg_trace_ranks(trace); rank++) {
        struct mpg_cursor *c = mpg_cursor_open(trace, rank, err);
        const struct mpg_event *e;
        const int more = c ? mpg_cursor_read(c, &e, err) : -1;
        if (more > 0)
            o->begin_ns = fmin(o->begin_ns, mpg_clock_align(clocks, rank, e->leave_ns));
        mpg_cursor_close(c);
        if (more < 0)
            return -1;
    }
    if (o->begin_ns == INFINITY)
        o->begin_ns = 0;
    return 0;
}

bool mpg_overview_fit(const struct mpg_overview *a, const struct mpg_overview *b)
{
    return fmax(a->run_ns, b->run_ns) <= 10 * fmin(a->run_ns, b->run_ns);
}

void mpg_overview_align(struct mpg_overview *a, struct mpg_overview *b)
{
    const bool fit = mpg_overview_fit(a, b);
    while (fit && a->bin_ns < b->bin_ns)
        widen(a);
    while (fit && b->bin_ns < a->bin_ns)
        widen(b);
    a->bins = (size_t)fmax(1, ceil(a->run_ns / a->bin_ns));
    b->bins = (size_t)fmax(1, ceil(b->run_ns / b->bin_ns));
}

void mpg_overview_free(struct mpg_overview *o)
{
    if (!o)
        return;
    for (size_t i = 0; i < o->rows; i++)
        free(o->row[i].slice);
    free(o->row);
    free(o->sum_ns);
    free(o->at_ns);
    free(o->noise_ns);
    free(o->new_noise_ns);
    free(o);
}

/* ---- what it holds ---- */

double mpg_overview_share(const struct mpg_overview *o, size_t group, size_t bin, enum mpg_overview_part part)
{
    const double ranks = (double)(mpg_overview_last(o, group) - mpg_overview_first(o, group) + 1);
    /* The last bin ends with the run and may be narrower. */
    const double width_ns = fmin(o->bin_ns, o->run_ns - (double)bin * o->bin_ns);
    return width_ns > 0 ? fmin(1, cell(o, group, bin)[part] / (ranks * width_ns)) : 0;
}
