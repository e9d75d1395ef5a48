/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tracer adds to a program's calls (TAP): its own work as events, after each of many events, along with the flushes
 * of a small segment; aggregated calls that are only counted; calls that repeat. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tap.h"
#include "trace/reader.h"
#include "trace/shape.h"
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

/* --- calls that repeat --- */

/* Writes EVENTS calls to PATH, mostly in an order that repeats: collectives, sends, waits with requests, time off the CPU, failed
 * calls. PREDICTED: offers collectives to mpg_trace_write_predicted() first. Returns the number of calls that it took; -1: an
 * error. */
static long write_calls(const char *path, bool predicted)
{
    enum { EVENTS = 20000 };
    struct mpg_error err;
    long taken = 0;
    uint32_t draw = 1;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    const struct mpg_trace_writer_options options = {.ranks = 1, .segment_bytes = 4096, .level = 1, .now_ns = tick};
    struct mpg_trace_writer *w = mpg_trace_writer_new(fd, &options, &err);
    clock_ns = 1000;
    for (int i = 0; w && i < EVENTS; i++) {
        const int64_t request = 1 + i / 7;
        const bool odd = (draw = draw * 1664525u + 1013904223u) >> 27 == 0; /* one of 32 */
        struct mpg_event e = {.call = MPG_CALL_Allreduce, .site = i % 5, .comm = i % 5 == 3, .newcomm = MPG_NO_COMM,
                              .object = MPG_NO_OBJECT, .root = i % 5 == 2 ? 3 : 0, .bytes = 8 * (i % 5) + (odd ? i : 0)};
        struct mpg_shape shape = {.call = MPG_CALL_Allreduce, .site = e.site, .comm = e.comm, .root = e.root, .bytes = e.bytes};
        e.enter_ns = clock_ns += draw >> (i % 3 == 0 ? 8 : 20);
        e.leave_ns = clock_ns += draw >> 16 & 2047;
        bool offered = predicted;
        if (i % 7 == 6) {
            e = (struct mpg_event){.call = MPG_CALL_Wait, .site = 9, .enter_ns = e.enter_ns, .leave_ns = e.leave_ns,
                                   .done_all = true, .requests = &request, .request_number = 1};
            offered = false;
        } else if (odd && i % 3 == 0) {
            e.off_in_ns = e.leave_ns - e.enter_ns;
            offered = false;
        } else if (odd && i % 3 == 1) {
            e.failed = true;
            offered = false;
        } else if (odd) {
            mpg_trace_carry_off_cpu(w, 1);
        }
        if (offered && mpg_trace_write_predicted(w, &shape, e.enter_ns, e.leave_ns))
            taken++;
        else if (mpg_trace_write_event(w, &e, &err) < 0)
            taken = -EVENTS - 1;
    }
    if (!w || mpg_trace_writer_close(w, &err) < 0)
        taken = -1;
    mpg_trace_writer_free(w);
    close(fd);
    return taken;
}

/* Returns the content of file PATH, allocated; *BYTES: its size. */
static char *content(const char *path, size_t *bytes)
{
    struct stat st = {0};
    FILE *f = fopen(path, "rb");
    char *text = f && fstat(fileno(f), &st) == 0 ? malloc((size_t)st.st_size + 1) : NULL;
    *bytes = text ? fread(text, 1, (size_t)st.st_size, f) : 0;
    if (f)
        fclose(f);
    return text;
}

static void test_predicted(const char *path)
{
    char other[80];
    size_t bytes, other_bytes;
    snprintf(other, sizeof other, "%s.other", path);
    const long none = write_calls(path, false), taken = write_calls(other, true);
    char *a = content(path, &bytes), *b = content(other, &other_bytes);
    ok(none == 0 && taken > 10000, "%ld calls of 20000 were predicted", taken);
    ok(a && b && bytes > 40000 && bytes == other_bytes && memcmp(a, b, bytes) == 0,
       "... and are stored as others are: %zu bytes", bytes);
    free(a);
    free(b);
    unlink(path);
    unlink(other);
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
        test_predicted(path);
        rmdir(folder);
    }
    return done();
}
