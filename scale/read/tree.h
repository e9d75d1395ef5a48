/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sites of all runs, known by keys, and what each run spent at each of them. A site of one frame more has the site
 * without it as its parent. Private to scale/read/. */
#ifndef MPG_SCALE_TREE_H
#define MPG_SCALE_TREE_H

#include "common/error.h"
#include "common/map.h"
#include "scale/scale.h"

enum { SCALE_NO_SITE = -1, SCALE_COUNTERS = 64 /* of a run, at most */ };

/* Of a place at which a stack ends that goes on elsewhere. */
#define SCALE_END_KEY "\n"

/* A frame of a callsite, or what stands for one. Texts are the caller's. */
struct scale_place {
    const char *key;                /* the same of another run: the same place */
    const char *text;               /* for people */
    const char *function, *file;    /* or NULL */
    int line;
};

struct scale_node {
    struct scale_site site;
    char *key;
    bool used; /* is one that sums are for */
};

/* What a run spent at each node; of nodes that came later nothing. */
struct scale_column {
    size_t n;
    struct scale_cell *cell;
    double *counters; /* n x SCALE_COUNTERS, or NULL */
    bool waits;       /* are known */
    size_t detail_number, detail_capacity;
    struct scale_detail *details; /* of nodes, not sites; without runs */
};

struct scale_tree {
    size_t node_number, node_capacity;
    struct scale_node *nodes;
    struct mpg_map index; /* hash of the parent and the key, 0, 1, ... -> node + 1 */
    size_t column_number, column_capacity;
    struct scale_column *columns;
    /* of the run being read */
    bool ranks;           /* what each rank did is kept */
    double *rank_ns;      /* by node: of the rank being read; below 0: it does not have it */
    size_t *detail;       /* by node: the detail of that rank */
    uint32_t *touched;    /* nodes that it has */
    size_t touched_number, room;
};

/* The node of CALL at PLACE below PARENT (SCALE_NO_SITE: on top); added if it is new. -1: out of memory. */
int64_t mpg_scale_tree_find(struct scale_tree *tree, int64_t parent, enum mpg_call call, const struct scale_place *place);

/* What a rank did at one place. */
struct scale_sum {
    uint64_t count;
    double time_ns, least_ns, most_ns, sent_bytes, received_bytes;
};

/* A new column, which the functions below fill; -1: out of memory. */
int mpg_scale_tree_begin(struct scale_tree *tree);
/* SUM, of the rank being read, to N nodes. */
int mpg_scale_tree_add(struct scale_tree *tree, const uint32_t *nodes, size_t n, const struct scale_sum *sum);
/* VALUE of counter I to N nodes. */
int mpg_scale_tree_count(struct scale_tree *tree, const uint32_t *nodes, size_t n, size_t counter, double value);
/* WAIT_NS, of all ranks, to N nodes. */
void mpg_scale_tree_wait(struct scale_tree *tree, const uint32_t *nodes, size_t n, double wait_ns);
/* All waits of the column are known, and 0 so far. */
void mpg_scale_tree_know_waits(struct scale_tree *tree);
/* What was added since the last one is RANK's. */
void mpg_scale_tree_end_rank(struct scale_tree *tree, int32_t rank);
/* Forgets the column that was begun last. */
void mpg_scale_tree_drop(struct scale_tree *tree);
void mpg_scale_tree_clear(struct scale_tree *tree);

#endif
