/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the answer in the requested format, page and plots, and stores the answer in the history. */
#include <stdio.h>
#include <string.h>

#include "common/printable.h"
#include "simulate/outputs/session.h"
#include "simulate/reports/extrapolated.h"
#include "simulate/reports/lines.h"
#include "simulate/reports/report.h"

/* Prints WARNINGS to standard error, for formats without a place for warnings. */
static void warn(const struct mpg_notes *warnings)
{
    for (size_t i = 0; i < warnings->n; i++)
        mpg_printable_print_error("mpgsim: attention: %s: %s\n", warnings->line[i].topic, warnings->line[i].text);
}

static int print_csv(const struct mpg_report *report, FILE *out, struct mpg_error *err)
{
    return report->critical       ? mpg_critical_print_csv(report->critical, out, err)
           : report->cause_worths ? mpg_cause_worths_csv(report->cause_worths, out, err)
           : report->where        ? mpg_where_print_csv(report->where, out, err)
                                  : mpg_report_use_csv(report, out, err);
}

/* Writes the answer WHAT with the function PRINT to OUT; PLAIN: as text for people. */
static int write_answer(const struct mpg_config *c, bool plain,
                        int (*print)(const struct mpg_config *c, const void *what, FILE *to, struct mpg_error *err),
                        const void *what, struct mpg_answer *out, struct mpg_error *err)
{
    if (mpg_answer_open(out, c->output.output, plain, c->output.history, err) < 0)
        return -1;
    if (print(c, what, mpg_answer_stream(out), err) < 0) {
        mpg_answer_discard(out);
        return -1;
    }
    return mpg_answer_commit(out, err);
}

static int print_report(const struct mpg_config *c, const void *report, FILE *to, struct mpg_error *err)
{
    const struct mpg_output_config *o = &c->output;
    return o->json       ? mpg_report_json(report, to, err)
           : o->per_rank ? mpg_report_per_rank(report, o->csv ? ',' : '\t', to, err)
           : o->csv      ? print_csv(report, to, err)
                         : mpg_report_text(report, to, err);
}

static int print_rows(const struct mpg_config *c, const void *rows, FILE *to, struct mpg_error *err)
{
    return c->output.json  ? mpg_result_table_json(rows, to, err)
           : c->output.csv ? mpg_result_table_csv(rows, to, err)
                          : mpg_result_table_text(rows, to, err);
}

static int write_report(const struct mpg_config *c, const struct mpg_report *report, struct mpg_answer *out,
                        struct mpg_error *err)
{
    const struct mpg_output_config *o = &c->output;
    if (write_answer(c, !o->json && !o->per_rank, print_report, report, out, err) < 0)
        return -1;
    if (o->per_rank || o->csv)
        warn(report->warnings);
    return 0;
}

/* Writes the page of the answer. */
static int write_page(const struct mpg_session *x, const struct mpg_report *report, struct mpg_error *err)
{
    struct mpg_report all = *report;
    if (!x->at.output.report)
        return 0;
    all.verbose = true;
    all.columns = 0;
    if (!x->page.why_no_waits) {
        all.waits = &x->waits.report;
        all.waits_replica = x->waits.replica;
    }
    all.recorded_run = all.predicted_run = NULL; /* the page has both runs, with calls */
    return mpg_page_report(&all, &x->page, x->at.output.report, err);
}

static int answer(struct mpg_session *x, struct mpg_report *report, struct mpg_error *err)
{
    const struct mpg_config *c = &x->at;
    struct mpg_notes warnings = {0}, assumed = {0};
    int status = mpg_report_take_notes(report, &warnings, &assumed, err);
    if (status == 0 && report->verbose && report->result->undivided) /* not in the answer, which depends on no threads */
        fprintf(stderr, "mpgsim: threads and processes share replicas, not ranks: %s\n", report->result->undivided);
    if (status == 0)
        status = write_report(c, report, &x->answer, err);
    if (status == 0)
        status = write_page(x, report, err);
    mpg_notes_clear(&warnings);
    mpg_notes_clear(&assumed);
    return status;
}

/* Returns whether LINE is a note of a row among the first N of ROWS. */
static bool is_reported(const struct mpg_result_table *rows, size_t n, const struct mpg_note *line)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < rows->row[i].answer.warnings.n; k++)
            if (strcmp(rows->row[i].answer.warnings.line[k].topic, line->topic) == 0 &&
                strcmp(rows->row[i].answer.warnings.line[k].text, line->text) == 0)
                return true;
    return false;
}

/* Prints the warnings of all ROWS, without duplicates. */
static void warn_of_rows(const struct mpg_result_table *rows)
{
    for (size_t i = 0; i < rows->n; i++)
        for (size_t k = 0; k < rows->row[i].answer.warnings.n; k++) {
            const struct mpg_notes one = {.line = &rows->row[i].answer.warnings.line[k], .n = 1};
            if (!is_reported(rows, i, one.line))
                warn(&one);
        }
}

static int give_rows(struct mpg_session *x, struct mpg_error *err)
{
    const struct mpg_output_config *o = &x->config.output;
    if (write_answer(&x->config, !o->json, print_rows, &x->rows, &x->answer, err) < 0)
        return -1;
    if (o->csv)
        warn_of_rows(&x->rows);
    if (o->report && mpg_page_table(&x->rows, o->report, err) < 0)
        return -1;
    return o->plot ? mpg_plot_and_report("mpgsim", o->plot, o->keep, mpg_result_table_draw, &x->rows, err) : 0;
}

static int write_outputs(struct mpg_session *x, struct mpg_error *err)
{
    const struct mpg_setting *setting = &x->setting;
    if (mpg_config_sweeps(&x->config))
        return give_rows(x, err);
    struct mpg_report report = mpg_setting_report(setting, &x->at, &x->files, &setting->p,
                                                  &setting->simulation, &x->result);
    report.extrapolation = x->extrapolation.use ? &x->extrapolation : NULL;
    report.tasks = x->has_tasks ? &x->tasks : NULL;
    report.cause_worths = x->cause_worths.n > 0 ? &x->cause_worths : NULL;
    report.hypothesis_shares = x->hypothesis_shares.list ? &x->hypothesis_shares : NULL;
    if (mpg_session_write_traces(x, err) < 0 || mpg_session_add(x, &report, err) < 0)
        return -1;
    return answer(x, &report, err);
}

/* Stores the answer in the history. */
static int keep_answer(struct mpg_session *x, struct mpg_error *err)
{
    int64_t id;
    if (!x->config.output.history)
        return 0;
    if (mpg_config_run(&x->config, &x->setting, x->traced ? x->traced : x->files.trace, x->trace, err) < 0)
        return mpg_error_prefix(err, "--history");
    struct mpg_history_run run = x->config.run;
    run.answer = x->answer.bytes;
    run.answer_bytes = x->answer.size;
    return mpg_history_store(x->config.output.history, &run, &id, err) < 0
               ? mpg_error_prefix(err, "the answer is not kept: --history")
               : 0;
}

int mpg_session_output(struct mpg_session *x, struct mpg_error *err)
{
    return write_outputs(x, err) < 0 ? -1 : keep_answer(x, err);
}
