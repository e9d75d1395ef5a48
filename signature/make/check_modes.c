/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Do the modes that measured a core's noise agree on how much it loses? Each has an interval
 * by batch means: parts of its record, whose losses differ as noise does. */
#include "signature/make/check_private.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 20, LEAST_SAMPLES = 2 * BATCHES };
#define CONFIDENCE 0.99
/* Smaller differences do not matter: as a part of the greater one, and of the time. */
#define LEAST_PART 0.1
#define LEAST_LOST 0.0005
/* What all modes see: the quanta's shortest interruption is about a unit of their work. */
#define SEEN_NS 200.0

/* What sample K of R lost, when it began, and when it ended. */
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

/* The part of its time that each of BATCHES equal parts of R's record lost. */
static void share_out(const struct mpg_results *r, double length_ns, double quantum_ns,
                      double *lost)
{
    double width_ns = length_ns / BATCHES;
    for (size_t k = 0; k < r->samples; k++) {
        double start_ns, end_ns, lost_ns = lost_of(r, k, quantum_ns, &start_ns, &end_ns);
        double middle = (start_ns + end_ns) / 2 / width_ns;
        lost[middle < BATCHES ? (size_t)middle : BATCHES - 1] += lost_ns / width_ns;
    }
}

static int add_mode(struct mpg_check *c, const struct mpg_results *r, const double *lost,
                    struct mpg_error *err)
{
    double mean = 0, squares = 0;
    for (int b = 0; b < BATCHES; b++)
        mean += lost[b] / BATCHES;
    for (int b = 0; b < BATCHES; b++)
        squares += (lost[b] - mean) * (lost[b] - mean);
    struct mpg_check_mode *grown = realloc(c->mode, (c->modes + 1) * sizeof *grown);
    if (!grown)
        return mpg_error_set(err, "out of memory");
    c->mode = grown;
    const char *host = mpg_fact_find(r->fact, r->facts, "host");
    double core = -1;
    mpg_check_number(r, "core", &core);
    grown[c->modes] = (struct mpg_check_mode){.benchmark = r->benchmark, .core = core,
                                              .lost = mean,
                                              .error = sqrt(squares / (BATCHES - 1) / BATCHES)};
    if (!(grown[c->modes].host = strdup(host ? host : "")))
        return mpg_error_set(err, "out of memory");
    c->modes++;
    return 0;
}

int mpg_check_modes_add(struct mpg_check *c, const struct mpg_results *r, double length_ns,
                        struct mpg_error *err)
{
    double lost[BATCHES] = {0}, quantum_ns = 0;
    const char *together = mpg_fact_find(r->fact, r->facts, "together");
    bool quanta = r->benchmark != MPG_BENCHMARK_DETOUR;
    if ((together && strcmp(together, "yes") == 0) || !(length_ns > 0) ||
        (quanta && (r->samples < LEAST_SAMPLES || !r->column[MPG_COLUMN_LOST_NS])) ||
        (r->benchmark == MPG_BENCHMARK_FTQ && !mpg_check_number(r, "quantum_ns", &quantum_ns)))
        return 0;
    share_out(r, length_ns, quantum_ns, lost);
    return add_mode(c, r, lost, err);
}

static int compare(struct mpg_check *c, const struct mpg_check_mode *a,
                   const struct mpg_check_mode *b, struct mpg_error *err)
{
    double t = gsl_cdf_tdist_Pinv(1 - (1 - CONFIDENCE) / 2, BATCHES - 1);
    double difference = fabs(a->lost - b->lost), most = fmax(a->lost, b->lost);
    if (difference <= t * hypot(a->error, b->error) || difference <= LEAST_PART * most ||
        difference <= LEAST_LOST)
        return 0;
    return mpg_check_found(c, MPG_FOUND_MODES, difference, err,
                           "core %.0f: by %s it lost %.2f +- %.2f %%, by %s %.2f +- %.2f %%",
                           a->core, mpg_benchmark_name(a->benchmark), 100 * a->lost,
                           100 * t * a->error, mpg_benchmark_name(b->benchmark), 100 * b->lost,
                           100 * t * b->error);
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
