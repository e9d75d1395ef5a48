/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes time-independent actions. Computation is in flops at 1 Gflop/s: a ns is a flop; data are bytes, SimGrid's type 6. */
#include "export/ti/ti.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/map.h"
#include "common/out.h"
#include "common/output.h"

enum { TYPE = 6 };

struct mpg_ti {
    const char *folder, *list_path, *shown;
    int32_t ranks, rank;
    struct mpg_left_out *left;
    FILE *list, *file; /* FILE: of the rank, through OUT */
    struct mpg_out out;
    char path[4200];
    struct mpg_map posted; /* (partner and direction, tag) -> number of posts << 32 | number of waits */
    struct mpg_map turns;  /* request -> the request's number among the posts with equal partner, direction and tag */
};

struct mpg_ti *mpg_ti_new(const char *folder, const char *list, const char *shown, int32_t ranks, struct mpg_left_out *left,
                          struct mpg_error *err)
{
    struct mpg_ti *t = calloc(1, sizeof *t);
    if (!t) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    *t = (struct mpg_ti){.folder = folder, .list_path = list, .shown = shown, .ranks = ranks, .left = left,
                         .list = fopen(list, "w")};
    if (t->list)
        return t;
    mpg_error_errno(err, errno, "%s", list);
    mpg_ti_free(t);
    return NULL;
}

/* Writes the begin of an action of the rank. */
static void begin_action(struct mpg_ti *t, const char *name)
{
    mpg_out_number(&t->out, t->rank);
    mpg_out_char(&t->out, ' ');
    mpg_out_text(&t->out, name);
}

/* Writes N arguments of an action. */
static void put_arguments(struct mpg_ti *t, const int64_t *arguments, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        mpg_out_char(&t->out, ' ');
        mpg_out_number(&t->out, arguments[i]);
    }
}

/* Writes an action of the rank without arguments. */
static void put_action(struct mpg_ti *t, const char *name)
{
    begin_action(t, name);
    mpg_out_char(&t->out, '\n');
}

/* Writes an action of the rank with the arguments in the following list. */
#define ACTION(t, name, ...) \
    do { \
        const int64_t arguments_[] = {__VA_ARGS__}; \
        begin_action(t, name); \
        put_arguments(t, arguments_, sizeof arguments_ / sizeof *arguments_); \
        mpg_out_char(&(t)->out, '\n'); \
    } while (0)

static int begin_rank(void *context, int32_t rank, struct mpg_error *err)
{
    struct mpg_ti *t = context;
    t->rank = rank;
    mpg_map_clear(&t->posted);
    mpg_map_clear(&t->turns);
    if (snprintf(t->path, sizeof t->path, "%s/%" PRId32 ".ti", t->folder, rank) >= (int)sizeof t->path)
        return mpg_error_set(err, "%s: name too long", t->folder);
    if (!(t->file = fopen(t->path, "w")))
        return mpg_error_errno(err, errno, "%s", t->path);
    fprintf(t->list, "%s/%" PRId32 ".ti\n", t->shown, rank);
    mpg_out_begin(&t->out, t->file);
    put_action(t, "init");
    return 0;
}

/* Counts posts and waits for each partner, direction and tag. A wait in TI names only sender, receiver and tag, and completes the
 * oldest matching request. Waits of the program for a younger request are counted in t->left. */
static int follow(struct mpg_ti *t, const struct mpg_program_action *a, struct mpg_error *err)
{
    const bool sends = a->kind == MPG_ACTION_POST_SEND || a->sends;
    const uint64_t partner = (uint64_t)(uint32_t)a->peer << 1 | (a->peer == t->rank ? 0 : sends);
    uint64_t *of_key = mpg_map_add(&t->posted, partner, a->tag);
    if (!of_key)
        return mpg_error_set(err, "out of memory");
    if (a->kind != MPG_ACTION_WAIT) {
        const uint64_t turn = *of_key >> 32;
        *of_key += UINT64_C(1) << 32;
        uint64_t *slot = mpg_map_add(&t->turns, (uint64_t)a->request, 0);
        if (!slot)
            return mpg_error_set(err, "out of memory");
        *slot = turn;
        return 0;
    }
    const uint64_t *turn = mpg_map_find(&t->turns, (uint64_t)a->request, 0);
    mpg_left_out_add(t->left, "waits for one of several requests with equal partner and tag: written as a wait for the oldest",
                     turn && *turn != (*of_key & UINT32_MAX));
    ++*of_key;
    mpg_map_remove(&t->turns, (uint64_t)a->request, 0);
    if (*of_key >> 32 == (*of_key & UINT32_MAX))
        mpg_map_remove(&t->posted, partner, a->tag);
    return 0;
}

static int act(void *context, const struct mpg_program_action *a, struct mpg_error *err)
{
    static const char *const words[] = {[MPG_ACTION_SEND] = "send",
                                        [MPG_ACTION_RECEIVE] = "recv",
                                        [MPG_ACTION_POST_SEND] = "isend",
                                        [MPG_ACTION_POST_RECEIVE] = "irecv"};
    struct mpg_ti *t = context;
    switch (a->kind) {
    case MPG_ACTION_COMPUTE:
        ACTION(t, "compute", a->ns);
        return 0;
    case MPG_ACTION_WAIT:
        ACTION(t, "wait", a->sends ? t->rank : a->peer, a->sends ? a->peer : t->rank, a->tag);
        return follow(t, a, err);
    default:
        ACTION(t, words[a->kind], a->peer, a->tag, a->bytes, TYPE);
        return a->kind == MPG_ACTION_POST_SEND || a->kind == MPG_ACTION_POST_RECEIVE ? follow(t, a, err) : 0;
    }
}

/* Writes collective E with the sizes BLOCKS of the ranks. Returns false if TI has no action for E; MPI_Alltoallv would need the
 * lists of all ranks. */
static bool write_listed(struct mpg_ti *t, const struct mpg_event *e, const int64_t *blocks)
{
    const enum mpg_call call = mpg_call_plain(e->call);
    if (call != MPG_CALL_Gatherv && call != MPG_CALL_Allgatherv && call != MPG_CALL_Scatterv)
        return false;
    begin_action(t, call == MPG_CALL_Gatherv ? "gatherv" : call == MPG_CALL_Allgatherv ? "allgatherv" : "scatterv");
    if (call != MPG_CALL_Scatterv)
        put_arguments(t, &blocks[t->rank], 1);
    put_arguments(t, blocks, (size_t)t->ranks);
    if (call == MPG_CALL_Scatterv)
        put_arguments(t, &blocks[t->rank], 1);
    const int64_t rest[] = {e->root, TYPE, TYPE};
    put_arguments(t, rest + (call == MPG_CALL_Allgatherv), call == MPG_CALL_Allgatherv ? 2 : 3);
    mpg_out_char(&t->out, '\n');
    return true;
}

static int write_collective(void *context, const struct mpg_event *e, const int64_t *blocks, struct mpg_error *err)
{
    struct mpg_ti *t = context;
    const int64_t b = e->bytes;
    (void)err;
    if (blocks)
        return write_listed(t, e, blocks);
    if (mpg_call_kind(e->call) == MPG_KIND_CONSTRUCTOR) {
        put_action(t, "barrier");
        return 1;
    }
    switch (mpg_call_plain(e->call)) {
    case MPG_CALL_Bcast:
        ACTION(t, "bcast", b, e->root, TYPE);
        return 1;
    case MPG_CALL_Reduce:
        ACTION(t, "reduce", b, 0, e->root, TYPE);
        return 1;
    case MPG_CALL_Allreduce:
        ACTION(t, "allreduce", b, 0, TYPE);
        return 1;
    case MPG_CALL_Gather:
        ACTION(t, "gather", b, b, e->root, TYPE, TYPE);
        return 1;
    case MPG_CALL_Scatter:
        ACTION(t, "scatter", b, b, e->root, TYPE, TYPE);
        return 1;
    case MPG_CALL_Allgather:
        ACTION(t, "allgather", b, b, TYPE, TYPE);
        return 1;
    case MPG_CALL_Alltoall:
        ACTION(t, "alltoall", b, b, TYPE, TYPE);
        return 1;
    case MPG_CALL_Scan:
        ACTION(t, "scan", b, 0, TYPE);
        return 1;
    case MPG_CALL_Exscan:
        ACTION(t, "exscan", b, 0, TYPE);
        return 1;
    case MPG_CALL_Barrier:
        put_action(t, "barrier");
        return 1;
    default: /* MPI_Reduce_scatter, MPI_Reduce_scatter_block: each rank gets an equal part */
        begin_action(t, "reducescatter");
        for (int32_t i = 0; i < t->ranks; i++)
            put_arguments(t, &(int64_t){b / t->ranks + (i < b % t->ranks)}, 1);
        put_arguments(t, (const int64_t[]){0, TYPE}, 2);
        mpg_out_char(&t->out, '\n');
        return 1;
    }
}

/* Closes *FILE, with the name PATH, and sets *FILE to NULL. Returns 0, or -1 with ERR after a write error. */
static int close_written(FILE **file, const char *path, struct mpg_error *err)
{
    const int failed = mpg_output_flush(*file);
    const bool closed = fclose(*file) == 0;
    *file = NULL;
    return closed && !failed ? 0 : mpg_error_errno(err, failed ? failed : errno, "%s: cannot write", path);
}

static int end_rank(void *context, struct mpg_error *err)
{
    struct mpg_ti *t = context;
    put_action(t, "finalize");
    (void)mpg_out_flush(&t->out); /* close_written() finds errors */
    if (close_written(&t->file, t->path, err) < 0)
        return -1;
    return t->rank < t->ranks - 1 ? 0 : close_written(&t->list, t->list_path, err);
}

struct mpg_program_writer mpg_ti_writer(struct mpg_ti *t)
{
    return (struct mpg_program_writer){
        .format = "TI", .context = t, .begin = begin_rank, .act = act, .collective = write_collective, .end = end_rank};
}

void mpg_ti_free(struct mpg_ti *t)
{
    if (!t)
        return;
    if (t->file)
        fclose(t->file);
    if (t->list)
        fclose(t->list);
    mpg_map_clear(&t->posted);
    mpg_map_clear(&t->turns);
    free(t);
}
