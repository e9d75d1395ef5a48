/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folder for the trace of a job. Files of other runs are never written to or removed: if a folder already holds a trace, or
 * another run is writing a trace, this run uses a new folder beside this folder. */
#ifndef MPG_TRACER_FOLDER_H
#define MPG_TRACER_FOLDER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/error.h"

/* Identifies rank 0's file, which only one run can make, to claim the folder. Equal on all ranks that see the file, also on other
 * hosts; sent between ranks. */
struct folder_claim {
    int64_t number;     /* 1: FOLDER itself, 2: FOLDER-2, ... */
    int64_t inode;      /* inode of the file */
    int64_t changed_ns; /* time of creation, for file systems with changing inode numbers */
    int64_t device;     /* device of the file on rank 0 */
};

/* Makes FOLDER if missing, but not parent folders. Writes FOLDER's absolute path to PATH of SIZE bytes. Returns 0, or -1 with
 * ERR. */
int folder_make(const char *folder, char *path, size_t size, struct mpg_error *err);

/* For rank 0 only: makes FOLDER, or the first of FOLDER-2, FOLDER-3 ... without a trace, and the empty file NAME in this folder.
 * Sets CLAIM. Returns 0, or -1 with ERR. */
int folder_claim(const char *folder, const char *name, struct folder_claim *claim,
                 struct mpg_error *err);

/* For the other ranks: fails if the file NAME exists in FOLDER but is not CLAIM's file. If hosts have separate folders,
 * the file does not exist. */
int folder_check(const char *folder, const char *name, const struct folder_claim *claim,
                 struct mpg_error *err);

/* Removes CLAIM's file NAME if it is still empty, and then FOLDER if empty. */
void folder_release(const char *folder, const char *name, const struct folder_claim *claim);

/* Tests whether files can be made in FOLDER; a missing FOLDER is made for the test and removed again. Returns 0, or -1
 * and the error of folder_make() and folder_claim(). */
int folder_try(const char *folder, struct mpg_error *err);

/* Writes FOLDER's name with the NUMBER of a claim to PATH of SIZE bytes. */
int folder_name(const char *folder, int64_t number, char *path, size_t size,
                struct mpg_error *err);

/* Makes FOLDER and the first missing FOLDER/spawned-K. Returns K, or -1 on error. */
int folder_make_spawned(const char *folder, struct mpg_error *err);

/* The trace files in a folder: number of ranks, bytes of all ranks' files, number of mapped files (rank-N.window.mpgt) of running
 * or killed processes, and number of folders of spawned jobs. */
struct folder_content {
    int64_t ranks, bytes, windows, spawned;
};
struct folder_content folder_scan(const char *folder);

#endif
