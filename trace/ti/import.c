/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Imports SimGrid's time-independent actions: one file for all ranks, or a list of files. The times of the trace are times of
 * computation alone; calls take no time. */
#include "trace/ti/ti.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/input.h"
#include "common/kind.h"
#include "common/line_reader.h"
#include "trace/foreign/foreign.h"
#include "trace/foreign/wildcards.h"
#include "trace/ti/action.h"

static const char any_guessed[] = "receives from any source: the trace does not tell the sender, the earliest send that fits is "
                                  "taken";
static const char tests[] = "calls of Test: not successful, as the trace does not tell";

/* A posted request. Until a call completes the request, the node is in two lists of pending requests. */
struct node {
    int64_t request;
    uint64_t key[2];
    size_t same; /* 1 + index of the next request with equal source, destination and tag */
    size_t next; /* 1 + index of the rank's next request */
    bool done;
};

struct rank {
    long double flops, seconds;
    size_t first, last; /* 1 + index of the first and of the last pending request, in the order of posting */
    bool is_double;
};

struct import {
    struct mpg_foreign foreign;
    struct mpg_foreign_comm world;
    struct ti_action action;
    const char *path;
    char **files;               /* the files of the list `path`; NULL: `path` itself has the actions */
    size_t file_number;
    int32_t ranks;              /* 1 + the highest rank seen so far */
    struct mpg_map seen;        /* set of keys (rank, 0): ranks with actions */
    int32_t last_seen;          /* the last rank added to `seen`; -1: none */
    struct rank *rank;          /* by rank; allocated after the survey */
    struct node *nodes;
    size_t node_number, node_capacity;
    struct mpg_map heads, tails; /* (rank and source, destination and tag) -> 1 + index of the first, or last, pending request */
    struct mpg_wildcards *wildcards;
    size_t wildcard;
    bool has_wildcards;
    int64_t *requests;          /* requests completed by a Waitall */
    size_t request_capacity;
    enum { SURVEY, MATCH, EMIT } pass;
};

/* --- requests --- */

static int post(struct import *im, int32_t from, int32_t to, int64_t *request, struct mpg_error *err)
{
    const struct ti_action *a = &im->action;
    struct rank *r = &im->rank[a->rank];
    if (im->node_number == im->node_capacity) {
        const size_t capacity = im->node_capacity ? 2 * im->node_capacity : 64;
        void *grown = realloc(im->nodes, capacity * sizeof *im->nodes);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        im->nodes = grown;
        im->node_capacity = capacity;
    }
    struct node *node = &im->nodes[im->node_number++];
    *node = (struct node){.request = ++im->foreign.rank[a->rank].requests,
                          .key = {(uint64_t)(uint32_t)a->rank << 32 | (uint32_t)from,
                                  (uint64_t)(uint32_t)to << 32 | (uint32_t)a->tag}};
    uint64_t *head = mpg_map_add(&im->heads, node->key[0], node->key[1]);
    if (!head)
        return mpg_error_set(err, "out of memory");
    if (*head == 0)
        *head = im->node_number;
    uint64_t *tail = mpg_map_add(&im->tails, node->key[0], node->key[1]);
    if (!tail)
        return mpg_error_set(err, "out of memory");
    if (*tail)
        im->nodes[*tail - 1].same = im->node_number;
    *tail = im->node_number;
    if (r->last)
        im->nodes[r->last - 1].next = im->node_number;
    else
        r->first = im->node_number;
    r->last = im->node_number;
    *request = node->request;
    return 0;
}

/* Returns the oldest pending request with the source, destination and tag of the current action; NULL: none. */
static struct node *find(struct import *im)
{
    const struct ti_action *a = &im->action;
    uint64_t *head = mpg_map_find(&im->heads, (uint64_t)(uint32_t)a->rank << 32 | (uint32_t)a->source,
                                  (uint64_t)(uint32_t)a->destination << 32 | (uint32_t)a->tag);
    while (head && *head && im->nodes[*head - 1].done)
        *head = im->nodes[*head - 1].same;
    if (head && *head == 0) {
        uint64_t *tail = mpg_map_find(&im->tails, (uint64_t)(uint32_t)a->rank << 32 | (uint32_t)a->source,
                                      (uint64_t)(uint32_t)a->destination << 32 | (uint32_t)a->tag);
        if (tail)
            *tail = 0;
    }
    return head && *head ? &im->nodes[*head - 1] : NULL;
}

/* Moves all pending requests of the current action's rank to im->requests; *N: number of requests. Returns 0, or -1 with ERR:
 * out of memory. */
static int take_all(struct import *im, uint32_t *n, struct mpg_error *err)
{
    struct rank *r = &im->rank[im->action.rank];
    *n = 0;
    for (size_t i = r->first; i; i = im->nodes[i - 1].next) {
        if (im->nodes[i - 1].done)
            continue;
        if (*n == im->request_capacity) {
            const size_t capacity = im->request_capacity ? 2 * im->request_capacity : 64;
            int64_t *grown = realloc(im->requests, capacity * sizeof *grown);
            if (!grown)
                return mpg_error_set(err, "out of memory");
            im->requests = grown;
            im->request_capacity = capacity;
        }
        im->nodes[i - 1].done = true;
        im->requests[(*n)++] = im->nodes[i - 1].request;
    }
    r->first = r->last = 0;
    return 0;
}

/* --- actions --- */

static int64_t now_ns(const struct import *im)
{
    const struct rank *r = &im->rank[im->action.rank];
    const double speed = im->foreign.config->flops > 0 ? im->foreign.config->flops : 1e9;
    const long double ns = (r->flops / speed + r->seconds) * 1e9L;
    return ns < 2e18L ? (int64_t)(ns + 0.5L) : (int64_t)2e18L;
}

static int emit(struct import *im, struct mpg_event *e, struct mpg_error *err)
{
    e->enter_ns = e->leave_ns = now_ns(im);
    return mpg_foreign_event(&im->foreign, im->action.rank, e, &im->world, NULL, err);
}

/* E is a receive. Sets a wildcard source or tag to the source or tag of the send found by matching. */
static void resolve(struct import *im, struct mpg_event *e)
{
    int32_t from, tag;
    e->any = (e->from < 0 ? MPG_ANY_SOURCE : 0) | (e->tag < 0 ? MPG_ANY_TAG : 0);
    if (!im->wildcards)
        return;
    if (mpg_wildcards_get(im->wildcards, im->wildcard++, &from, &tag) < 0)
        from = tag = MPG_UNKNOWN;
    if (e->any)
        mpg_foreign_remark(&im->foreign, any_guessed, 1);
    e->from = e->from < 0 ? from : e->from;
    e->tag = e->tag < 0 ? tag : e->tag;
}

static int take_message(struct import *im, struct mpg_error *err)
{
    const struct ti_action *a = &im->action;
    const bool sends = a->kind == TI_SEND || a->kind == TI_ISEND, posts = a->kind == TI_ISEND || a->kind == TI_IRECV;
    int64_t request = 0;
    if (sends && (a->partner < 0 || a->partner >= im->ranks || a->tag < 0))
        return mpg_error_set(err, "%s: rank %d, tag %d", a->name, a->partner, a->tag);
    if (!sends && a->partner >= im->ranks)
        return mpg_error_set(err, "%s: rank %d of %d", a->name, a->partner, im->ranks);
    if (im->pass == MATCH && sends)
        return mpg_wildcards_send(im->wildcards, 0, a->rank, a->partner, a->tag, now_ns(im), err);
    if (im->pass == MATCH)
        return mpg_wildcards_receive(im->wildcards, 0, a->partner, a->rank, a->tag, err);
    if (posts && post(im, sends ? a->rank : a->partner, sends ? a->partner : a->rank, &request, err) < 0)
        return -1;
    struct mpg_event e = mpg_foreign_make(a->call, 0, 0);
    e.tag = a->tag;
    e.bytes = a->bytes;
    e.requests = &request;
    e.request_number = posts;
    *(sends ? &e.to : &e.from) = a->partner;
    if (!sends)
        resolve(im, &e);
    if (a->kind == TI_RECV && e.from == MPG_UNKNOWN)
        return mpg_error_set(err, "%s from any source: no send fits", a->name);
    return emit(im, &e, err);
}

/* Handles a sendrecv. SimGrid sends both messages with tag 0. */
static int take_sendrecv(struct import *im, struct mpg_error *err)
{
    const struct ti_action *a = &im->action;
    int32_t from, tag;
    const int32_t wrong = a->source < 0 || a->source >= im->ranks ? a->source : a->destination;
    if (wrong < 0 || wrong >= im->ranks)
        return mpg_error_set(err, "%s: rank %d of %d", a->name, wrong, im->ranks);
    if (im->pass == MATCH)
        return mpg_wildcards_send(im->wildcards, 0, a->rank, a->destination, 0, now_ns(im), err) < 0
                   ? -1 : mpg_wildcards_receive(im->wildcards, 0, a->source, a->rank, 0, err);
    if (im->wildcards)
        /* Receives are numbered in the order of mpg_wildcards_receive(). */
        (void)mpg_wildcards_get(im->wildcards, im->wildcard++, &from, &tag);
    struct mpg_event e = mpg_foreign_make(a->call, 0, 0);
    e.to = a->destination;
    e.from = a->source;
    e.tag = e.recvtag = 0;
    e.bytes = a->bytes;
    e.recvbytes = a->recvbytes;
    return emit(im, &e, err);
}

static int take_completion(struct import *im, struct mpg_error *err)
{
    const struct ti_action *a = &im->action;
    struct mpg_event e = mpg_foreign_make(a->call, 0, 0);
    if (im->pass != EMIT)
        return 0;
    if (a->kind == TI_WAITALL) {
        if (take_all(im, &e.request_number, err) < 0)
            return -1;
        e.requests = im->requests;
        e.done_all = true;
        return emit(im, &e, err);
    }
    struct node *node = find(im);
    /* An error in this import, where a test leaves the request open; SimGrid skips a wait without request if any requests are
     * open. */
    if (!node && a->kind == TI_WAIT)
        return mpg_error_set(err, "wait %d %d %d: no request is open", a->source, a->destination, a->tag);
    if (!node)
        return mpg_foreign_untraced(&im->foreign, a->rank, "MPI_Test", err);
    e.requests = &node->request;
    e.request_number = 1;
    e.done_all = node->done = a->kind == TI_WAIT;
    if (a->kind == TI_TEST)
        mpg_foreign_remark(&im->foreign, tests, 1);
    return emit(im, &e, err);
}

static int take_collective(struct import *im, struct mpg_error *err)
{
    const struct ti_action *a = &im->action;
    struct mpg_event e = mpg_foreign_make(a->call, 0, 0);
    e.root = a->root;
    e.bytes = a->bytes;
    e.counts = a->counts;
    e.count_number = (uint32_t)a->count_number;
    const int status = im->pass == EMIT ? emit(im, &e, err) : 0;
    im->rank[a->rank].flops += a->flops;
    return status;
}

/* Handles the current action, in the pass that matches or in the pass that makes events. Returns 0, or -1 with ERR. */
static int take(struct import *im, struct mpg_error *err)
{
    const struct ti_action *a = &im->action;
    struct rank *r = &im->rank[a->rank];
    struct mpg_event e = mpg_foreign_make(a->call, 0, 0);
    if (mpg_ti_parse_arguments(&im->action, im->ranks, r->is_double, err) < 0)
        return -1;
    switch (a->kind) {
    case TI_INIT:
        r->is_double = a->has_argument;
        return im->pass == EMIT ? emit(im, &e, err) : 0;
    case TI_FINALIZE:
        return im->pass == EMIT ? emit(im, &e, err) : 0;
    case TI_COMPUTE:
        r->flops += a->flops;
        return 0;
    case TI_SLEEP:
        r->seconds += a->seconds;
        return 0;
    case TI_WAIT:
    case TI_TEST:
    case TI_WAITALL:
        return take_completion(im, err);
    case TI_SENDRECV:
        return take_sendrecv(im, err);
    case TI_COLLECTIVE:
        return take_collective(im, err);
    case TI_NOTHING:
        return 0;
    default:
        return take_message(im, err);
    }
}

/* The survey: finds the ranks with actions, and whether any receive has a wildcard source or tag. */
static int survey(struct import *im, struct mpg_error *err)
{
    struct ti_action *a = &im->action;
    if (a->rank != im->last_seen && !mpg_map_add(&im->seen, (uint64_t)a->rank, 0))
        return mpg_error_set(err, "out of memory");
    im->last_seen = a->rank;
    im->ranks = a->rank >= im->ranks ? a->rank + 1 : im->ranks;
    if ((a->kind != TI_RECV && a->kind != TI_IRECV) || im->has_wildcards)
        return 0;
    if (mpg_ti_split(a, err) < 0)
        return -1;
    im->has_wildcards = a->n > 1 && (*a->words[0] == '-' || *a->words[1] == '-');
    return 0;
}

/* --- files --- */

static int read_lines(struct import *im, struct mpg_line_reader *lines, struct mpg_error *err)
{
    char *text;
    size_t n;
    for (int more; (more = mpg_line_reader_next(lines, &text, &n, err)) != 0;) {
        if (more < 0)
            return -1;
        if (mpg_line_reader_has(lines, '\0'))
            return mpg_error_set(err, "holds a zero byte, which no text has");
        mpg_line_reader_chomp(lines);
        const int is_action = mpg_ti_parse(&im->action, text, err);
        if (is_action < 0 || (is_action && (im->pass == SURVEY ? survey(im, err) : take(im, err)) < 0))
            return -1;
    }
    return 0;
}

static int read_file(struct import *im, const char *path, struct mpg_error *err)
{
    FILE *file = mpg_input_open(path);
    if (!file)
        return mpg_error_errno(err, errno, "%s", path);
    struct mpg_line_reader *lines = mpg_line_reader_new(file);
    int status = lines ? read_lines(im, lines, err) : mpg_error_set(err, "out of memory");
    if (status < 0)
        mpg_error_prefix(err, "%s: line %lu", path, lines ? mpg_line_reader_number(lines) : 0);
    else if (ferror(file))
        status = mpg_error_errno(err, errno, "%s: cannot read", path);
    mpg_line_reader_free(lines);
    (void)fclose(file);
    return status;
}

static int read_all(struct import *im, int pass, struct mpg_error *err)
{
    im->pass = pass;
    im->wildcard = 0;
    for (int32_t r = 0; r < im->ranks && im->rank; r++)
        im->rank[r] = (struct rank){.flops = 0};
    for (size_t i = 0; i < im->file_number; i++)
        if (read_file(im, im->files[i], err) < 0)
            return -1;
    return im->files ? 0 : read_file(im, im->path, err);
}

/* Checks that FILE, a name in the list PATH, has actions, and that no earlier name in the list names the file. */
static int check_listed(const char *path, const char *file, struct mpg_map *listed, struct mpg_error *err)
{
    struct stat st;
    if (mpg_kind_of(file) != MPG_FILE_SIMGRID || stat(file, &st) < 0)
        return mpg_error_set(err, "%s: %.200s holds no actions of SimGrid", path, file);
    uint64_t *slot = mpg_map_add(listed, (uint64_t)st.st_dev, (uint64_t)st.st_ino);
    if (!slot)
        return mpg_error_set(err, "out of memory");
    return (*slot)++ == 0 ? 0 : mpg_error_set(err, "%s: names %.200s twice", path, file);
}

/* Reads the file names in the list PATH into im->files. A name without a leading slash is relative to the folder of the
 * list. Returns 0, or -1 with ERR. */
static int read_list(struct import *im, const char *path, struct mpg_error *err)
{
    size_t size;
    char *text = mpg_input_read(mpg_input_open(path), path, 16, &size, err), *rest;
    const char *slash = strrchr(path, '/');
    if (!text)
        return -1;
    struct mpg_map listed = {.count = 0};
    int status = 0;
    for (char *name = strtok_r(text, "\r\n", &rest); name && status == 0; name = strtok_r(NULL, "\r\n", &rest)) {
        const size_t folder = slash && *name != '/' ? (size_t)(slash - path) + 1 : 0;
        char **grown = realloc(im->files, (im->file_number + 1) * sizeof *grown);
        if (grown)
            im->files = grown;
        char *whole = grown ? malloc(folder + strlen(name) + 1) : NULL;
        if (!whole) {
            status = mpg_error_set(err, "out of memory");
            break;
        }
        sprintf(whole, "%.*s%s", (int)folder, path, name);
        im->files[im->file_number++] = whole;
        status = check_listed(path, whole, &listed, err);
    }
    mpg_map_clear(&listed);
    free(text);
    return status;
}

/* --- the whole --- */

static int import_ranks(struct import *im, const char *target, int fd, const struct mpg_import_config *config,
                        struct mpg_error *err)
{
    /* Checked before memory for the ranks is allocated: a short file could claim a million. */
    for (int32_t r = 0; r < im->ranks; r++)
        if (!mpg_map_find(&im->seen, (uint64_t)r, 0))
            return mpg_error_set(err, "rank %d of %d has no actions", r, im->ranks);
    if (im->ranks <= 0)
        return mpg_error_set(err, "no actions");
    if (!(im->rank = calloc((size_t)im->ranks, sizeof *im->rank)))
        return mpg_error_set(err, "out of memory");
    im->world = (struct mpg_foreign_comm){0, MPG_NO_COMM, im->ranks, calloc((size_t)im->ranks, sizeof(int32_t)), im->ranks};
    if (!im->world.members)
        return mpg_error_set(err, "out of memory");
    for (int32_t r = 0; r < im->ranks; r++)
        im->world.members[r] = r;
    if (mpg_foreign_begin(&im->foreign, "SimGrid", "SimGrid time-independent actions", im->ranks, target, fd, config, err) < 0 ||
        mpg_build_fact(im->foreign.build, 0, "untimed", "SimGrid", err) < 0 ||
        mpg_build_fact(im->foreign.build, -1, "clocks", "shared", err) < 0)
        return -1;
    if (im->has_wildcards) {
        if (!(im->wildcards = mpg_wildcards_new()))
            return mpg_error_set(err, "out of memory");
        if (read_all(im, MATCH, err) < 0 || mpg_wildcards_resolve(im->wildcards, err) < 0)
            return -1;
    }
    return read_all(im, EMIT, err) < 0 ? -1 : mpg_foreign_end(&im->foreign, "none: untimed", err);
}

int mpg_ti_import(const char *path, const char *target, int fd, const struct mpg_import_config *config, struct mpg_error *err)
{
    struct import im = {.path = path, .last_seen = -1};
    int status = mpg_kind_of(path) == MPG_FILE_SIMGRID_LIST ? read_list(&im, path, err) : 0;
    if (status == 0)
        status = read_all(&im, SURVEY, err);
    if (status == 0)
        status = import_ranks(&im, target, fd, config, err);
    if (status < 0 && strncmp(err->text, path, strlen(path)) != 0)
        mpg_error_prefix(err, "%s", path);
    for (size_t i = 0; i < im.file_number; i++)
        free(im.files[i]);
    free(im.files);
    free(im.rank);
    free(im.nodes);
    free(im.requests);
    free(im.world.members);
    mpg_map_clear(&im.seen);
    mpg_map_clear(&im.heads);
    mpg_map_clear(&im.tails);
    mpg_wildcards_free(im.wildcards);
    mpg_ti_clear(&im.action);
    mpg_foreign_clear(&im.foreign);
    return status;
}
