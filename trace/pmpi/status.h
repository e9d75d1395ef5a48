/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads members of a status, without a call for members that are public in MPI_Status. */
#ifndef MPG_STATUS_H
#define MPG_STATUS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

static inline int64_t status_bytes(const MPI_Status *status)
{
#if defined(OPEN_MPI)
    return (int64_t)status->_ucount;
#elif defined(MPICH)
    return (int64_t)((uint64_t)(uint32_t)(status->count_hi_and_cancelled >> 1) << 32 |
                     (uint32_t)status->count_lo);
#else
    MPI_Count count = 0; /* an int is limited to 2 GiB */
    if (PMPI_Get_elements_c(status, MPI_BYTE, &count) != MPI_SUCCESS || count == MPI_UNDEFINED)
        count = 0;
    return count;
#endif
}

static inline bool status_cancelled(const MPI_Status *status)
{
#if defined(OPEN_MPI)
    return status->_cancelled;
#elif defined(MPICH)
    return status->count_hi_and_cancelled & 1;
#else
    int cancelled = 0;
    PMPI_Test_cancelled(status, &cancelled);
    return cancelled;
#endif
}

#endif
