/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first thread reads the trace that was opened already, with all that has been met in it; the others open it again,
 * and meet the same in the same order. */
#include "simulate/passes/apart.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What graphs of all threads may take beside the first one's; what one takes of a rank and of a slot, about. */
enum { MORE_BYTES = 256 << 20, RANK_BYTES = 12 << 10, SLOT_BYTES = 640 };

/* A thread, and the takers that are its. */
struct reader {
    struct mpg_course course;
    struct mpg_taker *takers;
    size_t n;
    pthread_t thread;
    struct mpg_passed passed;
    struct mpg_error error;
    int status;
};

static void *read_all(void *context)
{
    struct reader *x = context;
    x->status = mpg_pass(&x->course, x->takers, x->n, 1, &x->passed, &x->error);
    return NULL;
}

/* Whether steps say nothing of another thread's trace, and options nothing that a pass writes to. */
static bool can_be_apart(const struct mpg_graph_options *o)
{
    return !o->supposed && !o->regions && !o->marks && !(o->ratios && o->ratios->n > 0);
}

/* How many threads of N have room for a graph each. */
static unsigned most_threads(const struct mpg_course *course, unsigned n)
{
    struct stat info;
    const bool is_there = stat(mpg_trace_path(course->trace), &info) == 0 && S_ISDIR(info.st_mode);
    const double each = (double)mpg_trace_ranks(course->trace) * RANK_BYTES + (double)course->slots * SLOT_BYTES +
                        (double)mpg_trace_bytes(course->trace);
    if (!is_there || course->slots == 0 || !can_be_apart(course->graph))
        return 1;
    return each * (n - 1) <= MORE_BYTES ? n : 1 + (unsigned)(MORE_BYTES / each);
}

/* The trace of COURSE once more, in which callsites have the numbers that they have there; NULL: it is not. */
static struct mpg_trace *open_again(const struct mpg_course *course)
{
    struct mpg_error unused;
    struct mpg_trace *t = mpg_trace_open(mpg_trace_path(course->trace), &unused);
    uint64_t sum, other;
    if (!t)
        return NULL;
    struct mpg_bytes sites = {0};
    mpg_trace_put_sites(course->trace, &sites);
    struct mpg_bytes_left left = {.p = sites.data, .end = sites.data + sites.size};
    size_t n;
    int32_t *now = mpg_trace_get_sites(t, &left, &n);
    bool is_same = now && !sites.failed && mpg_trace_sum(course->trace, &sum) && mpg_trace_sum(t, &other) && sum == other;
    for (size_t i = 0; is_same && i < n; i++)
        is_same = now[i] == (int32_t)i;
    free(now);
    mpg_bytes_clear(&sites);
    if (is_same)
        return t;
    mpg_trace_close(t);
    return NULL;
}

/* Every N-th of the COUNT takers, from the FIRST on, into X; how many these are. */
static size_t deal(const struct mpg_taker *takers, size_t count, unsigned first, unsigned n, struct mpg_taker *to)
{
    size_t k = 0;
    for (size_t i = first; i < count; i += n)
        to[k++] = takers[i];
    return k;
}

/* Has each of N readers do its part, the first in this thread, as those whose thread cannot be had. */
static void read_apart(struct reader *reader, unsigned n)
{
    unsigned started = 1;
    while (started < n && pthread_create(&reader[started].thread, NULL, read_all, &reader[started]) == 0)
        started++;
    read_all(&reader[0]);
    for (unsigned i = started; i < n; i++)
        read_all(&reader[i]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(reader[i].thread, NULL);
}

int mpg_pass_apart(const struct mpg_course *course, const struct mpg_taker *takers, size_t n, unsigned threads,
                   struct mpg_passed *passed, struct mpg_error *err)
{
    const unsigned most = most_threads(course, threads < n ? threads : (unsigned)n);
    struct reader *reader = most > 1 ? calloc(most, sizeof *reader) : NULL;
    struct mpg_taker *dealt = reader ? calloc(n, sizeof *dealt) : NULL;
    unsigned readers = dealt ? 1 : 0;
    for (; readers > 0 && readers < most; readers++) {
        reader[readers].course = *course;
        reader[readers].course.passes = NULL;
        reader[readers].course.is_silent = true;
        if (!(reader[readers].course.trace = open_again(course)))
            break;
    }
    if (readers > 1) {
        size_t at = 0;
        reader[0].course = *course;
        for (unsigned i = 0; i < readers; i++) {
            reader[i].takers = dealt + at;
            reader[i].n = deal(takers, n, i, readers, dealt + at);
            at += reader[i].n;
            reader[i].passed = *passed;
        }
        read_apart(reader, readers);
        *passed = reader[0].passed;
    }
    int status = readers > 1 ? 1 : 0;
    for (unsigned i = 0; i < readers; i++) {
        if (status > 0 && reader[i].status < 0) {
            *err = reader[i].error;
            status = -1;
        }
        if (i > 0)
            mpg_trace_close(reader[i].course.trace);
    }
    free(reader);
    free(dealt);
    return status;
}
