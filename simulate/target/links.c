/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Links are numbered level by level; a cable's two links follow each other. */
#include "simulate/target/links.h"

#include <string.h>

#pragma GCC diagnostic error "-Wswitch-enum"

enum { MAX_HOSTS = 1 << 20, MAX_LINKS = 1 << 22, MAX_ROUTE = 1000 };

static const struct {
    const char *name;
    enum mpg_layout_kind kind;
    const char *usage;
    int min, max; /* number of sizes */
    int32_t least; /* least size */
} kinds[] = {{"fattree:", MPG_LAYOUT_FATTREE, "fattree:M1xM2...:W2...", 2, MPG_LAYOUT_SIZES, 1},
             {"torus:", MPG_LAYOUT_TORUS, "torus:D1xD2...", 1, MPG_LAYOUT_SIZES, 2},
             {"dragonfly:", MPG_LAYOUT_DRAGONFLY, "dragonfly:GROUPSxROUTERSxHOSTS", 3, 3, 1}};

/* Parses sizes like "4x8x2" up to the character END into SIZE; sets *TEXT behind. Returns their number; 0: TEXT has other
 * characters, more than MPG_LAYOUT_SIZES sizes, or a size that is not LEAST to MAX_HOSTS. */
static int parse_sizes(const char **text, char end, int32_t least, int32_t *size)
{
    int n = 0;
    for (const char *at = *text;; at++) {
        int32_t value = 0;
        for (; *at >= '0' && *at <= '9' && value <= MAX_HOSTS; at++)
            value = 10 * value + (*at - '0');
        if (value < least || value > MAX_HOSTS || n == MPG_LAYOUT_SIZES)
            return 0;
        size[n++] = value;
        if (*at == end) {
            *text = at + (end != '\0');
            return n;
        }
        if (*at != 'x')
            return 0;
    }
}

/* Returns the product of N sizes, at most 2^40. */
static int64_t product(const int32_t *size, int n)
{
    int64_t all = 1;
    for (int i = 0; i < n; i++)
        all = all > INT64_C(1) << 20 ? INT64_C(1) << 40 : all * size[i];
    return all;
}

/* Returns the number of switches of LEVEL (from 1) of a fat tree, and the links from these switches upwards and back. */
static int64_t fattree_switches(const struct mpg_layout *x, int level)
{
    return product(x->size + level, x->n - level) * product(x->up + 1, level - 1);
}

static int64_t fattree_links(const struct mpg_layout *x, int level)
{
    return 2 * fattree_switches(x, level) * x->up[level];
}

static int64_t count_links(const struct mpg_layout *x)
{
    int64_t n = 0;
    switch (x->kind) {
    case MPG_LAYOUT_FATTREE:
        for (int level = 1; level < x->n; level++)
            n += fattree_links(x, level);
        return n;
    case MPG_LAYOUT_TORUS:
        return 2 * x->n * product(x->size, x->n);
    case MPG_LAYOUT_DRAGONFLY:
        return product(x->size, 2) * x->size[1] + (int64_t)x->size[0] * x->size[0];
    case MPG_LAYOUT_NONE:
        break;
    }
    return 0;
}

int mpg_layout_parse(struct mpg_layout *x, const char *text, struct mpg_error *err)
{
    size_t i = 0;
    while (i < sizeof kinds / sizeof *kinds && strncmp(text, kinds[i].name, strlen(kinds[i].name)) != 0)
        i++;
    if (i == sizeof kinds / sizeof *kinds)
        return mpg_error_set(err, "'%s' is none of fattree:..., torus:..., dragonfly:...", text);
    const char *at = text + strlen(kinds[i].name);
    const bool rises = kinds[i].kind == MPG_LAYOUT_FATTREE;
    *x = (struct mpg_layout){.kind = kinds[i].kind};
    x->n = parse_sizes(&at, rises ? ':' : '\0', kinds[i].least, x->size);
    int32_t up[MPG_LAYOUT_SIZES] = {0};
    const int ups = rises && x->n > 0 ? parse_sizes(&at, '\0', 1, up) : 0;
    memcpy(x->up + 1, up, (MPG_LAYOUT_SIZES - 1) * sizeof *up);
    if (x->n < kinds[i].min || x->n > kinds[i].max || (rises && ups != x->n - 1))
        return mpg_error_set(err, "'%s' is not %s, with up to %d sizes from %d", text, kinds[i].usage, kinds[i].max,
                             (int)kinds[i].least);
    if (product(x->size, x->n) > MAX_HOSTS || count_links(x) > MAX_LINKS)
        return mpg_error_set(err, "'%s' has more than %d hosts or %d links", text, MAX_HOSTS, MAX_LINKS);
    if (mpg_layout_longest(x) > MAX_ROUTE)
        return mpg_error_set(err, "'%s' has routes of more than %d links", text, MAX_ROUTE);
    return 0;
}

int32_t mpg_layout_hosts(const struct mpg_layout *x)
{
    return x->kind == MPG_LAYOUT_NONE ? 0 : (int32_t)product(x->size, x->n);
}

uint32_t mpg_layout_links(const struct mpg_layout *x)
{
    return (uint32_t)count_links(x);
}

int mpg_layout_levels(const struct mpg_layout *x)
{
    switch (x->kind) {
    case MPG_LAYOUT_FATTREE:
        return x->n - 1;
    case MPG_LAYOUT_TORUS:
        return x->n;
    case MPG_LAYOUT_DRAGONFLY:
        return 2;
    case MPG_LAYOUT_NONE:
        break;
    }
    return 0;
}

int mpg_layout_level(const struct mpg_layout *x, uint32_t link)
{
    int level = 0;
    switch (x->kind) {
    case MPG_LAYOUT_FATTREE:
        for (int64_t before = fattree_links(x, 1); link >= before; before += fattree_links(x, level + 1))
            level++;
        return level;
    case MPG_LAYOUT_TORUS:
        return (int)(link / 2 % (uint32_t)x->n);
    case MPG_LAYOUT_DRAGONFLY:
        return link >= product(x->size, 2) * x->size[1];
    case MPG_LAYOUT_NONE:
        break;
    }
    return 0;
}

uint32_t mpg_layout_longest(const struct mpg_layout *x)
{
    uint32_t n = 0;
    switch (x->kind) {
    case MPG_LAYOUT_FATTREE:
        return 2 * (uint32_t)(x->n - 1);
    case MPG_LAYOUT_TORUS:
        for (int i = 0; i < x->n; i++)
            n += (uint32_t)x->size[i] / 2;
        return n;
    case MPG_LAYOUT_DRAGONFLY:
        return 3;
    case MPG_LAYOUT_NONE:
        break;
    }
    return 0;
}

/* --- routes --- */

/* The links of a route so far. */
struct route {
    uint32_t *link, n; /* link NULL: only counted */
};

static void add(struct route *r, int64_t link)
{
    if (r->link)
        r->link[r->n] = (uint32_t)link;
    r->n++;
}

/* Returns the level of the lowest switches from which both hosts A and B descend. */
static int common_level(const struct mpg_layout *x, int32_t a, int32_t b)
{
    int level = 1;
    for (a /= x->size[0], b /= x->size[0]; a != b; level++) {
        a /= x->size[level];
        b /= x->size[level];
    }
    return level;
}

/* A switch of level l is (S, U): S = host / (M1 ... Ml) of the hosts below the switch, and U, less than W2 ... Wl, the number
 * of the switch among the switches with these hosts. Its parent P is (S / Ml+1, U + P W2 ... Wl). */
static void route_fattree(const struct mpg_layout *x, int32_t a, int32_t b, struct route *r)
{
    const int top = common_level(x, a, b);
    int64_t first[MPG_LAYOUT_SIZES + 1] = {0}; /* by level: number of the first link */
    int64_t u = 0, width = 1, below = x->size[0];
    for (int level = 1; level < top; level++) { /* up: the destination's number decides (d-mod-k) */
        const int64_t port = b / width % x->up[level];
        add(r, first[level] + 2 * ((a / below * width + u) * x->up[level] + port));
        first[level + 1] = first[level] + fattree_links(x, level);
        u += width * port;
        width *= x->up[level];
        below *= x->size[level];
    }
    for (int level = top - 1; level > 0; level--) { /* down: there is one way */
        width /= x->up[level];
        below /= x->size[level];
        const int64_t port = u / width;
        u %= width;
        add(r, first[level] + 2 * ((b / below * width + u) * x->up[level] + port) + 1);
    }
}

/* In the order of the dimensions, each the shorter way round; of two equal ways, towards the higher number. */
static void route_torus(const struct mpg_layout *x, int32_t a, int32_t b, struct route *r)
{
    int32_t stride = 1;
    for (int i = 0; i < x->n; i++) {
        const int32_t n = x->size[i], to = b / stride % n;
        const int32_t ahead = (to - a / stride % n + n) % n;
        const bool rises = 2 * ahead <= n;
        for (int32_t at = a / stride % n; at != to; at = (at + (rises ? 1 : n - 1)) % n) {
            const int32_t next = (at + n - 1) % n; /* the cable is the lower host's */
            const int32_t host = a + ((rises ? at : next) - a / stride % n) * stride;
            add(r, 2 * ((int64_t)host * x->n + i) + !rises);
        }
        a += (to - a / stride % n) * stride;
        stride *= n;
    }
}

/* Returns the router of GROUP that has the cable to the group OTHER: the other groups in order, equally many at each router. */
static int32_t gateway(const struct mpg_layout *x, int32_t group, int32_t other)
{
    const int32_t routers = x->size[1], each = (x->size[0] - 1 + routers - 1) / routers;
    return (other < group ? other : other - 1) / each;
}

static void route_local(const struct mpg_layout *x, int32_t group, int32_t from, int32_t to, struct route *r)
{
    if (from != to)
        add(r, ((int64_t)group * x->size[1] + from) * x->size[1] + to);
}

/* The minimal route: to the router with the cable to the group, over this cable, to the router of the host. */
static void route_dragonfly(const struct mpg_layout *x, int32_t a, int32_t b, struct route *r)
{
    const int32_t groups = x->size[0], routers = x->size[1];
    int32_t at = a / x->size[2] % routers;
    const int32_t from = a / x->size[2] / routers, to = b / x->size[2] / routers;
    if (from != to) {
        route_local(x, from, at, gateway(x, from, to), r);
        add(r, (int64_t)groups * routers * routers + (int64_t)from * groups + to);
        at = gateway(x, to, from);
    }
    route_local(x, to, at, b / x->size[2] % routers, r);
}

uint32_t mpg_layout_route(const struct mpg_layout *x, int32_t a, int32_t b, uint32_t *link)
{
    struct route r = {.link = link};
    switch (x->kind) {
    case MPG_LAYOUT_FATTREE:
        route_fattree(x, a, b, &r);
        break;
    case MPG_LAYOUT_TORUS:
        route_torus(x, a, b, &r);
        break;
    case MPG_LAYOUT_DRAGONFLY:
        route_dragonfly(x, a, b, &r);
        break;
    case MPG_LAYOUT_NONE:
        break;
    }
    return r.n;
}

int32_t mpg_layout_hops(const struct mpg_layout *x, int32_t a, int32_t b)
{
    const int32_t links = (int32_t)mpg_layout_route(x, a, b, NULL);
    return a == b || x->kind == MPG_LAYOUT_TORUS ? links : links + 2;
}
