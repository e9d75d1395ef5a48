/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LogGP parameters from times by message size (Alexandrov, Ionescu, Schauser and Scheiman, "LogGP", SPAA 1995),
 * piecewise, because MPI libraries change their protocol with the size. A pure function, thread-safe,
 * deterministic. */
#ifndef MPG_LOGGP_H
#define MPG_LOGGP_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

enum {
    MPG_LOGGP_MAX_SIZES = 4096,
    MPG_LOGGP_MIN_SIZES = 3, /* sizes of a segment */
    MPG_LOGGP_MAX_SEGMENTS = 3,
    MPG_LOGGP_SMALL_BYTES = 64, /* upper limit of a small message */
};

/* A straight line from FROM_BYTES to TO_BYTES: time = latency + size * gap per byte. */
struct mpg_loggp_segment {
    int64_t from_bytes, to_bytes;
    double latency_ns, latency_error_ns;         /* standard errors */
    double gap_per_byte_ns, gap_per_byte_error_ns;
    double residual_sd_ns, worst_relative;       /* absolute and relative residuals of the fitted medians */
};

/* LogGP parameters of a path; overheads and gap as defined by Alexandrov et al. */
struct mpg_loggp {
    size_t segments;                 /* ascending by size, not overlapping; 0: no fit */
    struct mpg_loggp_segment *segment;
    double overhead_ns;              /* o: time of a small send; <= 0: not measured */
    double gap_ns;                   /* g: gap between small messages of a stream; <= 0: not measured */
};

/* Typical (median) times by ascending size. */
struct mpg_loggp_times {
    size_t n; /* number of sizes; 0: not measured */
    const int64_t *size_bytes;
    const double *time_ns; /* [n]: time of each size, > 0 */
};

/* Fits LOGGP to median times; the caller frees the segment array with free().
 *
 * ONE_WAY is divided into 1 to MPG_LOGGP_MAX_SEGMENTS straight lines of at least MPG_LOGGP_MIN_SIZES sizes, time =
 * latency + size gap_per_byte. The latency of an empty message contains both overheads o. Errors of times count as
 * proportional to the times (weights 1 / time^2). The boundaries minimise n ln(sum of squared relative residuals /
 * n) + p ln n (Schwarz, Ann. Stat. 6 (1978) 461) over all positions; p counts 2 for each line and 2 for each
 * boundary, as its position is searched. A boundary lies directly above EAGER_LIMIT_BYTES (negative: unknown or
 * none) if both sides have enough sizes. Standard errors follow from each line's residuals: 95 % intervals use
 * Student's t with (sizes - 2) degrees of freedom. Too few sizes give no segments.
 *
 * overhead_ns is the median of SENDER over messages of at most MPG_LOGGP_SMALL_BYTES (else the smallest size),
 * gap_ns likewise of STREAMING's time per message; 0 without data. Errors: sizes negative or not ascending, a time
 * not positive or beyond 1e150, more than MPG_LOGGP_MAX_SIZES sizes, out of memory. */
int mpg_loggp_fit(const struct mpg_loggp_times *one_way, const struct mpg_loggp_times *sender,
                  const struct mpg_loggp_times *streaming, int64_t eager_limit_bytes,
                  struct mpg_loggp *loggp, struct mpg_error *err);

#endif
