/* SPDX-License-Identifier: GPL-3.0-or-later */
/* speed_trace PATTERN RANKS STEPS FOLDER: writes the native trace of a program that repeats PATTERN (see
 * patterns.h) STEPS times. Only one rank at a time is in memory, so only the disk limits the size. FOLDER must
 * exist and be empty. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/speed/patterns.h"

enum { FIRST_NS = 2000, SEGMENT_BYTES = 64 << 10 /* the tracer's values */ };

static int write_rank(struct rank *r, const struct pattern *pattern, long steps,
                      struct mpg_error *err)
{
    const struct mpg_comm_definition world = {
        .parent = MPG_NO_COMM, .label = 0, .size = r->ranks};
    struct mpg_event init = pattern_call(MPG_CALL_Init, 0, 1000);
    const int64_t step_ns = pattern->step_ns(r->ranks);
    int64_t end_ns = FIRST_NS + (int64_t)steps * step_ns;
    struct mpg_event finalize = pattern_call(MPG_CALL_Finalize, end_ns, end_ns + 100);
    if (mpg_trace_write_fact(r->writer, "clocks", "shared", err) < 0 ||
        mpg_trace_write_comm(r->writer, &world, err) < 0 ||
        mpg_trace_write_event(r->writer, &init, err) < 0)
        return -1;
    for (long i = 0; i < steps; i++)
        if (pattern->write_step(r, FIRST_NS + (int64_t)i * step_ns, err) < 0)
            return -1;
    return mpg_trace_write_event(r->writer, &finalize, err) < 0 ? -1
               : mpg_trace_writer_close(r->writer, err);
}

/* Writes the file of RANK in FOLDER. */
static int write_file(const char *folder, const struct pattern *pattern, int32_t rank,
                      int32_t ranks, long steps, struct mpg_error *err)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/rank-%d.mpgt", folder, rank);
    const struct mpg_trace_writer_options options = {
        .name = path, .rank = rank, .ranks = ranks, .segment_bytes = SEGMENT_BYTES, .level = 3};
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    struct rank r = {.rank = rank, .ranks = ranks};
    r.writer = fd < 0 ? NULL : mpg_trace_writer_new(fd, &options, err);
    int status = r.writer ? write_rank(&r, pattern, steps, err) : -1;
    if (fd < 0)
        mpg_error_set(err, "%s: cannot be made", path);
    mpg_trace_writer_free(r.writer);
    free(r.requests);
    if (fd >= 0 && close(fd) < 0 && status == 0)
        status = mpg_error_set(err, "%s: cannot be written", path);
    return status;
}

static int usage(void)
{
    fprintf(stderr, "usage: speed_trace PATTERN RANKS STEPS FOLDER; PATTERN is one of");
    for (const struct pattern *p = patterns; p->name; p++)
        fprintf(stderr, " %s", p->name);
    fprintf(stderr, "\n");
    return 2;
}

int main(int argc, char **argv)
{
    struct mpg_error err;
    const struct pattern *pattern = argc == 5 ? pattern_by_name(argv[1]) : NULL;
    int32_t ranks = argc == 5 ? (int32_t)strtol(argv[2], NULL, 10) : 0;
    long steps = argc == 5 ? strtol(argv[3], NULL, 10) : 0;
    if (!pattern || ranks < 2 || steps < 1)
        return usage();
    for (int32_t rank = 0; rank < ranks; rank++)
        if (write_file(argv[4], pattern, rank, ranks, steps, &err) < 0) {
            fprintf(stderr, "speed_trace: %s\n", err.text);
            return 1;
        }
    return 0;
}
