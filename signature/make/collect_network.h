/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Network results of a path class by message size: collect_network.c collects the results, collect_path.c computes distributions
 * from the results. */
#ifndef MPG_COLLECT_NETWORK_H
#define MPG_COLLECT_NETWORK_H

#include <stdbool.h>

#include "signature/make/collect_private.h"

/* A sample of a network benchmark; times missing in the file are NAN. */
struct mpg_measured_exchange {
    double time_ns;   /* pingpong: round trip; bandwidth: until the acknowledgement, divided by the number of messages;
                         overhead: inside the receive; onesided: inside the completing call;
                         overlap: not a time, the hidden share of the transfer */
    double there_ns;  /* pingpong: forward; bandwidth: transfer; both from synchronised clocks */
    double back_ns;   /* pingpong: backward; bandwidth: round trip of an empty message */
    double send_ns;   /* bandwidth, overhead: inside the send; onesided: inside the starting call;
                         overlap: the transfer alone */
    int32_t launch, pair; /* indices into the launches and pairs of struct mpg_collect_path */
};

/* All exchanges of a message size; exchanges of a launch are in time order. */
struct mpg_exchanges {
    int64_t size_bytes;
    size_t n, capacity;
    struct mpg_measured_exchange *exchange;
};

struct mpg_exchange_sizes { /* ascending in size */
    size_t n;
    struct mpg_exchanges *size;
};

/* A launch of a benchmark, and its clocks. */
struct mpg_exchange_launch {
    int64_t id;
    bool shared;         /* all ranks read one clock */
    double error_ns;     /* largest error between the clocks of two ranks; NAN: not compared */
};

struct mpg_collect_path {
    struct mpg_exchange_sizes pingpong, bandwidth, stream, overhead;
    struct mpg_exchange_sizes one_sided[MPG_ONE_SIDED_OPERATIONS];
    struct mpg_exchange_sizes overlap[MPG_OVERLAP_SIDES];
    size_t launches, transfer_launches, overhead_launches, one_sided_launches, overlap_launches;
    struct mpg_exchange_launch *launch;   /* launches of pingpong */
    struct mpg_exchange_launch *transfer; /* launches of bandwidth */
    struct mpg_exchange_launch *overhead_launch, *one_sided_launch, *overlap_launch;
    size_t pairs;
    char **pair;                          /* header lines "ranks 0 and 1; hosts ..." */
    int64_t window;                       /* largest number of messages in flight in a stream; 0: no streams */
    size_t eager_limits;
    double *eager_limit_bytes;
};

/* ---- one-way times from clocks (collect_clocks.c) ---- */

enum mpg_measured_clocks {
    MPG_CLOCKS_NONE,  /* not comparable: one-way times by deconvolution */
    MPG_CLOCKS_SHAPE, /* comparable up to a constant offset, which is removed */
    MPG_CLOCKS_GOOD,  /* compared; the error is small compared with the one-way times */
    MPG_CLOCKS_ONE    /* all ranks read one clock */
};

struct mpg_one_way_split {
    enum mpg_measured_clocks clocks;
    double error_ns;        /* largest clock error; 0 for one common clock */
    size_t launches, pairs;
    double *shift_ns;       /* for MPG_CLOCKS_SHAPE: constant offset of launch l and pair p, at [l * pairs + p]; else NULL */
};

/* Decides how LIST's forward times, of LAUNCHES launches and PAIRS pairs, may be used. A clock error below a tenth of the minimum
 * one-way time is accepted. A larger error, up to twice the minimum one-way time, counts as a constant offset for each launch and
 * pair: forward times are shifted to a median of half the round trip at the smallest size. The clocks are not used if both
 * directions correlate below -0.3 (drifting clocks), if exchanges of the smallest size are not SYMMETRIC, or if any launch and
 * pair lacks exchanges of the smallest size. The caller clears WAYS. Errors: out of memory. */
int mpg_one_way_find(const struct mpg_exchange_sizes *list,
                     const struct mpg_exchange_launch *launch, size_t launches, size_t pairs,
                     bool symmetric, struct mpg_one_way_split *ways, struct mpg_error *err);
void mpg_one_way_clear(struct mpg_one_way_split *ways);

/* Returns E's forward time without the clocks' offset, >= 0. The rest of e->time_ns is the backward time. */
double mpg_one_way_forward(const struct mpg_one_way_split *ways, const struct mpg_measured_exchange *e);

/* Compares both directions of LIST's exchanges by the clocks of WAYS. *ASYMMETRY: relative difference of the
 * forward and backward medians, the largest over sizes with at least 200 exchanges. *CORRELATION: Spearman's rank
 * correlation at the smallest size. Errors: out of memory. */
int mpg_one_way_compare(const struct mpg_exchange_sizes *list, const struct mpg_one_way_split *ways,
                        double *asymmetry, double *correlation, struct mpg_error *err);

/* ---- one-way times by deconvolution (collect_deconvolution.c) ---- */

/* Summary that mpg_deconvolve_round_trips() and mpg_deconvolve_transfers() fill. */
struct mpg_deconvolution_summary {
    size_t deconvolved, halved; /* numbers of sizes with and without enough samples for a deconvolution */
    double misfit;         /* largest misfit of a size (statistics/deconvolution.h) */
};

/* Makes the one-way times SIZES from the round trips FROM, assuming that both directions have equal and independent
 * distributions. Sizes with fewer than MPG_DECONVOLUTION_MIN_SAMPLES samples: half of each round trip. Errors: out of
 * memory. */
int mpg_deconvolve_round_trips(const struct mpg_exchange_sizes *from, struct mpg_deconvolution_summary *summary,
                         struct mpg_network_sizes *sizes, struct mpg_error *err);

/* Makes the transfer times SIZES from the times until the acknowledgement FROM. The acknowledgement takes one direction of the
 * empty exchanges; the acknowledgement's distribution is deconvolved. With few samples, or older files with only the median of
 * empty exchanges, half the empty round trip is subtracted. Errors: no times of empty exchanges, out of memory. */
int mpg_deconvolve_transfers(const struct mpg_exchange_sizes *from, struct mpg_deconvolution_summary *summary,
                       struct mpg_network_sizes *sizes, struct mpg_error *err);

/* Stores in TIMES the times of exchange E that belong to a distribution and returns the number of times, 0 to 2. CONTEXT: the
 * caller's argument. */
typedef int mpg_pick_function(const struct mpg_measured_exchange *e, const void *context, double times[2]);

/* Adds to SIZES, made from FROM (LAUNCHES launches, PAIRS pairs), the distributions of at most 8 single launches, evenly chosen.
 * If ROWS, also adds at most 8 runs of at most 1024 successive samples of a launch and pair (of two directions only the forward
 * times). PICK: the function that chose the times of SIZES. NULL: times of SIZES are deconvolved; the value of an exchange is
 * then the quantile of SIZES at the rank of the exchange's time. Errors: out of memory. */
int mpg_collect_launches(const struct mpg_exchange_sizes *from, mpg_pick_function *pick,
                         const void *context, size_t launches, size_t pairs, bool rows,
                         struct mpg_network_sizes *sizes, struct mpg_error *err);

/* VALUE consists of the values of PARTS launches; launch k, never empty, begins at START[k] and ends at the next start or N.
 * Makes a distribution for each of at most 8 evenly chosen launches. LAUNCHES stays empty for a single part. Errors: out of
 * memory. */
int mpg_collect_launch_distributions(const double *value, size_t n, const size_t *start, size_t parts,
                      struct mpg_launches *launches, struct mpg_error *err);

struct mpg_keyed {
    size_t key;
    double value;
};

/* For each key among the N elements of KEYED, computes the median of the key's values, MEDIAN[key], and the number of values,
 * COUNT[key] (COUNT may be NULL). Elements of MEDIAN and COUNT for keys that do not occur stay unchanged. Sorts KEYED. */
void mpg_keyed_medians(struct mpg_keyed *keyed, size_t n, double *median, size_t *count);

/* Compares launches, and pairs, by IN's round trips: fills the launches and pairs of OUT, with a warning for each
 * outlier. */
int mpg_collect_groups(struct mpg_collect *c, const struct mpg_collect_path *in,
                       struct mpg_network_path *out, struct mpg_error *err);

/* Makes path OUT, whose class is set, from the samples of IN. */
int mpg_collect_make_path(struct mpg_collect *c, const struct mpg_collect_path *in,
                          struct mpg_network_path *out, struct mpg_error *err);

#endif
