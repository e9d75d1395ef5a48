/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of partitioned communication (MPI-4.0, chapter 4). */
#include <stdlib.h>

#include "trace/pmpi/event.h"

/* Takes the tracer's lock and fills the event of an init call, but for the peer. Returns false if nothing is recorded;
 * the lock is then free. */
static bool begin(struct tracer_scope *s, int partitions, int64_t count, MPI_Datatype type, int tag,
                  MPI_Comm comm, struct tracer_made made, struct mpg_event *e)
{
    if (!tracer_lock())
        return false;
    *e = event_of(s);
    if (!event_request(e, made, 0)) {
        tracer_unlock();
        return false;
    }
    e->comm = tracer_comm(comm);
    e->tag = tag;
    e->root = partitions;
    e->bytes = tracer_bytes(tracer_bytes(count, type), MPI_BYTE);
    if (__builtin_mul_overflow(e->bytes, (int64_t)partitions, &e->bytes))
        e->bytes = tracer_bytes(INT64_MAX, MPI_BYTE);
    return true;
}

void record_psend_init(struct tracer_scope *s, int partitions, int64_t count, MPI_Datatype type,
                       int to, int tag, MPI_Comm comm, struct tracer_made made)
{
    struct mpg_event e;
    if (!begin(s, partitions, count, type, tag, comm, made, &e))
        return;
    e.to = tracer_peer(to);
    tracer_write(s, &e);
}

void record_precv_init(struct tracer_scope *s, int partitions, int64_t count, MPI_Datatype type,
                       int from, int tag, MPI_Comm comm, struct tracer_made made)
{
    struct mpg_event e;
    if (!begin(s, partitions, count, type, tag, comm, made, &e))
        return;
    e.from = tracer_peer(from);
    tracer_write(s, &e);
}

void record_pready(struct tracer_scope *s, int64_t id, int n, const int *partitions)
{
    enum { FEW = 64 };
    int64_t few[FEW], *list = few;
    if (id == 0 || !tracer_lock())
        return;
    if (n > FEW && !(list = malloc((size_t)n * sizeof *list))) {
        tracer_out_of_memory();
        tracer_unlock();
        return;
    }
    for (int i = 0; i < n; i++)
        list[i] = partitions[i];
    struct mpg_event e = event_of(s);
    e.requests = &id;
    e.request_number = 1;
    e.counts = list;
    e.count_number = n > 0 ? (uint32_t)n : 0;
    tracer_write(s, &e);
    if (list != few)
        free(list);
}

void record_parrived(struct tracer_scope *s, int64_t id, int partition, bool arrived)
{
    if (id == 0 || !tracer_lock())
        return;
    struct mpg_event e = event_of(s);
    e.requests = &id;
    e.request_number = 1;
    e.root = partition;
    e.found = arrived;
    tracer_write(s, &e);
}
