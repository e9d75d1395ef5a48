/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes events of the calls written by a foreign recorder. Steps 1 to 3: see trace/foreign/calls.h. */
#include "trace/foreign/calls.h"

#include <stdlib.h>
#include <string.h>

static const char any_guessed[] = "receives from any source or with any tag: the trace does not tell the sender, the earliest "
                                  "send that fits is taken";
static const char open_receives[] = "receives from any source without a fitting send: source unknown";
static const char chosen[] = "calls of Waitany and Waitsome: the trace does not tell which requests completed, the oldest are "
                             "taken";
static const char tested[] = "calls of Test, Testall, Testany and Testsome: the trace does not tell which requests completed, a "
                             "request completes in the last call that names it";
static const char restarted[] = "starts of persistent requests: shown as nonblocking sends and receives";
static const char other_rank[] = "ranks that call themselves another rank of MPI_COMM_WORLD: their place among the files is "
                                 "taken";
static const char several_fit[] = "communicators to whose first use several constructor calls fit: the first is taken";

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

int mpg_calls_begin(struct mpg_calls *c, int64_t world, int64_t self, struct mpg_error *err)
{
    const int32_t ranks = c->foreign.ranks;
    c->comms = mpg_comms_new(ranks, world, self);
    c->offset_ns = calloc((size_t)ranks, sizeof *c->offset_ns);
    return c->comms && c->offset_ns ? 0 : out_of_memory(err);
}

void mpg_calls_clear(struct mpg_calls *c)
{
    mpg_comms_free(c->comms);
    mpg_wildcards_free(c->wildcards);
    mpg_map_clear(&c->current);
    mpg_map_clear(&c->persistent);
    free(c->offset_ns);
    free(c->postings);
    free(c->templates);
    mpg_foreign_clear(&c->foreign);
}

static bool is_wild(int32_t from, int32_t tag)
{
    return from == MPG_CALLS_ANY || (tag == MPG_CALLS_ANY && from != MPG_PROC_NULL);
}

/* --- persistent requests --- */

static const struct mpg_foreign_call *find_template(const struct mpg_calls *c, int32_t rank, uint64_t number)
{
    const uint64_t *slot = mpg_map_find(&c->persistent, (uint64_t)rank, number);
    return slot && *slot ? &c->templates[*slot - 1].call : NULL;
}

static int add_template(struct mpg_calls *c, int32_t rank, const struct mpg_foreign_call *call, struct mpg_error *err)
{
    uint64_t *slot = call->request_number == 1 ? mpg_map_add(&c->persistent, (uint64_t)rank, call->requests[0]) : NULL;
    if (c->template_number == c->template_capacity) {
        const size_t capacity = c->template_capacity ? 2 * c->template_capacity : 16;
        void *grown = realloc(c->templates, capacity * sizeof *c->templates);
        if (grown) {
            c->templates = grown;
            c->template_capacity = capacity;
        }
    }
    if (!slot || c->template_number == c->template_capacity)
        return out_of_memory(err);
    struct mpg_foreign_call *kept = &c->templates[c->template_number++].call;
    *kept = *call;
    kept->name = mpg_call_kind(call->call) == MPG_KIND_SEND_INIT ? "a persistent send" : "a persistent receive";
    kept->requests = NULL;
    kept->statuses = NULL;
    *slot = c->template_number;
    return 0;
}

/* --- survey --- */

static bool makes_comm(enum mpg_call call)
{
    return call < MPG_CALL_COUNT && mpg_call_kind(call) == MPG_KIND_CONSTRUCTOR;
}

static bool posts(enum mpg_kind kind)
{
    return kind == MPG_KIND_ISEND || kind == MPG_KIND_IRECV || kind == MPG_KIND_ICOLLECTIVE || kind == MPG_KIND_START;
}

static int survey(struct mpg_calls *c, int32_t rank, const struct mpg_foreign_call *call, struct mpg_error *err)
{
    const enum mpg_kind kind = call->call < MPG_CALL_COUNT ? mpg_call_kind(call->call) : MPG_KIND_UNKNOWN;
    if (call->request_number > 0 || kind == MPG_KIND_COMPLETE || posts(kind))
        c->foreign.rank[rank].uses_requests = true;
    if (!c->has_origin || call->enter_ns < c->origin_ns)
        c->origin_ns = call->enter_ns;
    c->has_origin = true;
    if (call->comm >= 0 && call->size >= 0 &&
        mpg_comms_use(c->comms, rank, call->comm, call->member, call->size, err) < 0)
        return -1;
    return makes_comm(call->call) ? mpg_comms_construct(c->comms, rank, &call->constructor, err) : 0;
}

/* --- looking ahead at a rank's requests --- */

static int post_ahead(struct mpg_calls *c, int32_t rank, uint64_t number, struct mpg_error *err)
{
    uint64_t *slot = mpg_map_add(&c->current, (uint64_t)rank, number);
    if (c->posting_number == c->posting_capacity) {
        const size_t capacity = c->posting_capacity ? 2 * c->posting_capacity : 256;
        void *grown = realloc(c->postings, capacity * sizeof *c->postings);
        if (grown) {
            c->postings = grown;
            c->posting_capacity = capacity;
        }
    }
    if (!slot || c->posting_number == c->posting_capacity)
        return out_of_memory(err);
    c->postings[c->posting_number++] = (struct mpg_call_posting){-1, {MPG_CALLS_ANY, MPG_CALLS_ANY, -1, false}};
    *slot = c->posting_number;
    return 0;
}

static bool completes_all(enum mpg_call call)
{
    return call == MPG_CALL_Wait || call == MPG_CALL_Waitall;
}

static void complete_ahead(struct mpg_calls *c, int32_t rank, const struct mpg_foreign_call *call)
{
    for (uint32_t i = 0; i < call->request_number; i++) {
        const uint64_t *slot = mpg_map_find(&c->current, (uint64_t)rank, call->requests[i]);
        if (slot && *slot)
            c->postings[*slot - 1].last = c->call_number;
    }
    for (uint32_t i = 0; i < call->done_number && call->knows_done; i++) {
        uint64_t *slot = mpg_map_find(&c->current, (uint64_t)rank, call->requests[call->done[i]]);
        if (slot && *slot && call->statuses)
            c->postings[*slot - 1].status = call->statuses[i];
        if (slot)
            *slot = 0;
    }
    for (uint32_t i = 0; i < call->request_number && !call->knows_done && completes_all(call->call); i++) {
        uint64_t *slot = mpg_map_find(&c->current, (uint64_t)rank, call->requests[i]);
        if (slot)
            *slot = 0;
    }
}

static int look_ahead(struct mpg_calls *c, int32_t rank, const struct mpg_foreign_call *call, struct mpg_error *err)
{
    const enum mpg_kind kind = call->call < MPG_CALL_COUNT ? mpg_call_kind(call->call) : MPG_KIND_UNKNOWN;
    if (kind == MPG_KIND_COMPLETE)
        complete_ahead(c, rank, call);
    for (uint32_t i = 0; i < call->request_number && posts(kind); i++)
        if (post_ahead(c, rank, call->requests[i], err) < 0)
            return -1;
    return 0;
}

/* --- communicators --- */

static const struct mpg_foreign_comm *find_comm(struct mpg_calls *c, int32_t rank, const struct mpg_foreign_call *call,
                                                struct mpg_error *err)
{
    const struct mpg_foreign_comm *comm =
        call->comm >= 0 ? mpg_comms_find(c->comms, rank, call->comm, call->member, call->size) : NULL;
    if (!comm)
        mpg_error_set(err, "%s in a communicator (%lld) that no call created", call->name, (long long)call->comm);
    return comm;
}

/* --- receives --- */

/* A receive asks for FROM and TAG. Sets *FOUND_FROM and *FOUND_TAG to source and tag of the received message: from STATUS
 * (NULL: none), else from the send matched in step 2. *ANY: MPG_ANY_ flags. */
static void resolve(struct mpg_calls *c, int32_t from, int32_t tag, const struct mpg_call_status *status, int32_t *found_from,
                   int32_t *found_tag, uint32_t *any)
{
    *any = (from == MPG_CALLS_ANY ? MPG_ANY_SOURCE : 0) | (tag == MPG_CALLS_ANY ? MPG_ANY_TAG : 0);
    *found_from = from;
    *found_tag = tag;
    if (from == MPG_PROC_NULL) {
        *found_tag = tag == MPG_CALLS_ANY ? 0 : tag;
        *any = 0;
        return;
    }
    if (*any && status && status->source >= 0) {
        *found_from = from == MPG_CALLS_ANY ? status->source : from;
        *found_tag = tag == MPG_CALLS_ANY ? status->tag : tag;
    }
    if (c->wildcards && (*any == 0 || *found_from == MPG_CALLS_ANY || *found_tag == MPG_CALLS_ANY)) {
        int32_t source = MPG_UNKNOWN, sent_tag = MPG_UNKNOWN;
        const bool is_found = mpg_wildcards_get(c->wildcards, c->wildcard, &source, &sent_tag) == 0;
        if (*any) {
            mpg_foreign_remark(&c->foreign, is_found ? any_guessed : open_receives, 1);
            *found_from = *found_from == MPG_CALLS_ANY ? source : *found_from;
            *found_tag = *found_tag == MPG_CALLS_ANY ? sent_tag : *found_tag;
        }
    }
    c->wildcard++;
}

/* match_receive() and match_send() hand a receive or a send of step 2 to the matching. */
static int match_receive(struct mpg_calls *c, int32_t rank, const struct mpg_foreign_comm *comm, int32_t from, int32_t tag,
                         const struct mpg_call_status *status, struct mpg_error *err)
{
    if (from == MPG_PROC_NULL)
        return 0;
    if (is_wild(from, tag) && status && status->source >= 0) {
        from = from == MPG_CALLS_ANY ? status->source : from;
        tag = tag == MPG_CALLS_ANY ? status->tag : tag;
    }
    return mpg_wildcards_receive(c->wildcards, comm->label, from == MPG_CALLS_ANY ? -1 : from, rank,
                                 tag == MPG_CALLS_ANY ? -1 : tag, err);
}

static int match_send(struct mpg_calls *c, int32_t rank, const struct mpg_foreign_call *call, const struct mpg_foreign_comm *comm,
                      int64_t at_ns, struct mpg_error *err)
{
    if (call->to == MPG_PROC_NULL)
        return 0;
    if (call->to < 0 || call->to >= comm->size)
        return mpg_error_set(err, "%s: rank %d is none of the %d of its communicator", call->name, call->to, comm->size);
    return mpg_wildcards_send(c->wildcards, comm->label, mpg_comms_position(c->comms, comm, rank), comm->members[call->to],
                              call->tag, at_ns + c->offset_ns[rank], err);
}

/* --- messages. CALL can be a persistent request's constructor; ENTER_NS, LEAVE_NS are then times of the MPI_Start --- */

/* Returns the status of REQUEST at its completion; NULL: unknown. */
static const struct mpg_call_status *status_ahead(const struct mpg_calls *c, size_t request)
{
    return request >= 1 && request <= c->posting_number ? &c->postings[request - 1].status : NULL;
}

static int match_message(struct mpg_calls *c, int32_t rank, const struct mpg_foreign_call *call, int64_t at_ns,
                         struct mpg_error *err)
{
    const enum mpg_kind kind = mpg_call_kind(call->call);
    const struct mpg_foreign_comm *comm = find_comm(c, rank, call, err);
    if (!comm)
        return -1;
    const struct mpg_call_status *status = call->statuses;
    if (kind == MPG_KIND_IRECV || kind == MPG_KIND_RECV_INIT)
        status = status_ahead(c, (size_t)c->foreign.rank[rank].requests);
    const bool sends = kind == MPG_KIND_SEND || kind == MPG_KIND_ISEND || kind == MPG_KIND_SEND_INIT || kind == MPG_KIND_SENDRECV;
    if (sends && match_send(c, rank, call, comm, at_ns, err) < 0)
        return -1;
    if (sends && kind != MPG_KIND_SENDRECV)
        return 0;
    return match_receive(c, rank, comm, call->from, kind == MPG_KIND_SENDRECV ? call->recvtag : call->tag, status, err);
}

static int emit_message(struct mpg_calls *c, int32_t rank, const struct mpg_foreign_call *call, int64_t enter_ns,
                        int64_t leave_ns,
                        int64_t request, struct mpg_error *err)
{
    const enum mpg_kind kind = mpg_call_kind(call->call);
    const struct mpg_foreign_comm *comm = find_comm(c, rank, call, err);
    struct mpg_event e = mpg_foreign_make(call->call, enter_ns, leave_ns);
    if (!comm)
        return -1;
    e.thread = call->thread;
    e.to = call->to;
    e.tag = call->tag;
    e.bytes = call->bytes;
    e.requests = &request;
    e.request_number = request > 0;
    switch (kind) {
    case MPG_KIND_RECV:
    case MPG_KIND_IRECV:
    case MPG_KIND_RECV_INIT:
        resolve(c, call->from, call->tag, request > 0 ? status_ahead(c, (size_t)request) : call->statuses, &e.from, &e.tag,
                &e.any);
        e.call = request > 0 ? MPG_CALL_Irecv : e.call;
        if (kind == MPG_KIND_RECV && call->statuses && call->statuses->bytes >= 0 && call->statuses->bytes <= call->bytes)
            e.bytes = call->statuses->bytes;
        break;
    case MPG_KIND_SENDRECV:
        e.recvbytes = call->recvbytes;
        resolve(c, call->from, call->recvtag, call->statuses, &e.from, &e.recvtag, &e.any);
        if (call->statuses && call->statuses->bytes >= 0 && call->statuses->bytes <= call->recvbytes)
            e.recvbytes = call->statuses->bytes;
        break;
    case MPG_KIND_SEND_INIT:
        e.call = call->call == MPG_CALL_Ssend_init   ? MPG_CALL_Issend
                 : call->call == MPG_CALL_Bsend_init ? MPG_CALL_Ibsend
                 : call->call == MPG_CALL_Rsend_init ? MPG_CALL_Irsend
                                                     : MPG_CALL_Isend;
        break;
    default:
        break;
    }
    if (e.from == MPG_UNKNOWN && (kind == MPG_KIND_RECV || kind == MPG_KIND_SENDRECV))
        return mpg_error_set(err, "%s from any source: no send fits", call->name);
    return mpg_foreign_event(&c->foreign, rank, &e, comm, NULL, err);
}

/* Handles the message of CALL, whose request has the number REQUEST (0: blocking call): matches the message in step 2,
 * makes the event in step 3. */
static int take_message(struct mpg_calls *c, int32_t rank, const struct mpg_foreign_call *call, int64_t enter_ns,
                        int64_t leave_ns,
                        int64_t request, struct mpg_error *err)
{
    if (c->pass == MPG_CALLS_MATCH)
        return match_message(c, rank, call, enter_ns, err);
    return emit_message(c, rank, call, enter_ns, leave_ns, request, err);
}

static int take_starts(struct mpg_calls *c, int32_t rank, const struct mpg_foreign_call *call, struct mpg_error *err)
{
    int64_t enter_ns = call->enter_ns;
    for (uint32_t i = 0; i < call->request_number; i++, enter_ns = call->leave_ns) {
        const struct mpg_foreign_call *made = find_template(c, rank, call->requests[i]);
        const int64_t request = mpg_foreign_post(&c->foreign, rank, call->requests[i], err);
        if (!made)
            return mpg_error_set(err, "%s of a request that no call created", call->name);
        if (request < 0 || take_message(c, rank, made, enter_ns, call->leave_ns, request, err) < 0)
            return -1;
        if (c->pass == MPG_CALLS_EMIT)
            mpg_foreign_remark(&c->foreign, restarted, 1);
    }
    return 0;
}

/* --- completions --- */

/* CALL, the current call, completes requests, but the trace does not tell which. Returns whether pending REQUEST is
 * assumed to complete in CALL. OLDEST: the oldest pending request in CALL's list; ANY_LAST: some request in the list
 * appears in no later completion. */
static bool is_chosen(const struct mpg_calls *c, enum mpg_call call, int64_t request, int64_t oldest, bool any_last)
{
    const bool is_last = c->postings[request - 1].last == c->call_number;
    switch (call) {
    case MPG_CALL_Waitany:
        return request == oldest;
    case MPG_CALL_Waitsome:
        return is_last || (!any_last && request == oldest);
    case MPG_CALL_Testany:
        return is_last && request == oldest;
    default:
        return is_last;
    }
}

/* Sets in E the pending requests of CALL, and the requests assumed to be completed by CALL (is_chosen()); forgets the
 * completed requests. LISTS: storage for 3 * request_number numbers. */
static void choose(struct mpg_calls *c, int32_t rank, const struct mpg_foreign_call *call, struct mpg_event *e, int64_t *lists)
{
    int64_t *done = lists + call->request_number, *place = done + call->request_number, oldest = INT64_MAX;
    uint32_t n = 0, last = 0;
    const bool all = completes_all(call->call);
    for (uint32_t i = 0; i < call->request_number; i++) {
        const int64_t request = mpg_foreign_request(&c->foreign, rank, call->requests[i], all);
        if (request <= 0 || (size_t)request > c->posting_number)
            continue;
        place[n] = i;
        lists[n++] = request;
        oldest = request < oldest ? request : oldest;
        last += c->postings[request - 1].last == c->call_number;
    }
    e->requests = lists;
    e->request_number = n;
    e->done = done;
    e->done_all = all;
    for (uint32_t i = 0; i < n && !all; i++)
        if (is_chosen(c, call->call, lists[i], oldest, last > 0) && (call->call != MPG_CALL_Testall || last == n) &&
            mpg_foreign_request(&c->foreign, rank, call->requests[place[i]], true) > 0)
            done[e->done_number++] = lists[i];
    if (e->done_number == n && n > 0) {
        e->done_all = true;
        e->done_number = 0;
    }
    if (!all && n > 0 && c->pass == MPG_CALLS_EMIT)
        mpg_foreign_remark(&c->foreign, call->call == MPG_CALL_Waitany || call->call == MPG_CALL_Waitsome ? chosen : tested, 1);
}

/* Sets in E the pending requests of CALL, and the requests completed by CALL according to the trace; forgets the
 * completed requests. LISTS: storage for 2 * request_number numbers; CANCELLED: storage for the cancelled requests. */
static void take_known(struct mpg_calls *c, int32_t rank, const struct mpg_foreign_call *call, struct mpg_event *e,
                       int64_t *lists,
                       int64_t *cancelled)
{
    int64_t *done = lists + call->request_number;
    for (uint32_t i = 0; i < call->request_number; i++) {
        const int64_t request = mpg_foreign_request(&c->foreign, rank, call->requests[i], false);
        if (request > 0)
            lists[e->request_number++] = request;
    }
    for (uint32_t i = 0; i < call->done_number; i++) {
        const int64_t request = mpg_foreign_request(&c->foreign, rank, call->requests[call->done[i]], true);
        if (request <= 0)
            continue;
        done[e->done_number++] = request;
        if (call->statuses && call->statuses[i].cancelled)
            cancelled[e->cancelled_number++] = request;
    }
    e->requests = lists;
    e->done = done;
    e->cancelled = cancelled;
    e->done_all = e->done_number == e->request_number;
    if (e->done_all)
        e->done_number = 0;
}

static int emit_unknown(struct mpg_calls *c, int32_t rank, const struct mpg_foreign_call *call, struct mpg_error *err)
{
    struct mpg_event e = mpg_foreign_make(MPG_CALL_Unknown, call->enter_ns, call->leave_ns);
    e.thread = call->thread;
    return mpg_foreign_event(&c->foreign, rank, &e, NULL, call->name, err);
}

/* Returns whether CALL waits for an operation of which the trace has no record. */
static bool waits_for_unknown(const struct mpg_calls *c, int32_t rank, const struct mpg_foreign_call *call)
{
    const bool waits = completes_all(call->call) || call->call == MPG_CALL_Waitany || call->call == MPG_CALL_Waitsome;
    for (uint32_t i = 0; waits && i < call->request_number; i++)
        if (call->requests[i] >= c->min_request && !mpg_map_find(&c->current, (uint64_t)rank, call->requests[i]))
            return true;
    return false;
}

static int take_completion(struct mpg_calls *c, int32_t rank, const struct mpg_foreign_call *call, struct mpg_error *err)
{
    struct mpg_event e = mpg_foreign_make(call->call, call->enter_ns, call->leave_ns);
    int64_t *lists = calloc(3 * (size_t)call->request_number + 1, sizeof *lists);
    if (!lists)
        return out_of_memory(err);
    e.thread = call->thread;
    if (call->knows_done)
        take_known(c, rank, call, &e, lists, lists + 2 * (size_t)call->request_number);
    else
        choose(c, rank, call, &e, lists);
    int status = 0;
    if (c->pass == MPG_CALLS_EMIT && e.request_number == 0 && waits_for_unknown(c, rank, call))
        status = emit_unknown(c, rank, call, err);
    else if (c->pass == MPG_CALLS_EMIT)
        status = mpg_foreign_event(&c->foreign, rank, &e, NULL, NULL, err);
    free(lists);
    return status;
}

/* --- other calls --- */

static int take_constructor(struct mpg_calls *c, int32_t rank, const struct mpg_foreign_call *call, struct mpg_error *err)
{
    struct mpg_event e = mpg_foreign_make(call->call, call->enter_ns, call->leave_ns);
    const struct mpg_foreign_comm *comm = find_comm(c, rank, call, err);
    if (!comm)
        return -1;
    const struct mpg_foreign_comm *made = mpg_comms_constructed(c->comms, rank, call->constructor.handle);
    if (c->pass != MPG_CALLS_EMIT)
        return 0;
    e.thread = call->thread;
    e.newcomm = made ? made->label : MPG_NO_COMM;
    return mpg_foreign_event(&c->foreign, rank, &e, comm, NULL, err);
}

static int take_collective(struct mpg_calls *c, int32_t rank, const struct mpg_foreign_call *call, struct mpg_error *err)
{
    struct mpg_event e = mpg_foreign_make(call->call, call->enter_ns, call->leave_ns);
    const struct mpg_foreign_comm *comm = find_comm(c, rank, call, err);
    int64_t request = 0;
    if (mpg_call_kind(call->call) == MPG_KIND_ICOLLECTIVE && call->request_number == 1)
        request = mpg_foreign_post(&c->foreign, rank, call->requests[0], err);
    if (!comm || request < 0)
        return -1;
    if (c->pass != MPG_CALLS_EMIT)
        return 0;
    e.thread = call->thread;
    e.root = call->root;
    e.bytes = call->bytes;
    e.counts = call->counts;
    e.count_number = call->count_number;
    if (e.count_number > 0 && e.count_number != (uint32_t)comm->size)
        return mpg_error_set(err, "%s: %u sizes for %d ranks", call->name, e.count_number, comm->size);
    e.requests = &request;
    e.request_number = request > 0;
    return mpg_foreign_event(&c->foreign, rank, &e, comm, NULL, err);
}

static int emit_probe(struct mpg_calls *c, int32_t rank, const struct mpg_foreign_call *call, struct mpg_error *err)
{
    struct mpg_event e = mpg_foreign_make(call->call, call->enter_ns, call->leave_ns);
    const bool is_known = call->statuses && call->statuses->source >= 0;
    const bool wild = is_wild(call->from, call->tag);
    if (call->knows_done && (!call->found || is_known || !wild)) {
        const struct mpg_foreign_comm *comm = find_comm(c, rank, call, err);
        const bool is_told = call->found && is_known, is_null = call->from == MPG_PROC_NULL;
        e.thread = call->thread;
        e.found = call->found;
        e.any = (call->from == MPG_CALLS_ANY ? MPG_ANY_SOURCE : 0) |
                (call->tag == MPG_CALLS_ANY && !is_null ? MPG_ANY_TAG : 0);
        e.from = call->from != MPG_CALLS_ANY ? call->from : is_told ? call->statuses->source : MPG_UNKNOWN;
        e.tag = call->tag != MPG_CALLS_ANY ? call->tag : is_told ? call->statuses->tag : is_null ? 0 : MPG_UNKNOWN;
        e.bytes = call->found && is_known && call->statuses->bytes > 0 ? call->statuses->bytes : 0;
        return comm ? mpg_foreign_event(&c->foreign, rank, &e, comm, NULL, err) : -1;
    }
    return call->call == MPG_CALL_Iprobe ? mpg_foreign_untraced(&c->foreign, rank, call->name, err)
                                         : emit_unknown(c, rank, call, err);
}

static int emit_free(struct mpg_calls *c, int32_t rank, const struct mpg_foreign_call *call, struct mpg_error *err)
{
    struct mpg_event e = mpg_foreign_make(call->call, call->enter_ns, call->leave_ns);
    const bool is_free = call->call == MPG_CALL_Request_free;
    int64_t request = call->request_number == 1 ? mpg_foreign_request(&c->foreign, rank, call->requests[0], is_free) : 0;
    if (request <= 0)
        return mpg_foreign_untraced(&c->foreign, rank, call->name, err);
    e.thread = call->thread;
    e.requests = &request;
    e.request_number = 1;
    return mpg_foreign_event(&c->foreign, rank, &e, NULL, NULL, err);
}

static int emit_comm_free(struct mpg_calls *c, int32_t rank, const struct mpg_foreign_call *call, struct mpg_error *err)
{
    struct mpg_event e = mpg_foreign_make(call->call, call->enter_ns, call->leave_ns);
    const struct mpg_foreign_comm *comm =
        call->comm >= 0 ? mpg_comms_find(c->comms, rank, call->comm, call->member, call->size) : NULL;
    e.thread = call->thread;
    return comm ? mpg_foreign_event(&c->foreign, rank, &e, comm, NULL, err)
                : mpg_foreign_untraced(&c->foreign, rank, call->name, err);
}

/* Handles a call of a function unknown to mpgkit: counts the call if the name belongs to a local function, else makes an
 * event of an unknown call. */
static int emit_foreign(struct mpg_calls *c, int32_t rank, const struct mpg_foreign_call *call, struct mpg_error *err)
{
    static const char *const local[] = {"MPI_Type_", "MPI_Attr_", "MPI_Keyval_", "MPI_Errhandler_", "MPI_Info_", "MPI_Group_",
                                        "MPI_Op_"};
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        if (strncmp(call->name, local[i], strlen(local[i])) == 0)
            return mpg_foreign_untraced(&c->foreign, rank, call->name, err);
    return emit_unknown(c, rank, call, err);
}

/* Makes the event, in step 3, of a call that is neither message nor completion. Returns 0, or -1 with ERR. */
static int emit_other(struct mpg_calls *c, int32_t rank, const struct mpg_foreign_call *call, struct mpg_error *err)
{
    struct mpg_event e = mpg_foreign_make(call->call, call->enter_ns, call->leave_ns);
    e.thread = call->thread;
    switch (mpg_call_kind(call->call)) {
    case MPG_KIND_INIT:
    case MPG_KIND_FINALIZE:
    case MPG_KIND_ABORT:
    case MPG_KIND_OTHER:
        return mpg_foreign_event(&c->foreign, rank, &e, NULL, NULL, err);
    case MPG_KIND_PROBE:
        return emit_probe(c, rank, call, err);
    case MPG_KIND_REQUEST_FREE:
    case MPG_KIND_CANCEL:
        return emit_free(c, rank, call, err);
    case MPG_KIND_COMM_FREE:
        return emit_comm_free(c, rank, call, err);
    case MPG_KIND_SEND_INIT:
    case MPG_KIND_RECV_INIT:
    case MPG_KIND_PCONTROL:
        return mpg_foreign_untraced(&c->foreign, rank, call->name, err);
    default:
        return emit_unknown(c, rank, call, err);
    }
}

/* Handles CALL in steps 2 and 3. Returns 0, or -1 with ERR. */
static int take(struct mpg_calls *c, int32_t rank, const struct mpg_foreign_call *call, struct mpg_error *err)
{
    const enum mpg_kind kind = call->call < MPG_CALL_COUNT ? mpg_call_kind(call->call) : MPG_KIND_UNKNOWN;
    int64_t request;
    switch (kind) {
    case MPG_KIND_SEND:
    case MPG_KIND_RECV:
    case MPG_KIND_SENDRECV:
        return take_message(c, rank, call, call->enter_ns, call->leave_ns, 0, err);
    case MPG_KIND_ISEND:
    case MPG_KIND_IRECV:
        request = call->request_number == 1 ? mpg_foreign_post(&c->foreign, rank, call->requests[0], err) : -1;
        return request < 0 ? -1 : take_message(c, rank, call, call->enter_ns, call->leave_ns, request, err);
    case MPG_KIND_START:
        return take_starts(c, rank, call, err);
    case MPG_KIND_COMPLETE:
        return take_completion(c, rank, call, err);
    case MPG_KIND_CONSTRUCTOR:
        return take_constructor(c, rank, call, err);
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_ICOLLECTIVE:
        return take_collective(c, rank, call, err);
    default:
        break;
    }
    if (c->pass != MPG_CALLS_EMIT)
        return 0;
    return kind == MPG_KIND_UNKNOWN ? emit_foreign(c, rank, call, err) : emit_other(c, rank, call, err);
}

/* Counts CALL if CALL is a receive from any source, or with any tag, whose sender the trace does not tell. */
static void count_unresolved(struct mpg_calls *c, const struct mpg_foreign_call *call)
{
    const enum mpg_kind kind = call->call < MPG_CALL_COUNT ? mpg_call_kind(call->call) : MPG_KIND_UNKNOWN;
    const int32_t tag = kind == MPG_KIND_SENDRECV ? call->recvtag : call->tag;
    if (kind != MPG_KIND_RECV && kind != MPG_KIND_IRECV && kind != MPG_KIND_SENDRECV && kind != MPG_KIND_RECV_INIT)
        return;
    c->unresolved += is_wild(call->from, tag) && (!call->statuses || call->statuses->source < 0);
}

int mpg_calls_take(struct mpg_calls *c, int32_t rank, const struct mpg_foreign_call *call, struct mpg_error *err)
{
    struct mpg_foreign_call shifted = *call;
    int status;
    if (c->pass == MPG_CALLS_SURVEY) {
        count_unresolved(c, call);
        return survey(c, rank, call, err);
    }
    const enum mpg_kind kind = call->call < MPG_CALL_COUNT ? mpg_call_kind(call->call) : MPG_KIND_UNKNOWN;
    shifted.enter_ns -= c->origin_ns;
    shifted.leave_ns -= c->origin_ns;
    if ((kind == MPG_KIND_SEND_INIT || kind == MPG_KIND_RECV_INIT) && c->pass != MPG_CALLS_LOOK_AHEAD &&
        add_template(c, rank, &shifted, err) < 0)
        return -1;
    if (c->pass == MPG_CALLS_LOOK_AHEAD)
        status = look_ahead(c, rank, &shifted, err);
    else
        status = take(c, rank, &shifted, err);
    c->call_number++;
    return status;
}

/* --- passes --- */

typedef int reader(void *context, int32_t rank, struct mpg_calls *c, struct mpg_error *err);

/* Lets READ read each rank in PASS, step 2 or 3; before, if the rank uses requests, to look ahead. Returns 0, or -1 with ERR. */
static int run_pass(struct mpg_calls *c, int pass, reader *read, void *context, struct mpg_error *err)
{
    c->wildcard = 0;
    for (int32_t r = 0; r < c->foreign.ranks; r++) {
        c->pass = MPG_CALLS_LOOK_AHEAD;
        c->posting_number = 0;
        c->call_number = 0;
        mpg_map_clear(&c->current);
        if (c->foreign.rank[r].uses_requests && read(context, r, c, err) < 0)
            return -1;
        c->pass = pass;
        c->call_number = 0;
        c->template_number = 0;
        mpg_map_clear(&c->persistent);
        mpg_map_clear(&c->foreign.open);
        c->foreign.rank[r].requests = 0;
        if (read(context, r, c, err) < 0)
            return -1;
    }
    return 0;
}

int mpg_calls_run(struct mpg_calls *c, reader *read, void *context, struct mpg_error *err)
{
    uint64_t guessed, misplaced;
    c->pass = MPG_CALLS_SURVEY;
    for (int32_t r = 0; r < c->foreign.ranks; r++)
        if (read(context, r, c, err) < 0)
            return -1;
    if (mpg_comms_resolve(c->comms, c->foreign.build, &guessed, &misplaced, err) < 0)
        return -1;
    mpg_foreign_remark(&c->foreign, several_fit, guessed);
    mpg_foreign_remark(&c->foreign, other_rank, misplaced);
    if (c->unresolved > 0) {
        if (!(c->wildcards = mpg_wildcards_new()))
            return out_of_memory(err);
        if (run_pass(c, MPG_CALLS_MATCH, read, context, err) < 0 || mpg_wildcards_resolve(c->wildcards, err) < 0 ||
            mpg_comms_rewind(c->comms, err) < 0)
            return -1;
    }
    return run_pass(c, MPG_CALLS_EMIT, read, context, err);
}
