/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that start, record, end and are cancelled, without MPI: streams FOLDER. Prints the number of recorded
 * events. To be built with a data-race detector (tests/trace/pmpi/test-streams.sh). */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "trace/pmpi/clock.h"
#include "trace/pmpi/stream.h"

enum { THREADS = 4, GENERATIONS = 3, EVENTS = 3000, SEGMENT_BYTES = 4096 };

static atomic_long recorded, failures;

static bool record(int tag)
{
    struct mpg_error err;
    int64_t enter_ns = clock_now_ns();
    if (!stream_lock())
        return false;
    struct stream *s = stream_thread.stream;
    enter_ns = off_cpu_enter(&stream_thread.off_cpu, enter_ns);
    off_cpu_leave(&stream_thread.off_cpu, clock_now_ns());
    if (enter_ns < s->last_ns)
        enter_ns = s->last_ns;
    struct mpg_event e = {.call = MPG_CALL_Pcontrol,
                                .site = MPG_NO_SITE,
                                .enter_ns = enter_ns,
                                .leave_ns = enter_ns + 10,
                                .to = tag};
    off_cpu_take(&stream_thread.off_cpu, s->last_thread == &stream_thread ? enter_ns - s->last_ns : 0, 10,
                 &e.off_before_ns, &e.off_in_ns);
    if (mpg_trace_write_event(s->writer, &e, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        failures++;
    }
    s->last_ns = e.leave_ns;
    s->last_thread = &stream_thread;
    recorded++;
    stream_unlock();
    return true;
}

static void *live(void *argument)
{
    for (int i = 0; i < EVENTS; i++)
        record(i % 7);
    return argument;
}

static void *live_until_cut_off(void *argument)
{
    while (record(3)) {
    }
    return argument;
}

static void run(void *(*function)(void *), pthread_t *threads)
{
    for (int i = 0; i < THREADS; i++)
        failures += pthread_create(&threads[i], NULL, function, NULL) != 0;
}

static void join(const pthread_t *threads)
{
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    struct mpg_error err;
    pthread_t threads[THREADS];
    const struct stream_options options = {.directory = argc > 1 ? argv[1] : ".",
                                           .ranks = 1,
                                           .segment_bytes = SEGMENT_BYTES,
                                           .off_cpu = off_cpu_start(true, 0) != OFF_CPU_NONE,
                                           .threads = true};
    clock_calibrate();
    if (streams_open(&options, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    streams.on = true;
    record(1);
    for (int g = 0; g < GENERATIONS; g++) {
        run(live, threads);
        join(threads);
    }
    run(live_until_cut_off, threads);
    live(NULL);
    if (!stream_lock())
        return 1;
    streams_close();
    stream_unlock();
    join(threads);
    printf("%ld\n", (long)recorded);
    return failures > 0;
}
