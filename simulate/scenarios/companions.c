/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/scenarios/companions.h"

#include <math.h>
#include <stdlib.h>

#include "simulate/evaluate/driver/interval.h"
#include "simulate/reports/report.h"
#include "simulate/scenarios/speeds.h"

/* A ratio of two runs with equal draws needs few replicas: one block. */
enum { QUIET_REPLICAS = MPG_SPEED_REPLICAS };
/* Further predictions of the first QUIET_REPLICAS replicas, in one simulation: without noise; with 10 % more latency, less
 * bandwidth, more computation; with a fast and a slow launch of the machine; with the smallest and the largest ratio of the
 * kernels. */
enum which { QUIET, LATENCY, BYTE, COMPUTATION, FAST, SLOW, LEAST, LARGEST, RUNS };
static const double MORE = 1.1, LESS_BANDWIDTH = 1 / 0.9;
static const char zero[] = "const:0ns";

/* A further run: the configuration of the prediction, with changes. */
struct run {
    struct mpg_config config;
    struct mpg_setting setting;
    struct mpg_result result;
    struct mpg_specs none; /* distributions owned by this run */
    bool is_wanted;
};

static void begin(struct run *r, const struct mpg_config *c)
{
    *r = (struct run){.config = *c};
    r->config.output.output_trace = NULL; /* an output trace would need region marks in the steps */
}

static void end(struct run *r)
{
    mpg_result_clear(&r->result);
    mpg_setting_close(&r->setting);
    mpg_specs_clear(&r->none);
}

/* Removes the factors of noise and, if MESSAGES, of message times from the configuration of R. */
static void drop_factors(struct run *r, bool messages)
{
    const struct mpg_factor none = {.given = false};
    r->config.change.factor[MPG_SWEPT_NOISE] = r->config.change.factor[MPG_SWEPT_CALL_NOISE] = none;
    if (messages)
        r->config.change.factor[MPG_SWEPT_LATENCY] = r->config.change.factor[MPG_SWEPT_BYTE] = none;
}

/* Sets the noise and, if MESSAGES, the message times to zero. */
static int remove_randomness(struct run *r, bool messages, struct mpg_error *err)
{
    struct mpg_perturbation *p = &r->setting.p;
    if (mpg_specs_add(&r->none, zero, err) < 0)
        return -1;
    p->noise = p->call_noise = r->none;
    if (messages)
        p->latency = p->byte = r->none;
    return 0;
}

/* Sets in the configuration of R that message times are given: collectives are then rounds of messages. */
static void use_message_times(struct run *r)
{
    r->config.change.latency = r->config.change.byte = (struct mpg_option_list){1, {zero}};
    r->config.model.collectives = MPG_COLLECTIVES_DEFAULT;
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

/* Simulates one replica of R; calls complete the messages completed in the trace. */
static int simulate_as_traced(struct run *r, const struct mpg_files *files, struct mpg_error *err)
{
    struct mpg_setting *in = &r->setting;
    in->simulation.where = (struct mpg_attribution_wanted){.places = false};
    if (mpg_setting_open(in, &r->config, files, 0, err) < 0 || mpg_setting_begin(in, &r->config, files, 1, err) < 0)
        return -1;
    in->simulation.deterministic = true;
    const struct mpg_scenario scenario = {.p = &in->p, .options = &in->simulation, .result = &r->result};
    return mpg_simulate(files->trace, &scenario, 1, NULL, err);
}

static bool is_first(const struct mpg_setting *setting)
{
    return mpg_processes_first(setting->simulation.processes);
}

/* Simulates the perturbed run, for X. The prediction RESULT then refers to the traced run of the perturbed run. */
static int perturb(const struct mpg_config *c, struct mpg_setting *setting, const struct mpg_files *files,
                   struct mpg_result *result, struct mpg_companions *x, struct mpg_error *err)
{
    struct run r;
    double *sorted = NULL;
    begin(&r, c);
    r.config.target.predict = false;
    mpg_config_expand(&r.config);
    int status = mpg_setting_make(&r.setting, &r.config, setting->simulation.processes, setting, err);
    if (status == 0)
        status = simulate(&r, files, UINT32_MAX, err);
    if (status == 0 && is_first(setting)) {
        const struct mpg_report report = {.p = &r.setting.p, .result = &r.result};
        if (!(sorted = malloc(r.result.replicas * sizeof *sorted)))
            status = mpg_error_set(err, "out of memory");
        else {
            x->perturbed = mpg_report_run(&report, sorted);
            x->perturbed_traced_ns = mpg_result_traced(&r.result);
            mpg_result_take_traced(result, &r.result);
        }
    }
    free(sorted);
    end(&r);
    return status;
}

/* --- without noise, and with other message times or computation --- */

/* Multiplies WHAT (latency or time per byte) of R's message times, from the command line or from the signature, by FACTOR. */
static int scale_messages(struct run *r, enum mpg_swept what, double factor, struct mpg_setting *setting, struct mpg_error *err)
{
    struct mpg_perturbation *p = &r->setting.p;
    struct mpg_specs *given = what == MPG_SWEPT_LATENCY ? &p->latency : &p->byte;
    struct mpg_factor *x = &r->config.change.factor[what];
    if (mpg_config_dists(&r->config.change, what)->n == 0)
        *x = (struct mpg_factor){true, (x->given ? x->factor : 1) * factor};
    if (mpg_setting_make(&r->setting, &r->config, setting->simulation.processes, setting, err) < 0)
        return -1;
    if (given->n == 0)
        return 0;
    if (mpg_specs_scale(given, factor, &r->none, err) < 0)
        return -1;
    *given = r->none;
    return 0;
}

/* Makes computation in R, which is open, take FACTOR times as long, in all regions. */
static void scale_computation(struct run *r, double factor)
{
    struct mpg_ratios *ratios = &r->setting.ratios;
    for (size_t i = 0; i < ratios->regions.n; i++)
        ratios->region[i].ratio *= factor;
    ratios->regions.base *= factor;
    r->setting.p.compute_ratio *= factor;
}

static int compute_as(struct run *r, double ratio, char *text, size_t size, struct mpg_setting *setting, struct mpg_error *err)
{
    snprintf(text, size, "%.17g", ratio);
    r->config.change.compute_ratio = (struct mpg_option_list){1, {text}};
    return mpg_setting_make(&r->setting, &r->config, setting->simulation.processes, setting, err);
}

/* Changes R, the further run number WHICH. TEXT, of SIZE bytes, must outlive R. */
static int change(struct run *r, enum which which, const struct mpg_companions *x, struct mpg_setting *setting, char *text,
                  size_t size, struct mpg_error *err)
{
    switch (which) {
    case QUIET:
        drop_factors(r, false);
        return mpg_setting_make(&r->setting, &r->config, setting->simulation.processes, setting, err) < 0
                   ? -1
                   : remove_randomness(r, false, err);
    case LATENCY:
        return scale_messages(r, MPG_SWEPT_LATENCY, MORE, setting, err);
    case BYTE:
        return scale_messages(r, MPG_SWEPT_BYTE, LESS_BANDWIDTH, setting, err);
    case LEAST:
        return compute_as(r, x->min.ratio, text, size, setting, err);
    case LARGEST:
        return compute_as(r, x->largest.ratio, text, size, setting, err);
    default:
        return mpg_setting_make(&r->setting, &r->config, setting->simulation.processes, setting, err);
    }
}

/* Opens R, the further run number WHICH, with N replicas. */
static int prepare(struct run *r, enum which which, const struct mpg_config *c, const struct mpg_files *files, uint32_t n,
                   const struct mpg_companions *x, struct mpg_setting *setting, char *text, size_t size, struct mpg_error *err)
{
    begin(r, c);
    if (change(r, which, x, setting, text, size, err) < 0)
        return -1;
    r->setting.simulation.where = (struct mpg_attribution_wanted){.places = false};
    if (mpg_setting_open(&r->setting, &r->config, files, 0, err) < 0)
        return -1;
    if (which == COMPUTATION || which == FAST || which == SLOW)
        scale_computation(r, which == FAST ? x->speed.low : which == SLOW ? x->speed.high : MORE);
    return mpg_setting_begin(&r->setting, &r->config, files, n, err);
}

/* Returns the median change, in percent, of the runs in R relative to the first N runs of RESULT, which have equal draws. NAN: R
 * was not simulated. */
static double change_of(const struct run *r, const struct mpg_result *result, uint32_t n)
{
    double change[QUIET_REPLICAS], sorted[QUIET_REPLICAS];
    if (!r->is_wanted)
        return NAN;
    for (uint32_t k = 0; k < n; k++)
        change[k] = 100 * (r->result.run_ns[k] / result->run_ns[k] - 1);
    return mpg_summarise(change, n, sorted).median;
}

/* Finds the interval of 90 % of RESULT's run times if the speed differs from launch to launch, from the runs R of N replicas. */
static int find_any_speed(const struct run *r, const struct mpg_result *result, uint32_t n, struct mpg_companions *x,
                          struct mpg_error *err)
{
    const int found = mpg_speed_find(&x->speed, result->run_ns, result->replicas, r[FAST].result.run_ns, r[SLOW].result.run_ns, n,
                                     x->any_speed_90, err);
    x->speed.is_known = found > 0; /* false if runs take no time */
    return found < 0 ? -1 : 0;
}

/* Returns the summary of N VALUES, of the first replicas of SETTING; the interval includes the uncertainty of the
 * measurements. */
static struct mpg_summary summarise(const struct mpg_setting *setting, const double *values, uint32_t n)
{
    double sorted[QUIET_REPLICAS];
    const struct mpg_resampling resampling = mpg_perturbation_resampling(&setting->p);
    struct mpg_summary s = mpg_summarise(values, n, sorted);
    mpg_interval_widen(&s, &resampling, values, sorted, n, setting->simulation.first_replica);
    return s;
}

/* Fills X from the runs R of N replicas. */
static void take_runs(struct run *r, const struct mpg_setting *setting, const struct mpg_result *result, uint32_t n,
                      struct mpg_companions *x)
{
    double ratio[QUIET_REPLICAS];
    for (uint32_t k = 0; k < n; k++)
        ratio[k] = r[QUIET].result.run_ns[k] / result->run_ns[k];
    x->quiet_ratio = summarise(setting, ratio, n);
    x->quiet = summarise(&r[QUIET].setting, r[QUIET].result.run_ns, n);
    x->quiet_replicas = n;
    x->change = (struct mpg_sensitivity){change_of(&r[LATENCY], result, n), change_of(&r[BYTE], result, n),
                                         change_of(&r[COMPUTATION], result, n)};
    if (x->kernels > 0) {
        double sorted[QUIET_REPLICAS];
        x->min.run_ns = mpg_summarise(r[LEAST].result.run_ns, n, sorted).median;
        x->largest.run_ns = mpg_summarise(r[LARGEST].result.run_ns, n, sorted).median;
    }
}

/* Simulates all wanted runs in R together. Runs that differ only in computation ratios share the pre-pass. */
static int simulate_all(struct run *r, const struct mpg_files *files, struct mpg_error *err)
{
    struct mpg_scenario scenario[RUNS];
    uint32_t n = 0;
    for (int i = 0; i < RUNS; i++)
        if (r[i].is_wanted)
            scenario[n++] = (struct mpg_scenario){.p = &r[i].setting.p,
                                                  .options = &r[i].setting.simulation,
                                                  .result = &r[i].result,
                                                  .family = (uint32_t)(i < COMPUTATION ? i : COMPUTATION)};
    return mpg_simulate(files->trace, scenario, n, NULL, err);
}

/* Simulates the further predictions (enum which) of SETTING, and fills X with comparisons to the run times of RESULT, the
 * prediction. Leaves out more latency and less bandwidth if message times cannot be changed, and runs with unknown ratio or
 * speed. Returns 0, or -1 with ERR. */
static int vary(const struct mpg_config *c, struct mpg_setting *setting, const struct mpg_files *files,
                const struct mpg_result *result, struct mpg_companions *x, struct mpg_error *err)
{
    const uint32_t replicas = setting->simulation.replicas, n = replicas < QUIET_REPLICAS ? replicas : QUIET_REPLICAS;
    struct run *r = calloc(RUNS, sizeof *r);
    char text[RUNS][32];
    int status = r ? 0 : mpg_error_set(err, "out of memory");
    if (setting->ratios.counted.is_used) {
        x->counted_ratio = setting->ratios.counted.ratio;
        x->counted_shares = setting->ratios.counted.shares;
    } else if (c->change.compute_ratio.n == 0)
        x->kernels = mpg_ratios_of_kernels(setting->target, setting->source.signature, setting->busy, &x->min.kernel,
                                           &x->min.ratio, &x->largest.kernel, &x->largest.ratio);
    x->busy = setting->busy;
    x->speed = mpg_speed_of(&setting->p);
    for (int i = 0; i < RUNS && status == 0; i++) {
        if ((i >= LEAST && x->kernels == 0) || ((i == FAST || i == SLOW) && !x->speed.is_known))
            continue;
        status = prepare(&r[i], (enum which)i, c, files, n, x, setting, text[i], sizeof text[i], err);
        r[i].is_wanted = status == 0;
        if (i == LATENCY || i == BYTE)
            status = 0;
    }
    if (status == 0)
        status = simulate_all(r, files, err);
    if (status == 0 && is_first(setting)) {
        take_runs(r, setting, result, n, x);
        status = x->speed.is_known ? find_any_speed(r, result, n, x, err) : 0;
    }
    for (int i = 0; i < RUNS && r; i++)
        end(&r[i]);
    free(r);
    return status;
}

/* --- on an ideal network --- */

static int ideal(const struct mpg_config *c, struct mpg_setting *setting, const struct mpg_files *files,
                 struct mpg_companions *x, struct mpg_error *err)
{
    struct run r;
    begin(&r, c);
    drop_factors(&r, true);
    use_message_times(&r);
    int status = mpg_setting_make(&r.setting, &r.config, setting->simulation.processes, setting, err);
    r.setting.p.calls_cost_nothing = true; /* as in `mpgtrace efficiency` */
    if (status == 0 && (status = remove_randomness(&r, true, err)) == 0)
        status = simulate(&r, files, 1, err);
    if (status == 0 && is_first(setting))
        x->ideal_ns = r.result.run_ns[0];
    end(&r);
    return status;
}

/* Predicts only replica REPLICA, with noise if NOISY. */
static int run_observed(const struct mpg_config *c, struct mpg_setting *setting, const struct mpg_files *files, bool noisy,
                        uint32_t replica, const struct mpg_observer *observer, struct mpg_result *result, struct mpg_error *err)
{
    struct run r;
    begin(&r, c);
    r.config.first_replica += replica;
    r.config.target.perturb = r.config.target.both = false;
    if (!noisy)
        drop_factors(&r, false);
    int status = mpg_setting_make(&r.setting, &r.config, setting->simulation.processes, setting, err);
    if (status == 0 && !noisy)
        status = remove_randomness(&r, false, err);
    if (status == 0) {
        r.setting.simulation.processes = NULL;
        r.setting.simulation.observer = observer;
        status = simulate_as_traced(&r, files, err);
    }
    *result = r.result;
    r.result = (struct mpg_result){.ranks = 0};
    end(&r);
    return status;
}

int mpg_quiet_run(const struct mpg_config *c, struct mpg_setting *setting, const struct mpg_files *files,
                  const struct mpg_observer *observer, struct mpg_result *result, struct mpg_error *err)
{
    return run_observed(c, setting, files, false, 0, observer, result, err);
}

int mpg_noisy_run(const struct mpg_config *c, struct mpg_setting *setting, const struct mpg_files *files, uint32_t replica,
                  const struct mpg_observer *observer, struct mpg_result *result, struct mpg_error *err)
{
    return run_observed(c, setting, files, true, replica, observer, result, err);
}

int mpg_companion_runs(const struct mpg_config *c, struct mpg_setting *setting, const struct mpg_files *files,
                       struct mpg_result *result, struct mpg_companions *x, struct mpg_error *err)
{
    *x = (struct mpg_companions){.perturbed_traced_ns = 0};
    if (c->model.tasks)
        mpg_error_set(&x->not_perturbed, "the recorded run gave out its tasks otherwise (--tasks)");
    if (c->model.tasks || perturb(c, setting, files, result, x, &x->not_perturbed) < 0)
        x->perturbed.median = 0;
    return vary(c, setting, files, result, x, err) < 0 || ideal(c, setting, files, x, err) < 0 ? -1 : 0;
}
