/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hosts of ranks, and the capacities shared by the ranks' messages: ports and memory of hosts, links between hosts
 * (docs/MODEL.md, section 5, Sharing). */
#ifndef MPG_CAPACITIES_H
#define MPG_CAPACITIES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "signature/signature.h"
#include "simulate/target/topology.h"

/* The resources of a host: the port in each direction, and memory. Resources have numbers: host * MPG_RESOURCES + one of
 * these. The links follow the resources of all hosts. */
enum mpg_resource { MPG_RESOURCE_OUT, MPG_RESOURCE_IN, MPG_RESOURCE_MEMORY, MPG_RESOURCES };

/* The capacity of a resource, bytes/ns, > 0, with 1, 2 ... N flows; constant above N flows. N = 0: infinite. */
struct mpg_capacity_curve {
    double *of;
    uint32_t n;
};

struct mpg_capacities {
    int32_t hosts;
    int32_t *host; /* of each rank, 0 .. hosts - 1 */
    struct mpg_capacity_curve port, memory;
    double bucket; /* bytes that a port, in each direction, carries beyond its capacity after a rest; 0: none */
    struct mpg_layout layout;    /* the links between hosts */
    uint32_t links;              /* number of links that have capacities: all or none */
    double *link;                /* capacity of each link, bytes/ns */
    const struct mpg_parameters *background; /* has the background traffic of links; NULL: none */
    uint32_t queues;       /* number of sizes in QUEUE, ascending; 0: requests do not wait in ports */
    struct mpg_port_queue {
        double size_bytes, bytes; /* most bytes ahead of the request for a message of this size; INFINITY: all */
    } *queue;
    /* By OUT and MEMORY: the leads of two messages at once, by size, ascending; n = 0: messages share evenly. */
    struct mpg_leads {
        const struct mpg_sharing_point *of; /* the signature's */
        size_t n;
        double rate; /* of a message alone, bytes/ns */
    } leads[MPG_RESOURCES];
    /* By OUT and MEMORY: messages of a pair of ranks from this size on wait for opposite ones; 0: none does. */
    double opposite_bytes[MPG_RESOURCES];
};

/* Counts of messages that shared capacities. */
struct mpg_shared_messages {
    bool are; /* messages share capacities */
    double messages, delayed, delay_ns; /* number of messages; number of messages delayed by other messages; sum of the delays */
};

/* Returns the number of resources. */
static inline uint32_t mpg_capacities_resources(const struct mpg_capacities *c)
{
    return (uint32_t)c->hosts * MPG_RESOURCES + c->links;
}

/* Returns the capacity by CURVE, bytes/ns, with FLOWS flows; infinite without flows. */
static inline double mpg_curve_capacity(const struct mpg_capacity_curve *curve, uint32_t flows)
{
    return curve->n == 0 || flows == 0 ? INFINITY : curve->of[flows < curve->n ? flows - 1 : curve->n - 1];
}

/* Returns the capacity curve of RESOURCE of a host. */
static inline const struct mpg_capacity_curve *mpg_host_curve(const struct mpg_capacities *c, enum mpg_resource resource)
{
    return resource == MPG_RESOURCE_MEMORY ? &c->memory : &c->port;
}

/* Returns the capacity of the resource with NUMBER, bytes/ns, with FLOWS flows. */
static inline double mpg_capacity(const struct mpg_capacities *c, uint32_t number, uint32_t flows)
{
    const uint32_t of_hosts = (uint32_t)c->hosts * MPG_RESOURCES;
    return number < of_hosts ? mpg_curve_capacity(mpg_host_curve(c, number % MPG_RESOURCES), flows) : c->link[number - of_hosts];
}

/* Returns the bucket of RESOURCE of a host, bytes; 0: no bucket. */
static inline double mpg_bucket(const struct mpg_capacities *c, enum mpg_resource resource)
{
    return resource == MPG_RESOURCE_MEMORY ? 0 : c->bucket;
}

/* Returns how many bytes at most are ahead of a request in the queue of a port; the request is for a message of SIZE_BYTES: the
 * value of the next measured size, or of the largest. */
static inline double mpg_queue_bytes(const struct mpg_capacities *c, double size_bytes)
{
    uint32_t i = 0;
    while (i + 1 < c->queues && c->queue[i].size_bytes < size_bytes)
        i++;
    return c->queues > 0 ? c->queue[i].bytes : 0;
}

/* Returns the first resource that a message from rank A to rank B crosses: MPG_RESOURCE_MEMORY on one host, MPG_RESOURCE_OUT
 * between two. */
static inline enum mpg_resource mpg_first_resource(const struct mpg_capacities *c, int32_t a, int32_t b)
{
    return c->host[a] == c->host[b] ? MPG_RESOURCE_MEMORY : MPG_RESOURCE_OUT;
}

/* Returns whether rendezvous messages of BYTES bytes, whose first resource is FIRST, wait for opposite messages. */
static inline bool mpg_opposite_waits(const struct mpg_capacities *c, enum mpg_resource first, double bytes)
{
    const double from_bytes = c->opposite_bytes[first];
    return from_bytes > 0 && bytes >= from_bytes;
}

/* Returns the weight of a message of BYTES bytes, > 0: its rate relative to the rates of others that share the same resources.
 * LEADS, not none, are those of its first resource. U, uniform on (0, 1), draws the lead of a message of the next measured size,
 * or of the largest (docs/MODEL.md, section 5, Uneven shares). */
double mpg_message_weight(const struct mpg_leads *leads, double bytes, double u);

/* Returns true if some resource has a capacity. */
static inline bool mpg_capacities_known(const struct mpg_capacities *c)
{
    return c->port.n > 0 || c->memory.n > 0 || c->links > 0;
}

/* Returns true if messages between ranks A and B cross a resource with a capacity. */
static inline bool mpg_capacities_between(const struct mpg_capacities *c, int32_t a, int32_t b)
{
    return c->host[a] == c->host[b] ? c->memory.n > 0 : c->port.n > 0 || c->links > 0;
}

/* Returns the largest number of resources that a message crosses. */
uint32_t mpg_capacities_most_crossed(const struct mpg_capacities *c);
/* Sets NUMBER, with room for mpg_capacities_most_crossed(), to the numbers of the resources that a message from rank A to rank
 * B crosses, in their order. Returns how many. */
uint32_t mpg_capacities_crossed(const struct mpg_capacities *c, int32_t a, int32_t b, uint32_t *number);
/* Fills C, zero at first, with P's capacities. PROCESSORS has the hosts of the ranks. P outlives C. Error: out of memory. The
 * caller clears C, even after an error. */
int mpg_capacities_of_parameters(struct mpg_capacities *c, const struct mpg_parameters *p,
                                 const struct mpg_processors *processors, struct mpg_error *err);
/* Fills C, zero at first, with the sharing curves of SIG, with BYTE_FACTOR (>= 0) times the time per byte. Without curves in SIG,
 * C has no capacities. HOST: for each of RANKS ranks any number that identifies the host. A single flow is not limited, since the
 * times of a pair are measured, unless these times show that ports have a bucket. SIG outlives C. Error: out of memory. The
 * caller clears C, even after an error. */
int mpg_capacities_of_signature(struct mpg_capacities *c, const struct mpg_signature *sig, double byte_factor,
                                const int32_t *host, int32_t ranks, struct mpg_error *err);
/* Sets OF to the capacities C in REPLICA: C without the background traffic, drawn for each link with SEED. OF uses parts of
 * C, which outlives OF. Returns OF, or C itself if there is no background traffic; NULL with ERR: out of memory. The caller
 * frees OF->link. */
const struct mpg_capacities *mpg_capacities_of_replica(const struct mpg_capacities *c, uint64_t seed, uint32_t replica,
                                                       struct mpg_capacities *of, struct mpg_error *err);
/* Lets no request wait: port queues are empty, and opposite messages pass each other. */
void mpg_capacities_pass_requests(struct mpg_capacities *c);
/* Lets messages share evenly: all have the weight 1. */
void mpg_capacities_share_evenly(struct mpg_capacities *c);
void mpg_capacities_clear(struct mpg_capacities *c); /* zero-initialised is allowed */

#endif
