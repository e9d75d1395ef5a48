/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classifies MPI calls as point-to-point, synchronization, collective and so on (enum mpg_category). */
#include "graph/graph.h"

static bool is_barrier(enum mpg_call call)
{
    return call == MPG_CALL_Barrier || call == MPG_CALL_Ibarrier || call == MPG_CALL_Barrier_init;
}

enum mpg_category mpg_call_category(enum mpg_call call)
{
    switch (mpg_call_kind(call)) {
    case MPG_KIND_SEND:
    case MPG_KIND_RECV:
    case MPG_KIND_SENDRECV:
    case MPG_KIND_ISEND:
    case MPG_KIND_IRECV:
    case MPG_KIND_ISENDRECV:
    case MPG_KIND_COMPLETE:
    case MPG_KIND_PROBE:
    case MPG_KIND_MPROBE:
    case MPG_KIND_MRECV:
    case MPG_KIND_IMRECV:
    case MPG_KIND_REQUEST:
    case MPG_KIND_REQUEST_FREE:
    case MPG_KIND_CANCEL:
    case MPG_KIND_SEND_INIT:
    case MPG_KIND_RECV_INIT:
    case MPG_KIND_PSEND_INIT:
    case MPG_KIND_PRECV_INIT:
    case MPG_KIND_PREADY:
    case MPG_KIND_PARRIVED:
    case MPG_KIND_START:
        return MPG_CATEGORY_POINT;
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_ICOLLECTIVE:
    case MPG_KIND_COLLECTIVE_INIT:
        return is_barrier(call) ? MPG_CATEGORY_SYNCHRONIZATION : MPG_CATEGORY_COLLECTIVE;
    case MPG_KIND_NEIGHBOR:
    case MPG_KIND_INEIGHBOR:
    case MPG_KIND_NEIGHBOR_INIT:
        return MPG_CATEGORY_COLLECTIVE;
    case MPG_KIND_CONSTRUCTOR:
    case MPG_KIND_ICONSTRUCTOR:
    case MPG_KIND_WIN_CONSTRUCTOR:
    case MPG_KIND_WIN_FREE:
    case MPG_KIND_WIN_FENCE:
    case MPG_KIND_WIN_GROUP:
    case MPG_KIND_WIN_EPOCH:
    case MPG_KIND_WIN_TARGET:
    case MPG_KIND_WIN_ALL:
        return MPG_CATEGORY_SYNCHRONIZATION;
    case MPG_KIND_RMA:
    case MPG_KIND_IRMA:
        return MPG_CATEGORY_ONE_SIDED;
    default:
        return MPG_CATEGORY_OTHER;
    }
}

bool mpg_step_keeps_time(const struct mpg_step *s)
{
    switch (mpg_call_kind(s->call)) {
    case MPG_KIND_FILE_OPEN:
    case MPG_KIND_FILE_CLOSE:
    case MPG_KIND_FILE:
    case MPG_KIND_IFILE:
    case MPG_KIND_FILE_COLLECTIVE:
    case MPG_KIND_DYNAMIC:
    case MPG_KIND_UNKNOWN:
        return true;
    default:
        return s->failed;
    }
}
