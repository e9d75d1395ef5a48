/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overlap of transfers with computation in words. */
#include "config.h"

#include <stdio.h>

#include "signature/show/show.h"

static void show_side(const struct mpg_overlap *x, const char *name, bool all)
{
    static const double shown[] = {0.5, 0.05, 0.95};
    const size_t max = all ? x->share.n : SHOW_ROWS;
    for (size_t i = 0; i < x->share.n; i++) {
        const struct mpg_distribution *share = x->share.size[i].time_ns;
        if (!show_picked(i, x->share.n, max))
            continue;
        printf("  %-10s", name);
        show_size(x->share.size[i].size_bytes);
        printf(" %9zu", share->n);
        show_time(mpg_distribution_quantile(x->alone.size[i].time_ns, 0.5));
        for (int k = 0; k < 3; k++)
            printf(" %7.0f %%", 100 * mpg_distribution_quantile(share, shown[k]));
        putchar('\n');
    }
    show_rest(x->share.n, max, "sizes");
}

void show_overlap(const struct mpg_network_path *path, bool all)
{
    if (path->overlap[MPG_OVERLAP_SEND].share.n == 0 && path->overlap[MPG_OVERLAP_RECEIVE].share.n == 0)
        return;
    printf("\nOverlap: the share of a transfer that progresses while the sender (send) or the receiver (receive) computes\n"
           "  computes        size   samples      alone   overlap       p5       p95\n");
    for (int side = 0; side < MPG_OVERLAP_SIDES; side++)
        show_side(&path->overlap[side], mpg_overlap_name((enum mpg_overlap_side)side), all);
}
