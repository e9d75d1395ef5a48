/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Event types, values, states and bytes of calls as written by Extrae 5.1: Paraver's configuration files select calls by these
 * numbers. */
#include "export/paraver/writer.h"

#include <string.h>

/* Extrae's value for each call; 0: Extrae has no value. */
static const uint8_t values[MPG_CALL_COUNT] = {
#define V(name, value) [MPG_CALL_##name] = value,
    V(Send, 1) V(Recv, 2) V(Isend, 3) V(Irecv, 4) V(Wait, 5) V(Waitall, 6) V(Bcast, 7) V(Barrier, 8) V(Reduce, 9)
    V(Allreduce, 10) V(Alltoall, 11) V(Alltoallv, 12) V(Gather, 13) V(Gatherv, 14) V(Scatter, 15) V(Scatterv, 16)
    V(Allgather, 17) V(Allgatherv, 18) V(Comm_rank, 19) V(Comm_size, 20) V(Comm_create, 21) V(Comm_dup, 22) V(Comm_split, 23)
    V(Comm_group, 24) V(Comm_free, 25) V(Comm_remote_group, 26) V(Comm_remote_size, 27) V(Comm_test_inter, 28)
    V(Comm_compare, 29) V(Scan, 30) V(Init, 31) V(Finalize, 32) V(Bsend, 33) V(Ssend, 34) V(Rsend, 35) V(Ibsend, 36)
    V(Issend, 37) V(Irsend, 38) V(Test, 39) V(Cancel, 40) V(Sendrecv, 41) V(Sendrecv_replace, 42) V(Cart_create, 43)
    V(Cart_shift, 44) V(Cart_coords, 45) V(Cart_get, 46) V(Cart_map, 47) V(Cart_rank, 48) V(Cart_sub, 49) V(Cartdim_get, 50)
    V(Dims_create, 51) V(Graph_get, 52) V(Graph_map, 53) V(Graph_create, 54) V(Graph_neighbors, 55) V(Graphdims_get, 56)
    V(Graph_neighbors_count, 57) V(Topo_test, 58) V(Waitany, 59) V(Waitsome, 60) V(Probe, 61) V(Iprobe, 62) V(Win_create, 63)
    V(Win_free, 64) V(Put, 65) V(Get, 66) V(Accumulate, 67) V(Win_fence, 68) V(Win_start, 69) V(Win_complete, 70)
    V(Win_post, 71) V(Win_wait, 72) V(Win_test, 73) V(Win_lock, 74) V(Win_unlock, 75) V(Pack, 76) V(Unpack, 77)
    V(Op_create, 78) V(Op_free, 79) V(Reduce_scatter, 80) V(Attr_delete, 81) V(Attr_get, 82) V(Attr_put, 83)
    V(Group_difference, 84) V(Group_excl, 85) V(Group_free, 86) V(Group_incl, 87) V(Group_intersection, 88) V(Group_rank, 89)
    V(Group_range_excl, 90) V(Group_range_incl, 91) V(Group_size, 92) V(Group_translate_ranks, 93) V(Group_union, 94)
    V(Group_compare, 95) V(Intercomm_create, 96) V(Intercomm_merge, 97) V(Keyval_free, 98) V(Keyval_create, 99) V(Abort, 100)
    V(Error_class, 101) V(Errhandler_create, 102) V(Errhandler_free, 103) V(Errhandler_get, 104) V(Error_string, 105)
    V(Errhandler_set, 106) V(Get_processor_name, 107) V(Initialized, 108) V(Wtick, 109) V(Wtime, 110) V(Address, 111)
    V(Bsend_init, 112) V(Buffer_attach, 113) V(Buffer_detach, 114) V(Request_free, 115) V(Recv_init, 116) V(Send_init, 117)
    V(Get_count, 118) V(Get_elements, 119) V(Pack_size, 120) V(Rsend_init, 121) V(Ssend_init, 122) V(Start, 123)
    V(Startall, 124) V(Testall, 125) V(Testany, 126) V(Test_cancelled, 127) V(Testsome, 128) V(Type_commit, 129)
    V(Type_contiguous, 130) V(Type_extent, 131) V(Type_free, 132) V(Type_hindexed, 133) V(Type_hvector, 134)
    V(Type_indexed, 135) V(Type_lb, 136) V(Type_size, 137) V(Type_struct, 138) V(Type_ub, 139) V(Type_vector, 140)
    V(File_open, 141) V(File_close, 142) V(File_read, 143) V(File_read_all, 144) V(File_write, 145) V(File_write_all, 146)
    V(File_read_at, 147) V(File_read_at_all, 148) V(File_write_at, 149) V(File_write_at_all, 150) V(Comm_spawn, 151)
    V(Comm_spawn_multiple, 152) V(Request_get_status, 153) V(Ireduce, 154) V(Iallreduce, 155) V(Ibarrier, 156) V(Ibcast, 157)
    V(Ialltoall, 158) V(Ialltoallv, 159) V(Iallgather, 160) V(Iallgatherv, 161) V(Igather, 162) V(Igatherv, 163)
    V(Iscatter, 164) V(Iscatterv, 165) V(Ireduce_scatter, 166) V(Iscan, 167) V(Reduce_scatter_block, 168)
    V(Ireduce_scatter_block, 169) V(Alltoallw, 170) V(Ialltoallw, 171) V(Get_accumulate, 172) V(Dist_graph_create, 173)
    V(Neighbor_allgather, 174) V(Ineighbor_allgather, 175) V(Neighbor_allgatherv, 176) V(Ineighbor_allgatherv, 177)
    V(Neighbor_alltoall, 178) V(Ineighbor_alltoall, 179) V(Neighbor_alltoallv, 180) V(Ineighbor_alltoallv, 181)
    V(Neighbor_alltoallw, 182) V(Ineighbor_alltoallw, 183) V(Fetch_and_op, 184) V(Compare_and_swap, 185) V(Win_flush, 186)
    V(Win_flush_all, 187) V(Win_flush_local, 188) V(Win_flush_local_all, 189) V(Mprobe, 190) V(Improbe, 191) V(Mrecv, 192)
    V(Imrecv, 193)
#undef V
};

/* Event type and thread state for each kind of call. An entry of zeros means PRV_TYPE_OTHER and state 15 (Others). */
static const struct {
    uint32_t type;
    uint8_t state;
} kinds[] = {
    [MPG_KIND_SEND] = {PRV_TYPE_POINT_TO_POINT, 4},
    [MPG_KIND_RECV] = {PRV_TYPE_POINT_TO_POINT, 3},
    [MPG_KIND_MRECV] = {PRV_TYPE_POINT_TO_POINT, 3},
    [MPG_KIND_SENDRECV] = {PRV_TYPE_POINT_TO_POINT, 16},
    [MPG_KIND_ISENDRECV] = {PRV_TYPE_POINT_TO_POINT, 16},
    [MPG_KIND_ISEND] = {PRV_TYPE_POINT_TO_POINT, 10},
    [MPG_KIND_SEND_INIT] = {PRV_TYPE_POINT_TO_POINT, 10},
    [MPG_KIND_PSEND_INIT] = {PRV_TYPE_POINT_TO_POINT, 10},
    [MPG_KIND_IRECV] = {PRV_TYPE_POINT_TO_POINT, 11},
    [MPG_KIND_IMRECV] = {PRV_TYPE_POINT_TO_POINT, 11},
    [MPG_KIND_RECV_INIT] = {PRV_TYPE_POINT_TO_POINT, 11},
    [MPG_KIND_PRECV_INIT] = {PRV_TYPE_POINT_TO_POINT, 11},
    [MPG_KIND_PREADY] = {PRV_TYPE_POINT_TO_POINT, 15},
    [MPG_KIND_PARRIVED] = {PRV_TYPE_POINT_TO_POINT, 6},
    [MPG_KIND_COMPLETE] = {PRV_TYPE_POINT_TO_POINT, 8},
    [MPG_KIND_PROBE] = {PRV_TYPE_POINT_TO_POINT, 6},
    [MPG_KIND_MPROBE] = {PRV_TYPE_POINT_TO_POINT, 6},
    [MPG_KIND_CANCEL] = {PRV_TYPE_POINT_TO_POINT, 15},
    [MPG_KIND_REQUEST_FREE] = {PRV_TYPE_OTHER, 8},
    [MPG_KIND_COLLECTIVE] = {PRV_TYPE_COLLECTIVE, 13},
    [MPG_KIND_ICOLLECTIVE] = {PRV_TYPE_COLLECTIVE, 13},
    [MPG_KIND_COLLECTIVE_INIT] = {PRV_TYPE_COLLECTIVE, 13},
    [MPG_KIND_NEIGHBOR] = {PRV_TYPE_COLLECTIVE, 13},
    [MPG_KIND_INEIGHBOR] = {PRV_TYPE_COLLECTIVE, 13},
    [MPG_KIND_NEIGHBOR_INIT] = {PRV_TYPE_COLLECTIVE, 13},
    [MPG_KIND_WIN_CONSTRUCTOR] = {PRV_TYPE_RMA, 25},
    [MPG_KIND_WIN_FREE] = {PRV_TYPE_RMA, 25},
    [MPG_KIND_WIN_FENCE] = {PRV_TYPE_RMA, 25},
    [MPG_KIND_WIN_GROUP] = {PRV_TYPE_RMA, 25},
    [MPG_KIND_WIN_EPOCH] = {PRV_TYPE_RMA, 25},
    [MPG_KIND_WIN_TARGET] = {PRV_TYPE_RMA, 25},
    [MPG_KIND_WIN_ALL] = {PRV_TYPE_RMA, 25},
    [MPG_KIND_RMA] = {PRV_TYPE_RMA, 25},
    [MPG_KIND_IRMA] = {PRV_TYPE_RMA, 25},
    [MPG_KIND_FILE_OPEN] = {PRV_TYPE_IO, PRV_STATE_IO},
    [MPG_KIND_FILE_CLOSE] = {PRV_TYPE_IO, PRV_STATE_IO},
    [MPG_KIND_FILE] = {PRV_TYPE_IO, PRV_STATE_IO},
    [MPG_KIND_IFILE] = {PRV_TYPE_IO, PRV_STATE_IO},
    [MPG_KIND_FILE_COLLECTIVE] = {PRV_TYPE_IO, PRV_STATE_IO},
    [MPG_KIND_OTHER] = {0, 0},
};

uint32_t mpg_prv_type_of(enum mpg_call call)
{
    const enum mpg_call plain = mpg_call_plain(call);
    if (plain == MPG_CALL_Test || plain == MPG_CALL_Testall || plain == MPG_CALL_Testany || plain == MPG_CALL_Testsome)
        return PRV_TYPE_OTHER;
    const uint32_t type = kinds[mpg_call_kind(call)].type;
    return type ? type : PRV_TYPE_OTHER;
}

uint32_t mpg_prv_value_of(enum mpg_call call)
{
    const enum mpg_call plain = mpg_call_plain(call);
    return values[plain] ? values[plain] : PRV_FIRST_OWN_VALUE + (uint32_t)plain;
}

uint32_t mpg_prv_state_of(enum mpg_call call)
{
    const uint32_t state = kinds[mpg_call_kind(call)].state;
    return state ? state : 15;
}

void mpg_prv_sizes(const struct mpg_event *e, int64_t *sent, int64_t *received)
{
    int64_t sum = e->count_number > 0 ? 0 : e->bytes;
    const int64_t b = e->bytes, n = e->peer_number;
    for (uint32_t i = 0; i < e->count_number; i++)
        sum += e->counts[i];
    *sent = sum;
    *received = 0;
    switch (mpg_call_blocking(e->call)) {
    case MPG_CALL_Bcast:
        *sent = e->is_root ? b : 0;
        *received = e->is_root ? 0 : b;
        break;
    case MPG_CALL_Reduce:
        *sent = e->is_root ? 0 : b;
        *received = e->is_root ? b : 0;
        break;
    case MPG_CALL_Gather:
        *received = e->is_root ? n * b : 0;
        break;
    case MPG_CALL_Scatter:
        *sent = e->is_root ? b : 0;
        *received = b;
        break;
    case MPG_CALL_Scatterv: /* the root's list has the bytes for every rank, including the root */
        *sent = e->is_root ? sum : 0;
        *received = !e->is_root ? b : e->root >= 0 && (uint32_t)e->root < e->count_number ? e->counts[e->root] : 0;
        break;
    case MPG_CALL_Allgather:
    case MPG_CALL_Alltoall:
        *received = n * b;
        break;
    case MPG_CALL_Allreduce:
    case MPG_CALL_Scan:
    case MPG_CALL_Exscan:
        *received = b;
        break;
    default:
        break;
    }
}

uint32_t mpg_prv_counter_type(const char *name, size_t n)
{
    return strcmp(name, "PAPI_TOT_INS") == 0   ? 42000050
           : strcmp(name, "PAPI_TOT_CYC") == 0 ? 42000059
                                               : PRV_TYPE_COUNTER + (uint32_t)n;
}
