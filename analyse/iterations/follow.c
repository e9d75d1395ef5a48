/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the iteration of each call during a pass over the graph. Reads the events of each rank a second time, because steps of
 * the graph lack properties needed for keys of loops. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyse/iterations/iterations.h"
#include "analyse/iterations/keys.h"

struct follower_rank {
    struct mpg_cursor *cursor;
    uint64_t next_number;   /* number of the next call in the events */
    int64_t leave_ns;       /* leave of the last call read, ns */
    uint64_t iteration;     /* number of iterations begun so far */
    double fresh;           /* fraction of the computation before the last call that belongs to the call's part of the run */
    uint64_t key[FARTHEST]; /* keys called since the loop's first key was called last; only used if the loop has bursts */
    uint32_t keys;
};

struct mpg_iteration_follower {
    struct mpg_trace *trace;
    const struct mpg_iterations *found;
    struct follower_rank *rank;
};

struct mpg_iteration_follower *mpg_iteration_follower_new(struct mpg_trace *trace, const struct mpg_iterations *found,
                                                          struct mpg_error *err)
{
    struct mpg_iteration_follower *f = calloc(1, sizeof *f);
    if (f) {
        f->trace = trace;
        f->found = found;
        f->rank = calloc((size_t)found->ranks, sizeof *f->rank);
        if (f->rank)
            return f;
    }
    mpg_iteration_follower_free(f);
    mpg_error_set(err, "out of memory");
    return NULL;
}

void mpg_iteration_follower_free(struct mpg_iteration_follower *f)
{
    if (!f)
        return;
    for (int32_t i = 0; i < f->found->ranks && f->rank; i++)
        mpg_cursor_close(f->rank[i].cursor);
    free(f->rank);
    free(f);
}

static void add_to_set(struct follower_rank *r, uint64_t key)
{
    for (uint32_t i = 0; i < r->keys; i++)
        if (r->key[i] == key)
            return;
    if (r->keys < FARTHEST)
        r->key[r->keys++] = key;
}

static bool is_in_burst(const struct follower_rank *r, const struct mpg_loop_place *place)
{
    uint64_t set = 0;
    for (uint32_t i = 0; i < r->keys; i++)
        set = gap_add(set, r->key[i]);
    return r->iteration > 0 && place->burst != 0 && gap_kind_of(set, r->keys) == place->burst;
}

static void take(struct follower_rank *r, const struct mpg_loop_place *place, const struct mpg_event *e)
{
    const uint64_t key = mpg_iteration_key(e);
    r->fresh = 1;
    if (key != place->key) {
        if (place->burst != 0)
            add_to_set(r, key);
        return;
    }
    if (!is_in_burst(r, place)) {
        const double before_ns = (double)(e->enter_ns - r->leave_ns);
        if (r->iteration++ == 0 && before_ns > place->usual_before_ns)
            r->fresh = place->usual_before_ns / before_ns;
    }
    r->keys = 0;
}

int mpg_iteration_follow(struct mpg_iteration_follower *f, int32_t rank, uint64_t number, uint64_t *part, double *fresh,
                         struct mpg_error *err)
{
    struct follower_rank *r = &f->rank[rank];
    const struct mpg_loop_place *place = &f->found->place[rank];
    const uint64_t n = f->found->loop[0].iterations;
    if (!r->cursor && !(r->cursor = mpg_cursor_open(f->trace, rank, err)))
        return -1;
    r->fresh = 1;
    while (r->next_number <= number) {
        const struct mpg_event *e;
        const int more = mpg_cursor_read(r->cursor, &e, err);
        if (more <= 0)
            return more < 0 ? -1 : mpg_error_set(err, "rank %" PRId32 " has no call %" PRIu64, rank, number);
        if (!mpg_event_is_call(e))
            continue;
        r->next_number++;
        if (mpg_iteration_has_key(e))
            take(r, place, e);
        if (e->thread == 0 && (mpg_iteration_has_key(e) || mpg_call_kind(e->call) == MPG_KIND_INIT))
            r->leave_ns = e->leave_ns;
    }
    *part = number > place->last_call || r->iteration > n ? n + 1 : r->iteration;
    *fresh = r->fresh;
    return 0;
}
