/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prefetching. Streams are evaluated in turns of some calls each, mostly in a constant order, and the values of all streams do
 * not fit into the cache. */
#include "common/prefetch.h"
#include "simulate/evaluate/evaluator_private.h"
#include "simulate/models/perturbation.h"

/* number of lanes whose noise is prefetched at once */
enum { AT_ONCE = 16 };

static void fetch_terms(const struct mpg_evaluator *l, int32_t rank, enum mpg_delay_term first,
                        enum mpg_delay_term last)
{
    const double *account = mpg_evaluator_account(l, rank);
    mpg_prefetch_bytes(account + (size_t)first * l->n, (size_t)(last - first + 1) * l->n * sizeof(double));
}

/* Prefetches the data read or updated by each interval and call of STREAM, the first stream of a rank. */
static void fetch_state(const struct mpg_evaluator *l, uint32_t stream)
{
    const size_t cursor_bytes = l->n * l->cursor_bytes;
    mpg_prefetch_bytes(stream_delay(l, stream), l->n * sizeof(double));
    const int32_t rank = l->part_first + (int32_t)stream;
    fetch_terms(l, rank, MPG_TERM_COMPUTE, MPG_TERM_MESSAGE);
    fetch_terms(l, rank, MPG_TERM_PROPAGATED, MPG_TERM_HIDDEN);
    if (l->cursor)
        mpg_prefetch_bytes(l->cursor + stream * cursor_bytes, cursor_bytes);
    if (l->covers)
        mpg_prefetch_bytes(stream_value(l, stream, STREAM_PASSED), l->n * sizeof(double));
}

/* Prefetches the target's noise records for the next AT_ONCE lanes of STREAM. The lanes' cursors have been prefetched before. */
static void fetch_noise(struct mpg_evaluator *l, uint32_t stream)
{
    const uint32_t at = l->ahead.fetched, left = l->n - at, n = left < AT_ONCE ? left : AT_ONCE;
    struct mpg_interval x = {.rank = l->part_first + (int32_t)stream};
    meet_noise(l, stream, &x);
    mpg_perturbation_fetch(l->p, &x, at, n);
    l->ahead.fetched += n;
}

void mpg_delays_look_ahead(struct mpg_evaluator *l, uint32_t stream)
{
    struct mpg_look_ahead *ahead = &l->ahead;
    if (stream >= (uint32_t)own_ranks(l))
        return;
    const bool begins = stream != ahead->stream;
    if (begins) {
        ahead->follower[ahead->stream] = stream;
        *ahead = (struct mpg_look_ahead){.stream = stream, .follower = ahead->follower};
    }
    const uint32_t next = ahead->follower[stream];
    if (next >= l->ready_streams)
        return;
    if (begins)
        fetch_state(l, next);
    else if (l->cursor && ahead->fetched < l->n)
        fetch_noise(l, next);
}
