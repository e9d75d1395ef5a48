/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of functions that the tracer does not know: what they communicate is not in the
 * trace, only that they were made. */
#ifndef MPG_TRACE_UNTRACED_H
#define MPG_TRACE_UNTRACED_H

#include "trace/reader.h"

struct mpg_untraced_call {
    const char *name; /* LENGTH bytes, of the trace, with the function's prefix */
    int length;
    bool local;       /* it communicates nothing */
    uint64_t calls;
    int32_t ranks;    /* that made them */
};

struct mpg_untraced_calls {
    size_t count;
    struct mpg_untraced_call *calls; /* the most frequent first */
};

/* What TRACE, which LIST must not outlive, has of them in its facts and, if EVENTS, which
 * takes a pass over it, as events (MPG_KIND_UNKNOWN). 0, or -1 if it is damaged or there is
 * no memory; the caller clears LIST. */
int mpg_untraced_find(struct mpg_trace *trace, bool events, struct mpg_untraced_calls *list,
                      struct mpg_error *err);
void mpg_untraced_clear(struct mpg_untraced_calls *list);
/* The calls that may communicate as words, as "100 calls of MPIX_Foo, 2 of MPIX_Bar", into
 * TEXT, of a few functions; false if there are none. */
bool mpg_untraced_words(const struct mpg_untraced_calls *list, char *text, size_t size);

#endif
