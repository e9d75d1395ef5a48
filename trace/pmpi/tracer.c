/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tracer's life in a process: start, clock, facts, end. */
#include "config.h"

#include "trace/pmpi/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "trace/pmpi/clock_offsets.h"
#include "trace/pmpi/untraced.h"

enum { COMPRESSION_LEVEL = 3, DEFAULT_BUFFER_BYTES = 1 << 20 };

static struct {
    volatile bool on;
    bool threads; /* several may call at once */
    pid_t pid;    /* of the rank, not of a forked child */
    int fd, rank, ranks;
    int64_t last_ns;
    unsigned long long overlapping; /* calls begun while another thread was in one */
    struct mpg_trace_writer *writer;
    pthread_mutex_t lock;
    bool shares_clock;
} tracer = {.fd = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

static __thread int depth;
static __thread uintptr_t outermost_frame;
static unsigned long long untraced[MPG_UNTRACED_COUNT];

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

struct tracer_scope tracer_enter(enum mpg_call call, const void *return_address,
                                 const void *frame)
{
    /* An error handler or callback may have left by longjmp: then the outermost call's
     * frame is no longer above this one. */
    if (depth > 0 && (uintptr_t)frame >= outermost_frame)
        depth = 0;
    struct tracer_scope s = {.return_address = return_address,
                             .frame = frame,
                             .call = call,
                             .outermost = depth++ == 0};
    if (s.outermost) {
        outermost_frame = (uintptr_t)frame;
        s.enter_ns = now_ns();
    }
    return s;
}

bool tracer_records(const struct tracer_scope *s)
{
    return s->outermost && tracer.on;
}

bool tracer_leave(struct tracer_scope *s, int rc)
{
    if (!s->outermost) {
        depth -= depth > 0;
        return false;
    }
    depth = 0;
    if (!tracer.on)
        return false;
    s->leave_ns = now_ns();
    return rc == MPI_SUCCESS;
}

void tracer_count(int which)
{
    if (depth == 0)
        __atomic_fetch_add(&untraced[which], 1, __ATOMIC_RELAXED);
}

void tracer_fail(const struct mpg_error *err)
{
    if (!tracer.on)
        return;
    tracer.on = false;
    fprintf(stderr, "mpgtrace: rank %d: %s; its trace ends here, the program goes on\n",
            tracer.rank, err->text);
}

struct mpg_trace_writer *tracer_writer(void)
{
    return tracer.writer;
}

bool tracer_lock(void)
{
    if (tracer.threads)
        pthread_mutex_lock(&tracer.lock);
    if (tracer.on)
        return true;
    tracer_unlock();
    return false;
}

void tracer_unlock(void)
{
    if (tracer.threads)
        pthread_mutex_unlock(&tracer.lock);
}

void tracer_write(const struct tracer_scope *s, struct mpg_event *event)
{
    struct mpg_error err;
    /* Calls of several threads overlap; a rank's stream is one after the other. */
    tracer.overlapping += s->enter_ns < tracer.last_ns;
    event->enter_ns = s->enter_ns > tracer.last_ns ? s->enter_ns : tracer.last_ns;
    event->leave_ns = s->leave_ns > event->enter_ns ? s->leave_ns : event->enter_ns;
    if (mpg_trace_write_event(tracer.writer, event, &err) < 0)
        tracer_fail(&err);
    else
        tracer.last_ns = event->leave_ns;
    tracer_unlock();
}

int64_t tracer_bytes(int count, MPI_Datatype type)
{
    int size = 0;
    if (PMPI_Type_size(type, &size) != MPI_SUCCESS || size < 0 || count < 0)
        return 0;
    return (int64_t)count * size;
}

int32_t tracer_peer(int rank)
{
    if (rank == MPI_PROC_NULL)
        return MPG_PROC_NULL;
    return rank == MPI_ROOT ? MPG_ROOT : rank;
}

/* --- start --- */

/* A forked child is not the rank; its copies of our buffers are not the trace. */
static void stop_in_child(void)
{
    tracer.on = false;
}

static int open_file(const char *directory, int *fd, struct mpg_error *err)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/rank-%d.mpgt", directory, tracer.rank) >=
        (int)sizeof path)
        return mpg_error_set(err, "%s: name too long", directory);
    *fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return *fd < 0 ? mpg_error_errno(err, errno, "%s", path) : 0;
}

/* Rank 0 removes the files of an earlier run with more ranks. */
static void remove_stale(const char *directory)
{
    for (int rank = tracer.ranks;; rank++) {
        char path[4096];
        if (snprintf(path, sizeof path, "%s/rank-%d.mpgt", directory, rank) >= (int)sizeof path ||
            unlink(path) < 0)
            return;
    }
}

static size_t buffer_bytes(void)
{
    const char *text = getenv("MPGTRACE_BUFFER");
    long long value = text ? strtoll(text, NULL, 10) : 0;
    return value >= 4096 && value <= (1 << 30) ? (size_t)value : DEFAULT_BUFFER_BYTES;
}

static int write_facts(struct mpg_error *err)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING], host[MPI_MAX_PROCESSOR_NAME];
    int length;
    struct mpg_trace_writer *w = tracer.writer;
    const char *program = getenv("MPGTRACE_PROGRAM");
    PMPI_Get_processor_name(host, &length);
    if (mpg_trace_write_fact(w, "host", host, err) < 0)
        return -1;
    if (tracer.shares_clock && mpg_trace_write_fact(w, "clocks", "shared", err) < 0)
        return -1;
    if (tracer.rank != 0)
        return 0;
    time_t now = time(NULL);
    struct tm tm;
    char date[64];
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
    PMPI_Get_library_version(text, &length);
    text[strcspn(text, "\n")] = '\0';
    if (mpg_trace_write_fact(w, "date", date, err) < 0 ||
        mpg_trace_write_fact(w, "mpi", text, err) < 0 ||
        mpg_trace_write_fact(w, "mpgkit", PACKAGE_VERSION, err) < 0)
        return -1;
    return program ? mpg_trace_write_fact(w, "program", program, err) : 0;
}

static int write_offset(const struct clock_offset *offset, struct mpg_error *err)
{
    char text[64];
    snprintf(text, sizeof text, "%lld %lld", (long long)offset->time_ns,
             (long long)offset->offset_ns);
    return mpg_trace_write_fact(tracer.writer, "clock", text, err);
}

static int start(struct mpg_error *err)
{
    const char *directory = getenv("MPGTRACE_OUTPUT");
    if (!directory)
        directory = "app.trace";
    if (tracer.rank == 0)
        remove_stale(directory);
    if (open_file(directory, &tracer.fd, err) < 0)
        return -1;
    const struct mpg_trace_writer_options options = {.rank = tracer.rank,
                                                     .ranks = tracer.ranks,
                                                     .window_bytes = buffer_bytes(),
                                                     .level = COMPRESSION_LEVEL};
    tracer.writer = mpg_trace_writer_new(tracer.fd, &options, err);
    if (!tracer.writer || write_facts(err) < 0)
        return -1;
    return mpg_trace_writer_flush(tracer.writer, err);
}

void tracer_init(struct tracer_scope *s, int thread_level)
{
    if (!s->outermost)
        return;
    struct mpg_error err;
    struct clock_offset offset;
    depth++; /* our own calls are not the program's */
    PMPI_Comm_rank(MPI_COMM_WORLD, &tracer.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &tracer.ranks);
    tracer.threads = thread_level > MPI_THREAD_SERIALIZED;
    tracer.pid = getpid();
    pthread_atfork(NULL, NULL, stop_in_child);
    tracer.shares_clock = clock_is_shared();
    bool measured = !tracer.shares_clock && clock_measure(now_ns, &offset);
    tracer.on = true;
    if (start(&err) < 0)
        tracer_fail(&err);
    if (tracer.on && measured && write_offset(&offset, &err) < 0)
        tracer_fail(&err);
    depth--;
    if (!tracer_lock())
        return;
    tracer_comm(MPI_COMM_WORLD);
    s->leave_ns = now_ns();
    struct mpg_event e = {.call = s->call, .newcomm = MPG_NO_COMM};
    tracer_write(s, &e);
}

/* --- end --- */

static int write_last_facts(struct mpg_error *err)
{
    if (tracer.overlapping) {
        char text[32];
        snprintf(text, sizeof text, "%llu", tracer.overlapping);
        if (mpg_trace_write_fact(tracer.writer, "overlapping", text, err) < 0)
            return -1;
    }
    for (int i = 0; i < MPG_UNTRACED_COUNT; i++) {
        char text[128];
        if (untraced[i] == 0)
            continue;
        snprintf(text, sizeof text, "%s %llu", mpg_untraced_names[i], untraced[i]);
        if (mpg_trace_write_fact(tracer.writer, "untraced", text, err) < 0)
            return -1;
    }
    return 0;
}

static void close_trace(void)
{
    struct mpg_error err;
    if (tracer.on && (write_last_facts(&err) < 0 || mpg_trace_writer_flush(tracer.writer, &err) < 0))
        tracer_fail(&err);
    int fd = tracer.fd;
    tracer.fd = -1;
    if (fd >= 0 && close(fd) < 0 && tracer.on) {
        mpg_error_errno(&err, errno, "cannot write the trace");
        tracer_fail(&err);
    }
    tracer.on = false;
    mpg_trace_writer_free(tracer.writer);
    tracer.writer = NULL;
    tracer_comms_end();
    tracer_requests_end();
}

void tracer_finalize(struct tracer_scope *s)
{
    struct mpg_error err;
    struct clock_offset offset;
    if (!s->outermost || tracer.pid != getpid())
        return;
    /* All ranks take part, those whose tracer has failed too. The barrier stands
     * for the real call's own, which comes too late: the launcher kills the others
     * as soon as one process has left with an error. */
    PMPI_Barrier(MPI_COMM_WORLD);
    s->leave_ns = now_ns();
    bool measured = !tracer.shares_clock && clock_measure(now_ns, &offset);
    if (!tracer_lock())
        return;
    if (measured && write_offset(&offset, &err) < 0)
        tracer_fail(&err);
    struct mpg_event e = {.call = s->call, .newcomm = MPG_NO_COMM};
    tracer_write(s, &e);
    close_trace();
}

void tracer_end_early(const char *reason)
{
    struct mpg_error err;
    if (!tracer.on || tracer.pid != getpid())
        return;
    if (tracer.threads && pthread_mutex_trylock(&tracer.lock) != 0)
        return; /* another thread is writing: what is on disk is whole */
    if (mpg_trace_write_fact(tracer.writer, "incomplete", reason, &err) < 0)
        tracer_fail(&err);
    close_trace();
    tracer_unlock();
}

__attribute__((destructor)) static void at_exit(void)
{
    tracer_end_early("the program ended without MPI_Finalize");
}
