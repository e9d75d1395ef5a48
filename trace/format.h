/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trace formats that every program reads by import into the native format. */
#ifndef MPG_TRACE_FORMAT_H
#define MPG_TRACE_FORMAT_H

#include <stddef.h>
#include <stdio.h>

#include "common/error.h"
#include "common/kind.h"

/* Number of first bytes of a file that tell the format; read from streams too. */
enum { MPG_FORMAT_BYTES = 8 };

struct mpg_trace_format {
    const char *name;   /* option --NAME=FILE of mpgtrace import; in small letters */
    const char *help;   /* help text of the option */
    const char *begins; /* first bytes of each file */
    size_t bytes;       /* length of `begins`, 1 to MPG_FORMAT_BYTES */
    enum mpg_file_kind kind; /* kind from mpg_kind_of(), or MPG_FILE_UNKNOWN */
    /* Imports a trace from IN into the native format: with FD -1, one file per rank in the existing folder TARGET; else
     * everything to the open file FD, called TARGET in errors (NULL: "the trace"). Errors name FILE and the place. Returns 0,
     * or -1 with ERR. The caller keeps IN. */
    int (*import)(FILE *in, const char *file, const char *target, int fd, struct mpg_error *err);
};

/* All formats; the last entry has no name. */
extern const struct mpg_trace_format mpg_trace_formats[];

/* Returns the format of a file with the first N bytes FIRST; NULL: native format, or not a trace. */
const struct mpg_trace_format *mpg_trace_format_of(const void *first, size_t n);

#endif
