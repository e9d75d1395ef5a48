/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds masters, workers and pieces: first the MPI_ANY_SOURCE receives of all ranks, then each worker's pieces, then rounds. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/tasks/finding.h"

enum { HOLDS = MPG_TASK_HOLDS, BREAKS = MPG_TASK_BREAKS, FAILS = MPG_TASK_FAILS, AGAIN = MPG_TASK_AGAIN };

int mpg_task_out_of_memory(struct mpg_task_finding *f)
{
    mpg_error_set(f->why, "out of memory");
    return FAILS;
}

int mpg_task_refuse(struct mpg_task_finding *f, int32_t rank, struct mpg_task_place at, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    mpg_error_set(f->why, "rank %d, call %" PRIu64 " (%s%s): %s", rank, at.number, mpg_call_prefix(at.call),
                  mpg_call_name(at.call), text);
    return BREAKS;
}

bool mpg_task_is_persistent(const struct mpg_event *e)
{
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_SEND_INIT:
    case MPG_KIND_RECV_INIT:
    case MPG_KIND_PSEND_INIT:
    case MPG_KIND_PRECV_INIT:
        return !e->failed;
    default:
        return false;
    }
}

/* --- the master --- */

/* Reads all events of RANK; if STATUS is BREAKS already, only for the survey. Returns the new status. */
static int scan_rank(struct mpg_task_finding *f, int32_t rank, int status)
{
    struct mpg_cursor *c = mpg_cursor_open(f->trace, rank, f->why);
    const struct mpg_event *e;
    struct mpg_task_place persistent = MPG_TASK_NOWHERE;
    uint64_t number = 0;
    int more = -1;
    if (f->t->master < 0)
        f->received_number = 0; /* discards messages to ranks other than masters */
    mpg_task_survey_begin(&f->survey, rank);
    while (c && status != FAILS && (more = mpg_cursor_read(c, &e, f->why)) > 0) {
        mpg_task_survey_take(&f->survey, number, e);
        if (mpg_task_is_persistent(e) && persistent.call == MPG_CALL_COUNT)
            persistent = mpg_task_place_of(number, e);
        if (status == HOLDS && !mpg_task_is_local(e) &&
            (f->t->master < 0 || f->t->master == rank || mpg_task_leaves_source_open(e)))
            status = mpg_task_take_master(f, rank, number, e);
        number += mpg_event_is_call(e);
    }
    mpg_cursor_close(c);
    mpg_task_survey_end(&f->survey);
    if (more < 0 || status != HOLDS)
        return more < 0 ? FAILS : status;
    if (f->t->master == rank && mpg_task_end_master(f) != HOLDS)
        return BREAKS;
    return f->t->master == rank && persistent.call != MPG_CALL_COUNT
               ? mpg_task_refuse(f, rank, persistent, "the master of the tasks uses persistent requests") : HOLDS;
}

/* For traces in which no rank receives from any source: reads, as master, the rank with the most Waitany, Waitsome, Testany
 * and Testsome. */
static int scan_picks(struct mpg_task_finding *f)
{
    const struct mpg_task_chooser *chooser = mpg_task_survey_master(&f->survey);
    struct mpg_tasks *t = f->t;
    const struct mpg_event *e;
    uint64_t number = 0;
    int more = -1, status = HOLDS;
    if (!chooser) {
        mpg_error_set(f->why, "no rank receives from MPI_ANY_SOURCE, or by MPI_Waitany and the like");
        return BREAKS;
    }
    t->master = chooser->rank;
    t->picks = true;
    f->received_number = 0;
    memset(f->sent, 0, (size_t)t->ranks * sizeof *f->sent);
    f->pick = calloc((size_t)t->ranks, sizeof *f->pick);
    f->at_place = calloc((size_t)t->ranks, sizeof *f->at_place);
    if (!f->pick || !f->at_place)
        return mpg_task_out_of_memory(f);
    struct mpg_cursor *c = mpg_cursor_open(f->trace, t->master, f->why);
    while (c && status == HOLDS && (more = mpg_cursor_read(c, &e, f->why)) > 0) {
        if (mpg_task_is_persistent(e))
            status = mpg_task_refuse(f, t->master, mpg_task_place_of(number, e),
                                     "the master of the tasks uses persistent requests");
        else if (!mpg_task_is_local(e))
            status = mpg_task_take_master(f, t->master, number, e);
        number += mpg_event_is_call(e);
    }
    mpg_cursor_close(c);
    if (status != HOLDS || more < 0)
        return status != HOLDS ? status : FAILS;
    if (t->n == 0)
        return mpg_task_refuse(f, chooser->rank, chooser->first, "no list of one receive from each worker");
    if (f->places != t->workers)
        return mpg_task_refuse(f, chooser->rank, chooser->first, "its list of requests has a receive that never gets a message");
    return mpg_task_end_master(f);
}

/* Sorts the messages by worker. */
static int sort_messages(struct mpg_task_finding *f)
{
    const int32_t ranks = f->t->ranks;
    f->begin = calloc((size_t)ranks + 2, sizeof *f->begin);
    f->sequence = calloc((size_t)f->received_number + 1, sizeof *f->sequence);
    if (!f->begin || !f->sequence)
        return mpg_task_out_of_memory(f);
    for (uint32_t i = 0; i < f->received_number; i++)
        f->begin[f->received[i].source + 2]++;
    for (int32_t r = 1; r <= ranks; r++)
        f->begin[r + 1] += f->begin[r];
    for (uint32_t i = 0; i < f->received_number; i++)
        f->sequence[f->begin[f->received[i].source + 1]++] = i;
    return HOLDS;
}

/* --- the workers --- */

/* Discards all data about the workers' segments. */
static void forget_pieces(struct mpg_task_finding *f)
{
    struct mpg_tasks *t = f->t;
    for (int32_t r = 0; r < t->ranks; r++)
        t->worker[r].before = 0;
    for (uint64_t k = 0; k < t->n; k++) {
        t->task[k].ends = t->task[k].is_used = false;
        t->task[k].events = 0;
        t->task[k].after = MPG_NO_TASK;
        f->extra[k].end = MPG_TASK_NOWHERE;
    }
}

static int read_workers(struct mpg_task_finding *f)
{
    struct mpg_tasks *t = f->t;
    int status = HOLDS;
    t->depth = 1;
    for (int32_t r = 0; r < t->ranks && status == HOLDS; r++) {
        if (!t->worker[r].is_worker || (status = mpg_task_read_worker(f, r)) != AGAIN)
            continue;
        forget_pieces(f);
        status = HOLDS;
        r = -1;
    }
    return status;
}

/* --- rounds --- */

/* Messages why a call of the master breaks the pattern. */
static const char more[] = "between two receives from any source, the rank does more than receive from the source of the first "
                           "receive and send to this source";

/* Checks the calls of the master after receive K, which is followed by another receive of the round. */
static int check_master(struct mpg_task_finding *f, uint64_t k)
{
    const struct mpg_task *task = &f->t->task[k];
    if (f->t->picks && task->reposts != task->is_task)
        return mpg_task_refuse(f, f->t->master, (struct mpg_task_place){task->call, MPG_CALL_Waitany},
                               task->is_task ? "no receive from rank %d is posted after its message" :
                                               "a receive from rank %d is posted after its message, and no task is sent",
                               task->source);
    if (f->extra[k].other.call == MPG_CALL_COUNT)
        return HOLDS;
    return mpg_task_refuse(f, f->t->master, f->extra[k].other, "%s", more);
}

/* Checks that the final receive K of a round has the same replies as FIRST, the round's first final receive, because in
 * another order of the workers each can get the replies of any final receive. */
static int check_final(struct mpg_task_finding *f, uint64_t k, uint64_t first)
{
    const struct mpg_task *task = &f->t->task[k], *like = &f->t->task[first];
    const struct mpg_task_place at = {task->call, MPG_CALL_Recv};
    if (task->replies != like->replies || task->replies > 1 ||
        (task->replies && (task->reply_tag != like->reply_tag || task->reply_bytes != like->reply_bytes)))
        return mpg_task_refuse(f, f->t->master, at, "the last messages to the workers differ, or are several");
    return HOLDS;
}

/* Makes the table of receives that end rounds. */
static int make_finals(struct mpg_task_finding *f)
{
    struct mpg_tasks *t = f->t;
    uint64_t ends = 0;
    for (uint64_t k = 0; k < t->n; k++)
        ends += t->task[k].ends;
    const size_t n = ((size_t)ends / (size_t)t->workers + 1) * (size_t)t->ranks;
    if (!(t->final = malloc(n * sizeof *t->final)))
        return mpg_task_out_of_memory(f);
    for (size_t i = 0; i < n; i++)
        t->final[i] = MPG_NO_TASK;
    return HOLDS;
}

/* Error: the round whose first final receive is FIRST does not have a final receive of every worker. */
static int refuse_round(struct mpg_task_finding *f, uint64_t first)
{
    const struct mpg_task_place end = f->extra[first].end;
    const int32_t master = f->t->master;
    if (end.call == MPG_CALL_COUNT)
        return mpg_task_refuse(f, master, (struct mpg_task_place){f->t->task[first].call, MPG_CALL_Recv},
                               "no task follows for rank %d, while other ranks still get tasks", f->t->task[first].source);
    return mpg_task_refuse(f, f->t->task[first].source, end,
                           "not a worker's cycle (receive a task, compute, send to rank %d) while rank %d still hands out tasks",
                           master, master);
}

/* A round during the reading of the receives. */
struct round {
    bool has_begun;
    /* number of final receives; number of workers that have ended the round; the first final receive */
    uint64_t finals, ended, first;
    uint32_t *of;                  /* by world rank: number of final receives */
};

/* Handles the final receive K. */
static int take_final(struct mpg_task_finding *f, struct round *r, uint64_t k)
{
    struct mpg_tasks *t = f->t;
    struct mpg_task *task = &t->task[k];
    uint64_t *final = &t->final[(size_t)t->rounds * (size_t)t->ranks + (size_t)task->source];
    r->first = r->finals++ == 0 ? k : r->first;
    if (*final != MPG_NO_TASK || (++r->of[task->source] == t->depth) != task->ends)
        return refuse_round(f, r->first);
    if (task->ends) {
        *final = k;
        r->ended++;
    }
    if (r->ended == (uint64_t)t->workers) {
        /* additional replies belong to a later part of the program */
        if (k != r->first && task->replies > t->task[r->first].replies)
            task->replies = t->task[r->first].replies;
        t->rounds++;
        r->ended = r->finals = 0;
        r->has_begun = false;
        memset(r->of, 0, (size_t)t->ranks * sizeof *r->of);
    } else if (check_master(f, k) != HOLDS)
        return BREAKS;
    return check_final(f, k, r->first);
}

/* Checks that the message at the end of each piece is received in the task's round. */
static int check_pieces(struct mpg_task_finding *f)
{
    const struct mpg_tasks *t = f->t;
    for (uint64_t k = 0; k < t->n; k++)
        if (t->task[k].is_task && t->task[t->task[k].next].round != t->task[k].round)
            return refuse_round(f, k);
    return HOLDS;
}

static int read_rounds(struct mpg_task_finding *f, struct round *r)
{
    struct mpg_tasks *t = f->t;
    for (uint64_t k = 0; k < t->n; k++) {
        t->task[k].round = t->rounds;
        if (mpg_task_is_void(&t->task[k]) && r->has_begun)
            return mpg_task_refuse(f, t->master, (struct mpg_task_place){t->task[k].call, MPG_CALL_Recv}, "%s", more);
        if (mpg_task_is_void(&t->task[k]))
            continue;
        r->has_begun = true;
        if (t->task[k].is_task && r->finals > 0)
            return refuse_round(f, r->first);
        const int status = t->task[k].is_task ? check_master(f, k) : take_final(f, r, k);
        if (status != HOLDS)
            return status;
    }
    return r->finals > 0 ? refuse_round(f, r->first) : check_pieces(f);
}

static int find_rounds(struct mpg_task_finding *f)
{
    struct round r = {.of = calloc((size_t)f->t->ranks, sizeof *r.of)};
    const int status = !r.of ? mpg_task_out_of_memory(f) : make_finals(f) != HOLDS ? FAILS : read_rounds(f, &r);
    free(r.of);
    return status;
}

/* --- all --- */

/* Error: a rank of the pattern has several threads. */
static int check_threads(struct mpg_task_finding *f)
{
    for (int32_t r = 0; r < f->t->ranks; r++)
        if ((r == f->t->master || f->t->worker[r].is_worker) && mpg_trace_threads(f->trace, r) > 1) {
            mpg_error_set(f->why, "rank %d has several threads", r);
            return BREAKS;
        }
    return HOLDS;
}

static int find_all(struct mpg_task_finding *f)
{
    struct mpg_tasks *t = f->t;
    int status = HOLDS;
    for (int32_t r = 0; r < t->ranks && status != FAILS; r++)
        status = scan_rank(f, r, status);
    if (status == HOLDS && t->master < 0)
        status = scan_picks(f);
    if (status == HOLDS)
        status = check_threads(f);
    if (status == HOLDS)
        status = sort_messages(f);
    if (status == HOLDS)
        status = read_workers(f);
    if (status == HOLDS)
        status = find_rounds(f);
    if (status == HOLDS && (t->tasks == 0 || t->workers < 2)) {
        mpg_error_set(f->why, t->tasks == 0 ? "rank %d answers no worker's message with a task" :
                                              "rank %d hands out all tasks to one worker", t->master);
        status = BREAKS;
    }
    return status;
}

/* Fills in the master and workers of a trace without the pattern, as far as known from the survey. */
static void take_survey(struct mpg_task_finding *f)
{
    struct mpg_tasks *t = f->t;
    const struct mpg_task_chooser *master = mpg_task_survey_master(&f->survey);
    t->master = master ? master->rank : -1;
    t->workers = 0;
    for (int32_t r = 0; r < t->ranks && master; r++) {
        t->worker[r].is_worker = master->partner[r];
        t->workers += master->partner[r];
    }
}

int mpg_tasks_find(struct mpg_trace *trace, int64_t polling_ns, struct mpg_tasks *t, struct mpg_error *why)
{
    struct mpg_task_finding f = {.trace = trace, .t = t, .why = why, .polling_ns = polling_ns, .polled = MPG_CALL_COUNT};
    const int32_t ranks = mpg_trace_ranks(trace);
    *t = (struct mpg_tasks){.ranks = ranks, .master = -1, .comm = MPG_NO_COMM};
    t->worker = calloc((size_t)ranks, sizeof *t->worker);
    t->computation_ns = calloc((size_t)ranks, sizeof *t->computation_ns);
    f.sent = calloc((size_t)ranks, sizeof *f.sent);
    const bool has_memory =
        t->worker && t->computation_ns && f.sent && mpg_task_survey_new(&f.survey, trace, t->computation_ns) == 0;
    const int status = has_memory ? find_all(&f) : mpg_task_out_of_memory(&f);
    if (status == BREAKS)
        take_survey(&f);
    mpg_task_survey_clear(&f.survey);
    free(f.sent);
    free(f.pick);
    free(f.at_place);
    free(f.extra);
    free(f.received);
    free(f.sequence);
    free(f.begin);
    return status;
}

void mpg_tasks_clear(struct mpg_tasks *t)
{
    free(t->task);
    free(t->message);
    free(t->worker);
    free(t->computation_ns);
    free(t->final);
    *t = (struct mpg_tasks){.master = -1};
}
