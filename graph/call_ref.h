/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A call's address in the trace, and errors that name the call. */
#ifndef MPG_GRAPH_CALL_REF_H
#define MPG_GRAPH_CALL_REF_H

#include <stdint.h>

#include "common/error.h"
#include "graph/graph.h"
#include "trace/event.h"

enum { NO_RANK = -1 };

struct call_ref {
    int32_t rank; /* world rank */
    uint32_t thread;
    enum mpg_call call;
    uint64_t number; /* call number in the rank */
};

/* graph_inserted_number() returns the call number of an inserted call: call K, from 0, inserted into THREAD by the hypothesis
 * with index HYPOTHESIS. graph_inserted_hypothesis() and graph_inserted_begin() return HYPOTHESIS and K from NUMBER.
 * mpg_is_inserted() (graph/graph.h) tells inserted from traced calls. */
static inline uint64_t graph_inserted_number(size_t hypothesis, uint32_t thread, uint64_t k)
{
    return (uint64_t)(hypothesis + 1) << MPG_INSERTED_BITS | (uint64_t)(thread & 0xffff) << 40 | (k & 0xffffffffff);
}
static inline size_t graph_inserted_hypothesis(uint64_t number)
{
    return (size_t)(number >> MPG_INSERTED_BITS) - 1;
}
static inline uint64_t graph_inserted_begin(uint64_t number)
{
    return number & 0xffffffffff;
}

/* Both functions fill ERR and return -1. The texts are "out of memory", and "rank 3, call 1207 (MPI_Recv): " followed by
 * FORMAT. */
int mpg_graph_out_of_memory(struct mpg_error *err);
int mpg_graph_error(const struct call_ref *call_ref, struct mpg_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* As mpg_graph_error(), for errors that --lenient counts and skips: the text ends with "(--lenient goes on)". */
int mpg_graph_error_lenient(const struct call_ref *call_ref, struct mpg_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
