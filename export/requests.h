/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Open requests of a rank. Each request has a record, filled by the posting call and read by the completing call. The caller sets
 * the size of a record. */
#ifndef MPG_EXPORT_REQUESTS_H
#define MPG_EXPORT_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/map.h"

/* Bit set in the number of the receiving half of an Isendrecv; numbers in the trace are smaller than this bit. */
#define MPG_SECOND_HALF (INT64_C(1) << 61)

/* An empty set of requests has RECORD_BYTES set and all else 0. */
struct mpg_open_requests {
    size_t record_bytes;
    struct mpg_map at; /* request -> 1 + index in RECORDS */
    unsigned char *records;
    uint32_t *unused;  /* indices of free records */
    uint32_t n, capacity, unused_number;
};

/* Adds request NUMBER with a copy of RECORD, or replaces the request's record. Returns false: out of memory. */
bool mpg_open_requests_add(struct mpg_open_requests *r, int64_t number, const void *record);
/* Returns the record of request NUMBER, valid until the next addition; NULL: not open. */
void *mpg_open_requests_find(const struct mpg_open_requests *r, int64_t number);
/* Removes request NUMBER if open. The record stays valid until the next addition. */
void mpg_open_requests_remove(struct mpg_open_requests *r, int64_t number);
/* Returns the number of open requests. */
static inline size_t mpg_open_requests_number(const struct mpg_open_requests *r)
{
    return r->at.count;
}
/* Removes all requests and frees the storage. */
void mpg_open_requests_clear(struct mpg_open_requests *r);

/* Returns whether VALUE is among the N values of LIST. */
bool mpg_request_is_listed(const int64_t *list, uint32_t n, int64_t value);

#endif
