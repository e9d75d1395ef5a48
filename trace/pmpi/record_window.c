/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of one-sided calls (MPI-3.1, chapter 11). */
#include <stdlib.h>

#include "trace/pmpi/event.h"
#include "trace/pmpi/objects.h"

/* Takes the tracer's lock and fills an event for WIN. Returns false if nothing is recorded; the lock is then free. */
static bool begin(const struct tracer_scope *s, MPI_Win win, struct mpg_event *e)
{
    return tracer_object_event(s, MPG_OBJECT_WINDOW, (uintptr_t)win, e);
}

void record_win_constructor(struct tracer_scope *s, MPI_Comm comm, int64_t bytes, MPI_Win win)
{
    if (!tracer_lock())
        return;
    struct mpg_event e = event_of(s);
    e.comm = tracer_comm(comm);
    e.bytes = bytes;
    e.object = tracer_object_new(MPG_OBJECT_WINDOW, (uintptr_t)win, comm);
    tracer_write(s, &e);
}

int32_t tracer_win_number(const struct tracer_scope *s, MPI_Win win)
{
    return tracer_object_before(s, MPG_OBJECT_WINDOW, (uintptr_t)win);
}

void record_win_free(struct tracer_scope *s, MPI_Win old, int32_t number)
{
    tracer_object_end(s, MPG_OBJECT_WINDOW, (uintptr_t)old, number);
}

void record_win_fence(struct tracer_scope *s, int assertion, MPI_Win win)
{
    struct mpg_event e;
    if (!begin(s, win, &e))
        return;
    e.root = assertion;
    tracer_write(s, &e);
}

/* Records the ranks of GROUP in the window's communicator, as the counts of the event. */
void record_win_group(struct tracer_scope *s, MPI_Group group, MPI_Win win)
{
    struct mpg_event e;
    MPI_Group all;
    int n = 0;
    if (!begin(s, win, &e))
        return;
    PMPI_Group_size(group, &n);
    int *ranks = malloc(((size_t)n + 1) * sizeof *ranks);
    int64_t *counts = malloc(((size_t)n + 1) * sizeof *counts);
    PMPI_Win_get_group(win, &all);
    if (ranks && counts && tracer_group_ranks(group, n, all, ranks)) {
        for (int i = 0; i < n; i++)
            counts[i] = ranks[i];
        e.counts = counts;
        e.count_number = (uint32_t)n;
        tracer_write(s, &e);
    } else {
        tracer_out_of_memory();
        tracer_unlock();
    }
    PMPI_Group_free(&all);
    free(counts);
    free(ranks);
}

void record_win_epoch(struct tracer_scope *s, bool found, MPI_Win win)
{
    struct mpg_event e;
    if (!begin(s, win, &e))
        return;
    e.found = found;
    tracer_write(s, &e);
}

void record_win_target(struct tracer_scope *s, int rank, bool exclusive, MPI_Win win)
{
    struct mpg_event e;
    if (!begin(s, win, &e))
        return;
    e.to = tracer_peer(rank);
    e.root = exclusive;
    tracer_write(s, &e);
}

void record_win_all(struct tracer_scope *s, MPI_Win win)
{
    struct mpg_event e;
    if (begin(s, win, &e))
        tracer_write(s, &e);
}

void record_rma(struct tracer_scope *s, int64_t count, MPI_Datatype type, int64_t back,
                MPI_Datatype back_type, int to, MPI_Win win, struct tracer_made made)
{
    struct mpg_event e;
    if (!begin(s, win, &e))
        return;
    if (!event_request(&e, made, 0)) {
        tracer_unlock();
        return;
    }
    e.to = tracer_peer(to);
    if (to != MPI_PROC_NULL) {
        e.bytes = tracer_bytes(count, type);
        e.recvbytes = tracer_bytes(back, back_type);
    }
    tracer_write(s, &e);
}
