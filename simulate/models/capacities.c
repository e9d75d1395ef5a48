/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/models/capacities.h"

#include <stdlib.h>

#include "simulate/models/placement.h"

/* A port has a bucket if one-way times save more than the fraction FASTER of a message of some size, and at most 1 / LARGEST of
 * the largest message. */
static const double FASTER = 0.1, LARGEST = 4;
/* The part of an opposite message that remains when the measured message begins. */
static const double REMAINING = 0.75;
/* Shares of this time: more than WAITS: messages wait for opposite messages of their pair; less than NO_QUEUE: nothing was in the
 * queue; more than WHOLE_QUEUE: all bytes are in the queue. */
static const double WAITS = 0.5, NO_QUEUE = 0.1, WHOLE_QUEUE = 0.8;

/* Least ratio of the rates of two messages at once: of a lead that is as long as a message, one message waited for the other. */
static const double LEAST_RATIO = 0.05;

static int set_constant(struct mpg_capacity_curve *curve, double bytes_per_s, struct mpg_error *err)
{
    if (bytes_per_s <= 0)
        return 0;
    if (!(curve->of = malloc(sizeof *curve->of)))
        return mpg_error_set(err, "out of memory");
    curve->of[0] = bytes_per_s / 1e9;
    curve->n = 1;
    return 0;
}

static int set_links(struct mpg_capacities *c, const struct mpg_parameters *p, struct mpg_error *err)
{
    if (p->link_levels == 0)
        return 0;
    c->layout = p->layout;
    const uint32_t n = mpg_layout_links(&p->layout);
    if (!(c->link = malloc((n + 1) * sizeof *c->link)))
        return mpg_error_set(err, "out of memory");
    for (; c->links < n; c->links++)
        c->link[c->links] = p->link_bytes_per_s[p->link_levels > 1 ? mpg_layout_level(&p->layout, c->links) : 0] / 1e9;
    if (mpg_parameters_have_background(p))
        c->background = p;
    return 0;
}

static int add_queue(struct mpg_capacities *c, double size_bytes, double bytes, struct mpg_error *err)
{
    struct mpg_port_queue *grown = realloc(c->queue, (c->queues + 1) * sizeof *grown);
    if (!grown)
        return mpg_error_set(err, "out of memory");
    c->queue = grown;
    grown[c->queues++] = (struct mpg_port_queue){size_bytes, bytes};
    return 0;
}

int mpg_capacities_of_parameters(struct mpg_capacities *c, const struct mpg_parameters *p,
                                 const struct mpg_processors *processors, struct mpg_error *err)
{
    if (!(c->host = calloc((size_t)processors->ranks, sizeof *c->host)))
        return mpg_error_set(err, "out of memory");
    for (int32_t r = 0; r < processors->ranks; r++) {
        c->host[r] = processors->host[r];
        c->hosts = c->host[r] < c->hosts ? c->hosts : c->host[r] + 1;
    }
    c->bucket = p->port_bytes_per_s > 0 ? p->port_bucket_bytes : 0;
    if (p->port_bytes_per_s > 0 && p->port_queue_bytes > 0 && add_queue(c, 0, p->port_queue_bytes, err) < 0)
        return -1;
    c->opposite_bytes[MPG_RESOURCE_OUT] = c->opposite_bytes[MPG_RESOURCE_MEMORY] = p->opposite_bytes;
    const int status = set_constant(&c->port, p->port_bytes_per_s, err);
    if (status < 0 || set_links(c, p, err) < 0)
        return -1;
    return set_constant(&c->memory, p->memory_bytes_per_s, err);
}

const struct mpg_capacities *mpg_capacities_of_replica(const struct mpg_capacities *c, uint64_t seed, uint32_t replica,
                                                       struct mpg_capacities *of, struct mpg_error *err)
{
    if (!c->background)
        return c;
    *of = *c;
    if (!(of->link = malloc((c->links + 1) * sizeof *of->link))) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    struct mpg_address address = {.seed = seed, .purpose = MPG_DRAW_BYTE};
    for (; address.call < c->links; address.call++)
        of->link[address.call] =
            c->link[address.call] * (1 - mpg_parameter_draw(c->background, MPG_BACKGROUND, &address, replica));
    return of;
}

uint32_t mpg_capacities_most_crossed(const struct mpg_capacities *c)
{
    return 2 + (c->links > 0 ? mpg_layout_longest(&c->layout) : 0);
}

uint32_t mpg_capacities_crossed(const struct mpg_capacities *c, int32_t a, int32_t b, uint32_t *number)
{
    const uint32_t from = (uint32_t)c->host[a] * MPG_RESOURCES, to = (uint32_t)c->host[b] * MPG_RESOURCES;
    uint32_t n = 1;
    number[0] = from + (from == to ? MPG_RESOURCE_MEMORY : MPG_RESOURCE_OUT);
    if (from == to)
        return 1;
    if (c->links > 0) {
        n += mpg_layout_route(&c->layout, c->host[a], c->host[b], number + 1);
        for (uint32_t i = 1; i < n; i++)
            number[i] += (uint32_t)c->hosts * MPG_RESOURCES;
    }
    number[n] = to + MPG_RESOURCE_IN;
    return n + 1;
}

static int set_curve(struct mpg_capacity_curve *curve, const struct mpg_signature *sig, enum mpg_path_class path,
                     double byte_factor, struct mpg_error *err)
{
    const int pairs = mpg_signature_capacity_pairs(sig, path), n = pairs > 2 ? pairs : 2;
    if (pairs == 0 || byte_factor <= 0)
        return 0;
    if (!(curve->of = malloc((size_t)n * sizeof *curve->of)))
        return mpg_error_set(err, "out of memory");
    curve->n = (uint32_t)n;
    curve->of[0] = INFINITY;
    for (int k = 2; k <= n; k++)
        curve->of[k - 1] = mpg_signature_capacity(sig, path, k) / byte_factor / 1e9;
    return 0;
}

/* Returns the bucket of the ports of SIG: the bytes that the measured one-way times save against a stream of CAPACITY_PER_S. */
static double find_bucket(const struct mpg_signature *sig, double capacity_per_s)
{
    const struct mpg_network_path *path = mpg_signature_path(sig, MPG_PATH_BETWEEN);
    double bucket = 0, saved = 0, least_ns, size = 0;
    if (!path || path->latency.n < 2 || isinf(capacity_per_s))
        return 0;
    least_ns = mpg_distribution_quantile(path->latency.size[0].time_ns, 0.5);
    for (size_t i = 1; i < path->latency.n; i++) {
        size = (double)path->latency.size[i].size_bytes;
        saved = size - (mpg_distribution_quantile(path->latency.size[i].time_ns, 0.5) - least_ns) * capacity_per_s / 1e9;
        if (saved > FASTER * size)
            bucket = fmax(bucket, saved);
    }
    return saved <= size / LARGEST ? bucket : 0;
}

/* Returns the one-way time of SIZE_BYTES on PATH, median, linear between measured sizes and beyond the last two. */
static double one_way_ns(const struct mpg_network_path *path, double size_bytes)
{
    const struct mpg_network_sizes *l = &path->latency;
    size_t i = 1;
    while (i + 1 < l->n && (double)l->size[i].size_bytes < size_bytes)
        i++;
    const double low = (double)l->size[i - 1].size_bytes, high = (double)l->size[i].size_bytes;
    const double low_ns = mpg_distribution_quantile(l->size[i - 1].time_ns, 0.5);
    return low_ns + (mpg_distribution_quantile(l->size[i].time_ns, 0.5) - low_ns) * (size_bytes - low) / (high - low);
}

/* Returns the share of the first message's remaining time for which the message of P waited. */
static double waited_share(const struct mpg_network_path *path, const struct mpg_sharing_point *p)
{
    const double alone_ns = one_way_ns(path, (double)p->size_bytes);
    return (1e9 * (double)p->size_bytes / mpg_distribution_quantile(p->value, 0.5) / alone_ns - 1) / REMAINING;
}

/* Returns the size from which messages of a pair of ranks wait for opposite messages of this pair: above the largest measured
 * size that passes. 0: the largest measured size passes, or none was measured. */
static double find_opposite(const struct mpg_signature *sig, enum mpg_path_class class)
{
    const struct mpg_network_path *path = mpg_signature_path(sig, class);
    double passes_bytes = 0;
    bool waits = false;
    for (size_t i = 0; path && path->latency.n > 1 && i < sig->opposites; i++) {
        const struct mpg_sharing_point *p = &sig->opposite[i];
        if (p->path != class || p->pairs != 1)
            continue;
        waits = waited_share(path, p) > WAITS;
        if (!waits)
            passes_bytes = (double)p->size_bytes;
    }
    return waits ? passes_bytes + 1 : 0;
}

/* Finds the bytes ahead of a request in the queue of a port, by size: those that pass while a message of another pair waits. */
static int find_queue(struct mpg_capacities *c, const struct mpg_signature *sig, struct mpg_error *err)
{
    const struct mpg_network_path *path = mpg_signature_path(sig, MPG_PATH_BETWEEN);
    for (size_t i = 0; path && path->latency.n > 1 && i < sig->opposites; i++) {
        const struct mpg_sharing_point *p = &sig->opposite[i];
        if (p->path != MPG_PATH_BETWEEN || p->pairs != 2)
            continue;
        const double share = waited_share(path, p), size_bytes = (double)p->size_bytes;
        const double bytes = share < NO_QUEUE ? 0 : share > WHOLE_QUEUE ? INFINITY : share * REMAINING * size_bytes;
        if (add_queue(c, size_bytes, bytes, err) < 0)
            return -1;
    }
    return 0;
}

/* Finds the leads of messages on PATH. */
static void find_leads(struct mpg_leads *leads, const struct mpg_signature *sig, enum mpg_path_class path)
{
    size_t first = 0, n = 0;
    while (first < sig->leads && sig->lead[first].path != path)
        first++;
    while (first + n < sig->leads && sig->lead[first + n].path == path)
        n++;
    const double rate = mpg_signature_capacity(sig, path, 1) / 1e9;
    if (n > 0 && isfinite(rate))
        *leads = (struct mpg_leads){.of = &sig->lead[first], .n = n, .rate = rate};
}

double mpg_message_weight(const struct mpg_leads *l, double bytes, double u)
{
    size_t i = 0;
    while (i + 1 < l->n && (double)l->of[i].size_bytes < bytes)
        i++;
    const double lead_ns = mpg_distribution_quantile(l->of[i].value, fabs(2 * u - 1));
    const double ratio = fmax(1 - l->rate * lead_ns / (double)l->of[i].size_bytes, LEAST_RATIO);
    return exp(copysign(log(ratio), 0.5 - u) / M_SQRT2);
}

int mpg_capacities_of_signature(struct mpg_capacities *c, const struct mpg_signature *sig, double byte_factor,
                                const int32_t *host, int32_t ranks, struct mpg_error *err)
{
    struct mpg_placement hosts = {0};
    int status = mpg_placement_of_hosts(&hosts, host, ranks, err);
    for (int32_t r = 0; r < ranks && status == 0; r++)
        c->hosts = hosts.node[r] < c->hosts ? c->hosts : hosts.node[r] + 1;
    c->host = hosts.node;
    hosts.node = NULL;
    mpg_placement_clear(&hosts);
    if (status == 0)
        status = set_curve(&c->port, sig, MPG_PATH_BETWEEN, byte_factor, err);
    if (c->port.n > 0 && (c->bucket = find_bucket(sig, mpg_signature_capacity(sig, MPG_PATH_BETWEEN, 1))) > 0)
        c->port.of[0] = mpg_signature_capacity(sig, MPG_PATH_BETWEEN, 1) / byte_factor / 1e9;
    if (status == 0)
        status = find_queue(c, sig, err);
    find_leads(&c->leads[MPG_RESOURCE_OUT], sig, MPG_PATH_BETWEEN);
    find_leads(&c->leads[MPG_RESOURCE_MEMORY], sig, MPG_PATH_NODE);
    c->opposite_bytes[MPG_RESOURCE_OUT] = find_opposite(sig, MPG_PATH_BETWEEN);
    c->opposite_bytes[MPG_RESOURCE_MEMORY] = find_opposite(sig, MPG_PATH_NODE);
    return status == 0 ? set_curve(&c->memory, sig, MPG_PATH_NODE, byte_factor, err) : -1;
}

void mpg_capacities_pass_requests(struct mpg_capacities *c)
{
    c->queues = 0;
    c->opposite_bytes[MPG_RESOURCE_OUT] = c->opposite_bytes[MPG_RESOURCE_MEMORY] = 0;
}

void mpg_capacities_share_evenly(struct mpg_capacities *c)
{
    c->leads[MPG_RESOURCE_OUT].n = c->leads[MPG_RESOURCE_MEMORY].n = 0;
}

void mpg_capacities_clear(struct mpg_capacities *c)
{
    free(c->host);
    free(c->port.of);
    free(c->memory.of);
    free(c->link);
    free(c->queue);
    *c = (struct mpg_capacities){0};
}
