/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hypotheses about what calls send and take part in. */
#ifndef MPG_GRAPH_SUPPOSING_H
#define MPG_GRAPH_SUPPOSING_H

#include "graph/call.h"
#include "graph/work/supposed.h"

/* Those that hold; zero-initialised: none. */
struct supposing {
    const struct mpg_supposed *supposed; /* NULL: none of them is about messages */
    uint64_t suppose;
    const struct mpg_trace *trace;
};

/* A message, or what a member gives to a collective: how it is by the hypotheses. */
struct outcome {
    bool drops;
    uint8_t dropper; /* the hypothesis */
    int64_t bytes;
};

/* Of a message of BYTES from CALL's rank to another one, both world ranks, on COMM with TAG; of CALL's part in a
 * collective on COMM. Error: two hypotheses are about it, which contradict each other. */
int graph_suppose_message(const struct supposing *s, const struct call *call, int32_t comm, int32_t to,
                          int32_t tag, int64_t bytes, struct outcome *outcome, struct mpg_error *err);
int graph_suppose_part(const struct supposing *s, const struct call *call, int32_t comm, int64_t bytes,
                       struct outcome *outcome, struct mpg_error *err);

/* While a pass learns: the receive of what hypothesis DROPPER drops is left to a request by POSTED, as the PARTth
 * thing that the call is about, from 1. Error: out of memory. Afterwards: whether, by those that hold, what was posted
 * so is dropped. */
int graph_learn_dropped(const struct supposing *s, const struct place *posted, uint32_t part, uint8_t dropper,
                        struct mpg_error *err);
bool graph_is_post_dropped(const struct supposing *s, const struct place *posted, uint32_t part);
/* While a pass learns: DROPPERS, bits, each drop parts of one collective, which is whole with all of them only. Error:
 * out of memory. */
int graph_learn_together(const struct supposing *s, uint64_t droppers, struct mpg_error *err);
/* An error: CALL's part in a collective is dropped, and OTHER's is not, or the other way round. */
int graph_drops_half(const struct supposing *s, const struct call *call, const struct place *other,
                     struct mpg_error *err);

#endif
