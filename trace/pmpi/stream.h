/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The streams of a rank: one, or under MPI_THREAD_MULTIPLE one a thread, each a writer
 * with a file of its own. A thread gets its stream at its first call; the stream of a
 * thread that has ended goes to the next that begins. Nothing here needs MPI. */
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

/* What a stream has defined so far, as a set of small numbers for each kind. */
enum stream_table {
    STREAM_COMMS,
    STREAM_OBJECTS,
    STREAM_STRINGS,
    STREAM_MODULES,
    STREAM_SITES,
    STREAM_TABLES
};

struct stream {
    struct mpg_trace_writer *writer;
    struct stream *next; /* of all that the rank has */
    int64_t last_ns;     /* when its last event left */
    const struct stream_thread *last_thread; /* whose that was; NULL: there is none yet */
    int64_t off_between_ns, off_in_ns; /* off-CPU time so far, outside of calls and in them */
    int fd;              /* the program may have closed it */
    char *path;
    dev_t device;        /* what tells the file from any other */
    ino_t inode;
    uint32_t thread;
    bool taken;          /* by a thread that lives */
    bool flushing;       /* by its thread, which does not hold the lock */
    struct {
        uint8_t *bits;
        uint32_t size; /* bytes */
    } defined[STREAM_TABLES];
    struct mpg_map local; /* (call, callsite) -> how many of local.c's calls were recorded */
};

struct stream_options {
    const char *directory; /* absolute; kept. NULL: nothing is kept of the streams */
    int rank, ranks;
    /* The file of the first stream, if it is there already and is to be taken; else inode 0. */
    dev_t claimed_device;
    ino_t claimed_inode;
    size_t window_bytes;
    uint32_t value_number;
    bool off_cpu; /* off-CPU time is recorded */
    bool threads; /* several may call at once */
};

/* Shared by all streams. Without `threads` there is no lock and one stream. */
struct streams {
    atomic_bool on;     /* recording */
    volatile bool busy; /* between lock and unlock */
    bool threads;
    int rank;
    int64_t calls, summed;  /* recorded, and only summed up, so far; between lock and unlock */
    int64_t stacks_ns;      /* from the leave of calls whose stack was new until it was known and defined; likewise */
    int64_t call_ns;        /* what a recorded call costs, as the fact overhead_call_ns says */
    struct stream *first; /* of MPI_Init's thread */
    struct stream_options options;
    pthread_mutex_t lock;
    pthread_cond_t flushed;
    pthread_key_t at_thread_end;
};
extern struct streams streams;

/* This thread's, all zero until stream_claim() or stream_lock(). */
struct stream_thread {
    struct stream *stream;
    uintptr_t frame, return_address; /* of the outermost call it is inside of */
    struct off_cpu off_cpu;
    int depth;       /* wrappers it is inside of */
    int cancel_state; /* as it was before stream_lock() */
    volatile bool locked; /* between lock and unlock, or writing */
};
extern __thread struct stream_thread stream_thread __attribute__((tls_model("initial-exec")));

/* Opens the stream of this thread, the first. Recording begins when the caller sets
 * streams.on. */
int streams_open(const struct stream_options *options, struct mpg_error *err);

/* Gives this thread its stream before its first call begins: one of a thread that has
 * ended would else have calls of both, which overlapped. */
void stream_claim(void);

/* Between the two, all that streams share and this thread's stream are the caller's.
 * Lock returns false when nothing is recorded (any more). */
bool stream_lock(void);
void stream_unlock(void);
/* The same for a process that ends, whatever its threads were at: false also when one of
 * them is between lock and unlock, and may be for ever. */
bool stream_lock_at_end(void);

/* Until no thread is in stream_flush() any more: then all streams are the caller's.
 * Between lock and unlock. */
void streams_wait(void);

/* Whether TABLE of this thread's stream has had NUMBER, which it then has. Between lock
 * and unlock. False when out of memory: defined once too often does no harm. */
bool stream_defined(enum stream_table table, int32_t number);

/* Writes out what this thread has gathered if its window is nearly full; other threads go
 * on recording meanwhile. Not between lock and unlock. */
void stream_flush(void);

/* Ends recording with one line on standard error that says why. */
void stream_fail(const struct mpg_error *err);

/* Ends recording and closes all streams. A thread that is about to record then finds
 * that nothing is recorded any more. Between lock and unlock, after streams_wait(). */
void streams_close(void);

#endif
