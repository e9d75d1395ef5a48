/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts messages and calls by time, and holds a rank's messages around the time of the current call. */
#include "trace/paraver/window.h"

#include <string.h>

#include "common/reserve.h"

enum {
    SORT_BYTES = 4 << 20, /* memory of each sorter, bytes */
    /* Maximum number of messages with equal times examined for a call; keeps the time linear even for a malicious trace. */
    MAX_LOOKS = 4096
};

int mpg_prv_open_sorters(struct prv_import *im, struct mpg_error *err)
{
    im->calls = mpg_sorter_new(sizeof(struct prv_call), 3, SORT_BYTES, err);
    im->channels = im->calls ? mpg_sorter_new(sizeof(struct prv_message), 4, SORT_BYTES, err) : NULL;
    im->sends = im->channels ? mpg_sorter_new(sizeof(struct prv_side), 3, SORT_BYTES, err) : NULL;
    im->receives = im->sends ? mpg_sorter_new(sizeof(struct prv_side), 3, SORT_BYTES, err) : NULL;
    return im->receives ? 0 : -1;
}

/* --- windows --- */

/* Reads the next message of the rank into w->ahead; NULL at the end. */
static int advance(struct prv_window *w, struct mpg_error *err)
{
    const void *item = NULL;
    const int more = mpg_sorter_next(w->from, &item, err);
    w->ahead = more > 0 ? item : NULL;
    return more < 0 ? -1 : 0;
}

int mpg_prv_window_begin(struct prv_window *w, struct mpg_error *err)
{
    return advance(w, err);
}

/* Drops the messages with times before FROM_NS; adds the number of dropped messages not taken by a call to w->left. */
static void drop(struct prv_window *w, int64_t from_ns)
{
    for (; w->first < w->n && w->items[w->first].side.logical_ns < from_ns; w->first++)
        w->left += w->items[w->first].jump == 0;
    if (w->first > 0 && w->first >= w->n / 2) {
        w->n -= w->first;
        if (w->n > 0)
            memmove(w->items, w->items + w->first, w->n * sizeof *w->items);
        w->first = 0;
    }
}

int mpg_prv_window_move(struct prv_window *w, int32_t rank, int64_t from_ns, int64_t until_ns, struct mpg_error *err)
{
    drop(w, from_ns);
    while (w->ahead && w->ahead->task == rank && w->ahead->logical_ns <= until_ns) {
        if (mpg_grow(&w->items, w->n, &w->capacity, sizeof *w->items, err) < 0)
            return -1;
        w->items[w->n++] = (struct prv_windowed){*w->ahead, 0};
        if (advance(w, err) < 0)
            return -1;
        drop(w, from_ns);
    }
    return 0;
}

int mpg_prv_window_end(struct prv_window *w, int32_t rank, struct mpg_error *err)
{
    drop(w, INT64_MAX);
    while (w->ahead && w->ahead->task == rank) {
        w->left++;
        if (advance(w, err) < 0)
            return -1;
    }
    return 0;
}

/* Returns the index of the first message that is not before logical time AT_NS and THREAD in the order of the window. */
static size_t lower_bound(const struct prv_window *w, int32_t thread, int64_t at_ns)
{
    size_t low = w->first, high = w->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct prv_side *side = &w->items[middle].side;
        if (side->logical_ns < at_ns || (side->logical_ns == at_ns && side->thread < thread))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the index of the first message, from index I on, that no call has taken. Shortens the jumps passed. */
static size_t free_from(struct prv_window *w, size_t i)
{
    size_t end = i;
    while (end < w->n && w->items[end].jump > 0)
        end += w->items[end].jump;
    while (i < end) {
        const size_t jump = w->items[i].jump;
        w->items[i].jump = end - i;
        i += jump;
    }
    return end;
}

const struct prv_side *mpg_prv_window_take(struct prv_window *w, int32_t thread, int64_t at_ns, int64_t physical_ns,
                                              int64_t not_ns)
{
    struct prv_windowed *found = NULL;
    int looks = 0;
    size_t i = free_from(w, lower_bound(w, thread, at_ns));
    for (; i < w->n && looks < MAX_LOOKS; i = free_from(w, i + 1), looks++) {
        struct prv_windowed *item = &w->items[i];
        const struct prv_side *side = &item->side;
        if (side->logical_ns != at_ns || side->thread != thread)
            break;
        if (side->physical_ns == not_ns)
            continue;
        if (!found || side->physical_ns == physical_ns)
            found = item;
        if (side->physical_ns == physical_ns || physical_ns < 0)
            break;
    }
    if (!found)
        return NULL;
    found->jump = 1;
    return &found->side;
}
