/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes of compute intervals: bins of histograms in any order, and removal of the source machine's noise from
 * intervals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/noise/removals.h"
#include "tests/tap.h"

enum { N = 4000 };

static void add_all(struct mpg_histogram *s, const double *ns, int n)
{
    struct mpg_error err;
    for (int i = 0; i < n; i++)
        if (mpg_histogram_add(s, ns[i], &err) < 0) {
            printf("Bail out! %s\n", err.text);
            exit(1);
        }
}

static bool same(const struct mpg_histogram *a, const struct mpg_histogram *b)
{
    if (a->n != b->n || a->bins != b->bins || a->octave != b->octave)
        return false;
    for (int i = 0; i < a->bins; i++)
        if (a->bin[i].id != b->bin[i].id || a->bin[i].count != b->bin[i].count)
            return false;
    return true;
}

static void test_bins(void)
{
    static double ns[N], reversed[N];
    struct mpg_histogram s, r, half;
    struct mpg_error err;
    mpg_histogram_init(&s);
    mpg_histogram_init(&r);
    mpg_histogram_init(&half);
    double few[] = {2385, 2385, 10.5};
    add_all(&s, few, 3);
    ok(s.bins == 2 && s.octave == 10 && s.n == 3, "equal ones share a bin");
    ok(s.bin[1].id == floor(1024 * log2(2386)) && s.bin[1].count == 2, "which is their logarithm's");
    ok(fabs(mpg_histogram_quantile(&s, 0.5, NULL) / 2385 - 1) < 1e-3, "the median is in it");
    mpg_histogram_clear(&s);
    for (int i = 0; i < N; i++)
        reversed[N - 1 - i] = ns[i] = floor(exp(20 * drand48()));
    add_all(&s, ns, N);
    add_all(&r, reversed, N);
    ok(s.bins <= MPG_HISTOGRAM_BINS, "over 29 octaves there are %d bins", s.bins);
    ok(s.octave == 2, "a quarter of an octave each: %d", s.octave);
    ok(same(&s, &r), "the same bins backwards");
    mpg_histogram_clear(&r);
    add_all(&r, ns, N - 5);
    add_all(&half, ns + N - 5, 5);
    ok(half.octave == 10 && mpg_histogram_merge(&r, &half, &err) == 0 && same(&s, &r),
       "what is merged is as if it had been added");
    uint64_t count = 0;
    for (int i = 0; i < s.bins; i++)
        count += s.bin[i].count;
    ok(count == N, "all are in a bin");
    double huge[] = {0, 9.2e18};
    mpg_histogram_clear(&half);
    add_all(&half, huge, 2);
    ok(half.bins == 2 && half.bin[0].id == 0, "nothing, and 292 years");
    mpg_histogram_clear(&s);
    mpg_histogram_clear(&r);
    mpg_histogram_clear(&half);
}

/* Noise of 6000 to 12000 ns in every 100000 ns: work of 50000 ns meets no noise from almost half of all start times. */
static struct mpg_losses *make_losses(struct mpg_replay **replay)
{
    static double start_ns[64], duration_ns[64];
    struct mpg_error err;
    for (int i = 0; i < 64; i++) {
        start_ns[i] = 100000.0 * i + 321;
        duration_ns[i] = 6000 + 93.7 * i;
    }
    struct mpg_noise_core core = {
        .span_ns = 6.4e6, .detours = 64, .start_ns = start_ns, .duration_ns = duration_ns};
    *replay = mpg_replay_new(&core, &err);
    struct mpg_losses *l = *replay ? mpg_losses_new(*replay, 0, &err) : NULL;
    if (!l) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    return l;
}

static struct mpg_removal *removal_of(const double *ns, int n, struct mpg_losses *l)
{
    struct mpg_histogram h;
    struct mpg_error err;
    struct mpg_losses *const cores[] = {l, l};
    mpg_histogram_init(&h);
    add_all(&h, ns, n);
    struct mpg_removal *r = mpg_removal_new(&h, cores, 2, &err);
    mpg_histogram_clear(&h);
    if (!r) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    return r;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Adds noise to N works WORK_NS, and removes it again. The mean, and the mean of the largest of every 16, must be those
 * of the work, within WITHIN. */
static void test_removal_of(const char *what, struct mpg_losses *l, const struct mpg_replay *replay, double *work_ns,
                            double within)
{
    static double ns[N], found[N];
    double mean[3] = {0}, largest[3] = {0};
    for (int i = 0; i < N; i++)
        ns[i] = mpg_replay_time_for(replay, drand48() * 6.4e6, work_ns[i]);
    struct mpg_removal *r = removal_of(ns, N, l);
    for (int i = 0; i < N; i++)
        found[i] = ns[i] - (double)mpg_removal_of(r, ns[i])[(int)(MPG_REMOVAL_CELLS * drand48())];
    const double *series[] = {work_ns, ns, found};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < N; i += 16) {
            double max = 0;
            for (int j = i; j < i + 16; j++) {
                mean[k] += series[k][j] / N;
                max = fmax(max, series[k][j]);
            }
            largest[k] += max / (N / 16);
        }
    ok(fabs(mean[2] / mean[0] - 1) < within / 2, "%s: mean %.5g, of work %.5g, with noise %.5g", what, mean[2], mean[0],
       mean[1]);
    ok(fabs(largest[2] / largest[0] - 1) < within, "%s: largest of 16 %.5g, of work %.5g, with noise %.5g", what, largest[2],
       largest[0], largest[1]);
    ok(fabs(mpg_removal_lost_ns(r) / N - (mean[1] - mean[2])) < 0.01 * mean[0], "%s: what is lost is said", what);
    mpg_removal_free(r);
    qsort(work_ns, N, sizeof *work_ns, compare);
}

static void test_removal(void)
{
    static double work_ns[N];
    struct mpg_replay *replay;
    struct mpg_losses *l = make_losses(&replay);
    for (int i = 0; i < N; i++)
        work_ns[i] = 50000;
    test_removal_of("equal work", l, replay, work_ns, 0.005);
    for (int i = 0; i < N; i++)
        work_ns[i] = 50000 * (1 + 0.05 * (drand48() + drand48() + drand48() + drand48() - 2));
    test_removal_of("work that varies by 3 %", l, replay, work_ns, 0.01);
    for (int i = 0; i < N; i++)
        work_ns[i] = 20000 + 60000 * drand48();
    test_removal_of("uneven work", l, replay, work_ns, 0.02);
    for (int i = 0; i < N; i++)
        work_ns[i] = drand48() < 0.5 ? 90000 : 50000;
    test_removal_of("two kinds of work", l, replay, work_ns, 0.04);
    /* Equal intervals that are much longer than the noise's period have all lost the same time. */
    double same[64];
    for (int i = 0; i < 64; i++)
        same[i] = 5e6;
    struct mpg_removal *r = removal_of(same, 64, l);
    const double *loss = mpg_removal_of(r, 5e6);
    bool close = true;
    for (int i = 0; i < MPG_REMOVAL_CELLS; i++)
        close = close && fabs((double)loss[i] / 450e3 - 1) < 0.15;
    ok(close, "long intervals lost what all of that length do: %.0f to %.0f", (double)loss[0],
       (double)loss[MPG_REMOVAL_CELLS - 1]);
    mpg_removal_free(r);
    mpg_losses_free(l);
    mpg_replay_free(replay);
}

/* A noise record with most of the time lost, and a trace without any sign of noise: nothing is removed. */
static void test_contradiction(void)
{
    static double start_ns[100], duration_ns[100], ns[256];
    struct mpg_error err;
    for (int i = 0; i < 100; i++) {
        start_ns[i] = 40e6 * i;
        duration_ns[i] = 24e6 - 1e5 * i;
    }
    struct mpg_noise_core core = {.span_ns = 4e9, .detours = 100, .start_ns = start_ns, .duration_ns = duration_ns};
    struct mpg_replay *replay = mpg_replay_new(&core, &err);
    struct mpg_losses *l = replay ? mpg_losses_new(replay, 0, &err) : NULL;
    if (!l) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    for (int i = 0; i < 256; i++)
        ns[i] = 1e6 + 1e4 * drand48();
    struct mpg_removal *r = removal_of(ns, 256, l);
    ok(mpg_removal_lost_ns(r) < 0.002 * mpg_removal_time_ns(r),
       "a record that lost half takes nothing from intervals that did not: %.3g of %.3g", mpg_removal_lost_ns(r),
       mpg_removal_time_ns(r));
    mpg_removal_free(r);
    mpg_losses_free(l);
    mpg_replay_free(replay);
}

/* Losses are not negative, and not longer than the interval. */
static void test_bounds(void)
{
    struct mpg_replay *replay;
    struct mpg_losses *l = make_losses(&replay);
    const double ns[] = {0, 0, 1, 5, 100, 6000, 7000, 200000};
    struct mpg_removal *r = removal_of(ns, 8, l);
    bool fine = true;
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < MPG_REMOVAL_CELLS; k++) {
            const double loss_ns = (double)mpg_removal_of(r, ns[i])[k];
            fine = fine && loss_ns >= 0 && loss_ns <= 1.01 * ns[i] + 1;
        }
    ok(fine, "losses are neither negative nor longer than the interval");
    mpg_removal_free(r);
    mpg_losses_free(l);
    mpg_replay_free(replay);
}

/* Returns whether A and B have the same losses for intervals of all lengths up to 200000 ns. */
static bool same_losses(const struct mpg_removal *a, const struct mpg_removal *b)
{
    for (double ns = 0; ns < 200000; ns += 977)
        if (memcmp(mpg_removal_of(a, ns), mpg_removal_of(b, ns), MPG_REMOVAL_CELLS * sizeof(double)) != 0)
            return false;
    return mpg_removal_time_ns(a) == mpg_removal_time_ns(b) && mpg_removal_lost_ns(a) == mpg_removal_lost_ns(b);
}

/* A store computes the removal of equal intervals and equal records once. Any other number of intervals, other record or other
 * number of cores has a removal of its own. */
static void test_store(void)
{
    static double ns[N];
    struct mpg_error err;
    struct mpg_replay *replay, *again;
    struct mpg_histogram h, other;
    mpg_losses_free(make_losses(&replay));
    mpg_losses_free(make_losses(&again));
    for (int i = 0; i < N; i++)
        ns[i] = mpg_replay_time_for(replay, drand48() * 6.4e6, 50000);
    mpg_histogram_init(&h);
    mpg_histogram_init(&other);
    add_all(&h, ns, N);
    add_all(&other, ns, N - 1);
    struct mpg_removals *store = mpg_removals_new(&err);
    struct mpg_losses *l = mpg_removals_losses(store, replay, 0, &err), *less = mpg_removals_losses(store, replay, 0.05, &err);
    struct mpg_losses *const cores[] = {l, l}, *const others[] = {l, less};
    ok(l && l == mpg_removals_losses(store, again, 0, &err), "equal records have one object of losses");
    ok(less && less != l, "a record without its longest detours has another");
    const struct mpg_removal *r = mpg_removals_find(store, &h, cores, 2, &err);
    ok(r && r == mpg_removals_find(store, &h, cores, 2, &err), "the removal of equal intervals is computed once");
    const struct mpg_removal *x[] = {mpg_removals_find(store, &other, cores, 2, &err),
                                     mpg_removals_find(store, &h, others, 2, &err),
                                     mpg_removals_find(store, &h, cores, 1, &err)};
    ok(x[0] && x[0] != r, "an interval less has another removal");
    ok(x[1] && x[1] != r && !same_losses(x[1], r), "another record has another removal");
    ok(x[2] && x[2] != r, "another number of cores has another removal");
    struct mpg_removal *alone = removal_of(ns, N, l);
    ok(same_losses(alone, r), "the removal is that of mpg_removal_new()");
    mpg_removals_forget(store);
    r = mpg_removals_find(store, &h, cores, 2, &err);
    ok(r && same_losses(alone, r), "a store that forgot computes the same again");
    mpg_removal_free(alone);
    mpg_removals_free(store);
    mpg_histogram_clear(&h);
    mpg_histogram_clear(&other);
    mpg_replay_free(replay);
    mpg_replay_free(again);
}

int main(void)
{
    srand48(58);
    test_bins();
    test_removal();
    test_contradiction();
    test_bounds();
    test_store();
    return done();
}
