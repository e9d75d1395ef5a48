/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts messages between ranks at the send. The messages of a collective follow from a plan, contained in one step of the
 * collective; equal collectives of a communicator are counted together. */
#include "analyse/messages/messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/walk.h"
#include "common/map.h"
#include "common/reserve.h"

/* Collectives with equal plan and equal members. */
struct equal_collectives {
    struct mpg_plan plan;
    const int32_t *world_ranks;
    uint64_t number;
};

struct counter {
    const struct mpg_message_options *options;
    struct mpg_messages *m;
    struct mpg_map pair; /* (sender, receiver) -> 1 + index of the pair in M */
    struct mpg_map by_plan; /* hash of plan and members -> 1 + index in EQUAL_COLLECTIVES */
    struct equal_collectives *equal_collectives;
    uint32_t pair_room, equal_capacity, equal_number;
};

static void add(struct mpg_message_sum *sum, uint64_t number, double bytes)
{
    sum->messages += number;
    sum->bytes += (double)number * bytes;
}

static int size_class(double bytes)
{
    int exponent;
    if (!(bytes >= 1))
        return 0;
    frexp(bytes, &exponent); /* bytes is in 2^(exponent-1) .. 2^exponent */
    return exponent < MPG_MESSAGE_CLASSES ? exponent : MPG_MESSAGE_CLASSES - 1;
}

/* Counts NUMBER messages of BYTES bytes each, from rank FROM to rank TO. Returns 0, or -1 with ERR: no memory. */
static int count(struct counter *c, int32_t from, int32_t to, uint64_t number, double bytes, struct mpg_error *err)
{
    struct mpg_messages *m = c->m;
    if (from < 0 || to < 0) /* a message to or from another job */
        return 0;
    uint64_t *place = mpg_map_add(&c->pair, (uint64_t)from, (uint64_t)to);
    if (!place)
        return mpg_error_set(err, "out of memory");
    if (*place == 0) {
        if (mpg_reserve_at(&m->pair, sizeof *m->pair, &c->pair_room, m->pairs + 1, err) < 0)
            return -1;
        m->pair[m->pairs++] = (struct mpg_message_pair){.from = from, .to = to};
        *place = m->pairs;
    }
    add(&m->pair[*place - 1].sum, number, bytes);
    add(&m->size[size_class(bytes)], number, bytes);
    add(&m->all, number, bytes);
    return 0;
}

/* ---- collectives ---- */

/* Counts MESSAGE, of L's plan, once for each collective in L. Returns 0, or -1 with ERR: no memory. */
static int count_planned(struct counter *c, const struct equal_collectives *l, const struct mpg_message *message,
                         struct mpg_error *err)
{
    const struct mpg_collective_size *size = &l->plan.size;
    const int32_t from = l->world_ranks[((int64_t)message->from + size->root) % size->p];
    const int32_t to = l->world_ranks[((int64_t)message->to + size->root) % size->p];
    if (from < 0 || to < 0)
        return 0;
    add(&c->m->collective[size->operation].sum, l->number, message->bytes);
    return c->options->with_collectives ? count(c, from, to, l->number, message->bytes, err) : 0;
}

static int count_tree(struct counter *c, const struct equal_collectives *l, const struct mpg_phase *phase, struct mpg_error *err)
{
    for (int32_t v = 1; v < l->plan.size.p; v++) {
        const struct mpg_message message = mpg_tree_message(&l->plan, phase, v);
        if (count_planned(c, l, &message, err) < 0)
            return -1;
    }
    return 0;
}

static int count_rounds(struct counter *c, const struct equal_collectives *l, const struct mpg_phase *phase,
                        struct mpg_error *err)
{
    for (uint32_t round = 0; round < phase->rounds; round++) {
        struct mpg_message message;
        int32_t low = 0, high = l->plan.size.p;
        if (phase->kind == MPG_PHASE_ROUNDS)
            mpg_round_senders(&l->plan, phase, round, &low, &high);
        for (int32_t v = low; v < high; v++)
            if (mpg_round_message(&l->plan, phase, round, v, &message) && count_planned(c, l, &message, err) < 0)
                return -1;
    }
    return 0;
}

static int count_equal(struct counter *c, const struct equal_collectives *l, struct mpg_error *err)
{
    c->m->collective[l->plan.size.operation].number += l->number;
    for (int i = 0; i < l->plan.phases; i++) {
        const struct mpg_phase *phase = &l->plan.phase[i];
        const bool is_tree = phase->kind == MPG_PHASE_DOWN || phase->kind == MPG_PHASE_UP;
        if ((is_tree ? count_tree : count_rounds)(c, l, phase, err) < 0)
            return -1;
    }
    return 0;
}

static bool is_equal(const struct equal_collectives *l, const struct mpg_expanding *x)
{
    const struct mpg_collective_size *a = &l->plan.size, *b = &x->plan.size;
    return l->world_ranks == x->world_ranks && a->operation == b->operation && a->p == b->p && a->root == b->root &&
           a->bytes == b->bytes;
}

/* Counts the messages of a collective, or adds the collective to the list of equal collectives. With different block sizes,
 * messages are counted at once, because the sizes are not kept. */
static int expand(struct counter *c, const struct mpg_expanding *x, struct mpg_error *err)
{
    const struct mpg_collective_size *size = &x->plan.size;
    struct equal_collectives one = {x->plan, x->world_ranks, 1};
    if (size->before)
        return count_equal(c, &one, err);
    uint64_t bits;
    memcpy(&bits, &size->bytes, sizeof bits);
    uint64_t *place = mpg_map_add(&c->by_plan, (uint64_t)(uintptr_t)x->world_ranks ^ (uint64_t)size->operation << 56,
                                  bits ^ (uint64_t)size->root << 1);
    if (!place)
        return mpg_error_set(err, "out of memory");
    if (*place > 0 && is_equal(&c->equal_collectives[*place - 1], x)) {
        c->equal_collectives[*place - 1].number++;
        return 0;
    }
    if (*place > 0) /* another plan has the same hash */
        return count_equal(c, &one, err);
    if (mpg_reserve_at(&c->equal_collectives, sizeof *c->equal_collectives, &c->equal_capacity, c->equal_number + 1, err) < 0)
        return -1;
    c->equal_collectives[c->equal_number++] = one;
    *place = c->equal_number;
    return 0;
}

/* ---- steps ---- */

static int take(struct counter *c, const struct mpg_step *s, struct mpg_error *err)
{
    const bool starts = s->kind == MPG_STEP_EAGER || (s->kind == MPG_STEP_STORE && s->sends);
    if (starts && mpg_call_category(s->call) != MPG_CATEGORY_SYNCHRONIZATION)
        return count(c, s->rank, s->receiver, 1, s->bytes, err);
    /* In a tree each member has a step; the root's step, member 0, counts all messages. */
    if (s->kind == MPG_STEP_EXPAND && s->member <= 0)
        return expand(c, s->expanding, err);
    return 0;
}

static int take_all(void *counter, const struct mpg_steps *steps, struct mpg_error *err)
{
    for (size_t i = 0; i < steps->n; i++)
        if (take(counter, &steps->step[i], err) < 0)
            return -1;
    return 0;
}

/* ---- all of it ---- */

static int compare_pairs(const void *a, const void *b)
{
    const struct mpg_message_pair *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

static int compare_bytes(const void *a, const void *b)
{
    const struct mpg_message_pair *x = a, *y = b;
    if (x->sum.bytes != y->sum.bytes)
        return x->sum.bytes < y->sum.bytes ? 1 : -1;
    if (x->sum.messages != y->sum.messages)
        return x->sum.messages < y->sum.messages ? 1 : -1;
    return compare_pairs(a, b);
}

void mpg_messages_sort(struct mpg_messages *m)
{
    if (m->pairs > 0)
        qsort(m->pair, m->pairs, sizeof *m->pair, compare_bytes);
}

static int pass(struct counter *c, struct mpg_trace *trace, const struct mpg_collective_table *table,
                const struct mpg_clock_map *clocks, struct mpg_error *err)
{
    const struct mpg_graph_options options = {.lenient = c->options->lenient,
                                              .eager_limit_bytes = INT64_MAX,
                                              .source_eager_limit_bytes = INT64_MAX,
                                              .expand = table};
    const struct mpg_walk walk = {.trace = trace,
                                  .clocks = clocks,
                                  .options = &options,
                                  .label = "counting messages",
                                  .take = take_all,
                                  .walker = c};
    struct mpg_graph_counts counts;
    if (mpg_walk(&walk, &counts, NULL, err) < 0)
        return mpg_error_add_trace_path(trace, err);
    for (uint32_t i = 0; i < c->equal_number; i++)
        if (count_equal(c, &c->equal_collectives[i], err) < 0)
            return -1;
    if (c->m->pairs > 0)
        qsort(c->m->pair, c->m->pairs, sizeof *c->m->pair, compare_pairs);
    c->m->transfers = counts.transfers;
    return 0;
}

int mpg_messages_find(struct mpg_trace *trace, const struct mpg_message_options *options,
                      struct mpg_messages *found, struct mpg_error *err)
{
    struct counter c = {.options = options, .m = found};
    *found = (struct mpg_messages){.ranks = mpg_trace_ranks(trace)};
    struct mpg_collective_table *table =
        options->table ? mpg_collective_table_read(options->table, err) : mpg_collective_table_default(err);
    struct mpg_clock_map *clocks = table ? mpg_clock_map_from_trace(trace, err) : NULL;
    const int status = clocks ? pass(&c, trace, table, clocks, err) : -1;
    mpg_map_clear(&c.pair);
    mpg_map_clear(&c.by_plan);
    free(c.equal_collectives);
    mpg_clock_map_free(clocks);
    mpg_collective_table_free(table);
    return status;
}

void mpg_messages_clear(struct mpg_messages *m)
{
    free(m->pair);
    m->pair = NULL;
    m->pairs = 0;
}
