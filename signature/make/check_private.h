/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of the quality check; private to signature/make/check*.c. */
#ifndef MPG_CHECK_PRIVATE_H
#define MPG_CHECK_PRIVATE_H

#include <stdbool.h>

#include "signature/make/check.h"

/* Findings, in the order of output; check.c has names and remedies. */
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
    MPG_FOUND_CAPACITY,
    MPG_FOUND_FALL,
    MPG_FOUND_ONE_SIDED,
    MPG_FOUND_OVERLAP,
    MPG_FINDINGS
};

/* A check fails if the effect of its finding, as a fraction, exceeds these limits (docs/MEASURING.md has the reasons): */
#define MPG_NOISE_MATTERS 0.01   /* of computation time */
#define MPG_SPEED_MATTERS 0.02   /* of a core's mean speed */
#define MPG_MESSAGES_MATTER 0.10 /* of the message times of a message size */
#define MPG_RATES_MATTER 0.10    /* of computation rates */
#define MPG_LAUNCH_MATTERS 0.05  /* of all message times of a launch */
/* Maximum share of the repetitions of the collective or sharing benchmark with a late rank. */
#define MPG_MAX_LATE_SHARE 0.5
/* Size of mpg_check.busy. */
enum { MPG_CHECK_BUSY = 208 };
/* Effect of a finding whose effect on a prediction is not known. */
#define MPG_MOVES_UNKNOWN (-1.0)

/* Effective sample size of a message size over all files: of the median and of the 99th percentile. */
struct mpg_check_size {
    double size_bytes;
    double median, tail;
};

struct mpg_check_sizes {
    size_t n;
    struct mpg_check_size *size;
};

/* Fraction of the time that a core lost to noise, as one mode (FTQ, FWQ or detour) measured it. */
struct mpg_check_mode {
    enum mpg_benchmark benchmark;
    char *host;
    double core;
    double lost, error; /* fraction of the time, and its standard error */
};

struct mpg_check {
    struct {
        size_t times;    /* number of files with the finding */
        double moves;    /* largest effect; TEXT describes this finding */
        char *text;
    } found[MPG_FINDINGS];
    bool there[MPG_BENCHMARKS];
    /* numbers of launches on each path class: pingpong, bandwidth, overhead, sharing, onesided, overlap */
    size_t launches[6][MPG_PATHS];
    struct mpg_check_sizes sizes[2][MPG_PATHS];
    size_t modes;
    struct mpg_check_mode *mode;
    /* resolution of the coarsest timer among timers that are too coarse (STEPS in check.c); 0: no timer is too coarse */
    double resolution_ns;
    char busy[MPG_CHECK_BUSY]; /* processes that were busy before a measurement; empty: none */
    bool guest;                    /* compute rates were measured in a virtual machine */
    double rates_load;             /* largest load by other processes while compute rates were measured, in cores; -1: unknown */
    struct mpg_fact *kernel;       /* header lines "kernel" and "clock" of the first file that has them */
    size_t kernels;
};

/* Reports FINDING: MOVES is its effect on the parts of a prediction that the finding concerns, or MPG_MOVES_UNKNOWN; the text is
 * formatted from FORMAT. Of several reports of a finding, the report with the largest effect is kept. Errors: out of memory. */
int mpg_check_add_finding(struct mpg_check *c, enum mpg_finding finding, double moves,
                    struct mpg_error *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Returns the name of R's file without its folder. */
const char *mpg_check_file_name(const struct mpg_results *r);

/* Reads R's header line KEY as a number into *VALUE; false: missing or no number. */
bool mpg_check_number(const struct mpg_results *r, const char *key, double *value);

/* Compares the second half of the N SAMPLES, in time order, with the first: TEXT of SIZE bytes becomes "median 10 then
 * 20, p99 ..."; *MEAN, *MEDIAN and *TAIL: differences of mean, median and 99th percentile (second minus first). All are
 * 0 if the halves do not differ significantly (1 % level) or are too short. Errors: out of memory. */
int mpg_compare_halves(const double *samples, size_t n, double *mean, double *median, double *tail,
                     char *text, size_t size, struct mpg_error *err);

/* ---- checks by kind ---- */

int mpg_check_noise(struct mpg_check *c, const struct mpg_results *r, struct mpg_error *err);
/* Checks how precisely R, a noise record of LENGTH_NS, determines the core's lost fraction of time. Stores the fraction, unless
 * cores were measured together, for the comparison of modes in mpg_check_modes(). Ignores quanta without lost_ns. Errors: out of
 * memory. */
int mpg_check_modes_add(struct mpg_check *c, const struct mpg_results *r, double length_ns,
                        struct mpg_error *err);
int mpg_check_modes(struct mpg_check *c, struct mpg_error *err);
/* Checks how precisely R, quanta with lost_ns over LENGTH_NS, determines the core's mean speed between interruptions.
 * Errors: out of memory. */
int mpg_check_speed(struct mpg_check *c, const struct mpg_results *r, double length_ns, struct mpg_error *err);
int mpg_check_network(struct mpg_check *c, const struct mpg_results *r, struct mpg_error *err);
int mpg_check_paths(struct mpg_check *c, const struct mpg_signature *sig, struct mpg_error *err);
/* Checks the sharing curves of the largest size of each class and direction in SIG: precision, and whether the capacity falls
 * when more pairs transfer. Errors: out of memory. */
int mpg_check_sharing(struct mpg_check *c, const struct mpg_signature *sig, struct mpg_error *err);
/* Checks how precisely the times of SIG's one-sided operations are known. Errors: out of memory. */
int mpg_check_one_sided(struct mpg_check *c, const struct mpg_signature *sig, struct mpg_error *err);
/* Checks whether it is known of each size of SIG above the eager limit that the transfer progresses while a rank computes.
 * Errors: out of memory. */
int mpg_check_overlap(struct mpg_check *c, const struct mpg_signature *sig, struct mpg_error *err);

#endif
