/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Choosing cores. */
#include "config.h"

#include "bench/harness/choice.h"

#include <stdint.h>

#include "bench/harness/machine.h"
#include "common/units.h"

int mpg_choice_select(const char *list, int *core, int n, struct mpg_error *err)
{
    struct mpg_rank_set set;
    char allowed[256];
    int kept = 0;
    if (mpg_rank_set_parse(list, &set, NULL) < 0)
        return mpg_error_set(err, "'%s' is not a list of cores like 0,4-7", list);
    for (size_t i = 0; i < set.count; i++) {
        int64_t found = 0, wanted = (int64_t)set.ranges[i].last - set.ranges[i].first + 1;
        for (int c = 0; c < n; c++)
            found += core[c] >= set.ranges[i].first && core[c] <= set.ranges[i].last;
        if (found < wanted) {
            mpg_rank_set_clear(&set);
            return mpg_error_set(err, "%s: offline, or not among the cores that may be used, %s",
                                 list, mpg_cores_list(allowed, sizeof allowed, core, n));
        }
    }
    for (int c = 0; c < n; c++)
        if (mpg_rank_set_contains(&set, core[c]))
            core[kept++] = core[c];
    mpg_rank_set_clear(&set);
    return kept;
}

int mpg_choice_limit(int limit, int *core, int n)
{
    int kept = limit > 0 && limit < n ? limit : n;
    for (int i = 0; i < kept; i++)
        core[i] = core[(int)((int64_t)i * n / kept)];
    return kept;
}
