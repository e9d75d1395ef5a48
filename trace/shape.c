/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the shape of each kind of call holds. */
#include "trace/shape.h"

#define ALL .call = ~0u, .site = -1
#define FAILURE MPG_SHAPE_FAILED

const struct mpg_shape mpg_shape_failed_mask = {ALL, .flags = FAILURE};

const struct mpg_shape mpg_shape_masks[] = {
    [MPG_KIND_FLUSH] = {ALL, .flags = FAILURE},
    [MPG_KIND_REGION_BEGIN] = {ALL, .flags = FAILURE, .string = -1},
    [MPG_KIND_REGION_END] = {ALL, .flags = FAILURE, .string = -1},
    [MPG_KIND_INIT] = {ALL, .flags = FAILURE},
    [MPG_KIND_FINALIZE] = {ALL, .flags = FAILURE},
    [MPG_KIND_SEND] = {ALL, .flags = FAILURE, .comm = -1, .to = -1, .tag = -1, .bytes = -1},
    [MPG_KIND_RECV] = {ALL, .flags = FAILURE | MPG_SHAPE_ANY, .comm = -1, .from = -1, .tag = -1,
                       .bytes = -1},
    [MPG_KIND_SENDRECV] = {ALL, .flags = FAILURE | MPG_SHAPE_ANY, .comm = -1, .to = -1, .tag = -1,
                           .bytes = -1, .from = -1, .recvtag = -1, .recvbytes = -1},
    [MPG_KIND_ISEND] = {ALL, .flags = FAILURE | MPG_SHAPE_IN_ORDER, .comm = -1, .to = -1,
                        .tag = -1, .bytes = -1},
    [MPG_KIND_IRECV] = {ALL, .flags = FAILURE | MPG_SHAPE_IN_ORDER | MPG_SHAPE_ANY, .comm = -1,
                        .from = -1, .tag = -1, .bytes = -1},
    [MPG_KIND_COMPLETE] = {ALL, .flags = FAILURE | MPG_SHAPE_DONE_ALL | MPG_SHAPE_EXTRAS |
                                         MPG_SHAPE_AGAIN,
                           .request_number = ~0u},
    [MPG_KIND_PROBE] = {ALL, .flags = FAILURE | MPG_SHAPE_ANY | MPG_SHAPE_FOUND, .comm = -1,
                        .from = -1, .tag = -1, .bytes = -1},
    [MPG_KIND_MPROBE] = {ALL, .flags = FAILURE | MPG_SHAPE_ANY | MPG_SHAPE_FOUND, .comm = -1,
                         .from = -1, .tag = -1, .bytes = -1},
    [MPG_KIND_MRECV] = {ALL, .flags = FAILURE, .comm = -1, .from = -1, .tag = -1, .bytes = -1},
    [MPG_KIND_IMRECV] = {ALL, .flags = FAILURE | MPG_SHAPE_IN_ORDER, .comm = -1, .from = -1,
                         .tag = -1, .bytes = -1},
    [MPG_KIND_REQUEST_FREE] = {ALL, .flags = FAILURE | MPG_SHAPE_PERSISTENT},
    [MPG_KIND_CANCEL] = {ALL, .flags = FAILURE},
    [MPG_KIND_REQUEST] = {ALL, .flags = FAILURE | MPG_SHAPE_IN_ORDER},
    [MPG_KIND_SEND_INIT] = {ALL, .flags = FAILURE, .comm = -1, .to = -1, .tag = -1, .bytes = -1},
    [MPG_KIND_RECV_INIT] = {ALL, .flags = FAILURE | MPG_SHAPE_ANY, .comm = -1, .from = -1,
                            .tag = -1, .bytes = -1},
    [MPG_KIND_START] = {ALL, .flags = FAILURE | MPG_SHAPE_EXTRAS, .request_number = ~0u},
    [MPG_KIND_COLLECTIVE] = {ALL, .flags = FAILURE, .comm = -1, .root = -1, .bytes = -1,
                             .count_number = ~0u},
    [MPG_KIND_ICOLLECTIVE] = {ALL, .flags = FAILURE | MPG_SHAPE_IN_ORDER, .comm = -1, .root = -1,
                              .bytes = -1, .count_number = ~0u},
    [MPG_KIND_NEIGHBOR] = {ALL, .flags = FAILURE, .comm = -1, .bytes = -1, .count_number = ~0u},
    [MPG_KIND_INEIGHBOR] = {ALL, .flags = FAILURE | MPG_SHAPE_IN_ORDER, .comm = -1, .bytes = -1,
                            .count_number = ~0u},
    [MPG_KIND_CONSTRUCTOR] = {ALL, .flags = FAILURE, .comm = -1, .newcomm = -1},
    [MPG_KIND_ICONSTRUCTOR] = {ALL, .flags = FAILURE | MPG_SHAPE_IN_ORDER, .comm = -1,
                               .newcomm = -1},
    [MPG_KIND_DYNAMIC] = {ALL, .flags = FAILURE, .comm = -1, .newcomm = -1},
    [MPG_KIND_COMM_FREE] = {ALL, .flags = FAILURE, .comm = -1},
    [MPG_KIND_WIN_CONSTRUCTOR] = {ALL, .flags = FAILURE, .comm = -1, .object = -1, .bytes = -1},
    [MPG_KIND_WIN_FREE] = {ALL, .flags = FAILURE, .object = -1},
    [MPG_KIND_WIN_FENCE] = {ALL, .flags = FAILURE, .object = -1, .root = -1},
    [MPG_KIND_WIN_GROUP] = {ALL, .flags = FAILURE, .object = -1, .count_number = ~0u},
    [MPG_KIND_WIN_EPOCH] = {ALL, .flags = FAILURE | MPG_SHAPE_FOUND, .object = -1},
    [MPG_KIND_WIN_TARGET] = {ALL, .flags = FAILURE, .object = -1, .to = -1, .root = -1},
    [MPG_KIND_WIN_ALL] = {ALL, .flags = FAILURE, .object = -1},
    [MPG_KIND_RMA] = {ALL, .flags = FAILURE, .object = -1, .to = -1, .bytes = -1,
                      .recvbytes = -1},
    [MPG_KIND_IRMA] = {ALL, .flags = FAILURE | MPG_SHAPE_IN_ORDER, .object = -1, .to = -1,
                       .bytes = -1, .recvbytes = -1},
    [MPG_KIND_FILE_OPEN] = {ALL, .flags = FAILURE, .comm = -1, .object = -1},
    [MPG_KIND_FILE_CLOSE] = {ALL, .flags = FAILURE, .object = -1},
    [MPG_KIND_FILE] = {ALL, .flags = FAILURE, .object = -1, .bytes = -1},
    [MPG_KIND_IFILE] = {ALL, .flags = FAILURE | MPG_SHAPE_IN_ORDER, .object = -1, .bytes = -1},
    [MPG_KIND_FILE_COLLECTIVE] = {ALL, .flags = FAILURE, .object = -1},
    [MPG_KIND_PCONTROL] = {ALL, .flags = FAILURE, .to = -1},
    [MPG_KIND_ABORT] = {ALL, .flags = FAILURE},
    [MPG_KIND_OTHER] = {ALL, .flags = FAILURE},
};

bool mpg_kind_makes_request(enum mpg_kind kind)
{
    return mpg_shape_masks[kind].flags & MPG_SHAPE_IN_ORDER;
}
