/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hypotheses as they are about one trace: what they name is in it, and what balancing needs of all ranks is
 * known before the graph says its first step (docs/MODEL.md, section 10). */
#ifndef MPG_GRAPH_SUPPOSED_H
#define MPG_GRAPH_SUPPOSED_H

#include "trace/hypothesis/hypothesis.h"
#include "trace/reader.h"

struct mpg_bound_hypotheses;

/* Reads all of TRACE once for HYPOTHESES, which outlive it and do not contradict each other (mpg_hypotheses_check()).
 * Errors: that of the trace; what they name is not in it, nothing is there that they change, visits of a region that
 * cannot be balanced, ranks that both balance, or of which one does what is balanced faster than another. Its memory grows with
 * the visits of regions that are balanced by instance. */
struct mpg_bound_hypotheses *mpg_bound_new(struct mpg_trace *trace, const struct mpg_hypotheses *hypotheses,
                                           struct mpg_error *err);
void mpg_bound_free(struct mpg_bound_hypotheses *supposed); /* NULL is allowed */
/* What one of them changes: a message (or one-sided transfer) at its sender's, a message at its receiver's call, a probe
 * that finds one that is dropped, a member's part in a collective; something else: partitioned messages, what
 * neighbours send, windows' epochs. */
enum mpg_effect_kind { MPG_EFFECT_SENT, MPG_EFFECT_RECEIVED, MPG_EFFECT_PROBED, MPG_EFFECT_PART, MPG_EFFECT_OTHER };
struct mpg_hypothesis_effect {
    enum mpg_effect_kind kind;
    int32_t rank;       /* whose call, */
    uint64_t number;    /* from 0, without flushes and marks of regions, */
    uint32_t which;     /* and of a start of several requests which of them, from 0 */
    bool drops;
    int64_t was, bytes; /* otherwise, those traced, and those supposed */
    const struct mpg_hypothesis *by;
};
/* TOLD is to learn all of that in the pass that learns (below); -1 with an error ends it. All members of a collective
 * are to be resized by the same one then, if its members' sizes have to agree. */
void mpg_bound_set_observer(struct mpg_bound_hypotheses *supposed,
                            int (*observer)(void *context, const struct mpg_hypothesis_effect *effect, struct mpg_error *err),
                            void *context);
/* A graph with all of them is gone through first, to its end, between two of these, if any is about messages: it
 * finds which receives are posted of what is dropped. */
void mpg_bound_learn(const struct mpg_bound_hypotheses *supposed, bool learns);
/* Once a graph with all of them is at its end. Error: one was about nothing. */
int mpg_bound_check(const struct mpg_bound_hypotheses *supposed, struct mpg_error *err);
/* Afterwards: whether SOME of them alone drop a collective by halves, which all together drop. */
bool mpg_bound_split_collective(const struct mpg_bound_hypotheses *supposed, uint64_t some);
/* The first of SOME that contradicts what else of them scales, as with all together it does not: it balances what some of its
 * ranks would then do faster than others. NULL: none does. */
const struct mpg_hypothesis *mpg_bound_unbalanced(const struct mpg_bound_hypotheses *supposed, uint64_t some);
const struct mpg_hypotheses *mpg_bound_list(const struct mpg_bound_hypotheses *supposed);
/* All of them, and of SOME those that change computation, or communication, and of these those that insert messages: bits by
 * their numbers. */
uint64_t mpg_bound_all(const struct mpg_bound_hypotheses *supposed);
uint64_t mpg_bound_of_work(const struct mpg_bound_hypotheses *supposed, uint64_t some);
uint64_t mpg_bound_of_messages(const struct mpg_bound_hypotheses *supposed, uint64_t some);
uint64_t mpg_bound_inserting(const struct mpg_bound_hypotheses *supposed, uint64_t some);

#endif
