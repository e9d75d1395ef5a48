/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/evaluate/predict.h"

#include <stdlib.h>
#include <string.h>

/* Whether any rank's intervals have CPU times. */
static bool has_cpu_times(const struct mpg_trace *trace)
{
    for (int32_t r = 0; r < mpg_trace_ranks(trace); r++) {
        const char *values = mpg_trace_find_fact(trace, r, "values");
        if (values && strstr(values, "cpu_ns"))
            return true;
    }
    return false;
}

void mpg_predict_prepare(struct mpg_perturbation *p, const struct mpg_trace *trace)
{
    p->same_noise = p->same_noise && !has_cpu_times(trace);
}

static struct mpg_simulation_options options_of(const struct mpg_predict_options *o)
{
    return (struct mpg_simulation_options){.predicts = true,
                                           .graph = o->graph,
                                           .replicas = o->replicas,
                                           .first_replica = o->first_replica,
                                           .processes = o->processes,
                                           .threads = o->threads,
                                           .deterministic = o->deterministic,
                                           .horizon = o->horizon,
                                           .places = o->places,
                                           .watch = o->watch,
                                           .kept = o->kept,
                                           .where = o->where,
                                           .times = o->times,
                                           .path = o->path};
}

int mpg_predict(struct mpg_trace *trace, const struct mpg_prediction *prediction, size_t n, uint32_t *passes,
                struct mpg_error *err)
{
    struct mpg_simulation_options *options = calloc(n, sizeof *options);
    struct mpg_scenario *scenario = calloc(n, sizeof *scenario);
    int status = options && scenario ? 0 : mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < n && status == 0; i++) {
        const struct mpg_prediction *x = &prediction[i];
        options[i] = options_of(x->options);
        scenario[i] = (struct mpg_scenario){x->p, &options[i], x->result, x->kin, x->done, x->context, x->name};
    }
    if (status == 0)
        status = mpg_simulate(trace, scenario, n, passes, err);
    free(options);
    free(scenario);
    return status;
}
