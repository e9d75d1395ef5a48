/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Long lists of candidates, for ranks that call MPI_Waitany over thousands of requests again and again: most candidates
 * of a call are also candidates of the rank's next call. For each lane, the list keeps bounds of arrivals in a tree, to
 * look at few candidates in a call. Private to simulate/choice/. */
#ifndef MPG_LONG_LIST_H
#define MPG_LONG_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "graph/graph.h"

struct mpg_choosing;
struct mpg_lateness;
struct mpg_long_list;

/* The lists of all ranks. */
struct mpg_long_lists {
    struct mpg_long_list **of_rank; /* by rank; NULL: the rank has no list */
    struct mpg_long_place {
        uint32_t list;     /* 1 + rank whose list has the view in this slot; 0: none */
        uint32_t position;
    } *place;              /* by slot */
    uint32_t rank_capacity, place_capacity;
};

/* A search in a list, in a lane. A candidate is named by the position in the tree, which has the order of the call's
 * list; UINT32_MAX: none. */
struct mpg_long_question {
    const struct mpg_choosing *choosing;
    const struct mpg_long_list *list;
    const struct mpg_lateness *lateness;
    uint32_t completed; /* position of the candidate completed in the trace */
    /* candidates before this position, except `completed`, had not arrived in the trace (struct mpg_lateness) */
    uint32_t late_end;
    uint32_t w;         /* the lane of the search */
};

/* Brings the long list of S's rank up to date: its candidates become those of the call S. *LIST: the list, valid until the next
 * call of a function of choice_private.h; NULL: S cannot use a list, because its candidates are few, MPI_ANY_SOURCE receives can
 * take their messages, or two are on one channel. Returns 0, or -1 with ERR: no memory. */
int mpg_long_lists_take(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_long_list **list, struct mpg_error *err);
/* Removes the view at SLOT from the list with this view, if any. */
void mpg_long_list_remove(struct mpg_choosing *c, uint32_t slot);
void mpg_long_lists_clear(struct mpg_long_lists *lists);
/* To be called when in lane W the view at SLOT, at POSITION of LIST, gets another arrival or is completed early. */
void mpg_long_list_change(struct mpg_long_list *list, uint32_t slot, uint32_t position, uint32_t w);

/* Returns whether in lane W the messages of all candidates are on different channels: then no message delays another. */
bool mpg_long_list_is_free(const struct mpg_choosing *c, struct mpg_long_list *list, uint32_t w);
/* To be called after lane W has exchanged two candidates of LIST, one of which the call completes: the messages are still on
 * different channels. */
void mpg_long_list_remains_free(struct mpg_long_list *list, uint32_t w);
/* Returns a search in LIST for call S. COMPLETED: the candidate completed in the trace (the number of candidates: none).
 * LATENESS outlives the search; NULL: S tells nothing about arrivals. The caller sets the lane. */
struct mpg_long_question mpg_long_list_query(const struct mpg_choosing *c, const struct mpg_long_list *list,
                                             const struct mpg_step *s, const struct mpg_lateness *lateness, uint32_t completed);
/* Return the position of a candidate; UINT32_MAX: none. _first_done(): the first candidate completed by an earlier test.
 * _first(): the first candidate, from position FROM on, with arrival by LIMIT_NS. _earliest(): the candidate with the
 * earliest arrival; among equal arrivals the candidate completed in the trace, else the first. */
uint32_t mpg_long_list_first_done(const struct mpg_long_question *q);
uint32_t mpg_long_list_first(const struct mpg_long_question *q, double limit_ns, uint32_t from);
uint32_t mpg_long_list_earliest(const struct mpg_long_question *q);
/* Returns the index, in the call's list, of the candidate at POSITION. */
uint32_t mpg_long_list_index(const struct mpg_long_list *list, uint32_t position);

static inline void mpg_long_lists_change(const struct mpg_long_lists *lists, uint32_t slot, uint32_t w)
{
    if (slot < lists->place_capacity && lists->place[slot].list)
        mpg_long_list_change(lists->of_rank[lists->place[slot].list - 1], slot, lists->place[slot].position, w);
}

#endif
