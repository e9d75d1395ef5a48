/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run over time, of bounded size for any trace: the parts of the time of groups of ranks in equal bins of time, and the
 * calls of some ranks. Filled by an observer of wait states (analyse/waits.h), of the traced run or of a replica. Only the
 * thread of each rank that called MPI_Init is shown. Times are ns since the first rank left MPI_Init. */
#ifndef MPG_OVERVIEW_H
#define MPG_OVERVIEW_H

#include "analyse/waits.h"
#include "common/table/json.h"
#include "trace/reader.h"

enum { MPG_OVERVIEW_GROUPS = 24, MPG_OVERVIEW_BINS = 96, MPG_OVERVIEW_RANKS = 16, MPG_OVERVIEW_SLICES = 2048 };

/* Parts of a rank's time. WAITING: in wait states. MPI: the rest of the time in MPI calls, transfer and MPI overhead. NOISE:
 * of the traced run the time off the CPU, as far as recorded; of a replica the noise in compute intervals. TRACER: recording
 * in compute intervals. */
enum mpg_overview_part {
    MPG_OVERVIEW_COMPUTATION,
    MPG_OVERVIEW_WAITING,
    MPG_OVERVIEW_MPI,
    MPG_OVERVIEW_NOISE,
    MPG_OVERVIEW_TRACER,
    MPG_OVERVIEW_PARTS
};

/* A call; or several successive calls within a short time. */
struct mpg_overview_slice {
    double from_ns, to_ns;
    double in_calls_ns, wait_ns; /* the time within the calls, and the waiting time within */
    double longest_ns;           /* duration of the longest call; PLACE, PEER and AWAITED belong to this call */
    uint32_t calls;
    struct mpg_call_site place;
    int32_t peer;    /* world rank at the other end of the call's messages; -1: none, or several */
    int32_t awaited; /* world rank for which the call waits; -1: none */
};

/* The calls of a rank. Once there are more than `room` slices, calls close together share a slice. */
struct mpg_overview_row {
    int32_t rank;
    size_t n, room;
    double width_ns; /* successive calls within this time are one slice; 0: each call is a slice */
    struct mpg_overview_slice *slice;
};

struct mpg_overview {
    int32_t ranks;
    enum mpg_wait_times times;
    size_t groups, bins;  /* groups of neighbouring ranks; bins in use, 1 to MPG_OVERVIEW_BINS */
    double bin_ns, run_ns; /* the width of a bin; the run time of the rank that ends last */
    double *sum_ns;       /* [group][bin of MPG_OVERVIEW_BINS][part]: sum over the ranks of the group, ns */
    size_t rows;
    struct mpg_overview_row *row; /* rows of the drawn ranks, ascending */
    /* used while the overview is filled */
    struct mpg_wait_observer observer;
    double begin_ns;      /* aligned time that counts as 0 */
    /* for each rank: end of the last call (negative before the first call); noise so far, and noise up to this end */
    double *at_ns, *noise_ns;
    double *new_noise_ns;
};

/* Returns an empty overview of RANKS ranks; the calls of the N ranks DRAWN (ascending) are shown. TIMES: as for mpg_waits_new().
 * NULL with ERR: no memory. The caller frees the result. */
struct mpg_overview *mpg_overview_new(int32_t ranks, const int32_t *drawn, size_t n, enum mpg_wait_times times,
                                      struct mpg_error *err);
/* Returns the observer of the wait states; the overview owns it. */
const struct mpg_wait_observer *mpg_overview_observer(const struct mpg_overview *overview);
/* Sets time 0 to the time on CLOCKS at which the first rank of TRACE leaves MPI_Init. Not needed for MPG_WAIT_COMMON_CLOCK,
 * where times begin at 0. Returns 0, or -1 with ERR: an error of the trace. */
int mpg_overview_begin(struct mpg_overview *overview, struct mpg_trace *trace, const struct mpg_clock_map *clocks,
                       struct mpg_error *err);
/* Sets the noise in the compute intervals of STEP's rank so far in a replica to NOISE_NS. STEP is the ENTER that the wait states
 * take next; the interval before STEP is included. */
void mpg_overview_noise(struct mpg_overview *overview, const struct mpg_step *step, double noise_ns);
/* Returns whether A and B fit on one time axis: the longer run takes at most ten times as long. */
bool mpg_overview_fit(const struct mpg_overview *a, const struct mpg_overview *b);
/* Makes the bins of A and B equally wide if both runs fit on one time axis. */
void mpg_overview_align(struct mpg_overview *a, struct mpg_overview *b);
void mpg_overview_free(struct mpg_overview *overview); /* NULL is allowed */

/* Return the first and the last rank of GROUP. */
int32_t mpg_overview_first(const struct mpg_overview *overview, size_t group);
int32_t mpg_overview_last(const struct mpg_overview *overview, size_t group);
/* Returns PART's share of the time of GROUP's ranks in BIN, from 0 to 1. The last bin ends with the run. */
double mpg_overview_share(const struct mpg_overview *overview, size_t group, size_t bin, enum mpg_overview_part part);
/* Returns the key of PART, "waiting". */
const char *mpg_overview_key(enum mpg_overview_part part);
/* Returns the kind of CALL for a picture's colour: "send", "receive", "wait", "collective" or "other". */
const char *mpg_overview_kind(enum mpg_call call);
/* Puts the member "names": an array of name and kind of N calls. NUMBER_OF[call] is the call's position in the array, from 1;
 * 0: the call is not in the array. */
void mpg_overview_put_names(struct mpg_json *json, const int number_of[MPG_CALL_COUNT], int n);
/* Puts the member KEY, the parts of N runs with the names KEYS: the groups of ranks (first, last); for each run the length, the
 * width of a bin and, for each part, group and bin, the part's share of the bin in thousandths. */
void mpg_overview_put_heat_map(struct mpg_json *json, const char *key, const struct mpg_overview *const *run,
                               const char *const *keys, size_t n);
/* Puts N runs of TRACE, with the names KEYS, as the member KEY, read by mpgsim's page. Returns 0, or -1 with ERR: no memory;
 * symbols cannot be read. */
int mpg_overview_json(struct mpg_json *json, const char *key, const struct mpg_trace *trace,
                      const struct mpg_overview *const *run, const char *const *keys, size_t n, struct mpg_error *err);

#endif
