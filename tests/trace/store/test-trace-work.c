/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tracer adds to a program's calls (TAP): its own work as events, after each of many events, along with the flushes
 * of a small segment; aggregated calls that are only counted. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/tap.h"
#include "trace/reader.h"
#include "trace/store/writer.h"

static char folder[] = "/tmp/mpgkit-XXXXXX";
static int64_t clock_ns;

static int64_t tick(void)
{
    return clock_ns += 1000;
}

/* Notes own work of the tracer after each event; flushes of the writer may extend it. */
static void test_work(const char *path)
{
    enum { EVENTS = 3000 };
    struct mpg_error err = {.text = ""};
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    const struct mpg_trace_writer_options options = {.ranks = 1, .segment_bytes = 4096, .level = 1, .now_ns = tick};
    struct mpg_trace_writer *w = mpg_trace_writer_new(fd, &options, &err);
    int64_t last_ns = 0, off_ns = 0;
    bool good = w && mpg_trace_writer_worked(w, &(struct mpg_work){.leave_ns = 100}, &last_ns, &err) == 0 &&
                mpg_trace_writer_size(w).events == 0;
    for (int i = 0; good && i < EVENTS; i++) {
        struct mpg_event e = {.call = MPG_CALL_Comm_rank, .site = MPG_NO_SITE};
        e.enter_ns = clock_ns += 10;
        e.leave_ns = clock_ns += 10;
        good = mpg_trace_write_event(w, &e, &err) == 0;
        clock_ns += 3;
        const struct mpg_work work = {
            .enter_ns = clock_ns, .leave_ns = clock_ns + 50 + i % 7, .off_before_ns = i % 3, .off_in_ns = i % 5};
        good = good && mpg_trace_writer_worked(w, &work, &last_ns, &err) == 0 && last_ns >= work.leave_ns;
        off_ns += i % 3 + i % 5;
        clock_ns = clock_ns > last_ns ? clock_ns : last_ns;
    }
    good = good && mpg_trace_writer_close(w, &err) == 0;
    mpg_trace_writer_free(w);
    close(fd);
    struct mpg_trace *t = good ? mpg_trace_open(folder, &err) : NULL;
    struct mpg_cursor *c = t ? mpg_cursor_open(t, 0, &err) : NULL;
    struct mpg_event e;
    int calls = 0, short_ones = 0, exact = 0, longer = 0, more = -1;
    int64_t found_ns = 0, worked_ns = 0;
    while (c && (more = mpg_cursor_next(c, &e, &err)) > 0) {
        found_ns += e.off_before_ns + e.off_in_ns;
        if (e.call != MPG_CALL_Flush) {
            short_ones += calls > 0 && worked_ns < 50 + (calls - 1) % 7;
            exact += calls > 0 && worked_ns == 50 + (calls - 1) % 7;
            longer += calls > 0 && worked_ns > 60;
            calls++;
            worked_ns = 0;
        } else
            worked_ns += e.leave_ns - e.enter_ns;
    }
    ok(more == 0 && calls == EVENTS && short_ones == 0 && longer > 5 && exact + longer == EVENTS - 1,
       "work of the caller's is behind %d events, and with a flush behind %d: %s", exact, longer, err.text);
    ok(found_ns == off_ns, "... with its time off the CPU: %lld ns of %lld", (long long)found_ns, (long long)off_ns);
    mpg_cursor_close(c);
    mpg_trace_close(t);
    unlink(path);
}

/* --- calls that are only counted --- */

/* Three timed calls of 5 ns, two untimed ones, and a timed one of 11 ns, which also counts for these two: 15 + 3 * 11 =
 * 48 ns for six calls. Two more untimed ones take the mean, 8 ns each: 64 ns. Ends by closing (CLOSED), or leaves the
 * file like a killed process. */
static void test_untimed(const char *path, bool closed)
{
    struct mpg_error err = {.text = ""};
    char window[160];
    snprintf(window, sizeof window, "%s/rank-0.window.mpgt", folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    const struct mpg_trace_writer_options options = {.ranks = 1, .segment_bytes = 4096, .level = 1, .segment_path = window};
    struct mpg_trace_writer *w = mpg_trace_writer_new(fd, &options, &err);
    struct mpg_event e = {.call = MPG_CALL_Init, .site = MPG_NO_SITE, .enter_ns = 1, .leave_ns = 2};
    uint64_t *counter = NULL;
    bool good = w && mpg_trace_write_event(w, &e, &err) == 0 && mpg_trace_begin_sum(w, MPG_CALL_Wtime, MPG_NO_SITE, &err) == 0;
    for (int i = 0; good && i < 3; i++)
        good = mpg_trace_add_sum(w, MPG_CALL_Wtime, MPG_NO_SITE, 5, 100 + 10 * i, &counter) && counter;
    for (int i = 0; good && i < 2; i++)
        mpg_trace_count_call(counter);
    good = good && mpg_trace_add_sum(w, MPG_CALL_Wtime, MPG_NO_SITE, 11, 200, &counter);
    for (int i = 0; good && i < 2; i++)
        mpg_trace_count_call(counter);
    const uint64_t summed = good ? mpg_trace_writer_size(w).summed : 0, epoch = mpg_trace_sums_epoch;
    good = good && (!closed || mpg_trace_writer_close(w, &err) == 0);
    ok(good && summed == 8 && (!closed || mpg_trace_sums_epoch != epoch),
       "untimed calls are counted; sums that end make counters invalid");
    mpg_trace_writer_free(w);
    close(fd);
    struct mpg_trace *t = good ? mpg_trace_open(folder, &err) : NULL;
    struct mpg_cursor *c = t ? mpg_cursor_open(t, 0, &err) : NULL;
    bool found = false;
    while (c && mpg_cursor_next(c, &e, &err) > 0)
        found |= e.call == MPG_CALL_Wtime && e.sum.calls == 8 && e.sum.time_ns == 64 && e.sum.min_ns == 5 &&
                 e.sum.max_ns == 11;
    ok(found, "%s: an untimed call takes as long as the next timed one, the last ones the mean: %s", closed ? "closed" : "killed",
       err.text);
    mpg_cursor_close(c);
    mpg_trace_close(t);
    unlink(path);
    unlink(window);
}

/* The tracer measures its overhead with a writer that has no file: more chunks than fit in the segment must be no error. */
static void test_discarded(void)
{
    enum { EVENTS = 20000 };
    struct mpg_error err = {.text = ""};
    const struct mpg_trace_writer_options options = {.ranks = 1, .segment_bytes = 4096, .level = 1};
    struct mpg_trace_writer *w = mpg_trace_writer_new(-1, &options, &err);
    bool good = w;
    for (int i = 0; good && i < EVENTS; i++) {
        struct mpg_event e = {.call = MPG_CALL_Comm_rank, .site = MPG_NO_SITE};
        e.enter_ns = clock_ns += 1000 + i * 7919 % 100003;
        e.leave_ns = clock_ns += 1000 + i * 104729 % 100003;
        good = mpg_trace_write_event(w, &e, &err) == 0;
    }
    ok(good && mpg_trace_writer_size(w).events == EVENTS && mpg_trace_writer_size(w).written_bytes > 4096,
       "a writer without a file discards its chunks: %s", err.text);
    mpg_trace_writer_free(w);
}

int main(void)
{
    char path[64];
    if (ok(mkdtemp(folder), "a folder")) {
        snprintf(path, sizeof path, "%s/rank-0.mpgt", folder);
        test_work(path);
        test_untimed(path, true);
        test_untimed(path, false);
        test_discarded();
        rmdir(folder);
    }
    return done();
}
