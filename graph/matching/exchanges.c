/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages that hypotheses insert, as sends and receives. */
#include "graph/matching/exchanges.h"

#include "graph/work/inserted.h"

static struct channel_name name_of(size_t hypothesis, int32_t from, int32_t to, uint32_t thread)
{
    return (struct channel_name){SPACE_NEIGHBOR, INT32_MAX - (int32_t)hypothesis, from, to, (int32_t)thread};
}

/* Returns the protocol of an inserted message of BYTES. The traced run has no time for the message: perturb mode therefore
 * treats the protocol as changed, since times of messages with changed protocol are computed without traced times. */
static struct protocol protocol_of(const struct matching *matching, int64_t bytes)
{
    struct protocol protocol = mpg_graph_protocol(matching, MPG_CALL_Sendrecv, bytes);
    protocol.standard = false; /* an inserted message says nothing about the traced machine's eager limit */
    protocol.sync_source = matching->of_target ? protocol.sync_target : !protocol.sync_target;
    return protocol;
}

static uint32_t count_senders(const struct mpg_hypothesis *h, int32_t ranks, int32_t rank)
{
    uint32_t n = 0;
    for (int32_t from = mpg_graph_inserted_sender(h, ranks, rank, 0); from != NO_RANK;
         from = mpg_graph_inserted_sender(h, ranks, rank, from + 1))
        n++;
    return n;
}

int mpg_graph_begin_exchange(struct matching *matching, const struct call *call, struct message **sending, struct group **group,
                             struct mpg_error *err)
{
    const size_t i = graph_inserted_hypothesis(call->number);
    const struct mpg_hypothesis *h = &mpg_bound_list(matching->applied_hypotheses.bound)->item[i];
    const int32_t ranks = mpg_trace_ranks(matching->members->trace), me = call->rank;
    const int32_t to = mpg_graph_inserted_receiver(h, ranks, me);
    const uint32_t thread = call->event->thread;
    *sending = NULL;
    if (!(*group = mpg_graph_new_group(count_senders(h, ranks, me), err)))
        return -1;
    if (to != NO_RANK) {
        const struct channel_name name = name_of(i, me, to, thread);
        if (mpg_graph_send_on(matching, call, &name, protocol_of(matching, h->size_bytes), graph_load(h->size_bytes), 0, sending,
                              err) < 0)
            return -1;
    }
    for (int32_t from = mpg_graph_inserted_sender(h, ranks, me, 0); from != NO_RANK;
         from = mpg_graph_inserted_sender(h, ranks, me, from + 1)) {
        const struct channel_name name = name_of(i, from, me, thread);
        if (mpg_graph_post_on(matching, call, &name, INT64_MAX, &(*group)->messages[(*group)->count], err) < 0)
            return -1;
        (*group)->count++;
    }
    return 0;
}
