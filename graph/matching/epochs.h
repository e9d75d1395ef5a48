/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Epochs of a window that hypotheses may drop (docs/MODEL.md, section 10): only the call that ends one says whether
 * it is, so a pass before all others notes the calls of each, and learns which are dropped. Afterwards that is asked
 * with mpg_graph_is_post_dropped(). Needs calls and what hypotheses say. */
#ifndef MPG_GRAPH_EPOCHS_H
#define MPG_GRAPH_EPOCHS_H

#include "graph/work/apply_hypotheses.h"

/* A part of a call of an epoch. */
struct noted {
    struct call_ref call_ref;
    uint32_t part;
    int32_t target; /* of the window's communicator; -1: all */
    int by;         /* the hypothesis that is about it by itself; -1: none */
};

/* Those of one epoch that is open; zero-initialised is none. */
struct noting {
    struct noted *item;
    size_t n, capacity;
};

/* While a pass learns: PART of CALL, which is of the epoch. Error: out of memory. */
int mpg_graph_note_part(const struct applied_hypotheses *s, struct noting *noting, const struct call *call, uint32_t part,
                        int32_t target,
                        int by, struct mpg_error *err);
/* CALL ends the epoch, for TARGET alone (-1: for all), which DROPPER drops (-1: nobody): forgets its parts. Errors: out
 * of memory; another hypothesis is about one of them. */
int mpg_graph_learn_epoch(const struct applied_hypotheses *s, struct noting *noting, const struct call *call, int32_t target,
                          int dropper,
                          struct mpg_error *err);
void mpg_graph_noting_clear(struct noting *noting);

#endif
