/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Communicators of a trace in which each rank has private handles. In a first pass the reader passes each rank's
 * constructor calls; the calls of all ranks together determine the members. In a second pass, in the same order, the
 * reader gets the communicator of a handle at each call. For readers of other tools' traces; not thread-safe. */
#ifndef MPG_FOREIGN_COMMS_H
#define MPG_FOREIGN_COMMS_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "trace/build/build.h"

struct mpg_comms;

/* A communicator: label for trace/build/, and members as world ranks in order. */
struct mpg_foreign_comm {
    int32_t label, parent, size; /* parent: a label */
    int32_t *members;            /* members as world ranks; -1: unknown */
    int32_t known;               /* number of known members */
};

enum mpg_comm_rule {
    MPG_COMM_SAME,    /* the members of the parent (MPI_Comm_dup) */
    MPG_COMM_SPLIT,   /* by color and key; color < 0: no communicator */
    MPG_COMM_LIST,    /* the list: world ranks in order; no list: no communicator */
    MPG_COMM_PICK,    /* the ranks of the parent in the list, in order; no list: no communicator */
    MPG_COMM_FIRST,   /* the first COLOR members of the parent */
    MPG_COMM_GRID,    /* the list: N / 2 extents of the parent's grid, then for each 1 if the dimension remains */
    MPG_COMM_SHOWN    /* not told by the call: each use names a member, mpg_comms_use() */
};

/* A constructor call. */
struct mpg_comm_call {
    enum mpg_comm_rule rule;
    /* handles of the parent and of the new communicator; HANDLE -1: not in the trace, but told by mpg_comms_use() */
    int64_t parent, handle;
    int64_t color, key;
    const int32_t *list;    /* N elements, see enum mpg_comm_rule; copied by the call */
    size_t n;
};

/* Makes the communicators of RANKS ranks; WORLD and SELF are the handles of MPI_COMM_WORLD and MPI_COMM_SELF, or -1: the
 * handle follows from the first use. Returns NULL if out of memory. */
struct mpg_comms *mpg_comms_new(int32_t ranks, int64_t world, int64_t self);
void mpg_comms_free(struct mpg_comms *c); /* NULL is allowed */

/* First pass, for each rank in the order of its calls. Return 0, or -1 with ERR: out of memory. */
int mpg_comms_construct(struct mpg_comms *c, int32_t rank, const struct mpg_comm_call *call, struct mpg_error *err);
/* To be called when RANK uses HANDLE, a communicator of SIZE ranks with RANK as rank MEMBER: needed for traces whose
 * constructor calls do not tell the new handle, and for MPI_COMM_SELF. */
int mpg_comms_use(struct mpg_comms *c, int32_t rank, int64_t handle, int32_t member, int32_t size, struct mpg_error *err);

/* After the first pass: finds the members, and defines the communicators in B. Returns 0, or -1 with ERR: a constructor
 * not called by all members, a handle made by no constructor, members named by no call. *GUESSED: number of uses to which
 * several constructors fit; *MISPLACED: number of ranks whose place among the files is not their rank in MPI_COMM_WORLD. */
int mpg_comms_resolve(struct mpg_comms *c, struct mpg_build *b, uint64_t *guessed, uint64_t *misplaced, struct mpg_error *err);

/* Returns the rank in COMM of world rank RANK, or -1. */
int32_t mpg_comms_position(const struct mpg_comms *c, const struct mpg_foreign_comm *comm, int32_t rank);
/* Begins the second pass once more. Returns 0, or -1 with ERR: out of memory. */
int mpg_comms_rewind(struct mpg_comms *c, struct mpg_error *err);

/* Second pass, in the order of the first: to be called for RANK's next constructor call, which makes HANDLE. Returns the new
 * communicator; NULL: RANK is not a member. */
const struct mpg_foreign_comm *mpg_comms_constructed(struct mpg_comms *c, int32_t rank, int64_t handle);
/* Second pass: returns the communicator of RANK's HANDLE at the current call; MEMBER and SIZE as for mpg_comms_use(), or
 * -1; NULL: unknown. */
const struct mpg_foreign_comm *mpg_comms_find(struct mpg_comms *c, int32_t rank, int64_t handle, int32_t member, int32_t size);

#endif
