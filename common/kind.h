/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a file or folder is, by its first bytes or by what is in it, so that one that was
 * given in the wrong place can be named for what it is. A guess for messages: whoever
 * reads the file checks it. */
#ifndef MPG_KIND_H
#define MPG_KIND_H

#include <stddef.h>

#include "common/error.h"

enum mpg_file_kind {
    MPG_KIND_UNKNOWN,
    MPG_KIND_ABSENT,         /* there is nothing, or it cannot be looked at */
    MPG_KIND_SPECIAL,        /* a device, a pipe, a socket: never opened */
    MPG_KIND_EMPTY,          /* a file of no bytes */
    MPG_KIND_EMPTY_FOLDER,
    MPG_KIND_FOLDER,         /* one that holds nothing of ours */
    MPG_KIND_SIGNATURE,
    MPG_KIND_RESULTS,        /* one results file */
    MPG_KIND_RESULTS_FOLDER,
    MPG_KIND_TRACE,          /* a rank's file, or some together */
    MPG_KIND_TRACE_FOLDER,
    MPG_KIND_TRACE_TEXT,
    MPG_KIND_PROFILE,        /* a rank's file */
    MPG_KIND_PROFILE_FOLDER,
    MPG_KIND_ANSWER,         /* what mpgsim --json said */
    MPG_KIND_JSON,           /* any other */
    MPG_KIND_GZIP,
    MPG_KIND_XZ,
    MPG_KIND_BZIP2,
    MPG_KIND_ZSTD,
    MPG_KIND_ZIP,
    MPG_KIND_TAR,
    MPG_KIND_PROGRAM,        /* ELF */
    MPG_KIND_SCRIPT,         /* "#!" */
    MPG_KIND_IMAGE,          /* PNG, SVG, JPEG, PDF */
    MPG_KIND_TEXT,           /* any other UTF-8 without control characters */
    MPG_KINDS
};

/* So many first bytes are enough for mpg_kind_of_bytes(). */
enum { MPG_KIND_BYTES = 1024 };

/* What PATH is. Only regular files and folders are opened, so that nothing blocks; "-" is
 * MPG_KIND_UNKNOWN. */
enum mpg_file_kind mpg_kind_of(const char *path);

/* What the file is whose first N bytes are BYTES; N < MPG_KIND_BYTES means all of it. */
enum mpg_file_kind mpg_kind_of_bytes(const void *bytes, size_t n);

/* "a signature", "a folder of results", ...: a noun with its article. Static storage. */
const char *mpg_kind_name(enum mpg_file_kind kind);

/* Fills ERR with "PATH: a folder of results, not a signature: 'sigmake PATH >
 * machineX.sig' makes one": what PATH is, what WANTED it is not, and where something helps,
 * that. Of MPG_KIND_UNKNOWN, and where FOUND is WANTED, it says that PATH is none, or no
 * whole one. Always returns -1. */
int mpg_kind_wrong(const char *path, enum mpg_file_kind found, enum mpg_file_kind wanted,
                   struct mpg_error *err);

#endif
