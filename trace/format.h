/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formats of traces, beside the native one, that every program reads: each is translated to the native form. */
#ifndef MPG_TRACE_FORMAT_H
#define MPG_TRACE_FORMAT_H

#include <stddef.h>
#include <stdio.h>

#include "common/error.h"
#include "common/kind.h"

/* A file's first bytes by which formats are told apart; as many are read of a stream. */
enum { MPG_FORMAT_BYTES = 8 };

struct mpg_trace_format {
    const char *name;   /* mpgtrace import --NAME=FILE reads it; in small letters */
    const char *help;   /* of that option */
    const char *begins; /* the first bytes of each file */
    size_t bytes;       /* how many, from 1 to MPG_FORMAT_BYTES */
    enum mpg_file_kind kind; /* what mpg_kind_of() calls a file, or MPG_FILE_UNKNOWN */
    /* Reads a trace from IN (called FILE in errors, which say the place) and writes the native form: a file for each rank in
     * the existing folder TARGET, or, where FD is not -1, all of it to the open file FD, which errors call TARGET (NULL: the
     * trace). Returns 0, or -1 with ERR. IN stays the caller's. */
    int (*import)(FILE *in, const char *file, const char *target, int fd, struct mpg_error *err);
};

/* All of them; one without a name ends the list. */
extern const struct mpg_trace_format mpg_trace_formats[];

/* The format of a file that begins with the N bytes FIRST; NULL: the native form, or no trace. */
const struct mpg_trace_format *mpg_trace_format_of(const void *first, size_t n);

#endif
