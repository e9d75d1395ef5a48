/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The whole answer as JSON; mpgsim-json(5) is the schema. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "common/printable.h"
#include "graph/work/supposed.h"
#include "simulate/reports/extrapolated.h"
#include "simulate/reports/assume.h"
#include "simulate/reports/json_parts.h"
#include "simulate/reports/recording.h"
#include "simulate/reports/supposing.h"
#include "simulate/reports/critical.h"
#include "simulate/reports/where.h"
#include "simulate/rules.h"

enum { JSON_VERSION = 1 };

json_t *mpg_answer_summary(const struct mpg_summary *s)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:[f, f]}", "mean", s->mean, "sd", s->sd,
                     "least", s->least, "p5", s->p5, "median", s->median, "p95", s->p95, "largest",
                     s->largest, "median_confidence_95", s->low, s->high);
}

json_t *mpg_answer_trace(const struct mpg_report *r)
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
        {"unknown_calls", c->unknown},
        {"failed_calls", c->failed},
        {"flushed_ns", c->flushed_ns},
        {"tracer_ns", c->tracer_ns},
        {"cpu_intervals", c->cpu_intervals},
        {"unmatched", c->unmatched},
        {"truncated", c->truncated},
        {"incomplete_ranks", c->incomplete_ranks},
    };
    json_t *o = json_pack("{s:s, s:i}", "path", mpg_trace_path(r->trace), "ranks",
                          (int)r->result->ranks);
    for (size_t i = 0; o && i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(o, numbers[i].key, json_integer((json_int_t)numbers[i].value));
    return o;
}

static json_t *optional_string(const char *text)
{
    return text ? json_string(text) : json_null();
}

/* As given; null if nothing was. */
static json_t *specs_json(const struct mpg_specs *specs)
{
    char text[4096];
    mpg_specs_say(specs, text, sizeof text);
    return specs->n > 0 ? json_string(text) : json_null();
}

static json_t *call_noise_json(const struct mpg_perturbation *p)
{
    char specs[4096], text[4200];
    if (!p->call_noise_of_target)
        return specs_json(&p->call_noise);
    mpg_specs_say(&p->call_noise, specs, sizeof specs);
    snprintf(text, sizeof text, "signature%s%s", p->call_noise.n > 0 ? " + " : "", specs);
    return json_string(text);
}

static json_t *path_json(const struct mpg_network_path *path)
{
    return path ? json_string(mpg_path_name(path->path)) : json_null();
}

static json_t *source_json(const struct mpg_source *source)
{
    switch (source->origin) {
    case MPG_SOURCE_GIVEN:
        return json_string("option");
    case MPG_SOURCE_STORED:
        return json_string("trace");
    case MPG_SOURCE_TARGET:
        return json_string("target");
    case MPG_SOURCE_REFUSED:
        return json_string("refused");
    case MPG_SOURCE_UNKNOWN:
        break;
    }
    return json_null();
}

/* null: unlimited. */
static json_t *limit_json(int64_t limit_bytes)
{
    return limit_bytes == INT64_MAX ? json_null() : json_integer(limit_bytes);
}

/* null: none are. */
static json_t *carried_json(const struct mpg_carried *c)
{
    return json_pack("{s:o, s:o}", "blocking", limit_json(c->blocking_bytes), "requested", limit_json(c->requested_bytes));
}

/* Kinds of transfers that wait for a call of their target. */
static json_t *served_json(const struct mpg_carried *c)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < c->served_number; i++) {
        const struct mpg_served *s = &c->served[i];
        json_array_append_new(list, json_pack("{s:s, s:I, s:b, s:b}", "call", mpg_call_name(s->call), "bytes",
                                              (json_int_t)s->bytes, "starting", s->starting, "completing", s->completing));
    }
    return list;
}

/* How nonblocking collectives go. */
static json_t *nonblocking_json(const struct mpg_carried *c)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < c->moved_number; i++) {
        const struct mpg_nonblocking *m = &c->moved[i];
        json_array_append_new(list, json_pack("{s:s, s:i, s:I, s:b, s:b, s:b, s:s}", "call", mpg_call_name(m->call), "members",
                                              m->members, "bytes", (json_int_t)m->bytes, "in_calls", m->moves, "first_waits",
                                              m->choice.waits, "sends_wait", m->carried, "algorithm",
                                              mpg_algorithm_name(m->choice.algorithm)));
    }
    return json_pack("{s:o, s:b}", "kinds", list, "others_in_calls", c->moves);
}

static json_t *region_ratios_json(const struct mpg_region_ratios *ratios)
{
    json_t *o = json_object();
    for (size_t i = 0; i < ratios->n; i++)
        json_object_set_new(o, ratios->region[i].name, json_real(ratios->region[i].ratio));
    return o;
}

static void set_without(json_t *o)
{
    json_t *names = json_array();
    for (int i = 0; i < MPG_RULES; i++)
        if (!mpg_rule_holds((enum mpg_rule)i))
            json_array_append_new(names, json_string(mpg_rule_name((enum mpg_rule)i)));
    if (json_array_size(names) > 0)
        json_object_set(o, "without", names);
    json_decref(names);
}

/* In words. */
static json_t *hypotheses_json(const struct mpg_supposed *supposed)
{
    const struct mpg_hypotheses *hypotheses = mpg_supposed_list(supposed);
    json_t *list = json_array();
    for (size_t i = 0; i < hypotheses->n; i++)
        json_array_append_new(list, mpg_answer_text(hypotheses->item[i].text));
    return list;
}

/* What else makes the answer another one, where it was given. */
static void add_given(const struct mpg_report *r, json_t *o)
{
    const struct mpg_perturbation *p = r->p;
    if (r->given.call_edges)
        json_object_set_new(o, "call_edges",
                            json_string(p->call_edges == MPG_CALL_EDGES_PAPER ? "paper" : "own"));
    if (r->options->graph.sync_reduce)
        json_object_set_new(o, "sync_reduce", json_true());
    if (r->options->deterministic)
        json_object_set_new(o, "deterministic", json_true());
    if (r->options->graph.supposed)
        json_object_set_new(o, "hypotheses", hypotheses_json(r->options->graph.supposed));
    if (r->given.horizon)
        json_object_set_new(o, "horizon", json_integer((json_int_t)r->options->horizon));
}

json_t *mpg_answer_options(const struct mpg_report *r)
{
    static const char *const absorb[] = {"none", "wait", "clock"};
    static const char *const cosched[] = {"none", "node", "job"};
    static const char *const clocks[] = {"unknown", "shared", "measured", "bounded"};
    const struct mpg_perturbation *p = r->p;
    json_t *o = json_pack("{s:s, s:f}", "clocks", clocks[r->result->clocks], "compute_ratio",
                          p->compute_ratio);
    if (!o)
        return NULL;
    if (p->region_ratios)
        json_object_set_new(o, "region_ratios", region_ratios_json(r->options->graph.ratios));
    if (r->source_map)
        json_object_set_new(o, "source_map", json_string(r->source_map));
    if (!r->result->predicted) {
        json_object_set_new(o, "absorb", json_string(absorb[r->result->absorb]));
        if (r->map)
            json_object_set_new(o, "map", json_string(r->map));
    } else
        json_object_set_new(o, "map", optional_string(r->map));
    json_object_set_new(o, "polling", json_string(r->times->polling == MPG_POLLING_WAIT ? "wait" : "work"));
    json_object_set_new(o, "polling_interval_ns", json_integer(r->times->polling_interval_ns));
    if (r->collectives)
        json_object_set_new(o, "collectives", json_string(r->collectives));
    if (r->options->graph.carries && r->options->graph.carried.starts)
        json_object_set_new(o, "starts_wait", json_true());
    if (r->options->graph.carries && r->options->graph.carried.served_number > 0)
        json_object_set_new(o, "served_transfers", served_json(&r->options->graph.carried));
    if (mpg_report_moves(r))
        json_object_set_new(o, "nonblocking_collectives", nonblocking_json(&r->options->graph.carried));
    if (mpg_report_carries(r))
        json_object_set_new(o, "carried_bytes", carried_json(&r->options->graph.carried));
    if (r->options->graph.expand_some)
        json_object_set_new(o, "expanded_collectives", json_string("partial"));
    if (r->options->graph.expand && (!r->options->graph.wholes || r->collective_table))
        json_object_set_new(o, "collective_table", optional_string(r->collective_table));
    json_object_set_new(o, "signature", optional_string(p->target ? p->target->path : NULL));
    json_object_set_new(o, "source", optional_string(p->source ? p->source->path : NULL));
    json_object_set_new(o, "source_from", source_json(r->source));
    json_object_set_new(o, "path", path_json(p->target_path));
    json_object_set_new(o, "source_path", path_json(p->source_path));
    json_object_set_new(o, "noise", specs_json(&p->noise));
    if (p->scales_noise)
        json_object_set_new(o, "noise_factor", json_real(p->noise_factor));
    json_object_set_new(o, "cosched", p->target_cores > 0
                                          ? json_string(cosched[p->target_noise.cosched])
                                          : json_null());
    json_object_set_new(o, "measurement",
                        json_string(p->measurement_fixed ? "fixed" : "resample"));
    set_without(o);
    json_object_set_new(o, "tracer_taken_out", json_boolean(r->result->tracer_taken_out));
    json_object_set_new(o, "call_noise", call_noise_json(p));
    json_object_set_new(o, "latency", specs_json(&p->latency));
    json_object_set_new(o, "byte", specs_json(&p->byte));
    if (p->target_noise.kind && p->target_noise.kind->model)
        json_object_set_new(o, "noise_model", json_string(p->target_noise.kind->model));
    if (p->latency_model == MPG_TIME_FIT)
        json_object_set_new(o, "latency_model", json_string("fit"));
    if (p->byte_model == MPG_TIME_FIT)
        json_object_set_new(o, "byte_model", json_string("fit"));
    json_object_set_new(o, "eager_limit_bytes", limit_json(r->options->graph.eager_limit_bytes));
    json_object_set_new(o, "source_eager_limit_bytes",
                        limit_json(r->result->source_eager_limit_bytes));
    add_given(r, o);
    return o;
}

/* What calls completed instead, in all replicas together. */
static json_t *choice_json(const struct mpg_report *r)
{
    const struct mpg_result *q = r->result;
    const bool skips = r->times->polling == MPG_POLLING_WAIT;
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "polling",
                     skips ? "wait" : "work", "followed",
                     (json_int_t)q->counts.followed, "followed_receives",
                     (json_int_t)q->counts.followed_receives, "beyond_horizon",
                     (json_int_t)q->counts.beyond_horizon, "picks_changed",
                     (json_int_t)q->choices.picks_changed, "tests_early",
                     (json_int_t)q->choices.tests_early, "tests_saved",
                     (json_int_t)q->choices.tests_saved, "answers",
                     (json_int_t)q->choices.answers, "redone", (json_int_t)q->redone);
}

json_t *mpg_answer_lines(const struct mpg_attention *a)
{
    json_t *list = json_array();
    for (size_t i = 0; i < a->n; i++)
        json_array_append_new(list, json_pack("{s:s, s:s}", "topic", a->line[i].topic, "text",
                                              a->line[i].text));
    return list;
}

static json_t *assumptions_json(const struct mpg_report *r)
{
    json_t *list = json_array();
    const char *topic;
    char text[512];
    for (int i = 0; mpg_report_assumption(r, i, &topic, text, sizeof text); i++)
        json_array_append_new(list, json_pack("{s:s, s:s}", "topic", topic, "text", text));
    return list;
}

static json_t *replicas_json(const struct mpg_report *r)
{
    const struct mpg_result *q = r->result;
    json_t *list = json_array();
    for (uint32_t k = 0; k < q->replicas; k++)
        json_array_append_new(list, json_pack("{s:I, s:I, s:f}", "seed", (json_int_t)r->p->seed,
                                              "replica", (json_int_t)(q->first_replica + k),
                                              "run_time_ns", q->run_ns[k]));
    return list;
}

static json_t *account_json(const struct mpg_lanes_account *a)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "put_in_ns",
                     mpg_lanes_put_in(a), "compute_ns", a->compute_ns, "calls_ns", a->call_ns,
                     "messages_ns", a->message_ns, "collectives_ns", a->collective_ns,
                     "taken_over_ns", a->taken_ns, "absorbed_ns", a->waited_ns + a->hidden_ns,
                     "absorbed_waiting_ns", a->waited_ns, "absorbed_hidden_ns", a->hidden_ns,
                     "left_ns", a->left_ns);
}

static json_t *run_account_json(const struct mpg_run_account *a)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "compute_ns", a->compute_ns,
                     "noise_ns", a->noise_ns, "calls_ns", a->call_ns, "messages_ns", a->message_ns,
                     "collectives_ns", a->collective_ns, "threads_ns", a->thread_ns, "run_ns",
                     a->run_ns, "polled_ns", a->polled_ns);
}

/* Whole where it is, as most are. */
static json_t *number_json(double x)
{
    return x == (double)(json_int_t)x ? json_integer((json_int_t)x) : json_real(x);
}

static json_t *ranks_json(const struct mpg_result *q, double *scratch)
{
    json_t *list = json_array();
    for (int32_t i = 0; i < q->ranks; i++) {
        struct mpg_summary s =
            mpg_summarise(q->delay_ns + (size_t)i * q->replicas, q->replicas, scratch);
        json_array_append_new(list, json_pack("{s:i, s:o, s:I, s:o, s:o}", "rank", (int)i,
                                              "traced_ns", number_json(q->traced_ns[i]),
                                              "recorded_ns", (json_int_t)q->recorded_ns[i],
                                              "delay_ns", mpg_answer_summary(&s), "account",
                                              q->predicted ? run_account_json(&q->run_account[i])
                                                           : account_json(&q->account[i])));
    }
    return list;
}

/* Jansson leaves out of an object what there was no memory for. */
static bool ran_out;

void mpg_answer_run_out(void)
{
    ran_out = true;
}

json_t *mpg_answer_text(const char *text)
{
    const size_t size = 4 * strlen(text) + 1; /* \x80 of a byte */
    char *fit = malloc(size);
    json_t *o = fit ? json_string(mpg_printable(fit, size, text)) : NULL;
    free(fit);
    if (!o)
        mpg_answer_run_out();
    return o;
}

/* As analyse/ writes it, with whose it is. */
static json_t *waits_json(const struct mpg_report *r)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    json_t *o = NULL;
    if (stream) {
        mpg_waits_print_json(r->waits, false, stream);
        if (fclose(stream) == 0)
            o = json_loads(text, 0, NULL);
    }
    free(text);
    if (!o)
        mpg_answer_run_out();
    else
        json_object_set_new(o, "replica", json_integer(r->waits_replica));
    return o;
}

static void *allocate(size_t size)
{
    void *data = malloc(size);
    ran_out = ran_out || !data;
    return data;
}

void mpg_answer_begin(void)
{
    ran_out = false;
    json_set_alloc_funcs(allocate, free);
}

bool mpg_answer_end(void)
{
    json_set_alloc_funcs(malloc, free);
    return !ran_out;
}

int mpg_answer_write(json_t *root, FILE *out, struct mpg_error *err)
{
    int status = -1;
    if (root) {
        status = json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
        fputc('\n', out);
        if (ferror(out))
            status = 0; /* the close says which file and why */
    }
    json_decref(root);
    if (!mpg_answer_end())
        return mpg_error_set(err, "out of memory for the answer as JSON");
    return status < 0 ? mpg_error_set(err, "the answer as JSON: the trace's name is not UTF-8") : 0;
}

int mpg_report_json(const struct mpg_report *r, FILE *out, struct mpg_error *err)
{
    const struct mpg_result *q = r->result;
    double *scratch = malloc(q->replicas * sizeof *scratch), traced_ns = mpg_result_traced(q);
    json_t *root = NULL;
    if (!scratch)
        return mpg_error_set(err, "out of memory");
    struct mpg_summary run = mpg_report_run(r, scratch);
    mpg_answer_begin();
    root = json_pack("{s:s, s:i, s:o, s:s, s:I, s:o, s:o, s:o, s:f, s:f, s:o}", "format",
                     "mpgsim-result", "version", JSON_VERSION, "attention",
                     mpg_answer_lines(r->attention), "mode", q->predicted ? "predict" : "perturb", "seed",
                     (json_int_t)r->p->seed,
                     "trace", mpg_answer_trace(r), "options", mpg_answer_options(r), "assumptions",
                     assumptions_json(r), "recorded_run_time_ns", mpg_result_recorded(q),
                     "traced_run_time_ns", traced_ns, "run_time_ns",
                     mpg_answer_summary(&run));
    if (root) {
        const struct mpg_recording recording = mpg_report_recording(r);
        json_object_set_new(root, "recording", mpg_recording_json(&recording));
        json_object_set_new(root, "slowdown_median",
                            traced_ns > 0 ? json_real(run.median / traced_ns) : json_null());
        if (q->chose)
            json_object_set_new(root, "choice", choice_json(r));
        if (r->supposing)
            json_object_set_new(root, "hypotheses", mpg_supposing_json(r->supposing));
        json_object_set_new(root, "replicas", replicas_json(r));
        json_object_set_new(root, "ranks", ranks_json(q, scratch));
        struct mpg_lanes_account mean = mpg_result_account(q);
        struct mpg_run_account run_mean = mpg_result_run_account(q);
        json_object_set_new(root, "mean_of_a_rank",
                            q->predicted ? run_account_json(&run_mean) : account_json(&mean));
        if (r->extrapolation)
            json_object_set_new(root, "extrapolation", mpg_report_use_json(r));
        if (r->where)
            json_object_set_new(root, "where", mpg_where_json(r->where));
        if (r->waits)
            json_object_set_new(root, "waits", waits_json(r));
    }
    json_t *critical = root && r->critical ? mpg_critical_json(r->critical, err) : NULL;
    if (root && r->critical && !critical) {
        json_decref(root);
        free(scratch);
        return -1;
    }
    if (critical)
        json_object_set_new(root, "critical_path", critical);
    int status = mpg_answer_write(root, out, err);
    free(scratch);
    return status;
}
