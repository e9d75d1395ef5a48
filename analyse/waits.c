/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When streams are where, when what their calls wait for began (docs/MODEL.md, section 9), and who it is
 * counted for. */
#include "analyse/waits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "common/reserve.h"

static const double ROUNDING_NS = 1e-3; /* less is no waiting */

/* A thread's last node, and the call that it is in. */
struct stream {
    double at_ns;
    struct mpg_place place;
    int32_t region;
};

/* What waits in a slot: when it began; of a synchronous message, when its receive was posted, too. */
struct slot {
    double begun_ns, posted_ns;
};

struct site {
    struct mpg_place place;
    struct mpg_wait_sum sum;
};

struct mpg_waits {
    int32_t ranks;
    const struct mpg_clock_map *clocks;
    enum mpg_wait_times times;
    struct stream *stream;
    struct slot *slot;
    uint32_t stream_capacity, slot_capacity, region_capacity, site_capacity;
    struct mpg_map begun;    /* message -> bits of when it was sent, where calls may receive another */
    uint64_t *brought;       /* messages that the next call receives, in place of the trace's */
    uint32_t brought_count, brought_capacity;
    double *run_ns;          /* a rank */
    struct mpg_wait_sum *rank, *region; /* region: by name + 1 */
    struct mpg_wait_sum matter[MPG_MATTERS], call[MPG_CALL_COUNT];
    struct site *site;
    struct mpg_map site_index; /* (callsite, call) -> place + 1 */
    uint32_t regions, sites;   /* regions: names and none */
};

static const struct {
    const char *name, *key;
} words[MPG_WAIT_KINDS] = {
    [MPG_WAIT_LATE_SENDER] = {"late sender", "late_sender_ns"},
    [MPG_WAIT_LATE_RECEIVER] = {"late receiver", "late_receiver_ns"},
    [MPG_WAIT_BARRIER] = {"wait at barrier", "wait_at_barrier_ns"},
    [MPG_WAIT_NXN] = {"wait at NxN", "wait_at_nxn_ns"},
    [MPG_WAIT_LATE_BROADCAST] = {"late broadcast", "late_broadcast_ns"},
    [MPG_WAIT_EARLY_REDUCE] = {"early reduce", "early_reduce_ns"},
    [MPG_WAIT_EARLY_SCAN] = {"early scan", "early_scan_ns"},
};

const char *mpg_wait_name(enum mpg_wait wait)
{
    return words[wait].name;
}

const char *mpg_wait_key(enum mpg_wait wait)
{
    return words[wait].key;
}

void mpg_wait_add(struct mpg_wait_sum *sum, const struct mpg_wait_sum *more)
{
    sum->calls += more->calls;
    sum->waited += more->waited;
    sum->time_ns += more->time_ns;
    for (int i = 0; i < MPG_WAIT_KINDS; i++)
        sum->wait_ns[i] += more->wait_ns[i];
}

double mpg_wait_all(const struct mpg_wait_sum *sum)
{
    double all_ns = 0;
    for (int i = 0; i < MPG_WAIT_KINDS; i++)
        all_ns += sum->wait_ns[i];
    return all_ns;
}

/* ---- making and clearing ---- */

struct mpg_waits *mpg_waits_new(int32_t ranks, const struct mpg_clock_map *clocks,
                                enum mpg_wait_times times, struct mpg_error *err)
{
    struct mpg_waits *w = calloc(1, sizeof *w);
    if (w) {
        w->ranks = ranks;
        w->clocks = clocks;
        w->times = times;
        w->run_ns = calloc((size_t)ranks, sizeof *w->run_ns);
        w->rank = calloc((size_t)ranks, sizeof *w->rank);
        if (w->run_ns && w->rank)
            return w;
    }
    mpg_waits_free(w);
    mpg_error_set(err, "out of memory");
    return NULL;
}

void mpg_waits_restart(struct mpg_waits *w)
{
    mpg_map_clear(&w->begun);
    mpg_map_clear(&w->site_index);
    memset(w->run_ns, 0, (size_t)w->ranks * sizeof *w->run_ns);
    memset(w->rank, 0, (size_t)w->ranks * sizeof *w->rank);
    memset(w->matter, 0, sizeof w->matter);
    memset(w->call, 0, sizeof w->call);
    w->regions = w->sites = w->brought_count = 0;
}

void mpg_waits_free(struct mpg_waits *w)
{
    if (!w)
        return;
    mpg_map_clear(&w->begun);
    mpg_map_clear(&w->site_index);
    free(w->stream);
    free(w->slot);
    free(w->brought);
    free(w->run_ns);
    free(w->rank);
    free(w->region);
    free(w->site);
    free(w);
}

/* Room for COUNT things of SIZE where the pointer at ITEMS points. */
static int reserve(void *items, size_t size, uint32_t *capacity, uint32_t count, struct mpg_error *err)
{
    void *grown;
    memcpy(&grown, items, sizeof grown); /* a pointer of any type */
    const int status = mpg_reserve(&grown, size, capacity, count, err);
    memcpy(items, &grown, sizeof grown);
    return status;
}

/* ---- when messages were sent, where a call may receive another one ---- */

static int remember(struct mpg_waits *w, uint64_t message, double begun_ns, struct mpg_error *err)
{
    uint64_t *bits = mpg_map_add(&w->begun, message, 0);
    if (!bits)
        return mpg_error_set(err, "out of memory");
    memcpy(bits, &begun_ns, sizeof begun_ns);
    return 0;
}

static double recall(const struct mpg_waits *w, uint64_t message)
{
    const uint64_t *bits = mpg_map_find(&w->begun, message, 0);
    double begun_ns = -INFINITY;
    if (bits)
        memcpy(&begun_ns, bits, sizeof begun_ns);
    return begun_ns;
}

int mpg_waits_bring(struct mpg_waits *w, const struct mpg_step *s, uint32_t i, uint64_t message,
                    struct mpg_error *err)
{
    const struct mpg_edge *e = &s->edges[i];
    w->slot[e->slot].begun_ns = recall(w, message);
    if (message == 0 || mpg_call_is_probe(s->call))
        return 0;
    if (reserve(&w->brought, sizeof *w->brought, &w->brought_capacity, w->brought_count + 1, err) < 0)
        return -1;
    w->brought[w->brought_count++] = message;
    return 0;
}

/* What S has received is not asked for any more. */
static void forget_received(struct mpg_waits *w, const struct mpg_step *s)
{
    for (uint32_t i = 0; i < w->brought_count; i++)
        mpg_map_remove(&w->begun, w->brought[i], 0);
    w->brought_count = 0;
    for (uint32_t i = 0; i < s->edge_number && w->begun.count > 0; i++)
        if (s->edges[i].kind == MPG_EDGE_ARRIVAL && !s->edges[i].is_view &&
            !mpg_call_is_probe(s->call))
            mpg_map_remove(&w->begun, s->edges[i].message, 0);
}

/* ---- what a call waits for ---- */

/* The latest that it waits for; AT_NS -INFINITY: nothing. */
struct awaited {
    double at_ns;
    enum mpg_wait kind;
};

static void await(struct awaited *a, double at_ns, enum mpg_wait kind)
{
    if (at_ns > a->at_ns || (at_ns == a->at_ns && kind < a->kind))
        *a = (struct awaited){at_ns, kind};
}

/* Of a collective that is a node, or messages, CALL. */
static enum mpg_wait meeting_wait(enum mpg_call call)
{
    switch (call) {
    case MPG_CALL_Scan:
    case MPG_CALL_Exscan:
        return MPG_WAIT_EARLY_SCAN;
    case MPG_CALL_Bcast:
    case MPG_CALL_Scatter:
    case MPG_CALL_Scatterv:
        return MPG_WAIT_LATE_BROADCAST;
    case MPG_CALL_Reduce:
    case MPG_CALL_Gather:
    case MPG_CALL_Gatherv:
        return MPG_WAIT_EARLY_REDUCE;
    default:
        return mpg_call_matter(call) == MPG_MATTER_SYNCHRONIZATION ? MPG_WAIT_BARRIER : MPG_WAIT_NXN;
    }
}

static bool same_meeting(const struct mpg_edge *a, const struct mpg_edge *b)
{
    return a->kind == b->kind && a->meeting.rank == b->meeting.rank &&
           a->meeting.call == b->meeting.call && a->meeting.index == b->meeting.index;
}

/* The first of those that contribute to the root's collective whose first edge is the I-th of S; the last
 * such one is *LAST. */
static double first_member(const struct mpg_waits *w, const struct mpg_step *s, uint32_t i, uint32_t *last)
{
    double first_ns = INFINITY;
    for (*last = i; *last < s->edge_number && same_meeting(&s->edges[i], &s->edges[*last]); ++*last)
        first_ns = fmin(first_ns, w->slot[s->edges[*last].slot].begun_ns);
    --*last;
    return first_ns;
}

static struct awaited find_awaited(const struct mpg_waits *w, const struct mpg_step *s)
{
    struct awaited a = {-INFINITY, MPG_WAIT_KINDS};
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const struct mpg_edge *e = &s->edges[i];
        const struct slot *slot = &w->slot[e->slot];
        switch (e->kind) {
        case MPG_EDGE_ARRIVAL:
        case MPG_EDGE_ENVELOPE:
            await(&a, slot->begun_ns, MPG_WAIT_LATE_SENDER);
            break;
        case MPG_EDGE_ACK:
            await(&a, slot->posted_ns, MPG_WAIT_LATE_RECEIVER);
            break;
        case MPG_EDGE_MEETING:
        case MPG_EDGE_MET:
            await(&a, slot->begun_ns, meeting_wait(e->call));
            break;
        case MPG_EDGE_ROOT:
            await(&a, slot->begun_ns, MPG_WAIT_LATE_BROADCAST);
            break;
        case MPG_EDGE_MEMBER:
            await(&a, first_member(w, s, i, &i), MPG_WAIT_EARLY_REDUCE);
            break;
        case MPG_EDGE_HELD:
            break;
        }
    }
    return a;
}

/* ---- who it is counted for ---- */

static enum mpg_matter matter_of(const struct mpg_step *s)
{
    for (int m = 0; m < MPG_MATTERS; m++)
        if (s->completed & 1u << m)
            return (enum mpg_matter)m;
    return mpg_call_matter(s->call);
}

static struct mpg_wait_sum *find_site(struct mpg_waits *w, const struct mpg_place *place,
                                      struct mpg_error *err)
{
    uint64_t *index = mpg_map_add(&w->site_index, place->site, place->call);
    if (!index) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    if (*index == 0) {
        if (reserve(&w->site, sizeof *w->site, &w->site_capacity, w->sites + 1, err) < 0)
            return NULL;
        w->site[w->sites] = (struct site){.place = *place};
        *index = ++w->sites;
    }
    return &w->site[*index - 1].sum;
}

static struct mpg_wait_sum *find_region(struct mpg_waits *w, int32_t name, struct mpg_error *err)
{
    const uint32_t count = (uint32_t)(name + 2);
    if (reserve(&w->region, sizeof *w->region, &w->region_capacity, count, err) < 0)
        return NULL;
    for (; w->regions < count; w->regions++)
        w->region[w->regions] = (struct mpg_wait_sum){.calls = 0};
    return &w->region[name + 1];
}

static int count(struct mpg_waits *w, const struct mpg_step *s, const struct mpg_wait_sum *one,
                 struct mpg_error *err)
{
    const struct stream *stream = &w->stream[s->stream];
    const struct mpg_place place = {s->call, stream->place.site};
    struct mpg_wait_sum *site = find_site(w, &place, err);
    struct mpg_wait_sum *region = site ? find_region(w, stream->region, err) : NULL;
    if (!region)
        return -1;
    mpg_wait_add(site, one);
    mpg_wait_add(region, one);
    mpg_wait_add(&w->rank[s->rank], one);
    mpg_wait_add(&w->call[s->call], one);
    mpg_wait_add(&w->matter[matter_of(s)], one);
    return 0;
}

/* ---- collectives as messages: what each member waits for is the same ---- */

/* Of C's member V, counted on from the root. */
static struct slot *member_slot(const struct mpg_waits *w, const struct mpg_expanding *c, int32_t v)
{
    const struct mpg_collective_size *size = &c->plan.size;
    return &w->slot[c->member[((int64_t)v + size->root) % size->p].slot];
}

/* All members have come: their slots, from their enters to what they wait for. */
static void expand_all(struct mpg_waits *w, const struct mpg_expanding *c, enum mpg_wait kind)
{
    const int32_t p = c->plan.size.p;
    const double root_ns = member_slot(w, c, 0)->begun_ns;
    double last_ns = root_ns, first_ns = INFINITY;
    for (int32_t v = 1; v < p; v++) {
        struct slot *slot = member_slot(w, c, v);
        last_ns = fmax(last_ns, slot->begun_ns);
        first_ns = fmin(first_ns, slot->begun_ns);
        if (kind == MPG_WAIT_EARLY_SCAN)
            slot->begun_ns = last_ns;
    }
    for (int32_t v = 0; v < p && kind != MPG_WAIT_EARLY_SCAN; v++)
        member_slot(w, c, v)->begun_ns = kind == MPG_WAIT_LATE_BROADCAST ? (v > 0 ? root_ns : -INFINITY)
                                         : kind == MPG_WAIT_EARLY_REDUCE ? (v > 0 ? -INFINITY : first_ns)
                                                                         : last_ns;
}

/* The message between C's member V > 0 and its parent; NULL: out of memory. */
static struct slot *message_slot(struct mpg_waits *w, const struct mpg_expanding *c, int32_t v,
                                 struct mpg_error *err)
{
    const struct mpg_collective_size *size = &c->plan.size;
    const uint32_t slot = c->member[((int64_t)v + size->root) % size->p].message_slot;
    return reserve(&w->slot, sizeof *w->slot, &w->slot_capacity, slot + 1, err) < 0 ? NULL : &w->slot[slot];
}

/* Down a tree messages hold what their receivers wait for: the root, or the last so far of a scan. */
static int expand_down(struct mpg_waits *w, const struct mpg_expanding *c, int32_t v, enum mpg_wait kind,
                       struct mpg_error *err)
{
    const struct mpg_tree *tree = &c->plan.phase[0].tree;
    const struct slot *from = v > 0 ? message_slot(w, c, v, err) : NULL;
    if (v > 0 && !from)
        return -1;
    const double own_ns = member_slot(w, c, v)->begun_ns, awaited_ns = from ? from->begun_ns : -INFINITY;
    const double passed_ns = from && kind == MPG_WAIT_LATE_BROADCAST ? awaited_ns : fmax(awaited_ns, own_ns);
    for (int32_t k = 0; k < mpg_tree_children(tree, v); k++) {
        struct slot *to = message_slot(w, c, mpg_tree_child(tree, v, k), err);
        if (!to)
            return -1;
        to->begun_ns = passed_ns;
    }
    member_slot(w, c, v)->begun_ns = awaited_ns;
    return 0;
}

/* Up a tree they hold the first of the subtree, which the root waits for. */
static int expand_up(struct mpg_waits *w, const struct mpg_expanding *c, int32_t v, struct mpg_error *err)
{
    const struct mpg_tree *tree = &c->plan.phase[0].tree;
    double first_ns = INFINITY;
    for (int32_t k = 0; k < mpg_tree_children(tree, v); k++) {
        const struct slot *from = message_slot(w, c, mpg_tree_child(tree, v, k), err);
        if (!from)
            return -1;
        first_ns = fmin(first_ns, from->begun_ns);
    }
    struct slot *to = v > 0 ? message_slot(w, c, v, err) : NULL;
    if (v > 0 && !to)
        return -1;
    struct slot *own = member_slot(w, c, v);
    if (to)
        to->begun_ns = fmin(first_ns, own->begun_ns);
    own->begun_ns = v > 0 ? -INFINITY : first_ns;
    return 0;
}

static int expand(struct mpg_waits *w, const struct mpg_step *s, struct mpg_error *err)
{
    const struct mpg_expanding *c = s->expanding;
    const enum mpg_wait kind = meeting_wait(s->call);
    if (s->member >= 0)
        return c->plan.phase[0].kind == MPG_PHASE_DOWN ? expand_down(w, c, s->member, kind, err)
                                                       : expand_up(w, c, s->member, err);
    expand_all(w, c, kind);
    return 0;
}

/* ---- steps ---- */

static int leave(struct mpg_waits *w, const struct mpg_step *s, double value_ns, struct mpg_error *err)
{
    struct stream *stream = &w->stream[s->stream];
    const struct awaited a = find_awaited(w, s);
    const double until_ns = w->times == MPG_WAIT_TRACED   ? s->leave_ns
                            : w->times == MPG_WAIT_DELAYS ? s->leave_ns + value_ns
                                                          : value_ns;
    const double took_ns = fmax(0, until_ns - stream->at_ns);
    const double wait_ns = fmin(a.at_ns - stream->at_ns, took_ns);
    struct mpg_wait_sum one = {.calls = 1, .time_ns = took_ns};
    if (wait_ns > ROUNDING_NS) {
        one.waited = 1;
        one.wait_ns[a.kind] = wait_ns;
    }
    const int status = count(w, s, &one, err);
    stream->at_ns = until_ns;
    if (w->begun.count > 0)
        forget_received(w, s);
    return status;
}

static void enter(struct mpg_waits *w, const struct mpg_step *s, double value_ns)
{
    struct stream *stream = &w->stream[s->stream];
    const int64_t enter_ns = s->begin_ns + s->interval_ns + s->tracer_ns;
    stream->at_ns = w->times == MPG_WAIT_WORLD ? value_ns
                                               : mpg_clock_align(w->clocks, s->rank, enter_ns) +
                                                     (w->times == MPG_WAIT_DELAYS ? value_ns : 0);
    stream->place = s->to;
    stream->region = s->region;
}

static int reserve_all(struct mpg_waits *w, const struct mpg_step *s, struct mpg_error *err)
{
    uint32_t slot = s->slot > s->a ? s->slot : s->a;
    slot = s->b > slot ? s->b : slot;
    return reserve(&w->stream, sizeof *w->stream, &w->stream_capacity, s->stream + 1, err) < 0 ||
                   reserve(&w->slot, sizeof *w->slot, &w->slot_capacity, slot + 1, err) < 0
               ? -1
               : 0;
}

int mpg_waits_take(struct mpg_waits *w, const struct mpg_step *s, double value_ns, struct mpg_error *err)
{
    if (reserve_all(w, s, err) < 0)
        return -1;
    struct slot *slot = &w->slot[s->slot];
    const double now_ns = w->stream[s->stream].at_ns;
    switch (s->kind) {
    case MPG_STEP_ENTER:
        enter(w, s, value_ns);
        break;
    case MPG_STEP_STORE:
        *slot = (struct slot){now_ns, now_ns};
        break;
    case MPG_STEP_EAGER:
        *slot = (struct slot){now_ns, now_ns};
        return s->is_followed ? remember(w, s->message, now_ns, err) : 0;
    case MPG_STEP_SYNCHRONOUS:
        *slot = (struct slot){w->slot[s->a].begun_ns, w->slot[s->b].begun_ns};
        break;
    case MPG_STEP_CONTRIBUTE:
        *slot = w->slot[s->a];
        break;
    case MPG_STEP_MERGE:
        slot->begun_ns = fmax(w->slot[s->a].begun_ns, w->slot[s->b].begun_ns);
        break;
    case MPG_STEP_VIEW:
        *slot = w->slot[s->a];
        return remember(w, s->message, slot->begun_ns, err);
    case MPG_STEP_LEAVE:
        return leave(w, s, value_ns, err);
    case MPG_STEP_FINISH:
        w->run_ns[s->rank] = w->times == MPG_WAIT_TRACED   ? (double)s->since_ns
                             : w->times == MPG_WAIT_DELAYS ? (double)s->since_ns + value_ns
                                                           : value_ns;
        break;
    case MPG_STEP_POST: /* waiting begins where the call does */
    case MPG_STEP_LOAD: /* an ENTER follows */
    case MPG_STEP_JOIN:
        break;
    case MPG_STEP_EXPAND:
        return expand(w, s, err);
    }
    return 0;
}

/* ---- what was found ---- */

double mpg_waits_run(const struct mpg_waits *w, int32_t rank)
{
    return w->run_ns[rank];
}

struct mpg_wait_sum mpg_waits_of_matter(const struct mpg_waits *w, enum mpg_matter matter)
{
    return w->matter[matter];
}

struct mpg_wait_sum mpg_waits_of_rank(const struct mpg_waits *w, int32_t rank)
{
    return w->rank[rank];
}

struct mpg_wait_sum mpg_waits_of_call(const struct mpg_waits *w, enum mpg_call call)
{
    return w->call[call];
}

int32_t mpg_waits_regions(const struct mpg_waits *w)
{
    return w->regions > 0 ? (int32_t)w->regions - 1 : 0;
}

struct mpg_wait_sum mpg_waits_of_region(const struct mpg_waits *w, int32_t name)
{
    const struct mpg_wait_sum none = {.calls = 0};
    return name + 1 < (int32_t)w->regions ? w->region[name + 1] : none;
}

size_t mpg_waits_sites(const struct mpg_waits *w)
{
    return w->sites;
}

struct mpg_place mpg_waits_site(const struct mpg_waits *w, size_t i)
{
    return w->site[i].place;
}

struct mpg_wait_sum mpg_waits_of_site(const struct mpg_waits *w, size_t i)
{
    return w->site[i].sum;
}
