/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The MPI functions for a parallel run, compiled for each MPI library into libmpgsim-openmpi.so and libmpgsim-mpich.so. An MPI
 * error ends the whole run. One thread of each process calls these functions. */
#ifndef MPG_MESSENGER_H
#define MPG_MESSENGER_H

#include <stddef.h>

#include "graph/parts/parts.h"

struct mpg_messenger {
    /* Starts MPI; sets RANK and SIZE. Collective, as all functions down to end(). Waiting processes sleep. */
    void (*begin)(int *rank, int *size);
    /* Returns the minimum of OWN over all processes. */
    int (*min)(int own);
    /* Broadcasts BYTES bytes at DATA from process FROM. */
    void (*tell)(int from, void *data, size_t bytes);
    /* Returns the number of processes that pass this process's OWN >= 0, itself included. */
    int (*alike)(int own);
    /* Restricts later calls to processes with equal PART >= 0, numbered in unchanged order. If all processes pass PART < 0, later
     * calls are for all processes again. */
    void (*divide)(int part);
    void (*end)(void);
    /* Sends ROWS contiguous rows of BYTES each to the first process, which receives the rows STRIDE bytes apart. Both
     * processes pass equal ROWS and BYTES, at most INT_MAX each. */
    void (*send)(const void *data, size_t rows, size_t bytes);
    void (*receive)(int from, void *data, size_t rows, size_t bytes, size_t stride);
    struct mpg_parts_post post; /* messages between processes that share ranks */
};

/* The symbol exported by each messenger library. */
extern const struct mpg_messenger mpg_messenger;

#endif
