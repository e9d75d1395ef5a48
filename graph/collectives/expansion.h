/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives as the messages of their algorithms: who can be evaluated when (docs/MODEL.md,
 * section 4, Expanded collectives). Knows members by their index and the slots of their values,
 * nothing of who they are. Private to graph/collectives/. */
#ifndef MPG_GRAPH_EXPANDING_H
#define MPG_GRAPH_EXPANDING_H

#include "graph/progress_evidence.h"
#include "graph/nonblocking.h"
#include "graph/steps.h"

struct expansion;

/* What is to be expanded. */
struct expansion_input {
    const struct mpg_collective_table *table;
    const struct mpg_weak_progress *shown; /* nonblocking: goes by what the trace shows of such; NULL: as the blocking one */
    int64_t eager_limit_bytes;  /* INT64_MAX: there is none */
    int64_t weak_bytes;      /* likewise */
    int64_t tree_bytes;       /* larger ones wait for their receiver to come though a call before can see to it */
    bool observes;              /* who waits for whom to come is looked at once all have left */
    enum mpg_call call;         /* blocking */
    int32_t p;
    const int32_t *world_ranks; /* by index; outlive it */
    void *context;
    void (*wake)(void *context, int32_t index); /* member INDEX may leave now */
};

/* What a member comes with. */
struct expansion_member {
    int32_t index, root; /* root: its index, or -1 if the collective has none */
    uint32_t slot;       /* holds its value */
    struct call_ref call_ref;
    struct mpg_origin origin;
    double bytes;
    double enter_ns, saw_ns; /* aligned; the latter as in struct call */
};

/* That of blocking CALL; MPG_COLLECTIVES: there are no algorithms for it. */
enum mpg_collective mpg_graph_operation_of(enum mpg_call call);
/* Whether there are. */
bool mpg_graph_has_algorithms(enum mpg_call call);
/* NULL: out of memory. */
struct expansion *mpg_graph_expansion_new(const struct expansion_input *what, struct mpg_error *err);
void mpg_graph_expansion_free(struct expansion *expansion); /* NULL is allowed */
/* A member has come: whoever can be evaluated now, is. */
int mpg_graph_expansion_arrive(struct expansion *expansion, struct steps *steps, const struct expansion_member *member,
                               struct mpg_error *err);
/* Member INDEX leaves; once all have, with WHAT.observes: what each waited for that it sent to goes to EVIDENCE. */
void mpg_graph_expansion_leave(struct expansion *expansion, int32_t index, double leave_ns,
                               const struct tree_progress_evidence *evidence);
/* Whether member INDEX's slot holds its leave. */
bool mpg_graph_expansion_left(const struct expansion *expansion, int32_t index);
/* Whether members leave once all have come, not only those that their messages depend on. */
bool mpg_graph_expansion_needs_all(const struct expansion *expansion);

#endif
