/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores records in blocks of equal size. A block has records of one stream only, and the position of this stream's next
 * block. */
#define _GNU_SOURCE
#include "simulate/replica/node_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/reserve.h"
#include "common/varint.h"
#include "trace/store/spool.h"

enum {
    ALL_BUFFERS = 32 << 20,
    MIN_BLOCK = 256,
    MAX_BLOCK = 16 << 10,
    RECORD_BYTES = 6 * MPG_VARINT_BYTES + sizeof(double)
};

/* Flags in the first number of a record: the node has a ratio, or flushes; the record is an override or a mark of the next
 * node. */
enum { HAS_RATIO = 1, HAS_FLUSHED = 2, IS_OVERRIDE = 4, FLAG_BITS = 3 };
/* With IS_OVERRIDE, in place of the override's kind: the record is a region mark of the interval before the next node. */
enum { MARK = 1 << 8 };

struct block_head {
    int64_t next; /* position of the next block of the stream, if any */
    uint32_t used;
    uint32_t unused;
};

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

int mpg_node_file_open(struct node_file *f, const char *folder, int32_t ranks, struct mpg_error *err)
{
    const uint32_t share = ALL_BUFFERS / (uint32_t)ranks;
    char path[4200];
    f->block = share > MAX_BLOCK ? MAX_BLOCK : share < MIN_BLOCK ? MIN_BLOCK : share;
    f->end = 0;
    snprintf(path, sizeof path, "%s/nodes.XXXXXX", folder);
    snprintf(f->name, sizeof f->name, "a temporary file in %s", folder);
    if ((f->fd = mkostemp(path, O_CLOEXEC)) < 0)
        return mpg_error_errno(err, errno, "%s", path);
    unlink(path);
    return 0;
}

int mpg_node_file_restart(struct node_file *f, struct mpg_error *err)
{
    f->end = 0;
    return ftruncate(f->fd, 0) < 0 ? mpg_error_errno(err, errno, "%s: cannot write", f->name) : 0;
}

void mpg_node_file_close(struct node_file *f)
{
    close(f->fd);
}

void mpg_node_records_clear(struct node_records *r)
{
    free(r->buffer);
    free(r->override);
    free(r->mark);
    *r = (struct node_records){0};
}

/* --- blocks --- */

static int write_block(const struct node_file *f, struct node_records *r, int64_t next,
                       struct mpg_error *err)
{
    const struct block_head head = {.next = next, .used = r->used};
    memcpy(r->buffer, &head, sizeof head);
    if (mpg_spool_write(f->fd, r->buffer, sizeof head + r->used, r->here, f->name, err) < 0)
        return -1;
    r->used = 0;
    r->here = next;
    return 0;
}

static int read_block(const struct node_file *f, struct node_records *r, int64_t at,
                      struct mpg_error *err)
{
    struct block_head head;
    size_t got;
    if (mpg_spool_read(f->fd, r->buffer, f->block, at, f->name, &got, err) < 0) /* the last block of the file may be shorter */
        return -1;
    memcpy(&head, r->buffer, sizeof head);
    if (got < sizeof head || head.used > got - sizeof head)
        return mpg_error_set(err, "%s has been changed", f->name);
    r->here = head.next;
    r->used = head.used;
    r->place = 0;
    return 0;
}

/* --- writing --- */

static int64_t new_block(struct node_file *f)
{
    f->end += f->block;
    return f->end - f->block;
}

static int make_buffer(const struct node_file *f, struct node_records *r, struct mpg_error *err)
{
    if (!r->buffer && !(r->buffer = malloc(f->block)))
        return out_of_memory(err);
    return 0;
}

/* Returns the address for the next record of R; NULL with ERR. */
static uint8_t *make_room(struct node_file *f, struct node_records *r, struct mpg_error *err)
{
    if (r->count == 0)
        r->first = r->here = new_block(f);
    if (make_buffer(f, r, err) < 0)
        return NULL;
    if (sizeof(struct block_head) + r->used + RECORD_BYTES > f->block &&
        write_block(f, r, new_block(f), err) < 0)
        return NULL;
    return r->buffer + sizeof(struct block_head) + r->used;
}

/* Ends the record begun by make_room(); P: end of the record's bytes. */
static void end_record(struct node_records *r, const uint8_t *p)
{
    r->used = (uint32_t)(p - (r->buffer + sizeof(struct block_head)));
    r->count++;
}

int mpg_node_write_override(struct node_file *f, struct node_records *r, const struct mpg_match_override *override,
                            struct mpg_error *err)
{
    uint8_t *p = make_room(f, r, err);
    if (!p)
        return -1;
    p = mpg_put_varint(p, (uint64_t)override->kind << FLAG_BITS | IS_OVERRIDE);
    p = mpg_put_varint(p, (uint64_t)override->request);
    if (override->kind == MPG_OVERRIDE_TAKE) {
        p = mpg_put_varint(p, (uint64_t)override->comm);
        p = mpg_put_varint(p, (uint64_t)override->source);
        p = mpg_put_varint(p, (uint64_t)override->tag);
        p = mpg_put_varint(p, (uint64_t)override->bytes);
    } else
        p = mpg_put_varint(p, (uint64_t)override->other);
    end_record(r, p);
    return 0;
}

static uint8_t *put_double(uint8_t *p, double value)
{
    memcpy(p, &value, sizeof value);
    return p + sizeof value;
}

int mpg_node_write_mark(struct node_file *f, struct node_records *r, const struct mpg_mark *mark, double worth_ns,
                        struct mpg_error *err)
{
    uint8_t *p = make_room(f, r, err);
    if (!p)
        return -1;
    p = mpg_put_varint(p, (uint64_t)MARK << FLAG_BITS | IS_OVERRIDE);
    p = mpg_put_varint(p, (uint64_t)mark->passed_ns);
    p = put_double(p, fmax(0, fmin(1, mark->before_ns / worth_ns)));
    p = put_double(p, fmax(0, fmin(1, mark->after_ns / worth_ns)));
    end_record(r, p);
    return 0;
}

int mpg_node_write(struct node_file *f, struct node_records *r, const struct mpg_node *node, struct mpg_error *err)
{
    uint8_t *p = make_room(f, r, err);
    if (!p)
        return -1;
    const uint64_t flags = (node->ratio != r->ratio ? HAS_RATIO : 0) |
                           (node->flushed_ns > 0 ? HAS_FLUSHED : 0);
    p = mpg_put_varint(p, (node->number - r->number) << FLAG_BITS | flags);
    if (flags & HAS_RATIO) {
        memcpy(p, &node->ratio, sizeof node->ratio);
        p += sizeof node->ratio;
    }
    p = flags & HAS_FLUSHED ? mpg_put_varint(p, (uint64_t)node->flushed_ns) : p;
    p = mpg_put_varint(p, (uint64_t)node->length_ns);
    p = mpg_put_varint(p, (uint64_t)(node->cpu_ns + 1));
    p = mpg_put_varint(p, (uint64_t)(node->enter_ns - r->last_ns));
    p = mpg_put_varint(p, node->left ? (uint64_t)(node->leave_ns - node->enter_ns) + 1 : 0);
    end_record(r, p);
    r->ratio = node->ratio;
    r->number = node->number;
    r->last_ns = node->leave_ns;
    return 0;
}

int mpg_node_write_end(struct node_file *f, struct node_records *r, int64_t begin_ns, struct mpg_error *err)
{
    const int status = r->used > 0 ? write_block(f, r, 0, err) : 0;
    free(r->buffer);
    r->buffer = NULL;
    r->here = r->first;
    r->used = r->place = 0;
    r->ratio = 0;
    r->number = 0;
    r->last_ns = begin_ns;
    return status;
}

/* --- reading --- */

/* Reads the optional fields, which are absent if 0 or unchanged. */
static bool get_optional(struct node_records *r, const uint8_t **p, const uint8_t *end, uint64_t flags,
                         uint64_t *flushed_ns)
{
    *flushed_ns = 0;
    if (flags & HAS_RATIO) {
        if ((size_t)(end - *p) < sizeof r->ratio)
            return false;
        memcpy(&r->ratio, *p, sizeof r->ratio);
        *p += sizeof r->ratio;
    }
    return !(flags & HAS_FLUSHED) || mpg_get_varint(p, end, flushed_ns);
}

static bool get_override(const uint8_t **p, const uint8_t *end, uint64_t first, struct mpg_match_override *override)
{
    const enum mpg_match_override_kind kind = (enum mpg_match_override_kind)(first >> FLAG_BITS);
    uint64_t request, other, source, tag, bytes;
    if (!mpg_get_varint(p, end, &request) || !mpg_get_varint(p, end, &other))
        return false;
    *override = (struct mpg_match_override){.kind = kind, .request = (int64_t)request};
    if (kind != MPG_OVERRIDE_TAKE) {
        override->other = (int64_t)other;
        return true;
    }
    if (!mpg_get_varint(p, end, &source) || !mpg_get_varint(p, end, &tag) ||
        !mpg_get_varint(p, end, &bytes))
        return false;
    override->comm = (int32_t)other;
    override->source = (int32_t)source;
    override->tag = (int32_t)tag;
    override->bytes = (int64_t)bytes;
    return true;
}

static bool get_mark(const uint8_t **p, const uint8_t *end, struct mpg_node_mark *mark)
{
    uint64_t passed_ns;
    if (!mpg_get_varint(p, end, &passed_ns) || (size_t)(end - *p) < 2 * sizeof mark->place)
        return false;
    mark->passed_ns = (int64_t)passed_ns;
    memcpy(&mark->place, *p, sizeof mark->place);
    memcpy(&mark->onward, *p + sizeof mark->place, sizeof mark->onward);
    *p += 2 * sizeof mark->place;
    return true;
}

/* Reads the rest of a node's record, whose first number is FIRST. */
static bool get_node(struct node_records *r, const uint8_t **p, const uint8_t *end, uint64_t first,
                     struct mpg_node *node)
{
    uint64_t flushed_ns, length_ns, cpu_ns, interval_ns, call_ns;
    if (!get_optional(r, p, end, first, &flushed_ns) || !mpg_get_varint(p, end, &length_ns) ||
        !mpg_get_varint(p, end, &cpu_ns) || !mpg_get_varint(p, end, &interval_ns) ||
        !mpg_get_varint(p, end, &call_ns))
        return false;
    r->number += first >> FLAG_BITS;
    *node = (struct mpg_node){.number = r->number,
                              .length_ns = (int64_t)length_ns,
                              .flushed_ns = (int64_t)flushed_ns,
                              .cpu_ns = (int64_t)cpu_ns - 1,
                              .ratio = r->ratio,
                              .enter_ns = r->last_ns + (int64_t)interval_ns,
                              .left = call_ns > 0};
    node->leave_ns = node->enter_ns + (node->left ? (int64_t)call_ns - 1 : 0);
    r->last_ns = node->leave_ns;
    return true;
}

/* Results of read_record(). */
enum record { RECORD_NODE, RECORD_OVERRIDE, RECORD_MARK, RECORD_ERROR };

/* Reads the next record of R: a node into NODE; an override or mark is appended to the lists of the next node. */
static enum record read_record(struct node_file *f, struct node_records *r, struct mpg_node *node, struct mpg_error *err)
{
    if (make_buffer(f, r, err) < 0 || (r->place == r->used && read_block(f, r, r->here, err) < 0) ||
        mpg_reserve_at(&r->override, sizeof *r->override, &r->override_capacity, r->override_count + 1, err) < 0 ||
        mpg_reserve_at(&r->mark, sizeof *r->mark, &r->mark_capacity, r->mark_count + 1, err) < 0)
        return RECORD_ERROR;
    const uint8_t *begin = r->buffer + sizeof(struct block_head), *p = begin + r->place;
    const uint8_t *end = begin + r->used;
    uint64_t first = 0;
    bool is_whole = mpg_get_varint(&p, end, &first);
    const enum record is = !(first & IS_OVERRIDE) ? RECORD_NODE : first >> FLAG_BITS == MARK ? RECORD_MARK : RECORD_OVERRIDE;
    is_whole = is_whole && (is == RECORD_OVERRIDE   ? get_override(&p, end, first, &r->override[r->override_count++])
                            : is == RECORD_MARK ? get_mark(&p, end, &r->mark[r->mark_count++])
                                                : get_node(r, &p, end, first, node));
    if (!is_whole) {
        mpg_error_set(err, "%s has been changed", f->name);
        return RECORD_ERROR;
    }
    r->place = (uint32_t)(p - begin);
    r->count--;
    return is;
}

int mpg_node_read(struct node_file *f, struct node_records *r, struct mpg_node *node, struct mpg_error *err)
{
    r->override_count = r->mark_count = 0;
    while (r->count > 0) {
        const enum record is = read_record(f, r, node, err);
        if (is == RECORD_ERROR)
            return -1;
        if (is != RECORD_NODE)
            continue;
        node->override_number = r->override_count;
        node->overrides = r->override;
        node->mark_number = r->mark_count;
        node->marks = r->mark;
        return 1;
    }
    free(r->buffer);
    r->buffer = NULL;
    return 0;
}
