/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of a check share. */
#ifndef MPG_CHECK_PRIVATE_H
#define MPG_CHECK_PRIVATE_H

#include <stdbool.h>

#include "signature/make/check.h"

/* What may be found, in the order in which it is said; check.c has the remedies. */
enum mpg_finding {
    MPG_FOUND_NO_RESULTS,
    MPG_FOUND_KERNELS,
    MPG_FOUND_LOAD,
    MPG_FOUND_OFF_CPU,
    MPG_FOUND_SPEED,
    MPG_FOUND_REALTIME,
    MPG_FOUND_OVERSUBSCRIBED,
    MPG_FOUND_TIMER,
    MPG_FOUND_FILLED,
    MPG_FOUND_UNCERTAIN_NOISE,
    MPG_FOUND_THRESHOLD,
    MPG_FOUND_NOISE_HALVES,
    MPG_FOUND_MODES,
    MPG_FOUND_LAUNCHES,
    MPG_FOUND_OUTLIER_LAUNCH,
    MPG_FOUND_OUTLIER_PAIR,
    MPG_FOUND_NETWORK_HALVES,
    MPG_FOUND_FEW_MEDIAN,
    MPG_FOUND_FEW_TAIL,
    MPG_FOUND_CLOCKS,
    MPG_FOUND_MISFIT,
    MPG_FOUND_EAGER_LIMIT,
    MPG_FOUND_LATE,
    MPG_FOUND_RATES,
    MPG_FINDINGS
};

/* What a check must be able to move to fail: this part of the time of computation, or of that of
 * messages and of rates of computation. A prediction is as little wrong for it. */
#define MPG_NOISE_MATTERS 0.01
#define MPG_MESSAGES_MATTER 0.05
/* What a finding can move that nobody can say. */
#define MPG_MOVES_UNKNOWN (-1.0)

/* How many independent samples of one size tell about quantiles, over all files. */
struct mpg_check_size {
    double size_bytes;
    double median, tail;
};

struct mpg_check_sizes {
    size_t n;
    struct mpg_check_size *size;
};

/* How much of a core's time one mode found lost. */
struct mpg_check_mode {
    enum mpg_benchmark benchmark;
    char *host;
    double core;
    double lost, error; /* a part of the time, and its standard error */
};

struct mpg_check {
    struct {
        size_t times;    /* how often it was found */
        double moves;    /* what the worst can move, which TEXT is about */
        char *text;
    } found[MPG_FINDINGS];
    bool there[MPG_BENCHMARKS];
    size_t launches[3][MPG_PATHS]; /* of pingpong, bandwidth and overhead */
    struct mpg_check_sizes sizes[2][MPG_PATHS];
    size_t modes;
    struct mpg_check_mode *mode;
    double resolution_ns;          /* of the coarsest timer that steps further than it costs */
    struct mpg_fact *kernel;       /* different kernels and clocks */
    size_t kernels;
};

/* Notes FINDING, which can move MOVES of its part of a prediction, or MPG_MOVES_UNKNOWN: of what is
 * found several times the one that moves most is kept. Errors: out of memory. */
int mpg_check_found(struct mpg_check *c, enum mpg_finding finding, double moves,
                    struct mpg_error *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The file's name without its folder. */
const char *mpg_check_name(const struct mpg_results *r);

/* Whether R's header line KEY is there and a number, *VALUE. */
bool mpg_check_number(const struct mpg_results *r, const char *key, double *value);

/* By how much the second half of SAMPLES differs from the first, as text: "median
 * 10 then 20, p99 ..."; *MEAN, *MEDIAN and *TAIL are by how much the second half's mean, median and
 * 99th percentile are above the first's, all 0 when the halves are alike: by chance, in less than
 * one of 100 cases, or too few to tell. Errors: out of memory. */
int mpg_check_halves(const double *samples, size_t n, double *mean, double *median, double *tail,
                     char *text, size_t size, struct mpg_error *err);

/* ---- the parts ---- */

int mpg_check_noise(struct mpg_check *c, const struct mpg_results *r, struct mpg_error *err);
/* Notes how much of its LENGTH_NS core of R, a record of noise, lost; then compares what the
 * modes found. Records of cores measured together are others', and so are quanta that do not
 * say what interruptions took. Errors: out of memory. */
int mpg_check_modes_add(struct mpg_check *c, const struct mpg_results *r, double length_ns,
                        struct mpg_error *err);
int mpg_check_modes(struct mpg_check *c, struct mpg_error *err);
int mpg_check_network(struct mpg_check *c, const struct mpg_results *r, struct mpg_error *err);
int mpg_check_paths(struct mpg_check *c, const struct mpg_signature *sig, struct mpg_error *err);

#endif
