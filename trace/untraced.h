/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of functions unknown to the tracer: the trace has the number of calls, but not the communication. */
#ifndef MPG_TRACE_UNTRACED_H
#define MPG_TRACE_UNTRACED_H

#include "trace/reader.h"

struct mpg_untraced_call {
    const char *name; /* LENGTH bytes, owned by the trace, with the function's prefix */
    int length;
    bool local;       /* the call communicates nothing */
    uint64_t calls;
    int32_t ranks;    /* number of ranks that made the calls */
};

struct mpg_untraced_calls {
    size_t count;
    struct mpg_untraced_call *calls; /* most frequent first */
};

/* Fills LIST from the facts of TRACE and, with EVENTS, from events of kind MPG_KIND_UNKNOWN, which takes a pass over
 * the trace. TRACE must outlive LIST; the caller clears LIST. Returns 0, or -1 with ERR: damage, out of memory. */
int mpg_untraced_find(struct mpg_trace *trace, bool events, struct mpg_untraced_calls *list,
                      struct mpg_error *err);
void mpg_untraced_clear(struct mpg_untraced_calls *list);
/* Writes the calls that can communicate to TEXT, as "100 calls of MPIX_Foo, 2 of MPIX_Bar", naming a few functions. Returns false
 * without calls that can communicate. */
bool mpg_untraced_words(const struct mpg_untraced_calls *list, char *text, size_t size);

#endif
