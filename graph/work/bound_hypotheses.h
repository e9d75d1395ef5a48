/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hypotheses bound to one trace: names are resolved, and the work of all ranks in balanced regions is known before the graph
 * makes the first step (docs/MODEL.md, section 10). */
#ifndef MPG_GRAPH_BOUND_HYPOTHESES_H
#define MPG_GRAPH_BOUND_HYPOTHESES_H

#include "trace/hypothesis/hypothesis.h"
#include "trace/reader.h"

struct mpg_bound_hypotheses;

/* Reads TRACE once and binds HYPOTHESES, which must outlive the result and must have passed mpg_hypotheses_check(). Returns
 * NULL with ERR: a trace error; a name missing in the trace; a hypothesis that changes nothing; visits that cannot be
 * balanced; two balances of one rank; balanced ranks scaled by different factors. Memory grows with the number of visits of
 * regions balanced by instance. The caller frees the result. */
struct mpg_bound_hypotheses *mpg_bound_new(struct mpg_trace *trace, const struct mpg_hypotheses *hypotheses,
                                           struct mpg_error *err);
void mpg_bound_free(struct mpg_bound_hypotheses *bound); /* NULL is allowed */
/* The object of a call that a hypothesis changes: a message (or one-sided transfer) sent by the call, a message received by
 * the call, a dropped message found by a probe, a member's part in a collective, or anything else: partitioned messages,
 * neighbourhood collectives, epochs of windows. */
enum mpg_effect_kind { MPG_EFFECT_SENT, MPG_EFFECT_RECEIVED, MPG_EFFECT_PROBED, MPG_EFFECT_PART, MPG_EFFECT_OTHER };
struct mpg_hypothesis_effect {
    enum mpg_effect_kind kind;
    int32_t rank;       /* rank of the call */
    uint64_t number;    /* call number from 0, without flushes and region marks */
    uint32_t which;     /* index among the requests started by the call, from 0 */
    bool drops;
    int64_t was, bytes; /* bytes as traced, and as changed by hypotheses; unset if dropped */
    const struct mpg_hypothesis *by;
};
/* Sets the observer, a function called with CONTEXT by learning passes for each effect. A return of -1 with ERR ends the pass.
 * With an observer, all members' parts of a collective with common sizes must be resized by one hypothesis. */
void mpg_bound_set_observer(struct mpg_bound_hypotheses *bound,
                            int (*observer)(void *context, const struct mpg_hypothesis_effect *effect, struct mpg_error *err),
                            void *context);
/* Begins (LEARNS is true) or ends a learning pass, which finds the receives of dropped messages. If a hypothesis is about
 * messages, the caller must first run a graph with all hypotheses to the end in a learning pass. */
void mpg_bound_learn(const struct mpg_bound_hypotheses *bound, bool learns);
/* After a learning pass: returns -1 with ERR if a hypothesis about messages selected nothing. */
int mpg_bound_check(const struct mpg_bound_hypotheses *bound, struct mpg_error *err);
/* After a learning pass: returns whether the hypotheses of the set SOME (bits), without the rest, drop only parts of a
 * collective that all hypotheses together drop. */
bool mpg_bound_split_collective(const struct mpg_bound_hypotheses *bound, uint64_t some);
/* Returns the first hypothesis of SOME that balances ranks scaled by different factors by the rest of SOME; NULL: none.
 * mpg_bound_new() excludes this contradiction for the set of all hypotheses. */
const struct mpg_hypothesis *mpg_bound_unbalanced(const struct mpg_bound_hypotheses *bound, uint64_t some);
const struct mpg_hypotheses *mpg_bound_list(const struct mpg_bound_hypotheses *bound);
/* These return sets of hypotheses as bits: all; the hypotheses of SOME about computation; about messages; that insert
 * messages. */
uint64_t mpg_bound_all(const struct mpg_bound_hypotheses *bound);
uint64_t mpg_bound_of_work(const struct mpg_bound_hypotheses *bound, uint64_t some);
uint64_t mpg_bound_of_messages(const struct mpg_bound_hypotheses *bound, uint64_t some);
uint64_t mpg_bound_inserting(const struct mpg_bound_hypotheses *bound, uint64_t some);

#endif
