/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tree of all sites, recognised by keys, and the costs of each run at each site. The parent of a site is the site
 * without its outermost frame. Private to scale/read/. */
#ifndef MPG_SCALE_TREE_H
#define MPG_SCALE_TREE_H

#include "common/error.h"
#include "common/map.h"
#include "scale/scale.h"

enum { SCALE_NO_SITE = -1, SCALE_COUNTERS = 64 /* largest number of counters of a run */ };

/* Key of a node for call stacks that end at the node's parent although further stacks continue. */
#define SCALE_END_KEY "\n"

/* A frame of a callsite, or the end of a stack, or a region. The caller owns the texts. */
struct scale_frame_key {
    const char *key;                /* equal keys mean equal frames */
    const char *text;               /* the name shown to users */
    const char *function, *file;    /* NULL: unknown */
    int line;
};

struct scale_node {
    struct scale_site site;
    char *key;
    bool used; /* costs are added to this node; else the node is only a parent */
};

/* The costs of a run at each node. `n` may be smaller than the number of nodes: later runs can add nodes. */
struct scale_column {
    size_t n;
    struct scale_cell *cell;
    double *counters; /* n x SCALE_COUNTERS values; NULL: the run has no counters */
    bool waits;       /* the wait times of the run are known */
    size_t detail_number, detail_capacity;
    struct scale_detail *details; /* site numbers are node numbers; the field `run` is not set */
};

struct scale_tree {
    size_t node_number, node_capacity;
    struct scale_node *nodes;
    struct mpg_map index; /* (hash of parent and key, 0; on a collision 1, ...) -> 1 + index of the node */
    size_t column_number, column_capacity;
    struct scale_column *columns;
    /* State of the current run: */
    bool ranks;           /* also store the values of each rank: scale_column.details */
    double *rank_ns;      /* for each node: time of the current rank; negative: the rank does not have the node */
    size_t *detail;       /* for each node: index of the current rank's detail */
    uint32_t *touched;    /* the nodes with costs of the current rank */
    size_t touched_number, room;
};

/* Returns the index of the node for FRAME of CALL below PARENT (SCALE_NO_SITE: at the top), added if missing; -1:
 * memory is out. */
int64_t mpg_scale_tree_find(struct scale_tree *tree, int64_t parent, enum mpg_call call, const struct scale_frame_key *frame);

/* The costs of a rank at a site, or a part of these costs. */
struct scale_sum {
    uint64_t count;
    double time_ns, min_ns, max_ns, sent_bytes, received_bytes;
};

/* Begins a column for a run, to which the functions below add. Returns -1 if memory is out. */
int mpg_scale_tree_begin(struct scale_tree *tree);
/* Adds SUM, costs of the current rank, to each of the N nodes. */
int mpg_scale_tree_add(struct scale_tree *tree, const uint32_t *nodes, size_t n, const struct scale_sum *sum);
/* Adds VALUE of counter number COUNTER to each of the N nodes. */
int mpg_scale_tree_count(struct scale_tree *tree, const uint32_t *nodes, size_t n, size_t counter, double value);
/* Adds WAIT_NS, the sum over all ranks, to each of the N nodes. */
void mpg_scale_tree_wait(struct scale_tree *tree, const uint32_t *nodes, size_t n, double wait_ns);
/* To be called if the wait times of the run are known: sets the wait times of all nodes to 0. */
void mpg_scale_tree_know_waits(struct scale_tree *tree);
/* Assigns all costs added since the last call of this function to RANK. */
void mpg_scale_tree_end_rank(struct scale_tree *tree, int32_t rank);
/* Removes the column begun last. */
void mpg_scale_tree_drop(struct scale_tree *tree);
void mpg_scale_tree_clear(struct scale_tree *tree);

#endif
