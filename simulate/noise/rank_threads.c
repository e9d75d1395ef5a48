/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/noise/rank_threads.h"

#include <stdlib.h>

static int fill(struct mpg_rank_threads *t, const struct mpg_trace *trace, struct mpg_error *err)
{
    int64_t all = t->ranks;
    for (int32_t r = 0; r < t->ranks; r++) {
        if (mpg_parallel_read(trace, r, &t->rank[r], err) < 0)
            return -1;
        t->further[r] = (int32_t)all;
        all += t->rank[r].threads - 1;
        if (all > INT32_MAX)
            return mpg_error_set(err, "more than %d threads of all ranks", INT32_MAX);
    }
    t->all = (int32_t)all;
    return 0;
}

struct mpg_rank_threads *mpg_rank_threads_new(const struct mpg_trace *trace, int *status, struct mpg_error *err)
{
    struct mpg_rank_threads *t = calloc(1, sizeof *t);
    if (t) {
        t->ranks = mpg_trace_ranks(trace);
        t->rank = calloc((size_t)t->ranks, sizeof *t->rank);
        t->further = calloc((size_t)t->ranks, sizeof *t->further);
    }
    *status = t && t->rank && t->further ? fill(t, trace, err) : mpg_error_set(err, "out of memory");
    if (*status == 0 && t->all > t->ranks)
        return t;
    mpg_rank_threads_free(t);
    return NULL;
}

void mpg_rank_threads_free(struct mpg_rank_threads *t)
{
    if (!t)
        return;
    for (int32_t r = 0; t->rank && r < t->ranks; r++)
        mpg_parallel_clear(&t->rank[r]);
    free(t->rank);
    free(t->further);
    free(t);
}
