/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses lines of liballprof as calls. Private to trace/liballprof/. */
#ifndef MPG_LIBALLPROF_LINE_H
#define MPG_LIBALLPROF_LINE_H

#include "trace/foreign/calls.h"

enum { LAP_NAMES = 64 };

/* A line's first word, and the call. */
struct lap_name {
    char name[28];
    enum mpg_call call;
};

/* A parsed line, with storage for lists that is reused. */
struct lap_line {
    struct mpg_foreign_call call;
    uint64_t *requests;   /* addresses of requests; of an array only the address of the first request, until mpg_lap_spread() */
    size_t request_capacity;
    int64_t *counts;
    size_t count_capacity;
    bool is_array;        /* the requests are an array of request_count elements, the first at address requests[0] */
    uint32_t request_count;
    uint8_t arguments[MPG_CALL_COUNT]; /* by call: 1 + index in the table of arguments; 0: not looked up yet */
    struct lap_name names[LAP_NAMES]; /* names of the last lines */
    bool lists_bytes_only; /* Alltoallw: sizes of types are not in the line */
};

/* Parses "NAME:ENTER:ARGUMENT:...:LEAVE", without line end, into L; changes TEXT, to which L keeps pointers. Returns 0, or -1
 * with ERR. */
int mpg_lap_parse(struct lap_line *l, char *text, struct mpg_error *err);

/* Returns how many elements of the array in L, without the first, are in POSTED, with keys (0, address of a request). STRIDE:
 * bytes of an element. */
uint64_t mpg_lap_count_posted(const struct lap_line *l, uint64_t stride, const struct mpg_map *posted);
/* Sets requests[] to the elements of the array in L that are in POSTED, in ascending order of address, followed by one element
 * that is not in POSTED, if any; further elements that are not in POSTED are left out. Returns 0, or -1 with ERR: out of
 * memory. */
int mpg_lap_spread(struct lap_line *l, uint64_t stride, const struct mpg_map *posted, struct mpg_error *err);
void mpg_lap_clear(struct lap_line *l);

/* Parses TEXT, a decimal number of us, into *NS. Returns false if TEXT is no decimal number. */
bool mpg_lap_parse_us(const char *text, int64_t *ns);

#endif
