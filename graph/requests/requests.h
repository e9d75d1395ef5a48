/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests, from the posting call to the completing call (MPI-3.1 sections 3.7 and 3.9).
 *
 * Requests refer to messages, groups and matched messages (graph/matching/) and to collectives (graph/collectives/).
 * This room knows nothing of the scheduler: the caller passes the rank's requests. */
#ifndef MPG_GRAPH_REQUESTS_H
#define MPG_GRAPH_REQUESTS_H

#include "graph/matching/groups.h"
#include "graph/matching/partitioned.h"
#include "graph/matching/probes.h"
#include "graph/matching/windows.h"
#include "graph/collectives/collectives.h"
#include "graph/nbc_progress/nbc_progress.h"

struct requests {
    bool choose, choose_sources; /* the graph's options; choose_sources implies choose */
    struct matching *matching;
    struct collectives *collectives;
    struct nbc_progress *nbc_progress; /* NULL: progress of nonblocking collectives is not examined */
    struct mpg_pool request_pool, more_pool, persistent_pool;
};

/* Requests of a rank. Zero-initialised: no requests. */
struct rank_requests {
    struct request *near;      /* index: id modulo near_capacity, a power of 2; successive requests have successive ids */
    uint32_t near_capacity, near_count;
    struct mpg_map far;        /* requests whose entry in NEAR is taken: id -> struct request *, from request_pool */
    struct mpg_map persistent; /* id -> struct persistent * */
};

/* Requests completed by a call. Zero-initialised: no requests. */
struct completing {
    const struct call *call;   /* the call, and its rank's requests */
    const struct rank_requests *rank;
    bool follows_event;        /* the call completes the first COUNT requests of its event */
    int64_t *done;             /* not FOLLOWS_EVENT: ids of the completed requests */
    uint32_t count, capacity;  /* number of completed requests */
    int64_t *given; /* of a call with a choice: ids of the receives passed to the call */
    uint32_t given_count, given_capacity;
    struct waiter choice; /* waiter for the requests passed to the call but not completed by the call in the trace */
};

/* Cause of a call's wait: a message, a part in a collective, or partitions of a send; all unset: none. */
struct need {
    const struct message *message;
    bool as_sender; /* the sender of the message waits */
    const struct part *part;
    uint32_t unready;          /* number of partitions of a send not yet ready */
    uint64_t start;            /* number of the rank's call with the start of the send */
};

void mpg_graph_requests_init(struct requests *requests, struct matching *matching, struct collectives *collectives);
void mpg_graph_requests_clear(struct requests *requests); /* call after the requests of all ranks are cleared */

/* To be called when CALL posts or starts requests, or initialises a persistent request. TAKEN: messages taken by the
 * rank's matched probes. Returns 0, or -1 with ERR. */
int mpg_graph_start_request(struct requests *requests, struct rank_requests *rank, struct taken *taken, const struct call *call,
                            struct mpg_error *err);
/* To be called when CALL starts a one-sided transfer of LOAD with a request. Returns 0, or -1: out of memory. */
int mpg_graph_start_transfer(struct requests *requests, struct rank_requests *rank, const struct call *call, struct load load,
                             struct mpg_error *err);
/* To be called when CALL marks partitions of a send as ready. Returns 0, or -1 with ERR. */
int mpg_graph_ready(struct requests *requests, struct rank_requests *rank, const struct call *call, struct mpg_error *err);
int mpg_graph_free_request(struct requests *requests, struct rank_requests *rank, const struct call *call, struct mpg_error *err);
/* To be called when CALL asks to cancel a request. */
void mpg_graph_cancel_request(struct rank_requests *rank, const struct call *call);
/* To be called when CALL, which completes requests, begins: lists the requests in COMPLETING, and makes CALL wait for the
 * events of the requests. Returns 0, or -1 with ERR. */
int mpg_graph_begin_completion(struct requests *requests, struct rank_requests *rank, struct call *call,
                               struct completing *completing, struct mpg_error *err);
/* For CALL that completes, or could have completed, receives: lists the requests passed to CALL, and makes the CHOICE of
 * COMPLETING wait for messages not sent yet. Call after mpg_graph_begin_completion(). Returns 0, or -1: out of memory. */
int mpg_graph_begin_choice(struct requests *requests, struct rank_requests *rank, struct call *call,
                           struct completing *completing, struct mpg_error *err);
/* As mpg_graph_begin_choice() for CALL, an MPI_Parrived that returned false. */
int mpg_graph_begin_parrived_choice(struct requests *requests, struct rank_requests *rank, struct call *call,
                                    struct completing *completing, struct mpg_error *err);
/* Ends CALL's wait for requests not completed in the trace: the messages come too late. */
void mpg_graph_end_choice(const struct rank_requests *rank, struct call *call, struct completing *completing);
/* Return whether COMPLETING, the completions of one call, completes MPI_ANY_SOURCE receives; and whether such receives are among
 * the requests that were passed to this call. */
bool mpg_graph_completes_open(const struct requests *requests, const struct completing *completing);
bool mpg_graph_is_given_open(const struct rank_requests *rank, const struct completing *completing);
/* For CALL that completes MPI_ANY_SOURCE receives. mpg_graph_begin_open() makes the CHOICE of COMPLETING wait until no
 * rank can go on. When CALL is left, the two list functions list the rank's posted receives, in posting order, up to the
 * last receive for which the evaluator chooses the message: the receive of MESSAGE by CALL itself; the receives among
 * CALL's requests. Both return 0, or -1: out of memory. */
void mpg_graph_begin_open(struct requests *requests, struct call *call, struct completing *completing);
int mpg_graph_list_open_receive(struct requests *requests, const struct call *call, struct message *message,
                                struct mpg_error *err);
int mpg_graph_list_open_requests(struct requests *requests, const struct rank_requests *rank, const struct call *call,
                                 const struct completing *completing, struct mpg_error *err);
/* As mpg_graph_begin_open() and mpg_graph_list_open_receive(), for CALL, a probe that has begun. mpg_graph_begin_probe_choice()
 * returns whether the probe can find another message than in the trace. mpg_graph_list_probe(), called when CALL is left, also
 * fills CALL's `probe`. */
bool mpg_graph_begin_probe_choice(struct requests *requests, struct call *call, struct completing *completing);
int mpg_graph_list_probe(struct requests *requests, struct call *call, struct probing *probing, struct mpg_error *err);
/* Lists the candidates of CALL, which is being left, if CALL has a choice. Call before the edges. Returns 0, or -1:
 * out of memory. */
int mpg_graph_choice_candidates(struct requests *requests, const struct rank_requests *rank, const struct call *call,
                                struct completing *completing, struct mpg_error *err);
/* With hypotheses: counts the requests passed to CALL as parts of CALL, and the dropped requests as dropped parts. */
void mpg_graph_count_given(const struct requests *requests, const struct rank_requests *rank, const struct call *call);
/* Returns whether all requests passed to CALL are one-sided transfers, which are already complete at CALL's enter in a
 * library whose starting calls wait. */
bool mpg_graph_is_given_transfers(const struct rank_requests *rank, const struct call *call);
/* Adds the edges of COMPLETING into CALL's leave, and removes the requests. Returns 0, or -1 with ERR. */
int mpg_graph_completion_edges(struct requests *requests, struct rank_requests *rank, struct call *call,
                               struct completing *completing, struct mpg_error *err);
/* Returns whether START, of RANK, starts a receive from FROM of COMM with TAG, taking wildcards as resolved in the
 * trace. */
bool mpg_graph_starts_receive(const struct rank_requests *rank, const struct mpg_event *start, int32_t comm, int32_t from,
                              int32_t tag);
/* To be called at the end of the rank with the requests RANK. Returns -1 with ERR if receives or collectives were never
 * completed. */
int mpg_graph_end_requests(struct requests *requests, const struct rank_requests *rank, struct mpg_error *err);
void mpg_graph_rank_requests_clear(struct requests *requests, struct rank_requests *rank);

/* Fills NEED with the first event that WAITER still waits for to complete COMPLETING. Returns false: there is none. */
bool mpg_graph_completion_need(const struct completing *completing, const struct waiter *waiter, struct need *need);
/* Removes WAITER from all events of COMPLETING. Returns the number of events that WAITER waited for. */
uint32_t mpg_graph_abandon_completion(struct completing *completing, const struct waiter *waiter);

#endif
