/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quality of a core's noise measurement: was it disturbed, long enough, steady, and was its threshold low enough? */
#include "signature/make/check_private.h"

#include <gsl/gsl_sort_double.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The measuring thread may be off the CPU for this share of a record; validate/ has the same limit for a run. */
#define MAX_TIME_OFF 0.02
/* /proc/stat counts steal time in ticks of 10 ms: less than three ticks is not significant. */
#define MIN_STEAL_NS 30e6
/* Detours longer than LONG_MEDIANS times the median detour are "long". */
#define LONG_MEDIANS 10.0
/* Detours up to NEAR_THRESHOLD times the threshold are counted, to estimate the number of missed detours just below the
 * threshold. */
#define NEAR_THRESHOLD 1.25
/* A threshold of at most LOOPS iterations of the measuring loop cannot be lowered. */
#define LOOPS 4.0
/* A detour record is divided into this many windows to compare its halves. */
#define WINDOWS 200

/* Returns the length of R's record, ns; 0: unknown. */
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

/* Returns the share of R's record of LENGTH_NS in which the measuring thread was off the CPU. Older files have no off-CPU time:
 * there the thread's CPU share and the steal time replace off-CPU time. */
static double off_part(const struct mpg_results *r, double length_ns)
{
    double off_ns, share, steal_ns, part = 0;
    if (mpg_check_number(r, "off_cpu_ns", &off_ns))
        return off_ns / length_ns;
    if (mpg_check_number(r, "cpu_share", &share))
        part = 1 - share;
    if (mpg_check_number(r, "steal_ns", &steal_ns) && steal_ns > MIN_STEAL_NS)
        part = fmax(part, steal_ns / length_ns);
    return part;
}

/* Checks whether the measuring thread was off its CPU for too long. */
static int check_events(struct mpg_check *c, const struct mpg_results *r, double length_ns,
                        struct mpg_error *err)
{
    double off = off_part(r, length_ns), preempted = 0, steal_ns = 0;
    if (!mpg_check_number(r, "preemptions", &preempted))
        mpg_check_number(r, "context_switches", &preempted);
    mpg_check_number(r, "steal_ns", &steal_ns);
    if (off > MAX_TIME_OFF &&
        mpg_check_add_finding(c, MPG_FOUND_OFF_CPU, fmin(off, 1), err,
                        "%s: the benchmark was off its CPU for %.1f %% of %.3g s: preempted %.0f times; the"
                        " hypervisor took %.1f %%", mpg_check_file_name(r), 100 * off, length_ns * 1e-9,
                        preempted, 100 * steal_ns / length_ns) < 0)
        return -1;
    return 0;
}

/* ---- detours ---- */

/* Checks whether the longest detours cause much of the lost time, but are too few to determine the frequency of long detours: a
 * count of N events has the standard deviation sqrt(N) (Poisson), and a 95 % interval of about +-2 sqrt(N). */
static int check_long(struct mpg_check *c, const struct mpg_results *r, const double *sorted,
                      double length_ns, struct mpg_error *err)
{
    double limit_ns = LONG_MEDIANS * sorted[(r->samples - 1) / 2], long_ns = 0;
    size_t n = 0;
    for (size_t i = 0; i < r->samples; i++)
        if (sorted[i] > limit_ns) {
            long_ns += sorted[i];
            n++;
        }
    double moves = n > 0 ? 2 * long_ns / sqrt((double)n) / length_ns : 0;
    if (moves <= MPG_NOISE_MATTERS)
        return 0;
    return mpg_check_add_finding(c, MPG_FOUND_UNCERTAIN_NOISE, moves, err,
                           "%s: only %zu detours in %.3g s are longer than %.0f times the median, but they take"
                           " %.1f %% of the time", mpg_check_file_name(r), n, length_ns * 1e-9, LONG_MEDIANS,
                           100 * long_ns / length_ns);
}

/* Checks whether too much time may be lost to detours below the threshold, which the benchmark does not see. Assumption: detours
 * just below the threshold are as many as detours just above. */
static int check_threshold(struct mpg_check *c, const struct mpg_results *r,
                           const double *sorted, double length_ns, struct mpg_error *err)
{
    double threshold_ns, loop_ns = 0;
    size_t near = 0;
    if (!mpg_check_number(r, "threshold_ns", &threshold_ns))
        return 0;
    mpg_check_number(r, "shortest_loop_ns", &loop_ns);
    while (near < r->samples && sorted[near] < NEAR_THRESHOLD * threshold_ns)
        near++;
    double moves = (double)near * threshold_ns / length_ns;
    if (moves <= MPG_NOISE_MATTERS || threshold_ns <= LOOPS * loop_ns)
        return 0;
    return mpg_check_add_finding(c, MPG_FOUND_THRESHOLD, moves, err,
                           "%s: detours below the threshold of %.0f ns were not seen, and %zu of %zu are hardly"
                           " longer", mpg_check_file_name(r), threshold_ns, near, r->samples);
}

/* Compares the lost time of both halves of the record, in WINDOWS windows. The effect is half of the difference, since
 * the signature contains both halves. */
static int check_loss(struct mpg_check *c, const struct mpg_results *r, double length_ns,
                      struct mpg_error *err)
{
    double lost_ns[WINDOWS] = {0}, mean, median, tail, width_ns = length_ns / WINDOWS;
    size_t count[2] = {0, 0};
    char text[256];
    for (size_t i = 0; i < r->samples; i++) {
        double at = r->column[MPG_COLUMN_START_NS][i] / length_ns;
        size_t window = at < 1 ? (size_t)(at * WINDOWS) : WINDOWS - 1;
        lost_ns[window] += r->column[MPG_COLUMN_DURATION_NS][i];
        count[window >= WINDOWS / 2]++;
    }
    if (mpg_compare_halves(lost_ns, WINDOWS, &mean, &median, &tail, text, sizeof text, err) < 0)
        return -1;
    double moves = fabs(mean) / width_ns / 2;
    if (moves <= MPG_NOISE_MATTERS)
        return 0;
    return mpg_check_add_finding(c, MPG_FOUND_NOISE_HALVES, moves, err,
                           "%s: first and second half of the record differ: %zu, later %zu detours; time lost in %.0f ms: %s",
                           mpg_check_file_name(r), count[0], count[1], width_ns * 1e-6, text);
}

static int check_detours(struct mpg_check *c, const struct mpg_results *r, double length_ns,
                         struct mpg_error *err)
{
    const char *filled = mpg_fact_find(r->fact, r->facts, "ended_early");
    if (filled && mpg_check_add_finding(c, MPG_FOUND_FILLED, MPG_MOVES_UNKNOWN, err, "%s: the record ended %.100s",
                                  mpg_check_file_name(r), filled) < 0)
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
        status = check_threshold(c, r, sorted, length_ns, err);
    free(sorted);
    return status < 0 ? -1 : check_loss(c, r, length_ns, err);
}

/* ---- quanta ---- */

static int check_quanta(struct mpg_check *c, const struct mpg_results *r, double length_ns,
                        struct mpg_error *err)
{
    const double *lost_ns = r->column[MPG_COLUMN_LOST_NS];
    char text[256];
    double mean, median, tail;
    if (mpg_compare_halves(lost_ns ? lost_ns : r->column[MPG_COLUMN_DURATION_NS], r->samples, &mean,
                         &median, &tail, text, sizeof text, err) < 0)
        return -1;
    double moves = fabs(mean) / (length_ns / (double)r->samples) / 2;
    if (moves <= MPG_NOISE_MATTERS)
        return 0;
    return mpg_check_add_finding(c, MPG_FOUND_NOISE_HALVES, moves, err, "%s: halves differ: %s: %s",
                           mpg_check_file_name(r), lost_ns ? "lost in a quantum" : "time of a quantum",
                           text);
}

int mpg_check_noise(struct mpg_check *c, const struct mpg_results *r, struct mpg_error *err)
{
    double length_ns = record_ns(r);
    if (!(length_ns > 0))
        return 0;
    if (check_events(c, r, length_ns, err) < 0 ||
        mpg_check_modes_add(c, r, length_ns, err) < 0)
        return -1;
    if (r->benchmark == MPG_BENCHMARK_DETOUR)
        return check_detours(c, r, length_ns, err);
    return mpg_check_speed(c, r, length_ns, err) < 0 ? -1 : check_quanta(c, r, length_ns, err);
}
