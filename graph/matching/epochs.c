/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/matching/epochs.h"

#include <stdlib.h>

int mpg_graph_note_part(const struct applied_hypotheses *s, struct epoch_parts *epoch_parts, const struct call *call,
                        uint32_t part,
                        int32_t target,
                        int by, struct mpg_error *err)
{
    if (!mpg_graph_is_learning(s))
        return 0;
    if (epoch_parts->n == epoch_parts->capacity) {
        const size_t capacity = epoch_parts->capacity ? 2 * epoch_parts->capacity : 8;
        struct epoch_part *grown = realloc(epoch_parts->item, capacity * sizeof *grown);
        if (!grown)
            return mpg_graph_out_of_memory(err);
        epoch_parts->item = grown;
        epoch_parts->capacity = capacity;
    }
    epoch_parts->item[epoch_parts->n++] = (struct epoch_part){graph_call_ref(call), part, target, by};
    return 0;
}

int mpg_graph_learn_epoch(const struct applied_hypotheses *s, struct epoch_parts *epoch_parts, const struct call *call,
                          int32_t target,
                          int dropper,
                          struct mpg_error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < epoch_parts->n; i++) {
        const struct epoch_part *x = &epoch_parts->item[i];
        if (target >= 0 && x->target != target) {
            epoch_parts->item[kept++] = *x;
            continue;
        }
        if (mpg_graph_check_agreement(s, call, x->by, dropper, err) < 0 ||
            mpg_graph_learn_dropped(s, &x->call_ref, x->part, dropper, err) < 0)
            return -1;
    }
    epoch_parts->n = kept;
    return 0;
}

void mpg_graph_epoch_parts_clear(struct epoch_parts *epoch_parts)
{
    free(epoch_parts->item);
    *epoch_parts = (struct epoch_parts){0};
}
