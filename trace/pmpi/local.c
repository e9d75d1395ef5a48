/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/pmpi/local.h"

#include "trace/pmpi/settings.h"
#include "trace/pmpi/sites.h"
#include "trace/pmpi/stream.h"

static uint64_t recorded = 1; /* calls of each function recorded from each site */

void local_start(int rank)
{
    recorded = (uint64_t)setting_number("MPGTRACE_LOCAL", SETTING_INT, 0, INT64_MAX, 1, rank);
}

/* Returns true if the call is among the first RECORDED from its site; else begins a sum for such calls. */
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

/* Counts the off-CPU time of an aggregated call of TIME_NS, and of the compute interval of GAP_NS before the call, as
 * computation. */
static __attribute__((noinline, cold)) void carry_off_cpu(struct stream *stream, int64_t gap_ns,
                                                          int64_t time_ns)
{
    int64_t before_ns, in_ns;
    off_cpu_take(&stream_thread.off_cpu, stream->last_thread == &stream_thread ? gap_ns : 0, time_ns,
                 &before_ns, &in_ns);
    stream->off_between_ns += before_ns + in_ns;
    mpg_trace_carry_off_cpu(stream->writer, before_ns + in_ns);
}

bool local_add(const struct tracer_scope *s, int32_t site)
{
    struct stream *stream = stream_thread.stream;
    const int64_t enter_ns = s->enter_ns > stream->last_ns ? s->enter_ns : stream->last_ns;
    const int64_t leave_ns = s->leave_ns > enter_ns ? s->leave_ns : enter_ns;
    const int64_t time_ns = leave_ns - enter_ns;
    if (__builtin_expect(!mpg_trace_add_sum(stream->writer, s->call, site, time_ns, leave_ns),
                         false)) {
        if (is_among_first(stream, s->call, site))
            return false;
        (void)mpg_trace_add_sum(stream->writer, s->call, site, time_ns, leave_ns);
    }
    if (off_cpu_is_found(&stream_thread.off_cpu))
        carry_off_cpu(stream, enter_ns - stream->last_ns, time_ns);
    stream->last_ns = leave_ns;
    stream->last_thread = &stream_thread;
    streams.summed++;
    return true;
}
