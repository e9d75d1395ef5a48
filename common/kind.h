/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guesses the kind of a file or folder from its first bytes or from the names in the folder. Used for error messages naming a
 * file given in the wrong place; the reader of the file validates the content. */
#ifndef MPG_FILE_H
#define MPG_FILE_H

#include <stddef.h>

#include "common/error.h"

enum mpg_file_kind {
    MPG_FILE_UNKNOWN,
    MPG_FILE_ABSENT,         /* missing or not accessible */
    MPG_FILE_SPECIAL,        /* a device, a pipe or a socket; never opened */
    MPG_FILE_EMPTY,          /* a file of 0 bytes */
    MPG_FILE_EMPTY_FOLDER,
    MPG_FILE_FOLDER,         /* a folder without mpgkit files */
    MPG_FILE_SIGNATURE,
    MPG_FILE_RESULTS,        /* a single results file */
    MPG_FILE_RESULTS_FOLDER,
    MPG_FILE_TRACE,          /* a trace file of one rank or of several ranks */
    MPG_FILE_TRACE_FOLDER,
    MPG_FILE_TRACE_TEXT,
    MPG_FILE_PROFILE,        /* a profile file of one rank */
    MPG_FILE_PROFILE_FOLDER,
    MPG_FILE_OTF2,           /* the anchor file of an OTF2 archive */
    MPG_FILE_OTF2_FOLDER,    /* a folder with one anchor file */
    MPG_FILE_OTF2_EVENTS,    /* another file of an OTF2 archive */
    MPG_FILE_OTF1,           /* traces of other tools, not read by mpgkit: by name */
    MPG_FILE_PARAVER,
    MPG_FILE_EXTRAE,         /* before merging */
    MPG_FILE_DUMPI,          /* a rank's file */
    MPG_FILE_DUMPI_META,     /* the description of all files */
    MPG_FILE_DUMPI_FOLDER,
    MPG_FILE_GOAL,
    MPG_FILE_LIBALLPROF,     /* a rank's file of liballprof */
    MPG_FILE_LIBALLPROF_FOLDER,
    MPG_FILE_LIBALLPROF2,    /* a rank's file of liballprof2, the successor of liballprof, whose lines have other arguments */
    MPG_FILE_SIMGRID,        /* time-independent actions */
    MPG_FILE_SIMGRID_LIST,   /* a list of files with actions */
    MPG_FILE_ANSWER,         /* output of mpgsim --json */
    MPG_FILE_JSON,           /* any other JSON */
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

/* Number of first bytes needed by mpg_kind_of_bytes(). */
enum { MPG_FILE_BYTES = 1024 };

/* Returns the kind of PATH. Opens only regular files and folders, and therefore never blocks. Returns MPG_FILE_UNKNOWN for
 * "-". */
enum mpg_file_kind mpg_kind_of(const char *path);

/* Returns the kind of the file with the first N bytes BYTES. N < MPG_FILE_BYTES means the whole file. */
enum mpg_file_kind mpg_kind_of_bytes(const void *bytes, size_t n);

/* Stores the name of the anchor file (*.otf2) of PATH, the file itself or the folder of the file, in ANCHOR. Returns 0, or -1
 * with ERR: none or several in the folder, a name too long. */
int mpg_kind_find_anchor(const char *path, char *anchor, size_t size, struct mpg_error *err);

/* Returns a noun with article, for example "a signature". Static storage. */
const char *mpg_kind_name(enum mpg_file_kind kind);

/* Fills ERR with a message naming the kind FOUND of PATH, the kind WANTED and a remedy, if known: "PATH: a folder of results, not
 * a signature: 'sigmake PATH > machineX.sig' makes one". If FOUND is MPG_FILE_UNKNOWN or WANTED, the message says "not WANTED" or
 * "no whole WANTED". Always returns -1. */
int mpg_kind_error(const char *path, enum mpg_file_kind found, enum mpg_file_kind wanted,
                   struct mpg_error *err);

/* Call after PATH could not be read as a file of kind WANTED; ERR holds the reason. If PATH is of another known kind,
 * replaces ERR by the message of mpg_kind_error(). Always returns -1. */
int mpg_kind_explain(const char *path, enum mpg_file_kind wanted, struct mpg_error *err);

#endif
