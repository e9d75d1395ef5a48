/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Communicators between parts. Each part has a separate trace, which numbers communicators in the order of reading; a record has
 * the sending part's number of a communicator, and the receiving part translates the number. */
#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"
#include "graph/parts/private.h"

/* The definition of a communicator, in the numbers of the sending part. */
struct comm_record {
    struct part_record record;
    int32_t number, parent, instance, label, size, remote_size;
    int32_t world_ranks[];
};

struct part_comm *mpg_part_comm(struct mpg_rank_part *part, int32_t comm, struct mpg_error *err)
{
    if (mpg_reserve_at(&part->comm, sizeof *part->comm, &part->comm_capacity, (uint32_t)comm + 1, err) < 0)
        return NULL;
    struct part_comm *known = &part->comm[comm];
    if (known->is_known)
        return known;
    const struct mpg_comm *c = mpg_trace_comm(part->trace, comm);
    known->is_known = true;
    for (int32_t i = 0; i < c->size + c->remote_size; i++) {
        if (c->world_ranks[i] < 0)
            continue;
        known->members |= UINT64_C(1) << part->owner[c->world_ranks[i]];
        known->own += part->owner[c->world_ranks[i]] == part->index;
    }
    return known;
}

int mpg_part_tell_comm(struct mpg_rank_part *part, unsigned to, int32_t comm, struct mpg_error *err)
{
    struct part_comm *known = mpg_part_comm(part, comm, err);
    if (!known)
        return -1;
    if (known->told >> to & 1)
        return 0;
    known->told |= UINT64_C(1) << to;
    const struct mpg_comm *c = mpg_trace_comm(part->trace, comm);
    const size_t n = (size_t)c->size + (size_t)c->remote_size;
    if (c->parent != MPG_NO_COMM && mpg_part_tell_comm(part, to, c->parent, err) < 0)
        return -1;
    struct comm_record *r =
        mpg_part_add(part, to, PART_COMM, sizeof *r + n * sizeof r->world_ranks[0], false, err);
    if (!r)
        return -1;
    r->number = comm;
    r->parent = c->parent;
    r->instance = c->instance;
    r->label = c->label;
    r->size = c->size;
    r->remote_size = c->remote_size;
    memcpy(r->world_ranks, c->world_ranks, n * sizeof r->world_ranks[0]);
    return 0;
}

int mpg_part_learn_comm(struct mpg_rank_part *part, const struct part_record *record, struct mpg_error *err)
{
    const struct comm_record *r = (const struct comm_record *)(const void *)record;
    struct part_numbers *numbers = &part->numbers[record->from];
    const int32_t parent = r->parent == MPG_NO_COMM ? MPG_NO_COMM : graph_comm_here(part, record->from, r->parent);
    const struct mpg_comm comm = {r->label, parent, r->instance, r->size, r->remote_size, (int32_t *)(uintptr_t)r->world_ranks};
    if (mpg_reserve_at(&numbers->own, sizeof *numbers->own, &numbers->capacity, (uint32_t)r->number + 1, err) < 0)
        return -1;
    numbers->own[r->number] = mpg_trace_define_comm(part->trace, &comm);
    return numbers->own[r->number] < 0 ? mpg_error_set(err, "out of memory") : 0;
}

void mpg_part_comms_clear(struct mpg_rank_part *part)
{
    free(part->comm);
    for (unsigned i = 0; i < part->n; i++)
        free(part->numbers[i].own);
}
