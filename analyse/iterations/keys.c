/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/iterations/keys.h"

#include <stdlib.h>

#include "common/reserve.h"
#include "graph/work/intervals.h"

/* ---- keys ---- */

static uint64_t mix(uint64_t hash, int64_t value)
{
    hash = (hash ^ (uint64_t)value) * 0xff51afd7ed558ccdu;
    return hash ^ hash >> 32;
}

/* Returns the peer of E, a rank of E's communicator; -1: no peer, or MPI_ANY_SOURCE. */
static int32_t peer_of(const struct mpg_event *e)
{
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_SEND:
    case MPG_KIND_SENDRECV:
    case MPG_KIND_ISEND:
    case MPG_KIND_ISENDRECV:
    case MPG_KIND_RMA:
    case MPG_KIND_IRMA:
    case MPG_KIND_WIN_TARGET:
        return e->to;
    case MPG_KIND_RECV:
    case MPG_KIND_IRECV:
    case MPG_KIND_PROBE:
    case MPG_KIND_MPROBE:
    case MPG_KIND_MRECV:
    case MPG_KIND_IMRECV:
        return e->any & MPG_ANY_SOURCE ? -1 : e->from;
    default:
        return -1;
    }
}

bool mpg_iteration_has_key(const struct mpg_event *e)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    return e->thread == 0 && mpg_event_is_call(e) && !graph_is_computation(e) && kind != MPG_KIND_INIT &&
           kind != MPG_KIND_FINALIZE;
}

uint64_t mpg_iteration_key(const struct mpg_event *e)
{
    uint64_t hash = mix(0x2545f4914f6cdd1du, mpg_call_plain(e->call));
    if (e->site != MPG_NO_SITE)
        return mix(hash, e->site) | 1;
    hash = mix(hash, e->failed ? -1 : peer_of(e));
    return mix(hash, e->failed ? -1 : e->comm) | 1;
}

/* ---- series ---- */

/* Returns the bin of a gap of GAP_NS: two bins for each factor of 2. */
static uint32_t bin_of(int64_t gap_ns)
{
    const uint64_t x = gap_ns > 1 ? (uint64_t)gap_ns : 1;
    const uint32_t octave = 63 - (uint32_t)__builtin_clzll(x);
    return 2 * octave + (octave > 0 ? (uint32_t)(x >> (octave - 1)) & 1 : 0);
}

struct occurrence {
    uint64_t number;
    int64_t enter_ns, before_ns, since_start_ns;
};

static void add(struct series *s, const struct occurrence *o)
{
    if (s->calls > 0) {
        const int64_t gap_ns = o->enter_ns - s->last_ns;
        const uint32_t bin = bin_of(gap_ns);
        s->gaps[bin]++;
        s->gaps_ns[bin] += (double)gap_ns;
        s->before_ns += (double)o->before_ns;
    } else {
        s->first = o->number;
        s->since_start_ns = (double)o->since_start_ns;
    }
    if (s->calls == 1)
        s->second = o->number;
    s->calls++;
    s->before_last = s->last;
    s->last = o->number;
    s->last_ns = o->enter_ns;
}

/* Forgotten kinds of gaps are kept as a set of bits. Returns the bit of the kind with this HASH; several kinds share a bit. */
static uint64_t forgotten_bit(uint64_t hash)
{
    return (uint64_t)1 << (hash >> 58);
}

/* Returns the index in K for a new kind of gap: a free index, or the index of a kind that occurred only once and is then
 * forgotten. GAP_KINDS: no index. */
static uint32_t find_place(struct key *k)
{
    uint32_t i = 0;
    if (k->kinds < GAP_KINDS)
        return k->kinds;
    while (i < GAP_KINDS && k->kind[i].number > 1)
        i++;
    if (i < GAP_KINDS)
        k->forgotten |= forgotten_bit(k->kind[i].hash);
    return i;
}

/* Adds the kind of GAP to K. The new kind's series, which leaves out calls after gaps of this kind, starts as a copy of
 * the series of all calls so far. Returns the index of the kind; GAP_KINDS: no room; -1 with ERR: no memory. */
static int add_kind(struct key *k, const struct gap_kind *gap, struct mpg_error *err)
{
    const bool complete = (k->forgotten & forgotten_bit(gap->hash)) == 0;
    const uint32_t i = find_place(k);
    if (i == GAP_KINDS)
        return (int)i;
    struct gap_kind *kind = &k->kind[i];
    if (i == k->kinds && !(kind->without = malloc(sizeof *kind->without)))
        return mpg_error_set(err, "out of memory");
    k->kinds += i == k->kinds;
    *kind->without = k->all;
    kind->without->burst = kind->hash = gap->hash;
    kind->keys = gap->keys;
    kind->number = 0;
    kind->sum_ns = 0;
    kind->complete = complete;
    return (int)i;
}

/* Counts GAP, which precedes call O. Adds O to the series of each kind except GAP's kind, whose series leaves out calls after
 * gaps of this kind. */
static int add_gap(struct key *k, const struct gap_kind *gap, const struct occurrence *o, struct mpg_error *err)
{
    int i = 0;
    while ((uint32_t)i < k->kinds && k->kind[i].hash != gap->hash)
        i++;
    if ((uint32_t)i == k->kinds && (i = add_kind(k, gap, err)) < 0)
        return -1;
    if (i < GAP_KINDS) {
        k->kind[i].number++;
        k->kind[i].sum_ns += (double)(o->enter_ns - k->all.last_ns);
    }
    for (int other = 0; (uint32_t)other < k->kinds; other++)
        if (other != i)
            add(k->kind[other].without, o);
    return 0;
}

/* ---- the list of keys by their last call ---- */

static void unlink_key(struct keys *keys, uint32_t i)
{
    const struct key *k = keys->key[i];
    if (k->newer)
        keys->key[k->newer - 1]->older = k->older;
    else
        keys->newest = k->older;
    if (k->older)
        keys->key[k->older - 1]->newer = k->newer;
}

static void link_newest(struct keys *keys, uint32_t i)
{
    struct key *k = keys->key[i];
    k->newer = 0;
    k->older = keys->newest;
    if (keys->newest)
        keys->key[keys->newest - 1]->newer = i + 1;
    keys->newest = i + 1;
}

/* Returns the kind of the gap between the last call of key I and the current call: the hash of the set of keys called in
 * between. */
static struct gap_kind gap_since(const struct keys *keys, uint32_t i)
{
    uint64_t set = 0;
    uint32_t n = 0, at = keys->newest;
    for (; at != i + 1 && n < FARTHEST; at = keys->key[at - 1]->older, n++)
        set = gap_add(set, keys->key[at - 1]->hash);
    return (struct gap_kind){.hash = gap_kind_of(set, n), .keys = n};
}

static int add_key(struct keys *keys, const struct mpg_event *e, uint64_t hash, uint32_t *i, struct mpg_error *err)
{
    uint64_t *number = mpg_map_add(&keys->number, hash, 0);
    if (!number)
        return mpg_error_set(err, "out of memory");
    if (*number == 0) {
        struct key *k = calloc(1, sizeof *k);
        if (!k || mpg_reserve_at(&keys->key, sizeof *keys->key, &keys->capacity, keys->n + 1, err) < 0) {
            free(k);
            return mpg_error_set(err, "out of memory");
        }
        *k = (struct key){.hash = hash, .call = mpg_call_plain(e->call), .site = e->site};
        keys->key[keys->n++] = k;
        *number = keys->n;
    }
    *i = (uint32_t)*number - 1;
    return 0;
}

int mpg_iteration_keys_add(struct keys *keys, const struct mpg_event *e, uint64_t number, int64_t before_ns,
                           struct mpg_error *err)
{
    const struct occurrence o = {.number = number, .enter_ns = e->enter_ns, .before_ns = before_ns,
                                 .since_start_ns = e->enter_ns - keys->start_ns};
    uint32_t i = 0;
    if (add_key(keys, e, mpg_iteration_key(e), &i, err) < 0)
        return -1;
    struct key *k = keys->key[i];
    if (k->all.calls > 0) {
        const struct gap_kind gap = gap_since(keys, i);
        if (add_gap(k, &gap, &o, err) < 0)
            return -1;
        unlink_key(keys, i);
    }
    link_newest(keys, i);
    add(&k->all, &o);
    return 0;
}

void mpg_iteration_keys_clear(struct keys *keys)
{
    for (uint32_t i = 0; i < keys->n; i++) {
        for (uint32_t j = 0; j < keys->key[i]->kinds; j++)
            free(keys->key[i]->kind[j].without);
        free(keys->key[i]);
    }
    free(keys->key);
    mpg_map_clear(&keys->number);
    *keys = (struct keys){.n = 0};
}
