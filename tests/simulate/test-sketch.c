/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals that are alike: their bins in any order, and what they are without noise that was put
 * into them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/noise/sketch.h"
#include "tests/tap.h"

enum { N = 4000 };

static void add_all(struct mpg_sketch *s, const double *ns, int n)
{
    struct mpg_error err;
    for (int i = 0; i < n; i++)
        if (mpg_sketch_add(s, ns[i], &err) < 0) {
            printf("Bail out! %s\n", err.text);
            exit(1);
        }
}

static bool same(const struct mpg_sketch *a, const struct mpg_sketch *b)
{
    if (a->n != b->n || a->bins != b->bins || a->octave != b->octave || a->least_ns != b->least_ns)
        return false;
    for (int i = 0; i < a->bins; i++)
        if (a->bin[i].id != b->bin[i].id || a->bin[i].count != b->bin[i].count)
            return false;
    return true;
}

static void test_bins(void)
{
    static double ns[N], reversed[N];
    struct mpg_sketch s, r, half;
    struct mpg_error err;
    mpg_sketch_init(&s);
    mpg_sketch_init(&r);
    mpg_sketch_init(&half);
    double few[] = {2385, 2385, 10.5};
    add_all(&s, few, 3);
    ok(s.bins == 2 && s.octave == 10 && s.n == 3 && s.least_ns == 10.5, "equal ones share a bin");
    ok(s.bin[1].id == floor(1024 * log2(2386)) && s.bin[1].count == 2, "which is their logarithm's");
    ok(fabs(mpg_sketch_median(&s) / 2385 - 1) < 1e-3, "the median is in it");
    mpg_sketch_clear(&s);
    for (int i = 0; i < N; i++)
        reversed[N - 1 - i] = ns[i] = floor(exp(20 * drand48()));
    add_all(&s, ns, N);
    add_all(&r, reversed, N);
    ok(s.bins <= MPG_SKETCH_BINS, "over 29 octaves there are %d bins", s.bins);
    ok(s.octave == 2, "a quarter of an octave each: %d", s.octave);
    ok(same(&s, &r), "the same bins backwards");
    mpg_sketch_clear(&r);
    add_all(&r, ns, N - 5);
    add_all(&half, ns + N - 5, 5);
    ok(half.octave == 10 && mpg_sketch_merge(&r, &half, &err) == 0 && same(&s, &r),
       "what is merged is as if it had been added");
    uint64_t count = 0;
    for (int i = 0; i < s.bins; i++)
        count += s.bin[i].count;
    ok(count == N, "all are in a bin");
    double huge[] = {0, 9.2e18};
    mpg_sketch_clear(&half);
    add_all(&half, huge, 2);
    ok(half.bins == 2 && half.bin[0].id == 0, "nothing, and 292 years");
    mpg_sketch_clear(&s);
    mpg_sketch_clear(&r);
    mpg_sketch_clear(&half);
}

/* Noise of 6000 each 100000, so that work of 50000 meets none in nearly half of all times. */
static struct mpg_losses *make_losses(struct mpg_replay **replay)
{
    static double start_ns[64], duration_ns[64];
    struct mpg_error err;
    for (int i = 0; i < 64; i++) {
        start_ns[i] = 100000.0 * i + 321;
        duration_ns[i] = 6000;
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

/* How far work found from what WORK_NS lasted is from it: mean, and mean square. */
static void find_errors(struct mpg_losses *l, const struct mpg_replay *replay,
                        const double *work_ns, double *mean, double *deviation, double *before)
{
    static double ns[N];
    struct mpg_sketch s;
    struct mpg_error err;
    mpg_sketch_init(&s);
    *mean = *deviation = *before = 0;
    for (int i = 0; i < N; i++) {
        ns[i] = mpg_replay_time_for(replay, drand48() * 6.4e6, work_ns[i]);
        *before += (ns[i] - work_ns[i]) / N;
    }
    add_all(&s, ns, N);
    if (mpg_sketch_finish(&s, l, &err) < 0) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    for (int i = 0; i < N; i++) {
        double work = mpg_sketch_work(&s, ns[i], mpg_losses_fraction(l), 1);
        *mean += (work - work_ns[i]) / N;
        *deviation += (work - work_ns[i]) * (work - work_ns[i]) / N;
    }
    *deviation = sqrt(*deviation);
    mpg_sketch_clear(&s);
}

static void test_removal(void)
{
    static double work_ns[N];
    struct mpg_replay *replay;
    struct mpg_losses *l = make_losses(&replay);
    double mean, deviation, before;
    for (int i = 0; i < N; i++)
        work_ns[i] = 50000;
    find_errors(l, replay, work_ns, &mean, &deviation, &before);
    ok(fabs(mean) < 0.02 * before && deviation < 150,
       "equal work: found to %.3g ns in the mean, %.3g each, of %.4g lost", mean, deviation, before);
    for (int i = 0; i < N; i++)
        work_ns[i] = 50000 + 100 * drand48();
    find_errors(l, replay, work_ns, &mean, &deviation, &before);
    ok(fabs(mean) < 0.03 * before && deviation < 200, "nearly equal: %.3g, %.3g", mean, deviation);
    for (int i = 0; i < N; i++)
        work_ns[i] = 20000 + 60000 * drand48();
    find_errors(l, replay, work_ns, &mean, &deviation, &before);
    ok(fabs(mean) < 0.15 * before && deviation < 3500,
       "uneven work: the mean is kept to %.3g of %.4g, each to %.4g", mean, before, deviation);
    for (int i = 0; i < N; i++)
        work_ns[i] = i % 40 == 0 ? 90000 : 50000;
    find_errors(l, replay, work_ns, &mean, &deviation, &before);
    ok(fabs(mean) < 0.05 * before && deviation < 700,
       "a fortieth works longer: %.3g of %.4g, each to %.4g", mean, before, deviation);
    mpg_losses_free(l);
    mpg_replay_free(replay);
}

/* Bounds: never negative, never longer than it was. */
static void test_bounds(void)
{
    struct mpg_replay *replay;
    struct mpg_losses *l = make_losses(&replay);
    struct mpg_sketch s;
    struct mpg_error err;
    double ns[] = {0, 0, 1, 5, 100, 6000, 7000, 200000};
    mpg_sketch_init(&s);
    add_all(&s, ns, 8);
    bool fine = mpg_sketch_finish(&s, l, &err) == 0;
    for (int i = 0; i < 8; i++)
        for (double scale = 0; scale < 3; scale += 0.5) {
            double work = mpg_sketch_work(&s, ns[i], 0.06 * scale, scale);
            fine = fine && work >= 0 && work <= ns[i];
        }
    ok(fine, "work is neither negative nor longer than the interval");
    mpg_sketch_clear(&s);
    mpg_losses_free(l);
    mpg_replay_free(replay);
}

int main(void)
{
    srand48(58);
    test_bins();
    test_removal();
    test_bounds();
    return done();
}
