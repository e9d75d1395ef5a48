/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bisection for the eager limit. */
#include "config.h"

#include "bench/harness/eager.h"

#include <stdbool.h>

#include "bench/harness/timer.h"

enum { DELAY_NS = 2000000, TRIALS = 12, ENOUGH = 2, TAG = 2 };

/* Spends DELAY_NS inside MPI without posting the receive: an eager message is then an unexpected message, and a
 * rendezvous send waits. Outside MPI even an eager send could wait, since Open MPI's shared memory needs the receiver
 * to return the send's buffer. */
static void delay_in_mpi(const struct mpg_pair *pair)
{
    uint64_t start_ns = mpg_clock_ns();
    int flag;
    while (mpg_clock_ns() - start_ns < DELAY_NS)
        MPI_Iprobe(0, TAG + 1, pair->comm, &flag, MPI_STATUS_IGNORE);
}

/* Sends SIZE bytes to a rank that posts the receive DELAY_NS later; returns whether the send completed before the post. Both
 * ranks measure from a start signal, which rank 0 sends directly before the send. If rank 0 is delayed in between, an eager send
 * can look like a rendezvous, but a rendezvous practically never looks like an eager send. */
static bool lead_trial(const struct mpg_pair *pair, int size)
{
    char more = 1;
    MPI_Send(&more, 1, MPI_CHAR, 1, TAG, pair->comm);
    uint64_t start_ns = mpg_clock_ns();
    MPI_Send(pair->send_buffer, size, MPI_BYTE, 1, TAG, pair->comm);
    bool early = mpg_clock_ns() - start_ns < DELAY_NS / 2;
    MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG, pair->comm, MPI_STATUS_IGNORE);
    return early;
}

static void follow_trials(const struct mpg_pair *pair, int size)
{
    char more;
    for (;;) {
        MPI_Recv(&more, 1, MPI_CHAR, 0, TAG, pair->comm, MPI_STATUS_IGNORE);
        if (!more)
            return;
        delay_in_mpi(pair);
        MPI_Recv(pair->receive_buffer, size, MPI_BYTE, 0, TAG, pair->comm, MPI_STATUS_IGNORE);
        MPI_Send(NULL, 0, MPI_BYTE, 0, TAG, pair->comm);
    }
}

/* Returns, on both ranks, whether sends of SIZE bytes are eager. A rendezvous send cannot complete early, but on a busy
 * machine an eager send is often late: ENOUGH early sends of TRIALS decide for eager. */
static bool is_eager(const struct mpg_pair *pair, int64_t size_bytes)
{
    char more = 0;
    int early = 0;
    if (pair->rank == 0) {
        for (int i = 0; i < TRIALS && early < ENOUGH; i++)
            early += lead_trial(pair, (int)size_bytes);
        MPI_Send(&more, 1, MPI_CHAR, 1, TAG, pair->comm);
    } else {
        follow_trials(pair, (int)size_bytes);
    }
    MPI_Bcast(&early, 1, MPI_INT, 0, pair->comm);
    return early >= ENOUGH;
}

int64_t mpg_eager_limit(const struct mpg_pair *pair, int64_t max_bytes)
{
    int64_t low = 0, high = max_bytes;
    if (!is_eager(pair, low))
        return -2;
    if (is_eager(pair, high))
        return -1;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (is_eager(pair, middle))
            low = middle;
        else
            high = middle;
    }
    /* If sends far above the limit complete early, too, there is no single limit */
    int64_t well_above = 4 * high < max_bytes ? 4 * high : max_bytes;
    return is_eager(pair, well_above) ? -3 : low;
}
