/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads runs side by side: each thread takes the next untaken run. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "analyse/compare/compare.h"

struct outcome {
    char *messages; /* NULL: not read */
    size_t bytes;
    int status;
    struct mpg_error err;
};

struct work {
    struct compare_run *run;
    char **path;
    size_t n;
    const struct compare_reading *reading;
    struct outcome *outcome; /* by run */
    atomic_size_t next;      /* index of the next run to be taken */
    atomic_bool has_failed;  /* no further run is taken */
};

static void read_one(struct work *w, size_t i)
{
    struct outcome *o = &w->outcome[i];
    FILE *messages = open_memstream(&o->messages, &o->bytes);
    o->status = messages ? mpg_compare_read(&w->run[i], w->path[i], w->reading, messages, &o->err)
                         : mpg_error_set(&o->err, "out of memory");
    if (messages && fclose(messages) != 0 && o->status == 0)
        o->status = mpg_error_set(&o->err, "out of memory");
    if (o->status < 0)
        atomic_store(&w->has_failed, true);
}

static void *read_some(void *work)
{
    struct work *w = work;
    for (size_t i; !atomic_load(&w->has_failed) && (i = atomic_fetch_add(&w->next, 1)) < w->n;)
        read_one(w, i);
    return NULL;
}

/* Starts up to N further threads, in THREAD. Returns the number of started threads. */
static unsigned start(struct work *w, pthread_t *thread, unsigned n)
{
    unsigned started = 0;
    while (started < n && pthread_create(&thread[started], NULL, read_some, w) == 0)
        started++;
    return started;
}

int mpg_compare_read_all(struct compare_run *run, char **path, size_t n, const struct compare_reading *reading, unsigned threads,
                         struct mpg_error *err)
{
    enum { MAX_FURTHER = 63 };
    pthread_t thread[MAX_FURTHER];
    struct work w = {run, path, n, reading, calloc(n, sizeof *w.outcome), 0, false};
    if (!w.outcome)
        return mpg_error_set(err, "out of memory");
    const size_t further = (threads < n ? threads : n) - 1;
    const unsigned started = start(&w, thread, further < MAX_FURTHER ? (unsigned)further : MAX_FURTHER);
    read_some(&w);
    for (unsigned i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    int status = 0;
    for (size_t i = 0; i < n; i++) { /* runs before the first failed run are complete */
        struct outcome *o = &w.outcome[i];
        if (status == 0 && o->messages)
            fwrite(o->messages, 1, o->bytes, stderr);
        if (status == 0 && o->status < 0) {
            *err = o->err;
            status = -1;
        }
        free(o->messages);
    }
    free(w.outcome);
    return status;
}
