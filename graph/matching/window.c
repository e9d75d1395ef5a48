/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/matching/window.h"

#include <stdlib.h>

struct window *mpg_graph_find_window(struct mpg_map *by_object, int32_t object, struct mpg_error *err)
{
    uint64_t *slot = mpg_map_add(by_object, (uint64_t)object, 0);
    if (slot && !*slot && !(*slot = (uint64_t)(uintptr_t)calloc(1, sizeof(struct window)))) {
        mpg_map_remove(by_object, (uint64_t)object, 0);
        slot = NULL;
    }
    if (!slot) {
        mpg_graph_out_of_memory(err);
        return NULL;
    }
    return (struct window *)(uintptr_t)*slot;
}

void mpg_graph_free_window(struct window *w)
{
    mpg_map_clear(&w->targets);
    free(w->target);
    free(w->access.ranks);
    free(w->exposure.ranks);
    free(w->late);
    free(w->waits.item);
    mpg_graph_epoch_parts_clear(&w->epoch_parts);
    for (size_t i = 0; i < w->lock_count; i++)
        mpg_graph_epoch_parts_clear(&w->lock[i].epoch_parts);
    free(w->lock);
    free(w);
}
