/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hypotheses bound to one trace: their names are resolved, and the work of all ranks in balanced regions is known before the
 * graph makes its first step (docs/MODEL.md, section 10). */
#ifndef MPG_GRAPH_BOUND_HYPOTHESES_H
#define MPG_GRAPH_BOUND_HYPOTHESES_H

#include "trace/hypothesis/hypothesis.h"
#include "trace/reader.h"

struct mpg_bound_hypotheses;

/* Reads TRACE once and binds HYPOTHESES, which must outlive the result and must have passed mpg_hypotheses_check(). Returns
 * NULL with ERR: a trace error; a name that is not in the trace; a hypothesis that changes nothing; visits that cannot be
 * balanced; two balances of one rank; balanced ranks that other hypotheses scale differently. Memory grows with the number of
 * visits of regions balanced by instance. The caller frees the result. */
struct mpg_bound_hypotheses *mpg_bound_new(struct mpg_trace *trace, const struct mpg_hypotheses *hypotheses,
                                           struct mpg_error *err);
void mpg_bound_free(struct mpg_bound_hypotheses *bound); /* NULL is allowed */
/* What a hypothesis changes in a call: a message (or one-sided transfer) that the call sends, a message that it receives, a
 * dropped message that a probe finds, a member's part in a collective, or another object: partitioned messages, neighbourhood
 * collectives, epochs of windows. */
enum mpg_effect_kind { MPG_EFFECT_SENT, MPG_EFFECT_RECEIVED, MPG_EFFECT_PROBED, MPG_EFFECT_PART, MPG_EFFECT_OTHER };
struct mpg_hypothesis_effect {
    enum mpg_effect_kind kind;
    int32_t rank;       /* rank of the call */
    uint64_t number;    /* call number from 0, without flushes and region marks */
    uint32_t which;     /* index among the requests that the call starts, from 0 */
    bool drops;
    int64_t was, bytes; /* bytes as traced, and as changed by hypotheses; unset if dropped */
    const struct mpg_hypothesis *by;
};
/* Sets the observer, a function that learning passes call with CONTEXT for each effect. A return of -1 with ERR ends the
 * pass. With an observer, all members' parts of a collective with common sizes must be resized by the same hypothesis. */
void mpg_bound_set_observer(struct mpg_bound_hypotheses *bound,
                            int (*observer)(void *context, const struct mpg_hypothesis_effect *effect, struct mpg_error *err),
                            void *context);
/* Begins (LEARNS is true) or ends a learning pass, which finds the receives of dropped messages. If a hypothesis is about
 * messages, the caller must run a graph with all hypotheses to its end in a learning pass before any other graph. */
void mpg_bound_learn(const struct mpg_bound_hypotheses *bound, bool learns);
/* After a learning pass: returns -1 with ERR if a hypothesis selected nothing. */
int mpg_bound_check(const struct mpg_bound_hypotheses *bound, struct mpg_error *err);
/* After a learning pass: returns whether the hypotheses SOME alone drop only parts of a collective that all hypotheses
 * together drop. */
bool mpg_bound_split_collective(const struct mpg_bound_hypotheses *bound, uint64_t some);
/* Returns the first hypothesis of SOME that balances ranks which the rest of SOME scale differently; NULL: none. All
 * hypotheses together have no such contradiction. */
const struct mpg_hypothesis *mpg_bound_unbalanced(const struct mpg_bound_hypotheses *bound, uint64_t some);
const struct mpg_hypotheses *mpg_bound_list(const struct mpg_bound_hypotheses *bound);
/* Return sets of hypotheses as bits: all; those of SOME about computation; those of SOME about messages; those of
 * SOME that insert messages. */
uint64_t mpg_bound_all(const struct mpg_bound_hypotheses *bound);
uint64_t mpg_bound_of_work(const struct mpg_bound_hypotheses *bound, uint64_t some);
uint64_t mpg_bound_of_messages(const struct mpg_bound_hypotheses *bound, uint64_t some);
uint64_t mpg_bound_inserting(const struct mpg_bound_hypotheses *bound, uint64_t some);

#endif
