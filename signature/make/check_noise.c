/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is a core's noise measured well: alone, long enough, steadily, finely enough? */
#include "signature/make/check_private.h"

#include <gsl/gsl_sort_double.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_RECORD_NS 60e9
/* A thread that is alone on its core is preempted by kernel threads at times. */
#define MOST_PREEMPTIONS_HZ 10.0
/* The kernel may count the move to the core where the thread is to stay. */
#define MOST_MIGRATIONS 1.0
#define LEAST_SHARE 0.95
#define MOST_STEAL 0.001
#define MOST_SPEED_RANGE 0.1
/* A detour is long from this many medians; so many of them show how they are. */
#define LONG_MEDIANS 10.0
#define ENOUGH_LONG 100
/* Fewer than that do not matter if they are no more than this part of the loss. */
#define FEW_LONG_PART 0.05
/* Detours up to this many thresholds, and what part of all may be so short. */
#define NEAR_THRESHOLD 1.25
#define MOST_NEAR 0.25
/* A threshold of fewer loops than this is as low as it can be. */
#define LOOPS 4.0
#define MOST_THRESHOLD_NS 1000.0
/* Windows of a detour record whose loss is compared between halves. */
#define WINDOWS 200
/* Change of the median that matters. */
#define CHANGE 0.1

/* How long R's record is, ns; 0 if it does not say. */
static double record_ns(const struct mpg_results *r)
{
    double length_ns = 0;
    size_t last = r->samples - 1;
    if (r->benchmark == MPG_BENCHMARK_DETOUR)
        return mpg_check_number(r, "span_ns", &length_ns) ? length_ns : 0;
    if (r->benchmark == MPG_BENCHMARK_FTQ)
        return mpg_check_number(r, "quantum_ns", &length_ns) ? length_ns * (double)r->samples : 0;
    return r->column[MPG_COLUMN_START_NS][last] + r->column[MPG_COLUMN_DURATION_NS][last];
}

/* What disturbed the measuring thread. */
static int check_events(struct mpg_check *c, const struct mpg_results *r, double length_ns,
                        struct mpg_error *err)
{
    const char *name = mpg_check_name(r);
    double value;
    if ((mpg_check_number(r, "preemptions", &value) ||
         mpg_check_number(r, "context_switches", &value)) &&
        value > MOST_PREEMPTIONS_HZ * length_ns * 1e-9 &&
        mpg_check_found(c, MPG_FOUND_PREEMPTIONS, value / length_ns, err,
                        "%s: preempted %.0f times in %.1f s", name, value, length_ns * 1e-9) < 0)
        return -1;
    if (mpg_check_number(r, "cpu_migrations", &value) && value > MOST_MIGRATIONS &&
        mpg_check_found(c, MPG_FOUND_MIGRATIONS, value, err,
                        "%s: moved to another core %.0f times", name, value) < 0)
        return -1;
    if (mpg_check_number(r, "cpu_share", &value) && value < LEAST_SHARE &&
        mpg_check_found(c, MPG_FOUND_SHARE, 1 - value, err,
                        "%s: the core was shared: %.1f %% of its time was the benchmark's", name,
                        100 * value) < 0)
        return -1;
    if (mpg_check_number(r, "steal_ns", &value) && value > MOST_STEAL * length_ns &&
        mpg_check_found(c, MPG_FOUND_STEAL, value / length_ns, err,
                        "%s: the hypervisor took %.2f %% of the time", name,
                        100 * value / length_ns) < 0)
        return -1;
    if (mpg_check_number(r, "speed_range", &value) && value > MOST_SPEED_RANGE &&
        mpg_check_found(c, MPG_FOUND_SPEED, value, err,
                        "%s: the core's speed changed by %.0f %%", name, 100 * value) < 0)
        return -1;
    return 0;
}

/* ---- detours ---- */

/* Whether the few longest detours, which lose much, are enough to know them. */
static int check_long(struct mpg_check *c, const struct mpg_results *r, const double *sorted,
                      double length_ns, struct mpg_error *err)
{
    double limit_ns = LONG_MEDIANS * sorted[(r->samples - 1) / 2], lost_ns = 0, long_ns = 0;
    size_t n = 0;
    for (size_t i = 0; i < r->samples; i++) {
        lost_ns += sorted[i];
        if (sorted[i] > limit_ns) {
            long_ns += sorted[i];
            n++;
        }
    }
    if (n == 0 || n >= ENOUGH_LONG || long_ns < FEW_LONG_PART * lost_ns)
        return 0;
    return mpg_check_found(c, MPG_FOUND_FEW_LONG, 1 / (double)n, err,
                           "%s: %zu detours are longer than %.0f medians, %.0f %% of the time"
                           " lost; %d of them take about %.0f s", mpg_check_name(r), n,
                           LONG_MEDIANS, 100 * long_ns / lost_ns, ENOUGH_LONG,
                           length_ns * 1e-9 * ENOUGH_LONG / (double)n);
}

/* Whether there are many detours just below the threshold, as there are above. */
static int check_threshold(struct mpg_check *c, const struct mpg_results *r,
                           const double *sorted, struct mpg_error *err)
{
    double threshold_ns, loop_ns = 0;
    size_t near = 0;
    if (!mpg_check_number(r, "threshold_ns", &threshold_ns))
        return 0;
    mpg_check_number(r, "loop_ns", &loop_ns);
    while (near < r->samples && sorted[near] < NEAR_THRESHOLD * threshold_ns)
        near++;
    bool high = threshold_ns > MOST_THRESHOLD_NS;
    bool cut = (double)near > MOST_NEAR * (double)r->samples && threshold_ns > LOOPS * loop_ns;
    if (!high && !cut)
        return 0;
    return mpg_check_found(c, MPG_FOUND_THRESHOLD, threshold_ns, err,
                           "%s: detours below %.0f ns were not seen, and %zu of %zu are just"
                           " longer", mpg_check_name(r), threshold_ns, near, r->samples);
}

/* The record's loss in WINDOWS windows, half against half. */
static int check_loss(struct mpg_check *c, const struct mpg_results *r, double length_ns,
                      struct mpg_error *err)
{
    double lost_ns[WINDOWS] = {0}, badness;
    size_t count[2] = {0, 0};
    char text[256];
    for (size_t i = 0; i < r->samples; i++) {
        double at = r->column[MPG_COLUMN_START_NS][i] / length_ns;
        size_t window = at < 1 ? (size_t)(at * WINDOWS) : WINDOWS - 1;
        lost_ns[window] += r->column[MPG_COLUMN_DURATION_NS][i];
        count[window >= WINDOWS / 2]++;
    }
    if (mpg_check_halves(lost_ns, WINDOWS, CHANGE, &badness, text, sizeof text, err) < 0)
        return -1;
    if (badness == 0)
        return 0;
    return mpg_check_found(c, MPG_FOUND_NOISE_HALVES, badness, err,
                           "%s: halves differ: %zu then %zu detours; lost in %.0f ms: %s",
                           mpg_check_name(r), count[0], count[1], length_ns * 1e-6 / WINDOWS,
                           text);
}

static int check_detours(struct mpg_check *c, const struct mpg_results *r, double length_ns,
                         struct mpg_error *err)
{
    const char *filled = mpg_fact_find(r->fact, r->facts, "filled");
    if (filled && mpg_check_found(c, MPG_FOUND_FILLED, 0, err, "%s: the record ended %.100s",
                                  mpg_check_name(r), filled) < 0)
        return -1;
    double *sorted = malloc((r->samples + 1) * sizeof *sorted);
    if (!sorted)
        return mpg_error_set(err, "out of memory for %zu detours", r->samples);
    int status = 0;
    if (r->samples > 0) {
        memcpy(sorted, r->column[MPG_COLUMN_DURATION_NS], r->samples * sizeof *sorted);
        gsl_sort(sorted, 1, r->samples);
        status = check_long(c, r, sorted, length_ns, err);
    }
    if (status == 0)
        status = check_threshold(c, r, sorted, err);
    free(sorted);
    return status < 0 ? -1 : check_loss(c, r, length_ns, err);
}

/* ---- quanta ---- */

static int check_quanta(struct mpg_check *c, const struct mpg_results *r, struct mpg_error *err)
{
    bool ftq = r->benchmark == MPG_BENCHMARK_FTQ;
    char text[256];
    double badness;
    if (mpg_check_halves(r->column[ftq ? MPG_COLUMN_LOST_NS : MPG_COLUMN_DURATION_NS],
                         r->samples, CHANGE, &badness, text, sizeof text, err) < 0)
        return -1;
    if (badness == 0)
        return 0;
    return mpg_check_found(c, MPG_FOUND_NOISE_HALVES, badness, err, "%s: halves differ: %s: %s",
                           mpg_check_name(r), ftq ? "lost in a quantum" : "time of a quantum",
                           text);
}

int mpg_check_noise(struct mpg_check *c, const struct mpg_results *r, struct mpg_error *err)
{
    double length_ns = record_ns(r);
    if (length_ns < 0.99 * LEAST_RECORD_NS &&
        mpg_check_found(c, MPG_FOUND_SHORT_RECORD, 1 / length_ns, err,
                        "%s: a record of %.3g s", mpg_check_name(r), length_ns * 1e-9) < 0)
        return -1;
    if (check_events(c, r, length_ns, err) < 0 ||
        mpg_check_modes_add(c, r, length_ns, err) < 0)
        return -1;
    return r->benchmark == MPG_BENCHMARK_DETOUR ? check_detours(c, r, length_ns, err)
                                                : check_quanta(c, r, err);
}
