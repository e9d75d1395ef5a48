/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names and kinds of the MPI calls, from trace/calls.def. */
#include "trace/event.h"

#include <string.h>

static const struct {
    const char *name;
    enum mpg_kind kind;
} calls[] = {
#define MPG_CALL(name, kind, result, parameters) {#name, MPG_KIND_##kind},
#include "trace/calls.def"
#undef MPG_CALL
};

const char *mpg_call_name(enum mpg_call call)
{
    return calls[call].name;
}

enum mpg_kind mpg_call_kind(enum mpg_call call)
{
    return calls[call].kind;
}

enum mpg_call mpg_call_by_name(const char *name)
{
    int i = 0;
    while (i < MPG_CALL_COUNT && strcmp(calls[i].name, name) != 0)
        i++;
    return (enum mpg_call)i;
}

bool mpg_call_is_synchronous(enum mpg_call call)
{
    return call == MPG_CALL_Ssend || call == MPG_CALL_Issend || call == MPG_CALL_Ssend_init;
}

bool mpg_call_is_standard(enum mpg_call call)
{
    return call == MPG_CALL_Send || call == MPG_CALL_Isend || call == MPG_CALL_Sendrecv ||
           call == MPG_CALL_Sendrecv_replace || call == MPG_CALL_Send_init;
}
