/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/passes/runs.h"

#include <stdlib.h>

/* Of runs that no pass has told of yet: lanes of all of them together. */
enum { LANES_UNTOLD = 1024 };

/* Those that are evaluated in the same passes. */
struct group {
    struct mpg_run **run;
    struct mpg_mode *mode; /* theirs, while they are evaluated */
    size_t n;
    struct mpg_passed passed; /* what the last pass told */
};

static double lane_bytes(struct mpg_run *const *run, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        const double bytes = run[i]->lane_bytes(run[i]->mode.context);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* How many of G's runs from the AT-th on a pass may have, of so many replicas each. */
static size_t runs_a_pass(const struct group *g, size_t at, uint32_t replicas)
{
    const size_t left = g->n - at;
    const double bytes = lane_bytes(g->run + at, left);
    const uint32_t alone = mpg_replicas_a_pass(bytes);
    const uint32_t each = replicas < alone ? replicas : alone;
    size_t most = mpg_replicas_modes_a_pass(bytes, each);
    if (!g->run[at]->told && most > LANES_UNTOLD / each)
        most = LANES_UNTOLD / each;
    most = most < 1 ? 1 : most;
    return left < most ? left : most;
}

/* Tells N runs what a pass of their course has. */
static void tell(struct mpg_run **run, size_t n, const struct mpg_passed *passed)
{
    for (size_t i = 0; i < n; i++) {
        run[i]->told = true;
        run[i]->passed(run[i]->mode.context, passed);
    }
}

/* One pass for replicas FIRST .. FIRST + LANES - 1 of N of G's runs from the AT-th on. */
static int pass(struct group *g, size_t at, size_t n, uint32_t first, uint32_t lanes, unsigned threads,
                const struct mpg_watch *watch, struct mpg_error *err)
{
    struct mpg_run **run = g->run + at;
    const struct mpg_replicas replicas = {.course = run[0]->course,
                                          .mode = g->mode,
                                          .modes = n,
                                          .threads = threads,
                                          .watch = watch,
                                          .passed = &g->passed};
    g->passed = (struct mpg_passed){.slots = 0};
    for (size_t i = 0; i < n; i++)
        g->mode[i] = run[i]->mode;
    run[0]->passing(run[0]->mode.context, &g->passed);
    const int status = mpg_replicas_evaluate(&replicas, first, lanes, err);
    for (size_t i = 0; i < n; i++)
        run[i]->mode = g->mode[i];
    tell(run, n, &g->passed);
    return status;
}

/* All replicas of N of G's runs from the AT-th on, in the same passes. */
static int evaluate(struct group *g, size_t at, size_t n, uint32_t first, uint32_t replicas,
                    unsigned threads, const struct mpg_watch *watch, struct mpg_error *err)
{
    struct mpg_run **run = g->run + at;
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++)
        status = run[i]->start ? run[i]->start(run[i]->mode.context, err) : 0;
    for (uint32_t done = 0, lanes; done < replicas && status == 0; done += lanes) {
        const uint32_t most = mpg_replicas_a_pass(lane_bytes(run, n) * (double)n);
        lanes = replicas - done < most ? replicas - done : most;
        status = pass(g, at, n, first + done, lanes, threads, done == 0 ? watch : NULL, err);
    }
    for (size_t i = 0; i < n && status == 0; i++)
        status = run[i]->finish ? run[i]->finish(run[i]->mode.context, err) : 0;
    return status;
}

/* Takes those of N runs from the first that is not TAKEN on that have its course into G. */
static void gather(struct mpg_run *run, size_t n, bool *taken, struct group *g)
{
    g->n = 0;
    for (size_t i = 0; i < n; i++)
        if (!taken[i] && (g->n == 0 || mpg_course_same(&run[i].course, &g->run[0]->course))) {
            taken[i] = true;
            g->run[g->n++] = &run[i];
        }
}

int mpg_runs_evaluate(struct mpg_run *run, size_t n, uint32_t first, uint32_t replicas, unsigned threads,
                      const struct mpg_watch *watch, struct mpg_error *err)
{
    struct group g = {.run = calloc(n, sizeof *g.run), .mode = calloc(n, sizeof *g.mode)};
    bool *taken = calloc(n, sizeof *taken);
    int status = g.run && g.mode && taken ? 0 : mpg_error_set(err, "out of memory");
    while (status == 0) {
        gather(run, n, taken, &g);
        if (g.n == 0)
            break;
        for (size_t at = 0, some; at < g.n && status == 0; at += some) {
            some = runs_a_pass(&g, at, replicas);
            status = evaluate(&g, at, some, first, replicas, threads, g.run[at] == run ? watch : NULL,
                              err);
            tell(g.run + at + some, g.n - at - some, &g.passed);
        }
    }
    free(g.run);
    free(g.mode);
    free(taken);
    return status;
}
