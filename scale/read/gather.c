/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scale/read/gather.h"

#include <stdlib.h>
#include <string.h>

#include "trace/profile/format.h"

/* The nodes of both trees to which the costs of a call at a site are added: first the nodes by address, then the nodes by
 * line. */
struct chain {
    uint32_t *node;
    size_t address_number, line_number;
};

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

static bool wants(const struct scale_gather *g, enum scale_by by)
{
    return g->how->by == by || (g->how->by == SCALE_BY_ANY && g->how->unit == SCALE_UNIT_CALLSITE) ||
           (g->how->by == SCALE_BY_ANY && by == SCALE_BY_ADDRESS);
}

int mpg_scale_gather_init(struct scale_gather *g, const struct scale_reading *how, struct mpg_error *err)
{
    *g = (struct scale_gather){.how = how, .names = mpg_scale_frame_names_new(how->debug_path, err)};
    g->address.ranks = g->line.ranks = how->ranks;
    return g->names ? 0 : -1;
}

static void forget_file(struct scale_gather *g)
{
    for (size_t i = 0; i < g->chain_number; i++)
        free(g->chains[i].node);
    g->chain_number = 0;
    mpg_map_clear(&g->index);
}

int mpg_scale_gather_begin(struct scale_gather *g, const struct stat_callsites *source, struct mpg_error *err)
{
    forget_file(g);
    mpg_scale_frame_names_begin(g->names, source);
    return mpg_scale_tree_begin(&g->address) < 0 || mpg_scale_tree_begin(&g->line) < 0 ? out_of_memory(err) : 0;
}

/* ---- sites of a row ---- */

/* Finds the nodes of TREE for CALL with the N frames KEY, adding missing ones, and stores their indices in NODE.
 * Returns the number of nodes; -1 if memory is out. */
static int64_t add_nodes(const struct scale_gather *g, struct scale_tree *tree, enum mpg_call call,
                         const struct scale_frame_key *key, size_t n, uint32_t *node)
{
    const bool all = g->how->frames == SCALE_FRAMES_AUTO;
    int64_t at = SCALE_NO_SITE;
    size_t added = 0;
    for (size_t i = 0; i < n; i++) {
        at = mpg_scale_tree_find(tree, at, call, &key[i]);
        if (at < 0)
            return -1;
        if (all || i + 1 == n) {
            tree->nodes[at].used = true;
            node[added++] = (uint32_t)at;
        }
    }
    return (int64_t)added;
}

/* Stands for the end of a call stack: keeps the costs of stacks that end here apart from the costs of stacks with further
 * callers. */
static const struct scale_frame_key end_of_stack = {.key = SCALE_END_KEY, .text = ""};

static int make_chain(struct scale_gather *g, enum mpg_call call, const struct scale_frames *frames,
                      const struct scale_frame_key *only, struct chain *chain)
{
    struct scale_frame_key key[SCALE_MAX_FRAMES + 1];
    const int max = g->how->frames == SCALE_FRAMES_AUTO ? SCALE_AUTO_DEPTH : g->how->frames;
    uint32_t node[2 * SCALE_MAX_FRAMES + 2];
    int64_t count[2] = {0, 0};
    for (int by = 0; by < 2; by++) {
        size_t n = 0;
        if (!wants(g, by == 0 ? SCALE_BY_ADDRESS : SCALE_BY_LINE))
            continue;
        if (only)
            key[n++] = *only;
        for (int i = 0; frames && i < frames->n; i++) {
            const struct scale_frame *f = &frames->frame[i];
            key[n++] = (struct scale_frame_key){by == 0 ? f->address : f->text, f->text, f->function, f->file, f->line};
        }
        if (frames && g->how->frames == SCALE_FRAMES_AUTO && frames->n < max)
            key[n++] = end_of_stack;
        count[by] = add_nodes(g, by == 0 ? &g->address : &g->line, call, key, n, node + count[0]);
        if (count[by] < 0)
            return -1;
    }
    *chain = (struct chain){.address_number = (size_t)count[0], .line_number = (size_t)count[1]};
    chain->node = malloc((size_t)(count[0] + count[1]) * sizeof *node + 1);
    if (!chain->node)
        return -1;
    memcpy(chain->node, node, (size_t)(count[0] + count[1]) * sizeof *node);
    return 0;
}

static int find_chain(struct scale_gather *g, enum mpg_call call, int32_t site, const char *region, struct chain *chain,
                      struct mpg_error *err)
{
    struct scale_frame_key only = {.key = "", .text = ""};
    const int max = g->how->frames == SCALE_FRAMES_AUTO ? SCALE_AUTO_DEPTH : g->how->frames;
    if (g->how->unit == SCALE_UNIT_CALLSITE && site >= 0) {
        struct scale_frames frames;
        int status = mpg_scale_frame_names_find(g->names, site, max, &frames, err);
        if (status == 0 && frames.n > 0 && make_chain(g, call, &frames, NULL, chain) < 0)
            status = out_of_memory(err);
        const bool done = status < 0 || frames.n > 0;
        mpg_scale_frames_clear(&frames);
        if (done)
            return status;
    }
    if (g->how->unit == SCALE_UNIT_REGION)
        only.text = only.key = region ? region : "(no region)";
    else if (g->how->unit == SCALE_UNIT_CALLSITE)
        only.text = only.key = site == MPG_OTHER_SITES ? "(other callsites)" : "unknown";
    return make_chain(g, g->how->unit == SCALE_UNIT_REGION ? MPG_CALL_COUNT : call, NULL, &only, chain) < 0
               ? out_of_memory(err)
               : 0;
}

/* Makes room for one more chain. */
static int reserve_chain(struct scale_gather *g)
{
    if (g->chain_number < g->chain_capacity)
        return 0;
    const size_t more = g->chain_capacity ? 2 * g->chain_capacity : 64;
    struct chain *grown = realloc(g->chains, more * sizeof *grown);
    if (!grown)
        return -1;
    g->chains = grown;
    g->chain_capacity = more;
    return 0;
}

int64_t mpg_scale_gather_find(struct scale_gather *g, enum mpg_call call, int32_t site, int32_t region,
                              const char *region_name, struct mpg_error *err)
{
    const bool regions = g->how->unit == SCALE_UNIT_REGION;
    uint64_t *at = regions ? mpg_map_add(&g->index, UINT64_MAX, (uint64_t)(int64_t)region)
                           : mpg_map_add(&g->index, call, (uint64_t)(int64_t)site);
    if (!at)
        return out_of_memory(err);
    if (*at)
        return (int64_t)*at - 1;
    if (reserve_chain(g) < 0)
        return out_of_memory(err);
    if (find_chain(g, call, site, region_name, &g->chains[g->chain_number], err) < 0)
        return -1;
    *at = ++g->chain_number;
    return (int64_t)*at - 1;
}

enum { ALL_COMPUTATION = -2 /* used in place of the region's number */ };

int64_t mpg_scale_gather_find_computation(struct scale_gather *g, int32_t region, const char *name,
                                          struct mpg_error *err)
{
    const char *text = name ? name : "(all computation)";
    const struct scale_frame_key only = {.key = text, .text = text};
    uint64_t *at = mpg_map_add(&g->index, UINT64_MAX, (uint64_t)(int64_t)(name ? region : ALL_COMPUTATION));
    if (!at)
        return out_of_memory(err);
    if (*at)
        return (int64_t)*at - 1;
    if (reserve_chain(g) < 0 || make_chain(g, MPG_CALL_COUNT, NULL, &only, &g->chains[g->chain_number]) < 0)
        return out_of_memory(err);
    *at = ++g->chain_number;
    return (int64_t)*at - 1;
}

/* ---- sums ---- */

int mpg_scale_gather_add(struct scale_gather *g, int64_t chain, const struct scale_sum *sum, struct mpg_error *err)
{
    const struct chain *c = &g->chains[chain];
    return mpg_scale_tree_add(&g->address, c->node, c->address_number, sum) < 0 ||
                   mpg_scale_tree_add(&g->line, c->node + c->address_number, c->line_number, sum) < 0
               ? out_of_memory(err)
               : 0;
}

/* Returns the index of the counter whose name is the first LENGTH bytes of NAME; SCALE_COUNTERS: too many counters; -1: memory
 * is out. */
static int64_t find_counter(struct scale_gather *g, const char *name, size_t length)
{
    for (size_t i = 0; i < g->counter_number; i++)
        if (strlen(g->counter_names[i]) == length && memcmp(g->counter_names[i], name, length) == 0)
            return (int64_t)i;
    if (g->counter_number == SCALE_COUNTERS)
        return SCALE_COUNTERS;
    g->counter_names[g->counter_number] = strndup(name, length);
    return g->counter_names[g->counter_number] ? (int64_t)g->counter_number++ : -1;
}

int mpg_scale_gather_count(struct scale_gather *g, int64_t chain, const char *names, const int64_t *values, size_t n,
                           struct mpg_error *err)
{
    const struct chain *c = &g->chains[chain];
    for (size_t i = 0; names && i < n; i++) {
        names += strspn(names, " ");
        const size_t length = strcspn(names, " ");
        if (length == 0)
            break;
        const int64_t counter = find_counter(g, names, length);
        const double value = (double)values[i];
        if (counter < 0 || mpg_scale_tree_count(&g->address, c->node, c->address_number, (size_t)counter, value) < 0 ||
            mpg_scale_tree_count(&g->line, c->node + c->address_number, c->line_number, (size_t)counter, value) < 0)
            return out_of_memory(err);
        names += length;
    }
    return 0;
}

void mpg_scale_gather_end_rank(struct scale_gather *g, int32_t rank)
{
    mpg_scale_tree_end_rank(&g->address, rank);
    mpg_scale_tree_end_rank(&g->line, rank);
}

void mpg_scale_gather_know_waits(struct scale_gather *g)
{
    mpg_scale_tree_know_waits(&g->address);
    mpg_scale_tree_know_waits(&g->line);
}

void mpg_scale_gather_wait(struct scale_gather *g, int64_t chain, double wait_ns)
{
    const struct chain *c = &g->chains[chain];
    mpg_scale_tree_wait(&g->address, c->node, c->address_number, wait_ns);
    mpg_scale_tree_wait(&g->line, c->node + c->address_number, c->line_number, wait_ns);
}

void mpg_scale_gather_drop(struct scale_gather *g)
{
    mpg_scale_tree_drop(&g->address);
    mpg_scale_tree_drop(&g->line);
}

void mpg_scale_gather_clear(struct scale_gather *g)
{
    forget_file(g);
    free(g->chains);
    mpg_scale_tree_clear(&g->address);
    mpg_scale_tree_clear(&g->line);
    for (size_t i = 0; i < g->counter_number; i++)
        free(g->counter_names[i]);
    mpg_scale_frame_names_free(g->names);
}
