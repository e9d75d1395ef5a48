/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A resource is full if the bounds of its flows exceed the capacity and the bucket, if any, is empty. Only full resources slow
 * flows down, so rates are computed for the flows connected by full resources, and only when a full resource changes. */
#include "simulate/events/flows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"

/* Number of resources for which struct flow has room; a flow through links crosses more. */
enum { NEAR = 2 };
/* If a settlement concerns more than a MANYth of the flows, the heap is rebuilt at once. */
enum { MANY = 8 };

/* A bucket filled to at most this ratio counts as empty. */
static const double EMPTY = 1e-6;
/* A sum of bounds within this ratio of the capacity counts as equal to the capacity. */
static const double ROUNDING = 1e-9;

/* A resource crossed by a flow, and the flow's index in the list of the resource. */
struct crossing {
    uint32_t resource, place;
};

struct flow {
    void *what;
    struct crossing near[NEAR]; /* the flow's resources, if at most NEAR */
    double bound;             /* bytes/ns; INFINITY */
    double weight;
    double rate;              /* since since_ns; 0: not settled yet */
    double left, since_ns;    /* bytes left at since_ns */
    double rest;              /* bytes left once the part has crossed; 0: already crossed, or no part */
    double begin_ns, tau_ns, end_ns; /* end: also of its part */
    bool limited;             /* some rate was below the bound */
    uint16_t crossed;         /* number of resources of the flow */
    uint32_t at;              /* index in the heap */
    uint64_t seen;            /* number of the last settlement that visited the flow */
};

struct resource {
    uint32_t *flow, n, capacity; /* flows crossing the resource */
    const struct mpg_capacity_curve *curve; /* its capacity */
    double bucket;               /* bytes; 0: none */
    double bounds;               /* sum of the flows' finite bounds */
    uint32_t unbounded;          /* number of the flows' infinite bounds */
    bool is_full, changed;
    double used;                 /* sum of the finite rates of the flows */
    double credit, credit_ns;    /* bytes in the bucket at credit_ns */
    bool drains;                 /* the resource is in the list `draining` */
    uint64_t seen;
    double free;                 /* in a settlement: capacity not yet given to flows, */
    uint32_t open;               /* number of flows without a rate, */
    double weights;              /* and the sum of the open flows' weights */
};

struct list {
    uint32_t *of, n, capacity;
};

/* A flow in the heap of ends. */
struct ending {
    double end_ns;
    uint32_t flow;
};

struct flows {
    const struct mpg_capacities *capacities;
    struct flow *flow;
    uint32_t flows, flow_capacity;
    uint32_t most;          /* largest number of resources of a flow */
    struct crossing *far;   /* `most` for each flow: the flow's resources, if more than NEAR */
    uint32_t far_capacity;
    uint32_t *crossed;      /* resources of the next flow */
    struct resource *resource;
    uint32_t resources;
    struct mpg_capacity_curve *link; /* capacities of links */
    struct ending *heap; /* the flows ordered by end, with room for all flows */
    uint32_t ends, end_capacity;
    bool unordered;      /* a settlement changes many ends: the heap is rebuilt when the settlement ends */
    /* Lists of flows, with room for all flows: unused, new (not settled yet), and, in a settlement, open (without a rate yet). */
    struct list unused, new, open;
    /* Lists of resources, with room for all resources: changed, draining (the bucket runs empty), and, in a settlement, the full
     * resources of the open flows. */
    struct list changed, draining, full;
    uint64_t settlement;
    double empty_ns; /* when the next bucket is empty; INFINITY: none */
};

/* Sets the capacities and buckets of the resources of F. */
static void init_resources(struct flows *f)
{
    const struct mpg_capacities *c = f->capacities;
    const uint32_t of_hosts = f->resources - c->links;
    for (uint32_t i = 0; i < of_hosts; i++) {
        struct resource *r = &f->resource[i];
        r->curve = mpg_host_curve(c, i % MPG_RESOURCES);
        r->bucket = r->credit = mpg_bucket(c, i % MPG_RESOURCES);
    }
    for (uint32_t i = 0; i < c->links; i++) {
        f->link[i] = (struct mpg_capacity_curve){.of = &c->link[i], .n = 1};
        f->resource[of_hosts + i].curve = &f->link[i];
    }
}

struct flows *mpg_flows_new(const struct mpg_capacities *capacities, struct mpg_error *err)
{
    const size_t resources = mpg_capacities_resources(capacities);
    struct flows *f = calloc(1, sizeof *f);
    if (f) {
        f->capacities = capacities;
        f->empty_ns = INFINITY;
        f->most = mpg_capacities_most_crossed(capacities);
        f->resources = (uint32_t)resources;
        f->crossed = calloc(f->most, sizeof *f->crossed);
        f->link = calloc(capacities->links + 1, sizeof *f->link);
        f->resource = calloc(resources, sizeof *f->resource);
        f->changed.of = calloc(resources, sizeof *f->changed.of);
        f->draining.of = calloc(resources, sizeof *f->draining.of);
        f->full.of = calloc(resources, sizeof *f->full.of);
    }
    if (f && f->crossed && f->link && f->resource && f->changed.of && f->draining.of && f->full.of) {
        init_resources(f);
        return f;
    }
    mpg_flows_free(f);
    mpg_error_set(err, "out of memory");
    return NULL;
}

void mpg_flows_free(struct flows *f)
{
    if (!f)
        return;
    for (size_t i = 0; f->resource && i < f->resources; i++)
        free(f->resource[i].flow);
    free(f->resource);
    free(f->crossed);
    free(f->link);
    free(f->flow);
    free(f->far);
    free(f->heap);
    const struct list *const lists[] = {&f->unused, &f->new, &f->open, &f->changed, &f->draining, &f->full};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]->of);
    free(f);
}

/* Makes room for N flows. */
static int reserve(struct flows *f, uint32_t n, struct mpg_error *err)
{
    struct list *const lists[] = {&f->unused, &f->new, &f->open};
    if (n <= f->flow_capacity)
        return 0;
    if (mpg_reserve_at(&f->flow, sizeof *f->flow, &f->flow_capacity, n, err) < 0)
        return -1;
    if (mpg_reserve_at(&f->heap, sizeof *f->heap, &f->end_capacity, f->flow_capacity, err) < 0)
        return -1;
    if (f->most > NEAR && mpg_reserve_at(&f->far, f->most * sizeof *f->far, &f->far_capacity, f->flow_capacity, err) < 0)
        return -1;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (mpg_reserve_at(&lists[i]->of, sizeof *lists[i]->of, &lists[i]->capacity, f->flow_capacity, err) < 0)
            return -1;
    return 0;
}

/* Appends VALUE to LIST, which has room. */
static void append(struct list *list, uint32_t value)
{
    list->of[list->n++] = value;
}

/* --- the heap of ends --- */

/* Without branches, because a processor cannot predict the order of ends. */
static inline bool is_before(const struct ending *a, const struct ending *b)
{
    return (a->end_ns < b->end_ns) | ((a->end_ns == b->end_ns) & (a->flow < b->flow));
}

static inline void put(struct flows *f, uint32_t at, struct ending e)
{
    f->heap[at] = e;
    f->flow[e.flow].at = at;
}

/* Moves E, at place AT or above, down to its place in the heap. */
static void sift_down(struct flows *f, uint32_t at, struct ending e)
{
    for (uint32_t first; (first = 2 * at + 1) < f->ends;) {
        const uint32_t next = first + 1 < f->ends ? first + 1 : first;
        const uint32_t least = is_before(&f->heap[next], &f->heap[first]) ? next : first;
        if (!is_before(&f->heap[least], &e))
            break;
        put(f, at, f->heap[least]);
        at = least;
    }
    put(f, at, e);
}

/* Moves E, at place AT, to its place in the heap. */
static void sift(struct flows *f, uint32_t at, struct ending e)
{
    while (at > 0 && is_before(&e, &f->heap[(at - 1) / 2])) {
        put(f, at, f->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    sift_down(f, at, e);
}

/* Puts all ends in order. */
static void order_ends(struct flows *f)
{
    for (uint32_t i = 0; i < f->ends; i++)
        f->heap[i].end_ns = f->flow[f->heap[i].flow].end_ns;
    for (uint32_t i = f->ends / 2; i > 0; i--)
        sift_down(f, i - 1, f->heap[i - 1]);
}

double mpg_flows_next_ns(const struct flows *f)
{
    return fmin(f->empty_ns, f->ends > 0 ? f->heap[0].end_ns : INFINITY);
}

/* --- resources --- */

/* Returns the crossings of FLOW. */
static inline struct crossing *crossings_of(const struct flows *f, uint32_t flow)
{
    struct flow *x = &f->flow[flow];
    return x->crossed <= NEAR ? x->near : &f->far[(size_t)flow * f->most];
}

static inline double capacity_of(const struct flows *f, uint32_t resource)
{
    return mpg_curve_capacity(f->resource[resource].curve, f->resource[resource].n);
}

/* Computes the bytes in the bucket of RESOURCE, if any, up to NOW_NS; to be called before the flows or rates of RESOURCE
 * change. */
static void count_credit(struct flows *f, uint32_t resource, double now_ns)
{
    struct resource *r = &f->resource[resource];
    if (r->bucket > 0) {
        const double filling = mpg_curve_capacity(r->curve, r->n > 0 ? r->n : 1) - r->used;
        r->credit = fmin(fmax(r->credit + filling * (now_ns - r->credit_ns), 0), r->bucket);
        r->credit_ns = now_ns;
    }
}

/* Returns whether RESOURCE has no bucket, or an empty bucket. The credit is counted. */
static bool is_dry(const struct flows *f, uint32_t resource)
{
    return f->resource[resource].credit <= EMPTY * f->resource[resource].bucket;
}

/* Changes the sum of the rates of RESOURCE's flows from NOW_NS on. */
static void use(struct flows *f, uint32_t resource, double more, double now_ns)
{
    struct resource *r = &f->resource[resource];
    if (r->bucket <= 0)
        return;
    count_credit(f, resource, now_ns);
    r->used += more;
    if (!r->drains)
        append(&f->draining, resource);
    r->drains = true;
}

static void mark_changed(struct flows *f, uint32_t resource)
{
    struct resource *r = &f->resource[resource];
    if (!r->changed)
        append(&f->changed, resource);
    r->changed = true;
}

static int cross(struct flows *f, uint32_t flow, uint32_t i, uint32_t resource, double now_ns, struct mpg_error *err)
{
    struct resource *r = &f->resource[resource];
    const struct flow *x = &f->flow[flow];
    crossings_of(f, flow)[i] = (struct crossing){resource, r->n};
    count_credit(f, resource, now_ns);
    if (mpg_reserve_at(&r->flow, sizeof *r->flow, &r->capacity, r->n + 1, err) < 0)
        return -1;
    r->flow[r->n++] = flow;
    if (isinf(x->bound))
        r->unbounded++;
    else
        r->bounds += x->bound;
    mark_changed(f, resource);
    return 0;
}

/* FLOW leaves resource I of FLOW. */
static void leave(struct flows *f, uint32_t flow, uint32_t i, double now_ns)
{
    const struct flow *x = &f->flow[flow];
    const struct crossing left = crossings_of(f, flow)[i];
    struct resource *r = &f->resource[left.resource];
    use(f, left.resource, isinf(x->rate) ? 0 : -x->rate, now_ns);
    const uint32_t last = r->flow[--r->n];
    struct crossing *moved = crossings_of(f, last);
    r->flow[left.place] = last;
    while (moved->resource != left.resource)
        moved++;
    moved->place = left.place;
    if (isinf(x->bound))
        r->unbounded--;
    else
        r->bounds = r->n == 0 ? 0 : r->bounds - x->bound;
    r->used = r->n == 0 ? 0 : r->used;
    mark_changed(f, left.resource);
}

int mpg_flows_add(struct flows *f, const struct mpg_new_flow *x, double now_ns, struct mpg_error *err)
{
    const uint32_t n = mpg_capacities_crossed(f->capacities, x->from, x->to, f->crossed);
    if (f->unused.n == 0 && reserve(f, f->flows + 1, err) < 0)
        return -1;
    const uint32_t flow = f->unused.n > 0 ? f->unused.of[--f->unused.n] : f->flows++;
    f->flow[flow] = (struct flow){.what = x->what,
                                  .crossed = (uint16_t)n,
                                  .weight = x->weight,
                                  .bound = x->tau_ns > 0 ? x->bytes / x->tau_ns : INFINITY,
                                  .left = x->bytes,
                                  .rest = x->part > 0 && x->tau_ns > 0 ? x->bytes * (1 - x->part) : 0,
                                  .since_ns = now_ns,
                                  .begin_ns = now_ns,
                                  .tau_ns = x->tau_ns,
                                  .end_ns = INFINITY,
                                  .at = f->ends};
    f->heap[f->ends++] = (struct ending){INFINITY, flow}; /* last: the end is infinite until the rates are settled */
    append(&f->new, flow);
    for (uint32_t i = 0; i < n; i++)
        if (cross(f, flow, i, f->crossed[i], now_ns, err) < 0)
            return -1;
    return 0;
}

/* Sets the end of X, or of the part of X, at X's rate from since_ns on. */
static void set_end(struct flow *x)
{
    if (x->limited)
        x->end_ns = x->since_ns + (x->left - x->rest) / x->rate;
    else
        x->end_ns = isinf(x->rate) ? x->since_ns : x->begin_ns + x->tau_ns - x->rest / x->bound;
}

/* The part of FLOW has crossed: the rest goes on at the same rate. */
static void end_part(struct flows *f, uint32_t flow)
{
    struct flow *x = &f->flow[flow];
    x->left = x->rest;
    x->since_ns = x->end_ns;
    x->rest = 0;
    set_end(x);
    sift(f, x->at, (struct ending){x->end_ns, flow});
}

void *mpg_flows_end(struct flows *f, double now_ns, double *delay_ns, bool *continues)
{
    if (f->ends == 0 || f->heap[0].end_ns > now_ns + MPG_TOGETHER_NS)
        return NULL;
    const uint32_t flow = f->heap[0].flow;
    const struct flow *x = &f->flow[flow];
    *continues = x->rest > 0;
    if (*continues) {
        *delay_ns = x->limited ? fmax(x->end_ns - (x->begin_ns + x->tau_ns - x->rest / x->bound), 0) : 0;
        end_part(f, flow);
        return x->what;
    }
    if (--f->ends > 0)
        sift_down(f, 0, f->heap[f->ends]);
    for (uint32_t i = 0; i < x->crossed; i++)
        leave(f, flow, i, now_ns);
    *delay_ns = x->limited ? fmax(x->end_ns - (x->begin_ns + x->tau_ns), 0) : 0;
    append(&f->unused, flow);
    return x->what;
}

/* --- rates --- */

static void set_rate(struct flows *f, uint32_t flow, double rate, double now_ns)
{
    struct flow *x = &f->flow[flow];
    if (rate == x->rate)
        return;
    x->left = fmax(x->left - x->rate * (now_ns - x->since_ns), 0);
    x->since_ns = now_ns;
    const struct crossing *crossing = crossings_of(f, flow);
    for (uint32_t i = f->capacities->bucket > 0 ? 0 : x->crossed; i < x->crossed; i++)
        use(f, crossing[i].resource, (isinf(rate) ? 0 : rate) - (isinf(x->rate) ? 0 : x->rate), now_ns);
    x->rate = rate;
    x->limited = x->limited || rate < x->bound;
    set_end(x);
    if (!f->unordered)
        sift(f, x->at, (struct ending){x->end_ns, flow});
}

/* Adds FLOW to the open flows, unless already visited in this settlement. */
static void visit_flow(struct flows *f, uint32_t flow)
{
    if (f->flow[flow].seen == f->settlement)
        return;
    f->flow[flow].seen = f->settlement;
    append(&f->open, flow);
}

/* Adds the flows of RESOURCE, which is or was full, to the open flows. */
static void visit_resource(struct flows *f, uint32_t resource, double now_ns)
{
    struct resource *r = &f->resource[resource];
    if (r->seen == f->settlement)
        return;
    count_credit(f, resource, now_ns);
    r->is_full = r->is_full && (r->unbounded > 0 || is_dry(f, resource));
    if (r->is_full) {
        r->seen = f->settlement;
        r->free = capacity_of(f, resource);
        r->open = r->n;
        r->weights = 0;
        append(&f->full, resource);
    }
    for (uint32_t i = 0; i < r->n; i++) {
        r->weights += f->flow[r->flow[i]].weight;
        visit_flow(f, r->flow[i]);
    }
}

/* Adds all flows connected with the open flows by full resources. */
static void visit_connected(struct flows *f, double now_ns)
{
    for (uint32_t done = 0; done < f->open.n; done++) {
        const struct crossing *crossing = crossings_of(f, f->open.of[done]);
        for (uint32_t i = 0, n = f->flow[f->open.of[done]].crossed; i < n; i++)
            if (f->resource[crossing[i].resource].is_full)
                visit_resource(f, crossing[i].resource, now_ns);
    }
}

/* Gives FLOW the rate RATE, taken from the full resources of FLOW. */
static void fill(struct flows *f, uint32_t flow, double rate, double now_ns)
{
    const struct crossing *crossing = crossings_of(f, flow);
    for (uint32_t i = 0, n = f->flow[flow].crossed; i < n; i++) {
        struct resource *r = &f->resource[crossing[i].resource];
        if (r->seen == f->settlement) {
            r->free = fmax(r->free - rate, 0);
            r->open--;
            r->weights -= f->flow[flow].weight;
        }
    }
    set_rate(f, flow, rate, now_ns);
}

/* The rate of a flow of weight 1 at which the first full resource has no capacity left; INFINITY: all flows of full resources
 * have rates. */
static double least_share(const struct flows *f)
{
    double share = INFINITY;
    for (uint32_t i = 0; i < f->full.n; i++) {
        const struct resource *r = &f->resource[f->full.of[i]];
        if (r->open > 0) /* rounding may leave nothing for the last flow */
            share = fmin(share, fmax(r->free, ROUNDING * capacity_of(f, f->full.of[i])) / r->weights);
    }
    return share;
}

/* Whether FLOW crosses a resource whose share is SHARE, the rate of a flow of weight 1. */
static bool is_bottlenecked(const struct flows *f, uint32_t flow, double share)
{
    const struct crossing *crossing = crossings_of(f, flow);
    for (uint32_t i = 0, n = f->flow[flow].crossed; i < n; i++) {
        const struct resource *r = &f->resource[crossing[i].resource];
        if (r->seen == f->settlement && r->open > 0 && r->free <= share * r->weights * (1 + ROUNDING))
            return true;
    }
    return false;
}

/* Progressive filling: in each round every flow whose bound no resource prevents gets this bound; without such flows, the flows
 * of the resource with the least share get this share. */
static void fill_all(struct flows *f, double now_ns)
{
    while (f->open.n > 0) {
        const double share = least_share(f);
        uint32_t kept = 0;
        for (uint32_t i = 0; i < f->open.n; i++) {
            const uint32_t flow = f->open.of[i];
            if (f->flow[flow].bound <= share * f->flow[flow].weight)
                fill(f, flow, f->flow[flow].bound, now_ns);
            else
                f->open.of[kept++] = flow;
        }
        const bool any = kept < f->open.n;
        f->open.n = kept;
        for (uint32_t i = kept = 0; !any && i < f->open.n; i++) {
            const uint32_t flow = f->open.of[i];
            if (is_bottlenecked(f, flow, share))
                fill(f, flow, share * f->flow[flow].weight, now_ns);
            else
                f->open.of[kept++] = flow;
        }
        f->open.n = any ? f->open.n : kept;
    }
    f->full.n = 0;
}

/* Finds whether RESOURCE is full. Returns true if the flows of RESOURCE need new rates. */
static bool is_affected(struct flows *f, uint32_t resource, double now_ns)
{
    struct resource *r = &f->resource[resource];
    const bool was_full = r->is_full;
    const double capacity = capacity_of(f, resource);
    count_credit(f, resource, now_ns);
    r->is_full = r->unbounded > 0 ? !isinf(capacity) : r->bounds > capacity * (1 + ROUNDING) && is_dry(f, resource);
    return was_full || r->is_full;
}

/* --- buckets --- */

/* Returns when the bucket of RESOURCE is empty if the flows keep their rates; INFINITY: never, or empty already. */
static double empty_at(const struct flows *f, uint32_t resource)
{
    const struct resource *r = &f->resource[resource];
    const double capacity = capacity_of(f, resource), more = r->used - capacity;
    return more > EMPTY * capacity && !r->is_full ? r->credit_ns + r->credit / more : INFINITY;
}

/* Marks the resources whose bucket is empty at NOW_NS as changed. */
static void mark_empty(struct flows *f, double now_ns)
{
    for (uint32_t i = 0; i < f->draining.n && f->empty_ns <= now_ns + MPG_TOGETHER_NS; i++)
        if (empty_at(f, f->draining.of[i]) <= now_ns + MPG_TOGETHER_NS)
            mark_changed(f, f->draining.of[i]);
}

/* Keeps the resources whose bucket will be empty, and finds when the first will be. */
static void find_empty(struct flows *f)
{
    uint32_t kept = 0;
    f->empty_ns = INFINITY;
    for (uint32_t i = 0; i < f->draining.n; i++) {
        const uint32_t resource = f->draining.of[i];
        const double at_ns = empty_at(f, resource);
        f->resource[resource].drains = !isinf(at_ns);
        f->empty_ns = fmin(f->empty_ns, at_ns);
        if (!isinf(at_ns))
            f->draining.of[kept++] = resource;
    }
    f->draining.n = kept;
}

void mpg_flows_settle(struct flows *f, double now_ns)
{
    uint32_t affected = 0;
    mark_empty(f, now_ns);
    f->settlement++;
    for (uint32_t i = 0; i < f->changed.n; i++) {
        const uint32_t resource = f->changed.of[i];
        f->resource[resource].changed = false;
        if (is_affected(f, resource, now_ns))
            f->changed.of[affected++] = resource;
    }
    for (uint32_t i = 0; i < affected; i++)
        visit_resource(f, f->changed.of[i], now_ns);
    for (uint32_t i = 0; i < f->new.n; i++)
        visit_flow(f, f->new.of[i]);
    f->changed.n = f->new.n = 0;
    visit_connected(f, now_ns);
    f->unordered = f->open.n > f->ends / MANY;
    fill_all(f, now_ns);
    if (f->unordered)
        order_ends(f);
    find_empty(f);
}

double mpg_flows_queue_ns(struct flows *f, int32_t rank, double most_bytes, double before_ns, double now_ns)
{
    const uint32_t resource = (uint32_t)f->capacities->host[rank] * MPG_RESOURCES + MPG_RESOURCE_OUT;
    const struct resource *r = &f->resource[resource];
    const double capacity = capacity_of(f, resource);
    double bytes = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        const struct flow *x = &f->flow[r->flow[i]];
        if (x->begin_ns < before_ns)
            bytes += fmax(x->left - x->rate * (now_ns - x->since_ns), 0);
    }
    count_credit(f, resource, now_ns);
    const bool full = r->unbounded > 0 || (r->bounds > capacity * (1 + ROUNDING) && is_dry(f, resource));
    return bytes > 0 ? fmin(bytes, most_bytes) / (full ? capacity : r->bounds) : 0;
}
