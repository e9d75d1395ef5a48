/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of wait states, and results. */
#include "analyse/waits_private.h"

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
    sum->off_cpu_ns += more->off_cpu_ns;
    if (more->waited == 0)
        return;
    for (int i = 0; i < MPG_WAIT_KINDS; i++)
        sum->wait_ns[i] += more->wait_ns[i];
    if (sum->for_ns > 0 && more->for_rank == sum->for_rank)
        sum->for_ns += more->for_ns;
    else if (more->for_ns > sum->for_ns) {
        sum->for_rank = more->for_rank;
        sum->for_ns = more->for_ns;
    }
}

double mpg_wait_all(const struct mpg_wait_sum *sum)
{
    double all_ns = 0;
    for (int i = 0; i < MPG_WAIT_KINDS; i++)
        all_ns += sum->wait_ns[i];
    return all_ns;
}

/* ---- adding waits to rows ---- */

static enum mpg_category category_of(const struct mpg_step *s)
{
    for (int m = 0; m < MPG_CATEGORIES; m++)
        if (s->completed & 1u << m)
            return (enum mpg_category)m;
    return mpg_call_category(s->call);
}

static struct mpg_wait_sum *find_site(struct mpg_waits *w, const struct mpg_call_site *place,
                                      struct mpg_error *err)
{
    uint64_t *index = mpg_map_add(&w->site_index, place->site, place->call);
    if (!index) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    if (*index == 0) {
        if (mpg_reserve_at(&w->site, sizeof *w->site, &w->site_capacity, w->sites + 1, err) < 0)
            return NULL;
        w->site[w->sites] = (struct waits_site){.place = *place};
        *index = ++w->sites;
    }
    return &w->site[*index - 1].sum;
}

static struct mpg_wait_sum *find_region(struct mpg_waits *w, int32_t name, struct mpg_error *err)
{
    const uint32_t count = (uint32_t)(name + 2);
    if (mpg_reserve_at(&w->region, sizeof *w->region, &w->region_capacity, count, err) < 0)
        return NULL;
    for (; w->regions < count; w->regions++)
        w->region[w->regions] = (struct mpg_wait_sum){.calls = 0};
    return &w->region[name + 1];
}

/* Groups of sums. For each sum, the waiting time is also summed by the rank waited for. */
enum group { OF_SITE, OF_REGION, OF_RANK, OF_CALL };

/* Adds WAIT_NS, spent waiting for FOR_RANK, to the waiting time by rank of SUM, element INDEX of GROUP; updates the rank in SUM
 * waited for longest. Returns 0, or -1 with ERR: no memory. */
static int blame(struct mpg_waits *w, struct mpg_wait_sum *sum, enum group group, uint32_t index, int32_t for_rank,
                 double wait_ns, struct mpg_error *err)
{
    uint64_t *bits = mpg_map_add(&w->causes, (uint64_t)group << 32 | index, (uint64_t)for_rank);
    double all_ns;
    if (!bits)
        return mpg_error_set(err, "out of memory");
    memcpy(&all_ns, bits, sizeof all_ns); /* the bits of a new entry, 0, represent 0.0 */
    all_ns += wait_ns;
    memcpy(bits, &all_ns, sizeof all_ns);
    if (all_ns > sum->for_ns) {
        sum->for_rank = for_rank;
        sum->for_ns = all_ns;
    }
    return 0;
}

int mpg_waits_count(struct mpg_waits *w, const struct mpg_step *s, const struct mpg_wait_sum *one, int32_t for_rank,
                    struct mpg_error *err)
{
    const struct waits_stream *stream = &w->stream[s->stream];
    const struct mpg_call_site place = {s->call, stream->place.site};
    struct mpg_wait_sum *site = find_site(w, &place, err);
    struct mpg_wait_sum *region = site ? find_region(w, stream->region, err) : NULL;
    if (!region)
        return -1;
    mpg_wait_add(site, one);
    mpg_wait_add(region, one);
    mpg_wait_add(&w->rank[s->rank], one);
    mpg_wait_add(&w->call[s->call], one);
    mpg_wait_add(&w->category[category_of(s)], one);
    if (for_rank < 0)
        return 0;
    const double wait_ns = mpg_wait_all(one);
    const uint32_t index = (uint32_t)*mpg_map_find(&w->site_index, place.site, place.call);
    return blame(w, site, OF_SITE, index, for_rank, wait_ns, err) < 0 ||
                   blame(w, region, OF_REGION, (uint32_t)(stream->region + 1), for_rank, wait_ns, err) < 0 ||
                   blame(w, &w->rank[s->rank], OF_RANK, (uint32_t)s->rank, for_rank, wait_ns, err) < 0 ||
                   blame(w, &w->call[s->call], OF_CALL, (uint32_t)s->call, for_rank, wait_ns, err) < 0
               ? -1
               : 0;
}

/* ---- results ---- */

double mpg_waits_run(const struct mpg_waits *w, int32_t rank)
{
    return w->run_ns[rank];
}

struct mpg_wait_sum mpg_waits_of_category(const struct mpg_waits *w, enum mpg_category category)
{
    return w->category[category];
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

struct mpg_call_site mpg_waits_site(const struct mpg_waits *w, size_t i)
{
    return w->site[i].place;
}

struct mpg_wait_sum mpg_waits_of_site(const struct mpg_waits *w, size_t i)
{
    return w->site[i].sum;
}
