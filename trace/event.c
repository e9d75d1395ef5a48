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

const char *mpg_call_prefix(enum mpg_call call)
{
    return call < MPG_CALL_Init ? "" : "MPI_";
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

/* Whether an MPI-IO call reads, of those that move data. */
static bool is_read(enum mpg_call call)
{
    return strncmp(calls[call].name, "File_read", 9) == 0 ||
           strncmp(calls[call].name, "File_iread", 10) == 0;
}

void mpg_event_bytes(const struct mpg_event *e, int64_t *sent, int64_t *received)
{
    *sent = *received = 0;
    if (e->failed)
        return;
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_SEND:
    case MPG_KIND_ISEND:
        *sent = e->bytes;
        break;
    case MPG_KIND_RECV:
    case MPG_KIND_IRECV:
    case MPG_KIND_MRECV:
    case MPG_KIND_IMRECV:
        *received = e->bytes;
        break;
    case MPG_KIND_SENDRECV:
    case MPG_KIND_RMA:
    case MPG_KIND_IRMA:
        *sent = e->bytes;
        *received = e->recvbytes;
        break;
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_ICOLLECTIVE:
    case MPG_KIND_NEIGHBOR:
    case MPG_KIND_INEIGHBOR:
        *sent = e->count_number ? 0 : e->bytes;
        for (uint32_t i = 0; i < e->count_number; i++)
            *sent += e->counts[i];
        break;
    case MPG_KIND_FILE:
    case MPG_KIND_IFILE:
        *(is_read(e->call) ? received : sent) = e->bytes;
        break;
    default:
        break;
    }
}
