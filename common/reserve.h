/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays that grow with what is put in. */
#ifndef MPG_RESERVE_H
#define MPG_RESERVE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/error.h"

/* Makes room for COUNT items of BYTES each in ITEMS, which has room for CAPACITY and is the caller's to
 * free; new ones are 0. Error: out of memory; all is as it was. */
int mpg_reserve(void **items, size_t bytes, uint32_t *capacity, uint32_t count, struct mpg_error *err);

/* The same of an array of any type: ITEMS is where the pointer to it is. */
static inline int mpg_reserve_at(void *items, size_t bytes, uint32_t *capacity, uint32_t count,
                                 struct mpg_error *err)
{
    void *grown;
    memcpy(&grown, items, sizeof grown);
    const int status = mpg_reserve(&grown, bytes, capacity, count, err);
    memcpy(items, &grown, sizeof grown);
    return status;
}

#endif
