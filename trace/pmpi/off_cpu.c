/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the thread's CPU clock and the scheduler's counters, and sets the thread's rseq_cs, with which the kernel indicates
 * interruptions. */
#define _GNU_SOURCE /* for RUSAGE_THREAD */
#include "trace/pmpi/off_cpu.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "common/peek.h"
#include "trace/pmpi/clock.h"
#include "trace/pmpi/report.h"

/* The CPU clocks run at the rate of the hardware counter, without NTP's corrections, as CLOCK_MONOTONIC_RAW. */
#ifdef CLOCK_MONOTONIC_RAW
enum { WALL_CLOCK = CLOCK_MONOTONIC_RAW };
#else
enum { WALL_CLOCK = CLOCK_MONOTONIC };
#endif

enum { TRIES = 4, TRIALS = 32 };

static enum off_cpu_method method;
static int64_t usual_ns = INT64_MAX; /* shortest time of a reading of both clocks, ns */

/* --- rseq --- */

#if defined __linux__ && defined __x86_64__ && !defined __ILP32__
/* Provided by glibc 2.35 and later; NULL with other C libraries. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

enum { CPU_ID = 4, RSEQ_CS = 8, MIN_SIZE = 16 }; /* offsets of members in struct rseq; minimum size of the struct */

/* The kernel requires the signature, registered by glibc, in front of the abort address. The descriptor's range is empty: no
 * sequence is ever aborted. */
static const uint32_t abort_place[2] = {0x53053053, 0};
const struct off_cpu_descriptor off_cpu_descriptor = {
    .start_ip = (uintptr_t)&off_cpu_descriptor,
    .post_commit_offset = 1,
    .abort_ip = (uintptr_t)&abort_place[1]};

/* Returns the address of this thread's rseq_cs, or NULL if glibc has not registered an area. */
static volatile uint64_t *find_flag(void)
{
    char *thread;
    int32_t cpu;
    if (!&__rseq_offset || !&__rseq_size || __rseq_size < MIN_SIZE)
        return NULL;
    __asm__("movq %%fs:0, %0" : "=r"(thread)); /* thread pointer: __rseq_offset counts from this pointer */
    memcpy(&cpu, thread + __rseq_offset + CPU_ID, sizeof cpu);
    return cpu < 0 ? NULL : (volatile uint64_t *)(void *)(thread + __rseq_offset + RSEQ_CS);
}
#else
const struct off_cpu_descriptor off_cpu_descriptor;

static volatile uint64_t *find_flag(void)
{
    return NULL;
}
#endif

/* Sets the thread's rseq_cs, if 0, to the tracer's descriptor: the kernel clears rseq_cs at an interruption. If the program uses
 * rseq_cs, or if only long stretches are examined, own_flag replaces rseq_cs. */
static void arm(struct off_cpu *o)
{
    const uint64_t ours = (uintptr_t)&off_cpu_descriptor;
    if (!o->flag && method == OFF_CPU_RSEQ)
        o->flag = find_flag();
    if (!o->flag || (*o->flag != 0 && *o->flag != ours)) {
        o->flag = &o->own_flag;
        o->own_flag = ours;
    }
    if (*o->flag == 0)
        *o->flag = ours;
}

/* --- clocks --- */

static int64_t read_clock(clockid_t clock)
{
    struct timespec t;
    return clock_gettime(clock, &t) == 0 ? (int64_t)t.tv_sec * 1000000000 + t.tv_nsec : -1;
}

/* Reads both clocks at one moment: the CPU clock between two reads of the wall clock. An interruption between the reads would be
 * missing in all stretches: therefore the function repeats the reading and keeps the reads that are closest together. Returns the
 * distance of these reads, ns. */
static int64_t read_both(int64_t *wall_ns, int64_t *cpu_ns)
{
    int64_t min_ns = INT64_MAX;
    for (int i = 0; i < TRIES && (min_ns == INT64_MAX || min_ns - usual_ns > OFF_CPU_NOISE_NS); i++) {
        const int64_t before_ns = read_clock(WALL_CLOCK);
        const int64_t cpu = read_clock(CLOCK_THREAD_CPUTIME_ID);
        const int64_t after_ns = read_clock(WALL_CLOCK);
        if (after_ns - before_ns > min_ns)
            continue;
        min_ns = after_ns - before_ns;
        *wall_ns = before_ns + min_ns / 2;
        *cpu_ns = cpu;
    }
    return min_ns;
}

/* Reads the clocks and returns the time in ns that the thread lost since the previous reading. Sets the flag first: later
 * interruptions belong to the next stretch. */
static int64_t read_lost(struct off_cpu *o)
{
    const int64_t wall_ns = o->wall_ns, cpu_ns = o->cpu_ns;
    arm(o);
    (void)read_both(&o->wall_ns, &o->cpu_ns);
    return (o->wall_ns - wall_ns) - (o->cpu_ns - cpu_ns);
}

/* --- the scheduler's counters of this thread --- */

/* Returns the number of voluntary context switches of the thread, or -1 if unknown. */
static int64_t read_voluntary(void)
{
#ifdef RUSAGE_THREAD
    struct rusage r;
    if (getrusage(RUSAGE_THREAD, &r) == 0)
        return r.ru_nvcsw;
#endif
    return -1;
}

/* Returns the thread's time in the run queue in ns, or -1 if unknown. Opens the file each time: a program may close foreign
 * descriptors. */
static int64_t read_queued(void)
{
    char text[96];
    long long queued_ns;
    mpg_peek("/proc/thread-self/schedstat", text, sizeof text);
    return sscanf(text, "%*d %lld", &queued_ns) == 1 ? queued_ns : -1;
}

/* Returns the part of LOST_NS during which the thread certainly waited in the run queue after a sleep. Subtracts waiting time
 * already counted in earlier stretches. */
static int64_t queued_of(struct off_cpu *o, int64_t lost_ns)
{
    const int64_t now_ns = read_queued(), grown_ns = now_ns - o->queued_ns - o->counted_ns - o->unread_ns;
    const bool is_known = now_ns >= 0 && o->queued_ns >= 0 && grown_ns >= OFF_CPU_NOISE_NS;
    o->queued_ns = now_ns;
    o->counted_ns = o->unread_ns = 0;
    return !is_known ? 0 : grown_ns < lost_ns ? grown_ns : lost_ns;
}

/* Returns the off-CPU time within LOST_NS (at least OFF_CPU_NOISE_NS) since the previous reading. */
static int64_t count_lost(struct off_cpu *o, int64_t lost_ns, bool has_slept)
{
    if (!has_slept) {
        o->counted_ns += lost_ns;
        return lost_ns;
    }
    if (lost_ns >= OFF_CPU_ASLEEP_NS || o->unread_ns + lost_ns >= OFF_CPU_UNREAD_NS)
        return queued_of(o, lost_ns);
    o->unread_ns += lost_ns;
    return 0;
}

/* --- stretches --- */

/* Begins a stretch (time between two readings) now. Returns the current time, ns. */
static int64_t begin(struct off_cpu *o)
{
    o->begin_ns = clock_now_ns();
    o->stale_ns = o->begin_ns + OFF_CPU_STALE_NS;
    return o->begin_ns;
}

/* Off-CPU time is not recorded in this run: begins a stretch at NOW_NS without reading a clock. Returns NOW_NS. */
static int64_t ignore(struct off_cpu *o, int64_t now_ns)
{
    o->flag = &o->own_flag;
    o->own_flag = (uintptr_t)&off_cpu_descriptor;
    o->stale_ns = INT64_MAX;
    o->begin_ns = now_ns;
    return now_ns;
}

/* Takes a thread's first readings: the begin of the first stretch. */
static void begin_thread(struct off_cpu *o)
{
    (void)read_lost(o);
    o->voluntary = read_voluntary();
    o->queued_ns = read_queued();
}

/* Result of reading the clocks at the end of a stretch. */
struct found {
    int64_t off_ns;   /* time off the CPU up to read_ns */
    int64_t read_ns;  /* time of the reading of the clocks */
    int64_t after_ns; /* time off the CPU between two readings of the clocks, before and after reading the scheduler's counters */
};

/* Ends the stretch at NOW_NS. If the stretch was neither interrupted nor long, the clocks were read only because the last reading
 * was old: the difference sums over many short stretches, and the stretch counts as without time off the CPU. */
static struct found end_stretch(struct off_cpu *o, int64_t now_ns)
{
    struct found found = {.read_ns = now_ns};
    if (!o->flag) {
        begin_thread(o);
        return found;
    }
    const bool was_interrupted = *o->flag == 0, is_long = now_ns - o->begin_ns > OFF_CPU_LONG_NS;
    const int64_t lost_ns = read_lost(o);
    found.read_ns = clock_now_ns();
    if (!was_interrupted && lost_ns < OFF_CPU_NOISE_NS)
        return found;
    const int64_t voluntary = read_voluntary();
    const bool has_slept = voluntary < 0 || voluntary != o->voluntary;
    o->voluntary = voluntary;
    if (lost_ns < OFF_CPU_NOISE_NS)
        return found;
    const int64_t off_ns = count_lost(o, lost_ns, has_slept), after_ns = read_lost(o);
    found.off_ns = was_interrupted || is_long ? off_ns : 0;
    found.after_ns = after_ns < OFF_CPU_NOISE_NS ? 0 : after_ns;
    return found;
}

int64_t off_cpu_look_enter(struct off_cpu *o, int64_t now_ns)
{
    if (method == OFF_CPU_NONE)
        return ignore(o, now_ns);
    const struct found found = end_stretch(o, now_ns);
    o->before_ns += found.off_ns + found.after_ns;
    return begin(o);
}

void off_cpu_look_leave(struct off_cpu *o, int64_t now_ns)
{
    if (method == OFF_CPU_NONE) {
        (void)ignore(o, now_ns);
        return;
    }
    const struct found found = end_stretch(o, now_ns);
    const int64_t late_ns = found.read_ns - now_ns - usual_ns; /* time lost between the end of the call and the reading */
    const int64_t moved_ns = late_ns < OFF_CPU_NOISE_NS ? 0 : late_ns < found.off_ns ? late_ns : found.off_ns;
    o->in_ns = found.off_ns - moved_ns;
    o->after_ns = moved_ns + found.after_ns;
    (void)begin(o);
}

void off_cpu_take(struct off_cpu *o, int64_t gap_ns, int64_t duration_ns, int64_t *before_ns,
                  int64_t *in_ns)
{
    *before_ns = o->before_ns < gap_ns ? o->before_ns : gap_ns;
    *in_ns = o->in_ns < duration_ns ? o->in_ns : duration_ns;
    o->before_ns = o->after_ns + o->in_ns - *in_ns;
    o->in_ns = o->after_ns = 0;
}

int64_t off_cpu_between(struct off_cpu *o, int64_t now_ns)
{
    if (method == OFF_CPU_NONE)
        return 0;
    const struct found found = end_stretch(o, now_ns);
    const int64_t off_ns = o->before_ns + found.off_ns;
    (void)begin(o);
    o->before_ns = found.after_ns;
    return off_ns;
}

/* --- start --- */

double off_cpu_reading_ns(struct off_cpu *o)
{
    int64_t min_ns = INT64_MAX;
    if (method == OFF_CPU_NONE)
        return 0;
    for (int i = 0; i < TRIALS; i++) {
        const int64_t start_ns = clock_now_ns();
        off_cpu_look_leave(o, start_ns);
        const int64_t took_ns = clock_now_ns() - start_ns;
        if (took_ns < min_ns)
            min_ns = took_ns;
    }
    o->before_ns = o->in_ns = o->after_ns = 0;
    return (double)min_ns;
}

/* Returns the method in MPGTRACE_OFF_CPU, or OTHERWISE if the variable is not set. */
static enum off_cpu_method wanted(enum off_cpu_method otherwise, int rank)
{
    static const char *const names[] = {
        [OFF_CPU_NONE] = "none", [OFF_CPU_CLOCK] = "clock", [OFF_CPU_RSEQ] = "rseq"};
    const char *name = getenv("MPGTRACE_OFF_CPU");
    for (int i = OFF_CPU_NONE; name && i <= OFF_CPU_RSEQ; i++)
        if (strcmp(name, names[i]) == 0)
            return (enum off_cpu_method)i;
    if (name && rank == 0)
        report("MPGTRACE_OFF_CPU: '%s' is not rseq, clock or none: ignored", name);
    return otherwise;
}

enum off_cpu_method off_cpu_recorded_by(void)
{
    return method;
}

enum off_cpu_method off_cpu_start(bool needed, int rank)
{
    int64_t wall_ns, cpu_ns;
    const volatile uint64_t *flag = find_flag();
    method = wanted(OFF_CPU_RSEQ, rank);
    if (method == OFF_CPU_RSEQ && (!flag || *flag != 0))
        method = OFF_CPU_CLOCK;
    if (!needed || read_clock(CLOCK_THREAD_CPUTIME_ID) < 0)
        method = OFF_CPU_NONE;
    for (int i = 0; i < TRIALS && method != OFF_CPU_NONE; i++) {
        const int64_t width_ns = read_both(&wall_ns, &cpu_ns);
        if (width_ns < usual_ns)
            usual_ns = width_ns;
    }
    return method;
}
