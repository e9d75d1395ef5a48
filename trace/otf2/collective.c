/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the bytes of a collective, as defined by mpgtext(5), from the sums in an archive. Score-P multiplies a member's
 * bytes by the number of members to which the rank sends or from which the rank receives (source: Score-P archives for calls
 * of known size, mpgotf2(5)). With MPI_IN_PLACE, the rank itself is not counted. */
#include "trace/otf2/thread.h"

/* Returns the bytes for one member. SUM is the sum over N members; over N - 1 members (MPI_IN_PLACE) if only N - 1 divides
 * SUM. */
static int64_t part_of(int64_t sum, int64_t n)
{
    return sum % n == 0 || n < 2 || sum % (n - 1) != 0 ? sum / n : sum / (n - 1);
}

/* Distributes TOTAL evenly over the N counts. */
static void spread_over(int64_t *counts, int32_t n, int64_t total)
{
    for (int32_t i = 0; i < n; i++)
        counts[i] = total / n + (i < total % n);
}

/* Returns the bytes of E as defined by mpgtext(5). SENT, RECEIVED: sums in the archive, multiplied by the number of members to
 * which the rank sent and from which the rank received. N: number of members. */
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
