/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Look-ups in a noise record: guide tables make both directions O(1). A record that is kept
 * in part is two: one of its longest detours, all of them, and one of the others, those of
 * the blocks after each other, on a clock that stops during the longest. */
#include "simulate/noise/replay.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

struct record {
    size_t n;
    double span_ns, work_ns;  /* length of the record; work done in it */
    double *start_ns, *end_ns; /* of each detour */
    double *done_ns;          /* work done when detour i starts */
    size_t buckets;
    uint32_t *by_time, *by_work; /* first detour that ends after / starts at or after the bucket */
};

/* With u of the longest detours and v of the others, work is v(u(t)). */
struct mpg_replay {
    struct record *longest; /* or all */
    struct record *others;  /* NULL: the record is whole */
};

static void fill_guides(struct record *r)
{
    size_t t = 0, w = 0;
    for (size_t i = 0; i < r->buckets; i++) {
        double time_ns = r->span_ns * (double)i / (double)r->buckets;
        double work_ns = r->work_ns * (double)i / (double)r->buckets;
        while (t < r->n && r->end_ns[t] <= time_ns)
            t++;
        while (w < r->n && r->done_ns[w] < work_ns)
            w++;
        r->by_time[i] = (uint32_t)t;
        r->by_work[i] = (uint32_t)w;
    }
}

static void free_record(struct record *r)
{
    if (!r)
        return;
    free(r->start_ns);
    free(r->end_ns);
    free(r->done_ns);
    free(r->by_time);
    free(r->by_work);
    free(r);
}

/* A record with room for N detours, none of which is there. */
static struct record *new_record(size_t n, struct mpg_error *err)
{
    struct record *r = calloc(1, sizeof *r);
    if (r) {
        r->start_ns = malloc((n + 1) * sizeof *r->start_ns);
        r->end_ns = malloc((n + 1) * sizeof *r->end_ns);
        r->done_ns = malloc((n + 1) * sizeof *r->done_ns);
        r->by_time = malloc((n + 1) * sizeof *r->by_time);
        r->by_work = malloc((n + 1) * sizeof *r->by_work);
    }
    if (!r || !r->start_ns || !r->end_ns || !r->done_ns || !r->by_time || !r->by_work) {
        mpg_error_set(err, "out of memory");
        free_record(r);
        return NULL;
    }
    return r;
}

/* Its duration stands where the work before it is to be. */
static void add_detour(struct record *r, double start_ns, double duration_ns)
{
    r->start_ns[r->n] = start_ns;
    r->end_ns[r->n] = start_ns + duration_ns;
    r->done_ns[r->n++] = duration_ns;
}

/* R, all of whose detours are there, ready for look-ups; NULL if CORE leaves no work. */
static struct record *finish_record(struct record *r, double span_ns,
                                    const struct mpg_noise_core *core, struct mpg_error *err)
{
    double lost_ns = 0;
    for (size_t i = 0; i < r->n; i++) {
        double duration_ns = r->done_ns[i];
        r->done_ns[i] = r->start_ns[i] - lost_ns;
        lost_ns += duration_ns;
    }
    r->span_ns = span_ns;
    r->work_ns = span_ns - lost_ns;
    r->buckets = r->n + 1;
    if (r->work_ns > 0) {
        fill_guides(r);
        return r;
    }
    mpg_error_set(err, "core %d: the noise record leaves no time for work", core->core);
    free_record(r);
    return NULL;
}

static struct record *make_longest(const struct mpg_noise_core *core, struct mpg_error *err)
{
    struct record *r = new_record(core->detours, err);
    for (size_t i = 0; r && i < core->detours; i++)
        add_detour(r, core->start_ns[i], core->duration_ns[i]);
    return r ? finish_record(r, core->span_ns, core, err) : NULL;
}

/* The blocks of CORE after each other, without the longest detours and their time. */
static struct record *make_others(const struct mpg_noise_core *core, struct mpg_error *err)
{
    const struct mpg_noise_blocks *b = &core->blocks;
    struct record *r = new_record(b->detours, err);
    double before_ns = 0; /* time in the blocks before, less that of the longest so far */
    for (size_t i = 0; r && i < b->n; i++) {
        const struct mpg_noise_block *block = &b->block[i];
        for (size_t d = block->first; d < block->first + block->detours; d++) {
            if (core->detours > 0 && b->duration_ns[d] >= b->least_ns)
                before_ns -= b->duration_ns[d];
            else
                add_detour(r, before_ns + (b->start_ns[d] - block->from_ns), b->duration_ns[d]);
        }
        before_ns += block->to_ns - block->from_ns;
    }
    return r ? finish_record(r, before_ns, core, err) : NULL;
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
    free_record(r->others);
    free_record(r->longest);
    free(r);
}

double mpg_replay_span_ns(const struct mpg_replay *r)
{
    return r->longest->span_ns;
}

/* Splits X into whole records of LENGTH and the rest, and finds the rest's bucket. */
static double split(double x, double length, size_t buckets, double *whole, size_t *bucket)
{
    *whole = floor(x / length);
    double rest = x - *whole * length;
    if (rest < 0)
        rest = 0;
    double position = rest / length * (double)buckets;
    *bucket = position < (double)buckets ? (size_t)position : buckets - 1;
    return rest;
}

/* The first detour that ends after REST, which lies in BUCKET of the record. */
static size_t next_detour(const struct record *r, double rest, size_t bucket)
{
    size_t i = r->by_time[bucket];
    while (i < r->n && r->end_ns[i] <= rest)
        i++;
    while (i > 0 && r->end_ns[i - 1] > rest) /* rounding at a bucket's edge */
        i--;
    return i;
}

static double work_before(const struct record *r, double t_ns)
{
    double whole;
    size_t bucket;
    double rest = split(t_ns, r->span_ns, r->buckets, &whole, &bucket);
    size_t i = next_detour(r, rest, bucket);
    double lost_ns = i > 0 ? r->end_ns[i - 1] - r->done_ns[i - 1] : 0;
    if (i < r->n && rest > r->start_ns[i])
        rest = r->start_ns[i];
    return whole * r->work_ns + rest - lost_ns;
}

/* How long from T_NS on nothing interrupts, within the record; 0 in a detour. */
static double quiet_in(const struct record *r, double t_ns)
{
    double whole;
    size_t bucket;
    double rest = split(t_ns, r->span_ns, r->buckets, &whole, &bucket);
    size_t i = next_detour(r, rest, bucket);
    double quiet = (i < r->n ? r->start_ns[i] : r->span_ns) - rest;
    return quiet > 0 ? quiet : 0;
}

/* Work that ends this little after a detour's start, in ns, ends before it: less
 * than that is rounding, which must not cost a whole detour. */
static const double ROUNDING_NS = 1e-3;

static double time_of(const struct record *r, double work_ns)
{
    double whole;
    size_t bucket;
    double rest = split(work_ns, r->work_ns, r->buckets, &whole, &bucket);
    if (rest <= ROUNDING_NS && whole > 0) { /* done before the detour that ends a record */
        whole--;
        rest += r->work_ns;
        bucket = r->buckets - 1;
    }
    size_t i = r->by_work[bucket];
    while (i < r->n && r->done_ns[i] < rest - ROUNDING_NS)
        i++;
    while (i > 0 && r->done_ns[i - 1] >= rest - ROUNDING_NS)
        i--;
    /* i detours began before this much work was done: all of them had to pass. */
    double lost_ns = i > 0 ? r->end_ns[i - 1] - r->done_ns[i - 1] : 0;
    return whole * r->span_ns + rest + lost_ns;
}

/* ---- both records ---- */

double mpg_replay_work_before(const struct mpg_replay *r, double t_ns)
{
    double work_ns = work_before(r->longest, t_ns);
    return r->others ? work_before(r->others, work_ns) : work_ns;
}

double mpg_replay_time_of(const struct mpg_replay *r, double work_ns)
{
    return time_of(r->longest, r->others ? time_of(r->others, work_ns) : work_ns);
}

static double quiet_ns(const struct mpg_replay *r, double t_ns)
{
    double quiet = quiet_in(r->longest, t_ns);
    if (!r->others || !(quiet > 0))
        return quiet;
    return fmin(quiet, quiet_in(r->others, work_before(r->longest, t_ns)));
}

/* How long the detour of R goes on in which T_NS is, SINCE_NS after its begin; 0: it is in none. */
static double left_in(const struct record *r, double t_ns, double *since_ns)
{
    double whole;
    size_t bucket;
    double rest = split(t_ns, r->span_ns, r->buckets, &whole, &bucket);
    size_t i = next_detour(r, rest, bucket);
    if (i == r->n || rest <= r->start_ns[i])
        return 0;
    *since_ns = rest - r->start_ns[i];
    return r->end_ns[i] - rest;
}

double mpg_replay_detour_left(const struct mpg_replay *r, double t_ns, double *since_ns)
{
    *since_ns = 0;
    double left_ns = left_in(r->longest, t_ns, since_ns);
    if (left_ns > 0 || !r->others)
        return left_ns;
    double stopped_ns = work_before(r->longest, t_ns); /* on the clock of the others */
    left_ns = left_in(r->others, stopped_ns, since_ns);
    return left_ns > 0 ? fmax(0, time_of(r->longest, stopped_ns + left_ns) - t_ns) : 0;
}

double mpg_replay_work_in(const struct mpg_replay *r, double t_ns, double interval_ns)
{
    if (interval_ns <= quiet_ns(r, t_ns))
        return interval_ns;
    return mpg_replay_work_before(r, t_ns + interval_ns) - mpg_replay_work_before(r, t_ns);
}

double mpg_replay_time_for(const struct mpg_replay *r, double t_ns, double work_ns)
{
    if (work_ns <= quiet_ns(r, t_ns))
        return work_ns;
    double end_ns = mpg_replay_time_of(r, mpg_replay_work_before(r, t_ns) + work_ns);
    return end_ns > t_ns ? end_ns - t_ns : 0;
}

/* ---- as a list ---- */

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

/* The I-th detour of R repeated, on the clock that stops during the longest. */
static double repeated_start(const struct record *r, size_t i)
{
    return (double)(i / r->n) * r->span_ns + r->start_ns[i % r->n];
}

/* Those of the others that begin before the clock that stops during the longest shows END_NS,
 * LOST_NS of which have passed; one that goes on then begins again after the longest. */
static int append_others(struct list *list, const struct record *r, size_t *next, double *left_ns,
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
        double duration_ns = r->end_ns[*next % r->n] - r->start_ns[*next % r->n];
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
    const struct record *longest = r->longest, *others = r->others;
    struct list list = {0};
    size_t next = 0;
    double lost_ns = 0, left_ns = 0, from_ns = 0;
    for (size_t i = 0; i <= longest->n; i++) {
        double end_ns = i < longest->n ? longest->done_ns[i] : longest->work_ns;
        if (others && others->n > 0 &&
            append_others(&list, others, &next, &left_ns, from_ns, end_ns, lost_ns, err) < 0)
            goto fail;
        if (i == longest->n)
            break;
        double duration_ns = longest->end_ns[i] - longest->start_ns[i];
        if (append(&list, longest->start_ns[i], duration_ns, err) < 0)
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
