/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/scenarios/companions.h"

#include <math.h>
#include <stdlib.h>

#include "simulate/reports/report.h"

/* A ratio of two runs with equal draws needs few replicas: one block. */
enum { QUIET_REPLICAS = MPG_REPLICAS_A_BLOCK };
static const char zero[] = "const:0ns";

/* A further run: the configuration of the prediction with changes. */
struct run {
    struct mpg_config config;
    struct mpg_setting setting;
    struct mpg_result result;
    struct mpg_specs none;
};

static void begin(struct run *r, const struct mpg_config *c)
{
    *r = (struct run){.config = *c};
    r->config.output.output_trace = NULL; /* no marks for an output trace */
}

static void end(struct run *r)
{
    mpg_result_clear(&r->result);
    mpg_setting_close(&r->setting);
    mpg_specs_clear(&r->none);
}

/* Drops the factors of noise from the configuration of R, and if MESSAGES those of message times. */
static void drop_factors(struct run *r, bool messages)
{
    const struct mpg_factor none = {.given = false};
    r->config.change.factor[MPG_SWEPT_NOISE] = r->config.change.factor[MPG_SWEPT_CALL_NOISE] = none;
    if (messages)
        r->config.change.factor[MPG_SWEPT_LATENCY] = r->config.change.factor[MPG_SWEPT_BYTE] = none;
}

/* Replaces the noise, and if MESSAGES the message times, by zero. */
static int silence(struct run *r, bool messages, struct mpg_error *err)
{
    struct mpg_perturbation *p = &r->setting.p;
    if (mpg_specs_add(&r->none, zero, err) < 0)
        return -1;
    p->noise = p->call_noise = r->none;
    if (messages)
        p->latency = p->byte = r->none;
    return 0;
}

/* Makes the configuration of R say that message times are given: collectives are rounds of messages then. */
static void give_message_times(struct run *r)
{
    r->config.change.latency = r->config.change.byte = (struct mpg_option_list){1, {zero}};
    r->config.model.collectives = MPG_COLLECTIVES_UNSAID;
    mpg_config_expand(&r->config);
}

/* Simulates R with at most REPLICAS replicas. */
static int simulate(struct run *r, const struct mpg_files *files, uint32_t replicas, struct mpg_error *err)
{
    struct mpg_setting *in = &r->setting;
    struct mpg_simulation_options *o = &in->simulation;
    o->where = (struct mpg_attribution_wanted){.places = false};
    if (mpg_setting_open(in, &r->config, files, 0, err) < 0)
        return -1;
    const uint32_t n = o->replicas < replicas ? o->replicas : replicas;
    if (mpg_setting_begin(in, &r->config, files, n, err) < 0)
        return -1;
    const struct mpg_scenario scenario = {.p = &in->p, .options = o, .result = &r->result};
    return mpg_simulate(files->trace, &scenario, 1, NULL, err);
}

static bool is_first(const struct mpg_setting *setting)
{
    return mpg_processes_first(setting->simulation.processes);
}

static int perturb(const struct mpg_config *c, struct mpg_setting *setting, const struct mpg_files *files,
                   struct mpg_companions *x, struct mpg_error *err)
{
    struct run r;
    double *sorted = NULL;
    begin(&r, c);
    r.config.target.predict = false;
    mpg_config_expand(&r.config);
    int status = mpg_setting_ask(&r.setting, &r.config, setting->simulation.processes, setting, err);
    if (status == 0)
        status = simulate(&r, files, UINT32_MAX, err);
    if (status == 0 && is_first(setting)) {
        const struct mpg_report report = {.p = &r.setting.p, .result = &r.result};
        if (!(sorted = malloc(r.result.replicas * sizeof *sorted)))
            status = mpg_error_set(err, "out of memory");
        else {
            x->perturbed = mpg_report_run(&report, sorted);
            x->perturbed_traced_ns = mpg_result_traced(&r.result);
        }
    }
    free(sorted);
    end(&r);
    return status;
}

/* Returns the median of the N VALUES, which are sorted. N >= 1. */
static double median(double *values, uint32_t n)
{
    double sorted[QUIET_REPLICAS];
    return mpg_summarise(values, n, sorted).median;
}

static int quiet(const struct mpg_config *c, struct mpg_setting *setting, const struct mpg_files *files,
                 const struct mpg_result *result, struct mpg_companions *x, struct mpg_error *err)
{
    struct run r;
    double ratio[QUIET_REPLICAS];
    begin(&r, c);
    drop_factors(&r, false);
    int status = mpg_setting_ask(&r.setting, &r.config, setting->simulation.processes, setting, err);
    if (status == 0 && (status = silence(&r, false, err)) == 0)
        status = simulate(&r, files, QUIET_REPLICAS, err);
    if (status == 0 && is_first(setting)) {
        /* Without noise there may be one replica: it stands for all. */
        const uint32_t n = result->replicas < QUIET_REPLICAS ? result->replicas : QUIET_REPLICAS;
        for (uint32_t k = 0; k < n; k++)
            ratio[k] = r.result.run_ns[k < r.result.replicas ? k : 0] / result->run_ns[k];
        x->quiet_ratio = median(ratio, n);
        x->quiet_replicas = n;
    }
    end(&r);
    return status;
}

static int ideal(const struct mpg_config *c, struct mpg_setting *setting, const struct mpg_files *files,
                 struct mpg_companions *x, struct mpg_error *err)
{
    struct run r;
    begin(&r, c);
    drop_factors(&r, true);
    give_message_times(&r);
    int status = mpg_setting_ask(&r.setting, &r.config, setting->simulation.processes, setting, err);
    if (status == 0 && (status = silence(&r, true, err)) == 0)
        status = simulate(&r, files, 1, err);
    if (status == 0 && is_first(setting))
        x->ideal_ns = r.result.run_ns[0];
    end(&r);
    return status;
}

static int compute_as(const struct mpg_config *c, struct mpg_setting *setting, const struct mpg_files *files,
                      struct mpg_kernel_run *kernel, struct mpg_error *err)
{
    struct run r;
    char text[32];
    begin(&r, c);
    snprintf(text, sizeof text, "%.17g", kernel->ratio);
    r.config.change.compute_ratio = (struct mpg_option_list){1, {text}};
    int status = mpg_setting_ask(&r.setting, &r.config, setting->simulation.processes, setting, err);
    if (status == 0)
        status = simulate(&r, files, QUIET_REPLICAS, err);
    if (status == 0 && is_first(setting))
        kernel->run_ns = median(r.result.run_ns, r.result.replicas);
    end(&r);
    return status;
}

/* Runs with the least and the largest ratio of the kernels' rates, unless the ratio is given. */
static int bound_computation(const struct mpg_config *c, struct mpg_setting *setting, const struct mpg_files *files,
                             struct mpg_companions *x, struct mpg_error *err)
{
    if (c->change.compute_ratio.n > 0)
        return 0;
    x->kernels = mpg_ratios_of_kernels(setting->target, setting->source.signature, &x->least.kernel, &x->least.ratio,
                                       &x->largest.kernel, &x->largest.ratio);
    if (x->kernels == 0)
        return 0;
    const int status = compute_as(c, setting, files, &x->least, err);
    return status < 0 ? status : compute_as(c, setting, files, &x->largest, err);
}

int mpg_companion_runs(const struct mpg_config *c, struct mpg_setting *setting, const struct mpg_files *files,
                       const struct mpg_result *result, struct mpg_companions *x, struct mpg_error *err)
{
    *x = (struct mpg_companions){.perturbed_traced_ns = 0};
    if (perturb(c, setting, files, x, &x->not_perturbed) < 0)
        x->perturbed.median = 0;
    return quiet(c, setting, files, result, x, err) < 0 || ideal(c, setting, files, x, err) < 0 ||
                   bound_computation(c, setting, files, x, err) < 0
               ? -1
               : 0;
}
