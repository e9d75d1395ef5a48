/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations, roles and bytes of collectives. As in Score-P, bytes sent by a rank count once for each receiving member, and
 * received bytes once for each sending member (the table of mpgotf2(5); trace/otf2/collective.c reads these records). */
#include "export/otf2/writer.h"

static OTF2_CollectiveOp op_of(enum mpg_call call)
{
    switch (call) {
#define OP(name, op) \
    case MPG_CALL_##name: \
        return OTF2_COLLECTIVE_OP_##op;
        OP(Barrier, BARRIER) OP(Bcast, BCAST) OP(Gather, GATHER) OP(Gatherv, GATHERV) OP(Scatter, SCATTER)
        OP(Scatterv, SCATTERV) OP(Allgather, ALLGATHER) OP(Allgatherv, ALLGATHERV) OP(Alltoall, ALLTOALL)
        OP(Alltoallv, ALLTOALLV) OP(Alltoallw, ALLTOALLW) OP(Allreduce, ALLREDUCE) OP(Reduce, REDUCE)
        OP(Reduce_scatter, REDUCE_SCATTER) OP(Reduce_scatter_block, REDUCE_SCATTER_BLOCK) OP(Scan, SCAN)
        OP(Exscan, EXSCAN)
#undef OP
    default:
        return OTF2_COLLECTIVE_OP_CREATE_HANDLE;
    }
}

static uint32_t root_of(int32_t root)
{
    return root == MPG_ROOT        ? OTF2_COLLECTIVE_ROOT_SELF
           : root == MPG_PROC_NULL ? OTF2_COLLECTIVE_ROOT_THIS_GROUP
                                   : (uint32_t)root;
}

static int64_t sum_of(const struct mpg_event *e)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < e->count_number; i++)
        sum += e->counts[i];
    return e->count_number > 0 ? sum : e->bytes;
}

void mpg_otf2_collective_record(const struct mpg_event *e, int32_t place, struct otf2_request *r)
{
    const enum mpg_call call = mpg_call_blocking(e->call);
    const int64_t n = e->peer_number, b = e->bytes, sum = sum_of(e);
    int64_t sent = 0, received = 0;
    switch (call) {
    case MPG_CALL_Bcast:
    case MPG_CALL_Scatter:
        sent = e->is_root ? n * b : 0;
        received = b;
        break;
    case MPG_CALL_Scatterv: /* the bytes of each member are listed by the root only; BYTES of other members: the received bytes */
        sent = e->is_root ? sum : 0;
        received = !e->is_root ? b : place < (int32_t)e->count_number ? e->counts[place] : 0;
        break;
    case MPG_CALL_Gather:
    case MPG_CALL_Reduce:
        sent = b;
        received = e->is_root ? n * b : 0;
        break;
    case MPG_CALL_Gatherv: /* the root's event does not have the other members' bytes */
        sent = b;
        break;
    case MPG_CALL_Allgather:
    case MPG_CALL_Allgatherv:
    case MPG_CALL_Allreduce:
    case MPG_CALL_Alltoall:
        sent = received = n * b;
        break;
    case MPG_CALL_Alltoallv:
    case MPG_CALL_Alltoallw:
    case MPG_CALL_Reduce_scatter:
    case MPG_CALL_Reduce_scatter_block:
        sent = received = sum;
        break;
    case MPG_CALL_Scan:
        sent = (n - place) * b;
        received = (place + 1) * b;
        break;
    case MPG_CALL_Exscan:
        sent = (n - place - 1) * b;
        received = place * b;
        break;
    default: /* MPI_Barrier, and calls that make a communicator */
        break;
    }
    r->op = op_of(call);
    r->peer = mpg_call_has_root(call) ? root_of(e->root) : OTF2_COLLECTIVE_ROOT_NONE;
    r->bytes = sent > 0 ? (uint64_t)sent : 0;
    r->received = received > 0 ? (uint64_t)received : 0;
}

OTF2_RegionRole mpg_otf2_role_of(enum mpg_call call)
{
    switch (mpg_call_kind(call)) {
    case MPG_KIND_SEND:
    case MPG_KIND_RECV:
    case MPG_KIND_SENDRECV:
    case MPG_KIND_ISEND:
    case MPG_KIND_IRECV:
    case MPG_KIND_ISENDRECV:
    case MPG_KIND_MRECV:
    case MPG_KIND_IMRECV:
        return OTF2_REGION_ROLE_POINT2POINT;
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_ICOLLECTIVE:
        break;
    case MPG_KIND_RMA:
    case MPG_KIND_IRMA:
        return OTF2_REGION_ROLE_RMA;
    case MPG_KIND_FILE_OPEN:
    case MPG_KIND_FILE_CLOSE:
    case MPG_KIND_FILE_COLLECTIVE:
        return OTF2_REGION_ROLE_FILE_IO_METADATA;
    case MPG_KIND_FILE:
    case MPG_KIND_IFILE:
        return OTF2_REGION_ROLE_FILE_IO;
    default:
        return OTF2_REGION_ROLE_FUNCTION;
    }
    switch (mpg_call_blocking(call)) {
    case MPG_CALL_Barrier:
        return OTF2_REGION_ROLE_BARRIER;
    case MPG_CALL_Bcast:
    case MPG_CALL_Scatter:
    case MPG_CALL_Scatterv:
        return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case MPG_CALL_Gather:
    case MPG_CALL_Gatherv:
    case MPG_CALL_Reduce:
        return OTF2_REGION_ROLE_COLL_ALL2ONE;
    case MPG_CALL_Scan:
    case MPG_CALL_Exscan:
        return OTF2_REGION_ROLE_COLL_OTHER;
    default:
        return OTF2_REGION_ROLE_COLL_ALL2ALL;
    }
}
