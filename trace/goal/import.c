/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Imports a GOAL schedule in two passes: the first skims the text for ranks and receives from any source, the second writes the
 * events. For receives from any source, a pass in between matches sends and receives. After an error, a survey of all lines
 * looks for an earlier one. */
#include "trace/goal/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/input.h"
#include "trace/goal/goal.h"

static const char any_guessed[] = "receives from any source or with any tag: the schedule does not tell the sender, the "
                                  "earliest send "
                                  "that fits is taken";

/* --- one rank --- */

static void name_node(void *context, const struct goal_node *node, char *text, size_t size)
{
    const struct goal_import *im = context;
    static const char *const kinds[] = {"operation", "send", "recv", "calc"};
    char name[GOAL_LABEL_BYTES];
    if (node->name < im->labels.number)
        snprintf(text, size, "%.60s (%s)", mpg_goal_label_name(&im->labels, node->name, name), kinds[node->kind & 3]);
    else
        snprintf(text, size, "%u (%s)", (unsigned)(node - im->graph.nodes), kinds[node->kind & 3]);
}

static int emit(struct goal_import *im, unsigned cpu, struct mpg_event *e, struct mpg_error *err)
{
    e->thread = cpu;
    e->enter_ns = e->leave_ns = (int64_t)im->cpu_ns[cpu];
    return mpg_foreign_event(&im->foreign, im->rank, e, &im->world, NULL, err);
}

static void resolve(struct goal_import *im, struct mpg_event *e)
{
    int32_t from = MPG_UNKNOWN, tag = MPG_UNKNOWN;
    e->any = (e->from < 0 ? MPG_ANY_SOURCE : 0) | (e->tag < 0 ? MPG_ANY_TAG : 0);
    if (!im->wildcards)
        return;
    (void)mpg_wildcards_get(im->wildcards, im->wildcard++, &from, &tag);
    if (e->any)
        mpg_foreign_remark(&im->foreign, any_guessed, 1);
    e->from = e->from < 0 ? from : e->from;
    e->tag = e->tag < 0 ? tag : e->tag;
}

static int place(void *context, struct goal_node *node, struct mpg_error *err)
{
    struct goal_import *im = context;
    if (node->kind == GOAL_CALC) {
        im->cpu_ns[node->cpu] += node->size;
        if (im->cpu_ns[node->cpu] > INT64_MAX / 4)
            return mpg_error_set(err, "rank %d: work of more than 73 years", im->rank);
        return 0;
    }
    node->request = ++im->foreign.rank[im->rank].requests;
    if (im->pass == GOAL_MATCH)
        return node->kind == GOAL_SEND
                   ? mpg_wildcards_send(im->wildcards, 0, im->rank, node->peer, node->tag, (int64_t)im->cpu_ns[node->cpu], err)
                   : mpg_wildcards_receive(im->wildcards, 0, node->peer, im->rank, node->tag, err);
    const int64_t request = node->request;
    struct mpg_event e = mpg_foreign_make(node->kind == GOAL_SEND ? MPG_CALL_Isend : MPG_CALL_Irecv, 0, 0);
    e.tag = node->tag;
    e.bytes = (int64_t)node->size;
    e.requests = &request;
    e.request_number = 1;
    *(node->kind == GOAL_SEND ? &e.to : &e.from) = node->peer;
    if (node->kind == GOAL_RECV)
        resolve(im, &e);
    return emit(im, node->cpu, &e, err);
}

static int wait_for(void *context, unsigned cpu, const int64_t *requests, uint32_t n, struct mpg_error *err)
{
    struct goal_import *im = context;
    struct mpg_event e = mpg_foreign_make(n > 1 ? MPG_CALL_Waitall : MPG_CALL_Wait, 0, 0);
    e.requests = requests;
    e.request_number = n;
    e.done_all = true;
    return im->pass == GOAL_MATCH ? 0 : emit(im, cpu, &e, err);
}

int mpg_goal_rank(struct goal_import *im, struct mpg_error *err)
{
    const struct goal_program program = {im, place, wait_for, name_node};
    struct mpg_event init = mpg_foreign_make(MPG_CALL_Init, 0, 0), finalize = mpg_foreign_make(MPG_CALL_Finalize, 0, 0);
    if (im->pass <= GOAL_SURVEY) {
        for (size_t i = 0; i < im->graph.n; i++) {
            const struct goal_node *node = &im->graph.nodes[i];
            im->has_wildcards = im->has_wildcards || (node->kind == GOAL_RECV && (node->peer < 0 || node->tag < 0));
        }
        return 0;
    }
    memset(im->cpu_ns, 0, sizeof im->cpu_ns);
    im->foreign.rank[im->rank].requests = 0;
    if (im->pass == GOAL_EMIT && emit(im, 0, &init, err) < 0)
        return -1;
    if (mpg_goal_order(&im->graph, &program, err) < 0)
        return mpg_error_prefix(err, "rank %d", im->rank);
    return im->pass == GOAL_EMIT ? emit(im, 0, &finalize, err) : 0;
}

/* --- the whole --- */

static int read_pass(struct goal_import *im, int pass, struct mpg_error *err)
{
    unsigned long line = 0;
    im->pass = pass;
    im->wildcard = 0;
    mpg_goal_reset(&im->graph);
    mpg_goal_forget_labels(&im->labels);
    rewind(im->in);
    const int first = getc(im->in);
    rewind(im->in);
    const int status = first == 0x7f ? mpg_goal_read_binary(im, err) : mpg_goal_read_text(im, &line, err);
    if (status < 0 && line > 0)
        return mpg_error_prefix(err, "%s: line %lu", im->path, line);
    return status < 0 ? mpg_error_prefix(err, "%s", im->path) : 0;
}

static int import_ranks(struct goal_import *im, const char *target, int fd, const struct mpg_import_config *config,
                        struct mpg_error *err)
{
    im->world = (struct mpg_foreign_comm){0, MPG_NO_COMM, im->ranks, calloc((size_t)im->ranks, sizeof(int32_t)), im->ranks};
    if (!im->world.members)
        return mpg_error_set(err, "out of memory");
    for (int32_t r = 0; r < im->ranks; r++)
        im->world.members[r] = r;
    if (mpg_foreign_begin(&im->foreign, "GOAL", "GOAL schedule", im->ranks, target, fd, config, err) < 0 ||
        mpg_build_fact(im->foreign.build, 0, "untimed", "GOAL", err) < 0 ||
        mpg_build_fact(im->foreign.build, -1, "clocks", "shared", err) < 0)
        return -1;
    if (im->has_wildcards) {
        if (!(im->wildcards = mpg_wildcards_new()))
            return mpg_error_set(err, "out of memory");
        if (read_pass(im, GOAL_MATCH, err) < 0 || mpg_wildcards_resolve(im->wildcards, err) < 0)
            return -1;
    }
    return read_pass(im, GOAL_EMIT, err) < 0 ? -1 : mpg_foreign_end(&im->foreign, "none: untimed", err);
}

/* Replaces ERR, why the import failed, by the first error that a line has by itself, if any: the skimming has skipped lines, and
 * errors of labels depend on other lines. */
static void find_first_error(struct goal_import *im, struct mpg_error *err)
{
    struct mpg_error first;
    if (read_pass(im, GOAL_SURVEY, &first) < 0)
        *err = first;
}

int mpg_goal_import(const char *path, const char *target, int fd, const struct mpg_import_config *config, struct mpg_error *err)
{
    struct goal_import *im = calloc(1, sizeof *im);
    struct stat st;
    if (!im)
        return mpg_error_set(err, "out of memory");
    im->path = path;
    im->in = mpg_input_open(path);
    int status = im->in && fstat(fileno(im->in), &st) == 0 ? 0 : mpg_error_errno(err, errno, "%s", path);
    if (status == 0) {
        im->size_bytes = st.st_size;
        status = read_pass(im, GOAL_SKIM, err);
        if (status == 0)
            status = import_ranks(im, target, fd, config, err);
        if (status < 0)
            find_first_error(im, err);
    }
    if (status < 0 && strncmp(err->text, path, strlen(path)) != 0)
        mpg_error_prefix(err, "%s", path);
    if (im->in)
        (void)fclose(im->in);
    mpg_goal_clear_labels(&im->labels);
    mpg_goal_clear(&im->graph);
    mpg_wildcards_free(im->wildcards);
    mpg_foreign_clear(&im->foreign);
    free(im->world.members);
    free(im);
    return status;
}
