/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Epochs of MPI windows that hypotheses can drop (docs/MODEL.md, section 10). Only the call that ends an epoch tells
 * whether hypotheses drop the epoch. A learning pass therefore notes the calls of each epoch and learns which parts
 * are dropped; later passes ask mpg_graph_is_post_dropped(). */
#ifndef MPG_GRAPH_EPOCHS_H
#define MPG_GRAPH_EPOCHS_H

#include "graph/work/apply_hypotheses.h"

/* A part of a call (a message or synchronization) that belongs to an epoch. */
struct epoch_part {
    struct call_ref call_ref;
    uint32_t part;  /* position among the parts of the call, from 1 */
    int32_t target; /* rank of the window's communicator; -1: all */
    int by;         /* index of the hypothesis that selects this part without the rest of the epoch; -1: none */
};

/* The parts of one open epoch. Zero-initialised: no parts. */
struct epoch_parts {
    struct epoch_part *item;
    size_t n, capacity;
};

/* Notes, in a learning pass, that PART of CALL belongs to the epoch. Returns 0, or -1: out of memory. */
int mpg_graph_note_part(const struct applied_hypotheses *s, struct epoch_parts *epoch_parts, const struct call *call,
                        uint32_t part,
                        int32_t target,
                        int by, struct mpg_error *err);
/* To be called in a learning pass when CALL ends the epoch for TARGET (-1: for all targets). DROPPER: the hypothesis that
 * drops the epoch; -1: none. Records DROPPER for the epoch's parts for TARGET, and removes these parts from EPOCH_PARTS.
 * Errors: out of memory; another hypothesis selects one of the parts. */
int mpg_graph_learn_epoch(const struct applied_hypotheses *s, struct epoch_parts *epoch_parts, const struct call *call,
                          int32_t target,
                          int dropper,
                          struct mpg_error *err);
void mpg_graph_epoch_parts_clear(struct epoch_parts *epoch_parts);

#endif
