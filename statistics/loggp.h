/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parameters of LogGP from times by message size (Alexandrov, Ionescu, Schauser
 * and Scheiman, "LogGP", SPAA 1995), piecewise: libraries change their protocol with
 * the size. A pure function, thread-safe, deterministic. */
#ifndef MPG_LOGGP_H
#define MPG_LOGGP_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

enum {
    MPG_LOGGP_MAX_SIZES = 4096,
    MPG_LOGGP_MIN_SIZES = 3, /* of a segment */
    MPG_LOGGP_MAX_SEGMENTS = 3,
    MPG_LOGGP_SMALL_BYTES = 64, /* a small message has at most so many */
};

/* Straight line from FROM_BYTES to TO_BYTES: time = latency + size * gap per byte. */
struct mpg_loggp_segment {
    int64_t from_bytes, to_bytes;
    double latency_ns, latency_error_ns;         /* standard errors */
    double gap_per_byte_ns, gap_per_byte_error_ns;
    double residual_sd_ns, worst_relative;       /* of the medians it was fitted to */
};

/* Alexandrov, Ionescu, Schauser and Scheiman, "LogGP", SPAA 1995. */
struct mpg_loggp {
    size_t segments;                 /* ascending, touching at most; 0: no fit */
    struct mpg_loggp_segment *segment;
    double overhead_ns;              /* o: a small send's time; <= 0: not measured */
    double gap_ns;                   /* g: between small messages in a stream; <= 0: not measured */
};

/* Typical (median) times, ascending in size. */
struct mpg_loggp_times {
    size_t n; /* 0: not measured */
    const int64_t *size_bytes;
    const double *time_ns; /* > 0 */
};

/* Fills LOGGP; the caller frees its segment array with free().
 *
 * ONE_WAY is cut into 1 to MPG_LOGGP_MAX_SEGMENTS straight lines of at least
 * MPG_LOGGP_MIN_SIZES sizes each, time = latency + size gap_per_byte. Latency is what
 * an empty message would take, so it contains both overhead terms o. Errors of times are
 * taken as proportional to them (weights 1 / time^2). Where to cut minimises n ln(sum of
 * squared relative residuals / n) + p ln n (Schwarz, Ann. Stat. 6 (1978) 461) over all
 * places, p counting 2 for a line and 2 for a cut, since its place was searched for. One cut
 * is right above EAGER_LIMIT_BYTES (negative: unknown or none), if
 * there are enough sizes on both sides. Standard errors follow from the residuals of each
 * line; 95 % are within Student's t at (sizes - 2) degrees of freedom of them. With too
 * few sizes there are no segments.
 *
 * overhead_ns is the median of SENDER over messages of at most MPG_LOGGP_SMALL_BYTES (the
 * smallest size, if none is as small), gap_ns the same of STREAMING's time per message; 0
 * without. Errors: sizes negative or not ascending, a time that is not positive or is
 * beyond 1e150, more than MPG_LOGGP_MAX_SIZES sizes, out of memory. */
int mpg_loggp_fit(const struct mpg_loggp_times *one_way, const struct mpg_loggp_times *sender,
                  const struct mpg_loggp_times *streaming, int64_t eager_limit_bytes,
                  struct mpg_loggp *loggp, struct mpg_error *err);

#endif
