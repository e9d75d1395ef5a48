/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The import of a Paraver trace. Records of all ranks come in the order of time, and events are made rank after rank:
 * therefore calls and messages go to temporary files, which are sorted. Memory does not grow with the number of records.
 * Private to trace/paraver/. */
#ifndef MPG_PARAVER_IMPORT_H
#define MPG_PARAVER_IMPORT_H

#include "trace/foreign/foreign.h"
#include "trace/store/sorter.h"

/* A call, or a flush of the recorder's buffer. In the file, an event of the call's type with a nonzero value begins the
 * call, and an event with value 0 ends it. */
enum { PRV_FLUSH = 40000003 };

struct prv_call {
    /* The keys for sorting. ORDER: number of the call's begin among all begins of calls in the file. */
    int64_t task, enter_ns, order;
    int64_t leave_ns;            /* -1: the trace ends inside the call */
    uint32_t type, value;
    int64_t sent, received;      /* collectives only: bytes that the call sends and receives */
    uint64_t number;             /* collectives only: number, from 0, among the rank's collectives on the communicator */
    int64_t not_ns;              /* -1, or the leave of the thread's next call, if the next call is a receive and begins
                                    when this call ends. A message with its physical receive at this time was received by
                                    the next call, not posted by this call. */
    int32_t comm;                /* number of the communicator in the file; 0: none */
    uint16_t thread;
    bool is_root;
};

/* A message, a line of type 3. Tasks and threads from 0. */
struct prv_message {
    /* The keys for sorting. CHANNEL: of the tasks. SENT_NS: time of the logical send. ORDER: number of the message among the
     * messages of the file. */
    int64_t channel, tag, sent_ns, order;
    /* bytes; times of the physical send, and of the logical and the physical receive */
    int64_t bytes, left_ns, posted_ns, received_ns;
    uint16_t source_thread, destination_thread;
};

/* One side of a message: of the sender, or of the receiver. */
struct prv_side {
    /* The keys for sorting. TASK: of this side. LOGICAL_NS: time of the logical send or receive. PLACE: of the thread and the
     * message's order. */
    int64_t task, logical_ns, place;
    int64_t physical_ns, bytes;
    int32_t peer, tag;           /* PEER: the other side's task */
    int32_t comm;                /* 0, or the label of a communicator for this message alone, if the message overtakes an
                                    earlier message */
    int32_t thread;
};

struct prv_names {
    uint32_t type, value;
    char *name;
    enum mpg_call call; /* of the name; MPG_CALL_COUNT: unknown to mpgkit */
};

/* A thread during reading. */
struct prv_thread {
    struct prv_call call;
    bool is_open;
    struct prv_call *posting;    /* ended calls that post receives, held back until the next call determines not_ns; all
                                    have equal leaves */
    size_t posting_number, posting_capacity;
};

struct prv_rank {
    uint64_t first;              /* 1 + index of the task's thread 0 in `threads`; 0: no record yet */
    int32_t threads, node;
};

struct prv_import {
    struct mpg_foreign foreign;
    const char *path;
    int32_t ranks;
    int64_t unit_ns;
    struct prv_rank *rank;
    struct prv_thread *threads;  /* threads with records */
    size_t thread_number, thread_capacity;
    struct mpg_sorter *calls;    /* struct prv_call */
    struct mpg_sorter *channels; /* struct prv_message */
    struct mpg_sorter *sends, *receives; /* struct prv_side */
    int64_t call_number, message_number;
    struct mpg_foreign_comm *comms; /* by number in the file - 1; label 0: MPI_COMM_WORLD */
    size_t comm_number, comm_capacity;
    int32_t labels;
    bool has_world;              /* label 0 is defined; a further communicator of all tasks gets another label */
    struct prv_names *names;     /* names of values, from the .pcf file */
    size_t name_number, name_capacity;
    struct mpg_map name_numbers; /* (type, value) -> 1 + index in `names` */
    struct mpg_map other_threads; /* (task, thread > 0) -> 1 + index in `threads` */
    struct mpg_map positions;    /* (number of a communicator, world rank) -> 1 + rank in the communicator, where the
                                    ranks differ */
    struct mpg_map roots;        /* (communicator, number of the collective on it) -> root, if this is not rank 0 */
    struct mpg_map collectives;  /* (communicator, rank) -> number of collectives read */
    /* communicator of the current message: the ranks of MPI_COMM_WORLD under the message's label */
    struct mpg_foreign_comm own;
};

/* Opens the sorters. Returns 0, or -1 with ERR. */
int mpg_prv_open_sorters(struct prv_import *im, struct mpg_error *err);
/* Reads the names of calls in the .pcf file beside the trace. Returns 0, or -1 with ERR: the file cannot be opened. */
int mpg_prv_read_names(struct prv_import *im, struct mpg_error *err);
/* Reads header and records of IN. Returns 0, or -1 with ERR, which names the line. */
int mpg_prv_read(struct prv_import *im, FILE *in, struct mpg_error *err);
/* Makes the events of all ranks. Returns 0, or -1 with ERR. */
int mpg_prv_make_calls(struct prv_import *im, struct mpg_error *err);

/* Returns the name of CALL in the .pcf file, or "MPI_?". */
const char *mpg_prv_name_of(const struct prv_import *im, const struct prv_call *call);
/* Returns the kind of CALL; MPG_KIND_OTHER: CALL is unknown to mpgkit. *WHICH: the call, or MPG_CALL_COUNT. */
enum mpg_kind mpg_prv_kind_of(const struct prv_import *im, const struct prv_call *call, enum mpg_call *which);
/* Returns the communicator of CALL; NULL: none. */
const struct mpg_foreign_comm *mpg_prv_comm_of(const struct prv_import *im, const struct prv_call *call);
/* Returns the rank in COMM of world rank RANK, or -1. */
int32_t mpg_prv_position_in(const struct prv_import *im, const struct mpg_foreign_comm *comm, int32_t rank);

#endif
