/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages between their matched probe and their receive. */
#include "trace/pmpi/messages.h"

#include "common/map.h"
#include "common/pool.h"
#include "trace/pmpi/event.h"

struct message {
    int64_t number;
    int32_t comm, from, tag;
};

static struct mpg_map messages; /* handle -> struct message * */
static struct mpg_pool pool = {.size = sizeof(struct message)};
static int64_t last_number;

int64_t tracer_message_new(MPI_Message handle, const struct mpg_event *probe)
{
    if (handle == MPI_MESSAGE_NO_PROC)
        return 0;
    struct message *message = mpg_pool_take(&pool);
    uint64_t *slot = mpg_map_add(&messages, (uint64_t)(uintptr_t)handle, 0);
    if (!message || !slot) {
        tracer_out_of_memory();
        return 0;
    }
    *message = (struct message){++last_number, probe->comm, probe->from, probe->tag};
    *slot = (uint64_t)(uintptr_t)message;
    return message->number;
}

void tracer_message_take(MPI_Message handle, struct mpg_event *e)
{
    uint64_t *slot = mpg_map_find(&messages, (uint64_t)(uintptr_t)handle, 0);
    struct message *message = slot ? (struct message *)(uintptr_t)*slot : NULL;
    if (!message) { /* MPI_MESSAGE_NO_PROC */
        e->comm = tracer_comm(MPI_COMM_WORLD);
        e->from = MPG_PROC_NULL;
        return;
    }
    e->message = message->number;
    e->comm = message->comm;
    e->from = message->from;
    e->tag = message->tag;
    mpg_map_remove(&messages, (uint64_t)(uintptr_t)handle, 0);
    mpg_pool_give(&pool, message);
}

void tracer_messages_end(void)
{
    mpg_map_clear(&messages);
    mpg_pool_clear(&pool);
}
