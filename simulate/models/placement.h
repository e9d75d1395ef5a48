/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where ranks are, on the target (--map) and on the source (--source=map), and which path messages take
 * between them (docs/MODEL.md, 5, and Decisions, Paths). */
#ifndef MPG_PLACEMENT_H
#define MPG_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "signature/signature.h"

struct mpg_placement {
    int32_t ranks;     /* 0: nothing is said, all messages take one path */
    int32_t *node;     /* a rank: its node, numbered from 0 in the order of lowest ranks */
    int32_t *core_complex; /* and its core complex, over all nodes; -1: not known */
    enum mpg_path_class farthest; /* of any two ranks */
    bool taken[MPG_PATHS];        /* some two ranks have that between them; the farthest always */
};

/* TEXT, of the option NAME: "block:N", "cyclic:N" with N >= 1, or the name of a file with a line a rank: NODE, or NODE
 * and COMPLEX, words; # begins a comment. Errors: another number of lines, a line of more words, N,
 * out of memory. P is zero-initialised, and to be cleared even so. */
int mpg_placement_parse(struct mpg_placement *p, const char *name, const char *text, int32_t ranks,
                     struct mpg_error *err);
/* Nodes are hosts, HOST[r] being rank r's, any numbers. P is zero-initialised, and to be cleared even
 * so. Error: out of memory. */
int mpg_placement_of_hosts(struct mpg_placement *p, const int32_t *host, int32_t ranks,
                        struct mpg_error *err);
/* What A and B, two ranks or one, have between them. */
enum mpg_path_class mpg_placement_path_class(const struct mpg_placement *p, int32_t a, int32_t b);
/* The path that messages between ranks at CLASS take: the first that SIG has; NULL: none. */
const struct mpg_network_path *mpg_placement_path(const struct mpg_signature *sig,
                                               enum mpg_path_class class);
/* Those of SIG that what a rank sends itself may take where no two ranks are in a core complex, the
 * I-th; NULL: there are no more. */
const struct mpg_network_path *mpg_placement_own_path(const struct mpg_signature *sig, int i);
void mpg_placement_clear(struct mpg_placement *p);

#endif
