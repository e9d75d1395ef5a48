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
    MPG_FINDINGS
};

/* Minimum effect of a failed check, relative; docs/MEASURING.md has the reasons. */
#define MPG_NOISE_MATTERS 0.01   /* of computation time */
#define MPG_SPEED_MATTERS 0.02   /* of a core's mean speed */
#define MPG_MESSAGES_MATTER 0.10 /* of the message times of a size */
#define MPG_RATES_MATTER 0.10    /* of computation rates */
#define MPG_LAUNCH_MATTERS 0.05  /* of all message times of a launch */
/* Bytes of the text that says who used the machine. */
enum { MPG_CHECK_BUSY = 208 };
/* Unknown effect of a finding. */
#define MPG_MOVES_UNKNOWN (-1.0)

/* Effective sample sizes of a message size for median and tail, over all files. */
struct mpg_check_size {
    double size_bytes;
    double median, tail;
};

struct mpg_check_sizes {
    size_t n;
    struct mpg_check_size *size;
};

/* Fraction lost by a core according to a mode. */
struct mpg_check_mode {
    enum mpg_benchmark benchmark;
    char *host;
    double core;
    double lost, error; /* fraction of the time; standard error */
};

struct mpg_check {
    struct {
        size_t times;    /* number of occurrences */
        double moves;    /* largest effect, which TEXT describes */
        char *text;
    } found[MPG_FINDINGS];
    bool there[MPG_BENCHMARKS];
    size_t launches[3][MPG_PATHS]; /* number of launches of pingpong, bandwidth and overhead */
    struct mpg_check_sizes sizes[2][MPG_PATHS];
    size_t modes;
    struct mpg_check_mode *mode;
    double resolution_ns;          /* largest resolution of a timer that is coarse (check.c); 0: no timer is */
    char busy[MPG_CHECK_BUSY]; /* who used the machine before a measurement; empty: nobody */
    bool guest;                    /* compute rates were measured in a virtual machine */
    double rates_load;             /* largest other load while compute rates were measured, in cores; -1: unknown */
    struct mpg_fact *kernel;       /* values of kernel and clock */
    size_t kernels;
};

/* Records FINDING with effect MOVES on its parts of a prediction, or MPG_MOVES_UNKNOWN. Among several occurrences
 * the largest effect is kept. Errors: out of memory. */
int mpg_check_add_finding(struct mpg_check *c, enum mpg_finding finding, double moves,
                    struct mpg_error *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Returns the file name without its folder. */
const char *mpg_check_file_name(const struct mpg_results *r);

/* Reads R's header line KEY as a number into *VALUE; false: missing or no number. */
bool mpg_check_number(const struct mpg_results *r, const char *key, double *value);

/* Compares the second half of SAMPLES with the first, as TEXT: "median 10 then 20, p99 ..."; *MEAN, *MEDIAN and
 * *TAIL: differences of mean, median and 99th percentile (second minus first). All 0 if the halves do not differ
 * significantly (1 % level) or are too short. Errors: out of memory. */
int mpg_compare_halves(const double *samples, size_t n, double *mean, double *median, double *tail,
                     char *text, size_t size, struct mpg_error *err);

/* ---- checks by kind ---- */

int mpg_check_noise(struct mpg_check *c, const struct mpg_results *r, struct mpg_error *err);
/* Records the lost fraction of R, a noise record of LENGTH_NS; mpg_check_modes() then compares the modes. Ignores
 * records of cores measured together, and quanta without lost_ns. Errors: out of memory. */
int mpg_check_modes_add(struct mpg_check *c, const struct mpg_results *r, double length_ns,
                        struct mpg_error *err);
int mpg_check_modes(struct mpg_check *c, struct mpg_error *err);
/* Checks how precisely R, quanta with lost_ns over LENGTH_NS, determines the core's mean speed between interruptions.
 * Errors: out of memory. */
int mpg_check_speed(struct mpg_check *c, const struct mpg_results *r, double length_ns, struct mpg_error *err);
int mpg_check_network(struct mpg_check *c, const struct mpg_results *r, struct mpg_error *err);
int mpg_check_paths(struct mpg_check *c, const struct mpg_signature *sig, struct mpg_error *err);

#endif
