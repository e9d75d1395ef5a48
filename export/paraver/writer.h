/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State while a Paraver trace is written. Private to export/paraver/. */
#ifndef MPG_EXPORT_PARAVER_WRITER_H
#define MPG_EXPORT_PARAVER_WRITER_H

#include "common/map.h"
#include "common/out.h"
#include "common/reserve.h"
#include "export/paraver/paraver.h"
#include "export/requests.h"
#include "trace/store/sorter.h"

/* States of a thread, and types of events, with Extrae's numbers. */
enum {
    PRV_STATE_RUNNING = 1,
    PRV_STATE_NOT_CREATED = 2,
    PRV_STATE_IO = 12
};
enum {
    PRV_TYPE_FLUSH = 40000003,
    PRV_TYPE_POINT_TO_POINT = 50000001,
    PRV_TYPE_COLLECTIVE,
    PRV_TYPE_OTHER,
    PRV_TYPE_RMA,
    PRV_TYPE_IO,
    PRV_TYPE_SENT = 50100001, /* this and the next three: further pairs of a collective: bytes sent, bytes received, mark of the
                                 root, communicator */
    PRV_TYPE_RECEIVED,
    PRV_TYPE_ROOT,
    PRV_TYPE_COMM,
    PRV_TYPE_REGION = 60000019,
    PRV_TYPE_COUNTER = 42100000 /* this number and following: counters without a number in Extrae */
};

enum {
    PRV_FIRST_OWN_VALUE = 1000,        /* value of a call without a value in Extrae: this number plus the call's number */
    /* value of a function unknown to mpgkit: this number plus the number of the function's name */
    PRV_FIRST_UNKNOWN_VALUE = 1000000,
    PRV_MAX_VALUES = 64                /* maximum number of counters of an event */
};

/* A record of a thread: a state, or an event, which is a type and a value. AT_NS and PLACE are the keys for sorting. */
struct prv_record {
    int64_t at_ns;
    int64_t place;      /* states before events, then the threads in order, then the order of the thread's records */
    int64_t value;      /* end of a state; value of an event; of PRV_TYPE_COMM: the trace's communicator */
    uint32_t object;    /* the thread: index in `objects` of the writer */
    uint32_t type : 29; /* number of the state, or type of the event */
    bool is_event : 1;
    bool is_further : 1; /* the event is written in the line of the previous event */
};

/* One end of a message, for sorting: its send or its receive. Both ends have equal GROUP and CHANNEL. */
struct prv_end {
    int64_t group, channel;       /* communicator of the trace and tag; ranks of MPI_COMM_WORLD, of the sender and the receiver */
    uint64_t order;               /* order of the call among the calls of the rank that send or post a receive */
    int64_t logical_ns, physical_ns, bytes;
    uint32_t object;
    int32_t tag;
};

/* One end of a message that is not complete yet. */
struct prv_half {
    int32_t comm, from, to, tag;  /* communicator of the trace, ranks of MPI_COMM_WORLD */
    uint64_t order;               /* order of the call among the calls of the rank that send or post a receive */
    int64_t logical_ns, physical_ns, bytes;
    uint32_t object;
};

/* The line of the file that describes a message. */
struct prv_line {
    int64_t sent_ns;              /* time of the physical send: the first key for sorting the line among the records */
    uint64_t order;               /* the second key */
    int64_t logical_send_ns, logical_receive_ns, physical_receive_ns, bytes;
    uint32_t sender, receiver;    /* sending and receiving thread: indices in `objects` */
    int32_t tag;
};

/* An open or persistent request. */
struct prv_request {
    struct prv_half half;
    bool is_send;
};

/* A thread of the trace; Paraver calls a thread an object. */
struct prv_object {
    int32_t rank;
    uint32_t thread, cpu; /* cpu: number of the thread's CPU in the file, from 1 */
    char name[MPG_OUT_WORD_BYTES]; /* in records; made at the first use */
    size_t name_bytes;             /* 0: not made yet */
};

/* A thread of the rank being written. */
struct prv_stream {
    uint32_t thread, object;
    int64_t last_ns;      /* end of the last record */
    uint32_t open_type;   /* type of the event that will end the last call, with the next record; 0: already written */
    uint64_t order;       /* number of records */
    bool has_begun;
    bool has_values;
    int64_t values[PRV_MAX_VALUES]; /* sums of the counters since the last record with counters */
};

struct mpg_prv_writer {
    struct mpg_trace *trace;
    const struct mpg_clock_map *clocks;
    struct mpg_prv_files files;
    struct mpg_left_out *left;
    double origin_ns;              /* earliest time of all ranks, on the common clock */
    int64_t end_ns;                /* latest time of all ranks since ORIGIN_NS */
    int32_t rank;
    uint64_t order;
    struct prv_object *objects;    /* all threads, sorted by rank, then thread */
    size_t object_number, *first_object; /* first_object[r]: index of rank r's first thread; ranks + 1 elements */
    uint32_t *nodes;               /* node of each rank, from 1 */
    uint32_t *cpus;                /* number of threads on each node */
    uint32_t node_number;
    struct prv_stream *streams;    /* the threads of rank RANK */
    size_t stream_number, stream_capacity;
    struct mpg_open_requests requests, persistent; /* open requests of the rank being written; records: struct prv_request */
    /* inter-communicator of the last message that the rank being written sent or received over an inter-communicator */
    int32_t inter_comm;
    bool is_in_first;              /* the rank is in the first group of INTER_COMM */
    struct mpg_map probed;         /* message of Mprobe -> order of the probe + 1 */
    struct mpg_sorter *records, *sends, *receives, *lines;
    bool has_call[MPG_CALL_COUNT]; /* the trace has this call */
    struct mpg_map unknown;        /* names of functions unknown to mpgkit -> 1 */
    struct mpg_map regions;        /* region, as a string number of the trace -> value of the event */
    int32_t *region_names;         /* inverse of `regions`: string number by value - 1 */
    size_t region_number, region_capacity;
    char **counters;               /* names of the counters of all ranks */
    size_t counter_number, counter_capacity;
    /* of the rank being written: index of each counter in COUNTERS; number of counters */
    uint32_t counter[PRV_MAX_VALUES], counters_of_rank;
    struct mpg_map comm_numbers;   /* communicator of the trace -> number in the file */
};

/* Returns TIME_NS of RANK's clock on the common clock, in ns since the begin of the trace. */
int64_t mpg_prv_align(const struct mpg_prv_writer *w, int32_t rank, int64_t time_ns);

/* --- how Extrae shows calls --- */

/* Return Paraver's event type, value and thread state for CALL. */
uint32_t mpg_prv_type_of(enum mpg_call call);
uint32_t mpg_prv_value_of(enum mpg_call call);
uint32_t mpg_prv_state_of(enum mpg_call call);
/* Sets the bytes that this rank sends and receives in collective E, counted as by Extrae. */
void mpg_prv_sizes(const struct mpg_event *e, int64_t *sent, int64_t *received);
/* Returns the event type of counter NAME, which has index N in the writer's list of counters. */
uint32_t mpg_prv_counter_type(const char *name, size_t n);

/* --- messages --- */

/* Creates the sorters of messages. Returns 0, or -1 with ERR. */
int mpg_prv_messages_begin(struct mpg_prv_writer *w, struct mpg_error *err);
/* Stores the ends of messages that E sends, posts or completes. OBJECT: index of E's thread; ENTER_NS, LEAVE_NS: E's times on
 * the common clock. */
int mpg_prv_messages_take(struct mpg_prv_writer *w, uint32_t object, const struct mpg_event *e, int64_t enter_ns,
                          int64_t leave_ns, struct mpg_error *err);
int mpg_prv_messages_end_rank(struct mpg_prv_writer *w, struct mpg_error *err);
/* Pairs the sends and receives of all ranks, and adds a line for each message to w->lines, which is then sorted. */
int mpg_prv_messages_pair(struct mpg_prv_writer *w, struct mpg_error *err);

/* --- files, at the end --- */

int mpg_prv_write_records(struct mpg_prv_writer *w, struct mpg_error *err);
int mpg_prv_write_names(struct mpg_prv_writer *w, struct mpg_error *err);
void mpg_prv_write_rows(const struct mpg_prv_writer *w);

#endif
