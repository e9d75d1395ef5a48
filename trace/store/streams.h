/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writers of all streams (threads of ranks) of a trace, for import formats in which events of ranks come in any order. The
 * first streams are written as their events come. For every other stream the builder (trace/build/) spools records, and writes
 * them at the end, one stream after another. Neither open files nor memory grow with the number of ranks. A struct mpg_streams
 * belongs to one thread. */
#ifndef MPG_STREAMS_H
#define MPG_STREAMS_H

#include <stddef.h>

#include "common/error.h"
#include "common/map.h"
#include "trace/store/writer.h"

/* Records of one stream in the spool file. */
struct mpg_stream_block {
    int64_t offset;
    size_t bytes;
};

struct mpg_stream {
    struct mpg_trace_writer *writer; /* NULL: the stream's records are checked and spooled */
    struct mpg_map defined;          /* (label, kind) of each definition already written, for the builder */
    int32_t rank, objects;           /* objects: windows and files that were defined so far */
    uint32_t thread, value_number;   /* value_number: values of each event */
    int fd;
    uint64_t events; /* spooled so far */
    int64_t last_ns; /* when the last spooled event left */
    uint8_t *buffer; /* records that are not in the spool file yet */
    size_t used, capacity, block_number;
    struct mpg_stream_block *blocks;
};

struct mpg_stream_fact {
    char *key, *value;
};

struct mpg_streams {
    const char *target; /* the folder that files are written to; with an fd, the file's name */
    int fd;             /* the file that all streams are written to, or -1 */
    int32_t ranks;      /* ranks of the trace; set before the first stream is made */
    struct mpg_stream **items;
    size_t count, capacity, open, open_limit; /* open: streams that have a writer */
    struct mpg_map index;                     /* (rank, thread) -> place in items + 1 */
    struct mpg_stream_fact *facts;            /* facts of all ranks */
    size_t fact_number;
    uint32_t value_number; /* values of each event of a stream that is made */
    void *packer;          /* the writers' compressor */
    int spool;             /* the spool file, or -1 */
    int64_t spooled;       /* bytes in the spool file */
};

/* Makes S empty. TARGET, which outlives S, is an existing folder, or the name of the open file FD. */
void mpg_streams_init(struct mpg_streams *s, const char *target, int fd);
/* Frees all that S holds; files that are not whole stay. */
void mpg_streams_clear(struct mpg_streams *s);

/* Returns the stream of THREAD of RANK, which is made if it is new: with a writer, or without, to be spooled. S owns the
 * stream. NULL with ERR: out of memory, files that cannot be made. */
struct mpg_stream *mpg_streams_get(struct mpg_streams *s, int32_t rank, uint32_t thread, struct mpg_error *err);
/* Returns the stream of RANK's first thread; NULL: not made yet. */
struct mpg_stream *mpg_streams_find(const struct mpg_streams *s, int32_t rank);
/* Gives STREAM a writer, unless it has one. Returns 0, or -1 with ERR: out of memory, files that cannot be made. */
int mpg_stream_open(struct mpg_streams *s, struct mpg_stream *stream, struct mpg_error *err);
/* Writes the rest of STREAM and frees its writer and records. Returns 0, or -1 with ERR: the file cannot be written. */
int mpg_stream_close(struct mpg_streams *s, struct mpg_stream *stream, struct mpg_error *err);

/* Writes, or spools, the fact KEY VALUE of STREAM. Returns 0, or -1 with ERR: a key or value that no fact may have, out of
 * memory, the disk. */
int mpg_stream_write_fact(struct mpg_streams *s, struct mpg_stream *stream, const char *key, const char *value,
                          struct mpg_error *err);
/* Writes, or spools, the fact KEY VALUE for the first thread of each rank, including ranks whose streams are made later.
 * Returns as mpg_stream_write_fact(). */
int mpg_streams_write_fact(struct mpg_streams *s, const char *key, const char *value, struct mpg_error *err);

/* A record of the spool: a MARK chosen by the caller, and SIZE bytes. A fact has the mark '!', and the key and the value as
 * strings. */
struct mpg_stream_record {
    uint8_t mark;
    size_t size;
    const uint8_t *data;
};
/* Spools a record for STREAM, which has no writer. Returns 0, or -1 with ERR: out of memory, the disk. */
int mpg_stream_spool(struct mpg_streams *s, struct mpg_stream *stream, char mark, const void *data, size_t size,
                     struct mpg_error *err);
/* Returns the number of blocks of records that were spooled for STREAM. */
size_t mpg_stream_blocks(const struct mpg_stream *stream);
/* Returns block I of STREAM, from 0, *BYTES long: whole records. The caller frees it. NULL: out of memory, or the spool cannot
 * be read. */
uint8_t *mpg_stream_read_block(const struct mpg_streams *s, const struct mpg_stream *stream, size_t i, size_t *bytes,
                               struct mpg_error *err);
/* Reads the record at *AT of a block of BYTES bytes into RECORD, whose data are in BLOCK, and advances *AT. Returns false at the
 * end. */
bool mpg_stream_next(const uint8_t *block, size_t bytes, size_t *at, struct mpg_stream_record *record);

#endif
