/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hypotheses applied to messages and collectives of calls. */
#ifndef MPG_GRAPH_APPLY_HYPOTHESES_H
#define MPG_GRAPH_APPLY_HYPOTHESES_H

#include "graph/call.h"
#include "graph/work/bound_hypotheses.h"

/* The applied hypotheses. Zero-initialised: none. */
struct applied_hypotheses {
    const struct mpg_bound_hypotheses *bound; /* NULL: no hypothesis about messages */
    uint64_t active;
    const struct mpg_trace *trace;
};

/* A message, or a member's contribution to a collective, as changed by hypotheses. */
struct outcome {
    bool drops;
    int by; /* index of the hypothesis that selects the message or contribution; -1: none */
    int64_t bytes;
};

/* Bytes of a message or contribution, as traced and as changed by hypotheses. */
struct load {
    int64_t bytes, target_bytes;
    bool drops;  /* dropped by hypotheses */
    int dropper; /* index of the hypothesis that drops or resizes; -1: none, or the drop is known from a learning pass */
    enum mpg_call call; /* of a one-sided transfer: the call that starts it */
};

/* Returns the load of BYTES without hypotheses. */
static inline struct load graph_load(int64_t bytes)
{
    return (struct load){.bytes = bytes, .target_bytes = bytes, .dropper = -1};
}

/* Returns the load of BYTES with OUTCOME. */
static inline struct load graph_outcome_load(int64_t bytes, const struct outcome *outcome)
{
    return (struct load){.bytes = bytes, .target_bytes = outcome->bytes, .drops = outcome->drops, .dropper = outcome->by};
}

/* mpg_graph_apply_to_message() computes *OUTCOME for a message (or one-sided transfer) of BYTES from CALL's rank to world rank
 * TO, on COMM with TAG (or MPG_SELECTED_NO_TAG); mpg_graph_apply_to_part() for CALL's part of BYTES in a collective on COMM.
 * Both return 0, or -1 with ERR: two hypotheses select the message or part. */
int mpg_graph_apply_to_message(const struct applied_hypotheses *s, const struct call *call, int32_t comm, int32_t to, int32_t tag,
                               int64_t bytes, struct outcome *outcome, struct mpg_error *err);
int mpg_graph_apply_to_part(const struct applied_hypotheses *s, const struct call *call, int32_t comm, int64_t bytes,
                            struct outcome *outcome, struct mpg_error *err);

/* In a learning pass: CALL ends an epoch, on a window of COMM, for world rank TO (-1: for all ranks); sets *DROPPER to the
 * hypothesis that drops the epoch, -1: none. In all later passes: sets *DROPPER to -1. Returns 0, or -1 with ERR: two
 * hypotheses drop the epoch. */
int mpg_graph_apply_to_epoch(const struct applied_hypotheses *s, const struct call *call, int32_t comm, int32_t to, int *dropper,
                             struct mpg_error *err);
/* ONE and OTHER are the hypotheses (-1: none) that select one object of CALL. Returns -1 with ERR if the two are different
 * hypotheses; otherwise 0. */
int mpg_graph_check_agreement(const struct applied_hypotheses *s, const struct call *call, int one, int other,
                              struct mpg_error *err);

/* Returns whether this is a learning pass (mpg_bound_learn()). */
bool mpg_graph_is_learning(const struct applied_hypotheses *s);
/* In a learning pass with observer (mpg_bound_set_observer()): mpg_graph_report_effect() reports EFFECT of hypothesis BY (-1:
 * none, no report); mpg_graph_report_other_effect() reports a change of CALL by BY as MPG_EFFECT_OTHER. Both return 0, or -1
 * with the observer's ERR. */
int mpg_graph_report_effect(const struct applied_hypotheses *s, const struct mpg_hypothesis_effect *effect, int by,
                            struct mpg_error *err);
int mpg_graph_report_other_effect(const struct applied_hypotheses *s, const struct call *call, int by, struct mpg_error *err);
/* Returns whether this is a learning pass with observer. */
bool mpg_graph_reports_effects(const struct applied_hypotheses *s);
/* In a learning pass, mpg_graph_learn_dropped() notes that hypothesis DROPPER (-1: none) drops PART (from 1) of the call
 * POSTED, when this becomes known only in a later call: for a receive, for example, when the send is read. Returns 0, or -1:
 * out of memory. In later passes, mpg_graph_is_post_dropped() returns whether the active hypotheses drop the part. */
int mpg_graph_learn_dropped(const struct applied_hypotheses *s, const struct call_ref *posted, uint32_t part, int dropper,
                            struct mpg_error *err);
bool mpg_graph_is_post_dropped(const struct applied_hypotheses *s, const struct call_ref *posted, uint32_t part);
/* In a learning pass: hypotheses DROPPERS, as bits, drop parts of one collective, and only all together drop the
 * whole collective. Returns 0, or -1: out of memory. */
int mpg_graph_learn_together(const struct applied_hypotheses *s, uint64_t droppers, struct mpg_error *err);
/* Fills ERR with the message that hypotheses DROPPERS, as bits, drop CALL's part in a collective but not the part of the call
 * OTHER, or (DROPS_OTHER) the reverse. Returns -1. */
int mpg_graph_drops_half(const struct applied_hypotheses *s, const struct call *call, const struct call_ref *other,
                         uint64_t droppers,
                         bool drops_other, struct mpg_error *err);

#endif
