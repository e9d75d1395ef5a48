/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "export/program/lists.h"

#include <stdlib.h>

#include "graph/algorithms/operation.h"

struct program_comm_lists {
    int32_t size;
    uint32_t n, capacity; /* number of collectives of this call on this communicator */
    int64_t *value; /* for each collective and member: the member's bytes, or the index of the member's edges in
                     * program_lists.edges; -1: the member has not made the call */
};

int32_t mpg_program_place(const struct mpg_comm *c, int32_t rank)
{
    int32_t place = 0;
    while (place < c->size && c->world_ranks[place] != rank)
        place++;
    return place < c->size ? place : -1;
}

static bool has_edges(enum mpg_call blocking)
{
    return blocking == MPG_CALL_Neighbor_allgatherv || blocking == MPG_CALL_Neighbor_alltoallv ||
           blocking == MPG_CALL_Neighbor_alltoallw;
}

bool mpg_program_has_lists(const struct mpg_event *e)
{
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_ICOLLECTIVE:
    case MPG_KIND_COLLECTIVE_INIT:
        return mpg_collective_has_blocks(mpg_collective_of(mpg_call_blocking(e->call)));
    case MPG_KIND_NEIGHBOR:
    case MPG_KIND_INEIGHBOR:
    case MPG_KIND_NEIGHBOR_INIT:
        return has_edges(mpg_call_blocking(e->call));
    default:
        return false;
    }
}

/* Returns the lists of E's call on E's communicator, of SIZE members; made at the first use. NULL: out of memory. */
static struct program_comm_lists *lists_of(struct program_lists *lists, const struct mpg_event *e, int32_t size)
{
    uint64_t *place = mpg_map_add(&lists->index, (uint64_t)e->comm, mpg_call_blocking(e->call));
    if (place && *place == 0) {
        struct program_comm_lists *grown = realloc(lists->comms, (lists->comm_number + 1) * sizeof *grown);
        if (!grown)
            return NULL;
        lists->comms = grown;
        grown[lists->comm_number++] = (struct program_comm_lists){.size = size};
        *place = lists->comm_number;
    }
    return place ? &lists->comms[*place - 1] : NULL;
}

/* Makes room for collective number TURN. Returns false: out of memory. */
static bool reserve(struct program_comm_lists *of, uint32_t turn)
{
    if (turn >= of->capacity) {
        const uint32_t capacity = of->capacity ? 2 * of->capacity : 4;
        int64_t *grown = realloc(of->value, (size_t)capacity * (size_t)of->size * sizeof *grown);
        if (!grown)
            return false;
        of->value = grown;
        of->capacity = capacity;
    }
    for (; of->n <= turn; of->n++)
        for (int32_t i = 0; i < of->size; i++)
            of->value[(size_t)of->n * (size_t)of->size + (size_t)i] = -1;
    return true;
}

static bool add_edge(struct program_lists *lists, int32_t to, int64_t bytes)
{
    if (lists->edge_number == lists->edge_capacity) {
        const size_t capacity = lists->edge_capacity ? 2 * lists->edge_capacity : 256;
        struct program_edge *grown = realloc(lists->edges, capacity * sizeof *grown);
        if (!grown)
            return false;
        lists->edges = grown;
        lists->edge_capacity = capacity;
    }
    lists->edges[lists->edge_number++] = (struct program_edge){to, bytes};
    return true;
}

/* Adds the edges of E's sends. Returns the index of the first element in lists->edges, or -1: out of memory. */
static int64_t add_edges(struct program_lists *lists, const struct mpg_event *e)
{
    const int64_t at = (int64_t)lists->edge_number;
    if (!add_edge(lists, 0, e->destination_number))
        return -1;
    for (uint32_t i = 0; i < e->destination_number; i++)
        if (!add_edge(lists, e->destinations[i], !e->count_number ? e->bytes : i < e->count_number ? e->counts[i] : 0))
            return -1;
    return at;
}

static int take(struct program_lists *lists, struct mpg_trace *trace, int32_t rank, struct mpg_map *turns,
                const struct mpg_event *e, struct mpg_error *err)
{
    const struct mpg_comm *c = e->comm == MPG_NO_COMM ? NULL : mpg_trace_comm(trace, e->comm);
    const int32_t place = c && c->remote_size == 0 ? mpg_program_place(c, rank) : -1;
    if (place < 0)
        return 0;
    uint64_t *turn = mpg_map_add(turns, (uint64_t)e->comm, mpg_call_blocking(e->call));
    struct program_comm_lists *of = turn ? lists_of(lists, e, c->size) : NULL;
    if (!of || !reserve(of, (uint32_t)*turn))
        return mpg_error_set(err, "out of memory");
    const bool edges = has_edges(mpg_call_blocking(e->call));
    const int64_t value = edges ? add_edges(lists, e) : mpg_collective_member_bytes(e, place);
    if (edges && value < 0)
        return mpg_error_set(err, "out of memory");
    of->value[*turn * (size_t)of->size + (size_t)place] = value;
    ++*turn;
    return 0;
}

int mpg_program_lists_read(struct program_lists *lists, struct mpg_trace *trace, struct mpg_error *err)
{
    int status = 0;
    lists->is_read = true;
    for (int32_t r = 0; r < mpg_trace_ranks(trace) && status == 0; r++) {
        struct mpg_map turns = {.count = 0};
        struct mpg_cursor *cursor = mpg_cursor_open(trace, r, err);
        const struct mpg_event *e;
        int more = -1;
        while (cursor && status == 0 && (more = mpg_cursor_read(cursor, &e, err)) > 0)
            if (!e->failed && mpg_program_has_lists(e))
                status = take(lists, trace, r, &turns, e, err);
        status = more < 0 ? -1 : status;
        mpg_cursor_close(cursor);
        mpg_map_clear(&turns);
    }
    return status;
}

static const int64_t *values_of(const struct program_lists *lists, const struct mpg_event *e, uint32_t turn, int32_t *size)
{
    const uint64_t *place = mpg_map_find(&lists->index, (uint64_t)e->comm, mpg_call_blocking(e->call));
    const struct program_comm_lists *of = place ? &lists->comms[*place - 1] : NULL;
    if (!of || turn >= of->n)
        return NULL;
    *size = of->size;
    return of->value + (size_t)turn * (size_t)of->size;
}

const int64_t *mpg_program_lists_find(const struct program_lists *lists, const struct mpg_event *e, uint32_t turn)
{
    int32_t size = 0;
    const int64_t *bytes = values_of(lists, e, turn, &size);
    for (int32_t i = 0; bytes && i < size; i++)
        if (bytes[i] < 0)
            return NULL;
    return bytes;
}

const struct program_edge *mpg_program_lists_edges(const struct program_lists *lists, const struct mpg_event *e, uint32_t turn,
                                                   int32_t place, size_t *n)
{
    int32_t size = 0;
    const int64_t *at = values_of(lists, e, turn, &size);
    if (!at || place < 0 || place >= size || at[place] < 0 || (size_t)at[place] >= lists->edge_number)
        return NULL;
    *n = (size_t)lists->edges[at[place]].bytes;
    return *n < lists->edge_number - (size_t)at[place] ? lists->edges + at[place] + 1 : NULL;
}

void mpg_program_lists_clear(struct program_lists *lists)
{
    for (size_t i = 0; i < lists->comm_number; i++)
        free(lists->comms[i].value);
    free(lists->comms);
    free(lists->edges);
    mpg_map_clear(&lists->index);
    *lists = (struct program_lists){.comm_number = 0};
}
