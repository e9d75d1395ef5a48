/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tree of all sites, identified by keys, and the costs of each run at each site. The parent of a site is the site with
 * one frame less. Private to scale/read/. */
#ifndef MPG_SCALE_TREE_H
#define MPG_SCALE_TREE_H

#include "common/error.h"
#include "common/map.h"
#include "scale/scale.h"

enum { SCALE_NO_SITE = -1, SCALE_COUNTERS = 64 /* maximum number of counters in a run */ };

/* Key of a node for call stacks that end at its parent although other stacks continue. */
#define SCALE_END_KEY "\n"

/* A frame of a callsite, or its substitute. The caller owns the texts. */
struct scale_frame_key {
    const char *key;                /* frames with equal keys are the same frame */
    const char *text;               /* printable name */
    const char *function, *file;    /* may be NULL */
    int line;
};

struct scale_node {
    struct scale_site site;
    char *key;
    bool used; /* has its own sums */
};

/* The costs of a run at each node; shorter than the tree if nodes were added later. */
struct scale_column {
    size_t n;
    struct scale_cell *cell;
    double *counters; /* n x SCALE_COUNTERS values, or NULL */
    bool waits;       /* wait times are known */
    size_t detail_number, detail_capacity;
    struct scale_detail *details; /* site numbers are node numbers; the field `run` is not set */
};

struct scale_tree {
    size_t node_number, node_capacity;
    struct scale_node *nodes;
    struct mpg_map index; /* hash of the parent and the key, 0, 1, ... -> node + 1 */
    size_t column_number, column_capacity;
    struct scale_column *columns;
    /* State of the current run: */
    bool ranks;           /* keep the values of each rank */
    double *rank_ns;      /* by node: time of the current rank; < 0: the rank does not have the node */
    size_t *detail;       /* by node: index of the current rank's detail */
    uint32_t *touched;    /* the current rank's nodes */
    size_t touched_number, room;
};

/* Finds or adds the node of CALL at PLACE below PARENT (SCALE_NO_SITE: top level). Returns -1 if out of memory. */
int64_t mpg_scale_tree_find(struct scale_tree *tree, int64_t parent, enum mpg_call call, const struct scale_frame_key *frame);

/* The costs of a rank at one place. */
struct scale_sum {
    uint64_t count;
    double time_ns, min_ns, max_ns, sent_bytes, received_bytes;
};

/* Begins a new column, which the functions below fill. Returns -1 if out of memory. */
int mpg_scale_tree_begin(struct scale_tree *tree);
/* Adds SUM of the current rank to N nodes. */
int mpg_scale_tree_add(struct scale_tree *tree, const uint32_t *nodes, size_t n, const struct scale_sum *sum);
/* Adds VALUE of counter I to N nodes. */
int mpg_scale_tree_count(struct scale_tree *tree, const uint32_t *nodes, size_t n, size_t counter, double value);
/* Adds WAIT_NS, summed over all ranks, to N nodes. */
void mpg_scale_tree_wait(struct scale_tree *tree, const uint32_t *nodes, size_t n, double wait_ns);
/* Declares that the column's wait times are known and sets them to 0. */
void mpg_scale_tree_know_waits(struct scale_tree *tree);
/* Attributes everything added since the previous call to RANK. */
void mpg_scale_tree_end_rank(struct scale_tree *tree, int32_t rank);
/* Drops the column that was begun last. */
void mpg_scale_tree_drop(struct scale_tree *tree);
void mpg_scale_tree_clear(struct scale_tree *tree);

#endif
