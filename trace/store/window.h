/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window: columns of records in a file that is mapped into memory, or in memory
 * alone. mpgtrace(5) has its layout. Private to trace/. */
#ifndef MPG_WINDOW_H
#define MPG_WINDOW_H

#include <sys/types.h>

#include "common/error.h"
#include "trace/store/chunk.h"
#include "trace/store/sums.h"

enum {
    MPG_MAX_COLUMNS = MPG_COLUMN_VALUES + MPG_TRACE_MAX_VALUES,
    MPG_PROGRESS_BYTES = 64, /* between the header and the capacities */
    MPG_WINDOW_ALIGNMENT = 64
};

/* What a window says of itself, little-endian; a killed process may have stored any
 * of it and not the next. */
struct mpg_window_state {
    uint64_t sequence; /* of the chunk being gathered */
    int64_t first_ns;
    uint64_t events;   /* stored last */
    uint64_t flags;
    int64_t inside_ns;
    uint64_t inside; /* 1 + the call it is in; above 32 bits, after how many events */
    uint64_t stopped; /* 1: what follows could not be written, though the process lived */
    uint64_t process; /* mpg_process_mark() of the writer's, or 0 */
};

/* A file, whatever it is called. */
struct mpg_file_id {
    dev_t device;
    ino_t inode;
};

struct mpg_window {
    struct mpg_file_id file; /* if it is mapped */
    uint8_t *base;
    size_t size;
    bool mapped;
    struct mpg_window_state *progress;
    uint32_t columns;
    uint8_t *column[MPG_MAX_COLUMNS];
    size_t capacity[MPG_MAX_COLUMNS];
    struct mpg_sum_row *sums; /* behind the columns */
    uint32_t sum_number;      /* rows there are; 0 in windows of version 3 */
};

/* Whether a file may have SIZE bytes: one more would be a signal (SIGXFSZ). */
bool mpg_file_may_have(uint64_t size);

/* Makes the window of the stream that CHUNK describes, with room for RECORD_BYTES in
 * the first column and about WINDOW_BYTES in all columns, and with room for MPG_SUM_ROWS rows, of
 * which the first SUM_NUMBER are SUMS. PATH: its file, preallocated, that replaces what is there at once; NULL, or
 * where files cannot be mapped: memory. */
int mpg_window_make(struct mpg_window *w, const char *path, const struct mpg_chunk *chunk,
                    size_t window_bytes, size_t record_bytes, const struct mpg_sum_row *sums,
                    uint32_t sum_number, struct mpg_error *err);
/* Unmaps it; its file stays. */
void mpg_window_drop(struct mpg_window *w);

/* Where the columns are in a window of SIZE bytes that begins at BASE; -1 if its
 * capacities do not fit. */
int mpg_window_layout(struct mpg_window *w, uint8_t *base, size_t size, uint32_t columns);
/* Whether its header is, and its chunk's number is SEQUENCE: nobody else has written to it. */
bool mpg_window_is_whole(const struct mpg_window *w, uint64_t sequence);
/* P in host order. */
struct mpg_window_state mpg_window_progress(const struct mpg_window *w);

/* Makes the file PATH of SIZE bytes, all of them on disk so that no store into it fails for want
 * of room, and maps it to *BASE; *ID is its own. It is made aside, and FILL, if it is not NULL,
 * has written to it with DATA when it takes PATH, replacing what is there. On failure nothing is
 * left; -2: the file system cannot do that with any file. */
int mpg_file_map(const char *path, size_t size, void (*fill)(uint8_t *base, const void *data),
                 const void *data, uint8_t **base, struct mpg_file_id *id, struct mpg_error *err);
/* Unmaps it; its file stays. */
void mpg_file_unmap(uint8_t *base, size_t size);
/* Makes and opens for reading and writing a file that nobody else has, for what is to be PATH's
 * contents: beside PATH, under a name that goes to ASIDE of SIZE bytes. -1: ERR says why. */
int mpg_file_aside(const char *path, char *aside, size_t size, struct mpg_error *err);
/* Who wants to know of files that are mapped, before the first store into them, and of those that
 * are about to be unmapped. */
struct mpg_file_watch {
    void (*mapped)(uint8_t *base, size_t size, const char *path);
    void (*unmapped)(const uint8_t *base);
};
extern struct mpg_file_watch mpg_file_watch;
/* Whether PATH is still that file: a process may outlive its run, and the next one has taken
 * the name. */
bool mpg_file_is(const char *path, const struct mpg_file_id *id);
/* Whether PATH is a file of so many bytes. */
bool mpg_file_has(const char *path, size_t bytes);

#endif
