/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/matching/epochs.h"

#include <stdlib.h>

int mpg_graph_note_part(const struct applied_hypotheses *s, struct noting *noting, const struct call *call, uint32_t part,
                        int32_t target,
                        int by, struct mpg_error *err)
{
    if (!mpg_graph_is_learning(s))
        return 0;
    if (noting->n == noting->capacity) {
        const size_t capacity = noting->capacity ? 2 * noting->capacity : 8;
        struct noted *grown = realloc(noting->item, capacity * sizeof *grown);
        if (!grown)
            return mpg_graph_out_of_memory(err);
        noting->item = grown;
        noting->capacity = capacity;
    }
    noting->item[noting->n++] = (struct noted){graph_call_ref(call), part, target, by};
    return 0;
}

int mpg_graph_learn_epoch(const struct applied_hypotheses *s, struct noting *noting, const struct call *call, int32_t target,
                          int dropper,
                          struct mpg_error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < noting->n; i++) {
        const struct noted *x = &noting->item[i];
        if (target >= 0 && x->target != target) {
            noting->item[kept++] = *x;
            continue;
        }
        if (mpg_graph_check_agreement(s, call, x->by, dropper, err) < 0 ||
            mpg_graph_learn_dropped(s, &x->call_ref, x->part, dropper, err) < 0)
            return -1;
    }
    noting->n = kept;
    return 0;
}

void mpg_graph_noting_clear(struct noting *noting)
{
    free(noting->item);
    *noting = (struct noting){0};
}
