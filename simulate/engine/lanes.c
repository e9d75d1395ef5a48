/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recurrences of perturb mode, docs/MODEL.md, section 4. */
#include "simulate/engine/lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct mpg_lanes {
    int32_t ranks;
    uint32_t n, first;
    enum mpg_absorb absorb;
    const struct mpg_perturbation *p;
    struct mpg_floors *floors;
    const struct mpg_likes *likes; /* may be NULL */
    double *stream_value; /* capacity x n */
    double *slot_value;   /* capacity x n */
    double *slot_bare;    /* the same without what was put into the message or collective
                             itself; of arrivals, contributions and merges */
    uint32_t stream_capacity, slot_capacity, bare_capacity;
    uint32_t *last_stream; /* of each rank: that its FINISH is of */
    double *scratch, *result, *kappa, *own, *all, *others, *put; /* n each */
    int64_t *traced_ns;
    struct mpg_lanes_account *account; /* a rank */
    uint32_t streams;    /* met so far; one a rank, then threads as they appear */
    uint32_t *unjoined;  /* of each rank: threads that go on */
    double *slack;
    uint32_t slack_capacity;
};

struct mpg_lanes *mpg_lanes_new(int32_t ranks, uint32_t lanes, uint32_t first,
                                enum mpg_absorb absorb, const struct mpg_perturbation *p,
                                struct mpg_floors *floors, struct mpg_error *err)
{
    struct mpg_lanes *l = calloc(1, sizeof *l);
    if (!l)
        goto fail;
    *l = (struct mpg_lanes){
        .ranks = ranks, .n = lanes, .first = first, .absorb = absorb, .p = p, .floors = floors,
        .streams = (uint32_t)ranks};
    l->last_stream = calloc((size_t)ranks, sizeof *l->last_stream);
    l->scratch = calloc(lanes, sizeof *l->scratch);
    l->result = calloc(lanes, sizeof *l->result);
    l->kappa = calloc(lanes, sizeof *l->kappa);
    l->own = calloc(lanes, sizeof *l->own);
    l->all = calloc(lanes, sizeof *l->all);
    l->others = calloc(lanes, sizeof *l->others);
    l->put = calloc(lanes, sizeof *l->put);
    l->account = calloc((size_t)ranks, sizeof *l->account);
    l->unjoined = calloc((size_t)ranks, sizeof *l->unjoined);
    l->traced_ns = calloc((size_t)ranks, sizeof *l->traced_ns);
    if (l->last_stream && l->scratch && l->result && l->kappa && l->own && l->all && l->others &&
        l->put && l->account && l->unjoined && l->traced_ns)
        return l;
fail:
    mpg_lanes_free(l);
    mpg_error_set(err, "out of memory");
    return NULL;
}

void mpg_lanes_free(struct mpg_lanes *l)
{
    if (!l)
        return;
    free(l->last_stream);
    free(l->stream_value);
    free(l->slot_value);
    free(l->slot_bare);
    free(l->scratch);
    free(l->result);
    free(l->kappa);
    free(l->own);
    free(l->all);
    free(l->others);
    free(l->put);
    free(l->account);
    free(l->unjoined);
    free(l->traced_ns);
    free(l->slack);
    free(l);
}

void mpg_lanes_use_likes(struct mpg_lanes *l, const struct mpg_likes *likes)
{
    l->likes = likes;
}

const double *mpg_lanes_delay(const struct mpg_lanes *l, int32_t rank)
{
    return l->stream_value + (size_t)l->last_stream[rank] * l->n;
}

int64_t mpg_lanes_traced(const struct mpg_lanes *l, int32_t rank)
{
    return l->traced_ns[rank];
}

const struct mpg_lanes_account *mpg_lanes_account(const struct mpg_lanes *l, int32_t rank)
{
    return &l->account[rank];
}

static double *stream_value(const struct mpg_lanes *l, uint32_t stream)
{
    return l->stream_value + (size_t)stream * l->n;
}

static double *slot_value(const struct mpg_lanes *l, uint32_t slot)
{
    return l->slot_value + (size_t)slot * l->n;
}

static double *slot_bare(const struct mpg_lanes *l, uint32_t slot)
{
    return l->slot_bare + (size_t)slot * l->n;
}

/* Makes room for COUNT values of all lanes; new ones are 0. */
static int reserve(const struct mpg_lanes *l, double **values, uint32_t *capacity, uint32_t count,
                   struct mpg_error *err)
{
    if (count <= *capacity)
        return 0;
    uint32_t wanted = count + count / 2 + 16;
    double *grown = realloc(*values, (size_t)wanted * l->n * sizeof *grown);
    if (!grown)
        return mpg_error_set(err, "out of memory (%u values of %u lanes)", wanted, l->n);
    memset(grown + (size_t)*capacity * l->n, 0,
           (size_t)(wanted - *capacity) * l->n * sizeof *grown);
    *values = grown;
    *capacity = wanted;
    return 0;
}

static double sum_of(const double *v, uint32_t n)
{
    double sum = 0;
    for (uint32_t w = 0; w < n; w++)
        sum += v[w];
    return sum;
}

static void zero(double *v, uint32_t n)
{
    memset(v, 0, n * sizeof *v);
}

/* l(bytes) between the ranks of a message; 0 where nobody needs it. */
static double flight_ns(const struct mpg_lanes *l, int32_t a, int32_t b, double bytes)
{
    return l->floors ? mpg_floor_message(l->floors, a, b, bytes) : 0;
}

static void step_enter(struct mpg_lanes *l, const struct mpg_step *s)
{
    double *value = stream_value(l, s->stream);
    double before = sum_of(value, l->n);
    struct mpg_interval x = {.rank = s->rank,
                             .call = s->number,
                             .since_ns = (double)s->since_ns,
                             .length_ns = (double)s->interval_ns};
    if (l->likes)
        mpg_likes_find(l->likes, s, &x);
    mpg_perturb_compute(l->p, &x, l->first, l->n, value);
    l->account[s->rank].compute_ns += sum_of(value, l->n) - before;
}

static void step_join(struct mpg_lanes *l, const struct mpg_step *s)
{
    double *value = stream_value(l, s->stream);
    const double *other = slot_value(l, s->slot);
    struct mpg_lanes_account *a = &l->account[s->rank];
    l->unjoined[s->rank]--;
    for (uint32_t w = 0; w < l->n; w++) {
        double less = other[w] > value[w] ? value[w] : other[w];
        value[w] = other[w] > value[w] ? other[w] : value[w];
        a->hidden_ns += less > 0 ? less : 0;
        a->taken_ns += less < 0 ? -less : 0;
    }
}

static void step_load(struct mpg_lanes *l, const struct mpg_step *s)
{
    double *value = stream_value(l, s->stream);
    struct mpg_lanes_account *a = &l->account[s->rank];
    memcpy(value, slot_value(l, s->slot), l->n * sizeof *value);
    for (uint32_t w = 0; w < l->n; w++) {
        a->taken_ns += value[w] > 0 ? value[w] : 0;
        a->hidden_ns += value[w] < 0 ? -value[w] : 0;
    }
}

static void step_eager(struct mpg_lanes *l, const struct mpg_step *s)
{
    const double *sent = stream_value(l, s->stream);
    double *out = slot_value(l, s->slot), *delta = l->scratch;
    double least = -flight_ns(l, s->rank, s->receiver, s->bytes);
    zero(delta, l->n);
    mpg_perturb_latency(l->p, s->origin.rank, s->origin.call, MPG_DRAW_LATENCY, s->origin.index,
                        l->first, l->n, delta);
    mpg_perturb_bytes(l->p, s->origin.rank, s->origin.call, s->origin.index, s->bytes, l->first,
                      l->n, delta);
    for (uint32_t w = 0; w < l->n; w++)
        out[w] = sent[w] + (delta[w] > least ? delta[w] : least);
    memcpy(slot_bare(l, s->slot), sent, l->n * sizeof *sent);
}

static void step_synchronous(struct mpg_lanes *l, const struct mpg_step *s)
{
    double *out = slot_value(l, s->slot), *bare = slot_bare(l, s->slot);
    double *delta = l->scratch, *tau = l->result;
    const double *sent = slot_value(l, s->a), *posted = slot_value(l, s->b);
    double sender_slack = 0, poster_slack = 0;
    if (l->absorb == MPG_ABSORB_CLOCK) {
        double later_ns = fmax(s->sender_ns, s->poster_ns);
        sender_slack = later_ns - s->sender_ns;
        poster_slack = later_ns - s->poster_ns;
    }
    double least = -(flight_ns(l, s->rank, s->receiver, s->bytes) + sender_slack);
    zero(delta, l->n);
    zero(tau, l->n);
    mpg_perturb_latency(l->p, s->origin.rank, s->origin.call, MPG_DRAW_LATENCY, s->origin.index,
                        l->first, l->n, delta);
    mpg_perturb_bytes(l->p, s->origin.rank, s->origin.call, s->origin.index, s->bytes, l->first,
                      l->n, tau);
    for (uint32_t w = 0; w < l->n; w++) {
        double by_sender = sent[w] + delta[w] - sender_slack;
        double by_poster = posted[w] - poster_slack;
        double arrival = (by_sender > by_poster ? by_sender : by_poster) + tau[w];
        by_sender = sent[w] - sender_slack;
        bare[w] = by_sender > by_poster ? by_sender : by_poster;
        out[w] = arrival > sent[w] + least ? arrival : sent[w] + least;
    }
}

static void step_contribute(struct mpg_lanes *l, const struct mpg_step *s)
{
    double *out = slot_value(l, s->slot), *delta = l->scratch;
    const double *in = slot_value(l, s->a);
    zero(delta, l->n);
    mpg_perturb_collective(l->p, s->rank, s->number, s->origin.index, s->rounds, s->bytes,
                           l->first, l->n, delta);
    memcpy(slot_bare(l, s->slot), in, l->n * sizeof *in);
    for (uint32_t w = 0; w < l->n; w++)
        out[w] = in[w] + delta[w];
}

static void step_merge(struct mpg_lanes *l, const struct mpg_step *s)
{
    double *out = slot_value(l, s->slot), *bare = slot_bare(l, s->slot);
    const double *a = slot_value(l, s->a), *b = slot_value(l, s->b);
    const double *bare_a = slot_bare(l, s->a), *bare_b = slot_bare(l, s->b);
    double shift_a = 0, shift_b = 0;
    if (l->absorb == MPG_ABSORB_CLOCK) {
        shift_a = s->shift_a.clock;
        shift_b = s->shift_b.clock;
    } else if (l->absorb == MPG_ABSORB_WAIT) {
        shift_a = s->shift_a.wait;
        shift_b = s->shift_b.wait;
    }
    for (uint32_t w = 0; w < l->n; w++) {
        double x = a[w] - shift_a, y = b[w] - shift_b;
        double bare_x = bare_a[w] - shift_a, bare_y = bare_b[w] - shift_b;
        out[w] = x > y ? x : y;
        bare[w] = bare_x > bare_y ? bare_x : bare_y;
    }
}

/* How long before the call's leave the edge's other end was, beyond its floor. */
static double edge_slack(const struct mpg_lanes *l, const struct mpg_step *s,
                         const struct mpg_edge *e)
{
    double floor_ns = 0;
    if (l->absorb != MPG_ABSORB_CLOCK)
        return 0;
    switch (e->kind) {
    case MPG_EDGE_ARRIVAL: /* t(A) = when it can have started + l(d) */
        floor_ns = flight_ns(l, e->source, s->rank, e->bytes);
        break;
    case MPG_EDGE_ENVELOPE:
        floor_ns = flight_ns(l, e->source, s->rank, 0);
        break;
    case MPG_EDGE_ACK:
        floor_ns = flight_ns(l, s->rank, e->source, e->bytes) +
                   flight_ns(l, e->source, s->rank, 0);
        break;
    case MPG_EDGE_MEETING:
        return 0;
    case MPG_EDGE_MET:
    case MPG_EDGE_ROOT:
        if (e->rounds)
            floor_ns = e->rounds * flight_ns(l, e->source, s->rank, e->bytes / e->rounds);
        break;
    case MPG_EDGE_MEMBER:
        floor_ns = flight_ns(l, e->source, s->rank, e->bytes);
        break;
    }
    return fmax(0, s->leave_ns - e->from_ns - floor_ns);
}

/* The edge's value with its delta, into VALUE; returns where it is. */
static const double *edge_value(struct mpg_lanes *l, const struct mpg_edge *e, double *value)
{
    const double *slot = slot_value(l, e->slot);
    if (e->kind == MPG_EDGE_MEETING || e->kind == MPG_EDGE_MEMBER)
        return slot;
    memcpy(value, slot, l->n * sizeof *value);
    switch (e->kind) {
    case MPG_EDGE_ACK:
        mpg_perturb_latency(l->p, e->origin.rank, e->origin.call, MPG_DRAW_ACK, e->origin.index,
                            l->first, l->n, value);
        return value;
    case MPG_EDGE_ENVELOPE:
        mpg_perturb_latency(l->p, e->origin.rank, e->origin.call, MPG_DRAW_LATENCY,
                            e->origin.index, l->first, l->n, value);
        break;
    case MPG_EDGE_ROOT:
        mpg_perturb_collective(l->p, e->origin.rank, e->origin.call, e->origin.index, e->rounds,
                               e->bytes, l->first, l->n, value);
        break;
    default:
        break;
    }
    for (uint32_t w = 0; w < l->n; w++)
        value[w] += l->kappa[w];
    return value;
}

/* Whether the call's own kappa is part of an edge of KIND. */
static bool has_kappa(enum mpg_edge_kind kind)
{
    return kind != MPG_EDGE_MEETING && kind != MPG_EDGE_MEMBER && kind != MPG_EDGE_ACK;
}

/* Notes for the account an edge whose value is VALUE: what was put into it, once, and
 * how late it is without that. The draw of an envelope is its message's, and counts where
 * that is received. */
static void note_edge(struct mpg_lanes *l, const struct mpg_step *s, const struct mpg_edge *e,
                      const double *value)
{
    bool is_ack = e->kind == MPG_EDGE_ACK;
    const double *bare = is_ack ? slot_value(l, e->slot) : slot_bare(l, e->slot);
    double put_ns = 0;
    for (uint32_t w = 0; w < l->n; w++) {
        double without = e->kind == MPG_EDGE_ENVELOPE
                             ? value[w]
                             : bare[w] + (has_kappa(e->kind) ? l->kappa[w] : 0);
        l->all[w] = value[w] > l->all[w] ? value[w] : l->all[w];
        l->others[w] = without > l->others[w] ? without : l->others[w];
        l->put[w] += value[w] - without;
        put_ns += value[w] - without;
    }
    struct mpg_lanes_account *a = &l->account[s->rank];
    if (e->kind == MPG_EDGE_ARRIVAL || e->kind == MPG_EDGE_ACK)
        a->message_ns += put_ns;
    else
        a->collective_ns += put_ns;
    if (e->kind == MPG_EDGE_ARRIVAL) /* a probe's message is received later, with nothing new */
        memcpy(slot_bare(l, e->slot), slot_value(l, e->slot), l->n * sizeof(double));
}

static int find_slacks(struct mpg_lanes *l, const struct mpg_step *s, double *local,
                       struct mpg_error *err)
{
    if (s->edge_number > l->slack_capacity) {
        uint32_t capacity = 2 * s->edge_number;
        void *grown = realloc(l->slack, capacity * sizeof *l->slack);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        l->slack = grown;
        l->slack_capacity = capacity;
    }
    *local = 0;
    if (l->absorb != MPG_ABSORB_NONE)
        *local = fmax(0, (double)s->duration_ns - mpg_floor_call(l->floors, s->call, s->bytes));
    double least = *local;
    for (uint32_t i = 0; i < s->edge_number; i++) {
        l->slack[i] = edge_slack(l, s, &s->edges[i]);
        least = fmin(least, l->slack[i]);
    }
    *local -= least;
    for (uint32_t i = 0; i < s->edge_number; i++)
        l->slack[i] -= least;
    return 0;
}

/* The rank's value on leaving its call, from OUT, what its edges give, with slack. */
static void leave_with(struct mpg_lanes *l, const struct mpg_step *s, const double *out)
{
    struct mpg_lanes_account *a = &l->account[s->rank];
    double *value = stream_value(l, s->stream);
    double least = -(double)s->duration_ns;
    for (uint32_t w = 0; w < l->n; w++) {
        double result = out[w] > value[w] + least ? out[w] : value[w] + least;
        double hidden = l->put[w] - (l->all[w] - l->others[w]);
        a->taken_ns += l->others[w] - l->own[w] + (hidden < 0 ? -hidden : 0);
        a->hidden_ns += hidden > 0 ? hidden : 0;
        a->waited_ns += l->all[w] - result;
        value[w] = result;
    }
}

/* What the one-sided transfers that the call waits for add to it. */
static void add_round_trip(struct mpg_lanes *l, const struct mpg_step *s, double *value)
{
    double before = sum_of(value, l->n);
    mpg_perturb_latency(l->p, s->rank, s->number, MPG_DRAW_LATENCY, 0, l->first, l->n, value);
    mpg_perturb_bytes(l->p, s->rank, s->number, 0, s->round_trip_bytes, l->first, l->n, value);
    double added_ns = sum_of(value, l->n) - before;
    l->account[s->rank].message_ns += added_ns;
    l->account[s->rank].call_ns -= added_ns; /* begin_leaving() puts all of it there */
}

/* Kappa and what else the call itself adds, and where its rank would be with that alone:
 * no call ends before it began. */
static void begin_leaving(struct mpg_lanes *l, const struct mpg_step *s, bool meeting)
{
    const double *value = stream_value(l, s->stream);
    double least = -(double)s->duration_ns, put_ns = 0;
    zero(l->kappa, l->n);
    zero(l->put, l->n);
    if (!meeting)
        mpg_perturb_call(l->p, s->rank, s->number, l->first, l->n, l->kappa);
    if (s->round_trip)
        add_round_trip(l, s, l->kappa);
    for (uint32_t w = 0; w < l->n; w++) {
        double own = value[w] + (l->kappa[w] > least ? l->kappa[w] : least);
        l->own[w] = l->all[w] = l->others[w] = own;
        put_ns += own - value[w];
    }
    l->account[s->rank].call_ns += put_ns;
}

static int step_leave(struct mpg_lanes *l, const struct mpg_step *s, struct mpg_error *err)
{
    double *value = stream_value(l, s->stream), *out = l->result, local = 0;
    bool meeting = s->edge_number > 0 && s->edges[0].kind == MPG_EDGE_MEETING;
    if (find_slacks(l, s, &local, err) < 0)
        return -1;
    begin_leaving(l, s, meeting);
    for (uint32_t w = 0; w < l->n; w++)
        out[w] = meeting ? -INFINITY : value[w] + l->kappa[w] - local;
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const double *edge = edge_value(l, &s->edges[i], l->scratch);
        double slack = l->slack[i];
        for (uint32_t w = 0; w < l->n; w++)
            out[w] = edge[w] - slack > out[w] ? edge[w] - slack : out[w];
        note_edge(l, s, &s->edges[i], edge);
    }
    leave_with(l, s, out);
    return 0;
}

/* A rank without an MPI_Finalize ends in the latest of its threads: what became of the
 * others is hidden behind it. */
static void settle(struct mpg_lanes_account *a)
{
    double over_ns = a->compute_ns + a->call_ns + a->message_ns + a->collective_ns + a->taken_ns -
                     a->waited_ns - a->hidden_ns - a->left_ns;
    if (over_ns > 0)
        a->hidden_ns += over_ns;
    else
        a->taken_ns -= over_ns;
}

static void step_finish(struct mpg_lanes *l, const struct mpg_step *s)
{
    l->traced_ns[s->rank] = s->since_ns;
    l->last_stream[s->rank] = s->stream;
    l->account[s->rank].left_ns = sum_of(stream_value(l, s->stream), l->n);
    if (l->unjoined[s->rank] > 0)
        settle(&l->account[s->rank]);
}

int mpg_lanes_step(struct mpg_lanes *l, const struct mpg_step *s, uint32_t slots,
                   struct mpg_error *err)
{
    if (reserve(l, &l->slot_value, &l->slot_capacity, slots, err) < 0 ||
        reserve(l, &l->slot_bare, &l->bare_capacity, slots, err) < 0 ||
        reserve(l, &l->stream_value, &l->stream_capacity, s->stream + 1, err) < 0)
        return -1;
    if (s->stream >= l->streams) {
        l->streams = s->stream + 1;
        l->unjoined[s->rank]++;
    }
    switch (s->kind) {
    case MPG_STEP_ENTER:
        step_enter(l, s);
        break;
    case MPG_STEP_STORE:
        memcpy(slot_value(l, s->slot), stream_value(l, s->stream), l->n * sizeof(double));
        memcpy(slot_bare(l, s->slot), stream_value(l, s->stream), l->n * sizeof(double));
        break;
    case MPG_STEP_LOAD:
        step_load(l, s);
        break;
    case MPG_STEP_JOIN:
        step_join(l, s);
        break;
    case MPG_STEP_EAGER:
        step_eager(l, s);
        break;
    case MPG_STEP_SYNCHRONOUS:
        step_synchronous(l, s);
        break;
    case MPG_STEP_CONTRIBUTE:
        step_contribute(l, s);
        break;
    case MPG_STEP_MERGE:
        step_merge(l, s);
        break;
    case MPG_STEP_LEAVE:
        return step_leave(l, s, err);
    case MPG_STEP_FINISH:
        step_finish(l, s);
        break;
    }
    return 0;
}
