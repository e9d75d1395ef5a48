/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The streams that a text is imported into, of which it may have any number, and in any
 * order. The first ones are written at once; lines of the others are spooled and written
 * one stream after another, so that neither open files nor memory grow with the ranks.
 * Private to trace/text/. */
#ifndef MPG_TEXT_STREAMS_H
#define MPG_TEXT_STREAMS_H

#include <stddef.h>

#include "common/error.h"
#include "common/map.h"
#include "trace/store/writer.h"

struct mpg_text_block { /* of lines, in the spool */
    int64_t offset;
    size_t bytes;
};

/* A stream that is written, and what is already defined in it. */
struct mpg_text_stream {
    struct mpg_trace_writer *writer; /* NULL: what is said of it is checked, and spooled */
    struct mpg_map defined; /* (label, kind) */
    int32_t rank, objects;  /* objects: windows and files defined so far */
    uint32_t thread, value_number;
    int fd;
    uint64_t events; /* spooled so far, */
    int64_t last_ns; /* the last of which left then */
    char *buffer;    /* lines that are to be spooled */
    size_t used, capacity, block_number;
    struct mpg_text_block *blocks;
};

struct mpg_text_fact {
    char *key, *value;
};

struct mpg_text_streams {
    const char *target; /* a folder; with an fd, its name */
    int fd;             /* everything to this, or -1 */
    int32_t ranks; /* of the trace, before there are streams */
    struct mpg_text_stream **items;
    size_t count, capacity, open, open_limit; /* open: with a writer */
    struct mpg_map index;         /* (rank, thread) -> place + 1 */
    struct mpg_text_fact *facts;  /* of all ranks */
    size_t fact_number;
    uint32_t value_number;        /* of all ranks' events, unless a rank says otherwise */
    void *packer;                 /* that the writers share */
    int spool;                    /* -1: there is none yet */
    int64_t spooled;
};

void mpg_text_streams_init(struct mpg_text_streams *s, const char *target, int fd);
void mpg_text_streams_clear(struct mpg_text_streams *s);

/* The stream of THREAD of RANK, ready to be written or spooled; NULL with ERR. */
struct mpg_text_stream *mpg_text_stream(struct mpg_text_streams *s, int32_t rank, uint32_t thread,
                                        struct mpg_error *err);
/* The stream of RANK's first thread if there is one yet, else NULL. */
struct mpg_text_stream *mpg_text_known_stream(const struct mpg_text_streams *s, int32_t rank);
/* Opens the file of a stream that has no writer. */
int mpg_text_open_writer(struct mpg_text_streams *s, struct mpg_text_stream *stream,
                         struct mpg_error *err);
/* Writes out what STREAM holds, frees it but for what mpg_text_streams_clear() does. */
int mpg_text_close_writer(struct mpg_text_streams *s, struct mpg_text_stream *stream,
                          struct mpg_error *err);

/* KEY VALUE, of STREAM, or of all ranks, also those that are not known yet. */
int mpg_text_write_fact(struct mpg_text_streams *s, struct mpg_text_stream *stream,
                        const char *key, const char *value, struct mpg_error *err);
int mpg_text_write_all(struct mpg_text_streams *s, const char *key, const char *value,
                       struct mpg_error *err);

/* Spools a line that begins with MARK, for a stream without writer. */
int mpg_text_spool(struct mpg_text_streams *s, struct mpg_text_stream *stream, char mark,
                   const char *line, struct mpg_error *err);
/* Block I of what was spooled of STREAM, whole lines, followed by a NUL: to be freed by the
 * caller. NULL with ERR. */
char *mpg_text_spooled(const struct mpg_text_streams *s, const struct mpg_text_stream *stream,
                       size_t i, struct mpg_error *err);
/* How many blocks there are. */
size_t mpg_text_spooled_number(const struct mpg_text_stream *stream);

#endif
