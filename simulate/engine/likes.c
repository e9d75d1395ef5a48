/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups of intervals, and pools of those groups that are too small to have ranks. */
#include "simulate/engine/likes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/map.h"

enum { LEAST_ALIKE = 8 };

struct group {
    int32_t rank;
    uint32_t calls;          /* both of them, in one number */
    struct mpg_sketch whole; /* of the intervals */
    struct mpg_sketch cpu;   /* of their CPU time, where that is recorded */
};

struct list {
    struct mpg_map index; /* place in the list + 1 */
    size_t n, capacity;
    struct group *group;
};

/* The noise of one of the source's cores. */
struct core {
    double time_ns, cpu_ns; /* of the intervals that were spent on it */
    bool no_cpu;            /* of some, CPU time is not recorded */
    bool uses_cpu;
    double lost; /* the part of what is alike that noise takes */
};

struct mpg_likes {
    const struct mpg_perturbation *p;
    struct list groups, pools;
    struct core *core;
    bool prefers_cpu;
};

struct mpg_likes *mpg_likes_new(const struct mpg_perturbation *p, struct mpg_error *err)
{
    struct mpg_likes *l = calloc(1, sizeof *l);
    if (l) {
        l->p = p;
        l->core = calloc(p->source_noise.cores, sizeof *l->core);
    }
    if (l && l->core)
        return l;
    free(l);
    mpg_error_set(err, "out of memory");
    return NULL;
}

static void clear_list(struct list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        mpg_sketch_clear(&list->group[i].whole);
        mpg_sketch_clear(&list->group[i].cpu);
    }
    free(list->group);
    mpg_map_clear(&list->index);
}

void mpg_likes_free(struct mpg_likes *l)
{
    if (!l)
        return;
    clear_list(&l->groups);
    clear_list(&l->pools);
    free(l->core);
    free(l);
}

static uint64_t rank_and_calls(int32_t rank, uint32_t calls)
{
    return (uint64_t)(uint32_t)rank << 32 | calls;
}

static uint32_t calls_of(const struct mpg_step *s)
{
    return (uint32_t)s->from.call << 16 | (uint32_t)s->to.call;
}

static uint64_t sites_of(const struct mpg_step *s)
{
    return (uint64_t)s->from.site << 32 | s->to.site;
}

static struct group *add_group(struct list *list, int32_t rank, uint32_t calls, uint64_t sites,
                               struct mpg_error *err)
{
    uint64_t *place = mpg_map_add(&list->index, rank_and_calls(rank, calls), sites);
    if (place && *place == 0) {
        if (list->n == list->capacity) {
            size_t capacity = list->capacity ? 2 * list->capacity : 64;
            void *grown = realloc(list->group, capacity * sizeof *list->group);
            if (!grown)
                goto fail;
            list->group = grown;
            list->capacity = capacity;
        }
        struct group *group = &list->group[list->n++];
        group->rank = rank;
        group->calls = calls;
        mpg_sketch_init(&group->whole);
        mpg_sketch_init(&group->cpu);
        *place = list->n;
    }
    if (place)
        return &list->group[*place - 1];
fail:
    mpg_error_set(err, "out of memory");
    return NULL;
}

static uint32_t core_of(const struct mpg_likes *l, int32_t rank)
{
    return mpg_machine_seat_of(&l->p->source_noise, rank).core;
}

/* CPU clocks are coarser than the intervals' clock. */
static double cpu_ns(const struct mpg_step *s)
{
    return (double)(s->cpu_ns < s->interval_ns ? s->cpu_ns : s->interval_ns);
}

int mpg_likes_add(struct mpg_likes *l, const struct mpg_step *s, struct mpg_error *err)
{
    if (s->kind != MPG_STEP_ENTER)
        return 0;
    struct core *core = &l->core[core_of(l, s->rank)];
    struct group *group = add_group(&l->groups, s->rank, calls_of(s), sites_of(s), err);
    if (!group || mpg_sketch_add(&group->whole, (double)s->interval_ns, err) < 0)
        return -1;
    core->time_ns += (double)s->interval_ns;
    if (s->cpu_ns < 0) {
        core->no_cpu = true;
        return 0;
    }
    core->cpu_ns += cpu_ns(s);
    return core->no_cpu ? 0 : mpg_sketch_add(&group->cpu, cpu_ns(s), err);
}

/* --- as bytes --- */

void mpg_likes_forget(struct mpg_likes *l)
{
    clear_list(&l->groups);
    l->groups = (struct list){.n = 0};
    memset(l->core, 0, l->p->source_noise.cores * sizeof *l->core);
}

enum { GROUP_BYTES = 80 }; /* with two empty sketches */

void mpg_likes_key(struct mpg_bytes *key, const struct mpg_likes *l, int32_t ranks)
{
    uint64_t cores = 0;
    for (int32_t r = 0; r < ranks; r++) {
        cores = (cores ^ core_of(l, r)) * 0x9e3779b97f4a7c15u;
        cores ^= cores >> 32;
    }
    mpg_bytes_put_u64(key, MPG_CALL_COUNT);
    mpg_bytes_put_u64(key, l->p->source_noise.cores);
    mpg_bytes_put_u64(key, cores);
}

/* Where the two callsites of a group are, numbers from 1, of which 0 is none. */
static const uint64_t *sites_of_groups(const struct mpg_likes *l)
{
    uint64_t *sites = calloc(l->groups.n + 1, sizeof *sites);
    for (size_t i = 0; sites && i < l->groups.index.capacity; i++)
        if (l->groups.index.entries[i].used)
            sites[l->groups.index.entries[i].value - 1] = l->groups.index.entries[i].key[1];
    return sites;
}

void mpg_likes_put(struct mpg_bytes *bytes, const struct mpg_likes *l,
                   const struct mpg_trace *trace)
{
    const uint64_t *sites = sites_of_groups(l);
    bytes->failed = bytes->failed || !sites;
    mpg_trace_put_sites(trace, bytes);
    for (size_t i = 0; i < l->p->source_noise.cores; i++) {
        mpg_bytes_put_double(bytes, l->core[i].time_ns);
        mpg_bytes_put_double(bytes, l->core[i].cpu_ns);
        mpg_bytes_put_u64(bytes, l->core[i].no_cpu);
    }
    mpg_bytes_put_u64(bytes, l->groups.n);
    for (size_t i = 0; sites && i < l->groups.n; i++) {
        const struct group *group = &l->groups.group[i];
        mpg_bytes_put_u64(bytes, (uint64_t)group->rank);
        mpg_bytes_put_u64(bytes, group->calls);
        mpg_bytes_put_u64(bytes, sites[i] >> 32);
        mpg_bytes_put_u64(bytes, (uint32_t)sites[i]);
        mpg_sketch_put(bytes, &group->whole);
        mpg_sketch_put(bytes, &group->cpu);
    }
    free((void *)(uintptr_t)sites);
}

/* The number now of the callsite that was SITE of N. */
static uint64_t site_now(struct mpg_bytes_left *left, const int32_t *now, size_t n)
{
    const uint64_t site = mpg_bytes_get_below(left, n + 1);
    return site == 0 ? 0 : (uint64_t)now[site - 1] + 1;
}

static int get_group(struct mpg_bytes_left *left, struct mpg_likes *l, int32_t ranks,
                     const int32_t *now, size_t sites)
{
    const int32_t rank = (int32_t)mpg_bytes_get_below(left, (uint64_t)ranks);
    const uint32_t calls = (uint32_t)mpg_bytes_get_below(left, UINT32_MAX);
    const uint64_t from = site_now(left, now, sites), to = site_now(left, now, sites);
    const size_t known = l->groups.n;
    struct mpg_error err;
    struct group *group =
        left->failed ? NULL : add_group(&l->groups, rank, calls, from << 32 | to, &err);
    if (!group || l->groups.n == known) /* there twice */
        return -1;
    return mpg_sketch_get(left, &group->whole) < 0 ? -1 : mpg_sketch_get(left, &group->cpu);
}

int mpg_likes_get(struct mpg_bytes_left *left, struct mpg_likes *l, struct mpg_trace *trace)
{
    size_t sites;
    int32_t *now = mpg_trace_get_sites(trace, left, &sites);
    if (!now)
        return -1;
    for (size_t i = 0; i < l->p->source_noise.cores; i++) {
        l->core[i].time_ns = mpg_bytes_get_double(left);
        l->core[i].cpu_ns = mpg_bytes_get_double(left);
        l->core[i].no_cpu = mpg_bytes_get_below(left, 2);
    }
    int status = 0;
    for (size_t n = mpg_bytes_get_number(left, GROUP_BYTES); status == 0 && n > 0; n--)
        status = get_group(left, l, mpg_trace_ranks(trace), now, sites);
    free(now);
    return left->failed ? -1 : status;
}

/* --- once all is gathered --- */

void mpg_likes_prefer_cpu(struct mpg_likes *l)
{
    l->prefers_cpu = true;
}

/* Whether what CORE's CPU time lacks can be noise, all of which loses LOST; else intervals
 * held waiting for something. */
static bool can_use_cpu(const struct core *core, double lost)
{
    return !core->no_cpu && core->time_ns > 0 &&
           core->time_ns - core->cpu_ns <= lost * core->time_ns;
}

/* Which of its two sketches GROUP is judged by. */
static struct mpg_sketch *sketch_of(const struct mpg_likes *l, struct group *group)
{
    return l->core[core_of(l, group->rank)].uses_cpu ? &group->cpu : &group->whole;
}

static int pool_small(struct mpg_likes *l, struct mpg_error *err)
{
    for (size_t i = 0; i < l->groups.n; i++) {
        struct group *group = &l->groups.group[i], *pool;
        if (sketch_of(l, group)->n >= LEAST_ALIKE)
            continue;
        if (!(pool = add_group(&l->pools, group->rank, group->calls, 0, err)) ||
            mpg_sketch_merge(sketch_of(l, pool), sketch_of(l, group), err) < 0)
            return -1;
    }
    return 0;
}

/* Finds what noise took from the groups of LIST that are large enough: nothing where there was no time. */
static int finish_groups(const struct mpg_likes *l, struct list *list, struct mpg_losses **losses,
                         struct mpg_error *err)
{
    for (size_t i = 0; i < list->n; i++) {
        struct group *group = &list->group[i];
        struct mpg_sketch *sketch = sketch_of(l, group);
        mpg_sketch_clear(sketch == &group->cpu ? &group->whole : &group->cpu);
        struct mpg_losses *of_core = losses[core_of(l, group->rank)];
        if (sketch->n >= LEAST_ALIKE && of_core && mpg_sketch_finish(sketch, of_core, err) < 0)
            return -1;
    }
    return 0;
}

/* What each core's noise does to work, without what its CPU clock has seen. */
static int find_losses(struct mpg_likes *l, struct mpg_losses **losses, struct mpg_error *err)
{
    const struct mpg_machine *source = &l->p->source_noise;
    for (size_t i = 0; i < source->cores; i++) {
        struct core *core = &l->core[i];
        double seen = 0;
        if (!(core->time_ns > 0)) /* nobody is there */
            continue;
        const double lost = l->prefers_cpu ? 1 : mpg_resampled_lost(&source->resampled[i], NULL);
        core->uses_cpu = can_use_cpu(core, lost);
        if (core->uses_cpu)
            seen = 1 - core->cpu_ns / core->time_ns;
        if (!(losses[i] = mpg_losses_new(source->replay[i], seen, err)))
            return -1;
        core->lost = mpg_losses_fraction(losses[i]);
    }
    return 0;
}

int mpg_likes_finish(struct mpg_likes *l, struct mpg_error *err)
{
    size_t cores = l->p->source_noise.cores;
    struct mpg_losses **losses = calloc(cores, sizeof *losses);
    if (!losses)
        return mpg_error_set(err, "out of memory");
    int status = find_losses(l, losses, err);
    if (status == 0)
        status = pool_small(l, err);
    if (status == 0)
        status = finish_groups(l, &l->groups, losses, err);
    if (status == 0)
        status = finish_groups(l, &l->pools, losses, err);
    for (size_t i = 0; i < cores; i++)
        mpg_losses_free(losses[i]);
    free(losses);
    return status;
}

enum mpg_cpu_use mpg_likes_cpu(const struct mpg_likes *l)
{
    bool used = false, unused = false;
    for (size_t i = 0; i < l->p->source_noise.cores; i++) {
        used = used || l->core[i].uses_cpu;
        unused = unused || (l->core[i].time_ns > 0 && !l->core[i].uses_cpu);
    }
    return !used ? MPG_CPU_NONE : unused ? MPG_CPU_SOME : MPG_CPU_ALL;
}

/* The sketch of GROUP number PLACE - 1 of LIST that ranks can be told by, or NULL. */
static const struct mpg_sketch *find_sketch(const struct mpg_likes *l, const struct list *list,
                                            int32_t rank, uint32_t calls, uint64_t sites)
{
    const uint64_t *place = mpg_map_find(&list->index, rank_and_calls(rank, calls), sites);
    const struct mpg_sketch *sketch = place ? sketch_of(l, &list->group[*place - 1]) : NULL;
    return sketch && sketch->n >= LEAST_ALIKE ? sketch : NULL;
}

void mpg_likes_find(const struct mpg_likes *l, const struct mpg_step *s, struct mpg_interval *x)
{
    const struct core *core = &l->core[core_of(l, s->rank)];
    x->likes = find_sketch(l, &l->groups, s->rank, calls_of(s), sites_of(s));
    if (!x->likes)
        x->likes = find_sketch(l, &l->pools, s->rank, calls_of(s), 0);
    x->alike_ns = core->uses_cpu ? cpu_ns(s) : (double)s->interval_ns;
    x->lost = core->lost;
}
