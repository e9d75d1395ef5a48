/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Simulates the trace, gives out the tasks again by the times of the simulation, and writes the trace again, until all
 * receives take the first message to arrive. */
#include "simulate/tasks/redistribute.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/temporary.h"
#include "simulate/noise/removals.h"
#include "simulate/scenarios/companions.h"
#include "simulate/tasks/order.h"

/* Maximum number of simulations. Each makes at least one more receive of each round take the first message. */
enum { MOST_PASSES = 50 };
/* Number of simulations with noise. */
enum { NOISY_RUNS = 8 };

static void remove_trace(struct mpg_redistributed *x)
{
    mpg_trace_close(x->trace);
    x->trace = NULL;
    if (x->folder[0]) {
        mpg_temporary_remove_folder(x->folder);
        mpg_temporary_forget(x->folder);
    }
    x->folder[0] = '\0';
}

void mpg_redistributed_close(struct mpg_redistributed *x)
{
    remove_trace(x);
    mpg_tasks_clear(&x->tasks);
    free(x->recorded_ns);
    *x = (struct mpg_redistributed){.passes = 0};
}

/* Writes TRACE with the tasks given out by ORDER, replacing X's trace. */
static int write_trace(struct mpg_redistributed *x, struct mpg_trace *trace, const int32_t *order, struct mpg_error *err)
{
    const char *directory = getenv("TMPDIR");
    char path[4000];
    remove_trace(x);
    snprintf(path, sizeof path, "%s/mpgsim", directory && *directory ? directory : "/tmp");
    if (mpg_temporary_folder(path, x->folder, sizeof x->folder) < 0) {
        x->folder[0] = '\0';
        return mpg_error_errno(err, errno, "%s", path);
    }
    if (mpg_tasks_write(trace, &x->tasks, order, x->folder, err) < 0)
        return -1;
    return (x->trace = mpg_trace_open(x->folder, err)) ? 0 : -1;
}

/* Stores the recorded run times of RESULT, which is about the traced distribution. */
static int keep_recorded(struct mpg_redistributed *x, const struct mpg_result *result, struct mpg_error *err)
{
    const size_t bytes = (size_t)result->ranks * sizeof *x->recorded_ns;
    if (!(x->recorded_ns = malloc(bytes)))
        return mpg_error_set(err, "out of memory");
    memcpy(x->recorded_ns, result->recorded_ns, bytes);
    x->traced_ns = result->run_ns[0];
    return 0;
}

/* Simulates the present distribution and fills WATCH. REPLICA: with the noise of this replica; -1: without noise. */
static int simulate(const struct mpg_config *c, struct mpg_setting *setting, const struct mpg_files *files, int64_t replica,
                    struct mpg_redistributed *x, struct mpg_task_watch *watch, double *run_ns, struct mpg_error *err)
{
    const struct mpg_observer observer = mpg_task_observer(watch);
    struct mpg_files now = *files;
    struct mpg_result result;
    int status = 0;
    now.trace = x->trace ? x->trace : files->trace;
    now.cache = x->trace ? NULL : files->cache;
    watch->entered = watch->left = 0;
    if ((replica < 0 ? mpg_quiet_run(c, setting, &now, &observer, &result, err)
                     : mpg_noisy_run(c, setting, &now, (uint32_t)replica, &observer, &result, err)) < 0)
        return -1;
    if (!x->recorded_ns)
        status = keep_recorded(x, &result, err);
    *run_ns = result.run_ns[0];
    mpg_result_clear(&result);
    if (status == 0 && (watch->left < x->tasks.n || watch->entered < x->tasks.n))
        status = mpg_error_set(err, "the simulation misses receives of rank %d", x->tasks.master);
    return status;
}

/* Simulates replicas with noise, and computes the mean reduction of run time with tasks given out by each replica's times. */
static int find_gain(const struct mpg_config *c, struct mpg_setting *setting, const struct mpg_files *files,
                     struct mpg_redistributed *x, struct mpg_task_watch *watch, const int32_t *order, struct mpg_error *err)
{
    for (int64_t i = 0; i < NOISY_RUNS; i++) {
        double run_ns;
        if (simulate(c, setting, files, i, x, watch, &run_ns, err) < 0)
            return -1;
        const double gain_ns = mpg_task_order_gain(&x->tasks, watch->time, order);
        if (isnan(gain_ns))
            return mpg_error_set(err, "out of memory");
        x->noisy_ns += run_ns / NOISY_RUNS;
        x->gain_ns += gain_ns / NOISY_RUNS;
    }
    return 0;
}

static int find_order(const struct mpg_config *c, struct mpg_setting *setting, const struct mpg_files *files,
                      struct mpg_redistributed *x, struct mpg_task_watch *watch, int32_t *order, struct mpg_error *err)
{
    for (uint64_t k = 0; k < x->tasks.n; k++)
        order[k] = x->tasks.task[k].source;
    for (;;) {
        if (simulate(c, setting, files, -1, x, watch, &x->run_ns, err) < 0)
            return -1;
        x->passes++;
        x->moved = 0;
        for (uint64_t k = 0; k < x->tasks.n; k++)
            x->moved += x->tasks.task[k].is_task && order[k] != x->tasks.task[k].source;
        x->late = mpg_task_order_renew(&x->tasks, watch->time, order);
        if (x->late == UINT64_MAX)
            return mpg_error_set(err, "out of memory");
        if (x->late == 0 || x->passes == MOST_PASSES)
            return 0;
        mpg_removals_forget(files->removals); /* the next trace has other intervals */
        if (write_trace(x, files->trace, order, err) < 0)
            return -1;
    }
}

int mpg_redistribute(const struct mpg_config *c, struct mpg_setting *setting, const struct mpg_files *files, bool with_noise,
                     struct mpg_redistributed *x, struct mpg_error *err)
{
    *x = (struct mpg_redistributed){.passes = 0};
    int status = mpg_tasks_find(files->trace, (int64_t)c->model.polling_interval_ns, &x->tasks, err);
    if (status != 1)
        return status;
    struct mpg_task_watch watch = {.tasks = &x->tasks};
    int32_t *order = malloc((size_t)x->tasks.n * sizeof *order);
    watch.time = calloc((size_t)x->tasks.n, sizeof *watch.time);
    status = order && watch.time ? find_order(c, setting, files, x, &watch, order, err) : mpg_error_set(err, "out of memory");
    if (status == 0 && with_noise)
        status = find_gain(c, setting, files, x, &watch, order, err);
    free(watch.time);
    free(order);
    return status < 0 ? -1 : 1;
}
