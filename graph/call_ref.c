/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Error texts that name the rank, the number of the call and the MPI function. */
#include "graph/call_ref.h"

#include <stdarg.h>
#include <stdio.h>

int mpg_graph_out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

static int set(const struct call_ref *call_ref, struct mpg_error *err, const char *format, va_list args,
               const char *remedy)
{
    char text[MPG_ERROR_SIZE / 2], thread[16] = "";
    vsnprintf(text, sizeof text, format, args);
    if (call_ref->thread)
        snprintf(thread, sizeof thread, ".%u", call_ref->thread);
    if (mpg_is_inserted(call_ref->number))
        return mpg_error_set(err, "rank %d%s, begin %llu of the region where hypothesis %zu inserts a message: %s%s",
                             call_ref->rank,
                             thread, (unsigned long long)graph_inserted_begin(call_ref->number) + 1,
                             graph_inserted_hypothesis(call_ref->number) + 1, text, remedy);
    return mpg_error_set(err, "rank %d%s, call %llu (MPI_%s): %s%s", call_ref->rank, thread,
                         (unsigned long long)call_ref->number, mpg_call_name(call_ref->call), text,
                         remedy);
}

int mpg_graph_error(const struct call_ref *call_ref, struct mpg_error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set(call_ref, err, format, args, "");
    va_end(args);
    return -1;
}

int mpg_graph_error_lenient(const struct call_ref *call_ref, struct mpg_error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set(call_ref, err, format, args, " (--lenient goes on)");
    va_end(args);
    return -1;
}
