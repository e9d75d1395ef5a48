/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/reserve.h"

#include <stdlib.h>
#include <string.h>

int mpg_reserve(void **items, size_t bytes, uint32_t *capacity, uint32_t count, struct mpg_error *err)
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

int mpg_grow(void *items, size_t n, size_t *capacity, size_t size, struct mpg_error *err)
{
    void **at = items;
    if (n < *capacity)
        return 0;
    const size_t more = *capacity ? 2 * *capacity : 16;
    void *grown = realloc(*at, more * size);
    if (!grown)
        return mpg_error_set(err, "out of memory");
    *at = grown;
    *capacity = more;
    return 0;
}
