/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the components of a predicted run, and its assumptions. */
#include "simulate/reports/assume.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/units.h"
#include "simulate/evaluate/target.h"
#include "simulate/reports/trace_warnings.h"
#include "simulate/reports/extrapolated.h"

/* --- the account --- */

static void print_part(const char *what, double ns, double run_ns, FILE *out)
{
    char text[32];
    if (ns == 0)
        return;
    fprintf(out, "  %-28s %10s  %5.1f %%\n", what, mpg_units_format_time(text, sizeof text, ns),
            run_ns > 0 ? 100 * ns / run_ns : 0);
}

void mpg_report_run_account(const struct mpg_result *result, FILE *out)
{
    struct mpg_run_account a = mpg_result_run_account(result);
    fputs("\nWhat a rank's run consists of, mean of ranks and replicas\n", out);
    print_part("computing", a.compute_ns, a.run_ns, out);
    print_part(a.noise_ns < 0 ? "noise (less than was traced)" : "noise", a.noise_ns, a.run_ns,
               out);
    print_part("MPI overhead", a.call_ns, a.run_ns, out);
    print_part("waiting for messages", a.message_ns, a.run_ns, out);
    print_part("in collectives", a.collective_ns, a.run_ns, out);
    print_part("waiting for other threads", a.thread_ns, a.run_ns, out);
    print_part("waiting for a core", mpg_run_account_core_ns(&a), a.run_ns, out);
    print_part("run", a.run_ns, a.run_ns, out);
}

/* --- assumptions --- */

void mpg_predicted_messages(const struct mpg_report *r, FILE *out)
{
    const struct mpg_network_path *path = r->p->target_path;
    char latency[256], byte[256];
    if (r->p->parameters) {
        mpg_assume_parameters(r, out);
        return;
    }
    if (r->p->latency.n == 0 && r->p->byte.n == 0) {
        fprintf(out, "the target's %s at each message's size; traced message times are not used",
                 path->latency.n > 0 ? "one-way times" : "transfer times (the signature has no one-way times)");
        return;
    }
    mpg_specs_format(&r->p->latency, latency, sizeof latency);
    mpg_specs_format(&r->p->byte, byte, sizeof byte);
    fprintf(out, "each takes %s, and %s for its bytes",
             r->p->latency.n > 0 ? latency : "the target's time of an empty message",
             r->p->byte.n > 0 ? byte : path ? "the additional time on the target" : "nothing");
}

/* Returns whether all costs of messages come from the command line, and calls have no overhead. */
static bool all_given(const struct mpg_report *r)
{
    return r->p->latency.n > 0 && r->p->byte.n > 0;
}

void mpg_predicted_overheads(const struct mpg_report *r, FILE *out)
{
    const struct mpg_network_path *path = all_given(r) ? NULL : r->p->target_path;
    if (r->p->parameters) {
        fprintf(out, "sending: MsgBuildTime + CommStartupTime; receiving: ServiceTime; other calls: none");
        return;
    }
    fprintf(out, "sending: %s; receiving an arrived message: %s",
             !path                         ? "none, as traced"
             : path->send_overhead.n > 0   ? "the target's"
             : path->sender.n > 0          ? "the target's time in the send"
                                           : "not measured, as traced",
             path && path->receive_overhead.n > 0 ? "the target's" : "not measured, none");
}

/* Returns true if the messages of a rank are sent one after the other, a gap apart. */
static bool has_gap(const struct mpg_report *r)
{
    const struct mpg_network_path *path = all_given(r) ? NULL : r->p->target_path;
    return r->p->parameters || (path && path->streaming.n > 0);
}

void mpg_predicted_gap(const struct mpg_report *r, FILE *out)
{
    fprintf(out, "%s",
             has_gap(r)
                 ? r->p->parameters ? "a thread's messages leave one after the other, each when its processor has processed it"
                 : "a thread's messages leave one after the other, at the target's measured streaming rate"
                 : "none: a thread's messages leave as soon as it sends them");
}

void mpg_predicted_work(const struct mpg_report *r, FILE *out)
{
    char ratio[96] = "as fast as on the traced machine";
    if (r->p->compute_ratio != 1)
        snprintf(ratio, sizeof ratio, "takes %.6g times the traced time%s", r->p->compute_ratio,
                 r->p->counted_ratios ? ", by its processor counters" : "");
    const struct mpg_parameters *machine = r->extrapolation ? r->extrapolation->parameters : NULL;
    const char *against = machine ? machine->ratio_against : NULL;
    fprintf(out, "%s%s%s%s%s; work is %s", ratio, against ? " (MipsRatio is against " : "", against ? against : "",
            against ? ", not this trace's machine: --target=MipsRatio=1 leaves it out)" : "",
             !r->p->region_ratios   ? ""
             : r->p->counted_ratios ? ", in regions by their counters"
                                    : ", in regions as --compute-ratio says",
             r->result->counts.cpu_intervals > 0
                 ? "the CPU time of intervals where it is recorded"
                 : "the time between calls (no CPU times in the trace)");
}

void mpg_predicted_polling(const struct mpg_report *r, FILE *out)
{
    struct mpg_run_account mean = mpg_result_run_account(r->result);
    char limit[32], polled[32];
    if (r->times->polling == MPG_POLLING_WORK)
        fprintf(out, "unsuccessful tests and the time between two of them keep their traced time "
                             "(--polling=work)");
    else if (!r->result->predicted)
        fprintf(out, "up to %s between two unsuccessful tests is waiting, which noise does not lengthen "
                     "(--polling=work: computation)",
                 mpg_units_format_time(limit, sizeof limit, (double)r->times->polling_interval_ns));
    else
        fprintf(out, "unsuccessful tests cost nothing, and up to %s between two of them is waiting: "
                 "in this trace %s of a rank, mean of ranks (--polling=work: computation)",
                 mpg_units_format_time(limit, sizeof limit, (double)r->times->polling_interval_ns),
                 mpg_units_format_time(polled, sizeof polled, mean.polled_ns));
}

/* --- warnings --- */

static bool has_limit(const struct mpg_network_path *path)
{
    return path && path->eager_limit_bytes != MPG_EAGER_LIMIT_UNKNOWN;
}

/* Returns whether the times of calls contain waiting of the traced run, more than a hundredth of all ranks' time: sends waited in
 * the trace, and neither an eager limit nor send overheads are known. */
static bool keeps_waits(const struct mpg_report *r)
{
    const struct mpg_network_path *path = all_given(r) ? NULL : r->p->target_path;
    return !r->p->parameters && !r->given.eager_limit && !r->given.source_eager_limit &&
           !r->options->limit_shown && !has_limit(r->p->target_path) && !has_limit(r->p->source_path) &&
           (!path || path->send_overhead.n + path->sender.n == 0) && r->result->clocks != MPG_CLOCK_NONE &&
           r->result->counts.waited_ns * 100 > mpg_result_recorded(r->result) * r->result->ranks;
}

static void add_kept_waits(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_graph_counts *c = &r->result->counts;
    char waited[32];
    if (!keeps_waits(r))
        return;
    mpg_notes_add(list, "eager limit",
                      "none is known: in the trace %" PRIu64
                      " calls of MPI_Send waited for their receiver (%s, all together), and keep this time as MPI overhead, on "
                      "the critical path, too. With --eager-limit=%" PRId64
                      " (the largest limit that the trace allows), or with --source (a signature "
                      "of the traced machine with an eager limit), the calls wait for the predicted receiver",
                      c->waited_sends, mpg_units_format_time(waited, sizeof waited, c->waited_ns), c->waited_bytes - 1);
}

void mpg_predicted_missing(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_perturbation *p = r->p;
    const struct mpg_network_path *path = r->p->target_path;
    const struct mpg_graph_counts *c = &r->result->counts;
    if (!p->target || p->parameters)
        return;
    bool given = all_given(r), sent = c->messages > 0;
    char no_limit[160] = "none in this signature: ";
    mpg_warnings_describe_no_limit(r, no_limit + strlen(no_limit), sizeof no_limit - strlen(no_limit));
    const struct {
        bool missing;
        const char *topic, *text;
    } parts[] = {
        {p->noise.n == 0 && p->target_cores == 0, "noise",
         "none in this signature: nothing interrupts the computation (mpgbench or ftq measures it)"},
        {p->latency.n == 0 && path->latency.n == 0, "latency",
         "none in this signature: transfers stand for one-way times (pingpong measures them)"},
        {!r->given.eager_limit && !r->options->limit_shown && path && !has_limit(path) && !keeps_waits(r),
         "eager limit",
         no_limit},
        {!given && sent && path && (path->send_overhead.n == 0 || path->receive_overhead.n == 0),
         "overheads",
         "of sends or of receives are missing in this signature: these calls keep their traced time, or cost "
         "nothing (mpgbench overhead measures overheads)"},
        {!given && c->collectives > 0 && p->target->collectives == 0 && !p->ignores_collectives, "collectives",
         "none in this signature: the messages of their algorithms are not scaled to measured times (mpgbench collective "
         "measures collectives)"},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].missing)
            mpg_notes_add(list, parts[i].topic, "%s", parts[i].text);
}

void mpg_predicted_warnings(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_graph_counts *c = &r->result->counts;
    add_kept_waits(r, list);
    if (r->source->origin == MPG_SOURCE_UNKNOWN && r->p->target)
        mpg_notes_add(list, "source",
                          "none known, and the target does not replace it (%s): noise of the traced machine counts as "
                          "computation (give --source, or record with mpgtrace record --signature; --source=none "
                          "accepts this)", r->source->why);
    if (c->cpu_intervals == 0)
        mpg_warn_cores(r, list);
    if (c->expanded > 0 && !r->options->graph.expand_some && !has_gap(r))
        mpg_notes_add(list, "gap",
                          "messages of one rank overlap: no stream was measured, so many messages of a rank "
                          "in expanded collectives are too cheap (%s)",
                          all_given(r) ? "a --signature has streams; --latency and --byte do not"
                                       : "mpgbench bandwidth measures it");
    mpg_warn_placement(r, list);
}
