/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Communicators as all ranks know them: the same groups and instance number
 * are the same communicator. */
#include "trace/trace_private.h"

#include <stdlib.h>
#include <string.h>

static bool is_same(const struct mpg_comm *c, int32_t instance, int32_t size, int32_t remote_size,
                    const int32_t *world_ranks)
{
    if (c->instance != instance)
        return false;
    size_t n = (size_t)size, m = (size_t)remote_size;
    if (c->size == size && c->remote_size == remote_size &&
        memcmp(c->world_ranks, world_ranks, (n + m) * sizeof *world_ranks) == 0)
        return true;
    /* The two sides of an inter-communicator name their own group first. */
    return m > 0 && c->size == remote_size && c->remote_size == size &&
           memcmp(c->world_ranks, world_ranks + n, m * sizeof *world_ranks) == 0 &&
           memcmp(c->world_ranks + m, world_ranks, n * sizeof *world_ranks) == 0;
}

/* A number for people: the one asked for unless it is taken. */
static int32_t choose_label(const struct mpg_trace *t, int32_t wanted)
{
    int32_t label = wanted >= 0 ? wanted : t->next_label;
    for (int32_t i = 0; i < t->comm_count; i++)
        if (t->comms[i].label == label)
            return choose_label(t, t->next_label > label ? t->next_label : label + 1);
    return label;
}

int32_t mpg_trace_intern_comm(struct mpg_trace *t, int32_t instance, int32_t label, int32_t size,
                              int32_t remote_size, const int32_t *world_ranks)
{
    for (int32_t i = t->comm_count - 1; i >= 0; i--)
        if (is_same(&t->comms[i], instance, size, remote_size, world_ranks))
            return i;
    if (t->comm_count == t->comm_capacity) {
        int32_t capacity = t->comm_capacity ? 2 * t->comm_capacity : 16;
        void *grown = realloc(t->comms, (size_t)capacity * sizeof *t->comms);
        if (!grown)
            return -1;
        t->comms = grown;
        t->comm_capacity = capacity;
    }
    size_t bytes = ((size_t)size + (size_t)remote_size) * sizeof *world_ranks;
    int32_t *copy = malloc(bytes ? bytes : 1);
    if (!copy)
        return -1;
    memcpy(copy, world_ranks, bytes);
    int32_t chosen = choose_label(t, label);
    if (chosen >= t->next_label)
        t->next_label = chosen + 1;
    t->comms[t->comm_count] = (struct mpg_comm){.label = chosen,
                                                .instance = instance,
                                                .size = size,
                                                .remote_size = remote_size,
                                                .world_ranks = copy};
    return t->comm_count++;
}

const struct mpg_comm *mpg_trace_comm(const struct mpg_trace *t, int32_t comm)
{
    return &t->comms[comm];
}

int32_t mpg_trace_comm_count(const struct mpg_trace *t)
{
    return t->comm_count;
}
