/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Network results on one class of path, by message size: collect_network.c
 * gathers them, collect_path.c makes distributions of them. */
#ifndef MPG_COLLECT_NETWORK_H
#define MPG_COLLECT_NETWORK_H

#include <stdbool.h>

#include "signature/make/collect_private.h"

/* One exchange; NAN where the file does not say. */
struct mpg_measured_exchange {
    double time_ns;   /* pingpong: the round trip; bandwidth: until the acknowledgement;
                         overhead: inside the receive */
    double there_ns;  /* pingpong: forward; bandwidth: the transfer; of clocks compared */
    double back_ns;   /* pingpong: backward; bandwidth: the empty exchange's round trip */
    double send_ns;   /* bandwidth, overhead: inside the send */
    int32_t launch, pair; /* indices into the path's */
};

/* All exchanges of one size; those of one launch are in the order of time. */
struct mpg_exchanges {
    int64_t size_bytes;
    size_t n, capacity;
    struct mpg_measured_exchange *exchange;
};

struct mpg_exchange_sizes { /* ascending in size */
    size_t n;
    struct mpg_exchanges *size;
};

/* What the clocks of one launch's two sides are good for. */
struct mpg_exchange_launch {
    int64_t id;
    bool shared;         /* one clock */
    double error_ns;     /* bound of the error between the clocks; NAN: not compared */
};

struct mpg_collect_path {
    struct mpg_exchange_sizes pingpong, bandwidth, stream, overhead;
    size_t launches, transfer_launches, overhead_launches;
    struct mpg_exchange_launch *launch;   /* of pingpong */
    struct mpg_exchange_launch *transfer; /* of bandwidth */
    struct mpg_exchange_launch *overhead_launch;
    size_t pairs;
    char **pair;                          /* "ranks 0 and 1; hosts ..." */
    int64_t window;                       /* the largest of streams; 0: none */
    size_t eager_limits;
    double *eager_limit_bytes;
};

/* ---- one-way times by the clocks (collect_clocks.c) ---- */

enum mpg_measured_clocks {
    MPG_CLOCKS_NONE,  /* cannot be compared */
    MPG_CLOCKS_SHAPE, /* comparable but for an offset: what they say is moved */
    MPG_CLOCKS_GOOD,  /* their error is small against the times */
    MPG_CLOCKS_ONE    /* they are one */
};

struct mpg_one_way {
    enum mpg_measured_clocks clocks;
    double error_ns;        /* bound; 0 when the clocks are one */
    size_t launches, pairs;
    double *shift_ns;       /* of SHAPE: by launch and pair; otherwise NULL */
};

/* How LIST's there_ns may be used; it is of LAUNCHES launches and PAIRS pairs. An
 * error below a tenth of the least one-way time passes for none. A larger one, up
 * to twice that time, is taken for an offset that is constant in each launch and
 * pair: they are moved so that half of the exchanges of the smallest size are
 * faster there than back, unless the two ways of an exchange are correlated
 * below -0.3, as by clocks that wander, exchanges of the smallest size are not
 * SYMMETRIC, or some launch and pair has none. The caller clears WAYS. */
int mpg_one_way_find(const struct mpg_exchange_sizes *list,
                     const struct mpg_exchange_launch *launch, size_t launches, size_t pairs,
                     bool symmetric, struct mpg_one_way *ways, struct mpg_error *err);
void mpg_one_way_clear(struct mpg_one_way *ways);

/* E's time there, >= 0; what is left of e->time_ns is its way back. */
double mpg_one_way_there(const struct mpg_one_way *ways, const struct mpg_measured_exchange *e);

/* How the two ways of LIST's exchanges compare by the clocks of WAYS: *ASYMMETRY is by how much
 * the medians of those of one size there and back differ, as a part of their mean, at the size
 * of 200 exchanges or more where it is most; *CORRELATION that of their ranks (Spearman) at the smallest size. Errors:
 * out of memory. */
int mpg_one_way_compare(const struct mpg_exchange_sizes *list, const struct mpg_one_way *ways,
                        double *asymmetry, double *correlation, struct mpg_error *err);

/* ---- without clocks: by deconvolution (collect_parts.c) ---- */

/* How sums were parted. */
struct mpg_parting {
    size_t parted, halved; /* sizes of enough samples for a deconvolution, and others */
    double misfit;         /* the worst (statistics/deconvolution.h) */
};

/* SIZES of one-way times from round trips, each way independent of the other; of
 * fewer than MPG_DECONVOLUTION_MIN_SAMPLES half of each round trip. */
int mpg_part_round_trips(const struct mpg_exchange_sizes *from, struct mpg_parting *parting,
                         struct mpg_network_sizes *sizes, struct mpg_error *err);

/* SIZES of transfers from times until the acknowledgement. Its distribution, that
 * of one way of the empty exchanges, is taken out of those; with few samples, or
 * where old results state only the empty exchanges' median, half of a round trip is.
 * Errors: neither is there; out of memory. */
int mpg_part_transfers(const struct mpg_exchange_sizes *from, struct mpg_parting *parting,
                       struct mpg_network_sizes *sizes, struct mpg_error *err);

/* The times of exchange E of which a distribution is made; returns how many it
 * put into TIMES, 0 to 2. CONTEXT is the caller's. */
typedef int mpg_pick_fn(const struct mpg_measured_exchange *e, const void *context, double times[2]);

/* What SIZES, made of FROM (of LAUNCHES launches and PAIRS pairs), has besides: the
 * distribution of each launch by itself, of at most 8, evenly chosen; with ROWS, stretches
 * of successive samples of one launch and pair (of two ways, of the way there), at most 8 of at
 * most 1024. PICK took SIZES' times; NULL: they come from deconvolution, and an exchange has
 * the quantile that its time has among all. Errors: out of memory. */
int mpg_collect_launches(const struct mpg_exchange_sizes *from, mpg_pick_fn *pick,
                         const void *context, size_t launches, size_t pairs, bool rows,
                         struct mpg_network_sizes *sizes, struct mpg_error *err);

/* One distribution each of the parts of VALUE, at most 8 of the PARTS, evenly chosen; part k
 * begins at START[k] and ends where the next one does, or at N; none is empty. LAUNCHES stays
 * empty with one part. */
int mpg_collect_parts(const double *value, size_t n, const size_t *start, size_t parts,
                      struct mpg_launches *launches, struct mpg_error *err);

struct mpg_keyed {
    size_t key;
    double value;
};

/* MEDIAN[key], and COUNT[key] unless COUNT is NULL, of the values of each key
 * among N; those of other keys stay as they are. Sorts KEYED. */
void mpg_keyed_medians(struct mpg_keyed *keyed, size_t n, double *median, size_t *count);

/* OUT's launches and pairs from IN's round trips; a warning of each outlier. */
int mpg_collect_groups(struct mpg_collect *c, const struct mpg_collect_path *in,
                       struct mpg_network_path *out, struct mpg_error *err);

/* Fills OUT, which has everything NULL or 0 but its class, from IN. */
int mpg_collect_make_path(struct mpg_collect *c, const struct mpg_collect_path *in,
                          struct mpg_network_path *out, struct mpg_error *err);

#endif
