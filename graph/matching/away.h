/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages between ranks of different parts of a divided graph (graph/parts/parts.h). The sender's part makes the message, with
 * the steps of the send, and exports the send; the receiver's part matches it with a receive. An eager message is then finished
 * in the sender's part. A synchronous message waits for the answer: receive and arrival. */
#ifndef MPG_GRAPH_AWAY_H
#define MPG_GRAPH_AWAY_H

#include "graph/matching/messages.h"

/* Exports MESSAGE, sent by CALL to a rank of another part. Returns 0, or -1 with ERR. */
int mpg_graph_export_message(struct matching *matching, const struct call *call, struct message *message, struct mpg_error *err);
/* Exports the receive and the arrival of MESSAGE, a synchronous message that a rank of another part has sent. */
int mpg_graph_export_answer(struct matching *matching, const struct message *message, struct mpg_error *err);
/* Import RECORD, of kind PART_MESSAGE and PART_ANSWER. Return 0, or -1 with ERR. */
int mpg_graph_import_message(struct matching *matching, const struct part_record *record, struct mpg_error *err);
int mpg_graph_import_answer(struct matching *matching, const struct part_record *record, struct mpg_error *err);

#endif
