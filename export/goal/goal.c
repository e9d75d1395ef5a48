/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes GOAL. Each action is an operation with a label, and requires the previous operation; after a posted send, only the start
 * of the send. A posted receive delays nothing: only the wait for this receive requires the receive. */
#include "export/goal/goal.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/map.h"
#include "common/out.h"

struct mpg_goal {
    struct mpg_out out;
    uint64_t label;       /* label of the last operation of the rank */
    uint64_t before;      /* label of the operation required by the next operation; 0: none */
    bool only_start;      /* the next operation requires only the start of operation BEFORE */
    struct mpg_map posted; /* request -> label of the posting operation */
    uint64_t before_branch;
    bool only_start_of_branch;
};

struct mpg_goal *mpg_goal_new(FILE *out, int32_t ranks, struct mpg_error *err)
{
    struct mpg_goal *g = calloc(1, sizeof *g);
    if (!g) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    mpg_out_begin(&g->out, out);
    fprintf(out, "num_ranks %" PRId32 "\n", ranks);
    return g;
}

static int begin_rank(void *context, int32_t rank, struct mpg_error *err)
{
    struct mpg_goal *g = context;
    (void)err;
    g->label = g->before = 0;
    mpg_map_clear(&g->posted);
    mpg_out_text(&g->out, "rank ");
    mpg_out_number(&g->out, rank);
    mpg_out_text(&g->out, " {\n");
    return 0;
}

/* Writes "l LABEL TEXT", with the numbers that the text needs after it. */
static void put_label(struct mpg_goal *g, uint64_t label, const char *text)
{
    mpg_out_char(&g->out, 'l');
    mpg_out_number(&g->out, (int64_t)label);
    mpg_out_text(&g->out, text);
}

/* Writes that operation LABEL requires operation BEFORE; ONLY_START: only its start. */
static void put_requires(struct mpg_goal *g, uint64_t label, bool only_start, uint64_t before)
{
    put_label(g, label, only_start ? " irequires " : " requires ");
    put_label(g, before, "\n");
}

static void put_message(struct mpg_goal *g, const struct mpg_program_action *a, bool receives)
{
    mpg_out_text(&g->out, receives ? "recv " : "send ");
    mpg_out_number(&g->out, a->bytes);
    mpg_out_text(&g->out, receives ? "b from " : "b to ");
    mpg_out_number(&g->out, a->peer);
    mpg_out_text(&g->out, " tag ");
    mpg_out_number(&g->out, a->tag);
    mpg_out_char(&g->out, '\n');
}

static int act(void *context, const struct mpg_program_action *a, struct mpg_error *err)
{
    struct mpg_goal *g = context;
    const uint64_t label = ++g->label;
    const bool receives = a->kind == MPG_ACTION_RECEIVE || a->kind == MPG_ACTION_POST_RECEIVE;
    const bool posts = a->kind == MPG_ACTION_POST_SEND || a->kind == MPG_ACTION_POST_RECEIVE;
    put_label(g, label, ": ");
    if (a->kind == MPG_ACTION_COMPUTE || a->kind == MPG_ACTION_WAIT) {
        mpg_out_text(&g->out, "calc ");
        mpg_out_number(&g->out, a->kind == MPG_ACTION_COMPUTE ? a->ns : 0);
        mpg_out_char(&g->out, '\n');
    } else
        put_message(g, a, receives);
    if (g->before > 0)
        put_requires(g, label, g->only_start, g->before);
    if (a->kind == MPG_ACTION_WAIT) {
        const uint64_t *posted = mpg_map_find(&g->posted, (uint64_t)a->request, 0);
        if (posted && !(*posted == g->before && !g->only_start))
            put_requires(g, label, false, *posted);
        mpg_map_remove(&g->posted, (uint64_t)a->request, 0);
    }
    if (posts) {
        uint64_t *posted = mpg_map_add(&g->posted, (uint64_t)a->request, 0);
        if (!posted)
            return mpg_error_set(err, "out of memory");
        *posted = label;
    }
    if (a->kind != MPG_ACTION_POST_RECEIVE) {
        g->before = label;
        g->only_start = a->kind == MPG_ACTION_POST_SEND;
    }
    return 0;
}

/* Begins or ends a branch, operations that run beside other operations (struct mpg_program_writer). A wait for REQUEST then
 * requires the branch's last operation. The first operation after the branch requires the operation before the branch. */
static int branch(void *context, bool begins, int64_t request, struct mpg_error *err)
{
    struct mpg_goal *g = context;
    if (begins) {
        g->before_branch = g->before;
        g->only_start_of_branch = g->only_start;
        return 0;
    }
    if (g->before != g->before_branch) {
        uint64_t *posted = mpg_map_add(&g->posted, (uint64_t)request, 0);
        if (!posted)
            return mpg_error_set(err, "out of memory");
        *posted = g->before;
    }
    g->before = g->before_branch;
    g->only_start = g->only_start_of_branch;
    return 0;
}

static int end_rank(void *context, struct mpg_error *err)
{
    struct mpg_goal *g = context;
    (void)err;
    mpg_out_text(&g->out, "}\n");
    (void)mpg_out_flush(&g->out); /* the owner of the file finds its errors */
    return 0;
}

struct mpg_program_writer mpg_goal_writer(struct mpg_goal *g)
{
    return (struct mpg_program_writer){.format = "GOAL", .context = g, .begin = begin_rank, .act = act,
                                       .branch = branch, .end = end_rank};
}

void mpg_goal_free(struct mpg_goal *g)
{
    if (!g)
        return;
    mpg_map_clear(&g->posted);
    free(g);
}
