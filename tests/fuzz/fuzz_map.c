/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maps of ranks (mpgsim --map=FILE). An accepted map has a place for each rank. */
#include <stdlib.h>

#include "simulate/models/placement.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int32_t ranks = 1; ranks < 6; ranks += 2) {
        struct mpg_placement p = {0};
        struct mpg_error err = {""};
        if (mpg_placement_parse(&p, "map", fuzz_file(data, size), ranks, &err) < 0)
            fuzz_check_error(&err);
        else if (p.ranks != ranks)
            abort();
        for (int32_t r = 0; r < p.ranks; r++)
            if (p.node[r] < 0 || mpg_placement_path_class(&p, 0, r) != mpg_placement_path_class(&p, r, 0))
                abort();
        mpg_placement_clear(&p);
    }
    return 0;
}
