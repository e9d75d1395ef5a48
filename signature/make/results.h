/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reader of the benchmarks' results files (docs/results-format.md); a file holds one measurement. */
#ifndef MPG_RESULTS_H
#define MPG_RESULTS_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "signature/signature.h"

enum mpg_benchmark {
    MPG_BENCHMARK_FTQ,
    MPG_BENCHMARK_FWQ,
    MPG_BENCHMARK_DETOUR,
    MPG_BENCHMARK_PINGPONG,
    MPG_BENCHMARK_BANDWIDTH,
    MPG_BENCHMARK_OVERHEAD,
    MPG_BENCHMARK_COLLECTIVE,
    MPG_BENCHMARK_COMPUTE,
    MPG_BENCHMARK_SHARING,
    MPG_BENCHMARK_ONE_SIDED,
    MPG_BENCHMARK_OVERLAP,
    MPG_BENCHMARKS
};

/* Columns of results files. results.c has their names in both versions of the format, docs/results-format.md their meaning for
 * each benchmark. */
enum mpg_column {
    MPG_COLUMN_START_NS,
    MPG_COLUMN_WORK,
    MPG_COLUMN_LOST_NS,
    MPG_COLUMN_DURATION_NS,
    MPG_COLUMN_OFF_CPU_NS,
    MPG_COLUMN_CAUSE,
    MPG_COLUMN_PAIR,
    MPG_COLUMN_SIZE_BYTES,
    MPG_COLUMN_RTT_NS,
    MPG_COLUMN_FORWARD_NS,
    MPG_COLUMN_BACKWARD_NS,
    MPG_COLUMN_WINDOW,
    MPG_COLUMN_TIME_NS,
    MPG_COLUMN_SEND_NS,
    MPG_COLUMN_TRANSFER_NS,
    MPG_COLUMN_RECEIVE_NS,
    MPG_COLUMN_ACK_NS,
    MPG_COLUMN_OPERATION,
    MPG_COLUMN_PROCESSES,
    MPG_COLUMN_KERNEL,
    MPG_COLUMN_CORES,
    MPG_COLUMN_RATE,
    MPG_COLUMN_PAIRS,
    MPG_COLUMN_DIRECTIONS,
    MPG_COLUMN_MESSAGES,
    MPG_COLUMN_CALL_NS,
    MPG_COLUMN_COMPLETE_NS,
    MPG_COLUMN_ALONE_NS,
    MPG_COLUMN_WORK_NS,
    MPG_COLUMN_BOTH_NS,
    MPG_COLUMNS
};

struct mpg_results {
    char *path;
    enum mpg_benchmark benchmark;
    size_t facts;
    struct mpg_fact *fact;   /* header lines in the order of the file */
    size_t samples;
    /* for each column an array with a value of each sample; NULL: the file lacks the column. Values are >= 0; only forward_ns,
     * backward_ns and transfer_ns may be negative, by the clocks' error. */
    double *column[MPG_COLUMNS];
    uint32_t crc32;          /* zlib's crc32() of the file's bytes */
};

/* Returns the benchmark's name in files: "ftq", "fwq", "detour", "pingpong", "bandwidth", "overhead",
 * "collective", "compute", "sharing", "onesided", "overlap". */
const char *mpg_benchmark_name(enum mpg_benchmark benchmark);

/* Reads and checks results file PATH, of version 1 or 2; header keys are those of version 2. Columns may have any order; unknown
 * columns are skipped. The caller frees the result. Errors, naming PATH and line: not readable; no results file; other version;
 * required header line or column missing; sample not finite, negative, or not an integer where required; closing "# end N"
 * missing or wrong. */
struct mpg_results *mpg_results_read(const char *path, struct mpg_error *err);
void mpg_results_free(struct mpg_results *results); /* Frees RESULTS; NULL is allowed. */

/* Stores the number in header line KEY in *VALUE. Errors: line missing, no number, outside MINIMUM..MAXIMUM. */
int mpg_results_number(const struct mpg_results *results, const char *key, double minimum,
                       double maximum, double *value, struct mpg_error *err);

#endif
