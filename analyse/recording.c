/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/recording.h"

#include <math.h>
#include <stdio.h>

#include "trace/reader.h"

/* Limits of shares of the run time above which a recording counts as unreliable. Time off the CPU is removed where recorded. But
 * afterwards caches are cold, other programs take memory bandwidth, and the waiting of other ranks for the interrupted rank is
 * known only where messages show waiting. docs/VALIDATION.md, Busy recordings, has the resulting errors. Predictions use only
 * compute intervals; perturbations keep the traced times of calls. FEW: a share of interruptions below FEW does no harm to a
 * program that computes little on an otherwise idle machine. MENTIONED: smaller shares of recording are not mentioned. */
static const double MAX_BETWEEN = MPG_TRACE_FAIR_OFF, MAX_IN_ALL = MPG_TRACE_CALLS_OFF, MAX_OF_INTERVALS = 0.1;
static const double FEW = 0.01, MENTIONED = 0.005;
enum { PERCENT_BYTES = 12 };

bool mpg_recording_has_good_intervals(const struct mpg_recording *x)
{
    const bool is_quiet = x->between_share <= FEW && x->calls_share <= MAX_IN_ALL;
    return x->tracer_share <= MPG_TRACE_FAIR_OVERHEAD && x->between_share <= MAX_BETWEEN &&
           (x->interval_share <= MAX_OF_INTERVALS || is_quiet);
}

struct mpg_recording mpg_recording_of(const struct mpg_graph_counts *counts, double run_ns, enum mpg_recording_use use,
                                      bool known, bool removed)
{
    struct mpg_recording x = {.known = known, .removed = removed, .reliable = true};
    if (!(run_ns > 0))
        return x;
    x.between_share = (double)counts->off_ns / run_ns;
    x.calls_share = (double)counts->call_off_ns / run_ns;
    x.tracer_share = ((double)counts->tracer_ns + (double)counts->flushed_ns) / run_ns;
    x.interval_share = counts->interval_ns > 0 ? fmin(1, (double)counts->off_ns / (double)counts->interval_ns) : 0;
    x.reliable = mpg_recording_has_good_intervals(&x) &&
                 (use == MPG_RECORDING_INTERVALS || x.between_share + x.calls_share <= MAX_IN_ALL);
    return x;
}

bool mpg_recording_knows_off_cpu(const struct mpg_trace *trace)
{
    for (int32_t rank = 0; rank < mpg_trace_ranks(trace); rank++)
        if (!mpg_trace_find_fact(trace, rank, "off_cpu"))
            return false;
    return true;
}

struct mpg_recording mpg_recording_of_trace(const struct mpg_trace *trace, const struct mpg_graph_counts *counts, double run_ns,
                                            bool removed)
{
    return mpg_recording_of(counts, run_ns, MPG_RECORDING_ALL, mpg_recording_knows_off_cpu(trace), removed);
}

static bool knows_off_cpu(const struct mpg_recording *x)
{
    return x->known || x->between_share + x->calls_share > 0;
}

bool mpg_recording_has_findings(const struct mpg_recording *x)
{
    return knows_off_cpu(x) || x->tracer_share >= MENTIONED;
}

/* Writes SHARE, 0 to 1, as a percentage with two digits to TEXT of PERCENT_BYTES bytes, and returns TEXT. */
static const char *format_percent(double share, char *text)
{
    const double percent = 100 * share;
    snprintf(text, PERCENT_BYTES, percent >= 99.5 ? "%.0f" : "%.2g", percent);
    return text;
}

/* Describes the time off the CPU in words in TEXT of SIZE bytes, and returns TEXT. */
static const char *describe_off_cpu(const struct mpg_recording *x, char *text, size_t size)
{
    char between[PERCENT_BYTES], part[PERCENT_BYTES], calls[PERCENT_BYTES];
    const bool is_replaced = x->reliable && x->calls_share > MAX_IN_ALL;
    if (!knows_off_cpu(x))
        snprintf(text, size, "off-CPU times are not in the trace");
    else
        snprintf(text, size,
                 "off the CPU for %s %% of the run outside of MPI (%s %% of the time outside)%s%s %% of the run in MPI%s",
                 format_percent(x->between_share, between), format_percent(x->interval_share, part),
                 is_replaced && x->removed ? ", deducted; " : is_replaced ? "; " : ", ", format_percent(x->calls_share, calls),
                 is_replaced                 ? " (the prediction replaces this time)"
                 : x->reliable && x->removed ? ", both deducted"
                                             : "");
    return text;
}

const char *mpg_recording_describe(const struct mpg_recording *x, const char *advice, char *text, size_t size)
{
    const double percent = 100 * x->tracer_share;
    char off[224], tracer[48] = "";
    describe_off_cpu(x, off, sizeof off);
    if (x->tracer_share >= MENTIONED)
        snprintf(tracer, sizeof tracer, "; recording itself %.2g %%", percent);
    if (x->tracer_share > MPG_TRACE_FAIR_OVERHEAD)
        snprintf(text, size,
                 "NOT RELIABLE: recording itself took %.2g %% of the ranks' time: record with --callsites=0; %s", percent, off);
    else if (!x->reliable)
        snprintf(text, size, "NOT RELIABLE: %s: record again on an idle machine%s%s", off, advice, tracer);
    else if (x->tracer_share > MPG_TRACE_GOOD_OVERHEAD)
        snprintf(text, size, "fair: recording itself took %.2g %% of the ranks' time; %s", percent, off);
    else if (!knows_off_cpu(x))
        snprintf(text, size, "%s%s", off, tracer);
    else
        snprintf(text, size, "%s: %s%s",
                 x->calls_share > MAX_IN_ALL || x->between_share > MPG_TRACE_GOOD_OFF ? "fair" : "good", off, tracer);
    return text;
}

void mpg_recording_print_unreliable(const struct mpg_recording *x, int columns, FILE *out)
{
    char words[320];
    if (!x->reliable)
        fprintf(out, "%-*s%s\n", columns, "Recording", mpg_recording_describe(x, "", words, sizeof words));
}

void mpg_recording_json(struct mpg_json *j, const char *key, const struct mpg_recording *x)
{
    mpg_json_object(j, key);
    mpg_json_bool(j, "off_cpu_known", x->known);
    mpg_json_bool(j, "off_cpu_removed", x->removed);
    mpg_json_number(j, "off_cpu_share", x->between_share);
    mpg_json_number(j, "off_cpu_calls_share", x->calls_share);
    mpg_json_number(j, "off_cpu_outside_share", x->interval_share);
    mpg_json_number(j, "tracer_share", x->tracer_share);
    mpg_json_bool(j, "reliable", x->reliable);
    mpg_json_close(j);
}
