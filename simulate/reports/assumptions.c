/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The assumptions of an answer, one note each. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "common/printable.h"
#include "common/text_stream.h"
#include "graph/work/bound_hypotheses.h"
#include "simulate/models/speed.h"
#include "simulate/noise/rank_threads.h"
#include "simulate/reports/assume.h"
#include "simulate/reports/tasks.h"
#include "simulate/rules.h"

void mpg_assume_specs(FILE *out, const struct mpg_specs *specs, bool from_signature, const char *signature)
{
    char text[512];
    if (specs->n == 0) {
        fputs(from_signature ? signature : "none", out);
        return;
    }
    mpg_specs_format(specs, text, sizeof text);
    fputs(text, out);
    if (specs->n > 1)
        fputs(mpg_specs_are_for_all(specs) ? " (added up)" : " (added up on ranks that several name)", out);
}

/* Writes to TEXT the smallest and the largest lost fraction of time of the recorded cores: a large fraction shows a measurement
 * under load. */
static void format_lost(const struct mpg_signature *sig, char *text, size_t size)
{
    double min = 1, max = 0;
    for (size_t i = 0; i < sig->cores; i++)
        if (sig->core[i].span_ns > 0) {
            min = fmin(min, sig->core[i].fraction_lost);
            max = fmax(max, sig->core[i].fraction_lost);
        }
    if (min < max)
        snprintf(text, size, "%.3g %% to %.3g %%", 100 * min, 100 * max);
    else
        snprintf(text, size, "%.3g %%", 100 * max);
}

/* Returns, in words, how the source's noise is removed. */
static const char *removed_text(const struct mpg_report *r)
{
    if (r->p->source_cores == 0)
        return "";
    if (r->p->source_noise.kind->work_in)
        return "; the source's losses by its FTQ quanta are removed first";
    if (r->result->counts.cpu_intervals == 0)
        return "; the source's noise is removed first, as far as intervals between the same two callsites show the noise";
    return r->result->cpu == MPG_CPU_NONE
               ? "; the source's noise is removed first, as far as intervals between the same two callsites show the noise "
                 "(by length: some intervals have no CPU time, or CPU times are shorter by more than noise)"
               : "; the source's noise is removed first, as far as CPU times of intervals between the same two "
                 "callsites show the noise";
}

static void print_noise(const struct mpg_report *r, FILE *out)
{
    const struct mpg_perturbation *p = r->p;
    const size_t hosts = p->target_noise.hosts;
    char replay[768], many[64] = "", lost[64] = "";
    if (hosts > 1)
        snprintf(many, sizeof many, " of %zu hosts, one host after another,", hosts);
    if (mpg_perturbation_noise_unchanged(p))
        snprintf(replay, sizeof replay,
                 "none added or removed: source and target have the same noise record");
    else if (p->target_cores == 0)
        snprintf(replay, sizeof replay, "none%s", removed_text(r));
    else {
        format_lost(p->target, lost, sizeof lost);
        mpg_noise_describe(&p->target_noise, many, lost, replay, sizeof replay);
        snprintf(replay + strlen(replay), sizeof replay - strlen(replay), "%s", removed_text(r));
    }
    mpg_assume_specs(out, &p->noise, p->target != NULL, replay);
    if (p->scales_noise)
        fprintf(out, "; durations multiplied by %.6g", p->noise_factor);
}

/* Writes the network path of messages on the target and, if different, on the source. */
static void print_cores(const struct mpg_report *r, FILE *out)
{
    fprintf(out, "all ranks share %" PRId32 " %s in turns of 3 ms, 5 us from one rank to the next (--cores)", r->options->cores,
            mpg_units_word((uint64_t)r->options->cores, "core", "cores"));
}

static void print_path(const struct mpg_report *r, FILE *out)
{
    const struct mpg_perturbation *p = r->p;
    const struct mpg_network_path *target = p->target_path, *source = p->source_path;
    const struct mpg_signature *sig = target ? p->target : p->source;
    const char *why = r->given.path && target ? "--map=path" :
                      sig->paths == 1         ? "the only one measured" :
                      target                  ? "the farthest measured; --map=path chooses" :
                                                "the farthest measured";
    fprintf(out, "%s's '%s' (%s)", target ? "target" : "source", mpg_path_name((target ? target : source)->path), why);
    if (target && source && target->path != source->path)
        fprintf(out, "; source's '%s': its signature has no such path", mpg_path_name(source->path));
}

bool mpg_report_uses_target_path(const struct mpg_report *r)
{
    const struct mpg_perturbation *p = r->p;
    return mpg_perturbation_latency_measured(p) || mpg_perturbation_bytes_measured(p) ||
           mpg_perturbation_overheads_measured(p) ||
           (p->target_path && !r->given.eager_limit &&
            p->target_path->eager_limit_bytes != MPG_EAGER_LIMIT_UNKNOWN);
}

/* Returns whether any cost depends on the network path. */
static bool uses_path(const struct mpg_report *r)
{
    return mpg_report_uses_target_path(r) || r->result->floors_of_source;
}

static void print_hypotheses(const struct mpg_report *r, FILE *out)
{
    const struct mpg_hypotheses *list = mpg_bound_list(r->options->graph.bound);
    for (size_t i = 0; i < list->n; i++)
        fprintf(out, "%s%s", i > 0 ? "; " : "", list->item[i].text);
}

static void print_compute(const struct mpg_report *r, FILE *out)
{
    const char *regions = !r->p->region_ratios   ? ""
                          : r->p->counted_ratios ? ", in regions by their counters"
                                                 : ", in regions by --compute-ratio";
    if (r->p->compute_ratio == 1)
        fprintf(out, "as fast as on the traced machine%s%s", regions,
                 r->p->target && !*regions ? " (--compute-ratio changes this)" : "");
    else
        fprintf(out, "takes %.6g times the traced time%s%s", r->p->compute_ratio,
                r->p->counted_ratios ? ", by processor counters and measured rates" : "", regions);
}

static void print_absorb(const struct mpg_report *r, FILE *out)
{
    static const char *const clocks[] = {"not comparable", "one clock", "measured offsets",
                                         "offsets bounded by the messages"};
    const struct mpg_result *q = r->result;
    switch (q->absorb) {
    case MPG_ABSORB_NONE:
        fprintf(out, "none: no delay is absorbed anywhere (conservative)");
        break;
    case MPG_ABSORB_WAIT:
        fprintf(out, "wait: waiting absorbs delay: the recorded time of a call beyond its minimum%s",
                 r->options->absorb_given ? "" : " (the ranks' clocks are not comparable)");
        break;
    case MPG_ABSORB_CLOCK:
        fprintf(out, "clock: waiting and early messages absorb delay (clocks: %s)",
                 clocks[q->clocks]);
        break;
    }
}

static void print_factors(const struct mpg_report *r, FILE *out)
{
    fprintf(out, "the target's message times are multiplied: by %.6g for an empty message, by %.6g for the rest; "
                 "collectives by the messages of their algorithms (--latency, --byte)", r->p->latency_factor, r->p->byte_factor);
}

static void print_call_noise(const struct mpg_report *r, FILE *out)
{
    fprintf(out, "%s",
             mpg_perturbation_call_noise_measured(r->p)
                 ? "the target's noise also interrupts work inside calls. The measured times of messages contain some of this "
                   "noise, which counts twice"
                 : "none added: source and target have the same noise record");
    if (r->p->scales_call_noise)
        fprintf(out, "; durations multiplied by %.6g", r->p->call_noise_factor);
}

static void print_floors(const struct mpg_report *r, FILE *out)
{
    const struct mpg_floor_options *o = &r->options->floors;
    char latency[32], byte[32];
    if (o->has_source_cost)
        fprintf(out, "message times: given, %s and %s a byte",
                 mpg_units_format_time(latency, sizeof latency, o->latency_ns),
                 mpg_units_format_time(byte, sizeof byte, o->byte_ns));
    else
        fprintf(out, "message times: %s", r->result->floor_rule);
}

/* Returns, in words, why calls complete the traced messages; NULL: requested by an option. */
static const char *reason_kept(const struct mpg_report *r)
{
    bool could = r->options->deterministic || r->result->predicted ||
                 r->result->absorb != MPG_ABSORB_NONE;
    return could ? "" : " (choosing takes --absorb=clock or wait)";
}

static void print_choice(const struct mpg_report *r, FILE *out)
{
    const struct mpg_result *q = r->result;
    const struct mpg_graph_counts *c = &q->counts;
    const uint64_t followed = c->followed + c->followed_receives;
    if (followed > 0)
        fprintf(out, "%" PRIu64 " %s (Waitany, Waitsome, Test..., receives and probes from any source) "
                        "choose by the predicted arrivals; mean per replica: %.4g complete another message than traced, "
                        "%.4g tests succeed earlier, %.4g failed tests are saved%s",
                        followed, mpg_units_word(followed, "call", "calls"),
                        (double)q->choices.picks_changed / q->replicas,
                        (double)q->choices.tests_early / q->replicas,
                        (double)q->choices.tests_saved / q->replicas,
                        c->choices > c->followed ? "; " : "");
    if (c->choices > c->followed)
        fprintf(out, "%" PRIu64 " %s (Waitany, Waitsome, Test..., Iprobe, Improbe, Parrived) %s "
                 "traced message%s",
                 c->choices - c->followed, mpg_units_word(c->choices - c->followed, "call", "calls"),
                 mpg_units_word(c->choices - c->followed, "keeps the", "keep the"), reason_kept(r));
}

/* Returns whether any MPI_ANY_SOURCE receive keeps the traced message although calls can choose. */
static bool keeps_receives(const struct mpg_report *r)
{
    const bool chooses = !r->options->deterministic &&
                         (r->result->predicted || r->result->absorb == MPG_ABSORB_CLOCK);
    return chooses && r->result->counts.open_kept > 0;
}

static void print_kept(const struct mpg_report *r, FILE *out)
{
    fprintf(out, r->result->counts.open_kept == 1
                 ? "%" PRIu64 " receive or probe from any source keeps its recorded sender: the message waits for its "
                   "receiver, or several threads of the rank made calls"
                 : "%" PRIu64 " receives and probes from any source keep their recorded senders: the messages wait "
                   "for their receivers, or several threads of the rank made calls",
             r->result->counts.open_kept);
}

/* Writes the numbers of messages and replicas that keep the traced order. */
static void print_answers(const struct mpg_report *r, FILE *out)
{
    const struct mpg_result *q = r->result;
    fprintf(out, "mean per replica: %.4g messages keep their traced receiver although they may answer a message that was "
             "completed at another time; %" PRIu32 " %s, in which a message would leave before its "
             "cause or a receive would find no message, %s the traced order; %" PRIu64 " %s did "
             "not consider messages beyond --horizon",
             (double)q->choices.answers / q->replicas, q->redone, mpg_units_word(q->redone, "replica", "replicas"),
             mpg_units_word(q->redone, "keeps", "keep"), q->counts.beyond_horizon,
             mpg_units_word(q->counts.beyond_horizon, "call", "calls"));
}

static void print_sends(const struct mpg_report *r, FILE *out)
{
    const struct mpg_graph_counts *c = &r->result->counts;
    fprintf(out, "%" PRIu64 " %s never completed by their sender, %" PRIu64
             " of them received only by polling: their order is not guaranteed under perturbation",
             c->uncompleted_sends, mpg_units_word(c->uncompleted_sends, "send is", "sends are"), c->asynchronous);
}

static void print_cancelled(const struct mpg_report *r, FILE *out)
{
    fprintf(out, "%" PRIu64 " %s cancelled and never completed: cancelled receives match no message",
             r->result->counts.cancelled,
             mpg_units_word(r->result->counts.cancelled, "request was", "requests were"));
}

static void print_threads(const struct mpg_report *r, FILE *out)
{
    fprintf(out, "%" PRIu64 " beside the first of each rank: each continues from its rank's last event before the thread's "
             "first call, and MPI_Finalize waits for all threads",
             r->result->counts.threads);
}

static void print_parallel(const struct mpg_report *r, FILE *out)
{
    const struct mpg_rank_threads *threads = r->p->threads;
    int32_t ranks = 0;
    uint32_t most = 1;
    for (int32_t i = 0; i < threads->ranks; i++) {
        ranks += threads->rank[i].threads > 1;
        most = threads->rank[i].threads > most ? threads->rank[i].threads : most;
    }
    fprintf(out,
            "regions of up to %" PRIu32 " threads on %" PRId32 " of %" PRId32 " ranks end with the slowest thread, as the work "
            "was shared in all visits together; each thread meets the noise of its own core%s",
            most, ranks, threads->ranks,
            r->p->source_cores > 0 ? "; the source's noise is removed as from one thread, the rest is part of the work" : "");
}

static void print_one_sided(const struct mpg_report *r, FILE *out)
{
    const struct mpg_graph_counts *c = &r->result->counts;
    const bool known = mpg_perturbation_one_sided_measured(r->p) && !r->p->parameters;
    const bool messages = r->result->predicted && r->p->target && !r->p->parameters && !known;
    fprintf(out,
            "%" PRIu64 " %s: all ranks meet in a fence, MPI_Win_complete waits for post and MPI_Win_wait for "
            "complete; %s %s; waiting for a lock is not modelled%s",
            c->transfers, mpg_units_word(c->transfers, "transfer", "transfers"),
            known ? "operations, locks, unlocks, flushes and fences take the signature's times of one-sided operations"
                  : "unlock, flush and Wait take a round trip",
            mpg_assume_target_progress(r) ? "in which the target's processor serves" : "without the target's processor",
            messages ? "; bytes take as long as a message's by the signature: a direct copy in shared memory is faster "
                       "(mpgbench onesided measures it)"
                     : "");
    if (c->transfers_alone)
        fprintf(out, "; no call waits for %" PRIu64 " of the transfers", c->transfers_alone);
}

/* Writes the collectives that are simulated as messages because of hypotheses. */
static void print_partial(const struct mpg_report *r, FILE *out)
{
    const struct mpg_graph_counts *c = &r->result->counts;
    if (r->options->graph.unexpanded) {
        fprintf(out, "collectives with a root and scans are messages, even if measured: hypotheses change for whom "
                             "their members wait");
        return;
    }
    fprintf(out, "%" PRIu64 " of %" PRIu64 ", with a root or scans, are the messages of their algorithms, by %s: "
             "hypotheses change for whom their members wait (--collectives=measured: none are, =expand: all)",
             c->expanded, c->collectives, r->collective_table ? r->collective_table : "the built-in table");
}

static void print_other_jobs(const struct mpg_report *r, FILE *out)
{
    fprintf(out, "%" PRIu64 " %s with processes of another MPI_COMM_WORLD %s not followed: "
             "no rank here waits for those processes",
             r->result->counts.foreign, mpg_units_word(r->result->counts.foreign, "operation", "operations"),
             mpg_units_word(r->result->counts.foreign, "is", "are"));
}

static void print_device(const struct mpg_report *r, FILE *out)
{
    const uint64_t n = r->result->counts.device_calls;
    const bool measured = r->p->target && r->p->target->device_paths > 0;
    fprintf(out, "%" PRIu64 " %s buffers in the memory of GPUs: their messages take the times of the host's memory%s", n,
            mpg_units_word(n, "call has", "calls have"), measured ? ", not the signature's times between GPUs" : "");
}

static void print_files(const struct mpg_report *r, FILE *out)
{
    const uint64_t n = r->result->counts.file_calls;
    fprintf(out, "%" PRIu64 " %s of MPI-IO %s traced time, and %s for no rank", n, mpg_units_word(n, "call", "calls"),
             mpg_units_word(n, "keeps its", "keep their"), mpg_units_word(n, "waits", "wait"));
}

static void print_failed(const struct mpg_report *r, FILE *out)
{
    const uint64_t n = r->result->counts.failed;
    fprintf(out, "%" PRIu64 " %s time but %s no effect", n,
             mpg_units_word(n, "call returned an error: it takes", "calls returned an error: they take"),
             mpg_units_word(n, "has", "have"));
}

static void print_without(const struct mpg_report *r, FILE *out)
{
    (void)r;
    fputs("rules left out of the model:", out);
    for (int i = 0; i < MPG_RULES; i++)
        if (!mpg_rule_holds((enum mpg_rule)i))
            fprintf(out, " %s", mpg_rule_name((enum mpg_rule)i));
}

static void print_tracer(const struct mpg_report *r, FILE *out)
{
    const struct mpg_graph_counts *c = &r->result->counts;
    char recording[32], writing[32], all[32];
    double traced_ns = 0, own_ns = (double)c->tracer_ns + (double)c->flushed_ns;
    for (int32_t i = 0; i < r->result->ranks; i++)
        traced_ns += (double)r->result->recorded_ns[i];
    fprintf(out, "%s (%.3g %%) of all ranks' traced time is the tracer's own and not counted as computation%s: "
             "%s for recording, %s for writing files",
             mpg_units_format_time(all, sizeof all, own_ns),
             traced_ns > 0 ? 100 * own_ns / traced_ns : 0,
             r->result->tracer_taken_out ? ", and removed from the run" : "",
             mpg_units_format_time(recording, sizeof recording, (double)c->tracer_ns),
             mpg_units_format_time(writing, sizeof writing, (double)c->flushed_ns));
}

/* Writes the tool that recorded an imported trace, and the assumptions of the import (facts "imported", "assumed"). */
static void print_imported(const struct mpg_report *r, FILE *out)
{
    const char *key, *value;
    mpg_printable_put(out, mpg_trace_find_fact(r->trace, 0, "imported"));
    for (size_t i = 0, n = 0; mpg_trace_fact(r->trace, 0, i, &key, &value); i++)
        if (strcmp(key, "assumed") == 0) {
            fputs(n++ > 0 ? "; " : ": ", out);
            mpg_printable_put(out, value);
        }
}

/* Writes the variation of the speed of computation from launch to launch. */
static void print_speed(const struct mpg_report *r, FILE *out)
{
    const struct mpg_launch_speed speed = mpg_speed_of(r->p);
    fprintf(out, "as recorded; by the launches of both machines computation takes %.3g to %.3g times as long in 90 %% of runs, "
                 "which %s", speed.low, speed.high,
            r->companions ? "the first interval of the predicted run time contains"
            : r->is_row   ? "the interval of 90 % of runs contains; confidence and ratios of rows are at the recorded speed"
                          : "the intervals do not contain (the short answer has one that does)");
}

int mpg_assumptions_gather(const struct mpg_report *r, struct mpg_notes *list, struct mpg_error *err)
{
    const struct mpg_graph_counts *c = &r->result->counts;
    const bool predicted = r->result->predicted, perturbed = !predicted;
    const bool expands = r->options->graph.unexpanded || (r->options->graph.expand && !r->options->graph.expand_some);
    const struct {
        const char *topic;
        mpg_assume *print;
        bool applies;
        const char *text; /* text of a note that needs no function */
    } all[] = {
        {"without", print_without, mpg_rules_left_out() != 0, NULL},
        {"import", print_imported, r->trace && mpg_trace_find_fact(r->trace, 0, "imported"), NULL},
        {"noise", print_noise, true, NULL},
        {"latency", mpg_assume_latency, perturbed, NULL},
        {"byte time", mpg_assume_bytes, perturbed, NULL},
        {"factors", print_factors, r->p->scales_messages, NULL},
        {"messages", mpg_predicted_messages, predicted, NULL},
        {"rows", mpg_assume_rows, mpg_perturbation_latency_measured(r->p), NULL},
        {"overheads", mpg_assume_overheads, perturbed && r->p->target_path != NULL, NULL},
        {"overheads", mpg_predicted_overheads, predicted, NULL},
        {"gap", mpg_predicted_gap, predicted, NULL},
        {"collectives", mpg_assume_collectives,
         c->collectives > 0 && (predicted || expands || mpg_perturbation_collectives_measured(r->p)), NULL},
        {"in collectives", print_partial, r->options->graph.expand_some && c->expanded > 0, NULL},
        {"policy", mpg_assume_policy, r->extrapolation != NULL, NULL},
        {"network", mpg_assume_network, r->extrapolation && r->p->parameters, NULL},
        {"processors", mpg_assume_processors, r->extrapolation != NULL, NULL},
        {"device memory", print_device, c->device_calls > 0, NULL},
        {"processors", print_cores, r->options->cores > 0, NULL},
        {"launches", NULL, r->p->launch != NULL,
         "each pair of replicas draws all message times from one randomly chosen launch of the benchmarks"},
        {"path", print_path, uses_path(r) && !r->placement, NULL},
        {"placement", mpg_assume_placement, r->placement || r->source_placement, NULL},
        {"compute", print_compute, perturbed, NULL},
        {"compute", mpg_predicted_work, predicted, NULL},
        {"speed", print_speed, mpg_speed_of(r->p).is_known, NULL},
        {"hypotheses", print_hypotheses, r->options->graph.bound, NULL},
        {"polling", mpg_predicted_polling, (predicted || perturbed) && c->choices > 0, NULL},
        {"call noise", print_call_noise, r->p->call_noise_of_target, NULL},
        {"absorption", print_absorb, perturbed, NULL},
        {"call edges", NULL, perturbed && r->p->call_edges == MPG_CALL_EDGES_PAPER && r->p->call_noise.n > 0,
         "paper: noise of a call that posts a message delays the message, and noise of a receive delays its synchronous sender"},
        {"reductions", NULL, r->options->graph.sync_reduce,
         "members of a Reduce or Gather(v) wait until the root ends the call; of a nonblocking one, until the root has "
         "started the call"},
        {"eager limit", mpg_assume_eager, true, NULL},
        {"progress", mpg_assume_progress, mpg_report_has_weak_progress(r), NULL},
        {"overlap", mpg_assume_overlap, mpg_report_overlaps(r), NULL},
        {"starts", NULL, r->options->graph.has_weak_progress && r->options->graph.weak.win_start_waits,
         "MPI_Win_start, not MPI_Win_complete, waits for MPI_Win_post (shown by the trace)"},
        {"served", mpg_assume_transfers, r->options->graph.has_weak_progress && r->options->graph.weak.rma_number > 0, NULL},
        {"nonblocking", mpg_assume_moved, mpg_report_moves(r), NULL},
        {"minimum time", print_floors, r->result->floor_rule != NULL, NULL},
        {"choice", print_choice, c->choices + c->followed_receives > 0, NULL},
        {"kept", print_kept, keeps_receives(r), NULL},
        {"answers", print_answers,
         r->result->choices.answers + r->result->redone + c->beyond_horizon > 0, NULL},
        {"tasks", mpg_assume_tasks, r->tasks && r->tasks->is_by_arrival, NULL},
        {"asynchronous", print_sends, c->uncompleted_sends > 0, NULL},
        {"cancelled", print_cancelled, c->cancelled > 0, NULL},
        {"threads", print_threads, c->threads > 0, NULL},
        {"parallel", print_parallel, r->p->threads != NULL, NULL},
        {"one-sided", print_one_sided, c->transfers > 0, NULL},
        {"other jobs", print_other_jobs, c->foreign > 0, NULL},
        {"files", print_files, c->file_calls > 0, NULL},
        {"failed", print_failed, c->failed > 0, NULL},
        {"tracer", print_tracer, c->flushed_ns + c->tracer_ns > 0, NULL},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        char *text = NULL;
        size_t size;
        FILE *out = all[k].applies ? open_memstream(&text, &size) : NULL;
        if (out && all[k].print)
            all[k].print(r, out);
        else if (out)
            fputs(all[k].text, out);
        if (all[k].applies && (!out || !mpg_text_end(out, &text)))
            return mpg_error_set(err, "out of memory");
        if (text)
            mpg_notes_add(list, all[k].topic, "%s", text);
        free(text);
    }
    return mpg_notes_end(list, err);
}
