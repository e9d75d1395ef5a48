/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks, their correlation, and median-based lines: by hand, and compared with GSL's coefficient. */
#include "statistics/rank.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "tests/tap.h"

static struct mpg_error err;

static int near(double got, double wanted, double part)
{
    return fabs(got - wanted) <= part * fabs(wanted);
}

/* ---- coefficients ---- */

static void test_ranks(void)
{
    const double value[] = {2.385, -1.5, 7.25, 2.385, 7.25, 7.25};
    const double wanted[] = {2.5, 1, 5, 2.5, 5, 5};
    double rank[6];
    int same = mpg_midranks(value, 6, rank, &err) == 0;
    for (int i = 0; i < 6; i++)
        same &= rank[i] == wanted[i];
    ok(same, "equal values have the mean of their ranks");
}

static void test_coefficients(void)
{
    const double n[] = {4, 4, 9, 9, 16, 16, 25}, y[] = {.1, .2, .2, .3, .3, .5, .9}, flat[] = {3, 3, 3, 3, 3, 3, 3};
    const double x[] = {2, 3, 5, 7}, up[] = {0.1, 2.385, 2.5, 1e9}, down[] = {4, 3, 2, -1e-9}, bent[] = {1, 2, 2, 1};
    double r;
    ok(mpg_spearman(n, y, 7, &r, &err) == 0 && near(r, 0.9159278516836722, 1e-15), "seven runs with ties");
    ok(mpg_spearman(x, up, 4, &r, &err) == 0 && r == 1, "what always rises: 1");
    ok(mpg_spearman(x, down, 4, &r, &err) == 0 && r == -1, "what always falls: -1");
    ok(mpg_spearman(x, bent, 4, &r, &err) == 0 && r == 0, "what rises and falls alike: 0");
    ok(mpg_spearman(n, flat, 7, &r, &err) == 0 && isnan(r), "what is constant has none");
}

static void test_beside_gsl(void)
{
    double x[40], y[40], work[80], r, worst = 0;
    srand(7);
    for (int i = 0; i < 200; i++) {
        const size_t n = 3 + (size_t)(rand() % 38);
        for (size_t k = 0; k < n; k++) {
            x[k] = rand() % 6;
            y[k] = rand() % 9 * 0.37;
        }
        const double theirs = gsl_stats_spearman(x, 1, y, 1, n, work);
        if (mpg_spearman(x, y, n, &r, &err) < 0 || isnan(theirs) != isnan(r))
            worst = 1;
        else if (!isnan(r))
            worst = fmax(worst, fabs(theirs - r));
    }
    ok(worst < 1e-14, "200 random samples with ties: GSL's coefficient (%g)", worst);
}

/* ---- probabilities ---- */

static void test_permutations(void)
{
    const double three[] = {1, 2, 3}, four[] = {1, 2, 3, 4}, swapped[] = {2, 1, 3, 4}, ties[] = {1.5, 1.5, 3.5, 3.5};
    const double nine[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, flat[] = {2.5, 2.5, 2.5, 2.5};
    ok(mpg_rank_permutations(three, three, 3) == 2.0 / 6, "three in order: 2 of 6");
    ok(mpg_rank_permutations(four, four, 4) == 2.0 / 24, "four in order: 2 of 24");
    /* sums of squared rank differences: 0 once, 2 three times; 20 once, 18 three times */
    ok(mpg_rank_permutations(four, swapped, 4) == 8.0 / 24, "one exchange of neighbours: 8 of 24");
    ok(mpg_rank_permutations(ties, four, 4) == 8.0 / 24, "two pairs in order: 4 and 4 of 24");
    ok(mpg_rank_permutations(four, flat, 4) == 1, "of equal ones all are alike");
    ok(mpg_rank_permutations(nine, nine, 9) == 2.0 / 362880, "nine in order: 2 of 362880");
}

static void test_student(void)
{
    /* with 2 degrees of freedom the tail beyond t is (1 - t / sqrt(2 + t^2)) / 2, which in terms of r is (1 - r) / 2 */
    ok(near(mpg_rank_student(0.6, 4), 0.4, 1e-12), "four pairs: 1 - r");
    ok(near(mpg_rank_student(-0.83, 4), 0.17, 1e-12), "the same of a negative one");
    /* with 1 degree of freedom the tail is atan(1 / t) / pi, and t is the tangent of asin(r) */
    ok(near(mpg_rank_student(0.5, 3), 2.0 / 3, 1e-12), "three pairs: 2 acos(r) / pi");
    ok(mpg_rank_student(1, 12) == 0, "perfect order of many: 0");
}

static void test_discoveries(void)
{
    const double p[] = {0.04, 0.001, 0.03, 0.5, 0.011}, wanted[] = {0.05, 0.005, 0.05, 0.5, 0.0275};
    double q[5];
    int same = mpg_false_discovery(p, 5, q, &err) == 0;
    for (int i = 0; i < 5; i++)
        same &= near(q[i], wanted[i], 1e-12);
    ok(same, "false discoveries: none is smaller than that of a smaller p");
}

/* ---- lines ---- */

static void test_lines(void)
{
    const double x[] = {1, 2, 4, 8, 8}, y[] = {3.385, 5.385, 9.385, 17.385, 100};
    const double same[] = {2, 2, 2};
    struct mpg_slope s;
    ok(mpg_theil_sen(x, y, 5, &s, &err) == 0 && near(s.slope, 2, 1e-12) && s.pairs == 9,
       "an outlier moves no median: slope 2 of 9 pairs");
    ok(near(s.intercept, 1.385, 1e-12), "through both medians");
    /* 18 s^2 = 5 4 15 - 2 1 9 = 282, 1.959964 s = 7.7577: indices in the sorted slopes 0..8: round(0.62) - 1 = 0, the
     * first, and round(8.38) = 8, the last */
    ok(near(s.low, 2, 1e-12) && near(s.high, (100 - 9.385) / 4, 1e-12), "of nine slopes the interval has all");
    ok(mpg_theil_sen(same, y, 3, &s, &err) == 0 && isnan(s.slope) && s.pairs == 0, "no slope where all x are equal");
}

static void test_long_line(void)
{
    double x[12], y[12];
    struct mpg_slope s;
    for (int i = 0; i < 12; i++) { /* slopes between neighbours alternate around 2.5 */
        x[i] = i;
        y[i] = 2.5 * i + (i % 2 ? 0.3 : -0.3);
    }
    /* 66 slopes; 18 s^2 = 12 11 29 = 3828, 1.959964 s = 28.582: indices round(18.709) - 1 = 18, round(47.291) = 47 */
    double slopes[66];
    size_t n = 0;
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < i; k++) {
            const double slope = (y[i] - y[k]) / (x[i] - x[k]);
            size_t at = n++;
            for (; at > 0 && slopes[at - 1] > slope; at--)
                slopes[at] = slopes[at - 1];
            slopes[at] = slope;
        }
    ok(mpg_theil_sen(x, y, 12, &s, &err) == 0 && s.low == slopes[18] && s.high == slopes[47] &&
           near(s.slope, (slopes[32] + slopes[33]) / 2, 1e-12),
       "twelve points: the interval is numbers 18 and 47");
}

static void test_medians(void)
{
    const double odd[] = {9, 2.385, 4}, even[] = {9, 2, 4, 5};
    double m;
    ok(mpg_median(odd, 3, &m, &err) == 0 && m == 4, "the middle of three");
    ok(mpg_median(even, 4, &m, &err) == 0 && m == 4.5, "between the middle two of four");
}

int main(void)
{
    test_ranks();
    test_coefficients();
    test_beside_gsl();
    test_permutations();
    test_student();
    test_discoveries();
    test_lines();
    test_long_line();
    test_medians();
    return done();
}
