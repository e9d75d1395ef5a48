/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kinds of calls of one rank, and the distances between calls of a kind. Private to analyse/iterations/.
 *
 * The key of a call is its callsite, or without callsites its call, peer and communicator. The gap between two successive calls
 * of a key has a kind: the hash of the set of other keys called in between. A burst is a call and the following calls after gaps
 * of one kind, for example an exchange with several neighbours in a row, or an inner loop. A series consists of all calls of a
 * key, or of the calls that begin the bursts of one kind. */
#ifndef MPG_ITERATION_KEYS_H
#define MPG_ITERATION_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "common/map.h"
#include "trace/event.h"

enum { GAP_BINS = 128, GAP_KINDS = 4, FARTHEST = 256 };

/* Statistics of all calls of a key, or of the calls that begin the bursts of one kind. */
struct series {
    uint64_t burst;       /* kind of the gaps within bursts; 0: the series has all calls */
    uint64_t calls;
    uint64_t first, second, before_last, last; /* numbers, on the rank, of these calls in the series */
    double since_start_ns; /* from MPI_Init's leave to the enter of the first call */
    int64_t last_ns;      /* enter of the last call, on the rank's clock */
    double before_ns;     /* sum of the times between a call and the previous call of any key, from the second call on */
    /* [bin]: number of times between successive calls of the series; the histogram has two bins an octave */
    uint32_t gaps[GAP_BINS];
    double gaps_ns[GAP_BINS];   /* [bin]: sum of the times in the bin, ns */
};

struct gap_kind {
    uint64_t hash;
    uint32_t keys;          /* number of keys in the set with this hash */
    uint64_t number;
    double sum_ns;
    struct series *without; /* the series of the calls that begin bursts of this kind */
    bool complete;          /* true: WITHOUT is complete; false: the kind was forgotten and found again */
};

struct key {
    uint64_t hash;
    enum mpg_call call;
    int32_t site;
    uint32_t newer, older;  /* doubly linked list of keys, ordered by last call: neighbours as key number + 1, 0: none */
    struct series all;
    uint64_t forgotten;     /* kinds forgotten after a single gap, as a set of bits; several kinds may share a bit */
    uint32_t kinds;
    struct gap_kind kind[GAP_KINDS];
};

struct keys {
    struct mpg_map number;  /* key number + 1 by hash */
    struct key **key;
    int64_t start_ns;       /* end of MPI_Init on the rank's clock; set by the caller */
    uint32_t n, capacity, newest; /* newest: number + 1 of the key called last */
};

/* Returns whether E is a call that can be part of a loop's body: of the thread that called MPI_Init, and not local. */
bool mpg_iteration_has_key(const struct mpg_event *e);
/* Returns the key of E, a hash other than 0. */
uint64_t mpg_iteration_key(const struct mpg_event *e);
/* Adds the hash of a further key to the hash of a set; a set of FARTHEST keys or more has the hash 1. */
static inline uint64_t gap_add(uint64_t set, uint64_t key)
{
    const uint64_t h = (key ^ key >> 31) * 0x9e3779b97f4a7c15u;
    return set + (h ^ h >> 29);
}
static inline uint64_t gap_kind_of(uint64_t set, uint32_t keys)
{
    return keys >= FARTHEST ? 1 : set | 2;
}

/* Adds call E, which has NUMBER on the rank and begins BEFORE_NS after the previous call ended. Returns 0, or -1 with ERR: no
 * memory. */
int mpg_iteration_keys_add(struct keys *keys, const struct mpg_event *e, uint64_t number, int64_t before_ns,
                           struct mpg_error *err);
void mpg_iteration_keys_clear(struct keys *keys);

#endif
