/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Definitions of a text (communicators, topologies, windows, files, modules, callsites, region names), and writing them to the
 * streams that use them. Private to trace/text/. */
#ifndef MPG_TEXT_DEFINITIONS_H
#define MPG_TEXT_DEFINITIONS_H

#include "common/error.h"
#include "common/map.h"
#include "trace/store/streams.h"

/* Members of larger communicators are searched in a map. */
enum { MPG_TEXT_FEW_MEMBERS = 64 };

struct text_comm {
    int32_t label, parent, instance, size, remote_size; /* parent: a label, or MPG_NO_COMM */
    int32_t *members; /* local group, then remote group */
    bool used;        /* by an event or another definition */
    bool is_world;    /* all ranks, in order */
};

struct text_topology {
    int32_t rank, comm; /* comm: a label */
    uint32_t source_number, destination_number;
    int32_t *neighbours; /* sources, then destinations */
};

struct text_object {
    int32_t comm, number;
};

struct text_module {
    uint32_t build_id_size;
    uint8_t build_id[64];
    char *path;
};

struct text_site {
    uint32_t frame_number;
    struct mpg_frame *frames;
};

/* Definitions of one kind, by label. */
struct text_table {
    void *items;
    size_t count, capacity, size; /* size: of an item, bytes */
    struct mpg_map labels;        /* (label, second label) -> 1 + index in ITEMS */
};

enum text_kind { TEXT_COMM, TEXT_TOPOLOGY, TEXT_WINDOW, TEXT_FILE, TEXT_MODULE, TEXT_SITE,
                 TEXT_STRING, TEXT_KINDS };

struct mpg_text_definitions {
    int32_t ranks;
    struct text_table tables[TEXT_KINDS];
    struct mpg_map instances; /* (hash of groups, parent) -> number of communicators so far */
    struct mpg_map identities; /* (hash of groups and parent, instance) -> 1 + index of the communicator */
    struct mpg_map members; /* (label, rank) of the members of large communicators */
    bool met_world;           /* a communicator with the groups of MPI_COMM_WORLD was parsed */
};

void mpg_text_definitions_init(struct mpg_text_definitions *d, int32_t ranks);
void mpg_text_definitions_clear(struct mpg_text_definitions *d);

/* Parse the text after the directive's name. TEXT is modified. */
int mpg_text_parse_comm(struct mpg_text_definitions *d, char *text, struct mpg_error *err);
int mpg_text_parse_topology(struct mpg_text_definitions *d, char *text, struct mpg_error *err);
int mpg_text_parse_object(struct mpg_text_definitions *d, enum text_kind kind, char *text,
                          struct mpg_error *err);
int mpg_text_parse_module(struct mpg_text_definitions *d, char *text, struct mpg_error *err);
int mpg_text_parse_site(struct mpg_text_definitions *d, char *text, struct mpg_error *err);

/* Write the definition of a label to S before the first event that uses the label; for a spooled stream only mark the label as
 * defined. An undefined label is an error, except MPI_COMM_WORLD, label 0. */
int mpg_text_need_comm(struct mpg_text_definitions *d, struct mpg_stream *s, int32_t label,
                       struct mpg_error *err);
/* Returns the communicator with index I in order of definition; NULL after the last. */
const struct text_comm *mpg_text_comm(const struct mpg_text_definitions *d, size_t i);
/* Returns the topology with index I in order of definition; NULL after the last. */
const struct text_topology *mpg_text_topology(const struct mpg_text_definitions *d, size_t i);
int mpg_text_need_topology(struct mpg_text_definitions *d, struct mpg_stream *s,
                           int32_t comm, struct mpg_error *err);
/* Stores the window's or file's number in S in *OBJECT. */
int mpg_text_need_object(struct mpg_text_definitions *d, struct mpg_stream *s,
                         enum text_kind kind, int32_t label, int32_t *object,
                         struct mpg_error *err);
int mpg_text_need_site(struct mpg_text_definitions *d, struct mpg_stream *s, int32_t label,
                       struct mpg_error *err);
/* Stores the trace-wide number of NAME in *STRING. */
int mpg_text_need_string(struct mpg_text_definitions *d, struct mpg_stream *s,
                         const char *name, int32_t *string, struct mpg_error *err);

/* Defines MPI_COMM_WORLD in S, as communicator number 0. */
int mpg_text_write_world(const struct mpg_text_definitions *d, struct mpg_stream *s,
                         struct mpg_error *err);

/* Returns the number of earlier calls with equal groups (local and remote group interchangeable) and equal parent: the default
 * instance number of the text form. Print and import call this function in the same order. Returns -1 if out of memory. */
int32_t mpg_text_next_instance(struct mpg_map *instances, int32_t parent, int32_t size,
                               int32_t remote_size, const int32_t *members);

#endif
