/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What mpgtrace stat gathers in one pass over a trace, and its tables. Private to
 * trace/. */
#ifndef MPG_STAT_H
#define MPG_STAT_H

#include "common/error.h"
#include "common/map.h"
#include "common/table/table.h"
#include "trace/store/chunk.h"
#include "trace/reader.h"
#include "trace/stat/names.h"

/* Of calls that are counted together. */
struct stat_sum {
    uint64_t number;
    double time_ns, least_ns, most_ns, sent_bytes, received_bytes;
};

/* Calls of one kind from one place. */
struct stat_row {
    enum mpg_call call;
    int32_t site; /* or MPG_NO_SITE */
    struct stat_sum sum;
};

/* Regions of one name: those within one of the same name are counted, and take no more time. */
struct stat_region {
    uint64_t number, unended;  /* unended: of them, those that lasted until their rank's end */
    double time_ns, in_mpi_ns; /* in the ranks' runs; in_mpi_ns: inside of MPI, of that */
};

/* A region of this name that a thread of the rank being read is in: DEPTH times. */
struct stat_open {
    int32_t string;
    uint32_t thread, depth;
    int64_t begin_ns;
    uint64_t mpi_ns; /* the thread's time inside of MPI then */
};

/* When a rank was in what, on its own clock. */
struct stat_rank {
    bool started, ended;
    bool killed; /* inside MPI_Finalize */
    int64_t start_ns, end_ns; /* MPI_Init's leave; MPI_Finalize's enter or the last leave */
    struct stat_sum sum; /* of its calls in between, of all threads */
    bool off_cpu_known;  /* whether time off the CPU was recorded; of the time in between, and all threads: */
    double off_between_ns, off_in_ns; /* outside of calls, and in them */
};

/* RANK's run, ns. */
static inline double stat_run_ns(const struct stat_rank *rank)
{
    return rank->started ? (double)(rank->end_ns - rank->start_ns) : 0;
}

/* What part of it is in MPI: of several threads more than 1, if need be. */
static inline double stat_share(const struct stat_rank *rank)
{
    const double run_ns = stat_run_ns(rank);
    return run_ns > 0 ? rank->sum.time_ns / run_ns : 0;
}

/* What part of RANK's run its threads were off their CPUs outside of calls: of several, added up. */
static inline double stat_off_share(const struct stat_rank *rank)
{
    const double run_ns = stat_run_ns(rank);
    return run_ns > 0 ? rank->off_between_ns / run_ns : 0;
}

/* A counter of intervals between calls, over all ranks. */
struct stat_value {
    const char *name; /* with LENGTH bytes */
    size_t length;
    int64_t sum;
};

struct stat_summary {
    struct mpg_trace *trace;
    struct stat_sum calls[MPG_CALL_COUNT];
    struct stat_rank *ranks;
    uint64_t call_number, failed_number, flush_number;
    uint64_t summed_number; /* calls that have no event each */
    double flush_ns, run_ns, longest_ns; /* run: sum and largest over ranks */
    size_t value_number;
    struct stat_value values[MPG_TRACE_MAX_VALUES];
    size_t row_number;
    struct stat_row *rows;
    struct mpg_map row_index; /* (site, call) -> place + 1 */
    size_t region_number;
    struct stat_region *regions; /* by string */
    uint32_t open_number, open_capacity;
    struct stat_open *open;    /* of the rank being read */
    struct mpg_map open_index; /* (string, thread) -> place + 1 */
    struct mpg_map mpi_ns;     /* of the threads with regions: time inside of MPI so far, in the run */
};

/* Reads all of TRACE into S, which the caller clears. */
int mpg_stat_gather(struct mpg_trace *trace, struct stat_summary *s, struct mpg_error *err);
void mpg_stat_clear(struct stat_summary *s);
/* Adds MORE, whose calls are others, to SUM. */
void mpg_stat_join(struct stat_sum *sum, const struct stat_sum *more);

/* How good the recording is, by the ranks' time off their CPUs: the largest and the mean share of their
 * runs, outside of MPI: a call may sleep while it waits. False where it was not recorded, on one rank or
 * more, nothing ran, or the times are predicted ones. */
struct stat_recording {
    double mean_share, most_share;
    int32_t most_rank;
    bool is_good; /* no rank lost more than MPG_STAT_GOOD_SHARE */
};
bool mpg_stat_recording(const struct stat_summary *s, struct stat_recording *recording);
/* Half of the 5 % within which predictions are to be: more makes a recording poor. */
#define MPG_STAT_GOOD_SHARE 0.025

/* The lines before the tables, on standard output, as all below. */
void mpg_stat_print_head(const struct stat_summary *s);
/* TOP: so many rows; 0: all. Errors of tables: out of memory. */
int mpg_stat_print_calls(const struct stat_summary *s, size_t top, struct mpg_error *err);
int mpg_stat_print_regions(const struct stat_summary *s, size_t top, struct mpg_error *err);
/* In their order, or with TOP those with the largest part in MPI. */
int mpg_stat_print_ranks(const struct stat_summary *s, size_t top, struct mpg_error *err);
/* After a table of N rows of which SHOWN are there. */
void mpg_stat_print_more(size_t n, size_t shown);

struct stat_line;

/* All of it as one object, with N LINES of callsites; NULL: those were not asked for. */
int mpg_stat_print_json(const struct stat_summary *s, const struct stat_line *lines, size_t n, struct mpg_error *err);
/* The tables as rows of JSON, all of them. */
int mpg_stat_put_calls(struct mpg_json *json, const struct stat_summary *s, struct mpg_error *err);
int mpg_stat_put_regions(struct mpg_json *json, const struct stat_summary *s, struct mpg_error *err);
int mpg_stat_put_ranks(struct mpg_json *json, const struct stat_summary *s, struct mpg_error *err);
int mpg_stat_put_lines(struct mpg_json *json, const struct stat_line *lines, size_t n, struct mpg_error *err);
/* Cells of these: a call's name; SUM's number, times (all, least, most) and bytes (sent, received). */
void mpg_stat_put_call(struct mpg_table *table, enum mpg_call call);
void mpg_stat_put_sum(struct mpg_table *table, const struct stat_sum *sum);
enum { MPG_STAT_COLUMNS = 16 }; /* at most */

/* Calls of one kind whose places have the same names. */
struct stat_line {
    enum mpg_call call;
    char *places; /* the lines of the last column, innermost first */
    struct stat_sum sum;
};

/* ROWS as lines in *LINES, which the caller frees: those joined whose first FRAMES frames outside of MPI are
 * called the same, the longest in sum first. How many; -1: out of memory. */
int64_t mpg_stat_make_lines(const struct stat_row *rows, size_t n, const struct stat_places *places,
                            struct mpg_symbols *symbols, int frames, struct stat_line **lines,
                            struct mpg_error *err);
int mpg_stat_print_lines(const struct stat_line *lines, size_t n, size_t top, struct mpg_error *err);
void mpg_stat_free_lines(struct stat_line *lines, size_t n);

#endif
