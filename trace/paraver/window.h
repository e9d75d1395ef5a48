/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The messages around the time of a rank's current call, from the sorted messages of all ranks: either the messages sent,
 * by logical send, or the messages received, by logical receive. Memory: the messages during the current call. Private to
 * trace/paraver/. */
#ifndef MPG_PARAVER_WINDOW_H
#define MPG_PARAVER_WINDOW_H

#include "trace/paraver/import.h"

struct prv_window {
    struct mpg_sorter *from;     /* sorted, by rank, logical time, thread and order */
    const struct prv_side *ahead; /* the next message from the sorter; NULL: none */
    struct prv_windowed {
        struct prv_side side;
        /* 0: no call has taken the message; J > 0: this message and the next J - 1 messages are taken */
        size_t jump;
    } *items;                    /* in use: FIRST to N - 1 */
    size_t first, n, capacity;
    uint64_t left;               /* number of messages dropped that no call took */
};

/* Functions of type int return 0, or -1 with ERR: out of memory, an error of the temporary file. */

/* Reads the first message; the window stays empty. */
int mpg_prv_window_begin(struct prv_window *w, struct mpg_error *err);
/* Moves W to the messages of RANK from FROM_NS to UNTIL_NS, for calls that begin at FROM_NS or later. RANK must not
 * descend between calls of this function, nor FROM_NS within a rank. */
int mpg_prv_window_move(struct prv_window *w, int32_t rank, int64_t from_ns, int64_t until_ns, struct mpg_error *err);
/* Ends RANK after the last call: drops the remaining messages, and adds the number of messages that no call took to w->left. */
int mpg_prv_window_end(struct prv_window *w, int32_t rank, struct mpg_error *err);
/* Takes a message of THREAD with logical time AT_NS that no call has taken: preferably with physical time PHYSICAL_NS
 * (-1: any), else the first in the file; never with physical time NOT_NS (-1: no exclusion). Returns NULL if there is
 * none. The message is valid until the window moves. */
const struct prv_side *mpg_prv_window_take(struct prv_window *w, int32_t thread, int64_t at_ns, int64_t physical_ns,
                                              int64_t not_ns);

#endif
