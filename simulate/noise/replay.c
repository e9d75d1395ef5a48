/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Look-ups in a noise record; guide tables make both directions O(1). A truncated record is stored as two records: a record of
 * all the longest detours, and a record of sampled blocks of shorter detours, end to end, in a time that excludes the longest
 * detours. */
#include "simulate/noise/replay_private.h"

#include <stdlib.h>

static void fill_guides(struct mpg_record *r)
{
    size_t t = 0, w = 0;
    for (size_t i = 0; i < r->buckets; i++) {
        double time_ns = r->span_ns * (double)i / (double)r->buckets;
        double work_ns = r->work_ns * (double)i / (double)r->buckets;
        while (t < r->n && mpg_detour_end(&r->detour[t]) <= time_ns)
            t++;
        while (w < r->n && r->detour[w].done_ns < work_ns)
            w++;
        r->by_time[i] = (uint32_t)t;
        r->by_work[i] = (uint32_t)w;
    }
}

static void free_record(struct mpg_record *r)
{
    if (!r)
        return;
    free(r->detour);
    free(r->by_time);
    free(r->by_work);
    free(r);
}

/* Number of detours compared without a branch, because detours come in bursts. A guide bucket has half as many detours on
 * average. BURST sentinels follow the last detour. */
enum { BURST = 8, DETOURS_A_BUCKET = BURST / 2 };

/* Number of detours in a cache line. */
enum { DETOURS_A_LINE = 4, LINE_BYTES = DETOURS_A_LINE * sizeof(struct mpg_detour) };

/* Returns an empty record with room for N detours. */
static struct mpg_record *new_record(size_t n, struct mpg_error *err)
{
    struct mpg_record *r = calloc(1, sizeof *r);
    if (r) {
        r->detour = aligned_alloc(LINE_BYTES, ((n + BURST) / DETOURS_A_LINE + 1) * LINE_BYTES);
        r->by_time = malloc((n + 1) * sizeof *r->by_time);
        r->by_work = malloc((n + 1) * sizeof *r->by_work);
    }
    if (!r || !r->detour || !r->by_time || !r->by_work) {
        mpg_error_set(err, "out of memory");
        free_record(r);
        return NULL;
    }
    r->detour[0].lost_ns = 0;
    return r;
}

/* Appends a detour. */
static void add_detour(struct mpg_record *r, double start_ns, double duration_ns)
{
    struct mpg_detour *d = &r->detour[r->n++];
    d->done_ns = start_ns - d->lost_ns;
    d[1].lost_ns = d->lost_ns + duration_ns;
}

/* Sets the record's end, the sentinels, work_ns and `ascending`. */
static void finish_work(struct mpg_record *r)
{
    struct mpg_detour *end = &r->detour[r->n];
    r->work_ns = end->done_ns = r->span_ns - end->lost_ns;
    for (size_t i = 1; i <= BURST; i++)
        end[i] = (struct mpg_detour){INFINITY, INFINITY};
    r->ascending = true;
    for (const struct mpg_detour *d = r->detour; d + 1 < end; d++)
        if (d->done_ns > d[1].done_ns || mpg_detour_end(d) > mpg_detour_end(d + 1))
            r->ascending = false;
}

/* Completes R for look-ups and returns it. NULL with ERR, and R is freed: core CORE leaves no time for work. */
static struct mpg_record *finish_record(struct mpg_record *r, double span_ns, int core, struct mpg_error *err)
{
    r->span_ns = span_ns;
    r->buckets = r->n / DETOURS_A_BUCKET + 1;
    finish_work(r);
    r->per_span = 1 / r->span_ns;
    r->per_work = 1 / r->work_ns;
    if (r->work_ns > 0 && r->per_work < INFINITY) { /* the reciprocal of a subnormal number is infinite */
        fill_guides(r);
        return r;
    }
    mpg_error_set(err, "core %d: the noise record leaves no time for work", core);
    free_record(r);
    return NULL;
}

static struct mpg_record *make_longest(const struct mpg_noise_core *core, struct mpg_error *err)
{
    struct mpg_record *r = new_record(core->detours, err);
    for (size_t i = 0; r && i < core->detours; i++)
        add_detour(r, core->start_ns[i], core->duration_ns[i]);
    return r ? finish_record(r, core->span_ns, core->core, err) : NULL;
}

/* Returns a record of the blocks of CORE, end to end, without the longest detours and the time of the longest detours. */
static struct mpg_record *make_others(const struct mpg_noise_core *core, struct mpg_error *err)
{
    const struct mpg_noise_blocks *b = &core->blocks;
    struct mpg_record *r = new_record(b->detours, err);
    double before_ns = 0; /* time of the earlier blocks, without the longest detours */
    for (size_t i = 0; r && i < b->n; i++) {
        const struct mpg_noise_block *block = &b->block[i];
        for (size_t d = block->first; d < block->first + block->detours; d++) {
            if (core->detours > 0 && b->duration_ns[d] >= b->min_ns)
                before_ns -= b->duration_ns[d];
            else
                add_detour(r, before_ns + (b->start_ns[d] - block->from_ns), b->duration_ns[d]);
        }
        before_ns += block->to_ns - block->from_ns;
    }
    return r ? finish_record(r, before_ns, core->core, err) : NULL;
}

double mpg_replay_span_ns(const struct mpg_replay *r)
{
    return r->longest->span_ns;
}

/* --- one record --- */

/* Returns the guide bucket of REST; PER is 1 / length. */
static size_t bucket_of(const struct mpg_record *r, double rest, double per)
{
    const double position = rest * per * (double)r->buckets;
    return position < (double)r->buckets ? (size_t)position : r->buckets - 1;
}

/* Returns the number of detours, among the BURST detours from D on, that end at REST or earlier. */
static size_t ended(const struct mpg_detour *d, double rest)
{
    size_t n = 0;
#pragma GCC unroll 8
    for (int k = 0; k < BURST; k++)
        n += mpg_detour_end(d + k) <= rest;
    return n;
}

/* Returns the number of detours, among the BURST detours from D on, that begin before MIN of work is done. */
static size_t begun(const struct mpg_detour *d, double min)
{
    size_t n = 0;
#pragma GCC unroll 8
    for (int k = 0; k < BURST; k++)
        n += d[k].done_ns < min;
    return n;
}

size_t mpg_record_find_detour(const struct mpg_record *r, double rest)
{
    const struct mpg_detour *d = r->detour;
    size_t i = r->by_time[bucket_of(r, rest, r->per_span)];
    for (size_t n = BURST; r->ascending && n == BURST; i += n)
        n = ended(d + i, rest);
    while (i < r->n && mpg_detour_end(d + i) <= rest)
        i++;
    while (i > 0 && mpg_detour_end(d + i - 1) > rest) /* rounding at the edge of a bucket */
        i--;
    return i;
}

size_t mpg_record_find_done(const struct mpg_record *r, double rest)
{
    const struct mpg_detour *d = r->detour;
    const double min = rest - MPG_ROUNDING_NS;
    size_t i = r->by_work[bucket_of(r, rest, r->per_work)];
    for (size_t n = BURST; r->ascending && n == BURST; i += n)
        n = begun(d + i, min);
    i = i < r->n ? i : r->n; /* rounding at the end of the record */
    while (i < r->n && d[i].done_ns < min)
        i++;
    while (i > 0 && d[i - 1].done_ns >= min)
        i--;
    return i;
}

/* --- both records --- */

/* A time as positions in both records, and the uninterrupted time that follows. */
struct positions {
    struct mpg_record_position longest, others;
    double stopped_ns; /* the time minus the longest detours before the time */
    double quiet_ns;
};

static struct positions positions_at(const struct mpg_replay *r, double t_ns)
{
    struct positions s = {.longest = mpg_record_position_at(r->longest, t_ns)};
    s.stopped_ns = mpg_record_work_at(r->longest, &s.longest);
    s.quiet_ns = mpg_record_quiet_at(r->longest, &s.longest);
    if (r->others) {
        s.others = mpg_record_position_at(r->others, s.stopped_ns);
        s.quiet_ns = fmin(s.quiet_ns, mpg_record_quiet_at(r->others, &s.others));
    }
    return s;
}

static double work_before(const struct mpg_replay *r, const struct positions *s)
{
    return r->others ? mpg_record_work_at(r->others, &s->others) : s->stopped_ns;
}

static double end_of(const struct mpg_replay *r, double work_ns, double *quiet_ns)
{
    double longest_ns, others_ns = INFINITY;
    double stopped_ns =
        r->others ? mpg_record_time_of(r->others, work_ns, &others_ns) : work_ns;
    double end_ns = mpg_record_time_of(r->longest, stopped_ns, &longest_ns);
    *quiet_ns = fmin(longest_ns, others_ns);
    return end_ns;
}

double mpg_replay_work_before(const struct mpg_replay *r, double t_ns)
{
    struct positions s = positions_at(r, t_ns);
    return work_before(r, &s);
}

double mpg_replay_time_of(const struct mpg_replay *r, double work_ns)
{
    double quiet_ns;
    return end_of(r, work_ns, &quiet_ns);
}

/* Returns the rest, ns, of the detour of R that contains position S (0: none), and sets SINCE_NS to the time since the detour's
 * begin. */
static double left_in(const struct mpg_record *r, const struct mpg_record_position *s, double *since_ns)
{
    const struct mpg_detour *d = &r->detour[s->i];
    const double start_ns = mpg_detour_start(d);
    if (s->i == r->n || s->rest <= start_ns)
        return 0;
    *since_ns = s->rest - start_ns;
    return mpg_detour_end(d) - s->rest;
}

double mpg_replay_detour_left(const struct mpg_replay *r, double t_ns, double *since_ns)
{
    double quiet_ns;
    *since_ns = 0;
    struct positions s = positions_at(r, t_ns);
    double left_ns = left_in(r->longest, &s.longest, since_ns);
    if (left_ns > 0 || !r->others)
        return left_ns;
    left_ns = left_in(r->others, &s.others, since_ns);
    if (!(left_ns > 0))
        return 0;
    return fmax(0, mpg_record_time_of(r->longest, s.stopped_ns + left_ns, &quiet_ns) - t_ns);
}

struct mpg_replay_met mpg_replay_meet(const struct mpg_replay *r, double t_ns, double work_ns)
{
    struct positions s = positions_at(r, t_ns);
    struct mpg_replay_met met = {.time_ns = work_ns, .quiet_ns = s.quiet_ns - work_ns};
    if (work_ns <= s.quiet_ns)
        return met;
    double end_ns = end_of(r, work_before(r, &s) + work_ns, &met.quiet_ns);
    met.time_ns = end_ns > t_ns ? end_ns - t_ns : 0;
    return met;
}

double mpg_replay_time_for(const struct mpg_replay *r, double t_ns, double work_ns)
{
    return mpg_replay_meet(r, t_ns, work_ns).time_ns;
}

/* --- the detours as a list --- */

struct list {
    size_t n, capacity;
    double *start_ns, *duration_ns;
};

static int append(struct list *list, double start_ns, double duration_ns, struct mpg_error *err)
{
    if (list->n == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 1024;
        double *start = realloc(list->start_ns, capacity * sizeof *start);
        list->start_ns = start ? start : list->start_ns;
        double *duration = realloc(list->duration_ns, capacity * sizeof *duration);
        list->duration_ns = duration ? duration : list->duration_ns;
        if (!start || !duration)
            return mpg_error_set(err, "out of memory");
        list->capacity = capacity;
    }
    list->start_ns[list->n] = start_ns;
    list->duration_ns[list->n++] = duration_ns;
    return 0;
}

/* Returns the begin of detour I of R, counted through repetitions of R, in the time that excludes the longest detours. */
static double repeated_start(const struct mpg_record *r, size_t i)
{
    return (double)(i / r->n) * r->span_ns + mpg_detour_start(&r->detour[i % r->n]);
}

/* Appends the shorter detours from FROM_NS to END_NS: the positions of two successive longest detours, in the time that excludes
 * the longest detours. LOST_NS: sum of the longest detours so far. *NEXT: the next shorter detour of R, counted through
 * repetitions. *LEFT_NS: the rest of a shorter detour under way at END_NS, which continues after the longest detour at END_NS. */
static int append_others(struct list *list, const struct mpg_record *r, size_t *next, double *left_ns,
                         double from_ns, double end_ns, double lost_ns, struct mpg_error *err)
{
    if (*left_ns > 0) {
        double part_ns = fmin(*left_ns, end_ns - from_ns);
        *left_ns -= part_ns;
        if (part_ns > 0 && append(list, from_ns + lost_ns, part_ns, err) < 0)
            return -1;
    }
    for (; !(*left_ns > 0) && repeated_start(r, *next) < end_ns; (*next)++) {
        double start_ns = repeated_start(r, *next);
        const struct mpg_detour *d = &r->detour[*next % r->n];
        double duration_ns = d[1].lost_ns - d->lost_ns;
        double part_ns = fmin(duration_ns, end_ns - start_ns);
        if (append(list, start_ns + lost_ns, part_ns, err) < 0)
            return -1;
        *left_ns = duration_ns - part_ns;
    }
    return 0;
}

int mpg_replay_detours(const struct mpg_replay *r, size_t *n, double **start_ns,
                       double **duration_ns, struct mpg_error *err)
{
    const struct mpg_record *longest = r->longest, *others = r->others;
    struct list list = {0};
    size_t next = 0;
    double lost_ns = 0, left_ns = 0, from_ns = 0;
    for (size_t i = 0; i <= longest->n; i++) {
        const struct mpg_detour *d = &longest->detour[i];
        double end_ns = i < longest->n ? d->done_ns : longest->work_ns;
        if (others && others->n > 0 &&
            append_others(&list, others, &next, &left_ns, from_ns, end_ns, lost_ns, err) < 0)
            goto fail;
        if (i == longest->n)
            break;
        double duration_ns = d[1].lost_ns - d->lost_ns;
        if (append(&list, mpg_detour_start(d), duration_ns, err) < 0)
            goto fail;
        lost_ns += duration_ns;
        from_ns = end_ns;
    }
    *n = list.n;
    *start_ns = list.start_ns;
    *duration_ns = list.duration_ns;
    return 0;
fail:
    free(list.start_ns);
    free(list.duration_ns);
    return -1;
}

/* --- the record as one list --- */

int mpg_replay_make_list(struct mpg_replay *r, size_t max, struct mpg_error *err)
{
    double *start_ns, *duration_ns;
    size_t n;
    if (!r->others) {
        r->list = r->longest->ascending ? r->longest : NULL;
        return 0;
    }
    if ((double)r->longest->n + (double)r->others->n * (r->longest->work_ns / r->others->span_ns) > (double)max)
        return 0;
    if (mpg_replay_detours(r, &n, &start_ns, &duration_ns, err) < 0)
        return -1;
    struct mpg_record *list = new_record(n, err);
    struct mpg_error ignored; /* cannot fail, because both records leave time for work */
    for (size_t i = 0; list && i < n; i++)
        add_detour(list, start_ns[i], duration_ns[i]);
    free(start_ns);
    free(duration_ns);
    if (!list)
        return -1;
    list = finish_record(list, r->longest->span_ns, 0, &ignored);
    if (list && list->ascending)
        r->list = list;
    else
        free_record(list);
    return 0;
}

struct mpg_replay *mpg_replay_new(const struct mpg_noise_core *core, struct mpg_error *err)
{
    struct mpg_replay *r = calloc(1, sizeof *r);
    if (!r) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    if (!(r->longest = make_longest(core, err)) ||
        (core->blocks.recorded > 0 && !(r->others = make_others(core, err)))) {
        mpg_replay_free(r);
        return NULL;
    }
    return r;
}

void mpg_replay_free(struct mpg_replay *r)
{
    if (!r)
        return;
    if (r->list != r->longest)
        free_record(r->list);
    free_record(r->others);
    free_record(r->longest);
    free(r);
}
