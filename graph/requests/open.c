/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MPI_ANY_SOURCE receives and probes, which can get another message in a replica: arriving messages go to the posted
 * receives in posting order (docs/MODEL.md, section 6). */
#include "graph/requests/table.h"

static bool is_open(const struct message *m)
{
    return m && (m->posted_any & MPG_ANY_SOURCE);
}

/* Returns the message received by REQUEST; NULL: REQUEST sends. */
static struct message *received(const struct request *request)
{
    return graph_request_kind(request) == REQUEST_RECEIVE ? graph_request_message(request) : NULL;
}

bool mpg_graph_completes_open(const struct requests *requests, const struct completing *completing)
{
    for (uint32_t i = 0; requests->matching->posted.any_source && i < completing->count; i++)
        if (is_open(received(graph_completed_request(completing, i))))
            return true;
    return false;
}

bool mpg_graph_is_given_open(const struct rank_requests *rank, const struct completing *completing)
{
    for (uint32_t i = 0; i < completing->given_count; i++) {
        const struct request *request = graph_find_request(rank, completing->given[i]);
        if (request && is_open(received(request)))
            return true;
    }
    return false;
}

void mpg_graph_begin_open(struct requests *requests, struct call *call, struct completing *completing)
{
    requests->matching->counts->open_receives++;
    completing->given_count = 0;
    completing->choice.unmet = 0;
    if (!requests->choose_sources || !mpg_graph_is_alone(requests->matching, call->rank))
        return;
    completing->choice.unmet = 1; /* No arrival ends this wait: the schedule lets waiting calls choose. */
    call->waiter.unmet++;
}

/* An MPI_ANY_SOURCE receive or probe of RANK gets M. Counts M if no replica can give M to another receive: M is
 * synchronous, or RANK has several threads (docs/MODEL.md, section 6: Not followed). */
static void note_kept(struct matching *matching, int32_t rank, const struct message *m)
{
    const bool may_follow = !m->synchronous && !m->sync_source && mpg_graph_is_alone(matching, rank);
    matching->counts->open_kept += m->is_of_program && !may_follow;
}

/* CALL completes, or can complete, the receive of M. If replicas can give the receive another message, marks M,
 * increments *INVOLVED, and makes a view of M: a copy of the arrival, to be exchanged. */
static int involve(struct matching *matching, const struct call *call, struct message *m,
                   uint32_t *involved, struct mpg_error *err)
{
    if (!is_open(m) || !m->is_listed || !m->is_followed || m->is_involved)
        return 0;
    m->is_involved = true;
    ++*involved;
    return mpg_graph_view(matching, call, m, err);
}

static int add_posted(struct matching *matching, const struct call *call, const struct message *m, struct mpg_error *err)
{
    struct mpg_posted *p = mpg_graph_add_posted(matching->steps);
    if (!p)
        return mpg_graph_out_of_memory(err);
    *p = (struct mpg_posted){.fits = {.comm = m->comm,
                                      .source = m->source,
                                      .tag = m->tag,
                                      .any_source = m->posted_any & MPG_ANY_SOURCE,
                                      .any_tag = m->posted_any & MPG_ANY_TAG},
                             .message = graph_message_id(m),
                             .is_view = m->is_viewed,
                             .slot = m->is_viewed ? graph_more(m)->view_slot : m->slot,
                             .chooses = m->is_involved,
                             .here = m->posted_number == call->number};
    return 0;
}

/* Lists for evaluators the posted receives of CALL's rank, in posting order, up to the last of the INVOLVED marked
 * receives; with ALL, all. */
static int list_posted(struct matching *matching, const struct call *call, uint32_t involved, bool all,
                       struct mpg_error *err)
{
    struct message *m = mpg_graph_posted_first(&matching->posted, call->rank);
    for (; m && (all || involved > 0); m = graph_more(m)->posted_next) {
        if (m->is_followed && add_posted(matching, call, m, err) < 0)
            return -1;
        involved -= m->is_involved;
        m->is_involved = false;
    }
    return 0;
}

int mpg_graph_list_open_receive(struct requests *requests, const struct call *call, struct message *message,
                                struct mpg_error *err)
{
    uint32_t involved = 0;
    if (is_open(message))
        note_kept(requests->matching, call->rank, message);
    if (!requests->choose_sources || involve(requests->matching, call, message, &involved, err) < 0)
        return requests->choose_sources ? -1 : 0;
    return list_posted(requests->matching, call, involved, false, err);
}

int mpg_graph_list_open_requests(struct requests *requests, const struct rank_requests *rank, const struct call *call,
                                 const struct completing *completing, struct mpg_error *err)
{
    struct matching *matching = requests->matching;
    uint32_t involved = 0;
    if (!matching->posted.any_source)
        return 0;
    for (uint32_t i = 0; i < completing->count; i++) {
        const struct message *m = received(graph_completed_request(completing, i));
        if (is_open(m))
            note_kept(matching, call->rank, m);
    }
    if (!requests->choose_sources)
        return 0;
    for (uint32_t i = 0; i < completing->count; i++)
        if (involve(matching, call, received(graph_completed_request(completing, i)), &involved, err) < 0)
            return -1;
    for (uint32_t i = 0; i < completing->given_count; i++) {
        const struct request *request = graph_find_request(rank, completing->given[i]);
        if (request && involve(matching, call, received(request), &involved, err) < 0)
            return -1;
    }
    return list_posted(matching, call, involved, false, err);
}

/* Fills FITS with the source, tag and communicator of CALL, a probe. Returns false if the source belongs to another job. */
static bool looks_for(struct matching *matching, const struct call *call, struct mpg_message_pattern *fits)
{
    const struct mpg_event *e = call->event;
    struct mpg_error ignored;
    *fits = (struct mpg_message_pattern){.comm = e->comm,
                             .tag = e->tag,
                             .any_source = e->any & MPG_ANY_SOURCE,
                             .any_tag = e->any & MPG_ANY_TAG};
    if (!fits->any_source)
        fits->source = mpg_graph_peer(matching->members, call, e->comm, e->from, &ignored);
    return fits->source >= 0;
}

bool mpg_graph_begin_probe_choice(struct requests *requests, struct call *call, struct completing *completing)
{
    const struct mpg_event *e = call->event;
    struct mpg_message_pattern fits;
    const bool may_choose = (e->any & MPG_ANY_SOURCE) || !e->found;
    if (!may_choose || e->from == MPG_PROC_NULL || !looks_for(requests->matching, call, &fits))
        return false;
    mpg_graph_begin_open(requests, call, completing);
    return true;
}

int mpg_graph_list_probe(struct requests *requests, struct call *call, struct probing *probing, struct mpg_error *err)
{
    struct matching *matching = requests->matching;
    const struct mpg_event *e = call->event;
    struct mpg_message_pattern fits;
    struct message *found = e->found ? mpg_graph_probed(probing) : NULL;
    if (found && (e->any & MPG_ANY_SOURCE))
        note_kept(matching, call->rank, found);
    if (!requests->choose_sources || !mpg_graph_is_alone(matching, call->rank) || e->from == MPG_PROC_NULL ||
        !looks_for(matching, call, &fits))
        return 0;
    if (e->found && (!found || !found->is_followed))
        return 0;
    if (found && mpg_graph_view(matching, call, found, err) < 0)
        return -1;
    call->probe = (struct mpg_probe){.looks = true,
                                         .takes = mpg_call_kind(e->call) == MPG_KIND_MPROBE,
                                         .found = found ? graph_message_id(found) : 0,
                                         .slot = found ? graph_more(found)->view_slot : 0,
                                         .fits = fits};
    const bool chooses = !found || fits.any_source;
    return chooses ? list_posted(matching, call, 0, true, err) : 0;
}
