/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The global definitions of an OTF2 archive, as far as MPI traces need them. Private to trace/otf2/. */
#ifndef MPG_OTF2_ARCHIVE_H
#define MPG_OTF2_ARCHIVE_H

#include <otf2/otf2.h>

#include "common/error.h"
#include "common/map.h"
#include "trace/build/build.h"

/* Definitions of a kind in the order of the archive, found by the number in the archive. */
struct otf2_table {
    void *items;
    size_t count, capacity;
    struct mpg_map index; /* (number, 0) -> 1 + index in `items` */
};

struct otf2_region {
    const char *name;   /* owned by the archive */
    enum mpg_call call; /* MPG_CALL_COUNT: no MPI function; MPG_CALL_Unknown: an MPI function without events in mpgkit */
    bool is_user;       /* a phase named by the program */
};

struct otf2_group {
    OTF2_GroupType type;
    OTF2_Paradigm paradigm;
    uint32_t n;
    uint64_t *members;
};

struct otf2_comm {
    const char *name;
    /* numbers of groups and of a communicator in the archive; remote_group OTF2_UNDEFINED_GROUP: none */
    uint32_t group, remote_group, parent;
    bool is_self;    /* MPI_COMM_SELF: the definition stands for a communicator for each rank */
    bool is_world, is_defined, is_visited;
    int32_t label, size, remote_size;
    int32_t *members; /* world ranks; NULL until the communicator is defined */
};

struct otf2_window {
    uint32_t comm;
    int32_t label, number; /* number: number of windows of the communicator defined before */
    bool is_defined;
};

struct otf2_location { /* a location: a thread, a GPU's stream, or a source of metrics */
    uint64_t number;
    OTF2_LocationType type;
    uint32_t group;
    int32_t rank; /* -1: no MPI process */
    uint32_t thread;
};

struct otf2_node {
    const char *name, *class_name;
    uint32_t parent;
    bool shares_memory;
};

struct otf2_process { /* a location group */
    uint32_t node;
};

struct otf2_metric_class {
    uint8_t n;
    uint32_t *members;
    bool is_strict; /* recorded at each enter and each leave of a region */
};

struct otf2_metric_member {
    const char *name;
    bool is_sum; /* values are accumulated since the start */
};

/* A property of a location that holds a fact of a trace, written by mpgkit. */
struct otf2_property {
    uint64_t location;
    const char *key, *value;
};

/* Attributes of records, written by mpgkit: mpgotf2(5). OTF2_UNDEFINED_ATTRIBUTE: not in the archive. */
struct otf2_own_attributes {
    uint32_t any, failed, counts; /* numbers of the attributes; counts: the first of several */
};

struct otf2_archive {
    const char *creator; /* owned by this archive, like all strings */
    uint8_t version[3];
    uint64_t resolution, origin; /* ticks per second; tick of the begin */
    struct otf2_table strings, regions, groups, comms, locations, nodes, processes, classes, members, contexts, properties,
        windows;
    struct mpg_map windows_of; /* communicator -> number of the communicator's windows so far */
    struct otf2_own_attributes own;
    int32_t ranks;
    struct otf2_location **rank_location; /* by rank: the location that called MPI_Init */
    struct otf2_location **threads; /* all threads of ranks, by rank and thread */
    size_t thread_count;
    uint64_t twice;   /* number of definitions with the number of an earlier definition */
    uint64_t devices, others; /* number of locations of GPUs; of metrics and all other kinds */
    uint32_t values;  /* number of counters at each enter and leave */
    uint32_t value_class;
    struct mpg_error error;
    bool failed;
};

/* Reads the definitions of READER into A. Returns 0, or -1 with ERR: damage, no MPI in the archive. */
int mpg_otf2_archive_read(struct otf2_archive *a, OTF2_Reader *reader, struct mpg_error *err);
void mpg_otf2_archive_clear(struct otf2_archive *a);

/* These return the definition with NUMBER in the archive, or NULL. */
struct otf2_region *mpg_otf2_region_of(const struct otf2_archive *a, uint32_t number);
struct otf2_comm *mpg_otf2_comm_of(const struct otf2_archive *a, uint32_t number);
/* Returns the region of a calling context, or NULL. */
struct otf2_region *mpg_otf2_context_region(const struct otf2_archive *a, uint32_t context);

/* Returns communicator NUMBER, defined in B, with its parents, on first use; *LABEL: the label for RANK. Returns NULL with
 * ERR: unknown, damaged. */
const struct otf2_comm *mpg_otf2_need_comm(struct otf2_archive *a, struct mpg_build *b, uint32_t number, int32_t rank,
                                       int32_t *label, struct mpg_error *err);
/* Returns the world rank of member PEER of C from the view of RANK: on an inter-communicator, of the group without RANK. -1:
 * no such member. */
int32_t mpg_otf2_world_rank(const struct otf2_comm *c, int32_t rank, uint32_t peer);

/* Returns the communicator of window NUMBER, defined in B on first use. *COMM: the communicator's label for RANK; *WINDOW: the
 * window's label. Returns NULL with ERR: unknown, damaged. *WINDOW -1: of MPI_COMM_SELF, not defined. */
const struct otf2_comm *mpg_otf2_need_window(struct otf2_archive *a, struct mpg_build *b, uint32_t number, int32_t rank,
                                             int32_t *comm, int32_t *window, struct mpg_error *err);
/* Stores the members of group NUMBER as ranks of C in PLACES, an array with an element for each member of C; *N: number of
 * members. Returns 0, or -1 with ERR: group unknown, or a member not in C. */
int mpg_otf2_group_places(const struct otf2_archive *a, uint32_t number, const struct otf2_comm *c, int64_t *places, uint32_t *n,
                          struct mpg_error *err);

/* Returns fact I of the archive in *RANK, *KEY and *VALUE; false beyond the last. *RANK -1: fact of no rank. */
bool mpg_otf2_fact(const struct otf2_archive *a, size_t i, int32_t *rank, const char **key, const char **value);
/* Returns the name of the host of RANK, or NULL. */
const char *mpg_otf2_host(const struct otf2_archive *a, int32_t rank);
/* Writes the names of counters, separated by blanks, to TEXT; blanks in names are replaced. */
void mpg_otf2_value_names(const struct otf2_archive *a, char *text, size_t size);

#endif
