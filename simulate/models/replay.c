/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Look-ups in a noise record: guide tables make both directions O(1). */
#include "simulate/models/replay.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

struct mpg_replay {
    size_t n;
    double span_ns, work_ns;  /* length of the record; work done in it */
    double *start_ns, *end_ns; /* of each detour */
    double *done_ns;          /* work done when detour i starts */
    size_t buckets;
    uint32_t *by_time, *by_work; /* first detour that ends after / starts at or after the bucket */
};

static void fill_guides(struct mpg_replay *r)
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

struct mpg_replay *mpg_replay_new(const struct mpg_noise_core *core, struct mpg_error *err)
{
    struct mpg_replay *r = calloc(1, sizeof *r);
    size_t n = core->detours;
    if (!r)
        goto fail;
    r->n = n;
    r->span_ns = core->span_ns;
    r->buckets = n + 1;
    r->start_ns = malloc((n + 1) * sizeof *r->start_ns);
    r->end_ns = malloc((n + 1) * sizeof *r->end_ns);
    r->done_ns = malloc((n + 1) * sizeof *r->done_ns);
    r->by_time = malloc(r->buckets * sizeof *r->by_time);
    r->by_work = malloc(r->buckets * sizeof *r->by_work);
    if (!r->start_ns || !r->end_ns || !r->done_ns || !r->by_time || !r->by_work)
        goto fail;
    double lost_ns = 0;
    for (size_t i = 0; i < n; i++) {
        r->start_ns[i] = core->start_ns[i];
        r->end_ns[i] = core->start_ns[i] + core->duration_ns[i];
        r->done_ns[i] = core->start_ns[i] - lost_ns;
        lost_ns += core->duration_ns[i];
    }
    r->work_ns = r->span_ns - lost_ns;
    if (!(r->work_ns > 0)) {
        mpg_error_set(err, "core %d: the noise record leaves no time for work", core->core);
        mpg_replay_free(r);
        return NULL;
    }
    fill_guides(r);
    return r;
fail:
    mpg_replay_free(r);
    mpg_error_set(err, "out of memory");
    return NULL;
}

void mpg_replay_free(struct mpg_replay *r)
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

double mpg_replay_span_ns(const struct mpg_replay *r)
{
    return r->span_ns;
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
static size_t next_detour(const struct mpg_replay *r, double rest, size_t bucket)
{
    size_t i = r->by_time[bucket];
    while (i < r->n && r->end_ns[i] <= rest)
        i++;
    while (i > 0 && r->end_ns[i - 1] > rest) /* rounding at a bucket's edge */
        i--;
    return i;
}

double mpg_replay_work_before(const struct mpg_replay *r, double t_ns)
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
static double quiet_ns(const struct mpg_replay *r, double t_ns)
{
    double whole;
    size_t bucket;
    double rest = split(t_ns, r->span_ns, r->buckets, &whole, &bucket);
    size_t i = next_detour(r, rest, bucket);
    double quiet = (i < r->n ? r->start_ns[i] : r->span_ns) - rest;
    return quiet > 0 ? quiet : 0;
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

/* Work that ends this little after a detour's start, in ns, ends before it: less
 * than that is rounding, which must not cost a whole detour. */
static const double ROUNDING_NS = 1e-3;

double mpg_replay_time_of(const struct mpg_replay *r, double work_ns)
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
