/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Look-up of hypotheses by region and callsite, and the results of the learning pass. */
#include "graph/work/bound_hypotheses.h"

#include <stdlib.h>

#include "graph/work/private.h"

int mpg_bound_refuse(const struct mpg_hypothesis *h, struct mpg_error *err)
{
    char name[400];
    return mpg_error_prefix(err, "%s", mpg_hypothesis_name(h, name, sizeof name));
}

void mpg_bound_free(struct mpg_bound_hypotheses *x)
{
    if (!x)
        return;
    for (size_t i = 0; i < x->list->n && x->balance; i++)
        mpg_balance_free(x->balance[i]);
    free(x->balance);
    free(x->work_ns);
    free(x->entered);
    free(x->known);
    free(x->met);
    if (x->learned) {
        mpg_map_clear(&x->learned->dropped);
        mpg_map_clear(&x->learned->begins);
        mpg_map_clear(&x->learned->together);
    }
    free(x->learned);
    free(x->named);
    free(x->site);
    free(x->placed);
    free(x);
}

void mpg_bound_learn(const struct mpg_bound_hypotheses *x, bool learns)
{
    x->learned->learns = learns;
}

void mpg_bound_set_observer(struct mpg_bound_hypotheses *x,
                            int (*observer)(void *context, const struct mpg_hypothesis_effect *effect, struct mpg_error *err),
                            void *context)
{
    x->learned->observer = observer;
    x->learned->context = context;
}

int mpg_bound_check(const struct mpg_bound_hypotheses *x, struct mpg_error *err)
{
    for (size_t i = 0; i < x->list->n; i++)
        if (!mpg_hypothesis_is_of_work(&x->list->item[i]) && !x->met[i]) {
            mpg_error_set(err, "selects no message, collective or one-sided epoch of the trace");
            return mpg_bound_refuse(&x->list->item[i], err);
        }
    return 0;
}

bool mpg_bound_split_collective(const struct mpg_bound_hypotheses *x, uint64_t some)
{
    const struct mpg_map *together = &x->learned->together;
    for (size_t i = 0; i < together->capacity; i++) {
        const struct mpg_map_entry *entry = &together->entries[i];
        if (entry->used && (entry->key[0] & some) && (entry->key[0] & ~some))
            return true;
    }
    return false;
}

const struct mpg_hypotheses *mpg_bound_list(const struct mpg_bound_hypotheses *x)
{
    return x->list;
}

uint64_t mpg_bound_all(const struct mpg_bound_hypotheses *x)
{
    return x->list->n < MPG_HYPOTHESES_MAX ? (UINT64_C(1) << x->list->n) - 1 : UINT64_MAX;
}

uint64_t mpg_bound_of_work(const struct mpg_bound_hypotheses *x, uint64_t some)
{
    for (size_t i = 0; i < x->list->n; i++)
        if (!mpg_hypothesis_is_of_work(&x->list->item[i]))
            some &= ~(UINT64_C(1) << i);
    return some;
}

uint64_t mpg_bound_inserting(const struct mpg_bound_hypotheses *x, uint64_t some)
{
    return some & x->exchanges;
}

uint64_t mpg_bound_of_messages(const struct mpg_bound_hypotheses *x, uint64_t some)
{
    return some & ~mpg_bound_of_work(x, some);
}
