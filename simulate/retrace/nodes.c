/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes in blocks of one size, each of one stream, that say where its next one is. */
#define _GNU_SOURCE
#include "simulate/retrace/nodes.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/store/chunk.h"

enum {
    ALL_BUFFERS = 32 << 20,
    LEAST_BLOCK = 256,
    MOST_BLOCK = 16 << 10,
    RECORD_BYTES = 6 * MPG_VARINT_BYTES + sizeof(double)
};

/* What the first number of a record says: of a node which fields there are, or that it is a deed of
 * the node that comes next. */
enum { HAS_RATIO = 1, HAS_FLUSHED = 2, IS_DEED = 4, FLAG_BITS = 3 };
/* A mark of the interval before that node, in place of a deed. */
enum { MARK = 1 << 8 };

static const double most_ns = 2e18; /* traces end at 2^61 */

struct block_head {
    int64_t next; /* where the stream's next block is, if there is one */
    uint32_t used;
    uint32_t unused;
};

struct stream {
    struct mpg_node_stream is;
    uint32_t sibling;      /* the rank's next stream, 0: none */
    double value_ns;       /* after its last step */
    int64_t traced_ns;     /* its last node, traced, from MPI_Init's leave on; if values are delays */
    bool waits;            /* NODE has been entered, and not left */
    struct mpg_node node;
    double ratio;          /* of the last node that was written or read, */
    uint64_t number;       /* its number, */
    int64_t last_ns;       /* when it was left, */
    uint64_t count;        /* and how many records are to come (reading), or have been written */
    bool vanishes;         /* the call is not made */
    struct mpg_deed *deed; /* of NODE, when it is read */
    uint32_t deed_capacity;
    struct mpg_node_mark *mark; /* likewise */
    uint32_t mark_count, mark_capacity;
    int64_t first, here;   /* blocks: the first one, the one that BUFFER is of */
    uint8_t *buffer;       /* NULL: none */
    uint32_t used, place;  /* of the buffer: bytes behind the head, and of them those read */
};

struct mpg_nodes {
    int fd;
    char *folder;
    int32_t ranks;
    struct mpg_node_rules rules;
    uint32_t block, count, capacity;
    bool takes;  /* a receive takes another message */
    int64_t end; /* of the file, as far as it has been given out */
    struct stream *streams;
};

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

/* --- the file --- */

static int open_unlinked(const char *folder, struct mpg_error *err)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/nodes.XXXXXX", folder);
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        return mpg_error_errno(err, errno, "%s", path);
    unlink(path);
    return fd;
}

struct mpg_nodes *mpg_nodes_new(const char *folder, int32_t ranks, const struct mpg_node_rules *rules,
                                struct mpg_error *err)
{
    struct mpg_nodes *n = calloc(1, sizeof *n);
    const uint32_t share = ALL_BUFFERS / (uint32_t)ranks;
    if (!n || !(n->folder = strdup(folder)) ||
        !(n->streams = calloc((size_t)ranks, sizeof *n->streams))) {
        out_of_memory(err);
        goto fail;
    }
    n->ranks = ranks;
    n->rules = *rules;
    n->count = n->capacity = (uint32_t)ranks;
    n->block = share > MOST_BLOCK ? MOST_BLOCK : share < LEAST_BLOCK ? LEAST_BLOCK : share;
    if ((n->fd = open_unlinked(folder, err)) >= 0)
        return n;
fail:
    if (n) {
        free(n->streams);
        free(n->folder);
    }
    free(n);
    return NULL;
}

bool mpg_nodes_takes(const struct mpg_nodes *n)
{
    return n->takes;
}

static void clear(struct stream *s)
{
    free(s->buffer);
    free(s->deed);
    free(s->mark);
}

int mpg_nodes_restart(void *nodes, struct mpg_error *err)
{
    struct mpg_nodes *n = nodes;
    for (uint32_t i = 0; i < n->count; i++) {
        clear(&n->streams[i]);
        n->streams[i] = (struct stream){0};
    }
    n->end = 0;
    n->takes = false;
    if (ftruncate(n->fd, 0) < 0)
        return mpg_error_errno(err, errno, "%s: cannot write a temporary file", n->folder);
    return 0;
}

void mpg_nodes_free(struct mpg_nodes *n)
{
    if (!n)
        return;
    for (uint32_t i = 0; i < n->count; i++)
        clear(&n->streams[i]);
    free(n->streams);
    free(n->folder);
    close(n->fd);
    free(n);
}

static int write_block(const struct mpg_nodes *n, struct stream *s, int64_t next,
                       struct mpg_error *err)
{
    const struct block_head head = {.next = next, .used = s->used};
    const size_t size = sizeof head + s->used;
    memcpy(s->buffer, &head, sizeof head);
    for (size_t done = 0; done < size;) {
        ssize_t written = pwrite(n->fd, s->buffer + done, size - done, s->here + (int64_t)done);
        if (written < 0 && errno != EINTR)
            return mpg_error_errno(err, errno, "%s: cannot write a temporary file", n->folder);
        done += written > 0 ? (size_t)written : 0;
    }
    s->used = 0;
    s->here = next;
    return 0;
}

static int read_block(const struct mpg_nodes *n, struct stream *s, int64_t at,
                      struct mpg_error *err)
{
    struct block_head head;
    size_t done = 0;
    while (done < n->block) { /* the file's last one may be shorter */
        ssize_t got = pread(n->fd, s->buffer + done, n->block - done, at + (int64_t)done);
        if (got < 0 && errno != EINTR)
            return mpg_error_errno(err, errno, "%s: cannot read a temporary file", n->folder);
        if (got == 0)
            break;
        done += got > 0 ? (size_t)got : 0;
    }
    memcpy(&head, s->buffer, sizeof head);
    if (done < sizeof head || head.used > done - sizeof head)
        return mpg_error_set(err, "%s: a temporary file has been changed", n->folder);
    s->here = head.next;
    s->used = head.used;
    s->place = 0;
    return 0;
}

/* --- writing --- */

static int64_t new_block(struct mpg_nodes *n)
{
    n->end += n->block;
    return n->end - n->block;
}

static int make_buffer(const struct mpg_nodes *n, struct stream *s, struct mpg_error *err)
{
    if (!s->buffer && !(s->buffer = malloc(n->block)))
        return out_of_memory(err);
    return 0;
}

/* Where S's next record goes; NULL with ERR. */
static uint8_t *make_room(struct mpg_nodes *n, struct stream *s, struct mpg_error *err)
{
    if (s->count == 0)
        s->first = s->here = new_block(n);
    if (make_buffer(n, s, err) < 0)
        return NULL;
    if (sizeof(struct block_head) + s->used + RECORD_BYTES > n->block &&
        write_block(n, s, new_block(n), err) < 0)
        return NULL;
    return s->buffer + sizeof(struct block_head) + s->used;
}

/* The record that began where there was room ends at P. */
static void end_record(struct stream *s, const uint8_t *p)
{
    s->used = (uint32_t)(p - (s->buffer + sizeof(struct block_head)));
    s->count++;
}

static int write_deed(struct mpg_nodes *n, struct stream *s, const struct mpg_deed *deed,
                      struct mpg_error *err)
{
    uint8_t *p = make_room(n, s, err);
    if (!p)
        return -1;
    p = mpg_put_varint(p, (uint64_t)deed->kind << FLAG_BITS | IS_DEED);
    p = mpg_put_varint(p, (uint64_t)deed->request);
    if (deed->kind == MPG_DEED_TAKE) {
        p = mpg_put_varint(p, (uint64_t)deed->comm);
        p = mpg_put_varint(p, (uint64_t)deed->source);
        p = mpg_put_varint(p, (uint64_t)deed->tag);
        p = mpg_put_varint(p, (uint64_t)deed->bytes);
    } else
        p = mpg_put_varint(p, (uint64_t)deed->other);
    end_record(s, p);
    return 0;
}

static uint8_t *put_double(uint8_t *p, double value)
{
    memcpy(p, &value, sizeof value);
    return p + sizeof value;
}

static int write_mark(struct mpg_nodes *n, struct stream *s, const struct mpg_mark *mark, double worth_ns,
                      struct mpg_error *err)
{
    uint8_t *p = make_room(n, s, err);
    if (!p)
        return -1;
    p = mpg_put_varint(p, (uint64_t)MARK << FLAG_BITS | IS_DEED);
    p = mpg_put_varint(p, (uint64_t)mark->passed_ns);
    p = put_double(p, fmax(0, fmin(1, mark->before_ns / worth_ns)));
    p = put_double(p, fmax(0, fmin(1, mark->after_ns / worth_ns)));
    end_record(s, p);
    return 0;
}

static int write_node(struct mpg_nodes *n, struct stream *s, struct mpg_error *err)
{
    const struct mpg_node *node = &s->node;
    uint8_t *p = make_room(n, s, err);
    if (!p)
        return -1;
    const uint64_t flags = (node->ratio != s->ratio ? HAS_RATIO : 0) |
                           (node->flushed_ns > 0 ? HAS_FLUSHED : 0);
    p = mpg_put_varint(p, (node->number - s->number) << FLAG_BITS | flags);
    if (flags & HAS_RATIO) {
        memcpy(p, &node->ratio, sizeof node->ratio);
        p += sizeof node->ratio;
    }
    p = flags & HAS_FLUSHED ? mpg_put_varint(p, (uint64_t)node->flushed_ns) : p;
    p = mpg_put_varint(p, (uint64_t)node->length_ns);
    p = mpg_put_varint(p, (uint64_t)(node->cpu_ns + 1));
    p = mpg_put_varint(p, (uint64_t)(node->enter_ns - s->last_ns));
    p = mpg_put_varint(p, node->left ? (uint64_t)(node->leave_ns - node->enter_ns) + 1 : 0);
    end_record(s, p);
    s->ratio = node->ratio;
    s->number = node->number;
    s->last_ns = node->leave_ns;
    s->waits = s->vanishes = false;
    return 0;
}

/* When S's last node is, by its VALUE_NS: the nearest nanosecond, but not before LAST_NS. */
static int whole(const struct stream *s, double value_ns, int64_t last_ns, int64_t *whole_ns,
                 struct mpg_error *err)
{
    if (!(fabs(value_ns) <= most_ns && value_ns + (double)s->traced_ns <= most_ns))
        return mpg_error_set(err, "a time of %g ns is more than a trace holds",
                             value_ns + (double)s->traced_ns);
    *whole_ns = s->traced_ns + llround(value_ns);
    *whole_ns = *whole_ns < last_ns ? last_ns : *whole_ns;
    return 0;
}

/* The number of S's stream. */
static int reserve(struct mpg_nodes *n, const struct mpg_step *s, struct mpg_error *err)
{
    if (s->stream < n->count)
        return 0;
    while (n->capacity <= s->stream) {
        struct stream *grown = realloc(n->streams, 2 * (size_t)n->capacity * sizeof *grown);
        if (!grown)
            return out_of_memory(err);
        n->streams = grown;
        n->capacity *= 2;
    }
    memset(n->streams + n->count, 0, (s->stream + 1 - n->count) * sizeof *n->streams);
    n->count = s->stream + 1;
    return 0;
}

/* A stream's first interval begins. */
static int begin(struct mpg_nodes *n, const struct mpg_step *step, struct mpg_error *err)
{
    struct stream *s = &n->streams[step->stream];
    s->is = (struct mpg_node_stream){.rank = step->rank,
                                     .thread = step->thread,
                                     .begun = true,
                                     .traced_ns = step->begin_ns,
                                     .since_ns = step->since_ns};
    if (step->stream >= (uint32_t)n->ranks) {
        struct stream *first = &n->streams[step->rank];
        s->sibling = first->sibling;
        first->sibling = step->stream;
    }
    s->traced_ns = n->rules.delays ? step->since_ns : 0;
    if (whole(s, s->value_ns, 0, &s->is.begin_ns, err) < 0)
        return -1;
    s->last_ns = s->is.begin_ns;
    return 0;
}

/* How long the work of S's interval takes for each traced ns. */
static double ratio_of(const struct mpg_nodes *n, const struct mpg_step *s)
{
    if (s->cpu_ns < 0)
        return n->rules.ratio * s->ratio;
    const double ratio = s->cpu_ratio + (s->cpu_ns > 0 ? s->more_ns / (double)s->cpu_ns : 0);
    return ratio > 0 ? n->rules.ratio * ratio : 0;
}

static int enter(struct mpg_nodes *n, const struct mpg_step *step, double value_ns,
                 struct mpg_error *err)
{
    struct stream *s = &n->streams[step->stream];
    if (!s->is.begun && begin(n, step, err) < 0)
        return -1;
    const int64_t length_ns = step->interval_ns + step->tracer_ns - step->flushed_ns;
    s->node = (struct mpg_node){.number = step->number,
                                .length_ns = length_ns > 0 ? length_ns : 0,
                                .flushed_ns = n->rules.keeps_flushes ? step->flushed_ns : 0,
                                .cpu_ns = step->cpu_ns,
                                .ratio = ratio_of(n, step)};
    s->waits = true;
    for (uint32_t i = 0; i < step->mark_number && step->worth_ns > 0; i++)
        if (write_mark(n, s, &step->marks[i], step->worth_ns, err) < 0)
            return -1;
    if (n->rules.delays)
        s->traced_ns = step->since_ns + step->interval_ns + step->tracer_ns;
    return whole(s, value_ns, s->last_ns, &s->node.enter_ns, err);
}

int mpg_nodes_note(void *nodes, const struct mpg_step *step, const struct mpg_deed *deed,
                   struct mpg_error *err)
{
    struct mpg_nodes *n = nodes;
    if (reserve(n, step, err) < 0)
        return -1;
    n->streams[step->stream].vanishes |= deed->kind == MPG_DEED_VANISH;
    n->takes = n->takes || deed->kind == MPG_DEED_TAKE;
    return write_deed(n, &n->streams[step->stream], deed, err);
}

int mpg_nodes_take(void *nodes, const struct mpg_step *step, double value_ns,
                   struct mpg_error *err)
{
    struct mpg_nodes *n = nodes;
    if (step->kind != MPG_STEP_ENTER && step->kind != MPG_STEP_LOAD &&
        step->kind != MPG_STEP_JOIN && step->kind != MPG_STEP_LEAVE)
        return 0;
    if (reserve(n, step, err) < 0)
        return -1;
    struct stream *s = &n->streams[step->stream];
    int status = 0;
    if (step->kind == MPG_STEP_ENTER)
        status = enter(n, step, value_ns, err);
    else if (step->kind == MPG_STEP_JOIN) /* MPI_Finalize's enter is that of the latest thread */
        status = whole(s, value_ns, s->last_ns, &s->node.enter_ns, err);
    else if (step->kind == MPG_STEP_LEAVE) {
        s->node.left = true;
        s->traced_ns += n->rules.delays ? step->duration_ns : 0;
        status = whole(s, value_ns, s->vanishes ? s->last_ns : s->node.enter_ns, &s->node.leave_ns,
                       err);
        s->node.enter_ns = s->vanishes ? s->node.leave_ns : s->node.enter_ns;
        status = status == 0 ? write_node(n, s, err) : -1;
    }
    n->streams[step->stream].value_ns = value_ns;
    return status;
}

/* Makes S ready to be read, and gives its buffer back. */
static int finish_stream(struct mpg_nodes *n, struct stream *s, struct mpg_error *err)
{
    if (s->waits) {
        s->node.left = false;
        s->node.leave_ns = s->node.enter_ns;
        if (write_node(n, s, err) < 0)
            return -1;
    }
    int status = s->used > 0 ? write_block(n, s, 0, err) : 0;
    free(s->buffer);
    s->buffer = NULL;
    s->here = s->first;
    s->used = s->place = 0;
    s->ratio = 0;
    s->number = 0;
    s->last_ns = s->is.begin_ns;
    return status;
}

int mpg_nodes_finish(struct mpg_nodes *n, struct mpg_error *err)
{
    int status = 0;
    for (uint32_t i = 0; status == 0 && i < n->count; i++)
        status = finish_stream(n, &n->streams[i], err);
    return status;
}

/* --- reading --- */

bool mpg_nodes_stream(struct mpg_nodes *n, int32_t rank, uint32_t i, struct mpg_node_stream *found,
                      uint32_t *stream)
{
    *stream = (uint32_t)rank;
    for (; i > 0; i--)
        if ((*stream = n->streams[*stream].sibling) == 0)
            return false;
    *found = n->streams[*stream].is;
    return true;
}

/* What is there only if it is another than before, or not 0. */
static bool get_optional(struct stream *s, const uint8_t **p, const uint8_t *end, uint64_t flags,
                         uint64_t *flushed_ns)
{
    *flushed_ns = 0;
    if (flags & HAS_RATIO) {
        if ((size_t)(end - *p) < sizeof s->ratio)
            return false;
        memcpy(&s->ratio, *p, sizeof s->ratio);
        *p += sizeof s->ratio;
    }
    return !(flags & HAS_FLUSHED) || mpg_get_varint(p, end, flushed_ns);
}

static bool get_deed(const uint8_t **p, const uint8_t *end, uint64_t first, struct mpg_deed *deed)
{
    const enum mpg_deed_kind kind = (enum mpg_deed_kind)(first >> FLAG_BITS);
    uint64_t request, other, source, tag, bytes;
    if (!mpg_get_varint(p, end, &request) || !mpg_get_varint(p, end, &other))
        return false;
    *deed = (struct mpg_deed){.kind = kind, .request = (int64_t)request};
    if (kind != MPG_DEED_TAKE) {
        deed->other = (int64_t)other;
        return true;
    }
    if (!mpg_get_varint(p, end, &source) || !mpg_get_varint(p, end, &tag) ||
        !mpg_get_varint(p, end, &bytes))
        return false;
    deed->comm = (int32_t)other;
    deed->source = (int32_t)source;
    deed->tag = (int32_t)tag;
    deed->bytes = (int64_t)bytes;
    return true;
}

static int add_mark(struct stream *s, struct mpg_error *err)
{
    if (s->mark_count == s->mark_capacity) {
        const uint32_t capacity = 2 * s->mark_count + 4;
        void *grown = realloc(s->mark, capacity * sizeof *s->mark);
        if (!grown)
            return out_of_memory(err);
        s->mark = grown;
        s->mark_capacity = capacity;
    }
    s->mark_count++;
    return 0;
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

/* The rest of a node whose record begins with FIRST. */
static bool get_node(struct stream *s, const uint8_t **p, const uint8_t *end, uint64_t first,
                     struct mpg_node *node)
{
    uint64_t flushed_ns, length_ns, cpu_ns, interval_ns, call_ns;
    if (!get_optional(s, p, end, first, &flushed_ns) || !mpg_get_varint(p, end, &length_ns) ||
        !mpg_get_varint(p, end, &cpu_ns) || !mpg_get_varint(p, end, &interval_ns) ||
        !mpg_get_varint(p, end, &call_ns))
        return false;
    s->number += first >> FLAG_BITS;
    *node = (struct mpg_node){.number = s->number,
                              .length_ns = (int64_t)length_ns,
                              .flushed_ns = (int64_t)flushed_ns,
                              .cpu_ns = (int64_t)cpu_ns - 1,
                              .ratio = s->ratio,
                              .enter_ns = s->last_ns + (int64_t)interval_ns,
                              .left = call_ns > 0};
    node->leave_ns = node->enter_ns + (node->left ? (int64_t)call_ns - 1 : 0);
    s->last_ns = node->leave_ns;
    return true;
}

static struct mpg_deed *add_deed(struct stream *s, uint32_t count, struct mpg_error *err)
{
    if (count == s->deed_capacity) {
        const uint32_t capacity = 2 * count + 4;
        void *grown = realloc(s->deed, capacity * sizeof *s->deed);
        if (!grown) {
            out_of_memory(err);
            return NULL;
        }
        s->deed = grown;
        s->deed_capacity = capacity;
    }
    return &s->deed[count];
}

/* What the next record was; or an error. */
enum record { RECORD_NODE, RECORD_DEED, RECORD_MARK, RECORD_ERROR };

/* Of a deed, the COUNT-th of the node that comes next. */
static enum record read_record(struct mpg_nodes *n, struct stream *s, uint32_t count, struct mpg_node *node,
                               struct mpg_error *err)
{
    if (make_buffer(n, s, err) < 0 || (s->place == s->used && read_block(n, s, s->here, err) < 0))
        return RECORD_ERROR;
    const uint8_t *begin = s->buffer + sizeof(struct block_head), *p = begin + s->place;
    const uint8_t *end = begin + s->used;
    uint64_t first = 0;
    bool is_whole = mpg_get_varint(&p, end, &first);
    const enum record is = !(first & IS_DEED) ? RECORD_NODE : first >> FLAG_BITS == MARK ? RECORD_MARK : RECORD_DEED;
    struct mpg_deed *deed = is_whole && is == RECORD_DEED ? add_deed(s, count, err) : NULL;
    if (is_whole && ((is == RECORD_DEED && !deed) || (is == RECORD_MARK && add_mark(s, err) < 0)))
        return RECORD_ERROR;
    is_whole = is_whole && (is == RECORD_DEED   ? get_deed(&p, end, first, deed)
                            : is == RECORD_MARK ? get_mark(&p, end, &s->mark[s->mark_count - 1])
                                                : get_node(s, &p, end, first, node));
    if (!is_whole) {
        mpg_error_set(err, "%s: a temporary file has been changed", n->folder);
        return RECORD_ERROR;
    }
    s->place = (uint32_t)(p - begin);
    s->count--;
    return is;
}

int mpg_nodes_next(struct mpg_nodes *n, uint32_t stream, struct mpg_node *node,
                   struct mpg_error *err)
{
    struct stream *s = &n->streams[stream];
    uint32_t deeds = 0;
    s->mark_count = 0;
    while (s->count > 0) {
        const enum record is = read_record(n, s, deeds, node, err);
        if (is == RECORD_ERROR)
            return -1;
        deeds += is == RECORD_DEED;
        if (is != RECORD_NODE)
            continue;
        node->deed_number = deeds;
        node->deeds = s->deed;
        node->mark_number = s->mark_count;
        node->marks = s->mark;
        return 1;
    }
    free(s->buffer);
    s->buffer = NULL;
    return 0;
}
