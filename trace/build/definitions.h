/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Definitions of a trace being built, by label, and functions to write definitions to the streams using the definitions. Private
 * to trace/build/. */
#ifndef MPG_BUILD_DEFINITIONS_H
#define MPG_BUILD_DEFINITIONS_H

#include "trace/build/build.h"
#include "trace/store/streams.h"

/* The members of communicators with more members than this are looked up in a map. */
enum { MPG_BUILD_FEW_MEMBERS = 64 };

struct build_comm {
    int32_t label, parent, instance, size, remote_size; /* parent: a label, or MPG_NO_COMM */
    int32_t *members; /* local group, then remote group; communicators with IS_WORLD share one array */
    bool used;        /* an event or another definition uses the communicator */
    bool is_world;    /* the members are all ranks, in order */
};

struct build_topology {
    int32_t rank, comm; /* comm: a label */
    uint32_t source_number, destination_number;
    int32_t *neighbours; /* sources, then destinations */
};

struct build_object {
    int32_t comm, number;
};

struct build_module {
    uint32_t build_id_size;
    uint8_t build_id[64];
    char *path;
};

struct build_site {
    uint32_t frame_number;
    struct mpg_frame *frames;
};

/* Definitions of one kind, by label. */
struct build_table {
    void *items;
    size_t count, capacity, size; /* size: of an item, bytes */
    struct mpg_map labels;        /* (label, second label) -> 1 + index in `items` */
};

enum build_kind { BUILD_COMM, BUILD_TOPOLOGY, BUILD_WINDOW, BUILD_FILE, BUILD_MODULE, BUILD_SITE, BUILD_STRING, BUILD_KINDS };

struct mpg_build_definitions {
    int32_t ranks;
    struct build_table tables[BUILD_KINDS];
    struct mpg_map instances; /* (hash of groups, parent) -> number of such communicators until now */
    struct mpg_map identities; /* (hash of groups and parent, instance) -> 1 + index of the communicator */
    struct mpg_map members; /* (label, rank) of each member of large communicators */
    int32_t *world; /* array shared by the communicators of all ranks in order; NULL: no such communicator yet */
    bool found_world;         /* a communicator with the groups of MPI_COMM_WORLD was defined */
};

void mpg_definitions_init(struct mpg_build_definitions *d, int32_t ranks);
void mpg_definitions_clear(struct mpg_build_definitions *d);

/* Each function below writes the definition of a label to S before the first event using the label; for a stream without a
 * writer, the label is only marked as defined. An undefined label is an error, except MPI_COMM_WORLD, label 0. */
int mpg_need_comm(struct mpg_build_definitions *d, struct mpg_stream *s, int32_t label, struct mpg_error *err);
int mpg_need_topology(struct mpg_build_definitions *d, struct mpg_stream *s, int32_t comm, struct mpg_error *err);
/* As mpg_need_comm(); stores the number of the window or file in S in *OBJECT. */
int mpg_need_object(struct mpg_build_definitions *d, struct mpg_stream *s, enum build_kind kind, int32_t label, int32_t *object,
                    struct mpg_error *err);
int mpg_need_site(struct mpg_build_definitions *d, struct mpg_stream *s, int32_t label, struct mpg_error *err);
/* Stores the trace-wide number of NAME in *STRING, a new number for a new name. */
int mpg_intern_name(struct mpg_build_definitions *d, const char *name, int32_t *string, struct mpg_error *err);
/* As mpg_need_comm(); STRING: a number from mpg_intern_name(). */
int mpg_need_string(struct mpg_build_definitions *d, struct mpg_stream *s, int32_t string, struct mpg_error *err);

/* Return the communicator or topology with index I in order of definition; NULL after the last. */
const struct build_comm *mpg_definitions_comm(const struct mpg_build_definitions *d, size_t i);
const struct build_topology *mpg_definitions_topology(const struct mpg_build_definitions *d, size_t i);

/* Defines MPI_COMM_WORLD in S, as communicator number 0. */
int mpg_definitions_write_world(const struct mpg_build_definitions *d, struct mpg_stream *s, struct mpg_error *err);

/* The functions mpg_build_... of trace/build/build.h, applied to D. */
int mpg_define_comm(struct mpg_build_definitions *d, const struct mpg_build_comm *comm, struct mpg_error *err);
int mpg_define_topology(struct mpg_build_definitions *d, const struct build_topology *topology, struct mpg_error *err);
int mpg_define_object(struct mpg_build_definitions *d, enum build_kind kind, int32_t label, const struct build_object *object,
                      struct mpg_error *err);
int mpg_define_module(struct mpg_build_definitions *d, int32_t label, const uint8_t *build_id, uint32_t size, const char *path,
                      struct mpg_error *err);
int mpg_define_site(struct mpg_build_definitions *d, int32_t label, uint32_t n, const struct mpg_frame *frames,
                    struct mpg_error *err);

#endif
