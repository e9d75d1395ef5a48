/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Library to preload: overwrites the data fetched by MPI_Get number CORRUPT_GET (from 0) of rank CORRUPT_RANK
 * before MPI_Win_flush returns, like a data race with another rank. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static void *last;
static size_t last_bytes;

int MPI_Get(void *to, int n, MPI_Datatype type, int rank, MPI_Aint at, int target_n, MPI_Datatype target_type,
            MPI_Win win)
{
    static long number;
    int own, bytes;
    PMPI_Comm_rank(MPI_COMM_WORLD, &own);
    PMPI_Type_size(type, &bytes);
    const char *which = getenv("CORRUPT_GET"), *whose = getenv("CORRUPT_RANK");
    if (which && whose && own == atoi(whose) && number++ == atol(which)) {
        last = to;
        last_bytes = (size_t)n * (size_t)bytes;
    }
    return PMPI_Get(to, n, type, rank, at, target_n, target_type, win);
}

int MPI_Win_flush(int rank, MPI_Win win)
{
    const int status = PMPI_Win_flush(rank, win);
    if (last)
        memset(last, 0x41, last_bytes);
    last = NULL;
    return status;
}
