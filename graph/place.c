/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors that name rank, call number and call. */
#include "graph/place.h"

#include <stdarg.h>
#include <stdio.h>

int mpg_graph_out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

static int set(const struct place *place, struct mpg_error *err, const char *format, va_list args,
               const char *remedy)
{
    char text[MPG_ERROR_SIZE / 2], thread[16] = "";
    vsnprintf(text, sizeof text, format, args);
    if (place->thread)
        snprintf(thread, sizeof thread, ".%u", place->thread);
    if (mpg_is_inserted(place->number))
        return mpg_error_set(err, "rank %d%s, begin %llu of the region where hypothesis %zu inserts a message: %s%s", place->rank,
                             thread, (unsigned long long)graph_inserted_place(place->number) + 1,
                             graph_inserted_hypothesis(place->number) + 1, text, remedy);
    return mpg_error_set(err, "rank %d%s, call %llu (MPI_%s): %s%s", place->rank, thread,
                         (unsigned long long)place->number, mpg_call_name(place->call), text,
                         remedy);
}

int mpg_graph_error(const struct place *place, struct mpg_error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set(place, err, format, args, "");
    va_end(args);
    return -1;
}

int mpg_graph_error_lenient(const struct place *place, struct mpg_error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set(place, err, format, args, " (--lenient goes on)");
    va_end(args);
    return -1;
}
