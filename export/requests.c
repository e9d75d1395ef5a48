/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "export/requests.h"

#include <stdlib.h>
#include <string.h>

static bool grow(struct mpg_open_requests *r)
{
    const uint32_t capacity = r->capacity ? 2 * r->capacity : 64;
    unsigned char *records = realloc(r->records, capacity * r->record_bytes);
    uint32_t *unused = records ? realloc(r->unused, capacity * sizeof *unused) : NULL;
    r->records = records ? records : r->records;
    r->unused = unused ? unused : r->unused;
    r->capacity = unused ? capacity : r->capacity;
    return unused;
}

bool mpg_open_requests_add(struct mpg_open_requests *r, int64_t number, const void *record)
{
    if (r->unused_number == 0 && r->n == r->capacity && !grow(r))
        return false;
    uint64_t *place = mpg_map_add(&r->at, (uint64_t)number, 0);
    if (!place)
        return false;
    if (*place == 0)
        *place = (r->unused_number > 0 ? r->unused[--r->unused_number] : r->n++) + 1;
    memcpy(r->records + (*place - 1) * r->record_bytes, record, r->record_bytes);
    return true;
}

void *mpg_open_requests_find(const struct mpg_open_requests *r, int64_t number)
{
    const uint64_t *place = mpg_map_find(&r->at, (uint64_t)number, 0);
    return place ? r->records + (*place - 1) * r->record_bytes : NULL;
}

void mpg_open_requests_remove(struct mpg_open_requests *r, int64_t number)
{
    const uint64_t *place = mpg_map_find(&r->at, (uint64_t)number, 0);
    if (!place)
        return;
    r->unused[r->unused_number++] = (uint32_t)(*place - 1);
    mpg_map_remove(&r->at, (uint64_t)number, 0);
}

void mpg_open_requests_clear(struct mpg_open_requests *r)
{
    mpg_map_clear(&r->at);
    free(r->records);
    free(r->unused);
    *r = (struct mpg_open_requests){.record_bytes = r->record_bytes};
}

bool mpg_request_is_listed(const int64_t *list, uint32_t n, int64_t value)
{
    uint32_t i = 0;
    while (i < n && list[i] != value)
        i++;
    return i < n;
}
