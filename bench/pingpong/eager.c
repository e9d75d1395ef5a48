/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bisection for the eager limit. */
#include "config.h"

#include "bench/pingpong/eager.h"

#include <stdbool.h>

#include "bench/harness/timer.h"

enum { DELAY_NS = 2000000, TRIALS = 7, CHECK_TRIALS = 15, MOST = 6, CHECK_MOST = 14, CHECK_FEW = 9, TAG = 2 };

/* Lets MPI make progress for DELAY_NS without posting the receive that is sent
 * to: an eager message is taken in as an unexpected one, a rendezvous waits.
 * (Outside MPI even an eager one may wait: Open MPI's shared memory wants the
 * receiver to hand its copy back.) */
static void delay_in_mpi(const struct mpg_pair *pair)
{
    uint64_t start_ns = mpg_clock_ns();
    int flag;
    while (mpg_clock_ns() - start_ns < DELAY_NS)
        MPI_Iprobe(0, TAG + 1, pair->comm, &flag, MPI_STATUS_IGNORE);
}

/* One send of SIZE bytes to a rank that posts its receive DELAY_NS late. The
 * word to start goes just before it, so that a rank 0 that is held up can only
 * look slower. True on rank 0 when the send was over before. */
static bool send_returns_early(const struct mpg_pair *pair, int size)
{
    bool early = false;
    if (pair->rank == 0) {
        MPI_Send(NULL, 0, MPI_BYTE, 1, TAG, pair->comm);
        uint64_t start_ns = mpg_clock_ns();
        MPI_Send(pair->buffer, size, MPI_BYTE, 1, TAG, pair->comm);
        early = mpg_clock_ns() - start_ns < DELAY_NS / 2;
        MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG, pair->comm, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG, pair->comm, MPI_STATUS_IGNORE);
        delay_in_mpi(pair);
        MPI_Recv(pair->buffer, size, MPI_BYTE, 0, TAG, pair->comm, MPI_STATUS_IGNORE);
        MPI_Send(NULL, 0, MPI_BYTE, 0, TAG, pair->comm);
    }
    return early;
}

/* How many of TRIALS sends returned early; the same on both ranks. */
static int count_early(const struct mpg_pair *pair, int64_t size_bytes, int trials)
{
    int early = 0;
    for (int i = 0; i < trials; i++)
        early += send_returns_early(pair, (int)size_bytes);
    MPI_Bcast(&early, 1, MPI_INT, 0, pair->comm);
    return early;
}

int64_t mpg_eager_limit(const struct mpg_pair *pair, int64_t max_bytes)
{
    int64_t low = 0, high = max_bytes;
    if (count_early(pair, low, TRIALS) < MOST)
        return -2;
    if (count_early(pair, high, TRIALS) >= MOST)
        return -1;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (count_early(pair, middle, TRIALS) >= MOST)
            low = middle;
        else
            high = middle;
    }
    /* A disturbed trial may have misled the search: the limit found must hold, and
     * well above it few sends may return early. */
    while (low > 0 && count_early(pair, low, CHECK_TRIALS) < CHECK_MOST)
        low -= low / 8 + 1;
    int64_t well_above = 4 * high < max_bytes ? 4 * high : max_bytes;
    return count_early(pair, well_above, CHECK_TRIALS) <= CHECK_FEW ? low : -3;
}
