/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times of reductions at any size, compared with closed forms (TAP). */
#include <math.h>

#include "signature/signature.h"
#include "tests/tap.h"

/* a distribution of N samples with this MEDIAN, skewed so that the mean differs */
#define TIMES(n, median) \
    {n, 3 * (median), 1, 0, 3, (double[]){0, 0.5, 1}, (double[]){(median) / 2, median, 9 * (median)}, \
     NULL, 0, NULL, 0, NULL, 0, 0, NULL}

static struct mpg_distribution quick = TIMES(7, 1.5), min = TIMES(11, 21.25), middle = TIMES(12, 37.5),
                               greatest = TIMES(13, 5000), faster = TIMES(14, 31);

static bool near(double got, double expected)
{
    return fabs(got - expected) <= 1e-12 * fabs(expected);
}

static void takes(const struct mpg_signature *sig, double size_bytes, double expected)
{
    double got = mpg_signature_reduction_ns(sig, size_bytes);
    ok(near(got, expected), "%g B take %.15g ns (%.15g)", size_bytes, got, expected);
}

int main(void)
{
    struct mpg_collective_time all[] = {
        {"a", 64, 8, &quick, {0}},
        {"reduce_local", 2, 8, &quick, {0}},
        {"reduce_local", 2, 1 << 20, &quick, {0}},
        {"reduce_local", 4, 8, &min, {0}},
        {"reduce_local", 4, 136, &middle, {0}},
        {"reduce_local", 4, 65536, &greatest, {0}},
        {"unlike", 64, 8, &quick, {0}}};
    struct mpg_signature sig = {.reductions = 7, .reduction = all}, none = {0};

    takes(&none, 8, 0);
    ok(mpg_signature_reduction_samples(&none, 8) == 0, "and are of no samples: nothing was measured");
    takes(&sig, 0, 0);
    takes(&sig, 1, 21.25);
    takes(&sig, 8, 21.25);
    takes(&sig, 40, 21.25 + 32 * 16.25 / 128);
    takes(&sig, 136, 37.5);
    takes(&sig, 1000, 37.5 + 864 * 4962.5 / 65400);
    takes(&sig, 65536, 5000);
    takes(&sig, 1e9, 5000 + (1e9 - 65536) * 4962.5 / 65400);
    ok(mpg_signature_reduction_samples(&sig, 1) == 11 &&
           mpg_signature_reduction_samples(&sig, 135) == 11 &&
           mpg_signature_reduction_samples(&sig, 136) == 12 &&
           mpg_signature_reduction_samples(&sig, 1e9) == 13,
       "medians are of the samples of the size below");

    ok(mpg_signature_reduction_sent_ns(&sig, 1000) == mpg_signature_reduction_ns(&sig, 1000),
       "a vector that was sent takes as long where that was not measured");
    struct mpg_collective_time sent[] = {
        {"reduce_local", 4, 8, &min, {0}}, {"reduce_sent", 2, 8, &quick, {0}},
        {"reduce_sent", 4, 136, &middle, {0}}, {"reduce_sent", 4, 65536, &greatest, {0}}};
    struct mpg_signature both = {.reductions = 4, .reduction = sent};
    ok(near(mpg_signature_reduction_sent_ns(&both, 8), 37.5) &&
           near(mpg_signature_reduction_sent_ns(&both, 1000), 37.5 + 864 * 4962.5 / 65400) &&
           near(mpg_signature_reduction_ns(&both, 1000), 21.25 * 125) &&
           mpg_signature_reduction_sent_ns(&both, 0) == 0,
       "and by itself where it was");

    sig.reductions = 6; /* without any larger size in the signature */
    takes(&sig, 136, 37.5);
    sig.reductions = 1;
    takes(&sig, 136, 0);
    ok(mpg_signature_reduction_samples(&sig, 136) == 0, "other operations are no sums");

    all[5].time_ns = &faster; /* times decrease between the last two sizes: extrapolation does not continue below the last time */
    sig.reductions = 6;
    takes(&sig, 32836, 37.5 - 32700 * 6.5 / 65400);
    takes(&sig, 1e9, 31);

    sig.reduction = &all[5];
    sig.reductions = 1; /* a signature with a single size */
    takes(&sig, 1, 31);
    takes(&sig, 98304, 46.5);
    all[5].size_bytes = 0;
    takes(&sig, 1e6, 31);
    return done();
}
