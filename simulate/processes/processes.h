/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processes that a launcher has started to give one answer together: mpirun -np N mpgsim ... Each has
 * a part of the work, the first gathers and answers. What is called collective here, all of them call, or
 * the program ends by exit(). For main() and what it calls; one thread. */
#ifndef MPG_PROCESSES_H
#define MPG_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "simulate/processes/messenger.h"

struct mpg_processes {
    int rank, size;   /* 0 of 1: alone; where they are divided, in this one's part, */
    int first, all;   /* whose first has that rank among so many, when they are not */
    bool divided;
    bool speaks;      /* for all: the first does */
    unsigned sharing; /* how many, with this one, may use the same processors of the same host */
    const struct mpg_messenger *messenger; /* NULL: alone */
    bool failed;      /* some of them: there is nothing to be agreed upon any more */
};

/* Finds the others. Alone, without MPI, is who no launcher started, or the only one that it started, or
 * whom $MPGKIT_ALONE tells so. P stays where it is until the program ends: who ends it without
 * having left makes the others fail, and nobody hangs. Collective; the others have the same arguments. Errors,
 * after which P is to speak, or not, and no more: there is no library of ours for that MPI, or it cannot be
 * loaded; MPI does not know the others; arguments or versions differ. */
int mpg_processes_join(struct mpg_processes *p, int argc, char **argv, struct mpg_error *err);

/* Whether this one is the first; NULL: there are no others. */
static inline bool mpg_processes_first(const struct mpg_processes *p)
{
    return !p || p->rank == 0;
}

/* Whether all have been successful so far, as STATUS (0 or -1 with ERR) says of this one. Where one has
 * failed all have the error of the lowest rank that has, from then on. FOUND: a digest of what all must have
 * found alike; 0: it did not look. Collective. */
int mpg_processes_agree(struct mpg_processes *p, int status, uint64_t found, struct mpg_error *err);
/* The same, where FOUND is a digest of WHAT: "another trace" is the error of the one above. */
int mpg_processes_agree_on(struct mpg_processes *p, const char *what, int status, uint64_t found, struct mpg_error *err);
/* Divides them into PARTS, 1 .. P's size, as evenly as can be, each of which works by itself until
 * mpg_processes_unite(). They have agreed just before. Which one this process is in. Collective. */
int mpg_processes_divide(struct mpg_processes *p, int parts);
/* The rank that the first process of PART has when they are not divided. */
int mpg_processes_first_of(const struct mpg_processes *p, int part, int parts);
/* Ends that, and agrees; nothing if they are not divided but to agree. Collective. */
int mpg_processes_unite(struct mpg_processes *p, int status, uint64_t found, struct mpg_error *err);

/* HASH, and BYTES of DATA: never 0. */
uint64_t mpg_processes_digest(uint64_t hash, const void *data, size_t bytes);

/* From the first to all others, what all have so many BYTES for. Collective. */
static inline void mpg_processes_tell(const struct mpg_processes *p, void *data, size_t bytes)
{
    if (p && p->messenger)
        p->messenger->tell(0, data, bytes);
}

/* Takes leave of the others. Collective. */
void mpg_processes_leave(struct mpg_processes *p);

#endif
