/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Foreign trace formats, read by every program through import into the native format. */
#ifndef MPG_TRACE_FORMAT_H
#define MPG_TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "common/kind.h"

/* Number of first bytes of a file that identify the format; also read from streams. */
enum { MPG_FORMAT_BYTES = 8 };

/* The regions of a program that become events. */
enum mpg_import_regions {
    MPG_REGIONS_USER, /* regions that the program named */
    MPG_REGIONS_ALL,  /* all recorded functions, except MPI functions and functions called inside MPI */
    MPG_REGIONS_NONE
};

/* Options of `mpgtrace import`; other programs read with mpg_import_defaults. */
struct mpg_import_config {
    bool lenient;             /* allow numbers of sends and receives that differ */
    int64_t overhead_call_ns; /* the recorder's time per call, to be stored as a fact; -1: unknown */
    double flops;             /* operations per second, for work counted in operations; 0: 1e9 */
    enum mpg_import_regions regions; /* for formats with regions */
    FILE *report;             /* receives lines about findings and assumptions; NULL: not written */
};
extern const struct mpg_import_config mpg_import_defaults;

struct mpg_trace_format {
    const char *name;   /* option --NAME=FILE of mpgtrace import; in small letters. NULL: the end of the table */
    const char *help;   /* help text of the option */
    /* first bytes of each file of the format; NULL: the first bytes differ, and `kind` identifies the format */
    const char *begins;
    size_t bytes;       /* length of `begins`, 1 to MPG_FORMAT_BYTES */
    enum mpg_file_kind kind; /* kind from mpg_kind_of(), or MPG_FILE_UNKNOWN */
    /* Imports a trace from IN into the native format: with FD -1, writes one file per rank into the existing folder TARGET;
     * else writes everything to the open file FD, whose name in errors is TARGET (NULL: "the trace"). Errors name FILE and
     * the place. Returns 0, or -1 with ERR. The caller closes IN. NULL: import_path() reads the format instead. */
    int (*import)(FILE *in, const char *file, const char *target, int fd, struct mpg_error *err);
    /* As import(), for a trace of several files, or a format that needs CONFIG: PATH is a file of `kind`, or a folder of kind
     * `folder`. */
    int (*import_path)(const char *path, const char *target, int fd, const struct mpg_import_config *config,
                       struct mpg_error *err);
    enum mpg_file_kind folder; /* kind of the folder; MPG_FILE_UNKNOWN: none */
    enum mpg_file_kind list;   /* kind of a file that names the trace's files; MPG_FILE_UNKNOWN: none */
};

/* All formats; the last entry has no name. */
extern const struct mpg_trace_format mpg_trace_formats[];

/* Returns the format of a file with the first N bytes FIRST; NULL: native format, or not a trace. */
const struct mpg_trace_format *mpg_trace_format_of(const void *first, size_t n);
/* Returns the format of a file or folder of KIND; NULL: none. */
const struct mpg_trace_format *mpg_trace_format_of_kind(enum mpg_file_kind kind);
/* Imports the trace at PATH, a file or folder of FORMAT, with `import` or `import_path`. */
int mpg_trace_import(const struct mpg_trace_format *format, const char *path, const char *target, int fd,
                     const struct mpg_import_config *config, struct mpg_error *err);

#endif
