/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests: from the call that posts them to the one that completes them (MPI-3.1
 * sections 3.7 and 3.9).
 *
 * Of others it needs calls, and what requests are of: messages, groups and matched
 * messages (graph/matching/), collectives (graph/collectives/). It knows nothing of ranks
 * that are advanced: whose requests they are is said by the caller. */
#ifndef MPG_GRAPH_REQUESTS_H
#define MPG_GRAPH_REQUESTS_H

#include "graph/matching/groups.h"
#include "graph/matching/partitioned.h"
#include "graph/matching/probes.h"
#include "graph/matching/windows.h"
#include "graph/collectives/collectives.h"
#include "graph/nbc_progress/nbc_progress.h"

struct requests {
    bool choose, choose_sources; /* the graph's options; the latter not without the former */
    struct matching *matching;
    struct collectives *collectives;
    struct nbc_progress *nbc_progress; /* NULL: what is moved in calls is not looked at */
    struct mpg_pool request_pool, more_pool, persistent_pool;
};

/* Those of one rank; zero-initialised is none. */
struct rank_requests {
    struct request **near;     /* by id modulo their number, a power of 2: numbers of requests follow each other; */
    uint32_t near_capacity, near_count;
    struct mpg_map far;        /* of those whose place another one has: id -> struct request * */
    struct mpg_map persistent; /* id -> struct persistent * */
};

/* Requests that a call completes; zero-initialised is none. */
struct completing {
    struct request **requests;
    uint32_t count, capacity;
    int64_t *given; /* a call that may choose: the requests that it is about, */
    uint32_t given_count, given_capacity;
    struct waiter choice; /* who waits for those that it does not complete */
};

/* What holds a call up: one of the three, or none. */
struct need {
    const struct message *message;
    bool as_sender; /* it is the message's sender that waits */
    const struct part *part;
    uint32_t unready;          /* partitions of a send, */
    uint64_t start;            /* which this call of its rank started */
};

void mpg_graph_requests_init(struct requests *requests, struct matching *matching, struct collectives *collectives);
void mpg_graph_requests_clear(struct requests *requests); /* after those of every rank */

/* CALL posts or starts requests, or makes a persistent one. TAKEN: its rank's. */
int mpg_graph_start_request(struct requests *requests, struct rank_requests *rank, struct taken *taken, const struct call *call,
                            struct mpg_error *err);
/* CALL starts a one-sided transfer of LOAD with a request. */
int mpg_graph_start_transfer(struct requests *requests, struct rank_requests *rank, const struct call *call, struct load load,
                             struct mpg_error *err);
/* CALL says that partitions of a send are ready. */
int mpg_graph_ready(struct requests *requests, struct rank_requests *rank, const struct call *call, struct mpg_error *err);
int mpg_graph_free_request(struct requests *requests, struct rank_requests *rank, const struct call *call, struct mpg_error *err);
/* CALL asks for a request to be cancelled. */
void mpg_graph_cancel_request(struct rank_requests *rank, const struct call *call);
/* CALL completes requests: notes them in COMPLETING, and waits for what they need. */
int mpg_graph_begin_completion(struct requests *requests, struct rank_requests *rank, struct call *call,
                               struct completing *completing, struct mpg_error *err);
/* CALL completes, or might have completed, receives: notes those that it was given, and has
 * COMPLETING's CHOICE wait for what is not sent yet. After the above. */
int mpg_graph_begin_choice(struct requests *requests, struct rank_requests *rank, struct call *call,
                           struct completing *completing, struct mpg_error *err);
/* The same of a Parrived that found nothing. */
int mpg_graph_begin_asking(struct requests *requests, struct rank_requests *rank, struct call *call,
                           struct completing *completing, struct mpg_error *err);
/* CALL waits no more for what it does not complete: that comes too late. */
void mpg_graph_end_choice(const struct rank_requests *rank, struct call *call, struct completing *completing);
/* Whether COMPLETING completes receives whose source is open; whether it was given any. */
bool mpg_graph_completes_open(const struct completing *completing);
bool mpg_graph_is_given_open(const struct rank_requests *rank, const struct completing *completing);
/* CALL is about something whose source is open: COMPLETING's CHOICE waits until nobody can go on.
 * When it is left, the receives that are posted before what chooses here, and that: MESSAGE, which
 * CALL receives, or requests. */
void mpg_graph_begin_open(struct requests *requests, struct call *call, struct completing *completing);
int mpg_graph_list_open_receive(struct requests *requests, const struct call *call, struct message *message,
                                struct mpg_error *err);
int mpg_graph_list_open_requests(struct requests *requests, const struct rank_requests *rank, const struct call *call,
                                 const struct completing *completing, struct mpg_error *err);
/* The same of CALL, a probe, which has begun: whether it may find something else. When it is left,
 * what it looks for as well. */
bool mpg_graph_begin_looking(struct requests *requests, struct call *call, struct completing *completing);
int mpg_graph_list_looking(struct requests *requests, struct call *call, struct probing *probing, struct mpg_error *err);
/* The candidates of CALL, which is being left, if there is a choice. Before their edges. */
int mpg_graph_choice_candidates(struct requests *requests, const struct rank_requests *rank, const struct call *call,
                                struct completing *completing, struct mpg_error *err);
/* With hypotheses: adds to what CALL is about, and is dropped, the requests that it is given, or asks for. */
void mpg_graph_count_given(const struct requests *requests, const struct rank_requests *rank, const struct call *call);
/* Whether CALL is given requests of one-sided transfers, and no others: they are done when it begins, as far as a library has
 * the calls that start them wait. */
bool mpg_graph_is_given_transfers(const struct rank_requests *rank, const struct call *call);
/* The edges of COMPLETING into CALL's leave; the requests are gone. */
int mpg_graph_completion_edges(struct requests *requests, struct rank_requests *rank, struct call *call,
                               struct completing *completing, struct mpg_error *err);
/* Whether START, of RANK, starts a receive from FROM of COMM with TAG; what a wildcard took counts. */
bool mpg_graph_starts_receive(const struct rank_requests *rank, const struct mpg_event *start, int32_t comm, int32_t from,
                              int32_t tag);
/* The rank has ended: an error if receives or collectives were never completed. */
int mpg_graph_end_requests(struct requests *requests, const struct rank_requests *rank, struct mpg_error *err);
void mpg_graph_rank_requests_clear(struct requests *requests, struct rank_requests *rank);

/* The first of COMPLETING's needs that WAITER waits for; false: none. */
bool mpg_graph_completion_need(const struct completing *completing, const struct waiter *waiter, struct need *need);
/* WAITER gives up all of them: how many. */
uint32_t mpg_graph_give_up_completion(struct completing *completing, const struct waiter *waiter);

#endif
