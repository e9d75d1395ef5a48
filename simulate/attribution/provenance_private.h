/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What trail.c records, and walk.c walks. Private to both. */
#ifndef MPG_WHERE_TRAIL_PRIVATE_H
#define MPG_WHERE_TRAIL_PRIVATE_H

#include "simulate/attribution/branches.h"
#include "simulate/attribution/records.h"
#include "simulate/attribution/provenance.h"

enum { STREAM_PARTS = 2, SLOT_PARTS = 4, KEPT_PARTS = 3, NOWHERE = UINT32_MAX };
enum kind { OF_STREAMS, OF_SLOTS, OF_KEPT, KINDS };

/* A value that is marked in a lane, and the branch that leads to it. */
struct leaf {
    uint32_t kind, mark, lane; /* which of the kind's marks it is */
    uint32_t branch;
};

struct leaves {
    struct leaf *leaf;
    uint32_t n, capacity;
};

struct mpg_provenance {
    struct mpg_tally *tally;
    struct mpg_critical *path; /* what is recorded goes to; NULL: there are windows of it */
    uint32_t n, words;
    uint64_t *lanes; /* words: all there are */
    struct mpg_records old, young; /* windows */
    uint32_t record, choice;       /* those that are made, in the young one */
    uint32_t cuts;
    uint64_t steps;
    uint8_t *parts; /* of each slot: which have a value, bits */
    uint32_t parts_capacity;
    uint64_t *mark[KINDS];  /* capacity x parts x words */
    uint32_t mark_capacity[KINDS];
    uint32_t *branch[KINDS]; /* capacity x parts x lanes: what leads from where the walk is to what is read */
    uint32_t branch_capacity[KINDS];
    struct mpg_branches *branches;
    struct leaves leaves, next; /* at the old window's begin; at its end */
    uint32_t *root; /* a lane */
    double *path_ns; /* a lane: what has been resolved */
    uint64_t *here;  /* words */
    uint32_t given;  /* the lane whose branches are given */
    struct mpg_error err;
    bool failed;
};

static inline enum kind kind_of(enum mpg_value_part part)
{
    return part >= MPG_VALUE_TIME ? OF_SLOTS : part >= MPG_VALUE_KEPT ? OF_KEPT : OF_STREAMS;
}

static inline enum mpg_value_part first_part(enum kind kind)
{
    return kind == OF_SLOTS ? MPG_VALUE_TIME : kind == OF_KEPT ? MPG_VALUE_KEPT : MPG_VALUE_STREAM;
}

static inline unsigned part_number(enum mpg_value_part part)
{
    return (unsigned)(part - first_part(kind_of(part)));
}

static inline uint32_t parts_of(enum kind kind)
{
    return kind == OF_SLOTS ? SLOT_PARTS : kind == OF_KEPT ? KEPT_PARTS : STREAM_PARTS;
}

/* That there was no memory is said by what follows. */
void mpg_provenance_fail(struct mpg_provenance *t);
/* The record that is whole goes to the path. */
void mpg_provenance_spool(struct mpg_provenance *t);
/* The lanes of a value; NULL: out of memory. */
uint64_t *mpg_provenance_marks_of(struct mpg_provenance *t, uint32_t number, enum mpg_value_part part);

#endif
