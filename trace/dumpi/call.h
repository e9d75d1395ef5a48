/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns records of DUMPI into calls. Private to trace/dumpi/. */
#ifndef MPG_DUMPI_CALL_H
#define MPG_DUMPI_CALL_H

#include "trace/dumpi/groups.h"
#include "trace/dumpi/types.h"
#include "trace/foreign/calls.h"

enum { DUMPI_WORLD = 2, DUMPI_SELF = 3, DUMPI_FIRST_REQUEST = 2 };

/* State of a rank after its records so far, and storage for lists. Zero-initialised but for groups.world_size. */
struct dumpi_rank {
    struct dumpi_types types;
    struct dumpi_groups groups;
    struct mpg_map grids;     /* handle -> 1 + index of a list in grid_lists */
    struct dumpi_list *grid_lists;
    size_t grid_number;
    struct mpg_map cancelled; /* requests that the program cancelled */
    uint64_t *requests;
    uint32_t *done;
    struct mpg_call_status *statuses;
    size_t capacity;          /* number of elements of `requests`, `done` and `statuses` */
    int64_t *counts;
    size_t count_capacity;
    int32_t *list;            /* memory for mpg_foreign_call.constructor.list: ranks, or numbers */
    size_t list_capacity;
    char name[64];
    uint16_t calls[DUMPI_MAX_FUNCTIONS]; /* by function: 1 + the call; 0: not looked up yet */
    uint64_t unknown_types;   /* number of uses of datatypes of unknown size; an element counts as a byte */
};

/* Turns record R into CALL. Lists of CALL are valid until the next mpg_dumpi_make_call(). Returns 0, or -1 with ERR: out of
 * memory, sizes above 2^61. */
int mpg_dumpi_make_call(struct dumpi_rank *d, const struct dumpi_file *f, const struct dumpi_record *r,
                        struct mpg_foreign_call *call,
                    struct mpg_error *err);
/* Clears the state of the rank, but keeps allocated memory. */
void mpg_dumpi_rank_reset(struct dumpi_rank *d);
void mpg_dumpi_rank_clear(struct dumpi_rank *d);

#endif
