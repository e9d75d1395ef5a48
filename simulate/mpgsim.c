/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgsim: simulates a traced run with noise, latency and bandwidth of another machine. */
#include "common/progress.h"
#include "graph/work/bound_hypotheses.h"
#include "simulate/target_table/run.h"
#include "simulate/outputs/session.h"
#include "simulate/scenarios/recorded.h"
#include "simulate/scenarios/scenarios.h"

/* Predicts replicas in the order of simulated time. FIRST: also stores the use of processors in INQUIRY, the session. */
static int extrapolate(void *inquiry, const struct mpg_perturbation *p, const struct mpg_simulation_options *simulation,
                       bool first, struct mpg_result *result, struct mpg_error *err)
{
    struct mpg_session *x = inquiry;
    const struct mpg_config *c = &x->at;
    const struct mpg_events_options options = {.simulation = simulation, .blocking_get = c->target.gets};
    struct mpg_extrapolation other = {0}, *extrapolation = first ? &x->extrapolation : &other;
    *extrapolation = (struct mpg_extrapolation){.parameters = c->target.machine,
                                                .processors = &x->setting.processors,
                                                .models_barrier = c->target.machine->of_barrier || p->parameters};
    const int status = mpg_events_predict(x->files.trace, p, &options, result, extrapolation, err);
    mpg_extrapolation_clear(&other);
    return status;
}

/* Simulates this process's share of the replicas of a single scenario, and of the further runs for the answer. */
static int simulate(struct mpg_session *x, struct mpg_error *err)
{
    const struct mpg_config *c = &x->at;
    struct mpg_setting *setting = &x->setting;
    struct mpg_simulation_options *options = &setting->simulation;
    if ((c->model.tasks && mpg_session_give_out_tasks(x, err) < 0) ||
        mpg_setting_open(setting, c, &x->files, 0, err) < 0 ||
        /* the number of replicas was set by mpg_setting_open() */
        mpg_setting_begin(setting, c, &x->files, options->replicas, err) < 0 ||
        (mpg_processes_first(&x->processes) && mpg_session_begin_trace(x, &options->observer, err) < 0))
        return -1;
    const struct mpg_hypothesis_engine by_events = {.predict = extrapolate, .context = x};
    int status = mpg_hypothesis_runs(setting, &x->files, c->target.by_events ? &by_events : NULL, options->observer,
                                     &x->result, &x->hypothesis_shares, err);
    if (status == 0 && c->question.noise_causes)
        status = mpg_cause_runs(c, setting, &x->files, &x->cause_worths, err);
    if (status == 0 && mpg_config_gives_short_answer(c))
        status = mpg_companion_runs(c, setting, &x->files, &x->result, &x->companions, err);
    else if (status == 0 && c->target.predict && mpg_processes_first(&x->processes))
        mpg_recorded_refer(c, setting, &x->files, &x->result);
    if (status == 0 && mpg_processes_first(&x->processes))
        mpg_session_describe_tasks(x);
    return status == 0 ? 0 : mpg_files_explain(&x->files, &x->processes, err);
}

static int simulate_several(struct mpg_session *x, struct mpg_error *err)
{
    if (x->config.question.tolerate)
        return mpg_tolerate(&x->config, &x->setting, &x->files, &x->given, &x->rows, err);
    if (mpg_scenarios_run(&x->config, &x->setting, &x->files, &x->rows, err) < 0)
        return -1;
    if (x->config.target.predict && mpg_processes_first(&x->processes))
        mpg_recorded_refer_rows(&x->config, &x->setting, &x->files, &x->rows);
    return 0;
}

static int run(struct mpg_session *x, int argc, char **argv, struct mpg_error *err)
{
    x->trace = mpg_config_read(&x->config, argc, argv, &x->processes, &x->at, &x->setting, err);
    if (x->trace && mpg_config_tabulates(&x->config))
        return mpg_target_table_answer(&x->config, &x->at, &x->setting, &x->processes, err);
    int status = x->trace ? mpg_files_open(&x->files, &x->at, x->trace, &x->setting, err) : -1;
    if (status == 0 && x->at.output.timeline &&
        mpg_timeline_check(x->files.trace, &x->at.output.timeline_part, "--timeline=calls=A-B or --timeline=ranks=LIST", err) < 0)
        status = mpg_error_prefix(err, "--timeline: %s", x->trace);
    if (status == 0)
        status = mpg_config_sweeps(&x->config) ? simulate_several(x, err) : simulate(x, err);
    if (mpg_processes_agree(&x->processes, status, 0, err) < 0)
        return -1;
    mpg_processes_leave(&x->processes);
    if (!mpg_processes_first(&x->processes))
        return 0;
    if (x->config.output.json || x->config.output.csv) /* text says so itself */
        mpg_excerpt_print(x->files.trace, "mpgsim", stderr);
    return mpg_session_output(x, err);
}

static void clear(struct mpg_session *x)
{
    mpg_result_clear(&x->result);
    mpg_extrapolation_clear(&x->extrapolation);
    mpg_hypothesis_shares_clear(&x->hypothesis_shares);
    mpg_cause_worths_clear(&x->cause_worths);
    mpg_result_table_clear(&x->rows);
    mpg_setting_close(&x->given);
    mpg_replica_trace_free(x->retrace);
    mpg_median_waits_clear(&x->waits);
    mpg_overview_free(x->overviews.traced);
    mpg_overview_free(x->overviews.predicted);
    mpg_where_report_clear(&x->where);
    mpg_where_report_clear(&x->short_where);
    mpg_worst_phase_clear(&x->phase);
    mpg_run_pair_close(&x->runs);
    mpg_critical_path_clear(&x->critical);
    mpg_setting_close(&x->setting);
    if (x->traced)
        x->files.trace = x->traced;
    mpg_redistributed_close(&x->redistributed);
    mpg_files_close(&x->files);
    if (x->at.target.machine != x->config.target.machine)
        mpg_config_target_point_clear(&x->at);
    mpg_config_clear(&x->config);
    mpg_answer_clear(&x->answer);
}

int main(int argc, char **argv)
{
    static struct mpg_session all;
    struct mpg_error err;
    int status = mpg_processes_join(&all.processes, argc, argv, &err);
    if (!all.processes.prints)
        mpg_progress_forbid();
    if (status == 0)
        status = run(&all, argc, argv, &err);
    if (status < 0 && all.processes.prints)
        mpg_error_print("mpgsim", &err);
    mpg_processes_leave(&all.processes); /* must be the last call, because the launcher ends all processes when a process fails */
    clear(&all);
    return status == 0 ? MPG_EXIT_OK : MPG_EXIT_FAILURE;
}
