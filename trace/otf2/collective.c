/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of a collective from the sums that an archive holds. Score-P multiplies by the members that a rank sends to and
 * receives from (source: the numbers that its archives hold for calls of known size, mpgotf2(5)); an MPI_IN_PLACE call leaves the
 * rank itself out. */
#include "trace/otf2/thread.h"

/* Returns the bytes of one member, given SUM over N members; over N - 1 if N does not divide SUM (MPI_IN_PLACE). */
static int64_t part_of(int64_t sum, int64_t n)
{
    return sum % n == 0 || n < 2 || sum % (n - 1) != 0 ? sum / n : sum / (n - 1);
}

/* Spreads TOTAL over N counts. */
static void spread_over(int64_t *counts, int32_t n, int64_t total)
{
    for (int32_t i = 0; i < n; i++)
        counts[i] = total / n + (i < total % n);
}

/* Returns the bytes of E as mpgtext(5) defines them, from SENT and RECEIVED, which a tool has multiplied by the members that this
 * rank sent to and received from. N: the members that count. */
static int64_t multiplied(const struct mpg_event *e, int64_t sent, int64_t received, int64_t n)
{
    const int64_t others = n > 1 ? n - 1 : 1;
    switch (mpg_call_blocking(e->call)) {
    case MPG_CALL_Bcast:
    case MPG_CALL_Scatterv:
        return received;
    case MPG_CALL_Gather:
    case MPG_CALL_Reduce:
        return sent > 0 || !e->is_root ? sent : received / others;
    case MPG_CALL_Scatter:
        return received > 0 || !e->is_root ? received : sent / others;
    case MPG_CALL_Allgather:
    case MPG_CALL_Allgatherv:
    case MPG_CALL_Allreduce:
    case MPG_CALL_Alltoall:
        return part_of(sent, n);
    case MPG_CALL_Scan:
        return (sent + received) / (n + 1);
    case MPG_CALL_Exscan:
        return (sent + received) / others;
    default:
        return sent;
    }
}

void mpg_otf2_collective_bytes(const struct otf2_import *im, const struct otf2_record *r, int32_t size, struct mpg_event *e,
                           int64_t *counts, bool *spread)
{
    const int64_t sent = (int64_t)(r->bytes & INT64_MAX >> 2), received = (int64_t)(r->received & INT64_MAX >> 2);
    switch (mpg_call_blocking(e->call)) {
    case MPG_CALL_Barrier:
        return;
    case MPG_CALL_Scatterv:
        if (!e->is_root)
            break;
        /* fall through */
    case MPG_CALL_Alltoallv:
    case MPG_CALL_Alltoallw:
        *spread = size > 1;
        spread_over(counts, size, sent);
        e->counts = counts;
        e->count_number = (uint32_t)size;
        return;
    default:
        break;
    }
    e->bytes = im->multiplies ? multiplied(e, sent, received, size) : sent > 0 ? sent : received;
}
