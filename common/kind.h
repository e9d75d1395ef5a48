/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a file or folder is, by its first bytes or by what is in it, so that one that was
 * given in the wrong place can be named for what it is. A guess for messages: whoever
 * reads the file checks it. */
#ifndef MPG_FILE_H
#define MPG_FILE_H

#include <stddef.h>

#include "common/error.h"

enum mpg_file_kind {
    MPG_FILE_UNKNOWN,
    MPG_FILE_ABSENT,         /* there is nothing, or it cannot be looked at */
    MPG_FILE_SPECIAL,        /* a device, a pipe, a socket: never opened */
    MPG_FILE_EMPTY,          /* a file of no bytes */
    MPG_FILE_EMPTY_FOLDER,
    MPG_FILE_FOLDER,         /* one that holds nothing of ours */
    MPG_FILE_SIGNATURE,
    MPG_FILE_RESULTS,        /* one results file */
    MPG_FILE_RESULTS_FOLDER,
    MPG_FILE_TRACE,          /* a rank's file, or some together */
    MPG_FILE_TRACE_FOLDER,
    MPG_FILE_TRACE_TEXT,
    MPG_FILE_PROFILE,        /* a rank's file */
    MPG_FILE_PROFILE_FOLDER,
    MPG_FILE_ANSWER,         /* what mpgsim --json said */
    MPG_FILE_JSON,           /* any other */
    MPG_FILE_GZIP,
    MPG_FILE_XZ,
    MPG_FILE_BZIP2,
    MPG_FILE_ZSTD,
    MPG_FILE_ZIP,
    MPG_FILE_TAR,
    MPG_FILE_PROGRAM,        /* ELF */
    MPG_FILE_SCRIPT,         /* "#!" */
    MPG_FILE_IMAGE,          /* PNG, SVG, JPEG, PDF */
    MPG_FILE_TEXT,           /* any other UTF-8 without control characters */
    MPG_FILE_KINDS
};

/* So many first bytes are enough for mpg_kind_of_bytes(). */
enum { MPG_FILE_BYTES = 1024 };

/* What PATH is. Only regular files and folders are opened, so that nothing blocks; "-" is
 * MPG_FILE_UNKNOWN. */
enum mpg_file_kind mpg_kind_of(const char *path);

/* What the file is whose first N bytes are BYTES; N < MPG_FILE_BYTES means all of it. */
enum mpg_file_kind mpg_kind_of_bytes(const void *bytes, size_t n);

/* "a signature", "a folder of results", ...: a noun with its article. Static storage. */
const char *mpg_kind_name(enum mpg_file_kind kind);

/* Fills ERR with "PATH: a folder of results, not a signature: 'sigmake PATH >
 * machineX.sig' makes one": what PATH is, what WANTED it is not, and where something helps,
 * that. Of MPG_FILE_UNKNOWN, and where FOUND is WANTED, it says that PATH is none, or no
 * whole one. Always returns -1. */
int mpg_kind_wrong(const char *path, enum mpg_file_kind found, enum mpg_file_kind wanted,
                   struct mpg_error *err);

/* PATH could not be read as what was WANTED, for the reason in ERR: where it is something
 * else that can be named, ERR says so instead, as mpg_kind_wrong(). Always returns -1. */
int mpg_kind_explain(const char *path, enum mpg_file_kind wanted, struct mpg_error *err);

#endif
