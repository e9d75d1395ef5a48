/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the messages of a plan, sorted by stages. */
#include "graph/algorithms/stages.h"

#include <stdlib.h>

/* A message of the plan. FROM_WAVE, TO_WAVE: the sender's and the receiver's stage, numbered for each member from 0. */
struct listed {
    int32_t from, to;
    uint32_t from_wave, to_wave;
    double bytes;
};

struct listing {
    const struct mpg_plan *plan;
    struct listed *message;
    uint32_t n, capacity;
    uint32_t *stages; /* number of stages of each member so far */
    uint64_t *turn;  /* number of the last turn in which each member took part */
    /* Number of turns so far. A turn is a set of messages started at once by members: for each participating member one stage. */
    uint64_t turns;
};

/* Notes that member V takes part in TURN. Returns the number, from 0, of V's stage for this turn. */
static uint32_t take_part(struct listing *l, int32_t v, uint64_t turn)
{
    if (l->turn[v] != turn) {
        l->turn[v] = turn;
        l->stages[v]++;
    }
    return l->stages[v] - 1;
}

static bool add(struct listing *l, int32_t from, uint32_t from_wave, int32_t to, uint32_t to_wave, double bytes)
{
    if (l->n == MPG_STAGE_MESSAGES_MAX)
        return false;
    if (l->n == l->capacity) {
        const uint32_t capacity = l->capacity ? 2 * l->capacity : 64;
        void *grown = realloc(l->message, capacity * sizeof *l->message);
        if (!grown)
            return false;
        l->message = grown;
        l->capacity = capacity;
    }
    l->message[l->n++] = (struct listed){from, to, from_wave, to_wave, bytes};
    return true;
}

/* Lists the messages of a phase of rounds. A round is a turn; all rounds of a POSTED phase are one turn. */
static bool list_rounds(struct listing *l, const struct mpg_phase *phase)
{
    const bool posted = phase->kind == MPG_PHASE_POSTED;
    for (uint32_t round = 0; round < phase->rounds; round++) {
        int32_t low = 0, high = l->plan->size.p;
        if (!posted)
            mpg_round_senders(l->plan, phase, round, &low, &high);
        l->turns += round == 0 || !posted;
        for (int32_t v = low; v < high; v++) {
            struct mpg_message m;
            if (!mpg_round_message(l->plan, phase, round, v, &m))
                continue;
            const uint32_t from = take_part(l, m.from, l->turns), to = take_part(l, m.to, l->turns);
            if (!add(l, m.from, from, m.to, to, m.bytes))
                return false;
        }
    }
    return true;
}

/* Lists the messages of a phase in a tree: each member's receives are one stage, each member's sends another. */
static bool list_tree(struct listing *l, const struct mpg_phase *phase)
{
    const bool down = phase->kind == MPG_PHASE_DOWN;
    const uint64_t receives = ++l->turns, sends = ++l->turns;
    const int32_t p = l->plan->size.p;
    /* A parent has a smaller number than the children: in this order, a message is listed after the messages that the sender
     * receives first. */
    for (int32_t i = 1; i < p; i++) {
        const int32_t v = down ? i : p - i;
        const struct mpg_message m = mpg_tree_message(l->plan, phase, v);
        const uint32_t from = take_part(l, m.from, sends), to = take_part(l, m.to, receives);
        if (!add(l, m.from, from, m.to, to, m.bytes))
            return false;
    }
    return true;
}

static bool list(struct listing *l)
{
    for (int i = 0; i < l->plan->phases; i++) {
        const struct mpg_phase *phase = &l->plan->phase[i];
        const bool rounds = phase->kind == MPG_PHASE_ROUNDS || phase->kind == MPG_PHASE_POSTED;
        if (!(rounds ? list_rounds : list_tree)(l, phase))
            return false;
    }
    return true;
}

/* PLACES[i + 1] is the number of messages of stage i, of N stages. Turns these numbers into the index of the first
 * message of each stage (prefix sums). */
static void add_up(uint32_t *places, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        places[i + 1] += places[i];
}

/* Lists message indices in ORDER by receiving stage, or sending stage if not RECEIVED (counting sort). BEGINS: for each
 * stage the index of its first entry in ORDER. */
static void sort(const struct mpg_stages *w, bool received, uint32_t *begins, uint32_t stages, uint32_t *order)
{
    for (uint32_t i = 0; i < w->message_number; i++)
        begins[(received ? w->message[i].to : w->message[i].from) + 1]++;
    add_up(begins, stages);
    for (uint32_t i = 0; i < w->message_number; i++)
        order[begins[received ? w->message[i].to : w->message[i].from]++] = i;
    for (uint32_t i = stages; i > 0; i--) /* each entry of BEGINS is now the begin of the next stage: moves the entries back */
        begins[i] = begins[i - 1];
    begins[0] = 0;
}

static struct mpg_stages *keep(const struct listing *l)
{
    const int32_t p = l->plan->size.p;
    struct mpg_stages *w = calloc(1, sizeof *w);
    if (!w || !(w->first = calloc((size_t)p + 1, sizeof *w->first)))
        goto fail;
    w->p = p;
    w->message_number = l->n;
    for (int32_t v = 0; v < p; v++)
        w->first[v + 1] = w->first[v] + l->stages[v];
    const size_t stages = w->first[p], room = stages + 1;
    w->member = calloc(room, sizeof *w->member);
    w->message = calloc((size_t)l->n + 1, sizeof *w->message);
    w->received = calloc((size_t)l->n + 1, sizeof *w->received);
    w->sent = calloc((size_t)l->n + 1, sizeof *w->sent);
    w->received_from = calloc(room, sizeof *w->received_from);
    w->sent_from = calloc(room, sizeof *w->sent_from);
    if (!w->member || !w->message || !w->received || !w->sent || !w->received_from || !w->sent_from)
        goto fail;
    for (int32_t v = 0; v < p; v++)
        for (uint32_t i = w->first[v]; i < w->first[v + 1]; i++)
            w->member[i] = v;
    for (uint32_t i = 0; i < l->n; i++) {
        const struct listed *m = &l->message[i];
        w->message[i] = (struct mpg_stage_message){w->first[m->from] + m->from_wave, w->first[m->to] + m->to_wave, m->bytes};
    }
    sort(w, true, w->received_from, (uint32_t)stages, w->received);
    sort(w, false, w->sent_from, (uint32_t)stages, w->sent);
    return w;
fail:
    mpg_stages_free(w);
    return NULL;
}

struct mpg_stages *mpg_stages_of(const struct mpg_plan *plan)
{
    const size_t p = (size_t)plan->size.p;
    struct listing l = {.plan = plan, .stages = calloc(p, sizeof *l.stages), .turn = calloc(p, sizeof *l.turn)};
    struct mpg_stages *stages = NULL;
    if (l.stages && l.turn && list(&l))
        stages = keep(&l);
    free(l.stages);
    free(l.turn);
    free(l.message);
    return stages;
}

void mpg_stages_free(struct mpg_stages *w)
{
    if (!w)
        return;
    free(w->first);
    free(w->member);
    free(w->message);
    free(w->received);
    free(w->received_from);
    free(w->sent);
    free(w->sent_from);
    free(w);
}
