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
    int64_t bytes;
};

/* Of a message of BYTES from CALL's rank to another one, both world ranks, on COMM with TAG; of CALL's part in a
 * collective on COMM. Error: two hypotheses are about it, which contradict each other. */
int graph_suppose_message(const struct supposing *s, const struct call *call, int32_t comm, int32_t to,
                          int32_t tag, int64_t bytes, struct outcome *outcome, struct mpg_error *err);
int graph_suppose_part(const struct supposing *s, const struct call *call, int32_t comm, int64_t bytes,
                       struct outcome *outcome, struct mpg_error *err);

#endif
