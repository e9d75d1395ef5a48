/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/matching/away.h"

/* A message's send. */
struct message_record {
    struct part_record record;
    struct message sent;
    struct message *message; /* the message in the sender's part */
};

/* The receive of a synchronous message. */
struct answer_record {
    struct part_record record;
    struct message posted;
    struct message *message; /* the message in the sender's part, to which the answer goes */
};

int mpg_graph_export_message(struct matching *matching, const struct call *call, struct message *m, struct mpg_error *err)
{
    struct mpg_rank_part *part = matching->part;
    const unsigned to = part->owner[m->destination];
    if (mpg_part_tell_comm(part, to, m->comm, err) < 0)
        return -1;
    struct message_record *r = mpg_part_add(part, to, PART_MESSAGE, sizeof *r, true, err);
    const struct call_ref here = graph_call_ref(call);
    if (!r || mpg_graph_export(matching->steps, m->slot, &here, graph_value_of(part, &r->record), err) < 0)
        return -1;
    r->sent = *m;
    r->message = m;
    part->exported[to]++;
    matching->in_flight--;
    graph_free_slot(matching->steps, m->slot);
    if (!m->synchronous)
        mpg_graph_handed_over(matching, m);
    return 0;
}

int mpg_graph_import_message(struct matching *matching, const struct part_record *record, struct mpg_error *err)
{
    const struct message_record *r = (const struct message_record *)(const void *)record;
    const struct message *sent = &r->sent;
    const struct call_ref there = graph_sending_call(sent);
    const struct channel_name name = {(enum space)sent->space, graph_comm_here(matching->part, record->from, sent->comm),
                                      sent->source, sent->destination, sent->tag};
    uint32_t slot;
    if (mpg_graph_import(matching->steps, graph_value_of(matching->part, record), &there, &slot, err) < 0)
        return -1;
    return mpg_graph_take_over(matching, &name, sent, r->message, slot, err);
}

int mpg_graph_export_answer(struct matching *matching, const struct message *m, struct mpg_error *err)
{
    struct mpg_rank_part *part = matching->part;
    const struct call_ref posted = graph_posting_call(m);
    struct answer_record *r = mpg_part_add(part, part->owner[m->source], PART_ANSWER, sizeof *r, true, err);
    if (!r || mpg_graph_export(matching->steps, m->slot, &posted, graph_value_of(part, &r->record), err) < 0)
        return -1;
    r->posted = *m;
    r->message = m->elsewhere;
    return 0;
}

int mpg_graph_import_answer(struct matching *matching, const struct part_record *record, struct mpg_error *err)
{
    const struct answer_record *r = (const struct answer_record *)(const void *)record;
    const struct message *posted = &r->posted;
    const struct call_ref there = graph_posting_call(posted);
    struct message *m = r->message;
    if (mpg_graph_import(matching->steps, graph_value_of(matching->part, record), &there, &m->slot, err) < 0)
        return -1;
    m->posted_number = posted->posted_number;
    m->posted_thread = posted->posted_thread;
    m->posted_call = posted->posted_call;
    m->posted_requested = posted->posted_requested;
    m->poster_ns = posted->poster_ns;
    mpg_graph_message_answered(matching, m);
    return 0;
}
