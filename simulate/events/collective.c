/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/events/collective.h"

#include <math.h>
#include <stdlib.h>

#include "simulate/events/costs.h"
#include "simulate/events/letters.h"
#include "simulate/events/network.h"

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

/* --- members --- */

static void be_ready(struct running_collective *c, int32_t v)
{
    c->ready[c->readies++] = v;
}

/* An event awaited by V's call has happened. */
static void happened(struct running_collective *c, int32_t v)
{
    if (--c->member[v].missing == 0)
        be_ready(c, v);
}

/* Returns the index of member V. */
static int32_t index_of(const struct running_collective *c, int32_t v)
{
    return (int32_t)(((int64_t)v + c->of->plan.size.root) % c->of->plan.size.p);
}

static const struct mpg_phase *phase_of(const struct running_collective *c, const struct running_member *x)
{
    return &c->of->plan.phase[x->phase];
}

/* --- messages --- */

/* L is in the network from now on, or arrives at once. */
static int launch(struct replica *rep, struct letter *l, struct mpg_error *err)
{
    struct running_collective *c = l->collective;
    const struct mpg_message_costs *costs = &c->costs;
    double lambda_ns, tau_ns, waiting_ns, overhead_ns, begin_ns, part = 1;
    const double share_ns = mpg_letters_share_ns(rep, c, &l->m);
    costs->flight(costs->data, &l->m, &lambda_ns, &tau_ns);
    const double delay_ns = fmax(share_ns - tau_ns, 0);
    if (l->synchronous) {
        begin_ns = fmax(l->sent_ns + lambda_ns, l->posted_ns);
        l->arrival_ns = begin_ns + tau_ns;
        const bool known = costs->waiting(costs->data, &l->m, &waiting_ns);
        l->done_ns = known ? begin_ns + fmax(waiting_ns - lambda_ns, 0) : l->arrival_ns;
        part = known && !costs->answers ? mpg_sent_part(waiting_ns, lambda_ns, tau_ns) : 1;
    } else {
        costs->send(costs->data, &l->m, &overhead_ns);
        begin_ns = l->sent_ns + fmin(overhead_ns, lambda_ns);
        l->arrival_ns = l->sent_ns + lambda_ns + tau_ns;
    }
    if (share_ns > 0) {
        rep->shared.messages++;
        rep->shared.delayed += delay_ns > 0;
        rep->shared.delay_ns += delay_ns;
        return mpg_events_collective_arrive(rep, l, delay_ns, err);
    }
    const struct network_letter to_carry = {.letter = l, .from = c->of->world_ranks[l->m.from], .to = c->of->world_ranks[l->m.to],
                                            .bytes = l->m.bytes, .latency_ns = lambda_ns, .tau_ns = tau_ns,
                                            .synchronous = l->synchronous, .part = part};
    return mpg_events_network_send_letter(rep, &to_carry, begin_ns, err);
}

static void end_send(struct letter *l, double delay_ns)
{
    l->done_ns += delay_ns;
    l->sender_is_done = true;
    happened(l->collective, l->from);
}

/* L has arrived: the receiver, and the sender of a synchronous message, wait for L no longer. */
static void arrived(struct letter *l, double delay_ns)
{
    l->arrival_ns += delay_ns;
    l->has_arrived = true;
    if (l->is_posted)
        happened(l->collective, l->to);
    if (l->synchronous && !l->sender_is_done)
        end_send(l, delay_ns);
}

/* Finds or makes the message M between members relative to the root. */
static struct letter *letter_of(struct replica *rep, struct running_collective *c, const struct mpg_message *m,
                                struct mpg_error *err)
{
    uint64_t *at = mpg_map_add(&c->letters, (uint64_t)m->from << 32 | (uint32_t)m->to, m->round);
    if (at && *at)
        return (struct letter *)(uintptr_t)*at;
    struct letter *l = at ? mpg_pool_take(&rep->letters) : NULL;
    if (!l) {
        out_of_memory(err);
        return NULL;
    }
    *l = (struct letter){.collective = c, .m = *m, .from = m->from, .to = m->to, .ends = 2,
                         .synchronous = m->bytes > c->costs.eager_limit_bytes};
    l->m.from = index_of(c, m->from);
    l->m.to = index_of(c, m->to);
    *at = (uint64_t)(uintptr_t)l;
    return l;
}

/* The call at one end of L has ended. */
static void end_letter(struct replica *rep, struct letter *l)
{
    if (--l->ends > 0)
        return;
    mpg_map_remove(&l->collective->letters, (uint64_t)l->from << 32 | (uint32_t)l->to, l->m.round);
    mpg_pool_give(&rep->letters, l);
}

/* --- calls begin --- */

/* Member M->from, whose own work in the call has advanced to *OWN_NS, sends M. */
static int send(struct replica *rep, struct running_collective *c, const struct mpg_message *m, double *own_ns,
                struct mpg_error *err)
{
    struct running_member *x = &c->member[m->from];
    struct letter *l = letter_of(rep, c, m, err);
    double overhead_ns;
    if (!l)
        return -1;
    *x->sent_end = l;
    x->sent_end = &l->next_sent;
    l->sent_ns = fmax(*own_ns, x->free_ns);
    x->free_ns = l->sent_ns + fmax(c->costs.gap(c->costs.data, &l->m), mpg_letters_share_ns(rep, c, &l->m));
    l->is_sent = true;
    if (!l->synchronous || phase_of(c, x)->kind == MPG_PHASE_POSTED) { /* a blocking synchronous send has no overhead */
        c->costs.send(c->costs.data, &l->m, &overhead_ns);
        *own_ns += overhead_ns;
    }
    x->missing += l->synchronous;
    return l->synchronous && !l->is_posted ? 0 : launch(rep, l, err);
}

/* Member M->to posts a receive of M; LAST points to the end of the member's list of messages, and is moved. */
static int post(struct replica *rep, struct running_collective *c, const struct mpg_message *m, struct letter ***last,
                struct mpg_error *err)
{
    struct running_member *x = &c->member[m->to];
    struct letter *l = letter_of(rep, c, m, err);
    if (!l)
        return -1;
    **last = l;
    *last = &l->next_received;
    l->posted_ns = x->at_ns;
    l->is_posted = true;
    x->missing += !l->has_arrived;
    return l->synchronous && l->is_sent ? launch(rep, l, err) : 0;
}

/* A send of V to OTHER waits, by weak progress, until OTHER has entered. */
static void await_entry(struct running_collective *c, int32_t v, int32_t other)
{
    c->member[v].entry_of = other;
    if (!c->member[other].entered) {
        c->member[v].missing++;
        c->member[v].awaits_entry = true;
    }
}

/* Whether an eager send between child V and its parent waits until the receiver has entered (weak progress). */
static bool sends_weakly(const struct running_collective *c, const struct running_member *x, const struct mpg_message *m,
                         int32_t v)
{
    return x->phase == 0 && m->bytes <= c->costs.eager_limit_bytes && m->bytes > c->costs.weak_bytes &&
           !(c->costs.elsewhere && c->costs.elsewhere[index_of(c, v)]);
}

/* Begins call number x->place of V in a tree. Returns 1; 0: V has made all of its calls; -1 with ERR. */
static int call_in_tree(struct replica *rep, struct running_collective *c, int32_t v, double *own_ns,
                        struct mpg_error *err)
{
    struct running_member *x = &c->member[v];
    const struct mpg_phase *phase = phase_of(c, x);
    const bool down = phase->kind == MPG_PHASE_DOWN;
    const uint32_t children = (uint32_t)mpg_tree_children(&phase->tree, v), k = x->place - (down && v > 0);
    struct letter **received = &x->received;
    struct mpg_message m;
    if (x->place >= children + (v > 0))
        return 0;
    if (v > 0 && x->place == (down ? 0 : children)) {
        m = mpg_tree_message(&c->of->plan, phase, v);
        if (!down && sends_weakly(c, x, &m, v))
            await_entry(c, v, mpg_tree_parent(&phase->tree, v));
        return (down ? post(rep, c, &m, &received, err) : send(rep, c, &m, own_ns, err)) < 0 ? -1 : 1;
    }
    const int32_t child = mpg_tree_child(&phase->tree, v, (int32_t)(down ? k : children - 1 - k));
    m = mpg_tree_message(&c->of->plan, phase, child);
    if (down && sends_weakly(c, x, &m, child))
        await_entry(c, v, child);
    return (down ? send(rep, c, &m, own_ns, err) : post(rep, c, &m, &received, err)) < 0 ? -1 : 1;
}

/* Sends and posts the messages of V in ROUND. *RECEIVED: the end of V's list of received messages, which is moved. Returns
 * how many; -1 with ERR. */
static int exchange(struct replica *rep, struct running_collective *c, int32_t v, uint32_t round, struct letter ***received,
                    double *own_ns, struct mpg_error *err)
{
    const struct mpg_phase *phase = phase_of(c, &c->member[v]);
    const int32_t *sender = mpg_letters_senders(c, c->member[v].phase, round, err);
    struct mpg_message m;
    int n = 0;
    if (!sender)
        return -1;
    if (mpg_round_message(&c->of->plan, phase, round, v, &m) && ++n > 0 && send(rep, c, &m, own_ns, err) < 0)
        return -1;
    if (sender[v] < 0)
        return n;
    (void)mpg_round_message(&c->of->plan, phase, round, sender[v], &m);
    return post(rep, c, &m, received, err) < 0 ? -1 : n + 1;
}

/* Begins V's next call. Returns 1; 0: V has made all calls of the phase; -1 with ERR. */
static int begin_call(struct replica *rep, struct running_collective *c, int32_t v, struct mpg_error *err)
{
    struct running_member *x = &c->member[v];
    const struct mpg_phase *phase = phase_of(c, x);
    struct letter **received = &x->received;
    x->own_ns = x->at_ns;
    x->sent_end = &x->sent;
    if (phase->kind == MPG_PHASE_DOWN || phase->kind == MPG_PHASE_UP)
        return call_in_tree(rep, c, v, &x->own_ns, err);
    if (phase->kind == MPG_PHASE_POSTED) {
        for (uint32_t round = 0; round < phase->rounds && x->place == 0; round++)
            if (exchange(rep, c, v, round, &received, &x->own_ns, err) < 0)
                return -1;
        return x->place == 0;
    }
    for (; x->place < phase->rounds; x->place++) {
        const int n = exchange(rep, c, v, x->place, &received, &x->own_ns, err);
        if (n != 0)
            return n < 0 ? -1 : 1;
    }
    return 0;
}

/* --- calls end --- */

/* Returns when the last message of V's call has arrived, with the overheads of messages received after it, and adds all of
 * these overheads to *OWN_NS. *REDUCE_NS: the time of the arithmetic. */
static double receive(struct running_collective *c, const struct running_member *x, double *own_ns, double *reduce_ns)
{
    double arrival_ns = -INFINITY, overhead_ns;
    const bool posted = phase_of(c, x)->kind == MPG_PHASE_POSTED;
    *reduce_ns = 0;
    for (const struct letter *l = x->received; l; l = l->next_received) {
        c->costs.receive(c->costs.data, &l->m, &overhead_ns);
        *own_ns += overhead_ns;
        arrival_ns = fmax(posted ? arrival_ns + overhead_ns : arrival_ns, l->arrival_ns);
        if (l->m.reduces && !posted && c->costs.reduce)
            c->costs.reduce(c->costs.data, l->m.bytes, reduce_ns);
    }
    return arrival_ns;
}

/* Ends the call of V, all of whose messages have arrived. */
static void end_call(struct replica *rep, struct running_collective *c, int32_t v)
{
    struct running_member *x = &c->member[v];
    double kappa_ns = 0, reduce_ns, own_ns = x->own_ns, other_ns = receive(c, x, &own_ns, &reduce_ns);
    if (c->costs.call)
        c->costs.call(c->costs.data, index_of(c, v), x->calls, &kappa_ns);
    x->calls++;
    for (struct letter *l = x->sent, *next; l; l = next) {
        next = l->next_sent;
        other_ns = l->synchronous ? fmax(other_ns, l->done_ns) : other_ns;
        end_letter(rep, l);
    }
    for (struct letter *l = x->received, *next; l; l = next) {
        next = l->next_received;
        end_letter(rep, l);
    }
    x->at_ns = fmax(fmax(x->at_ns, own_ns + kappa_ns), other_ns + fmax(kappa_ns, 0)) + reduce_ns;
    if (x->entry_of >= 0)
        x->at_ns = fmax(x->at_ns, c->member[x->entry_of].enter_ns);
    x->sent = x->received = NULL;
    x->entry_of = -1;
    x->place++;
}

/* --- the collective --- */

/* V leaves C at V's time. */
static int leave(struct replica *rep, struct running_collective *c, int32_t v, struct mpg_error *err)
{
    const uint32_t slot = c->of->member[index_of(c, v)].slot;
    *mpg_times_slot(rep->times, slot, MPG_SLOT_TIME) = c->member[v].at_ns;
    c->left++;
    return mpg_events_program_set_known(&rep->program, &rep->program.slot[slot].left, &rep->calls, err);
}

/* Member V is ready to go on: ends V's call, and begins calls until a call has to wait. */
static int advance(struct replica *rep, struct running_collective *c, int32_t v, struct mpg_error *err)
{
    struct running_member *x = &c->member[v];
    if (x->calling)
        end_call(rep, c, v);
    x->calling = false;
    while (x->phase < c->of->plan.phases) {
        x->missing = 1; /* the begin of the call: V is not ready before it */
        const int began = begin_call(rep, c, v, err);
        if (began < 0)
            return -1;
        if (--x->missing > 0) {
            x->calling = true;
            return 0;
        }
        if (began > 0) {
            end_call(rep, c, v);
            continue;
        }
        mpg_letters_pass(c, x->phase);
        x->phase++;
        x->place = 0;
    }
    return leave(rep, c, v, err);
}

/* Lets all members that are ready go on; frees C when all have left. */
static int go_on(struct replica *rep, struct running_collective *c, struct mpg_error *err)
{
    if (c->runs) /* called because a value became known: the caller of this function goes on */
        return 0;
    c->runs = true;
    while (c->readies > 0)
        if (advance(rep, c, c->ready[--c->readies], err) < 0)
            return -1;
    c->runs = false;
    if (c->left == c->of->plan.size.p)
        mpg_letters_end(rep, c);
    return 0;
}

/* The entry of V ends the waits of all sends waiting for the entry. */
static void entered(struct running_collective *c, int32_t v)
{
    const struct mpg_phase *phase = &c->of->plan.phase[0];
    if (c->of->plan.phases == 0 || (phase->kind != MPG_PHASE_DOWN && phase->kind != MPG_PHASE_UP))
        return;
    const int32_t children = mpg_tree_children(&phase->tree, v);
    for (int32_t k = v > 0 ? -1 : 0; k < children; k++) {
        const int32_t other = k < 0 ? mpg_tree_parent(&phase->tree, v) : mpg_tree_child(&phase->tree, v, k);
        struct running_member *x = &c->member[other];
        if (!x->awaits_entry || x->entry_of != v)
            continue;
        x->awaits_entry = false;
        happened(c, other);
    }
}

int mpg_events_collective_enter(struct replica *rep, struct node *node, struct mpg_error *err)
{
    struct running_collective *c = mpg_letters_collective(rep, node->step, err);
    if (!c) {
        mpg_events_program_drop_node(&rep->program, node);
        return -1;
    }
    const int32_t v = node->member;
    struct running_member *x = &c->member[v];
    x->node = node;
    x->entered = true;
    x->at_ns = x->enter_ns = *mpg_times_slot(rep->times, c->of->member[index_of(c, v)].slot, MPG_SLOT_TIME);
    be_ready(c, v);
    entered(c, v);
    return go_on(rep, c, err);
}

int mpg_events_collective_sent(struct replica *rep, struct letter *l, double delay_ns, struct mpg_error *err)
{
    struct running_collective *c = l->collective;
    end_send(l, delay_ns);
    return go_on(rep, c, err);
}

int mpg_events_collective_arrive(struct replica *rep, struct letter *l, double delay_ns, struct mpg_error *err)
{
    struct running_collective *c = l->collective;
    arrived(l, delay_ns);
    return go_on(rep, c, err);
}
