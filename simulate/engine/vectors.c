/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Room for vectors. */
#include "simulate/engine/vectors.h"

#include <stdlib.h>

int mpg_vectors_reserve(void **items, size_t bytes, uint32_t *capacity, uint32_t count,
                        struct mpg_error *err)
{
    if (count <= *capacity)
        return 0;
    uint32_t wanted = count + count / 2 + 16;
    char *grown = realloc(*items, wanted * bytes);
    if (!grown)
        return mpg_error_set(err, "out of memory (%u values of %zu bytes)", wanted, bytes);
    memset(grown + *capacity * bytes, 0, (wanted - *capacity) * bytes);
    *items = grown;
    *capacity = wanted;
    return 0;
}
