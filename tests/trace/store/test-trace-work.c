/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tracer's own work as events (TAP): after each of many events, along with the flushes of a small segment. */
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

/* Own work of the caller after each event, which flushes of the writer may extend. */
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

int main(void)
{
    char path[64];
    if (ok(mkdtemp(folder), "a folder")) {
        snprintf(path, sizeof path, "%s/rank-0.mpgt", folder);
        test_work(path);
        rmdir(folder);
    }
    return done();
}
