/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reader of the results files that the benchmarks leave, one measurement each
 * (docs/results-format.md). */
#ifndef MPG_RESULTS_H
#define MPG_RESULTS_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "signature/signature.h"

enum mpg_benchmark {
    MPG_BENCHMARK_FTQ,
    MPG_BENCHMARK_DETOUR,
    MPG_BENCHMARK_PINGPONG,
    MPG_BENCHMARK_BANDWIDTH,
    MPG_BENCHMARKS
};

/* Columns of each benchmark, in order; the enums name them. */
enum { MPG_RESULTS_COLUMNS = 3 };
enum { MPG_FTQ_START_NS, MPG_FTQ_WORK, MPG_FTQ_LOST_NS };
enum { MPG_DETOUR_START_NS, MPG_DETOUR_DURATION_NS };
enum { MPG_PINGPONG_SIZE_BYTES, MPG_PINGPONG_RTT_NS };
enum { MPG_BANDWIDTH_SIZE_BYTES, MPG_BANDWIDTH_TIME_NS, MPG_BANDWIDTH_ACK_NS };

struct mpg_results {
    char *path;
    enum mpg_benchmark benchmark;
    size_t facts;
    struct mpg_fact *fact;   /* header lines in order */
    size_t samples;
    double *column[MPG_RESULTS_COLUMNS]; /* samples values each, >= 0; unused ones NULL */
    uint32_t crc32;          /* of the file's bytes, zlib's crc32() */
};

/* The benchmark's name in files: "ftq", "detour", "pingpong", "bandwidth". */
const char *mpg_benchmark_name(enum mpg_benchmark benchmark);

/* Reads and checks the whole of PATH. The caller frees the result. Errors name
 * PATH and the line: it cannot be read, is no results file, has another
 * version, lacks a header line, a sample is not finite, is negative, or is not
 * a whole number of bytes, or the closing "# end N" is missing or wrong. */
struct mpg_results *mpg_results_read(const char *path, struct mpg_error *err);
void mpg_results_free(struct mpg_results *results); /* NULL is allowed */

/* The number in header line KEY, within MINIMUM..MAXIMUM; it must be there. */
int mpg_results_number(const struct mpg_results *results, const char *key, double minimum,
                       double maximum, double *value, struct mpg_error *err);

#endif
