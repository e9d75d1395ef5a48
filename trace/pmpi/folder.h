/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folder that a world's trace goes into. No file of another run is written to or removed:
 * where a folder holds a trace already, or another run writes one, this one goes beside. */
#ifndef MPG_TRACER_FOLDER_H
#define MPG_TRACER_FOLDER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/error.h"

/* The file of rank 0, which only one run can make: its folder is that run's. The same for all
 * ranks that see it, on other hosts too; sent between ranks. */
struct folder_claim {
    int64_t number;     /* 1: FOLDER itself, 2: FOLDER-2, ... */
    int64_t inode;      /* of the file */
    int64_t changed_ns; /* when it was made: file systems without lasting inodes have that */
    int64_t device;     /* on rank 0 */
};

/* Makes FOLDER if it is not there (not those above it) and puts its absolute path into
 * PATH of SIZE bytes. */
int folder_make(const char *folder, char *path, size_t size, struct mpg_error *err);

/* For rank 0 alone: makes FOLDER, or the first of FOLDER-2, FOLDER-3 ... that holds no trace,
 * and in it the empty file NAME. */
int folder_claim(const char *folder, const char *name, struct folder_claim *claim,
                 struct mpg_error *err);

/* For the others: fails if the file NAME in FOLDER is there and another than CLAIM's. It is not
 * there where hosts have folders of their own. */
int folder_check(const char *folder, const char *name, const struct folder_claim *claim,
                 struct mpg_error *err);

/* Removes CLAIM's file NAME, if it is still empty, and FOLDER, if it then is. */
void folder_unclaim(const char *folder, const char *name, const struct folder_claim *claim);

/* Whether files could be made in FOLDER, which is made for that if need be, and removed again: 0,
 * or -1 and the text that folder_make() and folder_claim() would have. */
int folder_try(const char *folder, struct mpg_error *err);

/* FOLDER's name with the NUMBER of a claim, into PATH of SIZE bytes. */
int folder_name(const char *folder, int64_t number, char *path, size_t size,
                struct mpg_error *err);

/* Makes FOLDER, and in it the first spawned-K that is not there yet: K, or -1. */
int folder_make_spawned(const char *folder, struct mpg_error *err);

/* What FOLDER holds of a trace: the number of its ranks' files, their bytes, and how many
 * windows there are that processes still write into (or died in), and folders of spawned worlds. */
struct folder_content {
    int64_t ranks, bytes, windows, spawned;
};
struct folder_content folder_look(const char *folder);

#endif
