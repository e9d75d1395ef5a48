/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a scenario without each cause of the target's noise. */
#include "simulate/scenarios/cause_runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "signature/causes.h"

/* Maximum number of causes with a separate row; all further causes share a row. */
enum { OWN_ROWS = 12 };

/* A run: the configuration of the answer, without the noise of more causes. */
struct run {
    struct mpg_config config;
    struct mpg_setting setting;
    struct mpg_result result;
    double *run_ns; /* result: by replica, ns; NULL: not simulated, or not the first process */
    bool is_wanted, is_open;
};

static int done(void *context, struct mpg_error *err)
{
    struct run *r = context;
    const size_t bytes = r->result.replicas * sizeof *r->run_ns;
    r->run_ns = malloc(bytes);
    if (r->run_ns)
        memcpy(r->run_ns, r->result.run_ns, bytes);
    mpg_result_clear(&r->result);
    return r->run_ns ? 0 : mpg_error_set(err, "out of memory");
}

/* Opens R without the N causes of TOTAL, if options can name all N causes. */
static int open_run(struct run *r, const struct mpg_config *c, const struct mpg_setting *setting, const struct mpg_files *files,
                    const struct mpg_cause_total *total, size_t n, struct mpg_error *err)
{
    struct mpg_option_list *quiet = &r->config.change.quiet;
    r->config = *c;
    r->config.output.output_trace = NULL; /* an output trace would need region marks in the steps */
    r->is_wanted = quiet->n + n <= MPG_OPTION_LIST_MAX;
    if (!r->is_wanted)
        return 0;
    for (size_t i = 0; i < n; i++)
        quiet->item[quiet->n++] = total[i].name;
    r->is_open = true;
    if (mpg_setting_make(&r->setting, &r->config, setting->simulation.processes, setting, err) < 0)
        return -1;
    r->setting.simulation.where = (struct mpg_attribution_wanted){.places = false};
    return mpg_setting_open(&r->setting, &r->config, files, 0, err);
}

/* Begins the wanted runs among the N runs R, each with the largest number of replicas of any run, and simulates them. The first
 * run has all noise: noise is removed from the trace and added as in the other runs, even if target and source are one
 * machine. */
static int simulate(struct run *r, size_t n, const struct mpg_files *files, struct mpg_error *err)
{
    struct mpg_scenario *scenario = calloc(n, sizeof *scenario);
    uint32_t replicas = 1;
    size_t wanted = 0;
    int status = scenario ? 0 : mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < n; i++)
        if (r[i].is_wanted && r[i].setting.simulation.replicas > replicas)
            replicas = r[i].setting.simulation.replicas;
    for (size_t i = 0; i < n && status == 0; i++) {
        struct mpg_setting *in = &r[i].setting;
        if (!r[i].is_wanted)
            continue;
        status = mpg_setting_begin(in, &r[i].config, files, replicas, err);
        in->p.same_noise = false;
        scenario[wanted++] = (struct mpg_scenario){.p = &in->p, .options = &in->simulation, .result = &r[i].result,
                                                   .family = (uint32_t)i, .done = done, .context = &r[i]};
    }
    if (status == 0)
        status = mpg_simulate(files->trace, scenario, wanted, NULL, err);
    free(scenario);
    return status;
}

/* Adds row I, without the N causes of TOTAL, to X, and opens its run R. */
static int add(struct mpg_cause_worths *x, struct run *r, const struct mpg_config *c, const struct mpg_setting *setting,
               const struct mpg_files *files, const struct mpg_cause_total *total, size_t n, struct mpg_error *err)
{
    struct mpg_cause_worth *row = &x->row[x->n++];
    *row = (struct mpg_cause_worth){.name = n == 1 ? total->name : NULL, .causes = n};
    for (size_t i = 0; i < n; i++) {
        row->fraction += total[i].fraction;
        row->per_s += total[i].per_s;
        row->longest_ns = fmax(row->longest_ns, total[i].longest_ns);
    }
    return open_run(r, c, setting, files, total, n, err);
}

static void count_cores(struct mpg_cause_worths *x, const struct mpg_signature *sig)
{
    for (size_t i = 0; i < sig->cores; i++) {
        const struct mpg_noise_core *c = &sig->core[i];
        if (c->detours + c->blocks.detours == 0)
            continue;
        x->cores++;
        x->unknown_cores += c->causes == 0;
    }
}

/* Returns the unseen fraction of the noise of the N causes of TOTAL; the first cause of SIG's cores is "unseen". */
static double unseen_part(const struct mpg_signature *sig, const struct mpg_cause_total *total, size_t n)
{
    const char *unseen = NULL;
    double all = 0, part = 0;
    for (size_t i = 0; i < sig->cores && !unseen; i++)
        unseen = sig->core[i].causes > 0 ? sig->core[i].cause[0] : NULL;
    for (size_t i = 0; i < n; i++) {
        all += total[i].fraction;
        part += strcmp(total[i].name, unseen) == 0 ? total[i].fraction : 0;
    }
    return all > 0 ? part / all : 0;
}

/* Simulates the runs for X without the N causes of TOTAL. */
static int run_all(const struct mpg_config *c, const struct mpg_setting *setting, const struct mpg_files *files,
                   const struct mpg_cause_total *total, size_t n, struct mpg_cause_worths *x, struct mpg_error *err)
{
    const size_t own = n <= OWN_ROWS + 1 ? n : OWN_ROWS, max = own + 3;
    struct run *r = calloc(max, sizeof *r);
    x->row = calloc(max, sizeof *x->row);
    int status = r && x->row ? open_run(&r[0], c, setting, files, NULL, 0, err) : mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < own && status == 0; i++)
        status = add(x, &r[1 + x->n], c, setting, files, &total[i], 1, err);
    if (own < n && status == 0)
        status = add(x, &r[1 + x->n], c, setting, files, &total[own], n - own, err);
    if (n > 1 && status == 0)
        status = add(x, &r[1 + x->n], c, setting, files, total, n, err);
    if (status == 0)
        status = simulate(r, 1 + x->n, files, err);
    if (r) {
        x->resampling = mpg_perturbation_resampling(&r[0].setting.p);
        x->replicas = r[0].setting.simulation.replicas;
        x->first_replica = r[0].setting.simulation.first_replica;
        x->with_ns = r[0].run_ns;
    }
    for (size_t i = 0; r && i < max; i++) {
        if (i > 0 && i <= x->n)
            x->row[i - 1].run_ns = r[i].run_ns;
        if (r[i].is_open)
            mpg_setting_close(&r[i].setting);
    }
    free(r);
    return status;
}

int mpg_cause_runs(const struct mpg_config *c, const struct mpg_setting *setting, const struct mpg_files *files,
                   struct mpg_cause_worths *x, struct mpg_error *err)
{
    const struct mpg_signature *target = setting->target;
    struct mpg_cause_total *total;
    size_t n;
    *x = (struct mpg_cause_worths){0};
    if (mpg_signature_causes(target, &total, &n, err) < 0)
        return -1;
    count_cores(x, target);
    x->unseen = n > 0 ? unseen_part(target, total, n) : 0;
    const int status = n > 0 ? run_all(c, setting, files, total, n, x, err)
                             : mpg_error_set(err, "%s: --where=noise: the causes of its noise are unknown (mpgbench ftq --causes "
                                                  "finds them)", target->path);
    free(total);
    return status;
}
