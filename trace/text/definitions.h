/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a text defines: communicators, topologies, windows, files, modules, callsites,
 * region names; and handing them to the streams that use them. Private to trace/text/. */
#ifndef MPG_TEXT_DEFINITIONS_H
#define MPG_TEXT_DEFINITIONS_H

#include "common/error.h"
#include "common/map.h"
#include "trace/store/streams.h"

/* In communicators with more, members are found by a map. */
enum { MPG_TEXT_FEW_MEMBERS = 64 };

struct text_comm {
    int32_t label, parent, instance, size, remote_size; /* parent: a label, or MPG_NO_COMM */
    int32_t *members; /* both groups */
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

/* Things of one kind by label. */
struct text_table {
    void *items;
    size_t count, capacity, size; /* size: of an item */
    struct mpg_map labels;        /* (label, second label) -> place + 1 */
};

enum text_kind { TEXT_COMM, TEXT_TOPOLOGY, TEXT_WINDOW, TEXT_FILE, TEXT_MODULE, TEXT_SITE,
                 TEXT_STRING, TEXT_KINDS };

struct mpg_text_definitions {
    int32_t ranks;
    struct text_table tables[TEXT_KINDS];
    struct mpg_map instances; /* communicators with the same groups and parent */
    struct mpg_map identities; /* (hash of groups and parent, instance) -> place + 1 */
    struct mpg_map members; /* (label, rank), of communicators with many */
    bool met_world;           /* a communicator has the world's groups */
};

void mpg_text_definitions_init(struct mpg_text_definitions *d, int32_t ranks);
void mpg_text_definitions_clear(struct mpg_text_definitions *d);

/* Each parses what follows its directive's name. */
int mpg_text_parse_comm(struct mpg_text_definitions *d, char *text, struct mpg_error *err);
int mpg_text_parse_topology(struct mpg_text_definitions *d, char *text, struct mpg_error *err);
int mpg_text_parse_object(struct mpg_text_definitions *d, enum text_kind kind, char *text,
                          struct mpg_error *err);
int mpg_text_parse_module(struct mpg_text_definitions *d, char *text, struct mpg_error *err);
int mpg_text_parse_site(struct mpg_text_definitions *d, char *text, struct mpg_error *err);

/* Each makes sure that S, or whoever reads what is spooled of it, knows what a label stands for. The world, label 0, needs no
 * definition. */
int mpg_text_need_comm(struct mpg_text_definitions *d, struct mpg_stream *s, int32_t label,
                       struct mpg_error *err);
/* The communicator that was defined as number I, or NULL beyond the last. */
const struct text_comm *mpg_text_comm(const struct mpg_text_definitions *d, size_t i);
/* Likewise topologies. */
const struct text_topology *mpg_text_topology(const struct mpg_text_definitions *d, size_t i);
int mpg_text_need_topology(struct mpg_text_definitions *d, struct mpg_stream *s,
                           int32_t comm, struct mpg_error *err);
/* The number of the window or file goes to OBJECT. */
int mpg_text_need_object(struct mpg_text_definitions *d, struct mpg_stream *s,
                         enum text_kind kind, int32_t label, int32_t *object,
                         struct mpg_error *err);
int mpg_text_need_site(struct mpg_text_definitions *d, struct mpg_stream *s, int32_t label,
                       struct mpg_error *err);
/* The number of NAME goes to STRING. */
int mpg_text_need_string(struct mpg_text_definitions *d, struct mpg_stream *s,
                         const char *name, int32_t *string, struct mpg_error *err);

/* Defines the world in S, as its number 0. */
int mpg_text_write_world(const struct mpg_text_definitions *d, struct mpg_stream *s,
                         struct mpg_error *err);

/* How many communicators with these groups (from either side) and this parent have
 * been asked about before: the instance number that a text need not give. -1: out of
 * memory. Printing and parsing ask in the same order. */
int32_t mpg_text_next_instance(struct mpg_map *instances, int32_t parent, int32_t size,
                               int32_t remote_size, const int32_t *members);

#endif
