/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records of provenance.c, which backtrack.c reads. Private to both. */
#ifndef MPG_PROVENANCE_PRIVATE_H
#define MPG_PROVENANCE_PRIVATE_H

#include "simulate/attribution/branches.h"
#include "simulate/attribution/records.h"
#include "simulate/attribution/provenance.h"

enum { STREAM_PARTS = 2, SLOT_PARTS = 4, KEPT_PARTS = 3, NOWHERE = UINT32_MAX };
enum kind { OF_STREAMS, OF_SLOTS, OF_KEPT, KINDS };

/* A marked value in one lane, and its branch. */
struct leaf {
    uint32_t kind, mark, lane; /* index of the mark within its kind */
    uint32_t branch;
};

struct leaves {
    struct leaf *leaf;
    uint32_t n, capacity;
};

struct mpg_provenance {
    struct mpg_tally *tally;
    struct mpg_critical *path; /* receives all records, for the critical path of one replica; NULL: records stay in windows */
    uint32_t n, words;
    uint64_t *lanes; /* words with the bits of all lanes set */
    struct mpg_records old, recent; /* windows */
    uint32_t record, choice;       /* the current record and origin, in the young window */
    uint32_t cuts;
    uint64_t steps;
    uint8_t *parts; /* for each slot: one bit for each part with a value */
    uint32_t parts_capacity;
    uint64_t *mark[KINDS];  /* capacity x parts x words */
    uint32_t mark_capacity[KINDS];
    uint32_t *branch[KINDS]; /* capacity x parts x lanes: the branch at each mark */
    uint32_t branch_capacity[KINDS];
    struct mpg_branches *branches;
    struct leaves leaves, next; /* the marks at the begin of the old window, and at its end, where the next window begins */
    uint32_t *root;  /* for each lane: the common root of its leaves, if any */
    double *path_ns; /* for each lane: time of the terms that have moved to the tally */
    uint64_t *here;  /* words that mpg_provenance_from() returns after an error */
    uint32_t given;  /* the lane whose sums move to the tally */
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

/* Notes that there is no memory; mpg_provenance_resolve() or mpg_provenance_finish() reports the error. */
void mpg_provenance_fail(struct mpg_provenance *t);
/* Moves the complete record to the path. */
void mpg_provenance_spool(struct mpg_provenance *t);
/* Returns the marks of a value, words of lanes; NULL: no memory. */
uint64_t *mpg_provenance_marks_of(struct mpg_provenance *t, uint32_t number, enum mpg_value_part part);

#endif
