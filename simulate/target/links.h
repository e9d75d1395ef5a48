/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Topologies of hosts whose links have bandwidths: their links, and the static routes over the links (docs/MODEL.md, section 5,
 * Sharing). A link carries one direction of a cable; cables between a host and its switch are the host's ports, not links. */
#ifndef MPG_LINKS_H
#define MPG_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

enum mpg_layout_kind {
    MPG_LAYOUT_NONE,
    MPG_LAYOUT_FATTREE,  /* fattree:M1xM2...xMh:W2x...xWh */
    MPG_LAYOUT_TORUS,    /* torus:D1xD2... */
    MPG_LAYOUT_DRAGONFLY /* dragonfly:GxAxP */
};

enum { MPG_LAYOUT_SIZES = 6 };

struct mpg_layout {
    enum mpg_layout_kind kind;
    int n; /* number of sizes */
    /* fattree: number of children of a switch of level 1, 2 ... h; torus: hosts in each dimension; dragonfly: groups, routers
     * in a group, hosts of a router */
    int32_t size[MPG_LAYOUT_SIZES];
    int32_t up[MPG_LAYOUT_SIZES]; /* fattree: up[l] is the number of parents of a switch of level l, from 1 */
};

/* Parses TEXT, such as "fattree:18x36:12", "torus:8x8x4" or "dragonfly:9x4x2". Errors: TEXT is none of these; a size is below 1
 * (of fattree and dragonfly, one size; of a torus below 2); too many sizes; more than 2^20 hosts, 2^22
 * links, or 1000 links on a route. */
int mpg_layout_parse(struct mpg_layout *layout, const char *text, struct mpg_error *err);
/* Returns the number of hosts; 0 without a layout. */
int32_t mpg_layout_hosts(const struct mpg_layout *layout);
/* Returns the number of links, and of levels of links: levels of a fat tree between switches, from the hosts up; dimensions of a
 * torus; of a dragonfly 2, within and between groups. */
uint32_t mpg_layout_links(const struct mpg_layout *layout);
int mpg_layout_levels(const struct mpg_layout *layout);
/* Returns the level of LINK, from 0. */
int mpg_layout_level(const struct mpg_layout *layout, uint32_t link);
/* Returns the largest number of links on a route. */
uint32_t mpg_layout_longest(const struct mpg_layout *layout);
/* Sets LINK, an array with room for the longest route, to the links between the hosts A and B, in their order. Returns their
 * number. LINK may be NULL. */
uint32_t mpg_layout_route(const struct mpg_layout *layout, int32_t a, int32_t b, uint32_t *link);
/* Returns the number of hops between the hosts A and B: links, and in a fat tree or dragonfly the two cables of the hosts. */
int32_t mpg_layout_hops(const struct mpg_layout *layout, int32_t a, int32_t b);

#endif
