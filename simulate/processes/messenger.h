/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the processes of a run need of MPI: compiled for each MPI that was found, into libmpgsim-openmpi.so
 * and libmpgsim-mpich.so, which hold one structure. What fails there ends the whole run, as MPI does by
 * itself. One thread of a process calls it. */
#ifndef MPG_MESSENGER_H
#define MPG_MESSENGER_H

#include <stddef.h>

struct mpg_messenger {
    /* Starts MPI: this process's rank of how many. Collective, as are those to end(), but for send() and
     * receive(); who waits for the others sleeps. */
    void (*begin)(int *rank, int *size);
    /* The least of what all say. */
    int (*least)(int own);
    /* From one process to all others. */
    void (*tell)(int from, void *data, size_t bytes);
    /* How many say the same, which is not negative. */
    int (*alike)(int own);
    /* From now on "all" are those that say the same PART, which is not negative, and ranks those among
     * them, in the same order; negative, as all then say: all again. */
    void (*divide)(int part);
    void (*end)(void);
    /* ROWS of BYTES each, which follow each other, from a process to the first, which puts them STRIDE
     * bytes apart; both say the same ROWS and BYTES, at most INT_MAX each. */
    void (*send)(const void *data, size_t rows, size_t bytes);
    void (*receive)(int from, void *data, size_t rows, size_t bytes, size_t stride);
};

/* What such a library exports. */
extern const struct mpg_messenger mpg_messenger;

#endif
