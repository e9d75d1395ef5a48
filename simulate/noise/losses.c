/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work that begins at t loses time_for(t, work) - work. As t moves over the record, the loss is constant except where a detour
 * leaves at the front or enters at the end, and falls linearly while t is inside a detour. A sweep over the detours gives the
 * exact distribution, stored in bins of equal ratio with their mass and mean. */
#include "simulate/noise/losses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS_AN_OCTAVE = 64, OCTAVES = 64, BINS = BINS_AN_OCTAVE * OCTAVES };
enum { WORKS_AN_OCTAVE = 8, WORKS = WORKS_AN_OCTAVE * OCTAVES };

struct table { /* for one length of work: probability and mean of each bin */
    size_t n;
    double *share, *mean;
};

struct mpg_losses {
    size_t n;
    double span_ns, work_ns;
    double *done_ns;   /* [n]: work done before each detour, ns */
    double *before_ns; /* [n + 1]: sum of the durations of earlier detours, ns */
    struct table *table[WORKS];
};

struct bins {
    double mass[BINS], sum[BINS];       /* by bin: length, ns, of the start times with this loss; sum of length times loss */
    size_t begins[BINS], ends[BINS];    /* by bin: numbers of ranges of whole bins that begin, and that end, with this bin */
};

/* --- the record --- */

static int compare_descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The signature states the share of time off the CPU as a rounded decimal; the sum of detours may exceed this share by the
 * relative error ROUNDING. */
static const double ROUNDING = 1e-6;
/* Between two adjacent losses the distribution function is constant. Within this tolerance a probability counts as equal to this
 * constant, so that rounding does not decide which loss is the quantile. */
static const double SAME_PROBABILITY = 1e-9;

/* Sets *MIN_NS to the duration of the shortest among the longest detours that together last at most MAX_NS; INFINITY: none. */
static int find_longest(const double *duration_ns, size_t n, double max_ns, double *min_ns,
                        struct mpg_error *err)
{
    *min_ns = INFINITY;
    if (!(max_ns > 0) || n == 0)
        return 0;
    double *sorted = malloc(n * sizeof *sorted);
    if (!sorted)
        return mpg_error_set(err, "out of memory");
    memcpy(sorted, duration_ns, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_descending);
    double sum_ns = 0;
    for (size_t i = 0; i < n; i++) {
        size_t equal = i + 1; /* detours of equal duration are all removed, or all kept */
        while (equal < n && sorted[equal] == sorted[i])
            equal++;
        sum_ns += sorted[i] * (double)(equal - i);
        if (sum_ns > max_ns * (1 + ROUNDING))
            break;
        *min_ns = sorted[i];
        i = equal - 1;
    }
    free(sorted);
    return 0;
}

/* Adds the N detours, but removes detours of at least MIN_NS, and the time of these detours, from the record. */
static void fill(struct mpg_losses *l, const double *start_ns, const double *duration_ns, size_t n,
                 double min_ns)
{
    double lost_ns = 0, left_out_ns = 0;
    for (size_t i = 0; i < n; i++) {
        if (duration_ns[i] >= min_ns) {
            left_out_ns += duration_ns[i];
            continue;
        }
        l->done_ns[l->n] = start_ns[i] - lost_ns - left_out_ns;
        l->before_ns[l->n++] = lost_ns;
        lost_ns += duration_ns[i];
    }
    l->before_ns[l->n] = lost_ns;
    l->span_ns -= left_out_ns;
    l->work_ns = l->span_ns - lost_ns;
}

struct mpg_losses *mpg_losses_new(const struct mpg_replay *replay, double left_out,
                                  struct mpg_error *err)
{
    struct mpg_losses *l = calloc(1, sizeof *l);
    double *start_ns = NULL, *duration_ns = NULL, min_ns;
    size_t n = 0;
    if (!l) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    l->span_ns = mpg_replay_span_ns(replay);
    if (mpg_replay_detours(replay, &n, &start_ns, &duration_ns, err) < 0 ||
        find_longest(duration_ns, n, left_out * l->span_ns, &min_ns, err) < 0)
        goto fail;
    l->done_ns = malloc((n + 1) * sizeof *l->done_ns);
    l->before_ns = malloc((n + 1) * sizeof *l->before_ns);
    if (!l->done_ns || !l->before_ns) {
        mpg_error_set(err, "out of memory");
        goto fail;
    }
    fill(l, start_ns, duration_ns, n, min_ns);
    free(start_ns);
    free(duration_ns);
    return l;
fail:
    free(start_ns);
    free(duration_ns);
    mpg_losses_free(l);
    return NULL;
}

static void free_table(struct table *t)
{
    if (!t)
        return;
    free(t->share);
    free(t->mean);
    free(t);
}

void mpg_losses_free(struct mpg_losses *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < WORKS; i++)
        free_table(l->table[i]);
    free(l->done_ns);
    free(l->before_ns);
    free(l);
}

bool mpg_losses_equal(const struct mpg_losses *a, const struct mpg_losses *b)
{
    return a->n == b->n && a->span_ns == b->span_ns && a->work_ns == b->work_ns &&
           memcmp(a->done_ns, b->done_ns, a->n * sizeof *a->done_ns) == 0 &&
           memcmp(a->before_ns, b->before_ns, (a->n + 1) * sizeof *a->before_ns) == 0;
}

double mpg_losses_fraction(const struct mpg_losses *l)
{
    return l->before_ns[l->n] / l->span_ns;
}

double mpg_losses_mean_fraction(struct mpg_losses *const *losses, size_t cores)
{
    double lost = 0;
    for (size_t i = 0; i < cores; i++)
        lost += mpg_losses_fraction(losses[i]) / (double)cores;
    return lost;
}

/* --- the sweep --- */

static size_t bin_of(double loss_ns)
{
    double bin = floor(BINS_AN_OCTAVE * log2(loss_ns + 1));
    return bin < BINS - 1 ? (size_t)bin : BINS - 1;
}

static void add(struct bins *b, double loss_ns, double mass)
{
    size_t bin = bin_of(loss_ns);
    b->mass[bin] += mass;
    b->sum[bin] += mass * loss_ns;
}

/* Returns the lower edge of bin I, ns. */
static double edge_of(size_t i)
{
    return exp2((double)i / BINS_AN_OCTAVE) - 1;
}

static void add_part(struct bins *b, size_t bin, double low_ns, double high_ns)
{
    double mass = fmax(0, high_ns - low_ns);
    b->mass[bin] += mass;
    b->sum[bin] += mass * ((low_ns + high_ns) / 2);
}

/* Adds mass HIGH_NS - LOW_NS, spread evenly over this range of losses. Whole bins are only counted; settle() adds them. */
static void add_range(struct bins *b, double low_ns, double high_ns)
{
    size_t first = bin_of(low_ns), last = bin_of(high_ns);
    if (first == last) {
        add_part(b, first, low_ns, high_ns);
        return;
    }
    add_part(b, first, low_ns, edge_of(first + 1));
    add_part(b, last, edge_of(last), high_ns);
    b->begins[first + 1]++;
    b->ends[last]++;
}

static void settle(struct bins *b)
{
    size_t times = 0;
    for (size_t i = 0; i < BINS; i++) {
        times += b->begins[i];
        times -= b->ends[i];
        if (times == 0)
            continue;
        double low_ns = edge_of(i), high_ns = edge_of(i + 1);
        b->mass[i] += (double)times * (high_ns - low_ns);
        b->sum[i] += (double)times * (high_ns - low_ns) * ((low_ns + high_ns) / 2);
    }
}

/* Returns the work before detour I. I may exceed the number of detours, because the record repeats. */
static double done_of(const struct mpg_losses *l, size_t i)
{
    return (double)(i / l->n) * l->work_ns + l->done_ns[i % l->n];
}

/* Returns the sum of the durations of the detours before detour I, which may exceed the number of detours. */
static double before_of(const struct mpg_losses *l, size_t i)
{
    return (double)(i / l->n) * l->before_ns[l->n] + l->before_ns[i % l->n];
}

/* Adds the start times between detours, in the order of the work done before each time. */
static void sweep_quiet(const struct mpg_losses *l, double work_ns, double whole_ns,
                        struct bins *bins)
{
    size_t first = 0, end = 0; /* the work meets detours FIRST to END - 1 */
    double at_ns = 0;
    while (done_of(l, end) < work_ns)
        end++;
    while (at_ns < l->work_ns) {
        double leaves_ns = first < l->n ? l->done_ns[first] : INFINITY;
        double comes_ns = done_of(l, end) - work_ns;
        double next_ns = fmin(l->work_ns, fmin(leaves_ns, comes_ns));
        if (next_ns > at_ns) {
            add(bins, whole_ns + fmax(0, before_of(l, end) - before_of(l, first)), next_ns - at_ns);
            at_ns = next_ns;
        }
        if (leaves_ns <= next_ns)
            first++;
        if (comes_ns <= next_ns)
            end++;
    }
}

/* Adds the start times inside a detour: the rest of the detour is lost first. */
static void sweep_detours(const struct mpg_losses *l, double work_ns, double whole_ns,
                          struct bins *bins)
{
    size_t end = 0;
    for (size_t i = 0; i < l->n; i++) {
        double duration_ns = l->before_ns[i + 1] - l->before_ns[i];
        if (end < i + 1)
            end = i + 1;
        while (done_of(l, end) < l->done_ns[i] + work_ns)
            end++;
        double later_ns = whole_ns + fmax(0, before_of(l, end) - l->before_ns[i + 1]);
        if (duration_ns > 0)
            add_range(bins, later_ns, later_ns + duration_ns);
    }
    settle(bins);
}

static struct table *new_table(size_t n, struct mpg_error *err)
{
    struct table *t = calloc(1, sizeof *t);
    if (t) {
        t->n = n;
        t->share = malloc(n * sizeof *t->share);
        t->mean = malloc(n * sizeof *t->mean);
    }
    if (t && t->share && t->mean)
        return t;
    free_table(t);
    mpg_error_set(err, "out of memory");
    return NULL;
}

/* Returns the occupied bins of B as probabilities. */
static struct table *to_table(const struct bins *b, struct mpg_error *err)
{
    size_t n = 0;
    double mass = 0;
    for (size_t i = 0; i < BINS; i++)
        if (b->mass[i] > 0) {
            n++;
            mass += b->mass[i];
        }
    struct table *t = new_table(n, err);
    if (!t)
        return NULL;
    n = 0;
    for (size_t i = 0; i < BINS; i++)
        if (b->mass[i] > 0) {
            t->share[n] = b->mass[i] / mass;
            t->mean[n++] = b->sum[i] / b->mass[i];
        }
    return t;
}

static struct table *make_table(const struct mpg_losses *l, double work_ns, struct mpg_error *err)
{
    struct bins *bins = calloc(1, sizeof *bins);
    if (!bins) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    double whole = floor(work_ns / l->work_ns), rest_ns = work_ns - whole * l->work_ns;
    if (rest_ns <= 0 && whole > 0) { /* the work ends before the detour at the record's end */
        whole--;
        rest_ns = l->work_ns;
    }
    if (l->n > 0) {
        sweep_quiet(l, rest_ns, whole * l->before_ns[l->n], bins);
        sweep_detours(l, rest_ns, whole * l->before_ns[l->n], bins);
    } else
        add(bins, 0, 1);
    struct table *t = to_table(bins, err);
    free(bins);
    return t;
}

/* --- distributions of losses --- */

double mpg_loss_step_low(size_t s)
{
    return exp2((double)s / MPG_LOSS_STEPS_AN_OCTAVE) - 1;
}

/* Returns the step of a loss of NS. Steps below MPG_LOSS_STEPS_AN_OCTAVE are losses below 1 ns. */
static size_t step_of(double ns)
{
    const double step = floor(MPG_LOSS_STEPS_AN_OCTAVE * log2(ns + 1));
    return step < MPG_LOSS_STEPS - 1 ? (size_t)step : MPG_LOSS_STEPS - 1;
}

static void add_table(struct mpg_loss_law *law, const struct table *t, double weight)
{
    for (size_t i = 0; i < t->n; i++) {
        const size_t s = step_of(t->mean[i]);
        if (s < MPG_LOSS_STEPS_AN_OCTAVE)
            law->none += weight * t->share[i];
        else
            law->mass[s] += weight * t->share[i];
    }
}

int mpg_losses_add(struct mpg_losses *l, double work_ns, double weight, struct mpg_loss_law *law, struct mpg_error *err)
{
    const double at = work_ns > 1 ? WORKS_AN_OCTAVE * log2(work_ns) : 0;
    const size_t k = at < WORKS - 2 ? (size_t)at : WORKS - 2;
    const double from_first = at - (double)k, part[2] = {1 - from_first, from_first};
    for (size_t i = 0; i < 2; i++) {
        if (!(part[i] > 0))
            continue;
        struct table **t = &l->table[k + i];
        if (!*t && !(*t = make_table(l, exp2((double)(k + i) / WORKS_AN_OCTAVE), err)))
            return -1;
        add_table(law, *t, weight * part[i]);
    }
    return 0;
}

void mpg_loss_law_finish(struct mpg_loss_law *law)
{
    size_t s = MPG_LOSS_STEPS_AN_OCTAVE;
    while (s < MPG_LOSS_STEPS && !(law->mass[s] > 0))
        s++;
    law->first = law->end = s;
    for (; s < MPG_LOSS_STEPS; s++)
        if (law->mass[s] > 0)
            law->end = s + 1;
    law->below[law->first] = law->none;
    for (s = law->first; s < law->end; s++)
        law->below[s + 1] = law->below[s] + law->mass[s];
}

double mpg_loss_law_below(const struct mpg_loss_law *law, double ns)
{
    if (!(ns > 0))
        return 0;
    const size_t s = step_of(ns);
    if (s < law->first || law->first == law->end)
        return law->none;
    if (s >= law->end)
        return law->below[law->end];
    const double low_ns = mpg_loss_step_low(s), high_ns = mpg_loss_step_low(s + 1);
    return law->below[s] + law->mass[s] * (ns - low_ns) / (high_ns - low_ns);
}

double mpg_loss_law_quantile(const struct mpg_loss_law *law, double u)
{
    u -= SAME_PROBABILITY;
    if (u <= law->none || law->first == law->end)
        return 0;
    size_t s = law->first;
    while (s + 1 < law->end && law->below[s + 1] < u)
        s++;
    const double low_ns = mpg_loss_step_low(s), high_ns = mpg_loss_step_low(s + 1);
    return law->mass[s] > 0 ? low_ns + fmin(1, (u - law->below[s]) / law->mass[s]) * (high_ns - low_ns) : low_ns;
}
