/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer as text, and the table of ranks. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "common/table/table.h"
#include "common/units.h"
#include "simulate/evaluate/driver/interval.h"
#include "simulate/reports/cause_worths.h"
#include "simulate/reports/extrapolated.h"
#include "simulate/reports/lines.h"
#include "simulate/reports/recording.h"
#include "simulate/reports/report.h"
#include "simulate/reports/short_answer.h"
#include "simulate/reports/hypothesis_shares.h"
#include "simulate/reports/critical.h"
#include "simulate/reports/where.h"
#include "trace/excerpt/excerpt.h"

static void print_time(FILE *out, double ns)
{
    char text[32];
    fputs(mpg_units_format_time(text, sizeof text, ns), out);
}

static void print_attention(const struct mpg_report *r, FILE *out)
{
    mpg_lines_warnings(&(struct mpg_lines){r->warnings, 1, sizeof *r->warnings}, out);
}

static void print_assumed(const struct mpg_report *r, FILE *out)
{
    mpg_lines_assumed(&(struct mpg_lines){r->warnings, 1, sizeof *r->warnings},
                      &(struct mpg_lines){r->assumed, 1, sizeof *r->assumed}, out);
}

bool mpg_report_source(const struct mpg_report *r, char *text, size_t size)
{
    const struct mpg_source *s = r->source;
    switch (s->origin) {
    case MPG_SOURCE_GIVEN:
        snprintf(text, size, "%s", s->signature->path);
        return true;
    case MPG_SOURCE_STORED:
        snprintf(text, size, "stored in the trace (%s)", s->why);
        return true;
    case MPG_SOURCE_TARGET:
        snprintf(text, size, "the target, too: the trace was recorded on its machine (%s); --source=none "
                             "takes none", s->why);
        return true;
    case MPG_SOURCE_REFUSED:
        snprintf(text, size, "none (--source=none)");
        return true;
    case MPG_SOURCE_UNKNOWN:
        break;
    }
    return false;
}

void mpg_report_excerpt(const struct mpg_report *r, FILE *out)
{
    if (mpg_trace_is_excerpt(r->trace))
        mpg_lines_put_head("excerpt", mpg_trace_find_fact(r->trace, 0, "excerpt"), out);
}

void mpg_report_program(const struct mpg_report *r, FILE *out)
{
    const char *key, *value;
    mpg_report_excerpt(r, out);
    for (size_t i = 0; mpg_trace_fact(r->trace, 0, i, &key, &value); i++)
        if (strcmp(key, "program") == 0)
            mpg_lines_put_head("program", value, out);
}

void mpg_report_counts(const char *trace, int32_t ranks, const struct mpg_graph_counts *c, bool synchronous, FILE *out)
{
    mpg_printable_put(out, trace);
    fprintf(out, ": %d %s, %" PRIu64 " %s, %" PRIu64 " %s", ranks, mpg_units_word((uint64_t)ranks, "rank", "ranks"), c->calls,
            mpg_units_word(c->calls, "call", "calls"), c->messages, mpg_units_word(c->messages, "message", "messages"));
    if (synchronous)
        fprintf(out, " (%" PRIu64 " synchronous)", c->synchronous_messages);
    fprintf(out, ", %" PRIu64 " %s\n", c->collectives, mpg_units_word(c->collectives, "collective", "collectives"));
}

static void print_head(const struct mpg_report *r, FILE *out)
{
    char source[MPG_SOURCE_WORDS];
    mpg_report_counts(mpg_trace_path(r->trace), r->result->ranks, &r->result->counts, true, out);
    mpg_report_program(r, out);
    if (r->p->target)
        mpg_lines_put_head("target", r->p->target->path, out);
    if (mpg_report_source(r, source, sizeof source))
        mpg_lines_put_head("source", source, out);
}

static void print_run(const struct mpg_report *r, const struct mpg_summary *s, FILE *out)
{
    double traced_ns = mpg_result_traced(r->result);
    const struct mpg_recording recording = mpg_report_recording(r);
    char text[320];
    uint32_t n = r->result->replicas;
    fprintf(out, "\nRun time, %u replica%s, seed %" PRIu64 "\n  traced        ", n,
            n == 1 ? "" : "s", r->p->seed);
    print_time(out, traced_ns);
    if (r->result->tracer_taken_out) {
        fputs(" without recording (", out);
        print_time(out, mpg_result_recorded(r->result));
        fputs(" with it)", out);
    } else if (recording.tracer_share >= 0.005)
        fprintf(out, "  (%.2g %% of it recording)", 100 * recording.tracer_share);
    fprintf(out, "\n  %-13s ", n > 1 ? "median" : r->result->predicted ? "predicted" : "perturbed");
    print_time(out, s->median);
    if (n > 1) {
        fputs("  (95 % confidence: ", out);
        print_time(out, s->low);
        fputs(" to ", out);
        print_time(out, s->high);
        fprintf(out, ")%s\n  5 %% to 95 %%   ", mpg_report_is_reliable(r) ? "" : "  NOT RELIABLE");
        print_time(out, s->p5);
        fputs(" to ", out);
        print_time(out, s->p95);
    }
    if (traced_ns > 0) {
        fprintf(out, "\n  %s%.5f", r->result->predicted ? "times traced  " : "slowdown      ",
                s->median / traced_ns);
        if (n > 1)
            fprintf(out, "  (95 %% confidence: %.5f to %.5f)", s->low / traced_ns,
                    s->high / traced_ns);
    }
    fputc('\n', out);
    if (mpg_recording_has_findings(&recording))
        fprintf(out, "  recording     %s\n", mpg_report_describe_recording(r, &recording, text, sizeof text));
    if (mpg_report_wrong_noise(r))
        fprintf(out, "  signature     %s\n", mpg_report_describe_wrong_noise(r, text, sizeof text));
}

struct mpg_summary mpg_report_run(const struct mpg_report *r, double *scratch)
{
    const struct mpg_result *q = r->result;
    struct mpg_summary run = mpg_summarise(q->run_ns, q->replicas, scratch);
    const struct mpg_resampling resampling = mpg_perturbation_resampling(r->p);
    mpg_interval_widen(&run, &resampling, q->run_ns, scratch, q->replicas, q->first_replica);
    return run;
}

/* Returns the summary of RANK's delay over all replicas. */
static struct mpg_summary rank_summary(const struct mpg_result *q, int32_t rank, double *scratch)
{
    return mpg_summarise(q->delay_ns + (size_t)rank * q->replicas, q->replicas, scratch);
}

static void print_ranks(const struct mpg_result *q, double *scratch, double *medians, FILE *out)
{
    int32_t min = 0, largest = 0;
    for (int32_t i = 0; i < q->ranks; i++) {
        medians[i] = rank_summary(q, i, scratch).median;
        if (medians[i] < medians[min])
            min = i;
        if (medians[i] > medians[largest])
            largest = i;
    }
    fprintf(out, "\n%s of a rank's end, median over replicas\n  least         ",
            q->predicted ? "Predicted minus recorded time" : "Delay");
    print_time(out, medians[min]);
    fprintf(out, " (rank %d)\n  largest       ", min);
    print_time(out, medians[largest]);
    fprintf(out, " (rank %d)\n", largest);
}

static int print_waits(const struct mpg_report *r, FILE *out, struct mpg_error *err)
{
    if (!r->waits)
        return 0;
    fprintf(out, "\nWait states, as traced and in replica %u, the median run\n", r->waits_replica);
    return mpg_waits_print_tables(r->waits, out, err);
}

/* Prints the tables that options request: shares of hypotheses, causes of noise, attribution, critical path, wait states. */
static int print_asked(const struct mpg_report *r, FILE *out, struct mpg_error *err)
{
    if (r->hypothesis_shares && mpg_hypothesis_shares_text(r->hypothesis_shares, out, err) < 0)
        return -1;
    if (r->cause_worths && mpg_cause_worths_text(r->cause_worths, out, err) < 0)
        return -1;
    if (r->where && mpg_where_print_text(r->where, r->verbose, out, err) < 0)
        return -1;
    if (r->critical && mpg_critical_print_text(r->critical, out, err) < 0)
        return -1;
    return print_waits(r, out, err);
}

/* Prints the smallest and the largest delay of a rank; then, as means over ranks, the delay budget or the parts of a predicted
 * run. On a parametric target prints the use of processors instead. */
static int print_delays(const struct mpg_report *r, double *scratch, double *medians, FILE *out, struct mpg_error *err)
{
    print_ranks(r->result, scratch, medians, out);
    if (r->extrapolation)
        return mpg_report_use(r, out, err);
    if (r->result->predicted)
        mpg_report_run_account(r->result, out);
    else
        mpg_report_account(r->result, out);
    return 0;
}

/* Prints the whole answer for --predict or --perturb. */
static int print_tables(const struct mpg_report *r, const struct mpg_summary *run, double *scratch, double *medians, FILE *out,
                        struct mpg_error *err)
{
    print_attention(r, out);
    print_head(r, out);
    print_run(r, run, out);
    if (print_asked(r, out, err) < 0 || print_delays(r, scratch, medians, out, err) < 0)
        return -1;
    print_assumed(r, out);
    return 0;
}

/* Prints the short answer, with the tables requested by options after the run times; with --verbose also all warnings, delays and
 * assumptions. */
static int print_short(const struct mpg_report *r, const struct mpg_summary *run, double *scratch, double *medians, FILE *out,
                       struct mpg_error *err)
{
    const bool asked = r->hypothesis_shares || r->cause_worths || r->where || r->critical || r->waits;
    if (mpg_short_answer_text(r, run, asked ? MPG_SHORT_ANSWER_RUNS : MPG_SHORT_ANSWER_WHOLE, out, err) < 0 ||
        print_asked(r, out, err) < 0 ||
        (asked && mpg_short_answer_text(r, run, MPG_SHORT_ANSWER_CAUSES, out, err) < 0))
        return -1;
    if (!r->verbose)
        return 0;
    fputc('\n', out);
    print_attention(r, out);
    mpg_short_answer_efficiency(r, run, out);
    if (print_delays(r, scratch, medians, out, err) < 0)
        return -1;
    print_assumed(r, out);
    return 0;
}

int mpg_report_text(const struct mpg_report *r, FILE *out, struct mpg_error *err)
{
    const struct mpg_result *q = r->result;
    double *scratch = malloc(q->replicas * sizeof *scratch);
    double *medians = malloc((size_t)q->ranks * sizeof *medians);
    int status = 0;
    if (scratch && medians) {
        const struct mpg_summary run = mpg_report_run(r, scratch);
        status = r->companions ? print_short(r, &run, scratch, medians, out, err)
                               : print_tables(r, &run, scratch, medians, out, err);
    } else
        status = mpg_error_set(err, "out of memory");
    free(scratch);
    free(medians);
    return status;
}

int mpg_report_per_rank(const struct mpg_report *r, char separator, FILE *out, struct mpg_error *err)
{
    static const struct mpg_table_column columns[] = {
        {.key = "rank"}, {.key = "traced_ns"}, {.key = "delay_ns_median"}, {.key = "delay_ns_p5"}, {.key = "delay_ns_p95"}};
    const struct mpg_result *q = r->result;
    struct mpg_table t = {MPG_TABLE_COLUMNS(columns), .separator = separator};
    double *scratch = malloc(q->replicas * sizeof *scratch);
    if (!scratch)
        return mpg_error_set(err, "out of memory");
    mpg_table_begin(&t, MPG_TABLE_CSV, out);
    for (int32_t i = 0; i < q->ranks; i++) {
        const struct mpg_summary s = rank_summary(q, i, scratch);
        mpg_table_integer(&t, i);
        mpg_table_numbers(&t, (double[]){q->traced_ns[i], s.median, s.p5, s.p95}, 4);
    }
    free(scratch);
    return mpg_table_end(&t, err);
}
