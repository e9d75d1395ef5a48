/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluates collectives as rounds, trees and posted messages, for all replicas. */
#include "simulate/algorithms/expand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The values of each member in the working space: */
enum {
    FREE,    /* earliest time of the member's next send, F in docs/MODEL.md */
    LOCAL,   /* end of the member's own calls; for posted messages, end of the sends already made */
    OTHER,   /* latest time for which the member waits, except arrivals */
    ARRIVED, /* latest arrival, plus the o_r of messages received after the latest arrival */
    COSTS,   /* sum of the member's receive overheads o_r */
    SPACES
};

/* A member's progress in the current round and in all phases. */
struct progress {
    uint32_t calls; /* number of calls made by the member in earlier phases and rounds; part of the key of kappa's draws */
    bool in_round;        /* the member takes part in the current round */
    double reduced_bytes; /* number of received bytes reduced by the member in the round; < 0: no reduction */
};

struct mpg_expansion {
    uint32_t lanes, followed;
    size_t stride;   /* number of doubles in a value */
    size_t capacity; /* memory of the working space, doubles */
    double *space[SPACES];
    double *lambda, *tau, *cost, *wait; /* each a value of the current message */
    double *kappa;                      /* kappa of the current call */
    struct progress *progress;          /* progress of each member, by number relative to the root */
};

/* The arguments of an evaluation. */
struct evaluation {
    struct mpg_expansion *x;
    const struct mpg_plan *plan;
    const struct mpg_message_costs *costs;
    bool together; /* true: all members are evaluated together; false: a single member of a tree */
};

struct mpg_expansion *mpg_expansion_new(uint32_t lanes, uint32_t followed, struct mpg_error *err)
{
    struct mpg_expansion *x = calloc(1, sizeof *x);
    if (x) {
        x->lanes = lanes;
        x->followed = followed;
        x->stride = mpg_expand_stride(lanes, followed);
        x->lambda = calloc(x->stride, sizeof *x->lambda);
        x->tau = calloc(x->stride, sizeof *x->tau);
        x->cost = calloc(x->stride, sizeof *x->cost);
        x->wait = calloc(x->stride, sizeof *x->wait);
        x->kappa = calloc(x->stride, sizeof *x->kappa);
    }
    if (x && x->lambda && x->tau && x->cost && x->wait && x->kappa)
        return x;
    mpg_expansion_free(x);
    mpg_error_set(err, "out of memory");
    return NULL;
}

void mpg_expansion_free(struct mpg_expansion *x)
{
    if (!x)
        return;
    for (int i = 0; i < SPACES; i++)
        free(x->space[i]);
    free(x->lambda);
    free(x->wait);
    free(x->tau);
    free(x->cost);
    free(x->kappa);
    free(x->progress);
    free(x);
}

double mpg_expansion_values(int32_t p)
{
    return (double)SPACES * p;
}

static int reserve(struct mpg_expansion *x, int32_t p, struct mpg_error *err)
{
    size_t wanted = (size_t)p * x->stride;
    if (wanted <= x->capacity)
        return 0;
    free(x->progress);
    x->capacity = 0; /* no capacity until all arrays have grown */
    if (!(x->progress = malloc((size_t)p * sizeof *x->progress)))
        return mpg_error_set(err, "out of memory (%d members of a collective)", p);
    for (int i = 0; i < SPACES; i++) {
        free(x->space[i]);
        x->space[i] = malloc(wanted * sizeof *x->space[i]);
        if (!x->space[i])
            return mpg_error_set(err, "out of memory (%zu values of a collective)", wanted);
    }
    x->capacity = wanted;
    return 0;
}

static double *of_member(const struct mpg_expansion *x, int space, int32_t v)
{
    return x->space[space] + (size_t)v * x->stride;
}

static void fill(double *values, size_t n, double value)
{
    for (size_t i = 0; i < n; i++)
        values[i] = value;
}

/* --- provenance of values --- */

static double *came(const struct mpg_expansion *x, double *value, enum mpg_value_provenance which)
{
    return mpg_value_provenance(value, x->lanes, x->followed, which);
}

static void copy(const struct mpg_expansion *x, double *to, const double *from)
{
    memcpy(to, from, x->stride * sizeof *to);
}

/* Copies the provenance of OTHER to VALUE, in the recorded lanes with OTHER later than VALUE. */
static void come_from_later(const struct mpg_expansion *x, double *value, const double *other)
{
    for (uint32_t w = 0; w < x->followed; w++)
        for (uint32_t k = 0; k < MPG_PROVENANCE_TERMS && other[w] > value[w]; k++)
            value[x->lanes + k * x->followed + w] = other[x->lanes + k * x->followed + w];
}

static void come_by(const struct mpg_expansion *x, double *value, enum mpg_value_provenance which, const double *more)
{
    for (uint32_t w = 0; w < x->followed; w++)
        came(x, value, which)[w] += more[w];
}

static void come_by_number(const struct mpg_expansion *x, double *value, enum mpg_value_provenance which, double more)
{
    for (uint32_t w = 0; w < x->followed; w++)
        came(x, value, which)[w] += more;
}

/* Returns the base of the recorded sums: the value of the last lane, if this lane is not recorded. */
static double base_of(const struct mpg_expansion *x, const double *values)
{
    return x->lanes > x->followed ? values[x->lanes - 1] : 0;
}

/* Adds the bytes of M to the provenance of VALUE. */
static void come_by_bytes(const struct mpg_expansion *x, double *value, const struct mpg_message *m, const double *tau)
{
    come_by(x, value, MPG_PROVENANCE_BYTES, tau);
    come_by_number(x, value, MPG_PROVENANCE_SIZE, m->bytes);
    come_by_number(x, value, MPG_PROVENANCE_BASE, base_of(x, tau));
}

static void come_by_latency(const struct mpg_expansion *x, double *value, const double *lambda)
{
    come_by(x, value, MPG_PROVENANCE_LATENCY, lambda);
    come_by_number(x, value, MPG_PROVENANCE_MESSAGES, 1);
    come_by_number(x, value, MPG_PROVENANCE_BASE, base_of(x, lambda));
}

static void raise_to(const struct mpg_expansion *x, double *value, const double *other)
{
    come_from_later(x, value, other);
    for (uint32_t w = 0; w < x->lanes; w++) /* without fmax() the compiler vectorises the loop */
        value[w] = value[w] > other[w] ? value[w] : other[w];
}

/* --- messages --- */

/* Returns M with member numbers relative to the root replaced by indices. */
static struct mpg_message absolute(const struct evaluation *e, struct mpg_message m)
{
    int64_t p = e->plan->size.p, root = e->plan->size.root;
    m.from = (int32_t)((m.from + root) % p);
    m.to = (int32_t)((m.to + root) % p);
    return m;
}

static bool is_synchronous(const struct evaluation *e, const struct mpg_message *m)
{
    return m->bytes > e->costs->eager_limit_bytes;
}

/* Returns true if the eager send of M between CHILD and its parent in PHASE completes only after the receiver has arrived (weak
 * progress). In phases after the first all members have arrived. */
static bool sends_weak(const struct evaluation *e, const struct mpg_phase *phase, const struct mpg_message *m, int32_t child)
{
    return phase == &e->plan->phase[0] && m->bytes > e->costs->weak_bytes &&
           !(e->costs->elsewhere && e->costs->elsewhere[child]);
}

/* Writes the departure of M into x->cost: the later of SENT and FREE. Advances FREE to the earliest time of the next send. */
static void inject(struct evaluation *e, const struct mpg_message *m, const double *sent,
                   double *free_ns)
{
    double gap_ns = e->costs->gap(e->costs->data, m);
    copy(e->x, e->x->cost, sent);
    raise_to(e->x, e->x->cost, free_ns);
    copy(e->x, free_ns, e->x->cost);
    for (uint32_t w = 0; w < e->x->lanes; w++)
        free_ns[w] += gap_ns;
    come_by_number(e->x, free_ns, MPG_PROVENANCE_BYTES, gap_ns);
}

/* Writes the arrival of the eager message M, which is sent at SENT. */
static void transmit(struct evaluation *e, const struct mpg_message *m, const double *sent,
                     double *free_ns, double *arrival)
{
    struct mpg_expansion *x = e->x;
    inject(e, m, sent, free_ns);
    e->costs->flight(e->costs->data, m, x->lambda, x->tau);
    come_by_latency(x, x->cost, x->lambda);
    come_by_bytes(x, x->cost, m, x->tau);
    for (uint32_t w = 0; w < x->lanes; w++)
        x->cost[w] = x->cost[w] + x->lambda[w] + x->tau[w];
    copy(x, arrival, x->cost);
}

/* Sets x->cost to the later of x->cost and POSTED. */
static void wait_for(struct mpg_expansion *x, const double *posted)
{
    copy(x, x->wait, posted);
    raise_to(x, x->wait, x->cost);
    copy(x, x->cost, x->wait);
}

/* x->cost is the departure of a message; sets x->cost to the time when the message meets the receiver, ready at POSTED. */
static void meet_receiver(struct evaluation *e, const double *posted)
{
    struct mpg_expansion *x = e->x;
    come_by_latency(x, x->cost, x->lambda);
    for (uint32_t w = 0; w < x->lanes; w++)
        x->cost[w] += x->lambda[w];
    wait_for(x, posted);
}

/* Changes the provenance of x->cost from the meeting's to the provenance of the sender's completion, as for a synchronous send of
 * M between two ranks. */
static void come_by_wait(const struct evaluation *e, const struct mpg_message *m)
{
    struct mpg_expansion *x = e->x;
    double latency = 0, per_ns = 0;
    if (x->followed > 0 && e->costs->held)
        e->costs->held(e->costs->data, m, &latency, &per_ns);
    for (uint32_t w = 0; w < x->followed; w++)
        if (x->wait[w] > x->lambda[w]) {
            came(x, x->cost, MPG_PROVENANCE_LATENCY)[w] += latency * x->wait[w] - x->lambda[w];
            came(x, x->cost, MPG_PROVENANCE_MESSAGES)[w] += per_ns * x->wait[w] - 1;
            came(x, x->cost, MPG_PROVENANCE_BYTES)[w] += (1 - latency) * x->wait[w];
            came(x, x->cost, MPG_PROVENANCE_SIZE)[w] += per_ns * x->wait[w] * m->bytes;
        }
}

/* x->cost is the time of a meeting; sets x->cost to the sender's completion: x->wait after the begin of the send if the receiver
 * was waiting. */
static void wait_in_send(struct evaluation *e, const struct mpg_message *m)
{
    struct mpg_expansion *x = e->x;
    if (!e->costs->answers)
        come_by_wait(e, m);
    for (uint32_t w = 0; w < x->lanes; w++)
        x->cost[w] += fmax(x->wait[w] - x->lambda[w], 0);
    if (!e->costs->answers)
        return;
    memcpy(x->cost + x->lanes, x->tau + x->lanes, (x->stride - x->lanes) * sizeof *x->cost); /* provenance of the arrival */
    come_by_latency(x, x->cost, e->costs->answers);
}

/* Evaluates the synchronous message M, sent at SENT to a receiver ready at POSTED: writes the arrival into x->tau and the
 * sender's completion into x->cost. */
static void meet(struct evaluation *e, const struct mpg_message *m, const double *sent,
                 const double *posted, double *free_ns)
{
    struct mpg_expansion *x = e->x;
    inject(e, m, sent, free_ns);
    e->costs->flight(e->costs->data, m, x->lambda, x->tau);
    meet_receiver(e, posted);
    memcpy(x->tau + x->lanes, x->cost + x->lanes, (x->stride - x->lanes) * sizeof *x->tau);
    come_by_bytes(x, x->tau, m, x->tau);
    for (uint32_t w = 0; w < x->lanes; w++)
        x->tau[w] += x->cost[w];
    if (e->costs->waiting(e->costs->data, m, x->wait))
        wait_in_send(e, m);
    else
        copy(x, x->cost, x->tau);
}

/* Adds x->cost, a call's overhead, to VALUE. */
static void add_costs(const struct mpg_expansion *x, double *value)
{
    for (uint32_t w = 0; w < x->lanes; w++)
        value[w] += x->cost[w];
    come_by_number(x, value, MPG_PROVENANCE_BASE, base_of(x, x->cost));
}

/* Adds o_s of M to VALUE. */
static void add_send(struct evaluation *e, const struct mpg_message *m, double *value)
{
    e->costs->send(e->costs->data, m, e->x->cost);
    add_costs(e->x, value);
}

static void add_receive(struct evaluation *e, const struct mpg_message *m, double *value)
{
    e->costs->receive(e->costs->data, m, e->x->cost);
    add_costs(e->x, value);
}

/* --- calls --- */

/* Writes kappa of member V's call number CALL in the collective into x->kappa. */
static void find_kappa(const struct evaluation *e, int32_t v, uint32_t call)
{
    const int64_t p = e->plan->size.p, root = e->plan->size.root;
    if (e->costs->call)
        e->costs->call(e->costs->data, (int32_t)((v + root) % p), call, e->x->kappa);
}

/* Adds kappa to VALUE, the end of the own work of a call begun at BEGIN; VALUE becomes at least BEGIN. */
static void add_kappa(const struct evaluation *e, const double *begin, double *value)
{
    for (uint32_t w = 0; w < e->x->lanes && e->costs->call; w++)
        value[w] = fmax(begin[w], value[w] + e->x->kappa[w]);
}

/* Adds kappa to VALUE, the end of the call's wait. */
static void delay_by_kappa(const struct evaluation *e, double *value)
{
    for (uint32_t w = 0; w < e->x->lanes && e->costs->call; w++)
        value[w] += fmax(e->x->kappa[w], 0);
}

/* Adds the time to reduce BYTES to VALUE. */
static void reduce(struct evaluation *e, double bytes, double *value)
{
    if (!e->costs->reduce)
        return;
    e->costs->reduce(e->costs->data, bytes, e->x->cost);
    add_costs(e->x, value);
}

/* --- trees --- */

static void next(const struct mpg_tree_values *values)
{
    if (values->next)
        values->next(values->data);
}

/* Lets member V receive M, which arrived at ARRIVAL, in V's call number CALL. Changes ARRIVAL. */
static void receive(struct evaluation *e, const struct mpg_message *m, int32_t v, uint32_t call, double *arrival,
                    double *value)
{
    struct mpg_expansion *x = e->x;
    memcpy(x->wait, value, x->lanes * sizeof *value);
    find_kappa(e, v, call);
    add_receive(e, m, value);
    add_kappa(e, x->wait, value);
    delay_by_kappa(e, arrival);
    raise_to(x, value, arrival);
    if (m->reduces)
        reduce(e, m->bytes, value);
}

/* Returns the number of calls made by V before this tree. */
static uint32_t calls_before(const struct evaluation *e, int32_t v)
{
    return e->together ? e->x->progress[v].calls : 0;
}

/* Returns the number of the call in which V sends to, or receives from, child K of N. */
static uint32_t call_of_child(const struct evaluation *e, const struct mpg_phase *phase, int32_t v, int32_t n, int32_t k)
{
    return calls_before(e, v) + (uint32_t)(phase->kind == MPG_PHASE_DOWN ? k + (v > 0) : n - 1 - k);
}

static uint32_t call_of_parent(const struct evaluation *e, const struct mpg_phase *phase, int32_t v)
{
    return calls_before(e, v) + (phase->kind == MPG_PHASE_DOWN ? 0 : (uint32_t)mpg_tree_children(&phase->tree, v));
}

/* Sends the eager message M of member V, whose time is VALUE, in V's call number CALL; writes the arrival into ARRIVAL. */
static void send_eager(struct evaluation *e, const struct mpg_message *m, int32_t v, uint32_t call, double *free_ns,
                       double *arrival, double *value)
{
    struct mpg_expansion *x = e->x;
    memcpy(x->wait, value, x->lanes * sizeof *value);
    transmit(e, m, value, free_ns, arrival);
    find_kappa(e, v, call);
    add_send(e, m, value);
    add_kappa(e, x->wait, value);
}

/* As send_eager() for a synchronous message whose receiver is ready at POSTED; writes the arrival into x->tau. */
static void send_synchronous(struct evaluation *e, const struct mpg_message *m, int32_t v, uint32_t call, double *free_ns,
                             const double *posted, double *value)
{
    meet(e, m, value, posted, free_ns);
    find_kappa(e, v, call);
    delay_by_kappa(e, value);
    delay_by_kappa(e, e->x->cost);
    raise_to(e->x, value, e->x->cost);
}

static void step_down(struct evaluation *e, const struct mpg_phase *phase, int32_t v,
                      const struct mpg_tree_values *values, double *free_ns)
{
    struct mpg_expansion *x = e->x;
    double *mine = values->value(values->data, v);
    if (v > 0) {
        struct mpg_message m = absolute(e, mpg_tree_message(e->plan, phase, v));
        if (!is_synchronous(e, &m)) /* a synchronous message was evaluated with the parent */
            receive(e, &m, v, call_of_parent(e, phase, v), values->message(values->data, v), mine);
    }
    int32_t n = mpg_tree_children(&phase->tree, v);
    for (int32_t k = 0; k < n; k++) {
        next(values);
        int32_t child = mpg_tree_child(&phase->tree, v, k);
        const uint32_t call = call_of_child(e, phase, v, n, k);
        struct mpg_message m = absolute(e, mpg_tree_message(e->plan, phase, child));
        if (!is_synchronous(e, &m)) {
            send_eager(e, &m, v, call, free_ns, values->message(values->data, child), mine);
            if (sends_weak(e, phase, &m, m.to))
                raise_to(x, mine, values->value(values->data, child));
            continue;
        }
        double *theirs = values->value(values->data, child);
        send_synchronous(e, &m, v, call, free_ns, theirs, mine);
        receive(e, &m, child, call_of_parent(e, phase, child), x->tau, theirs);
    }
}

static void step_up(struct evaluation *e, const struct mpg_phase *phase, int32_t v,
                    const struct mpg_tree_values *values, double *free_ns)
{
    struct mpg_expansion *x = e->x;
    double *mine = values->value(values->data, v);
    const int32_t n = mpg_tree_children(&phase->tree, v);
    for (int32_t k = n - 1; k >= 0; k--) {
        next(values);
        int32_t child = mpg_tree_child(&phase->tree, v, k);
        const uint32_t call = call_of_child(e, phase, v, n, k);
        struct mpg_message m = absolute(e, mpg_tree_message(e->plan, phase, child));
        if (!is_synchronous(e, &m)) {
            receive(e, &m, v, call, values->message(values->data, child), mine);
            continue;
        }
        double *theirs = values->value(values->data, child);
        send_synchronous(e, &m, child, call_of_parent(e, phase, child), of_member(x, FREE, child), mine, theirs);
        receive(e, &m, v, call, x->tau, mine);
    }
    if (v == 0)
        return;
    next(values);
    struct mpg_message m = absolute(e, mpg_tree_message(e->plan, phase, v));
    if (!is_synchronous(e, &m)) {
        send_eager(e, &m, v, call_of_parent(e, phase, v), free_ns, values->message(values->data, v), mine);
        if (sends_weak(e, phase, &m, m.from)) /* the parent has arrived, but is not evaluated yet */
            raise_to(x, mine, values->value(values->data, mpg_tree_parent(&phase->tree, v)));
    }
}

/* --- one phase of all members --- */

/* The values of all members, when evaluated together. */
struct together {
    const struct evaluation *e;
    double *value;
};

static double *value_of(void *data, int32_t v)
{
    const struct together *t = data;
    int64_t index = ((int64_t)v + t->e->plan->size.root) % t->e->plan->size.p;
    return t->value + (size_t)index * t->e->x->stride;
}

static double *message_of(void *data, int32_t v)
{
    const struct together *t = data;
    return of_member(t->e->x, ARRIVED, v);
}

static void run_tree(struct evaluation *e, const struct mpg_phase *phase, double *value)
{
    struct together all = {e, value};
    const struct mpg_tree_values values = {.data = &all, .value = value_of, .message = message_of};
    int32_t p = e->plan->size.p;
    for (int32_t i = 0; i < p; i++) {
        int32_t v = phase->kind == MPG_PHASE_DOWN ? i : p - 1 - i; /* parents first */
        double *free_ns = of_member(e->x, FREE, v);
        if (phase->kind == MPG_PHASE_DOWN)
            step_down(e, phase, v, &values, free_ns);
        else
            step_up(e, phase, v, &values, free_ns);
    }
    for (int32_t v = 0; v < p; v++)
        e->x->progress[v].calls += (uint32_t)mpg_tree_children(&phase->tree, v) + (v > 0);
}

/* Evaluates one message of a round in which all members send and receive simultaneously. */
static void exchange(struct evaluation *e, const struct mpg_message *relative,
                     struct together *all)
{
    struct mpg_expansion *x = e->x;
    const struct mpg_message m = absolute(e, *relative);
    const double *sent = value_of(all, relative->from), *posted = value_of(all, relative->to);
    double *free_ns = of_member(x, FREE, relative->from);
    double *other = of_member(x, OTHER, relative->to);
    if (is_synchronous(e, &m)) {
        meet(e, &m, sent, posted, free_ns);
        raise_to(x, of_member(x, OTHER, relative->from), x->cost);
        raise_to(x, other, x->tau);
    } else {
        transmit(e, &m, sent, free_ns, x->tau);
        raise_to(x, other, x->tau);
        add_send(e, &m, of_member(x, LOCAL, relative->from));
    }
    add_receive(e, &m, of_member(x, LOCAL, relative->to));
    if (m.reduces)
        x->progress[relative->to].reduced_bytes = m.bytes;
}

/* Advances V's value from the begin of V's call to the end: the later of LOCAL, the end of V's own work, and OTHER, the end of
 * V's waits. */
static void end_call(struct evaluation *e, int32_t v, struct together *all)
{
    double *value = value_of(all, v), *local = of_member(e->x, LOCAL, v), *other = of_member(e->x, OTHER, v);
    find_kappa(e, v, e->x->progress[v].calls++);
    add_kappa(e, value, local);
    delay_by_kappa(e, other);
    copy(e->x, value, local);
    raise_to(e->x, value, other);
}

static void begin_round(struct evaluation *e, int32_t v, struct together *all)
{
    copy(e->x, of_member(e->x, LOCAL, v), value_of(all, v));
    fill(of_member(e->x, OTHER, v), e->x->stride, -INFINITY);
    e->x->progress[v].in_round = true;
    e->x->progress[v].reduced_bytes = -1;
}

/* Ends the round of V, after a send or receive of V. A second call for the same round has no effect. */
static void end_round(struct evaluation *e, int32_t v, struct together *all)
{
    struct progress *progress = &e->x->progress[v];
    if (!progress->in_round)
        return;
    progress->in_round = false;
    end_call(e, v, all);
    if (progress->reduced_bytes >= 0)
        reduce(e, progress->reduced_bytes, value_of(all, v));
}

static void run_rounds(struct evaluation *e, const struct mpg_phase *phase, double *value)
{
    struct together all = {e, value};
    struct mpg_message m;
    for (uint32_t round = 0; round < phase->rounds; round++) {
        int32_t low, high;
        mpg_round_senders(e->plan, phase, round, &low, &high);
        for (int32_t v = low; v < high; v++)
            if (mpg_round_message(e->plan, phase, round, v, &m)) {
                begin_round(e, m.from, &all);
                begin_round(e, m.to, &all);
            }
        for (int32_t v = low; v < high; v++)
            if (mpg_round_message(e->plan, phase, round, v, &m))
                exchange(e, &m, &all);
        for (int32_t v = low; v < high; v++)
            if (mpg_round_message(e->plan, phase, round, v, &m)) {
                end_round(e, m.from, &all);
                end_round(e, m.to, &all);
            }
    }
}

/* Evaluates one message of a phase in which all messages are posted at once. */
static void post(struct evaluation *e, const struct mpg_message *relative, struct together *all)
{
    struct mpg_expansion *x = e->x;
    const struct mpg_message m = absolute(e, *relative);
    double *sending = of_member(x, LOCAL, relative->from);
    double *free_ns = of_member(x, FREE, relative->from);
    double *arrived = of_member(x, ARRIVED, relative->to);
    if (is_synchronous(e, &m)) {
        meet(e, &m, sending, value_of(all, relative->to), free_ns);
        raise_to(x, of_member(x, OTHER, relative->from), x->cost);
    } else
        transmit(e, &m, sending, free_ns, x->tau);
    add_send(e, &m, sending);
    add_receive(e, &m, of_member(x, COSTS, relative->to));
    add_costs(x, arrived); /* o_r, from add_receive() */
    raise_to(x, arrived, x->tau);
}

static void run_posted(struct evaluation *e, const struct mpg_phase *phase, double *value)
{
    struct together all = {e, value};
    struct mpg_expansion *x = e->x;
    int32_t p = e->plan->size.p;
    struct mpg_message m;
    size_t n = (size_t)p * x->stride;
    for (int32_t v = 0; v < p; v++)
        copy(x, of_member(x, LOCAL, v), value_of(&all, v));
    fill(x->space[OTHER], n, -INFINITY);
    fill(x->space[ARRIVED], n, -INFINITY);
    fill(x->space[COSTS], n, 0);
    for (uint32_t round = 0; round < phase->rounds; round++)
        for (int32_t v = 0; v < p; v++)
            if (mpg_round_message(e->plan, phase, round, v, &m))
                post(e, &m, &all);
    for (int32_t v = 0; v < p; v++) {
        double *own = of_member(x, LOCAL, v), *other = of_member(x, OTHER, v);
        double *costs = of_member(x, COSTS, v);
        for (uint32_t w = 0; w < x->lanes; w++)
            own[w] += costs[w];
        come_by(x, own, MPG_PROVENANCE_BASE, came(x, costs, MPG_PROVENANCE_BASE));
        raise_to(x, of_member(x, ARRIVED, v), other);
        copy(x, other, of_member(x, ARRIVED, v));
        end_call(e, v, &all);
    }
}

int mpg_expand(struct mpg_expansion *x, const struct mpg_plan *plan,
               const struct mpg_message_costs *costs, double *value, struct mpg_error *err)
{
    struct evaluation e = {x, plan, costs, true};
    if (reserve(x, plan->size.p, err) < 0)
        return -1;
    for (int32_t v = 0; v < plan->size.p; v++)
        x->progress[v].calls = 0;
    fill(x->space[FREE], (size_t)plan->size.p * x->stride, -INFINITY);
    for (int i = 0; i < plan->phases; i++) {
        const struct mpg_phase *phase = &plan->phase[i];
        if (phase->kind == MPG_PHASE_ROUNDS)
            run_rounds(&e, phase, value);
        else if (phase->kind == MPG_PHASE_POSTED)
            run_posted(&e, phase, value);
        else
            run_tree(&e, phase, value);
    }
    return 0;
}

int mpg_expand_member(struct mpg_expansion *x, const struct mpg_plan *plan,
                      const struct mpg_message_costs *costs, int32_t v,
                      const struct mpg_tree_values *values, struct mpg_error *err)
{
    struct evaluation e = {x, plan, costs, false};
    const struct mpg_phase *phase = &plan->phase[0];
    if (reserve(x, plan->size.p, err) < 0)
        return -1;
    double *free_ns = of_member(x, FREE, v);
    fill(free_ns, x->stride, -INFINITY);
    if (phase->kind == MPG_PHASE_DOWN) {
        step_down(&e, phase, v, values, free_ns);
        return 0;
    }
    for (int32_t k = mpg_tree_children(&phase->tree, v) - 1; k >= 0; k--)
        fill(of_member(x, FREE, mpg_tree_child(&phase->tree, v, k)), x->stride, -INFINITY);
    step_up(&e, phase, v, values, free_ns);
    return 0;
}
