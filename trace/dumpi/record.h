/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A DUMPI file: the sections, and the records, read in sequence. Private to trace/dumpi/. */
#ifndef MPG_DUMPI_RECORD_H
#define MPG_DUMPI_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"

/* The arguments of each function, in the order of function numbers from 0. Letters:
 *   i  32 bits   h  16 bits   b  8 bits   L  64 bits   a  32 bits: a rank, o its root
 *   I  list of 32 bits   T  list of 16 bits   H  list of 16 bits, not needed   B  list of 8 bits   D  list of lists of 32
 * bits   R  list of requests, 32 bits   S  statuses, if the record's mask has them
 *   C  string   X  list of strings   Y  list of lists of strings   A  as X
 *   ?  the next argument is only there if rank and root are equal */
struct dumpi_layout {
    const char *name, *arguments; /* name without MPI_, with IO_ before calls of MPIO_; arguments as letters */
};
extern const struct dumpi_layout mpg_dumpi_layouts[];
extern const unsigned mpg_dumpi_layout_number;

enum { DUMPI_MAX_SCALARS = 16, DUMPI_MAX_LISTS = 8, DUMPI_MAX_FUNCTIONS = 320 };

struct dumpi_list {
    int32_t *at;
    size_t n, capacity;
};

struct dumpi_status {
    int32_t bytes, source, tag;
    bool cancelled;
};

struct dumpi_record {
    unsigned function;
    int64_t enter_ns, leave_ns;
    uint32_t thread;
    bool has_times;
    int64_t scalars[DUMPI_MAX_SCALARS]; /* letters i h b L a o, in order; i is signed */
    int scalar_number;
    struct dumpi_list lists[DUMPI_MAX_LISTS]; /* letters I T R, in order; for D all lists joined */
    int list_number;
    struct dumpi_status *statuses;
    size_t status_number, status_capacity;
};

struct dumpi_file {
    FILE *in;
    int64_t size_bytes, body;      /* offset of the first record */
    bool is_whole;                 /* the index at the end of the file was found */
    uint8_t version[3];
    char host[256];
    struct dumpi_list sizes;       /* by number of a type: bytes of the type; empty: not in the file */
    uint32_t bias;                 /* seconds to add to all times */
    int64_t last_ns, wrapped_ns;   /* last time read; sum of overflows of the 16-bit seconds so far */
    bool failed;                   /* the file ended inside a record */
    uint8_t block[16 << 10];       /* a part of the file, read to byte AT of FILLED */
    size_t at, filled;
    int64_t end;                   /* offset of the block's end in the file */
};

/* Reads the sections of F->in, which precede the records. Returns 0, or -1 with ERR. */
int mpg_dumpi_begin(struct dumpi_file *f, struct mpg_error *err);
void mpg_dumpi_end(struct dumpi_file *f); /* frees lists; the caller closes F->in */

/* Reads the next record to R, whose lists are reused. Returns 1; 0 at the end, or at the cut of a truncated file without
 * index; -1 with ERR.
 * */
int mpg_dumpi_next(struct dumpi_file *f, struct dumpi_record *r, struct mpg_error *err);
void mpg_dumpi_record_clear(struct dumpi_record *r);

#endif
