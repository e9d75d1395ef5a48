/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measurement of a pair: rounds through all cells of a plan in random order, with a block of exchanges for each
 * cell, until every cell has reached the goal. Random orders keep machine drift from looking like an effect of message
 * size. */
#ifndef MPG_ROUNDS_H
#define MPG_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/harness/off_cpu.h"
#include "bench/harness/pair.h"
#include "bench/harness/plan.h"
#include "bench/harness/stopping.h"
#include "bench/harness/timer.h"
#include "common/error.h"
#include "common/progress.h"

enum { MPG_WINDOW_MAX = 4096 };

/* Parameters of a block of exchanges. */
struct mpg_bench_exchange {
    MPI_Comm comm; /* communicator of the pair: rank 0 leads, rank 1 answers */
    char *send_buffer, *receive_buffer;
    int size, window;
    int operation; /* of the cell */
    MPI_Win win;   /* of the pair */
    bool eager; /* messages of SIZE bytes are known to be eager */
    enum mpg_timer_kind timer;
    MPI_Request *request; /* MPG_WINDOW_MAX elements */
    struct mpg_off_cpu *off; /* off-CPU time of this rank; NULL: not measured */
};

/* Timer readings of a block, an element for each exchange. Leading rank: START; SENT after the last send (if the
 * benchmark records it); END when the answer has arrived. Other rank: ARRIVED when the message has arrived.
 *
 * With late receives, the leading rank also records RECEIVE_START when it begins to receive the answer, and WAIT_START and
 * WAIT_END around the wait for a second answer with a preposted receive; the other rank records SECOND_ARRIVED when the
 * second message has arrived. With two parts, the leading rank records WAIT_START when the second part begins.
 *
 * OFF_NS: off-CPU time of each rank from the previous exchange until END or ARRIVED; the
 * other rank adds an element after the last answer. */
struct mpg_stamps {
    uint64_t start[MPG_PLAN_MAX_BLOCK], sent[MPG_PLAN_MAX_BLOCK], end[MPG_PLAN_MAX_BLOCK];
    uint64_t arrived[MPG_PLAN_MAX_BLOCK];
    uint64_t receive_start[MPG_PLAN_MAX_BLOCK], wait_start[MPG_PLAN_MAX_BLOCK], wait_end[MPG_PLAN_MAX_BLOCK];
    uint64_t second_arrived[MPG_PLAN_MAX_BLOCK];
    double work_ns[MPG_PLAN_MAX_BLOCK]; /* computation of the leading rank during the exchange's second part */
    double off_ns[MPG_PLAN_MAX_BLOCK + 1];
    double answer_ns; /* late receives: an answer counts as arrived if it was sent at least this long ago (a round trip of this
                         block) */
};

/* Performs a rank's half of N exchanges (1..MPG_PLAN_MAX_BLOCK) and records timer readings in STAMPS. */
typedef void mpg_exchange_half(const struct mpg_bench_exchange *x, int64_t n, struct mpg_stamps *stamps);

/* Parameters of a measurement; equal on both ranks. */
struct mpg_rounds {
    mpg_exchange_half *lead, *follow;
    bool sent;             /* LEAD records stamps->sent, so send_ns is known */
    bool late;             /* late receives: the total time is END - RECEIVE_START; an exchange whose answer may
                              not have arrived by RECEIVE_START is dropped and counted */
    bool two_parts;        /* an exchange has two timed parts on the leading rank, START to SENT and WAIT_START to END; the total
                            * time is the sum of both */
    bool works;            /* LEAD records stamps->work_ns */
    int64_t eager_limit_bytes; /* largest size known to be eager; negative: unknown */
    bool off_cpu;          /* off-CPU time is measured: only useful if each rank has its own core */
    bool adaptive;         /* true: a cell ends at the goal (computed without exchanges with off-CPU time) after at least five
                              blocks; false: after cell->max samples */
    struct mpg_stopping_goal goal;  /* goal for the quantiles of total_ns */
    int64_t warmup;        /* number of messages before a cell's first block, >= 0 */
    double time_ns;        /* time limit: no block starts later, except the first of each cell; <= 0: no limit */
    uint64_t seed;         /* seed of the random orders */
    struct mpg_progress *progress; /* advanced from DONE to DONE + 1 during the measurement; NULL: none */
    double done;                   /* value of PROGRESS before the measurement */
};

/* Times of an exchange. The cost of the timer readings within each time is deducted. */
struct mpg_times {
    uint32_t cell;     /* index of the cell in the plan */
    double total_ns;   /* time from start to answer */
    double send_ns;    /* time until the last send returned; 0: not recorded */
    double forward_ns; /* time until the message arrived at the other rank */
    double wait_ns;    /* late receives: wait for the second answer; two parts: the second; else 0 */
    double off_ns;     /* off-CPU time of both ranks during or directly beside the exchange */
    double work_ns;    /* computation of the leading rank; 0: none */
};

/* Results, on rank 0 of the pair only. Zero-initialised is empty. */
struct mpg_measured {
    size_t n;
    struct mpg_times *times; /* exchanges, in time order */
    struct mpg_unmet_goals *unmet;   /* adaptive rounds: for each cell, the missed goals */
    bool shared;             /* both ranks read the same clock */
    double error_ns;         /* bound on the error of forward_ns */
    double drift;            /* relative drift of the other rank's clock, as mpg_sync_drift() */
    int64_t rounds;
    int64_t dropped;         /* late receives: number of exchanges dropped because an answer may have come too late */
};

/* Measures the cells (>= 1) of PLAN into MEASURED (mpg_measured_clear()). Both buffers of the pair hold
 * the largest size. Collective over the pair. Errors: out of memory. */
int mpg_rounds_measure(const struct mpg_rounds *rounds, const struct mpg_pair *pair,
                       const struct mpg_bench_plan *plan, const struct mpg_timer *timer,
                       struct mpg_measured *measured, struct mpg_error *err);
void mpg_measured_clear(struct mpg_measured *measured);

#endif
