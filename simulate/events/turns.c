/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Round-robin turns as a single event. While all ready ranks of a processor compute, each rank runs for a quantum in turn, and
 * nothing else happens on the processor. A single event represents all rounds; a rank becoming ready earlier interrupts the
 * rounds at the current turn. The run time of a replica hence does not grow with the ratio of work to quantum. */
#include <float.h>
#include <math.h>

#include "simulate/events/replica.h"

/* The length of a turn, ns: the quantum, and the switch if several ranks take turns. */
static double turn_ns(const struct replica *rep, const struct processor *p)
{
    return rep->parameters->quantum_ns + (p->n > 0 ? rep->parameters->switch_ns : 0);
}

/* The I-th rank of a round: the queue in order, then the holder of the processor. */
static int32_t member(const struct processor *p, int32_t i)
{
    return i < p->n ? p->queue[(p->first + i) % p->capacity] : p->holder;
}

int mpg_events_turns_begin(struct replica *rep, struct processor *p, double *end_ns)
{
    const double quantum_ns = rep->parameters->quantum_ns;
    double rounds = INFINITY;
    for (int32_t i = 0; i <= p->n; i++) {
        const struct rank *r = &rep->rank[member(p, i)];
        if (r->left_ns <= 0)
            return 0;
        rounds = fmin(rounds, ceil(r->left_ns / quantum_ns) - 1);
    }
    if (!(rounds >= 1))
        return 0;
    p->rounds = rounds;
    p->since_ns = rep->now_ns;
    *end_ns = rep->now_ns + rounds * (p->n + 1) * turn_ns(rep, p);
    return 1;
}

/* Counts WORK_NS of R's work as done. The rest stays positive, since the end of the work is an event. */
static void work(struct rank *r, double work_ns)
{
    r->left_ns = fmax(r->left_ns - work_ns, DBL_MIN);
}

/* Updates the ranks of P after ROUNDS rounds. */
static void take_rounds(struct replica *rep, struct processor *p, double rounds)
{
    const double each_ns = turn_ns(rep, p), quantum_ns = rep->parameters->quantum_ns, round_ns = (p->n + 1) * each_ns;
    for (int32_t i = 0; i <= p->n && rounds > 0; i++) {
        struct rank *r = &rep->rank[member(p, i)];
        const double ready_ns = i < p->n ? r->ready_ns : p->since_ns;
        work(r, rounds * quantum_ns);
        r->use[USE_PROCESSOR] += p->since_ns + (i + 1) * each_ns - quantum_ns - ready_ns + (rounds - 1) * (round_ns - quantum_ns);
        r->ready_ns = p->since_ns + (rounds - 1) * round_ns + (i + 1) * each_ns;
    }
    p->since_ns += rounds * round_ns;
}

void mpg_events_turns_end(struct replica *rep, struct processor *p)
{
    take_rounds(rep, p, p->rounds);
    p->rounds = 0;
}

/* Returns whether an event of RANK's stream at the present time was due before the event being handled: of events at one
 * time the lowest stream comes first. */
static bool has_gone(const struct replica *rep, int32_t rank)
{
    return rep->latest.kind == EVENT_STREAM && (uint32_t)rank < rep->latest.id;
}

/* Updates P after the first N turns of a round begun by the holder; the next rank has run since BEGIN_NS. */
static int take_turns(struct replica *rep, struct processor *p, int32_t n, double begin_ns, struct mpg_error *err)
{
    const double each_ns = turn_ns(rep, p), quantum_ns = rep->parameters->quantum_ns;
    int32_t before = p->holder;
    rep->rank[before].holds = false;
    rep->rank[before].queued = true;
    rep->rank[before].ready_ns = p->since_ns;
    rep->stream[before].state = STREAM_READY;
    rep->stream[before].turn++; /* the end of all rounds is void */
    p->queue[(p->first + p->n++) % p->capacity] = before;
    for (int32_t i = 0;; i++) {
        const int32_t rank = p->queue[p->first];
        struct rank *r = &rep->rank[rank];
        p->first = (p->first + 1) % p->capacity;
        p->n--;
        p->last = before;
        p->holder = rank;
        r->queued = false;
        r->holds = true;
        if (i == n)
            break;
        r->use[USE_PROCESSOR] += p->since_ns + (i + 1) * each_ns - quantum_ns - r->ready_ns;
        work(r, quantum_ns);
        r->ready_ns = p->since_ns + (i + 1) * each_ns;
        r->holds = false;
        r->queued = true;
        p->queue[(p->first + p->n++) % p->capacity] = before = rank;
    }
    struct rank *r = &rep->rank[p->holder];
    const double granted_ns = begin_ns + each_ns - quantum_ns;
    r->switching = p->n > 0 && (granted_ns > rep->now_ns || (granted_ns == rep->now_ns && rep->latest.kind <= EVENT_GRANT));
    if (r->switching)
        return mpg_events_push(&rep->heap, (struct event){.at_ns = granted_ns, .kind = EVENT_GRANT, .id = (uint32_t)p->holder},
                               err);
    r->use[USE_PROCESSOR] += granted_ns - r->ready_ns;
    work(r, quantum_ns);
    rep->stream[p->holder].state = STREAM_WORKS;
    return mpg_events_replica_schedule(rep, (uint32_t)p->holder, begin_ns + each_ns, err);
}

int mpg_events_turns_interrupt(struct replica *rep, struct processor *p, struct mpg_error *err)
{
    const double each_ns = turn_ns(rep, p);
    const int32_t members = p->n + 1;
    /* Turns ended by now; a turn ending exactly now may still be open. */
    double turns = floor((rep->now_ns - p->since_ns) / each_ns);
    if (p->since_ns + turns * each_ns > rep->now_ns)
        turns--;
    int32_t n = (int32_t)fmod(turns, members);
    if (turns > 0 && p->since_ns + turns * each_ns >= rep->now_ns &&
        (turns >= p->rounds * members || !has_gone(rep, member(p, (n + members - 1) % members))))
        turns--;
    turns = fmax(fmin(turns, p->rounds * members - 1), 0);
    const double rounds = floor(turns / members);
    n = (int32_t)(turns - rounds * members);
    take_rounds(rep, p, rounds);
    p->rounds = 0;
    return take_turns(rep, p, n, p->since_ns + n * each_ns, err);
}
