/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of collective algorithms. In an accepted table every operation has an algorithm, and this algorithm is one for
 * that operation. */
#include <stdlib.h>

#include "graph/algorithms/plan.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpg_error err = {""};
    struct mpg_collective_table *t = mpg_collective_table_parse((const char *)data, size, "table", &err);
    if (!t) {
        fuzz_check_error(&err);
        return 0;
    }
    for (int i = 0; i < MPG_COLLECTIVES; i++)
        for (int32_t p = 1; p < 40; p = 2 * p + 1) {
            const struct mpg_collective_size what = {(enum mpg_collective)i, p, 0, 4000.0 * p, NULL, false};
            struct mpg_choice c = mpg_collective_table_find(t, what.operation, p, 100.0 * p);
            if (!mpg_algorithm_serves(c.algorithm, what.operation, false))
                abort();
            if (mpg_plan_make(t, &what).phases > MPG_PHASES_MAX)
                abort();
        }
    mpg_collective_table_free(t);
    return 0;
}
