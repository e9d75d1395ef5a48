/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computation by processor counters (TAP): shares and ratios by hand. */
#include <math.h>

#include "simulate/models/counted_compute.h"
#include "tests/tap.h"

/* Source: 1e8 cache lines a second in order, 1e7 one after another. The target is twice as fast in floating point,
 * equal in integers, and has half the bandwidth and half the latency. */
static const struct mpg_compute_rates source = {4e9, 1e9, 6.4e9, 1e7}, target = {8e9, 1e9, 3.2e9, 2e7};

static void check(const char *name, struct mpg_compute_counts counts, double best_ipc, struct mpg_compute_shares want,
                  double ratio)
{
    const struct mpg_compute_shares s = mpg_compute_shares_of(&counts, &source, best_ipc);
    const double got = mpg_compute_shares_ratio(&s, &source, &target);
    const double off = fabs(s.floating - want.floating) + fabs(s.integer - want.integer) + fabs(s.bandwidth - want.bandwidth) +
                       fabs(s.latency - want.latency);
    ok(off < 1e-12, "%s: shares (%g %g %g %g)", name, s.floating, s.integer, s.bandwidth, s.latency);
    ok(fabs(got - ratio) < 1e-12, "%s: ratio %.12g", name, got);
}

int main(void)
{
    const double s = 1e9; /* in ns */
    check("no misses, floating point unknown", (struct mpg_compute_counts){s, 3e9, 3e9, 0, -1}, 1,
          (struct mpg_compute_shares){0.5, 0.5, 0, 0}, 0.75);
    check("no misses, floating point alone", (struct mpg_compute_counts){s, 3e9, 3e9, 0, 3e9}, 1,
          (struct mpg_compute_shares){1, 0, 0, 0}, 0.5);
    check("no misses, a third floating point", (struct mpg_compute_counts){s, 3e9, 3e9, 0, 1e9}, 1,
          (struct mpg_compute_shares){1.0 / 3, 2.0 / 3, 0, 0}, 0.5 / 3 + 2.0 / 3);
    check("as many lines as memory gives", (struct mpg_compute_counts){s, 1e9, 3e9, 1e8, 0}, 1,
          (struct mpg_compute_shares){0, 0, 1, 0}, 2);
    check("more lines than memory gives", (struct mpg_compute_counts){s, 1e9, 3e9, 3e8, 0}, 1,
          (struct mpg_compute_shares){0, 0, 1, 0}, 2);
    /* 0.9 s without instructions for 1e7 lines, which take 10 ns in order and 100 ns alone: one in nine is in order. */
    check("a chase", (struct mpg_compute_counts){s, 0.3e9, 3e9, 1e7, 0}, 1,
          (struct mpg_compute_shares){0, 0.1, 0.1 / 9, 0.8 / 0.9}, 0.1 + 0.2 / 9 + 0.4 / 0.9);
    check("a chase alone", (struct mpg_compute_counts){s, 0, 3e9, 1e7, 0}, 1, (struct mpg_compute_shares){0, 0, 0, 1}, 0.5);
    /* Two thirds of the cycles are lost, but misses explain at most a tenth. */
    check("lost cycles that misses do not explain", (struct mpg_compute_counts){s, 3e9, 3e9, 1e6, 0}, 3,
          (struct mpg_compute_shares){0, 0.9, 0, 0.1}, 0.95);
    /* No cycles are lost relative to the program's best pace: misses hidden by instructions take the time of lines in
     * order. */
    check("hidden misses", (struct mpg_compute_counts){s, 3e9, 3e9, 1e7, 0}, 1, (struct mpg_compute_shares){0, 0.9, 0.1, 0}, 1.1);
    check("a pace below 1 counts as 1", (struct mpg_compute_counts){s, 1.5e9, 3e9, 0.5e7, 0}, 0.5,
          (struct mpg_compute_shares){0, 0.5, 0, 0.5}, 0.75);
    return done();
}
