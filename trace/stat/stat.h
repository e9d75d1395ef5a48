/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums gathered by mpgtrace stat in one pass over a trace, and the tables. Private to trace/ and analyse/compare/. */
#ifndef MPG_STAT_H
#define MPG_STAT_H

#include "common/error.h"
#include "common/map.h"
#include "common/table/table.h"
#include "trace/store/chunk.h"
#include "trace/reader.h"
#include "trace/stat/names.h"

/* Number, times and bytes of a group of calls. */
struct stat_sum {
    uint64_t number;
    double time_ns, min_ns, max_ns, sent_bytes, received_bytes;
    double computation_ns; /* computation before the calls: see struct stat_thread */
};

/* Calls of one function from one callsite. */
struct stat_row {
    enum mpg_call call;
    int32_t site; /* callsite number, or MPG_NO_SITE */
    struct stat_sum sum;
};

/* Regions with a common name. Regions nested in a region with this name are counted but add no time. */
struct stat_region {
    uint64_t number, unended;  /* unended: number of regions that lasted until the end of the rank */
    double time_ns, in_mpi_ns; /* in_mpi_ns: part of time_ns inside MPI; only time within the ranks' runs */
};

/* A region begun by a thread of the current rank: DEPTH nested begins. */
struct stat_open {
    int32_t string;
    uint32_t thread, depth;
    int64_t begin_ns;
    uint64_t mpi_ns; /* time of the thread inside MPI before the region's begin */
};

/* A thread of the current rank since its last call. Computation before a call is the time of the call's thread since the last
 * call, within the run, without local calls (kinds OTHER and PCONTROL, which do not end an interval), flushes, time off the CPU
 * and recording; 0 if the thread only repeats an unsuccessful test or probe at once (trace/polling.h). */
struct stat_thread {
    uint32_t thread;
    enum mpg_call found_nothing; /* the last call, if an unsuccessful test or probe; else MPG_CALL_COUNT */
    int32_t site;                /* callsite of this unsuccessful test or probe */
    int64_t left_ns;  /* leave of the last nonlocal call */
    double except_ns; /* part of the time since left_ns without computation */
};

/* Run and times of a rank, on the rank's clock. */
struct stat_rank {
    bool started, ended;
    bool killed; /* killed inside MPI_Finalize */
    int64_t start_ns, end_ns; /* MPI_Init's leave; MPI_Finalize's enter or the last leave */
    struct stat_sum sum; /* sum over the calls of all threads between start and end */
    double computation_ns; /* computation of MPI_Init's thread before all calls of the run, MPI_Finalize included */
    double polled_ns;      /* of MPI_Init's thread, between unsuccessful tests and repeated tests */
    double recording_ns;   /* time of recording and flushes in MPI_Init's thread between calls */
    bool off_cpu_known;  /* time off the CPU was recorded; the two times below are sums over all threads, between start and end */
    double off_between_ns, off_in_ns; /* time off the CPU outside of calls; inside calls */
};

/* Returns the run time of RANK in ns, 0 without MPI_Init. */
static inline double stat_run_ns(const struct stat_rank *rank)
{
    return rank->started ? (double)(rank->end_ns - rank->start_ns) : 0;
}

/* Returns the share of RANK's run inside MPI, summed over threads, which may exceed 1 with several threads. */
static inline double stat_share(const struct stat_rank *rank)
{
    const double run_ns = stat_run_ns(rank);
    return run_ns > 0 ? rank->sum.time_ns / run_ns : 0;
}

/* Returns the share of RANK's run off the CPU outside of calls, summed over threads. */
static inline double stat_off_share(const struct stat_rank *rank)
{
    const double run_ns = stat_run_ns(rank);
    return run_ns > 0 ? rank->off_between_ns / run_ns : 0;
}

/* A counter recorded between calls, summed over ranks. */
struct stat_value {
    const char *name; /* LENGTH bytes */
    size_t length;
    int64_t sum;
};

struct stat_summary {
    struct mpg_trace *trace;
    struct stat_sum calls[MPG_CALL_COUNT];
    struct stat_rank *ranks;
    uint64_t call_number, failed_number, flush_number;
    uint64_t aggregated_number; /* number of calls aggregated in events */
    double device_sent_bytes, device_received_bytes; /* of the calls' bytes: from and into memory of GPUs */
    double flush_ns, run_ns, longest_ns; /* run_ns, longest_ns: sum and maximum of the ranks' run times */
    size_t value_number;
    struct stat_value values[MPG_TRACE_MAX_VALUES];
    size_t row_number;
    struct stat_row *rows;
    struct mpg_map row_index; /* (site, call) -> 1 + index in `rows` */
    size_t region_number;
    struct stat_region *regions; /* index: string number */
    uint32_t open_number, open_capacity;
    struct stat_open *open;    /* regions open in the current rank */
    struct mpg_map open_index; /* (string, thread) -> 1 + index in `open` */
    uint32_t thread_number, thread_capacity;
    struct stat_thread *threads; /* threads of the current rank */
    double call_cost_ns, sum_cost_ns; /* recording time of a call of the current rank; of an aggregated call */
    struct mpg_map mpi_ns;     /* thread -> time inside MPI so far within the run; only threads with regions */
};

/* Reads all of TRACE into S. Returns 0, or -1 with ERR: damage, out of memory. The caller calls mpg_stat_clear() even
 * after an error. */
int mpg_stat_gather(struct mpg_trace *trace, struct stat_summary *s, struct mpg_error *err);
void mpg_stat_clear(struct stat_summary *s);
/* Adds MORE to SUM; MORE and SUM must not share calls. */
void mpg_stat_join(struct stat_sum *sum, const struct stat_sum *more);

/* Quality of a recording: the ranks' shares of the run off the CPU outside of MPI. Time off the CPU inside MPI does not count,
 * since a call may sleep while waiting. Returns false if a rank has no record of time off the CPU, nothing ran, or the times
 * are predicted. */
struct stat_recording {
    double mean_share, max_share;
    double calls_share; /* of all ranks' time off the CPU inside MPI, as a fraction of their run time */
    int32_t max_rank;
    double overhead_share; /* the tracer's time, as deducted by mpgsim, as a fraction of all ranks' run time; 0: unknown */
    bool is_good; /* no rank exceeds MPG_TRACE_GOOD_OFF */
};
bool mpg_stat_recording(const struct stat_summary *s, struct stat_recording *recording);
/* Returns "good", "fair" or "poor", by the time off the CPU of RECORDING's rank max_rank. */
const char *mpg_stat_recording_verdict(const struct stat_recording *recording);
/* Prints the lines before the tables. All print functions write to standard output. */
void mpg_stat_print_head(const struct stat_summary *s);
/* Print the tables of calls and of regions. TOP: maximum number of rows, 0: all. Return 0; -1 with ERR: out of memory, the
 * only error of all tables. */
int mpg_stat_print_calls(const struct stat_summary *s, size_t top, struct mpg_error *err);
int mpg_stat_print_regions(const struct stat_summary *s, size_t top, struct mpg_error *err);
/* Prints the table of ranks, sorted by rank; if TOP is given, sorted by share in MPI, largest first. */
int mpg_stat_print_ranks(const struct stat_summary *s, size_t top, struct mpg_error *err);
/* Prints the number of missing rows after a table with SHOWN of N rows. */
void mpg_stat_print_more(size_t n, size_t shown);

struct stat_line;

/* Prints the whole summary as one JSON object, with N LINES of callsites (NULL: no callsites). */
int mpg_stat_print_json(const struct stat_summary *s, const struct stat_line *lines, size_t n, struct mpg_error *err);
/* Write the tables as JSON rows, all rows. */
int mpg_stat_put_calls(struct mpg_json *json, const struct stat_summary *s, struct mpg_error *err);
int mpg_stat_put_regions(struct mpg_json *json, const struct stat_summary *s, struct mpg_error *err);
int mpg_stat_put_ranks(struct mpg_json *json, const struct stat_summary *s, struct mpg_error *err);
int mpg_stat_put_lines(struct mpg_json *json, const struct stat_line *lines, size_t n, struct mpg_error *err);
/* Put table cells: the name of CALL; SUM's number, times (sum, minimum, maximum) and bytes (sent, received). */
void mpg_stat_put_call(struct mpg_table *table, enum mpg_call call);
void mpg_stat_put_sum(struct mpg_table *table, const struct stat_sum *sum);
enum { MPG_STAT_COLUMNS = 16 }; /* maximum number of columns of a table */

/* Calls of one function from places with equal names. */
struct stat_line {
    enum mpg_call call;
    char *places; /* names of the places, innermost first, one a line */
    struct stat_sum sum;
};

/* Makes lines from N ROWS in *LINES, which the caller frees by mpg_stat_free_lines(). Rows with equal names of the first FRAMES
 * places outside of MPI become one line. Lines are sorted by time, longest first. Returns the number of lines, or -1: out of
 * memory. */
int64_t mpg_stat_make_lines(const struct stat_row *rows, size_t n, const struct stat_callsites *callsites,
                            struct mpg_symbols *symbols, int frames, struct stat_line **lines,
                            struct mpg_error *err);
int mpg_stat_print_lines(const struct stat_line *lines, size_t n, size_t top, struct mpg_error *err);
void mpg_stat_free_lines(struct stat_line *lines, size_t n);

#endif
