/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Library to preload into a benchmark: delays the begin of every MPI_Send by MPGKIT_DELAY_NS, like a transport with
 * a latency longer by this amount. Used by test-pingpong.sh. */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    static int64_t delay_ns = -1;
    if (delay_ns < 0)
        delay_ns = getenv("MPGKIT_DELAY_NS") ? atoll(getenv("MPGKIT_DELAY_NS")) : 0;
    int64_t until_ns = now_ns() + delay_ns;
    while (now_ns() < until_ns) {
    }
    return PMPI_Send(buffer, count, type, to, tag, comm);
}
