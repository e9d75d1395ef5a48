/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures the tracer's overhead: artificial calls are recorded into memory instead of a file. */
#include "trace/pmpi/overhead.h"

#include <mpi.h>
#include <stdlib.h>

#include "trace/pmpi/clock.h"
#include "trace/pmpi/local.h"
#include "trace/pmpi/off_cpu.h"
#include "trace/pmpi/profile.h"
#include "trace/pmpi/record.h"
#include "trace/pmpi/stream.h"
#include "trace/pmpi/tracer.h"
#include "trace/pmpi/values.h"

enum { BATCHES = 8, BATCH = 64, SUM_BATCH = 512, SEGMENT_BYTES = 16384 };

/* Does the work of a send's wrapper, without a real call. */
static void record_batch(void)
{
    for (int i = 0; i < BATCH; i++) {
        struct tracer_scope s = TRACER_ENTER(MPG_CALL_Send);
        if (!tracer_leave(&s, MPI_SUCCESS) || !tracer_lock())
            continue;
        struct mpg_event e = {.call = s.call, .newcomm = MPG_NO_COMM, .tag = i & 3, .bytes = 1024};
        tracer_write(&s, &e);
    }
}

/* Return address of the program's call of MPI_Init. Used for artificial calls, because call stacks leave out the tracer's
 * frames. */
static const void *program;

/* Does the work of MPI_Wtime's wrapper, always for one call site. */
static void sum_up_batch(void)
{
    for (int i = 0; i < SUM_BATCH; i++) {
        struct local_sum *sum = local_begin(MPG_CALL_Wtime, program, __builtin_dwarf_cfa());
        if (sum) {
            local_end(sum, MPI_SUCCESS);
            continue;
        }
        struct tracer_scope s = tracer_enter(MPG_CALL_Wtime, program, __builtin_dwarf_cfa(), __builtin_frame_address(0));
        if (tracer_leave(&s, MPI_SUCCESS))
            record_other(&s);
    }
}

/* Returns the time of a call in the fastest of several batches of N calls. */
static double best_ns(void (*batch)(void), int n)
{
    int64_t best_ns = INT64_MAX;
    for (int b = 0; b < BATCHES; b++) {
        int64_t start_ns = clock_now_ns();
        batch();
        int64_t took_ns = clock_now_ns() - start_ns;
        if (took_ns < best_ns)
            best_ns = took_ns;
    }
    return (double)best_ns / n;
}

struct overhead overhead_measure(void)
{
    const struct mpg_trace_writer_options options = {
        .ranks = 1, .segment_bytes = SEGMENT_BYTES, .level = 1};
    struct stream scratch = {.fd = -1}, *real = streams.first;
    struct stream_thread outside = stream_thread;
    struct overhead cost = {0, 0, 0, 0};
    scratch.writer = mpg_trace_writer_new(-1, &options, NULL);
    if (!scratch.writer)
        return cost;
    program = (const void *)stream_thread.return_address;
    streams.first = stream_thread.stream = &scratch;
    stream_thread.depth = 0;
    streams.on = true;
    cost.call_ns = best_ns(record_batch, BATCH);
    cost.cpu_ns = (double)values_cpu_ns();
    cost.sum_ns = best_ns(sum_up_batch, SUM_BATCH);
    cost.off_cpu_ns = off_cpu_reading_ns(&stream_thread.off_cpu);
    streams.on = false;
    streams.first = real;
    stream_thread = outside;
    profile_clear();
    for (int i = 0; i < STREAM_TABLES; i++)
        free(scratch.defined[i].bits);
    mpg_map_clear(&scratch.local);
    mpg_trace_writer_free(scratch.writer);
    return cost;
}
