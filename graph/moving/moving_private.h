/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of graph/moving/ share. */
#ifndef MPG_GRAPH_MOVING_PRIVATE_H
#define MPG_GRAPH_MOVING_PRIVATE_H

#include "graph/algorithms/waves.h"
#include "graph/moved.h"
#include "graph/matching/carried.h"
#include "graph/meetings/collectives.h"

/* Waves of what was looked at lately. */
enum { KEPT_WAVES = 16 };
struct kept_waves {
    enum mpg_call call;
    int32_t p;
    int64_t bytes;
    struct mpg_choice choice;
    struct mpg_waves *waves; /* NULL: too many */
    uint64_t used;           /* 0: none is kept here */
};

/* When a wave begins and ends, as far as it is asked for. */
struct wave_time {
    uint64_t turn;      /* in which it was asked for last */
    uint8_t known;      /* what of it is: BEGINS, ENDS, and which of them is being found */
    double begin_ns, end_ns;
};

/* Of the calls that completing something waits for, those that begin last. */
enum { MOST_FOUND = 64 };

struct moving {
    struct carrying *carrying;
    struct meetings *meetings;
    const struct mpg_carried *limits;
    const struct mpg_collective_table *table;
    int64_t eager_limit_bytes;
    bool observes;
    struct kept_waves kept[KEPT_WAVES];
    uint64_t uses;
    struct wave_time *time;
    uint32_t time_capacity;
    uint64_t turns;
    struct {
        int32_t rank;
        const struct passage *passage;
    } found[MOST_FOUND];
    uint32_t found_number;
    double first_ns; /* when the first of them begins */
    struct seen *seen; /* observes */
};

/* How a collective is looked at. */
struct way {
    struct mpg_choice choice;
    bool calls, carried; /* calls: later waves begin in calls; else as soon as they can */
};

/* Who completes it, and until when others' calls count. */
struct asked {
    const struct part *part;
    struct met met;
    double until_ns;
};

/* When all is there that the member's last wave needs, aligned; INFINITY: not by then. In the time of the trace, as if
 * messages took none; the calls of others that this waits for are in MOVING->found, unless it observes. -INFINITY: waves are not
 * known. */
double mpg_graph_moved_end(struct moving *moving, const struct asked *asked, const struct way *way);
void mpg_graph_forget_waves(struct moving *moving);

/* While it observes: what completes ASKED by CALL shows. */
void mpg_graph_see(struct moving *moving, const struct asked *asked, const struct call *call);
struct seen *mpg_graph_seen_new(struct mpg_error *err);
void mpg_graph_seen_free(struct seen *seen);

#endif
