/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tags that the MPI here does not allow, as the trace is of one that does: they are given others. */
#ifndef MPG_REPLAY_TAGS_H
#define MPG_REPLAY_TAGS_H

#include "replay/stage.h"
#include "trace/reader.h"

/* Tags up to ABOVE stay; of those above the least of all ranks becomes ABOVE + 1, and so on. */
struct mpg_tags {
    int32_t above;
    int32_t *tag; /* those above, of all ranks: ascending, each once */
    size_t n;
};

/* The greatest tag of EVENT; 0 if it has none. */
int32_t mpg_tags_most(const struct mpg_event *event);
/* Where at most LIMIT is allowed and that is not enough: from where on tags are given others, half of what there is. */
int32_t mpg_tags_above(int32_t limit);
/* Those of RANK above ABOVE, each once; the caller clears *TAGS in any case. */
int mpg_tags_collect(struct mpg_trace *trace, int32_t rank, int32_t above, struct mpg_tags *tags, struct mpg_error *err);
/* TAGS, those of this RANK of RANKS, become those of all. Collective. Error: out of memory. */
int mpg_tags_join(struct mpg_tags *tags, const struct mpg_enactor *mpi, int32_t rank, int32_t ranks, struct mpg_error *err);
/* What goes by TAG, of those that have been joined. */
int32_t mpg_tags_map(const struct mpg_tags *tags, int32_t tag);
void mpg_tags_clear(struct mpg_tags *tags);

#endif
