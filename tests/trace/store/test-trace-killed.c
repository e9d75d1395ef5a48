/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process killed while it appends a chunk (TAP), with aggregated calls that are not yet events: before the chunk
 * is written, after half of it, and after the whole chunk but before the segment is reset. No call may be lost or
 * duplicated. */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"
#include "trace/reader.h"
#include "trace/store/writer.h"

enum { CHUNKS = 40, KINDS = 4 };
enum moment { BEFORE, HALF, AFTER, MOMENTS };

static char folder[] = "test-trace-killed.XXXXXX";
static char file[64], window[64];
static struct mpg_error err;
static const enum mpg_call kinds[KINDS] = {MPG_CALL_Wtime, MPG_CALL_Comm_rank, MPG_CALL_Comm_size,
                                           MPG_CALL_Wtick};

/* Counts of the process's calls, in shared memory that survives the process. */
struct made {
    volatile uint64_t calls[KINDS], times_ns[KINDS], barriers;
};
static struct made *made;

/* number of writes until the process dies, and when it dies in the last one */
static int writes_left = -1;
static enum moment moment;

/* Replaces the C library's write(), for the writer only. */
ssize_t write(int fd, const void *data, size_t size)
{
    const bool last = writes_left > 0 && --writes_left == 0;
    if (last && moment == BEFORE)
        kill(getpid(), SIGKILL);
    if (last && moment == HALF)
        size /= 2;
    const ssize_t n = syscall(SYS_write, fd, data, size);
    if (last)
        kill(getpid(), SIGKILL);
    return n;
}

static bool sum_up(struct mpg_trace_writer *w, int kind, int64_t time_ns, int64_t leave_ns)
{
    if (!mpg_trace_add_sum(w, kinds[kind], MPG_NO_SITE, time_ns, leave_ns, NULL) &&
        (mpg_trace_begin_sum(w, kinds[kind], MPG_NO_SITE, &err) < 0 ||
         !mpg_trace_add_sum(w, kinds[kind], MPG_NO_SITE, time_ns, leave_ns, NULL)))
        return false;
    made->calls[kind]++;
    made->times_ns[kind] += (uint64_t)time_ns;
    return true;
}

static int64_t clock_ns;
static int64_t now(void)
{
    return clock_ns += 17;
}

/* Aggregates calls of each kind, and writes barriers, forever. Every seventh round turns all sums into events. */
static void go_on(struct mpg_trace_writer *w)
{
    const int32_t world[] = {0};
    const struct mpg_comm_definition c = {.parent = MPG_NO_COMM, .size = 1, .world_ranks = world};
    if (mpg_trace_write_comm(w, &c, &err) < 0)
        return;
    for (uint64_t i = 0;; i++) {
        for (int kind = 0; kind < KINDS; kind++)
            for (uint64_t k = 0; k < (i + (uint64_t)kind) % 5; k++) {
                clock_ns += 29;
                if (!sum_up(w, kind, (int64_t)(3 + k), clock_ns))
                    return;
            }
        if (i % 7 == 3 && mpg_trace_end_sums(w, &err) < 0)
            return;
        clock_ns += 1000;
        const struct mpg_event e = {.call = MPG_CALL_Barrier, .site = MPG_NO_SITE,
                                    .newcomm = MPG_NO_COMM, .enter_ns = clock_ns,
                                    .leave_ns = clock_ns + 123};
        made->barriers++; /* counted before it is written: the barrier is in the segment before its chunk is written */
        if (mpg_trace_write_event(w, &e, &err) < 0)
            return;
        clock_ns += 123;
    }
}

static void die_at(int chunk, bool timed)
{
    const struct mpg_trace_writer_options o = {.ranks = 1, .segment_bytes = 4096, .level = 1,
                                               .segment_path = window, .now_ns = timed ? now : NULL};
    const int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    struct mpg_trace_writer *w = mpg_trace_writer_new(fd, &o, &err);
    writes_left = chunk;
    if (w)
        go_on(w);
    _exit(1);
}

/* Returns whether the trace has all calls, or one barrier less if the process died while it wrote it. */
static bool is_whole(void)
{
    struct made got = {.barriers = 0};
    struct mpg_trace *t = mpg_trace_open(folder, &err);
    struct mpg_cursor *c = t ? mpg_cursor_open(t, 0, &err) : NULL;
    struct mpg_event e;
    static int told;
    int more = -1;
    while (c && (more = mpg_cursor_next(c, &e, &err)) > 0) {
        got.barriers += e.call == MPG_CALL_Barrier;
        for (int kind = 0; kind < KINDS; kind++)
            if (e.call == kinds[kind]) {
                got.calls[kind] += (uint64_t)e.sum.calls;
                got.times_ns[kind] += (uint64_t)e.sum.time_ns;
            }
    }
    mpg_cursor_close(c);
    mpg_trace_close(t);
    bool whole = more == 0 && got.barriers <= made->barriers && got.barriers + 1 >= made->barriers;
    for (int kind = 0; kind < KINDS; kind++) {
        const bool same = got.calls[kind] == made->calls[kind] &&
                          got.times_ns[kind] == made->times_ns[kind];
        whole = whole && same;
        if (!same && !told++)
            printf("# MPI_%s: %llu calls of %llu, %llu ns of %llu\n", mpg_call_name(kinds[kind]),
                   (unsigned long long)got.calls[kind], (unsigned long long)made->calls[kind],
                   (unsigned long long)got.times_ns[kind],
                   (unsigned long long)made->times_ns[kind]);
    }
    return whole;
}

static void test_moment(enum moment when, bool timed)
{
    static const char *const names[] = {"before a chunk is written", "when half of it is",
                                        "when it is in the file and in the window"};
    int lost = 0, alive = 0;
    moment = when;
    for (int chunk = 1; chunk <= CHUNKS; chunk++) {
        unlink(file);
        unlink(window);
        memset(made, 0, sizeof *made);
        const pid_t child = fork();
        if (child == 0)
            die_at(chunk, timed);
        int status;
        waitpid(child, &status, 0);
        alive += !WIFSIGNALED(status);
        lost += !is_whole();
    }
    ok(alive == 0, "killed in each of %d chunks", CHUNKS);
    ok(lost == 0, "%s%s: nothing is lost, nor there twice", names[when],
           timed ? ", its writing being timed" : "");
}

int main(void)
{
    made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED || !mkdtemp(folder)) {
        printf("Bail out! no memory, or no folder\n");
        return 1;
    }
    snprintf(file, sizeof file, "%s/rank-0.mpgt", folder);
    snprintf(window, sizeof window, "%s/rank-0.window.mpgt", folder);
    for (int timed = 0; timed < 2; timed++)
        for (enum moment when = 0; when < MOMENTS; when++)
            test_moment(when, timed);
    unlink(file);
    unlink(window);
    rmdir(folder);
    return done();
}
