/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores the nodes of each stream, with their overrides and marks, in an unlinked file. The nodes of a stream are written in
 * sequence, and then read in this sequence. The buffer of a stream is one block of the file: memory grows with the number of
 * streams, not of nodes. */
#ifndef MPG_NODE_FILE_H
#define MPG_NODE_FILE_H

#include "simulate/replica/node_times.h"

struct node_file {
    int fd;
    char name[4200]; /* name of the file in errors */
    uint32_t block; /* size of a block, bytes */
    int64_t end;    /* end of the blocks in use, bytes */
};

/* The records of one stream. Zero-initialised: none. */
struct node_records {
    double ratio;          /* `ratio` of the last node written or read */
    uint64_t number;       /* `number` of the last node written or read */
    int64_t last_ns;       /* leave of the last node; before the first node, the caller sets the begin of the first interval */
    uint64_t count;        /* records left to read, or written so far */
    struct mpg_match_override *override; /* overrides of the current node, when reading */
    uint32_t override_count, override_capacity;
    struct mpg_node_mark *mark; /* marks of the current node, when reading */
    uint32_t mark_count, mark_capacity;
    /* positions in the file, bytes: of the first block; of the block to be written from, or read into, `buffer` */
    int64_t first, here;
    uint8_t *buffer;       /* NULL: none */
    uint32_t used, place;  /* bytes in use after the buffer's head; number of these bytes already read */
};

/* Makes the file F in FOLDER, for streams of RANKS >= 1 ranks. Returns 0, or -1 with ERR: the file cannot be made. */
int mpg_node_file_open(struct node_file *f, const char *folder, int32_t ranks, struct mpg_error *err);
/* Empties the file, after the caller has cleared all records. Returns 0, or -1 with ERR: the file cannot be written. */
int mpg_node_file_restart(struct node_file *f, struct mpg_error *err);
void mpg_node_file_close(struct node_file *f);
void mpg_node_records_clear(struct node_records *r);

/* Append to R an override, a mark or a node; overrides and marks come before the node to which they belong. WORTH_NS > 0 is
 * the length of the interval of MARK. Return 0, or -1 with ERR: the file cannot be written; no memory. */
int mpg_node_write_override(struct node_file *f, struct node_records *r, const struct mpg_match_override *override,
                            struct mpg_error *err);
int mpg_node_write_mark(struct node_file *f, struct node_records *r, const struct mpg_mark *mark, double worth_ns,
                        struct mpg_error *err);
int mpg_node_write(struct node_file *f, struct node_records *r, const struct mpg_node *node, struct mpg_error *err);
/* Ends writing R and frees R's buffer; afterwards R, whose first interval begins at BEGIN_NS, can be read. Returns 0, or -1
 * with ERR: the file cannot be written. */
int mpg_node_write_end(struct node_file *f, struct node_records *r, int64_t begin_ns, struct mpg_error *err);
/* Reads the next node of R. The node's overrides and marks are owned by R, and valid until the next node is read. Returns 1; 0
 * beyond the last node; -1 with ERR: the file cannot be read or was changed; no memory. */
int mpg_node_read(struct node_file *f, struct node_records *r, struct mpg_node *node, struct mpg_error *err);

#endif
