/* SPDX-License-Identifier: GPL-3.0-or-later */
/* speed_ring RANKS STEPS FOLDER: the native trace of a ring in which messages of 1 KiB travel STEPS
 * steps, every rank sending and receiving in each. In memory is one rank at a time, so that size is
 * limited by the disk alone. FOLDER, which is there, is to be empty. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/error.h"
#include "trace/store/writer.h"

enum { BYTES = 1024, TAG = 7, STEP_NS = 10000, FIRST_NS = 2000, WINDOW_BYTES = 1 << 20 };

static struct mpg_event call(enum mpg_call which, int64_t enter_ns, int64_t leave_ns)
{
    return (struct mpg_event){.call = which, .enter_ns = enter_ns, .leave_ns = leave_ns,
                              .site = MPG_NO_SITE, .newcomm = MPG_NO_COMM,
                              .object = MPG_NO_OBJECT, .done_all = true};
}

static int write_step(struct mpg_trace_writer *w, int32_t rank, int32_t ranks, long step,
                      struct mpg_error *err)
{
    int64_t begin_ns = FIRST_NS + (int64_t)step * STEP_NS;
    struct mpg_event send = call(MPG_CALL_Send, begin_ns, begin_ns + 500),
                     receive = call(MPG_CALL_Recv, begin_ns + 600, begin_ns + 1900);
    send.bytes = receive.bytes = BYTES;
    send.tag = receive.tag = TAG;
    send.to = (rank + 1) % ranks;
    receive.from = (rank + ranks - 1) % ranks;
    return mpg_trace_write_event(w, &send, err) < 0 ? -1 : mpg_trace_write_event(w, &receive, err);
}

static int write_rank(struct mpg_trace_writer *w, int32_t rank, int32_t ranks, long steps,
                      struct mpg_error *err)
{
    const struct mpg_comm_definition world = {
        .parent = MPG_NO_COMM, .label = 0, .size = ranks};
    struct mpg_event init = call(MPG_CALL_Init, 0, 1000);
    int64_t end_ns = FIRST_NS + (int64_t)steps * STEP_NS;
    struct mpg_event finalize = call(MPG_CALL_Finalize, end_ns, end_ns + 100);
    if (mpg_trace_write_fact(w, "clocks", "shared", err) < 0 ||
        mpg_trace_write_comm(w, &world, err) < 0 || mpg_trace_write_event(w, &init, err) < 0)
        return -1;
    for (long i = 0; i < steps; i++)
        if (write_step(w, rank, ranks, i, err) < 0)
            return -1;
    return mpg_trace_write_event(w, &finalize, err) < 0 ? -1 : mpg_trace_writer_close(w, err);
}

/* The file of RANK in FOLDER. */
static int write_file(const char *folder, int32_t rank, int32_t ranks, long steps,
                      struct mpg_error *err)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/rank-%d.mpgt", folder, rank);
    const struct mpg_trace_writer_options options = {
        .name = path, .rank = rank, .ranks = ranks, .window_bytes = WINDOW_BYTES, .level = 3};
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    struct mpg_trace_writer *w = fd < 0 ? NULL : mpg_trace_writer_new(fd, &options, err);
    int status = w ? write_rank(w, rank, ranks, steps, err) : -1;
    if (fd < 0)
        mpg_error_set(err, "%s: cannot be made", path);
    mpg_trace_writer_free(w);
    if (fd >= 0 && close(fd) < 0 && status == 0)
        status = mpg_error_set(err, "%s: cannot be written", path);
    return status;
}

int main(int argc, char **argv)
{
    struct mpg_error err;
    int32_t ranks = argc == 4 ? (int32_t)strtol(argv[1], NULL, 10) : 0;
    long steps = argc == 4 ? strtol(argv[2], NULL, 10) : 0;
    if (ranks < 2 || steps < 1) {
        fprintf(stderr, "usage: speed_ring RANKS STEPS FOLDER\n");
        return 2;
    }
    for (int32_t rank = 0; rank < ranks; rank++)
        if (write_file(argv[3], rank, ranks, steps, &err) < 0) {
            fprintf(stderr, "speed_ring: %s\n", err.text);
            return 1;
        }
    return 0;
}
