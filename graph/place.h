/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where in the trace something happened, and errors that say so. */
#ifndef MPG_GRAPH_PLACE_H
#define MPG_GRAPH_PLACE_H

#include <stdint.h>

#include "common/error.h"
#include "trace/event.h"

enum { NO_RANK = -1 };

struct place {
    int32_t rank; /* world rank */
    uint32_t thread;
    enum mpg_call call;
    uint64_t number; /* of the call among its rank's */
};

/* Both fill ERR and return -1: "out of memory"; "rank 3, call 1207 (MPI_Recv): " and the
 * text. */
int graph_out_of_memory(struct mpg_error *err);
int graph_error(const struct place *place, struct mpg_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* As graph_error(), of what --lenient counts and gets past: the text says so. */
int graph_error_lenient(const struct place *place, struct mpg_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
