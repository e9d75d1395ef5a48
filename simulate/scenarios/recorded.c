/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/scenarios/recorded.h"

#include "simulate/scenarios/scenarios.h"

/* The run without recording, as perturb mode simulates it. */
struct recorded {
    struct mpg_config config;
    struct mpg_setting setting;
    struct mpg_result result;
};

static void clear(struct recorded *x)
{
    mpg_result_clear(&x->result);
    mpg_setting_close(&x->setting);
}

/* Simulates the run without recording with the configuration AT (distributions from LIKE) and target number I of FILES. Returns
 * true if time of the tracer was removed. The caller clears X. */
static bool find(struct recorded *x, const struct mpg_config *at, const struct mpg_setting *like, const struct mpg_files *files,
                 size_t i)
{
    struct mpg_setting *in = &x->setting;
    struct mpg_simulation_options *o = &in->simulation;
    struct mpg_error not_perturbed; /* not reported: the traced run then remains the recorded run */
    *x = (struct recorded){.config = *at};
    x->config.target.predict = false;
    x->config.output.output_trace = NULL;
    mpg_config_expand(&x->config);
    if (!files->target[i] || at->target.machine || at->model.tasks ||
        mpg_setting_make(in, &x->config, like->simulation.processes, like, &not_perturbed) < 0)
        return false;
    o->where = (struct mpg_attribution_wanted){.places = false};
    o->processes = NULL;
    if (mpg_setting_open(in, &x->config, files, i, &not_perturbed) < 0 || !in->p.without_tracer ||
        mpg_setting_begin(in, &x->config, files, 1, &not_perturbed) < 0)
        return false;
    o->without_replicas = true;
    const struct mpg_scenario scenario = {.p = &in->p, .options = o, .result = &x->result};
    return mpg_simulate(files->trace, &scenario, 1, NULL, &not_perturbed) == 0 && x->result.tracer_taken_out;
}

void mpg_recorded_refer(const struct mpg_config *c, const struct mpg_setting *setting, const struct mpg_files *files,
                        struct mpg_result *result)
{
    struct recorded x;
    if (find(&x, c, setting, files, 0))
        mpg_result_take_traced(result, &x.result);
    clear(&x);
}

void mpg_recorded_refer_rows(const struct mpg_config *c, const struct mpg_setting *setting, const struct mpg_files *files,
                             struct mpg_result_table *rows)
{
    const size_t signatures = files->targets;
    for (size_t leader = 0; leader < c->question.sweep.points; leader++)
        for (size_t i = 0; i < signatures && mpg_point_is_leader(c, leader); i++) {
            struct mpg_config at;
            struct recorded x;
            mpg_config_at(c, c->target.signatures.n > 0 ? c->target.signatures.item[i] : NULL, leader, &at);
            const bool is_found = find(&x, &at, setting, files, i);
            for (size_t k = 0; k < rows->n && is_found; k++)
                if (rows->row[k].place % signatures == i && mpg_point_shares_setting(c, leader, rows->row[k].point))
                    rows->row[k].traced_ns = mpg_result_traced(&x.result);
            clear(&x);
        }
}
