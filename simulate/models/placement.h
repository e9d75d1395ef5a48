/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The placement of ranks on nodes and core complexes, on the target (--map) and on the source (--source=map), and the path
 * class between two ranks (docs/MODEL.md, section 5, and Decisions, Paths). */
#ifndef MPG_PLACEMENT_H
#define MPG_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "signature/signature.h"

struct mpg_placement {
    int32_t ranks;     /* 0: no placement is given, all messages use one path */
    int32_t *node;     /* node of each rank; nodes are numbered from 0 by their lowest rank */
    int32_t *core_complex; /* core complex of each rank, numbered over all nodes; -1: unknown */
    enum mpg_path_class farthest; /* class of the path between the farthest ranks */
    /* by class: messages between two ranks take paths of this class; always true for the farthest class */
    bool taken[MPG_PATHS];
};

/* Parses TEXT, the value of the option NAME, for RANKS ranks into P: "block:N" or "cyclic:N" (N >= 1 ranks a node), or the name
 * of a file with one line for each rank: NODE, or NODE and COMPLEX, both any words; # begins a comment. P is zero at first.
 * Errors: N is out of range, the number of lines differs from RANKS, a line has more words, out of memory. The caller clears P,
 * even after an error. */
int mpg_placement_parse(struct mpg_placement *p, const char *name, const char *text, int32_t ranks,
                     struct mpg_error *err);
/* Fills P, zero at first, with one node for each host; HOST[r] is any number that identifies the host of rank r. Error: out of
 * memory. The caller clears P, even after an error. */
int mpg_placement_of_hosts(struct mpg_placement *p, const int32_t *host, int32_t ranks,
                        struct mpg_error *err);
/* Returns the path class between ranks A and B, which may be equal. */
enum mpg_path_class mpg_placement_path_class(const struct mpg_placement *p, int32_t a, int32_t b);
/* Returns SIG's path for messages of CLASS: the path of CLASS or of the nearest class in SIG; NULL: SIG has no paths. */
const struct mpg_network_path *mpg_placement_path(const struct mpg_signature *sig,
                                               enum mpg_path_class class);
/* Returns the I-th of SIG's paths that messages of a rank to itself may use if no two ranks share a core complex; NULL: fewer
 * paths. */
const struct mpg_network_path *mpg_placement_own_path(const struct mpg_signature *sig, int i);
void mpg_placement_clear(struct mpg_placement *p);

#endif
