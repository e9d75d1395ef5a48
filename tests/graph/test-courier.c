/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of ranks in several processes (TAP): every record arrives once, with its content; the end, a standstill and a part that
 * gives up are found by all processes; no letter is left. Threads play the processes: letters arrive late by chance, in order
 * between each two processes. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "graph/parts/part.h"
#include "tests/tap.h"
#include "trace/reader.h"

enum { PROCESSES = 3, EACH = 2, PARTS = PROCESSES * EACH, SUMS = 5, VALUE_BYTES = 24, ROUNDS = 16, LATE = 3 };

/* --- letters between threads --- */

struct mail {
    struct mail *next;
    int from;
    size_t bytes;
    char *data;
};

static pthread_mutex_t post_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct mail *box[PROCESSES][PROCESSES]; /* [to][from], in order */
static int64_t totals[2][SUMS];                /* of even and odd sums */
static unsigned summed[2], taken[2];           /* processes that have given numbers, and that have taken the sum */
static _Thread_local int self;
static _Thread_local unsigned sums, seed;
static _Thread_local int64_t *sum_to;
static _Thread_local struct mail *arriving;

static unsigned chance(unsigned n)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 16) % n;
}

static void post_send(int to, void *data, size_t bytes)
{
    struct mail *m = malloc(sizeof *m), **last;
    *m = (struct mail){NULL, self, bytes, data};
    pthread_mutex_lock(&post_mutex);
    for (last = &box[to][self]; *last; last = &(*last)->next)
        ;
    *last = m;
    pthread_mutex_unlock(&post_mutex);
}

static size_t post_arrived(void)
{
    if (chance(LATE) > 0)
        return 0;
    pthread_mutex_lock(&post_mutex);
    const int from = (int)chance(PROCESSES);
    arriving = box[self][from];
    if (arriving)
        box[self][from] = arriving->next;
    pthread_mutex_unlock(&post_mutex);
    return arriving ? arriving->bytes : 0;
}

static void post_receive(void *data, size_t bytes)
{
    memcpy(data, arriving->data, bytes);
    free(arriving->data);
    free(arriving);
}

static void begin_sum(const int64_t *own, int64_t *sum, int n)
{
    pthread_mutex_lock(&post_mutex);
    for (int i = 0; i < n; i++)
        totals[sums % 2][i] += own[i];
    summed[sums % 2]++;
    sum_to = sum;
    pthread_mutex_unlock(&post_mutex);
}

static bool sum_ended(void)
{
    const unsigned k = sums % 2;
    pthread_mutex_lock(&post_mutex);
    const bool has_ended = summed[k] == PROCESSES && chance(LATE) == 0;
    if (has_ended) {
        memcpy(sum_to, totals[k], sizeof totals[k]);
        if (++taken[k] == PROCESSES) {
            memset(totals[k], 0, sizeof totals[k]);
            summed[k] = taken[k] = 0;
        }
        sums++;
    }
    pthread_mutex_unlock(&post_mutex);
    return has_ended;
}

static void flush(void)
{
}

static const struct mpg_parts_post post = {post_send, post_arrived, post_receive, begin_sum, sum_ended, flush};

/* Returns the number of letters that nobody has received, and frees them. */
static int left_over(void)
{
    int n = 0;
    for (int i = 0; i < PROCESSES * PROCESSES; i++)
        for (struct mail *m = box[i / PROCESSES][i % PROCESSES], *next; m; m = next, n++) {
            next = m->next;
            free(m->data);
            free(m);
        }
    memset(box, 0, sizeof box);
    return n;
}

/* --- parts that exchange records --- */

enum play { ENDS, STANDS_STILL, GIVES_UP };

/* A record: further records follow it, LIVES in a row. */
struct ball {
    struct part_record record;
    int32_t lives, to;
};

struct player {
    struct mpg_rank_part *part;
    enum play play;
    unsigned seed;
    int balls, received, sent, wrong;
    enum part_event end;
};

struct process {
    const struct mpg_trace *trace;
    unsigned rank, round;
    enum play play;
    struct player player[EACH];
    const char *reason;
};

static void throw_ball(struct player *x, int lives)
{
    struct mpg_error err;
    const unsigned to = (x->part->index + 1 + chance(PARTS - 1)) % PARTS;
    struct ball *b = mpg_part_add(x->part, to, PART_MESSAGE, sizeof *b, true, &err);
    b->lives = lives;
    b->to = (int32_t)to;
    memset(graph_value_of(x->part, &b->record), lives, VALUE_BYTES);
    x->sent++;
}

static bool is_right(const struct player *x, const struct ball *b)
{
    char value[VALUE_BYTES];
    memset(value, b->lives, sizeof value);
    return b->record.kind == PART_MESSAGE && b->to == (int32_t)x->part->index && b->record.from < PARTS &&
           memcmp(value, graph_value_of(x->part, &b->record), sizeof value) == 0;
}

static void catch_all(struct player *x)
{
    const struct part_record *record;
    while ((record = mpg_part_take(x->part))) {
        const struct ball *b = (const struct ball *)(const void *)record;
        x->received++;
        x->wrong += !is_right(x, b);
        if (b->lives > 0)
            throw_ball(x, b->lives - 1);
    }
}

static void *play(void *context)
{
    struct player *x = context;
    seed = x->seed;
    for (int i = 0; i < x->balls; i++)
        throw_ball(x, 20 + (int)chance(20));
    for (;;) {
        if (!mpg_part_publish(x->part)) {
            x->end = PART_GAVE_UP;
            return NULL;
        }
        mpg_part_forget(x->part);
        mpg_part_pace(x->part, (uint64_t)x->received);
        if (x->play == GIVES_UP && x->part->index == PARTS - 1 && x->received > 30)
            mpg_rank_part_give_up(x->part, MPG_PARTS_ONE_SIDED);
        x->end = mpg_part_wait(x->part, x->play != STANDS_STILL || x->part->index != 1);
        if (x->end != PART_HAS_RECORDS)
            return NULL;
        catch_all(x);
    }
}

static void *run(void *context)
{
    struct process *p = context;
    struct mpg_error err;
    pthread_t thread[EACH];
    const struct mpg_parts_here here = {p->rank * EACH, EACH, PARTS};
    struct mpg_rank_parts *parts = mpg_rank_parts_new(p->trace, here, VALUE_BYTES, &err);
    self = (int)p->rank;
    sums = 0;
    seed = p->round * 7 + p->rank;
    for (unsigned i = 0; i < EACH; i++) {
        p->player[i] = (struct player){.part = mpg_rank_parts_part(parts, here.first + i), .play = p->play,
                                       .seed = p->round * 31 + here.first + i, .balls = p->round % 4 == 0 ? 0 : 12};
        pthread_create(&thread[i], NULL, play, &p->player[i]);
    }
    mpg_rank_parts_carry(parts, &post);
    for (unsigned i = 0; i < EACH; i++)
        pthread_join(thread[i], NULL);
    p->reason = mpg_rank_parts_reason(parts);
    mpg_rank_parts_free(parts);
    return NULL;
}

/* Plays once. Returns whether all processes end as PLAY wants, and every record has arrived unless they gave up. */
static bool play_once(const struct mpg_trace *trace, enum play play, unsigned round)
{
    struct process p[PROCESSES];
    pthread_t thread[PROCESSES];
    const enum part_event end = play == ENDS ? PART_IS_OVER : PART_GAVE_UP;
    const char *reason = play == ENDS ? "" : play == STANDS_STILL ? "no rank can go on by itself" : "one-sided communication";
    int sent = 0, received = 0, wrong = 0;
    memset(totals, 0, sizeof totals);
    memset(summed, 0, sizeof summed);
    memset(taken, 0, sizeof taken);
    for (unsigned i = 0; i < PROCESSES; i++) {
        p[i] = (struct process){.trace = trace, .rank = i, .round = round, .play = play};
        pthread_create(&thread[i], NULL, run, &p[i]);
    }
    for (unsigned i = 0; i < PROCESSES; i++)
        pthread_join(thread[i], NULL);
    for (unsigned i = 0; i < PROCESSES; i++) {
        wrong += strcmp(p[i].reason ? p[i].reason : "", reason) != 0;
        for (unsigned k = 0; k < EACH; k++) {
            wrong += p[i].player[k].wrong + (p[i].player[k].end != end);
            sent += p[i].player[k].sent;
            received += p[i].player[k].received;
        }
    }
    return left_over() == 0 && wrong == 0 && (play == GIVES_UP || sent == received);
}

static void play_often(const struct mpg_trace *trace, enum play play, const char *what)
{
    int failed = 0;
    for (unsigned round = 0; round < ROUNDS; round++)
        if (play != GIVES_UP || round % 4 != 0) /* without records, no part gives up */
            failed += !play_once(trace, play, round);
    ok(failed == 0, "%s: %d of %d rounds are wrong", what, failed, ROUNDS);
}

static const char text[] = "#mpgtext 1\n#ranks 6\n#comm 0 = 0 1 2 3 4 5\n"
                           "0 0 1000 Init\n0 2000 2010 Finalize\n1 0 1000 Init\n1 2000 2010 Finalize\n"
                           "2 0 1000 Init\n2 2000 2010 Finalize\n3 0 1000 Init\n3 2000 2010 Finalize\n"
                           "4 0 1000 Init\n4 2000 2010 Finalize\n5 0 1000 Init\n5 2000 2010 Finalize\n";

int main(void)
{
    struct mpg_error err = {""};
    char path[64];
    const int fd = memfd_create("trace", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct mpg_trace *trace = write(fd, text, sizeof text - 1) == sizeof text - 1 ? mpg_trace_open(path, &err) : NULL;
    if (!ok(trace, "the trace is read %s", err.text))
        return done();
    play_often(trace, ENDS, "all parts end when no record is left");
    play_often(trace, STANDS_STILL, "a part that cannot finish stops all");
    play_often(trace, GIVES_UP, "a part that gives up stops all, with its reason");
    mpg_trace_close(trace);
    close(fd);
    return done();
}
