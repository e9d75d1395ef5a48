/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgsim: what would a machine's noise, latency and bandwidth do to a traced run? */
#include <string.h>

#include "common/option.h"
#include "common/output.h"
#include "simulate/reports/report.h"

enum { DEFAULT_REPLICAS = 64, MAX_REPLICAS = 1000000 };

struct arguments {
    const char *signature, *source, *path, *noise, *call_noise, *latency, *byte, *absorb, *output;
    double compute_ratio, source_latency_ns, source_byte_ns;
    int64_t eager_limit, replicas, first_replica, seed;
    bool eager_given, source_latency_given, source_byte_given, replicas_given;
    bool json, per_rank, lenient, deterministic;
    enum mpg_path_class path_class; /* MPG_PATHS: the farthest */
};

struct inputs {
    struct mpg_signature *target, *source;
    struct mpg_trace *trace;
    struct mpg_perturbation p;
};

static int parse_spec(const char *option, const char *text, struct mpg_spec *spec,
                      struct mpg_error *err)
{
    if (!text || mpg_spec_parse(text, spec, err) == 0)
        return 0;
    return mpg_error_prefix(err, "%s", option);
}

static int parse_specs(const struct arguments *a, struct mpg_perturbation *p, struct mpg_error *err)
{
    if (parse_spec("--noise", a->noise, &p->noise, err) < 0 ||
        parse_spec("--call-noise", a->call_noise, &p->call_noise, err) < 0 ||
        parse_spec("--latency", a->latency, &p->latency, err) < 0 ||
        parse_spec("--byte", a->byte, &p->byte, err) < 0)
        return -1;
    if (p->latency.ranks.count || p->byte.ranks.count)
        return mpg_error_set(err, "--latency and --byte take no @RANKS");
    return 0;
}

static int parse_absorb(const char *text, struct mpg_simulation_options *options,
                        struct mpg_error *err)
{
    static const char *const names[] = {"none", "wait", "clock"};
    options->absorb_given = text != NULL;
    for (int i = 0; text && i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            options->absorb = (enum mpg_absorb)i;
            return 0;
        }
    return text ? mpg_error_set(err, "--absorb: '%s' is not none, wait or clock", text) : 0;
}

/* A class of path, with blanks or hyphens between its words. */
static int parse_path(struct arguments *a, struct mpg_error *err)
{
    char text[32];
    a->path_class = MPG_PATHS;
    if (!a->path)
        return 0;
    if (!a->signature)
        return mpg_error_set(err, "--path: there is no --signature to take it from");
    snprintf(text, sizeof text, "%s", a->path);
    for (char *c = text; *c; c++)
        if (*c == '-')
            *c = ' ';
    a->path_class = mpg_path_find(text);
    if (a->path_class == MPG_PATHS)
        return mpg_error_set(err, "--path: '%s' is not core-complex, node or between-nodes",
                             a->path);
    return 0;
}

static int open_inputs(const struct arguments *a, const char *trace, struct inputs *in,
                       struct mpg_error *err)
{
    if (a->signature && !(in->target = mpg_signature_load(a->signature, err)))
        return -1;
    if (a->source && !(in->source = mpg_signature_load(a->source, err)))
        return -1;
    if (mpg_perturbation_use(&in->p, in->target, in->source, a->path_class, err) < 0)
        return -1;
    in->trace = mpg_trace_open(trace, err);
    return in->trace ? 0 : -1;
}

static void close_inputs(struct inputs *in)
{
    mpg_perturbation_clear(&in->p);
    mpg_signature_free(in->target);
    mpg_signature_free(in->source);
    mpg_trace_close(in->trace);
}

static void set_options(const struct arguments *a, const struct inputs *in,
                        struct mpg_simulation_options *o)
{
    o->graph.lenient = a->lenient;
    o->graph.eager_limit_bytes = INT64_MAX;
    if (in->p.target_path && in->p.target_path->eager_limit_bytes != MPG_EAGER_LIMIT_UNKNOWN)
        o->graph.eager_limit_bytes = in->p.target_path->eager_limit_bytes;
    if (a->eager_given)
        o->graph.eager_limit_bytes = a->eager_limit;
    o->floors.has_source_cost = a->source_latency_given || a->source_byte_given;
    o->floors.latency_ns = a->source_latency_ns;
    o->floors.byte_ns = a->source_byte_ns;
    o->floors.source = in->p.source_path;
    o->first_replica = (uint32_t)a->first_replica;
    bool one = !a->replicas_given && !mpg_perturbation_is_random(&in->p);
    o->replicas = one ? 1 : (uint32_t)a->replicas;
}

static int write_report(const struct arguments *a, const struct mpg_report *report,
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
    return mpg_output_commit(out, err);
}

static int run(const struct arguments *a, const char *trace, struct mpg_simulation_options *options,
               struct inputs *in, struct mpg_error *err)
{
    struct mpg_result result = {0};
    if (open_inputs(a, trace, in, err) < 0)
        return -1;
    if (mpg_trace_cut(in->trace) && !a->lenient)
        return mpg_error_set(err, "%s (--lenient goes on with what is whole)",
                             mpg_trace_cut(in->trace));
    set_options(a, in, options);
    if (mpg_simulate(in->trace, &in->p, options, &result, err) < 0) {
        if (strncmp(err->text, "rank ", 5) == 0)
            mpg_error_prefix(err, "%s", mpg_trace_path(in->trace));
        return -1;
    }
    struct mpg_report report = {.trace = in->trace,
                                .p = &in->p,
                                .options = options,
                                .result = &result,
                                .eager_limit_given = a->eager_given,
                                .path_given = a->path != NULL};
    int status = write_report(a, &report, err);
    mpg_result_clear(&result);
    return status;
}

int main(int argc, char **argv)
{
    struct arguments a = {
        .output = "-", .compute_ratio = 1, .replicas = DEFAULT_REPLICAS, .seed = 1};
    const double huge = 9e15;
    const struct mpg_option options[] = {
        {.name = "signature", .kind = MPG_OPTION_STRING, .value = &a.signature, .argument = "FILE",
         .help = "the target machine: its noise, latency, bandwidth, eager limit"},
        {.name = "source", .kind = MPG_OPTION_STRING, .value = &a.source, .argument = "FILE",
         .help = "the traced machine's signature, whose costs the trace contains"},
        {.name = "path", .kind = MPG_OPTION_STRING, .value = &a.path, .argument = "CLASS",
         .help = "which of the target's paths messages take: core-complex, node,\n"
                 "between-nodes (default: the farthest measured)"},
        {.name = "noise", .kind = MPG_OPTION_STRING, .value = &a.noise, .argument = "DIST[@RANKS]",
         .help = "time lost to the system, drawn once for each compute interval\n"
                 "DIST: const:T exp:MEAN normal:MEAN,SD gamma:MEAN,SD\n"
                 "lognormal:MEAN,SD pareto:MINIMUM,SHAPE file:SAMPLES\n"
                 "with times like 100ns or 2us; RANKS like 0,4-7"},
        {.name = "call-noise", .kind = MPG_OPTION_STRING, .value = &a.call_noise,
         .argument = "DIST[@RANKS]", .help = "time lost inside each MPI call"},
        {.name = "latency", .kind = MPG_OPTION_STRING, .value = &a.latency, .argument = "DIST",
         .help = "extra latency of each message"},
        {.name = "byte", .kind = MPG_OPTION_STRING, .value = &a.byte, .argument = "DIST",
         .help = "extra transfer time for each byte of a message"},
        {.name = "compute-ratio", .kind = MPG_OPTION_REAL, .value = &a.compute_ratio,
         .argument = "R", .help = "target's compute time over the traced one (default 1)",
         .minimum = 1e-9, .maximum = 1e9},
        {.name = "absorb", .kind = MPG_OPTION_STRING, .value = &a.absorb, .argument = "MODE",
         .help = "what absorbs delay: none, wait (waiting in calls), clock (and\n"
                 "messages that lay ready; needs comparable clocks). Default:\n"
                 "clock where clocks are comparable, else wait"},
        {.name = "eager-limit", .kind = MPG_OPTION_SIZE, .value = &a.eager_limit,
         .argument = "BYTES", .minimum = -1, .maximum = huge, .given = &a.eager_given,
         .help = "larger standard sends wait for their receiver; -1: all do\n"
                 "(default: the signature's, else unlimited)"},
        {.name = "source-latency", .kind = MPG_OPTION_TIME, .value = &a.source_latency_ns,
         .argument = "TIME", .minimum = 0, .maximum = huge, .given = &a.source_latency_given,
         .help = "least cost of a message on the traced machine\n"
                 "(default: found in the trace)"},
        {.name = "source-byte", .kind = MPG_OPTION_TIME, .value = &a.source_byte_ns,
         .argument = "TIME", .minimum = 0, .maximum = huge, .given = &a.source_byte_given,
         .help = "and of each of its bytes"},
        {.name = "replicas", .kind = MPG_OPTION_INT, .value = &a.replicas, .argument = "N",
         .minimum = 1, .maximum = MAX_REPLICAS, .given = &a.replicas_given,
         .help = "worlds to simulate (default 64, or 1 if nothing is random)"},
        {.name = "first-replica", .kind = MPG_OPTION_INT, .value = &a.first_replica,
         .argument = "K", .minimum = 0, .maximum = MAX_REPLICAS,
         .help = "number of the first one, to repeat a single one (default 0)"},
        {.name = "seed", .kind = MPG_OPTION_INT, .value = &a.seed, .argument = "N", .minimum = 0,
         .maximum = huge, .help = "of all draws (default 1)"},
        {.name = "deterministic", .kind = MPG_OPTION_FLAG, .value = &a.deterministic,
         .help = "keep what Waitany, Test... completed in the trace (always so)"},
        {.name = "lenient", .kind = MPG_OPTION_FLAG, .value = &a.lenient,
         .help = "count what has no partner, or does not fit it, instead of failing"},
        {.name = "json", .kind = MPG_OPTION_FLAG, .value = &a.json,
         .help = "print the whole answer as JSON"},
        {.name = "per-rank", .kind = MPG_OPTION_FLAG, .value = &a.per_rank,
         .help = "print a table of the ranks' delays"},
        {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &a.output,
         .argument = "FILE", .help = "write to FILE instead of standard output"},
        {0}};
    const struct mpg_program program = {
        .name = "mpgsim", .arguments = "TRACE",
        .summary = "Perturb TRACE (a folder, a file, mpgtext, or - for standard input) and say how "
                   "its run time changes.",
        .options = options, .min_arguments = 1, .max_arguments = 1};
    int first = mpg_option_parse(&program, argc, argv);

    struct mpg_error err;
    struct mpg_simulation_options simulation = {0};
    struct inputs in = {.p = {.seed = (uint64_t)a.seed, .compute_ratio = a.compute_ratio}};
    if (a.json && a.per_rank)
        mpg_option_usage_error(&program, "--json and --per-rank exclude each other");
    if (parse_absorb(a.absorb, &simulation, &err) < 0 || parse_specs(&a, &in.p, &err) < 0 ||
        parse_path(&a, &err) < 0)
        mpg_option_usage_error(&program, "%s", err.text);
    int status = run(&a, argv[first], &simulation, &in, &err);
    if (status < 0)
        mpg_error_print(program.name, &err);
    close_inputs(&in);
    return status < 0 ? MPG_EXIT_FAILURE : MPG_EXIT_OK;
}
