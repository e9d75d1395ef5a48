/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The message-passing graph of a trace, as a stream of steps.
 *
 * A step says how to compute the value of one graph node from values computed earlier. A step holds traced times and no
 * perturbation. Each stream (a thread of a rank) has a current value; in perturb mode the value is the delay of the stream's
 * last node. Values that wait for another stream live in numbered slots. The graph allocates and reuses slots: an evaluator
 * needs room for mpg_graph_slots() values, whatever the length of the trace.
 *
 * The order of steps depends on the trace and the options only. docs/MODEL.md defines nodes and edges; Sottile,
 * Chandu, Bader 2006, section 3, draws the graph.
 *
 * HOW TO WRITE AN EVALUATOR: loop over mpg_graph_next() (`pass` in simulate/evaluate/driver/simulation.c is an example) and
 * apply each step to the values (`mpg_evaluator_take` in simulate/evaluate/evaluator.c is an example). A value can be of any
 * type: a vector of delays, a time, or a time together with the rank that caused the wait. The kinds of steps:
 *
 *   ENTER        stream += interval_ns, plus the evaluator's change to computation
 *   STORE        slot = stream                      LOAD  stream = slot
 *   JOIN         stream = max(stream, slot)
 *   EAGER        slot = stream + flight of `bytes` from rank to receiver
 *   SYNCHRONOUS  slot = max(a + latency, b) + transfer of `bytes`
 *                (for changed protocols in absolute time: docs/MODEL.md, section 4)
 *   CONTRIBUTE   slot = a + `rounds` latencies + transfer of `bytes`
 *   MERGE        slot = max(a, b), reduced by the slack before each (shift)
 *   VIEW         slot = copy of a for the receiver (slot and a can be equal). The receiver's value can be
 *                exchanged with another arrival of the rank (below); the sender still reads a
 *   EXPAND       slots of a collective's members: values at the enter become values at the leave, by the messages
 *                of the algorithm; all members at once, or one member of a tree (struct mpg_expanding)
 *   LEAVE        stream = max over the local edge (from stream: duration_ns at most) and `edges`
 *                (each from a slot, by kind: enum mpg_edge_kind); a MEETING edge is the only edge of a call
 *   FINISH       the stream's value is the rank's result
 *   EXPORT, IMPORT  a slot's value to and from another part of a divided graph (graph/parts/parts.h), for evaluators of parts
 *
 * With options.choose, the LEAVE of a call that can complete different requests when times change (Waitany, Waitsome, Test,
 * Testany, Testsome, Testall) lists candidates: arrivals in views. The evaluator can exchange the values of completed and
 * uncompleted candidates. With options.choose_sources, MPI_ANY_SOURCE receives and probes list `receives` and `probe`: a view
 * can get the arrival of any matching message (docs/MODEL.md, section 6).
 *
 * A stream begins at value 0 at the first ENTER, unless a LOAD comes first. Stream and slot numbers can grow with every step.
 * A slot holds a value until a step writes the slot again; with options.reports_unused the graph reports unused slots, and
 * with options.keeps_slots kept batches keep their slots. Random draws are addressed by rank, call number and `origin`
 * (docs/MODEL.md, section 3), never by the order of steps. An evaluator that only lists waits needs no values: an edge names
 * the rank at the other end, the aligned times at both ends and, for messages, the sending call (`origin`). Of graph/, an
 * evaluator includes only graph.h and graph/clocks.h. */
#ifndef MPG_GRAPH_H
#define MPG_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "graph/algorithms/plan.h"
#include "graph/clocks.h"
#include "graph/unexpanded.h"
#include "trace/parallel.h"
#include "trace/reader.h"

enum mpg_step_kind {
    MPG_STEP_ENTER,      /* stream's value: from the leave of the previous call to the enter of this call */
    MPG_STEP_STORE,      /* slot = stream's value */
    MPG_STEP_LOAD,       /* stream's value = slot: a thread begins */
    MPG_STEP_JOIN,       /* stream's value = max(stream's value, slot): a thread ends */
    MPG_STEP_EAGER,      /* slot = arrival of a message sent from the stream's value */
    /* slot = arrival; from slot a (sender's enter) and slot b (enter of the receive's post) or progress_slot */
    MPG_STEP_SYNCHRONOUS,
    MPG_STEP_CONTRIBUTE, /* slot = slot a + the rank's contribution to a collective */
    MPG_STEP_MERGE,      /* slot = max(a - shift of a, b - shift of b) */
    MPG_STEP_VIEW,       /* slot = copy of slot a, an arrival; the receiver reads the copy, which another message can replace */
    MPG_STEP_EXPAND,     /* slots of a collective's members, by the messages of the algorithm */
    MPG_STEP_LEAVE,      /* stream's value: from the enter of this call and the edges to the leave */
    MPG_STEP_FINISH,     /* the stream's value is the rank's result: MPI_Finalize's enter */
    MPG_STEP_EXPORT,     /* `value` = slot, for another part of the graph; only with options.part */
    MPG_STEP_IMPORT      /* slot = `value` that another part exported; only with options.part */
};

/* Kinds of edges. Nodes (A, E, G, S), costs (kappa, lambda, l) and floors (minimum durations) have the names of docs/MODEL.md,
 * section 4. */
enum mpg_edge_kind {
    MPG_EDGE_ARRIVAL,  /* a message completed here: A -> E (kappa; floor 0) */
    MPG_EDGE_ENVELOPE, /* a probed synchronous message: S_s -> E (lambda + kappa; floor l(0)) */
    MPG_EDGE_ACK,      /* a synchronous send completed here: A -> E (lambda2; floor l(0)) */
    MPG_EDGE_MEETING,  /* the meeting node of a blocking collective: G -> E, the only edge of the call */
    MPG_EDGE_MET,      /* the meeting node of a nonblocking collective completed here: G -> E (kappa; floor n l(b / n)) */
    MPG_EDGE_ROOT,     /* Bcast, Scatter: S_root -> E (l + kappa; floor n l(b / n)) */
    MPG_EDGE_MEMBER,   /* Reduce, Gather: S_j -> E_root (the slot includes the cost; floor l(d)) */
    /* the call waits until another rank enters a call that progresses the operation (awaits_call), or until the root of a
     * synchronous Reduce or Gather leaves (E_root -> E; nonblocking: enters, S_root -> E); floor 0 */
    MPG_EDGE_HELD
};

/* Calls that hypotheses insert have call numbers of more than MPG_INSERTED_BITS bits (graph/work/inserted.h), which no traced
 * call has. An inserted call is an MPI_Sendrecv without callsite, of duration 0 in the traced run. */
enum { MPG_INSERTED_BITS = 56 };
static inline bool mpg_is_inserted(uint64_t number)
{
    return number >> MPG_INSERTED_BITS != 0;
}

/* The key of the random draws of a message, or of a member's part in a collective: the call that starts the message or part. */
struct mpg_origin {
    int32_t rank;
    uint32_t index; /* index, from 0, among the messages and parts started by the call */
    uint64_t call;
    int32_t to;      /* messages: the receiver, world rank */
    uint32_t thread; /* messages: the sender's thread */
    uint64_t nth;    /* messages: number of earlier messages of the thread to the receiver */
};

/* A message sent by a call, as far as the message affects the call's own duration. */
struct mpg_sent {
    struct mpg_origin origin;
    double bytes, target_bytes;    /* bytes as traced; bytes as changed by hypotheses */
    bool blocking;                 /* the call returns only after the send is complete */
    bool sync_source, sync_target; /* synchronous on the traced machine; on the target machine */
};

/* An edge into a call's leave, besides the local edge. Names in capitals are the kinds that use the field. */
struct mpg_edge {
    enum mpg_edge_kind kind;
    int32_t source;    /* world rank at the other end */
    uint32_t slot;
    uint32_t rounds;   /* ROOT, MET: number of rounds n */
    struct mpg_origin origin; /* the call at the other end: the send of a message; ROOT: the root's call */
    /* aligned time at the other end. ARRIVAL, ACK: earliest start of the transfer (synchronous: the later of the enters of
     * sender and receiver); other kinds: enter of the sender S_s, of the root S_root or of the member S_j, of the last member
     * (MET); HELD: the root's leave E_root or enter S_root, or the enter of the awaited call */
    double from_ns;
    double sent_ns;    /* aligned time. ARRIVAL: enter of the sending call; MET: enter of the last member so far */
    uint64_t receive;  /* ACK: call number of the receive, on the rank at the other end */
    double bytes;      /* bytes of a message (d), or of all rounds of a collective (b) */
    double target_bytes; /* `bytes` as changed by hypotheses */
    double base_ns;    /* messages with changed protocol: aligned time to which the slot's delay refers */
    double off_ns;     /* MEETING: longest time that a member's thread was off its CPU during the collective */
    struct mpg_origin meeting; /* ROOT, MEMBER: the call that identifies the collective */
    int32_t members;           /* ROOT: number of members */
    enum mpg_call call;        /* collectives: the call, as the blocking variant */
    double contributed_bytes;  /* ROOT: bytes that the rank contributes or receives */
    /* ARRIVAL: number of the message, from 1; always 0 in graphs without choices, hypotheses and weak progress */
    uint64_t message;
    int64_t request;           /* ARRIVAL: the completed request; 0: none */
    /* ARRIVAL: MPI_ANY_SOURCE receives can take this message in place of another; equal to is_followed of the message's EAGER
     * step */
    bool is_followed;
    bool is_view;              /* ARRIVAL: a VIEW step wrote the slot */
    bool requested;    /* messages: the sending call leaves completion to a request */
    bool awaited;      /* ACK: the call with number `receive` is a blocking receive, which posts and completes */
    bool changed;      /* messages: synchronous on exactly one of source and target machine */
    bool awaits_call;          /* HELD: the rank at the other end makes progress in this call */
    bool expanded; /* MEETING, MET: EXPAND wrote the slot, for this member alone; from_ns is the enter of the first member */
};

/* A message whose arrival a call can complete. */
struct mpg_candidate {
    /* edge of kind ARRIVAL from a slot that a VIEW step wrote; shared by the steps of a batch. Messages of a channel have
     * ascending numbers */
    const struct mpg_edge *arrival;
    double done_ns;          /* options.by_completion: aligned leave of the call that completes the message in the trace */
    int32_t comm, tag;       /* communicator and tag; comm < 0: a message internal to the simulation of a call, not a message
                              * of the program */
    bool is_eager;           /* sent eagerly on both the traced and the target machine */
    bool completed;          /* completed by this call in the trace */
    int64_t request;         /* the request that the arrival completes, as numbered in the trace */
};

/* What a receive or probe accepts: a message on COMM with TAG from SOURCE, a world rank. */
struct mpg_message_pattern {
    int32_t comm, source, tag;
    bool any_source, any_tag; /* MPI_ANY_SOURCE, MPI_ANY_TAG: SOURCE, TAG are ignored */
};

/* A posted, uncompleted receive, in a rank whose receives can take different messages than in the trace. */
struct mpg_posted {
    struct mpg_message_pattern fits;
    uint64_t message; /* message taken by the receive in the trace */
    /* the evaluator chooses the receive's message at this LEAVE step: the call completes the receive, or could complete it */
    bool chooses;
    bool here;        /* posted by the call that is left in this step */
    bool is_view;     /* a VIEW step wrote SLOT; always true if CHOOSES */
    uint32_t slot;
};

/* A probe and its result. */
struct mpg_probe {
    bool looks, takes; /* looks: the call is a probe, otherwise all fields are unset; takes: the probe is a matched probe
                        * (MPI_Mprobe) */
    struct mpg_message_pattern fits;
    uint64_t found;    /* number of the message found by the probe in the trace, for which a VIEW step exists; 0: none */
    uint32_t slot;
};

/* A call of MPI_Parrived: whether partition PARTITION of REQUEST has arrived. */
struct mpg_parrived {
    bool asks, found; /* asks: the call is MPI_Parrived, else all fields are unset; found: the call's result */
    int64_t request;
    int32_t partition;
};

/* A member of a collective expanded into the messages of the collective's algorithm. */
struct mpg_expanded_member {
    uint32_t slot;         /* value at the member's enter, later at the leave */
    /* trees: slot that carries the message between member and parent from the EXPAND step of the sender to the EXPAND step of
     * the receiver */
    uint32_t message_slot;
    struct mpg_origin origin;
};

/* An EXPAND step. Tree algorithms: one member at a time, parents and children in the order of mpg_expand_member()
 * (simulate/algorithms/expand.h). All remaining algorithms: all members at once. */
struct mpg_expanding {
    struct mpg_plan plan;
    const int32_t *world_ranks; /* by member index */
    double eager_limit_bytes;   /* larger messages are synchronous; INFINITY: none */
    /* trees: eager sends of more bytes progress only after the receiver has entered the collective */
    double weak_bytes;
    /* by member index; true: a call of the receiver before the collective progresses the message between member and
     * parent; NULL: false for all */
    const bool *elsewhere;
    const struct mpg_expanded_member *member; /* by member index; in a tree only members that have entered */
};

/* Categories of calls and requests, by kind of communication. */
enum mpg_category {
    MPG_CATEGORY_POINT,           /* point-to-point messages and probes */
    MPG_CATEGORY_COLLECTIVE,
    MPG_CATEGORY_SYNCHRONIZATION, /* barriers, constructors, epochs of windows */
    MPG_CATEGORY_ONE_SIDED,       /* one-sided transfers */
    MPG_CATEGORY_OTHER,           /* files, processes of spawned or connected jobs, ... */
    MPG_CATEGORIES
};

/* One-sided transfers of a call. A put, get or accumulate starts a transfer: PUT_BYTES go to OWNER, GET_BYTES come back. */
struct mpg_transfer {
    int32_t owner; /* world rank of the target; -1: the call starts no transfer */
    int32_t awaits_of; /* a call that completes transfers to one target: the target's world rank; -1: to all targets */
    double put_bytes, get_bytes;
    double traced_bytes; /* put and got, before hypotheses change them */
    bool requested; /* a request completes the transfer */
};
extern const struct mpg_transfer mpg_no_transfer; /* a call without one-sided transfer */

/* Returns the category of CALL. For completion calls, the requests decide: see `completed` of struct mpg_step. */
enum mpg_category mpg_call_category(enum mpg_call call);

/* A call of the program, and its callsite. */
struct mpg_call_site {
    enum mpg_call call; /* large-count variants as the plain call */
    uint32_t site;      /* callsite (the whole stack), numbered from 1; 0: not recorded */
};

/* A begin or end of a region within a compute interval. passed_ns: traced time from the interval's begin to the mark, without
 * flushes. before_ns: passed_ns as changed by ratios and hypotheses. after_ns: before_ns plus the computation that hypotheses
 * add at the mark. */
struct mpg_mark {
    int64_t passed_ns;
    double before_ns, after_ns;
};

/* A visit of a parallel region of OpenMP, or its part within a compute interval: traced times since the interval's begin. */
struct mpg_visit {
    int64_t from_ns, to_ns;
    const struct mpg_parallel_region *region; /* of 2 threads or more; owned by options.parallel */
};

/* How options and hypotheses change the computation of an interval. */
struct mpg_change {
    double ratio;     /* factor on traced time: mean of the options' ratios over the interval, times the hypotheses' factors */
    double cpu_ratio; /* factor on CPU time, if CPU time is recorded */
    double more_ns;   /* ns of computation to add; can be negative */
    double worth_ns;  /* with options.marks: the interval's computation after ratios and hypotheses, ns; else 0 */
    const struct mpg_mark *marks; /* region marks in the interval, in order */
    uint32_t mark_number;
    const struct mpg_visit *visits; /* with options.parallel: visits of parallel regions, in order, without overlap */
    uint32_t visit_number;
};
extern const struct mpg_change mpg_no_change; /* computation as traced */

/* Messages that a call could complete or find in place of the traced ones, if times change. */
struct mpg_alternatives {
    bool completes_all;        /* the call completes all ready requests (Waitsome, Testsome), not only the first */
    bool needs_all;            /* the call completes all requests or none (Testall) */
    uint32_t candidate_number; /* 0: none */
    const struct mpg_candidate *candidates; /* candidates, in the order of the call's request list */
    /* with MPI_ANY_SOURCE receives: posted receives in posting order, up to the last receive with `chooses` */
    uint32_t receive_number;
    const struct mpg_posted *receives;
    struct mpg_probe probe; /* the call's probe; all `receives` take their messages before the probe */
    struct mpg_parrived parrived;   /* the MPI_Parrived call; if the call returned false, the partition's message is a
                                     * candidate */
};
extern const struct mpg_alternatives mpg_no_alternatives; /* no alternatives */

/* One step. The first fields belong to every kind of step; each member of the union belongs to the kinds in the comment beside
 * the member and must not be read in steps of further kinds. Rare data are behind pointers, to keep steps small. Pointers stay
 * valid as long as the step. */
struct mpg_step {
    enum mpg_step_kind kind;
    int32_t rank;      /* world rank; SYNCHRONOUS: the sender */
    /* thread 0 of rank r is stream r (with options.part: of the part's i-th rank, from 0, stream i); further threads get later
     * numbers in order of appearance */
    uint32_t stream;
    uint32_t thread;   /* thread of the rank that owns the stream */
    enum mpg_call call; /* large-count variants as the plain call: Send for Send_c */
    uint32_t slot, a, b;
    int32_t window;    /* MPI window used by the call; -1: none. Set only in steps that belong to one call */
    bool changed; /* messages: synchronous on exactly one of source and target machine; LEAVE: the call completes a send with
                   * this change */
    uint64_t number;   /* call number in the rank, from 0; flushes and region marks do not count */
    double bytes;      /* messages: d; CONTRIBUTE: b; LEAVE: bytes that select the call's size class */
    double target_bytes; /* messages, CONTRIBUTE: `bytes` as changed by hypotheses */
    double enter_ns;   /* LEAVE: aligned time; STORE that joins: see `joins` */
    int64_t duration_ns; /* LEAVE, STORE that joins: duration of the call */
    int64_t since_ns; /* ENTER: traced time from MPI_Init's leave to the previous call's leave; FINISH: to MPI_Finalize's enter */
    union {
        struct { /* ENTER */
            const struct mpg_change *change;
            /* the call before the interval (of a new thread: the call at which the thread forks), and this call */
            struct mpg_call_site from, to;
            int64_t interval_ns; /* compute interval before the call, without flushes and recording time; at least 0 */
            int64_t tracer_ns; /* flushes and recording time, at least 0; interval_ns + tracer_ns is the time between the calls */
            int64_t flushed_ns; /* the part of tracer_ns spent on writing the trace file */
            int64_t off_ns;    /* the part of interval_ns in which the thread was off its CPU, preempted or stolen */
            int64_t begin_ns;  /* begin of the interval, on the rank's own clock */
            int64_t cpu_ns;    /* CPU time of the thread in the interval, without recording; -1: not recorded */
            int64_t alone_ns;  /* CPU time including local MPI calls: the work of the interval; -1: not recorded */
            /* the call repeats the call before, at the same callsite, which was an unsuccessful test or MPI_Win_sync: the
             * interval is polling */
            bool polls;
            bool inserted;     /* a hypothesis inserted one of the two calls: the step has a part of a traced interval */
            int32_t region;    /* options.regions: innermost region open at the call, as a string number of the trace; -1: none */
            int32_t work_region; /* options.regions: the region that was innermost for most of the interval; -1: none */
        };
        struct { /* messages (EAGER, SYNCHRONOUS, VIEW), the STORE of a message's sender, CONTRIBUTE, MERGE, EXPAND */
            struct mpg_origin origin;
            uint64_t message; /* EAGER, VIEW: number of the message, from 1; 0 as in struct mpg_edge */
            union {
                struct { /* messages, and the STORE of the sender's enter */
                    double sender_ns, poster_ns; /* SYNCHRONOUS: aligned enters of sender and receiver; EAGER: sender_ns only */
                    uint64_t poster;   /* SYNCHRONOUS: call number of the post of the receive, on the receiver */
                    bool posted;       /* SYNCHRONOUS: the posting call leaves completion to a request */
                    bool requested;    /* messages: the sending call leaves completion to a request */
                    /* SYNCHRONOUS: slot of the receiver's call in which the MPI library progresses the receive: b, or the slot
                     * of a later call */
                    uint32_t progress_slot;
                    int32_t receiver;  /* messages: world rank of the receiver */
                    int32_t comm, tag; /* EAGER: communicator and tag, to be compared with the receives listed in LEAVE steps */
                    bool is_followed;  /* MPI_ANY_SOURCE receives can take the message in place of another */
                    /* SYNCHRONOUS only because hypotheses enlarge the message: the arrival is no earlier than the arrival of
                     * an eager send, and the sender keeps its traced duration */
                    bool grows;
                    /* STORE: the value is an enter from which a synchronous message of `bytes` with `origin` leaves for
                     * `receiver` */
                    bool sends;
                    /* STORE: the value is the enter of a member of an expanded collective, enter_ns after the first member's
                     * enter, in a call of duration_ns (0: nonblocking) */
                    bool joins;
                };
                struct { /* CONTRIBUTE */
                    struct mpg_origin meeting; /* the call that identifies the collective */
                    int32_t members;           /* number of members */
                    uint32_t rounds;           /* number of rounds n */
                    double contributed_bytes;  /* bytes that the rank contributes */
                };
                /* MERGE: slack of a and of b, ns: measured by clocks; measured by durations of calls */
                struct { double clock, wait; } shift[2];
                struct { /* EXPAND */
                    const struct mpg_expanding *expanding; /* the collective */
                    int32_t member; /* index relative to the root; -1: all members */
                };
            };
        };
        void *value; /* EXPORT, IMPORT: memory of the evaluator's value, of the size that mpg_rank_parts_new() was given */
        struct { /* LEAVE */
            double leave_ns;     /* aligned time */
            int64_t call_off_ns; /* time of the call in which the thread was off its CPU, preempted or stolen */
            double rooted_bytes, round_trip_bytes, round_trip_target_bytes;
            /* number of messages sent by the rank as root of a collective, or to a root, each of rooted_bytes */
            uint32_t rooted;
            bool failed;         /* the call returned an error */
            bool dropped;        /* hypotheses drop all messages and collectives of the call, which then takes no time */
            bool found_nothing;  /* an unsuccessful test or probe */
            /* the call waits for the round trip of one-sided transfers: of round_trip_bytes as traced,
             * round_trip_target_bytes as changed by hypotheses; the last was started by round_trip_call */
            bool round_trip;
            uint16_t round_trip_call; /* enum mpg_call */
            uint8_t completed;   /* categories (1 << MPG_CATEGORY_...) of the requests completed by the call */
            uint32_t sent_number; /* number of messages that the call sends or starts to send */
            /* `edges` has edge_number edges, then lost_number edges dropped by hypotheses: an ARRIVAL for each dropped
             * message, and a MEETING without slot for each dropped wait for anything else */
            uint32_t edge_number, lost_number;
            const struct mpg_sent *sent;
            const struct mpg_edge *edges;
            const struct mpg_transfer *transfer;
            const struct mpg_alternatives *alternatives;
        };
    };
};

struct mpg_bound_hypotheses;
struct mpg_rank_part;

/* Returns whether some members of CALL, a collective of any kind, can leave before all members have entered; true of rooted
 * collectives and scans. */
bool mpg_collective_is_partial(enum mpg_call call);
/* Returns true if the call of STEP takes its traced time on any network and any processor: file access, spawning of processes,
 * functions unknown to the tracer, and failed calls. */
bool mpg_step_keeps_time(const struct mpg_step *step);

/* Factors on computation by innermost named region. */
struct mpg_region_ratios {
    double base; /* factor outside of all named regions */
    size_t n;
    const struct mpg_region_ratio {
        const char *name;
        double ratio;
        bool *met; /* set to true when the trace has the region */
    } *region;
};

/* The progress of one kind of nonblocking collectives, as observed in the trace (docs/PROGRESS.md, Weak progress of
 * nonblocking collectives). A kind is an operation with a number of members and the bytes of a member's part. */
struct mpg_nonblocking {
    enum mpg_call call; /* the blocking variant */
    int32_t members;
    int64_t bytes;
    bool is_weak;         /* the collective progresses only while members are inside MPI */
    bool sends_weak;       /* a member's send completes only once the receiver is inside MPI */
    struct mpg_choice choice;
};
enum { MPG_NONBLOCKING_MAX = 32 };

/* Target-side progress of one kind of one-sided transfers, as observed in the trace (docs/PROGRESS.md, Target-side progress of
 * one-sided transfers). A kind is a call with a number of bytes, both directions together. `starting`: the starting call waits
 * until the target is in an MPI call that progresses transfers; `completing`: the completing call does. */
struct mpg_rma_progress {
    enum mpg_call call; /* large-count variants as the plain call */
    int64_t bytes;
    bool starting, completing;
};
enum { MPG_RMA_PROGRESS_MAX = 32 };

/* Weak progress: which operations progress only while the peer rank is inside MPI. Standard sends of more than blocking_bytes
 * or requested_bytes (completion left to a request) complete when the receiver is in a call that makes progress
 * (docs/PROGRESS.md, Weak progress of sends). INT64_MAX: none. */
struct mpg_weak_progress {
    int64_t blocking_bytes, requested_bytes;
    /* larger sends in trees of collectives wait until the receiver enters the collective, even if the receiver makes further
     * MPI calls before */
    int64_t tree_bytes;
    bool win_start_waits;          /* MPI_Win_start waits for MPI_Win_post */
    uint32_t rma_number; /* length of the list of kinds of one-sided transfers that wait for a call of the target */
    struct mpg_rma_progress rma[MPG_RMA_PROGRESS_MAX];
    uint32_t nonblocking_number; /* length of the list of observed kinds of nonblocking collectives */
    struct mpg_nonblocking nonblocking[MPG_NONBLOCKING_MAX];
    bool nonblocking_weak;            /* unlisted kinds of nonblocking collectives also progress only inside MPI calls */
    int64_t nonblocking_bytes;   /* unlisted kinds with larger parts, in bytes, also have weak sends; INT64_MAX: none */
    bool is_observed;                         /* the fields below come from observations in the trace */
    /* largest sizes, in bytes, whose sends complete at once (blocking; completed by a request); -1: none */
    int64_t blocking_left, requested_left;
    uint64_t unexplained; /* number of sends that waited, of sizes at most the limit above which sends are assumed to wait; sum
                           * of the waits */
    double unexplained_ns;
};

extern const struct mpg_weak_progress mpg_no_weak_progress;
/* These return, in this order: whether WEAK makes any operation wait; whether WEAK makes nonblocking collectives wait; whether
 * A and B have equal rules; a checksum of the rules, which are all fields before is_observed. */
bool mpg_weak_progress_any(const struct mpg_weak_progress *weak);
bool mpg_weak_progress_of_collectives(const struct mpg_weak_progress *weak);
bool mpg_weak_progress_same(const struct mpg_weak_progress *a, const struct mpg_weak_progress *b);
uint64_t mpg_weak_progress_sum(const struct mpg_weak_progress *weak);

/* Which steps an evaluator reads, from most to fewest. */
enum mpg_steps_wanted {
    MPG_STEPS_ALL,
    MPG_STEPS_NOT_IDLE, /* without ENTER steps of intervals that contain no recording time, which change no value */
    MPG_STEPS_LEAVES    /* LEAVE steps only, without lists of sent messages */
};

struct mpg_graph_options {
    struct mpg_weak_progress weak; /* used if has_weak_progress */
    bool has_weak_progress, observes_progress; /* observes_progress: the graph collects observations for
                                                * mpg_graph_weak_progress() */
    const struct mpg_region_ratios *ratios; /* NULL: all factors are 1. Must outlive the graph */
    /* hypotheses bound to the trace (graph/work/bound_hypotheses.h); NULL: none. Must outlive the graph */
    const struct mpg_bound_hypotheses *bound;
    uint64_t active;                    /* bit i: hypothesis i is applied */
    bool of_target; /* messages resized by hypotheses have the new size on the traced machine also */
    bool keeps_protocol; /* resized messages keep the traced protocol */
    int64_t eager_limit_bytes; /* larger standard sends are synchronous on the target; INT64_MAX: none */
    int64_t source_eager_limit_bytes; /* eager limit of the traced machine in bytes, INT64_MAX: none */
    /* SYNCHRONOUS: the receiver progresses a receive only inside MPI calls (docs/MODEL.md, section 5); false: from
     * the post on */
    bool progresses_in_calls;
    bool sync_reduce;          /* contributors to Reduce and Gather(v) wait for the root */
    bool regions;              /* ENTER steps name the innermost region */
    bool reports_unused;         /* batches report unused slots from time to time (struct mpg_steps) */
    /* a slot is reused only after all batches whose steps read or write the slot, and all earlier batches, are given back.
     * Steps can then be evaluated in a different order. Excludes `choose` */
    bool keeps_slots;
    enum mpg_steps_wanted wanted; /* the graph makes only these steps; slot numbers do not depend on this option */
    /* with hypotheses about computation: ENTER steps list region marks, and with of_target the marks' times are CPU time, if
     * recorded */
    bool marks;
    const struct mpg_parallel *parallel; /* by rank: parallel regions, whose visits ENTER steps list; NULL: none. Not owned */
    /* the graph makes the steps of the part's ranks only (graph/parts/parts.h); NULL: of all ranks. Must outlive the graph.
     * Excludes choices, hypotheses, weak progress, expanded collectives, regions, keeps_slots, and `wanted` LEAVES */
    struct mpg_rank_part *part;
    bool lenient;              /* operations without partner are counted, not an error */
    bool unfused;                /* for tests: begin and leave of a call are never made together; equal steps, made slower */
    bool choose;               /* LEAVE steps list candidates */
    bool by_completion;        /* candidates have completion times; candidates without known completion are left out */
    bool choose_sources;       /* MPI_ANY_SOURCE receives and probes also choose */
    uint64_t horizon;          /* maximum number of messages in flight: while more are in flight, calls list no candidates */
    /* algorithms by which collectives are expanded into messages; NULL: collectives are single nodes. Not owned */
    const struct mpg_collective_table *expand;
    bool expand_some;          /* expand only rooted collectives and scans, where not every member waits for all */
    const struct mpg_unexpanded *unexpanded; /* not NULL: expand all collectives except the listed kinds. Must outlive the
                                              * graph */
    const struct mpg_collective_table
        /* algorithms of nonblocking collectives without observations, for has_weak_progress and observes_progress;
         * NULL: nonblocking collectives are not examined. Not owned */
        *nonblocking_table;
};

/* Statistics of a finished graph. */
struct mpg_graph_counts {
    uint64_t calls, messages, synchronous_messages, collectives;
    uint64_t made_eager;        /* messages: synchronous on the traced machine, eager on the target */
    uint64_t made_synchronous;  /* messages: eager on the traced machine, synchronous on the target */
    uint64_t choices;           /* Waitany, Waitsome, Test..., Iprobe, Parrived */
    /* calls that complete MPI_ANY_SOURCE receives, MPI_ANY_SOURCE probes, and Iprobe, Improbe that found nothing */
    uint64_t open_receives;
    /* calls that choose under the options: calls counted in `choices`; further calls (MPI_Recv, Wait, Waitall, Probe ...) */
    uint64_t followed, followed_receives;
    /* MPI_ANY_SOURCE receives and probes that keep the recorded message: synchronous messages, or ranks of several
     * threads */
    uint64_t open_kept;
    uint64_t beyond_horizon;    /* calls whose candidates are not listed because of `horizon` */
    uint64_t uncompleted_sends; /* sends never completed by the sender */
    uint64_t asynchronous;      /* uncompleted sends received only by nonblocking calls */
    uint64_t cancelled;         /* requests cancelled before completion: cancelled requests match nothing */
    uint64_t unmatched;         /* lenient: operations without partner */
    uint64_t truncated;         /* lenient: messages longer than the receive buffer */
    uint64_t incomplete_ranks;  /* lenient: ranks without MPI_Finalize */
    uint64_t failed;            /* calls that returned an error */
    uint64_t flushed_ns;        /* time spent on writing the trace, all streams */
    uint64_t tracer_ns;         /* recording time in compute intervals, without flushed_ns */
    uint64_t interval_ns;       /* compute intervals, without recording and flushes */
    uint64_t off_ns, call_off_ns; /* time that threads were off their CPUs, in compute intervals and in calls */
    uint64_t calls_ns;          /* time in calls but MPI_Init and MPI_Finalize, all streams */
    uint64_t cpu_intervals;     /* compute intervals with recorded CPU time */
    uint64_t foreign;           /* operations with processes of another job, treated as local */
    double largest_bytes;       /* largest received message */
    uint64_t backward;          /* messages whose aligned arrival precedes the aligned send */
    double backward_ns;         /* largest time, ns, by which an arrival precedes the send */
    uint64_t held_messages;     /* with hypotheses: messages whose receiver waited until the sender entered the completing call */
    double held_ns;             /* sum of these waits, by aligned clocks */
    /* with hypotheses, sums of durations. alone_ns: RMA calls that wait for no rank in the graph, but may have waited in the
     * trace; served_ns: waits of RMA calls for a call of the target; posted_ns: the part of calls that complete nonblocking
     * collectives after the last member's enter */
    double alone_ns, served_ns, posted_ns;
    /* with hypotheses, although the trace has no evidence for the new size: number of resized messages that wait for progress
     * like messages of the traced size */
    uint64_t kept_waiting;
    uint64_t kept_leaving;      /* and number of resized messages that complete at once like messages of the traced size */
    uint64_t waited_sends;      /* MPI_Sends of at least waited_bytes whose times show that they waited for the receive */
    /* smallest size of which several sends waited, while no send of this size or more completed early (MODEL.md,
     * section 3, Protocol: y); 0: none */
    int64_t waited_bytes;
    double waited_ns;           /* sum of these sends' waits, from enter to the post of the receive; needs comparable clocks */
    uint64_t transfers;         /* one-sided transfers: put, get, accumulate ... */
    uint64_t transfers_alone;   /* transfers without known window, or never completed */
    uint64_t file_calls;        /* MPI-IO calls, treated as local */
    uint64_t device_calls;      /* calls with buffers in the memory of a GPU */
    uint64_t unknown;           /* calls recorded by name only, treated as local */
    uint64_t threads;           /* streams beyond the first of each rank */
    uint64_t shared_windows;    /* MPI_Win_allocate_shared, each rank's call */
    /* of the collectives in `collectives`: number expanded into messages; number listed in `unexpanded` */
    uint64_t expanded, whole;
    uint64_t partial;           /* rooted collectives and scans among the collectives that are single nodes and have several
                                 * members */
};

struct mpg_graph;

/* Opens a graph of TRACE. TRACE, CLOCKS and all objects that OPTIONS points to must outlive the graph. Returns NULL with ERR:
 * out of memory, or an error of the trace. The caller closes the graph. */
struct mpg_graph *mpg_graph_open(struct mpg_trace *trace, const struct mpg_clock_map *clocks,
                                 const struct mpg_graph_options *options, struct mpg_error *err);
/* A sequence of successive steps, in one batch. */
struct mpg_steps {
    const struct mpg_step *step;
    size_t n;
    uint32_t slots;
    struct mpg_batch *batch; /* batch that holds the steps; later steps can be in the same batch */
    /* `unused` is set; with options.reports_unused, after each N steps, where N is the number of slots, at least 1024 */
    bool reports_unused;
    const uint32_t *unused; /* slots that no later step reads before writing */
    uint32_t unused_number; /* length of `unused` */
};

/* Reads the next steps. STEPS stay valid until the next call, or longer if the batch is kept. Returns 1; 0 at the
 * end; -1 if the trace is damaged or an operation cannot be matched. ERR names rank, call number and call. */
int mpg_graph_next(struct mpg_graph *graph, struct mpg_steps *steps, struct mpg_error *err);
/* Keeps BATCH: all steps of BATCH, including later ones, stay valid until mpg_batch_give_back() has been called TIMES
 * times. Call mpg_batch_keep() before the next mpg_graph_next(), in the same thread. Any thread can call
 * mpg_batch_give_back(), before the graph is closed. The graph reuses a batch once all earlier batches are given
 * back. */
void mpg_batch_keep(struct mpg_batch *batch, uint32_t times);
void mpg_batch_give_back(struct mpg_batch *batch);
/* Adds the messages of STEPS to BOUNDS, a struct mpg_clock_bounds: no message arrives before its send. The bounds make the
 * clocks of ranks comparable. Returns 0, or -1: out of memory. */
int mpg_clock_bounds_take(void *bounds, const struct mpg_steps *steps, struct mpg_error *err);
/* Returns the number of slots allocated so far: slots are 0 .. value-1. Can grow with every step. */
uint32_t mpg_graph_slots(const struct mpg_graph *graph);
/* Returns whether libraries progress posted receives in CALL, judging by its kind: not in calls that only start, free or cancel
 * an operation, in MPI-IO, and in blocking sends, unless the send waits for its receiver, which the caller knows. */
bool mpg_graph_call_progresses(enum mpg_call call);
struct mpg_graph_counts mpg_graph_counts(const struct mpg_graph *graph);
/* Returns the number of calls without waits whose begin and leave steps were made together, which is faster; 0 with
 * options.unfused. */
uint64_t mpg_graph_at_once(const struct mpg_graph *graph);
/* Returns the size of the largest collective expanded so far. */
int32_t mpg_graph_expanded_members(const struct mpg_graph *graph);
/* Estimates the traced machine's eager limit in bytes. Returns TARGET_BYTES unless the trace contradicts: larger standard
 * sends completed before the post of the receive, or smaller sends repeatedly waited for the post. Needs comparable clocks. */
int64_t mpg_graph_source_eager_limit(const struct mpg_graph *graph, int64_t target_bytes);
/* Returns whether no standard send so far is larger than LIMIT_BYTES: with this eager limit, the graph would be the same as
 * without a limit. */
bool mpg_graph_is_below_limit(const struct mpg_graph *graph, int64_t limit_bytes);
/* Returns the weak progress observed so far. Needs options.observes_progress and comparable clocks. */
struct mpg_weak_progress mpg_graph_weak_progress(const struct mpg_graph *graph);
void mpg_graph_close(struct mpg_graph *graph); /* NULL is allowed */
/* Runs a graph of TRACE with OPTIONS to the end, by which OPTIONS.bound learns the receives that hypotheses drop
 * (mpg_bound_learn()) and whether each hypothesis applies to anything. Returns 0, or -1 with an error of the trace or of a
 * hypothesis. */
int mpg_graph_learn(struct mpg_trace *trace, const struct mpg_graph_options *options, struct mpg_error *err);

#endif
