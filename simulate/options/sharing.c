/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The capacities shared by messages, from a signature's sharing curves, and the cores shared by ranks (docs/MODEL.md, section 5,
 * Sharing, Cores). */
#include <stdlib.h>

#include "simulate/events/events.h"
#include "simulate/options/inputs.h"

/* Sets HOST to the host of each rank: by --map, else as recorded. Returns false if hosts are unknown: all ranks were recorded on
 * one host, but messages have the costs between nodes. */
static bool find_hosts(const struct mpg_setting *in, const struct mpg_trace *trace, int32_t *host)
{
    bool several = false;
    for (int32_t r = 0; r < mpg_trace_ranks(trace); r++) {
        host[r] = mpg_setting_node(&in->placement, trace, r);
        several = several || host[r] != host[0];
    }
    return several || in->placement.ranks > 0 || (in->p.target_path && in->p.target_path->path != MPG_PATH_BETWEEN);
}

int mpg_setting_share(struct mpg_setting *in, const struct mpg_config *c, const struct mpg_files *f, size_t i,
                      struct mpg_error *err)
{
    struct mpg_simulation_options *o = &in->simulation;
    const struct mpg_signature *sig = f->target[i];
    const bool is_asked = c->model.contention == MPG_CONTENTION_MEASURED;
    /* paths of delays, wait states and the order of tasks are found in the order of the graph */
    if (c->model.cores > 0 && c->model.cores < mpg_trace_ranks(f->trace)) {
        o->cores = (int32_t)c->model.cores;
        o->shared = mpg_events_predict_shared;
    }
    const bool follows = c->question.where_tables > 0 || c->question.critical_path || c->question.waits != MPG_WAITS_BY_COUNT ||
                         c->output.timeline || c->model.tasks;
    if (!c->target.predict || c->target.machine || !sig || c->model.contention == MPG_CONTENTION_NONE || (follows && !is_asked) ||
        (c->change.latency.n > 0 && c->change.byte.n > 0))
        return 0;
    const int32_t ranks = mpg_trace_ranks(f->trace);
    int32_t *host = malloc((size_t)ranks * sizeof *host);
    if (!host)
        return mpg_error_set(err, "out of memory");
    const bool known = find_hosts(in, f->trace, host);
    const double factor = in->p.scales_messages ? in->p.byte_factor : 1;
    const int status = mpg_capacities_of_signature(&in->capacities, sig, factor, host, ranks, err);
    free(host);
    if (status < 0)
        return -1;
    if (mpg_option_has_word(&c->model.without, MPG_WITHOUT_REQUEST_WAITS))
        mpg_capacities_pass_requests(&in->capacities);
    if (mpg_option_has_word(&c->model.without, MPG_WITHOUT_UNEVEN_SHARES))
        mpg_capacities_share_evenly(&in->capacities);
    if (is_asked && sig->sharings == 0)
        return mpg_error_set(err, "--contention=measured: %s has no sharing curves", sig->path);
    if (is_asked && !known)
        return mpg_error_set(err, "--contention=measured: the trace is of one host and messages are between nodes: which ranks "
                                  "share a port is unknown (--map)");
    if (!known || !mpg_capacities_known(&in->capacities))
        return 0;
    o->capacities = &in->capacities;
    o->if_needed = !is_asked && !o->shared;
    o->shared = mpg_events_predict_shared;
    return 0;
}
