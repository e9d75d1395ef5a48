/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives as messages of an algorithm: when each member can be evaluated (docs/MODEL.md, section 4, Expanded
 * collectives). This file identifies members by index and slot. Private to graph/collectives/. */
#ifndef MPG_GRAPH_EXPANSION_H
#define MPG_GRAPH_EXPANSION_H

#include "graph/progress_evidence.h"
#include "graph/nonblocking.h"
#include "graph/steps.h"

struct expansion;

/* The collective to expand. */
struct expansion_input {
    const struct mpg_collective_table *table;
    const struct mpg_weak_progress *observed_progress; /* nonblocking: observed progress; NULL: like the blocking variant */
    int64_t eager_limit_bytes;  /* larger messages are synchronous, bytes; INT64_MAX: none */
    int64_t weak_bytes;      /* larger sends, in bytes, wait until the receiver is inside MPI (weak progress); INT64_MAX: none */
    /* larger sends, in bytes, wait until the receiver enters the collective, even if an earlier call could progress the send */
    int64_t tree_bytes;
    bool observes;              /* collect evidence about sends in trees, once all members have left */
    enum mpg_call call;         /* blocking variant */
    int32_t p;
    const int32_t *world_ranks; /* of the members, by index; must outlive the expansion */
    void *context;
    void (*wake)(void *context, int32_t index); /* called when member INDEX may leave */
};

/* A member entering the collective. */
struct expansion_member {
    int32_t index, root; /* root: member index, or -1 without root */
    uint32_t slot;       /* slot with the member's value */
    struct call_ref call_ref;
    struct mpg_origin origin;
    double bytes;
    double enter_ns, progressed_ns; /* aligned enter; progressed_ns as in struct call */
};

/* Returns whether CALL has algorithms. */
bool mpg_graph_has_algorithms(enum mpg_call call);
/* Returns a new expansion, which the caller frees; NULL: out of memory. */
struct expansion *mpg_graph_expansion_new(const struct expansion_input *what, struct mpg_error *err);
void mpg_graph_expansion_free(struct expansion *expansion); /* NULL is allowed */
/* To be called when MEMBER enters: emits steps for all members that can now be evaluated. Returns 0, or -1: out of memory. */
int mpg_graph_expansion_arrive(struct expansion *expansion, struct steps *steps, const struct expansion_member *member,
                               struct mpg_error *err);
/* To be called when member INDEX leaves, at LEAVE_NS. After the last member, if WHAT.observes, adds the waits of senders to
 * EVIDENCE. */
void mpg_graph_expansion_leave(struct expansion *expansion, int32_t index, double leave_ns,
                               const struct tree_progress_evidence *evidence);
/* Returns whether the slot of member INDEX already holds the value of the member's leave. */
bool mpg_graph_expansion_left(const struct expansion *expansion, int32_t index);
/* Returns whether a member leaves only after all members have entered, not already after the members that its messages
 * depend on. */
bool mpg_graph_expansion_needs_all(const struct expansion *expansion);

#endif
