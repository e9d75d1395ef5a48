/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Probes (MPI-3.1 section 3.8): a plain one looks at the first message that no
 * receive has taken, a matched one takes it. Needs calls and matching. */
#ifndef MPG_GRAPH_PROBES_H
#define MPG_GRAPH_PROBES_H

#include "graph/matching/messages.h"

/* What a call looks at. */
struct probing {
    struct channel *channel; /* a plain probe's, or NULL */
    struct message *taken;   /* a matched one's, or NULL */
};

/* A rank's messages that matched probes took and nothing has received: number of the
 * message -> struct message *. */
struct taken {
    struct mpg_map messages;
};

/* CALL's probe begins; it waits until there is what it found. */
int mpg_graph_probe(struct matching *matching, struct call *call, struct probing *probing, struct mpg_error *err);
int mpg_graph_matched_probe(struct matching *matching, struct taken *taken, struct call *call, struct probing *probing,
                            struct mpg_error *err);
/* What it finds, if that is there; else NULL. */
struct message *mpg_graph_probed(const struct probing *probing);
/* The edge into the probe's leave; PROBING is over. */
int mpg_graph_probe_edges(struct matching *matching, struct probing *probing, struct mpg_error *err);
/* The message that CALL, a Mrecv or Imrecv, receives, now posted; NULL in *MESSAGE if there
 * is none. */
int mpg_graph_matched_receive(struct matching *matching, struct taken *taken, const struct call *call, struct message **message,
                              struct mpg_error *err);
/* Whether a matched probe waits for its message to be sent. */
bool mpg_graph_probe_lacks_message(const struct probing *probing);
/* WAITER gives up what it waits for: how many things. */
uint32_t mpg_graph_give_up_probe(struct probing *probing, const struct waiter *waiter);
/* The rank has ended: an error if it took what it never received. */
int mpg_graph_end_probes(struct matching *matching, const struct taken *taken, struct mpg_error *err);

#endif
