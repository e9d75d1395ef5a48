/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The streams of a rank: a single stream, or with MPI_THREAD_MULTIPLE a stream for each thread. Each stream is a writer with a
 * separate file. A thread gets a stream at the first call; the stream of an ended thread passes to the next new thread. Nothing
 * here needs MPI. */
#ifndef MPG_TRACER_STREAM_H
#define MPG_TRACER_STREAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/map.h"
#include "trace/pmpi/off_cpu.h"
#include "trace/store/writer.h"

/* Kinds of definitions in a stream; for each kind the stream has a set of the already defined numbers. */
enum stream_table {
    STREAM_COMMS,
    STREAM_OBJECTS,
    STREAM_STRINGS,
    STREAM_MODULES,
    STREAM_SITES,
    STREAM_TABLES
};

enum { STREAM_PARTS = 16 };

/* The file of a part of a stream. */
struct stream_part {
    uint32_t number;
    dev_t device;
    ino_t inode;
};

struct stream {
    struct mpg_trace_writer *writer;
    struct stream *next; /* list of the rank's streams */
    int64_t last_ns;     /* end of the last event */
    const struct stream_thread *last_thread; /* thread of the last event; NULL: no event yet */
    int64_t off_between_ns, off_in_ns; /* total off-CPU time outside of calls and in calls */
    int fd;              /* the program may have closed this descriptor */
    char *path;
    dev_t device;        /* identity of the file */
    ino_t inode;
    uint32_t thread;
    struct stream_part parts[STREAM_PARTS]; /* parts on disk, oldest first */
    int part_count;
    bool taken;          /* used by a living thread */
    bool flushing;       /* the thread of this stream is flushing, without the lock */
    struct {
        uint8_t *bits;
        uint32_t size; /* size of `bits`, bytes */
    } defined[STREAM_TABLES];
    struct mpg_map local; /* (call, callsite) -> number of recorded local calls (local.c) */
};

struct stream_options {
    const char *directory; /* absolute path, not copied; NULL: the streams are not stored */
    int rank, ranks;
    /* Identity of the first stream's file if it already exists; otherwise inode 0. */
    dev_t claimed_device;
    ino_t claimed_inode;
    size_t segment_bytes;
    uint32_t value_number;
    bool off_cpu; /* off-CPU time is recorded */
    bool threads; /* several threads may call MPI at once */
};

enum { STREAM_SAMPLES = 256 };

/* State shared by all streams. Without `threads`: a single stream and no lock. */
struct streams {
    atomic_bool on;     /* calls are being recorded */
    volatile bool busy; /* true between lock and unlock */
    bool threads;
    bool special;   /* events are summed (profile.h), or followed (last.h) */
    bool redefines; /* a definition can be needed again: in another thread's stream, or in a later part */
    int rank;
    int64_t calls;          /* number of recorded calls; protected by the lock */
    int64_t stacks_ns;      /* time of the Flush events caused by new stacks; protected by the lock */
    int64_t call_ns;        /* overhead of a recorded call, the fact overhead_call_ns */
    int64_t measured, measured_ns; /* number of recorded calls with measured overhead, and sum of these overheads; protected by
                                    * the lock */
    int32_t sample_ns[STREAM_SAMPLES]; /* the last measured overheads: measured call I has index I modulo STREAM_SAMPLES */
    struct stream *first; /* stream of MPI_Init's thread */
    struct stream_options options;
    uint32_t part; /* number of the current part, from 1; 0: streams are not in parts */
    void (*opened)(struct stream *stream); /* called for a new stream that begins with a part */
    pthread_mutex_t lock;
    pthread_cond_t flushed;
    pthread_key_t at_thread_end;
};
extern struct streams streams;

/* State of this thread, all zero until stream_claim() or stream_lock(). */
struct stream_thread {
    struct stream *stream;
    uintptr_t frame, return_address; /* frame and return address of the thread's outermost wrapper */
    struct off_cpu off_cpu;
    int depth;       /* number of nested wrappers */
    int cancel_state; /* state before stream_lock() */
    volatile bool locked; /* true between lock and unlock, and while writing */
    uint32_t calls;       /* number of outermost calls, for samples of the tracer's overhead */
    int64_t in_calls_ns;  /* total time in outermost calls */
    int64_t entering_ns;  /* the tracer's time before the real call in a sampled call; -1: not sampled */
};
extern __thread struct stream_thread stream_thread __attribute__((tls_model("initial-exec")));

/* Opens the first stream, for this thread. Recording begins when the caller sets streams.on. */
int streams_open(const struct stream_options *options, struct mpg_error *err);

/* Gives this thread a stream before the thread's first call begins. If the thread took over an ended thread's stream later, calls
 * of both threads could overlap in the stream. */
void stream_claim(void);

/* Between lock and unlock the caller owns the shared state and this thread's stream. Returns false, unlocked, if
 * nothing is recorded (any more). */
bool stream_lock_threads(void);   /* stream_lock() and stream_unlock() if several threads may call MPI */
void stream_unlock_threads(void);
static inline bool stream_lock(void)
{
    struct stream_thread *t = &stream_thread;
    if (!streams.on || t->locked) /* T->LOCKED: in a signal handler that interrupts the tracer in the same thread */
        return false;
    if (__builtin_expect(streams.threads, false))
        return stream_lock_threads();
    streams.busy = t->locked = true;
    t->stream = streams.first;
    return true;
}
static inline void stream_unlock(void)
{
    streams.busy = false;
    if (__builtin_expect(streams.threads, false))
        stream_unlock_threads();
    else
        stream_thread.locked = false;
}
/* Locks for a process that ends in any state of its threads. Also returns false if another thread is between lock
 * and unlock, since this thread may never unlock. */
bool stream_lock_at_end(void);

/* Returns the number of calls of all streams, recorded or aggregated. Callers hold the lock, or are the only thread. */
int64_t streams_calls(void);

/* Begins the next part of all streams, each in a new file. The caller owns all streams (streams_wait()). Returns 0, or -1 with
 * ERR: the disk is full. */
int streams_begin_part(struct mpg_error *err);
/* Removes the files of part NUMBER, unless others have replaced them. Returns 0, or -1 with ERR. */
int streams_remove_part(uint32_t number, struct mpg_error *err);
/* Forgets which definitions S has. */
void stream_forget_definitions(struct stream *s);

/* Waits until no thread is in stream_flush(): then the caller owns all streams. Callers hold the lock. */
void streams_wait(void);

/* Returns whether TABLE of this thread's stream contained NUMBER, and adds NUMBER (>= 0). Returns false if memory is
 * exhausted: a repeated definition is harmless. Callers hold the lock. */
bool stream_defined(enum stream_table table, int32_t number);
/* Returns whether TABLE of stream S contains NUMBER (>= 0). */
static inline bool stream_has(const struct stream *s, enum stream_table table, int32_t number)
{
    const uint32_t byte = (uint32_t)number / 8;
    return byte < s->defined[table].size && (s->defined[table].bits[byte] >> ((uint32_t)number % 8) & 1);
}

/* Writes out this thread's events if the thread's segment is nearly full, while other threads continue recording. Callers do not
 * hold the lock. */
void stream_flush(void);

/* Ends recording and reports the reason in one line on standard error. */
void stream_fail(const struct mpg_error *err);

/* Ends recording and closes all streams. A thread that is about to record finds recording off. Callers hold the
 * lock and have called streams_wait(). */
void streams_close(void);

#endif
