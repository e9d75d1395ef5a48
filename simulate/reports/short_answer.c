/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "simulate/reports/short_answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "common/text_stream.h"
#include "common/units.h"
#include "simulate/attribution/critical.h"
#include "simulate/reports/companions.h"
#include "simulate/reports/layout.h"
#include "simulate/reports/lines.h"
#include "simulate/reports/recording.h"
#include "simulate/reports/where.h"
#include "simulate/reports/where_terms.h"

/* Limits of the text: number of lines, number of warnings above the run time, and bytes of names. */
enum { MAX_LINES = 20, MAX_WARNINGS = 2, NAME_BYTES = 400, PROGRAM_BYTES = 60, FACT_BYTES = 40, SITE_BYTES = 90 };

/* MUCH: minimum relative difference between prediction and recorded run for an explanation; OFF_PART: minimum share of the time
 * in calls off the CPU to be mentioned. */
static const double MUCH = 0.1, OFF_PART = 0.1;
/* If recording takes at least this share of the recorded run, the run without recording is stated, too. */
static const double MUCH_RECORDING = 0.005;
/* Minimum relative difference between mean and median run for stating the mean run beside means of its parts. */
static const double SKEWED = 0.02;

/* Names of lines folded first on a narrow page. */
static const char *const folded_first[] = {"Predicted",  "Parallel efficiency", "Sensitivity", "Warning",   "Time of a rank",
                                           "Main cause", "Recording", "Perturbed",           "Signature",   NULL};

/* --- lines --- */

static void begin(FILE *out, const char *name)
{
    fprintf(out, "%-*s", MPG_LAYOUT_NAME, name);
}

/* Writes TEXT, escaped; a text of more than BYTES bytes ends with "...". */
static void put_name(FILE *out, const char *text, size_t bytes)
{
    char whole[NAME_BYTES], cut[NAME_BYTES];
    const bool is_cut = strlen(mpg_printable(whole, sizeof whole, text)) > bytes;
    fprintf(out, is_cut ? "%s..." : "%s", is_cut ? mpg_printable(cut, bytes - 2, text) : whole);
}

static void put_time(FILE *out, double ns)
{
    char text[32];
    fputs(mpg_units_format_time(text, sizeof text, ns), out);
}

static void put_range(FILE *out, double low_ns, double high_ns)
{
    put_time(out, low_ns);
    fputs(" to ", out);
    put_time(out, high_ns);
}

/* Writes ", " and VALUE up to its first comma. */
static void put_fact(FILE *out, const char *value)
{
    char text[120];
    if (!value)
        return;
    snprintf(text, sizeof text, "%.*s", (int)strcspn(value, ","), value);
    fputs(", ", out);
    put_name(out, text, FACT_BYTES);
}

/* Writes the traced command line, if recorded. */
static void put_program(const struct mpg_report *r, FILE *out)
{
    const char *program = mpg_trace_find_fact(r->trace, 0, "program");
    if (!program)
        return;
    fputs("program: ", out);
    put_name(out, program, PROGRAM_BYTES);
    fputs("; ", out);
}

static void put_head(const struct mpg_report *r, FILE *out)
{
    const struct mpg_signature *target = r->p->target;
    const struct mpg_network_path *path = r->p->target_path;
    char source[MPG_SOURCE_WORDS];
    mpg_report_counts(mpg_trace_path(r->trace), r->result->ranks, &r->result->counts, false, out);
    mpg_report_excerpt(r, out);
    put_program(r, out);
    fputs("target: ", out);
    mpg_printable_put(out, target && target->path ? target->path : "?");
    put_fact(out, target ? mpg_fact_find(target->fact, target->facts, "cpu") : NULL);
    put_fact(out, target ? mpg_fact_find(target->fact, target->facts, "mpi") : NULL);
    if (path && !r->placement)
        fprintf(out, ", messages by path '%s'", mpg_path_name(path->path));
    if (mpg_report_source(r, source, sizeof source)) {
        fputs("; source: ", out);
        mpg_printable_put(out, source);
    }
    fputs("\n\n", out);
}

static void put_warnings(const struct mpg_report *r, FILE *out)
{
    const struct mpg_notes *w = r->warnings;
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++) {
        if (mpg_lines_is_quality(&w->line[i]) || n++ >= MAX_WARNINGS)
            continue;
        fprintf(out, "Warning: %s: ", w->line[i].topic);
        mpg_printable_put(out, w->line[i].text);
        fputc('\n', out);
    }
    if (n > MAX_WARNINGS)
        fprintf(out, "Warning: %zu more (--verbose)\n", n - MAX_WARNINGS);
    if (n > 0)
        fputc('\n', out);
}

/* --- run times --- */

/* Returns whether the variation of the machine's speed from launch to launch is known. */
static bool knows_speed(const struct mpg_report *r)
{
    return r->companions && r->companions->speed.is_known;
}

static void put_predicted(const struct mpg_report *r, const struct mpg_summary *run, FILE *out)
{
    begin(out, r->result->predicted ? "Predicted run time" : "Perturbed run time");
    put_time(out, run->median);
    if (!mpg_report_is_reliable(r))
        fputs("  NOT RELIABLE", out);
    if (knows_speed(r)) {
        fputs("  (90 % of runs: ", out);
        put_range(out, r->companions->any_speed_90[0], r->companions->any_speed_90[1]);
        if (r->result->replicas > 1) {
            fputs("; at the recorded speed: ", out);
            put_range(out, run->p5, run->p95);
            fputs(", 95 % confidence: ", out);
            put_range(out, run->low, run->high);
        }
        fputc(')', out);
    } else if (r->result->replicas > 1) {
        fputs("  (95 % confidence: ", out);
        put_range(out, run->low, run->high);
        fputs("; 90 % of runs: ", out);
        put_range(out, run->p5, run->p95);
        fputc(')', out);
    }
    fputc('\n', out);
}

static void put_recorded(const struct mpg_report *r, const struct mpg_summary *run, FILE *out)
{
    const char *host = mpg_trace_find_fact(r->trace, 0, "host"), *cpu = mpg_trace_find_fact(r->trace, 0, "cpu");
    const double recorded_ns = mpg_result_traced(r->result), whole_ns = mpg_result_recorded(r->result);
    begin(out, "Recorded run time");
    const bool has_part = whole_ns - recorded_ns > MUCH_RECORDING * whole_ns;
    put_time(out, has_part ? recorded_ns : whole_ns);
    if (has_part) {
        fputs(" without recording (", out);
        put_time(out, whole_ns);
        fputs(" with it)", out);
    }
    if (recorded_ns > 0)
        fprintf(out, "  (%s / recorded: %.3g)", r->result->predicted ? "predicted" : "perturbed", run->median / recorded_ns);
    if (host) {
        fputs("  on ", out);
        put_name(out, host, FACT_BYTES);
    }
    put_fact(out, cpu);
    fputc('\n', out);
}

/* If the prediction differs much from the recorded run, writes the parts of calls and of computation in both. The parts are means
 * of replicas: where a few replicas are much longer, the parts add up to more than the median run, so the mean run is written. */
static void put_difference(const struct mpg_report *r, const struct mpg_summary *run, FILE *out)
{
    const struct mpg_result *q = r->result;
    const struct mpg_graph_counts *c = &q->counts;
    const struct mpg_run_account a = mpg_result_run_account(q);
    const double recorded_ns = mpg_result_traced(r->result), calls_ns = (double)c->calls_ns / q->ranks;
    double sum_ns = -(double)(c->tracer_ns + c->flushed_ns) / q->ranks;
    if (!q->predicted || c->threads > 0 || fabs(run->median - recorded_ns) <= MUCH * recorded_ns ||
        (run->low <= recorded_ns && recorded_ns <= run->high))
        return;
    for (int32_t i = 0; i < q->ranks; i++)
        sum_ns += (double)q->recorded_ns[i] / q->ranks;
    begin(out, "Difference");
    fputs("a rank spends ", out);
    put_time(out, a.message_ns + a.collective_ns + a.call_ns);
    fputs(" in MPI calls (recorded: ", out);
    put_time(out, calls_ns);
    if ((double)c->call_off_ns > OFF_PART * (double)c->calls_ns) {
        fputs(", of that ", out);
        put_time(out, (double)c->call_off_ns / q->ranks);
        fputs(" off its CPU", out);
    }
    fputs(") and computes for ", out);
    put_time(out, a.compute_ns + a.noise_ns);
    fputs(" (recorded: ", out);
    put_time(out, sum_ns - calls_ns);
    fputc(')', out);
    if (fabs(run->mean - run->median) > SKEWED * run->median) {
        fputs("; means of replicas, whose mean run takes ", out);
        put_time(out, run->mean);
    }
    fputc('\n', out);
}

static void put_perturbed(const struct mpg_report *r, const struct mpg_summary *run, FILE *out)
{
    const struct mpg_companions *c = r->companions;
    const struct mpg_summary *s = &c->perturbed;
    const double traced_ns = c->perturbed_traced_ns;
    begin(out, "Perturbed run");
    if (s->median == 0) {
        fputs("not simulated: ", out);
        mpg_printable_put(out, c->not_perturbed.text);
        fputc('\n', out);
        return;
    }
    put_time(out, s->median);
    if (!mpg_report_is_perturbed_reliable(r))
        fputs("  NOT RELIABLE", out);
    if (traced_ns > 0) {
        fprintf(out, "  slowdown %.4g", s->median / traced_ns);
        if (s->low < s->high)
            fprintf(out, " (%.4g to %.4g)", s->low / traced_ns, s->high / traced_ns);
    }
    fputs(" of the recorded run by the target's noise and network", out);
    if (s->low > run->high || s->high < run->low)
        fputs("; it keeps recorded waiting and call times, unlike the prediction", out);
    fputc('\n', out);
}

static const char *kernel_words(const char *kernel, char *text, size_t size)
{
    snprintf(text, size, "%s", kernel);
    for (char *p = text; *p; p++)
        if (*p == '_')
            *p = ' ';
    return text;
}

/* Writes the number of busy cores of a node on each machine, as far as known. */
static void put_busy(const struct mpg_busy_cores *busy, FILE *out)
{
    if (busy->source == 0 || busy->target == 0)
        return;
    if (busy->source == busy->target)
        fprintf(out, ", %d of a node busy,", busy->source);
    else
        fprintf(out, ", %d of a node busy as recorded and %d as predicted,", busy->source, busy->target);
}

/* Writes the computation ratio from the trace's counters; or the range of the prediction by the computation rates of both
 * machines. */
static void put_computation(const struct mpg_report *r, const struct mpg_summary *run, FILE *out)
{
    const struct mpg_companions *c = r->companions;
    char min[64], largest[64];
    if (c->kernels == 0 && !(c->counted_ratio > 0))
        return;
    begin(out, "Computation");
    if (c->counted_ratio > 0) {
        const struct mpg_compute_shares *s = &c->counted_shares;
        fprintf(out, "takes %.3g times as long, by its processor counters: %.0f %% compute-bound, %.0f %% bandwidth-bound, "
                     "%.0f %% latency-bound\n", c->counted_ratio, 100 * (s->floating + s->integer), 100 * s->bandwidth,
                100 * s->latency);
        return;
    }
    fputs("assumed as fast as recorded; by the measured rates of both machines' cores", out);
    put_busy(&c->busy, out);
    fprintf(out, " it takes %.3g (%s) to %.3g (%s) times as long, the run ", c->min.ratio,
            kernel_words(c->min.kernel, min, sizeof min), c->largest.ratio,
            kernel_words(c->largest.kernel, largest, sizeof largest));
    put_range(out, c->min.run_ns, c->largest.run_ns);
    const bool varies = knows_speed(r);
    if (c->min.run_ns < (varies ? c->any_speed_90[0] : run->low) || c->largest.run_ns > (varies ? c->any_speed_90[1] : run->high))
        fputs(varies ? ", more than the first interval allows for" : ", more than the intervals above allow for", out);
    fputs(" (choose by --compute-ratio=kernel:NAME)\n", out);
}

/* --- parts and efficiencies --- */

static void put_parts(const struct mpg_report *r, FILE *out)
{
    struct mpg_run_account a = mpg_result_run_account(r->result);
    /* negative noise: the source's noise, contained in compute_ns, exceeds the target's noise */
    const double less_ns = a.noise_ns < 0 ? -a.noise_ns : 0;
    if (less_ns > 0) {
        a.compute_ns -= less_ns;
        a.noise_ns = 0;
    }
    const struct {
        const char *name;
        double ns;
    } part[] = {{"computation", a.compute_ns}, {"waiting for messages", a.message_ns}, {"collectives", a.collective_ns},
                {"OS noise", a.noise_ns}, {"MPI overhead", a.call_ns}, {"waiting for threads", a.thread_ns},
                {"waiting for a core", mpg_run_account_core_ns(&a)}};
    const char *comma = "";
    if (!(a.run_ns > 0))
        return;
    begin(out, "Time of a rank");
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        if (fabs(part[i].ns) >= 0.0005 * a.run_ns) {
            fprintf(out, "%s%s %.1f %%", comma, part[i].name, 100 * part[i].ns / a.run_ns);
            comma = ", ";
            if (i == 0 && less_ns >= 0.0005 * a.run_ns)
                fprintf(out, " (with noise, of which the recorded run had %.1f %% more)", 100 * less_ns / a.run_ns);
        }
    fputc('\n', out);
}

/* Writes the interval X, unless both ends are equal when printed. */
static void put_interval(FILE *out, const double x[2])
{
    char low[32], high[32];
    snprintf(low, sizeof low, "%.2f", x[0]);
    snprintf(high, sizeof high, "%.2f", x[1]);
    if (strcmp(low, high) != 0)
        fprintf(out, " (%s to %s)", low, high);
}

static void put_efficiency(const struct mpg_predicted_efficiency *e, FILE *out)
{
    begin(out, "Parallel efficiency");
    fprintf(out, "%.2f", e->parallel);
    put_interval(out, e->parallel_95);
    fprintf(out, " = load balance %.2f x serialization %.2f x transfer %.2f x noise %.2f\n", e->load_balance, e->serialization,
            e->transfer, e->noise);
}

/* Names the efficiency factor that costs the most. */
static void put_cause(const struct mpg_predicted_efficiency *e, FILE *out)
{
    const double factor[] = {e->load_balance, e->serialization, e->transfer, e->noise};
    int worst = 0;
    for (int i = 1; i < 4; i++)
        if (factor[i] < factor[worst])
            worst = i;
    begin(out, "Main cause");
    if (factor[worst] > 0.98)
        fputs("none: each factor of the efficiency is above 0.98\n", out);
    else if (worst == 0 && e->min_ns > 0)
        fprintf(out, "load imbalance: rank %d computes %.3g times as long as rank %d, %.3g times the mean\n", e->largest_rank,
                e->largest_ns / e->min_ns, e->min_rank, e->largest_ns / e->mean_ns);
    else if (worst == 0)
        fprintf(out, "load imbalance: rank %d computes %.3g times the mean, rank %d not at all\n", e->largest_rank,
                e->largest_ns / e->mean_ns, e->min_rank);
    else if (worst == 1)
        fprintf(out, "serialization: ranks wait for each other in turns; on an ideal network the run takes %.3g times the "
                     "computation of rank %d\n", 1 / e->serialization, e->largest_rank);
    else if (worst == 2)
        fprintf(out, "transfer: latency, bandwidth and MPI overhead of the target take %.1f %% of the run\n",
                100 * (1 - e->transfer) * e->noise);
    else
        fprintf(out, "OS noise of the target takes %.1f %% of the run\n", 100 * (1 - e->noise));
}

/* --- places in the program --- */

/* Writes ROW: the call with the innermost line of its callsite, if known, or the computation before the call. */
static void put_site(const struct mpg_attribution_row *row, FILE *out)
{
    char text[NAME_BYTES], name[NAME_BYTES];
    const bool is_known = row->name && strcmp(row->name, "unknown") != 0;
    if (is_known)
        snprintf(name, sizeof name, "%.*s", (int)strcspn(row->name, "\n"), row->name);
    put_name(out, mpg_where_name_call(row->call, row->computes, is_known ? name : NULL, text, sizeof text), SITE_BYTES);
}

static double waited_of(const struct mpg_attribution_row *row)
{
    return row->term[3] + row->term[4]; /* messages and collectives, mean over ranks and replicas */
}

static void put_waiting(const struct mpg_where_report *w, FILE *out)
{
    const struct mpg_attribution_table *t = &w->table[0];
    const double run_ns = mpg_where_run(w->total.term);
    size_t max = 0;
    if (t->n == 0)
        return;
    for (size_t i = 1; i < t->n; i++)
        if (waited_of(&t->row[i]) > waited_of(&t->row[max]))
            max = i;
    const struct mpg_attribution_row *row = &t->row[max];
    if (!(waited_of(row) > 0.001 * run_ns))
        return;
    begin(out, "Most waiting");
    put_time(out, waited_of(row));
    fprintf(out, " per rank (%.1f %% of its time) in ", 100 * waited_of(row) / run_ns);
    put_site(row, out);
    fputc('\n', out);
}

/* Writes the place with the largest share of all replicas' critical paths: a call, or the computation before a call. */
static void put_path(const struct mpg_where_report *w, FILE *out)
{
    const struct mpg_attribution_table *t = &w->table[0];
    const double path_ns = mpg_critical_ns(w->total.term);
    size_t max = 0;
    for (size_t i = 1; i < t->n; i++)
        if (mpg_critical_ns(t->row[i].term) > mpg_critical_ns(t->row[max].term))
            max = i;
    if (t->n == 0 || !(path_ns > 0))
        return;
    begin(out, "Critical path");
    fprintf(out, "%.1f %% ", 100 * mpg_critical_ns(t->row[max].term) / path_ns);
    put_site(&t->row[max], out);
    fputc('\n', out);
}

static bool has_sensitivity(const struct mpg_sensitivity *s)
{
    return !isnan(s->latency) || !isnan(s->bandwidth) || !isnan(s->computation);
}

/* Writes PERCENT, the change of the run time by the parameter change WHAT. */
static void put_change(FILE *out, const char **separator, const char *what, double percent)
{
    if (isnan(percent))
        return;
    fprintf(out, fabs(percent) < 0.005 ? "%s%s 0 %%" : "%s%s %+.2g %%", *separator, what, percent);
    *separator = ", ";
}

static void put_sensitivity(const struct mpg_sensitivity *s, FILE *out)
{
    const char *separator = "run time with ";
    if (!has_sensitivity(s))
        return;
    begin(out, "Sensitivity");
    put_change(out, &separator, "10 % more computation", s->computation);
    put_change(out, &separator, "10 % more latency", s->latency);
    put_change(out, &separator, "10 % less bandwidth", s->bandwidth);
    fputc('\n', out);
}

/* --- the end --- */

/* Writes the reasons why the answer is not reliable, above the tables. */
static void put_reliability(const struct mpg_report *r, const struct mpg_recording *recording, FILE *out)
{
    char text[320];
    if (!recording->reliable) {
        begin(out, "Recording");
        fprintf(out, "%s\n", mpg_report_describe_recording(r, recording, text, sizeof text));
    }
    if (mpg_report_wrong_noise(r)) {
        begin(out, "Signature");
        fprintf(out, "%s\n", mpg_report_describe_wrong_noise(r, text, sizeof text));
    }
}

/* Writes findings about recording and signature, assumptions of the answer, and suggested next questions. IS_SAID:
 * put_reliability() was called. */
static void put_quality(const struct mpg_report *r, const struct mpg_recording *recording, bool is_said, FILE *out)
{
    char text[320];
    if (mpg_recording_has_findings(recording) && (recording->reliable || !is_said)) {
        begin(out, "Recording");
        fprintf(out, "%s\n", mpg_report_describe_recording(r, recording, text, sizeof text));
    }
    size_t signatures = 0;
    for (size_t i = 0; i < r->warnings->n; i++)
        if (mpg_lines_is_quality(&r->warnings->line[i]) && signatures++ == 0) {
            begin(out, "Signature");
            if (mpg_report_wrong_noise(r) && !is_said)
                fputs("NOT RELIABLE, measure again on an idle machine: ", out);
            mpg_printable_put(out, r->warnings->line[i].text);
        }
    if (signatures > 1)
        fputs("; another signature's: --verbose", out);
    fputs(signatures > 0 ? "\n" : "", out);
    begin(out, "Assumes");
    if ((!r->companions || r->companions->kernels == 0) && r->result->predicted && r->p->compute_ratio == 1 &&
        !r->p->counted_ratios)
        fputs("computation as fast as recorded (--compute-ratio), ", out);
    fprintf(out, "the recorded sequence of calls; all %zu assumptions: --verbose\n", r->assumed->n);
    begin(out, "Next");
    fputs("--where=callsite, --hypothesis, --report=FILE.html; the traced run under noise: --perturb\n", out);
}

static void put_runs(const struct mpg_report *r, const struct mpg_summary *run, FILE *out)
{
    put_head(r, out);
    put_warnings(r, out);
    put_predicted(r, run, out);
    put_recorded(r, run, out);
    if (r->companions) {
        put_difference(r, run, out);
        put_perturbed(r, run, out);
        put_computation(r, run, out);
    }
}

static void put_causes(const struct mpg_report *r, const struct mpg_summary *run, const struct mpg_recording *recording,
                       bool is_said, FILE *out)
{
    struct mpg_predicted_efficiency e;
    if (r->result->predicted)
        put_parts(r, out);
    if (r->companions && mpg_predicted_efficiency_of(r->companions, r->result, run, &e)) {
        put_efficiency(&e, out);
        put_cause(&e, out);
    }
    if (r->short_where && r->short_where->n > 0) {
        put_waiting(r->short_where, out);
        put_path(r->short_where, out);
    }
    if (r->companions)
        put_sensitivity(&r->companions->change, out);
    fputc('\n', out);
    put_quality(r, recording, is_said, out);
}

/* Returns all lines of PART, to be freed; NULL with ERR. */
static char *make_text(const struct mpg_report *r, const struct mpg_summary *run, enum mpg_short_answer_part part,
                       struct mpg_error *err)
{
    const struct mpg_recording recording = mpg_report_recording(r);
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (memory) {
        if (part != MPG_SHORT_ANSWER_CAUSES)
            put_runs(r, run, memory);
        if (part == MPG_SHORT_ANSWER_RUNS)
            put_reliability(r, &recording, memory);
        if (part != MPG_SHORT_ANSWER_RUNS) {
            fputc('\n', memory);
            put_causes(r, run, &recording, part == MPG_SHORT_ANSWER_CAUSES, memory);
        }
        if (mpg_text_end(memory, &text))
            return text;
    }
    mpg_error_set(err, "out of memory");
    return NULL;
}

int mpg_short_answer_text(const struct mpg_report *r, const struct mpg_summary *run, enum mpg_short_answer_part part, FILE *out,
                          struct mpg_error *err)
{
    char *text = make_text(r, run, part, err);
    const int status = text ? mpg_layout_put(text, MAX_LINES, r->columns, folded_first, out, err) : -1;
    free(text);
    return status;
}

/* Passes LINE of the text to TAKE with the argument WHOM; lines of the head (IS_HEAD) have no name. */
static void take_line(char *line, bool is_head, mpg_take_answer_line *take, void *whom)
{
    static const char warning[] = "Warning: ";
    struct mpg_answer_line one = {.kind = is_head ? MPG_ANSWER_HEAD : MPG_ANSWER_VALUE, .text = line};
    if (!*line)
        one.kind = MPG_ANSWER_GAP;
    else if (strncmp(line, warning, sizeof warning - 1) == 0) {
        one.kind = MPG_ANSWER_WARNING;
        one.text = line + sizeof warning - 1;
    } else if (!is_head && strlen(line) > MPG_LAYOUT_NAME) {
        one.name = line;
        one.text = line + MPG_LAYOUT_NAME;
        for (char *end = line + MPG_LAYOUT_NAME - 1; end >= line && *end == ' '; end--)
            *end = '\0';
    }
    take(whom, &one);
}

int mpg_short_answer_lines(const struct mpg_report *r, const struct mpg_summary *run, mpg_take_answer_line *take, void *whom,
                           struct mpg_error *err)
{
    char *text = make_text(r, run, MPG_SHORT_ANSWER_WHOLE, err);
    bool is_head = true;
    if (!text)
        return -1;
    for (char *line = text, *end; *line; line = end + 1) {
        if (!(end = strchr(line, '\n')))
            break;
        *end = '\0';
        is_head = is_head && *line;
        take_line(line, is_head, take, whom);
    }
    free(text);
    return 0;
}

/* Writes a row of the table of efficiencies. */
static void put_factor(FILE *out, const char *name, double value, const double interval[2], const char *meaning)
{
    char range[48] = "";
    if (interval && interval[0] < interval[1])
        snprintf(range, sizeof range, "(%.4f to %.4f)", interval[0], interval[1]);
    fprintf(out, "  %-21s %.4f  %-18s  %s\n", name, value, range, meaning);
}

void mpg_short_answer_efficiency(const struct mpg_report *r, const struct mpg_summary *run, FILE *out)
{
    struct mpg_predicted_efficiency e;
    if (!mpg_predicted_efficiency_of(r->companions, r->result, run, &e))
        return;
    fputs("\nEfficiencies of the predicted run (95 % confidence)\n", out);
    put_factor(out, "parallel efficiency", e.parallel, e.parallel_95, "mean computation of a rank / run time");
    put_factor(out, "load balance", e.load_balance, NULL, "mean / largest computation of a rank");
    put_factor(out, "serialization", e.serialization, NULL, "largest computation / run on an ideal network");
    put_factor(out, "transfer", e.transfer, e.transfer_95, "run on an ideal network / run without noise");
    put_factor(out, "noise", e.noise, e.noise_95, "run without noise / run");
}

/* --- JSON --- */

static void put_perturbed_json(struct mpg_json *j, const struct mpg_companions *c)
{
    if (c->perturbed.median == 0) {
        mpg_json_null(j, "perturbed");
        return;
    }
    mpg_json_object(j, "perturbed");
    mpg_json_number(j, "traced_run_time_ns", c->perturbed_traced_ns);
    mpg_json_number(j, "run_time_ns", c->perturbed.median);
    mpg_json_numbers(j, "run_time_confidence_95", (double[]){c->perturbed.low, c->perturbed.high}, 2);
    mpg_json_number(j, "slowdown", c->perturbed_traced_ns > 0 ? c->perturbed.median / c->perturbed_traced_ns : NAN);
    mpg_json_close(j);
}

static void put_kernel_json(struct mpg_json *j, const char *key, const struct mpg_kernel_run *k)
{
    mpg_json_object(j, key);
    mpg_json_string(j, "kernel", k->kernel);
    mpg_json_number(j, "ratio", k->ratio);
    mpg_json_number(j, "run_time_ns", k->run_ns);
    mpg_json_close(j);
}

void mpg_short_answer_json(struct mpg_json *j, const struct mpg_report *r, const struct mpg_summary *run)
{
    const struct mpg_companions *c = r->companions;
    const double recorded_ns = mpg_result_traced(r->result);
    struct mpg_predicted_efficiency e;
    put_perturbed_json(j, c);
    mpg_json_number(j, "predicted_over_recorded", recorded_ns > 0 ? run->median / recorded_ns : NAN);
    if (mpg_predicted_efficiency_of(c, r->result, run, &e)) {
        static const char *const names[] = {"parallel", "load_balance", "serialization", "transfer", "noise",
                                            "mean_computation_ns", "largest_computation_ns", "least_computation_ns",
                                            "ideal_run_time_ns"};
        mpg_json_object(j, "efficiency");
        mpg_json_members(j, names, (double[]){e.parallel, e.load_balance, e.serialization, e.transfer, e.noise, e.mean_ns,
                                              e.largest_ns, e.min_ns, c->ideal_ns}, 9);
        mpg_json_numbers(j, "parallel_confidence_95", e.parallel_95, 2);
        mpg_json_numbers(j, "transfer_confidence_95", e.transfer_95, 2);
        mpg_json_numbers(j, "noise_confidence_95", e.noise_95, 2);
        mpg_json_integer(j, "largest_computation_rank", e.largest_rank);
        mpg_json_integer(j, "least_computation_rank", e.min_rank);
        mpg_json_close(j);
    } else
        mpg_json_null(j, "efficiency");
    if (has_sensitivity(&c->change)) {
        static const char *const names[] = {"latency_10_percent_more", "bandwidth_10_percent_less",
                                            "computation_10_percent_more"};
        mpg_json_object(j, "sensitivity_percent");
        mpg_json_members(j, names, (double[]){c->change.latency, c->change.bandwidth, c->change.computation}, 3);
        mpg_json_close(j);
    }
    if (c->speed.is_known) {
        mpg_json_object(j, "machine_speed");
        mpg_json_numbers(j, "run_time_90_percent_ns", c->any_speed_90, 2);
        mpg_json_numbers(j, "computation_90_percent", (double[]){c->speed.low, c->speed.high}, 2);
        mpg_json_number(j, "log_sd", c->speed.sd);
        mpg_json_number(j, "degrees_of_freedom", c->speed.freedom);
        mpg_json_close(j);
    }
    if (c->counted_ratio > 0) {
        static const char *const names[] = {"ratio", "floating_point_bound", "integer_bound", "bandwidth_bound", "latency_bound"};
        const struct mpg_compute_shares *s = &c->counted_shares;
        mpg_json_object(j, "computation_counted");
        mpg_json_members(j, names, (double[]){c->counted_ratio, s->floating, s->integer, s->bandwidth, s->latency}, 5);
        mpg_json_close(j);
    }
    if (c->kernels > 0) {
        mpg_json_object(j, "computation_bounds");
        put_kernel_json(j, "least", &c->min);
        put_kernel_json(j, "largest", &c->largest);
        if (c->busy.source > 0)
            mpg_json_integer(j, "source_cores_busy", c->busy.source);
        if (c->busy.target > 0)
            mpg_json_integer(j, "target_cores_busy", c->busy.target);
        mpg_json_close(j);
    }
}
