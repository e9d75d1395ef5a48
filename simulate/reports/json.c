/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The whole answer as JSON (mpgsim-json(5)). */
#include <math.h>
#include <stdlib.h>

#include "analyse/overview.h"
#include "graph/work/bound_hypotheses.h"
#include "simulate/reports/cause_worths.h"
#include "simulate/reports/assume.h"
#include "simulate/reports/critical.h"
#include "simulate/reports/extrapolated.h"
#include "simulate/reports/json_parts.h"
#include "simulate/reports/recording.h"
#include "simulate/reports/short_answer.h"
#include "simulate/reports/hypothesis_shares.h"
#include "simulate/reports/where.h"
#include "simulate/reports/tasks.h"
#include "simulate/rules.h"
#include "trace/excerpt/excerpt.h"

enum { JSON_VERSION = 2 };

void mpg_answer_put_summary(struct mpg_table *t, const struct mpg_summary *s)
{
    mpg_table_numbers(t, (double[]){s->mean, s->sd, s->min, s->p5, s->median, s->p95, s->largest}, 7);
    mpg_table_range(t, s->low, s->high);
}

void mpg_answer_summary(struct mpg_json *j, const char *key, const struct mpg_summary *s)
{
    static const char *const names[] = {"mean", "sd", "least", "p5", "median", "p95", "largest"};
    mpg_json_object(j, key);
    mpg_json_members(j, names, (double[]){s->mean, s->sd, s->min, s->p5, s->median, s->p95, s->largest}, 7);
    mpg_json_numbers(j, "median_confidence_95", (double[]){s->low, s->high}, 2);
    mpg_json_close(j);
}

void mpg_answer_lines(struct mpg_json *j, const char *key, const struct mpg_notes *a)
{
    mpg_json_array(j, key);
    for (size_t i = 0; i < a->n; i++) {
        mpg_json_object(j, NULL);
        mpg_json_string(j, "topic", a->line[i].topic);
        mpg_json_string(j, "text", a->line[i].text);
        mpg_json_close(j);
    }
    mpg_json_close(j);
}

static void put_trace(struct mpg_json *j, const struct mpg_report *r)
{
    const struct mpg_graph_counts *c = &r->result->counts;
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {
        {"calls", c->calls},
        {"messages", c->messages},
        {"synchronous_messages", c->synchronous_messages},
        {"made_eager", c->made_eager},
        {"made_synchronous", c->made_synchronous},
        {"collectives", c->collectives},
        {"choices_kept", c->choices - c->followed},
        {"receives_kept", c->open_kept},
        {"uncompleted_sends", c->uncompleted_sends},
        {"asynchronous", c->asynchronous},
        {"cancelled", c->cancelled},
        {"threads", (uint64_t)r->result->ranks + c->threads},
        {"one_sided", c->transfers},
        {"shared_windows", c->shared_windows},
        {"foreign", c->foreign},
        {"file_calls", c->file_calls},
        {"device_calls", c->device_calls},
        {"unknown_calls", c->unknown},
        {"failed_calls", c->failed},
        {"flushed_ns", c->flushed_ns},
        {"tracer_ns", c->tracer_ns},
        {"cpu_intervals", c->cpu_intervals},
        {"unmatched", c->unmatched},
        {"truncated", c->truncated},
        {"incomplete_ranks", c->incomplete_ranks},
    };
    mpg_json_object(j, "trace");
    mpg_json_string(j, "path", mpg_trace_path(r->trace));
    if (mpg_trace_is_excerpt(r->trace))
        mpg_json_string(j, "excerpt", mpg_trace_find_fact(r->trace, 0, "excerpt"));
    mpg_json_integer(j, "ranks", r->result->ranks);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        mpg_json_count(j, numbers[i].key, numbers[i].value);
    mpg_json_close(j);
}

/* ---- options ---- */

/* Puts the given distributions; without distributions "signature" if IS_MEASURED, else null. */
static void put_specs(struct mpg_json *j, const char *key, const struct mpg_specs *specs, bool is_measured)
{
    char text[4096];
    mpg_specs_format(specs, text, sizeof text);
    mpg_json_string(j, key, specs->n > 0 ? text : is_measured ? "signature" : NULL);
}

static void put_call_noise(struct mpg_json *j, const struct mpg_perturbation *p)
{
    char specs[4096], text[4200];
    if (!p->call_noise_of_target) {
        put_specs(j, "call_noise", &p->call_noise, false);
        return;
    }
    mpg_specs_format(&p->call_noise, specs, sizeof specs);
    snprintf(text, sizeof text, "signature%s%s", p->call_noise.n > 0 ? " + " : "", specs);
    mpg_json_string(j, "call_noise", text);
}

static const char *path_name(const struct mpg_network_path *path)
{
    return path ? mpg_path_name(path->path) : NULL;
}

/* Puts LIMIT_BYTES; null if it is INT64_MAX: unlimited, or not known. */
static void put_limit(struct mpg_json *j, const char *key, int64_t limit_bytes)
{
    if (limit_bytes == INT64_MAX)
        mpg_json_null(j, key);
    else
        mpg_json_integer(j, key, limit_bytes);
}

static void put_weak_progress(struct mpg_json *j, const struct mpg_weak_progress *c)
{
    mpg_json_object(j, "weak_progress_bytes");
    put_limit(j, "blocking", c->blocking_bytes);
    put_limit(j, "requested", c->requested_bytes);
    mpg_json_close(j);
}

/* Puts the kinds of one-sided transfers that wait for a call of the target. */
static void put_served(struct mpg_json *j, const struct mpg_weak_progress *c)
{
    mpg_json_array(j, "served_transfers");
    for (uint32_t i = 0; i < c->rma_number; i++) {
        const struct mpg_rma_progress *s = &c->rma[i];
        mpg_json_object(j, NULL);
        mpg_json_string(j, "call", mpg_call_name(s->call));
        mpg_json_integer(j, "bytes", s->bytes);
        mpg_json_bool(j, "starting", s->starting);
        mpg_json_bool(j, "completing", s->completing);
        mpg_json_close(j);
    }
    mpg_json_close(j);
}

/* Puts the progress of nonblocking collectives. */
static void put_nonblocking(struct mpg_json *j, const struct mpg_weak_progress *c)
{
    mpg_json_object(j, "nonblocking_collectives");
    mpg_json_array(j, "kinds");
    for (uint32_t i = 0; i < c->nonblocking_number; i++) {
        const struct mpg_nonblocking *m = &c->nonblocking[i];
        mpg_json_object(j, NULL);
        mpg_json_string(j, "call", mpg_call_name(m->call));
        mpg_json_integer(j, "members", m->members);
        mpg_json_integer(j, "bytes", m->bytes);
        mpg_json_bool(j, "in_calls", m->is_weak);
        mpg_json_bool(j, "first_waits", m->choice.waits);
        mpg_json_bool(j, "sends_wait", m->sends_weak);
        mpg_json_string(j, "algorithm", mpg_algorithm_name(m->choice.algorithm));
        mpg_json_close(j);
    }
    mpg_json_close(j);
    mpg_json_bool(j, "others_in_calls", c->nonblocking_weak);
    mpg_json_close(j);
}

static void put_region_ratios(struct mpg_json *j, const struct mpg_region_ratios *ratios)
{
    mpg_json_object(j, "region_ratios");
    for (size_t i = 0; i < ratios->n; i++)
        mpg_json_number(j, ratios->region[i].name, ratios->region[i].ratio);
    mpg_json_close(j);
}

static void put_without(struct mpg_json *j)
{
    bool any = false;
    for (int i = 0; i < MPG_RULES; i++)
        if (!mpg_rule_holds((enum mpg_rule)i)) {
            if (!any)
                mpg_json_array(j, "without");
            any = true;
            mpg_json_string(j, NULL, mpg_rule_name((enum mpg_rule)i));
        }
    if (any)
        mpg_json_close(j);
}

/* Puts the hypotheses as text. */
static void put_hypotheses(struct mpg_json *j, const struct mpg_bound_hypotheses *bound)
{
    const struct mpg_hypotheses *hypotheses = mpg_bound_list(bound);
    mpg_json_array(j, "hypotheses");
    for (size_t i = 0; i < hypotheses->n; i++)
        mpg_json_string(j, NULL, hypotheses->item[i].text);
    mpg_json_close(j);
}

/* Puts further given options that change the answer. */
static void put_given(struct mpg_json *j, const struct mpg_report *r)
{
    if (r->given.call_edges)
        mpg_json_string(j, "call_edges", r->p->call_edges == MPG_CALL_EDGES_PAPER ? "paper" : "own");
    if (r->options->graph.sync_reduce)
        mpg_json_bool(j, "sync_reduce", true);
    if (r->options->deterministic)
        mpg_json_bool(j, "deterministic", true);
    if (r->options->graph.bound)
        put_hypotheses(j, r->options->graph.bound);
    if (r->given.horizon)
        mpg_json_count(j, "horizon", r->options->horizon);
}

/* Puts options about polling, collectives and progress. */
static void put_graph(struct mpg_json *j, const struct mpg_report *r)
{
    const struct mpg_weak_progress *weak = &r->options->graph.weak;
    const bool has_weak_progress = r->options->graph.has_weak_progress;
    mpg_json_string(j, "polling", r->times->polling == MPG_POLLING_WAIT ? "wait" : "work");
    mpg_json_integer(j, "polling_interval_ns", r->times->polling_interval_ns);
    if (r->collectives)
        mpg_json_string(j, "collectives", r->collectives);
    if (has_weak_progress && weak->win_start_waits)
        mpg_json_bool(j, "starts_wait", true);
    if (has_weak_progress && weak->rma_number > 0)
        put_served(j, weak);
    if (mpg_report_moves(r))
        put_nonblocking(j, weak);
    if (mpg_report_has_weak_progress(r))
        put_weak_progress(j, weak);
    if (r->options->graph.expand_some)
        mpg_json_string(j, "expanded_collectives", "partial");
    if (r->options->graph.expand && (!r->options->graph.unexpanded || r->collective_table))
        mpg_json_string(j, "collective_table", r->collective_table);
}

/* Puts the signatures and options from which times come. */
static void put_machines(struct mpg_json *j, const struct mpg_report *r)
{
    static const char *const cosched[] = {"none", "node", "job"};
    static const char *const origins[] = {[MPG_SOURCE_GIVEN] = "option",
                                          [MPG_SOURCE_STORED] = "trace",
                                          [MPG_SOURCE_TARGET] = "target",
                                          [MPG_SOURCE_REFUSED] = "refused",
                                          [MPG_SOURCE_UNKNOWN] = NULL};
    const struct mpg_perturbation *p = r->p;
    mpg_json_string(j, "signature", p->target ? p->target->path : NULL);
    mpg_json_string(j, "source", p->source ? p->source->path : NULL);
    mpg_json_string(j, "source_from", origins[r->source->origin]);
    mpg_json_string(j, "path", path_name(p->target_path));
    mpg_json_string(j, "source_path", path_name(p->source_path));
    put_specs(j, "noise", &p->noise, mpg_perturbation_noise_measured(p));
    if (p->scales_noise)
        mpg_json_number(j, "noise_factor", p->noise_factor);
    mpg_json_string(j, "cosched", p->target_cores > 0 ? cosched[p->target_noise.cosched] : NULL);
    mpg_json_string(j, "measurement", p->measurement_fixed ? "fixed" : "resample");
    if (p->speed_recorded)
        mpg_json_string(j, "speed", "recorded");
    put_without(j);
    mpg_json_bool(j, "tracer_taken_out", r->result->tracer_taken_out);
    put_call_noise(j, p);
    if (p->scales_call_noise)
        mpg_json_number(j, "call_noise_factor", p->call_noise_factor);
    put_specs(j, "latency", &p->latency, mpg_perturbation_latency_measured(p));
    put_specs(j, "byte", &p->byte, mpg_perturbation_bytes_measured(p));
    if (p->scales_messages) {
        mpg_json_number(j, "latency_factor", p->latency_factor);
        mpg_json_number(j, "byte_factor", p->byte_factor);
    }
    if (p->target_noise.kind && p->target_noise.kind->model)
        mpg_json_string(j, "noise_model", p->target_noise.kind->model);
    if (p->latency_model == MPG_TIME_FIT)
        mpg_json_string(j, "latency_model", "fit");
    if (p->byte_model == MPG_TIME_FIT)
        mpg_json_string(j, "byte_model", "fit");
    put_limit(j, "eager_limit_bytes", r->options->graph.eager_limit_bytes);
    put_limit(j, "source_eager_limit_bytes", r->result->source_eager_limit_bytes);
}

void mpg_answer_options(struct mpg_json *j, const char *key, const struct mpg_report *r)
{
    static const char *const absorb[] = {"none", "wait", "clock"};
    static const char *const clocks[] = {"unknown", "shared", "measured", "bounded"};
    mpg_json_object(j, key);
    mpg_json_string(j, "clocks", clocks[r->result->clocks]);
    mpg_json_number(j, "compute_ratio", r->p->compute_ratio);
    if (r->p->region_ratios)
        put_region_ratios(j, r->options->graph.ratios);
    if (r->source_map)
        mpg_json_string(j, "source_map", r->source_map);
    if (!r->result->predicted)
        mpg_json_string(j, "absorb", absorb[r->result->absorb]);
    if (r->result->predicted || r->map)
        mpg_json_string(j, "map", r->map);
    put_graph(j, r);
    put_machines(j, r);
    put_given(j, r);
    mpg_json_close(j);
}

/* ---- results ---- */

/* Puts the messages that share ports and memory: sums over all replicas. */
static void put_shared(struct mpg_json *j, const struct mpg_shared_messages *s)
{
    mpg_json_object(j, "sharing");
    mpg_json_number(j, "messages", s->messages);
    mpg_json_number(j, "delayed", s->delayed);
    mpg_json_number(j, "delay_ns", s->delay_ns);
    mpg_json_close(j);
}

/* Puts counts of calls that complete different messages than in the trace, summed over all replicas. */
static void put_choice(struct mpg_json *j, const struct mpg_report *r)
{
    const struct mpg_result *q = r->result;
    mpg_json_object(j, "choice");
    mpg_json_string(j, "polling", r->times->polling == MPG_POLLING_WAIT ? "wait" : "work");
    mpg_json_count(j, "followed", q->counts.followed);
    mpg_json_count(j, "followed_receives", q->counts.followed_receives);
    mpg_json_count(j, "beyond_horizon", q->counts.beyond_horizon);
    mpg_json_count(j, "picks_changed", q->choices.picks_changed);
    mpg_json_count(j, "tests_early", q->choices.tests_early);
    mpg_json_count(j, "tests_saved", q->choices.tests_saved);
    mpg_json_count(j, "answers", q->choices.answers);
    mpg_json_count(j, "redone", q->redone);
    mpg_json_close(j);
}

static void put_replicas(struct mpg_json *j, const struct mpg_report *r)
{
    const struct mpg_result *q = r->result;
    mpg_json_array(j, "replicas");
    for (uint32_t k = 0; k < q->replicas; k++) {
        mpg_json_object(j, NULL);
        mpg_json_count(j, "seed", r->p->seed);
        mpg_json_count(j, "replica", q->first_replica + k);
        mpg_json_number(j, "run_time_ns", q->run_ns[k]);
        mpg_json_close(j);
    }
    mpg_json_close(j);
}

static void put_account(struct mpg_json *j, const char *key, const struct mpg_delay_account *a)
{
    static const char *const names[] = {"injected_ns", "compute_ns", "calls_ns", "messages_ns", "collectives_ns", "propagated_ns",
                                        "absorbed_ns", "absorbed_waiting_ns", "absorbed_hidden_ns", "net_ns"};
    mpg_json_object(j, key);
    mpg_json_members(j, names, (double[]){mpg_delay_injected(a), a->compute_ns, a->call_ns, a->message_ns, a->collective_ns,
                                          a->taken_ns,
                                          a->waited_ns + a->hidden_ns, a->waited_ns, a->hidden_ns, a->left_ns}, 10);
    mpg_json_close(j);
}

void mpg_answer_run_account(struct mpg_json *j, const char *key, const struct mpg_run_account *a)
{
    static const char *const names[] = {"compute_ns", "noise_ns", "calls_ns", "messages_ns", "collectives_ns", "threads_ns",
                                        "run_ns", "polled_ns"};
    mpg_json_object(j, key);
    mpg_json_members(j, names, (double[]){a->compute_ns, a->noise_ns, a->call_ns, a->message_ns, a->collective_ns, a->thread_ns,
                                          a->run_ns, a->polled_ns}, 8);
    mpg_json_close(j);
}

static void put_ranks(struct mpg_json *j, const struct mpg_result *q, double *scratch)
{
    mpg_json_array(j, "ranks");
    for (int32_t i = 0; i < q->ranks; i++) {
        const struct mpg_summary s = mpg_summarise(q->delay_ns + (size_t)i * q->replicas, q->replicas, scratch);
        mpg_json_object(j, NULL);
        mpg_json_integer(j, "rank", i);
        j->whole = true;
        mpg_json_number(j, "traced_ns", q->traced_ns[i]);
        j->whole = false;
        mpg_json_integer(j, "recorded_ns", q->recorded_ns[i]);
        mpg_answer_summary(j, "delay_ns", &s);
        if (q->predicted)
            mpg_answer_run_account(j, "account", &q->run_account[i]);
        else
            put_account(j, "account", &q->account[i]);
        mpg_json_close(j);
    }
    mpg_json_close(j);
}

/* Puts the delay budget, or the components of the predicted run, as means over ranks. */
static void put_mean(struct mpg_json *j, const struct mpg_result *q)
{
    const struct mpg_delay_account mean = mpg_result_account(q);
    const struct mpg_run_account run_mean = mpg_result_run_account(q);
    if (q->predicted)
        mpg_answer_run_account(j, "mean_of_a_rank", &run_mean);
    else
        put_account(j, "mean_of_a_rank", &mean);
}

/* Puts the wait states in the form of analyse/, and the number of the replica. */
static int put_waits(struct mpg_json *j, const struct mpg_report *r, struct mpg_error *err)
{
    mpg_json_object(j, "waits");
    j->whole = true;
    const int status = mpg_waits_put_json(r->waits, j, err);
    j->whole = false;
    mpg_json_integer(j, "replica", r->waits_replica);
    mpg_json_close(j);
    if (r->recorded_run) {
        static const char *const keys[] = {"recorded", "predicted"};
        const struct mpg_overview *const runs[] = {r->recorded_run, r->predicted_run};
        mpg_overview_put_heat_map(j, "heat_map", runs, keys, 2);
    }
    return status;
}

int mpg_report_json(const struct mpg_report *r, FILE *out, struct mpg_error *err)
{
    const struct mpg_result *q = r->result;
    const struct mpg_recording recording = mpg_report_recording(r);
    const double traced_ns = mpg_result_traced(q);
    double *scratch = malloc(q->replicas * sizeof *scratch);
    struct mpg_json j = mpg_json_to(out, MPG_JSON_LINES);
    int status = 0;
    if (!scratch)
        return mpg_error_set(err, "out of memory");
    const struct mpg_summary run = mpg_report_run(r, scratch);
    mpg_json_object(&j, NULL);
    mpg_json_string(&j, "format", "mpgsim-result");
    mpg_json_integer(&j, "version", JSON_VERSION);
    mpg_answer_lines(&j, "attention", r->warnings);
    mpg_json_string(&j, "mode", q->predicted ? "predict" : "perturb");
    mpg_json_count(&j, "seed", r->p->seed);
    put_trace(&j, r);
    mpg_answer_options(&j, "options", r);
    mpg_answer_lines(&j, "assumptions", r->assumed);
    mpg_json_number(&j, "recorded_run_time_ns", mpg_result_recorded(q));
    mpg_json_number(&j, "traced_run_time_ns", traced_ns);
    mpg_answer_summary(&j, "run_time_ns", &run);
    mpg_recording_json(&j, "recording", &recording);
    mpg_json_bool(&j, "reliable", mpg_report_is_reliable(r));
    mpg_json_number(&j, "slowdown_median", traced_ns > 0 ? run.median / traced_ns : NAN);
    if (r->companions)
        mpg_short_answer_json(&j, r, &run);
    if (q->shared.are)
        put_shared(&j, &q->shared);
    if (q->chose)
        put_choice(&j, r);
    if (r->tasks)
        mpg_tasks_json(&j, "tasks", r->tasks);
    if (r->hypothesis_shares)
        status = mpg_hypothesis_shares_json(&j, "hypotheses", r->hypothesis_shares, err);
    if (r->cause_worths && status == 0)
        status = mpg_cause_worths_json(&j, "noise_causes", r->cause_worths, err);
    put_replicas(&j, r);
    put_ranks(&j, q, scratch);
    put_mean(&j, q);
    if (r->extrapolation && status == 0)
        status = mpg_report_use_json(&j, "extrapolation", r, err);
    if (r->where && status == 0)
        status = mpg_where_json(&j, "where", r->where, err);
    if (r->waits && status == 0)
        status = put_waits(&j, r, err);
    if (r->critical && status == 0)
        status = mpg_critical_json(&j, "critical_path", r->critical, err);
    mpg_json_close(&j);
    putc('\n', out);
    free(scratch);
    return status;
}
