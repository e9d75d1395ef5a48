/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A courier carries records between the parts here, in the courier's process, and parts elsewhere, in other processes. To a part
 * here, a part elsewhere looks like a part here: the courier reads the queues to parts elsewhere, and writes the queues from
 * parts elsewhere.
 *
 * The end: a process is still if all parts here sleep, and every record to or from a part here has been taken. Still processes
 * sum the numbers of letters sent and received. Two successive equal sums, with as many letters received as sent, prove that no
 * process was active between the first sum and the second, and that no letter is on the way: all processes are still (F. Mattern,
 * Algorithms for distributed termination detection, Distributed Computing 2 (1987), the four-counter method). So a still process
 * sends nothing until records arrive. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "graph/parts/private.h"

/* Tests for letters and records before the courier pauses; lengths of pauses, ns; minimum time, ns, between two letters about the
 * state of parts to one process. */
enum { TESTS = 100, MIN_PAUSE_NS = 20000, MAX_PAUSE_NS = 160000, TELL_NS = 1000000 };

enum letter_kind { LETTER_RECORDS, LETTER_STATE, LETTER_GAVE_UP };

/* The begin of each letter. */
struct letter {
    uint32_t kind;     /* enum letter_kind */
    uint32_t from, to; /* of records: the parts; else `from` is the first part of the sending process */
    uint32_t number;   /* of records; for LETTER_GAVE_UP, the enum mpg_parts_reason */
};

/* The state of one part, for the parts of another process: fields of struct part_state. */
struct seen {
    uint32_t share, waits, paces, unused;
};

/* A letter about the state of all parts of a process. */
struct state_letter {
    struct letter letter;
    /* The states of the parts; then, for each part of the sending process and each part of the receiving process, the number of
     * messages from the receiving process's part that the sending process's part has received. */
    struct seen part[];
};

/* The numbers summed over the processes. */
enum { SENT, RECEIVED, FINISHED, GAVE_UP, UNTOLD, SUMS };

struct courier {
    struct mpg_rank_parts *parts;
    const struct mpg_parts_post *post;
    unsigned each, processes, self; /* parts of a process; number of processes; rank of the process here */
    int64_t sent, received;
    bool told_gave_up, is_summing;
    bool lacks_letters; /* out of memory: not all processes were told why the parts have given up */
    bool is_still; /* no records have arrived since the begin of the current sum, when the process was still */
    int64_t own[SUMS], sum[SUMS];
    int64_t quiet; /* letters sent as of the last sum, if all were received; else -1 */
    struct {
        struct state_letter *last; /* the last letter about the state of the parts; all zero at first */
        int64_t ns;                /* time of LAST */
    } *told; /* by process */
    size_t state_bytes;
    char *in; /* the letter being received */
    size_t in_bytes;
};

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool has_given_up(const struct courier *c)
{
    return atomic_load_explicit(&c->parts->gave_up, memory_order_relaxed);
}

static void give_up(const struct courier *c, enum mpg_parts_reason reason)
{
    mpg_rank_part_give_up(&c->parts->part[c->parts->here.first], reason);
}

static void send(struct courier *c, unsigned process, void *letter, size_t bytes)
{
    c->post->send((int)process, letter, bytes);
    c->sent++;
}

/* --- from the parts here --- */

static bool send_records(struct courier *c, unsigned from, unsigned to)
{
    const struct part_bytes records = mpg_part_queue_take(part_queue_of(c->parts, from, to));
    if (records.records == 0)
        return false;
    char *letter = malloc(sizeof(struct letter) + records.bytes);
    if (!letter) {
        give_up(c, MPG_PARTS_MEMORY);
        return false;
    }
    *(struct letter *)(void *)letter = (struct letter){LETTER_RECORDS, from, to, (uint32_t)records.records};
    memcpy(letter + sizeof(struct letter), records.data, records.bytes);
    send(c, to / c->each, letter, sizeof(struct letter) + records.bytes);
    return true;
}

/* Sends all records to parts elsewhere. Returns whether there were any. */
static bool collect(struct courier *c)
{
    const struct mpg_parts_here *here = &c->parts->here;
    bool has_sent = false;
    for (unsigned from = here->first; from < here->first + here->n; from++)
        for (unsigned to = 0; to < here->all && !has_given_up(c); to++)
            if (!part_is_here(c->parts, to))
                has_sent |= send_records(c, from, to);
    return has_sent;
}

static uint64_t *settled_in(struct state_letter *letter, unsigned each)
{
    return (uint64_t *)(void *)&letter->part[each];
}

static void describe(const struct courier *c, unsigned process, struct state_letter *letter)
{
    const unsigned first = c->parts->here.first;
    uint64_t *settled = settled_in(letter, c->each);
    letter->letter = (struct letter){.kind = LETTER_STATE, .from = first};
    for (unsigned i = 0; i < c->each; i++) {
        const struct part_state *state = &c->parts->state[first + i];
        letter->part[i] = (struct seen){.share = atomic_load_explicit(&state->share, memory_order_relaxed),
                                        .waits = atomic_load_explicit(&state->waits, memory_order_relaxed),
                                        .paces = atomic_load_explicit(&state->paces, memory_order_relaxed)};
        for (unsigned k = 0; k < c->each; k++)
            settled[i * c->each + k] = atomic_load_explicit(
                &part_queue_of(c->parts, process * c->each + k, first + i)->settled, memory_order_relaxed);
    }
}

/* Tells PROCESS the state of the parts here, if the state has changed. Returns false: out of memory. */
static bool tell_state(struct courier *c, unsigned process)
{
    struct state_letter *letter = malloc(c->state_bytes), *copy = malloc(c->state_bytes);
    if (letter && copy) {
        describe(c, process, letter);
        if (memcmp(letter, c->told[process].last, c->state_bytes) != 0) {
            memcpy(copy, letter, c->state_bytes);
            free(c->told[process].last);
            c->told[process].last = letter;
            send(c, process, copy, c->state_bytes);
            return true;
        }
    }
    const bool is_good = letter && copy;
    free(letter);
    free(copy);
    return is_good;
}

/* Tells all processes the state of the parts here; processes with a recent letter only if AT_ONCE. */
static void tell_states(struct courier *c, bool at_once)
{
    const int64_t ns = now_ns();
    for (unsigned i = 0; i < c->processes && !has_given_up(c); i++) {
        if (i == c->self || (ns - c->told[i].ns < TELL_NS && !at_once))
            continue;
        c->told[i].ns = ns;
        if (!tell_state(c, i))
            give_up(c, MPG_PARTS_MEMORY);
    }
}

/* Tells all processes when the parts here have given up. */
static void tell_gave_up(struct courier *c)
{
    if (c->told_gave_up || !has_given_up(c))
        return;
    pthread_mutex_lock(&c->parts->mutex);
    const enum mpg_parts_reason reason = c->parts->reason;
    pthread_mutex_unlock(&c->parts->mutex);
    for (unsigned i = 0; i < c->processes; i++) {
        struct letter *letter = i == c->self ? NULL : malloc(sizeof *letter);
        c->lacks_letters |= !letter && i != c->self;
        if (!letter)
            continue;
        *letter = (struct letter){.kind = LETTER_GAVE_UP, .number = reason};
        send(c, i, letter, sizeof *letter);
    }
    c->told_gave_up = true;
}

/* --- to the parts here --- */

static void take_state(const struct courier *c, struct state_letter *letter)
{
    const unsigned first = c->parts->here.first;
    const uint64_t *settled = settled_in(letter, c->each);
    for (unsigned i = 0; i < c->each; i++) {
        const unsigned part = letter->letter.from + i;
        struct part_state *state = &c->parts->state[part];
        atomic_store_explicit(&state->share, letter->part[i].share, memory_order_relaxed);
        atomic_store_explicit(&state->waits, letter->part[i].waits, memory_order_relaxed);
        atomic_store_explicit(&state->paces, letter->part[i].paces, memory_order_relaxed);
        for (unsigned k = 0; k < c->each; k++)
            atomic_store_explicit(&part_queue_of(c->parts, first + k, part)->settled, settled[i * c->each + k],
                                  memory_order_relaxed);
    }
}

static void deliver(struct courier *c, size_t bytes)
{
    const struct letter *letter = (const struct letter *)(const void *)c->in;
    const struct part_bytes records = {c->in + sizeof *letter, bytes - sizeof *letter, letter->number};
    switch ((enum letter_kind)letter->kind) {
    case LETTER_RECORDS:
        c->is_still = false;
        if (!has_given_up(c) && !mpg_part_queue_put(c->parts, letter->from, letter->to, records))
            give_up(c, MPG_PARTS_MEMORY);
        break;
    case LETTER_STATE:
        take_state(c, (struct state_letter *)(void *)c->in);
        break;
    case LETTER_GAVE_UP:
        give_up(c, (enum mpg_parts_reason)letter->number);
        break;
    }
}

/* Takes in all arrived letters. Returns whether any letter had arrived. */
static bool receive(struct courier *c)
{
    bool has_received = false;
    for (size_t bytes; (bytes = c->post->arrived()) > 0; has_received = true) {
        if (bytes > c->in_bytes) {
            char *in = realloc(c->in, bytes);
            if (!in) { /* the letter stays in MPI until the parts have freed memory */
                give_up(c, MPG_PARTS_MEMORY);
                break;
            }
            c->in = in;
            c->in_bytes = bytes;
        }
        c->post->receive(c->in, bytes);
        c->received++;
        deliver(c, bytes);
    }
    return has_received;
}

/* --- the end --- */

/* Begins a sum if the process is still, or has told all processes that the parts have given up. */
static void begin_sum(struct courier *c)
{
    struct mpg_rank_parts *p = c->parts;
    int64_t finished = 0;
    pthread_mutex_lock(&p->mutex);
    const bool is_still = mpg_rank_parts_are_still(p);
    for (unsigned i = 0; i < p->here.n; i++)
        finished += p->state[p->here.first + i].has_finished;
    pthread_mutex_unlock(&p->mutex);
    if (!is_still && !c->told_gave_up)
        return;
    tell_states(c, true);
    c->is_still = true;
    c->own[SENT] = c->sent;
    c->own[RECEIVED] = c->received;
    c->own[FINISHED] = finished;
    c->own[GAVE_UP] = c->told_gave_up;
    c->own[UNTOLD] = c->lacks_letters;
    c->is_summing = true;
    c->post->begin_sum(c->own, c->sum, SUMS);
}

/* Returns whether the parts of all processes have ended, as the sum shows. */
static bool have_ended(struct courier *c)
{
    const int64_t before = c->quiet;
    c->quiet = c->sum[SENT] == c->sum[RECEIVED] ? c->sum[SENT] : -1;
    if (c->sum[UNTOLD] > 0 && !has_given_up(c))
        give_up(c, MPG_PARTS_MEMORY);
    if (c->sum[GAVE_UP] > 0)
        return c->sum[GAVE_UP] == c->processes && c->quiet >= 0;
    if (c->quiet < 0 || c->quiet != before)
        return false;
    pthread_mutex_lock(&c->parts->mutex);
    mpg_rank_parts_end(c->parts, c->sum[FINISHED] == c->parts->n);
    pthread_mutex_unlock(&c->parts->mutex);
    return true;
}

static bool begin(struct courier *c)
{
    c->state_bytes = sizeof(struct state_letter) + c->each * sizeof(struct seen) + (size_t)c->each * c->each * sizeof(uint64_t);
    c->told = calloc(c->processes, sizeof *c->told);
    for (unsigned i = 0; c->told && i < c->processes; i++)
        if (!(c->told[i].last = calloc(1, c->state_bytes)))
            return false;
    return c->told;
}

static void clear(struct courier *c)
{
    for (unsigned i = 0; c->told && i < c->processes; i++)
        free(c->told[i].last);
    free(c->told);
    free(c->in);
}

void mpg_rank_parts_carry(struct mpg_rank_parts *parts, const struct mpg_parts_post *post)
{
    const struct mpg_parts_here *here = &parts->here;
    struct courier c = {.parts = parts, .post = post, .each = here->n, .processes = here->all / here->n,
                        .self = here->first / here->n, .quiet = -1};
    struct timespec pause = {.tv_nsec = MIN_PAUSE_NS};
    int tests = 0;
    if (!begin(&c))
        give_up(&c, MPG_PARTS_MEMORY);
    for (bool has_ended = false; !has_ended;) {
        bool is_busy = receive(&c);
        is_busy |= collect(&c);
        if (!c.is_summing || !c.is_still)
            tell_states(&c, false);
        tell_gave_up(&c);
        if (!c.is_summing)
            begin_sum(&c);
        if (c.is_summing && post->sum_ended()) {
            c.is_summing = false;
            has_ended = have_ended(&c);
            is_busy = true;
        }
        if (is_busy) {
            pause.tv_nsec = MIN_PAUSE_NS;
            tests = 0;
        } else if (++tests < TESTS)
            sched_yield();
        else {
            nanosleep(&pause, NULL);
            pause.tv_nsec = 2 * pause.tv_nsec < MAX_PAUSE_NS ? 2 * pause.tv_nsec : MAX_PAUSE_NS;
        }
    }
    post->flush();
    clear(&c);
}
