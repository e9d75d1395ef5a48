/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The message-passing graph of a trace, as a stream of steps.
 *
 * A step says how to compute one node's value from values computed before; it
 * holds traced times but no perturbation. Every stream, that is thread of a rank,
 * has a current value (the delay of its last node, in perturb mode); values that wait for
 * other streams live in numbered slots, which the graph hands out and takes back, so that
 * whoever evaluates the steps needs room for mpg_graph_slots() values, however long the
 * trace.
 *
 * The order of steps depends on the trace and the options only. docs/MODEL.md
 * defines nodes and edges; Sottile, Chandu, Bader 2006, section 3, draws them.
 *
 * WHAT A NEW EVALUATOR MUST IMPLEMENT: a loop over mpg_graph_next() (`pass` in
 * simulate/evaluate/driver/simulation.c is one), and for each step what it means for the values,
 * as `mpg_evaluator_take` does (simulate/evaluate/evaluator.c). A value may be anything: a vector of
 * delays, a time, a time and who was waited for. What each kind of step asks for:
 *
 *   ENTER        stream += interval_ns, and what the evaluator does to computation
 *   STORE        slot = stream                      LOAD  stream = slot
 *   JOIN         stream = max(stream, slot)
 *   EAGER        slot = stream + flight of `bytes` from rank to receiver
 *   SYNCHRONOUS  slot = max(a + latency, b) + transfer of `bytes`
 *                (of both, where `changed`: in absolute time, docs/MODEL.md, section 4)
 *   CONTRIBUTE   slot = a + `rounds` latencies + transfer of `bytes`
 *   MERGE        slot = max(a, b), less what absorbs them (shift)
 *   VIEW         slot = a, as its receiver sees it (they may be one): it can be exchanged with
 *                others of its rank (below), and whoever sent it still reads a
 *   EXPAND       slots of a collective's members, from their enters to their leaves: of all members,
 *                or of one of them in a tree (struct mpg_expanding), if collectives are asked for
 *                as the messages of their algorithms
 *   LEAVE        stream = max over the local edge (from stream: duration_ns at most) and
 *                `edges` (each from its slot, by its kind: enum mpg_edge_kind); a call with
 *                a MEETING edge has no other
 *   FINISH       the stream's value is its rank's result
 *
 * Where choices are asked for, the LEAVE of a call that may complete something else when
 * times change (Waitany, Waitsome, Test, Testany, Testsome, Testall) has candidates: arrivals, in
 * views, of which the evaluator may exchange the values of those that are completed here and
 * of those that are not. Where sources were left open, it has `receives`, whose views may
 * get the arrival of any message that they fit, and `looking` (docs/MODEL.md, section 6).
 *
 * Streams begin at 0, and without a LOAD are new at their first ENTER; their numbers may
 * grow with every step, and so may the slots. A slot holds its value until a step writes
 * it again; when it is given back is said only where that is asked for, and that it holds one
 * as long as a step is kept that may read it (options.keeps_slots). Draws are addressed by rank, number and
 * `origin` (docs/MODEL.md, section 3), never by the order of steps. An evaluator that only
 * lists what waited for what needs no values: edges name the rank at their other end, the
 * aligned times at both ends and, of messages, the call that sent it (`origin`). Nothing
 * else of graph/ is for evaluators but graph/clocks.h. */
#ifndef MPG_GRAPH_H
#define MPG_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "graph/algorithms/plan.h"
#include "graph/clocks.h"
#include "graph/unexpanded.h"
#include "trace/reader.h"

enum mpg_step_kind {
    MPG_STEP_ENTER,      /* stream's value: from the last call's leave to this call's enter */
    MPG_STEP_STORE,      /* slot = stream's value */
    MPG_STEP_LOAD,       /* stream's value = slot: a thread begins */
    MPG_STEP_JOIN,       /* stream's value = max(it, slot): a thread ends */
    MPG_STEP_EAGER,      /* slot = arrival of a message sent from the stream's value */
    MPG_STEP_SYNCHRONOUS, /* slot = arrival; from slot a (sender's enter) and b (poster's enter), or `seen` */
    MPG_STEP_CONTRIBUTE, /* slot = slot a + the rank's share of a collective */
    MPG_STEP_MERGE,      /* slot = max(a - its shift, b - its) */
    MPG_STEP_VIEW,       /* slot = slot a, an arrival, as its receiver sees it from now on */
    MPG_STEP_EXPAND,     /* slots of a collective's members, by the messages of its algorithm */
    MPG_STEP_LEAVE,      /* stream's value: from this call's enter and the edges to its leave */
    MPG_STEP_FINISH      /* the stream's value is its rank's last: MPI_Finalize's enter */
};

enum mpg_edge_kind {
    MPG_EDGE_ARRIVAL,  /* a message completed here: A -> E (kappa; floor 0) */
    MPG_EDGE_ENVELOPE, /* a probed synchronous message: S_s -> E (lambda + kappa; floor l(0)) */
    MPG_EDGE_ACK,      /* a synchronous send completed here: A -> E (lambda2; floor l(0)) */
    MPG_EDGE_MEETING,  /* the meeting node: G -> E, the only edge of its call */
    MPG_EDGE_MET,      /* that of a nonblocking one completed here: G -> E (kappa; floor
                          n l(b / n)) */
    MPG_EDGE_ROOT,     /* Bcast, Scatter: S_root -> E (l + kappa; floor n l(b / n)) */
    MPG_EDGE_MEMBER,   /* Reduce, Gather: S_j -> E_root (in the slot already; floor l(d)) */
    MPG_EDGE_HELD      /* synchronous ones: E_root -> E, of nonblocking ones S_root -> E (floor 0) */
};

/* Calls that hypotheses insert have numbers with more than so many bits (graph/work/inserted.h); no rank of a trace makes as
 * many calls. Each is an MPI_Sendrecv that takes no time in the traced run, without callsite. */
enum { MPG_INSERTED_BITS = 56 };
static inline bool mpg_is_inserted(uint64_t number)
{
    return number >> MPG_INSERTED_BITS != 0;
}

/* What identifies the draws of a message, or of a part in a collective: the call that
 * started it. */
struct mpg_origin {
    int32_t rank;
    uint32_t index; /* among what the call starts */
    uint64_t call;
    int32_t to;      /* messages: the receiver, */
    uint32_t thread; /* the sender's thread, */
    uint64_t nth;    /* and how many that sent there before */
};

/* A message that a call sends, as far as the call's own duration goes. */
struct mpg_sent {
    struct mpg_origin origin;
    double bytes, target_bytes;    /* as traced, as hypotheses say */
    bool blocking;                 /* the call does not return before it is sent */
    bool sync_source, sync_target; /* synchronous on the traced machine, on the target */
};

/* An edge into a call's leave, besides its local edge. */
struct mpg_edge {
    enum mpg_edge_kind kind;
    int32_t source;    /* world rank at its other end */
    uint32_t slot;
    uint32_t rounds;   /* ROOT, MET: n */
    struct mpg_origin origin; /* ROOT: the call that took part */
    double from_ns;    /* aligned: when the message can have started (arrival, ack: the later of
                          the two enters if synchronous); S_s, S_root, S_j, the last S_j (MET),
                          E_root or S_root (HELD) */
    double sent_ns;    /* arrival: aligned enter of the sending call; MET: of the last S_j so far */
    uint64_t receive;  /* ack: of the rank at the other end */
    double bytes;      /* d; of a collective: b of all rounds */
    double target_bytes; /* the same as hypotheses say */
    double base_ns;    /* changed: aligned, of what the slot's value is the delay */
    double off_ns;     /* MEETING: the longest time that a member's thread was off its CPU in its call */
    struct mpg_origin meeting; /* ROOT, MEMBER: the call that identifies the collective as a whole; */
    int32_t members;           /* ROOT: how many take part, */
    enum mpg_call call;        /* of a collective: its call, the blocking one; */
    double contributed_bytes;  /* ROOT: and what the rank gives, or gets */
    uint64_t message;          /* ARRIVAL: which one, from 1; 0: nobody asks (no choices, hypotheses, carrying) */
    int64_t request;           /* ARRIVAL: that it completes; 0: none */
    bool is_followed;          /* ARRIVAL: open receives may take it in place of another: its EAGER step said so */
    bool is_view;              /* ARRIVAL: its slot is one that a VIEW step wrote */
    bool requested;    /* messages: the call that sends leaves their completion to a request */
    bool awaited;      /* ack: `receive` is a call of its own, that waits */
    bool changed;      /* messages: synchronous on one of source and target only */
    bool awaits_call;          /* HELD: from a call in which the rank at the other end sees to what is waited for */
    bool expanded;             /* MEETING, MET: from the member's own slot after EXPAND; from_ns: when
                                  the first of them came */
};

/* What a call was given and may complete: the arrival of a message. */
struct mpg_candidate {
    struct mpg_edge arrival; /* of kind ARRIVAL, in a view; messages are sent on a channel in the order of
                                their numbers */
    double done_ns;          /* by_completion: aligned leave of the call that completes it */
    int32_t comm, tag;       /* of that, with the source; comm < 0: not a user's */
    bool is_eager;           /* on both machines */
    bool completed;          /* here, in the trace */
    int64_t request;         /* that it completes, the trace's */
};

/* What a receive or probe may take, or find: a message on COMM with TAG from SOURCE, a world rank. */
struct mpg_message_pattern {
    int32_t comm, source, tag;
    bool any_source, any_tag; /* SOURCE, TAG say nothing */
};

/* A receive that was posted, and is not completed, of a message that is followed. */
struct mpg_posted {
    struct mpg_message_pattern fits;
    uint64_t message; /* that it takes in the trace */
    bool chooses;     /* what it takes is asked here: it is completed, or a candidate */
    bool here;        /* the call that is left posts it */
    bool is_view;     /* SLOT is one that a VIEW step wrote: always, if it chooses */
    uint32_t slot;
};

/* A probe: what it finds. */
struct mpg_looking {
    bool looks, takes; /* it is one: else nothing else is said; a matched one */
    struct mpg_message_pattern fits;
    uint64_t found;    /* in the trace: a message, in a view; 0: nothing */
    uint32_t slot;
};

/* What a Parrived asks for: whether a partition of what REQUEST receives is there. */
struct mpg_asking {
    bool asks, found;
    int64_t request;
    int32_t partition;
};

/* A member of a collective that is evaluated by its messages. */
struct mpg_expanded_member {
    uint32_t slot;         /* its enter, then its leave */
    uint32_t message_slot; /* in a tree: of the message between it and its parent, as long as one of
                              the two has been evaluated and the other has not */
    struct mpg_origin origin;
};

/* Of a plan that is a tree, a step is about one member, whose parent's and children's steps have
 * been as mpg_expand_member() wants them (simulate/algorithms/expand.h); else about all. */
struct mpg_expanding {
    struct mpg_plan plan;
    const int32_t *world_ranks; /* by index */
    double eager_limit_bytes;   /* messages of more bytes are synchronous; INFINITY: none are */
    double weak_bytes;       /* of others of more bytes, in trees, the send is done once the receiver has come, but */
    const bool *elsewhere;      /* by index, of the message between a member and its parent: where a call before has seen
                                   to it; NULL: nowhere */
    const struct mpg_expanded_member *member; /* by index; of a tree those that have come */
};

/* What a call or a request is about. */
enum mpg_matter {
    MPG_MATTER_POINT,           /* messages from point to point; probes */
    MPG_MATTER_COLLECTIVE,
    MPG_MATTER_SYNCHRONIZATION, /* barriers, constructors, windows' epochs */
    MPG_MATTER_ONE_SIDED,       /* transfers */
    MPG_MATTER_OTHER,           /* files, other worlds, ... */
    MPG_MATTERS
};

/* What a call has to do with transfers: a put, get, accumulate ... that it starts, what goes to OWNER and what comes
 * back; */
struct mpg_transfer {
    int32_t owner; /* world rank; -1: it starts none */
    int32_t awaits_of; /* or, of a call that waits for transfers of one target, its world rank; -1: of all */
    double put_bytes, get_bytes;
    bool requested; /* its request completes it, too */
};
extern const struct mpg_transfer mpg_no_transfer; /* nothing */

/* What CALL is about; of a call that completes requests, these say it. */
enum mpg_matter mpg_call_matter(enum mpg_call call);

/* A call of the program: what it is, and where it is made. */
struct mpg_call_site {
    enum mpg_call call; /* without large counts */
    uint32_t site;      /* callsite (its stack as a whole), numbered from 1; 0: not recorded */
};

/* Where a region begins or ends in an interval: what of the interval's traced time, without flushes, is before it, and
 * what that comes to, with hypotheses; beyond, what balancing puts there. */
struct mpg_mark {
    int64_t passed_ns;
    double before_ns, after_ns;
};

/* How long what is computed in an interval takes for its traced time. */
struct mpg_change {
    double ratio;     /* the mean of the options' ratios over the interval, with what hypotheses scale it by; */
    double cpu_ratio; /* the same, for its CPU time, where that is recorded; and */
    double more_ns;   /* so much is to be computed beside that, which may be negative */
    double worth_ns;  /* options.marks: what all of it comes to, */
    const struct mpg_mark *marks; /* and the marks in it, in their order */
    uint32_t mark_number;
};
extern const struct mpg_change mpg_no_change; /* as traced */

/* What a call may complete or find in place of what it does in the trace. */
struct mpg_alternatives {
    bool completes_all;        /* it completes all that is there, not one (Waitsome, Testsome), */
    bool needs_all;            /* or all, or nothing (Testall) */
    uint32_t candidate_number; /* 0 where there is nothing to choose */
    const struct mpg_candidate *candidates; /* in the order of the call's list */
    uint32_t receive_number;   /* where something chooses that leaves its source open: receives in
                                  the order in which they were posted, up to the last that
                                  chooses, */
    const struct mpg_posted *receives;
    struct mpg_looking looking; /* and after all of these the call, if it is a probe */
    struct mpg_asking asking;   /* or a Parrived, whose message is its candidate, if it found nothing */
};
extern const struct mpg_alternatives mpg_no_alternatives; /* nothing else */

/* What a step says, first of every kind that needs it, then kind by kind: those of other kinds are
 * not to be read. A small one is cheap to make and to hand on: what few steps say is behind a pointer, to one that says
 * nothing else. All that it points to is valid as long as the step. */
struct mpg_step {
    enum mpg_step_kind kind;
    int32_t rank;      /* world rank; for SYNCHRONOUS the sender */
    uint32_t stream;   /* thread 0 of rank r is r; numbers of others follow as they appear */
    uint32_t thread;   /* of the rank, whose stream it is */
    enum mpg_call call; /* without large counts: Send for Send_c */
    uint32_t slot, a, b;
    int32_t window;    /* that the call is about; -1: none. Of steps that a call makes itself */
    bool changed;      /* messages: synchronous on one of source and target only; LEAVE: the call
                          completes such a send */
    uint64_t number;   /* of the call among its rank's, from 0; flushes and region marks do not
                          count */
    double bytes;      /* messages: d; CONTRIBUTE: b; LEAVE: bytes of the call's size
                          class; */
    double target_bytes; /* messages, CONTRIBUTE: the same as hypotheses say */
    double enter_ns;   /* LEAVE, STORE that joins: aligned */
    int64_t duration_ns; /* LEAVE, MERGE, STORE that joins: of the call */
    int64_t since_ns;  /* ENTER: traced time from MPI_Init's leave to the last call's leave;
                          FINISH: to MPI_Finalize's enter */
    union {
        struct { /* ENTER */
            const struct mpg_change *change;
            struct mpg_call_site from, to; /* the call before the interval (of a thread that begins,
                                          the one it began at), and this one */
            int64_t interval_ns; /* compute interval before the call, without what the tracer took:
                                    flushes, and its cost for each event recorded in it; 0 or more */
            int64_t tracer_ns; /* what the tracer took, 0 or more: with interval_ns all of the
                                  time between the calls */
            int64_t flushed_ns; /* and of that, writing to its file */
            int64_t off_ns;    /* time of interval_ns in which the thread was off its CPU, preempted or stolen */
            int64_t begin_ns;  /* when the interval began, on the rank's own clock */
            int64_t cpu_ns;    /* CPU time of the thread in it, the tracer's taken out as well;
                                  -1: not recorded */
            int64_t alone_ns;  /* CPU time with what calls that involve nobody took: its work; -1: not recorded */
            bool polls;        /* the call before it found nothing, or is MPI_Win_sync, and is made once more */
            bool inserted;     /* one of the two calls is inserted: it is a part of an interval of the trace */
            int32_t region;    /* options.regions: the innermost that is open at the call, a string of
                                  the trace's; -1: none */
        };
        struct { /* messages, their STORE, CONTRIBUTE, MERGE, EXPAND */
            struct mpg_origin origin;
            uint64_t message; /* EAGER, VIEW: which one, from 1, or 0 as an edge says; of an eager one */
            union {
                struct { /* messages, and the STORE that one leaves from */
                    double sender_ns, poster_ns; /* SYNCHRONOUS: aligned enters; EAGER: sender_ns */
                    uint64_t poster;   /* SYNCHRONOUS: the receiver's call that posts the receive, */
                    bool posted;       /* which leaves completion to a request, */
                    bool requested;    /* messages: as the call that sends does */
                    /* SYNCHRONOUS: the slot where the receiver's library sees to the receive: b, or later */
                    uint32_t progress_slot;
                    int32_t receiver;  /* messages: world rank */
                    int32_t comm, tag; /* EAGER: and then those, where */
                    bool is_followed;  /* open receives may take it in place of another */
                    bool grows;        /* SYNCHRONOUS: it is changed for its size by hypotheses alone: it is there
                                          no earlier than if it were eager, and its sender keeps what it took */
                    bool sends;        /* STORE: it is where a synchronous message of `bytes` to
                                          `receiver` leaves from, with `origin` */
                    bool joins;        /* STORE: a member comes to an expanded collective, at enter_ns
                                          after the first one came, in a call of duration_ns (0:
                                          nonblocking) */
                };
                struct { /* CONTRIBUTE */
                    struct mpg_origin meeting; /* the call that identifies the collective, */
                    int32_t members;           /* how many take part, */
                    uint32_t rounds;           /* n */
                    double contributed_bytes;  /* and what the rank gives */
                };
                struct { double clock, wait; } shift[2]; /* MERGE, of a and of b, by how slack is
                                                            believed */
                struct { /* EXPAND */
                    const struct mpg_expanding *expanding; /* which, */
                    int32_t member; /* and which member, relative to the root; -1: all */
                };
            };
        };
        struct { /* LEAVE */
            double leave_ns;     /* aligned */
            int64_t call_off_ns; /* time of the call in which the thread was off its CPU, preempted or stolen */
            double rooted_bytes, round_trip_bytes, round_trip_target_bytes;
            uint32_t rooted;     /* messages that the rank sends as root of a collective, or to one, of
                                    rooted_bytes */
            bool failed;         /* the call returned an error */
            bool dropped;        /* hypotheses drop all that it is about: it takes no time */
            bool found_nothing;  /* a Test..., probe, ... that did not succeed */
            bool round_trip;     /* it waits for one-sided transfers of round_trip_bytes, or, as hypotheses say,
                                    of round_trip_target_bytes */
            uint8_t completed;   /* the matters (MPG_MATTER_...) of the requests that it completes, one
                                    bit each */
            uint32_t sent_number; /* what the call sent, or started to send */
            uint32_t edge_number, lost_number; /* lost: behind the edges that are there, those of what hypotheses drop:
                                                  arrivals, and, of whatever else it may have waited for, MEETINGs,
                                                  which have no slot, and nothing more is said of them */
            const struct mpg_sent *sent;
            const struct mpg_edge *edges;
            const struct mpg_transfer *transfer;
            const struct mpg_alternatives *alternatives;
        };
    };
};

struct mpg_bound_hypotheses;

/* Whether in CALL, a collective of any kind, a member need not wait for all others: those with a root, and scans. */
bool mpg_collective_is_partial(enum mpg_call call);

/* How long computation takes for a traced second, by the innermost named region that it is in. */
struct mpg_region_ratios {
    double base; /* outside of all */
    size_t n;
    const struct mpg_region_ratio {
        const char *name;
        double ratio;
        bool *met; /* becomes true where the trace has that region */
    } *region;
};

/* How nonblocking collectives like one go by what the trace shows (docs/PROGRESS.md, Collectives moved in calls): those
 * of so many members, in each of which a member's part is of so many bytes. */
struct mpg_nonblocking {
    enum mpg_call call; /* the blocking one */
    int32_t members;
    int64_t bytes;
    bool is_weak;         /* in calls of their members only */
    bool sends_weak;       /* what a member sends is done once its receiver is in a call */
    struct mpg_choice choice;
};
enum { MPG_NONBLOCKING_MAX = 32 };

/* A kind of one-sided transfers, of so many bytes (both ways together), by what the trace shows of such (docs/PROGRESS.md,
 * Served transfers): whether the target has to be in a call that sees to them, for the call that starts one to be over,
 * and for one that completes it. */
struct mpg_rma_progress {
    enum mpg_call call; /* without large counts */
    int64_t bytes;
    bool starting, completing;
};
enum { MPG_RMA_PROGRESS_MAX = 32 };

/* Standard sends of more bytes are done once their receiver is in a call that can see to them (docs/MODEL.md, section 10,
 * Carried sends): those that block, and those whose completion is left to a request. INT64_MAX: none. */
struct mpg_weak_progress {
    int64_t blocking_bytes, requested_bytes;
    int64_t tree_bytes; /* in trees of collectives, whatever calls their receiver makes before it comes */
    bool win_start_waits;          /* MPI_Win_start waits for MPI_Win_post */
    uint32_t rma_number;                   /* kinds of transfers that wait for a call of their target */
    struct mpg_rma_progress rma[MPG_RMA_PROGRESS_MAX];
    uint32_t nonblocking_number; /* nonblocking collectives of which the trace says something, */
    struct mpg_nonblocking nonblocking[MPG_NONBLOCKING_MAX];
    bool nonblocking_weak;            /* and whether others are moved in calls, too, */
    int64_t nonblocking_bytes;   /* and of those the ones with larger parts carried; INT64_MAX: none */
    bool is_observed;                         /* what follows is found in the trace: */
    int64_t blocking_left, requested_left; /* the greatest sizes that are done at once by what it shows; -1: none */
    uint64_t unexplained; /* sends of sizes of which some waited like that, and too many did not; so long, all together */
    double unexplained_ns;
};

extern const struct mpg_weak_progress mpg_no_weak_progress;
/* Whether it says that anything waits; that nonblocking collectives do; whether two say the same; a checksum over what it
 * says. */
bool mpg_weak_progress_any(const struct mpg_weak_progress *carried);
bool mpg_weak_progress_of_collectives(const struct mpg_weak_progress *carried);
bool mpg_weak_progress_same(const struct mpg_weak_progress *a, const struct mpg_weak_progress *b);
uint64_t mpg_weak_progress_sum(const struct mpg_weak_progress *carried);

/* Which steps somebody looks at, those of most first: */
enum mpg_steps_wanted {
    MPG_STEPS_ALL,
    MPG_STEPS_NOT_IDLE, /* all but ENTERs of intervals of which the tracer took nothing: nothing is put into those */
    MPG_STEPS_LEAVES    /* LEAVEs, which do not say what their calls sent */
};

struct mpg_graph_options {
    struct mpg_weak_progress weak; /* where carries */
    bool has_weak_progress, observes_progress; /* the latter: finds what is carried, mpg_graph_weak_progress() */
    const struct mpg_region_ratios *ratios; /* NULL: ENTER steps say 1; outlives the graph */
    const struct mpg_bound_hypotheses *bound; /* hypotheses (graph/work/bound_hypotheses.h), and which of them hold, bits */
    uint64_t active;                    /* by their numbers; NULL: none do; outlives the graph */
    bool of_target; /* what hypotheses resize is said to have its new size on the traced machine, too, */
    bool keeps_protocol; /* or the protocol that it had */
    int64_t eager_limit_bytes; /* standard sends of more bytes are synchronous; INT64_MAX: none */
    int64_t source_eager_limit_bytes; /* on the traced machine they were */
    bool progresses_in_calls;  /* SYNCHRONOUS: the receiver's library sees to a receive in its calls alone (docs/MODEL.md,
                                  section 5), else where that is posted */
    bool sync_reduce;          /* who contributes to a Reduce or Gather(v) waits for its root */
    bool regions;              /* ENTER steps name them */
    bool reports_unused;         /* now and then, which slots nobody reads any more (struct mpg_steps) */
    bool keeps_slots;          /* each value has a slot that no other one has as long as any batch is kept whose steps, or the
                                  steps before them, write or read it: steps may be taken in another order than their own.
                                  Not with `choose` or `expand` */
    enum mpg_steps_wanted wanted; /* beside these no steps are made; slots are counted all the same */
    bool marks;                /* with hypotheses about computation, ENTER steps list marks: of CPU time, where that is
                                  recorded, with of_target */
    bool lenient;              /* count what cannot be placed instead of failing */
    bool unfused;                /* calls are begun and left one after the other, none at once: the same steps,
    slower; for tests */
    bool choose;               /* LEAVE steps have candidates, */
    bool by_completion;        /* these say when they were completed: only they are, of which that is known, */
    bool choose_sources;       /* and of receives and probes that leave their source open */
    uint64_t horizon;          /* of messages in flight: with more, no call waits for those that
                                  it may complete */
    const struct mpg_collective_table *expand; /* collectives as their algorithms' messages; NULL: as nodes.
                                       Not owned */
    bool expand_some;          /* only those with a root, and scans, in which not every member waits for all others; and, */
    const struct mpg_unexpanded *unexpanded; /* where it is not NULL, all but these, which outlives the graph */
    const struct mpg_collective_table
        *nonblocking_table; /* carries, observes_progress: what nonblocking collectives go by where the trace does
                                         not say it; NULL: that is not looked at. Not owned */
};

/* Things worth telling about a finished graph. */
struct mpg_graph_counts {
    uint64_t calls, messages, synchronous_messages, collectives;
    uint64_t made_eager;        /* messages: synchronous on the traced machine, not on the target, */
    uint64_t made_synchronous;  /* and the other way round */
    uint64_t choices;           /* Waitany, Waitsome, Test..., Iprobe, Parrived */
    uint64_t open_receives;     /* calls that complete receives, or probe, and left the source open,
                                   and Iprobe, Improbe that found nothing */
    uint64_t followed, followed_receives; /* of the former, and of other calls: that choose, if choices
                                             were asked for */
    uint64_t open_kept;         /* receives and probes that left the source open, and take and find what they did
                                   all the same: of messages that wait for their receivers, or of
                                   ranks of several threads */
    uint64_t beyond_horizon;    /* that went on without candidates, for too much was in flight */
    uint64_t uncompleted_sends; /* never completed by their sender */
    uint64_t asynchronous;      /* of these, received only by calls that do not block */
    uint64_t cancelled;         /* requests that their rank asked to be cancelled, and did not
                                   complete: they match nothing */
    uint64_t unmatched;         /* lenient: operations without partner, */
    uint64_t truncated;         /* and messages that are longer than what they are received into */
    uint64_t incomplete_ranks;  /* lenient: without MPI_Finalize */
    uint64_t failed;            /* calls that returned an error */
    uint64_t flushed_ns;        /* time the tracer wrote in, over all streams */
    uint64_t tracer_ns;         /* time that recording took of compute intervals, beside that */
    uint64_t off_ns, call_off_ns; /* time that threads were off their CPUs in compute intervals, in calls */
    uint64_t cpu_intervals;     /* compute intervals whose CPU time is known */
    uint64_t foreign;           /* operations with processes of other worlds: local */
    double largest_bytes;       /* of a message that is received */
    uint64_t backward;          /* messages that arrive before they left, by the aligned clocks */
    double backward_ns;         /* by so much at most */
    uint64_t held_messages;     /* with hypotheses: whose receiver waited until their sender entered the call that */
    double held_ns;             /* completes their request, by the aligned clocks; so long, all together */
    double alone_ns, served_ns, posted_ns; /* with hypotheses: calls on windows that wait for nobody here, but may have, for as
                                   long as they took; those that wait for a call of their target, until it begins; calls that
                                   complete collectives which do not block, for as long as they still took once all had come */
    uint64_t kept_waiting;      /* with hypotheses: messages that wait for a call of their receiver, or do not, by the size */
    uint64_t kept_leaving;      /* that they had; the trace does not show it of the one that they are given */
    uint64_t waited_sends;      /* MPI_Sends that must have waited for their receive, of so many bytes and more, */
    int64_t waited_bytes;       /* of which none left earlier (MODEL.md, section 3, Protocol: y; 0: no such) */
    double waited_ns;           /* from their enter until it was posted, all together; clocks must be comparable */
    uint64_t transfers;         /* one-sided: put, get, accumulate ... */
    uint64_t transfers_alone;   /* of these, without a window that is known, or never waited for */
    uint64_t file_calls;        /* local */
    uint64_t unknown;           /* calls that the trace has by name only: local */
    uint64_t threads;           /* streams beyond one a rank */
    uint64_t shared_windows;    /* MPI_Win_allocate_shared, each rank's */
    uint64_t expanded, whole;   /* collectives, of `collectives`: expanded, and of `wholes`, */
    uint64_t partial;           /* and those of the others, of several members, in which not every member waits for all others */
};

struct mpg_graph;

/* A stream over TRACE, which with CLOCKS outlives it. */
struct mpg_graph *mpg_graph_open(struct mpg_trace *trace, const struct mpg_clock_map *clocks,
                                 const struct mpg_graph_options *options, struct mpg_error *err);
/* Some steps, in their order, of a graph that has so many slots so far. */
struct mpg_steps {
    const struct mpg_step *step;
    size_t n;
    uint32_t slots;
    struct mpg_batch *batch; /* which they are a part of: the next ones may be behind them */
    bool reports_unused;      /* options.reports_unused: after so many steps as there are slots, 1024 or more, */
    const uint32_t *unused; /* those that nobody reads after these steps before they are written again, */
    uint32_t unused_number; /* so many */
};

/* The next ones, the graph's own and valid until the next are asked for, or longer, if their batch is kept: 1,
 * 0 at the end, -1 if the trace is damaged or cannot be placed; ERR names rank, call number and call. */
int mpg_graph_next(struct mpg_graph *graph, struct mpg_steps *steps, struct mpg_error *err);
/* All steps of BATCH, those that are to come as well, are valid until it has been given back as often as it was kept. It is kept
 * before the next steps are asked for, by whoever asks for them; given back by any thread, before the graph is closed. A batch is
 * filled again once all before it have been given back as well. */
void mpg_batch_keep(struct mpg_batch *batch, uint32_t times);
void mpg_batch_give_back(struct mpg_batch *batch);
/* Takes STEPS of a graph whose clocks are not comparable into BOUNDS, a struct mpg_clock_bounds: no message
 * arrives before it left. 0, or -1 when out of memory. */
int mpg_clock_bounds_take(void *bounds, const struct mpg_steps *steps, struct mpg_error *err);
/* Slots handed out so far are 0 .. value-1; may grow with every step. */
uint32_t mpg_graph_slots(const struct mpg_graph *graph);
struct mpg_graph_counts mpg_graph_counts(const struct mpg_graph *graph);
/* Calls that waited for nobody, begun and left at once (options.apart: none). */
uint64_t mpg_graph_at_once(const struct mpg_graph *graph);
/* Members of the largest collective that has been expanded. */
int32_t mpg_graph_expanded_members(const struct mpg_graph *graph);
/* What the trace so far shows of the traced machine's eager limit, given the target's, which
 * is the answer unless it contradicts: there are standard sends of more bytes that left
 * before their receive was posted, or of less that waited for it again and again. Clocks
 * must be comparable. */
int64_t mpg_graph_source_eager_limit(const struct mpg_graph *graph, int64_t target_bytes);
/* With observes_progress: what the trace so far shows of which sends are carried. Clocks must be comparable. */
struct mpg_weak_progress mpg_graph_weak_progress(const struct mpg_graph *graph);
void mpg_graph_close(struct mpg_graph *graph); /* NULL is allowed */
/* Goes through a graph of TRACE with OPTIONS, to its end: OPTIONS.bound learns (mpg_bound_learn()) what is
 * dropped, and that all of them are about something. Errors: the trace's, theirs. */
int mpg_graph_learn(struct mpg_trace *trace, const struct mpg_graph_options *options, struct mpg_error *err);

#endif
