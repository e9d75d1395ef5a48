/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maps of ranks (mpgsim --map=FILE). What is accepted has a place for each rank. */
#include <stdlib.h>

#include "simulate/models/places.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int32_t ranks = 1; ranks < 6; ranks += 2) {
        struct mpg_places p = {0};
        struct mpg_error err = {""};
        if (mpg_places_parse(&p, "map", fuzz_file(data, size), ranks, &err) < 0)
            fuzz_check_error(&err);
        else if (p.ranks != ranks)
            abort();
        for (int32_t r = 0; r < p.ranks; r++)
            if (p.node[r] < 0 || mpg_places_between(&p, 0, r) != mpg_places_between(&p, r, 0))
                abort();
        mpg_places_clear(&p);
    }
    return 0;
}
