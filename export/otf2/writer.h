/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State while an OTF2 archive is written. Private to export/otf2/. */
#ifndef MPG_EXPORT_OTF2_WRITER_H
#define MPG_EXPORT_OTF2_WRITER_H

#include <otf2/otf2.h>

#include "common/map.h"
#include "common/reserve.h"
#include "export/otf2/otf2.h"
#include "export/requests.h"

enum { OTF2_MAX_VALUES = 64, OTF2_MAX_COUNTS = 256 };

/* Attributes defined by mpgkit for properties of records without a field in OTF2. */
enum {
    OTF2_OWN_ANY,    /* attribute of a receive or of the receive's request: the MPG_ANY_ flags of wildcards */
    OTF2_OWN_FAILED, /* attribute of an Enter record: the call failed */
    OTF2_OWN_COUNTS  /* attributes OTF2_OWN_COUNTS + i: bytes of member i of a vector collective (Gatherv ...) */
};

/* Regions by number: first the MPI calls; then two for each string of the trace: a region, and an unknown function, with this
 * name. */
static inline uint32_t mpg_otf2_user_region(int32_t string)
{
    return MPG_CALL_COUNT + 2 * (uint32_t)(string + 1);
}
static inline uint32_t mpg_otf2_unknown_region(int32_t string)
{
    return mpg_otf2_user_region(string) + 1;
}

/* The archive numbers regions and communicators in the order of first use, since readers expect definitions without gaps.
 * Communicator 0 is MPI_COMM_SELF, common to all ranks. */
enum { OTF2_OWN_SELF };

/* Regions or windows of the trace, numbered in the archive by first use. */
struct otf2_numbers {
    struct mpg_map map; /* region or window -> number in the archive + 1 */
    uint32_t *item;     /* region or window, by number in the archive */
    size_t n, capacity;
};

enum otf2_request_kind { OTF2_REQUEST_SEND, OTF2_REQUEST_RECEIVE, OTF2_REQUEST_COLLECTIVE };

/* An incomplete request, or a persistent request. */
struct otf2_request {
    enum otf2_request_kind kind;
    uint32_t op, comm, peer, tag; /* collectives: PEER is the root */
    uint64_t bytes, received;
    uint8_t any;
};

/* A thread of the rank that is being written. */
struct otf2_stream {
    OTF2_EvtWriter *w;
    uint32_t thread;
    size_t location;        /* index of the thread in `locations` */
    int32_t *regions;       /* open regions, as string numbers of the trace, outermost first */
    size_t depth, capacity;
    int64_t last_ns;
    bool has_values;        /* the thread has counter values to write */
    OTF2_MetricValue values[OTF2_MAX_VALUES]; /* sums of the counters since the begin of the run */
};

/* A thread of the trace (in OTF2: a location). */
struct otf2_location {
    int32_t rank;
    uint32_t thread, value_class;
    uint64_t records;
    int64_t first_ns, last_ns; /* times of the first and the last record; INT64_MAX, INT64_MIN: no records */
};

struct otf2_epoch_group {
    uint32_t n;
    uint64_t *members; /* N ranks of MPI_COMM_WORLD */
};
enum { OTF2_FIRST_GROUP = 2 }; /* first number of further groups: groups 0 and 1 are all locations, and MPI_COMM_SELF */

/* A fact (key and value) of a rank, written as a property of the rank's first location. */
struct otf2_fact {
    int32_t rank;
    char *key, *value;
};

struct mpg_otf2_writer {
    struct mpg_trace *trace;
    struct mpg_left_out *left;
    OTF2_Archive *archive;
    OTF2_AttributeList *attributes;
    int64_t bias_ns; /* added to times: minus the earliest time of the trace, which becomes tick 0 */
    int32_t rank;
    struct otf2_location *locations; /* all locations, by rank and thread */
    size_t location_number, *first_location; /* first_location[r]: index of rank r's first location; ranks + 1 elements */
    struct otf2_stream *streams;     /* threads of the rank being written */
    size_t stream_number, stream_capacity;
    struct mpg_open_requests requests, persistent; /* open requests of the rank being written; records: struct otf2_request */
    struct mpg_map places;           /* communicator -> rank, in the communicator, of the rank being written, + 1 */
    struct otf2_numbers regions;     /* regions, as numbered by mpg_otf2_user_region(), and MPI calls */
    struct mpg_map comm_numbers;     /* communicator of the trace -> number in the archive */
    int32_t *comms;                  /* communicators of the trace, by number in the archive, from 1 */
    size_t comm_number, comm_capacity;
    struct mpg_map made;             /* communicator of the archive -> 1: calls in the trace make or free the communicator */
    struct otf2_numbers windows;     /* windows of the trace */
    struct otf2_epoch_group *groups; /* groups of Win_post and Win_start, numbers from 2 in the archive */
    size_t group_number, group_capacity;
    struct mpg_map group_numbers;    /* checksum of members -> number in the archive */
    struct mpg_map epochs; /* of the rank being written: (window, 1 if the rank is the target) -> number of the epoch's group */
    uint64_t operations;             /* one-sided operations of the rank being written, so far */
    uint32_t max_counts;             /* number of attributes from OTF2_OWN_COUNTS on that are in use */
    char **value_names; /* for each class of ranks with equal counters: names of the counters, as in the fact "values" */
    uint32_t value_classes;
    struct otf2_fact *facts;
    size_t fact_number, fact_capacity;
    struct mpg_error said;           /* the first error reported by libotf2 */
};

/* Fills ERR with libotf2's error message. Returns -1. */
int mpg_otf2_write_error(struct mpg_otf2_writer *w, struct mpg_error *err);
static inline uint64_t mpg_otf2_tick(const struct mpg_otf2_writer *w, int64_t time_ns)
{
    return (uint64_t)(time_ns + w->bias_ns);
}

/* Stores the archive's number of ITEM in *NUMBER. Returns 0, or -1 with ERR: out of memory. */
int mpg_otf2_number(struct otf2_numbers *numbers, uint32_t item, uint32_t *number, struct mpg_error *err);
void mpg_otf2_numbers_clear(struct otf2_numbers *numbers);

/* Returns the archive's number of communicator COMM; OTF2_UNDEFINED_COMM: COMM is MPG_NO_COMM or contains processes of another
 * MPI_COMM_WORLD, or memory is out. */
uint32_t mpg_otf2_comm_number(struct mpg_otf2_writer *w, int32_t comm);

/* Writes all records of event E of thread S. Returns 0, or -1 with ERR. */
int mpg_otf2_write_event(struct mpg_otf2_writer *w, struct otf2_stream *s, const struct mpg_event *e, struct mpg_error *err);
/* Ends all open regions of thread S. */
int mpg_otf2_leave_regions(struct mpg_otf2_writer *w, struct otf2_stream *s, struct mpg_error *err);

/* Writes the records of E, a call that concerns a window or one-sided communication (one_sided.c). Returns 1; 0: not written,
 * since an archive cannot hold the call; -1 with ERR. */
int mpg_otf2_write_one_sided(struct mpg_otf2_writer *w, struct otf2_stream *s, const struct mpg_event *e, struct mpg_error *err);
/* Frees the numbers and members of W's windows and groups. */
void mpg_otf2_one_sided_clear(struct mpg_otf2_writer *w);
/* Returns the rank in COMM of the rank being written. */
int32_t mpg_otf2_place_in(struct mpg_otf2_writer *w, int32_t comm);

/* Sets the kind, op, peer (root), bytes and received (bytes) of R for collective E, with bytes counted as in Score-P
 * (mpgotf2(5)). PLACE: rank, in the communicator, of the rank being written. */
void mpg_otf2_collective_record(const struct mpg_event *e, int32_t place, struct otf2_request *r);
OTF2_RegionRole mpg_otf2_role_of(enum mpg_call call);

/* Write the clocks of all locations, and then all definitions; to be called in this order. Return 0, or -1 with ERR. */
int mpg_otf2_writer_clocks(struct mpg_otf2_writer *w, struct mpg_error *err);
int mpg_otf2_writer_definitions(struct mpg_otf2_writer *w, struct mpg_error *err);

#endif
