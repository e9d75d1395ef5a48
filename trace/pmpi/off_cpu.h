/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time that a thread of the program is off its CPU against its will, for each compute interval and each
 * MPI call: it waits for a CPU, as others have its own, or a hypervisor has taken that.
 *
 * What counts. A stretch is an interval or a call. Wall time less the thread's CPU time
 * (CLOCK_THREAD_CPUTIME_ID) is what the thread lost in it. All of that counts, unless the thread gave up its
 * CPU by itself in the stretch (ru_nvcsw of getrusage(2) has grown): it slept, waited for a file, a device, a
 * lock or a message in the kernel, or was stopped (SIGSTOP), which is the program's own time. Then only
 * what it waited for a CPU afterwards counts, in the run queue (the second number in
 * /proc/thread-self/schedstat), of a loss of OFF_CPU_ASLEEP_NS or more; 0 where the kernel does not tell.
 * sched_yield(2) while others want the CPU is no such giving up: Linux counts it as a preemption.
 *
 * How it is found. A reading of the thread's CPU clock is a system call. So it is read only at the end of a
 * stretch that
 *   - was interrupted: the kernel clears the word rseq_cs of a thread's registered rseq area when it has
 *     preempted or migrated the thread, or delivers a signal to it, while the thread's instruction pointer
 *     is outside of the range that the descriptor at rseq_cs names (rseq(2)). Ours names a range without
 *     instructions, so that any interruption clears the word; or
 *   - took longer than OFF_CPU_LONG_NS: time that a hypervisor steals clears nothing, but the CPU clock
 *     leaves it out. Kernels from 6.19 on do not clear the word either where the thread gave up its CPU
 *     inside of a system call.
 * glibc registers the area from version 2.35 on. Where it does not, and where rseq_cs is in use by
 * somebody else, which is then never overwritten, length alone decides.
 *
 * What it costs. Two comparisons and a store at each end of a call; a reading some 0.4 us, less than 1 %
 * of a stretch that is read for its length. A reading at the end of an interval is part of that
 * interval, one at the end of a call part of the interval behind it: never of a call's time. The rank's
 * fact overhead_off_cpu_ns has what one takes; overhead_call_ns is a call's without any. Where time was
 * lost a reading takes 0.6 us more, and 3 us for who has slept for OFF_CPU_ASLEEP_NS or more.
 *
 * How exact it is. To the ns, but for losses below OFF_CPU_NOISE_NS, which are the clocks' noise and count
 * as 0. What interrupts take is CPU time for most kernels. Of a thread that slept at most what
 * OFF_CPU_UNREAD_NS says is missing in each loss, and nothing of what a hypervisor took is seen. */
#ifndef MPG_TRACER_OFF_CPU_H
#define MPG_TRACER_OFF_CPU_H

#include <stdbool.h>
#include <stdint.h>

enum {
    OFF_CPU_LONG_NS = 50000,  /* a longer stretch is read anyway */
    OFF_CPU_NOISE_NS = 2000,  /* shorter differences are none */
    OFF_CPU_STALE_NS = 10000000, /* readings are renewed after that */
    OFF_CPU_ASLEEP_NS = 100000,  /* who slept, and lost less, waited for no CPU */
    OFF_CPU_UNREAD_NS = 250000   /* of such losses together after the last reading of the run queue */
};

enum off_cpu_way { OFF_CPU_NONE, OFF_CPU_CLOCK, OFF_CPU_RSEQ };

/* Of a thread; all zero until its first call. */
struct off_cpu {
    volatile uint64_t *flag;   /* rseq_cs, or OWN_FLAG; NULL: not begun */
    uint64_t own_flag;         /* never cleared: length alone decides */
    int64_t begin_ns;          /* of the stretch, as all times here on the tracer's clock, */
    int64_t stale_ns;          /* and when the last reading is too old to go by */
    int64_t wall_ns, cpu_ns;   /* that reading, on clocks of the system */
    int64_t voluntary;         /* how often the thread had given up its CPU by then, */
    int64_t queued_ns;         /* how long it had waited for one at some time before, */
    int64_t counted_ns;        /* and since then in stretches without sleep, and */
    int64_t unread_ns;         /* at most in those with it */
    int64_t before_ns, in_ns;  /* found in the interval before the call that is being recorded, and in it */
    int64_t after_ns;          /* found when the call had already left */
};

/* What rseq_cs points to. */
struct off_cpu_descriptor {
    uint32_t version, flags;
    uint64_t start_ip, post_commit_offset, abort_ip;
} __attribute__((aligned(32)));
extern const struct off_cpu_descriptor off_cpu_descriptor;

/* Finds out, before any stretch, how off-CPU time is to be recorded: MPGTRACE_OFF_CPU (rseq, clock,
 * none) wins where the system can do that. NEEDED: whether it is recorded at all. RANK says what is not
 * understood. */
enum off_cpu_way off_cpu_start(bool needed, int rank);

/* As off_cpu_start() found. */
enum off_cpu_way off_cpu_recorded_by(void);

/* Ends a stretch at NOW_NS that has to be looked at: the interval before a call, the call. The first
 * returns when the call may begin. */
int64_t off_cpu_look_enter(struct off_cpu *o, int64_t now_ns);
void off_cpu_look_leave(struct off_cpu *o, int64_t now_ns);

/* Whether the stretch that ends at NOW_NS has to be looked at. */
static inline bool off_cpu_must_look(const struct off_cpu *o, int64_t now_ns)
{
    return __builtin_expect(now_ns > o->stale_ns || now_ns - o->begin_ns > OFF_CPU_LONG_NS ||
                                *o->flag != (uintptr_t)&off_cpu_descriptor,
                            false);
}

/* The thread enters a call at NOW_NS: ends the interval before it. Returns when the call begins, which
 * is later where a clock had to be read. */
static inline int64_t off_cpu_enter(struct off_cpu *o, int64_t now_ns)
{
    if (off_cpu_must_look(o, now_ns))
        return off_cpu_look_enter(o, now_ns);
    o->begin_ns = now_ns;
    return now_ns;
}

/* The thread has left the call at NOW_NS. */
static inline void off_cpu_leave(struct off_cpu *o, int64_t now_ns)
{
    if (off_cpu_must_look(o, now_ns))
        off_cpu_look_leave(o, now_ns);
    else
        o->begin_ns = now_ns;
}

/* Whether off_cpu_take() would give anything. */
static inline bool off_cpu_is_found(const struct off_cpu *o)
{
    return __builtin_expect((o->before_ns | o->in_ns | o->after_ns) != 0, false);
}

/* Takes what was found, for a call of DURATION_NS after an interval of GAP_NS, as far as it fits: both
 * >= 0. What is more of the call's is kept for the interval that has begun. */
void off_cpu_take(struct off_cpu *o, int64_t gap_ns, int64_t duration_ns, int64_t *before_ns,
                  int64_t *in_ns);

/* Takes what off_cpu_enter() found. */
static inline int64_t off_cpu_take_before(struct off_cpu *o)
{
    const int64_t before_ns = o->before_ns;
    o->before_ns = 0;
    return before_ns;
}

/* Ends a stretch between calls at NOW_NS, as the tracer itself begins or ends to write: the thread's
 * off-CPU time in it, >= 0. */
int64_t off_cpu_between(struct off_cpu *o, int64_t now_ns);

/* The time that one reading takes, by trying; 0 where there are none. */
double off_cpu_reading_ns(struct off_cpu *o);

#endif
