/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Network results on one class of path, by message size: collect_network.c
 * gathers them, collect_path.c makes distributions of them. */
#ifndef MPG_COLLECT_NETWORK_H
#define MPG_COLLECT_NETWORK_H

#include <stdbool.h>

#include "signature/collect_private.h"

/* One exchange; NAN where the file does not say. */
struct mpg_exchange {
    double time_ns;   /* pingpong: the round trip; bandwidth: until the acknowledgement */
    double there_ns;  /* pingpong: forward; bandwidth: the transfer; of clocks compared */
    double back_ns;   /* pingpong: backward; bandwidth: the empty exchange's round trip */
    double send_ns;   /* bandwidth: inside the send */
    int32_t launch, pair; /* indices into the path's */
};

/* All exchanges of one size; those of one launch are in the order of time. */
struct mpg_exchanges {
    int64_t size_bytes;
    size_t n, capacity;
    struct mpg_exchange *exchange;
};

struct mpg_exchange_sizes { /* ascending in size */
    size_t n;
    struct mpg_exchanges *size;
};

/* What the clocks of one launch's two sides are good for. */
struct mpg_exchange_launch {
    int64_t id;
    bool shared;         /* one clock */
    double error_ns;     /* bound of the error between the clocks; NAN: not compared */
};

struct mpg_collect_path {
    struct mpg_exchange_sizes pingpong, bandwidth, stream;
    size_t launches, transfer_launches;
    struct mpg_exchange_launch *launch;   /* of pingpong */
    struct mpg_exchange_launch *transfer; /* of bandwidth */
    size_t pairs;
    char **pair;                          /* "ranks 0 and 1; hosts ..." */
    int64_t window;                       /* the largest of streams; 0: none */
    size_t eager_limits;
    double *eager_limit_bytes;
};

/* Fills OUT, which has everything NULL or 0 but its class, from IN. */
int mpg_collect_make_path(struct mpg_collect *c, const struct mpg_collect_path *in,
                          struct mpg_network_path *out, struct mpg_error *err);

#endif
