/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts operations in a table by channel, communicator and window. */
#include "trace/pmpi/counts.h"

#include <string.h>

#include "common/map.h"
#include "trace/pmpi/comms.h"
#include "trace/pmpi/objects.h"

enum { COUNTED_BITS = 2 }; /* enum counted, in the second word of a key beside the tag */

static struct mpg_map counts; /* (communicator and peer, tag and enum counted) -> number */

/* The last count of each kind, because programs repeat messages. A new count may move all counts. */
static struct last_count {
    uint64_t key[2], *slot;
    size_t of; /* number of counts */
} last[1 << COUNTED_BITS];

static uint64_t join(int32_t high, int32_t low)
{
    return (uint64_t)(uint32_t)high << 32 | (uint32_t)low;
}

static void add(enum counted what, int32_t comm, int32_t peer, int32_t tag)
{
    const uint64_t key[2] = {join(comm, peer), (uint64_t)(uint32_t)tag << COUNTED_BITS | (uint64_t)what};
    struct last_count *l = &last[what];
    if (!l->slot || l->of != counts.count || l->key[0] != key[0] || l->key[1] != key[1]) {
        uint64_t *slot = mpg_map_add(&counts, key[0], key[1]);
        if (!slot) {
            tracer_out_of_memory();
            return;
        }
        *l = (struct last_count){{key[0], key[1]}, slot, counts.count};
    }
    ++*l->slot;
}

void counts_add(enum counted what, int32_t comm, int32_t peer, int32_t tag)
{
    const bool is_message = what == COUNT_SENDS || what == COUNT_RECEIVES;
    if (comm >= 0 && (peer >= 0 || !is_message))
        add(what, comm, peer, tag);
}

bool counts_is_wildcard(const struct mpg_event *e)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    return (kind == MPG_KIND_IRECV || kind == MPG_KIND_ISENDRECV) && e->any && e->request_number > 0;
}

void counts_event(const struct mpg_event *e)
{
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_SEND:
    case MPG_KIND_ISEND:
        counts_add(COUNT_SENDS, e->comm, e->to, e->tag);
        break;
    case MPG_KIND_RECV:
        counts_add(COUNT_RECEIVES, e->comm, e->from, e->tag);
        break;
    case MPG_KIND_IRECV:
        if (!counts_is_wildcard(e))
            counts_add(COUNT_RECEIVES, e->comm, e->from, e->tag);
        break;
    case MPG_KIND_SENDRECV:
    case MPG_KIND_ISENDRECV:
        counts_add(COUNT_SENDS, e->comm, e->to, e->tag);
        if (!counts_is_wildcard(e))
            counts_add(COUNT_RECEIVES, e->comm, e->from, e->recvtag);
        break;
    case MPG_KIND_MPROBE:
        if (e->found)
            counts_add(COUNT_RECEIVES, e->comm, e->from, e->tag);
        break;
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_ICOLLECTIVE:
    case MPG_KIND_NEIGHBOR:
    case MPG_KIND_INEIGHBOR:
    case MPG_KIND_WIN_CONSTRUCTOR:
    case MPG_KIND_CONSTRUCTOR:
    case MPG_KIND_ICONSTRUCTOR:
        if (!mpg_call_is_by_group(e->call))
            counts_add(COUNT_COLLECTIVES, e->comm, MPG_PROC_NULL, 0);
        break;
    case MPG_KIND_WIN_FENCE:
    case MPG_KIND_WIN_FREE:
        counts_add(COUNT_WINDOWS, e->object, MPG_PROC_NULL, 0);
        break;
    default:
        break;
    }
}

size_t counts_number(void)
{
    return counts.count;
}

struct mpg_event counts_blank(void)
{
    return (struct mpg_event){.call = MPG_CALL_Unrecorded, .site = MPG_NO_SITE, .comm = MPG_NO_COMM, .newcomm = MPG_NO_COMM,
                              .object = MPG_NO_OBJECT, .to = MPG_PROC_NULL};
}

static struct mpg_event event_of_count(const struct mpg_map_entry *entry)
{
    struct mpg_event e = counts_blank();
    const enum counted what = (enum counted)(entry->key[1] & ((1 << COUNTED_BITS) - 1));
    const int32_t first = (int32_t)(entry->key[0] >> 32), peer = (int32_t)(uint32_t)entry->key[0];
    e.comm = what == COUNT_WINDOWS ? MPG_NO_COMM : first;
    e.object = what == COUNT_WINDOWS ? first : MPG_NO_OBJECT;
    e.to = what == COUNT_SENDS || what == COUNT_RECEIVES ? peer : MPG_PROC_NULL;
    e.tag = (int32_t)(uint32_t)(entry->key[1] >> COUNTED_BITS);
    *(what == COUNT_RECEIVES ? &e.recvbytes : &e.bytes) = (int64_t)entry->value;
    return e;
}

int counts_write(int (*write)(struct mpg_event *e, int64_t now_ns, struct mpg_error *err), int64_t now_ns, struct mpg_error *err)
{
    for (size_t i = 0; i < counts.capacity; i++) {
        if (!counts.entries[i].used)
            continue;
        struct mpg_event e = event_of_count(&counts.entries[i]);
        if (write(&e, now_ns, err) < 0)
            return -1;
    }
    return 0;
}

static bool is_freed(const struct mpg_map_entry *entry)
{
    const int32_t number = (int32_t)(entry->key[0] >> 32);
    return (entry->key[1] & ((1 << COUNTED_BITS) - 1)) == COUNT_WINDOWS ? tracer_object_is_freed(number)
                                                                        : tracer_comm_is_freed(number);
}

int counts_prune(struct mpg_error *err)
{
    struct mpg_map kept = {.entries = NULL};
    for (size_t i = 0; i < counts.capacity; i++) {
        const struct mpg_map_entry *entry = &counts.entries[i];
        if (!entry->used || is_freed(entry))
            continue;
        uint64_t *slot = mpg_map_add(&kept, entry->key[0], entry->key[1]);
        if (!slot) {
            mpg_map_clear(&kept);
            return mpg_error_set(err, "out of memory");
        }
        *slot = entry->value;
    }
    counts_clear();
    counts = kept;
    return 0;
}

void counts_clear(void)
{
    mpg_map_clear(&counts);
    memset(last, 0, sizeof last);
}
