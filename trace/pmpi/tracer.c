/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Common to all wrappers: the begin and end of a call, and writing the call's record. */
#include "trace/pmpi/tracer.h"

#include "trace/pmpi/callsites.h"
#include "trace/pmpi/counts.h"
#include "trace/pmpi/local.h"
#include "trace/pmpi/clock.h"
#include "trace/pmpi/event.h"
#include "trace/pmpi/pauses.h"
#include "trace/pmpi/profile.h"
#include "trace/pmpi/record.h"
#include "trace/pmpi/sites.h"
#include "trace/pmpi/snapshot.h"
#include "trace/pmpi/stream.h"
#include "trace/pmpi/values.h"
#include "trace/shape.h"

enum { SAMPLE = 31 }; /* the tracer's overhead is measured in one of SAMPLE calls, by two more readings of the clock */

/* Returns whether the call at this frame is made inside the outermost MPI call of the thread. False if the stack is only similar:
 * a later call from the same function has the same frame but a different return address, and an error handler or callback may
 * have left the outermost call by longjmp or an exception. Takes some microseconds, which is acceptable because nested calls are
 * rare. */
static __attribute__((noinline, cold)) bool is_inside(const void *return_address, const void *frame, const void *base)
{
    const struct stream_thread *t = &stream_thread;
    return (uintptr_t)frame < t->frame &&
           callsites_lead_to(return_address, frame, base, (const void *)t->return_address, (const void *)t->frame);
}

/* Returns whether CALL is local. The time of local calls counts as computation, because most of them leave no record. */
static bool is_computation(enum mpg_call call)
{
    const enum mpg_kind kind = mpg_call_kind(call);
    return kind == MPG_KIND_OTHER || kind == MPG_KIND_PCONTROL;
}

/* Before a call: gives the thread a stream, if missing, and reads the counters. This time belongs to the compute interval before
 * the call. */
static __attribute__((noinline)) void prepare(enum mpg_call call)
{
    if (!stream_thread.stream)
        stream_claim();
    if (values_number && !is_computation(call))
        values_enter();
}

/* Recording is paused: goes on if it is time. Returns whether recording stays paused: the times of calls are then not read, and
 * stay 0. A call of another thread that is in progress when recording goes on has no duration. */
static __attribute__((noinline, cold)) bool stays_paused(void)
{
    const int64_t now_ns = pauses.next_ns < INT64_MAX ? clock_now_ns() : 0;
    stream_thread.entering_ns = -1;
    if (now_ns >= pauses.next_ns && stream_thread.stream)
        pauses_turn(now_ns);
    return pauses.on;
}

static int64_t write_own_work(int64_t enter_ns);

/* Pauses, goes on, or begins a part of the run, at NOW_NS, when this is due. Returns the time at which the call enters. */
static __attribute__((noinline, cold)) int64_t turn(int64_t now_ns)
{
    if (!pauses_turn(now_ns) || !tracer_lock())
        return now_ns;
    write_own_work(now_ns);
    tracer_unlock();
    return clock_now_ns();
}

struct tracer_scope tracer_enter(enum mpg_call call, const void *return_address,
                                 const void *frame, const void *base)
{
    struct stream_thread *t = &stream_thread;
    tracer_real_be_found(return_address);
    if (__builtin_expect(t->depth > 0, false) && !is_inside(return_address, frame, base))
        t->depth = 0;
    struct tracer_scope s = {.return_address = return_address,
                             .frame = frame,
                             .base = base,
                             .call = call,
                             .outermost = t->depth++ == 0};
    if (!s.outermost)
        return s;
    t->frame = (uintptr_t)frame;
    t->return_address = (uintptr_t)return_address;
    if (streams.on && __builtin_expect(values_number || !t->stream, false))
        prepare(call);
    if (__builtin_expect(pauses.on, false) && stays_paused())
        return s;
    const int64_t begin_ns = s.enter_ns = clock_now_ns();
    if (streams.on && t->stream) {
        if (__builtin_expect(begin_ns >= pauses.next_ns, false))
            s.enter_ns = turn(begin_ns);
        s.enter_ns = off_cpu_enter(&t->off_cpu, s.enter_ns);
        mpg_trace_writer_inside(t->stream->writer, call, s.enter_ns);
    }
    t->entering_ns = t->calls++ % SAMPLE == 0 ? clock_now_ns() - begin_ns : -1;
    return s;
}

/* Measures the tracer's overhead for the call S, which has just been recorded. In a program the overhead is much larger than in
 * the loops of overhead.c, because the program displaces the tracer's code and data from the caches. Leaves out calls with a
 * flush or an interruption. */
static __attribute__((noinline, cold)) void measure(const struct tracer_scope *s)
{
    enum { MAX_NS = 10000 };
    const int64_t took_ns = stream_thread.entering_ns + clock_now_ns() - s->leave_ns;
    stream_thread.entering_ns = -1;
    if (took_ns >= MAX_NS)
        return;
    streams.sample_ns[streams.measured++ % STREAM_SAMPLES] = (int32_t)took_ns;
    streams.measured_ns += took_ns;
}

bool tracer_records(const struct tracer_scope *s)
{
    return s->outermost && streams.on;
}

static __attribute__((noinline, cold)) void record_failed(struct tracer_scope *s)
{
    if (!tracer_lock())
        return;
    struct mpg_event e = event_of(s);
    e.failed = true;
    tracer_write(s, &e);
}

bool tracer_leave(struct tracer_scope *s, int rc)
{
    struct stream_thread *t = &stream_thread;
    if (!s->outermost) {
        t->depth -= t->depth > 0;
        return false;
    }
    t->depth = 0;
    if (!streams.on)
        return false;
    if (__builtin_expect(pauses.on, false))
        return rc == MPI_SUCCESS;
    s->leave_ns = clock_now_ns();
    t->in_calls_ns += s->enter_ns ? s->leave_ns - s->enter_ns : 0;
    off_cpu_leave(&t->off_cpu, s->leave_ns);
    if (rc == MPI_SUCCESS)
        return true;
    record_failed(s);
    return false;
}

void tracer_fail(const struct mpg_error *err)
{
    stream_fail(err);
}

void tracer_out_of_memory(void)
{
    struct mpg_error err;
    mpg_error_set(&err, "out of memory");
    stream_fail(&err);
}

struct mpg_trace_writer *tracer_writer(void)
{
    return stream_thread.stream->writer;
}

bool tracer_lock(void)
{
    return stream_lock();
}

void tracer_unlock(void)
{
    stream_unlock();
}

/* Returns whether sums of local calls must be ended before EVENT, a mark of the run's time. */
static inline bool is_mark(const struct mpg_event *event)
{
    return event->call <= MPG_CALL_Finalize; /* the lowest numbers: begin and end of regions, MPI_Init, MPI_Finalize */
}

/* Sets the time off the CPU before and in EVENT. If the stream has no previous call, or a previous call of another thread, this
 * thread has no interval before EVENT. */
static __attribute__((noinline, cold)) void add_off_cpu(struct stream *stream, struct mpg_event *event)
{
    struct stream_thread *t = &stream_thread;
    const int64_t gap_ns = stream->last_thread == t ? event->enter_ns - stream->last_ns : 0;
    off_cpu_take(&t->off_cpu, gap_ns, event->leave_ns - event->enter_ns, &event->off_before_ns,
                 &event->off_in_ns);
    stream->off_between_ns += event->off_before_ns;
    stream->off_in_ns += event->off_in_ns;
}

/* Writes EVENT; if its callsite is new, first the callsite's definition. Returns 1 for a new callsite, else 0; -1 with ERR. */
static int write_out(struct stream *stream, const struct mpg_event *event, struct mpg_error *err)
{
    struct mpg_trace_writer *writer = stream->writer;
    const bool is_defined = event->site == MPG_NO_SITE || stream_has(stream, STREAM_SITES, event->site);
    const int fresh = is_defined ? 0 : sites_define(event->site, err);
    if (fresh < 0 || (is_mark(event) && mpg_trace_end_sums(writer, err) < 0))
        return -1;
    return mpg_trace_write_event(writer, event, err) < 0 ? -1 : fresh;
}

/* Returns NS (>= 0), limited to LIMIT_NS; 0 if LIMIT_NS is negative. */
static inline int64_t at_most(int64_t ns, int64_t limit_ns)
{
    return ns < limit_ns ? ns : limit_ns > 0 ? limit_ns : 0;
}

/* Records the tracer's work since ENTER_NS, in the compute interval, as a Flush event. Returns the event's length, ns; 0 if
 * nothing is recorded. */
static __attribute__((noinline, cold)) int64_t write_own_work(int64_t enter_ns)
{
    struct mpg_error err;
    struct stream_thread *t = &stream_thread;
    struct mpg_work work = {.enter_ns = enter_ns, .leave_ns = clock_now_ns()};
    if (work.leave_ns <= enter_ns || profile_is_on())
        return 0;
    work.off_before_ns = off_cpu_take_before(&t->off_cpu);
    off_cpu_enter(&t->off_cpu, work.leave_ns);
    work.off_in_ns = at_most(off_cpu_take_before(&t->off_cpu), work.leave_ns - enter_ns);
    work.off_before_ns = t->stream->last_thread == t ? at_most(work.off_before_ns, enter_ns - t->stream->last_ns) : 0;
    t->stream->off_between_ns += work.off_before_ns + work.off_in_ns;
    if (mpg_trace_writer_worked(t->stream->writer, &work, &t->stream->last_ns, &err) < 0)
        stream_fail(&err);
    return work.leave_ns - enter_ns;
}

/* Called when writing EVENT took longer than the usual overhead of a call, which readers of the trace deduct: records the excess
 * as a Flush event. NEW_STACK: a new stack was one reason. */
static __attribute__((noinline, cold)) void write_long_work(const struct mpg_event *event, bool new_stack)
{
    const bool goes_on = streams.on && event->call != MPG_CALL_Finalize;
    const int64_t work_ns = goes_on ? write_own_work(event->leave_ns + streams.call_ns) : 0;
    stream_thread.entering_ns = -1;
    if (new_stack)
        streams.stacks_ns += work_ns;
}

void tracer_restart_enter(struct tracer_scope *s)
{
    struct stream_thread *t = &stream_thread;
    if (pauses.on)
        return;
    if (s->enter_ns > 0) /* 0: the call began in a pause, which another thread has ended */
        write_own_work(s->enter_ns);
    s->enter_ns = off_cpu_enter(&t->off_cpu, clock_now_ns());
    mpg_trace_writer_inside(t->stream->writer, s->call, s->enter_ns);
}

/* The times of a call in its stream: clocks of two cores may differ by some ns after a thread has migrated. */
static inline int64_t enter_of(const struct tracer_scope *s, const struct stream *stream)
{
    return s->enter_ns > stream->last_ns ? s->enter_ns : stream->last_ns;
}
static inline int64_t leave_of(const struct tracer_scope *s, int64_t enter_ns)
{
    return s->leave_ns > enter_ns ? s->leave_ns : enter_ns;
}

/* Ends the record of the call S in STREAM, whose event is written. Unlocks. */
static inline __attribute__((always_inline)) void end_record(const struct tracer_scope *s, const struct stream *stream)
{
    const bool full = streams.threads && mpg_trace_writer_is_full(stream->writer);
    if (__builtin_expect(stream_thread.entering_ns >= 0, false))
        measure(s);
    stream_unlock();
    if (full)
        stream_flush();
}

bool tracer_write_repeated(const struct tracer_scope *s, struct mpg_shape *shape)
{
    struct stream *stream = stream_thread.stream;
    const int64_t enter_ns = enter_of(s, stream), leave_ns = leave_of(s, enter_ns);
    shape->site = MPG_NO_SITE;
    if (__builtin_expect(s->enter_ns == 0, false))
        return false;
    shape->call = (uint32_t)s->call;
    shape->site = sites_capture(s);
    if (values_number || off_cpu_is_found(&stream_thread.off_cpu) || (streams.special && profile_is_on()) ||
        !mpg_trace_write_predicted(stream->writer, shape, enter_ns, leave_ns))
        return false;
    stream->last_ns = leave_ns;
    stream->last_thread = &stream_thread;
    streams.calls++;
    if (__builtin_expect(streams.special, false)) /* only calls of collectives come here */
        counts_add(COUNT_COLLECTIVES, shape->comm, MPG_PROC_NULL, 0);
    end_record(s, stream);
    return true;
}

/* Recording is paused: counts EVENT. Returns whether EVENT is written nevertheless; otherwise unlocks. */
static __attribute__((noinline, cold)) bool write_paused(const struct mpg_event *event)
{
    if (pauses_count(event))
        return true;
    stream_unlock();
    if (values_number)
        values_leave();
    return false;
}

void tracer_write(const struct tracer_scope *s, struct mpg_event *event)
{
    if (__builtin_expect(pauses.on, false))
        tracer_write_at(s, event, MPG_NO_SITE);
    else
        tracer_write_at(s, event, sites_capture(s));
}

/* Returns S, which began while recording was paused, as a call of no duration at the leave. */
static inline struct tracer_scope at_leave(const struct tracer_scope *s)
{
    struct tracer_scope now = *s;
    now.enter_ns = now.leave_ns = s->leave_ns ? s->leave_ns : clock_now_ns();
    return now;
}

/* Adds EVENT to the profile, or follows EVENT for later snapshots. Returns whether EVENT is to be written. */
static bool is_written(const struct mpg_event *event)
{
    if (profile_is_on()) {
        profile_add(event, event->site);
        return false;
    }
    snapshot_follow(event);
    return streams.on;
}

void tracer_write_at(const struct tracer_scope *s, struct mpg_event *event, int32_t site)
{
    struct mpg_error err;
    struct stream *stream = stream_thread.stream;
    if (__builtin_expect(pauses.on, false) && !write_paused(event))
        return;
    struct tracer_scope now;
    if (__builtin_expect(s->enter_ns == 0, false)) {
        now = at_leave(s);
        s = &now;
    }
    if (event->persistent && event->request_number == 0)
        pauses_note(event);
    if (event->resolution_number > 0 && !pauses.on)
        pauses_complete(event, s->enter_ns);
    event->thread = stream->thread;
    event->enter_ns = enter_of(s, stream);
    event->leave_ns = leave_of(s, event->enter_ns);
    if (values_number) {
        if (is_computation(s->call))
            values_enter();
        event->value_number = values_number;
        event->values = values_interval();
    }
    event->site = site;
    if (off_cpu_is_found(&stream_thread.off_cpu))
        add_off_cpu(stream, event);
    stream->last_ns = event->leave_ns;
    stream->last_thread = &stream_thread;
    if (event->call != MPG_CALL_Region_begin && event->call != MPG_CALL_Region_end)
        streams.calls++;
    int fresh = 0;
    if ((__builtin_expect(!streams.special, true) || is_written(event)) && (fresh = write_out(stream, event, &err)) < 0)
        stream_fail(&err);
    if (__builtin_expect(fresh > 0 || event->request_number > TRACER_LONG_LIST, 0))
        write_long_work(event, fresh > 0);
    end_record(s, stream);
    if (values_number)
        values_leave();
}

bool tracer_sum_up(const struct tracer_scope *s)
{
    if (!pauses.on && (profile_is_on() || !local_add(s, sites_capture(s))))
        return false;
    stream_thread.entering_ns = -1;
    stream_unlock();
    return true;
}
