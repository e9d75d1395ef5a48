/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records of a Paraver trace in memory, and their import. Private to trace/paraver/. */
#ifndef MPG_PARAVER_IMPORT_H
#define MPG_PARAVER_IMPORT_H

#include "trace/foreign/foreign.h"

/* A call, or a flush of the recorder's buffer: an event of its type with a value, until the value 0. */
enum { PRV_FLUSH = 40000003 };

struct prv_call {
    int64_t enter_ns, leave_ns;  /* leave: -1 while open */
    int32_t thread;
    uint32_t type, value;
    int64_t sent, received;      /* of a collective */
    int32_t comm;                /* number in the file; 0: none */
    bool is_root;
};

/* A message, a line of type 3. Tasks from 0. */
struct prv_message {
    int32_t source, destination, tag, source_thread, destination_thread;
    int64_t bytes, sent_ns, left_ns, posted_ns, received_ns; /* logical and physical send, logical and physical receive */
    int32_t comm;                /* label: 0, or its own, if messages of its channel come out of order */
    int64_t request;             /* of a nonblocking receive */
};

struct prv_names {
    uint32_t type, value;
    char *name;
};

struct prv_rank {
    struct prv_call *calls;
    size_t n, capacity;
    uint64_t open;               /* 1 + the call that is open in thread 0 */
    int32_t threads, node;
    size_t *sends, *receives, *completions; /* messages by logical send, by logical and by physical receive */
    size_t send_number, receive_number;
};

struct prv_import {
    struct mpg_foreign foreign;
    const char *path;
    int32_t ranks;
    int64_t unit_ns;
    struct prv_rank *rank;
    struct prv_message *messages;
    size_t message_number, message_capacity;
    struct mpg_foreign_comm *comms; /* by number in the file - 1; labels: 0 for the world */
    size_t comm_number, comm_capacity;
    int32_t labels;
    bool has_world;              /* label 0 is defined; other communicators of all tasks have labels of their own */
    struct prv_names *names;     /* of values, from the .pcf file */
    size_t name_number, name_capacity;
    struct mpg_map name_numbers; /* (type, value) -> 1 + index in names */
    struct mpg_map open;         /* (task, thread) of other threads than 0 -> 1 + the call that is open */
    struct mpg_map positions;    /* (number of a communicator, rank) -> 1 + rank in it, where they differ */
    struct mpg_map roots;        /* (communicator, number of its collective) -> 1 + root */
    struct mpg_map collectives;  /* (communicator, rank) -> collectives so far */
    struct mpg_foreign_comm own; /* of a message out of order: the world with another label */
};

/* Reads the .pcf beside the trace. Returns 0, or -1 with ERR: none. */
int mpg_prv_read_names(struct prv_import *im, struct mpg_error *err);
/* Reads header and records of IN. Returns 0, or -1 with ERR, which names the line. */
int mpg_prv_read(struct prv_import *im, FILE *in, struct mpg_error *err);
/* Makes the events of all ranks. */
int mpg_prv_make_calls(struct prv_import *im, struct mpg_error *err);

#endif
