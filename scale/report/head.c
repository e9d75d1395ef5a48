/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the lines above the table: the runs, and how the runs are compared. */
#include <math.h>
#include <string.h>

#include "common/printable.h"
#include "scale/report/report.h"

static const struct {
    const char *key, *title;
} metrics[] = {
    [SCALE_SHARE] = {"share", "share of communication"},
    [SCALE_TIME] = {"time_ns", "time in all ranks"},
    [SCALE_TIME_OF_APP] = {"time_of_app", "share of all ranks' time"},
    [SCALE_MEAN] = {"mean_ns", "mean time of a call"},
    [SCALE_COUNT] = {"count", "calls"},
    [SCALE_BYTES] = {"bytes", "bytes sent and received"},
    [SCALE_IMBALANCE] = {"imbalance", "imbalance of computation (largest rank over the mean of all)"},
};

static const char *const units[] = {"callsite", "call", "region"};

const char *mpg_scale_metric_title(const struct scale_report *r)
{
    const struct scale_options *o = r->analysis->options;
    return o->metric == SCALE_COUNTER ? r->analysis->set->counter_names[o->counter] : metrics[o->metric].title;
}

const char *mpg_scale_row_title(const struct scale_report *r)
{
    return r->how->computation ? "computation" : units[r->how->unit];
}

const char *mpg_scale_metric_key(const struct scale_report *r)
{
    const struct scale_options *o = r->analysis->options;
    return o->metric == SCALE_COUNTER ? r->analysis->set->counter_names[o->counter] : metrics[o->metric].key;
}

static void print_counts(const struct scale_set *set, FILE *out)
{
    size_t traces = 0;
    fprintf(out, "runs        %zu:", set->run_number);
    for (size_t i = 0, end; i < set->run_number; i = end) {
        for (end = i + 1; end < set->run_number && set->runs[end].ranks == set->runs[i].ranks; end++)
            ;
        fprintf(out, "%s %zu of %d", i > 0 ? "," : "", end - i, set->runs[i].ranks);
    }
    for (size_t i = 0; i < set->run_number; i++)
        traces += set->runs[i].is_trace;
    fprintf(out, " ranks; %zu profile%s, %zu trace%s\n", set->run_number - traces,
            set->run_number - traces == 1 ? "" : "s", traces, traces == 1 ? "" : "s");
}

static const char *sizing_text(const struct scale_analysis *a)
{
    switch (a->sizing) {
    case SCALE_FIXED: return "fixed (strong scaling): with N, messages become smaller and more";
    case SCALE_SCALED: return "scaled with N (weak scaling): messages keep their sizes and become more";
    default: return "unknown (--label scaling=fixed,FILE... tells them): exponents are valid in either case";
    }
}

/* Prints the rows that dominate: the shares are too large to grow much, but the times grow. */
static void print_dominating(const struct scale_analysis *a, FILE *out)
{
    for (size_t i = 0; i < a->row_number; i++)
        if (a->rows[i].dominates) {
            fputs("dominates   ", out);
            mpg_printable_put(out, a->set->sites[a->rows[i].site].name);
            fprintf(out, ": %.3g %% of communication at the largest N, and its time per rank grows (by its model, p <= %g)\n",
                    100 * a->rows[i].share_last, MPG_GROWTH_LEVEL);
        }
}

static void print_intervals(const struct scale_analysis *a, FILE *out)
{
    if (a->single == a->counts)
        fprintf(out, "intervals   none of r_s, as each N has one run (seed %llu)\n", (unsigned long long)a->options->seed);
    else
        fprintf(out, "intervals   95 %%; of r_s by %d resamples of the runs of each N (seed %llu)%s\n",
                SCALE_RESAMPLES, (unsigned long long)a->options->seed,
                a->single > 0 ? "; too narrow, as some N have one run" : "");
}

bool mpg_scale_print_core_facts(const struct scale_set *set, const char *key, FILE *out)
{
    const struct scale_run *max = NULL;
    size_t crowded = 0;
    for (size_t i = 0; i < set->run_number; i++) {
        const struct scale_run *run = &set->runs[i];
        crowded += run->crowded > 0;
        if (run->crowded > 0 && (!max || run->crowded * max->room > max->crowded * run->room))
            max = run;
    }
    if (!max)
        return false;
    fprintf(out, "%sranks had to share cores in %zu of %zu runs (%d ranks on %.3g core%s of ", key, crowded, set->run_number,
            max->crowded, max->room, max->room == 1 ? "" : "s");
    mpg_printable_put(out, max->crowded_on ? max->crowded_on : "their host");
    putc(')', out);
    return true;
}

void mpg_scale_print_head(const struct scale_report *r, FILE *out)
{
    const struct scale_analysis *a = r->analysis;
    const struct scale_options *o = a->options;
    if (mpg_scale_print_core_facts(a->set, "attention   ", out))
        fputs(": time-sharing alone makes the time of a rank grow about like N (order 1). With enough cores, times may not "
              "grow: see mpgscale(1), CROWDED MACHINES\n",
              out);
    if (a->set->run_number > 0 && a->set->runs[0].program) {
        fputs("program     ", out);
        mpg_printable_put(out, a->set->runs[0].program);
        putc('\n', out);
    }
    print_counts(a->set, out);
    fprintf(out, "sizes       %s\n", sizing_text(a));
    const char *whole = r->how->computation ? "computation" : "communication";
    fprintf(out, "compared    %s with N, by %s%s; a run without this row %s\n", mpg_scale_metric_title(r),
            r->how->computation && r->how->unit != SCALE_UNIT_REGION ? "run" : units[r->how->unit],
            r->how->unit != SCALE_UNIT_CALLSITE || r->how->computation ? ""
            : a->set->by_line                                          ? " (file and line)"
                                                                       : " (build and address)",
            o->zero ? "counts as 0" : "is left out");
    print_intervals(a, out);
    fprintf(out, "rows        %zu with at least %.3g %% of %s in some run; %zu below that\n", a->row_number + a->dropped,
            100 * o->threshold, whole, a->below);
    fprintf(out, "grows       %zu rows: r_s >= 0.7, last median >= 1.25 times the first, at least %.3g %% of %s at the largest N",
            a->growing, 100 * o->threshold, whole);
    if (a->doubtful > 0)
        fprintf(out, "; %zu more may be chance (grows?): record more runs", a->doubtful);
    putc('\n', out);
    print_dominating(a, out);
}

/* ---- for programs ---- */

void mpg_scale_put_site(struct mpg_table *t, const struct scale_site *site)
{
    mpg_table_text(t, site->name);
    mpg_table_text(t, site->call < MPG_CALL_COUNT ? mpg_call_name(site->call) : NULL);
    mpg_table_text(t, site->function);
    mpg_table_text(t, site->file);
    mpg_table_number(t, site->line > 0 ? site->line : NAN);
}

static void put_run(struct mpg_json *j, const struct scale_run *run)
{
    mpg_json_new_line(j, 2);
    mpg_json_object(j, NULL);
    mpg_json_string(j, "path", run->path);
    mpg_json_integer(j, "ranks", run->ranks);
    mpg_json_string(j, "kind", run->is_trace ? "trace" : "profile");
    mpg_json_string(j, "program", run->program);
    mpg_json_string(j, "date", run->date);
    mpg_json_string(j, "host", run->host);
    mpg_json_number(j, "t_app_ns", run->app_ns);
    mpg_json_number(j, "t_comm_ns", run->comm_ns);
    mpg_json_number(j, "longest_ns", run->longest_ns);
    if (run->is_judged)
        mpg_json_bool(j, "reliable", run->is_reliable);
    else
        mpg_json_null(j, "reliable");
    if (run->crowded > 0) {
        mpg_json_object(j, "crowded");
        mpg_json_integer(j, "ranks", run->crowded);
        mpg_json_number(j, "cores", run->room);
        mpg_json_string(j, "host", run->crowded_on);
        mpg_json_close(j);
    } else
        mpg_json_null(j, "crowded");
    mpg_json_object(j, "labels");
    for (size_t i = 0; i < run->label_number; i++)
        mpg_json_string(j, run->labels[i].key, run->labels[i].value);
    mpg_json_close(j);
    mpg_json_close(j);
}

void mpg_scale_put_runs(struct mpg_json *j, const struct scale_report *r)
{
    const struct scale_set *set = r->analysis->set;
    mpg_json_new_line(j, 1);
    mpg_json_array(j, "runs");
    for (size_t i = 0; i < set->run_number; i++)
        put_run(j, &set->runs[i]);
    mpg_json_close(j);
    mpg_json_new_line(j, 1);
    mpg_json_array(j, "notes");
    for (size_t i = 0; i < r->notes->n; i++) {
        const struct scale_note *note = &r->notes->note[i];
        mpg_json_new_line(j, 2);
        mpg_json_object(j, NULL);
        mpg_json_bool(j, "left_out", note->left_out);
        mpg_json_string(j, "path", note->path);
        mpg_json_string(j, "text", note->text);
        mpg_json_close(j);
    }
    mpg_json_close(j);
}
