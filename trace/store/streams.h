/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writers of all streams (threads of ranks) of a trace, for import formats in which events of ranks come in any order. The
 * first streams are written while events come. For every further stream the builder (trace/build/) spools records, and writes
 * the records at the end, stream after stream. Neither open files nor memory grow with the number of ranks. A struct
 * mpg_streams belongs to one thread. */
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
    struct mpg_trace_writer *writer; /* NULL: records of the stream are checked and spooled */
    struct mpg_map defined;          /* (label, kind) of each definition already written, for the builder */
    int32_t comm;                    /* label of a communicator among them; -1: none known */
    int32_t rank, objects;           /* objects: number of windows and files defined so far */
    uint32_t thread, value_number;   /* value_number: number of values of each event */
    int fd;
    uint64_t events; /* number of events spooled so far */
    int64_t last_ns; /* leave of the last spooled event */
    uint8_t *buffer; /* records not in the spool file yet */
    size_t used, capacity, block_number;
    struct mpg_stream_block *blocks;
};

struct mpg_stream_fact {
    char *key, *value;
};

struct mpg_streams {
    const char *target; /* the folder for the files; if `fd` >= 0, the file's name */
    int fd;             /* the file for all streams, or -1 */
    int32_t ranks;      /* number of ranks of the trace; set before the first stream is made */
    struct mpg_stream **items;
    size_t count, capacity, open, open_limit; /* open: number of streams with a writer */
    struct mpg_map index;                     /* (rank, thread) -> place in items + 1 */
    struct mpg_stream *last;                  /* the stream of the last mpg_streams_get() */
    struct mpg_stream_fact *facts;            /* facts of all ranks */
    size_t fact_number;
    uint32_t value_number; /* number of values of each event in new streams */
    void *packer;          /* the writers' compressor */
    int spool;             /* the spool file, or -1 */
    int64_t spooled;       /* bytes in the spool file */
};

/* Makes S empty. TARGET is an existing folder, or the name of the open file FD (-1: none); S keeps the pointer. */
void mpg_streams_init(struct mpg_streams *s, const char *target, int fd);
/* Frees all memory of S; incomplete files stay. */
void mpg_streams_clear(struct mpg_streams *s);

/* Returns the stream of THREAD of RANK, made on first use: with a writer, or, after open_limit writers, without (spooled). S
 * owns the stream. NULL with ERR: out of memory, or a file cannot be made. */
struct mpg_stream *mpg_streams_get(struct mpg_streams *s, int32_t rank, uint32_t thread, struct mpg_error *err);
/* Returns the stream of RANK's first thread; NULL: not made yet. */
struct mpg_stream *mpg_streams_find(const struct mpg_streams *s, int32_t rank);
/* Gives STREAM a writer, unless STREAM has a writer already. Returns 0, or -1 with ERR: out of memory, or a file cannot be
 * made. */
int mpg_stream_open(struct mpg_streams *s, struct mpg_stream *stream, struct mpg_error *err);
/* Writes the rest of STREAM and frees the stream's writer and records. Returns 0, or -1 with ERR: the file cannot be written. */
int mpg_stream_close(struct mpg_streams *s, struct mpg_stream *stream, struct mpg_error *err);

/* Writes, or spools, the fact KEY VALUE of STREAM. Returns 0, or -1 with ERR: a key or value not allowed in facts, out of
 * memory, a full disk. */
int mpg_stream_write_fact(struct mpg_streams *s, struct mpg_stream *stream, const char *key, const char *value,
                          struct mpg_error *err);
/* Writes, or spools, the fact KEY VALUE for the first thread of each rank, including ranks with streams made later. Returns as
 * mpg_stream_write_fact(). */
int mpg_streams_write_fact(struct mpg_streams *s, const char *key, const char *value, struct mpg_error *err);

/* A record of the spool: a MARK chosen by the caller, and SIZE bytes. A fact has the mark '!', and the key and the value as
 * strings. */
struct mpg_stream_record {
    uint8_t mark;
    size_t size;
    const uint8_t *data;
};
/* Spools a record for STREAM, which has no writer. Returns 0, or -1 with ERR: out of memory, a full disk. */
int mpg_stream_spool(struct mpg_streams *s, struct mpg_stream *stream, char mark, const void *data, size_t size,
                     struct mpg_error *err);
/* Returns the number of blocks of records spooled for STREAM. */
size_t mpg_stream_blocks(const struct mpg_stream *stream);
/* Returns block I of STREAM, from 0, *BYTES long: whole records. The caller frees the block. NULL: out of memory, or the spool
 * cannot be read. */
uint8_t *mpg_stream_read_block(const struct mpg_streams *s, const struct mpg_stream *stream, size_t i, size_t *bytes,
                               struct mpg_error *err);
/* Reads the record at *AT of a block of BYTES bytes into RECORD, whose data are in BLOCK, and advances *AT. Returns false at the
 * end. */
bool mpg_stream_next(const uint8_t *block, size_t bytes, size_t *at, struct mpg_stream_record *record);

#endif
