/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks how precisely a core's lost time and mean speed are known, and whether the benchmark modes (FTQ, FWQ, detour)
 * agree about the lost time. Each confidence interval comes from the means of BATCHES sections of the record, whose
 * scatter includes all noise. */
#include "signature/make/check_private.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 20, MIN_SAMPLES = 2 * BATCHES };
#define CONFIDENCE 0.99       /* confidence of a difference between modes */
#define RECORD_CONFIDENCE 0.95 /* confidence of the lost time of a record */
/* Shortest interruption that every mode detects: about a unit of work of FTQ and FWQ. */
#define SEEN_NS 200.0
/* A sample gives the core's speed if at least this share of it was not interrupted. */
#define MIN_LEFT 0.25

/* Returns the time lost in sample K of R, ns, and stores the sample's start and end. QUANTUM_NS: length of an FTQ
 * sample. */
static double lost_of(const struct mpg_results *r, size_t k, double quantum_ns, double *start_ns,
                      double *end_ns)
{
    *start_ns = r->column[MPG_COLUMN_START_NS][k];
    *end_ns = *start_ns + (r->benchmark == MPG_BENCHMARK_FTQ
                               ? quantum_ns
                               : r->column[MPG_COLUMN_DURATION_NS][k]);
    if (r->benchmark != MPG_BENCHMARK_DETOUR)
        return r->column[MPG_COLUMN_LOST_NS][k];
    double lost_ns = r->column[MPG_COLUMN_DURATION_NS][k];
    return lost_ns >= SEEN_NS ? lost_ns : 0;
}

/* Adds to LOST, zeros on entry, the fraction of time lost in each of BATCHES equal sections of R's record of LENGTH_NS. */
static void find_batch_losses(const struct mpg_results *r, double length_ns, double quantum_ns,
                      double *lost)
{
    double width_ns = length_ns / BATCHES;
    for (size_t k = 0; k < r->samples; k++) {
        double start_ns, end_ns, lost_ns = lost_of(r, k, quantum_ns, &start_ns, &end_ns);
        double middle = (start_ns + end_ns) / 2 / width_ns;
        lost[middle < BATCHES ? (size_t)middle : BATCHES - 1] += lost_ns / width_ns;
    }
}

/* Returns the half width of the confidence interval of a mean of BATCHES values whose standard error is ERROR. */
static double half_width(double error, double confidence)
{
    return gsl_cdf_tdist_Pinv(1 - (1 - confidence) / 2, BATCHES - 1) * error;
}

/* Checks whether the record R of LENGTH_NS is long enough for a precise lost fraction of time: LOST, with standard error
 * ERROR. */
static int check_record(struct mpg_check *c, const struct mpg_results *r, double length_ns,
                        double lost, double error, struct mpg_error *err)
{
    double moves = half_width(error, RECORD_CONFIDENCE);
    if (moves <= MPG_NOISE_MATTERS)
        return 0;
    return mpg_check_add_finding(c, MPG_FOUND_UNCERTAIN_NOISE, moves, err,
                           "%s: noise takes %.1f +- %.1f %% of the time, by a record of %.3g s", mpg_check_file_name(r),
                           100 * lost, 100 * moves, length_ns * 1e-9);
}

static int add_mode(struct mpg_check *c, const struct mpg_results *r, double mean, double error,
                    struct mpg_error *err)
{
    struct mpg_check_mode *grown = realloc(c->mode, (c->modes + 1) * sizeof *grown);
    if (!grown)
        return mpg_error_set(err, "out of memory");
    c->mode = grown;
    const char *host = mpg_fact_find(r->fact, r->facts, "host");
    double core = -1;
    mpg_check_number(r, "core", &core);
    grown[c->modes] = (struct mpg_check_mode){.benchmark = r->benchmark, .core = core,
                                              .lost = mean, .error = error};
    if (!(grown[c->modes].host = strdup(host ? host : "")))
        return mpg_error_set(err, "out of memory");
    c->modes++;
    return 0;
}

int mpg_check_modes_add(struct mpg_check *c, const struct mpg_results *r, double length_ns,
                        struct mpg_error *err)
{
    double lost[BATCHES] = {0}, quantum_ns = 0, mean = 0, squares = 0;
    const char *together = mpg_fact_find(r->fact, r->facts, "together");
    bool quanta = r->benchmark != MPG_BENCHMARK_DETOUR;
    if (!(length_ns > 0) ||
        (quanta && (r->samples < MIN_SAMPLES || !r->column[MPG_COLUMN_LOST_NS])) ||
        (r->benchmark == MPG_BENCHMARK_FTQ && !mpg_check_number(r, "quantum_ns", &quantum_ns)))
        return 0;
    find_batch_losses(r, length_ns, quantum_ns, lost);
    for (int b = 0; b < BATCHES; b++)
        mean += lost[b] / BATCHES;
    for (int b = 0; b < BATCHES; b++)
        squares += (lost[b] - mean) * (lost[b] - mean);
    double error = sqrt(squares / (BATCHES - 1) / BATCHES);
    if (check_record(c, r, length_ns, mean, error, err) < 0)
        return -1;
    return together && strcmp(together, "yes") == 0 ? 0 : add_mode(c, r, mean, error, err);
}

/* Returns the uninterrupted core's speed in sample K of R, in units of work (FWQ: quanta) per ns; comparable only with other
 * samples of R. 0: less than MIN_LEFT of the sample was uninterrupted. */
static double speed_of(const struct mpg_results *r, size_t k, double quantum_ns)
{
    const double *work = r->column[MPG_COLUMN_WORK];
    double whole_ns = quantum_ns > 0 ? quantum_ns : r->column[MPG_COLUMN_DURATION_NS][k];
    double left_ns = whole_ns - r->column[MPG_COLUMN_LOST_NS][k];
    return left_ns > MIN_LEFT * whole_ns ? (work ? work[k] : 1) / left_ns : 0;
}

int mpg_check_speed(struct mpg_check *c, const struct mpg_results *r, double length_ns, struct mpg_error *err)
{
    double quantum_ns = 0, range = 0, batch[BATCHES], mean = 0, squares = 0;
    bool ftq = r->benchmark == MPG_BENCHMARK_FTQ;
    if (!(length_ns > 0) || r->samples < MIN_SAMPLES || !r->column[MPG_COLUMN_LOST_NS] ||
        (ftq && (!r->column[MPG_COLUMN_WORK] || !mpg_check_number(r, "quantum_ns", &quantum_ns))))
        return 0;
    for (size_t b = 0, k = 0; b < BATCHES; b++) {
        double sum = 0;
        size_t n = 0;
        for (; k < (b + 1) * r->samples / BATCHES; k++) {
            double speed = speed_of(r, k, quantum_ns);
            sum += speed;
            n += speed > 0;
        }
        if (n == 0)
            return 0; /* the thread was off its core for a whole section: check_events() reports this */
        batch[b] = sum / (double)n;
        mean += batch[b] / BATCHES;
    }
    for (int b = 0; b < BATCHES; b++)
        squares += (batch[b] - mean) * (batch[b] - mean);
    double moves = half_width(sqrt(squares / (BATCHES - 1) / BATCHES), RECORD_CONFIDENCE) / mean;
    if (!(moves > MPG_SPEED_MATTERS))
        return 0;
    mpg_check_number(r, "speed_range", &range);
    return mpg_check_add_finding(c, MPG_FOUND_SPEED, moves, err,
                           "%s: the core's speed varied by %.0f %%: its mean is known only to +-%.1f %%, from %.3g s",
                           mpg_check_file_name(r), 100 * range, 100 * moves, length_ns * 1e-9);
}

static int compare(struct mpg_check *c, const struct mpg_check_mode *a,
                   const struct mpg_check_mode *b, struct mpg_error *err)
{
    double difference = fabs(a->lost - b->lost);
    if (difference <= half_width(hypot(a->error, b->error), CONFIDENCE) ||
        difference <= MPG_NOISE_MATTERS)
        return 0;
    return mpg_check_add_finding(c, MPG_FOUND_MODES, difference, err,
                           "core %.0f: time lost to noise: %.2f +- %.2f %% measured by %s, %.2f +- %.2f %% by %s",
                           a->core, 100 * a->lost, 100 * half_width(a->error, CONFIDENCE), mpg_benchmark_name(a->benchmark),
                           100 * b->lost, 100 * half_width(b->error, CONFIDENCE), mpg_benchmark_name(b->benchmark));
}

int mpg_check_modes(struct mpg_check *c, struct mpg_error *err)
{
    for (size_t i = 0; i < c->modes; i++)
        for (size_t j = i + 1; j < c->modes; j++)
            if (c->mode[i].core == c->mode[j].core &&
                strcmp(c->mode[i].host, c->mode[j].host) == 0 &&
                compare(c, &c->mode[i], &c->mode[j], err) < 0)
                return -1;
    return 0;
}
