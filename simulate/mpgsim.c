/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgsim: what would a machine's noise, latency and bandwidth do to a traced run? */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/kind.h"
#include "common/output.h"
#include "common/progress.h"
#include "simulate/options/arguments.h"
#include "simulate/predict/predict.h"
#include "simulate/processes/processes.h"
#include "simulate/reports/report.h"
#include "simulate/retrace/retrace.h"
#include "trace/untraced.h"

struct inputs {
    struct mpg_signature *target, *given_source;
    struct mpg_source source;
    struct mpg_trace *trace;
    struct mpg_perturbation p;
    struct mpg_places places, source_places;
    struct mpg_times_options times;
    struct mpg_table *table; /* NULL: collectives are not expanded */
    struct mpg_ratios ratios;
    struct mpg_retrace *retrace; /* NULL: no trace is written */
};

static int load_signature(const char *path, struct mpg_signature **sig, struct mpg_error *err)
{
    if (!path || (*sig = mpg_signature_load(path, err)))
        return 0;
    return mpg_kind_explain(path, MPG_FILE_SIGNATURE, err);
}

static bool is_file(const char *path, const struct stat *file)
{
    struct stat st;
    return path && stat(path, &st) == 0 && st.st_dev == file->st_dev && st.st_ino == file->st_ino;
}

/* Whether samples of SPECS are FILE's. */
static bool has_samples(const struct mpg_specs *specs, const struct stat *file)
{
    bool has = false;
    for (size_t i = 0; i < specs->n && !has; i++) {
        char *path = mpg_spec_file(&specs->spec[i]);
        has = is_file(path, file);
        free(path);
    }
    return has;
}

/* The answer would replace what it was made of. */
static int check_output(const struct mpg_arguments *a, const char *trace, const struct inputs *in,
                        struct mpg_error *err)
{
    const char *const inputs[] = {trace, a->signature, mpg_arguments_source(a), a->map,
                                  a->source_map, a->collective_table};
    const struct mpg_specs *const specs[] = {&in->p.noise, &in->p.call_noise, &in->p.latency,
                                             &in->p.byte};
    struct stat out;
    bool read = false;
    if (strcmp(a->output, "-") == 0 || stat(a->output, &out) < 0 || !S_ISREG(out.st_mode))
        return 0;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        read = read || is_file(inputs[i], &out);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        read = read || has_samples(specs[i], &out);
    return read ? mpg_error_set(err, "--output: %s is what is read", a->output) : 0;
}

/* Which algorithms collectives have, if it matters. */
static int load_table(const struct mpg_arguments *a, struct inputs *in, struct mpg_error *err)
{
    if (!a->expand)
        return 0;
    in->table = a->collective_table ? mpg_table_read(a->collective_table, err)
                                    : mpg_table_default(err);
    return in->table ? 0 : -1;
}

static int seat_ranks(const struct mpg_arguments *a, struct inputs *in, struct mpg_error *err)
{
    int32_t ranks = mpg_trace_ranks(in->trace);
    int32_t *traced = malloc((size_t)ranks * sizeof *traced);
    if (!traced)
        return mpg_error_set(err, "out of memory");
    for (int32_t i = 0; i < ranks; i++)
        traced[i] = a->source_map ? in->source_places.node[i] : mpg_trace_host(in->trace, i);
    const int32_t *host = in->places.ranks > 0 ? in->places.node : traced;
    int status = mpg_perturbation_seat(&in->p, ranks, host, traced, a->cosched_kind, err);
    free(traced);
    return status;
}

/* Where ranks were: as --source-map says, or, where the paths of messages are asked for, the hosts that
 * the trace names, if it names any. */
static int place_source(const struct mpg_arguments *a, struct inputs *in, struct mpg_error *err)
{
    const int32_t ranks = mpg_trace_ranks(in->trace);
    bool named = false;
    if (a->source_map)
        return mpg_places_parse(&in->source_places, "source-map", a->source_map, ranks, err);
    if (!a->map || a->predict)
        return 0;
    int32_t *host = malloc((size_t)ranks * sizeof *host);
    if (!host)
        return mpg_error_set(err, "out of memory");
    for (int32_t i = 0; i < ranks; i++) {
        host[i] = mpg_trace_host(in->trace, i);
        named = named || mpg_trace_find_fact(in->trace, i, "host");
    }
    int status = named ? mpg_places_of_hosts(&in->source_places, host, ranks, err) : 0;
    free(host);
    return status;
}

/* The source's path of the class that the target has where nobody is placed, or the farthest. */
static const struct mpg_network_path *unplaced_source_path(const struct mpg_arguments *a,
                                                           const struct inputs *in)
{
    const struct mpg_network_path *target = a->path_class == MPG_PATHS
                                                ? mpg_signature_farthest(in->target)
                                                : mpg_signature_path(in->target, a->path_class);
    const struct mpg_network_path *path =
        target ? mpg_signature_path(in->source.signature, target->path) : NULL;
    return path ? path : mpg_signature_farthest(in->source.signature);
}

/* The source's path between the farthest two of these, in perturb mode; in predict mode --map says
 * nothing of the source. NULL: nobody says. */
static const struct mpg_network_path *source_path(const struct mpg_arguments *a,
                                                  const struct inputs *in)
{
    if (a->predict && a->map && in->target && in->source.signature)
        return unplaced_source_path(a, in);
    const bool says = !a->predict && in->source.signature && in->source_places.ranks > 0;
    return says ? mpg_places_path(in->source.signature, in->source_places.farthest) : NULL;
}

/* The class of path that messages take: as said, or that of the farthest two ranks of --map;
 * MPG_PATHS: the farthest measured. */
static enum mpg_path_class path_class(const struct mpg_arguments *a, const struct inputs *in)
{
    if (in->places.ranks == 0 || !in->target)
        return a->path_class;
    const struct mpg_network_path *path = mpg_places_path(in->target, in->places.farthest);
    return path ? path->path : a->path_class;
}

static int open_inputs(const struct mpg_arguments *a, const char *trace, struct inputs *in,
                       struct mpg_error *err)
{
    if (check_output(a, trace, in, err) < 0 || load_table(a, in, err) < 0 ||
        load_signature(a->signature, &in->target, err) < 0 ||
        load_signature(mpg_arguments_source(a), &in->given_source, err) < 0 ||
        !(in->trace = mpg_trace_open(trace, err)))
        return -1;
    const int32_t ranks = mpg_trace_ranks(in->trace);
    if (mpg_source_find(&in->source, in->trace, in->target, in->given_source,
                        a->source && !mpg_arguments_source(a), err) < 0 ||
        (a->map && mpg_places_parse(&in->places, "map", a->map, ranks, err) < 0) ||
        place_source(a, in, err) < 0 ||
        mpg_perturbation_use(&in->p, in->target, in->source.signature, path_class(a, in),
                             source_path(a, in), err) < 0 ||
        mpg_ratios_resolve(&in->ratios, in->target, in->source.signature, err) < 0 ||
        mpg_arguments_check_ranks(a, &in->p, ranks, err) < 0)
        return -1;
    return seat_ranks(a, in, err);
}

static void close_inputs(struct inputs *in)
{
    mpg_retrace_free(in->retrace);
    mpg_perturbation_clear(&in->p);
    mpg_places_clear(&in->places);
    mpg_places_clear(&in->source_places);
    mpg_ratios_clear(&in->ratios);
    mpg_signature_free(in->target);
    mpg_source_clear(&in->source);
    mpg_signature_free(in->given_source);
    mpg_trace_close(in->trace);
    mpg_table_free(in->table);
}

/* PATH's eager limit; false: it is not known. */
static bool find_limit(const struct mpg_network_path *path, int64_t *limit_bytes)
{
    if (!path || path->eager_limit_bytes == MPG_EAGER_LIMIT_UNKNOWN)
        return false;
    *limit_bytes = path->eager_limit_bytes;
    return true;
}

/* Eager limits of target and source: each one's own as far as it is known, else the
 * other's; without both nothing is synchronous. */
static void set_limits(const struct mpg_arguments *a, const struct inputs *in,
                       struct mpg_simulation_options *o)
{
    int64_t target = INT64_MAX, source = INT64_MAX;
    const struct mpg_network_path *path = in->p.target_path;
    bool has_target = a->given.eager_limit || find_limit(path, &target);
    bool has_source = a->given.source_eager_limit || find_limit(in->p.source_path, &source);
    if (a->given.eager_limit)
        target = a->eager_limit;
    if (a->given.source_eager_limit)
        source = a->source_eager_limit;
    if (!has_target)
        target = source;
    o->graph.eager_limit_bytes = target;
    o->graph.source_eager_limit_bytes = has_source ? source : target;
    o->source_limit = !has_target                ? MPG_LIMIT_OF_TARGET
                      : has_source               ? MPG_LIMIT_GIVEN
                      : a->given.eager_limit     ? MPG_LIMIT_OF_TARGET
                                                 : MPG_LIMIT_IN_TRACE;
}

static void set_options(const struct mpg_arguments *a, struct inputs *in,
                        struct mpg_simulation_options *o)
{
    in->p.compute_ratio = in->ratios.regions.base;
    in->p.region_ratios = in->ratios.regions.n > 0;
    for (size_t i = 0; i < in->ratios.regions.n; i++)
        in->p.regions_differ |= in->ratios.regions.region[i].ratio != 1;
    o->graph.ratios = &in->ratios.regions;
    o->graph.lenient = a->lenient;
    o->graph.sync_reduce = a->sync_reduce;
    o->deterministic = a->deterministic;
    o->horizon = (uint64_t)a->horizon;
    o->skips_polling = a->polling && !a->predict && in->times.polling == MPG_POLLING_WAIT;
    o->graph.expand = in->table;
    in->p.without_tracer = in->p.target && !a->keep_tracer && !a->predict;
    set_limits(a, in, o);
    o->floors.has_source_cost = a->given.source_latency || a->given.source_byte;
    o->floors.latency_ns = a->source_latency_ns;
    o->floors.byte_ns = a->source_byte_ns;
    o->floors.source = in->p.source_path;
    o->first_replica = (uint32_t)a->first_replica;
    if (!a->predict) {
        o->places = in->places.ranks > 0 ? &in->places : NULL;
        o->source_places = in->source_places.ranks > 0 ? &in->source_places : NULL;
    }
    bool has_paths = in->p.target && (o->places || o->source_places);
    bool one = !a->given.replicas && !has_paths && !mpg_perturbation_is_random(&in->p);
    o->replicas = one ? 1 : (uint32_t)a->replicas;
}

/* The table has no room for what needs attention. */
static void warn(const struct mpg_attention *attention)
{
    for (size_t i = 0; i < attention->n; i++)
        fprintf(stderr, "mpgsim: attention: %s: %s\n", attention->line[i].topic,
                attention->line[i].text);
}

static int write_report(const struct mpg_arguments *a, const struct mpg_report *report,
                        struct mpg_error *err)
{
    struct mpg_output *out = mpg_output_open(a->output, err);
    if (!out)
        return -1;
    FILE *stream = mpg_output_stream(out);
    int status = a->json       ? mpg_report_json(report, stream, err)
                 : a->per_rank ? mpg_report_per_rank(report, stream, err)
                               : mpg_report_text(report, stream, err);
    if (status < 0) {
        mpg_output_discard(out);
        return -1;
    }
    if (mpg_output_commit(out, err) < 0)
        return -1;
    if (a->per_rank)
        warn(report->attention);
    return 0;
}

static int answer(const struct mpg_arguments *a, struct mpg_report *report, struct mpg_error *err)
{
    struct mpg_attention attention = {0};
    report->attention = &attention;
    int status = mpg_attention_gather(report, &attention, err);
    if (status == 0)
        status = write_report(a, report, err);
    mpg_attention_clear(&attention);
    return status;
}

/* Says in ERR, of a trace that could not be placed, that calls are missing in it. */
static void add_untraced(struct mpg_trace *trace, struct mpg_error *err)
{
    struct mpg_untraced_calls list;
    char words[512];
    size_t used = strlen(err->text);
    if (mpg_untraced_find(trace, true, &list, NULL) == 0 &&
        mpg_untraced_words(&list, words, sizeof words))
        snprintf(err->text + used, sizeof err->text - used,
                 "; the trace misses %s, which the tracer did not know", words);
    mpg_untraced_clear(&list);
}

static int begin_trace(const struct mpg_arguments *a, const char *trace, struct inputs *in,
                       const struct mpg_watch **watch, struct mpg_error *err)
{
    if (!a->output_trace)
        return 0;
    const struct mpg_retrace_rules rules = {
        .ratio = in->p.region_ratios ? 0 : in->p.compute_ratio,
        .delays = !a->predict,
        .same_machine = !a->predict && !in->target,
        .keeps_tracer = !a->predict && !in->p.without_tracer,
        .lenient = a->lenient};
    if (!(in->retrace = mpg_retrace_begin(in->trace, trace, a->output_trace, &rules, err)))
        return mpg_error_prefix(err, "--output-trace");
    *watch = mpg_retrace_watch(in->retrace);
    return 0;
}

static int end_trace(const struct mpg_arguments *a, struct inputs *in, struct mpg_error *err)
{
    const struct mpg_retrace_facts facts = {.signature = a->signature,
                                            .stored = mpg_arguments_signature_is_all(a),
                                            .seed = a->seed,
                                            .replica = a->first_replica,
                                            .places = in->places.ranks > 0 ? &in->places : NULL};
    uint64_t swapped = 0;
    if (in->retrace && mpg_retrace_write(in->retrace, &facts, &swapped, err) < 0)
        return -1;
    if (swapped > 0)
        fprintf(stderr, "mpgsim: attention: %s: %llu calls of threads are there before those of "
                        "another thread that they came after: what they match may be another\n",
                a->output_trace, (unsigned long long)swapped);
    return 0;
}

/* Reads all that is to be known before the simulation. */
static int prepare(const struct mpg_arguments *a, const char *trace, struct mpg_simulation_options *options,
                   struct inputs *in, struct mpg_error *err)
{
    in->p.predicts = a->predict;
    if (open_inputs(a, trace, in, err) < 0)
        return -1;
    if (mpg_trace_cut(in->trace) && !a->lenient)
        return mpg_error_set(err, "%s (--lenient goes on with what is whole)",
                             mpg_trace_cut(in->trace));
    set_options(a, in, options);
    in->p.every_path = a->predict || options->places;
    in->p.every_source_path = options->source_places != NULL;
    if (mpg_perturbation_measure(&in->p, options->first_replica, options->replicas, err) < 0)
        return -1;
    if (a->predict)
        mpg_predict_prepare(&in->p, in->trace);
    return 0;
}

/* Simulates all replicas into RESULT, of this process's share of them unless it is the first. */
static int simulate(const struct mpg_arguments *a, const char *trace, struct mpg_simulation_options *options,
                    struct inputs *in, struct mpg_result *result, struct mpg_error *err)
{
    struct mpg_predict_options predict = {
        .graph = options->graph,
        .replicas = options->replicas,
        .first_replica = options->first_replica,
        .processes = options->processes,
        .threads = options->threads,
        .times = in->times,
        .deterministic = options->deterministic,
        .horizon = options->horizon,
        .places = in->places.ranks > 0 ? &in->places : NULL};
    if (mpg_processes_first(options->processes) &&
        begin_trace(a, trace, in, a->predict ? &predict.watch : &options->watch, err) < 0)
        return -1;
    const struct mpg_prediction prediction = {.p = &in->p, .options = &predict, .result = result};
    const struct mpg_scenario scenario = {.p = &in->p, .options = options, .result = result};
    if ((a->predict ? mpg_predict(in->trace, &prediction, 1, NULL, err)
                    : mpg_simulate(in->trace, &scenario, 1, NULL, err)) == 0)
        return 0;
    if (options->processes->failed) /* it is another one's error, whole */
        return -1;
    if (strncmp(err->text, "rank ", 5) == 0)
        mpg_error_prefix(err, "%s", mpg_trace_path(in->trace));
    add_untraced(in->trace, err);
    return -1;
}

static int give_answer(const struct mpg_arguments *a, const struct mpg_simulation_options *options,
                       struct inputs *in, const struct mpg_result *result, struct mpg_error *err)
{
    struct mpg_report report = {.trace = in->trace,
                                .p = &in->p,
                                .source = &in->source,
                                .places = in->places.ranks > 0 ? &in->places : NULL,
                                .source_places = options->source_places,
                                .map = a->map,
                                .source_map = a->source_map,
                                .collectives = a->collectives,
                                .collective_table = a->collective_table,
                                .times = &in->times,
                                .options = options,
                                .result = result,
                                .given = a->given};
    return end_trace(a, in, err) < 0 ? -1 : answer(a, &report, err);
}

/* TRACE: NULL with ERR, where the command line could not be read. */
static int run(const struct mpg_arguments *a, const char *trace, struct mpg_simulation_options *options,
               struct inputs *in, struct mpg_error *err)
{
    struct mpg_result result = {0};
    int status = trace ? prepare(a, trace, options, in, err) : -1;
    if (status == 0)
        status = simulate(a, trace, options, in, &result, err);
    if (mpg_processes_agree(options->processes, status, 0, err) == 0) {
        mpg_processes_leave(options->processes);
        status = mpg_processes_first(options->processes) ? give_answer(a, options, in, &result, err) : 0;
    } else
        status = -1;
    mpg_result_clear(&result);
    return status;
}

int main(int argc, char **argv)
{
    struct mpg_arguments a;
    struct mpg_asked asked;
    struct mpg_error err;
    struct mpg_processes processes;
    struct inputs in = {0};
    int status = mpg_processes_join(&processes, argc, argv, &err);
    if (!processes.speaks)
        mpg_progress_forbid();
    if (status == 0) {
        const char *trace = mpg_arguments_read(&a, argc, argv, &processes, &asked, &err);
        in = (struct inputs){.p = asked.p, .times = asked.times, .ratios = asked.ratios};
        status = run(&a, trace, &asked.simulation, &in, &err);
    }
    if (status < 0 && processes.speaks)
        mpg_error_print("mpgsim", &err);
    mpg_processes_leave(&processes); /* not before: the launcher ends them all as soon as one fails */
    close_inputs(&in);
    return status < 0 ? MPG_EXIT_FAILURE : MPG_EXIT_OK;
}
