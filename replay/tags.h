/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Renumbers tags above this MPI's MPI_TAG_UB, for traces of an MPI with a larger limit. */
#ifndef MPG_REPLAY_TAGS_H
#define MPG_REPLAY_TAGS_H

#include "replay/interface.h"
#include "trace/reader.h"

/* Tags up to `above` are kept. The larger tags of all ranks become above + 1, above + 2, ... in ascending order. */
struct mpg_tags {
    int32_t above;
    int32_t *tag; /* all different tags above `above`, ascending: of this rank, or after mpg_tags_join() of all ranks */
    size_t n;
};

/* Returns the largest tag in EVENT; 0: no tag. */
int32_t mpg_tags_max(const struct mpg_event *event);
/* Returns the largest kept tag if MPI allows tags up to LIMIT: half of LIMIT. */
int32_t mpg_tags_above(int32_t limit);
/* Sets *TAGS to the different tags above ABOVE in RANK's events. The caller must clear *TAGS, also after an error.
 * Returns 0, or -1 with ERR. */
int mpg_tags_collect(struct mpg_trace *trace, int32_t rank, int32_t above, struct mpg_tags *tags, struct mpg_error *err);
/* Replaces TAGS, the tags of process RANK of RANKS, by the tags of all processes. Collective. Returns 0, or -1 with ERR if
 * memory runs out. */
int mpg_tags_join(struct mpg_tags *tags, const struct mpg_enactor *mpi, int32_t rank, int32_t ranks, struct mpg_error *err);
/* Returns the new number of TAG. To be called after mpg_tags_join(). */
int32_t mpg_tags_map(const struct mpg_tags *tags, int32_t tag);
void mpg_tags_clear(struct mpg_tags *tags);

#endif
