/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One-sided operations in words. */
#include "config.h"

#include <stdio.h>

#include "signature/show/show.h"

static void show_operation(const struct mpg_one_sided_times *x, const char *name, bool all)
{
    const size_t max = all ? x->call.n : SHOW_ROWS;
    for (size_t i = 0; i < x->call.n; i++) {
        const struct mpg_distribution *both[] = {x->call.size[i].time_ns, x->complete.size[i].time_ns};
        if (!show_picked(i, x->call.n, max))
            continue;
        printf("  %-12s", name);
        show_size(x->call.size[i].size_bytes);
        printf(" %9zu", both[0]->n);
        for (int k = 0; k < 2; k++) {
            show_time(mpg_distribution_quantile(both[k], 0.5));
            show_time(mpg_distribution_quantile(both[k], 0.99));
        }
        putchar('\n');
    }
    show_rest(x->call.n, max, "sizes");
}

void show_one_sided(const struct mpg_network_path *path, bool all)
{
    bool any = false;
    for (int o = 0; o < MPG_ONE_SIDED_OPERATIONS; o++)
        any = any || path->one_sided[o].call.n > 0;
    if (!any)
        return;
    printf("\nOne-sided operations: the call that starts them (the lock), and the flush, unlock or fence after it\n"
           "                                             call               complete\n"
           "  operation         size   samples        p50        p99        p50        p99\n");
    for (int o = 0; o < MPG_ONE_SIDED_OPERATIONS; o++)
        show_operation(&path->one_sided[o], mpg_one_sided_name((enum mpg_one_sided)o), all);
}
