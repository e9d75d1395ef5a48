/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where in the trace something happened, and errors that say so. */
#ifndef MPG_GRAPH_PLACE_H
#define MPG_GRAPH_PLACE_H

#include <stdint.h>

#include "common/error.h"
#include "graph/graph.h"
#include "trace/event.h"

enum { NO_RANK = -1 };

struct call_ref {
    int32_t rank; /* world rank */
    uint32_t thread;
    enum mpg_call call;
    uint64_t number; /* of the call among its rank's */
};

/* The number of an inserted call: of the hypothesis, from 0, of the thread that makes it, and how many that has made for
 * the hypothesis before. mpg_is_inserted() (graph/graph.h) tells it from the numbers of traced calls. */
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

/* Both fill ERR and return -1: "out of memory"; "rank 3, call 1207 (MPI_Recv): " and the
 * text. */
int mpg_graph_out_of_memory(struct mpg_error *err);
int mpg_graph_error(const struct call_ref *call_ref, struct mpg_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* As mpg_graph_error(), of what --lenient counts and gets past: the text says so. */
int mpg_graph_error_lenient(const struct call_ref *call_ref, struct mpg_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
