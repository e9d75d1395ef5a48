/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Probes (MPI-3.1 section 3.8): a plain probe looks at the first message not yet taken by a receive; a matched probe takes the
 * message. */
#ifndef MPG_GRAPH_PROBES_H
#define MPG_GRAPH_PROBES_H

#include "graph/matching/messages.h"

/* The channel or message at which a probe looks. */
struct probing {
    struct channel *channel; /* plain probe: the channel; otherwise NULL */
    struct message *taken;   /* matched probe: the message taken by the probe; otherwise NULL */
};

/* Messages of a rank taken by matched probes and not received yet: number of the message -> struct message *. */
struct taken {
    struct mpg_map messages;
};

/* mpg_graph_probe() begins CALL, a plain probe, mpg_graph_matched_probe() a matched probe: CALL waits for the message found in
 * the trace. Both functions return 0, or -1 with ERR. */
int mpg_graph_probe(struct matching *matching, struct call *call, struct probing *probing, struct mpg_error *err);
int mpg_graph_matched_probe(struct matching *matching, struct taken *taken, struct call *call, struct probing *probing,
                            struct mpg_error *err);
/* Returns the message that the probe finds, or NULL if the message has not been sent yet. */
struct message *mpg_graph_probed(const struct probing *probing);
/* Adds the edge into the leave of the probe's call, and ends PROBING. */
int mpg_graph_probe_edges(struct matching *matching, struct probing *probing, struct mpg_error *err);
/* Sets *MESSAGE to the message received by CALL, a Mrecv or Imrecv, and posts the receive; NULL: none. Returns 0, or -1 with
 * ERR. */
int mpg_graph_matched_receive(struct matching *matching, struct taken *taken, const struct call *call, struct message **message,
                              struct mpg_error *err);
/* Returns whether PROBING is a matched probe whose message is not sent yet. */
bool mpg_graph_probe_lacks_message(const struct probing *probing);
/* Removes WAITER from PROBING. Returns 1 if WAITER waited for the probe's message, else 0. */
uint32_t mpg_graph_abandon_probe(struct probing *probing, const struct waiter *waiter);
/* To be called at the end of the rank. Returns -1 with ERR if a message taken by a matched probe was never received. */
int mpg_graph_end_probes(struct matching *matching, const struct taken *taken, struct mpg_error *err);

#endif
