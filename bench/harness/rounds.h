/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measurement of one pair: rounds through all cells of a plan in a fresh order
 * each, a block of exchanges a cell, until every cell has been measured well enough.
 * So a drift of the machine does not look like an effect of size. */
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

enum { MPG_WINDOW_MOST = 4096 };

/* What a benchmark's exchange needs to know. */
struct mpg_bench_exchange {
    MPI_Comm comm; /* the partner is the other of ranks 0 and 1 */
    char *outbox, *inbox;
    int size, window;
    bool eager; /* messages of SIZE are known to go eagerly */
    enum mpg_timer_kind timer;
    MPI_Request *request; /* MPG_WINDOW_MOST of them */
    struct mpg_off_cpu *off; /* of this rank; NULL: not looked for */
};

/* Readings of the timer in a block, one an exchange: on the leading rank when it
 * starts, when all has been sent (where the benchmark notes that) and when the
 * answer is there; on the other when the message is there. Where the answer is taken
 * late, the leading rank notes when it begins to receive it (READY), and of a second
 * one, whose receive was posted before, when it begins to wait for it and has it; the
 * other notes when the second message is there (AGAIN). Both note for how long they were off
 * their CPU: until an exchange's END, or its THERE, since the one before; and the other at the
 * end, after the last answer. */
struct mpg_stamps {
    uint64_t start[MPG_PLAN_MOST_BLOCK], sent[MPG_PLAN_MOST_BLOCK], end[MPG_PLAN_MOST_BLOCK];
    uint64_t there[MPG_PLAN_MOST_BLOCK];
    uint64_t ready[MPG_PLAN_MOST_BLOCK], waits[MPG_PLAN_MOST_BLOCK], waited[MPG_PLAN_MOST_BLOCK];
    uint64_t again[MPG_PLAN_MOST_BLOCK];
    double off_ns[MPG_PLAN_MOST_BLOCK + 1];
    double answer_ns; /* late: how long ago an answer must have begun to be there, in this block */
};

/* N exchanges (1..MPG_PLAN_MOST_BLOCK), each noted in STAMPS: one half of them. */
typedef void mpg_half(const struct mpg_bench_exchange *x, int64_t n, struct mpg_stamps *stamps);

/* How a pair is measured; the same on both ranks. */
struct mpg_rounds {
    mpg_half *lead, *follow;
    bool sent;             /* whether LEAD notes stamps->sent */
    bool late;             /* whether answers are taken late; the total time is then from
                              READY to END. An exchange whose answer may not have been
                              there is dropped, and counted */
    int64_t eager_limit_bytes; /* messages up to that go eagerly; negative: not known */
    bool off_cpu;          /* look for when a rank is off its CPU: where each has a core */
    bool adaptive;         /* cells end at the goal, which exchanges off the CPU do not count
                              for, after five blocks or more; else each gets cell->most samples */
    struct mpg_goal goal;  /* of the time from start to end */
    int64_t warmup;        /* messages before a cell's first block, >= 0 */
    double time_ns;        /* no block starts later, but each cell has one; <= 0: no limit */
    uint64_t seed;         /* draws the orders */
    struct mpg_progress *progress; /* moves from where it is by 1; NULL: none */
    double done;                   /* where it is */
};

/* One exchange, its timers' cost taken out: one reading for each stretch. */
struct mpg_times {
    uint32_t cell;     /* in the plan */
    double total_ns;   /* from start to answer */
    double send_ns;    /* until all was sent, 0 where it was not noted */
    double forward_ns; /* until the other had it */
    double wait_ns;    /* late: for the second answer, else 0 */
    double off_ns;     /* a rank was off its CPU for so long, in the exchange or right beside it */
};

/* What was measured; on rank 0 of the pair only. Zero-initialised is empty. */
struct mpg_measured {
    size_t n;
    struct mpg_times *times; /* in the order taken */
    struct mpg_lack *lack;   /* of each cell, where the rounds were adaptive */
    bool shared;             /* the two read one clock */
    double error_ns;         /* the bound on that of forward_ns */
    double drift;            /* of the other's clock, as mpg_sync_drift() */
    int64_t rounds;
    int64_t dropped;         /* late: exchanges without a sample */
};

/* Measures PLAN's cells (>= 1). Outbox and inbox hold the largest size. Collective
 * over the pair. Errors: out of memory. */
int mpg_rounds_measure(const struct mpg_rounds *rounds, const struct mpg_pair *pair,
                       const struct mpg_bench_plan *plan, const struct mpg_timer *timer,
                       struct mpg_measured *measured, struct mpg_error *err);
void mpg_measured_clear(struct mpg_measured *measured);

#endif
