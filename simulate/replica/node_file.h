/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes of each stream with their overrides and marks, in an unlinked file: written one after another, then read in the same
 * order. A buffer of a stream is a block of the file, so that memory grows with the streams, not with their nodes. */
#ifndef MPG_NODE_FILE_H
#define MPG_NODE_FILE_H

#include "simulate/replica/node_times.h"

struct node_file {
    int fd;
    char name[4200]; /* for errors */
    uint32_t block; /* bytes */
    int64_t end;    /* of the file, as far as it has been given out */
};

/* Of one stream; all 0 is one without any. */
struct node_records {
    double ratio;          /* of the last node that was written or read, */
    uint64_t number;       /* its number, */
    int64_t last_ns;       /* when it was left, the caller's to set before the first one, */
    uint64_t count;        /* and how many records are to come (reading), or have been written */
    struct mpg_match_override *override; /* of the node that is read */
    uint32_t override_count, override_capacity;
    struct mpg_node_mark *mark; /* likewise */
    uint32_t mark_count, mark_capacity;
    int64_t first, here;   /* blocks: the first one, the one that BUFFER is of */
    uint8_t *buffer;       /* NULL: none */
    uint32_t used, place;  /* of the buffer: bytes behind the head, and of them those read */
};

/* Makes F in FOLDER, for streams of RANKS ranks, from 1. Errors: it cannot be made, out of memory. */
int mpg_node_file_open(struct node_file *f, const char *folder, int32_t ranks, struct mpg_error *err);
/* Forgets what was written; the caller has cleared all records. Error: the file cannot be written. */
int mpg_node_file_restart(struct node_file *f, struct mpg_error *err);
void mpg_node_file_close(struct node_file *f);
void mpg_node_records_clear(struct node_records *r);

/* What comes next in R; overrides and marks before the node that they are of. WORTH_NS: of the interval that MARK is in, above
 * 0. Errors: the file cannot be written, out of memory. */
int mpg_node_write_override(struct node_file *f, struct node_records *r, const struct mpg_match_override *override,
                            struct mpg_error *err);
int mpg_node_write_mark(struct node_file *f, struct node_records *r, const struct mpg_mark *mark, double worth_ns,
                        struct mpg_error *err);
int mpg_node_write(struct node_file *f, struct node_records *r, const struct mpg_node *node, struct mpg_error *err);
/* Makes R, whose times begin at BEGIN_NS, ready to be read, and gives its buffer back. */
int mpg_node_write_end(struct node_file *f, struct node_records *r, int64_t begin_ns, struct mpg_error *err);
/* Reads the next node: 1, 0 beyond the last. Its overrides and marks are R's until the next one is read. Errors: the file
 * cannot be read or was changed, out of memory. */
int mpg_node_read(struct node_file *f, struct node_records *r, struct mpg_node *node, struct mpg_error *err);

#endif
