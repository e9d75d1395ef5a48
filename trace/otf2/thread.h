/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread of an OTF2 archive during the conversion of records to events. Private to trace/otf2/. */
#ifndef MPG_OTF2_THREAD_H
#define MPG_OTF2_THREAD_H

#include "trace/otf2/archive.h"
#include "trace/otf2/remarks.h"

/* Properties of a nonblocking operation, which the archive has only at the completion. Kept from the first pass for the second
 * pass, in the order of posting. */
struct otf2_record {
    uint32_t comm, peer, tag; /* for a nonblocking collective, peer is the root */
    uint32_t state;           /* enum otf2_state */
    uint64_t bytes, received; /* received: of a collective */
};
enum otf2_state { OTF2_OPEN, OTF2_DONE, OTF2_CANCELLED };

/* Records in a mapped temporary file. */
struct otf2_records {
    struct otf2_record *at;
    size_t n, capacity;
    int fd;
};

struct otf2_numbers {
    int64_t *at;
    uint32_t n, capacity;
};

struct otf2_message {
    bool is_receive, is_nonblocking; /* is_nonblocking: has a request; otherwise `request` is 0 */
    uint32_t comm, peer, tag;
    uint64_t bytes;
    int64_t request;
    uint32_t any; /* of a receive: MPG_ANY_ flags of the wildcards; 0 in archives without this attribute */
};

/* Properties from the records of one-sided communication in a call. */
struct otf2_one_sided {
    bool has_window, has_target, has_group, is_exclusive;
    uint32_t window, target, group;
    uint64_t sent, received; /* bytes to and from the target */
};

/* The thread's current MPI call. */
struct otf2_call {
    const struct otf2_region *region;
    int64_t enter_ns;
    struct otf2_message *messages;
    size_t n, capacity;
    struct otf2_numbers completed, tested, cancelled; /* requests completed by the call; tested without success; cancelled */
    struct otf2_numbers counts; /* bytes for each member; empty in archives without this attribute */
    int64_t collective_request; /* request of a nonblocking collective; 0: none */
    size_t collective_record;
    bool has_collective, has_created, failed, has_events; /* has_events: the trace has events of the call */
    uint32_t created;
    struct otf2_record collective;
    struct otf2_one_sided one_sided;
};

struct otf2_thread {
    struct otf2_import *import;
    int32_t rank;
    uint32_t thread;
    int pass; /* 1: fills records; 2: makes events */
    const struct otf2_region **stack; /* open regions; NULL: a region not defined by the archive */
    size_t depth, stack_capacity, call_depth; /* call_depth: depth at the begin of the MPI call; 0: outside of MPI calls */
    struct otf2_call call;
    struct otf2_records records;
    /* request in the archive -> first pass: 1 + record (-1: a send); second pass: request of the trace */
    struct mpg_map open;
    /* receives posted without a record and not completed, oldest first; first pass: the receives' records; second pass: the
     * receives' requests of the trace */
    struct otf2_numbers nameless;
    uint32_t nameless_first, receive_inits; /* index of the oldest receive in `nameless`; number of persistent receives so far */
    int64_t requests;  /* number of requests of the trace so far */
    size_t postings;   /* number of postings so far in the current pass: index of the next record */
    bool has_init, has_calls, has_finalize;
    int64_t last_ns, first_ns; /* time of the last, and of the first, call or region mark */
    int64_t values[64], last_values[64], differences[64];
    bool has_values;
    uint64_t local_calls[MPG_CALL_COUNT]; /* by call: number of calls without communication, which become no events */
    bool failed;
    struct mpg_error *err;
};

/* The import of an archive. */
struct otf2_import {
    struct otf2_archive archive;
    struct mpg_build *build;
    OTF2_Reader *reader;
    const struct mpg_import_config *config;
    struct otf2_remarks remarks;
    bool multiplies;    /* the recorder multiplied bytes of collectives by the number of members */
    struct mpg_map sent, received; /* (label, source and destination in MPI_COMM_WORLD) -> number of messages */
    uint64_t calls, messages, collectives;
    int64_t *first_ns, *last_ns; /* first and last time of each rank's records */
    bool *has_finalize, *has_events;
    struct mpg_error first_error; /* the first error reported by libotf2 */
};

/* Reads the events of LOCATION, a thread of a rank, into the trace. Returns 0, or -1 with ERR. */
int mpg_otf2_read_thread(struct otf2_import *im, const struct otf2_location *location, struct mpg_error *err);

/* Makes the events of the MPI call of T, which is left at LEAVE_NS. */
void mpg_otf2_finish_call(struct otf2_thread *t, int64_t leave_ns);

/* Adds E, an event of T, to the trace, with T's counters. NAME: the name of a region or unknown function; else NULL. */
void mpg_otf2_emit(struct otf2_thread *t, struct mpg_event *e, const char *name);
/* Marks T as failed; the error is in t->err. */
void mpg_otf2_fail(struct otf2_thread *t);
/* Appends VALUE to NUMBERS. If memory runs out, T fails. */
void mpg_otf2_append(struct otf2_thread *t, struct otf2_numbers *numbers, int64_t value);
/* Returns record I of T's operations (new: empty); NULL after an error. */
struct otf2_record *mpg_otf2_record_at(struct otf2_thread *t, size_t i);

/* Sets the bytes of E, a collective of SIZE members, from R. COUNTS has room for a number for each member. *SPREAD is set to true
 * if a sum was spread evenly over the members. */
void mpg_otf2_collective_bytes(const struct otf2_import *im, const struct otf2_record *r, int32_t size, struct mpg_event *e,
                           int64_t *counts, bool *spread);

/* Sets the callbacks of C for records of one-sided communication: one_sided.c. */
void mpg_otf2_one_sided_callbacks(OTF2_EvtReaderCallbacks *c);
/* Emits the current call, which uses windows or one-sided communication, with the properties from the call's records. Returns
 * false, without emitting, if records are missing. */
bool mpg_otf2_emit_one_sided(struct otf2_thread *t, int64_t leave_ns);

/* Counts in MAP a message from SOURCE to DESTINATION, ranks of MPI_COMM_WORLD, in the communicator LABEL. Returns 0, or -1 with
 * ERR: out of memory. */
int mpg_otf2_count(struct mpg_map *map, int32_t label, int32_t source, int32_t destination, struct mpg_error *err);

#endif
