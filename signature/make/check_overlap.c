/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quality of the overlap of transfers with computation: predictions need to know on which side of one half the overlap is. */
#include "config.h"

#include "common/units.h"
#include "signature/make/check_private.h"

/* Checks whether the side of one half is known for the overlap of SIZE on P, while the rank SIDE computes. */
static int check_size(struct mpg_check *c, const struct mpg_network_path *p, enum mpg_overlap_side side,
                      const struct mpg_network_size *size, struct mpg_error *err)
{
    const struct mpg_distribution *share = size->time_ns;
    char text[32];
    if (mpg_overlap_decides(share) != 0)
        return 0;
    return mpg_check_add_finding(c, MPG_FOUND_OVERLAP, MPG_MOVES_UNKNOWN, err,
                                 "overlap, %s, %s, %s: %.0f %% in the median, by %zu samples; the interval includes %.0f %%",
                                 mpg_path_name(p->path), mpg_overlap_name(side),
                                 mpg_units_format_size(text, sizeof text, size->size_bytes),
                                 100 * mpg_distribution_quantile(share, 0.5), share->n, 100 * MPG_OVERLAP_MATTERS);
}

int mpg_check_overlap(struct mpg_check *c, const struct mpg_signature *sig, struct mpg_error *err)
{
    for (size_t k = 0; k < sig->paths; k++) {
        const struct mpg_network_path *p = &sig->network[k];
        for (int side = 0; side < MPG_OVERLAP_SIDES; side++)
            for (size_t i = 0; i < p->overlap[side].share.n; i++)
                if (p->overlap[side].share.size[i].size_bytes > p->eager_limit_bytes &&
                    check_size(c, p, (enum mpg_overlap_side)side, &p->overlap[side].share.size[i], err) < 0)
                    return -1;
    }
    return 0;
}
