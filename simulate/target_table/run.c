/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predicts each trace on each machine, one after another. */
#include "simulate/target_table/run.h"

#include "common/printable.h"
#include "history/answer.h"
#include "simulate/target_table/target_table.h"

struct table {
    const struct mpg_config *c;
    const struct mpg_setting *setting;
    struct mpg_processes *processes;
    struct mpg_target_table x;
};

/* Predicts row I. AT is the configuration for the row's machine. */
static int predict(struct table *t, size_t i, struct mpg_config *at, const struct mpg_files *files,
                   struct mpg_setting *setting, struct mpg_error *err)
{
    struct mpg_result result = {0};
    struct mpg_extrapolation e = {.parameters = at->target.machine, .processors = &setting->processors};
    const struct mpg_perturbation *p = &setting->p;
    if (mpg_setting_open(setting, at, files, 0, err) < 0 ||
        mpg_setting_begin(setting, at, files, setting->simulation.replicas, err) < 0)
        return -1;
    const struct mpg_events_options events = {.simulation = &setting->simulation, .blocking_get = at->target.gets};
    e.models_barrier = at->target.machine->of_barrier || p->parameters;
    int status = mpg_events_predict(files->trace, p, &events, &result, &e, err);
    if (status == 0 && mpg_processes_first(t->processes)) {
        struct mpg_report report =
            mpg_setting_report(setting, at, files, p, &setting->simulation, &result);
        report.extrapolation = &e;
        status = mpg_target_table_take(&t->x, i, &report, err);
    }
    mpg_result_clear(&result);
    mpg_extrapolation_clear(&e);
    return status;
}

static int run_machine(struct table *t, size_t i, const struct mpg_files *files, struct mpg_error *err)
{
    const size_t machine = i % t->x.machines;
    struct mpg_config at;
    struct mpg_setting setting = {.target = NULL};
    char name[256];
    int status = mpg_config_target_point(t->c, machine, &at, err);
    t->x.target[machine] = at.target.name;
    if (status == 0)
        status = mpg_setting_make(&setting, &at, t->processes, t->setting, err);
    if (status == 0)
        status = predict(t, i, &at, files, &setting, err);
    mpg_setting_close(&setting);
    mpg_config_target_point_clear(&at);
    if (status == 0)
        return 0;
    mpg_target_table_name(&t->x, machine, name, sizeof name);
    if (!t->processes->failed)
        mpg_error_prefix(err, "%s on %s", t->x.trace[i / t->x.machines].path, name);
    return mpg_files_explain(files, t->processes, err);
}

/* Predicts the rows of trace K. All processes agree on the success of each row. */
static int run_trace(struct table *t, size_t k, const struct mpg_config *first, struct mpg_error *err)
{
    struct mpg_files files;
    int status = mpg_files_open(&files, first, t->c->traces[k], t->setting, err);
    t->x.trace[k].path = t->c->traces[k];
    for (size_t d = 0; d < t->x.machines && status == 0; d++)
        status = run_machine(t, k * t->x.machines + d, &files, err);
    mpg_files_close(&files);
    return status;
}

/* Prints warnings to standard error, because CSV has no place for warnings. */
static void warn(const struct mpg_target_table *x)
{
    for (size_t i = 0; i < x->n; i++)
        for (size_t k = 0; k < x->row[i].answer.warnings.n; k++)
            mpg_printable_print_error("mpgsim: attention: row %zu: %s: %s\n", i + 1, x->row[i].answer.warnings.line[k].topic,
                                      x->row[i].answer.warnings.line[k].text);
}

static int write_table(const struct table *t, struct mpg_error *err)
{
    const struct mpg_config *c = t->c;
    struct mpg_answer out;
    if (mpg_answer_open(&out, c->output.output, !c->output.json, false, err) < 0)
        return -1;
    FILE *stream = mpg_answer_stream(&out);
    const int status = c->output.json  ? mpg_target_table_json(&t->x, stream, err)
                       : c->output.csv ? mpg_target_table_csv(&t->x, stream, err)
                                : mpg_target_table_text(&t->x, stream, err);
    if (status < 0) {
        mpg_answer_discard(&out);
        return -1;
    }
    const int written = mpg_answer_commit(&out, err);
    mpg_answer_clear(&out);
    if (written < 0)
        return -1;
    if (c->output.csv)
        warn(&t->x);
    if (c->output.history)
        fputs("mpgsim: attention: a history keeps no tables of targets\n", stderr);
    return 0;
}

int mpg_target_table_answer(const struct mpg_config *c, const struct mpg_config *first, const struct mpg_setting *setting,
                       struct mpg_processes *processes, struct mpg_error *err)
{
    struct table t = {.c = c, .setting = setting, .processes = processes};
    int status = mpg_target_table_init(&t.x, c->trace_number, mpg_config_target_points(c), &c->question.keys, err);
    for (size_t k = 0; k < t.x.traces && status == 0; k++)
        status = run_trace(&t, k, first, err);
    status = mpg_processes_agree(processes, status, 0, err);
    if (status == 0)
        mpg_processes_leave(processes);
    if (status == 0 && mpg_processes_first(processes)) {
        mpg_target_table_finish(&t.x);
        status = write_table(&t, err);
        if (status == 0 && c->output.plot)
            status = mpg_plot_and_report("mpgsim", c->output.plot, c->output.keep, mpg_target_table_draw, &t.x, err);
    }
    mpg_target_table_clear(&t.x);
    return status;
}
