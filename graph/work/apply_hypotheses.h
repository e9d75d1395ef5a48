/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hypotheses about what calls send and take part in. */
#ifndef MPG_GRAPH_SUPPOSING_H
#define MPG_GRAPH_SUPPOSING_H

#include "graph/call.h"
#include "graph/work/bound_hypotheses.h"

/* Those that hold; zero-initialised: none. */
struct applied_hypotheses {
    const struct mpg_bound_hypotheses *bound; /* NULL: none of them is about messages */
    uint64_t active;
    const struct mpg_trace *trace;
};

/* A message, or what a member gives to a collective: how it is by the hypotheses. */
struct outcome {
    bool drops;
    int by; /* the hypothesis that is about it; -1: none */
    int64_t bytes;
};

/* What is sent, or given: its bytes as traced, and as hypotheses say. */
struct load {
    int64_t bytes, target_bytes;
    bool drops;  /* hypotheses: nothing is, */
    int dropper; /* by this one; -1: that was learned before */
};

/* What no hypothesis is about. */
static inline struct load graph_load(int64_t bytes)
{
    return (struct load){.bytes = bytes, .target_bytes = bytes, .dropper = -1};
}

/* What becomes of BYTES by OUTCOME. */
static inline struct load graph_outcome_load(int64_t bytes, const struct outcome *outcome)
{
    return (struct load){bytes, outcome->bytes, outcome->drops, outcome->by};
}

/* Of a message (or one-sided transfer) of BYTES from CALL's rank to another one, both world ranks, on COMM with TAG
 * (MPG_SELECTED_NO_TAG: without one); of CALL's part in a collective on COMM. Error: two hypotheses are about it, which
 * contradict each other. */
int mpg_graph_apply_to_message(const struct applied_hypotheses *s, const struct call *call, int32_t comm, int32_t to, int32_t tag,
                               int64_t bytes, struct outcome *outcome, struct mpg_error *err);
int mpg_graph_apply_to_part(const struct applied_hypotheses *s, const struct call *call, int32_t comm, int64_t bytes,
                            struct outcome *outcome, struct mpg_error *err);

/* While a pass learns: which hypothesis drops the epoch of a window of COMM that CALL ends, to TO alone (a world rank;
 * -1: to all); *DROPPER is -1 without one, and in all other passes. Error: two of them. */
int mpg_graph_apply_to_epoch(const struct applied_hypotheses *s, const struct call *call, int32_t comm, int32_t to, int *dropper,
                             struct mpg_error *err);
/* Error: ONE and OTHER, hypotheses (-1: none) that CALL finds to be about one thing, are two. */
int mpg_graph_check_agreement(const struct applied_hypotheses *s, const struct call *call, int one, int other,
                              struct mpg_error *err);

bool mpg_graph_is_learning(const struct applied_hypotheses *s);
/* While a pass learns, and somebody wants to know (mpg_bound_set_observer()): TOLD, but for its BY, which is hypothesis BY
 * (-1: none); that one is about CALL in a way that is not told. Error: theirs. */
int mpg_graph_report_effect(const struct applied_hypotheses *s, const struct mpg_hypothesis_effect *effect, int by,
                            struct mpg_error *err);
int mpg_graph_report_other_effect(const struct applied_hypotheses *s, const struct call *call, int by, struct mpg_error *err);
bool mpg_graph_reports_effects(const struct applied_hypotheses *s);
/* While a pass learns: the receive of what hypothesis DROPPER drops is left to a request by POSTED, as the PARTth
 * thing that the call is about, from 1; so is any other part of a call of which only a later one says that it is
 * dropped. DROPPER -1: none. Error: out of memory. Afterwards: whether, by those that hold, it is dropped. */
int mpg_graph_learn_dropped(const struct applied_hypotheses *s, const struct call_ref *posted, uint32_t part, int dropper,
                            struct mpg_error *err);
bool mpg_graph_is_post_dropped(const struct applied_hypotheses *s, const struct call_ref *posted, uint32_t part);
/* While a pass learns: DROPPERS, bits, each drop parts of one collective, which is whole with all of them only. Error:
 * out of memory. */
int mpg_graph_learn_together(const struct applied_hypotheses *s, uint64_t droppers, struct mpg_error *err);
/* An error: CALL's part in a collective is dropped by DROPPERS, bits, and OTHER's is not, or (DROPS_OTHER) the other way
 * round. */
int mpg_graph_drops_half(const struct applied_hypotheses *s, const struct call *call, const struct call_ref *other,
                         uint64_t droppers,
                         bool drops_other, struct mpg_error *err);

#endif
