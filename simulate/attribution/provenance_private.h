/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records of provenance.c, which backtrack.c reads. Private to both. */
#ifndef MPG_PROVENANCE_PRIVATE_H
#define MPG_PROVENANCE_PRIVATE_H

#include "simulate/attribution/branches.h"
#include "simulate/attribution/records.h"
#include "simulate/attribution/provenance.h"

enum { STREAM_PARTS = 2, SLOT_PARTS = 4, KEPT_PARTS = 3, NOWHERE = UINT32_MAX };
enum kind { OF_STREAMS, OF_SLOTS, OF_KEPT, KINDS };

/* A value marked as readable in one lane, and the branch ending in this value. */
struct leaf {
    uint32_t kind, mark, lane; /* kind of the value (stream, slot, ...); index of the mark within the kind; lane */
    uint32_t branch;
};

struct leaves {
    struct leaf *leaf;
    uint32_t n, capacity;
};

struct mpg_provenance {
    struct mpg_tally *tally;
    /* NULL: records stay in the windows; otherwise all records go to this critical path of one replica */
    struct mpg_critical *path;
    uint32_t n, words;
    uint64_t *lanes; /* words of bits in which the bits of all lanes are set */
    struct mpg_records old, recent; /* the windows: two successive periods of records */
    uint32_t record, choice;       /* index, in `recent`, of the current record and of the record's current origin */
    uint32_t cuts;
    uint64_t steps;
    uint8_t *parts; /* for each slot: one bit for each part with a value */
    uint32_t parts_capacity;
    uint64_t *mark[KINDS];  /* for each kind: [value][part][word of lanes] */
    uint32_t mark_capacity[KINDS];
    uint32_t *branch[KINDS]; /* for each kind: [value][part][lane]: the branch ending in the marked value */
    uint32_t branch_capacity[KINDS];
    struct mpg_branches *branches;
    struct leaves leaves, next; /* the marked values at the begin of `old`; the marked values where `old` ends and `recent`
                                 * begins */
    uint32_t *root;  /* for each lane: the branch shared by all leaves of the lane, if any */
    double *path_ns; /* for each lane: sum, ns, of the terms added to the tally */
    uint64_t *here;  /* words of bits, returned by mpg_provenance_from() after an error */
    uint32_t given;  /* the lane whose sums are being added to the tally */
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

/* Notes that memory ran out; mpg_provenance_resolve() or mpg_provenance_finish() reports the error. */
void mpg_provenance_fail(struct mpg_provenance *t);
/* Writes the record, which is complete, to the critical path. */
void mpg_provenance_spool(struct mpg_provenance *t);
/* Returns the marks of a value, words with one bit for each lane; NULL: out of memory. */
uint64_t *mpg_provenance_marks_of(struct mpg_provenance *t, uint32_t number, enum mpg_value_part part);

#endif
