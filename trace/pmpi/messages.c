/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages found by a matched probe (MPI_Mprobe), until received. */
#include "trace/pmpi/messages.h"

#include "common/map.h"
#include "common/pool.h"
#include "trace/pmpi/event.h"

static struct mpg_map messages; /* handle -> struct tracer_message * */
static struct mpg_pool pool = {.size = sizeof(struct tracer_message)};
static int64_t last_number;

int64_t tracer_message_new(MPI_Message handle, const struct mpg_event *probe)
{
    if (handle == MPI_MESSAGE_NO_PROC)
        return 0;
    uint64_t *slot = mpg_map_add(&messages, (uint64_t)(uintptr_t)handle, 0);
    /* The handle may still be in the map: another thread has received an earlier message with this handle, and has not recorded
     * the receive yet. */
    struct tracer_message *message =
        !slot || !*slot ? mpg_pool_take(&pool) : (struct tracer_message *)(uintptr_t)*slot;
    if (!message || !slot) {
        tracer_out_of_memory();
        return 0;
    }
    *message =
        (struct tracer_message){handle, ++last_number, probe->comm, probe->from, probe->tag};
    *slot = (uint64_t)(uintptr_t)message;
    return message->number;
}

static struct tracer_message *find(MPI_Message handle)
{
    uint64_t *slot = mpg_map_find(&messages, (uint64_t)(uintptr_t)handle, 0);
    return slot ? (struct tracer_message *)(uintptr_t)*slot : NULL;
}

struct tracer_message tracer_message(const struct tracer_scope *s, MPI_Message handle)
{
    struct tracer_message message = {.handle = handle};
    if (!tracer_records(s) || !tracer_lock())
        return message;
    const struct tracer_message *known = find(handle);
    if (known)
        message = *known;
    tracer_unlock();
    return message;
}

void tracer_message_take(const struct tracer_message *message, struct mpg_event *e)
{
    if (!message->number) { /* MPI_MESSAGE_NO_PROC: no message */
        e->comm = tracer_comm(MPI_COMM_WORLD);
        e->from = MPG_PROC_NULL;
        return;
    }
    /* The probe may have been on another thread, in whose stream the communicator is defined. */
    tracer_comm_define(message->comm);
    e->message = message->number;
    e->comm = message->comm;
    e->from = message->from;
    e->tag = message->tag;
    struct tracer_message *known = find(message->handle);
    if (!known || known->number != message->number)
        return;
    mpg_map_remove(&messages, (uint64_t)(uintptr_t)message->handle, 0);
    mpg_pool_give(&pool, known);
}

void tracer_messages_end(void)
{
    mpg_map_clear(&messages);
    mpg_pool_clear(&pool);
}
