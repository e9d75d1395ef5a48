/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Segments (TAP): a process killed at random moments, or a full disk, loses no event already written. Segments that
 * do not belong to the trace are reported. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/tap.h"
#include "trace/reader.h"
#include "trace/store/sums.h"
#include "trace/store/writer.h"

enum { KILLS = 150, NEW_COMM = 40, LONGEST_LIST = 200 };

static char folder[] = "test-trace-window.XXXXXX";
static char file[64], window[64], saved_file[64], saved_window[64];
static struct mpg_error err;

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
    return x ^ (x >> 32);
}

/* Returns event I, equal for writer and reader. LISTS: memory for its lists. */
static struct mpg_event event_of(uint64_t i, int64_t *lists)
{
    uint64_t r = mix(i);
    static const enum mpg_call calls[] = {MPG_CALL_Send, MPG_CALL_Irecv, MPG_CALL_Waitall,
                                          MPG_CALL_Allreduce, MPG_CALL_Alltoallv,
                                          MPG_CALL_Comm_rank};
    struct mpg_event e = {.call = calls[r % 6], .site = MPG_NO_SITE, .newcomm = MPG_NO_COMM,
                          .done_all = true, .bytes = (int64_t)(r >> 40)};
    e.comm = (int32_t)(i / NEW_COMM);
    e.enter_ns = (int64_t)(i * 100000 + r % 1000);
    e.leave_ns = e.enter_ns + (int64_t)(r % (i % 10 ? 300 : 90000));
    e.tag = (int32_t)(r >> 8 & 1);
    if (i % 5 == 1) { /* calls are 100 us apart, and shorter than 90 us */
        e.off_before_ns = (int64_t)(r >> 16 & 0x1fff);
        e.off_in_ns = (e.leave_ns - e.enter_ns) / 2;
    }
    for (int k = 0; k < LONGEST_LIST; k++)
        lists[k] = (int64_t)(mix(r + (uint64_t)k) >> 34) + 1;
    uint32_t n = (uint32_t)(i % 97 == 0 ? LONGEST_LIST : r % 4);
    if (e.call == MPG_CALL_Irecv)
        n = 1;
    if (e.call == MPG_CALL_Alltoallv)
        e.count_number = n;
    else if (e.call == MPG_CALL_Irecv || e.call == MPG_CALL_Waitall)
        e.request_number = n;
    e.counts = e.requests = lists;
    return e;
}

static bool same_event(const struct mpg_event *a, const struct mpg_event *b)
{
    bool has_bytes = a->call != MPG_CALL_Comm_rank && a->call != MPG_CALL_Waitall;
    return a->call == b->call && a->enter_ns == b->enter_ns && a->leave_ns == b->leave_ns &&
           (!has_bytes || (a->bytes == b->bytes && a->comm == b->comm)) &&
           a->off_before_ns == b->off_before_ns && a->off_in_ns == b->off_in_ns &&
           a->count_number == b->count_number && a->request_number == b->request_number &&
           (b->count_number == 0 ||
            memcmp(a->counts, b->counts, b->count_number * sizeof *b->counts) == 0) &&
           (b->request_number == 0 ||
            memcmp(a->requests, b->requests, b->request_number * sizeof *b->requests) == 0);
}

/* --- writing --- */

static struct mpg_trace_writer *open_writer(size_t segment_bytes, int *fd)
{
    const struct mpg_trace_writer_options options = {.rank = 0, .ranks = 1,
                                                     .segment_bytes = segment_bytes, .level = 1,
                                                     .segment_path = window};
    *fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    return mpg_trace_writer_new(*fd, &options, &err);
}

static int write_one(struct mpg_trace_writer *w, uint64_t i)
{
    static int64_t lists[LONGEST_LIST];
    static const int32_t world[] = {0};
    struct mpg_event e = event_of(i, lists);
    if (i % NEW_COMM == 0) {
        const struct mpg_comm_definition c = {.comm = e.comm, .parent = e.comm - 1,
                                              .label = e.comm, .size = 1, .world_ranks = world};
        if (mpg_trace_write_comm(w, &c, &err) < 0)
            return -1;
    }
    mpg_trace_writer_inside(w, e.call, e.enter_ns);
    return mpg_trace_write_event(w, &e, &err);
}

/* --- reading --- */

/* Returns the number of events of the trace at PATH, or -1 if one differs from the written event. */
static int64_t read_events(const char *path, struct mpg_trace **trace)
{
    static int64_t lists[LONGEST_LIST];
    struct mpg_trace *t = mpg_trace_open(path, &err);
    struct mpg_cursor *c = t ? mpg_cursor_open(t, 0, &err) : NULL;
    struct mpg_event e, x;
    int64_t n = 0;
    int more = -1;
    while (c && (more = mpg_cursor_next(c, &e, &err)) > 0) {
        x = event_of((uint64_t)n, lists);
        if (!same_event(&e, &x))
            break;
        n++;
    }
    mpg_cursor_close(c);
    if (!trace || more != 0)
        mpg_trace_close(t);
    else
        *trace = t;
    return more == 0 ? n : -1;
}

/* Removes all files, also those of processes that were killed before they renamed their segment. */
static void clear_folder(void)
{
    DIR *all = opendir(folder);
    for (struct dirent *one; all && (one = readdir(all));)
        if (one->d_name[0] != '.')
            unlinkat(dirfd(all), one->d_name, 0);
    if (all)
        closedir(all);
}

/* Erases the mark of the writing process, as if another host had written the segment, so that the reader cannot see
 * whether the writer runs. */
static void forget_process(void)
{
    const uint64_t none = 0;
    int fd = open(window, O_WRONLY);
    if (fd < 0 || pwrite(fd, &none, sizeof none, 120) != (ssize_t)sizeof none)
        printf("Bail out! %s\n", window);
    close(fd);
}

static bool copy_file(const char *from, const char *to)
{
    static uint8_t bytes[1 << 20];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    size_t n = in && out ? fread(bytes, 1, sizeof bytes, in) : 0;
    bool good = n > 0 && n < sizeof bytes && fwrite(bytes, 1, n, out) == n;
    if (in)
        (void)fclose(in);
    return out && fclose(out) == 0 && good;
}

/* --- killed --- */

static void write_for_ever(volatile uint64_t *written, size_t segment_bytes)
{
    int fd;
    struct mpg_trace_writer *w = open_writer(segment_bytes, &fd);
    if (!w)
        _exit(1);
    for (uint64_t i = 0; write_one(w, i) == 0; i++)
        *written = i + 1;
    _exit(1);
}

static void test_killed(void)
{
    volatile uint64_t *written = mmap(NULL, sizeof *written, PROT_READ | PROT_WRITE,
                                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int lost = 0, wrong = 0, inside_wrong = 0, cut = 0, empty = 0;
    uint64_t total = 0;
    for (uint64_t k = 0; k < KILLS; k++) {
        clear_folder();
        *written = 0;
        pid_t child = fork();
        if (child == 0)
            write_for_ever(written, (size_t)4096 << k % 4);
        const struct timespec delay = {.tv_nsec = (long)(mix(k + 1000003) % 20000000)};
        nanosleep(&delay, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        int64_t expected = (int64_t)*written;
        total += (uint64_t)expected;
        struct mpg_trace *t = NULL;
        int64_t n = read_events(folder, &t);
        if (n < 0 && expected == 0) { /* killed before its segment existed */
            empty++;
            continue;
        }
        if (n < 0)
            printf("# kill %llu: %s\n", (unsigned long long)k, err.text);
        wrong += n < 0;
        lost += n >= 0 && n != expected && n != expected + 1;
        if (n < 0)
            continue;
        enum mpg_call call;
        int64_t enter_ns, lists[LONGEST_LIST];
        struct mpg_event next = event_of((uint64_t)n, lists);
        bool died = mpg_trace_died(t, 0, 0, &call, &enter_ns);
        inside_wrong += !died || (call != MPG_CALL_COUNT &&
                                  (call != next.call || enter_ns != next.enter_ns));
        cut += mpg_trace_cut(t) != NULL;
        mpg_trace_close(t);
    }
    ok(wrong == 0 && lost == 0 && total > KILLS,
       "killed %d times, after %llu events: none is lost or changed (%d wrong, %d lost, %d empty)",
       KILLS, (unsigned long long)total, wrong, lost, empty);
    ok(inside_wrong == 0, "it is known what call they died in");
    ok(cut == 0, "half a chunk that the window has whole is no loss");
    munmap((void *)written, sizeof *written);
    clear_folder();
}

/* --- read while it is written --- */

static void test_live(void)
{
    enum { READS = 200, LONG = 200000 };
    volatile uint64_t *written = mmap(NULL, sizeof *written, PROT_READ | PROT_WRITE,
                                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int wrong = 0;
    for (int reads = 0; reads < READS;) {
        clear_folder();
        *written = 0;
        pid_t child = fork();
        if (child == 0)
            write_for_ever(written, 4096);
        while (*written == 0) {
            const struct timespec short_time = {.tv_nsec = 100000};
            nanosleep(&short_time, NULL);
        }
        for (; reads < READS && *written < LONG; reads++)
            if (read_events(folder, NULL) < 0) {
                printf("# %s\n", err.text);
                wrong++;
            }
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    ok(wrong == 0, "read %d times while it is written (%d wrong)", READS, wrong);
    munmap((void *)written, sizeof *written);
    clear_folder();

    int fd;
    uint64_t i = 0;
    struct mpg_event e;
    struct mpg_trace_writer *w = open_writer(4096, &fd);
    mpg_trace_writer_flush(w, &err);
    for (; i < 300; i++)
        write_one(w, i);
    mpg_trace_writer_flush(w, &err);
    for (; i < 310; i++)
        write_one(w, i);
    struct mpg_trace *t = mpg_trace_open(folder, &err);
    for (; i < 1000; i++)
        write_one(w, i);
    mpg_trace_writer_close(w, &err);
    struct mpg_cursor *c = t ? mpg_cursor_open(t, 0, &err) : NULL;
    int more = -1;
    for (i = 0; c && (more = mpg_cursor_next(c, &e, &err)) > 0; i++)
        ;
    ok(more == 0 && i == 310, "a window that was appended after the trace had been opened");
    mpg_cursor_close(c);
    mpg_trace_close(t);
    mpg_trace_writer_free(w);
    close(fd);
    clear_folder();
}

/* --- segments of a process that still runs --- */

static void test_windows(void)
{
    int fd;
    uint64_t i = 0;
    struct mpg_trace *t = NULL;
    enum mpg_call call;
    int64_t enter_ns;
    struct mpg_trace_writer *w = open_writer(4096, &fd);
    for (; i < 10; i++)
        write_one(w, i);
    ok(read_events(folder, NULL) == 10, "a window and no chunk");
    mpg_trace_writer_inside(w, MPG_CALL_Barrier, 1234567);
    (void)read_events(folder, &t);
    ok(t && mpg_trace_runs(t, 0) && !mpg_trace_died(t, 0, 0, &call, &enter_ns),
       "its process runs");
    mpg_trace_close(t);
    forget_process();
    (void)read_events(folder, &t);
    ok(t && !mpg_trace_runs(t, 0) && mpg_trace_died(t, 0, 0, &call, &enter_ns) &&
           call == MPG_CALL_Barrier && enter_ns == 1234567,
       "in a call");
    mpg_trace_close(t);
    copy_file(window, saved_window);
    ok(mpg_trace_writer_flush(w, &err) == 0 && read_events(folder, NULL) == 10,
       "a chunk and an empty window");
    (void)read_events(folder, &t);
    ok(t && mpg_trace_died(t, 0, 0, &call, &enter_ns) && call == MPG_CALL_Barrier,
       "in a call, still");
    mpg_trace_close(t);
    copy_file(window, saved_file);
    copy_file(saved_window, window);
    ok(read_events(folder, NULL) == 10, "a window whose chunk is in the file");
    copy_file(saved_file, window);

    for (; i < 300; i++)
        write_one(w, i);
    mpg_trace_writer_flush(w, &err);
    for (; i < 305; i++)
        write_one(w, i);
    ok(read_events(folder, &t) == 305, "chunks and a window");
    struct stat st;
    ok(t && stat(file, &st) == 0 && mpg_trace_bytes(t) == (uint64_t)st.st_size &&
           mpg_trace_segment_events(t) == 5,
       "its bytes are those of its chunks, which lack 5 events");
    mpg_trace_close(t);
    char command[512];
    snprintf(command, sizeof command, "cat %s %s >%s; cat %s %s >%s", file, window, saved_file,
             window, file, saved_window);
    ok(system(command) == 0 && read_events(saved_file, NULL) == 305 &&
           read_events(saved_window, NULL) == 305,
       "in one file, whichever is first");
    copy_file(file, saved_file);
    ok(stat(file, &st) == 0 && truncate(file, st.st_size - 1) == 0 &&
           read_events(folder, &t) >= 10 && mpg_trace_cut(t) &&
           strstr(mpg_trace_cut(t), "of rank 0, before it, is missing"),
       "a file that lost its last chunk: what was before it is there");
    mpg_trace_close(t);
    copy_file(saved_file, file);
    FILE *half = fopen(file, "ab");
    if (half) {
        (void)fwrite("MPGTRCE\n", 1, 8, half);
        (void)fclose(half);
    }
    ok(read_events(folder, &t) == 305 && !mpg_trace_cut(t), "half a chunk after whole ones");
    mpg_trace_close(t);
    copy_file(saved_file, file);
    (void)lseek(fd, 0, SEEK_END);

    copy_file(window, saved_window);
    ok(mpg_trace_writer_close(w, &err) == 0 && access(window, F_OK) < 0 &&
           read_events(folder, &t) == 305 && !mpg_trace_died(t, 0, 0, &call, &enter_ns),
       "closed, there is no window");
    mpg_trace_close(t);
    mpg_trace_writer_free(w);
    close(fd);
    w = open_writer(4096, &fd);
    write_one(w, 0);
    mpg_trace_writer_flush(w, &err);
    copy_file(saved_window, window);
    ok(read_events(folder, NULL) == -1 && strstr(err.text, "of two runs"),
       "a window of another run: %s", err.text);
    mpg_trace_writer_free(w);
    close(fd);
    unlink(saved_file);
    unlink(saved_window);
    clear_folder();
}

/* --- a process that outlives its run --- */

static void test_outlived(void)
{
    int fd, next_fd;
    struct mpg_trace *t = NULL;
    struct mpg_trace_writer *w = open_writer(4096, &fd), *next;
    write_one(w, 0);
    mpg_trace_writer_flush(w, &err);
    unlink(file);
    unlink(window);
    next = open_writer(4096, &next_fd);
    write_one(next, 0);
    ok(mpg_trace_writer_close(w, &err) == 0 && read_events(folder, &t) == 1 &&
           mpg_trace_runs(t, 0),
       "closing leaves the window of the next run alone");
    mpg_trace_close(t);
    mpg_trace_writer_free(w);
    mpg_trace_writer_free(next);
    close(fd);
    close(next_fd);
    clear_folder();
}

/* --- a full disk --- */

/* Killed inside MPI_Finalize, before and after the segment was written out. */
static void test_finalizing(void)
{
    for (int flushed = 0; flushed < 2; flushed++) {
        int fd, more;
        enum mpg_call call;
        int64_t enter_ns, last_ns = 0, n = 0;
        struct mpg_event e = {.call = MPG_CALL_COUNT};
        struct mpg_trace_writer *w = open_writer(4096, &fd);
        for (uint64_t i = 0; i < 10; i++)
            write_one(w, i);
        mpg_trace_writer_inside(w, MPG_CALL_Finalize, 123456789000);
        if (flushed)
            mpg_trace_writer_flush(w, &err);
        mpg_trace_writer_free(w);
        close(fd);
        struct mpg_trace *t = mpg_trace_open(folder, &err);
        ok(t && !mpg_trace_died(t, 0, 0, &call, &enter_ns) && mpg_trace_events(t, 0) == 11,
           "killed inside MPI_Finalize, it has ended%s", flushed ? ", flushed" : "");
        struct mpg_cursor *c = mpg_cursor_open(t, 0, &err);
        while ((more = mpg_cursor_next(c, &e, &err)) > 0 && e.enter_ns >= last_ns) {
            last_ns = e.leave_ns;
            n++;
        }
        ok(more == 0 && n == 11 && e.call == MPG_CALL_Finalize && e.enter_ns == 123456789000 &&
           e.leave_ns == e.enter_ns, "with MPI_Finalize as its last call");
        mpg_cursor_close(c);
        mpg_trace_close(t);
        clear_folder();
    }
}

static void test_full(void)
{
    enum { LIMIT = 20 * 1024 + MPG_SUM_ROWS * MPG_SUM_ROW_BYTES };
    struct rlimit old, limit;
    getrlimit(RLIMIT_FSIZE, &old);
    limit = old;
    limit.rlim_cur = LIMIT;
    signal(SIGXFSZ, SIG_IGN);
    int fd;
    struct mpg_trace_writer *w = open_writer(8192, &fd);
    setrlimit(RLIMIT_FSIZE, &limit);
    uint64_t i = 0;
    while (w && i < 1000000 && write_one(w, i) == 0)
        i++;
    setrlimit(RLIMIT_FSIZE, &old); /* otherwise the limit also applies to the test's output */
    ok(i > 100 && i < 1000000 && strstr(err.text, "cannot write"), "a full disk: %s", err.text);
    struct mpg_trace *t = NULL;
    int64_t n = read_events(folder, &t);
    ok(n == (int64_t)i && !mpg_trace_cut(t), "what was written before is there: %lld of %llu",
       (long long)n, (unsigned long long)i);
    mpg_trace_close(t);
    ok(write_one(w, i) < 0 && mpg_trace_writer_close(w, &err) < 0 && access(window, F_OK) == 0,
       "nothing more is taken, and the window stays");
    mpg_trace_writer_free(w);
    close(fd);
    clear_folder();

    limit.rlim_cur = 1024;
    setrlimit(RLIMIT_FSIZE, &limit);
    w = open_writer(8192, &fd);
    setrlimit(RLIMIT_FSIZE, &old);
    ok(!w && access(window, F_OK) < 0, "no room for the window: %s", err.text);
    mpg_trace_writer_free(w);
    close(fd);
    clear_folder();
}

int main(void)
{
    alarm(300); /* a hang is a failure */
    if (ok(mkdtemp(folder), "a folder")) {
        snprintf(file, sizeof file, "%s/rank-0.mpgt", folder);
        snprintf(window, sizeof window, "%s/rank-0.window.mpgt", folder);
        snprintf(saved_file, sizeof saved_file, "%s.file", folder);
        snprintf(saved_window, sizeof saved_window, "%s.window", folder);
        test_killed();
        test_live();
        test_windows();
        test_finalizing();
        test_outlived();
        test_full();
        clear_folder();
        rmdir(folder);
    }
    return done();
}
