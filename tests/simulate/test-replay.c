/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Noise replay compared with closed forms and a naive search. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/draws/draws.h"
#include "simulate/noise/replay.h"
#include "tests/tap.h"

static struct mpg_replay *make(double span_ns, size_t n, double *start_ns, double *duration_ns)
{
    struct mpg_noise_core core = {
        .core = 3, .span_ns = span_ns, .detours = n, .start_ns = start_ns,
        .duration_ns = duration_ns};
    struct mpg_error err;
    struct mpg_replay *r = mpg_replay_new(&core, &err);
    if (!r) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    return r;
}

static bool at(const char *what, double x, double got, double expected)
{
    bool same = fabs(got - expected) <= 1e-12 * fmax(1, fabs(expected));
    if (!same)
        printf("# %s(%.17g) = %.17g instead of %.17g\n", what, x, got, expected);
    return same;
}

#define U(r, t, expected) ok(at("u", t, mpg_replay_work_before(r, t), expected), "u(%g)", t)
#define INVERSE(r, w, expected) ok(at("inverse", w, mpg_replay_time_of(r, w), expected), \
                                   "inverse of u at %g", w)

/* A span of 10.5 with detours from 2.25 to 3.5 and from 7 to 7.375, which leave work of 8.875. */
static void test_closed_forms(void)
{
    double start_ns[] = {2.25, 7}, duration_ns[] = {1.25, 0.375};
    struct mpg_replay *r = make(10.5, 2, start_ns, duration_ns);
    ok(mpg_replay_span_ns(r) == 10.5, "span");
    U(r, 0.0, 0);
    U(r, 2.25, 2.25);
    U(r, 3.0, 2.25);
    U(r, 3.5, 2.25);
    U(r, 6.0, 4.75);
    U(r, 7.2, 5.75);
    U(r, 10.5, 8.875);
    U(r, 10.5 * 1e6 + 3, 8.875 * 1e6 + 2.25);
    INVERSE(r, 0.0, 0);
    INVERSE(r, 2.25, 2.25);
    INVERSE(r, 2.5, 3.75);
    INVERSE(r, 5.75, 7);
    INVERSE(r, 5.875, 7.5);
    INVERSE(r, 8.875, 10.5);
    INVERSE(r, 8.875 * 1e6 + 2.5, 10.5 * 1e6 + 3.75);
    /* Work of a whole record takes one span from any start outside of detours; from inside one it also waits for the
     * detour's end. */
    for (double t = 0.1; t < 10.5; t += 0.7)
        if (!(t > 2.25 && t <= 3.5) && !(t > 7 && t <= 7.375))
            INVERSE(r, mpg_replay_work_before(r, t) + 8.875, t + 10.5);
    mpg_replay_free(r);
}

static void test_quiet(void)
{
    struct mpg_replay *r = make(7.13, 0, NULL, NULL);
    for (double x = 0; x < 50; x += 3.3) {
        U(r, x, x);
        INVERSE(r, x, x);
    }
    mpg_replay_free(r);
}

/* Detours that touch the record's ends and each other. */
static void test_edges(void)
{
    double start_ns[] = {0, 4, 5.5, 9}, duration_ns[] = {1, 1.5, 0.5, 1};
    struct mpg_replay *r = make(10, 4, start_ns, duration_ns); /* work in the record: 6 */
    U(r, 0.0, 0);
    U(r, 0.5, 0);
    U(r, 1.0, 0);
    U(r, 5.5, 3);
    U(r, 6.0, 3);
    U(r, 9.0, 6);
    U(r, 9.5, 6);
    U(r, 10.0, 6);
    U(r, 10.75, 6);
    U(r, 12.0, 7);
    INVERSE(r, 0.0, 0);
    INVERSE(r, 0.25, 1.25);
    INVERSE(r, 3.0, 4);
    INVERSE(r, 3.25, 6.25);
    INVERSE(r, 6.0, 9);
    INVERSE(r, 6.25, 11.25);
    INVERSE(r, 12.0, 19);
    INVERSE(r, 600.0, 999);
    mpg_replay_free(r);
}

/* The work done until a time inside a detour is done when the detour begins, whatever the rounding of the sums. */
static void test_rounding(void)
{
    enum { N = 30 };
    double start_ns[N], duration_ns[N];
    for (int i = 0; i < N; i++) {
        start_ns[i] = 1e8 / 3 * i + 1e7 / 7;
        duration_ns[i] = 1e5 / 9 * (i + 1);
    }
    struct mpg_replay *r = make(1e9 + 1.0 / 3, N, start_ns, duration_ns);
    double worst = 0;
    for (int i = 0; i < 1000; i++) {
        double begin_ns = 1e9 / 997 * i, end_ns = start_ns[(i + 7) % N] + 1000.25 + i / 13.0;
        end_ns += end_ns < begin_ns ? 1e9 + 1.0 / 3 : 0;
        double before = mpg_replay_work_before(r, begin_ns);
        double work = mpg_replay_work_before(r, end_ns) - before;
        worst = fmax(worst, mpg_replay_time_of(r, before + work) - (end_ns - 1000));
    }
    ok(worst <= 0, "rounding costs no detour");
    mpg_replay_free(r);
}

static void test_errors(void)
{
    double start_ns[] = {0}, duration_ns[] = {4};
    struct mpg_noise_core core = {
        .core = 3, .span_ns = 4, .detours = 1, .start_ns = start_ns, .duration_ns = duration_ns};
    struct mpg_error err;
    ok(!mpg_replay_new(&core, &err) && strstr(err.text, "core 3") && strstr(err.text, "no time"),
       "a record without time for work");
    core.detours = 0;
    core.span_ns = 0x1p-1030;
    ok(!mpg_replay_new(&core, &err) && strstr(err.text, "no time"), "one so short that 1 / it is more than numbers hold");
    mpg_replay_free(NULL);
    ok(true, "freeing nothing");
}

static double uniform(int record, uint32_t index)
{
    struct mpg_address a = {
        .seed = 99, .rank = record, .purpose = MPG_DRAW_NOISE, .index = index};
    return mpg_draw(&a, 0);
}

enum { MOST = 40 };

struct record {
    double span_ns;
    size_t n;
    double start_ns[MOST], duration_ns[MOST];
};

/* Whole nanoseconds, so that sums are exact; many detours touch. */
static void make_record(int number, struct record *r)
{
    double t = 0;
    uint32_t index = 0;
    r->n = (size_t)(uniform(number, index++) * (MOST + 1));
    for (size_t i = 0; i < r->n; i++) {
        double gap = uniform(number, index++), length = uniform(number, index++);
        t += gap < 0.25 ? 0 : floor(pow(10, 5 * gap));
        r->start_ns[i] = t;
        r->duration_ns[i] = 1 + floor(pow(10, 4 * length));
        t += r->duration_ns[i];
    }
    r->span_ns = t + (uniform(number, index) < 0.3 && r->n > 0 && t > r->duration_ns[0] * 20 ? 0 : 500);
}

/* Returns the work done from 0 to t in one record. */
static double naive_work(const struct record *r, double t)
{
    double work = t;
    for (size_t i = 0; i < r->n; i++)
        if (r->start_ns[i] < t)
            work -= fmin(t - r->start_ns[i], r->duration_ns[i]);
    return work;
}

/* Returns the earliest time in one record at which WORK is done. */
static double naive_time(const struct record *r, double work)
{
    double t = work;
    for (size_t i = 0; i < r->n; i++)
        if (r->start_ns[i] < t)
            t += r->duration_ns[i];
    return t;
}

static bool agrees(const struct record *rec, struct mpg_replay *r, int number)
{
    double work_ns = naive_work(rec, rec->span_ns);
    for (uint32_t k = 0; k < 400; k++) {
        double spans = k % 4 == 3 ? floor(uniform(number, 1000 + 2 * k) * 1e5) : k % 3;
        double rest = floor(uniform(number, 1001 + 2 * k) * rec->span_ns);
        if (k % 5 == 0 && rec->n > 0) { /* begin or end of a detour */
            size_t i = k / 5 % rec->n;
            rest = rec->start_ns[i] + (k % 2 ? rec->duration_ns[i] : 0);
        }
        double t = spans * rec->span_ns + rest;
        double u = spans * work_ns + naive_work(rec, rest);
        if (!at("u", t, mpg_replay_work_before(r, t), u))
            return false;
        double more = floor(uniform(number, 1001 + 2 * k) * work_ns);
        if (more < 1)
            more = work_ns; /* a whole record, without a rest */
        double expected = spans * rec->span_ns + naive_time(rec, more);
        if (!at("inverse", spans * work_ns + more,
                mpg_replay_time_of(r, spans * work_ns + more), expected))
            return false;
        double end = mpg_replay_time_of(r, u);
        if (end > t || !at("u(inverse(u))", t, mpg_replay_work_before(r, end), u))
            return false;
    }
    return true;
}

/* Returns whether look-ups never report more quiet time after the work than there is. */
static bool is_quiet_after(const struct record *rec, struct mpg_replay *r, int number)
{
    for (uint32_t k = 0; k < 400; k++) {
        double t = uniform(number, 3000 + 2 * k) * 3 * rec->span_ns;
        double work = pow(rec->span_ns, 1.2 * uniform(number, 3001 + 2 * k));
        struct mpg_replay_met met = mpg_replay_meet(r, t, work);
        double end = t + met.time_ns, left, since;
        if (!at("time", t, met.time_ns, mpg_replay_time_for(r, t, work)))
            return false;
        double from = end + 1e-3, quiet = met.quiet_ns - 2e-3; /* with room for rounding errors */
        if (!(quiet > 0))
            continue;
        if (!at("work done while quiet", from, mpg_replay_work_before(r, from + quiet),
                mpg_replay_work_before(r, from) + quiet))
            return false;
        left = mpg_replay_detour_left(r, from + quiet / 2, &since);
        if (left > 0)
            return at("left", from + quiet / 2, left, 0);
    }
    return true;
}

static void test_random(void)
{
    for (int number = 0; number < 100; number++) {
        struct record rec;
        make_record(number, &rec);
        struct mpg_replay *r = make(rec.span_ns, rec.n, rec.start_ns, rec.duration_ns);
        ok(agrees(&rec, r, number), "random record %d: %zu detours in %g ns", number, rec.n,
           rec.span_ns);
        ok(is_quiet_after(&rec, r, number), "random record %d: what comes after work", number);
        mpg_replay_free(r);
    }
}

/* A record of realistic length, in whole tenths of a ns. Returns the time for work LEFT from T on, in tenths of a ns. */
enum { LONG = 25000 };

static int64_t exact_time(const int64_t *start, const int64_t *end, int64_t t, int64_t left)
{
    const int64_t from = t;
    for (int i = 0; i < LONG; i++) {
        if (end[i] <= t)
            continue;
        const int64_t quiet = start[i] > t ? start[i] - t : 0;
        if (left <= quiet)
            break;
        left -= quiet;
        t = end[i];
    }
    return t + left - from;
}

static void test_long(void)
{
    static int64_t start[LONG], end[LONG];
    static double start_ns[LONG], duration_ns[LONG];
    int64_t at = 0;
    double worst_ns = 0;
    for (int i = 0; i < LONG; i++) {
        start[i] = at + (int64_t)(-1600000 * log(uniform(7, (uint32_t)i)));
        at = end[i] = start[i] + 400 + (int64_t)(30000 * uniform(8, (uint32_t)i));
        start_ns[i] = (double)start[i] / 10;
        duration_ns[i] = (double)(end[i] - start[i]) / 10;
    }
    struct mpg_replay *r = make((double)at / 10 + 1e6, LONG, start_ns, duration_ns);
    for (uint32_t i = 0; i < 2000; i++) {
        const int64_t t = (int64_t)(uniform(9, i) * 0.99 * (double)at),
                      work = 1 + (int64_t)(uniform(10, i) * 8000000);
        const double got_ns = mpg_replay_time_for(r, (double)t / 10, (double)work / 10);
        worst_ns = fmax(worst_ns, fabs(got_ns - (double)exact_time(start, end, t, work) / 10));
    }
    ok(worst_ns > 0 && worst_ns <= 2e-6, "a record of %.3g s against whole numbers: within %.2g ns", (double)at / 1e10, worst_ns);
    mpg_replay_free(r);
}

int main(void)
{
    test_closed_forms();
    test_quiet();
    test_edges();
    test_rounding();
    test_errors();
    test_random();
    test_long();
    return done();
}
