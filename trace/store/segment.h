/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Segments: columns of records in a memory-mapped file, or in memory alone. mpgtrace(5) has the layout. Private to
 * trace/. */
#ifndef MPG_SEGMENT_H
#define MPG_SEGMENT_H

#include <sys/types.h>

#include "common/error.h"
#include "trace/store/chunk.h"
#include "trace/store/sums.h"

enum {
    MPG_MAX_COLUMNS = MPG_COLUMN_VALUES + MPG_TRACE_MAX_VALUES,
    MPG_SEGMENT_STATE_BYTES = 64, /* bytes of the state, between header and capacities */
    MPG_SEGMENT_ALIGNMENT = 64
};

/* State of a segment, little-endian. A killed process can have stored any field without the next. */
struct mpg_segment_state {
    uint64_t sequence; /* sequence number of the current chunk */
    int64_t first_ns;
    uint64_t events;   /* number of whole events, stored after the events' bytes */
    uint64_t flags;
    int64_t inside_ns;
    uint64_t inside; /* lower 32 bits: 1 + the current call; upper: number of events of the chunk before the call */
    uint64_t stopped; /* 1: later events could not be written by the living process */
    uint64_t process; /* mpg_process_mark() of the writer, or 0 */
};

/* A file, independent of its name. */
struct mpg_file_id {
    dev_t device;
    ino_t inode;
};

struct mpg_segment {
    struct mpg_file_id file; /* identity of the mapped file; unused without mapping */
    uint8_t *base;
    size_t size;
    bool mapped;
    struct mpg_segment_state *progress;
    uint32_t columns;
    uint8_t *column[MPG_MAX_COLUMNS];
    size_t capacity[MPG_MAX_COLUMNS];
    struct mpg_sum_row *sums; /* behind the columns */
    uint32_t sum_number;      /* number of rows; 0 in segments of version 3 */
};

/* Returns whether a file may have SIZE bytes; exceeding RLIMIT_FSIZE would raise SIGXFSZ. */
bool mpg_file_may_have(uint64_t size);

/* Creates the segment of CHUNK's stream, with RECORD_BYTES in the first column, about SEGMENT_BYTES in all columns, and
 * MPG_SUM_ROWS rows, of which the first SUM_NUMBER are SUMS. PATH: preallocated file, which replaces an existing file. If PATH
 * is NULL, or files cannot be mapped, the segment is in memory alone. Returns 0, or -1 with ERR. */
int mpg_segment_make(struct mpg_segment *w, const char *path, const struct mpg_chunk *chunk,
                     size_t segment_bytes, size_t record_bytes, const struct mpg_sum_row *sums,
                     uint32_t sum_number, struct mpg_error *err);
/* Unmaps the segment; the file stays. */
void mpg_segment_drop(struct mpg_segment *w);

/* Locates the columns of a segment of SIZE bytes at BASE. Returns -1 if the capacities do not fit. */
int mpg_segment_layout(struct mpg_segment *w, uint8_t *base, size_t size, uint32_t columns);
/* Returns whether the header is intact and the chunk's number is SEQUENCE: no other process has then written to the segment. */
bool mpg_segment_is_whole(const struct mpg_segment *w, uint64_t sequence);
/* Returns the state in host byte order. */
struct mpg_segment_state mpg_segment_state_of(const struct mpg_segment *w);

/* Creates file PATH of SIZE bytes, preallocated so that no store fails for lack of space, and maps the file to *BASE; *ID
 * identifies the file. The file is made under a temporary name, filled by FILL (if not NULL) from DATA, and renamed to PATH.
 * Leaves no file on failure. Returns 0; -1 with ERR; -2: the file system cannot map files. */
int mpg_file_map(const char *path, size_t size, void (*fill)(uint8_t *base, const void *data),
                 const void *data, uint8_t **base, struct mpg_file_id *id, struct mpg_error *err);
/* Unmaps the file, which stays. */
void mpg_file_unmap(uint8_t *base, size_t size);
/* Creates a new file beside PATH, open for reading and writing, for the later content of PATH. TEMPORARY of SIZE bytes
 * receives the name. Returns the descriptor, or -1 with ERR. */
int mpg_file_hidden(const char *path, char *temporary, size_t size, struct mpg_error *err);
/* Observer of mapped files: called before the first store into a file, and before a file is unmapped. */
struct mpg_mapping_observer {
    void (*mapped)(uint8_t *base, size_t size, const char *path);
    void (*unmapped)(const uint8_t *base);
};
extern struct mpg_mapping_observer mpg_mapping_observer;
/* Returns whether PATH is still the file ID. A process can outlive the traced run, and the next run can create a file of this
 * name. */
bool mpg_file_is(const char *path, const struct mpg_file_id *id);
/* Returns whether PATH is a file of BYTES. */
bool mpg_file_has(const char *path, size_t bytes);

#endif
