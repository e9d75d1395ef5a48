/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/pmpi/local.h"

#include <endian.h>
#include <string.h>

#include "trace/pmpi/clock.h"
#include "trace/pmpi/settings.h"
#include "trace/pmpi/sites.h"
#include "trace/pmpi/stream.h"

static uint64_t recorded = 1; /* number of recorded calls of a function from one callsite; further calls are only summed */

/* Sums to which the next calls only add a count and no time, by return address and call. Not used in a process with
 * several streams. */
enum { SUM_BITS = 10, SUMS = 1 << SUM_BITS };
enum { TIMED_FIRST = 4, MIN_UNTIMED = 16, DRAW_SHIFT = 27 /* a draw is a 32-bit number shifted to 0 .. 31 */ };
/* From its LONG_SUM-th call on, a sum has enough timed calls for its mean, and LONGER times as many calls stay untimed. */
enum { LONG_SUM = 512, LONGER = 4 };
struct local_sum {
    const void *return_address;
    uint64_t *counter; /* the sum's number of calls, in the segment; valid while EPOCH equals mpg_trace_sums_epoch */
    uint64_t epoch;
    enum mpg_call call;
    uint32_t untimed; /* number of calls until the next timed call */
};
static struct local_sum sums[SUMS];
/* State of a linear congruential generator: numbers of untimed calls are random, because the times of calls may be periodic. */
static uint32_t draw;

static inline struct local_sum *sum_of(enum mpg_call call, const void *return_address)
{
    /* Two alternating calls with a common entry would be timed every time: therefore the table is large and the hash spreads
     * neighbours. */
    return &sums[((uint32_t)(uintptr_t)return_address ^ (uint32_t)call << 8) * 0x9e3779b1u >> (32 - SUM_BITS)];
}

void local_start(int rank)
{
    recorded = (uint64_t)setting_number("MPGTRACE_LOCAL", SETTING_INT, 0, INT64_MAX, 1, rank);
    memset(sums, 0, sizeof sums); /* makes the table's pages present before the first call */
}

/* Returns true if the call is among the first RECORDED calls of CALL from SITE; else begins a sum for further calls. */
static bool is_among_first(struct stream *stream, enum mpg_call call, int32_t site)
{
    struct mpg_error err;
    uint64_t *number = mpg_map_add(&stream->local, (uint64_t)call, (uint64_t)(int64_t)site);
    if (!number || *number < recorded) {
        if (number)
            ++*number;
        return true;
    }
    if ((site != MPG_NO_SITE && sites_define(site, &err) < 0) ||
        mpg_trace_begin_sum(stream->writer, call, site, &err) < 0)
        stream_fail(&err);
    return false;
}

/* Adds the off-CPU time of an aggregated call of TIME_NS, and of the compute interval of GAP_NS before the call, to the
 * off-CPU time between recorded calls. */
static __attribute__((noinline, cold)) void carry_off_cpu(struct stream *stream, int64_t gap_ns,
                                                          int64_t time_ns)
{
    int64_t before_ns, in_ns;
    off_cpu_take(&stream_thread.off_cpu, stream->last_thread == &stream_thread ? gap_ns : 0, time_ns,
                 &before_ns, &in_ns);
    stream->off_between_ns += before_ns + in_ns;
    mpg_trace_carry_off_cpu(stream->writer, before_ns + in_ns);
}

/* Lets local_begin() only count the next calls of S's function from the same place, in COUNTER. Only possible if the return
 * address alone determines the callsite, and the sum. */
static void leave_untimed(const struct tracer_scope *s, uint64_t *counter)
{
    if (streams.threads || le64toh(*counter) < TIMED_FIRST || !sites_is_caller(s->return_address))
        return;
    draw = draw * 1664525u + 1013904223u; /* constants of Numerical Recipes, 2nd edition, section 7.1 */
    const uint32_t untimed = (MIN_UNTIMED + (draw >> DRAW_SHIFT)) * (le64toh(*counter) < LONG_SUM ? 1 : LONGER);
    *sum_of(s->call, s->return_address) = (struct local_sum){.return_address = s->return_address,
                                                             .counter = counter,
                                                             .epoch = mpg_trace_sums_epoch,
                                                             .call = s->call,
                                                             .untimed = untimed};
}

struct local_sum *local_begin(enum mpg_call call, const void *return_address, const void *frame)
{
    struct stream_thread *t = &stream_thread;
    struct local_sum *sum = sum_of(call, return_address);
    if (__builtin_expect(sum->return_address != return_address || sum->call != call || sum->untimed == 0 ||
                             sum->epoch != mpg_trace_sums_epoch || !streams.on || t->depth != 0 || t->locked, false))
        return NULL;
    sum->untimed--;
    t->depth = 1;
    t->frame = (uintptr_t)frame;
    t->return_address = (uintptr_t)return_address;
    return sum;
}

/* Records the call of SUM, which returned RC, as failed. */
static __attribute__((noinline, cold)) void fail(const struct local_sum *sum, int rc)
{
    struct tracer_scope s = {.return_address = sum->return_address,
                             .frame = (const void *)stream_thread.frame,
                             .call = sum->call,
                             .outermost = true,
                             .enter_ns = clock_now_ns()};
    (void)tracer_leave(&s, rc);
}

void local_end(const struct local_sum *sum, int rc)
{
    if (__builtin_expect(rc != MPI_SUCCESS, false)) {
        fail(sum, rc);
        return;
    }
    /* A callback of the program may have ended the sum meanwhile. */
    if (__builtin_expect(sum->epoch == mpg_trace_sums_epoch && streams.on, true))
        mpg_trace_count_call(sum->counter);
    stream_thread.depth = 0;
}

bool local_add(const struct tracer_scope *s, int32_t site)
{
    uint64_t *counter;
    struct stream *stream = stream_thread.stream;
    const int64_t enter_ns = s->enter_ns > stream->last_ns ? s->enter_ns : stream->last_ns;
    const int64_t leave_ns = s->leave_ns > enter_ns ? s->leave_ns : enter_ns;
    const int64_t time_ns = leave_ns - enter_ns;
    if (__builtin_expect(!mpg_trace_add_sum(stream->writer, s->call, site, time_ns, leave_ns, &counter),
                         false)) {
        if (is_among_first(stream, s->call, site))
            return false;
        (void)mpg_trace_add_sum(stream->writer, s->call, site, time_ns, leave_ns, &counter);
    }
    if (counter)
        leave_untimed(s, counter);
    if (off_cpu_is_found(&stream_thread.off_cpu))
        carry_off_cpu(stream, enter_ns - stream->last_ns, time_ns);
    stream->last_ns = leave_ns;
    stream->last_thread = &stream_thread;
    return true;
}
