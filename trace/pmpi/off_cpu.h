/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Off-CPU time: the time during which a runnable thread of the program has no CPU, because other threads occupy
 * the CPU or a hypervisor took it. Recorded for each compute interval and each MPI call.
 *
 * Definition. A stretch is a compute interval or a call. The time lost in a stretch is its wall time minus the thread's CPU time
 * (CLOCK_THREAD_CPUTIME_ID). All of this time counts as off-CPU time, unless the thread gave up the CPU voluntarily in the
 * stretch (ru_nvcsw of getrusage(2) grew): the thread slept, waited in the kernel for a file, a device, a lock or a message, or
 * was stopped (SIGSTOP), which counts as the program's time. After a voluntary switch only the later time in the run queue counts
 * (second number in /proc/thread-self/schedstat), and only for a loss of at least OFF_CPU_ASLEEP_NS; 0 if the kernel has no such
 * counter. Linux counts sched_yield(2) on a contended CPU as a preemption, not as a voluntary switch.
 *
 * Detection. Reading the thread's CPU clock is a system call. The tracer therefore reads the clock only at the end of a stretch
 * that was interrupted or was long. (1) Interrupted: the kernel clears the word rseq_cs in a thread's registered rseq area when
 * the kernel preempts or migrates the thread or delivers a signal, while the instruction pointer is outside of the range in the
 * descriptor at rseq_cs (rseq(2)). The tracer's descriptor has an empty range, and every interruption clears the word. (2) Longer
 * than OFF_CPU_LONG_NS: time stolen by a hypervisor does not clear the word, but is missing in the CPU clock. Kernels from 6.19
 * on also do not clear the word when the thread gave up the CPU inside a system call.
 *
 * glibc registers the area from version 2.35 on. Without a registered area, or if the program uses rseq_cs (the tracer never
 * overwrites a foreign descriptor), only the length decides.
 *
 * Cost. Two comparisons and a store at each end of a call. A reading takes about 0.4 us, less than 1 % of a long
 * stretch. A reading at the end of an interval is part of this interval; a reading at the end of a call is part
 * of the next interval, never of the call. The rank's fact overhead_off_cpu_ns is the time of one reading;
 * overhead_call_ns is the overhead of a call without a reading. After a loss a reading takes 0.6 us more, and 3
 * us more after a sleep of at least OFF_CPU_ASLEEP_NS.
 *
 * Accuracy. Exact to the ns, except for losses below OFF_CPU_NOISE_NS: clock noise, counted as 0. Most kernels
 * count interrupt handlers as CPU time of the thread. For a thread that slept, each loss misses at most
 * OFF_CPU_UNREAD_NS, and time stolen by a hypervisor is not detected. */
#ifndef MPG_TRACER_OFF_CPU_H
#define MPG_TRACER_OFF_CPU_H

#include <stdbool.h>
#include <stdint.h>

enum {
    OFF_CPU_LONG_NS = 50000,  /* longer stretches always read the clocks */
    OFF_CPU_NOISE_NS = 2000,  /* shorter differences are clock noise */
    OFF_CPU_STALE_NS = 10000000, /* maximum age of a reading */
    OFF_CPU_ASLEEP_NS = 100000,  /* shorter losses with a voluntary switch count as sleep only */
    OFF_CPU_UNREAD_NS = 250000   /* limit on the sum of losses below OFF_CPU_ASLEEP_NS; then the run queue is read */
};

enum off_cpu_method { OFF_CPU_NONE, OFF_CPU_CLOCK, OFF_CPU_RSEQ };

/* Off-CPU state of a thread; all zero until the thread's first call. */
struct off_cpu {
    volatile uint64_t *flag;   /* rseq_cs or &own_flag; NULL: the thread has made no call yet */
    uint64_t own_flag;         /* used in place of rseq_cs: never cleared, only the length of a stretch decides */
    int64_t begin_ns;          /* begin of the stretch, on the tracer's clock like all times here */
    int64_t stale_ns;          /* time at which the last reading expires */
    int64_t wall_ns, cpu_ns;   /* last reading, on the system's clocks */
    int64_t voluntary;         /* voluntary switches at the last reading */
    int64_t queued_ns;         /* run-queue time at an earlier reading */
    int64_t counted_ns;        /* off-CPU time counted since the reading of queued_ns in stretches without sleep */
    int64_t unread_ns;         /* upper bound on the uncounted run-queue time in stretches with sleep */
    int64_t before_ns, in_ns;  /* off-CPU time in the interval before the current call, and in the call */
    int64_t after_ns;          /* off-CPU time after the end of the call */
};

/* Layout of struct rseq_cs in the kernel's interface (rseq(2)). */
struct off_cpu_descriptor {
    uint32_t version, flags;
    uint64_t start_ip, post_commit_offset, abort_ip;
} __attribute__((aligned(32)));
extern const struct off_cpu_descriptor off_cpu_descriptor;

/* Selects, before any stretch, the method of recording off-CPU time. MPGTRACE_OFF_CPU (rseq, clock or none) has precedence if the
 * system supports the value. NEEDED: false if off-CPU time is not recorded at all. Rank 0 reports an unknown value. */
enum off_cpu_method off_cpu_start(bool needed, int rank);

/* Returns the method that off_cpu_start() selected. */
enum off_cpu_method off_cpu_recorded_by(void);

/* Read the clocks and end a stretch at NOW_NS: an interval before a call, or a call. off_cpu_look_enter() returns
 * the time at which the call may begin. */
int64_t off_cpu_look_enter(struct off_cpu *o, int64_t now_ns);
void off_cpu_look_leave(struct off_cpu *o, int64_t now_ns);

/* Returns whether the thread's clocks must be read at NOW_NS, the end of an interval or a call: after a long interval or call, or
 * if the thread may have been off the CPU. */
static inline bool off_cpu_must_look(const struct off_cpu *o, int64_t now_ns)
{
    return __builtin_expect(now_ns > o->stale_ns || now_ns - o->begin_ns > OFF_CPU_LONG_NS ||
                                *o->flag != (uintptr_t)&off_cpu_descriptor,
                            false);
}

/* The thread enters a call at NOW_NS: ends the interval before the call. Returns the begin of the call, which is
 * later than NOW_NS if a clock was read. */
static inline int64_t off_cpu_enter(struct off_cpu *o, int64_t now_ns)
{
    if (off_cpu_must_look(o, now_ns))
        return off_cpu_look_enter(o, now_ns);
    o->begin_ns = now_ns;
    return now_ns;
}

/* The thread left the call at NOW_NS. */
static inline void off_cpu_leave(struct off_cpu *o, int64_t now_ns)
{
    if (off_cpu_must_look(o, now_ns))
        off_cpu_look_leave(o, now_ns);
    else
        o->begin_ns = now_ns;
}

/* Returns whether off_cpu_take() has off-CPU time to return. */
static inline bool off_cpu_is_found(const struct off_cpu *o)
{
    return __builtin_expect((o->before_ns | o->in_ns | o->after_ns) != 0, false);
}

/* Returns and clears the off-CPU time of a call of DURATION_NS and of the interval of GAP_NS before the call (both >= 0). Each
 * result is at most the length of the stretch. Excess time of the call is kept for the next interval. */
void off_cpu_take(struct off_cpu *o, int64_t gap_ns, int64_t duration_ns, int64_t *before_ns,
                  int64_t *in_ns);

/* Returns and clears the off-CPU time found by off_cpu_enter(). */
static inline int64_t off_cpu_take_before(struct off_cpu *o)
{
    const int64_t before_ns = o->before_ns;
    o->before_ns = 0;
    return before_ns;
}

/* Ends a stretch between calls at NOW_NS, because the tracer begins or ends writing. Returns the thread's off-CPU time in the
 * stretch, >= 0 ns. */
int64_t off_cpu_between(struct off_cpu *o, int64_t now_ns);

/* Measures the time of one reading in ns; 0 if off-CPU time is not recorded. */
double off_cpu_reading_ns(struct off_cpu *o);

#endif
