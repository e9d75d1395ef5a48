/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/replica/rerun.h"

#include <stdlib.h>

struct run {
    double run_ns;
    uint32_t k;
};

static int compare_runs(const void *a, const void *b)
{
    const struct run *x = a, *y = b;
    if (x->run_ns != y->run_ns)
        return x->run_ns < y->run_ns ? -1 : 1;
    return x->k < y->k ? -1 : 1;
}

/* Sets *K to the index in R of the replica with the median run time. */
static int find_median(const struct mpg_result *r, uint32_t *k, struct mpg_error *err)
{
    struct run *run = malloc(r->replicas * sizeof *run);
    if (!run)
        return mpg_error_set(err, "out of memory");
    for (uint32_t i = 0; i < r->replicas; i++)
        run[i] = (struct run){r->run_ns[i], i};
    qsort(run, r->replicas, sizeof *run, compare_runs);
    uint32_t middle = (r->replicas - 1) / 2;
    while (middle > 0 && run[middle - 1].run_ns == run[middle].run_ns)
        middle--;
    *k = run[middle].k;
    free(run);
    return 0;
}

int mpg_rerun_median(const struct mpg_simulated *s, const struct mpg_observer *observer, struct mpg_critical *path,
                     uint32_t *replica, struct mpg_error *err)
{
    uint32_t k = 0;
    struct mpg_result alone = {.ranks = 0};
    if (find_median(s->result, &k, err) < 0)
        return -1;
    *replica = s->result->first_replica + k;
    struct mpg_simulation_options options = *s->options;
    options.graph.regions = true;
    options.first_replica = *replica;
    options.replicas = 1;
    options.processes = NULL;
    options.observer = observer;
    options.path = path;
    options.where = (struct mpg_attribution_wanted){.places = false};
    const struct mpg_scenario scenario = {.p = s->p, .options = &options, .result = &alone};
    int status = mpg_simulate(s->trace, &scenario, 1, NULL, err);
    if (status == 0 && alone.run_ns[0] != s->result->run_ns[k])
        status = mpg_error_set(err, "replica %u, simulated again by itself, has another run time (an error of mpgsim)", *replica);
    mpg_result_clear(&alone);
    return status;
}
