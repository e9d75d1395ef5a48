/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgsim: what would a machine's noise, latency and bandwidth do to a traced run? */
#include <signal.h>
#include <string.h>

#include "common/output.h"
#include "common/progress.h"
#include "graph/work/supposed.h"
#include "history/answer.h"
#include "simulate/pages/page.h"
#include "simulate/processes/processes.h"
#include "simulate/reports/critical.h"
#include "simulate/reports/extrapolated.h"
#include "simulate/reports/report.h"
#include "simulate/reports/sheet_plot.h"
#include "simulate/retrace/retrace.h"
#include "simulate/scenarios/supposed.h"
#include "simulate/scenarios/tolerate.h"
#include "simulate/timeline/both.h"
#include "simulate/waits/critical.h"
#include "simulate/waits/median.h"

/* The table has no room for what needs attention. */
static void warn(const struct mpg_attention *attention)
{
    for (size_t i = 0; i < attention->n; i++)
        fprintf(stderr, "mpgsim: attention: %s: %s\n", attention->line[i].topic,
                attention->line[i].text);
}

static void print_csv(const struct mpg_report *report, FILE *out)
{
    if (report->where)
        mpg_where_print_csv(report->where, out);
    else
        mpg_report_use_csv(report, out);
}

static int write_report(const struct mpg_arguments *a, const struct mpg_report *report,
                        struct mpg_answer *out, struct mpg_error *err)
{
    if (mpg_answer_open(out, a->output, a->history, err) < 0)
        return -1;
    FILE *stream = mpg_answer_stream(out);
    int status = a->json       ? mpg_report_json(report, stream, err)
                 : a->csv      ? (print_csv(report, stream), 0)
                 : a->per_rank ? mpg_report_per_rank(report, stream, err)
                               : mpg_report_text(report, stream, err);
    if (status < 0) {
        mpg_answer_discard(out);
        return -1;
    }
    if (mpg_answer_commit(out, err) < 0)
        return -1;
    if (a->per_rank || a->csv)
        warn(report->attention);
    return 0;
}

/* Wait states of a page, whose answer need not have any. */
struct page_waits {
    struct mpg_median_waits found;
    struct mpg_error why; /* there are none */
    bool none;
};

/* The page, of the answer that has been given. */
static int write_page(const struct mpg_arguments *a, const struct mpg_report *report, const struct page_waits *waits,
                      struct mpg_error *err)
{
    struct mpg_report all = *report;
    if (!a->report)
        return 0;
    if (!all.waits && !waits->none) {
        all.waits = &waits->found.report;
        all.waits_replica = waits->found.replica;
    }
    return mpg_page_report(&all, waits->none ? waits->why.text : NULL, a->report, err);
}

static int answer(const struct mpg_arguments *a, struct mpg_report *report, const struct page_waits *waits,
                  struct mpg_answer *out, struct mpg_error *err)
{
    struct mpg_attention attention = {0};
    report->attention = &attention;
    int status = mpg_attention_gather(report, &attention, err);
    if (status == 0)
        status = write_report(a, report, out, err);
    if (status == 0)
        status = write_page(a, report, waits, err);
    mpg_attention_clear(&attention);
    return status;
}

/* What a trace of a replica keeps of the traced one. */
static struct mpg_retrace_rules retrace_rules(const struct mpg_arguments *a, const struct mpg_perturbation *p)
{
    return (struct mpg_retrace_rules){.ratio = mpg_perturbation_rho(p),
                                      .delays = !a->predict,
                                      .same_machine = !a->predict && !p->target,
                                      .keeps_tracer = !a->predict && !p->without_tracer,
                                      .lenient = a->lenient};
}

/* Of a run of its own: RETRACE will write it, WATCH is for that. */
static int begin_trace(const struct mpg_arguments *a, const char *trace, const struct mpg_files *files,
                       const struct mpg_perturbation *p, struct mpg_retrace **retrace,
                       const struct mpg_watch **watch, struct mpg_error *err)
{
    if (!a->output_trace)
        return 0;
    const struct mpg_retrace_rules rules = retrace_rules(a, p);
    if (!(*retrace = mpg_retrace_begin(files->trace, trace, a->output_trace, &rules, err)))
        return mpg_error_prefix(err, "--output-trace");
    *watch = mpg_retrace_watch(*retrace);
    return 0;
}

static int end_trace(const struct mpg_arguments *a, const struct mpg_setting *setting,
                     struct mpg_retrace *retrace, struct mpg_error *err)
{
    const struct mpg_places *places = &setting->places;
    const struct mpg_retrace_facts facts = {.signature = a->signature,
                                            .stored = mpg_arguments_signature_is_all(a),
                                            .seed = a->seed,
                                            .replica = a->first_replica,
                                            .places = places->ranks > 0 ? places : NULL};
    uint64_t swapped = 0;
    if (retrace && mpg_retrace_write(retrace, &facts, &swapped, err) < 0)
        return -1;
    if (swapped > 0)
        fprintf(stderr, "mpgsim: attention: %s: %llu calls of threads are there before those of "
                        "another thread that they came after: what they match may be another\n",
                a->output_trace, (unsigned long long)swapped);
    return 0;
}

/* All that there is: ASKED is what AT, the first point of A, asks for. */
struct all {
    struct mpg_arguments a, at;
    const char *trace;
    struct mpg_processes processes;
    struct mpg_files files;
    struct mpg_setting setting; /* of one scenario; of several, its ASKED has all distributions */
    struct mpg_retrace *retrace; /* NULL: no trace is written */
    struct mpg_result result;
    struct mpg_extrapolation extrapolation; /* of result; without a target of parameters empty */
    struct mpg_supposing supposing; /* of result; without hypotheses empty */
    struct mpg_median_waits waits;
    struct mpg_where_report where;
    struct page_waits page_waits;
    struct mpg_critical_path critical;
    struct mpg_critical_report critical_report;
    struct mpg_sheet rows;
    struct mpg_answer answer;
};

/* One of them, in the order of simulated time: the FIRST is kept. */
static int extrapolate(void *all, const struct mpg_perturbation *p, const struct mpg_predict_options *predict, bool first,
                       struct mpg_result *result, struct mpg_error *err)
{
    struct all *x = all;
    const struct mpg_arguments *a = &x->at;
    const struct mpg_events_options options = {.predict = predict, .blocking_get = a->blocking_get};
    struct mpg_extrapolation other = {0}, *extrapolation = first ? &x->extrapolation : &other;
    *extrapolation = (struct mpg_extrapolation){.parameters = a->machine,
                                                .processors = &x->setting.processors,
                                                .models_barrier = a->machine->of_barrier || p->parameters};
    const int status = mpg_events_predict(x->files.trace, p, &options, result, extrapolation, err);
    mpg_extrapolation_clear(&other);
    return status;
}

/* The one scenario; of it this process's share of the replicas, unless it is the first. */
static int simulate(struct all *x, struct mpg_error *err)
{
    const struct mpg_arguments *a = &x->at;
    struct mpg_setting *setting = &x->setting;
    struct mpg_simulation_options *options = &setting->asked.simulation;
    const struct mpg_perturbation *p = &setting->asked.p;
    if (mpg_setting_open(setting, a, &x->files, 0, err) < 0 ||
        mpg_setting_begin(setting, a, &x->files, options->replicas, err) < 0 || /* as it was opened */
        (mpg_processes_first(&x->processes) &&
         begin_trace(a, x->trace, &x->files, p, &x->retrace, &options->watch, err) < 0))
        return -1;
    const struct mpg_supposed_engine by_events = {.predict = extrapolate, .context = x};
    if (mpg_supposed_run(setting, &x->files, a->predict, a->by_events ? &by_events : NULL, options->watch, &x->result,
                         &x->supposing, err) == 0)
        return 0;
    return mpg_files_explain(&x->files, &x->processes, err);
}

static int simulate_several(struct all *x, struct mpg_error *err)
{
    int (*run)(const struct mpg_arguments *, const struct mpg_asked *, const struct mpg_files *,
               struct mpg_sheet *, struct mpg_error *) = x->a.tolerate ? mpg_tolerate : mpg_scenarios_run;
    return run(&x->a, &x->setting.asked, &x->files, &x->rows, err);
}

static int write_rows(const struct mpg_arguments *a, const struct mpg_sheet *rows, struct mpg_answer *out,
                      struct mpg_error *err)
{
    if (mpg_answer_open(out, a->output, a->history, err) < 0)
        return -1;
    FILE *stream = mpg_answer_stream(out);
    if ((a->json ? mpg_sheet_json(rows, stream, err) : mpg_sheet_text(rows, stream, err)) == 0)
        return mpg_answer_commit(out, err);
    mpg_answer_discard(out);
    return -1;
}

static int draw_rows(const struct mpg_arguments *a, const struct mpg_sheet *rows, struct mpg_error *err)
{
    const struct mpg_plot_options options = {.maker = "mpgsim", .folder = a->plot, .keep = a->keep};
    struct mpg_plot_outcome outcome;
    if (!a->plot)
        return 0;
    if (plot_all(&options, mpg_sheet_draw, rows, &outcome, err) < 0) {
        if (outcome.interrupted) {
            mpg_error_print("mpgsim", err);
            raise(outcome.interrupted); /* to end as the signal always does */
        }
        return -1;
    }
    for (size_t i = 0; i < outcome.missing; i++)
        fprintf(stderr, "mpgsim: not drawn: %s\n", outcome.why[i]);
    fprintf(stderr, "mpgsim: %zu plots in %s, each as SVG and PNG\n", outcome.plots, a->plot);
    mpg_plot_outcome_clear(&outcome);
    return 0;
}

/* What was simulated; in perturb mode PREDICT says nothing. */
static struct mpg_simulated simulated(const struct all *x, const struct mpg_predict_options *predict)
{
    return (struct mpg_simulated){.trace = x->files.trace,
                                  .p = &x->setting.asked.p,
                                  .options = &x->setting.asked.simulation,
                                  .predict = x->at.predict ? predict : NULL,
                                  .result = &x->result};
}

/* The traced run and the median one as a timeline. */
static int write_timeline(const struct all *x, struct mpg_error *err)
{
    const struct mpg_setting *setting = &x->setting;
    const struct mpg_predict_options predict = mpg_setting_predict(setting, &setting->asked.simulation);
    const struct mpg_simulated what = simulated(x, &predict);
    const struct mpg_retrace_rules rules = retrace_rules(&x->at, &setting->asked.p);
    const struct mpg_retrace_facts facts = {.seed = x->at.seed};
    const struct mpg_timeline_wanted wanted = {.name = x->trace,
                                               .path = x->at.timeline,
                                               .part = &x->at.timeline_part,
                                               .rules = &rules,
                                               .facts = &facts};
    uint32_t replica;
    return x->at.timeline ? mpg_timeline_both(&what, &wanted, &replica, err) : 0;
}

/* What calls waited for, into REPORT. */
static int add_waits(struct all *x, struct mpg_report *report, struct mpg_error *err)
{
    const struct mpg_predict_options predict = mpg_setting_predict(&x->setting, &x->setting.asked.simulation);
    const struct mpg_simulated what = simulated(x, &predict);
    if (!x->at.waits)
        return 0;
    report->waits = &x->waits.report;
    if (mpg_median_waits_find(&x->waits, &what, x->at.waits_kind, err) < 0)
        return -1;
    report->waits_replica = x->waits.replica;
    return 0;
}

static int add_where(struct all *x, struct mpg_report *report, struct mpg_error *err)
{
    const struct mpg_arguments *a = &x->at;
    if (!a->where)
        return 0;
    report->where = &x->where;
    return mpg_where_report_make(&x->where, x->result.where, x->files.trace, a->predict, a->where_by, a->where_tables,
                                 err);
}

/* What a page says of waiting, by callsites, where the answer says nothing of it; or why that is not known. */
static void find_page_waits(struct all *x)
{
    struct page_waits *waits = &x->page_waits;
    const struct mpg_predict_options predict = mpg_setting_predict(&x->setting, &x->setting.asked.simulation);
    const struct mpg_simulated what = simulated(x, &predict);
    if (!x->at.report || x->at.waits)
        return;
    if (x->at.by_events) {
        mpg_error_set(&waits->why, "wait states are not found in the order of simulated time");
        waits->none = true;
    } else
        waits->none = mpg_median_waits_find(&waits->found, &what, MPG_WAITS_BY_CALLSITE, &waits->why) < 0;
}

static int give_rows(struct all *x, struct mpg_error *err)
{
    if (write_rows(&x->a, &x->rows, &x->answer, err) < 0 ||
        (x->a.report && mpg_page_sheet(&x->rows, x->a.report, err) < 0))
        return -1;
    return draw_rows(&x->a, &x->rows, err);
}

/* What the run consists of, into REPORT. */
static int add_critical(struct all *x, struct mpg_report *report, struct mpg_error *err)
{
    static const enum mpg_where_by call = MPG_WHERE_BY_CALL;
    const struct mpg_arguments *a = &x->at;
    const struct mpg_predict_options predict = mpg_setting_predict(&x->setting, &x->setting.asked.simulation);
    const struct mpg_simulated what = simulated(x, &predict);
    if (!a->critical_path)
        return 0;
    if (mpg_critical_path_find(&x->critical, &what, (uint32_t)a->segments, a->where ? a->where_by : &call,
                               a->where ? a->where_tables : 1, err) < 0)
        return -1;
    x->critical_report = (struct mpg_critical_report){.path = x->critical.path,
                                                      .table = x->critical.table,
                                                      .tables = x->critical.tables,
                                                      .where = x->critical.where,
                                                      .trace = x->files.trace,
                                                      .replica = x->critical.replica};
    report->critical = &x->critical_report;
    return 0;
}

static int give_answer(struct all *x, struct mpg_error *err)
{
    const struct mpg_setting *setting = &x->setting;
    if (mpg_arguments_sweep(&x->a))
        return give_rows(x, err);
    struct mpg_report report = mpg_setting_report(setting, &x->at, &x->files, &setting->asked.p,
                                                  &setting->asked.simulation, &x->result);
    report.extrapolation = x->extrapolation.use ? &x->extrapolation : NULL;
    report.supposing = x->supposing.list ? &x->supposing : NULL;
    if (end_trace(&x->at, setting, x->retrace, err) < 0 || write_timeline(x, err) < 0 ||
        add_where(x, &report, err) < 0 || add_critical(x, &report, err) < 0 || add_waits(x, &report, err) < 0)
        return -1;
    find_page_waits(x);
    return answer(&x->at, &report, &x->page_waits, &x->answer, err);
}

/* The answer, which has been given, is kept. */
static int keep_answer(struct all *x, struct mpg_error *err)
{
    int64_t id;
    if (!x->a.history)
        return 0;
    if (mpg_arguments_run(&x->a, &x->setting.asked, x->files.trace, x->trace, err) < 0)
        return mpg_error_prefix(err, "--history");
    struct mpg_history_run run = x->a.run;
    run.answer = x->answer.bytes;
    run.answer_bytes = x->answer.size;
    return mpg_history_keep(x->a.history, &run, &id, err) < 0
               ? mpg_error_prefix(err, "the answer is not kept: --history")
               : 0;
}

static int run(struct all *x, int argc, char **argv, struct mpg_error *err)
{
    x->trace = mpg_arguments_read(&x->a, argc, argv, &x->processes, &x->at, &x->setting.asked, err);
    int status = x->trace ? mpg_files_open(&x->files, &x->at, x->trace, &x->setting.asked, err) : -1;
    if (status == 0 && x->at.timeline &&
        mpg_timeline_check(x->files.trace, &x->at.timeline_part, "--timeline-calls=A-B or --timeline-ranks=LIST", err) < 0)
        status = mpg_error_prefix(err, "--timeline: %s", x->trace);
    if (status == 0)
        status = mpg_arguments_sweep(&x->a) ? simulate_several(x, err) : simulate(x, err);
    if (mpg_processes_agree(&x->processes, status, 0, err) < 0)
        return -1;
    mpg_processes_leave(&x->processes);
    if (!mpg_processes_first(&x->processes))
        return 0;
    return give_answer(x, err) < 0 ? -1 : keep_answer(x, err);
}

static void clear(struct all *x)
{
    mpg_result_clear(&x->result);
    mpg_extrapolation_clear(&x->extrapolation);
    mpg_supposing_clear(&x->supposing);
    mpg_sheet_clear(&x->rows);
    mpg_retrace_free(x->retrace);
    mpg_median_waits_clear(&x->waits);
    mpg_where_report_clear(&x->where);
    mpg_median_waits_clear(&x->page_waits.found);
    mpg_critical_path_clear(&x->critical);
    mpg_setting_close(&x->setting);
    mpg_files_close(&x->files);
    mpg_sweep_clear(&x->a.sweep);
    mpg_hypotheses_clear(&x->a.hypotheses);
    mpg_parameters_free(x->a.machine);
    mpg_rank_set_clear(&x->a.timeline_part.ranks);
    mpg_history_run_clear(&x->a.run);
    mpg_answer_clear(&x->answer);
}

int main(int argc, char **argv)
{
    static struct all all;
    struct mpg_error err;
    int status = mpg_processes_join(&all.processes, argc, argv, &err);
    if (!all.processes.speaks)
        mpg_progress_forbid();
    if (status == 0)
        status = run(&all, argc, argv, &err);
    if (status < 0 && all.processes.speaks)
        mpg_error_print("mpgsim", &err);
    mpg_processes_leave(&all.processes); /* not before: the launcher ends them all as soon as one fails */
    clear(&all);
    return status == 0 ? MPG_EXIT_OK : MPG_EXIT_FAILURE;
}
