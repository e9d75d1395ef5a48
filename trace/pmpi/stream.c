/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams: a stream for each thread of a rank, with file and segment of the thread's events. Creation, reuse, locking,
 * closing. */
#include "trace/pmpi/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/pmpi/clock.h"
#include "trace/pmpi/guard.h"
#include "trace/pmpi/report.h"
#include "trace/store/segment.h"

enum { COMPRESSION_LEVEL = 1, HIGH_FD = 900, FD_RESERVE = 32, MAX_THREADS = 65536 };

struct streams streams = {.lock = PTHREAD_MUTEX_INITIALIZER, .flushed = PTHREAD_COND_INITIALIZER};
__thread struct stream_thread stream_thread __attribute__((tls_model("initial-exec")));

static void describe_failure(const char *text, const char *consequence)
{
    report("rank %d: %s; %s", streams.rank, text, consequence);
}

void stream_fail(const struct mpg_error *err)
{
    if (atomic_exchange(&streams.on, false))
        describe_failure(err->text, "its trace ends here, the program continues");
}

/* Moves FD to a high number: some programs expect low descriptor numbers, or close low descriptors one by one. */
static int move_high(int fd)
{
    struct rlimit limit;
    int high = HIGH_FD;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < HIGH_FD + FD_RESERVE)
        high = (int)limit.rlim_cur - FD_RESERVE;
    int moved = high > fd ? fcntl(fd, F_DUPFD_CLOEXEC, high) : -1;
    if (moved < 0)
        return fd;
    close(fd);
    return moved;
}

static int path_of(char *path, size_t size, uint32_t thread, const char *suffix,
                   struct mpg_error *err)
{
    const struct stream_options *o = &streams.options;
    char part[32] = "";
    if (thread > 0)
        snprintf(part, sizeof part, "-thread-%u", thread);
    if (snprintf(path, size, "%s/rank-%d%s%s", o->directory, o->rank, part, suffix) >= (int)size)
        return mpg_error_set(err, "%s: name too long", o->directory);
    return 0;
}

/* --- file of a stream; the program may have closed the descriptor --- */

static bool is_open(const struct stream *s)
{
    struct stat st;
    return s->fd >= 0 && fstat(s->fd, &st) == 0 && st.st_dev == s->device &&
           st.st_ino == s->inode;
}

static int open_file(struct stream *s, int flags, struct mpg_error *err)
{
    struct stat st;
    s->fd = open(s->path, O_WRONLY | O_CLOEXEC | flags, 0666);
    if (s->fd < 0)
        return mpg_error_errno(err, errno, "%s", s->path);
    s->fd = move_high(s->fd);
    if (fstat(s->fd, &st) < 0)
        return mpg_error_errno(err, errno, "%s", s->path);
    if (!s->inode) { /* the first time, when the file has just been created */
        s->device = st.st_dev;
        s->inode = st.st_ino;
    }
    return 0;
}

/* Called by the writer before each chunk: returns an open descriptor of the stream's file, or -1 with ERR. */
static int current_file(void *stream, struct mpg_error *err)
{
    struct stream *s = stream;
    struct stat st;
    guard_check();
    if (is_open(s)) {
        if (fstat(s->fd, &st) == 0 && st.st_nlink > 0)
            return s->fd;
        return mpg_error_set(err, "%s: has been removed", s->path);
    }
    s->fd = -1; /* the program has closed the tracer's descriptor, and uses the number for another file */
    if (open_file(s, O_NOFOLLOW, err) < 0)
        return -1;
    if (!is_open(s) || lseek(s->fd, 0, SEEK_END) < 0)
        return mpg_error_set(err, "%s: has been closed and replaced", s->path);
    return s->fd;
}

/* Called by the writer at begin and end of a flush: returns this thread's time off the CPU up to NOW_NS, ns. 0 for another
 * thread's stream, which is flushed at the end of the run. */
static int64_t off_cpu_of_flush(void *stream, int64_t now_ns)
{
    struct stream *s = stream;
    if (stream_thread.stream != s)
        return 0;
    const int64_t off_ns = off_cpu_between(&stream_thread.off_cpu, now_ns);
    s->off_between_ns += off_ns;
    return off_ns;
}

static int close_file(struct stream *s)
{
    int status = is_open(s) ? close(s->fd) : 0;
    s->fd = -1;
    return status;
}

/* --- one stream --- */

static void stream_free(struct stream *s)
{
    if (!s)
        return;
    mpg_trace_writer_free(s->writer);
    (void)close_file(s);
    free(s->path);
    for (int i = 0; i < STREAM_TABLES; i++)
        free(s->defined[i].bits);
    mpg_map_clear(&s->local);
    free(s);
}

/* Creates the file of a new stream, or opens the file by which rank 0 claimed the folder. If another file has this name, returns
 * an error: the tracer must not overwrite foreign files. */
static int first_open(struct stream *s, uint32_t thread, struct mpg_error *err)
{
    const struct stream_options *o = &streams.options;
    if (!o->directory)
        return open_file(s, 0, err);
    /* If the first stream's file has vanished, the folder is no longer the tracer's either. */
    const struct stream *first = streams.first;
    if (first && !mpg_file_is(first->path, &(struct mpg_file_id){first->device, first->inode}))
        return mpg_error_set(err, "%s: has been removed", first->path);
    if (thread > 0 || o->claimed_inode == 0)
        return open_file(s, O_CREAT | O_EXCL | O_NOFOLLOW, err);
    s->device = o->claimed_device;
    s->inode = o->claimed_inode;
    if (open_file(s, O_NOFOLLOW, err) < 0)
        return -1;
    struct stat st;
    if (is_open(s) && fstat(s->fd, &st) == 0 && st.st_nlink == 1)
        return 0;
    close(s->fd);
    s->fd = -1;
    return mpg_error_set(err, "%s: has been replaced", s->path);
}

/* --- parts --- */

static int path_of_part(char *path, size_t size, uint32_t thread, uint32_t number, struct mpg_error *err)
{
    char suffix[32];
    snprintf(suffix, sizeof suffix, ".part-%09u.mpgt", number);
    return path_of(path, size, thread, suffix, err);
}

/* Notes that S now writes part streams.part. */
static void note_part(struct stream *s)
{
    s->parts[s->part_count++] = (struct stream_part){streams.part, s->device, s->inode};
    mpg_trace_writer_begin_part(s->writer, streams.part);
}

/* Lets S continue in a new file, for part streams.part. */
static int begin_part(struct stream *s, struct mpg_error *err)
{
    char path[4096];
    if (mpg_trace_writer_flush(s->writer, err) < 0 || path_of_part(path, sizeof path, s->thread, streams.part, err) < 0)
        return -1;
    char *copy = strdup(path);
    if (!copy)
        return mpg_error_set(err, "out of memory");
    if (close_file(s) < 0) {
        free(copy);
        return mpg_error_errno(err, errno, "%s: cannot write", s->path);
    }
    free(s->path);
    s->path = copy;
    s->inode = 0;
    if (open_file(s, O_CREAT | O_EXCL | O_NOFOLLOW, err) < 0) {
        mpg_trace_writer_stop(s->writer);
        return -1;
    }
    note_part(s);
    return 0;
}

int streams_begin_part(struct mpg_error *err)
{
    streams.part++;
    for (struct stream *s = streams.first; s; s = s->next)
        if (begin_part(s, err) < 0)
            return -1;
    return 0;
}

static int remove_part(struct stream *s, uint32_t number, struct mpg_error *err)
{
    char path[4096];
    const struct stream_part *part = &s->parts[0];
    if (s->part_count == 0 || part->number != number) /* the stream is younger than the part */
        return 0;
    if (path_of_part(path, sizeof path, s->thread, number, err) < 0)
        return -1;
    if (mpg_file_is(path, &(struct mpg_file_id){part->device, part->inode}) && unlink(path) < 0)
        return mpg_error_errno(err, errno, "cannot remove %s", path);
    s->part_count--;
    memmove(s->parts, s->parts + 1, (size_t)s->part_count * sizeof *s->parts);
    return 0;
}

int streams_remove_part(uint32_t number, struct mpg_error *err)
{
    for (struct stream *s = streams.first; s; s = s->next)
        if (remove_part(s, number, err) < 0)
            return -1;
    return 0;
}

void stream_forget_definitions(struct stream *s)
{
    for (int i = 0; i < STREAM_TABLES; i++)
        if (s->defined[i].size > 0)
            memset(s->defined[i].bits, 0, s->defined[i].size);
}

/* --- a new stream --- */

static struct stream *stream_new(uint32_t thread, struct mpg_error *err)
{
    char path[4096], window[4096];
    const struct stream_options *o = &streams.options;
    struct stream *s = calloc(1, sizeof *s);
    if (!s) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    s->fd = -1;
    s->thread = thread;
    if (!o->directory)
        strcpy(path, "/dev/null");
    else if ((streams.part > 0 ? path_of_part(path, sizeof path, thread, streams.part, err)
                               : path_of(path, sizeof path, thread, ".mpgt", err)) < 0 ||
             path_of(window, sizeof window, thread, ".window.mpgt", err) < 0)
        goto fail;
    s->path = strdup(path);
    if (!s->path) {
        mpg_error_set(err, "out of memory");
        goto fail;
    }
    if (first_open(s, thread, err) < 0)
        goto fail;
    const struct mpg_trace_writer_options options = {.name = s->path,
                                                     .rank = o->rank,
                                                     .ranks = o->ranks,
                                                     .thread = thread,
                                                     .value_number = o->value_number,
                                                     .segment_bytes = o->segment_bytes,
                                                     .level = COMPRESSION_LEVEL,
                                                     .segment_path = o->directory ? window : NULL,
                                                     .now_ns = clock_now_ns,
                                                     .off_ns = o->off_cpu ? off_cpu_of_flush : NULL,
                                                     .off_argument = s,
                                                     .file = current_file,
                                                     .file_argument = s};
    s->writer = mpg_trace_writer_new(s->fd, &options, err);
    if (!s->writer)
        goto fail;
    /* One warning for all ranks, since all ranks write to the same file system. */
    if (o->rank == 0 && thread == 0 && o->directory && !mpg_trace_writer_survives(s->writer))
        describe_failure("files in the folder of its trace cannot be mapped into memory",
                         "if it is killed, its last calls are lost");
    s->taken = true;
    if (streams.part > 0) {
        note_part(s);
        streams.opened(s);
    }
    return s;
fail:
    stream_free(s);
    return NULL;
}

/* --- threads --- */

static void give_back(void *stream)
{
    if (!streams.on) /* recording is off, or this is a forked child, in which the lock may be held forever */
        return;
    pthread_mutex_lock(&streams.lock);
    stream_thread.stream = NULL; /* later destructors of the thread may call MPI */
    ((struct stream *)stream)->taken = false;
    pthread_mutex_unlock(&streams.lock);
}

/* Returns a stream for this thread: the stream of an ended thread, or a new stream. */
static struct stream *take(void)
{
    struct mpg_error err;
    struct stream *s, *last = NULL;
    uint32_t n = 0;
    for (s = streams.first; s && s->taken; s = s->next, n++)
        last = s;
    if (!s) {
        if (n < MAX_THREADS)
            s = stream_new(n, &err);
        else
            mpg_error_set(&err, "more than %d threads at once", MAX_THREADS);
        if (!s) {
            stream_fail(&err);
            return NULL;
        }
        last->next = s;
    }
    s->taken = true;
    /* On failure, no other thread can reuse the stream. */
    (void)pthread_setspecific(streams.at_thread_end, s);
    return s;
}

/* Takes the lock and postpones cancellation of the thread, which would otherwise leave the lock taken. */
static void lock_all(struct stream_thread *t)
{
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &t->cancel_state);
    pthread_mutex_lock(&streams.lock);
    t->locked = true;
}

static void unlock_all(struct stream_thread *t)
{
    t->locked = false;
    pthread_mutex_unlock(&streams.lock);
    pthread_setcancelstate(t->cancel_state, NULL);
}

bool stream_lock_threads(void)
{
    struct stream_thread *t = &stream_thread;
    lock_all(t);
    if (streams.on && (t->stream || (t->stream = take()) != NULL)) {
        streams.busy = true;
        return true;
    }
    unlock_all(t);
    return false;
}

void stream_claim(void)
{
    struct stream_thread *t = &stream_thread;
    if (!streams.threads || t->locked)
        return;
    lock_all(t);
    if (streams.on && !t->stream)
        t->stream = take();
    unlock_all(t);
}

void stream_unlock_threads(void)
{
    unlock_all(&stream_thread);
}

bool stream_lock_at_end(void)
{
    struct stream_thread *t = &stream_thread;
    if (t->locked || (streams.threads ? pthread_mutex_trylock(&streams.lock) != 0 : streams.busy))
        return false;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &t->cancel_state);
    streams.busy = t->locked = true;
    return true;
}

int64_t streams_calls(void)
{
    int64_t calls = streams.calls;
    for (const struct stream *s = streams.first; s; s = s->next)
        calls += (int64_t)mpg_trace_writer_size(s->writer).summed;
    return calls;
}

void streams_wait(void)
{
    for (struct stream *s = streams.first; s; s = s->next)
        while (s->flushing)
            pthread_cond_wait(&streams.flushed, &streams.lock);
}

void stream_flush(void)
{
    struct mpg_error err;
    if (!streams.threads || !stream_lock())
        return;
    struct stream *s = stream_thread.stream;
    bool full = mpg_trace_writer_is_full(s->writer);
    int state;
    s->flushing = full;
    stream_unlock();
    if (!full)
        return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    stream_thread.locked = true; /* a signal handler's MPI calls are not recorded meanwhile */
    int status = mpg_trace_writer_flush(s->writer, &err);
    lock_all(&stream_thread);
    s->flushing = false;
    pthread_cond_broadcast(&streams.flushed);
    unlock_all(&stream_thread);
    pthread_setcancelstate(state, NULL);
    if (status < 0)
        stream_fail(&err);
}

bool stream_defined(enum stream_table table, int32_t number)
{
    struct stream *s = stream_thread.stream;
    const uint32_t byte = (uint32_t)number / 8;
    if (stream_has(s, table, number))
        return true;
    if (byte >= s->defined[table].size) {
        uint32_t size = 2 * byte + 64;
        uint8_t *bits = realloc(s->defined[table].bits, size);
        if (!bits)
            return false;
        memset(bits + s->defined[table].size, 0, size - s->defined[table].size);
        s->defined[table].bits = bits;
        s->defined[table].size = size;
    }
    s->defined[table].bits[byte] |= (uint8_t)(1u << (uint32_t)number % 8);
    return false;
}

/* --- all of them --- */

/* Called in a signal handler after a failed store into the mapped file PATH. */
static void lose_window(const char *path)
{
    static const char reason[] = "its segment was truncated, or could not be stored into";
    struct mpg_error err;
    const int saved = errno;
    mpg_error_set(&err, "%s: was truncated, or could not be stored into", path);
    stream_fail(&err);
    for (struct stream *s = streams.first; s; s = s->next)
        if (s->writer && mpg_trace_writer_lose(s->writer, path, reason))
            break;
    errno = saved;
}

int streams_open(const struct stream_options *options, struct mpg_error *err)
{
    streams.options = *options;
    streams.rank = options->rank;
    streams.threads = streams.redefines = options->threads;
    if (streams.threads && pthread_key_create(&streams.at_thread_end, give_back) != 0)
        return mpg_error_set(err, "cannot create a key for thread-specific data");
    guard_start(lose_window);
    streams.first = stream_new(0, err);
    stream_thread.stream = streams.first;
    return streams.first ? 0 : -1;
}

static int close_stream(struct stream *s, struct mpg_error *err)
{
    if (mpg_trace_writer_close(s->writer, err) < 0)
        return -1;
    return close_file(s) < 0 ? mpg_error_errno(err, errno, "%s: cannot write", s->path) : 0;
}

void streams_close(void)
{
    struct mpg_error err;
    bool failed = false;
    streams.on = false;
    for (struct stream *s = streams.first; s; s = s->next) {
        struct mpg_error one;
        if (close_stream(s, &one) < 0 && !failed) {
            failed = true;
            err = one;
        }
    }
    if (failed && !guard_has_lost()) /* already reported by the guard */
        describe_failure(err.text, "its trace ends early, the program continues");
    guard_end();
    /* Another thread that has just entered a call may still write into its segment: frees nothing. */
    if (streams.threads)
        return;
    stream_free(streams.first);
    streams.first = NULL;
}
