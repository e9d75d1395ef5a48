/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread for each core, which measures the kernels. */
#include "bench/harness/cores.h"
#include "config.h"

#include "bench/compute/threads.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>


#define LONGEST_REPETITION_NS 1e7
/* Factor and summand of the multiply-adds, and scalar of the triad: no result overflows, vanishes or hides a
 * missing factor. */
#define FACTOR 0.999
#define SUMMAND 2.385e-3
#define SCALAR 2.385

enum task { TASK_PREPARE, TASK_MEASURE, TASK_END };

struct worker {
    struct mpg_compute_threads *threads;
    pthread_t thread;
    int index, core;
    bool measures;       /* the worker takes part in the current measurement */
    double *stream;      /* the three arrays of the triad, concatenated */
    size_t elements;     /* number of elements of each array */
    size_t position;     /* index in each array at which the next repetition continues */
    void *lines, *line;  /* memory of the pointer chase, and the line at which the next repetition continues */
    uint64_t keys;       /* state of the generator of the keys to sort */
    uint64_t checksum;   /* sum of mpg_sort_blocks() over all repetitions, to keep the compiler from removing the work */
    struct mpg_rates rates;
    bool failed;
    struct mpg_error err;
};

struct mpg_compute_threads {
    int n;
    struct worker *worker;
    int started;               /* number of threads started */
    int64_t working_bytes;
    uint64_t seed;
    const struct mpg_timer *timer;
    pthread_mutex_t mutex;     /* protects the following members up to PENDING */
    pthread_cond_t called, answered;
    unsigned calls;            /* number of tasks given to the workers so far */
    enum task task;
    enum mpg_kernel kernel;
    int cores;                 /* number of measuring workers */
    double duration_ns;
    int pending;               /* number of workers that have not finished the task */
    atomic_int ready, done;    /* numbers of measuring workers that have calibrated, and that have measured long enough */
};

/* ---- a repetition ---- */

/* Checks the chains' sum after STEPS steps: v(n) = v(0) x^n + y (1 - x^n) / (1 - x). */
static bool sum_is_right(double sum, int chains, uint64_t steps)
{
    double power = pow(FACTOR, (double)steps);
    double starts = chains + chains * (chains - 1) / 2 / 128.0;
    double expected = starts * power + chains * SUMMAND * (1 - power) / (1 - FACTOR);
    return fabs(sum - expected) <= 1e-9 * fabs(expected);
}

/* Performs the triad on the next ELEMENTS elements, from the start again after the last. */
static void stream(struct worker *w, uint64_t elements)
{
    double *a = w->stream, *b = a + w->elements, *c = b + w->elements;
    while (elements > 0) {
        size_t piece = w->elements - w->position;
        piece = piece < elements ? piece : (size_t)elements;
        mpg_triad(a + w->position, b + w->position, c + w->position, SCALAR, piece);
        w->position = (w->position + piece) % w->elements;
        elements -= piece;
    }
}

static bool stream_is_right(const struct worker *w)
{
    size_t last = (w->position ? w->position : w->elements) - 1;
    return w->stream[last] ==
           w->stream[w->elements + last] + SCALAR * w->stream[2 * w->elements + last];
}

static void wrong(struct worker *w, enum mpg_kernel kernel)
{
    w->failed = true;
    mpg_error_set(&w->err, "core %d: %s: the result is wrong; do not trust this machine", w->core,
                  mpg_kernel_name(kernel));
}

/* Performs AMOUNT steps of KERNEL (chain steps, elements, loads or blocks of keys). Returns the time, ns; *UNITS
 * becomes the work in the unit of the kernel's rate (flop, bytes, loads, keys). */
static double repeat(struct worker *w, enum mpg_kernel kernel, uint64_t amount, double *units)
{
    const struct mpg_timer *timer = w->threads->timer;
    const struct mpg_chains *chains = mpg_chains_best();
    double sum = 0;
    uint64_t start = mpg_timer_read(timer->kind);
    switch (kernel) {
    case MPG_KERNEL_FLOATING_POINT:
        sum = chains->run(amount, FACTOR, SUMMAND);
        *units = 2.0 * MPG_CHAINS * chains->doubles * (double)amount;
        break;
    case MPG_KERNEL_MEMORY_BANDWIDTH:
        stream(w, amount);
        *units = 3.0 * sizeof(double) * (double)amount;
        break;
    case MPG_KERNEL_MEMORY_LATENCY:
        w->line = mpg_chase(w->line, amount);
        *units = (double)amount;
        break;
    default:
        w->checksum += mpg_sort_blocks(&w->keys, amount);
        *units = (double)MPG_SORT_BLOCK * (double)amount;
    }
    uint64_t end = mpg_timer_read(timer->kind);
    if ((kernel == MPG_KERNEL_FLOATING_POINT &&
         !sum_is_right(sum, MPG_CHAINS * chains->doubles, amount)) ||
        (kernel == MPG_KERNEL_MEMORY_BANDWIDTH && !stream_is_right(w)))
        wrong(w, kernel);
    double time_ns = (double)(end - start) * timer->ns_per_tick - timer->cost_ns;
    return time_ns > 1 ? time_ns : 1;
}

/* ---- measuring ---- */

/* Returns the number of steps of KERNEL that take about TARGET_NS. */
static uint64_t calibrate(struct worker *w, enum mpg_kernel kernel, double target_ns)
{
    double units, time_ns;
    uint64_t amount = 1;
    while ((time_ns = repeat(w, kernel, amount, &units)) < target_ns / 2 && !w->failed)
        amount *= 2;
    double scaled = (double)amount * target_ns / time_ns;
    return scaled > 1 ? (uint64_t)scaled : 1;
}

static void note(struct worker *w, enum mpg_kernel kernel, int cores, double rate)
{
    struct mpg_rates *r = &w->rates;
    if (r->n == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 4096;
        double *grown = realloc(r->value, capacity * MPG_COMPUTE_COLUMNS * sizeof *grown);
        if (!grown) {
            w->failed = true;
            mpg_error_set(&w->err, "out of memory for %zu samples", capacity);
            return;
        }
        r->value = grown;
        r->capacity = capacity;
    }
    double *row = r->value + MPG_COMPUTE_COLUMNS * r->n++;
    row[0] = kernel;
    row[1] = cores;
    row[2] = rate;
}

/* Performs the current task on this worker's core. A failed worker still counts as ready and done, since the others
 * wait for these counts. */
static void measure(struct worker *w)
{
    struct mpg_compute_threads *threads = w->threads;
    enum mpg_kernel kernel = threads->kernel;
    const int cores = threads->cores;
    double units, target_ns = threads->duration_ns / 100, left_ns = threads->duration_ns;
    if (target_ns > LONGEST_REPETITION_NS)
        target_ns = LONGEST_REPETITION_NS;
    uint64_t amount = calibrate(w, kernel, target_ns);
    atomic_fetch_add(&threads->ready, 1);
    while (atomic_load(&threads->ready) < cores)
        repeat(w, kernel, amount, &units);
    while (left_ns > 0 && !w->failed) {
        double time_ns = repeat(w, kernel, amount, &units);
        note(w, kernel, cores, units / time_ns * 1e9);
        left_ns -= time_ns;
    }
    atomic_fetch_add(&threads->done, 1);
    while (atomic_load(&threads->done) < cores)
        repeat(w, kernel, amount, &units);
}

/* Allocates the worker's working sets and touches all pages from the worker's core. */
static void prepare(struct worker *w)
{
    struct mpg_compute_threads *threads = w->threads;
    size_t bytes = (size_t)threads->working_bytes;
    w->failed = true;
    if (mpg_cores_pin(w->core, &w->err) < 0)
        return;
    w->elements = bytes / (3 * sizeof *w->stream);
    w->stream = aligned_alloc(4096, bytes);
    w->lines = aligned_alloc(4096, bytes);
    if (!w->stream || !w->lines) {
        mpg_error_set(&w->err, "out of memory for two working sets of %lld bytes on core %d;"
                               " see --working-set", (long long)threads->working_bytes, w->core);
        return;
    }
    for (size_t i = 0; i < 3 * w->elements; i++)
        w->stream[i] = 1 + (double)(i % 128) / 128;
    w->line = w->lines;
    w->keys = threads->seed + (uint64_t)w->index;
    w->failed = mpg_chase_link(w->lines, bytes, w->keys, &w->err) < 0;
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct mpg_compute_threads *threads = w->threads;
    enum task task = TASK_PREPARE;
    sigset_t all; /* the main thread handles signals, which keeps files complete */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    for (unsigned seen = 0; task != TASK_END; seen++) {
        pthread_mutex_lock(&threads->mutex);
        while (threads->calls == seen)
            pthread_cond_wait(&threads->called, &threads->mutex);
        task = threads->task;
        const bool mine = w->measures;
        pthread_mutex_unlock(&threads->mutex);
        if (task == TASK_PREPARE)
            prepare(w);
        else if (task == TASK_MEASURE && mine)
            measure(w);
        pthread_mutex_lock(&threads->mutex);
        threads->pending--;
        pthread_cond_signal(&threads->answered);
        pthread_mutex_unlock(&threads->mutex);
    }
    return NULL;
}

/* ---- the threads ---- */

/* Gives all threads a task and sleeps until all have finished. */
static int call(struct mpg_compute_threads *threads, enum task task, struct mpg_error *err)
{
    atomic_store(&threads->ready, 0);
    atomic_store(&threads->done, 0);
    pthread_mutex_lock(&threads->mutex);
    threads->task = task;
    threads->calls++;
    threads->pending = threads->started;
    pthread_cond_broadcast(&threads->called);
    while (threads->pending > 0)
        pthread_cond_wait(&threads->answered, &threads->mutex);
    pthread_mutex_unlock(&threads->mutex);
    for (int i = 0; i < threads->n; i++)
        if (threads->worker[i].failed)
            return mpg_error_set(err, "%s", threads->worker[i].err.text);
    return 0;
}

struct mpg_compute_threads *mpg_compute_threads_new(const int *core, int n, int64_t working_bytes, uint64_t seed,
                              const struct mpg_timer *timer, struct mpg_error *err)
{
    struct mpg_compute_threads *threads = calloc(1, sizeof *threads);
    struct worker *worker = calloc((size_t)n, sizeof *worker);
    if (!threads || !worker) {
        free(threads);
        free(worker);
        mpg_error_set(err, "out of memory for %d threads", n);
        return NULL;
    }
    *threads = (struct mpg_compute_threads){.n = n, .worker = worker, .working_bytes = working_bytes,
                              .seed = seed, .timer = timer,
                              .mutex = PTHREAD_MUTEX_INITIALIZER,
                              .called = PTHREAD_COND_INITIALIZER,
                              .answered = PTHREAD_COND_INITIALIZER};
    for (int i = 0; i < n; i++) {
        worker[i] = (struct worker){.threads = threads, .index = i, .core = core[i]};
        int status = pthread_create(&worker[i].thread, NULL, work, &worker[i]);
        if (status != 0) {
            mpg_error_errno(err, status, "cannot start a thread for core %d", core[i]);
            mpg_compute_threads_free(threads);
            return NULL;
        }
        threads->started++;
    }
    if (call(threads, TASK_PREPARE, err) < 0) {
        mpg_compute_threads_free(threads);
        return NULL;
    }
    return threads;
}

int mpg_compute_threads_measure(struct mpg_compute_threads *threads, enum mpg_kernel kernel, int first, int count,
                                double duration_ns, struct mpg_error *err)
{
    threads->kernel = kernel;
    threads->cores = count;
    for (int i = 0; i < threads->n; i++)
        threads->worker[i].measures = false;
    for (int i = 0; i < count; i++)
        threads->worker[first + (int)((int64_t)i * (threads->n - first) / count)].measures = true;
    threads->duration_ns = duration_ns;
    return call(threads, TASK_MEASURE, err);
}

int mpg_compute_next_count(int n, int all)
{
    return n == all ? all + 1 : 2 * n < all ? 2 * n : all;
}

const struct mpg_rates *mpg_compute_threads_rates(const struct mpg_compute_threads *threads, int index)
{
    return &threads->worker[index].rates;
}

void mpg_compute_threads_free(struct mpg_compute_threads *threads)
{
    if (!threads)
        return;
    (void)call(threads, TASK_END, NULL);
    for (int i = 0; i < threads->n; i++) {
        struct worker *w = &threads->worker[i];
        if (i < threads->started)
            pthread_join(w->thread, NULL);
        free(w->stream);
        free(w->lines);
        free(w->rates.value);
    }
    pthread_mutex_destroy(&threads->mutex);
    pthread_cond_destroy(&threads->called);
    pthread_cond_destroy(&threads->answered);
    free(threads->worker);
    free(threads);
}
