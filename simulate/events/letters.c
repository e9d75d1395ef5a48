/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/events/letters.h"

#include <math.h>
#include <stdlib.h>

/* The messages of a collective of more members that posts all messages at once are no flows: the cost of rates grows with the
 * square of the number of flows. */
enum { MOST_POSTED = 128 };

/* Sets the members on each host if C posts too many messages for flows. */
static int count_on_hosts(const struct replica *rep, struct running_collective *c, struct mpg_error *err)
{
    const int32_t p = c->of->plan.size.p;
    bool posts = false;
    for (int i = 0; i < c->of->plan.phases; i++)
        posts = posts || c->of->plan.phase[i].kind == MPG_PHASE_POSTED;
    if (!posts || p <= MOST_POSTED || !rep->capacities)
        return 0;
    if (!(c->on_host = calloc((size_t)rep->capacities->hosts, sizeof *c->on_host)))
        return mpg_error_set(err, "out of memory");
    for (int32_t i = 0; i < p; i++)
        c->on_host[rep->capacities->host[c->of->world_ranks[i]]]++;
    return 0;
}

double mpg_letters_share_ns(const struct replica *rep, const struct running_collective *c, const struct mpg_message *m)
{
    double least_ns = 0;
    if (!c->on_host)
        return 0;
    const int32_t host[] = {rep->capacities->host[c->of->world_ranks[m->from]], rep->capacities->host[c->of->world_ranks[m->to]]};
    const enum mpg_resource of = host[0] == host[1] ? MPG_RESOURCE_MEMORY : MPG_RESOURCE_OUT;
    for (int i = 0; i < 2; i++) {
        const uint32_t k = c->on_host[host[i]];
        least_ns = fmax(least_ns, m->bytes * k / mpg_curve_capacity(mpg_host_curve(rep->capacities, of), k));
    }
    return least_ns;
}

struct running_collective *mpg_letters_collective(struct replica *rep, const struct mpg_step *s, struct mpg_error *err)
{
    const struct mpg_expanding *of = s->expanding;
    const int32_t p = of->plan.size.p;
    uint64_t *at = mpg_map_add(&rep->collectives, (uint64_t)(uintptr_t)of, 0);
    if (at && *at)
        return (struct running_collective *)(uintptr_t)*at;
    struct running_collective *c = at ? calloc(1, sizeof *c + (size_t)p * sizeof c->member[0]) : NULL;
    if (c)
        c->of = of;
    if (!c || !(c->ready = calloc((size_t)p, sizeof *c->ready)) || count_on_hosts(rep, c, err) < 0) {
        if (c)
            free(c->ready);
        free(c);
        mpg_map_remove(&rep->collectives, (uint64_t)(uintptr_t)of, 0);
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    c->costs = mpg_times_expanding_costs(&c->expanding, rep->times, s);
    if (rep->capacities) /* the measured collective shared, too */
        c->expanding.byte_scale = fmin(c->expanding.scale, 1);
    for (int32_t v = 0; v < p; v++) {
        c->member[v].free_ns = -INFINITY;
        c->member[v].entry_of = -1;
    }
    c->next = rep->first_collective;
    if (c->next)
        c->next->before = c;
    rep->first_collective = c;
    *at = (uint64_t)(uintptr_t)c;
    return c;
}

static void free_senders(struct running_collective *c, int phase)
{
    struct round_senders *s = &c->senders[phase];
    for (uint32_t i = 0; s->of && i < c->of->plan.phase[phase].rounds; i++)
        free(s->of[i]);
    free(s->of);
    s->of = NULL;
}

void mpg_letters_end(struct replica *rep, struct running_collective *c)
{
    if (c->next)
        c->next->before = c->before;
    *(c->before ? &c->before->next : &rep->first_collective) = c->next;
    mpg_map_remove(&rep->collectives, (uint64_t)(uintptr_t)c->of, 0);
    for (int phase = 0; phase < c->of->plan.phases; phase++)
        free_senders(c, phase);
    for (int32_t v = 0, p = c->of->plan.size.p; v < p; v++)
        if (c->member[v].node)
            mpg_events_program_drop_node(&rep->program, c->member[v].node);
    mpg_map_clear(&c->letters);
    free(c->ready);
    free(c->on_host);
    free(c);
}

void mpg_events_collectives_clear(struct replica *rep)
{
    while (rep->first_collective)
        mpg_letters_end(rep, rep->first_collective);
    mpg_map_clear(&rep->collectives);
    mpg_pool_clear(&rep->letters);
}

const int32_t *mpg_letters_senders(struct running_collective *c, int phase, uint32_t round, struct mpg_error *err)
{
    struct round_senders *s = &c->senders[phase];
    const struct mpg_phase *of = &c->of->plan.phase[phase];
    const int32_t p = c->of->plan.size.p;
    struct mpg_message m;
    int32_t low = 0, high = p;
    if (!s->of && !(s->of = calloc(of->rounds, sizeof *s->of))) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    if (s->of[round])
        return s->of[round];
    int32_t *sender = malloc((size_t)p * sizeof *sender);
    if (!sender) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    for (int32_t v = 0; v < p; v++)
        sender[v] = -1;
    if (of->kind == MPG_PHASE_ROUNDS)
        mpg_round_senders(&c->of->plan, of, round, &low, &high);
    for (int32_t v = low; v < high; v++)
        if (mpg_round_message(&c->of->plan, of, round, v, &m))
            sender[m.to] = v;
    return s->of[round] = sender;
}

void mpg_letters_pass(struct running_collective *c, int phase)
{
    if (++c->senders[phase].passed == c->of->plan.size.p)
        free_senders(c, phase);
}
