/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processes of mpirun -np N mpgsim ..., which compute an answer together. Each process does a part of the work; the first
 * process gathers the results and prints the answer. A collective function must be called by all processes, unless the program
 * ends by exit(). For one thread. */
#ifndef MPG_PROCESSES_H
#define MPG_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "simulate/processes/messenger.h"

struct mpg_processes {
    int rank, size;   /* rank and number of processes (0 and 1: alone); after mpg_processes_divide() within this process's part */
    int first, all;   /* rank of the part's first process among all processes; number of all processes */
    bool divided;
    bool prints;      /* this process prints for all: rank 0 of all processes */
    unsigned sharing; /* number of processes, including this process, that may use this process's processors of this host */
    const struct mpg_messenger *messenger; /* NULL: alone */
    bool failed;      /* a process has failed: no further agreement takes place */
};

/* Joins the other processes. A process is alone, without MPI, if not started by a launcher, if the launcher started a single
 * process, or if MPGKIT_ALONE is set. P must stay valid until the program ends: if a process exits without mpg_processes_leave(),
 * the other processes fail instead of hanging. Collective, with equal arguments. Errors: no library for this MPI, or the library
 * cannot be loaded; MPI does not know the other processes; arguments or versions differ. After an error only P->speaks is
 * valid. */
int mpg_processes_join(struct mpg_processes *p, int argc, char **argv, struct mpg_error *err);

/* Returns true if this process is the first; P may be NULL: alone. */
static inline bool mpg_processes_first(const struct mpg_processes *p)
{
    return !p || p->rank == 0;
}

/* Returns 0 if all processes have succeeded. STATUS: success of this process, 0, or -1 with ERR. If a process has failed, all
 * processes return -1 with the error of the lowest failed rank, now and later. FOUND: digest of a result that must be equal in
 * all processes; 0: not computed. Collective. */
int mpg_processes_agree(struct mpg_processes *p, int status, uint64_t found, struct mpg_error *err);
/* As mpg_processes_agree() with FOUND as a digest of WHAT, named in the error (mpg_processes_agree() names "another trace"). */
int mpg_processes_agree_on(struct mpg_processes *p, const char *what, int status, uint64_t found, struct mpg_error *err);
/* Divides the processes as evenly as possible into PARTS, 1 to P's size, which work independently until mpg_processes_unite().
 * Must be called right after mpg_processes_agree(). Returns this process's part. Collective. */
int mpg_processes_divide(struct mpg_processes *p, int parts);
/* Returns the undivided rank of the first process of PART. */
int mpg_processes_first_of(const struct mpg_processes *p, int part, int parts);
/* Ends a division, if any, and agrees as mpg_processes_agree(). Collective. */
int mpg_processes_unite(struct mpg_processes *p, int status, uint64_t found, struct mpg_error *err);

/* Returns the digest of HASH and BYTES bytes at DATA; never 0. */
uint64_t mpg_processes_digest(uint64_t hash, const void *data, size_t bytes);

/* Broadcasts BYTES of DATA from the first process. Collective. */
static inline void mpg_processes_broadcast(const struct mpg_processes *p, void *data, size_t bytes)
{
    if (p && p->messenger)
        p->messenger->tell(0, data, bytes);
}

/* Leaves the other processes. Collective. */
void mpg_processes_leave(struct mpg_processes *p);

#endif
